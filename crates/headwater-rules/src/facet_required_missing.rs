//! A document has every facet that its kind owes: those marked `required`, and those that the kind or
//! one above it lists under `facets.require`, but for those that the kind or one above it forbids.
//!
//! # Why
//!
//! What every document of a kind states can be relied on by its readers, its indexes and its exports;
//! one document without it makes each of them ask again.
//!
//! # Example
//!
//! The kind `note` requires `summary`, and `docs/notes/a.md` has no such key.
//!
//! # Neighbour
//!
//! A key that is there and blank is not missing: `facet.value.blank` reports `title:` with nothing
//! after the colon.

use headwater_check::{
    About, Defect, DocumentRule, DocumentView, Kind, Origin, Outcome, Place, Taxonomy,
};

use crate::say::quoted;

/// The rule for one kind.
pub(crate) struct Rule {
    kind: String,
    owed: Vec<String>,
}

impl DocumentRule for Rule {
    const ABOUT: About = About::new(
        "facet.required.missing",
        1,
        Origin::Shape,
        include_str!("../../../docs/rules/facet.required.missing.md"),
    )
    .in_json_schema();

    fn generate(_: &Taxonomy, kind: &Kind) -> Option<Self> {
        let owed = kind.required.clone();
        (!owed.is_empty()).then(|| Self { kind: kind.name.clone(), owed })
    }

    fn evaluate(&self, view: &DocumentView<'_>) -> Outcome {
        let matter = view.front_matter();
        let missing = self.owed.iter().filter(|facet| matter.facet(facet).is_none());
        Outcome::of(
            missing
                .map(|facet| {
                    let key = quoted(matter.bindings().facet_key(facet));
                    Defect::error(
                        Place::file(matter.path()),
                        format!(
                            "the key {key} is missing, which every document of the kind {} owes",
                            quoted(&self.kind)
                        ),
                        format!("add {key} with the value that this document has"),
                    )
                })
                .collect(),
        )
    }
}
