//! The graph: every edge half in order, its pair, and the lookups around a document. Each lookup is
//! an index built once.

use std::collections::{HashMap, HashSet};
use std::ops::Range;

use headwater_taxonomy::model::{Direction, Taxonomy};
use rayon::prelude::*;

use crate::bind::{Binder, joined};
use crate::census::Row;
use crate::edge::{Binding, Edge, Pair, Problem, Target, Trouble};
use crate::halves::{halves, written};
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
    /// For each row, which edges it wrote.
    written: Vec<Range<usize>>,
    /// For each row, which problems it has.
    troubled: Vec<Range<usize>>,
    /// For each row, the edges of other documents that name it.
    incoming: Lists,
    /// For each row, the pairs that it is an end of.
    ends: Lists,
}

/// The target of a half, normalized: an identifier, the identity of an anchor, or the text.
pub(crate) fn normalized(rows: &[Row], targets: &[Target], binding: &Binding) -> String {
    match binding {
        Binding::Document(row) => {
            rows.get(*row).and_then(Row::identifier).unwrap_or_default().to_owned()
        }
        Binding::Anchor(anchor) => anchor.identity.clone(),
        Binding::Withheld { .. } | Binding::Unbound(_) => match targets {
            [target] => target.text.clone(),
            targets => joined(targets.iter().map(|target| target.text.as_str())),
        },
    }
}

impl Graph {
    /// Builds the graph over the nodes among the rows.
    pub(crate) fn build(binder: &Binder<'_>) -> Self {
        let rows = binder.rows.par_iter().enumerate();
        let read: Vec<(Vec<Edge>, Vec<Problem>)> =
            rows.map(|(at, row)| read(binder, at, row)).collect();
        let mut graph = Self::default();
        for (edges, problems) in read {
            let starts = (graph.edges.len(), graph.problems.len());
            graph.edges.extend(edges);
            graph.problems.extend(problems);
            graph.written.push(starts.0..graph.edges.len());
            graph.troubled.push(starts.1..graph.problems.len());
        }
        let named = graph.edges.iter().enumerate().filter_map(|(at, edge)| {
            let target = edge.document().filter(|target| *target != edge.source)?;
            Some((target, at))
        });
        graph.incoming = Lists::of(binder.rows.len(), named);
        graph.pair(binder);
        graph
    }

    /// Groups the halves between documents by what they say. A second half that says the same, which
    /// only two documents with one identifier can write, is a pair of its own beside the same
    /// opposite half.
    fn pair(&mut self, binder: &Binder<'_>) {
        // A row stands for all that carry its identifier.
        let first = |row: usize| {
            let identifier = binder.rows.get(row).and_then(Row::identifier);
            identifier.and_then(|identifier| binder.index.node(identifier)).unwrap_or(row)
        };
        let mut primary: HashMap<(usize, usize, usize), usize> = HashMap::new();
        let mut further = Vec::new();
        for (at, edge) in self.edges.iter().enumerate() {
            let Some(far) = edge.document() else { continue };
            let (from, to) = match edge.direction {
                Direction::Declared => (edge.source, far),
                Direction::Inverse => (far, edge.source),
            };
            let mut pair =
                Pair { relation: edge.relation, from, to, declared: None, inverse: None };
            let known =
                *primary.entry((edge.relation, first(from), first(to))).or_insert_with(|| {
                    self.pairs.push(pair);
                    self.pairs.len() - 1
                });
            let Some(held) = self.pairs.get_mut(known) else { continue };
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
            further.push((known, self.pairs.len()));
            self.pairs.push(pair);
        }
        for (known, at) in further {
            let Some(&Pair { declared, inverse, .. }) = self.pairs.get(known) else { continue };
            if let Some(pair) = self.pairs.get_mut(at) {
                pair.declared = pair.declared.or(declared);
                pair.inverse = pair.inverse.or(inverse);
            }
        }
        let ends = self.pairs.iter().enumerate().flat_map(|(at, pair)| {
            let other = (pair.to != pair.from).then_some((pair.to, at));
            std::iter::once((pair.from, at)).chain(other)
        });
        self.ends = Lists::of(binder.rows.len(), ends);
    }

    /// The indices of the edges that a row wrote.
    pub(crate) fn written(&self, row: usize) -> Range<usize> {
        self.written.get(row).cloned().unwrap_or_default()
    }

    /// The problems of a row.
    pub(crate) fn problems_of(&self, row: usize) -> &[Problem] {
        let range = self.troubled.get(row).cloned().unwrap_or_default();
        self.problems.get(range).unwrap_or_default()
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

/// The edges that a row writes, and what of its relations is none.
fn read(binder: &Binder<'_>, at: usize, row: &Row) -> (Vec<Edge>, Vec<Problem>) {
    let Some(document) = row.document.as_deref().filter(|_| row.is_node()) else {
        return (Vec::new(), Vec::new());
    };
    let taxonomy: &Taxonomy = binder.taxonomy;
    let (found, mut troubles) = halves(taxonomy, document);
    let asserter = document.identifier().unwrap_or_default();
    let mut declared = HashSet::new();
    let mut edges = Vec::with_capacity(found.len());
    for half in found {
        let permitted = half.relation.far_end(half.direction);
        let binding = binder.bind(&half.targets, asserter, permitted);
        let target = normalized(binder.rows, &half.targets, &binding);
        let name = half.written().to_owned();
        if !declared.insert((name.clone(), target.clone())) {
            troubles.push((Trouble::Repeated(name, target), half.span));
            continue;
        }
        let Some(relation) = taxonomy.relations.position(&half.relation.name) else { continue };
        edges.push(Edge {
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
    let problems = troubles.into_iter().map(|(trouble, span)| Problem { row: at, trouble, span });
    (edges, problems.collect())
}
