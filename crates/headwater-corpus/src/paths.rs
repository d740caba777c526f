//! The rows by path. Links ask for paths more often than there are documents, so this is a table of
//! hashes and not a search.

use std::collections::HashMap;
use std::hash::{BuildHasher as _, BuildHasherDefault, Hasher, RandomState};

use crate::census::{Outcome, Row, Unwalkable};

/// The rows by the hash of their path. The hash has a key that no corpus knows.
#[derive(Debug, Default)]
pub(crate) struct Paths {
    hasher: RandomState,
    /// The first row of each hash.
    rows: HashMap<u64, usize, BuildHasherDefault<AsItIs>>,
    /// Rows of another path whose hash is taken.
    others: Vec<usize>,
}

impl Paths {
    pub(crate) fn of(rows: &[Row]) -> Self {
        let mut paths = Self::default();
        paths.rows.reserve(rows.len());
        for (at, row) in rows.iter().enumerate() {
            let first = *paths.rows.entry(paths.hasher.hash_one(&row.path)).or_insert(at);
            // A lossy path may equal a real one, which then comes first.
            if rows.get(first).is_some_and(|held| held.path != row.path) {
                paths.others.push(at);
            }
        }
        paths
    }

    /// The row of a path. A name that is no UTF-8 is on no path.
    pub(crate) fn get(&self, rows: &[Row], path: &str) -> Option<usize> {
        let held = |at: &usize| rows.get(*at).is_some_and(|row| row.path == path);
        let hash = self.hasher.hash_one(path);
        let at = self.rows.get(&hash).filter(|at| held(at));
        let at = at.or_else(|| self.others.iter().find(|at| held(at))).copied()?;
        let bad_name = Outcome::Unwalkable(Unwalkable::BadName);
        rows.get(at).filter(|row| row.outcome != bad_name).map(|_| at)
    }
}

/// A hasher for what is a hash already.
#[derive(Default)]
struct AsItIs(u64);

impl Hasher for AsItIs {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.0 = self.0.rotate_left(8) ^ u64::from(*byte);
        }
    }

    fn write_u64(&mut self, hash: u64) {
        self.0 = hash;
    }
}
