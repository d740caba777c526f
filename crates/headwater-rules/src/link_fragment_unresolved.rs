//! The fragment of a link is the anchor of a heading of the document that the link leads to, as written
//! or percent-decoded once. A name that raw HTML sets is no anchor.
//!
//! # Why
//!
//! A link to a heading that was renamed still opens the page, at the top, and the reader does not find
//! what was meant.
//!
//! # Example
//!
//! `[x](b.md#real-two)`, where `b.md` has the heading `Real one`.
//!
//! # Neighbour
//!
//! An anchor is not a prefix: of four headings One, One, One-1, One the anchors are `one`, `one-1`,
//! `one-1-1` and `one-2`. A link to no file is `link.path.unresolved`.

use headwater_check::{
    About, CorpusNeeds, CorpusRule, CorpusView, Defect, Origin, Outcome, Taxonomy,
};

use crate::say::quoted;

/// The rule.
pub(crate) struct Rule;

impl CorpusRule for Rule {
    const ABOUT: About = About::new(
        "link.fragment.unresolved",
        1,
        Origin::Document,
        include_str!("../../../docs/rules/link.fragment.unresolved.md"),
    );
    const NEEDS: CorpusNeeds = CorpusNeeds { links: true, ..CorpusNeeds::NONE };

    fn generate(_: &Taxonomy) -> Option<Self> {
        Some(Self)
    }

    fn evaluate(&self, view: &CorpusView<'_>) -> Outcome {
        let dead = view.links().filter(|link| link.reaches_anchor() == Some(false));
        Outcome::of(
            dead.map(|link| {
                let fragment = quoted(&format!("#{}", link.fragment().unwrap_or_default()));
                let path = link.document().map_or("", |document| document.path());
                let whose = if path == link.path() { "this document".to_owned() } else { quoted(path) };
                Defect::error(
                    link.place(),
                    format!("no heading of {whose} has the anchor {fragment}"),
                    "write the anchor of a heading that is there, or restore the heading",
                )
            })
            .collect(),
        )
    }

    fn compared(&self, view: &CorpusView<'_>) -> Option<usize> {
        Some(view.links().filter(|link| link.seeks_anchor()).count())
    }
}
