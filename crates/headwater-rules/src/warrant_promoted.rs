//! A document whose warrant was `asserted` before the change and is now `accepted` is told of, one by
//! one, and the run counts them.
//!
//! # Why
//!
//! A promotion is the moment at which somebody answers for what nobody had yet confirmed. It is easily
//! done in passing; whoever reviews the change is to see each one.
//!
//! # Example
//!
//! `provenance: {warrant: asserted}` becomes `provenance: {warrant: accepted, accepted_by: kim}`.
//!
//! # Neighbour
//!
//! Not every accepted document of a change was promoted: one that is new, and one that was accepted
//! before, pass.

use headwater_check::{
    About, Defect, DocumentNeeds, DocumentRule, DocumentView, Kind, Origin, Outcome, PROMOTED,
    Prior, Taxonomy,
};

use crate::warrant;

/// The rule.
pub(crate) struct Rule;

impl DocumentRule for Rule {
    const ABOUT: About = About::new(
        PROMOTED,
        1,
        Origin::Graph,
        include_str!("../../../docs/rules/warrant.promoted.md"),
    );
    const NEEDS: DocumentNeeds = DocumentNeeds { prior: true, ..DocumentNeeds::NONE };
    // It has an instance over every typed document.
    const ROUTES: bool = false;

    fn generate(_: &Taxonomy, _: &Kind) -> Option<Self> {
        Some(Self)
    }

    fn evaluate(&self, view: &DocumentView<'_>) -> Outcome {
        let Some(Prior::Committed(Some(before))) = view.prior() else { return Outcome::Pass };
        let matter = view.front_matter();
        let (before, now) = (warrant::written(before), warrant::written(matter));
        let asserted = before.is_some_and(|(_, value)| value.text() == Some("asserted"));
        match now {
            Some((key, value)) if asserted && value.text() == Some("accepted") => {
                Outcome::fail(Defect::info(
                    matter.place(key),
                    "the warrant was `asserted` before the change, and is now `accepted`",
                    "make sure that whom `accepted_by` names did accept this document",
                ))
            }
            _ => Outcome::Pass,
        }
    }
}
