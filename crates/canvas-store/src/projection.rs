//! What a projection shows, from one look at the store (canvas-store §3.5, canvas-projections §3).
//!
//! The document, the head and the crossings belong to one moment, so both forms of a projection are
//! made from one [`Projection`] and cannot disagree. Crossings are not stored anywhere. They are found
//! in one walk over the history, newest first: a commit counts when its record says that it moved a
//! node of this document, and only then are two documents looked at, read in process and each parsed
//! once.

use std::collections::{BTreeMap, HashMap, HashSet};

use canvas_document::{BYTES, Document, Element, Verdict, examine};
use gix::ObjectId;

use crate::history::History;
use crate::message;
use crate::read::{Opened, snapshot};
use crate::refusal::{CANVAS, Exit, Next, Refusal};
use crate::repository::{GitError, Repository};
use crate::staleness::cannot_search;
use crate::store::Store;
use crate::workspace::Place;
use crate::writer::not_well_formed;

/// The element whose change is a crossing.
const SECTION: &str = "section";

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
    let mut sections = Sections { repository, file, known: HashMap::new() };
    let mut found = BTreeMap::new();
    history.moves(file, &mut undecided, |commit, node| {
        let crossed = sections.crossed(commit, node);
        if crossed {
            let decoded = message::decode(&repository.commit(commit)?.message);
            let reason = decoded.reason().into_owned();
            found.insert(node.to_owned(), Crossing { commit: commit.to_string(), reason });
        }
        Ok(crossed)
    })?;
    Ok(found)
}

/// The section of each node, for every version of one file that was looked at.
struct Sections<'r> {
    repository: &'r Repository,
    file: &'r str,
    known: HashMap<ObjectId, Option<HashMap<String, String>>>,
}

impl Sections<'_> {
    /// Whether `commit` changed the section of `node` against its first parent. What cannot be read
    /// is no crossing (canvas-projections §3.2).
    fn crossed(&mut self, commit: ObjectId, node: &str) -> bool {
        let Ok(found) = self.repository.commit(commit) else { return false };
        let Some(parent) = found.parents.first().copied() else { return false };
        match (self.section(parent, node), self.section(commit, node)) {
            (Some(before), Some(after)) => before != after,
            _ => false,
        }
    }

    /// The section of `node` in the file as `commit` has it, no section being one of the answers;
    /// none when that document cannot be had.
    fn section(&mut self, commit: ObjectId, node: &str) -> Option<Option<String>> {
        let blob = self.repository.entry_at(commit, self.file).ok()??.id;
        let repository = self.repository;
        let sections = self.known.entry(blob).or_insert_with(|| {
            let bytes = repository.blob(blob).ok().filter(|bytes| bytes.len() <= BYTES)?;
            Some(sections(&Document::parse(&bytes).ok()?))
        });
        Some(sections.as_ref()?.get(node).cloned())
    }
}

/// The nearest section above each node that is in one. Of nodes that share an id the first counts,
/// as everywhere.
fn sections(document: &Document) -> HashMap<String, String> {
    let mut seen: HashSet<&str> = HashSet::new();
    let mut sections = HashMap::new();
    let mut waiting: Vec<(&Element, Option<&str>)> = vec![(&document.root, None)];
    while let Some((element, section)) = waiting.pop() {
        if let Some(id) = element.id()
            && seen.insert(id)
            && let Some(section) = section
        {
            sections.insert(id.to_owned(), section.to_owned());
        }
        let inside = if element.name == SECTION { element.id().or(Some("")) } else { section };
        waiting.extend(element.children.iter().rev().map(|child| (child, inside)));
    }
    sections
}

#[cfg(test)]
mod tests {
    use super::*;

    /// canvas-projections, case 57.
    #[test]
    fn a_section_is_the_one_a_node_sits_in_and_never_its_title() {
        let shown = |first: &str, second: &str| {
            let source = format!(
                "<canvas ledger='t' schema='2'><text id='free' v='1'/>\
                 <section id='aaaa' v='1' title='{first}'><text id='in2a' v='1'/>\
                 <section id='bbbb' v='1' title='{second}'><list id='in2b' v='1'><item id='it2b' v='1'/>\
                 </list></section></section></canvas>"
            );
            let sections = sections(&Document::parse(source.as_bytes()).unwrap());
            ["free", "in2a", "in2b", "it2b", "aaaa", "bbbb", "none"]
                .map(|id| sections.get(id).cloned())
        };
        let of = |id: &str| Some(id.to_owned());
        let expected = [None, of("aaaa"), of("bbbb"), of("bbbb"), None, of("aaaa"), None];
        assert_eq!(shown("Evidence", "Appendix"), expected);
        assert_eq!(shown("", ""), expected);
    }
}
