//! An attribute of an edge is one that its relation declares, or one of the engine's own: `cue` and
//! `verified_revision`.
//!
//! # Why
//!
//! An attribute that nothing declares is read by nothing, and is most often a misspelled one.
//!
//! # Example
//!
//! `governs: {to: src/x.rs, sicne: 2026}`.
//!
//! # Neighbour
//!
//! The value of an attribute that is declared is `relation.attribute.not_permitted`.

use headwater_check::{
    About, Defect, EntryRule, EntryView, Origin, Outcome, Relation, Taxonomy,
};

use crate::say::{listed, quoted};

/// The attributes that every edge may carry.
const ENGINE: [&str; 2] = ["cue", "verified_revision"];

/// The rule for one relation.
pub(crate) struct Rule {
    relation: String,
    declared: Vec<String>,
}

impl EntryRule for Rule {
    const ABOUT: About = About::new(
        "relation.attribute.undeclared",
        1,
        Origin::Graph,
        include_str!("../../../docs/rules/relation.attribute.undeclared.md"),
    );

    fn generate(_: &Taxonomy, relation: &Relation) -> Option<Self> {
        let declared = relation.attributes.names().map(str::to_owned).collect();
        Some(Self { relation: relation.name.clone(), declared })
    }

    fn evaluate(&self, view: &EntryView<'_>) -> Outcome {
        let half = view.half();
        let known = |key: &str| ENGINE.contains(&key) || self.declared.iter().any(|name| name == key);
        let undeclared = half.attributes().iter().filter(|entry| !known(&entry.key));
        Outcome::of(
            undeclared
                .map(|entry| {
                    let all = self.declared.iter().map(String::as_str).chain(ENGINE);
                    Defect::warn(
                        half.place(),
                        format!(
                            "the relation {} declares no attribute {}, so nothing reads it",
                            quoted(&self.relation),
                            quoted(&entry.key)
                        ),
                        format!("write one of {}, or remove it", listed(all)),
                    )
                })
                .collect(),
        )
    }
}
