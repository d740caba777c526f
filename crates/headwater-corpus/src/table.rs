//! Rows by a text that they carry. Paths and identifiers are asked for more often than there are
//! documents, so this is a table of hashes and not a search; it holds no text, since the rows do.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::hash::{BuildHasher as _, BuildHasherDefault, Hasher, RandomState};

/// The rows by the hash of a text. The hash has a key that no corpus knows.
#[derive(Debug, Default)]
pub(crate) struct Table {
    hasher: RandomState,
    /// The first row of each hash.
    rows: HashMap<u64, usize, BuildHasherDefault<AsItIs>>,
    /// Rows of another text whose hash is taken.
    others: Vec<usize>,
}

impl Table {
    /// An empty table with room for this many rows.
    pub(crate) fn with_room(rows: usize) -> Self {
        let mut table = Self::default();
        table.rows.reserve(rows);
        table
    }

    /// Puts a row under its text, or gives the row that is there already. `carries` says whether a row
    /// carries the text.
    pub(crate) fn insert(
        &mut self,
        text: &str,
        at: usize,
        carries: impl Fn(usize) -> bool,
    ) -> Option<usize> {
        match self.rows.entry(self.hasher.hash_one(text)) {
            Entry::Vacant(free) => {
                free.insert(at);
                return None;
            }
            Entry::Occupied(held) if carries(*held.get()) => return Some(*held.get()),
            Entry::Occupied(_) => {}
        }
        let other = self.others.iter().copied().find(|other| carries(*other));
        if other.is_none() {
            self.others.push(at);
        }
        other
    }

    /// The row of a text. `carries` says whether a row carries it.
    pub(crate) fn get(&self, text: &str, carries: impl Fn(usize) -> bool) -> Option<usize> {
        match *self.rows.get(&self.hasher.hash_one(text))? {
            at if carries(at) => Some(at),
            _ => self.others.iter().copied().find(|other| carries(*other)),
        }
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

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn a_text_has_its_first_row(texts in proptest::collection::vec("[ab]{0,2}", 0..12)) {
            let mut table = Table::with_room(3);
            let first = |text: &str| texts.iter().position(|other| other == text);
            for (at, text) in texts.iter().enumerate() {
                let held = table.insert(text, at, |row| texts[row] == *text);
                prop_assert_eq!(held, first(text).filter(|first| *first < at));
            }
            for text in ["", "a", "ab", "c"] {
                prop_assert_eq!(table.get(text, |row| texts[row] == text), first(text));
            }
        }
    }
}
