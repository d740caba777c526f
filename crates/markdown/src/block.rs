//! What a body consists of: blocks, the runs of text in them, and whose words each run is.

use std::ops::Range;

use crate::span::Span;

/// A stretch of a body that holds text of its own.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Block {
    /// What it is.
    pub kind: BlockKind,
    /// Its bytes, without the line break that ends it. Of a list item this is the item's own text.
    pub span: Span,
    /// How many block quotations are around it.
    pub quote_depth: usize,
    /// The first word of a code block's info string; empty for every other block.
    pub info: Box<str>,
    /// Which runs of the body are its own.
    pub(crate) runs: Range<usize>,
    /// Which soft breaks of the body are its own.
    pub(crate) soft_breaks: Range<usize>,
}

impl Block {
    /// Whether sentences are read from the block: prose of this author, outside block quotations.
    #[must_use]
    pub fn is_prose(&self) -> bool {
        self.quote_depth == 0 && !self.kind.is_verbatim()
    }
}

/// The kinds of blocks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum BlockKind {
    /// A paragraph, also one inside a loose list item or a block quotation.
    Paragraph,
    /// A heading of a level from 1 to 6, in either notation.
    Heading(u8),
    /// The text of a tight list item, up to the next block inside the item.
    Item,
    /// A table cell.
    Cell,
    /// Fenced or indented code.
    Code,
    /// Raw HTML.
    Html,
}

impl BlockKind {
    /// Whether the block holds no inline markup: code and raw HTML.
    #[must_use]
    pub fn is_verbatim(self) -> bool {
        matches!(self, Self::Code | Self::Html)
    }
}

/// Whose words a run is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Owner {
    /// This author's prose.
    Authored,
    /// Someone else's words: in a block quotation, or in quotation marks.
    Quoted,
    /// Code spans, code blocks, inline and block HTML.
    Code,
}

/// A stretch of text with one owner.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Run {
    /// Its bytes in the source, delimiters of a code span included.
    pub span: Span,
    /// Whose words it is.
    pub owner: Owner,
    pub(crate) text: Text,
}

/// Where the text of a run is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Text {
    /// These bytes of the source.
    Source(Span),
    /// A soft or hard break, read as one space.
    Break,
    /// A text that the source spells otherwise, such as an entity.
    Read(Box<str>),
}

impl Run {
    /// The text as a reader reads it. `source` is the text that the body was parsed from.
    #[must_use]
    pub fn text<'a>(&'a self, source: &'a str) -> &'a str {
        match &self.text {
            Text::Source(span) => span.of(source),
            Text::Break => " ",
            Text::Read(text) => text,
        }
    }

    /// Whether the run's text is its source bytes, one for one, so that a range of the text is a
    /// range of the source.
    #[must_use]
    pub fn is_exact(&self) -> bool {
        matches!(self.text, Text::Source(span) if span == self.span)
    }

    /// The bytes of the source that the text is, one for one: of a code span, those between its
    /// backticks. None for a text that the source spells otherwise.
    #[must_use]
    pub fn text_span(&self) -> Option<Span> {
        match self.text {
            Text::Source(span) => Some(span),
            Text::Break | Text::Read(_) => None,
        }
    }

    /// Whether the run is a soft or hard line break.
    #[must_use]
    pub fn is_break(&self) -> bool {
        self.text == Text::Break
    }
}
