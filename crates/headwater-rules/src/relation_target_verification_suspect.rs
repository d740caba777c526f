//! A criterion is still the text against which its verification was last observed.
//!
//! # Why
//!
//! A verification that passed against an older criterion says nothing about the present one.
//!
//! # Example
//!
//! `.headwater/observations.yml` records the digest of `c.md`, and `c.md` has been edited since.
//!
//! # Neighbour
//!
//! A verification that nobody observed yet is not suspect; an entry that cannot be read, or that is the
//! entry of a control, is not judged.

use headwater_check::{
    About, Defect, Origin, Outcome, PairNeeds, PairRule, PairView, Relation, Taxonomy, Verification,
    is_verification,
};

use crate::say::quoted;

/// The rule for one relation.
pub(crate) struct Rule;

impl PairRule for Rule {
    const ABOUT: About = About::new(
        "relation.target.verification.suspect",
        2,
        Origin::Graph,
        include_str!("../../../docs/rules/relation.target.verification.suspect.md"),
    );
    const NEEDS: PairNeeds = PairNeeds { observations: true, ..PairNeeds::NONE };

    fn generate(_: &Taxonomy, relation: &Relation) -> Option<Self> {
        is_verification(relation).then_some(Self)
    }

    fn evaluate(&self, view: &PairView<'_>) -> Outcome {
        let (criterion, verification) = (view.from(), view.to());
        match view.verification() {
            Some(Verification::Suspect) => {}
            Some(Verification::Unknown(why)) => {
                return Outcome::skip(format!(
                    "the observation of {} cannot be used: {why}",
                    quoted(verification.id())
                ));
            }
            Some(Verification::Declared | Verification::Observed) | None => return Outcome::Pass,
        }
        let Some(half) = view.half() else { return Outcome::Pass };
        Outcome::fail(Defect::warn(
            half.place(),
            format!(
                "{} was observed against an earlier text of {}",
                quoted(verification.id()),
                quoted(criterion.path())
            ),
            "run the verification against the present text and record its digest",
        ))
    }
}
