//! From a revision to the manifest of a change: which paths differ between it and the working tree, and
//! the bytes that stood there (checks §5.7). It is the one place of the check layer that runs version
//! control; a check reads what this wrote and runs none.
//!
//! The manifest is a line `headwater change 1`, then one line for each path in byte order: `added` and
//! the path where nothing stood, else `prior`, the path and the file that holds what stood there,
//! separated by tabs. A renamed file is named at its new path with the bytes of the old one. The
//! statements of the author, `verified`, come last. Paths are spelled from the root that was asked
//! about, and nothing is filtered but what lies outside it.

mod diff;
mod git;
mod write;

use std::collections::BTreeSet;
use std::fmt;
use std::path::{Path, PathBuf};

use diff::Stood;
use git::Git;

/// What a change is made of.
#[derive(Clone, Debug)]
pub struct Request<'r> {
    /// The directory whose paths are named: a work tree of git, or a directory of one.
    pub root: &'r Path,
    /// The revision that the change starts from: the merge base of a proposed change, the head of a
    /// working tree.
    pub base: &'r str,
    /// The directory to write to. It is made where it is missing.
    pub out: &'r Path,
    /// The documents that the author read again.
    pub verified: &'r [String],
    /// The edges that the author read again: document and target.
    pub verified_edges: &'r [(String, String)],
}

/// Why there is no manifest: one sentence that says what to do. It may quote control characters.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refusal(String);

impl Refusal {
    pub(crate) fn new(sentence: impl Into<String>) -> Self {
        Self(sentence.into())
    }
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for Refusal {}

/// Writes the versions before the change and the manifest that names them, and gives back its path.
/// Nothing is written before everything but the writing itself can no longer fail.
///
/// An output directory inside the work tree that git does not ignore is part of the change: the
/// versions that were written there are named as added.
///
/// # Errors
/// The revision is not one of this repository, there is no repository, a path or a statement is one that
/// a manifest cannot hold, or git or the disk failed.
pub fn produce(request: &Request<'_>) -> Result<PathBuf, Refusal> {
    let spelled = spelled(request.out)?;
    let out = Path::new(spelled);
    check_statements(request)?;
    let git = Git::at(request.root)?;
    let base = git.commit(request.base)?;
    let changed = diff::parse(&git.changed(&base)?, &git.prefix()?)?;
    let mut untracked = diff::untracked(&git.untracked()?)?;
    let inside = write::prepare(out, request.root)?;
    let stood: Vec<&Stood> = changed.values().collect();
    let files = git.versions(&base, &stood, &out.join("prior"))?;
    if inside {
        untracked = diff::untracked(&git.untracked()?)?;
    }
    // A file that git no longer tracks is no new one where the base has it.
    let paths: BTreeSet<&String> = changed.keys().chain(&untracked).collect();
    let mut lines = vec!["headwater change 1".to_owned()];
    for path in paths {
        lines.push(match files.get(path) {
            Some(number) => format!("prior\t{path}\t{spelled}/prior/{number}"),
            None => format!("added\t{path}"),
        });
    }
    lines.extend(request.verified.iter().map(|path| format!("verified\t{path}")));
    let edges = request.verified_edges.iter();
    lines.extend(edges.map(|(path, target)| format!("verified\t{path}\t{target}")));
    write::manifest(out, &(lines.join("\n") + "\n"))
}

/// The output directory as a manifest spells it.
fn spelled(out: &Path) -> Result<&str, Refusal> {
    let text = out.to_str().filter(|text| !text.is_empty() && !text.chars().any(char::is_control));
    let text = text.ok_or_else(|| {
        Refusal::new(format!(
            "`{}` cannot be written into a manifest; name an output directory without control characters",
            out.display()
        ))
    })?;
    Ok(if text.len() > 1 { text.trim_end_matches('/') } else { text })
}

fn check_statements(request: &Request<'_>) -> Result<(), Refusal> {
    let mut seen = BTreeSet::new();
    let documents = request.verified.iter().map(|path| (path.as_str(), None));
    let edges = request.verified_edges.iter();
    let edges = edges.map(|(path, target)| (path.as_str(), Some(target.as_str())));
    for (path, target) in documents.chain(edges) {
        let both = [Some(path), target];
        let mut texts = both.into_iter().flatten();
        if texts.any(|text| text.is_empty() || text.contains(['\t', '\n'])) {
            return Err(Refusal::new(format!(
                "the statement about `{}` is empty or holds a tab or a line break; name a path and, for an edge, its target",
                both.into_iter().flatten().collect::<Vec<_>>().join(" ")
            )));
        }
        if !seen.insert((path, target)) {
            return Err(Refusal::new(format!(
                "`{}` is stated twice; state each reading once",
                both.into_iter().flatten().collect::<Vec<_>>().join(" ")
            )));
        }
    }
    Ok(())
}
