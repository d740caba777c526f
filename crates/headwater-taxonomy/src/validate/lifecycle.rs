//! Rule 9: the states of the regimes and the states of the vocabulary are the same states, all can
//! be reached, and what has no way out says so.

use std::collections::BTreeSet;

use super::Checker;
use crate::model::{Lifecycle, Role, Standing};
use crate::path::{TreePath, at};
use crate::shape::listed;
use crate::yaml::shown;

pub(super) fn check(checker: &mut Checker<'_>) {
    let taxonomy = checker.taxonomy();
    let state_facet = taxonomy.facet_with_role(Role::State);
    let values = state_facet.and_then(|facet| facet.values.as_deref()).unwrap_or(&[]);
    let mut reached_somewhere: BTreeSet<&str> = BTreeSet::new();
    for (name, regime) in taxonomy.regimes.lifecycle.iter() {
        let path = at!["regimes", "lifecycle", name];
        let reached = regime.reachable_from(&regime.initial);
        for state in regime.states() {
            let place = place_of(&path, regime, state);
            let standing =
                values.iter().find(|value| value.value == state).map(|value| value.standing());
            let Some(standing) = standing else {
                let what = format!("`{}` is no value of the state facet", shown(state));
                checker.refuse(9, place, what, "add it to the state vocabulary, or remove it");
                continue;
            };
            if !reached.contains(state) {
                let what = format!(
                    "`{}` cannot be reached from the initial state `{}`",
                    shown(state),
                    shown(&regime.initial)
                );
                checker.refuse(9, place.clone(), what, "add a transition that leads to it");
            }
            match (regime.is_terminal(state), standing == Standing::Terminal) {
                (true, false) => {
                    let what =
                        format!("`{}` has no way out and its role is not terminal", shown(state));
                    let next = "add a transition, or give the value the role `terminal-retained`";
                    checker.refuse(9, place, what, next);
                }
                (false, true) => {
                    let what =
                        format!("`{}` is terminal by its role and has a way out", shown(state));
                    checker.refuse(9, place, what, "remove the transition, or change the role");
                }
                _ => {}
            }
        }
        reached_somewhere.extend(reached);
    }
    if let Some(facet) = state_facet {
        let unreached: Vec<&String> = values
            .iter()
            .map(|value| &value.value)
            .filter(|value| !reached_somewhere.contains(value.as_str()))
            .collect();
        if !unreached.is_empty() {
            let what = format!("no regime reaches {}", listed(&unreached));
            let next = "give a lifecycle a transition that leads there, or remove the state";
            checker.refuse(9, at!["facets", &facet.name, "values"], what, next);
        }
    }
}

/// Where a regime names a state first.
fn place_of(path: &TreePath, regime: &Lifecycle, state: &str) -> TreePath {
    if regime.initial == state {
        return path.then("initial");
    }
    let transitions = path.then("transitions");
    for (from, to) in regime.transitions.iter() {
        if from == state {
            return transitions.then(from);
        }
        if let Some(place) = to.iter().position(|next| next == state) {
            return transitions.then(from).then(place);
        }
    }
    transitions
}
