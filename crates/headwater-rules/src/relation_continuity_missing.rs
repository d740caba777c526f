//! Two documents that a relation with `continuity: expected` joins have something else in common: a
//! value of a closed set, an anchor, a third document that both are related to, or their shelf.
//!
//! # Why
//!
//! A relation that is about continuing something joins documents about the same thing. An edge between
//! two that share nothing is most often a slip of the hand.
//!
//! # Example
//!
//! A decision `continues` a decision of another shelf, for another audience, about other code.
//!
//! # Neighbour
//!
//! Facets with a role are passed over: two documents that are both `current` share nothing by it.

use headwater_check::{
    About, Defect, Origin, Outcome, PairNeeds, PairRule, PairView, Relation, Taxonomy, marks,
};

use crate::say::quoted;

/// The rule for one relation.
pub(crate) struct Rule {
    relation: String,
    closed: Vec<String>,
}

impl PairRule for Rule {
    const ABOUT: About = About::new(
        "relation.continuity.missing",
        1,
        Origin::Corpus,
        include_str!("../../../docs/rules/relation.continuity.missing.md"),
    );
    const NEEDS: PairNeeds = PairNeeds { relatives: true, ..PairNeeds::NONE };

    fn generate(taxonomy: &Taxonomy, relation: &Relation) -> Option<Self> {
        let closed = marks(taxonomy);
        relation.continuity_expected.then(|| Self { relation: relation.name.clone(), closed })
    }

    fn evaluate(&self, view: &PairView<'_>) -> Outcome {
        let (from, to) = (view.from(), view.to());
        let Some(half) = view.half() else { return Outcome::Pass };
        if view.is_loop() || view.shared_marks(&self.closed, 1) != Some(0) {
            return Outcome::Pass;
        }
        Outcome::fail(Defect::info(
            half.place(),
            format!(
                "{} and {} have nothing in common beside this {}: no value of a closed set, no anchor, no third document, no shelf",
                quoted(from.path()),
                quoted(to.path()),
                quoted(&self.relation)
            ),
            "make sure that the right document is named, or write down what the two share",
        ))
    }
}
