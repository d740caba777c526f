//! A document has no facet that its kind, or a kind above it, forbids.
//!
//! # Why
//!
//! A kind forbids a facet because the facet would mislead there: an expiry date on a record that is
//! kept for ever.
//!
//! # Example
//!
//! The kind `page` forbids `status`, and `docs/pages/p.md` writes `status: draft`.
//!
//! # Neighbour
//!
//! A key that no facet declares is `facet.undeclared`; a forbidden facet is declared, and elsewhere in
//! place.

use headwater_check::{
    About, Defect, DocumentRule, DocumentView, Kind, Origin, Outcome, Taxonomy,
};

use crate::say::quoted;

/// The rule for one kind.
pub(crate) struct Rule {
    kind: String,
    forbidden: Vec<String>,
}

impl DocumentRule for Rule {
    const ABOUT: About = About::new(
        "facet.forbidden",
        1,
        Origin::Shape,
        include_str!("../../../docs/rules/facet.forbidden.md"),
    );

    // To forbid something is to ask nothing: a document is not checked by what it may not say.
    const ROUTES: bool = false;

    fn generate(taxonomy: &Taxonomy, kind: &Kind) -> Option<Self> {
        let declared = kind.forbidden.iter().filter(|facet| taxonomy.facets.contains(facet));
        let forbidden: Vec<String> = declared.cloned().collect();
        (!forbidden.is_empty()).then(|| Self { kind: kind.name.clone(), forbidden })
    }

    fn evaluate(&self, view: &DocumentView<'_>) -> Outcome {
        let matter = view.front_matter();
        let written = self.forbidden.iter().filter_map(|facet| matter.facet(facet));
        Outcome::of(
            written
                .map(|fact| {
                    Defect::error(
                        matter.place(fact.key_span),
                        format!(
                            "the kind {} forbids {}",
                            quoted(&self.kind),
                            quoted(fact.key)
                        ),
                        format!("remove {}", quoted(fact.key)),
                    )
                })
                .collect(),
        )
    }
}
