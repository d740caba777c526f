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

/// The starts of all lines of one source, and how many scalar values stand before every
/// `STRIDE`-th byte, so that a column costs the same on a line of a megabyte as on a short one.
#[derive(Clone, Debug)]
pub struct LineIndex {
    starts: Vec<usize>,
    scalars_before: Vec<usize>,
    length: usize,
}

/// Bytes between two counts of scalar values.
const STRIDE: usize = 256;

impl LineIndex {
    /// Indexes a source. Linear in its length.
    #[must_use]
    pub fn new(source: &str) -> Self {
        let bytes = source.as_bytes();
        let mut starts = Vec::with_capacity(memchr::memchr_iter(b'\n', bytes).count() + 1);
        starts.push(0);
        starts.extend(memchr::memchr_iter(b'\n', bytes).map(|at| at + 1));
        let mut scalars_before = Vec::with_capacity(bytes.len() / STRIDE + 1);
        let mut count = 0;
        for chunk in bytes.chunks(STRIDE) {
            scalars_before.push(count);
            count += scalars(chunk);
        }
        scalars_before.push(count);
        Self { starts, scalars_before, length: bytes.len() }
    }

    /// How many lines the source has; the text after a last line feed counts as one, empty or not.
    #[must_use]
    pub fn lines(&self) -> usize {
        self.starts.len()
    }

    /// The line that holds a byte offset, counted from 1.
    #[must_use]
    pub fn line(&self, offset: usize) -> usize {
        self.starts.partition_point(|&start| start <= offset)
    }

    /// The offset of the first byte of a line; the end of the source past the last one.
    #[must_use]
    pub fn start_of(&self, line: usize) -> usize {
        self.starts.get(line.saturating_sub(1)).copied().unwrap_or(self.length)
    }

    /// The place of a byte offset. An offset past the end is read as the end.
    #[must_use]
    pub fn position(&self, source: &str, offset: usize) -> Position {
        let offset = offset.min(self.length);
        let line = self.line(offset);
        let before = self.scalars(source, offset) - self.scalars(source, self.start_of(line));
        Position { line, column: before + 1 }
    }

    /// How many scalar values stand before an offset.
    fn scalars(&self, source: &str, offset: usize) -> usize {
        let block = offset / STRIDE;
        let rest = source.as_bytes().get(block * STRIDE..offset).unwrap_or_default();
        self.scalars_before.get(block).copied().unwrap_or_default() + scalars(rest)
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
        fn agrees_with_counting_from_the_start(source in "(\\PC|\n|ä|\u{1F600}){0,700}") {
            let index = LineIndex::new(&source);
            for (offset, _) in source.char_indices() {
                let before = &source[..offset];
                let line = before.matches('\n').count() + 1;
                let column = before.rsplit('\n').next().unwrap_or_default().chars().count() + 1;
                prop_assert_eq!(index.position(&source, offset), Position { line, column });
            }
        }
    }
}
