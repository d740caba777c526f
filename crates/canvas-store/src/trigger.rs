//! A primary write and the canvas it left: what a check after the write needs to know
//! (canvas-projections §§7.2, 7.3).
//!
//! Everything here is read, from one look at the store, and nothing is written. The order of the
//! refusals is the specification's: what the caller is told first is what was wrong first.

use std::collections::{BTreeMap, HashSet};

use canvas_document::{Document, Element, examine};
use gix::ObjectId;
use gix::objs::Kind;

use crate::history::History;
use crate::message::{self, Decoded};
use crate::mint;
use crate::read::{Opened, UNRECORDED, invalid, snapshot};
use crate::reason;
use crate::refusal::{CANVAS, Exit, Next, Refusal, Subject};
use crate::repository::{Commit, GitError, Repository, cannot_tell, object_id};
use crate::request::HistoryEntry;
use crate::staleness::cannot_search;
use crate::store::{Store, head_of};
use crate::workspace::Place;
use crate::writer::{not_well_formed, repository_at};

/// The verbs of a primary write.
const VERBS: [&str; 4] = ["insert", "replace", "remove", "move"];

/// A canvas as one primary write, the head of its repository, left it.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct PrimaryWrite {
    /// The canvas identifier.
    pub canvas: String,
    /// The commit, which is the head: forty hex digits.
    pub commit: String,
    /// The subject of the commit.
    pub subject: String,
    /// The node the commit names, and what it did to it.
    pub node: String,
    /// The verb, the author and the reason of the commit.
    pub edit: HistoryEntry,
    /// The stored file, complete.
    pub xml: String,
    /// Every node, in document order.
    pub nodes: Vec<NodeFacts>,
    document: Document,
}

/// One node of a canvas, with all that happened to it.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct NodeFacts {
    /// Its id.
    pub id: String,
    /// Its element name.
    pub element: String,
    /// Its text; empty for a container and for a node without any.
    pub text: String,
    /// All its attributes, `id` and `v` included.
    pub attributes: BTreeMap<String, String>,
    /// Its edits, oldest first.
    pub history: Vec<HistoryEntry>,
}

impl Store {
    /// The primary write `trigger` (forty hex digits), and the canvas it left.
    ///
    /// # Errors
    /// In the order of canvas-projections §7.2, from its second row to its seventh: the store's own
    /// refusals, a trigger that is not the head, one that cannot be read, one that is no primary
    /// write to this canvas, a canvas that is not valid, a head that moved meanwhile.
    pub fn primary_write(&self, canvas: &str, trigger: &str) -> Result<PrimaryWrite, Refusal> {
        let Opened { place, repository } = self.open(canvas)?;
        place.require_inside()?;
        let (head, bytes) = snapshot(&place, &repository)?;
        let (verdict, document) = examine(&place.path.display().to_string(), &bytes);
        let document = document.map_err(|fault| not_well_formed(&place, &fault))?;
        require_same(&place, trigger, head)?;
        let commit = repository
            .commit(head)
            .map_err(|error| unreadable(&place, &repository, head, &error))?;
        let decoded = message::decode(&commit.message);
        let touched = only_path(&repository, &place.file, &commit)
            .map_err(|error| unreadable(&place, &repository, head, &error))?;
        if let Some(why) = not_primary(&decoded, touched) {
            return Err(not_a_primary_write(&place, head, &decoded, why));
        }
        if let Some(refusal) = invalid(&place, &verdict) {
            return Err(refusal);
        }
        require_same(&place, trigger, head_of(&repository)?.1)?;
        let told = |error: GitError| cannot_search(&repository, &place, &error);
        let history = History::load(&repository, Some(head)).map_err(told)?;
        let nodes = facts(&history, &place.file, &document).map_err(told)?;
        let node = decoded.nodes.first().map(|id| String::from_utf8_lossy(id).into_owned());
        Ok(PrimaryWrite {
            canvas: place.id,
            commit: head.to_string(),
            subject: decoded.subject().into_owned(),
            node: node.unwrap_or_default(),
            edit: entry(head, &decoded),
            // What parsed is UTF-8, so nothing is replaced.
            xml: String::from_utf8_lossy(&bytes).into_owned(),
            nodes,
            document,
        })
    }

    /// Makes sure that the store still has the canvas as `write` found it.
    ///
    /// # Errors
    /// The store's own refusals; exit 1 when the head, or the stored file, is another.
    pub fn require_unchanged(&self, write: &PrimaryWrite) -> Result<(), Refusal> {
        let Opened { place, repository } = self.open(&write.canvas)?;
        let (head, bytes) = snapshot(&place, &repository)?;
        require_same(&place, &write.commit, head)?;
        if bytes == write.xml.as_bytes() { Ok(()) } else { Err(edited_by_hand(&place, head)) }
    }
}

impl PrimaryWrite {
    /// Whether the canvas could take one question at its end for each of `findings`, a text and the
    /// reason for its insert; in words why not.
    ///
    /// # Errors
    /// The first thing that the store would refuse about what is to be written.
    pub fn can_hold<'f>(
        &self,
        findings: impl IntoIterator<Item = (&'f str, &'f str)>,
    ) -> Result<(), String> {
        let mut document = self.document.clone();
        let mut used: HashSet<String> = self.nodes.iter().map(|node| node.id.clone()).collect();
        for (number, (text, why)) in findings.into_iter().enumerate() {
            let number = number + 1;
            reason::accept(why, None, Vec::new()).map_err(|refusal| {
                format!("the reason of finding {number}: {}", refusal.message())
            })?;
            let id = mint::node_id(|id| Ok::<_, &str>(!used.contains(id)))?
                .ok_or("the canvas has no id left for a question")?;
            let mut question = Element::new("question");
            question.set_attribute("id", id.as_str());
            question.set_attribute("v", "1");
            question.text = text.to_owned();
            let alone = Document { root: question.clone() };
            alone
                .to_bytes()
                .map_err(|fault| format!("the question of finding {number}: {fault}"))?;
            document.root.children.push(question);
            used.insert(id);
        }
        let bytes = document.to_bytes().map_err(|fault| fault.to_string())?;
        let (verdict, _) = examine(&self.canvas, &bytes);
        match verdict.diagnostics().first() {
            Some(diagnostic) => Err(format!("the canvas with its questions: {diagnostic}")),
            None => Ok(()),
        }
    }
}

/// Every node of the document with its history, from one walk.
fn facts(
    history: &History<'_>,
    file: &str,
    document: &Document,
) -> Result<Vec<NodeFacts>, GitError> {
    let nodes = || document.root.descendants().skip(1).filter_map(|node| Some((node.id()?, node)));
    let edits = history.edits_of_each(file, nodes().map(|(id, _)| id))?;
    let mut facts = Vec::new();
    for (id, node) in nodes() {
        let edits = edits.get(id).into_iter().flatten();
        let text = if node.text.trim().is_empty() { "" } else { node.text.as_str() };
        facts.push(NodeFacts {
            id: id.to_owned(),
            element: node.name.clone(),
            text: text.to_owned(),
            attributes: node.attributes.iter().cloned().collect(),
            history: edits.map(|(commit, decoded)| entry(*commit, decoded)).collect(),
        });
    }
    Ok(facts)
}

fn entry(commit: ObjectId, decoded: &Decoded) -> HistoryEntry {
    HistoryEntry {
        commit: commit.to_string(),
        author: decoded.author().unwrap_or_else(|| UNRECORDED.to_owned()),
        verb: decoded.verb().into_owned(),
        reason: decoded.reason().into_owned(),
    }
}

/// Whether `commit` changes `file` and nothing else: its tree is then its parent's tree with that
/// one entry exchanged. A merge is no write.
fn only_path(repository: &Repository, file: &str, commit: &Commit) -> Result<bool, GitError> {
    let before = match commit.parents.as_slice() {
        [] => None,
        [parent] => Some(repository.commit(*parent)?.tree),
        _ => return Ok(false),
    };
    let Some(now) = repository.entry(commit.tree, file)? else { return Ok(false) };
    let then = before.map(|tree| repository.entry(tree, file)).transpose()?.flatten();
    if then == Some(now) {
        return Ok(false);
    }
    let exchanged = repository.tree_with(before, file, now.id, &format!("{:o}", now.mode))?;
    Ok(object_id(Kind::Tree, &exchanged)? == commit.tree)
}

/// Why a commit is no primary write, in words.
fn not_primary(decoded: &Decoded, touched: bool) -> Option<&'static str> {
    let named = |id: &Vec<u8>| !id.trim_ascii().is_empty();
    if !touched {
        Some("it does not change this canvas's file and no other path")
    } else if !VERBS.contains(&&*decoded.verb()) {
        Some("its verb is none of insert, replace, remove and move")
    } else if decoded.nodes.len() != 1 || !decoded.nodes.iter().all(named) {
        Some("it does not name exactly one node")
    } else if decoded.author().is_none_or(|author| author.trim().is_empty()) {
        Some("it names no author")
    } else {
        None
    }
}

/// Makes sure that the trigger is the head.
fn require_same(place: &Place, trigger: &str, head: ObjectId) -> Result<(), Refusal> {
    if ObjectId::from_hex(trigger.as_bytes()).is_ok_and(|id| id == head) {
        Ok(())
    } else {
        Err(moved(place, trigger, head))
    }
}

fn moved(place: &Place, trigger: &str, head: ObjectId) -> Refusal {
    Refusal::new(
        Exit::Conflict,
        format!(
            "the trigger {trigger} is stale: the head is {head}; nothing was written, and what the trigger \
             wrote stands"
        ),
        place.identifier(),
        Next::new(format!(
            "check the write that is the head now; `{CANVAS} read {} --since {trigger}` tells what changed \
             in this canvas after the trigger",
            place.id
        )),
    )
    .and(Subject::about("option", format!("--trigger {trigger}")))
    .and(Subject::about("sha", format!("{head}, the head")))
}

fn edited_by_hand(place: &Place, head: ObjectId) -> Refusal {
    Refusal::new(
        Exit::Conflict,
        format!(
            "{} changed without a commit since the trigger {head} was looked at; nothing was written",
            place.path.display()
        ),
        place.identifier(),
        Next::new(format!(
            "`{CANVAS} read {}` shows the canvas as it is; check the trigger again when nobody edits the file",
            place.id
        )),
    )
    .and(place.canvas())
}

fn unreadable(place: &Place, repository: &Repository, head: ObjectId, error: &GitError) -> Refusal {
    if error.error.is_some() || !repository.git_dir().exists() {
        return cannot_tell(repository.dir(), error).and(place.identifier());
    }
    Refusal::new(
        Exit::Conflict,
        format!("the trigger {head} cannot be read: {}; nothing was written", error.words),
        place.identifier(),
        Next::new(format!("see what git says of it: {}", repository.pinned("log"))),
    )
    .and(repository_at(repository))
    .and(Subject::about("option", format!("--trigger {head}")))
}

fn not_a_primary_write(place: &Place, head: ObjectId, decoded: &Decoded, why: &str) -> Refusal {
    Refusal::new(
        Exit::Conflict,
        format!(
            "the trigger {head} (\"{}\") is not a successful primary write to canvas {}: {why}; nothing was \
             written",
            decoded.subject(),
            place.id
        ),
        place.identifier(),
        Next::new(
            "name the canvas that the trigger wrote, and the sha that its insert, replace, remove, move or \
             create printed as Canvas-Base; nothing else is checked",
        ),
    )
    .and(place.canvas())
    .and(Subject::about("option", format!("--trigger {head}")))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::request::{Create, Edit, Environment, Payload, Position};

    fn store() -> (tempfile::TempDir, Store, Vec<String>) {
        let place = tempfile::tempdir().unwrap();
        let workspace = Some(place.path().as_os_str().to_owned());
        let store = Store::new(Environment { workspace, ..Environment::default() });
        let made = store
            .create(&Create {
                canvas: Some("t1"),
                problem: "P",
                expected_value: "V",
                author: Some("a"),
            })
            .unwrap();
        (place, store, vec![made.problem, made.expected_value])
    }

    /// One walk for all nodes tells of each what `history` tells of it.
    #[test]
    fn every_node_has_the_history_that_history_prints() {
        let (_place, store, mut nodes) = store();
        let edit = Edit { canvas: "t1", why: "w", base: None, author: Some("a") };
        let payload = Payload { text: Some("x".to_owned()), ..Payload::default() };
        let mut head = String::new();
        for round in 0..12 {
            let node = nodes[round * 7 % nodes.len()].clone();
            let written = match round % 4 {
                0 => store.insert(&edit, Position::Into("root"), &payload).unwrap(),
                1 => store.move_node(&edit, &node, Position::Into("root")).unwrap(),
                _ => store.replace(&edit, &node, &payload).unwrap(),
            };
            if round % 4 == 0 {
                nodes.push(written.node);
            }
            head = written.base;
        }
        let write = store.primary_write("t1", &head).unwrap();
        assert_eq!(write.nodes.len(), nodes.len());
        for node in &write.nodes {
            let history = store.history("t1", &node.id).unwrap();
            assert_eq!(node.history, history.entries, "{}", node.id);
            assert_eq!(node.attributes["v"], node.history.len().to_string());
        }
    }

    #[test]
    fn what_a_canvas_cannot_hold_is_known_before_it_is_written() {
        let (_place, store, _) = store();
        let head = store.primary_write("t1", &"0".repeat(40)).unwrap_err();
        assert_eq!(head.exit(), Exit::Conflict);
        let head = head.subjects().iter().find_map(|subject| match subject {
            Subject::About { kind: "sha", value } => value.split(',').next().map(str::to_owned),
            _ => None,
        });
        let write = store.primary_write("t1", &head.unwrap()).unwrap();
        let good = ("which?", "they disagree");
        assert_eq!(write.can_hold([]), Ok(()));
        assert_eq!(write.can_hold([good, good]), Ok(()));
        for bad in
            [("a\u{1}b", "r"), ("q\u{ffff}", "r"), ("q", "a\0b"), ("q", "as above"), ("q", " ")]
        {
            let why = write.can_hold([good, bad]).unwrap_err();
            assert!(why.contains("finding 2"), "{bad:?}: {why}");
        }
        let large = "x".repeat(canvas_document::BYTES / 2);
        let large = (large.as_str(), "r");
        assert_eq!(write.can_hold([large]), Ok(()));
        assert!(write.can_hold([large, large]).is_err());
    }
}
