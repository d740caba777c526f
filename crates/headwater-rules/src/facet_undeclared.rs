//! Every key of the front matter means something: it is a facet, a key that a binding names, or a block
//! of the engine (the identifier, `relations`, `provenance`, the marker of generated files).
//!
//! # Why
//!
//! A key that nothing declares is read by nothing. It is most often a facet misspelled, and then the
//! document lacks what its author believes to have written.
//!
//! # Example
//!
//! `sumary: How to rotate keys`, where the facet is `summary`.
//!
//! # Neighbour
//!
//! A facet that is declared and that the kind forbids is `facet.forbidden`.

use std::collections::BTreeSet;

use headwater_check::{
    About, Defect, DocumentRule, DocumentView, Kind, Origin, Outcome, Taxonomy,
};
use headwater_check::headwater_taxonomy::model::{GENERATED_KEY, PROVENANCE_KEY, RELATIONS_KEY};
use headwater_check::headwater_taxonomy::nearest::nearest;

use crate::say::quoted;

/// The rule.
pub(crate) struct Rule {
    declared: BTreeSet<String>,
}

impl DocumentRule for Rule {
    const ABOUT: About = About::new(
        "facet.undeclared",
        1,
        Origin::Shape,
        include_str!("../../../docs/rules/facet.undeclared.md"),
    );
    // It has an instance over every typed document.
    const ROUTES: bool = false;

    fn generate(taxonomy: &Taxonomy, _: &Kind) -> Option<Self> {
        let bindings = &taxonomy.bindings;
        let engine = [bindings.identifier_key.as_str(), RELATIONS_KEY, PROVENANCE_KEY, GENERATED_KEY];
        let facets = taxonomy.facets.names().map(|facet| bindings.facet_key(facet));
        let keys = engine.into_iter().chain(facets).chain(bindings.relations.names());
        Some(Self { declared: keys.map(str::to_owned).collect() })
    }

    fn evaluate(&self, view: &DocumentView<'_>) -> Outcome {
        let matter = view.front_matter();
        let undeclared = matter.entries().iter().filter(|entry| !self.declared.contains(entry.key.as_str()));
        Outcome::of(
            undeclared
                .map(|entry| {
                    let key = quoted(&entry.key);
                    let near = nearest(&entry.key, self.declared.iter().map(String::as_str));
                    let remedy = match near {
                        Some(near) => format!(
                            "write {} if that is meant; else declare {key} as a facet, or remove it",
                            quoted(near)
                        ),
                        None => format!("declare {key} as a facet, or remove it"),
                    };
                    Defect::warn(
                        matter.place(entry.key_span),
                        format!("nothing declares the key {key}, so nothing reads it"),
                        remedy,
                    )
                })
                .collect(),
        )
    }
}
