//! An edge does not lead back to the document that wrote it, by identifier or by its own literal path.
//! Relations of the family `association` may.
//!
//! # Why
//!
//! A document that replaces, supports or governs itself says nothing, and closes every walk along the
//! relation into a circle.
//!
//! # Example
//!
//! `docs/notes/a.md` is `NOTE-ACM-a` and writes `needs: NOTE-ACM-a`.
//!
//! # Neighbour
//!
//! A pattern that also matches the own file is no such edge: `governs: docs/notes/*.md` means the
//! folder. A circle over several documents is `relation.cycle`.

use headwater_check::{
    About, Defect, EntryRule, EntryTarget, EntryView, Origin, Outcome, Relation, Taxonomy,
};
use headwater_check::headwater_taxonomy::model::Family;

use crate::say::quoted;

/// The rule for one relation.
pub(crate) struct Rule;

impl EntryRule for Rule {
    const ABOUT: About = About::new(
        "relation.target.is_source",
        1,
        Origin::Graph,
        include_str!("../../../docs/rules/relation.target.is_source.md"),
    );

    fn generate(_: &Taxonomy, relation: &Relation) -> Option<Self> {
        (relation.family != Some(Family::Association)).then_some(Self)
    }

    fn evaluate(&self, view: &EntryView<'_>) -> Outcome {
        let half = view.half();
        let own = half.writer().path();
        let itself = match view.target() {
            EntryTarget::Document(document) => document.path() == own,
            EntryTarget::Anchor(anchor) if anchor.resolver == "source-tree" => {
                !anchor.parts.is_empty() && anchor.parts.iter().all(|part| part.normalized == own)
            }
            _ => false,
        };
        if !itself {
            return Outcome::Pass;
        }
        Outcome::fail(Defect::error(
            half.place(),
            format!(
                "{} leads from this document to itself",
                quoted(&format!("{}: {}", half.written(), half.target_text()))
            ),
            "name another document, or remove the entry",
        ))
    }
}
