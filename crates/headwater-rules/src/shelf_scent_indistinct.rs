//! The documents of one shelf can be told apart by what their indexes show of them: no two have the
//! same scent, and no two have nearly the same words in it (nine tenths of five words or more).
//!
//! # Why
//!
//! A reader, or an agent, picks a document from an index by one line. Two lines that say the same make
//! the choice a guess.
//!
//! # Example
//!
//! Two runbooks with the summary `How to restart the service.`
//!
//! # Neighbour
//!
//! Short texts that share most of their words are not reported unless they are equal: `Rotate keys` and
//! `Rotate tokens` differ where it matters.

use std::borrow::Cow;
use std::cmp::Ordering;
use std::collections::HashMap;

use headwater_check::{
    About, Defect, End, Origin, Outcome, Shelf, ShelfRule, ShelfView, Taxonomy,
};
use headwater_check::headwater_taxonomy::model::Role;

use crate::say::quoted;

/// The fewest words of each text that are compared as sets.
const WORDS: usize = 5;

/// The rule for one shelf.
pub(crate) struct Rule {
    facets: Vec<String>,
}

impl ShelfRule for Rule {
    const ABOUT: About = About::new(
        "shelf.scent.indistinct",
        1,
        Origin::Corpus,
        include_str!("../../../docs/rules/shelf.scent.indistinct.md"),
    );

    fn generate(taxonomy: &Taxonomy, _: &Shelf) -> Option<Self> {
        let scents = taxonomy.facets.values().filter(|facet| facet.role == Some(Role::Scent));
        let facets: Vec<String> = scents.map(|facet| facet.name.clone()).collect();
        (!facets.is_empty()).then_some(Self { facets })
    }

    fn evaluate(&self, view: &ShelfView<'_>) -> Outcome {
        let mut words = Words::default();
        let scented: Vec<(End<'_>, Vec<usize>)> = view
            .documents()
            .filter_map(|document| {
                let texts = self.facets.iter().filter_map(|facet| document.facet_text(facet));
                let text: Vec<usize> =
                    texts.flat_map(str::split_whitespace).map(|word| words.number(word)).collect();
                (!text.is_empty()).then_some((document, text))
            })
            .collect();
        let texts: Vec<&[usize]> = scented.iter().map(|(_, text)| text.as_slice()).collect();
        let mut defects = Vec::new();
        for (later, earlier) in resembling(&texts) {
            let (Some((document, text)), Some((first, theirs))) =
                (scented.get(later), scented.get(earlier))
            else {
                continue;
            };
            let like = if text == theirs { "is that of" } else { "has nearly the words of that of" };
            let matter = document.front_matter();
            let fact = self.facets.iter().find_map(|facet| matter?.facet(facet));
            let Some((matter, fact)) = matter.zip(fact) else { continue };
            defects.push(Defect::warn(
                matter.place(fact.value.span),
                format!(
                    "on the shelf {} the {} of this document {like} {}, so an index cannot tell them apart",
                    quoted(view.name()),
                    quoted(fact.key),
                    quoted(first.path())
                ),
                "say what this document is about that the other is not",
            ));
        }
        Outcome::of(defects)
    }
}

/// The words of a shelf in lower case, each with a number. Numbers are compared, sorted and looked up
/// many times faster than texts.
#[derive(Default)]
struct Words<'v>(HashMap<Cow<'v, str>, usize>);

impl<'v> Words<'v> {
    fn number(&mut self, word: &'v str) -> usize {
        let is_lower = word.bytes().all(|byte| byte.is_ascii() && !byte.is_ascii_uppercase());
        let word = if is_lower { Cow::Borrowed(word) } else { Cow::Owned(word.to_lowercase()) };
        let next = self.0.len();
        *self.0.entry(word).or_insert(next)
    }
}

/// For each text that is equal to an earlier one, or has nearly its words, the earliest such one.
///
/// Two sets of at least nine tenths in common must share one of the rarest tenth of the words of each,
/// so a text is compared only with those that share one of its rare words; texts of other sizes cannot
/// reach nine tenths and are passed over too. Shelves of one sentence in a thousand copies stay linear,
/// because equal texts are found by their text first and only one of them is kept for comparing.
fn resembling(texts: &[&[usize]]) -> Vec<(usize, usize)> {
    let sets = by_rarity(texts);
    let mut first_with: HashMap<&[usize], usize> = HashMap::new();
    let mut first_set: HashMap<&[usize], usize> = HashMap::new();
    let mut by_rare: HashMap<usize, Vec<usize>> = HashMap::new();
    let mut found = Vec::new();
    for (at, (text, set)) in texts.iter().zip(&sets).enumerate() {
        let mut earliest = first_with.get(text).copied();
        if set.len() >= WORDS {
            // With nine tenths in common at most a tenth of the words may differ.
            let rare = set.iter().take(set.len() - (set.len() * 9).div_ceil(10) + 1);
            let known = first_set.get(set.as_slice()).copied();
            earliest = earliest.into_iter().chain(known).min();
            for sharing in rare.clone().filter_map(|word| by_rare.get(word)) {
                let before = earliest.unwrap_or(at);
                let mut earlier = sharing.iter().copied().take_while(|other| *other < before);
                let near = earlier.find(|&other| {
                    sets.get(other).is_some_and(|theirs| nearly_equal(set, theirs))
                });
                earliest = near.or(earliest);
            }
            if known.is_none() {
                first_set.insert(set, at);
                for word in rare {
                    by_rare.entry(*word).or_default().push(at);
                }
            }
        }
        first_with.entry(text).or_insert(at);
        found.extend(earliest.map(|earliest| (at, earliest)));
    }
    found
}

/// The words of each text, each once and numbered anew by how many texts hold it, so that the rarest
/// come first.
fn by_rarity(texts: &[&[usize]]) -> Vec<Vec<usize>> {
    let words = texts.iter().copied().flatten().max().map_or(0, |most| most + 1);
    let mut sets: Vec<Vec<usize>> = texts.iter().map(|text| text.to_vec()).collect();
    let mut held_by = vec![0_usize; words];
    for set in &mut sets {
        set.sort_unstable();
        set.dedup();
        set.iter().for_each(|&word| held_by[word] += 1);
    }
    let mut rarest: Vec<usize> = (0..words).collect();
    rarest.sort_unstable_by_key(|&word| (held_by[word], word));
    let mut rank = held_by;
    rarest.iter().enumerate().for_each(|(place, &word)| rank[word] = place);
    for set in &mut sets {
        set.iter_mut().for_each(|word| *word = rank[*word]);
        set.sort_unstable();
    }
    sets
}

/// Whether two sorted sets have a Jaccard index of at least nine tenths.
fn nearly_equal(a: &[usize], b: &[usize]) -> bool {
    // Of the a + b words together, s shared ones are nine tenths of all a + b - s or more.
    let mut missing = ((a.len() + b.len()) * 9).div_ceil(19);
    let (mut a, mut b) = (a, b);
    while missing > 0 && a.len().min(b.len()) >= missing {
        let (Some((first, rest)), Some((theirs, others))) = (a.split_first(), b.split_first())
        else {
            break;
        };
        match first.cmp(theirs) {
            Ordering::Less => a = rest,
            Ordering::Greater => b = others,
            Ordering::Equal => (a, b, missing) = (rest, others, missing - 1),
        }
    }
    missing == 0
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use proptest::prelude::*;

    /// Compares every two texts, as the page of the rule says it.
    fn naive(texts: &[&[usize]]) -> Vec<(usize, usize)> {
        let set = |at: usize| texts[at].iter().copied().collect::<BTreeSet<usize>>();
        let mut found = Vec::new();
        for at in 0..texts.len() {
            let like = |other: &usize| {
                let (a, b) = (set(at), set(*other));
                let (shared, all) = (a.intersection(&b).count(), a.union(&b).count());
                texts[at] == texts[*other]
                    || (a.len() >= WORDS && b.len() >= WORDS && shared * 10 >= all * 9)
            };
            found.extend((0..at).find(like).map(|other| (at, other)));
        }
        found
    }

    proptest! {
        #[test]
        fn no_pair_is_missed_and_none_is_made_up(
            texts in proptest::collection::vec(
                proptest::collection::vec(0_usize..14, 1..26), 0..12,
            ),
        ) {
            let texts: Vec<&[usize]> = texts.iter().map(Vec::as_slice).collect();
            prop_assert_eq!(resembling(&texts), naive(&texts));
        }

        #[test]
        fn words_have_one_number_where_they_are_one_in_lower_case(
            words in proptest::collection::vec("[aAbBéÉΣσς]{1,3}", 0..20),
        ) {
            let mut known = Words::default();
            let numbers: Vec<usize> = words.iter().map(|word| known.number(word)).collect();
            for (word, number) in words.iter().zip(&numbers) {
                for (other, theirs) in words.iter().zip(&numbers) {
                    let one = word.to_lowercase() == other.to_lowercase();
                    prop_assert_eq!(number == theirs, one, "{} {}", word, other);
                }
            }
        }
    }
}
