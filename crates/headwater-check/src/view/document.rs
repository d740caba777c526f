//! The view of a document rule: one document.

use headwater_corpus::{Corpus, Document, Problem, Row};

use crate::date::Date;
use crate::finding::Place;
use crate::rule::DocumentNeeds;
use crate::view::{Body, FrontMatter};

/// One document.
#[derive(Debug)]
pub struct DocumentView<'v> {
    corpus: &'v Corpus,
    at: usize,
    row: &'v Row,
    document: &'v Document,
    matter: FrontMatter<'v>,
    needs: DocumentNeeds,
    now: Date,
}

impl<'v> DocumentView<'v> {
    /// None for a row that has no document with front matter.
    pub(crate) fn of(
        corpus: &'v Corpus,
        at: usize,
        needs: DocumentNeeds,
        now: Date,
    ) -> Option<Self> {
        let row = corpus.row(at)?;
        let document = row.document.as_deref()?;
        let matter = FrontMatter::of(row)?;
        Some(Self { corpus, at, row, document, matter, needs, now })
    }

    /// The path below the repository root.
    #[must_use]
    pub fn path(&self) -> &'v str {
        &self.row.path
    }

    /// The kind.
    #[must_use]
    pub fn kind(&self) -> &'v str {
        self.corpus.kind(self.row).map_or("", |kind| kind.name.as_str())
    }

    /// The shelf whose place alone decided the kind; none where a discriminator did.
    #[must_use]
    pub fn shelf(&self) -> Option<&'v str> {
        let shelf = self.corpus.shelf(self.row).filter(|shelf| shelf.homogeneous)?;
        Some(&shelf.name)
    }

    /// The front matter.
    #[must_use]
    pub const fn front_matter(&self) -> FrontMatter<'v> {
        self.matter
    }

    /// The body, for a rule that needs it.
    #[must_use]
    pub fn body(&self) -> Option<Body<'v>> {
        self.needs.body.then(|| Body::of(self.document))
    }

    /// What of the relations is no edge, for a rule that needs phase A.
    #[must_use]
    pub fn problems(&self) -> Option<&'v [Problem]> {
        self.needs.phase_a.then(|| self.corpus.problems_of(self.at))
    }

    /// The day, for a rule that needs the clock.
    #[must_use]
    pub fn now(&self) -> Option<Date> {
        self.needs.clock.then_some(self.now)
    }

    /// The file as a whole.
    #[must_use]
    pub fn file(&self) -> Place {
        Place::file(self.path())
    }
}
