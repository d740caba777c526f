//! Rows by a text that they carry. Paths and identifiers are asked for more often than there are
//! documents, so this is a table of hashes and not a search; and it holds the texts, since the way to them
//! through the rows is long.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::hash::{BuildHasher as _, BuildHasherDefault, Hasher, RandomState};

/// The first row of each text.
#[derive(Debug, Default)]
pub(crate) struct Table {
    /// The hash has a key that no corpus knows.
    hasher: RandomState,
    /// The first place of each hash.
    places: HashMap<u64, usize, BuildHasherDefault<AsItIs>>,
    /// Places of another text whose hash is taken.
    others: Vec<usize>,
    /// The row of each place, and where its text ends; it begins where that of the place before ends.
    held: Vec<(usize, usize)>,
    texts: String,
}

impl Table {
    /// An empty table with room for this many rows.
    pub(crate) fn with_room(rows: usize) -> Self {
        let mut table = Self::default();
        table.places.reserve(rows);
        table.held.reserve(rows);
        table
    }

    /// Puts a row under its text, or gives the row that is there already.
    pub(crate) fn insert(&mut self, text: &str, row: usize) -> Option<usize> {
        let place = self.held.len();
        match self.places.entry(self.hasher.hash_one(text)) {
            Entry::Vacant(free) => {
                free.insert(place);
            }
            Entry::Occupied(taken) => {
                let taken = *taken.get();
                if let Some(held) = self.under(text, taken) {
                    return Some(held);
                }
                self.others.push(place);
            }
        }
        self.texts.push_str(text);
        self.held.push((row, self.texts.len()));
        None
    }

    /// The row of a text.
    pub(crate) fn get(&self, text: &str) -> Option<usize> {
        self.under(text, *self.places.get(&self.hasher.hash_one(text))?)
    }

    /// The row of a text whose hash a place has.
    fn under(&self, text: &str, place: usize) -> Option<usize> {
        let others = self.others.iter().copied();
        std::iter::once(place).chain(others).find_map(|place| {
            let before = place.checked_sub(1).and_then(|before| self.held.get(before));
            let (row, end) = *self.held.get(place)?;
            let held = self.texts.get(before.map_or(0, |(_, end)| *end)..end);
            (held == Some(text)).then_some(row)
        })
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
                let held = table.insert(text, at);
                prop_assert_eq!(held, first(text).filter(|first| *first < at));
            }
            for text in ["", "a", "ab", "c"] {
                prop_assert_eq!(table.get(text), first(text));
            }
        }

        #[test]
        fn texts_of_one_hash_are_told_apart(texts in proptest::collection::vec("[ab]{0,2}", 0..12)) {
            let mut table = Table::default();
            let first = |text: &str| texts.iter().position(|other| other == text);
            let mut distinct: Vec<&str> = Vec::new();
            for (at, text) in texts.iter().enumerate() {
                if !distinct.contains(&text.as_str()) {
                    distinct.push(text);
                    // As if its hash were taken.
                    table.texts.push_str(text);
                    table.others.push(table.held.len());
                    table.held.push((at, table.texts.len()));
                }
            }
            for text in ["", "a", "ab", "c"] {
                prop_assert_eq!(table.under(text, usize::MAX), first(text));
            }
        }
    }
}
