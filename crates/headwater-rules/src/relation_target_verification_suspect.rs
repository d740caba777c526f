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
//! A verification that nobody observed yet is not suspect; an entry that cannot be read is not judged.

use headwater_check::{
    About, Defect, Observation, Origin, Outcome, PairNeeds, PairRule, PairView, Relation, Taxonomy,
};

use crate::say::quoted;

/// The rule for one relation.
pub(crate) struct Rule;

impl PairRule for Rule {
    const ABOUT: About = About::new(
        "relation.target.verification.suspect",
        1,
        Origin::Graph,
        include_str!("../../../docs/rules/relation.target.verification.suspect.md"),
    );
    const NEEDS: PairNeeds = PairNeeds { observations: true, ..PairNeeds::NONE };

    fn generate(_: &Taxonomy, relation: &Relation) -> Option<Self> {
        relation.to.iter().any(|kind| kind == "verification").then_some(Self)
    }

    fn evaluate(&self, view: &PairView<'_>) -> Outcome {
        let (criterion, verification) = (view.from(), view.to());
        let observed = match view.observation(verification.id()) {
            None | Some(Observation::Control { .. }) => return Outcome::Pass,
            Some(Observation::Bad(why)) => {
                return Outcome::skip(format!(
                    "the observation of {} cannot be used: {why}",
                    quoted(verification.id())
                ));
            }
            Some(Observation::Verification(digest)) => digest,
        };
        let present = criterion.digest().map(|digest| digest.to_string());
        let Some(half) = view.half().filter(|_| present.as_ref() != Some(observed)) else {
            return Outcome::Pass;
        };
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
