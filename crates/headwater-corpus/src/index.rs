//! The identifier index (model §3.5): which row carries an identifier, and which rows claim one that
//! is taken. Identifiers are compared trimmed.

use crate::census::Row;
use crate::table::Table;

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
    nodes: Table,
    /// The first document that is no node with each identifier.
    near_misses: Table,
    pub collisions: Vec<Collision>,
}

impl Index {
    pub(crate) fn of(rows: &[Row]) -> Self {
        let mut index = Self { nodes: Table::with_room(rows.len()), ..Self::default() };
        let carried = |node: bool| {
            rows.iter()
                .enumerate()
                .filter(move |(_, row)| row.is_node() == node)
                .filter_map(|(at, row)| Some((at, row.identifier()?)))
        };
        for (later, identifier) in carried(true) {
            if let Some(first) = index.nodes.insert(identifier, later) {
                index.collisions.push(Collision { first, later });
            }
        }
        for (later, identifier) in carried(false) {
            let held = index.near_misses.insert(identifier, later);
            if let Some(first) = index.node(identifier).or(held) {
                index.collisions.push(Collision { first, later });
            }
        }
        index
    }

    /// The first node with an identifier.
    pub(crate) fn node(&self, identifier: &str) -> Option<usize> {
        self.nodes.get(identifier)
    }

    /// The first document that is no node with an identifier.
    pub(crate) fn near_miss(&self, identifier: &str) -> Option<usize> {
        self.near_misses.get(identifier)
    }
}
