//! One trait for each scope. The trait decides which view a rule is given, and its `NEEDS` which of the
//! further inputs the view hands over; the same declaration puts those inputs into the cache key.
//!
//! `generate` reads the taxonomy once and gives the instance its declarations, so `evaluate` needs
//! nothing but its view. It must not generate an instance that can only pass: coverage counts it as a
//! document that was checked.

use headwater_taxonomy::model::{Kind, Relation, Shelf, Taxonomy};

use crate::about::{About, CLOCK, Grain, PRIOR, Scope};
use crate::finding::Outcome;
use crate::view::{CorpusView, DocumentView, EntryView, NeighbourhoodView, PairView, ShelfView};

/// What a document rule is handed beside the front matter.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct DocumentNeeds {
    /// The body.
    pub body: bool,
    /// What phase A could not make of the relations and the identifier.
    pub phase_a: bool,
    /// The day.
    pub clock: bool,
    /// The version before the change. In a run without a change, and where that version cannot be read,
    /// no rule with this need is asked, and its instance is skipped.
    pub prior: bool,
}

impl DocumentNeeds {
    /// Nothing.
    pub const NONE: Self = Self { body: false, phase_a: false, clock: false, prior: false };

    pub(crate) fn scope(self, outside: bool) -> Scope {
        let flags = [
            (self.body, "body"),
            (self.phase_a, "phase A"),
            (self.clock, CLOCK),
            (self.prior, PRIOR),
            (outside, "files outside the corpus"),
        ];
        Scope::new(Grain::Document, &flags)
    }
}

/// Makes a document rule for the files outside the corpus that a language regime lists, by the name of
/// the regime; none where it asks nothing of them.
pub type Outside<R> = fn(&Taxonomy, &str) -> Option<R>;

/// A rule over one document of a kind.
pub trait DocumentRule: Sized + Send + Sync + 'static {
    /// What is known about it.
    const ABOUT: About;
    /// What it is handed.
    const NEEDS: DocumentNeeds = DocumentNeeds::NONE;
    /// For a rule that also reads the files outside the corpus that language regimes list.
    const OUTSIDE: Option<Outside<Self>> = None;
    /// Whether an instance counts as having checked its document. A rule over every typed document
    /// does not, or no document would ever be found unchecked.
    const ROUTES: bool = true;

    /// The rule for documents of a kind; none where it asks nothing of them.
    fn generate(taxonomy: &Taxonomy, kind: &Kind) -> Option<Self>;

    /// Whether it asks anything of the document at a path. Where it does not, there is no instance.
    fn selects(&self, _path: &str) -> bool {
        true
    }

    /// What of its declarations it passes over, and why, for reports.
    fn note(&self) -> Option<String> {
        None
    }

    /// Why it asks nothing of any document after all, where its declarations are none that it knows. Its
    /// instances are counted and skipped for that reason, and none is asked.
    fn abstains(&self) -> Option<String> {
        None
    }

    /// Judges one document.
    fn evaluate(&self, view: &DocumentView<'_>) -> Outcome;
}

/// What an entry rule is handed beside the half.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct EntryNeeds {
    /// The present revision of a target that is no document.
    pub revision: bool,
    /// The version of the writer before the change, and what the change says of the edge. A rule with
    /// this need is asked in a run without a change too.
    pub prior: bool,
}

impl EntryNeeds {
    /// Nothing.
    pub const NONE: Self = Self { revision: false, prior: false };

    pub(crate) fn scope(self) -> Scope {
        let flags = [(self.revision, "revision"), (self.prior, "prior version of the writer")];
        Scope::new(Grain::Entry, &flags)
    }
}

/// A rule over one written half of an edge of a relation.
pub trait EntryRule: Sized + Send + Sync + 'static {
    /// What is known about it.
    const ABOUT: About;
    /// What it is handed.
    const NEEDS: EntryNeeds = EntryNeeds::NONE;

    /// The rule for a relation; none where it asks nothing of its edges.
    fn generate(taxonomy: &Taxonomy, relation: &Relation) -> Option<Self>;

    /// Judges one half.
    fn evaluate(&self, view: &EntryView<'_>) -> Outcome;
}

/// What a pair rule is handed beside the two ends.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct PairNeeds {
    /// The committed observations.
    pub observations: bool,
    /// What each end is related to, by identity.
    pub relatives: bool,
}

impl PairNeeds {
    /// Nothing.
    pub const NONE: Self = Self { observations: false, relatives: false };

    pub(crate) fn scope(self) -> Scope {
        let flags =
            [(self.observations, "observations"), (self.relatives, "relatives of both ends")];
        Scope::new(Grain::Pair, &flags)
    }
}

/// A rule over an edge of a relation between two documents.
pub trait PairRule: Sized + Send + Sync + 'static {
    /// What is known about it.
    const ABOUT: About;
    /// What it is handed.
    const NEEDS: PairNeeds = PairNeeds::NONE;

    /// The rule for a relation; none where it asks nothing of its edges.
    fn generate(taxonomy: &Taxonomy, relation: &Relation) -> Option<Self>;

    /// Judges one edge.
    fn evaluate(&self, view: &PairView<'_>) -> Outcome;
}

/// What a neighbourhood rule is handed beside the document and its neighbours.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct NeighbourhoodNeeds {
    /// The day.
    pub clock: bool,
}

impl NeighbourhoodNeeds {
    /// Nothing.
    pub const NONE: Self = Self { clock: false };

    pub(crate) fn scope(self) -> Scope {
        Scope::new(Grain::Neighbourhood, &[(self.clock, CLOCK)])
    }
}

/// A rule over a document of a kind and what it is directly related to.
pub trait NeighbourhoodRule: Sized + Send + Sync + 'static {
    /// What is known about it.
    const ABOUT: About;
    /// What it is handed.
    const NEEDS: NeighbourhoodNeeds = NeighbourhoodNeeds::NONE;

    /// The rule for documents of a kind; none where it asks nothing of them.
    fn generate(taxonomy: &Taxonomy, kind: &Kind) -> Option<Self>;

    /// Judges one document and its neighbours.
    fn evaluate(&self, view: &NeighbourhoodView<'_>) -> Outcome;
}

/// A rule over the documents of one shelf.
pub trait ShelfRule: Sized + Send + Sync + 'static {
    /// What is known about it.
    const ABOUT: About;

    /// The rule for a shelf; none where it asks nothing of its documents.
    fn generate(taxonomy: &Taxonomy, shelf: &Shelf) -> Option<Self>;

    /// Judges one shelf.
    fn evaluate(&self, view: &ShelfView<'_>) -> Outcome;
}

pub(crate) fn shelf_scope() -> Scope {
    Scope::new(Grain::Shelf, &[])
}

/// What a corpus rule is handed beside the documents.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct CorpusNeeds {
    /// Which identifiers are claimed twice, and where kind resolution stopped.
    pub phase_a: bool,
    /// The edges.
    pub graph: bool,
    /// The links of prose, and the anchors they may lead to.
    pub links: bool,
    /// The identifier claim store.
    pub claims: bool,
    /// The citations by line number, and the files that they cite.
    pub citations: bool,
    /// Which generated documents no projection writes.
    pub orphans: bool,
    /// The documents that the change took away. In a run without a change no rule with this need is
    /// asked, and its instance is skipped.
    pub prior: bool,
}

impl CorpusNeeds {
    /// Nothing.
    pub const NONE: Self = Self {
        phase_a: false,
        graph: false,
        links: false,
        claims: false,
        citations: false,
        orphans: false,
        prior: false,
    };

    pub(crate) fn scope(self) -> Scope {
        let flags = [
            (self.phase_a, "phase A"),
            (self.graph, "graph"),
            (self.links, "links"),
            (self.claims, "claims"),
            (self.citations, "citations"),
            (self.orphans, "orphans"),
            (self.prior, PRIOR),
        ];
        Scope::new(Grain::Corpus, &flags)
    }
}

/// A rule over every document. One instance at most.
pub trait CorpusRule: Sized + Send + Sync + 'static {
    /// What is known about it.
    const ABOUT: About;
    /// What it is handed.
    const NEEDS: CorpusNeeds = CorpusNeeds::NONE;

    /// The rule; none where the taxonomy gives it nothing to ask.
    fn generate(taxonomy: &Taxonomy) -> Option<Self>;

    /// Judges the corpus.
    fn evaluate(&self, view: &CorpusView<'_>) -> Outcome;

    /// How many things it compared, for a rule whose silence over none would look like agreement.
    fn compared(&self, _: &CorpusView<'_>) -> Option<usize> {
        None
    }
}
