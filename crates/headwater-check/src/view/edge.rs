//! The views of edge rules: one written half, or an edge between two documents with both its halves.

use headwater_corpus::{Anchor, Binding, Class, Corpus, Pair, Revision, Unbound as Why};

use crate::change::{Change, Prior, Stated};
use crate::observations::Observations;
use crate::rule::{EntryNeeds, PairNeeds};
use crate::verification::Verification;
use crate::view::{End, Half};

/// What a half names.
#[derive(Clone, Copy, Debug)]
pub enum EntryTarget<'v> {
    /// A document.
    Document(End<'v>),
    /// Something that is no document.
    Anchor(&'v Anchor),
    /// Something that an export keeps back.
    Withheld,
    /// Nothing.
    Unbound(Unbound<'v>),
}

/// Why a half names nothing.
#[derive(Clone, Copy, Debug)]
pub enum Unbound<'v> {
    /// Nothing carries the text: each resolver and what it said.
    NoSuchTarget(&'v [(String, String)]),
    /// A document that has no kind carries it.
    NotTyped {
        /// Its path.
        path: &'v str,
        /// What it came to in the census.
        class: Class,
    },
    /// The resolver of an anchor kind is not in this run: the anchor kind, the resolver, and why where
    /// that is known.
    NoResolver(&'v str, &'v str, Option<&'v str>),
    /// The resolver of the only anchor kinds that may stand there refuses it: the anchor kind, the
    /// resolver and what it said.
    Refused(&'v str, &'v str, &'v str),
    /// Several anchor kinds claim it.
    Ambiguous(&'v [String]),
    /// It is the path of this document, which has an identifier.
    ByPath(End<'v>),
}

/// One written half of an edge.
#[derive(Debug)]
pub struct EntryView<'v> {
    corpus: &'v Corpus,
    half: Half<'v>,
    needs: EntryNeeds,
    change: Option<&'v Change<'v>>,
}

impl<'v> EntryView<'v> {
    pub(crate) fn of(
        corpus: &'v Corpus,
        edge: usize,
        needs: EntryNeeds,
        change: Option<&'v Change<'v>>,
    ) -> Option<Self> {
        Half::of(corpus, edge).map(|half| Self { corpus, half, needs, change })
    }

    /// The present revision of a target that is no document, for a rule that needs it.
    #[must_use]
    pub fn revision(&self) -> Option<&'v Revision> {
        let anchor = self.half.edge().anchor().filter(|_| self.needs.revision)?;
        Some(self.corpus.revision(anchor))
    }

    /// The version of the writer before the change, for a rule that needs it; none in a run without a
    /// change, and where that version cannot be read.
    #[must_use]
    pub fn prior(&self) -> Option<Prior<'v>> {
        self.change.filter(|_| self.needs.prior)?.prior(self.half.edge().source).ok()
    }

    /// What the change says of the edge, for a rule that needs the version of the writer before it; none
    /// in a run without a change.
    #[must_use]
    pub fn stated(&self) -> Option<Stated> {
        let edge = self.half.edge();
        let change = self.change.filter(|_| self.needs.prior)?;
        Some(change.stated(self.corpus.row(edge.source)?, edge))
    }

    /// The half.
    #[must_use]
    pub const fn half(&self) -> Half<'v> {
        self.half
    }

    /// What it names.
    #[must_use]
    pub fn target(&self) -> EntryTarget<'v> {
        let end = |row: usize| End::of(self.corpus, row);
        let nothing = EntryTarget::Unbound(Unbound::NoSuchTarget(&[]));
        match &self.half.edge().binding {
            Binding::Document(row) => end(*row).map_or(nothing, EntryTarget::Document),
            Binding::Anchor(anchor) => EntryTarget::Anchor(anchor),
            Binding::Withheld { .. } => EntryTarget::Withheld,
            Binding::Unbound(why) => EntryTarget::Unbound(match &**why {
                Why::NoSuchTarget(said) => Unbound::NoSuchTarget(said),
                Why::NotTyped(row) => match self.corpus.row(*row) {
                    Some(row) => Unbound::NotTyped { path: &row.path, class: row.class() },
                    None => Unbound::NoSuchTarget(&[]),
                },
                Why::NoResolver { anchor, resolver, why } => {
                    Unbound::NoResolver(anchor, resolver, why.as_deref())
                }
                Why::AnchorUnresolved { anchor, resolver, reason } => {
                    Unbound::Refused(anchor, resolver, reason)
                }
                Why::AmbiguousAnchor(kinds) => Unbound::Ambiguous(kinds),
                Why::DocumentByPath(row) => {
                    end(*row).map_or(Unbound::NoSuchTarget(&[]), Unbound::ByPath)
                }
            }),
        }
    }
}

/// What each document is related to: the identities of the far ends of its edges, whoever wrote them,
/// sorted, each once.
#[derive(Debug, Default)]
pub(crate) struct Relatives(Vec<Vec<String>>);

impl Relatives {
    /// Linear in the edges but for the sort.
    pub(crate) fn of(corpus: &Corpus) -> Self {
        let mut all = vec![Vec::new(); corpus.rows().len()];
        let mut add = |at: usize, identity: String| {
            if let Some(list) = all.get_mut(at) {
                list.push(identity);
            }
        };
        for edge in corpus.edges() {
            match (&edge.binding, edge.document()) {
                (_, Some(target)) => {
                    let path =
                        |row: usize| corpus.row(row).map(|row| format!("document {}", row.path));
                    if let (Some(source), Some(far)) = (path(edge.source), path(target))
                        && edge.source != target
                    {
                        add(edge.source, far);
                        add(target, source);
                    }
                }
                (Binding::Anchor(anchor), _) => {
                    add(edge.source, format!("{} {}", anchor.kind, anchor.identity));
                }
                _ => {}
            }
        }
        for list in &mut all {
            list.sort_unstable();
            list.dedup();
        }
        Self(all)
    }

    pub(crate) fn get(&self, row: usize) -> &[String] {
        self.0.get(row).map_or(&[], Vec::as_slice)
    }
}

/// An edge between two documents.
#[derive(Debug)]
pub struct PairView<'v> {
    corpus: &'v Corpus,
    pair: &'v Pair,
    from: End<'v>,
    to: End<'v>,
    needs: PairNeeds,
    observations: &'v Observations,
    relatives: &'v Relatives,
}

impl<'v> PairView<'v> {
    pub(crate) fn of(
        corpus: &'v Corpus,
        pair: &'v Pair,
        needs: PairNeeds,
        observations: &'v Observations,
        relatives: &'v Relatives,
    ) -> Option<Self> {
        let (from, to) = (End::of(corpus, pair.from)?, End::of(corpus, pair.to)?);
        Some(Self { corpus, pair, from, to, needs, observations, relatives })
    }

    /// The source end, in the declared direction.
    #[must_use]
    pub const fn from(&self) -> End<'v> {
        self.from
    }

    /// The target end, in the declared direction.
    #[must_use]
    pub const fn to(&self) -> End<'v> {
        self.to
    }

    /// Whether both ends are one document.
    #[must_use]
    pub fn is_loop(&self) -> bool {
        self.pair.from == self.pair.to
    }

    /// The half written under the relation's name.
    #[must_use]
    pub fn declared(&self) -> Option<Half<'v>> {
        Half::of(self.corpus, self.pair.declared?)
    }

    /// The half written under the inverse.
    #[must_use]
    pub fn inverse(&self) -> Option<Half<'v>> {
        Half::of(self.corpus, self.pair.inverse?)
    }

    /// The halves that are written, the declared one first.
    pub fn halves(&self) -> impl Iterator<Item = Half<'v>> {
        self.declared().into_iter().chain(self.inverse())
    }

    /// The half that findings stand at.
    #[must_use]
    pub fn half(&self) -> Option<Half<'v>> {
        self.halves().next()
    }

    /// How far the target end bears out the source end, for a rule that needs observations.
    #[must_use]
    pub fn verification(&self) -> Option<Verification<'v>> {
        let state = || Verification::of(self.observations, self.to.id(), self.from.digest());
        self.needs.observations.then(state)
    }

    /// How many marks both ends bear, up to `most`: the values that they share of the facets `closed`,
    /// the documents and anchors that both are related to, and their shelf. None for a rule that does
    /// not need relatives.
    ///
    /// Of the relatives the shorter list is looked up in the longer one, so that a hub of a thousand
    /// edges is not walked once for each of them.
    #[must_use]
    pub fn shared_marks(&self, closed: &[String], most: usize) -> Option<usize> {
        if !self.needs.relatives {
            return None;
        }
        let shelf = |row: usize| self.corpus.row(row).and_then(|row| self.corpus.shelf(row));
        let shelves = (shelf(self.pair.from), shelf(self.pair.to));
        let one_shelf = matches!(shelves, (Some(a), Some(b)) if a.name == b.name);
        let values = closed.iter().map(|facet| self.shared_values(facet)).sum::<usize>();
        let (from, to) = (self.relatives.get(self.pair.from), self.relatives.get(self.pair.to));
        let (short, long) = if from.len() <= to.len() { (from, to) } else { (to, from) };
        let shared = short.iter().filter(|item| long.binary_search(item).is_ok()).take(most);
        Some((usize::from(one_shelf) + values + shared.count()).min(most))
    }

    fn shared_values(&self, facet: &str) -> usize {
        let ends = (self.from.front_matter(), self.to.front_matter());
        let (Some(from), Some(to)) = ends else { return 0 };
        let Some(fact) = from.facet(facet) else { return 0 };
        let items = fact.value.as_list().unwrap_or(std::slice::from_ref(fact.value));
        items
            .iter()
            .filter_map(|item| item.text())
            .filter(|text| to.facet_holds(facet, text))
            .count()
    }
}
