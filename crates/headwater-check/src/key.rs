//! Cache keys: a SHA-256 over every input of a verdict, each written with its length before it, so that
//! no value of a corpus can pose as another component.

use headwater_corpus::{Digest, Row};
use sha2::{Digest as _, Sha256};

/// A key.
pub(crate) type Key = [u8; 32];

/// The text that a key is the digest of, never held in memory.
#[derive(Clone)]
pub(crate) struct Canonical(Sha256);

impl Canonical {
    /// Continues a digest.
    pub(crate) const fn new(state: Sha256) -> Self {
        Self(state)
    }

    pub(crate) fn text(&mut self, text: &str) -> &mut Self {
        self.blob(text.as_bytes())
    }

    /// Bytes of any length.
    pub(crate) fn blob(&mut self, bytes: &[u8]) -> &mut Self {
        self.number(bytes.len() as u64);
        self.0.update(bytes);
        self
    }

    pub(crate) fn number(&mut self, number: u64) -> &mut Self {
        self.0.update(number.to_le_bytes());
        self
    }

    pub(crate) fn digest(&mut self, digest: Option<&Digest>) -> &mut Self {
        match digest {
            Some(digest) => {
                self.number(1);
                self.0.update(digest.bytes());
            }
            None => {
                self.number(0);
            }
        }
        self
    }

    pub(crate) fn bytes(&mut self, bytes: &[u8; 32]) -> &mut Self {
        self.0.update(bytes);
        self
    }

    /// A row: its path, and every file that its document was made of. The row of no document has no
    /// digest to speak for it, and then says so.
    pub(crate) fn row(&mut self, row: &Row) -> &mut Self {
        self.text(&row.path);
        self.number(row.inputs().count() as u64);
        for (path, digest) in row.inputs() {
            self.text(path).digest(Some(&digest));
        }
        self
    }

    pub(crate) fn finish(self) -> Key {
        self.0.finalize().into()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn key(texts: &[String]) -> Key {
        let mut canonical = Canonical::new(Sha256::new());
        for text in texts {
            canonical.text(text);
        }
        canonical.finish()
    }

    proptest! {
        #[test]
        fn only_equal_components_have_equal_keys(
            left in proptest::collection::vec("[ab\n\t]{0,3}", 0..4),
            right in proptest::collection::vec("[ab\n\t]{0,3}", 0..4),
        ) {
            prop_assert_eq!(left == right, key(&left) == key(&right));
        }
    }
}
