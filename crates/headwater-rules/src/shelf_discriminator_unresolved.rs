//! On a shelf that holds several kinds, the front matter says which: the discriminator is there, is one
//! text, and is a kind of the shelf.
//!
//! # Why
//!
//! A document whose kind is not told owes nothing and is judged by nothing.
//!
//! # Example
//!
//! On the shelf `mixed`, which holds `note` and `memo`, a document writes `doc_type: noet`.
//!
//! # Neighbour
//!
//! Not every document without a kind is reported here: one on no shelf, one on two, and one without
//! front matter have no discriminator to mend. `coverage.document_unchecked` reports them.

use headwater_check::{
    About, CorpusNeeds, CorpusRule, CorpusView, Defect, Origin, Outcome, Taxonomy,
};
use headwater_check::headwater_corpus::Stop;

use crate::say::{listed, quoted};

/// The rule.
pub(crate) struct Rule {
    /// Each shelf that holds several kinds, and those kinds.
    shelves: Vec<(String, Vec<String>)>,
}

impl CorpusRule for Rule {
    const ABOUT: About = About::new(
        "shelf.discriminator.unresolved",
        1,
        Origin::Shape,
        include_str!("../../../docs/rules/shelf.discriminator.unresolved.md"),
    );
    const NEEDS: CorpusNeeds = CorpusNeeds { phase_a: true, ..CorpusNeeds::NONE };

    fn generate(taxonomy: &Taxonomy) -> Option<Self> {
        let shelves = taxonomy.shelves.values().filter(|shelf| !shelf.homogeneous);
        let shelves: Vec<_> = shelves.map(|shelf| (shelf.name.clone(), shelf.kinds.clone())).collect();
        (!shelves.is_empty()).then_some(Self { shelves })
    }

    fn evaluate(&self, view: &CorpusView<'_>) -> Outcome {
        let mut defects = Vec::new();
        for (matter, stop) in view.stops().unwrap_or_default() {
            let (shelf, facet, place, what) = match stop {
                Stop::NoDiscriminator { shelf, facet } => {
                    (shelf, facet, matter.start(), "is not written".to_owned())
                }
                Stop::DiscriminatorNotScalar { shelf, facet, span } => {
                    (shelf, facet, matter.place(*span), "is not one text".to_owned())
                }
                Stop::UnknownDiscriminator { shelf, facet, value, span } => {
                    (shelf, facet, matter.place(*span), format!("is {}", quoted(value)))
                }
                _ => continue,
            };
            let kinds = self.shelves.iter().find(|(name, _)| name == shelf);
            let kinds = listed(kinds.into_iter().flat_map(|(_, kinds)| kinds).map(String::as_str));
            defects.push(Defect::error(
                place,
                format!(
                    "{} {what}, and it tells the kinds of the shelf {} apart: {kinds}",
                    quoted(facet),
                    quoted(shelf)
                ),
                format!("write one of {kinds} under {}", quoted(facet)),
            ));
        }
        Outcome::of(defects)
    }
}
