//! A list of places for each row, kept in two vectors however many rows there are.

/// For each row, places in ascending order of insertion.
#[derive(Debug, Default)]
pub(crate) struct Lists {
    /// Where the list of each row ends; it begins where the one before ends.
    ends: Vec<usize>,
    places: Vec<usize>,
}

impl Lists {
    /// The lists of `rows` rows. Each entry is a row and a place of its list; entries of other rows are
    /// passed over. Linear.
    pub(crate) fn of(rows: usize, entries: impl Iterator<Item = (usize, usize)> + Clone) -> Self {
        let mut next = vec![0; rows];
        for (row, _) in entries.clone() {
            if let Some(count) = next.get_mut(row) {
                *count += 1;
            }
        }
        let mut total = 0;
        for count in &mut next {
            total += std::mem::replace(count, total);
        }
        let mut places = vec![0; total];
        for (row, place) in entries {
            let Some(next) = next.get_mut(row) else { continue };
            if let Some(free) = places.get_mut(*next) {
                *free = place;
            }
            *next += 1;
        }
        Self { ends: next, places }
    }

    /// The list of a row.
    pub(crate) fn get(&self, row: usize) -> &[usize] {
        let before = row.checked_sub(1).map_or(Some(0), |before| self.ends.get(before).copied());
        let range = before.zip(self.ends.get(row).copied());
        range.and_then(|(start, end)| self.places.get(start..end)).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn every_row_has_its_places_in_order(
            entries in proptest::collection::vec((0_usize..7, any::<usize>()), 0..30),
        ) {
            let lists = Lists::of(5, entries.iter().copied());
            for row in 0..7 {
                let held = entries.iter().filter(|(at, _)| *at == row && row < 5);
                let expected: Vec<usize> = held.map(|(_, place)| *place).collect();
                prop_assert_eq!(lists.get(row), &expected[..]);
            }
        }
    }
}
