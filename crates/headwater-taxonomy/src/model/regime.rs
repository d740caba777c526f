//! Regimes: named bundles of rules that a kind binds to.

use std::collections::{BTreeSet, VecDeque};

use super::read::{flag, listed, named, scalars, text, texts};
use crate::ordered::Ordered;
use crate::yaml::Node;

/// What a voice forbids.
#[derive(Clone, Debug, PartialEq)]
pub struct Voice {
    /// The categories, as written.
    pub forbid: Vec<String>,
}

/// A lifecycle: the states and the moves between them.
#[derive(Clone, Debug, PartialEq)]
pub struct Lifecycle {
    /// The state a new document opens at.
    pub initial: String,
    /// From each state, the states it may move to.
    pub transitions: Ordered<Vec<String>>,
    /// Whether a document in a terminal state may not be deleted.
    pub retain_terminal: bool,
}

impl Lifecycle {
    /// The states it names: the initial one, then every key and target in first-seen order.
    pub fn states(&self) -> Vec<&str> {
        let mut seen = BTreeSet::new();
        let mut states = Vec::new();
        let moves = self
            .transitions
            .iter()
            .flat_map(|(from, to)| std::iter::once(from).chain(to.iter().map(String::as_str)));
        let initial = Some(self.initial.as_str()).filter(|state| !state.is_empty());
        for state in initial.into_iter().chain(moves) {
            if seen.insert(state) {
                states.push(state);
            }
        }
        states
    }

    /// Whether it names the state.
    pub fn names(&self, state: &str) -> bool {
        self.states().contains(&state)
    }

    /// Whether the state has no move to another state.
    pub fn is_terminal(&self, state: &str) -> bool {
        self.transitions.get(state).is_none_or(|to| to.iter().all(|next| next == state))
    }

    /// Every state that a path of moves leads to from `from`, itself included.
    pub fn reachable_from(&self, from: &str) -> BTreeSet<&str> {
        let mut reached = BTreeSet::new();
        let mut queue: VecDeque<&str> =
            self.states().into_iter().filter(|state| *state == from).collect();
        while let Some(state) = queue.pop_front() {
            if reached.insert(state) {
                queue.extend(self.transitions.get(state).into_iter().flatten().map(String::as_str));
            }
        }
        reached
    }
}

/// A term that is no longer used.
#[derive(Clone, Debug, PartialEq)]
pub struct RetiredTerm {
    /// The term.
    pub term: String,
    /// Why it was retired.
    pub reason: String,
    /// What to write instead.
    pub replacement: Option<String>,
}

/// A language regime.
#[derive(Clone, Debug, PartialEq)]
pub struct Language {
    /// The language tag.
    pub tag: Option<String>,
    /// The family of controlled-language profiles, or `none`.
    pub controlled: Option<String>,
    /// The profile.
    pub profile: Option<String>,
    /// Whether `source_form: one_line_per_block` is declared.
    pub one_line_per_block: bool,
    /// Terms that are no longer used.
    pub retired_terms: Vec<RetiredTerm>,
    /// Paths outside the corpus that are held to this regime.
    pub outside_root: Vec<String>,
}

/// The three sorts of regime.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Regimes {
    /// Voices, by name.
    pub voice: Ordered<Voice>,
    /// Lifecycles, by name.
    pub lifecycle: Ordered<Lifecycle>,
    /// Languages, by name.
    pub language: Ordered<Language>,
}

impl Regimes {
    pub(super) fn read(root: &Node) -> Self {
        let Some(regimes) = root.get("regimes") else { return Self::default() };
        Self {
            voice: named(regimes, "voice", |_, node| Voice { forbid: texts(node, "forbid") }),
            lifecycle: named(regimes, "lifecycle", |_, node| Lifecycle {
                initial: text(node, "initial").unwrap_or_default(),
                transitions: named(node, "transitions", |_, node| scalars(node)),
                retain_terminal: flag(node, "retain_terminal"),
            }),
            language: named(regimes, "language", |_, node| Language {
                tag: text(node, "tag"),
                controlled: text(node, "controlled"),
                profile: text(node, "profile"),
                one_line_per_block: text(node, "source_form").as_deref()
                    == Some("one_line_per_block"),
                retired_terms: listed(node, "retired_terms", |node| RetiredTerm {
                    term: text(node, "term").unwrap_or_default(),
                    reason: text(node, "reason").unwrap_or_default(),
                    replacement: text(node, "replacement"),
                }),
                outside_root: texts(node, "outside_root"),
            }),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reachability_is_over_paths_and_a_self_move_is_no_exit() {
        let moves =
            [("draft", vec!["Last Call"]), ("Last Call", vec!["final"]), ("final", vec!["final"])];
        let regime = Lifecycle {
            initial: "draft".into(),
            transitions: moves
                .into_iter()
                .map(|(from, to)| (from.to_owned(), to.into_iter().map(str::to_owned).collect()))
                .collect(),
            retain_terminal: true,
        };
        assert_eq!(regime.states(), ["draft", "Last Call", "final"]);
        assert!(regime.reachable_from("draft").contains("final"));
        assert!(!regime.reachable_from("final").contains("draft"));
        assert!(regime.reachable_from("nowhere").is_empty());
        assert!(regime.is_terminal("final") && !regime.is_terminal("draft"));
    }
}
