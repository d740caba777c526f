//! Citations by line number, and whether they still stand.
//!
//! `docs/spec.md:12-14` names lines of a file; the words quoted beside it say what stood there.
//! Everything that is decided by text alone lives here, so that `canvas-citations` and the check
//! layer give one verdict: the grammar of a citation, what counts as a quotation, which citations a
//! quotation may belong to, and whether the words are in the cited lines, elsewhere, or nowhere.
//! Files and repositories are the caller's business.

mod place;
mod quotation;

pub use place::{Cited, Fragments, Lines, Verdict, normalise};
pub use quotation::{Code, Quotation, quotations};

use crate::span::Span;

/// How many characters may stand between a citation and what leans on it.
pub const REACH: usize = 160;
/// How many lines a quoted passage may span.
pub const LONGEST_PASSAGE: usize = 25;
/// How many characters a fragment needs before it says anything about a place.
pub const SHORTEST_FRAGMENT: usize = 20;

/// One citation: a file and a range of its lines.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Citation<'s> {
    /// The bytes of the citation, its backticks included.
    pub span: Span,
    /// The file as written; a bare continuation carries that of the citation before it.
    pub path: &'s str,
    /// The cited lines.
    pub lines: Lines,
    /// The bytes of the numbers, `12` or `12-14`.
    pub numbers: Span,
    /// Whether the citation is a bare `` `:12` `` that inherits its file.
    pub bare: bool,
}

impl Citation<'_> {
    /// Whether citations of this file are judged: Markdown is, other files only lend their name to
    /// the bare citations that follow.
    #[must_use]
    pub fn is_judged(&self) -> bool {
        self.path.ends_with(".md")
    }
}

/// Whether a text can hold a citation that is judged. A quick test over raw bytes, which spares the
/// reader of many documents the rest of the work.
#[must_use]
pub fn may_cite(bytes: &[u8]) -> bool {
    memchr::memmem::find_iter(bytes, b".md:")
        .any(|at| bytes.get(at + 4).is_some_and(u8::is_ascii_digit))
}

/// Every citation of a text, in source order. Linear: between two colons every byte is looked at a
/// fixed number of times.
#[must_use]
pub fn citations(source: &str) -> Vec<Citation<'_>> {
    let bytes = source.as_bytes();
    let mut found: Vec<Citation<'_>> = Vec::new();
    let mut free = 0;
    for colon in memchr::memchr_iter(b':', bytes) {
        if colon < free || !bytes.get(colon + 1).is_some_and(u8::is_ascii_digit) {
            continue;
        }
        let (lines, numbers) = numbers_at(source, colon + 1);
        let ticked = |at: usize| bytes.get(at) == Some(&b'`');
        let path_start = path_before(source, free, colon);
        let path = &source[path_start..colon];
        if has_extension(path) {
            let opened = path_start > free && ticked(path_start - 1);
            let start = if opened { path_start - 1 } else { path_start };
            let end = numbers.end + usize::from(ticked(numbers.end));
            found.push(Citation { span: Span::new(start, end), path, lines, numbers, bare: false });
            free = end;
        } else if colon > free && ticked(colon - 1) && ticked(numbers.end) {
            let span = Span::new(colon - 1, numbers.end + 1);
            if let Some(before) = found.last().filter(|before| near(source, before.span, span)) {
                let path = before.path;
                found.push(Citation { span, path, lines, numbers, bare: true });
            }
            free = span.end;
        }
    }
    found
}

/// For one quotation, the indices of the judged citations it may belong to, nearest first.
///
/// `citations` is in source order. The walk back is bounded by [`REACH`].
#[must_use]
pub fn candidates(source: &str, citations: &[Citation<'_>], quotation: &Quotation) -> Vec<usize> {
    let before = citations.partition_point(|citation| citation.span.end <= quotation.span.start);
    (0..before)
        .rev()
        .take_while(|&at| {
            within_reach(source, Span::new(citations[at].span.end, quotation.span.start))
        })
        .filter(|&at| {
            let between = &source[citations[at].span.end..quotation.span.start];
            let between = if quotation.block { between.trim_end() } else { between };
            citations[at].is_judged() && !has_blank_line(between)
        })
        .collect()
}

/// Of the verdicts on the citations that a quotation may belong to, nearest first, the one that stands:
/// the best, and among equals the nearest. What comes after one that lands is not asked for.
#[must_use]
pub fn best<T>(verdicts: impl Iterator<Item = (T, Verdict)>) -> Option<(T, Verdict)> {
    let mut best: Option<(T, Verdict)> = None;
    for (citation, verdict) in verdicts {
        if best.as_ref().is_none_or(|(_, before)| verdict.rank() < before.rank()) {
            best = Some((citation, verdict));
        }
        if verdict == Verdict::Lands {
            break;
        }
    }
    best
}

/// The numbers that start at an offset where a digit stands.
fn numbers_at(source: &str, start: usize) -> (Lines, Span) {
    let bytes = source.as_bytes();
    let digits = |from: usize| {
        let length = bytes[from..].iter().take_while(|byte| byte.is_ascii_digit()).count();
        from + length
    };
    let first_end = digits(start);
    let first = number(&source[start..first_end]);
    if bytes.get(first_end) == Some(&b'-') {
        let last_end = digits(first_end + 1);
        if last_end > first_end + 1 {
            let last = number(&source[first_end + 1..last_end]);
            return (Lines { first, last }, Span::new(start, last_end));
        }
    }
    (Lines { first, last: first }, Span::new(start, first_end))
}

/// A number past what a machine counts names a line that no file has.
fn number(digits: &str) -> usize {
    digits.parse().unwrap_or(usize::MAX)
}

/// Where the longest run of path characters that ends at `end` begins, not before `from`.
fn path_before(source: &str, from: usize, end: usize) -> usize {
    source[from..end]
        .char_indices()
        .rev()
        .take_while(|&(_, c)| c.is_alphanumeric() || matches!(c, '_' | '.' | '/' | '-'))
        .last()
        .map_or(end, |(at, _)| from + at)
}

fn has_extension(path: &str) -> bool {
    [".md", ".py", ".rng"]
        .iter()
        .any(|extension| path.len() > extension.len() && path.ends_with(extension))
}

/// Whether a bare citation leans on the one before it.
fn near(source: &str, before: Span, bare: Span) -> bool {
    let between = Span::new(before.end, bare.start);
    within_reach(source, between) && !has_blank_line(between.of(source))
}

/// Whether at most [`REACH`] characters lie in a span. Looks at no more bytes than those can take.
fn within_reach(source: &str, between: Span) -> bool {
    between.len() <= REACH * 4 && between.of(source).chars().count() <= REACH
}

/// Whether a line of nothing but white space stands between two line breaks.
fn has_blank_line(text: &str) -> bool {
    let mut lines = text.split('\n');
    lines.next();
    lines.next_back();
    lines.any(|line| line.trim().is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn read(source: &str) -> Vec<(String, usize, usize, &str)> {
        citations(source)
            .into_iter()
            .map(|c| (c.path.to_owned(), c.lines.first, c.lines.last, c.span.of(source)))
            .collect()
    }

    #[test]
    fn full_and_bare_citations_are_read_and_times_are_not() {
        let source = "`spec.md:3` and `:1-2`, a/b-c.py:7, at 02:15, x.txt:4, ratio 3:1";
        assert_eq!(
            read(source),
            [
                ("spec.md".into(), 3, 3, "`spec.md:3`"),
                ("spec.md".into(), 1, 2, "`:1-2`"),
                ("a/b-c.py".into(), 7, 7, "a/b-c.py:7"),
            ]
        );
    }

    #[test]
    fn a_bare_citation_needs_one_before_it_and_no_blank_line() {
        assert!(read("`:3`").is_empty());
        assert_eq!(read("a.md:1\n \n`:3`").len(), 1);
        assert_eq!(read("a.md:1\n`:3`").len(), 2);
        let far = format!("a.md:1{}`:3`", "ä".repeat(REACH));
        assert_eq!(read(&far).len(), 2);
        let too_far = format!("a.md:1{}`:3`", "ä".repeat(REACH + 1));
        assert_eq!(read(&too_far).len(), 1);
    }

    #[test]
    fn a_chain_of_bare_citations_carries_the_file_on() {
        let step = "x".repeat(REACH);
        let source = format!("a.md:1{step}`:2`{step}`:3-4`");
        assert_eq!(read(&source).len(), 3);
        assert!(citations(&source)[1].bare);
    }

    #[test]
    fn awkward_numbers_do_no_harm() {
        assert_eq!(read("a.md:3-")[0].3, "a.md:3");
        assert_eq!(read("a.md:99999999999999999999999")[0].1, usize::MAX);
        assert_eq!(read(".md:3").len(), 0);
        assert_eq!(read("a.md:1b.md:2").len(), 2);
    }

    proptest! {
        #[test]
        fn spans_never_overlap_and_hold_their_numbers(source in "(a\\.md|\\.py|:|[0-9]|`|-|\n| |ä){0,60}") {
            let found = citations(&source);
            for pair in found.windows(2) {
                prop_assert!(pair[0].span.end <= pair[1].span.start);
            }
            for citation in &found {
                prop_assert!(citation.span.contains(citation.numbers));
                prop_assert!(citation.numbers.of(&source).starts_with(|c: char| c.is_ascii_digit()));
            }
        }

        #[test]
        fn the_quick_test_never_misses(source in "(a\\.md|:|[0-9]|`|\n| ){0,40}") {
            let judged = citations(&source).iter().any(Citation::is_judged);
            prop_assert!(!judged || may_cite(source.as_bytes()));
        }
    }
}
