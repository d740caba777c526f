//! A claim that calls itself evidenced rests on evidence that somebody stands behind.
//!
//! # Why
//!
//! An assertion does not become evidence by being cited.
//!
//! # Example
//!
//! `a.md` states `evidence_basis: evidenced` and cites `b.md`, whose warrant is `asserted`.
//!
//! # Neighbour
//!
//! The evidence is not always the target: a relation with `evidence_at: from` has it at the source.

use headwater_check::{
    About, Defect, Origin, Outcome, PairRule, PairView, Relation, Side, Taxonomy,
};
use headwater_check::headwater_taxonomy::model::Family;

use crate::say::quoted;
use crate::warrant::{self, WARRANTS};

/// The rule for one relation.
pub(crate) struct Rule {
    evidence: Side,
}

impl PairRule for Rule {
    const ABOUT: About = About::new(
        "warrant.evidence.unsupported",
        1,
        Origin::Graph,
        include_str!("../../../docs/rules/warrant.evidence.unsupported.md"),
    );

    fn generate(_: &Taxonomy, relation: &Relation) -> Option<Self> {
        (relation.family == Some(Family::Evidence))
            .then(|| Self { evidence: relation.evidence_at.unwrap_or(Side::To) })
    }

    fn evaluate(&self, view: &PairView<'_>) -> Outcome {
        let (claim, evidence) = match self.evidence {
            Side::To => (view.from(), view.to()),
            Side::From => (view.to(), view.from()),
        };
        let basis = claim.front_matter().and_then(|matter| matter.provenance("evidence_basis"));
        if basis.and_then(|entry| entry.value.text()) != Some("evidenced") {
            return Outcome::Pass;
        }
        let written = evidence.front_matter().and_then(warrant::written);
        let what = match written.map(|(_, value)| value.text()) {
            None if evidence.is_generated() => return Outcome::Pass,
            None => return Outcome::skip("the evidence declares no warrant"),
            Some(Some("asserted")) => "is only asserted".to_owned(),
            Some(Some(text)) if WARRANTS.contains(&text) => return Outcome::Pass,
            Some(text) => format!(
                "has the warrant {}, which is none",
                text.map_or_else(|| "that is no text".to_owned(), quoted)
            ),
        };
        let Some(half) = view.half() else { return Outcome::Pass };
        Outcome::fail(Defect::warn(
            half.place(),
            format!(
                "{} calls itself evidenced, and its evidence {} {what}",
                quoted(claim.path()),
                quoted(evidence.path())
            ),
            "have the evidence accepted, name other evidence, or write another `evidence_basis`",
        ))
    }
}
