//! Sentences: what the prose rules read (headwater-checks §9.3, headwater-model §4.7).
//!
//! Prose is cut where a reader would: at `.`, `!` and `?` that end something, not at those inside
//! abbreviations, numbers, names and code. A full stop ends a sentence only when what follows can
//! open one, because a stop has many other uses; a question mark has no other.

use std::borrow::Cow;

use crate::block::{BlockKind, Owner, Run};
use crate::body::Body;
use crate::link::Link;
use crate::span::Span;

/// A sentence of one block.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sentence {
    /// The kind of the block.
    pub kind: BlockKind,
    /// The block's index among [`Body::blocks`].
    pub block: usize,
    /// Its bytes in the source, from its first character to its last.
    pub span: Span,
    /// Its text as read.
    pub text: String,
    /// Its parts in order: what one run gives to it.
    pub parts: Vec<Part>,
}

/// A part of a sentence with one owner.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Part {
    /// Its bytes in [`Sentence::text`].
    pub text: Span,
    /// Its bytes in the source.
    pub span: Span,
    /// Whose words it is.
    pub owner: Owner,
    /// Whether the text is the source bytes, one for one.
    pub exact: bool,
}

/// What stands, in [`Prose::text`], for code and for other people's words.
pub const PLACEHOLDER: char = '\u{FFFC}';

/// The authored text of a sentence, and the way back to its source.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Prose {
    /// The authored parts; each other part is one [`PLACEHOLDER`], so that no word reaches across.
    pub text: String,
    /// The authored parts, `text` being their bytes in [`Prose::text`].
    parts: Vec<Part>,
}

impl Prose {
    /// The source bytes of a range of the text, when one exact part holds it whole: what a patch may
    /// replace.
    #[must_use]
    pub fn span(&self, start: usize, end: usize) -> Option<Span> {
        let part = self.part(start)?;
        let begin = part.span.start + start.checked_sub(part.text.start)?;
        let held = start <= end && part.exact && part.text.contains(Span::new(start, end));
        held.then(|| Span::new(begin, begin + end.saturating_sub(start)))
    }

    /// Takes the words out of a range of the text; every offset stays what it was.
    pub fn blank(&mut self, range: Span) {
        let filler = "\0".repeat(range.len());
        if self.text.get(range.start..range.end).is_some() {
            self.text.replace_range(range.start..range.end, &filler);
        }
    }

    /// The source offset of a place in the text; of a part that is not exact, where it begins.
    #[must_use]
    pub fn offset(&self, at: usize) -> Option<usize> {
        let part = self.part(at)?;
        let within = if part.exact { at - part.text.start } else { 0 };
        Some(part.span.start + within)
    }

    fn part(&self, at: usize) -> Option<&Part> {
        let after = self.parts.partition_point(|part| part.text.start <= at);
        self.parts.get(after.checked_sub(1)?)
    }
}

impl Sentence {
    /// The text of one of the parts.
    #[must_use]
    pub fn text_of(&self, part: &Part) -> &str {
        part.text.of(&self.text)
    }

    /// What the author wrote of it.
    #[must_use]
    pub fn prose(&self) -> Prose {
        let mut prose = Prose { text: String::with_capacity(self.text.len()), parts: Vec::new() };
        for part in &self.parts {
            if part.owner == Owner::Authored {
                let start = prose.text.len();
                prose.text.push_str(self.text_of(part));
                prose.parts.push(Part { text: Span::new(start, prose.text.len()), ..*part });
            } else {
                prose.text.push(PLACEHOLDER);
            }
        }
        prose
    }

    /// How many words it has: a token with a letter or digit is one, a code span is one, and so is a
    /// parenthetical, whatever it holds. Raw HTML is none, so that a comment makes no sentence longer.
    #[must_use]
    pub fn words(&self) -> usize {
        let closes = self.parentheticals();
        let mut closes = closes.iter().peekable();
        let mut words = 0;
        let mut in_word = false;
        let mut inside_until = 0;
        for part in &self.parts {
            if part.owner == Owner::Code {
                // The text of raw HTML is its bytes; that of a code span is what its marks enclose.
                words += usize::from(!part.exact && part.text.start >= inside_until);
                in_word = false;
                continue;
            }
            for (within, c) in self.text_of(part).char_indices() {
                let here = part.text.start + within;
                if here < inside_until {
                    continue;
                }
                while closes.peek().is_some_and(|&&(open, _)| open < here) {
                    closes.next();
                }
                if let Some(&&(_, close)) = closes.peek().filter(|&&&(open, _)| open == here) {
                    words += 1;
                    in_word = false;
                    inside_until = close + 1;
                } else if c.is_whitespace() {
                    in_word = false;
                } else if c.is_alphanumeric() && !in_word {
                    in_word = true;
                    words += 1;
                }
            }
        }
        words
    }

    /// Whether the author wrote a mark outside every parenthetical.
    #[must_use]
    pub fn marks_outside_parentheses(&self, mark: char) -> bool {
        let authored = || self.parts.iter().filter(|part| part.owner == Owner::Authored);
        if !authored().any(|part| self.text_of(part).contains(mark)) {
            return false;
        }
        let pairs = self.parentheticals();
        let is_outside = |at: usize| {
            let next = pairs.partition_point(|(open, _)| *open <= at);
            next.checked_sub(1).and_then(|pair| pairs.get(pair)).is_none_or(|(_, end)| *end < at)
        };
        authored().any(|part| {
            let mut marks = self.text_of(part).match_indices(mark);
            marks.any(|(within, _)| is_outside(part.text.start + within))
        })
    }

    /// The outermost pairs of parentheses outside code, by offset in the text, in order.
    fn parentheticals(&self) -> Vec<(usize, usize)> {
        let mut open = Vec::new();
        let mut pairs: Vec<(usize, usize)> = Vec::new();
        if memchr::memchr(b'(', self.text.as_bytes()).is_none() {
            return pairs;
        }
        for part in self.parts.iter().filter(|part| part.owner != Owner::Code) {
            let text = self.text_of(part).as_bytes();
            for within in memchr::memchr2_iter(b'(', b')', text) {
                let at = part.text.start + within;
                if text[within] == b'(' {
                    open.push(at);
                } else if let Some(begin) = open.pop() {
                    while pairs.pop_if(|(inner, _)| *inner > begin).is_some() {}
                    pairs.push((begin, at));
                }
            }
        }
        pairs
    }
}

impl Body {
    /// The sentences of all blocks that hold prose of this author, in source order. Linear, but for
    /// the search of a run by offset.
    #[must_use]
    pub fn sentences(&self, source: &str) -> Vec<Sentence> {
        let mut sentences = Vec::new();
        for (index, block) in self.blocks().iter().enumerate().filter(|(_, b)| b.is_prose()) {
            let unit = Unit::new(source, self.runs_of(block), self.links());
            let mut start = 0;
            let mut push = |from: usize, to: usize| {
                sentences.extend(unit.sentence(block.kind, index, from, to));
            };
            for (at, run) in unit.starts.iter().zip(unit.runs) {
                if run.owner == Owner::Code {
                    continue;
                }
                let text = run.text(source).as_bytes();
                for within in memchr::memchr3_iter(b'.', b'!', b'?', text) {
                    if let Some(end) = unit.end_at(at + within) {
                        push(start, end);
                        start = end;
                    }
                }
            }
            push(start, unit.text.len());
        }
        sentences
    }
}

/// The text of one block and the runs it is made of.
struct Unit<'a> {
    source: &'a str,
    /// The runs' texts, one after the other.
    text: Cow<'a, str>,
    runs: &'a [Run],
    /// Where each run begins in the text.
    starts: Vec<usize>,
    /// The links of the body, in source order.
    links: &'a [Link],
}

/// Abbreviations that end in a full stop, in lower case and without that stop.
const ABBREVIATIONS: [&str; 14] = [
    "e.g", "i.e", "cf", "etc", "vs", "al", "approx", "no", "u.s", "u.k", "a.m", "p.m", "ph.d",
    "u.s.c",
];

impl<'a> Unit<'a> {
    fn new(source: &'a str, runs: &'a [Run], links: &'a [Link]) -> Self {
        let mut starts = Vec::with_capacity(runs.len());
        let mut length = 0;
        for run in runs {
            starts.push(length);
            length += run.text(source).len();
        }
        let text = match runs {
            [run] => Cow::Borrowed(run.text(source)),
            runs => {
                let mut text = String::with_capacity(length);
                text.extend(runs.iter().map(|run| run.text(source)));
                Cow::Owned(text)
            }
        };
        Self { source, text, runs, starts, links }
    }

    /// The index of the run that holds an offset of the text.
    fn run_at(&self, offset: usize) -> usize {
        self.starts.partition_point(|&start| start <= offset).saturating_sub(1)
    }

    fn is_code(&self, offset: usize) -> bool {
        self.runs.get(self.run_at(offset)).is_some_and(|run| run.owner == Owner::Code)
    }

    /// The source bytes of one character of the text, or of its whole run where that is not exact.
    fn span(&self, offset: usize, length: usize) -> Span {
        let index = self.run_at(offset);
        let Some(run) = self.runs.get(index) else { return Span::default() };
        if !run.is_exact() {
            return run.span;
        }
        let start = run.span.start + offset - self.starts[index];
        Span::new(start, start + length)
    }

    /// The characters from an offset on that are outside code, up to the first one inside.
    fn prose_from(&self, from: usize) -> impl Iterator<Item = (usize, char)> {
        let rest = self.text.get(from..).unwrap_or_default();
        let all = rest.char_indices().map(move |(at, c)| (from + at, c));
        all.take_while(|&(at, _)| !self.is_code(at))
    }

    /// Where the sentence that ends with the terminator at `at` ends, its closing marks included.
    fn end_at(&self, at: usize) -> Option<usize> {
        let closes = |&(_, c): &(usize, char)| matches!(c, '"' | '\'' | '”' | '’' | ')' | ']');
        let last = self.prose_from(at + 1).take_while(closes).last();
        let end = last.map_or(at + 1, |(at, c)| at + c.len_utf8());
        if end == self.text.len() {
            return Some(end);
        }
        let (_, after) = self.prose_from(end).next()?;
        if !after.is_whitespace() {
            return None;
        }
        let stop = self.text.as_bytes().get(at) == Some(&b'.');
        (!stop || (!self.abbreviates(at) && self.opens_after(end))).then_some(end)
    }

    /// Whether the full stop at `at` is the last of an abbreviation.
    fn abbreviates(&self, at: usize) -> bool {
        ABBREVIATIONS.iter().any(|abbreviation| {
            let Some(start) = at.checked_sub(abbreviation.len()) else { return false };
            let spelled = &self.text.as_bytes()[start..at];
            spelled.eq_ignore_ascii_case(abbreviation.as_bytes())
                && !self.text[..start].ends_with(char::is_alphanumeric)
                && (start..at).all(|letter| !self.is_code(letter))
        })
    }

    /// Whether what follows the white space at `from` can open a sentence. So does the end.
    fn opens_after(&self, from: usize) -> bool {
        let blank = self.prose_from(from).take_while(|(_, c)| c.is_whitespace()).last();
        let (begin, end) = blank.map_or((from, from), |(at, c)| (at, at + c.len_utf8()));
        let Some(next) = self.text.get(end..).and_then(|rest| rest.chars().next()) else {
            return true;
        };
        if self.is_code(end)
            || next.is_uppercase()
            || next.is_ascii_digit()
            || matches!(next, '"' | '“' | '(' | '[' | '`' | '*' | '_' | '§')
        {
            return true;
        }
        // Markup between the white space and the character: an emphasis mark or a link opens too.
        let gap = self.span(begin, end - begin).end;
        let gap = Span::new(gap, self.span(end, 0).start);
        if gap.of(self.source).contains(['*', '_']) || self.link_begins_in(gap) {
            return true;
        }
        let mut word = self.prose_from(end + next.len_utf8()).map(|(_, c)| c);
        if next == '#' {
            return word.next().is_some_and(|c| c.is_ascii_digit());
        }
        // A name such as iPhone or k8s.
        next.is_lowercase()
            && word.take_while(|c| c.is_alphanumeric()).any(|c| c.is_numeric() || c.is_uppercase())
    }

    /// Whether a link begins in a gap between two characters.
    fn link_begins_in(&self, gap: Span) -> bool {
        let at = self.links.partition_point(|link| link.span.start < gap.start);
        self.links.get(at).is_some_and(|link| link.span.start < gap.end)
    }

    /// The sentence that a range of the text makes; none when it is blank.
    fn sentence(&self, kind: BlockKind, block: usize, from: usize, to: usize) -> Option<Sentence> {
        let range = self.text.get(from..to)?;
        let from = to - range.trim_start().len();
        let text = range.trim();
        if text.is_empty() {
            return None;
        }
        let to = from + text.len();
        let mut parts = Vec::new();
        for index in self.run_at(from)..self.runs.len() {
            let (run, start) = (&self.runs[index], self.starts[index]);
            if start >= to {
                break;
            }
            let end = self.starts.get(index + 1).copied().unwrap_or(self.text.len());
            let own = Span::new(start.max(from), end.min(to));
            let exact = run.is_exact();
            let span = if exact {
                Span::new(run.span.start + own.start - start, run.span.start + own.end - start)
            } else {
                run.span
            };
            let text = Span::new(own.start - from, own.end - from);
            parts.push(Part { text, span, owner: run.owner, exact });
        }
        let span = Span::new(parts.first()?.span.start, parts.last()?.span.end);
        Some(Sentence { kind, block, span, text: text.to_owned(), parts })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn only(source: &str) -> Sentence {
        let mut sentences = Body::parse(source, 0).sentences(source);
        assert_eq!(sentences.len(), 1, "{sentences:?}");
        sentences.remove(0)
    }

    #[test]
    fn prose_holds_the_authors_words_and_leads_back_to_them() {
        let source = "- It &amp; `will` be “will be” in *the* end";
        let prose = only(source).prose();
        assert_eq!(prose.text, "It & \u{FFFC} be \u{FFFC} in the end");
        let found = |word: &str| {
            let at = prose.text.find(word).unwrap();
            (prose.span(at, at + word.len()).map(|span| span.of(source)), prose.offset(at))
        };
        assert_eq!(found("be"), (Some("be"), source.find("be")));
        assert_eq!(found("the"), (Some("the"), source.find("the")));
        assert_eq!(found("&"), (None, Some(5)), "an entity cannot be patched");
        assert_eq!(found("in the"), (None, source.find("in *")), "nor can a phrase across markup");
        assert_eq!(prose.span(0, 2), Some(Span::new(2, 4)));
        assert_eq!(prose.span(3, 99), None);
        assert_eq!(prose.span(9, 3), None);
    }

    #[test]
    fn no_word_reaches_across_code() {
        assert!(!only("will `x` be").prose().text.contains("will be"));
        assert!(!only("pre\"x\"fix").prose().text.contains("prefix"));
    }

    #[test]
    fn words_are_counted_as_the_rule_says() {
        for (source, words) in [
            ("a b c", 3),
            ("a – b · c", 3),
            ("well-known, isn't it", 3),
            ("a (b c) d", 3),
            ("a (b (c) d) e", 3),
            ("a (b `)` c) d", 3),
            ("`a b` c", 2),
            ("a <!-- b c --> <b>d</b>", 2),
            ("(`a` b) c", 2),
            ("a) b (c", 3),
            ("( a (b) c", 3),
            ("3.14 … !", 1),
        ] {
            assert_eq!(only(source).words(), words, "{source}");
        }
    }

    #[test]
    fn a_value_without_markdown_has_sentences_too() {
        let value = "It doesn't hold. And it will be gone";
        let sentences = Body::parse(value, 0).sentences(value);
        assert_eq!(sentences.len(), 2);
        assert_eq!(sentences[1].text, "And it will be gone");
    }
}
