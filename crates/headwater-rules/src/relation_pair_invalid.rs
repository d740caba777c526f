//! The two ends of an edge do not both hold what the relation says they may not both hold.
//!
//! # Why
//!
//! Two documents that contradict each other cannot both be in force.
//!
//! # Example
//!
//! `clashes` is invalid while both ends are `current`, and both are.
//!
//! # Neighbour
//!
//! Of a relation without an inverse each end writes its own edge, and each is reported: whoever reads
//! either document must see it.

use headwater_check::{
    About, Defect, End, Origin, Outcome, PairRule, PairView, Relation, Taxonomy,
};

use crate::say::quoted;

/// The rule for one relation.
pub(crate) struct Rule {
    relation: String,
    both: Vec<(String, String)>,
}

impl PairRule for Rule {
    const ABOUT: About = About::new(
        "relation.pair.invalid",
        1,
        Origin::Graph,
        include_str!("../../../docs/rules/relation.pair.invalid.md"),
    );

    fn generate(_: &Taxonomy, relation: &Relation) -> Option<Self> {
        let both = relation.invalid_when_both.clone();
        (!both.is_empty()).then(|| Self { relation: relation.name.clone(), both })
    }

    fn evaluate(&self, view: &PairView<'_>) -> Outcome {
        let holds = |end: End<'_>| {
            end.front_matter().is_some_and(|matter| {
                self.both.iter().all(|(facet, value)| matter.facet_holds(facet, value))
            })
        };
        let Some(half) = view.half().filter(|_| holds(view.from()) && holds(view.to())) else {
            return Outcome::Pass;
        };
        let what: Vec<String> =
            self.both.iter().map(|(facet, value)| quoted(&format!("{facet}: {value}"))).collect();
        Outcome::fail(Defect::warn(
            half.place(),
            format!(
                "{} and {} both hold {}, which {} does not allow",
                quoted(view.from().path()),
                quoted(view.to().path()),
                what.join(" and "),
                quoted(&self.relation)
            ),
            "change one of the two documents, or remove the edge",
        ))
    }
}
