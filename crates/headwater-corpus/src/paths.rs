//! The rows by path, for links.

use crate::census::{Outcome, Row, Unwalkable};
use crate::table::Table;

/// The rows by path.
#[derive(Debug, Default)]
pub(crate) struct Paths(Table);

impl Paths {
    pub(crate) fn of(rows: &[Row]) -> Self {
        let mut table = Table::with_room(rows.len());
        for (at, row) in rows.iter().enumerate() {
            // A lossy path may equal a real one, which then comes first.
            table.insert(&row.path, at);
        }
        Self(table)
    }

    /// The row of a path. A name that is no UTF-8 is on no path.
    pub(crate) fn get(&self, rows: &[Row], path: &str) -> Option<usize> {
        let at = self.0.get(path)?;
        let bad_name = Outcome::Unwalkable(Unwalkable::BadName);
        rows.get(at).filter(|row| row.outcome != bad_name).map(|_| at)
    }
}
