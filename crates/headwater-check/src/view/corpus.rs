//! The view of a corpus rule: every document, and by need the graph, the links, the claim store, and
//! what phase A stopped at.

use std::sync::OnceLock;

use headwater_corpus::{
    Claims, Class, Corpus, LinkTarget, Outcome, Row, Stop, Untyped, percent_decoded,
};

use rayon::prelude::*;

use crate::change::Change;
use crate::finding::Place;
use crate::rule::CorpusNeeds;
use crate::view::{Citations, End, FrontMatter, Half, LinkFact, QuotedCitation, Seen};

/// The links of a corpus, and what they lead to.
#[derive(Debug, Default)]
pub(crate) struct Linked<'e> {
    /// What rules see of each row.
    pub seen: Vec<Seen<'e>>,
    targets: OnceLock<Vec<Vec<LinkTarget>>>,
}

impl<'e> Linked<'e> {
    pub(crate) const fn of(seen: Vec<Seen<'e>>) -> Self {
        Self { seen, targets: OnceLock::new() }
    }

    /// Where each link of each row leads; asked by the first call, on this thread alone, since who else
    /// asks meanwhile waits.
    pub(crate) fn targets(&self, corpus: &Corpus) -> &[Vec<LinkTarget>] {
        let rows = || corpus.rows().iter().zip(&self.seen);
        self.targets.get_or_init(|| rows().map(|(row, seen)| follow(corpus, row, seen)).collect())
    }

    /// The same, asked on all threads; nobody else may ask meanwhile.
    pub(crate) fn follow(&self, corpus: &Corpus) -> &[Vec<LinkTarget>] {
        let rows = corpus.rows().par_iter().zip(&self.seen);
        let targets = rows.map(|(row, seen)| follow(corpus, row, seen)).collect();
        self.targets.get_or_init(|| targets)
    }
}

/// Where each link of a row leads.
pub(crate) fn follow(corpus: &Corpus, row: &Row, seen: &Seen<'_>) -> Vec<LinkTarget> {
    seen.extract.links().map(|link| corpus.follow(&row.path, link.destination)).collect()
}

/// One link of prose and what it leads to.
#[derive(Clone, Copy, Debug)]
pub struct BoundLink<'v> {
    corpus: &'v Corpus,
    linked: &'v Linked<'v>,
    row: usize,
    fact: LinkFact<'v>,
    target: &'v LinkTarget,
}

impl<'v> BoundLink<'v> {
    /// The path of the document that it stands in.
    #[must_use]
    pub fn path(&self) -> &'v str {
        self.corpus.row(self.row).map_or("", |row| row.path.as_str())
    }

    /// What its document says.
    #[must_use]
    pub const fn fact(&self) -> LinkFact<'v> {
        self.fact
    }

    /// What it leads to.
    #[must_use]
    pub const fn target(&self) -> &'v LinkTarget {
        self.target
    }

    /// Where it starts.
    #[must_use]
    pub fn place(&self) -> Place {
        let (line, column, width) = self.fact.at;
        Place { path: self.path().to_owned(), line, column, width }
    }

    /// The part after the first `#`, where it is not empty.
    #[must_use]
    pub fn fragment(&self) -> Option<&'v str> {
        let (_, fragment) = self.fact.destination.split_once('#')?;
        (!fragment.is_empty()).then_some(fragment)
    }

    /// The document that it leads to: of the corpus, and parsed.
    #[must_use]
    pub fn document(&self) -> Option<End<'v>> {
        let row = self.target_row()?;
        self.corpus.row(row)?.document.as_ref()?;
        End::of(self.corpus, row)
    }

    fn target_row(&self) -> Option<usize> {
        match self.target {
            LinkTarget::SameDocument => Some(self.row),
            LinkTarget::Corpus(row) => Some(*row),
            _ => None,
        }
    }

    /// Whether its fragment is a heading anchor of the document that it leads to, as written or
    /// percent-decoded once. None where there is none to look for.
    #[must_use]
    pub fn reaches_anchor(&self) -> Option<bool> {
        let (fragment, reached) = self.sought()?;
        let decoded = || percent_decoded(fragment);
        let has_anchor = |fragment: &str| reached.extract.has_anchor(fragment);
        Some(has_anchor(fragment) || decoded().is_some_and(|fragment| has_anchor(&fragment)))
    }

    /// Whether there is an anchor to look for: it has a fragment, and what it leads to was parsed.
    #[must_use]
    pub fn seeks_anchor(&self) -> bool {
        self.sought().is_some()
    }

    /// Its fragment, and what is seen of the document that it leads to.
    fn sought(&self) -> Option<(&'v str, &'v Seen<'v>)> {
        let fragment = self.fragment()?;
        let row = self.target_row()?;
        self.corpus.row(row)?.document.as_deref()?.front_matter()?;
        Some((fragment, self.linked.seen.get(row)?))
    }
}

/// A document that a change took away.
#[derive(Clone, Copy, Debug)]
pub struct Departed<'v> {
    /// The path below the repository root that it stood at.
    pub path: &'v str,
    /// The name of its kind, where it had one, and its front matter; else why that cannot be read.
    pub stood: Result<(Option<&'v str>, FrontMatter<'v>), &'v str>,
}

/// Every document.
#[derive(Debug)]
pub struct CorpusView<'v> {
    corpus: &'v Corpus,
    needs: CorpusNeeds,
    linked: &'v Linked<'v>,
    citations: &'v Citations<'v>,
    change: Option<&'v Change<'v>>,
}

impl<'v> CorpusView<'v> {
    pub(crate) const fn of(
        corpus: &'v Corpus,
        needs: CorpusNeeds,
        linked: &'v Linked<'v>,
        citations: &'v Citations<'v>,
        change: Option<&'v Change<'v>>,
    ) -> Self {
        Self { corpus, needs, linked, citations, change }
    }

    /// The documents that stood before the change and that no file of the census holds, in path order.
    /// For a rule that needs the versions before it.
    pub fn departed(&self) -> impl Iterator<Item = Departed<'v>> {
        let corpus = self.corpus;
        let gone = self.change.filter(|_| self.needs.prior).map_or(&[][..], |change| &change.gone);
        gone.iter().map(move |gone| Departed {
            path: &gone.path,
            stood: gone.version.as_ref().map_err(String::as_str).and_then(|version| {
                // What a change took away had front matter, or it would not be here.
                let matter = version.front_matter().ok_or("it had no front matter")?;
                Ok((version.kind(corpus, &gone.path), matter))
            }),
        })
    }

    /// The documents that have a kind, in path order.
    pub fn nodes(&self) -> impl Iterator<Item = End<'v>> {
        let corpus = self.corpus;
        corpus.nodes().filter_map(move |(at, _)| End::of(corpus, at))
    }

    /// The document at a path.
    #[must_use]
    pub fn at(&self, path: &str) -> Option<End<'v>> {
        End::of(self.corpus, self.corpus.row_at(path)?)
    }

    /// The document that has a kind and carries an identifier; of several the first in path order.
    #[must_use]
    pub fn holder(&self, identifier: &str) -> Option<End<'v>> {
        End::of(self.corpus, self.corpus.node(identifier)?)
    }

    /// The documents that write one identifier, two by two: the first claimant and a later one. For a
    /// rule that needs phase A.
    #[must_use]
    pub fn collisions(&self) -> Option<Vec<(End<'v>, End<'v>)>> {
        self.needs.phase_a.then(|| {
            let all = self.corpus.collisions().iter();
            all.filter_map(|at| {
                Some((End::of(self.corpus, at.first)?, End::of(self.corpus, at.later)?))
            })
            .collect()
        })
    }

    /// The documents whose kind a discriminator was to tell, and why it did not. For a rule that needs
    /// phase A.
    #[must_use]
    pub fn stops(&self) -> Option<Vec<(FrontMatter<'v>, &'v Stop)>> {
        let stop = |row: &'v Row| match &row.outcome {
            Outcome::Untyped(Untyped::Stopped(stop)) => Some((FrontMatter::of(row)?, stop)),
            _ => None,
        };
        self.needs.phase_a.then(|| self.corpus.rows().iter().filter_map(stop).collect())
    }

    /// The links, in path order of their documents, then in place order. For a rule that needs links.
    pub fn links(&self) -> impl Iterator<Item = BoundLink<'v>> {
        let (corpus, linked) = (self.corpus, self.linked);
        let targets = if self.needs.links { linked.targets(corpus) } else { &[] };
        linked.seen.iter().zip(targets).enumerate().flat_map(move |(row, (seen, targets))| {
            let each = seen.extract.links().zip(targets);
            each.map(move |(fact, target)| BoundLink { corpus, linked, row, fact, target })
        })
    }

    /// The quotations that have a citation by line number beside them, in path order, then in place
    /// order. For a rule that needs citations.
    pub fn citations(&self) -> impl Iterator<Item = QuotedCitation<'v>> {
        let shown = self.needs.citations;
        self.citations.quoted(self.corpus).filter(move |_| shown)
    }

    /// The generated documents that a declared projection writes, in path order. For a rule that needs
    /// orphans.
    #[must_use]
    pub fn projected(&self) -> Option<Vec<End<'v>>> {
        self.needs.orphans.then(|| {
            let orphans = self.corpus.orphans();
            let written = |end: &End<'v>| end.is_generated() && !orphans.contains(end.path());
            self.nodes().filter(written).collect()
        })
    }

    /// The path of every file of the census, in path order. For a rule that needs links.
    pub fn paths(&self) -> impl Iterator<Item = &'v str> {
        let shown = self.needs.links;
        let files = self.corpus.rows().iter().filter(move |_| shown);
        files.filter(|row| row.class() != Class::Unwalkable).map(|row| row.path.as_str())
    }

    /// The claim store, for a rule that needs claims.
    #[must_use]
    pub fn claims(&self) -> Option<&'v Claims> {
        self.needs.claims.then(|| self.corpus.claims())
    }

    /// The edges of a relation between two documents, each once: the source, the target, and the half
    /// that findings stand at. For a rule that needs the graph.
    #[must_use]
    pub fn edges(&self, relation: &str) -> Option<Vec<(End<'v>, End<'v>, Half<'v>)>> {
        self.needs.graph.then(|| {
            let pairs = self.corpus.pairs().iter().filter(|pair| {
                self.corpus.relation_of(pair).is_some_and(|held| held.name == relation)
            });
            pairs
                .filter_map(|pair| {
                    let (from, to) =
                        (End::of(self.corpus, pair.from)?, End::of(self.corpus, pair.to)?);
                    Some((from, to, Half::of(self.corpus, pair.half()?)?))
                })
                .collect()
        })
    }
}
