//! No two documents write one identifier, whether they have a kind or not.
//!
//! # Why
//!
//! An edge to a contended identifier leads to whichever file comes first in path order, which is nobody's
//! decision.
//!
//! # Example
//!
//! `docs/notes/a.md` and `docs/mixed/b.md` both write `id: NOTE-ACM-same`.
//!
//! # Neighbour
//!
//! It is reported in both files with one sentence. Reporting the second alone would blame the order of
//! paths on an author.

use headwater_check::{
    About, CorpusNeeds, CorpusRule, CorpusView, Defect, End, Origin, Outcome, Place, Taxonomy,
};
use headwater_check::headwater_corpus::Identity;

use crate::say::quoted;

/// The rule.
pub(crate) struct Rule;

impl CorpusRule for Rule {
    const ABOUT: About = About::new(
        "identifier.claimed_twice",
        1,
        Origin::Graph,
        include_str!("../../../docs/rules/identifier.claimed_twice.md"),
    );
    const NEEDS: CorpusNeeds = CorpusNeeds { phase_a: true, ..CorpusNeeds::NONE };

    fn generate(_: &Taxonomy) -> Option<Self> {
        Some(Self)
    }

    fn evaluate(&self, view: &CorpusView<'_>) -> Outcome {
        let mut defects = Vec::new();
        for (first, later) in view.collisions().unwrap_or_default() {
            let message = format!(
                "{} and {} both write the identifier {}",
                quoted(first.path()),
                quoted(later.path()),
                quoted(first.id())
            );
            for end in [first, later] {
                let remedy = "give one of the two another identifier";
                defects.push(Defect::error(key_of(end), message.clone(), remedy));
            }
        }
        Outcome::of(defects)
    }
}

/// The place of the key of an identifier.
pub(crate) fn key_of(end: End<'_>) -> Place {
    let place = end.front_matter().and_then(|matter| match matter.identity() {
        Identity::Usable(identifier) => Some(matter.place(identifier.key_span)),
        _ => None,
    });
    place.unwrap_or_else(|| Place::file(end.path()))
}
