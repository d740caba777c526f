//! Whether a closed set is a lifecycle. It is one only when every value is a word that people use for a
//! state, with a beginning and something that holds; otherwise nobody could say what follows from what.

use crate::tree::{Tree, map, text, texts};

/// How a state stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Standing {
    Initial,
    Live,
    Terminal,
}

const WORDS: [(Standing, &[&str]); 3] = [
    (
        Standing::Initial,
        &[
            "draft",
            "proposed",
            "proposal",
            "provisional",
            "idea",
            "pending",
            "new",
            "open",
            "planned",
            "wip",
            "in progress",
            "in review",
            "review",
            "under review",
            "last call",
            "deferred",
            "stagnant",
        ],
    ),
    (
        Standing::Live,
        &[
            "current",
            "active",
            "accepted",
            "approved",
            "final",
            "published",
            "living",
            "stable",
            "adopted",
            "implementable",
            "implemented",
            "in force",
            "live",
        ],
    ),
    (
        Standing::Terminal,
        &[
            "superseded",
            "replaced",
            "withdrawn",
            "rejected",
            "obsolete",
            "retired",
            "abandoned",
            "archived",
            "cancelled",
            "canceled",
            "deprecated",
            "closed",
            "expired",
        ],
    ),
];

/// How a value stands, by the word it is.
fn standing(value: &str) -> Option<Standing> {
    let word = value.to_lowercase().replace(['-', '_'], " ");
    WORDS.iter().find(|(_, words)| words.contains(&word.as_str())).map(|(standing, _)| *standing)
}

/// How each value of a key stands; none where that is not sure.
pub(crate) fn guess(key: &str, values: &[String]) -> Option<Vec<Standing>> {
    if !["status", "state"].contains(&key.to_lowercase().as_str()) {
        return None;
    }
    let standings: Vec<Standing> =
        values.iter().map(|value| standing(value)).collect::<Option<_>>()?;
    let has = |standing| standings.contains(&standing);
    (has(Standing::Initial) && has(Standing::Live)).then_some(standings)
}

/// The values with their roles.
pub(crate) fn values(values: &[String], standings: &[Standing]) -> Tree {
    let roles = standings.iter().map(|standing| match standing {
        Standing::Initial => "initial",
        Standing::Live => "live",
        Standing::Terminal => "terminal-retained",
    });
    let both = values.iter().zip(roles);
    Tree::List(
        both.map(|(value, role)| map([("value", text(value.as_str())), ("role", text(role))]))
            .collect(),
    )
}

/// A lifecycle in which every state that does not end leads to every other: which ways are taken is not
/// to be seen in documents as they are now.
pub(crate) fn regime(values: &[String], standings: &[Standing]) -> Tree {
    let both = || values.iter().zip(standings);
    let initial = both().find(|(_, standing)| **standing == Standing::Initial);
    let initial = initial.map_or("", |(value, _)| value.as_str());
    let open = both().filter(|(_, standing)| **standing != Standing::Terminal);
    let transitions = open.map(|(from, _)| {
        let others = values.iter().filter(|to| *to != from);
        (from.clone(), texts(others.map(String::as_str)))
    });
    map([("initial", text(initial)), ("transitions", map(transitions))])
}
