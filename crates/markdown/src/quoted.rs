//! Inline quotations: which part of a block's text is in quotation marks.
//!
//! A straight mark closes at the next straight one; a curly opener closes at its matching closer,
//! and pairs of those nest. Whatever comes first decides, and marks inside a quotation open nothing.
//! An opener that never closes quotes nothing. Apostrophes and single quotes never open, code holds
//! no marks, and no quotation leaves its block.

use crate::block::{Owner, Run, Text};
use crate::span::Span;

/// A quotation mark: in which run, and its bytes in the run's text.
struct Mark {
    run: usize,
    at: Span,
    kind: Kind,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Straight,
    Opens,
    Closes,
}

/// Gives the quoted parts of one block's authored runs to their owner, splitting runs at the marks.
/// Returns, for each run that went in, the index of its first part, and one past the last: nothing
/// when no run was split or changed.
pub(crate) fn assign(source: &str, runs: &mut Vec<Run>, from: usize) -> Option<Vec<usize>> {
    let marks = marks(source, &runs[from..]);
    let quotations = pair(&marks);
    if quotations.is_empty() {
        return None;
    }
    let mut split: Vec<Run> = Vec::with_capacity(runs.len() - from + 2 * quotations.len());
    let mut first_part = Vec::with_capacity(runs.len() - from + 1);
    let mut next = quotations.iter().peekable();
    for (index, run) in runs.drain(from..).enumerate() {
        first_part.push(from + split.len());
        let length = run.text(source).len();
        let mut done = 0;
        while done < length {
            // The quotation that ends here or later.
            while next.peek().is_some_and(|(_, end)| *end <= (index, done)) {
                next.next();
            }
            let (start, end) = next.peek().map_or(((usize::MAX, 0), (usize::MAX, 0)), |&&q| q);
            let quoted = start <= (index, done);
            let until = if quoted { end } else { start };
            let until = if until.0 == index { until.1.min(length) } else { length };
            split.push(part(&run, Span::new(done, until), length, quoted));
            done = until.max(done + 1);
            if !run.is_exact() {
                break;
            }
        }
    }
    first_part.push(from + split.len());
    runs.append(&mut split);
    Some(first_part)
}

/// One part of a run; a run whose text is not its bytes is kept whole.
fn part(run: &Run, range: Span, length: usize, quoted: bool) -> Run {
    let mut part = run.clone();
    if run.is_exact() {
        part.span = range.shifted(run.span.start);
        part.text = Text::Source(part.span);
    }
    let whole = run.is_exact() || range == Span::new(0, length);
    if quoted && whole && run.owner == Owner::Authored {
        part.owner = Owner::Quoted;
    }
    part
}

/// Whether a quotation mark, as it is or as an entity, may be read in a source. In nearly every block
/// there is none, and many bodies have none at all.
pub(crate) fn may_quote(source: &str) -> bool {
    memchr::memchr3(b'"', 0xE2, b'&', source.as_bytes()).is_some()
}

fn marks(source: &str, runs: &[Run]) -> Vec<Mark> {
    let mut marks = Vec::new();
    let (Some(first), Some(last)) = (runs.first(), runs.last()) else { return marks };
    if !may_quote(Span::new(first.span.start, last.span.end).of(source)) {
        return marks;
    }
    for (run, text) in runs.iter().enumerate().filter(|(_, run)| run.owner == Owner::Authored) {
        let text = text.text(source);
        for at in memchr::memchr2_iter(b'"', 0xE2, text.as_bytes()) {
            let (kind, length) = match &text.as_bytes()[at..] {
                [b'"', ..] => (Kind::Straight, 1),
                [0xE2, 0x80, 0x9C, ..] => (Kind::Opens, 3),
                [0xE2, 0x80, 0x9D, ..] => (Kind::Closes, 3),
                _ => continue,
            };
            marks.push(Mark { run, at: Span::new(at, at + length), kind });
        }
    }
    marks
}

/// A place in a block's text: a run, and an offset in its text.
type Place = (usize, usize);

/// The quotations, first to last, none inside another; marks included.
fn pair(marks: &[Mark]) -> Vec<(Place, Place)> {
    let mut closer: Vec<Option<usize>> = vec![None; marks.len()];
    let mut open = Vec::new();
    let mut straight = None;
    for (at, mark) in marks.iter().enumerate().rev() {
        match mark.kind {
            Kind::Straight => closer[at] = straight.replace(at),
            Kind::Closes => open.push(at),
            Kind::Opens => closer[at] = open.pop(),
        }
    }
    let mut quotations = Vec::new();
    let mut at = 0;
    while let Some(mark) = marks.get(at) {
        let Some(end) = closer[at] else {
            at += 1;
            continue;
        };
        quotations.push(((mark.run, mark.at.start), (marks[end].run, marks[end].at.end)));
        at = end + 1;
    }
    quotations
}
