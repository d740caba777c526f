//! `provenance.warrant` is `accepted`, `regenerated`, `transcribed` or `asserted`, in exactly these
//! letters.
//!
//! # Why
//!
//! What rests on a document asks on whose word the document stands. A word outside the set answers
//! nothing, and evidence built on it counts as unsupported.
//!
//! # Example
//!
//! `provenance: {warrant: Accepted}`: the case counts.
//!
//! # Neighbour
//!
//! A key with no value is an absent warrant, which is not judged.

use headwater_check::{
    About, Defect, DocumentRule, DocumentView, Kind, Origin, Outcome, Taxonomy,
};

use crate::say::{listed, quoted};
use crate::warrant::{self, WARRANTS};

/// The rule.
pub(crate) struct Rule;

impl DocumentRule for Rule {
    const ABOUT: About = About::new(
        "warrant.value.not_permitted",
        1,
        Origin::Shape,
        include_str!("../../../docs/rules/warrant.value.not_permitted.md"),
    );
    // It has an instance over every typed document.
    const ROUTES: bool = false;

    fn generate(_: &Taxonomy, _: &Kind) -> Option<Self> {
        Some(Self)
    }

    fn evaluate(&self, view: &DocumentView<'_>) -> Outcome {
        let matter = view.front_matter();
        let Some((_, value)) = warrant::written(matter) else { return Outcome::skip(warrant::NONE) };
        if value.text().is_some_and(|text| WARRANTS.contains(&text)) {
            return Outcome::Pass;
        }
        let written = value.text().map_or_else(|| "what is written".to_owned(), quoted);
        let set = listed(WARRANTS);
        Outcome::fail(Defect::error(
            matter.place(value.span),
            format!("{written} is no warrant; there are {set}"),
            format!("write one of {set}"),
        ))
    }
}
