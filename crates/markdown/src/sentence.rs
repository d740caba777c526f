//! Sentences: what the prose rules read (headwater-checks §9.3, headwater-model §4.7).
//!
//! Prose is cut where a reader would: at `.`, `!` and `?` that end something, not at those inside
//! abbreviations, numbers, names and code. A full stop ends a sentence only when what follows can
//! open one, because a stop has many other uses; a question mark has no other.

use crate::block::{BlockKind, Owner};
use crate::body::Body;
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
    /// Its parts: what one run gives to it.
    pub parts: Vec<Part>,
}

/// A part of a sentence with one owner.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Part {
    /// The text as read.
    pub text: String,
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
    /// Where each authored part begins in `text`, and its span.
    parts: Vec<(usize, Span, bool)>,
}

impl Prose {
    /// The source bytes of a range of the text, when one exact part holds it whole: what a patch may
    /// replace.
    #[must_use]
    pub fn span(&self, start: usize, end: usize) -> Option<Span> {
        let (begin, span, exact) = self.part(start)?;
        let found = Span::new(span.start + start - begin, span.start + end.checked_sub(begin)?);
        (exact && span.contains(found)).then_some(found)
    }

    /// The source offset of a place in the text; of a part that is not exact, where it begins.
    #[must_use]
    pub fn offset(&self, at: usize) -> Option<usize> {
        let (begin, span, exact) = self.part(at)?;
        Some(if exact { span.start + at - begin } else { span.start })
    }

    fn part(&self, at: usize) -> Option<(usize, Span, bool)> {
        let after = self.parts.partition_point(|&(begin, ..)| begin <= at);
        self.parts.get(after.checked_sub(1)?).copied()
    }
}

impl Sentence {
    /// The whole text.
    #[must_use]
    pub fn text(&self) -> String {
        self.parts.iter().map(|part| part.text.as_str()).collect()
    }

    /// What the author wrote of it.
    #[must_use]
    pub fn prose(&self) -> Prose {
        let mut prose = Prose { text: String::new(), parts: Vec::new() };
        for part in &self.parts {
            if part.owner == Owner::Authored {
                prose.parts.push((prose.text.len(), part.span, part.exact));
                prose.text.push_str(&part.text);
            } else {
                prose.text.push(PLACEHOLDER);
            }
        }
        prose
    }

    /// How many words it has: a token with a letter or digit is one, a code span is one, and so is a
    /// parenthetical, whatever it holds.
    #[must_use]
    pub fn words(&self) -> usize {
        let closes = self.parentheticals();
        let mut closes = closes.iter().peekable();
        let mut words = 0;
        let mut in_word = false;
        let mut inside_until = 0;
        let mut at = 0;
        for part in &self.parts {
            if part.owner == Owner::Code {
                if at >= inside_until {
                    words += 1;
                }
                in_word = false;
                at += part.text.chars().count();
                continue;
            }
            for c in part.text.chars() {
                let here = at;
                at += 1;
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

    /// The outermost pairs of parentheses outside code, by character index, in order.
    fn parentheticals(&self) -> Vec<(usize, usize)> {
        let mut open = Vec::new();
        let mut pairs: Vec<(usize, usize)> = Vec::new();
        let mut at = 0;
        for part in &self.parts {
            for c in part.text.chars() {
                if part.owner != Owner::Code {
                    if c == '(' {
                        open.push(at);
                    } else if let Some(begin) = open.pop_if(|_| c == ')') {
                        while pairs.pop_if(|(inner, _)| *inner > begin).is_some() {}
                        pairs.push((begin, at));
                    }
                }
                at += 1;
            }
        }
        pairs
    }
}

/// One character of a block, and where it comes from.
#[derive(Clone, Copy)]
struct Character {
    value: char,
    span: Span,
    /// Index of its run in the block.
    run: usize,
    code: bool,
}

impl Body {
    /// The sentences of all blocks that hold prose of this author, in source order. Linear.
    #[must_use]
    pub fn sentences(&self, source: &str) -> Vec<Sentence> {
        let mut sentences = Vec::new();
        let mut starts: Vec<usize> = self.links().iter().map(|link| link.span.start).collect();
        starts.sort_unstable();
        for (index, block) in self.blocks().iter().enumerate().filter(|(_, b)| b.is_prose()) {
            let mut characters = Vec::new();
            for (run, each) in self.runs_of(block).iter().enumerate() {
                let code = each.owner == Owner::Code;
                let exact = each.is_exact();
                for (at, value) in each.text(source).char_indices() {
                    let start = each.span.start + at;
                    let own = Span::new(start, start + value.len_utf8());
                    let span = if exact { own } else { each.span };
                    characters.push(Character { value, span, run, code });
                }
            }
            let text = Unit { source, characters: &characters, link_starts: &starts };
            let mut start = 0;
            for at in 0..characters.len() {
                if let Some(end) = text.end_at(at) {
                    sentences.extend(self.sentence(source, index, &characters[start..end]));
                    start = end;
                }
            }
            sentences.extend(self.sentence(source, index, &characters[start..]));
        }
        sentences
    }

    /// The sentence that some characters of a block make; none when they are all blank.
    fn sentence(&self, source: &str, index: usize, all: &[Character]) -> Option<Sentence> {
        let block = self.blocks().get(index)?;
        let runs = self.runs_of(block);
        let visible = |c: &Character| !c.value.is_whitespace();
        let from = all.iter().position(visible)?;
        let to = all.iter().rposition(visible)?;
        let all = &all[from..=to];
        let mut parts: Vec<Part> = Vec::new();
        for group in all.chunk_by(|a, b| a.run == b.run) {
            let (Some(first), Some(last)) = (group.first(), group.last()) else { continue };
            let run = runs.get(first.run)?;
            let exact = run.is_exact();
            let span = Span::new(first.span.start, last.span.end);
            let text = if exact {
                span.of(source).to_owned()
            } else {
                group.iter().map(|c| c.value).collect()
            };
            parts.push(Part { text, span, owner: run.owner, exact });
        }
        let span = Span::new(parts.first()?.span.start, parts.last()?.span.end);
        Some(Sentence { kind: block.kind, block: index, span, parts })
    }
}

/// The text of one block, looked at by character.
struct Unit<'a> {
    source: &'a str,
    characters: &'a [Character],
    /// Where the links of the body begin, sorted.
    link_starts: &'a [usize],
}

/// Abbreviations that end in a full stop, in lower case and without that stop.
const ABBREVIATIONS: [&str; 14] = [
    "e.g", "i.e", "cf", "etc", "vs", "al", "approx", "no", "u.s", "u.k", "a.m", "p.m", "ph.d",
    "u.s.c",
];
/// The longest of them, in characters.
const LONGEST: usize = 6;

impl Unit<'_> {
    /// Where the sentence that ends with the terminator at `at` ends, its closing marks included.
    fn end_at(&self, at: usize) -> Option<usize> {
        let here = self.characters.get(at)?;
        if here.code || !matches!(here.value, '.' | '!' | '?') {
            return None;
        }
        let rest = &self.characters[at + 1..];
        let closes =
            |c: &&Character| !c.code && matches!(c.value, '"' | '\'' | '”' | '’' | ')' | ']');
        let end = at + 1 + rest.iter().take_while(closes).count();
        let Some(after) = self.characters.get(end) else { return Some(end) };
        if after.code || !after.value.is_whitespace() {
            return None;
        }
        if here.value == '.' && (self.abbreviates(at) || !self.opens_after(end)) {
            return None;
        }
        Some(end)
    }

    /// Whether the full stop at `at` is the last of an abbreviation.
    fn abbreviates(&self, at: usize) -> bool {
        let from = at.saturating_sub(LONGEST);
        let before = &self.characters[from..at];
        ABBREVIATIONS.iter().any(|abbreviation| {
            let length = abbreviation.len();
            let Some(start) = before.len().checked_sub(length) else { return false };
            let spelled = before[start..]
                .iter()
                .zip(abbreviation.chars())
                .all(|(c, expected)| !c.code && c.value.to_ascii_lowercase() == expected);
            let bounded = (from + start)
                .checked_sub(1)
                .and_then(|before| self.characters.get(before))
                .is_none_or(|c| !c.value.is_alphanumeric());
            spelled && bounded
        })
    }

    /// Whether what follows the white space at `from` can open a sentence. So does the end.
    fn opens_after(&self, from: usize) -> bool {
        let rest = &self.characters[from..];
        let blanks = rest.iter().take_while(|c| !c.code && c.value.is_whitespace()).count();
        let Some(next) = rest.get(blanks) else { return true };
        if next.code
            || next.value.is_uppercase()
            || next.value.is_ascii_digit()
            || matches!(next.value, '"' | '“' | '(' | '[' | '`' | '*' | '_' | '§')
        {
            return true;
        }
        // Markup between the white space and the character: an emphasis mark or a link opens too.
        let gap = rest[..blanks].last().map_or(next.span.start, |c| c.span.end);
        let gap = Span::new(gap, next.span.start);
        if gap.of(self.source).contains(['*', '_']) || self.link_starts_in(gap) {
            return true;
        }
        if next.value == '#' {
            return rest.get(blanks + 1).is_some_and(|c| !c.code && c.value.is_ascii_digit());
        }
        // A name such as iPhone or k8s.
        next.value.is_lowercase()
            && rest[blanks + 1..]
                .iter()
                .take_while(|c| !c.code && c.value.is_alphanumeric())
                .any(|c| c.value.is_numeric() || c.value.is_uppercase())
    }

    /// Whether a link begins in a gap between two characters, or right behind it.
    fn link_starts_in(&self, gap: Span) -> bool {
        let at = self.link_starts.partition_point(|&start| start < gap.start);
        self.link_starts.get(at).is_some_and(|&start| start < gap.end)
    }
}
