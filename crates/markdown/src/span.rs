//! Where something stands in a source: byte spans, and the lines and columns that people read.
//!
//! Everything inside works on byte offsets into the whole file, a byte order mark and front matter
//! included. A line and a column are computed only where something is printed, from an index that
//! answers in constant time whatever the length of a line.

use std::fmt;
use std::ops::Range;

/// A half-open range of byte offsets into a source.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Span {
    /// The first byte.
    pub start: usize,
    /// One past the last byte.
    pub end: usize,
}

impl Span {
    /// The span from `start` up to and without `end`.
    #[must_use]
    pub const fn new(start: usize, end: usize) -> Self {
        Self { start, end }
    }

    /// Length in bytes.
    #[must_use]
    pub const fn len(self) -> usize {
        self.end.saturating_sub(self.start)
    }

    /// Whether the span holds no byte.
    #[must_use]
    pub const fn is_empty(self) -> bool {
        self.start >= self.end
    }

    /// Whether `inner` lies wholly inside this span.
    #[must_use]
    pub const fn contains(self, inner: Self) -> bool {
        self.start <= inner.start && inner.end <= self.end
    }

    /// The same span, `by` bytes later.
    #[must_use]
    pub const fn shifted(self, by: usize) -> Self {
        Self { start: self.start + by, end: self.end + by }
    }

    /// The source text under the span; empty when the span does not fit the source.
    #[must_use]
    pub fn of(self, source: &str) -> &str {
        source.get(self.start..self.end).unwrap_or_default()
    }
}

impl From<Range<usize>> for Span {
    fn from(range: Range<usize>) -> Self {
        Self { start: range.start, end: range.end }
    }
}

/// A place as a person names it: both numbers count from 1, a column counts Unicode scalar values.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Position {
    /// The line; only a line feed ends one.
    pub line: usize,
    /// The column within the line, in Unicode scalar values.
    pub column: usize,
}

impl fmt::Display for Position {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.line, self.column)
    }
}

/// How many lines and scalar values stand before every `STRIDE`-th byte of one source, so that a place
/// costs the same on a line of a megabyte as on a short one, and a source of short lines takes no more
/// room than one of long lines. Every question takes the source that was indexed.
#[derive(Clone, Debug)]
pub struct LineIndex {
    before: Vec<Count>,
    length: usize,
}

/// What a stretch of a source holds.
#[derive(Clone, Copy, Debug, Default)]
struct Count {
    /// Line feeds.
    feeds: usize,
    /// Unicode scalar values.
    scalars: usize,
}

/// Bytes between two counts.
const STRIDE: usize = 256;

impl LineIndex {
    /// Indexes a source. Linear in its length.
    #[must_use]
    pub fn new(source: &str) -> Self {
        let bytes = source.as_bytes();
        let mut before = Vec::with_capacity(bytes.len() / STRIDE + 2);
        let mut count = Count::default();
        for chunk in bytes.chunks(STRIDE) {
            before.push(count);
            count = count.and(chunk);
        }
        before.push(count);
        Self { before, length: bytes.len() }
    }

    /// How many lines the source has; the text after a last line feed counts as one, empty or not.
    #[must_use]
    pub fn lines(&self) -> usize {
        self.before.last().map_or(0, |count| count.feeds) + 1
    }

    /// The line that holds a byte offset, counted from 1.
    #[must_use]
    pub fn line(&self, source: &str, offset: usize) -> usize {
        self.count(source, offset).feeds + 1
    }

    /// The offset of the first byte of a line; the end of the source past the last one.
    #[must_use]
    pub fn start_of(&self, source: &str, line: usize) -> usize {
        // The line begins behind the last of so many line feeds.
        let feeds = line.saturating_sub(1);
        let block = self.before.partition_point(|count| count.feeds < feeds).checked_sub(1);
        let Some(block) = block else { return 0 };
        let from = block * STRIDE;
        let missing = self.before.get(block).map_or(0, |count| feeds - count.feeds);
        let rest = source.as_bytes().get(from..).unwrap_or_default();
        let last = memchr::memchr_iter(b'\n', rest).nth(missing.saturating_sub(1));
        last.map_or(self.length, |at| from + at + 1)
    }

    /// The place of a byte offset. An offset past the end is read as the end.
    #[must_use]
    pub fn position(&self, source: &str, offset: usize) -> Position {
        let count = self.count(source, offset);
        let line = count.feeds + 1;
        let start = self.start_of(source, line);
        Position { line, column: count.scalars - self.count(source, start).scalars + 1 }
    }

    /// What stands before an offset.
    fn count(&self, source: &str, offset: usize) -> Count {
        let offset = offset.min(self.length);
        let block = offset / STRIDE;
        let rest = source.as_bytes().get(block * STRIDE..offset).unwrap_or_default();
        self.before.get(block).copied().unwrap_or_default().and(rest)
    }
}

impl Count {
    /// With the bytes that follow.
    fn and(self, bytes: &[u8]) -> Self {
        Self {
            feeds: self.feeds + memchr::memchr_iter(b'\n', bytes).count(),
            scalars: self.scalars + scalars(bytes),
        }
    }
}

/// Counts the bytes that begin a scalar value.
fn scalars(bytes: &[u8]) -> usize {
    if bytes.is_ascii() {
        return bytes.len();
    }
    bytes.iter().filter(|&&byte| byte & 0xC0 != 0x80).count()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn the_last_line_may_be_empty() {
        let index = LineIndex::new("a\nb\n");
        assert_eq!(index.lines(), 3);
        assert_eq!(index.position("a\nb\n", 4), Position { line: 3, column: 1 });
        assert_eq!(index.position("a\nb\n", 99), Position { line: 3, column: 1 });
    }

    #[test]
    fn a_mark_and_a_carriage_return_count_as_columns() {
        let source = "\u{feff}ä\r\nb";
        let index = LineIndex::new(source);
        assert_eq!(index.position(source, 3), Position { line: 1, column: 2 });
        assert_eq!(index.position(source, 5), Position { line: 1, column: 3 });
        assert_eq!(index.position(source, 7), Position { line: 2, column: 1 });
    }

    proptest! {
        #[test]
        fn agrees_with_counting_from_the_start(source in "(\\PC|\n|ä|\u{1F600}){0,700}|\n{250,520}") {
            let index = LineIndex::new(&source);
            let mut start = 0;
            for (at, line) in source.split('\n').enumerate() {
                prop_assert_eq!(index.start_of(&source, at + 1), start);
                start += line.len() + 1;
            }
            prop_assert_eq!(index.lines(), source.matches('\n').count() + 1);
            prop_assert_eq!(index.start_of(&source, index.lines() + 1), source.len());
            for (offset, _) in source.char_indices() {
                let before = &source[..offset];
                let line = before.matches('\n').count() + 1;
                let column = before.rsplit('\n').next().unwrap_or_default().chars().count() + 1;
                prop_assert_eq!(index.position(&source, offset), Position { line, column });
                prop_assert_eq!(index.line(&source, offset), line);
            }
        }
    }
}
