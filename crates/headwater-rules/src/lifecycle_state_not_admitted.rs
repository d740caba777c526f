//! The state of a document is one that the lifecycle of its kind names.
//!
//! # Why
//!
//! A state that the lifecycle does not name has no way in and no way out: no move of the document can
//! be judged from there.
//!
//! # Example
//!
//! The lifecycle names `draft`, `current` and `superseded`; the facet also permits `withdrawn`, and a
//! document writes it.
//!
//! # Neighbour
//!
//! A value that the facet does not permit at all is not judged here: `facet.value.not_permitted`
//! reports it.

use headwater_check::{
    About, Defect, DocumentRule, DocumentView, Kind, Origin, Outcome, Taxonomy,
};
use headwater_check::headwater_taxonomy::model::Role;

use crate::say::{listed, quoted};

/// The rule for one kind.
pub(crate) struct Rule {
    kind: String,
    facet: String,
    vocabulary: Option<Vec<String>>,
    named: Vec<String>,
}

impl DocumentRule for Rule {
    const ABOUT: About = About::new(
        "lifecycle.state.not_admitted",
        1,
        Origin::Shape,
        include_str!("../../../docs/rules/lifecycle.state.not_admitted.md"),
    );

    fn generate(taxonomy: &Taxonomy, kind: &Kind) -> Option<Self> {
        let lifecycle = taxonomy.lifecycle_of(kind)?;
        let facet = taxonomy.facet_with_role(Role::State)?;
        let values = facet.values.as_ref();
        Some(Self {
            kind: kind.name.clone(),
            facet: facet.name.clone(),
            vocabulary: values.map(|all| all.iter().map(|value| value.value.clone()).collect()),
            named: lifecycle.states().into_iter().map(str::to_owned).collect(),
        })
    }

    fn evaluate(&self, view: &DocumentView<'_>) -> Outcome {
        if self.named.is_empty() {
            return Outcome::skip(format!(
                "the lifecycle of the kind {} names no state",
                quoted(&self.kind)
            ));
        }
        let matter = view.front_matter();
        let fact = matter.facet(&self.facet);
        let Some((fact, state)) = fact.and_then(|fact| Some((fact, fact.value.text()?))) else {
            return Outcome::skip(format!("no state is written under {}", quoted(&self.facet)));
        };
        let known = |values: &Vec<String>| values.iter().any(|value| value == state);
        if !self.vocabulary.as_ref().is_none_or(known) {
            return Outcome::skip(format!(
                "the value of {} is none of its values, which `facet.value.not_permitted` reports",
                quoted(&self.facet)
            ));
        }
        if known(&self.named) {
            return Outcome::Pass;
        }
        let named = listed(self.named.iter().map(String::as_str));
        Outcome::fail(Defect::error(
            matter.place(fact.key_span),
            format!(
                "the lifecycle of the kind {} does not name the state {}; it names {named}",
                quoted(&self.kind),
                quoted(state)
            ),
            format!("write one of {named}, or add the state to the lifecycle"),
        ))
    }
}
