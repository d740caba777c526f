//! A document that moved from one state to another moved along the lifecycle of its kind: declared moves
//! lead, one after the other, from the state before the change to the present one.
//!
//! # Why
//!
//! One value cannot say how it was reached. A ruling that was superseded and is in force again, with no
//! one having decided it, looks like any other in force.
//!
//! # Example
//!
//! `status: superseded` becomes `status: current`, and the lifecycle has no move out of `superseded`.
//!
//! # Neighbour
//!
//! One declared move is not asked for: a change lands as one movement whatever way it took inside, so
//! `draft` to `superseded` passes where `draft` leads to `current` and `current` to `superseded`.

use headwater_check::{
    About, Defect, DocumentNeeds, DocumentRule, DocumentView, Kind, Origin, Outcome, Prior, Taxonomy,
};
use headwater_check::headwater_taxonomy::model::Lifecycle;

use crate::say::{listed, quoted};
use crate::states::{StateFacet, UNREADABLE};

/// The rule for one kind.
pub(crate) struct Rule {
    kind: String,
    facet: StateFacet,
    lifecycle: Lifecycle,
}

impl DocumentRule for Rule {
    const ABOUT: About = About::new(
        "lifecycle.transition.not_permitted",
        1,
        Origin::Graph,
        include_str!("../../../docs/rules/lifecycle.transition.not_permitted.md"),
    );
    const NEEDS: DocumentNeeds = DocumentNeeds { prior: true, ..DocumentNeeds::NONE };

    fn generate(taxonomy: &Taxonomy, kind: &Kind) -> Option<Self> {
        let lifecycle = taxonomy.lifecycle_of(kind)?.clone();
        let facet = StateFacet::of(taxonomy)?;
        Some(Self { kind: kind.name.clone(), facet, lifecycle })
    }

    fn evaluate(&self, view: &DocumentView<'_>) -> Outcome {
        let Some(Prior::Committed(before)) = view.prior() else { return Outcome::Pass };
        let matter = view.front_matter();
        let states = (before.and_then(|before| self.facet.state(before)), self.facet.state(matter));
        let (Some(before), Some(now)) = states else { return Outcome::skip(UNREADABLE) };
        if !self.lifecycle.names(before) || !self.lifecycle.names(now) {
            return Outcome::skip(format!(
                "the lifecycle of the kind {} does not name the state of a version, which `lifecycle.state.not_admitted` reports",
                quoted(&self.kind)
            ));
        }
        if before == now || self.lifecycle.reachable_from(before).contains(now) {
            return Outcome::Pass;
        }
        let place = matter.facet(&self.facet.name);
        let place = place.map_or_else(|| view.file(), |fact| matter.place(fact.key_span));
        let next = self.lifecycle.transitions.get(before).map_or(&[][..], Vec::as_slice);
        let next: Vec<&str> =
            next.iter().map(String::as_str).filter(|state| *state != before).collect();
        let (from, kind) = (quoted(before), quoted(&self.kind));
        let (ways, remedy) = if next.is_empty() {
            (
                format!("{from} is terminal there"),
                format!("write {from} again and let another document take over, or declare the move in the lifecycle"),
            )
        } else {
            let next = listed(next);
            (
                format!("from {from} the next is {next}"),
                format!("write {from} again or a state that it leads to, or declare the move in the lifecycle"),
            )
        };
        Outcome::fail(Defect::error(
            place,
            format!(
                "the state moved from {from} to {}, and no way leads there in the lifecycle of the kind {kind}; {ways}",
                quoted(now)
            ),
            remedy,
        ))
    }
}
