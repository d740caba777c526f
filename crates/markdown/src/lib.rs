//! Markdown with exact byte spans: front matter, blocks, runs, ownership, sentences, anchors, and
//! citations by line number.
pub mod citation;
pub mod span;
pub mod yaml;
