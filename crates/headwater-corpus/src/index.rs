//! The identifier index (model §3.5): which row carries an identifier, and which rows claim one that
//! is taken. Identifiers are compared trimmed.

use std::collections::HashMap;

use crate::census::Row;

/// Two documents that write one identifier.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Collision {
    /// The row of the first claimant.
    pub first: usize,
    /// The row of a later one.
    pub later: usize,
}

/// The lookups by identifier.
#[derive(Debug, Default)]
pub(crate) struct Index {
    /// The first node with each identifier.
    nodes: HashMap<String, usize>,
    /// The first document that is no node with each identifier.
    near_misses: HashMap<String, usize>,
    pub collisions: Vec<Collision>,
}

impl Index {
    pub(crate) fn of(rows: &[Row]) -> Self {
        let mut index = Self::default();
        let carried = |node: bool| {
            rows.iter()
                .enumerate()
                .filter(move |(_, row)| row.is_node() == node)
                .filter_map(|(at, row)| Some((at, row.identifier()?)))
        };
        for (at, identifier) in carried(true) {
            match index.nodes.get(identifier) {
                Some(&first) => index.collisions.push(Collision { first, later: at }),
                None => {
                    index.nodes.insert(identifier.to_owned(), at);
                }
            }
        }
        for (at, identifier) in carried(false) {
            let first = index.nodes.get(identifier).or_else(|| index.near_misses.get(identifier));
            if let Some(&first) = first {
                index.collisions.push(Collision { first, later: at });
            }
            index.near_misses.entry(identifier.to_owned()).or_insert(at);
        }
        index
    }

    /// The first node with an identifier.
    pub(crate) fn node(&self, identifier: &str) -> Option<usize> {
        self.nodes.get(identifier).copied()
    }

    /// The first document that is no node with an identifier.
    pub(crate) fn near_miss(&self, identifier: &str) -> Option<usize> {
        self.near_misses.get(identifier).copied()
    }
}
