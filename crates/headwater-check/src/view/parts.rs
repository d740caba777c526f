//! What views are made of: front matter, a body, an end of an edge, a written half.

use headwater_corpus::{Corpus, Digest, Document, Edge, Fact, Identity, Row, Target};
use headwater_taxonomy::model::{Bindings, Direction, Standing};
use markdown::Span;
use markdown::yaml::{Entry, Mapping};

use crate::finding::Place;

/// The front matter of one document, wherever it is kept, without its body.
#[derive(Clone, Copy, Debug)]
pub struct FrontMatter<'v>(&'v Document);

impl<'v> FrontMatter<'v> {
    pub(crate) fn of(row: &'v Row) -> Option<Self> {
        Self::of_document(row.document.as_deref()?)
    }

    pub(crate) fn of_document(document: &'v Document) -> Option<Self> {
        document.front_matter().map(|_| Self(document))
    }

    pub(crate) const fn new(document: &'v Document) -> Self {
        Self(document)
    }

    /// The file that holds it.
    #[must_use]
    pub fn path(&self) -> &'v str {
        self.0.front_matter_path()
    }

    /// Its keys and values as the file spells them.
    #[must_use]
    pub fn entries(&self) -> &'v [Entry] {
        self.0.front_matter().map_or(&[], Mapping::entries)
    }

    /// The entry under a key.
    #[must_use]
    pub fn entry(&self, key: &str) -> Option<&'v Entry> {
        self.0.entry(key)
    }

    /// The value of a facet.
    #[must_use]
    pub fn facet(&self, name: &str) -> Option<Fact<'v>> {
        self.0.facet(name)
    }

    /// The text of a facet whose value is a scalar and no null.
    #[must_use]
    pub fn facet_text(&self, name: &str) -> Option<&'v str> {
        self.0.facet_text(name)
    }

    /// Whether a facet is a scalar of that text, or a list that holds one.
    #[must_use]
    pub fn facet_holds(&self, name: &str, text: &str) -> bool {
        self.0.facet_holds(name, text)
    }

    /// A member of the `provenance` block.
    #[must_use]
    pub fn provenance(&self, key: &str) -> Option<&'v Entry> {
        let block = self.0.entry(headwater_taxonomy::model::PROVENANCE_KEY)?;
        block.value.as_mapping()?.entry(key)
    }

    /// The identifier, or why there is none.
    #[must_use]
    pub fn identity(&self) -> &'v Identity {
        self.0.identity()
    }

    /// How its keys are spelled.
    #[must_use]
    pub fn bindings(&self) -> &'v Bindings {
        self.0.bindings()
    }

    /// Whether a key that holds relations is written: the block, or a bound key.
    #[must_use]
    pub fn writes_relations(&self) -> bool {
        let bound = &self.bindings().relations;
        self.0.relations().is_some()
            || self.entries().iter().any(|entry| bound.contains(&entry.key))
    }

    /// The place of a span of it.
    #[must_use]
    pub fn place(&self, span: Span) -> Place {
        let document = self.0;
        Place::at(
            document.front_matter_path(),
            document.front_matter_source(),
            span,
            document.front_matter_position(span.start),
        )
    }

    /// The place where it opens: the first line of its file.
    #[must_use]
    pub fn start(&self) -> Place {
        let span = self.0.front_matter_span();
        self.place(Span::new(span.start, span.start))
    }
}

/// The body of one document.
#[derive(Clone, Copy, Debug)]
pub struct Body<'v> {
    path: &'v str,
    markdown: &'v markdown::Document,
}

impl<'v> Body<'v> {
    pub(crate) const fn of(path: &'v str, markdown: &'v markdown::Document) -> Self {
        Self { path, markdown }
    }

    /// The parsed Markdown.
    #[must_use]
    pub fn markdown(&self) -> &'v markdown::Document {
        self.markdown
    }

    /// The place of a span of it.
    #[must_use]
    pub fn place(&self, span: Span) -> Place {
        let at = self.markdown.position(span.start);
        Place::at(self.path, self.markdown.source(), span, at)
    }
}

/// A document at an end of an edge, or on a shelf.
#[derive(Clone, Copy, Debug)]
pub struct End<'v> {
    corpus: &'v Corpus,
    row: &'v Row,
}

impl<'v> End<'v> {
    pub(crate) fn of(corpus: &'v Corpus, row: usize) -> Option<Self> {
        corpus.row(row).map(|row| Self { corpus, row })
    }

    /// The path below the repository root.
    #[must_use]
    pub fn path(&self) -> &'v str {
        &self.row.path
    }

    /// The identifier; empty where the document has none.
    #[must_use]
    pub fn id(&self) -> &'v str {
        self.row.identifier().unwrap_or_default()
    }

    /// The kind; empty for a document without one.
    #[must_use]
    pub fn kind(&self) -> &'v str {
        self.corpus.kind(self.row).map_or("", |kind| kind.name.as_str())
    }

    /// Whether a generator wrote it.
    #[must_use]
    pub fn is_generated(&self) -> bool {
        matches!(self.row.outcome, headwater_corpus::Outcome::Generated(_))
    }

    /// How it stands by the state that it writes; none where it writes none of those that there are.
    #[must_use]
    pub const fn standing(&self) -> Option<Standing> {
        self.row.standing
    }

    /// The digest of its bytes.
    #[must_use]
    pub(crate) const fn digest(&self) -> Option<Digest> {
        self.row.digest
    }

    /// Its front matter.
    #[must_use]
    pub fn front_matter(&self) -> Option<FrontMatter<'v>> {
        FrontMatter::of(self.row)
    }

    /// The text of a facet whose value is a scalar and no null.
    #[must_use]
    pub fn facet_text(&self, name: &str) -> Option<&'v str> {
        self.front_matter()?.facet_text(name)
    }

    /// The place of a facet's key, else the file.
    #[must_use]
    pub fn key_place(&self, facet: &str) -> Place {
        let place = self.front_matter().and_then(|matter| {
            let fact = matter.facet(facet)?;
            Some(matter.place(fact.key_span))
        });
        place.unwrap_or_else(|| Place::file(self.path()))
    }
}

/// One written half of an edge.
#[derive(Clone, Copy, Debug)]
pub struct Half<'v> {
    corpus: &'v Corpus,
    edge: &'v Edge,
    row: &'v Row,
}

impl<'v> Half<'v> {
    pub(crate) fn of(corpus: &'v Corpus, edge: usize) -> Option<Self> {
        let edge = corpus.edge(edge)?;
        Some(Self { corpus, edge, row: corpus.row(edge.source)? })
    }

    pub(crate) const fn edge(&self) -> &'v Edge {
        self.edge
    }

    /// The document that wrote it.
    #[must_use]
    pub const fn writer(&self) -> End<'v> {
        End { corpus: self.corpus, row: self.row }
    }

    /// The name that it is written under.
    #[must_use]
    pub fn written(&self) -> &'v str {
        self.corpus.written(self.edge)
    }

    /// Which way that name reads the relation.
    #[must_use]
    pub const fn direction(&self) -> Direction {
        self.edge.direction
    }

    /// The targets as written; more than one only where all of them are meant together.
    #[must_use]
    pub fn targets(&self) -> &'v [Target] {
        &self.edge.targets
    }

    /// The targets as one text for messages.
    #[must_use]
    pub fn target_text(&self) -> String {
        let texts: Vec<&str> =
            self.edge.targets.iter().map(|target| target.text.as_str()).collect();
        texts.join(", ")
    }

    /// The key of a binding that it stands under; none for the `relations` block.
    #[must_use]
    pub fn bound_key(&self) -> Option<&'v str> {
        self.edge.bound_key.as_deref()
    }

    /// The attributes of the entry.
    #[must_use]
    pub fn attributes(&self) -> &'v [Entry] {
        &self.edge.attributes
    }

    /// The place of the entry.
    #[must_use]
    pub fn place(&self) -> Place {
        self.writer()
            .front_matter()
            .map_or_else(|| Place::file(&self.row.path), |matter| matter.place(self.edge.span))
    }
}
