//! A document was confirmed no longer ago than its facet says a confirmation lasts.
//!
//! # Why
//!
//! What nobody has confirmed for long may still be true, and nobody knows.
//!
//! # Example
//!
//! `last_verified` has `stale_after_days: 180`, and a document says 200 days ago.
//!
//! # Neighbour
//!
//! The last of those days is inside: a confirmation 180 days old is not stale. A document without the
//! date is not judged.

use headwater_check::{
    About, Date, Defect, DocumentNeeds, DocumentRule, DocumentView, Kind, Origin, Outcome, Taxonomy,
};

use crate::say::quoted;

/// The rule for one kind.
pub(crate) struct Rule {
    /// Each facet, and how many days it lasts.
    lasting: Vec<(String, u64)>,
}

impl DocumentRule for Rule {
    const ABOUT: About = About::new(
        "facet.freshness.stale",
        2,
        Origin::Shape,
        include_str!("../../../docs/rules/facet.freshness.stale.md"),
    );
    const NEEDS: DocumentNeeds = DocumentNeeds { clock: true, ..DocumentNeeds::NONE };

    fn generate(taxonomy: &Taxonomy, kind: &Kind) -> Option<Self> {
        let facets = taxonomy.facets.values().filter(|facet| !kind.forbids(&facet.name));
        let lasting: Vec<(String, u64)> = facets
            .filter_map(|facet| Some((facet.name.clone(), facet.stale_after_days?)))
            .collect();
        (!lasting.is_empty()).then_some(Self { lasting })
    }

    fn evaluate(&self, view: &DocumentView<'_>) -> Outcome {
        let Some(now) = view.now() else { return Outcome::Pass };
        let matter = view.front_matter();
        let mut defects = Vec::new();
        let mut read = false;
        for (facet, days) in &self.lasting {
            let fact = matter.facet(facet);
            let date = fact.and_then(|fact| Some((fact, Date::parse(fact.value.text()?)?)));
            let Some((fact, date)) = date else { continue };
            read = true;
            let age = now.days_since(date);
            if u64::try_from(age).is_ok_and(|age| age > *days) {
                defects.push(Defect::info(
                    matter.place(fact.value.span),
                    format!("{} is {age} days old, and a confirmation lasts {days}", quoted(fact.key)),
                    format!("read the document again, and write the date under {}", quoted(fact.key)),
                ));
            }
        }
        if !read {
            return Outcome::skip("no readable date says when the document was last confirmed");
        }
        Outcome::of(defects)
    }
}
