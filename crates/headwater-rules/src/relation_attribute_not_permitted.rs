//! The value of an attribute of an edge is of the type, or of the closed set, that the relation declares
//! for it.
//!
//! # Why
//!
//! An attribute is compared and counted; a value that it cannot have makes the edge a case of its own.
//!
//! # Example
//!
//! `strength` is `weak` or `strong`, and an entry writes `strength: storng`.
//!
//! # Neighbour
//!
//! An attribute that the relation does not declare is `relation.attribute.undeclared`.

use headwater_check::{
    About, Defect, EntryRule, EntryView, Origin, Outcome, Relation, Taxonomy,
};
use headwater_check::headwater_taxonomy::model::Attribute;

use crate::facet_type_not_met::meets;
use crate::say::{listed, quoted};

/// The rule for one relation.
pub(crate) struct Rule {
    attributes: Vec<(String, Attribute)>,
}

impl EntryRule for Rule {
    const ABOUT: About = About::new(
        "relation.attribute.not_permitted",
        2,
        Origin::Graph,
        include_str!("../../../docs/rules/relation.attribute.not_permitted.md"),
    );

    fn generate(_: &Taxonomy, relation: &Relation) -> Option<Self> {
        let all = relation.attributes.iter().map(|(name, at)| (name.to_owned(), at.clone()));
        let attributes: Vec<_> = all.collect();
        (!attributes.is_empty()).then_some(Self { attributes })
    }

    fn evaluate(&self, view: &EntryView<'_>) -> Outcome {
        let half = view.half();
        let mut defects = Vec::new();
        for entry in half.attributes() {
            let Some((name, attribute)) = self.attributes.iter().find(|(name, _)| *name == entry.key)
            else {
                continue;
            };
            let text = entry.value.as_scalar().map(|scalar| scalar.text.as_str());
            let permitted = match &attribute.values {
                Some(values) => text.is_some_and(|text| values.iter().any(|value| value == text)),
                None => meets(&entry.value, attribute.value_type),
            };
            if permitted {
                continue;
            }
            let due = match (&attribute.values, attribute.value_type) {
                (Some(values), _) => format!("one of {}", listed(values.iter().map(String::as_str))),
                (None, Some(value_type)) => format!("a value of the type {}", quoted(value_type.word())),
                (None, None) => "one text".to_owned(),
            };
            let what = text.map_or_else(|| "what is not one text".to_owned(), quoted);
            defects.push(Defect::error(
                half.place(),
                format!("the attribute {} is {what}, and {due} belongs there", quoted(name)),
                format!("write {due}"),
            ));
        }
        Outcome::of(defects)
    }
}
