//! The edges of one relation of succession or composition do not run in a circle.
//!
//! # Why
//!
//! Of documents that supersede each other in a circle none is the last, and a whole that is part of its
//! part has no top. Every walk along such a relation would not end.
//!
//! # Example
//!
//! `a.md` replaces `b.md`, `b.md` replaces `c.md`, and `c.md` replaces `a.md`.
//!
//! # Neighbour
//!
//! An edge of a document to itself is `relation.target.is_source`. Documents in one circle are one
//! finding, however many ways lead round.

use std::collections::HashMap;

use headwater_check::{
    About, CorpusNeeds, CorpusRule, CorpusView, Defect, Origin, Outcome, Taxonomy,
};
use headwater_check::headwater_taxonomy::model::Family;

use crate::say::{listed, quoted};

/// The rule.
pub(crate) struct Rule {
    relations: Vec<String>,
}

impl CorpusRule for Rule {
    const ABOUT: About = About::new(
        "relation.cycle",
        1,
        Origin::Graph,
        include_str!("../../../docs/rules/relation.cycle.md"),
    );
    const NEEDS: CorpusNeeds = CorpusNeeds { graph: true, ..CorpusNeeds::NONE };

    fn generate(taxonomy: &Taxonomy) -> Option<Self> {
        let acyclic = taxonomy.relations.values().filter(|relation| {
            matches!(relation.family, Some(Family::Succession | Family::Composition))
        });
        let relations: Vec<String> = acyclic.map(|relation| relation.name.clone()).collect();
        (!relations.is_empty()).then_some(Self { relations })
    }

    fn evaluate(&self, view: &CorpusView<'_>) -> Outcome {
        let defects = self.relations.iter().flat_map(|relation| circles(view, relation));
        Outcome::of(defects.collect())
    }
}

fn circles(view: &CorpusView<'_>, relation: &str) -> Vec<Defect> {
    let edges = view.edges(relation).unwrap_or_default();
    let mut places: HashMap<&str, usize> = HashMap::new();
    let mut paths: Vec<&str> = Vec::new();
    let mut place = |path| {
        *places.entry(path).or_insert_with(|| {
            paths.push(path);
            paths.len() - 1
        })
    };
    let ends: Vec<(usize, usize)> =
        edges.iter().map(|(from, to, _)| (place(from.path()), place(to.path()))).collect();
    let mut out = vec![Vec::new(); paths.len()];
    for (from, to) in &ends {
        if let Some(list) = out.get_mut(*from) {
            list.push(*to);
        }
    }
    let component = components(&out);
    let mut members: Vec<Vec<&str>> = vec![Vec::new(); paths.len()];
    for (at, path) in paths.iter().enumerate() {
        if let Some(list) = component.get(at).and_then(|component| members.get_mut(*component)) {
            list.push(path);
        }
    }
    // The entry of each component: in its smallest path, the one whose target is smallest.
    let mut entries: HashMap<usize, (String, String, usize)> = HashMap::new();
    for (at, ((from, to), (_, _, half))) in ends.iter().zip(&edges).enumerate() {
        let (Some(here), Some(there)) = (component.get(*from), component.get(*to)) else { continue };
        if here != there || from == to {
            continue;
        }
        let entry = (half.place().path, half.target_text(), at);
        match entries.get_mut(here) {
            Some(held) => {
                if entry < *held {
                    *held = entry;
                }
            }
            None => {
                entries.insert(*here, entry);
            }
        }
    }
    let mut found: Vec<(usize, usize)> =
        entries.into_iter().map(|(component, (_, _, at))| (component, at)).collect();
    found.sort_unstable();
    let defect = |(component, at): (usize, usize)| {
        let (_, _, half) = edges.get(at)?;
        let mut around = members.get(component)?.clone();
        around.sort_unstable();
        Some(Defect::error(
            half.place(),
            format!("the edges of {} run in a circle over {}", quoted(relation), listed(around)),
            "remove the edge that does not hold",
        ))
    };
    found.into_iter().filter_map(defect).collect()
}

/// The strongly connected component of each node, as the place of one of its nodes. Linear, and without
/// recursion, since a chain of documents may be as long as the corpus.
fn components(out: &[Vec<usize>]) -> Vec<usize> {
    const NEW: usize = usize::MAX;
    let size = out.len();
    let (mut index, mut low) = (vec![NEW; size], vec![0; size]);
    let (mut on_stack, mut component) = (vec![false; size], vec![0; size]);
    let mut stack: Vec<usize> = Vec::new();
    let mut next = 0;
    for root in 0..size {
        if index[root] != NEW {
            continue;
        }
        let mut work: Vec<(usize, usize)> = vec![(root, 0)];
        while let Some((node, edge)) = work.pop() {
            if edge == 0 {
                index[node] = next;
                low[node] = next;
                next += 1;
                stack.push(node);
                on_stack[node] = true;
            }
            let mut edge = edge;
            let mut descended = false;
            while let Some(&to) = out[node].get(edge) {
                edge += 1;
                if index[to] == NEW {
                    work.push((node, edge));
                    work.push((to, 0));
                    descended = true;
                    break;
                }
                if on_stack[to] {
                    low[node] = low[node].min(index[to]);
                }
            }
            if descended {
                continue;
            }
            if low[node] == index[node] {
                while let Some(member) = stack.pop() {
                    on_stack[member] = false;
                    component[member] = node;
                    if member == node {
                        break;
                    }
                }
            }
            if let Some((parent, _)) = work.last() {
                low[*parent] = low[*parent].min(low[node]);
            }
        }
    }
    component
}

#[cfg(test)]
mod tests {
    use super::components;
    use proptest::prelude::*;

    fn reaches(out: &[Vec<usize>], from: usize, to: usize) -> bool {
        let mut seen = vec![false; out.len()];
        let mut work = vec![from];
        while let Some(node) = work.pop() {
            if node == to {
                return true;
            }
            if !std::mem::replace(&mut seen[node], true) {
                work.extend(&out[node]);
            }
        }
        false
    }

    proptest! {
        #[test]
        fn nodes_are_in_one_component_when_each_reaches_the_other(
            edges in proptest::collection::vec((0_usize..8, 0_usize..8), 0..20),
        ) {
            let mut out = vec![Vec::new(); 8];
            for (from, to) in edges {
                out[from].push(to);
            }
            let component = components(&out);
            for a in 0..8 {
                for b in 0..8 {
                    let together = reaches(&out, a, b) && reaches(&out, b, a);
                    prop_assert_eq!(component[a] == component[b], together);
                }
            }
        }
    }

    #[test]
    fn a_chain_as_long_as_a_corpus_does_not_exhaust_the_stack() {
        let out: Vec<Vec<usize>> = (0..200_000).map(|n| vec![(n + 1) % 200_000]).collect();
        let component = components(&out);
        assert!(component.iter().all(|c| *c == component[0]));
    }
}
