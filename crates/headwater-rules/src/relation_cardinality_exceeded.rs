//! From one document there is at most one edge of a relation with `cardinality: one`, whichever side
//! wrote it.
//!
//! # Why
//!
//! A relation of which there can be one is followed without asking which. With two of them every reader
//! picks another.
//!
//! # Example
//!
//! `parent` has `cardinality: one`, and a document writes two.
//!
//! # Neighbour
//!
//! It is not the entries of one file that are counted but the edges: one that a far document wrote under
//! the inverse name counts, and one that both sides wrote counts once.

use headwater_check::{
    About, Defect, Kind, NeighbourhoodRule, NeighbourhoodView, Origin, Outcome, Side, Taxonomy,
};

use crate::say::quoted;

/// The rule for one kind.
pub(crate) struct Rule {
    relations: Vec<String>,
}

impl NeighbourhoodRule for Rule {
    const ABOUT: About = About::new(
        "relation.cardinality.exceeded",
        1,
        Origin::Graph,
        include_str!("../../../docs/rules/relation.cardinality.exceeded.md"),
    );

    fn generate(taxonomy: &Taxonomy, kind: &Kind) -> Option<Self> {
        let single = taxonomy.relations.values().filter(|relation| {
            let may_write = relation.from.is_empty() || taxonomy.permits(&relation.from, &kind.name);
            relation.at_most_one && may_write
        });
        let relations: Vec<String> = single.map(|relation| relation.name.clone()).collect();
        (!relations.is_empty()).then_some(Self { relations })
    }

    fn evaluate(&self, view: &NeighbourhoodView<'_>) -> Outcome {
        let mut defects = Vec::new();
        for relation in &self.relations {
            let edges = view.neighbours().iter().filter(|neighbour| {
                neighbour.relation() == relation && neighbour.centre_is() == Side::From
            });
            let mut edges = edges.enumerate();
            let Some((_, first)) = edges.next() else { continue };
            for (before, edge) in edges {
                defects.push(Defect::error(
                    edge.place(),
                    format!(
                        "{} may have one {}, and this is number {}: it has {} already",
                        quoted(view.path()),
                        quoted(relation),
                        before + 1,
                        quoted(first.id())
                    ),
                    "keep the one that holds, and remove the others",
                ));
            }
        }
        Outcome::of(defects)
    }
}
