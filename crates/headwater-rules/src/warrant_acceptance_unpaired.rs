//! A document that is `accepted` names who accepted it under `provenance.accepted_by`, and one with any
//! other warrant has no such key.
//!
//! # Why
//!
//! An acceptance that nobody stands behind is an assertion, and a name beside an assertion looks like
//! an acceptance.
//!
//! # Example
//!
//! `provenance: {warrant: accepted}` without a name, or `{warrant: asserted, accepted_by: kim}`.
//!
//! # Neighbour
//!
//! A key that is there is not a name: `accepted_by: []` and a list of blanks name nobody.

use headwater_check::{
    About, Defect, DocumentRule, DocumentView, Kind, Origin, Outcome, Taxonomy,
};
use headwater_check::markdown::yaml::Node;

use crate::say::quoted;
use crate::warrant::{self, WARRANTS};

/// The rule.
pub(crate) struct Rule;

impl DocumentRule for Rule {
    const ABOUT: About = About::new(
        "warrant.acceptance.unpaired",
        1,
        Origin::Shape,
        include_str!("../../../docs/rules/warrant.acceptance.unpaired.md"),
    );
    // It has an instance over every typed document.
    const ROUTES: bool = false;

    fn generate(_: &Taxonomy, _: &Kind) -> Option<Self> {
        Some(Self)
    }

    fn evaluate(&self, view: &DocumentView<'_>) -> Outcome {
        let matter = view.front_matter();
        let Some((key, value)) = warrant::written(matter) else {
            return Outcome::skip(warrant::NONE);
        };
        let Some(warrant) = value.text().filter(|text| WARRANTS.contains(text)) else {
            return Outcome::skip(
                "the warrant is none of its values, which `warrant.value.not_permitted` reports",
            );
        };
        let acceptor = matter.provenance("accepted_by");
        let at = matter.place(acceptor.map_or(key, |entry| entry.key_span));
        if warrant != "accepted" {
            let Some(_) = acceptor else { return Outcome::Pass };
            return Outcome::fail(Defect::error(
                at,
                format!("`accepted_by` is written, and the warrant is {}", quoted(warrant)),
                "remove `accepted_by`, or write `warrant: accepted` where somebody accepted it",
            ));
        }
        if acceptor.is_some_and(|entry| names_somebody(&entry.value)) {
            return Outcome::Pass;
        }
        Outcome::fail(Defect::error(
            at,
            "the warrant is `accepted` and `accepted_by` names nobody",
            "write who accepted it under `accepted_by`",
        ))
    }
}

fn names_somebody(value: &Node) -> bool {
    let items = value.as_list().unwrap_or(std::slice::from_ref(value));
    items.iter().any(|item| item.text().is_some_and(|text| !text.trim().is_empty()))
}
