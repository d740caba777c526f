//! The edges that name a generated document put it into one state.
//!
//! # Why
//!
//! A generator writes the state that an edge sets. Where two edges set two, it can only take one of
//! them, and the page then says the opposite of what somebody decided.
//!
//! # Example
//!
//! `a.md` `replaces` the generated page `g.md`, which makes it `superseded`, and `b.md` `retires` it,
//! which makes it `withdrawn`.
//!
//! # Neighbour
//!
//! A page that an author wrote is held to the state of each edge by `lifecycle.state.not_set_by_edge`,
//! and there its author can say which holds. A marked file that no projection writes is an orphan, and
//! is not read.

use std::collections::{BTreeMap, BTreeSet};

use headwater_check::headwater_taxonomy::model::Role;
use headwater_check::{
    About, CorpusNeeds, CorpusRule, CorpusView, Defect, Direction, End, Origin, Outcome, Taxonomy,
};

use crate::say::{listed, quoted};

/// The rule.
pub(crate) struct Rule {
    facet: String,
    /// The kinds that owe a state.
    kinds: BTreeSet<String>,
    /// The relations that set a state, and which.
    setters: Vec<(String, String)>,
}

impl CorpusRule for Rule {
    const ABOUT: About = About::new(
        "lifecycle.state.set_twice",
        1,
        Origin::Graph,
        include_str!("../../../docs/rules/lifecycle.state.set_twice.md"),
    );
    const NEEDS: CorpusNeeds = CorpusNeeds { graph: true, orphans: true, ..CorpusNeeds::NONE };

    fn generate(taxonomy: &Taxonomy) -> Option<Self> {
        let facet = taxonomy.facet_with_role(Role::State)?.name.clone();
        let setters = taxonomy.relations.values();
        let setters = setters.filter_map(|held| Some((held.name.clone(), held.set_state.clone()?)));
        let setters: Vec<(String, String)> = setters.collect();
        let states: BTreeSet<&str> = setters.iter().map(|(_, state)| state.as_str()).collect();
        let owes = taxonomy.kinds.values().filter(|kind| kind.required.contains(&facet));
        let kinds = owes.map(|kind| kind.name.clone()).collect();
        (states.len() > 1).then_some(Self { facet, kinds, setters })
    }

    fn evaluate(&self, view: &CorpusView<'_>) -> Outcome {
        let pages = view.projected().unwrap_or_default();
        let pages = pages.into_iter().filter(|page| self.kinds.contains(page.kind()));
        // By the path of the page: each state, and who sets it by which relation.
        let mut held: BTreeMap<&str, (End<'_>, BTreeMap<&str, BTreeSet<String>>)> =
            pages.map(|page| (page.path(), (page, BTreeMap::new()))).collect();
        for (relation, state) in &self.setters {
            for (from, to, half) in view.edges(relation).unwrap_or_default() {
                if half.direction() != Direction::Declared || from.path() == to.path() {
                    continue;
                }
                if let Some((_, states)) = held.get_mut(to.path()) {
                    let setter = format!("{} {relation}", from.path());
                    states.entry(state).or_default().insert(setter);
                }
            }
        }
        let twice = held.into_values().filter(|(_, states)| states.len() > 1);
        Outcome::of(twice.map(|(page, states)| self.defect(page, &states)).collect())
    }
}

impl Rule {
    fn defect(&self, page: End<'_>, states: &BTreeMap<&str, BTreeSet<String>>) -> Defect {
        let each = states.iter().map(|(state, setters)| {
            format!("{} by {}", quoted(state), listed(setters.iter().map(String::as_str)))
        });
        Defect::warn(
            page.key_place(&self.facet),
            format!(
                "edges put this generated document at more than one state: {}",
                each.collect::<Vec<_>>().join("; ")
            ),
            "decide which state holds and remove the other edges; a generator can write only one",
        )
    }
}
