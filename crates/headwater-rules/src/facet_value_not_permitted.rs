//! A value of a facet with a closed set is one of the set, as the kind narrows it. Of a list each item
//! is tested.
//!
//! # Why
//!
//! A closed set is what queries, indexes and lifecycles are written against. A value outside it is in
//! none of them, so the document drops out of sight.
//!
//! # Example
//!
//! `audience` permits `reader` and `operator`, and `docs/notes/a.md` writes `audience: everyone`.
//!
//! # Neighbour
//!
//! The whole set of the facet is not the measure: a kind may narrow it, and then a value that the facet
//! lists and the kind leaves out is reported. A mapping is no value of any set; `facet.type.not_met`
//! reports it.

use headwater_check::{
    About, Defect, DocumentRule, DocumentView, Kind, Origin, Outcome, Taxonomy,
};

use crate::say::{listed, quoted};

struct Closed {
    facet: String,
    admitted: Vec<String>,
}

/// The rule for one kind.
pub(crate) struct Rule {
    kind: String,
    closed: Vec<Closed>,
}

impl DocumentRule for Rule {
    const ABOUT: About = About::new(
        "facet.value.not_permitted",
        1,
        Origin::Shape,
        include_str!("../../../docs/rules/facet.value.not_permitted.md"),
    )
    .in_json_schema();

    fn generate(taxonomy: &Taxonomy, kind: &Kind) -> Option<Self> {
        let facets = taxonomy.facets.values().filter(|facet| !kind.forbids(&facet.name));
        let closed: Vec<Closed> = facets
            .filter_map(|facet| {
                let admitted = kind.admitted(facet)?.into_iter().map(str::to_owned).collect();
                Some(Closed { facet: facet.name.clone(), admitted })
            })
            .collect();
        (!closed.is_empty()).then(|| Self { kind: kind.name.clone(), closed })
    }

    fn evaluate(&self, view: &DocumentView<'_>) -> Outcome {
        let matter = view.front_matter();
        let mut defects = Vec::new();
        for Closed { facet, admitted } in &self.closed {
            let Some(fact) = matter.facet(facet) else { continue };
            let items = fact.value.as_list().unwrap_or(std::slice::from_ref(fact.value));
            for item in items {
                let Some(text) = item.as_scalar().map(|scalar| &scalar.text) else { continue };
                if admitted.iter().any(|value| value == text) {
                    continue;
                }
                let blank = text.trim().is_empty();
                let shown = if blank { "an empty value".to_owned() } else { quoted(text) };
                let values = listed(admitted.iter().map(String::as_str));
                defects.push(Defect::error(
                    matter.place(item.span),
                    format!(
                        "{shown} is no value of {} in a document of the kind {}, which permits {values}",
                        quoted(fact.key),
                        quoted(&self.kind)
                    ),
                    format!("write one of {values}"),
                ));
            }
        }
        Outcome::of(defects)
    }
}
