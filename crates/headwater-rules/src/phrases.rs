//! Phrases looked for in prose: whole words, in any case. A hyphen is part of a word, so `at first` is
//! not in `at first-order`, and any white space parts two words.

use std::collections::HashMap;
use std::sync::OnceLock;

use aho_corasick::{AhoCorasick, MatchKind};
use headwater_check::markdown::PLACEHOLDER;
use headwater_check::{Span, folded};

/// Phrases that are looked for together.
#[derive(Debug)]
pub(crate) struct Phrases {
    /// A tree of words; the first is the root.
    nodes: Vec<Node>,
    sieve: Sieve,
}

/// Tells in one pass that a text holds none of some phrases, and that is nearly every text.
#[derive(Debug)]
pub(crate) struct Sieve {
    /// The phrases as they are spelled in a folded text. None where one of them has a character that
    /// stands in prose for what is left out of it.
    spelled: Option<Vec<String>>,
    /// Made by the first text, since many runs look at none.
    automaton: OnceLock<Option<AhoCorasick>>,
}

impl Sieve {
    /// A blank phrase is held by no text.
    pub(crate) fn new<'p>(phrases: impl IntoIterator<Item = &'p str>) -> Self {
        let spelled = phrases.into_iter().map(|phrase| folded(phrase.trim().to_owned()));
        let spelled = spelled.filter(|phrase| !phrase.is_empty());
        let spelled =
            spelled.map(|phrase| (!phrase.contains(['\0', PLACEHOLDER])).then_some(phrase));
        Self { spelled: spelled.collect(), automaton: OnceLock::new() }
    }

    /// Whether a folded text may hold a phrase. Whether its words are whole is not looked at.
    pub(crate) fn may_hold(&self, folded: &str) -> bool {
        // Matches from the left are what lets the library look at many bytes at a time. An automaton too
        // large to build costs time only.
        let build =
            |phrases| AhoCorasick::builder().match_kind(MatchKind::LeftmostFirst).build(phrases);
        let automaton = self.automaton.get_or_init(|| build(self.spelled.as_ref()?).ok());
        automaton.as_ref().is_none_or(|automaton| automaton.is_match(folded))
    }
}

#[derive(Debug, Default)]
struct Node {
    /// The words that follow after white space, and those that follow without.
    next: [HashMap<String, usize>; 2],
    /// The phrase that ends here.
    ends: Option<usize>,
}

/// A phrase in a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Found {
    /// Its place among the phrases.
    pub phrase: usize,
    /// Its bytes in the text.
    pub span: Span,
}

/// A word, or one mark of punctuation.
#[derive(Clone, Copy)]
struct Atom {
    span: Span,
    is_word: bool,
}

impl Phrases {
    /// Of equal phrases the first counts; a blank one is never found.
    pub(crate) fn new<'p>(phrases: impl IntoIterator<Item = &'p str> + Clone) -> Self {
        let sieve = Sieve::new(phrases.clone());
        let mut nodes = vec![Node::default()];
        for (phrase, text) in phrases.into_iter().enumerate() {
            let mut at = 0;
            let mut end = None;
            for atom in atoms(text) {
                let glued = end == Some(atom.span.start);
                end = Some(atom.span.end);
                let free = nodes.len();
                let Some(node) = nodes.get_mut(at) else { break };
                let [apart, joined] = &mut node.next;
                let next = if glued { joined } else { apart };
                at = *next.entry(folded(atom.span.of(text).to_owned())).or_insert(free);
                if at == free {
                    nodes.push(Node::default());
                }
            }
            if let Some(node) = nodes.get_mut(at).filter(|_| at > 0) {
                node.ends.get_or_insert(phrase);
            }
        }
        Self { nodes, sieve }
    }

    /// Whether a folded text may hold a phrase.
    pub(crate) fn may_be_in(&self, folded: &str) -> bool {
        self.sieve.may_hold(folded)
    }

    /// Every phrase in a text, in order and apart: of those that begin at one word the longest, and
    /// nothing inside another.
    pub(crate) fn find(&self, text: &str) -> Vec<Found> {
        if self.may_be_in(&folded(text.to_owned())) { self.search(text) } else { Vec::new() }
    }

    fn search(&self, text: &str) -> Vec<Found> {
        let mut found = Vec::new();
        let atoms = atoms(text);
        let mut at = 0;
        while let Some(rest) = atoms.get(at..).filter(|rest| !rest.is_empty()) {
            let before = at.checked_sub(1).and_then(|before| atoms.get(before));
            match self.longest(text, before, rest) {
                Some((phrase, length, span)) => {
                    found.push(Found { phrase, span });
                    at += length;
                }
                None => at += 1,
            }
        }
        found
    }

    /// The longest phrase that begins with the first of some atoms, and how many atoms it has.
    fn longest(
        &self,
        text: &str,
        before: Option<&Atom>,
        atoms: &[Atom],
    ) -> Option<(usize, usize, Span)> {
        let first = atoms.first()?;
        // What adjoins a word continues it, also where the phrase has punctuation there.
        if before.is_some_and(|before| before.is_word && before.span.end == first.span.start) {
            return None;
        }
        let (mut node, mut longest, mut end) = (self.nodes.first()?, None, None);
        for (at, atom) in atoms.iter().enumerate() {
            let glued = end == Some(atom.span.start);
            let [apart, joined] = &node.next;
            let word = folded(atom.span.of(text).to_owned());
            let Some(next) = (if glued { joined } else { apart }).get(&word) else { break };
            node = self.nodes.get(*next)?;
            end = Some(atom.span.end);
            let after = atoms.get(at + 1);
            let is_cut = after.is_some_and(|after| after.is_word && Some(after.span.start) == end);
            if let Some(phrase) = node.ends.filter(|_| !is_cut) {
                longest = Some((phrase, at + 1, Span::new(first.span.start, atom.span.end)));
            }
        }
        longest
    }
}

fn atoms(text: &str) -> Vec<Atom> {
    let mut atoms: Vec<Atom> = Vec::new();
    for (at, c) in text.char_indices().filter(|(_, c)| !c.is_whitespace()) {
        let is_word = is_word(c);
        let end = at + c.len_utf8();
        match atoms.last_mut() {
            Some(last) if is_word && last.is_word && last.span.end == at => last.span.end = end,
            _ => atoms.push(Atom { span: Span::new(at, end), is_word }),
        }
    }
    atoms
}

/// Letters with the marks on them, digits, and what joins them to one word.
fn is_word(c: char) -> bool {
    c.is_alphanumeric() || matches!(c, '-' | '_' | '\u{300}'..='\u{36f}' | '\u{2010}' | '\u{2011}')
}

/// Whether a range is one part of a word with an apostrophe, such as `that` in `that's`.
pub(crate) fn is_joined(text: &str, range: Span) -> bool {
    let joins = |mut near: [Option<char>; 2]| {
        matches!(near[0].take(), Some('\'' | '’')) && near[1].is_some_and(char::is_alphanumeric)
    };
    let mut before = text.get(..range.start).unwrap_or_default().chars().rev();
    let mut after = text.get(range.end..).unwrap_or_default().chars();
    joins([before.next(), before.next()]) || joins([after.next(), after.next()])
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn found<'t>(phrases: &[&str], text: &'t str) -> Vec<(usize, &'t str)> {
        let found = Phrases::new(phrases.iter().copied()).find(text).into_iter();
        found.map(|found| (found.phrase, found.span.of(text))).collect()
    }

    #[test]
    fn words_are_whole_and_a_hyphen_is_part_of_one() {
        let at_first = ["at first"];
        assert_eq!(found(&at_first, "At First, at  first. (at\u{a0}first)").len(), 3);
        for text in
            ["at first-order", "at firsts", "flat first", "at-first", "at, first", "at_first"]
        {
            assert_eq!(found(&at_first, text), [], "{text}");
        }
        assert_eq!(found(&["naïve"], "Naïve NAÏVE naïveté").len(), 2);
        assert_eq!(found(&["cafe"], "cafe\u{301} cafe"), [(0, "cafe")]);
        assert_eq!(found(&["well-known"], "a well\u{2011}known one"), [(0, "well\u{2011}known")]);
    }

    #[test]
    fn punctuation_is_part_of_a_phrase_and_of_no_word() {
        assert_eq!(found(&["C++"], "C++, C+++, C++11, AC++"), [(0, "C++"), (0, "C++")]);
        assert_eq!(found(&[".net"], ".NET and ASP.NET"), [(0, ".NET")]);
        assert_eq!(found(&["and/or"], "this and/or that and / or"), [(0, "and/or")]);
        assert_eq!(found(&["don't"], "don’t"), [(0, "don’t")]);
    }

    #[test]
    fn the_longest_phrase_at_the_first_place_is_taken() {
        let phrases = ["used to", "used to be", "be", "to be new"];
        assert_eq!(found(&phrases, "it used to be new"), [(1, "used to be")]);
        assert_eq!(found(&phrases, "used to, be"), [(0, "used to"), (2, "be")]);
        assert_eq!(found(&["a b c", "b"], "a b d"), [(1, "b")]);
        assert_eq!(found(&["x", "X", "", " "], "x"), [(0, "x")]);
        assert_eq!(found(&[], "x"), []);
    }

    #[test]
    fn an_apostrophe_joins_only_between_letters() {
        for (text, joined) in
            [("that's", true), ("that’s", true), ("'that'", false), ("d'that", true)]
        {
            let at = text.find("that").unwrap_or_default();
            assert_eq!(is_joined(text, Span::new(at, at + 4)), joined, "{text}");
        }
    }

    proptest! {
        #[test]
        fn what_is_found_is_apart_in_order_and_the_phrase(
            phrases in proptest::collection::vec("[abk'-]{1,2}([ \u{a0}]{1,2}[abİ.]{1,2}){0,2}", 0..5),
            text in "[abABK\u{212a}İ .'’\u{2010}\u{a0}\t\0-]{0,40}",
        ) {
            let all = Phrases::new(phrases.iter().map(String::as_str));
            prop_assert_eq!(all.search(&text), all.find(&text));
            let mut end = 0;
            for Found { phrase, span } in all.find(&text) {
                prop_assert!(span.start >= end && span.end > span.start);
                end = span.end;
                let words = |text: &str| -> String {
                    folded(text.to_owned()).trim().to_owned()
                };
                prop_assert_eq!(words(span.of(&text)), words(&phrases[phrase]));
            }
        }
    }
}
