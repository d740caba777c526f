//! A date that a document states does not lie in the future of the run.
//!
//! # Why
//!
//! A date counts from where it stands. One in the future silences every window that opens at it, and
//! most often a year was mistyped.
//!
//! # Example
//!
//! `reviewed: 2062-03-01`, checked in 2026.
//!
//! # Neighbour
//!
//! A date that no calendar has is `facet.type.not_met`. The day of the run itself is not the future.

use headwater_check::{
    About, Date, Defect, DocumentNeeds, DocumentRule, DocumentView, Kind, Origin, Outcome, Taxonomy,
};
use headwater_check::headwater_taxonomy::model::ValueType;

use crate::say::quoted;

/// The rule for one kind.
pub(crate) struct Rule {
    dates: Vec<String>,
}

impl DocumentRule for Rule {
    const ABOUT: About = About::new(
        "facet.date.future",
        2,
        Origin::Shape,
        include_str!("../../../docs/rules/facet.date.future.md"),
    );
    const NEEDS: DocumentNeeds = DocumentNeeds { clock: true, ..DocumentNeeds::NONE };

    fn generate(taxonomy: &Taxonomy, kind: &Kind) -> Option<Self> {
        let facets = taxonomy.facets.values().filter(|facet| {
            facet.value_type == Some(ValueType::Date) && !kind.forbids(&facet.name)
        });
        let dates: Vec<String> = facets.map(|facet| facet.name.clone()).collect();
        (!dates.is_empty()).then_some(Self { dates })
    }

    fn evaluate(&self, view: &DocumentView<'_>) -> Outcome {
        let Some(now) = view.now() else { return Outcome::Pass };
        let matter = view.front_matter();
        let mut defects = Vec::new();
        for fact in self.dates.iter().filter_map(|facet| matter.facet(facet)) {
            let items = fact.value.as_list().unwrap_or(std::slice::from_ref(fact.value));
            for item in items {
                let Some(date) = item.text().and_then(Date::parse).filter(|date| *date > now) else {
                    continue;
                };
                defects.push(Defect::warn(
                    matter.place(item.span),
                    format!("{} is {date}, which lies after {now}, the day of this run", quoted(fact.key)),
                    "write the date that is meant",
                ));
            }
        }
        Outcome::of(defects)
    }
}
