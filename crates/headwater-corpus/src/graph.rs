//! The graph: every edge half in order, its pair, and the lookups around a document. Each lookup is
//! an index built once.

use std::collections::{HashMap, HashSet};
use std::ops::Range;

use headwater_taxonomy::model::{Direction, Taxonomy};

use crate::bind::{Binder, joined};
use crate::census::Row;
use crate::edge::{Binding, Edge, Pair, Problem, Target, Trouble};
use crate::halves::{halves, written};

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
    incoming: HashMap<usize, Vec<usize>>,
    /// The pairs that a row is an end of.
    ends: HashMap<usize, Vec<usize>>,
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
        let mut graph = Self::default();
        for (at, row) in binder.rows.iter().enumerate() {
            let (edges, problems) = (graph.edges.len(), graph.problems.len());
            if row.is_node() {
                graph.read(binder, at, row);
            }
            graph.written.push(edges..graph.edges.len());
            graph.troubled.push(problems..graph.problems.len());
        }
        for (at, edge) in graph.edges.iter().enumerate() {
            if let Some(target) = edge.document().filter(|target| *target != edge.source) {
                graph.incoming.entry(target).or_default().push(at);
            }
        }
        graph.pair(binder);
        graph
    }

    fn read(&mut self, binder: &Binder<'_>, at: usize, row: &Row) {
        let Some(document) = row.document.as_deref() else { return };
        let taxonomy: &Taxonomy = binder.taxonomy;
        let (found, mut troubles) = halves(taxonomy, document);
        let asserter = document.identifier().unwrap_or_default();
        let mut declared = HashSet::new();
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

    /// Groups the halves between documents by what they say. A second half that says the same, which
    /// only two documents with one identifier can write, is a pair of its own beside the same
    /// opposite half.
    fn pair(&mut self, binder: &Binder<'_>) {
        let id = |row: usize| binder.rows.get(row).and_then(Row::identifier).unwrap_or_default();
        let mut primary: HashMap<(usize, &str, &str), usize> = HashMap::new();
        let mut further = Vec::new();
        for (at, edge) in self.edges.iter().enumerate() {
            let Some(far) = edge.document() else { continue };
            let (from, to) = match edge.direction {
                Direction::Declared => (edge.source, far),
                Direction::Inverse => (far, edge.source),
            };
            let mut pair =
                Pair { relation: edge.relation, from, to, declared: None, inverse: None };
            let known = *primary.entry((edge.relation, id(from), id(to))).or_insert_with(|| {
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
        for (at, pair) in self.pairs.iter().enumerate() {
            self.ends.entry(pair.from).or_default().push(at);
            if pair.to != pair.from {
                self.ends.entry(pair.to).or_default().push(at);
            }
        }
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
        self.incoming.get(&row).map_or(&[], Vec::as_slice)
    }

    /// The indices of the pairs that a row is an end of.
    pub(crate) fn pairs_of(&self, row: usize) -> &[usize] {
        self.ends.get(&row).map_or(&[], Vec::as_slice)
    }

    /// The name that an edge is written under.
    pub(crate) fn name_of<'t>(&self, taxonomy: &'t Taxonomy, edge: &Edge) -> &'t str {
        taxonomy
            .relations
            .at(edge.relation)
            .map_or("", |(_, relation)| written(relation, edge.direction))
    }
}
