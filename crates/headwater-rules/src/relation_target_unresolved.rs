//! What an edge names is there: a document of the corpus by its identifier, or something outside that a
//! resolver knows.
//!
//! # Why
//!
//! An edge to nothing is a claim nobody can follow; every index and every rule over edges passes it
//! over.
//!
//! # Example
//!
//! `mentions: NOTE-ACM-gone`, and no document carries that identifier.
//!
//! # Neighbour
//!
//! A path that exists is not enough where documents may stand: they are named by identifier, so that a
//! move does not break the edge. Whether the kind of what is there may stand at that end is
//! `relation.endpoint.not_permitted`.

use headwater_check::{
    About, Defect, EntryRule, EntryTarget, EntryView, Origin, Outcome, Relation, Taxonomy, Unbound,
};

use crate::say::{listed, quoted};

/// The rule for one relation.
pub(crate) struct Rule;

impl EntryRule for Rule {
    const ABOUT: About = About::new(
        "relation.target.unresolved",
        1,
        Origin::Graph,
        include_str!("../../../docs/rules/relation.target.unresolved.md"),
    );

    fn generate(_: &Taxonomy, _: &Relation) -> Option<Self> {
        Some(Self)
    }

    fn evaluate(&self, view: &EntryView<'_>) -> Outcome {
        let EntryTarget::Unbound(why) = view.target() else { return Outcome::Pass };
        let half = view.half();
        let target = quoted(&half.target_text());
        let (message, remedy) = match why {
            Unbound::NoSuchTarget(said) => {
                let mut message = format!("no document and no anchor carries {target}");
                for (resolver, words) in said {
                    message.push_str(&format!("; {resolver} says: {words}"));
                }
                (message, "write the identifier of a document that exists, or make that document".to_owned())
            }
            Unbound::NotTyped { path, class } => (
                format!("{target} is the identifier of {}, which has no kind ({class})", quoted(path)),
                format!("give {} a kind: move it to a shelf, or mend what keeps it from being typed", quoted(path)),
            ),
            Unbound::NoResolver(anchor, resolver, why) => (
                format!(
                    "{target} is to be a {}, and the resolver {} is not in this run{}",
                    quoted(anchor),
                    quoted(resolver),
                    why.map_or_else(String::new, |why| format!(": {why}"))
                ),
                "make the resolver available, or name something that another one knows".to_owned(),
            ),
            Unbound::Refused(anchor, resolver, said) => (
                format!("{target} is no {}: {resolver} says: {said}", quoted(anchor)),
                "correct the target, or remove the entry".to_owned(),
            ),
            Unbound::Ambiguous(kinds) => {
                let kinds = listed(kinds.iter().map(String::as_str));
                (
                    format!("{target} is claimed by several anchor kinds: {kinds}"),
                    "spell the target so that only one of them knows it".to_owned(),
                )
            }
            Unbound::ByPath(document) => (
                format!("{target} is the path of a document, and documents are named by identifier"),
                format!("write {} in place of the path", quoted(document.id())),
            ),
        };
        Outcome::fail(Defect::error(half.place(), message, remedy))
    }
}
