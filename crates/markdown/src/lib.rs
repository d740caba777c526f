//! Markdown with exact byte spans.
//!
//! A [`Document`] is built once from the bytes of a file and then only read: its front matter as a
//! tree of values ([`yaml`]), the blocks of its body, the runs of text in them and whose words each
//! run is, links of every form, headings with their anchors, and the sentences that prose rules
//! read. Offsets are bytes of the file; lines and columns are computed where something is printed.
//! A text that is no document, such as one front-matter value, is read with [`Body::parse`].
//!
//! [`citation`] judges citations by line number. Everything is linear in the input, nothing recurses
//! over its nesting, and every text is some body: only front matter can be refused.

mod block;
mod body;
pub mod citation;
mod comment;
mod document;
mod front_matter;
mod heading;
mod link;
mod quoted;
mod sentence;
pub mod span;
pub mod yaml;

pub use block::{Block, BlockKind, Owner, Run};
pub use body::Body;
pub use comment::{Comment, comment_openings};
pub use document::{Document, Refusal};
pub use front_matter::FrontMatter;
pub use heading::{Heading, slug};
pub use link::{Definition, Link, LinkForm, bare_urls};
pub use sentence::{PLACEHOLDER, Part, Prose, Sentence};
pub use span::{LineIndex, Position, Span};
