//! A map that remembers the order of declaration. The order is part of the canonical text, and the
//! lookup by name must not scan, so both are kept here and nowhere else.

use std::collections::HashMap;

/// Entries in declaration order with a lookup by name. Iteration never depends on hashing.
#[derive(Clone, Debug)]
pub struct Ordered<T> {
    entries: Vec<(String, T)>,
    index: HashMap<String, usize>,
}

impl<T> Default for Ordered<T> {
    fn default() -> Self {
        Self { entries: Vec::new(), index: HashMap::new() }
    }
}

impl<T: PartialEq> PartialEq for Ordered<T> {
    fn eq(&self, other: &Self) -> bool {
        self.entries == other.entries
    }
}

impl<T> Ordered<T> {
    /// The number of entries.
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// Whether there is no entry.
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// The entry of that name.
    pub fn get(&self, name: &str) -> Option<&T> {
        self.index.get(name).and_then(|&at| self.entries.get(at)).map(|(_, value)| value)
    }

    /// The entry of that name, to change.
    pub fn get_mut(&mut self, name: &str) -> Option<&mut T> {
        let at = *self.index.get(name)?;
        self.entries.get_mut(at).map(|(_, value)| value)
    }

    /// Whether the name is declared.
    pub fn contains(&self, name: &str) -> bool {
        self.index.contains_key(name)
    }

    /// The place of a name in declaration order.
    pub fn position(&self, name: &str) -> Option<usize> {
        self.index.get(name).copied()
    }

    /// The name and value at a place of declaration order.
    pub fn at(&self, place: usize) -> Option<(&str, &T)> {
        self.entries.get(place).map(|(name, value)| (name.as_str(), value))
    }

    /// Appends an entry, or replaces the value of a name that is there and keeps its place.
    /// Gives back the value that was replaced.
    pub fn insert(&mut self, name: String, value: T) -> Option<T> {
        if let Some(held) = self.get_mut(&name) {
            return Some(std::mem::replace(held, value));
        }
        self.index.insert(name.clone(), self.entries.len());
        self.entries.push((name, value));
        None
    }

    /// Takes an entry out. Linear in the number of entries, because later places move.
    pub fn remove(&mut self, name: &str) -> Option<T> {
        let at = self.index.remove(name)?;
        let (_, value) = self.entries.remove(at);
        for place in self.index.values_mut() {
            if *place > at {
                *place -= 1;
            }
        }
        Some(value)
    }

    /// Names and values in declaration order.
    pub fn iter(&self) -> impl DoubleEndedIterator<Item = (&str, &T)> + ExactSizeIterator {
        self.entries.iter().map(|(name, value)| (name.as_str(), value))
    }

    /// Names in declaration order.
    pub fn names(&self) -> impl DoubleEndedIterator<Item = &str> + ExactSizeIterator {
        self.entries.iter().map(|(name, _)| name.as_str())
    }

    /// Values in declaration order.
    pub fn values(&self) -> impl DoubleEndedIterator<Item = &T> + ExactSizeIterator {
        self.entries.iter().map(|(_, value)| value)
    }

    /// Gives the entries away, in order.
    pub fn into_entries(self) -> Vec<(String, T)> {
        self.entries
    }
}

impl<T> FromIterator<(String, T)> for Ordered<T> {
    fn from_iter<I: IntoIterator<Item = (String, T)>>(entries: I) -> Self {
        let mut map = Self::default();
        for (name, value) in entries {
            map.insert(name, value);
        }
        map
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn order_is_of_declaration_and_removal_keeps_lookup_right() {
        let mut map: Ordered<u8> =
            [("c", 1), ("a", 2), ("b", 3)].map(|(n, v)| (n.to_owned(), v)).into_iter().collect();
        assert_eq!(map.names().collect::<Vec<_>>(), ["c", "a", "b"]);
        assert_eq!(map.insert("a".to_owned(), 9), Some(2));
        assert_eq!(map.remove("c"), Some(1));
        assert_eq!((map.get("a"), map.get("b"), map.get("c")), (Some(&9), Some(&3), None));
        assert_eq!(map.position("b"), Some(1));
    }
}
