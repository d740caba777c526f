//! Views: what a rule may see, one for each scope. A view has no way to anything that the runner did
//! not key and record.

mod citations;
mod corpus;
mod document;
mod edge;
mod extract;
mod neighbourhood;
mod parts;
mod prose;
mod shelf;

pub(crate) use citations::Citations;
pub use citations::{JudgedCitation, QuotedCitation};
pub use corpus::{BoundLink, CorpusView, Departed};
pub(crate) use corpus::{Linked, follow};
pub use document::DocumentView;
pub(crate) use document::Shown;
pub(crate) use edge::Relatives;
pub use edge::{EntryTarget, EntryView, PairView, Unbound};
pub use extract::LinkFact;
pub(crate) use extract::Seen;
pub(crate) use neighbourhood::neighbours;
pub use neighbourhood::{Neighbour, NeighbourhoodView};
pub use parts::{Body, End, FrontMatter, Half};
pub use prose::{Passage, Prose, folded};
pub use shelf::ShelfView;
