//! At each end of an edge stands a document of a kind that the relation permits there, or of one that
//! descends from it.
//!
//! # Why
//!
//! What an edge means follows from its ends. `supersedes` between a decision and a runbook means
//! nothing that a reader could act on.
//!
//! # Example
//!
//! `cites` goes from a `note` to a `note`, and a `memo` writes it.
//!
//! # Neighbour
//!
//! Kinds are not compared by name alone: where the relation permits an abstract kind, every kind below
//! it may stand there.

use std::collections::BTreeSet;

use headwater_check::{
    About, Defect, End, Origin, Outcome, PairRule, PairView, Relation, Taxonomy,
};

use crate::say::{listed, quoted};

struct Permitted {
    end: &'static str,
    listed: Vec<String>,
    /// With everything that descends from what is listed.
    kinds: BTreeSet<String>,
}

impl Permitted {
    fn of(taxonomy: &Taxonomy, end: &'static str, listed: &[String]) -> Self {
        let under = taxonomy.concrete_under(listed).map(|kind| kind.name.clone());
        Self { end, listed: listed.to_vec(), kinds: under.collect() }
    }
}

/// The rule for one relation.
pub(crate) struct Rule {
    relation: String,
    from: Permitted,
    to: Permitted,
}

impl PairRule for Rule {
    const ABOUT: About = About::new(
        "relation.endpoint.not_permitted",
        1,
        Origin::Graph,
        include_str!("../../../docs/rules/relation.endpoint.not_permitted.md"),
    );

    fn generate(taxonomy: &Taxonomy, relation: &Relation) -> Option<Self> {
        (!relation.from.is_empty() && !relation.to.is_empty()).then(|| Self {
            relation: relation.name.clone(),
            from: Permitted::of(taxonomy, "from", &relation.from),
            to: Permitted::of(taxonomy, "to", &relation.to),
        })
    }

    fn evaluate(&self, view: &PairView<'_>) -> Outcome {
        let Some(half) = view.half() else { return Outcome::Pass };
        let wrong = |permitted: &Permitted, end: End<'_>| {
            (!permitted.kinds.contains(end.kind())).then(|| {
                let list = listed(permitted.listed.iter().map(String::as_str));
                Defect::error(
                    half.place(),
                    format!(
                        "{} is of the kind {}, and {} permits `{}` to be {list}",
                        quoted(end.path()),
                        quoted(end.kind()),
                        quoted(&self.relation),
                        permitted.end
                    ),
                    "write the edge under a relation that permits both kinds, or name another document",
                )
            })
        };
        let ends = [wrong(&self.from, view.from()), wrong(&self.to, view.to())];
        Outcome::of(ends.into_iter().flatten().collect())
    }
}
