//! A satellite does not state another value than its nucleus for a facet that it inherits.
//!
//! # Why
//!
//! What is inherited is decided in one place. A satellite that says otherwise is either wrong or no
//! satellite.
//!
//! # Example
//!
//! `part_of` inherits `audience`; the whole says `operator` and the part says `reader`.
//!
//! # Neighbour
//!
//! A satellite that says nothing inherits, and is not reported.

use std::collections::BTreeSet;

use headwater_check::{
    About, Defect, End, Origin, Outcome, PairRule, PairView, Relation, Side, Taxonomy,
};

use crate::say::{listed, quoted};

/// The rule for one relation.
pub(crate) struct Rule {
    nucleus: Side,
    inherits: Vec<String>,
}

impl PairRule for Rule {
    const ABOUT: About = About::new(
        "facet.inherited.contradicted",
        1,
        Origin::Graph,
        include_str!("../../../docs/rules/facet.inherited.contradicted.md"),
    );

    fn generate(_: &Taxonomy, relation: &Relation) -> Option<Self> {
        let inherits = relation.inherits.clone();
        let nucleus = relation.nucleus?;
        (!inherits.is_empty()).then_some(Self { nucleus, inherits })
    }

    fn evaluate(&self, view: &PairView<'_>) -> Outcome {
        let (nucleus, satellite) = match self.nucleus {
            Side::From => (view.from(), view.to()),
            Side::To => (view.to(), view.from()),
        };
        let Some(half) = view.half() else { return Outcome::Pass };
        let mut defects = Vec::new();
        for facet in &self.inherits {
            let (theirs, own) = (values(nucleus, facet), values(satellite, facet));
            if own.is_empty() || theirs.is_empty() || own == theirs {
                continue;
            }
            defects.push(Defect::warn(
                half.place(),
                format!(
                    "{} says {} for {}, and {}, from which it inherits it, says {}",
                    quoted(satellite.path()),
                    listed(own),
                    quoted(facet),
                    quoted(nucleus.path()),
                    listed(theirs)
                ),
                format!("remove {} from {}, or correct one of the two", quoted(facet), quoted(satellite.path())),
            ));
        }
        Outcome::of(defects)
    }
}

/// What a document says for a facet, as a set: the order of a list is no difference.
fn values<'v>(end: End<'v>, facet: &str) -> BTreeSet<&'v str> {
    let Some(fact) = end.front_matter().and_then(|matter| matter.facet(facet)) else {
        return BTreeSet::new();
    };
    let items = fact.value.as_list().unwrap_or(std::slice::from_ref(fact.value));
    items.iter().filter_map(|item| item.text()).map(str::trim).filter(|text| !text.is_empty()).collect()
}
