//! The graph: every edge half in order, its pair, and the lookups around a document. Each lookup is
//! an index built once.

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};
use std::ops::Range;

use headwater_taxonomy::model::{Direction, Taxonomy};
use rayon::prelude::*;

use crate::bind::{Binder, joined};
use crate::census::Row;
use crate::document::Document;
use crate::edge::{Binding, Edge, Pair, Problem, Target, Trouble};
use crate::halves::{Half, halves, written};
use crate::lists::Lists;

/// The edges of a corpus.
#[derive(Debug, Default)]
pub(crate) struct Graph {
    /// In path order of their writers, then in file order.
    pub edges: Vec<Edge>,
    /// In the order of the first half of each.
    pub pairs: Vec<Pair>,
    /// In path order, then in file order.
    pub problems: Vec<Problem>,
    /// For each row, where its edges and its problems end; they begin where those of the row before end.
    rows: Vec<(usize, usize)>,
    /// For each row, the edges of other documents that name it.
    incoming: Lists,
    /// For each row, the pairs that it is an end of.
    ends: Lists,
}

/// The target of a half, normalized: an identifier, the identity of an anchor, or the text.
pub(crate) fn normalized<'e>(
    rows: &'e [Row],
    targets: &'e [Target],
    binding: &'e Binding,
) -> Cow<'e, str> {
    match binding {
        Binding::Document(row) => {
            rows.get(*row).and_then(Row::identifier).unwrap_or_default().into()
        }
        Binding::Anchor(anchor) => anchor.identity.as_str().into(),
        Binding::Withheld(_) | Binding::Unbound(_) => match targets {
            [target] => target.text.as_str().into(),
            targets => joined(targets.iter().map(|target| target.text.as_str())).into(),
        },
    }
}

impl Graph {
    /// Builds the graph over the nodes among the rows.
    pub(crate) fn build(binder: &Binder<'_>) -> Self {
        let chunks: Vec<Written> = binder
            .rows
            .par_chunks(CHUNK)
            .enumerate()
            .map(|(at, rows)| {
                let mut written = Written::default();
                for (row, at) in rows.iter().zip(at * CHUNK..) {
                    written.read(binder, at, row);
                }
                written
            })
            .collect();
        let mut all = Written::default();
        all.edges.reserve_exact(chunks.iter().map(|chunk| chunk.edges.len()).sum());
        all.rows.reserve_exact(binder.rows.len());
        for chunk in chunks {
            let (edges, problems) = (all.edges.len(), all.problems.len());
            all.rows.extend(chunk.rows.iter().map(|(e, p)| (edges + e, problems + p)));
            all.edges.extend(chunk.edges);
            all.problems.extend(chunk.problems);
        }
        let incoming = || {
            let named = all.edges.iter().enumerate().filter_map(|(at, edge)| {
                let target = edge.document().filter(|target| *target != edge.source)?;
                Some((target, at))
            });
            Lists::of(binder.rows.len(), named)
        };
        let (incoming, (pairs, ends)) = rayon::join(incoming, || paired(binder, &all.edges));
        Self { edges: all.edges, pairs, problems: all.problems, rows: all.rows, incoming, ends }
    }

    /// The indices of the edges that a row wrote.
    pub(crate) fn written(&self, row: usize) -> Range<usize> {
        self.range(row, |(edges, _)| edges)
    }

    /// The problems of a row.
    pub(crate) fn problems_of(&self, row: usize) -> &[Problem] {
        self.problems.get(self.range(row, |(_, problems)| problems)).unwrap_or_default()
    }

    fn range(&self, row: usize, end: impl Fn((usize, usize)) -> usize) -> Range<usize> {
        let Some(own) = self.rows.get(row) else { return 0..0 };
        let before = row.checked_sub(1).and_then(|before| self.rows.get(before));
        before.map_or(0, |before| end(*before))..end(*own)
    }

    /// The indices of the edges of other documents that name a row.
    pub(crate) fn incoming(&self, row: usize) -> &[usize] {
        self.incoming.get(row)
    }

    /// The indices of the pairs that a row is an end of.
    pub(crate) fn pairs_of(&self, row: usize) -> &[usize] {
        self.ends.get(row)
    }

    /// The name that an edge is written under.
    pub(crate) fn name_of<'t>(&self, taxonomy: &'t Taxonomy, edge: &Edge) -> &'t str {
        taxonomy
            .relations
            .at(edge.relation)
            .map_or("", |(_, relation)| written(relation, edge.direction))
    }
}

/// Groups the halves between documents by what they say; the pairs, and for each row those that it is
/// an end of. A second half that says the same, which only two documents with one identifier can
/// write, is a pair of its own beside the same opposite half.
fn paired(binder: &Binder<'_>, edges: &[Edge]) -> (Vec<Pair>, Lists) {
    // A row stands for all that carry its identifier.
    let collisions = &binder.index.collisions;
    let firsts: HashMap<usize, usize> =
        collisions.iter().map(|collision| (collision.later, collision.first)).collect();
    let first =
        |row: usize| if firsts.is_empty() { row } else { *firsts.get(&row).unwrap_or(&row) };
    let mut pairs: Vec<Pair> = Vec::with_capacity(edges.len());
    let mut primary: HashMap<(usize, usize, usize), usize> = HashMap::with_capacity(edges.len());
    let mut further = Vec::new();
    for (at, edge) in edges.iter().enumerate() {
        let Some(far) = edge.document() else { continue };
        let (from, to) = match edge.direction {
            Direction::Declared => (edge.source, far),
            Direction::Inverse => (far, edge.source),
        };
        let mut pair = Pair { relation: edge.relation, from, to, declared: None, inverse: None };
        let known = *primary.entry((edge.relation, first(from), first(to))).or_insert_with(|| {
            pairs.push(pair);
            pairs.len() - 1
        });
        let Some(held) = pairs.get_mut(known) else { continue };
        let slot = match edge.direction {
            Direction::Declared => &mut held.declared,
            Direction::Inverse => &mut held.inverse,
        };
        if slot.is_none() {
            *slot = Some(at);
            continue;
        }
        match edge.direction {
            Direction::Declared => pair.declared = Some(at),
            Direction::Inverse => pair.inverse = Some(at),
        }
        further.push((known, pairs.len()));
        pairs.push(pair);
    }
    for (known, at) in further {
        let Some(&Pair { declared, inverse, .. }) = pairs.get(known) else { continue };
        if let Some(pair) = pairs.get_mut(at) {
            pair.declared = pair.declared.or(declared);
            pair.inverse = pair.inverse.or(inverse);
        }
    }
    pairs.shrink_to_fit();
    let ends = pairs.iter().enumerate().flat_map(|(at, pair)| {
        let other = (pair.to != pair.from).then_some((pair.to, at));
        std::iter::once((pair.from, at)).chain(other)
    });
    let ends = Lists::of(binder.rows.len(), ends);
    (pairs, ends)
}

/// How many rows are read by one task.
const CHUNK: usize = 128;

/// What some rows write.
#[derive(Default)]
struct Written {
    edges: Vec<Edge>,
    problems: Vec<Problem>,
    /// For each row, where its edges and its problems end.
    rows: Vec<(usize, usize)>,
}

impl Written {
    /// Adds the edges that a row writes, and what of its relations is none.
    fn read(&mut self, binder: &Binder<'_>, at: usize, row: &Row) {
        if let Some(document) = row.document.as_deref().filter(|_| row.is_node()) {
            self.document(binder, at, document);
        }
        self.rows.push((self.edges.len(), self.problems.len()));
    }

    fn document(&mut self, binder: &Binder<'_>, at: usize, document: &Document) {
        let (found, mut troubles) = halves(binder.taxonomy, document);
        let asserter = document.identifier().unwrap_or_default();
        let bind = |half: &Half<'_>| {
            binder.bind(&half.targets, asserter, half.relation.far_end(half.direction))
        };
        let bindings: Vec<Binding> = found.iter().map(bind).collect();
        let mut declared = HashSet::with_capacity(found.len());
        let firsts: Vec<bool> = found
            .iter()
            .zip(&bindings)
            .map(|(half, binding)| {
                let target = normalized(binder.rows, &half.targets, binding);
                declared.insert((half.written(), target))
            })
            .collect();
        for ((half, binding), first) in found.into_iter().zip(bindings).zip(firsts) {
            if !first {
                let target = normalized(binder.rows, &half.targets, &binding).into_owned();
                troubles.push((Trouble::Repeated(half.written().to_owned(), target), half.span));
                continue;
            }
            let Some(relation) = binder.taxonomy.relations.position(&half.relation.name) else {
                continue;
            };
            self.edges.push(Edge {
                source: at,
                relation,
                direction: half.direction,
                bound_key: half.bound_key,
                key_span: half.key_span,
                targets: half.targets,
                span: half.span,
                attributes: half.attributes,
                binding,
            });
        }
        troubles.sort_by_key(|(_, span)| *span);
        let problem = |(trouble, span)| Problem { row: at, trouble, span };
        self.problems.extend(troubles.into_iter().map(problem));
    }
}
