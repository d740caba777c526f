//! Phase A of the check layer: from a lock and a directory to a [`Corpus`], which is built once and
//! then only read.
//!
//! Every file under the corpus root becomes one [`Row`] of the census, whatever became of it. Rows
//! that resolve to a kind are the nodes of the graph; their front matter gives identifiers and
//! [`Edge`]s, whose targets bind to documents or to [`Anchor`]s; their bodies give [`ProseLink`]s.
//! Nothing here judges: what cannot be used is kept as data, with its place, for the rules to report.
//!
//! Offsets are bytes of the file they belong to. Everything is linear in the corpus, nothing recurses
//! over input, and the order of everything is that of paths and of places in files.

mod bind;
mod census;
mod claims;
mod corpus;
mod digest;
mod document;
mod edge;
mod graph;
mod halves;
mod index;
mod link;
mod lists;
mod marker;
mod orphans;
mod outside;
mod parts;
mod paths;
mod read;
mod resolver;
mod table;
mod typing;
mod walk;

pub use census::{Class, Generated, Outcome, Row, Summary, Unreadable, Untyped, Unwalkable};
pub use claims::{CLAIMS_PATH, Claim, Claims};
pub use corpus::{Corpus, Options};
pub use digest::Digest;
pub use document::{Document, Fact, Identifier, Identity, Sidecar};
pub use edge::{Anchor, Binding, Edge, Pair, Problem, Target, Trouble, Unbound, Withheld};
pub use halves::Half;
pub use index::Collision;
pub use link::{LinkTarget, Links, ProseLink, percent_decoded};
pub use marker::projection_of;
pub use outside::{Outside, OutsideFile, OutsideRefusal};
pub use read::DOCUMENT_LIMIT;
pub use resolver::{
    Canvases, Member, MemberKind, Pin, PinKind, Resolution, Resolved, Resolver, Resolvers, Revision,
};
pub use typing::{Placed, Stop, type_of};
