//! The state of a document and the date on which it entered that state move together in a change.
//!
//! # Why
//!
//! Windows are counted from that date. A state that moved under an old date is overdue at once, and a
//! date that moved under an old state never is.
//!
//! # Example
//!
//! `status: draft` becomes `status: current`, and `status_since` keeps the day on which the draft began.
//!
//! # Neighbour
//!
//! A date that is missing is not one that stood still: a document that never wrote it is not judged,
//! and one that writes it for the first time passes.

use headwater_check::{
    About, Defect, DocumentNeeds, DocumentRule, DocumentView, FrontMatter, Kind, Origin, Outcome,
    Prior, Taxonomy,
};
use headwater_check::headwater_taxonomy::model::Role;

use crate::say::quoted;
use crate::states::{StateFacet, UNREADABLE};

/// The rule for one kind.
pub(crate) struct Rule {
    facet: StateFacet,
    /// The facet that holds the date.
    entered: String,
}

impl DocumentRule for Rule {
    const ABOUT: About = About::new(
        "lifecycle.entered.not_moved",
        1,
        Origin::Graph,
        include_str!("../../../docs/rules/lifecycle.entered.not_moved.md"),
    );
    const NEEDS: DocumentNeeds = DocumentNeeds { prior: true, ..DocumentNeeds::NONE };

    fn generate(taxonomy: &Taxonomy, kind: &Kind) -> Option<Self> {
        let facet = StateFacet::of(taxonomy)?;
        let entered = taxonomy.facet_with_role(Role::StateEntered)?.name.clone();
        let carries = !kind.forbids(&facet.name) && !kind.forbids(&entered);
        carries.then_some(Self { facet, entered })
    }

    fn evaluate(&self, view: &DocumentView<'_>) -> Outcome {
        let Some(Prior::Committed(before)) = view.prior() else { return Outcome::Pass };
        let matter = view.front_matter();
        let states = (before.and_then(|before| self.facet.state(before)), self.facet.state(matter));
        let (Some(before), (Some(old), Some(new))) = (before, states) else {
            return Outcome::skip(UNREADABLE);
        };
        let Some(fact) = matter.facet(&self.entered) else { return self.no_date() };
        let Some(now) = self.date(matter) else { return self.no_date() };
        let Some(then) = self.date(before) else { return Outcome::Pass };
        let place = matter.place(fact.value.span);
        let (state, key) = (quoted(&self.facet.name), quoted(fact.key));
        match (old == new, then == now) {
            (false, true) => Outcome::fail(Defect::error(
                place,
                format!(
                    "{state} moved from {} to {}, and {key} is still {}",
                    quoted(old),
                    quoted(new),
                    quoted(now)
                ),
                format!("write the day of the move under {key}"),
            )),
            (true, false) => Outcome::fail(Defect::error(
                place,
                format!(
                    "{key} moved from {} to {}, and {state} is still {}",
                    quoted(then),
                    quoted(now),
                    quoted(new)
                ),
                format!("write {} again under {key}, or the state that was entered on the new day", quoted(then)),
            )),
            _ => Outcome::Pass,
        }
    }
}

impl Rule {
    fn date<'v>(&self, matter: FrontMatter<'v>) -> Option<&'v str> {
        matter.facet_text(&self.entered).map(str::trim).filter(|text| !text.is_empty())
    }

    fn no_date(&self) -> Outcome {
        Outcome::skip(format!(
            "the document writes no day under {}, so none can have stood still",
            quoted(&self.entered)
        ))
    }
}
