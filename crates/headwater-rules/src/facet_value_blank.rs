//! A facet of the type `string` has a text: no null, no empty text, no list and no mapping.
//!
//! # Why
//!
//! A blank value looks answered to every count of keys and says nothing to a reader.
//!
//! # Example
//!
//! `title:` with nothing after the colon, `summary: "  "`, or `title: []`.
//!
//! # Neighbour
//!
//! A test for empty text alone misses `title:` and `title: ~`, which a YAML loader hands over as a null,
//! and a list, which has no text. A key that is not there at all is `facet.required.missing`.

use headwater_check::{
    About, Defect, DocumentRule, DocumentView, Kind, Origin, Outcome, Taxonomy,
};
use headwater_check::headwater_taxonomy::model::ValueType;

use crate::say::quoted;

struct Text {
    facet: String,
    required: bool,
}

/// The rule for one kind.
pub(crate) struct Rule {
    kind: String,
    texts: Vec<Text>,
}

impl DocumentRule for Rule {
    const ABOUT: About = About::new(
        "facet.value.blank",
        1,
        Origin::Shape,
        include_str!("../../../docs/rules/facet.value.blank.md"),
    );

    fn generate(taxonomy: &Taxonomy, kind: &Kind) -> Option<Self> {
        let facets = taxonomy.facets.values().filter(|facet| {
            facet.value_type == Some(ValueType::String) && !kind.forbids(&facet.name)
        });
        let texts: Vec<Text> = facets
            .map(|facet| Text {
                facet: facet.name.clone(),
                required: kind.required.contains(&facet.name),
            })
            .collect();
        (!texts.is_empty()).then(|| Self { kind: kind.name.clone(), texts })
    }

    fn evaluate(&self, view: &DocumentView<'_>) -> Outcome {
        let matter = view.front_matter();
        let mut defects = Vec::new();
        for Text { facet, required } in &self.texts {
            let Some(fact) = matter.facet(facet) else { continue };
            let scalar = fact.value.as_scalar();
            if scalar.is_some_and(|scalar| !scalar.is_null() && !scalar.text.trim().is_empty()) {
                continue;
            }
            let key = quoted(fact.key);
            let what = match scalar {
                None if fact.value.as_list().is_some() => {
                    format!("the value of {key} is a list, and one text belongs there")
                }
                None => format!("the value of {key} is a mapping, and one text belongs there"),
                Some(scalar) if scalar.is_null() => format!("{key} is written without a value"),
                Some(_) => format!("the value of {key} is an empty text"),
            };
            let (owed, remedy) = if *required {
                let owed = format!(", which the kind {} requires", quoted(&self.kind));
                (owed, format!("write the text of {key}"))
            } else {
                (String::new(), format!("write the text of {key}, or remove the key"))
            };
            let place = matter.place(fact.value.span);
            defects.push(Defect::error(place, format!("{what}{owed}"), remedy));
        }
        Outcome::of(defects)
    }
}
