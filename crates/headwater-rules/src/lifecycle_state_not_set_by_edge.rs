//! A document that an edge puts into a state is in that state, once the document at the source of the
//! edge is no draft.
//!
//! # Why
//!
//! The decision that was superseded and still says `current` is read as the one that holds.
//!
//! # Example
//!
//! `a.md` is `current` and `replaces` `b.md`, which is `current` too.
//!
//! # Neighbour
//!
//! It is reported at the state of the document that must change, and not at the edge, which is right.

use headwater_check::{
    About, Defect, End, FacetChange, Origin, Outcome, PairRule, PairView, Patch, Relation, Standing,
    Taxonomy,
};
use headwater_check::headwater_taxonomy::model::Role;

use crate::say::quoted;
use crate::states::States;

/// The rule for one relation.
pub(crate) struct Rule {
    relation: String,
    sets: String,
    states: States,
    entered: Option<String>,
}

impl PairRule for Rule {
    const ABOUT: About = About::new(
        "lifecycle.state.not_set_by_edge",
        1,
        Origin::Graph,
        include_str!("../../../docs/rules/lifecycle.state.not_set_by_edge.md"),
    );

    fn generate(taxonomy: &Taxonomy, relation: &Relation) -> Option<Self> {
        Some(Self {
            relation: relation.name.clone(),
            sets: relation.set_state.clone()?,
            states: States::of(taxonomy)?,
            entered: taxonomy.facet_with_role(Role::StateEntered).map(|facet| facet.name.clone()),
        })
    }

    fn evaluate(&self, view: &PairView<'_>) -> Outcome {
        let (from, to) = (view.from(), view.to());
        if to.is_generated() {
            return Outcome::skip("a generator wrote the target, so its state is written there");
        }
        let (source, target) = match (self.states.readable(from), self.states.readable(to)) {
            (Ok(source), Ok(target)) => (source, target),
            (Err(reason), _) | (_, Err(reason)) => return Outcome::skip(reason),
        };
        match self.states.admits(to.kind(), &self.sets) {
            Some(true) => {}
            Some(false) => {
                return Outcome::skip(format!(
                    "the lifecycle of the kind {} does not name the state {} that the edge sets",
                    quoted(to.kind()),
                    quoted(&self.sets)
                ));
            }
            None => {
                return Outcome::skip(format!("the kind {} binds no lifecycle", quoted(to.kind())));
            }
        }
        if let Some(reason) = self.states.deferred(to) {
            return Outcome::skip(reason);
        }
        let state = self.states.written(to).unwrap_or_default();
        let settled = [source, target].contains(&Standing::Initial) || state == self.sets;
        if settled {
            return Outcome::Pass;
        }
        let message = format!(
            "{} {} this document, which puts it at {}, and it says {}",
            quoted(from.path()),
            quoted(&self.relation),
            quoted(&self.sets),
            quoted(state)
        );
        let place = to.key_place(&self.states.facet);
        if target != Standing::Live {
            let remedy = format!(
                "decide which holds: write {}, or remove the edge from {}; both states are final, so this is for a person to say",
                quoted(&self.sets),
                quoted(from.path())
            );
            return Outcome::fail(Defect::warn(place, message, remedy));
        }
        let set = format!("write {} under {}", quoted(&self.sets), quoted(&self.states.facet));
        let (patch, remedy) = match self.patch(from, to, state) {
            Ok(patch) => (Some(patch), format!("{set}, with the date of {}", quoted(from.path()))),
            Err(why) => (None, format!("{set}; {why}, so this is not done for you")),
        };
        Outcome::fail(Defect::error(place, message, remedy).patched(patch))
    }
}

impl Rule {
    /// The state and its date, together; or why the date cannot be told.
    fn patch(&self, from: End<'_>, to: End<'_>, state: &str) -> Result<Patch, String> {
        let Some(entered) = self.entered.as_deref() else {
            return Err("no facet holds the date of a state".to_owned());
        };
        let date = from.facet_text(entered).filter(|date| !date.trim().is_empty());
        let date = date.ok_or_else(|| {
            format!("{} has no {} to copy", quoted(from.path()), quoted(entered))
        })?;
        let old = to.facet_text(entered).ok_or_else(|| {
            format!("{} has no {} to rewrite", quoted(to.path()), quoted(entered))
        })?;
        let change = |facet: &str, expected: &str, value: &str| FacetChange {
            facet: facet.to_owned(),
            expected: expected.to_owned(),
            value: value.to_owned(),
        };
        Ok(Patch::Facets {
            path: to.front_matter().map_or(to.path(), |matter| matter.path()).to_owned(),
            changes: vec![
                change(&self.states.facet, state, &self.sets),
                change(entered, old, date),
            ],
        })
    }
}
