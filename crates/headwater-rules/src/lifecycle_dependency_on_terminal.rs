//! A live document does not rest on a terminal one, through a relation that is sensitive to lifecycles.
//!
//! # Why
//!
//! What was withdrawn or superseded is no longer kept true. Whatever rests on it is likely wrong
//! without having changed.
//!
//! # Example
//!
//! A `current` note writes `needs:` and names a `withdrawn` one.
//!
//! # Neighbour
//!
//! Not every terminal target is reported: the document that superseded it names it by the very relation
//! that set its state.

use headwater_check::{
    About, Defect, Origin, Outcome, PairRule, PairView, Relation, Standing, Taxonomy,
};

use crate::say::quoted;
use crate::states::States;

/// The rule for one relation.
pub(crate) struct Rule {
    relation: String,
    sets: Option<String>,
    states: States,
}

impl PairRule for Rule {
    const ABOUT: About = About::new(
        "lifecycle.dependency.on_terminal",
        1,
        Origin::Graph,
        include_str!("../../../docs/rules/lifecycle.dependency.on_terminal.md"),
    );

    fn generate(taxonomy: &Taxonomy, relation: &Relation) -> Option<Self> {
        let states = States::of(taxonomy).filter(|_| relation.lifecycle_sensitive)?;
        Some(Self { relation: relation.name.clone(), sets: relation.set_state.clone(), states })
    }

    fn evaluate(&self, view: &PairView<'_>) -> Outcome {
        let (from, to) = (view.from(), view.to());
        let (source, target) = match (self.states.readable(from), self.states.readable(to)) {
            (Ok(source), Ok(target)) => (source, target),
            (Err(reason), _) | (_, Err(reason)) => return Outcome::skip(reason),
        };
        let state = self.states.written(to);
        let is_set_by_it = self.sets.is_some() && self.sets.as_deref() == state;
        if source != Standing::Live || target != Standing::Terminal || is_set_by_it {
            return Outcome::Pass;
        }
        if let Some(reason) = self.states.deferred(to) {
            return Outcome::skip(reason);
        }
        let Some(half) = view.half() else { return Outcome::Pass };
        let quote = |state: Option<&str>| quoted(state.unwrap_or_default());
        Outcome::fail(Defect::warn(
            half.place(),
            format!(
                "{} is {} and rests through {} on {}, which is {}",
                quoted(from.path()),
                quote(self.states.written(from)),
                quoted(&self.relation),
                quoted(to.path()),
                quote(state)
            ),
            "name what took its place, or remove the dependency",
        ))
    }
}
