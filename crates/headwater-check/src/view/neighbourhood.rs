//! The view of a neighbourhood rule: a document and what it is directly related to.

use std::collections::HashMap;
use std::collections::hash_map::Entry;

use headwater_corpus::{Binding, Corpus};
use headwater_taxonomy::model::{Direction, End as Side};

use crate::date::Date;
use crate::finding::Place;
use crate::rule::NeighbourhoodNeeds;
use crate::view::{FrontMatter, Half};

/// Something that a document is related to. It shows no front matter.
#[derive(Clone, Copy, Debug)]
pub struct Neighbour<'v> {
    corpus: &'v Corpus,
    half: Half<'v>,
    side: Side,
    far: Option<usize>,
}

impl<'v> Neighbour<'v> {
    /// The relation.
    #[must_use]
    pub fn relation(&self) -> &'v str {
        self.corpus.relation(self.half.edge()).map_or("", |relation| relation.name.as_str())
    }

    /// The end of the relation at which the centre stands.
    #[must_use]
    pub const fn centre_is(&self) -> Side {
        self.side
    }

    /// The path; none for what is no document.
    #[must_use]
    pub fn path(&self) -> Option<&'v str> {
        self.corpus.row(self.far?).map(|row| row.path.as_str())
    }

    /// The kind, or the anchor kind.
    #[must_use]
    pub fn kind(&self) -> &'v str {
        let document = self.far.and_then(|far| self.corpus.kind(self.corpus.row(far)?));
        match (document, self.half.edge().anchor()) {
            (Some(kind), _) => &kind.name,
            (None, Some(anchor)) => &anchor.kind,
            (None, None) => "",
        }
    }

    /// The identifier, or the identity of an anchor.
    #[must_use]
    pub fn id(&self) -> &'v str {
        let document = self.far.and_then(|far| self.corpus.row(far)?.identifier());
        match (document, self.half.edge().anchor()) {
            (Some(id), _) => id,
            (None, Some(anchor)) => &anchor.identity,
            (None, None) => "",
        }
    }

    /// The place of the half that says so: of the declared one where both are written.
    #[must_use]
    pub fn place(&self) -> Place {
        self.half.place()
    }

    /// The row of the document, the edge, and which side the centre is: what keys are made of.
    pub(crate) const fn parts(&self) -> (Option<usize>, Half<'v>, Side) {
        (self.far, self.half, self.side)
    }
}

/// The neighbours of a row: each relation, side and far end once, in the order of the edges.
pub(crate) fn neighbours(corpus: &Corpus, centre: usize) -> Vec<Neighbour<'_>> {
    let mut edges: Vec<usize> = corpus.edges_of(centre).map(|(at, _)| at).collect();
    edges.extend(corpus.edges_to(centre).map(|(at, _)| at));
    edges.sort_unstable();
    edges.dedup();
    let mut seen: HashMap<(usize, Side, Result<usize, String>), usize> = HashMap::new();
    let mut found: Vec<Neighbour<'_>> = Vec::new();
    for at in edges {
        let Some(half) = Half::of(corpus, at) else { continue };
        let edge = half.edge();
        let wrote = edge.source == centre;
        let far = if wrote { edge.document() } else { Some(edge.source) };
        if far.is_none() && !matches!(edge.binding, Binding::Anchor(_)) {
            continue;
        }
        let side = match (edge.direction, wrote) {
            (Direction::Declared, true) | (Direction::Inverse, false) => Side::From,
            (Direction::Declared, false) | (Direction::Inverse, true) => Side::To,
        };
        let identity = far.ok_or_else(|| corpus.normalized(edge));
        match seen.entry((edge.relation, side, identity)) {
            Entry::Vacant(entry) => {
                entry.insert(found.len());
                found.push(Neighbour { corpus, half, side, far });
            }
            // Findings stand at the declared half where there is one.
            Entry::Occupied(first) if edge.direction == Direction::Declared => {
                if let Some(held) = found.get_mut(*first.get())
                    && held.half.direction() == Direction::Inverse
                {
                    held.half = half;
                }
            }
            Entry::Occupied(_) => {}
        }
    }
    found
}

/// A document and what it is directly related to, through edges that either side wrote.
#[derive(Debug)]
pub struct NeighbourhoodView<'v> {
    corpus: &'v Corpus,
    centre: usize,
    matter: FrontMatter<'v>,
    neighbours: &'v [Neighbour<'v>],
    needs: NeighbourhoodNeeds,
    now: Date,
}

impl<'v> NeighbourhoodView<'v> {
    pub(crate) fn of(
        corpus: &'v Corpus,
        centre: usize,
        neighbours: &'v [Neighbour<'v>],
        needs: NeighbourhoodNeeds,
        now: Date,
    ) -> Option<Self> {
        let matter = FrontMatter::of(corpus.row(centre)?)?;
        Some(Self { corpus, centre, matter, neighbours, needs, now })
    }

    /// The path of the centre.
    #[must_use]
    pub fn path(&self) -> &'v str {
        self.corpus.row(self.centre).map_or("", |row| row.path.as_str())
    }

    /// The front matter of the centre.
    #[must_use]
    pub const fn front_matter(&self) -> FrontMatter<'v> {
        self.matter
    }

    /// The neighbours, each relation, side and far end once, in the order of the edges.
    #[must_use]
    pub fn neighbours(&self) -> &[Neighbour<'v>] {
        self.neighbours
    }

    /// The day, for a rule that needs the clock.
    #[must_use]
    pub fn now(&self) -> Option<Date> {
        self.needs.clock.then_some(self.now)
    }
}
