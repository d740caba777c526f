//! What a projection shows, from one look at the store (canvas-store §3.5, canvas-projections §3).
//!
//! The document, the head and the crossings belong to one moment, so both forms of a projection are
//! made from one [`Projection`] and cannot disagree. Crossings are not stored anywhere. They are found
//! in one walk over the history, newest first: a commit counts when its record says that it moved a
//! node of this document, and only then are two versions of the file looked at, read in process.

use std::collections::{BTreeMap, HashSet};

use canvas_document::{Document, Element, Verdict, examine};
use gix::ObjectId;

use crate::history::History;
use crate::message;
use crate::read::{Opened, snapshot};
use crate::refusal::{CANVAS, Exit, Next, Refusal};
use crate::repository::{GitError, Repository};
use crate::sections::section_of;
use crate::staleness::cannot_search;
use crate::store::Store;
use crate::workspace::Place;
use crate::writer::not_well_formed;

/// A valid canvas at one head.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Projection {
    /// The canvas identifier.
    pub canvas: String,
    /// The full sha of the repository's head.
    pub head: String,
    /// The document.
    pub document: Document,
    /// The crossing of each node of the document that has crossed, by the node's id.
    pub crossings: BTreeMap<String, Crossing>,
}

/// The latest move of a node from one section to another, or into or out of sections.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Crossing {
    /// The full sha of the commit.
    pub commit: String,
    /// Its reason, as it was given.
    pub reason: String,
}

impl Store {
    /// Everything a projection of `canvas` shows.
    ///
    /// # Errors
    /// The refusals of canvas-store §§3.5 and 3.12. Unlike [`Store::read`], a document that is not
    /// valid is refused: no part of it may be shown.
    pub fn projection(&self, canvas: &str) -> Result<Projection, Refusal> {
        let Opened { place, repository } = self.open(canvas)?;
        let (head, bytes) = snapshot(&place, &repository)?;
        let (verdict, document) = examine(&place.path.display().to_string(), &bytes);
        let document = document.map_err(|fault| not_well_formed(&place, &fault))?;
        if verdict != Verdict::Valid {
            return Err(invalid(&place, &verdict));
        }
        let told = |error: GitError| cannot_search(&repository, &place, &error);
        let history = History::load(&repository, Some(head)).map_err(told)?;
        let crossings = crossings(&repository, &history, &place.file, &document).map_err(told)?;
        Ok(Projection { canvas: place.id, head: head.to_string(), document, crossings })
    }
}

/// The refusal to show any part of a document that is not valid.
fn invalid(place: &Place, verdict: &Verdict) -> Refusal {
    let refusal = Refusal::new(
        Exit::Conflict,
        format!(
            "the canvas for Canvas identifier {} is not valid as it is stored, so no part of it is rendered",
            place.id
        ),
        place.identifier(),
        Next::new(format!(
            "`{CANVAS} read {0}` shows it; repair the nodes that the diagnostics name, one by one, with \
             `{CANVAS} replace {0} <node-id> --why TEXT`, and render again",
            place.id
        )),
    )
    .and(place.canvas());
    verdict
        .diagnostics()
        .iter()
        .fold(refusal, |refusal, diagnostic| refusal.detail(diagnostic.to_string()))
}

/// The crossing of every node of `document` that has one (canvas-store §5.5).
fn crossings(
    repository: &Repository,
    history: &History<'_>,
    file: &str,
    document: &Document,
) -> Result<BTreeMap<String, Crossing>, GitError> {
    let ids = document.root.descendants().skip(1).filter_map(Element::id);
    let mut undecided: HashSet<&str> = ids.collect();
    let mut versions = Versions { repository, file, last: Vec::new() };
    let mut found = BTreeMap::new();
    history.moves(file, &mut undecided, |commit, node| {
        let crossed = versions.crossed(commit, node);
        if crossed {
            let decoded = message::decode(&repository.commit(commit)?.message);
            let reason = decoded.reason().into_owned();
            found.insert(node.to_owned(), Crossing { commit: commit.to_string(), reason });
        }
        Ok(crossed)
    })?;
    Ok(found)
}

/// The versions of one file.
struct Versions<'r> {
    repository: &'r Repository,
    file: &'r str,
    /// The two looked at last: the older side of one move is nearly always the newer of the next.
    last: Vec<(ObjectId, Vec<u8>)>,
}

impl Versions<'_> {
    /// Whether `commit` changed the section of `node` against its first parent. What cannot be read
    /// is no crossing (canvas-projections §3.2).
    fn crossed(&mut self, commit: ObjectId, node: &str) -> bool {
        let Ok(found) = self.repository.commit(commit) else { return false };
        let Some(parent) = found.parents.first().copied() else { return false };
        match (self.section(commit, node), self.section(parent, node)) {
            (Some(after), Some(before)) => before != after,
            _ => false,
        }
    }

    /// The section of `node` in the file as `commit` has it; none when that document cannot be had.
    fn section(&mut self, commit: ObjectId, node: &str) -> Option<Option<String>> {
        let blob = self.repository.entry_at(commit, self.file).ok()??.id;
        if !self.last.iter().any(|(id, _)| *id == blob) {
            let bytes = self.repository.blob(blob).ok()?;
            self.last.truncate(1);
            self.last.insert(0, (blob, bytes));
        }
        let (_, bytes) = self.last.iter().find(|(id, _)| *id == blob)?;
        section_of(bytes, node)
    }
}
