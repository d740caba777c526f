//! Where a relation is reciprocal, the far document writes its half too. While the document that wrote
//! the first half is at an initial state, nothing is owed yet.
//!
//! # Why
//!
//! A reader comes from either side. Whoever opens the document that was superseded must see it there,
//! and not only in the one that superseded it.
//!
//! # Example
//!
//! `a.md` writes `cites: NOTE-ACM-b`, and `b.md` does not write `cited_by: NOTE-ACM-a`.
//!
//! # Neighbour
//!
//! It is not always the target that owes the inverse: where only `cited_by` is written, the far document
//! owes `cites`. A relation that is `symmetric` owes nothing.

use headwater_check::{
    About, Defect, Direction, Origin, Outcome, PairRule, PairView, Patch, Relation, Standing,
    Taxonomy,
};
use headwater_check::headwater_taxonomy::model::{Bindings, Family, Reciprocity};

use crate::say::quoted;

/// The rule for one relation.
pub(crate) struct Rule {
    name: String,
    inverse: String,
    association: bool,
    bindings: Bindings,
}

impl PairRule for Rule {
    const ABOUT: About = About::new(
        "relation.reciprocity.missing",
        2,
        Origin::Graph,
        include_str!("../../../docs/rules/relation.reciprocity.missing.md"),
    );

    fn generate(taxonomy: &Taxonomy, relation: &Relation) -> Option<Self> {
        (relation.reciprocal == Some(Reciprocity::Required)).then(|| Self {
            name: relation.name.clone(),
            inverse: relation.inverse.clone().unwrap_or_else(|| relation.name.clone()),
            association: relation.family == Some(Family::Association),
            bindings: taxonomy.bindings.clone(),
        })
    }

    fn evaluate(&self, view: &PairView<'_>) -> Outcome {
        let half = match (view.declared(), view.inverse()) {
            (Some(half), None) | (None, Some(half)) => half,
            _ => return Outcome::Pass,
        };
        let writer = half.writer();
        if writer.standing() == Some(Standing::Initial) {
            return Outcome::Pass;
        }
        let (owed, far) = match half.direction() {
            Direction::Declared => (&self.inverse, view.to()),
            Direction::Inverse => (&self.name, view.from()),
        };
        let entry = quoted(&format!("{owed}: {}", writer.id()));
        if view.is_loop() {
            let also = if self.association { "" } else { "; `relation.target.is_source` reports it too" };
            return Outcome::fail(Defect::error(
                half.place(),
                format!("this half names its own document, so no other one can answer it with {entry}{also}"),
                "name another document, or remove the entry",
            ));
        }
        let path = far.front_matter().map_or(far.path(), |matter| matter.path());
        // What generates a document would write over a half in it.
        let writable = !far.is_generated() && self.writable(owed, writer.id());
        let patch = writable.then(|| Patch::Half {
            path: path.to_owned(),
            relation: owed.clone(),
            target: writer.id().to_owned(),
            attributes: Vec::new(),
        });
        let message = format!(
            "{} is written here, and {} does not write {entry}",
            quoted(&format!("{}: {}", half.written(), half.target_text())),
            quoted(far.path())
        );
        let remedy = match far.is_generated() {
            true => format!("add {entry} to what {} is generated from", quoted(path)),
            false => format!("add {entry} to {}", quoted(path)),
        };
        Outcome::fail(Defect::error(half.place(), message, remedy).patched(patch))
    }
}

impl Rule {
    /// Whether an identifier can be written under the key that holds the relation: the block always
    /// can hold it, a bound key where its template is one that the identifier fits.
    fn writable(&self, relation: &str, identifier: &str) -> bool {
        let bound = self.bindings.relations.values();
        let mut bound = bound.filter(|bound| bound.relation == relation).peekable();
        bound.peek().is_none() || bound.any(|bound| bound.template.invert(identifier).is_some())
    }
}
