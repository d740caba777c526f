//! A satellite is not live after its nucleus came to its end.
//!
//! # Why
//!
//! A satellite is there for its nucleus. When the nucleus is withdrawn, what explains, details or
//! belongs to it is kept true for nothing.
//!
//! # Example
//!
//! A `current` part of a `withdrawn` whole.
//!
//! # Neighbour
//!
//! A satellite that rests on a draft is `lifecycle.dependency.on_initial`, and a dependency between
//! documents of equal rank is `lifecycle.dependency.on_terminal`.

use headwater_check::{
    About, Defect, Origin, Outcome, PairRule, PairView, Relation, Side, Standing, Taxonomy,
};
use headwater_check::headwater_taxonomy::model::Nuclearity;

use crate::say::quoted;
use crate::states::States;

/// The rule for one relation.
pub(crate) struct Rule {
    nucleus: Side,
    states: States,
}

impl PairRule for Rule {
    const ABOUT: About = About::new(
        "lifecycle.satellite.outlives_nucleus",
        1,
        Origin::Graph,
        include_str!("../../../docs/rules/lifecycle.satellite.outlives_nucleus.md"),
    );

    fn generate(taxonomy: &Taxonomy, relation: &Relation) -> Option<Self> {
        let nucleus = relation.nucleus?;
        let states = States::of(taxonomy)?;
        (relation.nuclearity == Some(Nuclearity::NucleusSatellite)).then_some(Self { nucleus, states })
    }

    fn evaluate(&self, view: &PairView<'_>) -> Outcome {
        let (nucleus, satellite) = match self.nucleus {
            Side::From => (view.from(), view.to()),
            Side::To => (view.to(), view.from()),
        };
        match (self.states.readable(nucleus), self.states.readable(satellite)) {
            (Ok(Standing::Terminal), Ok(Standing::Live)) => {}
            (Ok(_), Ok(_)) => return Outcome::Pass,
            (Err(reason), _) | (_, Err(reason)) => return Outcome::skip(reason),
        }
        let Some(half) = view.half() else { return Outcome::Pass };
        let state = |end| quoted(self.states.written(end).unwrap_or_default());
        Outcome::fail(Defect::warn(
            half.place(),
            format!(
                "{} is {} and belongs to {}, which is {}",
                quoted(satellite.path()),
                state(satellite),
                quoted(nucleus.path()),
                state(nucleus)
            ),
            "retire it too, or let it belong to what took the place of its nucleus",
        ))
    }
}
