//! A link whose whole text is the identifier of a document leads to that document.
//!
//! # Why
//!
//! The reader trusts the text, and the browser follows the path.
//!
//! # Example
//!
//! `[NOTE-ACM-b](c.md)`, where `c.md` is `NOTE-ACM-c`.
//!
//! # Neighbour
//!
//! A text that only contains an identifier is prose about it and may lead anywhere.

use headwater_check::{
    About, BoundLink, CorpusNeeds, CorpusRule, CorpusView, Defect, End, Origin, Outcome, Taxonomy,
};

use crate::say::quoted;

/// The rule.
pub(crate) struct Rule;

impl CorpusRule for Rule {
    const ABOUT: About = About::new(
        "link.identifier.mismatch",
        1,
        Origin::Graph,
        include_str!("../../../docs/rules/link.identifier.mismatch.md"),
    );
    const NEEDS: CorpusNeeds = CorpusNeeds { links: true, ..CorpusNeeds::NONE };

    fn generate(_: &Taxonomy) -> Option<Self> {
        Some(Self)
    }

    fn evaluate(&self, view: &CorpusView<'_>) -> Outcome {
        let wrong = view.links().filter_map(|link| {
            let (holder, reached) = compared(view, &link)?;
            (reached.id() != holder.id()).then(|| {
                let what = match reached.id() {
                    "" => format!("{}, which has no identifier", quoted(reached.path())),
                    id => format!("{}, which is {}", quoted(reached.path()), quoted(id)),
                };
                Defect::error(
                    link.place(),
                    format!("the text of this link is {}, and it leads to {what}", quoted(holder.id())),
                    format!("write the path of {}, or another text", quoted(holder.path())),
                )
            })
        });
        Outcome::of(wrong.collect())
    }

    fn compared(&self, view: &CorpusView<'_>) -> Option<usize> {
        Some(view.links().filter(|link| compared(view, link).is_some()).count())
    }
}

/// The document that the text of a link names, and the one that it leads to.
fn compared<'v>(view: &CorpusView<'v>, link: &BoundLink<'v>) -> Option<(End<'v>, End<'v>)> {
    let reached = link.document()?;
    Some((view.holder(link.fact().text.trim())?, reached))
}
