//! The view of a shelf rule: the documents of one shelf, and nothing beside them.

use headwater_corpus::Corpus;

use crate::view::End;

/// The typed documents of one shelf.
#[derive(Debug)]
pub struct ShelfView<'v> {
    corpus: &'v Corpus,
    name: &'v str,
    rows: &'v [usize],
}

impl<'v> ShelfView<'v> {
    pub(crate) const fn of(corpus: &'v Corpus, name: &'v str, rows: &'v [usize]) -> Self {
        Self { corpus, name, rows }
    }

    /// The name of the shelf.
    #[must_use]
    pub const fn name(&self) -> &'v str {
        self.name
    }

    /// Its documents, in path order.
    pub fn documents(&self) -> impl Iterator<Item = End<'v>> {
        self.rows.iter().filter_map(|&row| End::of(self.corpus, row))
    }
}
