//! What moved since a declared base: nothing, something else, or the very node (canvas-store §5).

use std::path::Path;

use gix::ObjectId;

use crate::diff::{Side, unified};
use crate::history::History;
use crate::message;
use crate::refusal::{CANVAS, Exit, Next, Refusal, Subject};
use crate::repository::{Entry, GitError, Repository, Resolved, cannot_tell};
use crate::request::News;
use crate::workspace::Place;

/// One sha that a caller declared, and what it was declared for.
pub struct Declared<'a> {
    /// `--base` or `--since`.
    pub option: &'static str,
    /// The value as given.
    pub given: &'a str,
    /// The node that is being written, when one is known.
    pub node: Option<&'a str>,
}

impl Declared<'_> {
    fn labels(&self, place: &Place, value: &str) -> Vec<Subject> {
        let mut labels: Vec<Subject> = self.node.map(Subject::node).into_iter().collect();
        labels.push(place.identifier());
        labels.push(Subject::about("option", format!("{} {value}", self.option)));
        labels
    }

    fn refusal(
        &self,
        exit: Exit,
        message: String,
        place: &Place,
        value: &str,
        next: String,
    ) -> Refusal {
        Refusal::new(exit, message, place.identifier(), Next::new(next))
            .and_all(self.labels(place, value))
    }

    /// What to do instead, for this option.
    fn advice(&self, place: &Place) -> String {
        let read = format!("`{CANVAS} read {}`", place.id);
        if self.option == "--base" {
            format!(
                "re-run with the sha that {read} prints as Canvas-Base, after deciding again; or drop \
                 --base to ask for no staleness check at all"
            )
        } else {
            format!(
                "re-run with a sha that {read} printed as Canvas-Base, or re-run without the flag to read \
                 the canvas alone"
            )
        }
    }

    /// The commit that the value names, if it is one the head descends from (canvas-store §5.2).
    fn resolve(&self, repository: &Repository, place: &Place) -> Result<ObjectId, Refusal> {
        let given = self.given;
        let option = self.option;
        let is_sha =
            (4..=40).contains(&given.len()) && given.bytes().all(|b| b.is_ascii_hexdigit());
        if !is_sha {
            return Err(self.refusal(
                Exit::Tool,
                format!("{option} '{given}' is not a sha: it takes 4 to 40 hex digits; nothing was written"),
                place,
                &format!("'{given}'"),
                self.advice(place),
            ));
        }
        match repository.resolve(given).map_err(|error| cannot_tell(repository.dir(), &error))? {
            Resolved::Commit(id) => Ok(id),
            Resolved::NoCommit => Err(self.refusal(
                Exit::Conflict,
                format!("{option} {given} names no commit of this canvas repository"),
                place,
                given,
                self.advice(place),
            )),
        }
    }
}

/// What happened to the canvas since `declared`: none when nothing did, news when something else
/// moved, a refusal when the node itself did or the sha is unusable.
pub fn since<'h, 'r: 'h>(
    repository: &Repository,
    history: impl FnOnce() -> Result<&'h History<'r>, GitError>,
    head: ObjectId,
    place: &Place,
    declared: &Declared<'_>,
) -> Result<News, Refusal> {
    let base = declared.resolve(repository, place)?;
    if base == head {
        let (since, head) = (base.to_string(), head.to_string());
        return Ok(News { since, head, subjects: Vec::new(), diff: Vec::new() });
    }
    let told = |error: GitError| cannot_search(repository, place, &error);
    let history = history().map_err(told)?;
    let Some(moved) = history.since(base, &place.file, declared.node).map_err(told)? else {
        return Err(declared
            .refusal(
                Exit::Conflict,
                format!(
                    "{} {} is a commit, but not an ancestor of the head {head}",
                    declared.option, declared.given
                ),
                place,
                &base.to_string(),
                declared.advice(place),
            )
            .and(Subject::about("sha", format!("{head}, the head"))));
    };
    let same_node: Vec<ObjectId> =
        moved.iter().rev().filter(|(_, names)| *names).map(|(id, _)| *id).collect();
    if let Some(node) = declared.node
        && !same_node.is_empty()
    {
        return Err(
            moved_node(repository, place, declared, node, head, &same_node).unwrap_or_else(told)
        );
    }
    let news = || -> Result<News, GitError> {
        let mut subjects = Vec::new();
        for (id, _) in moved.iter().rev() {
            subjects.push(subject(repository, *id)?);
        }
        let diff = if subjects.is_empty() {
            Vec::new()
        } else {
            patch(repository, &place.file, Some(base), head)?
        };
        Ok(News { since: base.to_string(), head: head.to_string(), subjects, diff })
    };
    news().map_err(told)
}

fn subject(repository: &Repository, commit: ObjectId) -> Result<String, GitError> {
    Ok(message::decode(&repository.commit(commit)?.message).subject().into_owned())
}

/// The hard branch: the node moved since the base (canvas-store §5.4).
fn moved_node(
    repository: &Repository,
    place: &Place,
    declared: &Declared<'_>,
    node: &str,
    head: ObjectId,
    commits: &[ObjectId],
) -> Result<Refusal, GitError> {
    let mut refusal = declared
        .refusal(
            Exit::Conflict,
            format!(
                "refusing to write {node} of canvas {}: it moved in {} commit(s) between {} {} and \
                 {head}, so the edit was decided against text that is no longer there; nothing was written",
                place.id,
                commits.len(),
                declared.option,
                declared.given
            ),
            place,
            declared.given,
            format!(
                "`{CANVAS} read {}` shows the canvas as it is; read what the commits above did, decide \
                 again, and re-run with --base set to the Canvas-Base it prints",
                place.id
            ),
        )
        .and(place.canvas())
        .and(Subject::about("sha", format!("{head}, the head")));
    for (at, id) in commits.iter().enumerate() {
        let commit = repository.commit(*id)?;
        let blank = if at > 0 { "\n" } else { "" };
        let subject = crate::refusal::escape(&message::decode(&commit.message).subject());
        let mut block = format!("{blank}Canvas-Commit: {id}\n{subject}\n").into_bytes();
        block.extend(patch(repository, &place.file, commit.parents.first().copied(), *id)?);
        refusal = refusal.detail(block);
    }
    Ok(refusal)
}

/// git's unified diff of one file between two commits; none before means that nothing was there.
fn patch(
    repository: &Repository,
    file: &str,
    before: Option<ObjectId>,
    after: ObjectId,
) -> Result<Vec<u8>, GitError> {
    let old = match before {
        Some(commit) => repository.entry_at(commit, file)?,
        None => None,
    };
    let new = repository.entry_at(after, file)?;
    let load = |entry: Option<Entry>| -> Result<Option<(Entry, Vec<u8>)>, GitError> {
        entry.map(|entry| Ok((entry, repository.blob(entry.id)?))).transpose()
    };
    let (old, new) = (load(old)?, load(new)?);
    let zeros = repository.abbreviate(ObjectId::null(gix::hash::Kind::Sha1));
    let old = old.as_ref().map(|(entry, content)| side(repository, *entry, content));
    let new = new.as_ref().map(|(entry, content)| side(repository, *entry, content));
    Ok(unified(file, old.as_ref(), new.as_ref(), &zeros))
}

fn side<'a>(repository: &Repository, entry: Entry, content: &'a [u8]) -> Side<'a> {
    Side { mode: u32::from(entry.mode), abbrev: repository.abbreviate(entry.id), content }
}

/// The refusal for a history that cannot be read (canvas-store §3.12).
pub fn cannot_search(repository: &Repository, place: &Place, error: &GitError) -> Refusal {
    if !repository.git_dir().exists() {
        return cannot_tell(repository.dir(), error).and(place.identifier());
    }
    let subject = Subject::about("canvas repository", repository.dir().display().to_string());
    let message = format!(
        "cannot search the canvas history for Canvas identifier {}: {}; cannot tell what it holds",
        place.id, error.words
    );
    let next = Next::new(format!(
        "leave the canvas alone and see what git says of it: {}",
        repository.pinned("log")
    ));
    let refusal = Refusal::new(Exit::Tool, message, subject, next)
        .and(Subject::about("command", "git log"))
        .and(place.identifier());
    match (&error.path, &error.error) {
        (Some(path), Some(io)) => refusal.and_all(crate::os::subjects(io, &[path as &Path])),
        _ => refusal,
    }
}
