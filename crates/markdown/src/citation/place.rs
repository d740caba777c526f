//! Where the quoted words stand in the cited file, and the verdict on the citation.
//!
//! Words are compared after markup, case and white space are taken away. The search is one pass
//! over the cited file for each fragment: a quotation that has not moved is settled in its cited
//! lines, so whole files are searched only for those that have, and the cost of those is the number
//! of moved fragments times the length of the file. An index of every file would cost more than it
//! saves where nearly all citations land.

use std::borrow::Cow;
use std::ops::Range;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicUsize, Ordering};

use memchr::memmem;

use super::{LONGEST_PASSAGE, SHORTEST_FRAGMENT};

/// The most elisions one quotation may have; with more of them it is not looked for.
const MOST_FRAGMENTS: usize = 64;

/// A range of lines, both ends included, counted from 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Lines {
    /// The first line.
    pub first: usize,
    /// The last line.
    pub last: usize,
}

impl Lines {
    /// How many lines the range spans; none when it runs backwards.
    #[must_use]
    pub fn count(self) -> usize {
        (self.last.saturating_add(1)).saturating_sub(self.first)
    }
}

/// Removes Markdown marks, folds white space and case.
#[must_use]
pub fn normalise(text: &str) -> String {
    let mut kept = Vec::with_capacity(text.len());
    normalise_onto(&mut kept, text);
    String::from_utf8(kept).unwrap_or_default()
}

/// Appends the normalised form of a text, parted by a space from what stands there already.
/// Returns where the form begins: at the end of `kept` when the text has no words.
fn normalise_onto(kept: &mut Vec<u8>, text: &str) -> usize {
    let mut start = None;
    let mut parted = true;
    let mut buffer = [0; 4];
    for c in text.chars() {
        if matches!(c, '`' | '*' | '_' | '[' | ']') {
            continue;
        }
        if c == ' ' || c.is_whitespace() {
            parted = true;
            continue;
        }
        if parted {
            if !kept.is_empty() {
                kept.push(b' ');
            }
            start.get_or_insert(kept.len());
            parted = false;
        }
        match u8::try_from(c) {
            Ok(byte) if byte.is_ascii() => kept.push(byte.to_ascii_lowercase()),
            _ => {
                for lower in c.to_lowercase() {
                    kept.extend_from_slice(lower.encode_utf8(&mut buffer).as_bytes());
                }
            }
        }
    }
    start.unwrap_or(kept.len())
}

/// The words of a quotation, split where the author left something out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fragments {
    normalised: String,
    parts: Vec<String>,
}

impl Fragments {
    /// Reads the words of a quotation. An ellipsis is `…` or three dots and more; a fragment too
    /// short to say anything is dropped.
    #[must_use]
    pub fn of(words: &str) -> Self {
        let normalised = normalise(words);
        let parts = split_elisions(&normalised)
            .into_iter()
            .map(|part| {
                part.trim()
                    .trim_end_matches(|c: char| {
                        matches!(c, '.' | ',' | ';' | ':' | '!' | '?') || c.is_whitespace()
                    })
                    .to_owned()
            })
            .filter(|part| part.chars().count() >= SHORTEST_FRAGMENT)
            .collect();
        Self { normalised, parts }
    }

    /// One fragment that is the normalised text as it is.
    #[must_use]
    pub fn whole(normalised: String) -> Self {
        Self { parts: vec![normalised.clone()], normalised }
    }

    /// The whole quotation, normalised.
    #[must_use]
    pub fn normalised(&self) -> &str {
        &self.normalised
    }

    /// Whether nothing is left to look for.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.parts.is_empty()
    }
}

fn split_elisions(text: &str) -> Vec<&str> {
    let mut parts = Vec::new();
    let mut start = 0;
    let mut at = 0;
    while let Some(found) = memchr::memchr2(b'.', 0xE2, &text.as_bytes()[at..]) {
        let here = at + found;
        let rest = &text[here..];
        let dots = rest.bytes().take_while(|&byte| byte == b'.').count();
        let length = match dots {
            0 if rest.starts_with('…') => '…'.len_utf8(),
            0 => 0,
            1 | 2 => 0,
            _ => dots,
        };
        if length > 0 {
            parts.push(&text[start..here]);
            start = here + length;
        }
        let character = rest.chars().next().map_or(1, char::len_utf8);
        at = here + length.max(dots).max(character);
    }
    parts.push(&text[start..]);
    parts
}

/// What became of a citation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// The words stand in the cited lines.
    Lands,
    /// The words stand in these other lines of the file.
    Moved(Lines),
    /// The words stand nowhere in the file.
    Absent,
}

impl Verdict {
    /// How good the verdict is; less is better.
    #[must_use]
    pub fn rank(self) -> u8 {
        match self {
            Self::Lands => 0,
            Self::Moved(_) => 1,
            Self::Absent => 2,
        }
    }
}

/// A cited file. Most citations land, and are settled in the lines they name; the form in which the
/// whole file is searched is made when the first one does not, or when the lines that were cited are
/// together longer than the file.
#[derive(Debug)]
pub struct Cited {
    source: String,
    /// Where each line begins in the source.
    starts: Vec<usize>,
    searched: OnceLock<Searched>,
    /// How many bytes of cited lines were normalised.
    cited: AtomicUsize,
}

/// A file ready to be searched: its lines normalised and joined by single spaces.
#[derive(Debug, Default)]
struct Searched {
    text: Vec<u8>,
    /// Where each line begins in `text`; one without words begins where the one before it ends.
    starts: Vec<usize>,
}

impl Cited {
    /// Takes the text of a file.
    #[must_use]
    pub fn new(source: String) -> Self {
        let breaks = memchr::memchr_iter(b'\n', source.as_bytes()).map(|at| at + 1);
        let starts = std::iter::once(0).chain(breaks).filter(|&at| at < source.len()).collect();
        Self { source, starts, searched: OnceLock::new(), cited: AtomicUsize::new(0) }
    }

    /// How many lines the file has.
    #[must_use]
    pub fn lines(&self) -> usize {
        self.starts.len()
    }

    /// The normalised text of a range; `None` where the file has no such range.
    #[must_use]
    pub fn text(&self, lines: Lines) -> Option<String> {
        let range = self.range(&self.starts, self.source.len(), lines)?;
        self.source.get(range).map(normalise)
    }

    /// The bytes of a range of lines, of a text of which the beginning of each line is given.
    fn range(&self, starts: &[usize], length: usize, lines: Lines) -> Option<Range<usize>> {
        if lines.first == 0 || lines.first > lines.last || lines.last > self.lines() {
            return None;
        }
        let end = starts.get(lines.last).copied().unwrap_or(length);
        Some(*starts.get(lines.first - 1)?..end)
    }

    /// The bytes of the normalised text of a range; `None` where the file has no such range.
    fn bytes(&self, lines: Lines) -> Option<Cow<'_, [u8]>> {
        let range = self.range(&self.starts, self.source.len(), lines)?;
        let cited = self.cited.fetch_add(range.len(), Ordering::Relaxed);
        if self.searched.get().is_none() && cited <= self.source.len() {
            return self.text(lines).map(|text| text.into_bytes().into());
        }
        let Searched { text, starts } = self.searched();
        let text = text.get(self.range(starts, text.len(), lines)?)?;
        Some(text.trim_ascii().into())
    }

    fn searched(&self) -> &Searched {
        self.searched.get_or_init(|| {
            let mut searched = Searched::default();
            for line in self.source.lines() {
                searched.starts.push(normalise_onto(&mut searched.text, line));
            }
            searched
        })
    }

    /// Judges a citation of a quotation.
    #[must_use]
    pub fn judge(&self, cited: Lines, words: &Fragments) -> Verdict {
        self.judge_within(cited, words, LONGEST_PASSAGE)
    }

    /// Judges a citation, where a passage may span at most `longest` lines.
    #[must_use]
    pub fn judge_within(&self, cited: Lines, words: &Fragments, longest: usize) -> Verdict {
        let within = self.bytes(cited).is_some_and(|text| {
            words.parts.iter().all(|part| memmem::find(&text, part.as_bytes()).is_some())
        });
        if within {
            return Verdict::Lands;
        }
        let places = self.places(words, longest);
        let Some(&best) = places.iter().min_by_key(|place| (place.count(), place.first)) else {
            return Verdict::Absent;
        };
        let starts_there =
            |place: &Lines| place.count() == best.count() && place.first == cited.first;
        if cited.first == cited.last && places.iter().any(starts_there) {
            return Verdict::Lands;
        }
        Verdict::Moved(best)
    }

    /// Every range of at most `longest` lines that holds all the words and would not if either end
    /// were cut, in source order.
    #[must_use]
    pub fn places(&self, words: &Fragments, longest: usize) -> Vec<Lines> {
        if words.parts.is_empty() || words.parts.len() > MOST_FRAGMENTS {
            return Vec::new();
        }
        let mut occurrences = Vec::new();
        for part in &words.parts {
            let found = self.searched().occurrences(part);
            if found.is_empty() {
                return Vec::new();
            }
            occurrences.push(found);
        }
        let mut next = vec![0; occurrences.len()];
        let mut places: Vec<Lines> = Vec::new();
        // Each step takes the window that starts at the leftmost pending occurrence and drops it.
        loop {
            let mut first = usize::MAX;
            let mut last = 0;
            for (found, &at) in occurrences.iter().zip(&next) {
                let Some(lines) = found.get(at) else { return places };
                first = first.min(lines.first);
                last = last.max(lines.last);
            }
            let place = Lines { first, last };
            if place.count() <= longest {
                // A window that ends where the one before it does holds that one's words more tightly.
                if places.last().is_some_and(|before| before.last == last) {
                    places.pop();
                }
                places.push(place);
            }
            for (found, at) in occurrences.iter().zip(&mut next) {
                while found.get(*at).is_some_and(|lines| lines.first <= first) {
                    *at += 1;
                }
            }
        }
    }
}

impl Searched {
    /// The lines of each occurrence of a fragment, the earliest only for each first line. Linear,
    /// overlaps included (Knuth, Morris and Pratt), after a faster search for the first one.
    fn occurrences(&self, part: &str) -> Vec<Lines> {
        let pattern = part.as_bytes();
        let text = self.text.as_slice();
        let Some(begin) = memmem::find(text, pattern) else { return Vec::new() };
        let borders = borders(pattern);
        let mut found: Vec<Lines> = Vec::new();
        let mut matched = 0;
        let (mut first, mut last) = (0, 0);
        for (at, &byte) in text.iter().enumerate().skip(begin) {
            while matched > 0 && pattern.get(matched) != Some(&byte) {
                matched = borders[matched - 1];
            }
            if pattern.get(matched) == Some(&byte) {
                matched += 1;
            }
            if matched == pattern.len() {
                let start = at + 1 - matched;
                // Of several lines that begin at one offset the last is the one with words.
                while self.starts.get(first).is_some_and(|&line| line <= start) {
                    first += 1;
                }
                while self.starts.get(last).is_some_and(|&line| line <= at) {
                    last += 1;
                }
                if found.last().is_none_or(|before| before.first != first) {
                    found.push(Lines { first, last });
                }
                matched = borders[matched - 1];
            }
        }
        found
    }
}

/// For every prefix of a pattern, the length of its longest proper prefix that is also its suffix.
fn borders(pattern: &[u8]) -> Vec<usize> {
    let mut borders = vec![0; pattern.len()];
    let mut length = 0;
    for at in 1..pattern.len() {
        while length > 0 && pattern[length] != pattern[at] {
            length = borders[length - 1];
        }
        if pattern[length] == pattern[at] {
            length += 1;
        }
        borders[at] = length;
    }
    borders
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn cited(source: &str) -> Cited {
        Cited::new(source.to_owned())
    }

    fn lines(first: usize, last: usize) -> Lines {
        Lines { first, last }
    }

    #[test]
    fn marks_case_and_white_space_do_not_count() {
        assert_eq!(normalise("  The **[Id]** of\ta\n`node` * x "), "the id of a node x");
        assert_eq!(normalise("ÄPFEL"), "äpfel");
    }

    proptest! {
        #[test]
        fn lines_are_read_alike_from_the_file_and_from_what_is_searched(
            source in "(a|B| |\\*|é|Σ|\\[x\\]|\t|\r|\n){0,30}",
            (first, last) in (0_usize..9, 0_usize..9),
        ) {
            let (fresh, worn) = (cited(&source), cited(&source));
            worn.searched();
            let read = |cited: &Cited| cited.bytes(lines(first, last)).map(Cow::into_owned);
            prop_assert_eq!(read(&fresh), read(&worn));
            prop_assert_eq!(read(&fresh), fresh.text(lines(first, last)).map(String::into_bytes));
        }
    }

    #[test]
    fn elisions_split_and_short_fragments_fall() {
        let words = Fragments::of("The first half of it; … short ... and the second half. of it.");
        assert_eq!(words.parts, ["the first half of it", "and the second half. of it"]);
        let words = Fragments::of("one two three four five.... six seven eight nine ten!");
        assert_eq!(words.parts, ["one two three four five", "six seven eight nine ten"]);
        assert!(Fragments::of("too short").is_empty());
    }

    #[test]
    fn a_pointer_to_the_first_line_of_a_wrapped_sentence_lands() {
        let cited = cited(
            "x\nthe quoted words are\nwrapped over two lines\nthe quoted words are wrapped over two\nlines",
        );
        let words = Fragments::of("the quoted words are wrapped over two lines");
        assert_eq!(cited.judge(lines(2, 2), &words), Verdict::Lands);
        assert_eq!(cited.judge(lines(4, 4), &words), Verdict::Lands);
        assert_eq!(cited.judge(lines(3, 3), &words), Verdict::Moved(lines(2, 3)));
        assert_eq!(cited.places(&words, 25), [lines(2, 3), lines(4, 5)]);
    }

    #[test]
    fn a_range_past_the_end_or_backwards_never_lands() {
        let cited = cited("the quoted words stand on this one line\n");
        let words = Fragments::of("the quoted words stand on this one line");
        assert_eq!(cited.judge(lines(1, 1), &words), Verdict::Lands);
        assert_eq!(cited.judge(lines(1, 2), &words), Verdict::Moved(lines(1, 1)));
        assert_eq!(cited.judge(lines(0, 1), &words), Verdict::Moved(lines(1, 1)));
        assert_eq!(cited.judge(lines(2, 1), &words), Verdict::Moved(lines(1, 1)));
    }

    #[test]
    fn a_passage_longer_than_the_limit_is_absent() {
        let gap = "\n".repeat(24);
        let near = cited(&format!("alpha alpha alpha alpha{gap}omega omega omega omega"));
        let far = cited(&format!("alpha alpha alpha alpha\n{gap}omega omega omega omega"));
        let words = Fragments::of("alpha alpha alpha alpha … omega omega omega omega");
        assert_eq!(near.judge(lines(3, 3), &words), Verdict::Moved(lines(1, 25)));
        assert_eq!(far.judge(lines(3, 3), &words), Verdict::Absent);
    }

    proptest! {
        #[test]
        fn agrees_with_trying_every_window(
            file in proptest::collection::vec("(aa aa|bb bb|aa| |bb aa bb){0,3}", 1..12),
            first in "(aa |bb ){7,9}",
            second in "(aa |bb ){7,9}",
        ) {
            let source = file.join("\n");
            let cited = cited(&source);
            let words = Fragments::of(&format!("{first}…{second}"));
            let mut best: Option<Lines> = None;
            for first in 1..=cited.lines() {
                for last in first..=cited.lines() {
                    let text = normalise(&file[first - 1..last].join(" "));
                    let here = lines(first, last);
                    if words.parts.iter().all(|part| text.contains(part.as_str()))
                        && best.is_none_or(|best| here.count() < best.count())
                    {
                        best = Some(here);
                    }
                }
            }
            let found = cited.places(&words, 25);
            prop_assert_eq!(found.iter().copied().min_by_key(|p| (p.count(), p.first)), best);
        }
    }
}
