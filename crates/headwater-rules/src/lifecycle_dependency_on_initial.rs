//! A live document does not name one that is still at an initial state.
//!
//! # Why
//!
//! A draft may still change in every respect. Whoever reads the live document takes what it names for
//! settled.
//!
//! # Example
//!
//! A `current` note mentions a `draft` one.
//!
//! # Neighbour
//!
//! It is judged from the document that wrote the half, and not from the source end of the relation: a
//! live document that writes the inverse name rests on what it names all the same. A relation that sets
//! the state of its target is exempt.

use headwater_check::{
    About, Defect, Direction, Origin, Outcome, PairRule, PairView, Relation, Standing, Taxonomy,
};

use crate::say::quoted;
use crate::states::States;

/// The rule for one relation.
pub(crate) struct Rule {
    states: States,
}

impl PairRule for Rule {
    const ABOUT: About = About::new(
        "lifecycle.dependency.on_initial",
        1,
        Origin::Graph,
        include_str!("../../../docs/rules/lifecycle.dependency.on_initial.md"),
    );

    fn generate(taxonomy: &Taxonomy, relation: &Relation) -> Option<Self> {
        let states = States::of(taxonomy).filter(|_| relation.set_state.is_none())?;
        Some(Self { states })
    }

    fn evaluate(&self, view: &PairView<'_>) -> Outcome {
        let mut defects = Vec::new();
        let mut skip = None;
        for half in view.halves() {
            let (writer, named) = match half.direction() {
                Direction::Declared => (view.from(), view.to()),
                Direction::Inverse => (view.to(), view.from()),
            };
            let standings = (self.states.readable(writer), self.states.readable(named));
            let (from, to) = match standings {
                (Ok(from), Ok(to)) => (from, to),
                (Err(reason), _) | (_, Err(reason)) => {
                    skip.get_or_insert(reason);
                    continue;
                }
            };
            if from != Standing::Live || to != Standing::Initial {
                continue;
            }
            if let Some(reason) = self.states.deferred(named) {
                skip.get_or_insert(reason);
                continue;
            }
            let state = |end| quoted(self.states.written(end).unwrap_or_default());
            defects.push(Defect::warn(
                half.place(),
                format!(
                    "this document is {} and names {}, which is still {}",
                    state(writer),
                    quoted(named.path()),
                    state(named)
                ),
                "settle the document that is named, or name a settled one",
            ));
        }
        match (defects.is_empty(), skip) {
            (true, Some(reason)) => Outcome::skip(reason),
            _ => Outcome::of(defects),
        }
    }
}
