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

use std::collections::{BTreeSet, HashMap};

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
        let scented: Vec<(End<'_>, Vec<String>)> = view
            .documents()
            .filter_map(|document| {
                let texts = self.facets.iter().filter_map(|facet| document.facet_text(facet));
                let words: Vec<String> =
                    texts.flat_map(str::split_whitespace).map(str::to_lowercase).collect();
                (!words.is_empty()).then_some((document, words))
            })
            .collect();
        let texts: Vec<&[String]> = scented.iter().map(|(_, words)| words.as_slice()).collect();
        let mut defects = Vec::new();
        for (later, earlier) in resembling(&texts) {
            let (Some((document, words)), Some((first, theirs))) =
                (scented.get(later), scented.get(earlier))
            else {
                continue;
            };
            let like = if words == theirs { "is that of" } else { "has nearly the words of that of" };
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

/// For each text that is equal to an earlier one, or has nearly its words, the earliest such one.
///
/// Two sets of at least nine tenths in common must share one of the rarest tenth of the words of each,
/// so a text is compared only with those that share one of its rare words; texts of other sizes cannot
/// reach nine tenths and are passed over too. Shelves of one sentence in a thousand copies stay linear,
/// because equal texts are found by their text first and only one of them is kept for comparing.
fn resembling(texts: &[&[String]]) -> Vec<(usize, usize)> {
    let mut frequency: HashMap<&str, usize> = HashMap::new();
    let sets: Vec<BTreeSet<&str>> =
        texts.iter().map(|words| words.iter().map(String::as_str).collect()).collect();
    for word in sets.iter().flatten() {
        *frequency.entry(word).or_default() += 1;
    }
    let mut first_with: HashMap<&[String], usize> = HashMap::new();
    let mut first_set: HashMap<&BTreeSet<&str>, usize> = HashMap::new();
    let mut by_rare: HashMap<&str, Vec<usize>> = HashMap::new();
    let mut found = Vec::new();
    for (at, (words, set)) in texts.iter().zip(&sets).enumerate() {
        let mut earliest = first_with.get(words).copied();
        if set.len() >= WORDS {
            let mut rare: Vec<&str> = set.iter().copied().collect();
            rare.sort_unstable_by_key(|word| (frequency.get(word).copied().unwrap_or_default(), *word));
            // With nine tenths in common at most a tenth of the words may differ.
            rare.truncate(set.len() - (set.len() * 9).div_ceil(10) + 1);
            let known = first_set.contains_key(set);
            if known {
                earliest = earliest.into_iter().chain(first_set.get(set).copied()).min();
            }
            let candidates: BTreeSet<usize> =
                rare.iter().filter_map(|word| by_rare.get(word)).flatten().copied().collect();
            let near = candidates.into_iter().find(|&other| {
                earliest.is_none_or(|earliest| other < earliest)
                    && sets.get(other).is_some_and(|theirs| nearly_equal(set, theirs))
            });
            earliest = near.or(earliest);
            if !known {
                first_set.insert(set, at);
                for word in rare {
                    by_rare.entry(word).or_default().push(at);
                }
            }
        }
        first_with.entry(words).or_insert(at);
        found.extend(earliest.map(|earliest| (at, earliest)));
    }
    found
}

/// Whether two sets have a Jaccard index of at least nine tenths.
fn nearly_equal(a: &BTreeSet<&str>, b: &BTreeSet<&str>) -> bool {
    let (short, long) = if a.len() <= b.len() { (a, b) } else { (b, a) };
    if short.len() * 10 < long.len() * 9 {
        return false;
    }
    let shared = short.iter().filter(|word| long.contains(*word)).count();
    shared * 10 >= (a.len() + b.len() - shared) * 9
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn naive(texts: &[&[String]]) -> Vec<(usize, usize)> {
        let set = |at: usize| texts[at].iter().map(String::as_str).collect::<BTreeSet<&str>>();
        let mut found = Vec::new();
        for at in 0..texts.len() {
            let like = |other: &usize| {
                let (a, b) = (set(at), set(*other));
                texts[at] == texts[*other]
                    || (a.len() >= WORDS && b.len() >= WORDS && nearly_equal(&a, &b))
            };
            found.extend((0..at).find(like).map(|other| (at, other)));
        }
        found
    }

    proptest! {
        #[test]
        fn no_pair_is_missed_and_none_is_made_up(
            texts in proptest::collection::vec(
                proptest::collection::vec(0_u8..14, 1..26), 0..12,
            ),
        ) {
            let words = |text: &Vec<u8>| text.iter().map(|n| n.to_string()).collect::<Vec<_>>();
            let texts: Vec<Vec<String>> = texts.iter().map(words).collect();
            let texts: Vec<&[String]> = texts.iter().map(Vec::as_slice).collect();
            prop_assert_eq!(resembling(&texts), naive(&texts));
        }
    }
}
