//! The view of a document rule: one document.

use std::cell::OnceCell;

use headwater_corpus::{Corpus, Document, OutsideFile, Problem};
use headwater_taxonomy::model::Role;

use crate::change::Prior;
use crate::date::Date;
use crate::finding::Place;
use crate::rule::DocumentNeeds;
use crate::view::{Body, FrontMatter, Prose};

/// What the views of one document share: everything that any rule may be handed of it.
#[derive(Debug)]
pub(crate) struct Shown<'v> {
    corpus: &'v Corpus,
    document: &'v Document,
    /// The same document, to be parsed for as long as it is judged.
    markdown: &'v markdown::Document,
    origin: Origin<'v>,
    now: Date,
    prose: OnceCell<Prose<'v>>,
}

/// What a document is of.
#[derive(Clone, Copy, Debug)]
enum Origin<'v> {
    /// The corpus: its row.
    Row(usize),
    /// A language regime that lists it, outside the corpus.
    Regime(&'v str),
}

impl<'v> Shown<'v> {
    /// None for a row that has no document with front matter. `markdown` is that document, to be parsed
    /// for as long as the row is judged.
    pub(crate) fn row(
        corpus: &'v Corpus,
        at: usize,
        markdown: &'v markdown::Document,
        now: Date,
    ) -> Option<Self> {
        let document = corpus.row(at)?.document.as_deref()?;
        document.front_matter()?;
        let (origin, prose) = (Origin::Row(at), OnceCell::new());
        Some(Self { corpus, document, markdown, origin, now, prose })
    }

    /// A file outside the corpus.
    pub(crate) fn outside(corpus: &'v Corpus, file: &'v OutsideFile, now: Date) -> Self {
        let (origin, prose) = (Origin::Regime(&file.regime), OnceCell::new());
        let (document, markdown) = (&*file.document, file.document.markdown());
        Self { corpus, document, markdown, origin, now, prose }
    }
}

/// One document.
#[derive(Clone, Copy, Debug)]
pub struct DocumentView<'v> {
    shown: &'v Shown<'v>,
    needs: DocumentNeeds,
    prior: Option<Prior<'v>>,
}

impl<'v> DocumentView<'v> {
    pub(crate) const fn of(
        shown: &'v Shown<'v>,
        needs: DocumentNeeds,
        prior: Option<Prior<'v>>,
    ) -> Self {
        Self { shown, needs, prior }
    }

    fn row(&self) -> Option<&'v headwater_corpus::Row> {
        match self.shown.origin {
            Origin::Row(at) => self.shown.corpus.row(at),
            Origin::Regime(_) => None,
        }
    }

    /// The path below the repository root.
    #[must_use]
    pub fn path(&self) -> &'v str {
        self.shown.document.path()
    }

    /// The kind; empty for a file outside the corpus.
    #[must_use]
    pub fn kind(&self) -> &'v str {
        let kind = self.row().and_then(|row| self.shown.corpus.kind(row));
        kind.map_or("", |kind| kind.name.as_str())
    }

    /// The shelf whose place alone decided the kind; none where a discriminator did.
    #[must_use]
    pub fn shelf(&self) -> Option<&'v str> {
        let shelf = self.shown.corpus.shelf(self.row()?).filter(|shelf| shelf.homogeneous)?;
        Some(&shelf.name)
    }

    /// The language regime that lists it, for a file outside the corpus.
    #[must_use]
    pub const fn regime(&self) -> Option<&'v str> {
        match self.shown.origin {
            Origin::Row(_) => None,
            Origin::Regime(name) => Some(name),
        }
    }

    /// The front matter. A file outside the corpus need not have any, and then it holds nothing.
    #[must_use]
    pub const fn front_matter(&self) -> FrontMatter<'v> {
        FrontMatter::new(self.shown.document)
    }

    /// The body, for a rule that needs it.
    #[must_use]
    pub fn body(&self) -> Option<Body<'v>> {
        self.needs.body.then(|| Body::of(self.path(), self.shown.markdown))
    }

    /// The sentences of the body and of the facet in the scent role, for a rule that needs the body.
    /// They are made by the first rule that asks.
    #[must_use]
    pub fn prose(&self) -> Option<&'v Prose<'v>> {
        let scent = || self.shown.corpus.taxonomy().facet_with_role(Role::Scent);
        let Shown { document, markdown, .. } = *self.shown;
        let prose = || Prose::of(document, markdown, scent().map(|facet| facet.name.as_str()));
        self.needs.body.then(|| self.shown.prose.get_or_init(prose))
    }

    /// What of the relations is no edge, for a rule that needs phase A.
    #[must_use]
    pub fn problems(&self) -> Option<&'v [Problem]> {
        match self.shown.origin {
            Origin::Row(at) => self.needs.phase_a.then(|| self.shown.corpus.problems_of(at)),
            Origin::Regime(_) => None,
        }
    }

    /// The day, for a rule that needs the clock.
    #[must_use]
    pub fn now(&self) -> Option<Date> {
        self.needs.clock.then_some(self.shown.now)
    }

    /// The version before the change, for a rule that needs it.
    #[must_use]
    pub fn prior(&self) -> Option<Prior<'v>> {
        self.prior.filter(|_| self.needs.prior)
    }

    /// The file as a whole.
    #[must_use]
    pub fn file(&self) -> Place {
        Place::file(self.path())
    }
}
