//! A document of a kind that relations may join has one identifier.
//!
//! # Why
//!
//! Edges begin and end at identifiers. A document without one can be named by nothing, and everything
//! it writes about its relations is lost.
//!
//! # Example
//!
//! `docs/notes/a.md` has a title and `relations:`, and no `id`; or its `id` is a list.
//!
//! # Neighbour
//!
//! A kind that stands at no end of any relation is asked for no identifier. One that its scheme did not
//! mint is `identifier.pattern.not_met`.

use headwater_check::{
    About, Defect, DocumentNeeds, DocumentRule, DocumentView, Kind, Origin, Outcome, Taxonomy,
};
use headwater_check::headwater_corpus::Identity;

use crate::say::quoted;

/// The rule.
pub(crate) struct Rule;

impl DocumentRule for Rule {
    const ABOUT: About = About::new(
        "identifier.unusable",
        1,
        Origin::Graph,
        include_str!("../../../docs/rules/identifier.unusable.md"),
    );
    const NEEDS: DocumentNeeds = DocumentNeeds { phase_a: true, ..DocumentNeeds::NONE };

    fn generate(taxonomy: &Taxonomy, kind: &Kind) -> Option<Self> {
        taxonomy.is_related(kind).then_some(Self)
    }

    fn evaluate(&self, view: &DocumentView<'_>) -> Outcome {
        let matter = view.front_matter();
        let key = || quoted(&matter.bindings().identifier_key);
        let (place, what) = match matter.identity() {
            Identity::Usable(_) => return Outcome::Pass,
            Identity::Absent => {
                (matter.start(), format!("this document has no identifier under {}", key()))
            }
            Identity::NotScalar(span) => {
                (matter.place(*span), format!("{} is not one text, so it is no identifier", key()))
            }
        };
        let lost = if matter.writes_relations() {
            ", and every entry of its relations is lost with it"
        } else {
            ""
        };
        Outcome::fail(Defect::error(
            place,
            format!("{what}, and relations may join documents of the kind {}{lost}", quoted(view.kind())),
            format!("write one identifier under {}", key()),
        ))
    }
}
