//! Which commit each node of a canvas stands at, for a reader that wants to know whether it moved.

use std::collections::BTreeMap;

use canvas_document::examine;

use crate::history::History;
use crate::read::{Opened, snapshot};
use crate::refusal::Refusal;
use crate::repository::GitError;
use crate::staleness::cannot_search;
use crate::store::Store;
use crate::writer::not_well_formed;

/// The commits that a canvas and its nodes stand at, all of one head. Commits are forty hex digits.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Revisions {
    /// The last commit that changed the canvas; none where no commit holds it yet.
    pub canvas: Option<String>,
    /// For each node of the document the last commit that names it; none where none does.
    pub nodes: BTreeMap<String, Option<String>>,
}

impl Store {
    /// Where every node of `canvas` stands, from one look at the store.
    ///
    /// # Errors
    /// The refusals of canvas-store §3.12, and a document that is not well-formed.
    pub fn revisions(&self, canvas: &str) -> Result<Revisions, Refusal> {
        let Opened { place, repository } = self.open(canvas)?;
        let (head, bytes) = snapshot(&place, &repository)?;
        let (_, document) = examine(&place.path.display().to_string(), &bytes);
        let document = document.map_err(|fault| not_well_formed(&place, &fault))?;
        let told = |error: GitError| cannot_search(&repository, &place, &error);
        let history = History::load(&repository, Some(head)).map_err(told)?;
        let ids: Vec<&str> = document.root.descendants().filter_map(|node| node.id()).collect();
        let last = history.last_edits(&place.file, ids.iter().copied()).map_err(told)?;
        let commit = |id: &str| last.get(id).map(ToString::to_string);
        let nodes = ids.iter().map(|id| ((*id).to_owned(), commit(id))).collect();
        let canvas = history.last_change(&place.file).map_err(told)?;
        Ok(Revisions { canvas: canvas.map(|commit| commit.to_string()), nodes })
    }
}
