//! The canvas as a document: its tree, its exact bytes, and the verdict on it.
//!
//! Everything here is a pure function of bytes. Nothing in this crate knows a repository, a clock or
//! a terminal, and nothing in it writes a file. The vocabulary is not here either: the grammar in
//! `schema/canvas.rng` is the only place that names the elements, and [`validate`] obeys it.
//!
//! | module | one noun |
//! |---|---|
//! | `limits` | how large a document may be |
//! | `lexis` | names, characters and node ids; how a foreign value is shown |
//! | `scan` | the well-formedness rules that the XML library leaves open |
//! | `xml` | bytes to an XML document, or a [`Fault`] |
//! | `tree` | [`Document`] and [`Element`] |
//! | `write` | a tree to bytes |
//! | `place` | [`Place`]: where a node stands; insert, take, move, select |
//! | `guard` | the one-node comparison |
//! | `svg` | the rules of an inline drawing |
//! | `verdict` | [`validate`] and its diagnostics |

mod guard;
mod lexis;
mod limits;
mod place;
mod scan;
mod svg;
mod tree;
mod verdict;
mod write;
mod xml;

pub use guard::{Trespass, birth, changed};
pub use lexis::is_node_id;
pub use limits::{
    ATTRIBUTES_PER_ELEMENT, BYTES, DECLARATIONS, DEPTH, DIAGNOSTICS, NODES,
    SVG_ATTRIBUTES_PER_ELEMENT, SVG_BYTES, SVG_DEPTH, SVG_ELEMENTS,
};
pub use place::{Place, PlaceError, ROOT};
pub use svg::{SvgRefusal, svg_refusals};
pub use tree::{Descendants, Document, Element};
pub use verdict::{Diagnostic, GRAMMAR, Verdict, examine, validate};
pub use xml::Fault;
