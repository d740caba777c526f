//! The prose of a document keeps to the voice that its kind names: it does not say what is to come
//! (`future_intent`), what was otherwise before (`change_narration`) or in which order things are to be
//! delivered (`phased_rollout`). The regime lists which of these categories it forbids. There is one
//! finding for each sentence and category.
//!
//! # Why
//!
//! A document that says what is so can be checked against what is so. Plans and history are true on the
//! day they are written, and a reader cannot tell when they stopped.
//!
//! # Example
//!
//! The voice forbids `future_intent`, and a sentence says that the store will be split.
//!
//! # Neighbour
//!
//! Words are whole, and a hyphen is part of a word, so `at first` is not in `at first-order`. Code, block
//! quotations and what stands in quotation marks are not the author's words.

use std::collections::BTreeSet;

use headwater_check::{
    About, Defect, DocumentNeeds, DocumentRule, DocumentView, Kind, Origin, Outcome, Passage, Taxonomy,
    folded,
};

use crate::phrases::{Phrases, Sieve, is_joined};
use crate::say::{by_hand, listed, quoted};

/// The categories: the word that a regime lists, what sentences of it do, and the phrases that tell.
const CATEGORIES: [(&str, &str, &[&str]); 3] = [
    (
        "future_intent",
        "speaks of what is not yet so",
        &[
            "will be", "will become", "will then", "will eventually", "will later", "is planned",
            "are planned", "we plan to", "in the future", "at a later date", "to be added",
            "to be decided", "coming soon", "for a future release",
        ],
    ),
    (
        "change_narration",
        "tells what was otherwise before",
        &[
            "we moved from", "we changed", "we renamed", "we replaced", "used to", "used to be",
            "used to have", "was renamed", "were renamed", "has been renamed", "as before",
            "unlike before", "in the old", "the previous version", "an earlier version",
            "there was no", "there were no", "did not exist", "has since", "formerly", "no longer",
            "now that", "previously",
        ],
    ),
    (
        "phased_rollout",
        "tells in which order things are delivered",
        &[
            "phase one", "phase two", "first phase", "second phase", "in a later phase", "for now",
            "at first", "to begin with", "in the first release", "in a later release", "rolls out",
            "rolled out in", "rollout of",
        ],
    ),
];

/// The rule for one kind.
pub(crate) struct Rule {
    regime: String,
    /// What each forbidden category does, with its phrases.
    forbidden: Vec<(&'static str, Phrases, &'static [&'static str])>,
    /// The phrases of all of them.
    sieve: Sieve,
    unknown: Vec<String>,
}

impl DocumentRule for Rule {
    const ABOUT: About = About::new(
        "voice.forbidden_construction",
        1,
        Origin::Document,
        include_str!("../../../docs/rules/voice.forbidden_construction.md"),
    );
    const NEEDS: DocumentNeeds = DocumentNeeds { body: true, ..DocumentNeeds::NONE };

    fn generate(taxonomy: &Taxonomy, kind: &Kind) -> Option<Self> {
        let regime = kind.voice.clone()?;
        let forbid: BTreeSet<&str> =
            taxonomy.regimes.voice.get(&regime)?.forbid.iter().map(String::as_str).collect();
        let known = CATEGORIES.into_iter().filter(|(name, ..)| forbid.contains(name));
        let sieve = Sieve::new(known.clone().flat_map(|(.., list)| list).copied());
        let forbidden =
            known.map(|(_, what, list)| (what, Phrases::new(list.iter().copied()), list)).collect();
        let is_known = |name: &str| CATEGORIES.iter().any(|(known, ..)| *known == name);
        let unknown = forbid.iter().filter(|name| !is_known(name));
        let unknown = unknown.map(|name| (*name).to_owned()).collect();
        (!forbid.is_empty()).then_some(Self { regime, forbidden, sieve, unknown })
    }

    fn note(&self) -> Option<String> {
        (!self.unknown.is_empty()).then(|| {
            format!(
                "the voice {} forbids {}, which this program does not know; it knows {}",
                quoted(&self.regime),
                listed(self.unknown.iter().map(String::as_str)),
                listed(CATEGORIES.map(|(name, ..)| name))
            )
        })
    }

    fn abstains(&self) -> Option<String> {
        self.forbidden.is_empty().then(|| DocumentRule::note(self)).flatten()
    }

    fn evaluate(&self, view: &DocumentView<'_>) -> Outcome {
        let Some(prose) = view.prose().filter(|prose| !prose.is_empty()) else {
            return Outcome::skip("there is no prose");
        };
        if !self.sieve.may_hold(prose.folded()) {
            return Outcome::Pass;
        }
        let passages = prose.passages();
        let told = passages.filter(|passage| self.sieve.may_hold(&folded(passage.text().to_owned())));
        Outcome::of(told.flat_map(|passage| self.defects(passage)).collect())
    }
}

impl Rule {
    fn defects(&self, passage: Passage<'_>) -> impl Iterator<Item = Defect> {
        self.forbidden.iter().filter_map(move |(what, phrases, list)| {
            let text = passage.text();
            let mut found = phrases.find(text).into_iter();
            let phrase = found.find(|found| !is_joined(text, found.span))?.phrase;
            let remedy = "write what is so when a reader reads it, or leave the sentence out";
            Some(Defect::warn(
                passage.start(),
                format!(
                    "the sentence {what} ({}), which the voice {} forbids",
                    quoted(list.get(phrase).copied().unwrap_or_default()),
                    quoted(&self.regime)
                ),
                by_hand(passage, remedy),
            ))
        })
    }
}

#[cfg(test)]
mod tests {
    use headwater_check::headwater_taxonomy::VOICE_CATEGORIES;

    use super::*;

    #[test]
    fn the_categories_are_those_that_a_taxonomy_may_list() {
        assert_eq!(CATEGORIES.map(|(name, ..)| name), VOICE_CATEGORIES);
    }
}
