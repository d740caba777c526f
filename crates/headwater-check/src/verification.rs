//! Verifications: how far the documents that criteria are said to be proven by are borne out by the
//! committed observations (checks §1.3, rule 49).

use headwater_corpus::{Corpus, Digest};
use headwater_taxonomy::model::Relation;

use crate::observations::{Observation, Observations};

/// The kind whose documents are verifications.
const KIND: &str = "verification";

/// Whether the targets of a relation may be verifications of its sources.
#[must_use]
pub fn is_verification(relation: &Relation) -> bool {
    relation.to.iter().any(|kind| kind == KIND)
}

/// How far a verification is borne out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verification<'o> {
    /// It is written down, and nobody observed it.
    Declared,
    /// It was observed against the present text of the criterion.
    Observed,
    /// It was observed against another text.
    Suspect,
    /// The observation cannot be used; why.
    Unknown(&'o str),
}

impl<'o> Verification<'o> {
    /// The state of a verification by its identifier, for a criterion whose bytes have this digest.
    pub(crate) fn of(
        observations: &'o Observations,
        verification: &str,
        criterion: Option<Digest>,
    ) -> Self {
        match observations.get(verification) {
            None => Self::Declared,
            Some(Observation::Bad(why)) => Self::Unknown(why),
            Some(Observation::Control { .. }) => {
                Self::Unknown("the entry is that of a control, for want of `kind: verification`")
            }
            Some(Observation::Verification(digest)) => {
                let present = criterion.map(|digest| digest.to_string());
                if present.as_ref() == Some(digest) { Self::Observed } else { Self::Suspect }
            }
        }
    }
}

/// How many edges to verifications are in each state.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Verifications {
    /// Nobody observed them.
    pub declared: usize,
    /// They were observed against the present text.
    pub observed: usize,
    /// They were observed against another text.
    pub suspect: usize,
    /// Their observation cannot be used.
    pub unknown: usize,
}

impl Verifications {
    pub(crate) fn of(corpus: &Corpus, observations: &Observations) -> Self {
        let mut counts = Self::default();
        for pair in corpus.pairs() {
            if !corpus.relation_of(pair).is_some_and(is_verification) {
                continue;
            }
            let (Some(from), Some(to)) = (corpus.row(pair.from), corpus.row(pair.to)) else {
                continue;
            };
            let id = to.identifier().unwrap_or_default();
            let count = match Verification::of(observations, id, from.digest) {
                Verification::Declared => &mut counts.declared,
                Verification::Observed => &mut counts.observed,
                Verification::Suspect => &mut counts.suspect,
                Verification::Unknown(_) => &mut counts.unknown,
            };
            *count += 1;
        }
        counts
    }

    /// How many there are.
    #[must_use]
    pub const fn total(&self) -> usize {
        self.declared + self.observed + self.suspect + self.unknown
    }
}
