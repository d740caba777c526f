//! Edges: one written half, what its target is bound to, and the two units in which rules look at
//! them, entries and pairs (model §3.6, §3.7).

use std::sync::OnceLock;

use headwater_taxonomy::model::Direction;
use markdown::Span;
use markdown::yaml::{Entry, Text};

use crate::resolver::{Member, Resolved, Revision};

/// One raw target and where it stands in the front matter.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Target {
    /// The target, trimmed, a binding's template filled.
    pub text: Text,
    /// Its bytes.
    pub span: Span,
}

/// One half: an entry that a document wrote, bound or not. Spans are offsets of the file that holds
/// the writer's front matter.
#[derive(Debug)]
pub struct Edge {
    /// The row of the document that wrote it.
    pub source: usize,
    /// The place of the relation among `Taxonomy::relations`.
    pub relation: usize,
    /// Under which of its names it is written.
    pub direction: Direction,
    /// The key of a binding that it stands under; none for the `relations` block.
    pub bound_key: Option<Text>,
    /// The bytes of the key that it stands under.
    pub key_span: Span,
    /// The raw targets; more than one only for a conjunctive anchor.
    pub targets: Box<[Target]>,
    /// The bytes of the target text, or of the list of targets.
    pub span: Span,
    /// The keys of a mapping entry beside `to`.
    pub attributes: Box<[Entry]>,
    /// What the target is.
    pub binding: Binding,
}

impl Edge {
    /// The text of an attribute that is a scalar.
    #[must_use]
    pub fn attribute(&self, name: &str) -> Option<&str> {
        self.attributes.iter().find(|entry| entry.key == name)?.value.text()
    }

    /// The row of the document that it names.
    #[must_use]
    pub fn document(&self) -> Option<usize> {
        match self.binding {
            Binding::Document(row) => Some(row),
            _ => None,
        }
    }

    /// The anchor that it names.
    #[must_use]
    pub fn anchor(&self) -> Option<&Anchor> {
        match &self.binding {
            Binding::Anchor(anchor) => Some(anchor),
            _ => None,
        }
    }
}

/// What the target of an edge is.
#[derive(Debug)]
pub enum Binding {
    /// The document of a row.
    Document(usize),
    /// Something that is no document.
    Anchor(Box<Anchor>),
    /// Something that an export keeps back.
    Withheld(Box<Withheld>),
    /// Nothing.
    Unbound(Box<Unbound>),
}

/// An edge end that an export keeps back.
#[derive(Debug)]
pub struct Withheld {
    /// The anchor kind.
    pub anchor: String,
    /// The profile that keeps it back.
    pub profile: String,
}

/// An edge end that is no document.
#[derive(Debug)]
pub struct Anchor {
    /// The anchor kind.
    pub kind: String,
    /// The resolver that bound it.
    pub resolver: String,
    /// The normalized target; of several, sorted, each with its length before it.
    pub identity: String,
    /// What each raw target resolved to.
    pub parts: Vec<Resolved>,
    pub(crate) revision: OnceLock<Revision>,
}

impl Anchor {
    /// What the targets match, sorted by path, each once.
    #[must_use]
    pub fn members(&self) -> Vec<&Member> {
        let mut members: Vec<&Member> = self.parts.iter().flat_map(|part| &part.members).collect();
        members.sort_unstable();
        members.dedup();
        members
    }
}

/// Why a target is bound to nothing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Unbound {
    /// No document has the identifier, and no resolver knows it: each resolver and what it said.
    NoSuchTarget(Vec<(String, String)>),
    /// A document that is no node has the identifier: its row.
    NotTyped(usize),
    /// The resolver of an anchor kind is not in this run.
    NoResolver {
        /// The anchor kind.
        anchor: String,
        /// The resolver.
        resolver: String,
        /// Why it is not, where that is known.
        why: Option<String>,
    },
    /// The resolver of the only anchor kinds permitted refuses it.
    AnchorUnresolved {
        /// The anchor kind.
        anchor: String,
        /// The resolver.
        resolver: String,
        /// What it said.
        reason: String,
    },
    /// Several anchor kinds claim it.
    AmbiguousAnchor(Vec<String>),
    /// It is the path of a document, which is named by its identifier: its row.
    DocumentByPath(usize),
}

/// The halves that say one thing: between two documents, under one relation, in the declared
/// direction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pair {
    /// The place of the relation among `Taxonomy::relations`.
    pub relation: usize,
    /// The row at the source end.
    pub from: usize,
    /// The row at the target end.
    pub to: usize,
    /// The half written under the relation's name: the index of the edge.
    pub declared: Option<usize>,
    /// The half written under the inverse: the index of the edge.
    pub inverse: Option<usize>,
}

impl Pair {
    /// The half that findings stand at: the declared one, else the inverse one.
    #[must_use]
    pub fn half(&self) -> Option<usize> {
        self.declared.or(self.inverse)
    }
}

/// Something in a document's relations that is no edge.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    /// The row.
    pub row: usize,
    /// What it is.
    pub trouble: Trouble,
    /// Its bytes, in the file that holds the front matter.
    pub span: Span,
}

/// What makes an entry of a document's relations unusable.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Trouble {
    /// The block is no mapping.
    NotMapping,
    /// The document has no identifier, so none of its entries is an edge.
    NoIdentifier,
    /// No relation and no inverse has this name.
    UnknownRelation(String),
    /// A mapping entry without a usable `to`.
    NoTarget(String),
    /// Neither a text nor a mapping, or a list where a document may stand; under this name.
    Unusable(String),
    /// The document wrote the same name and target before: the name and the normalized target.
    Repeated(String, String),
}
