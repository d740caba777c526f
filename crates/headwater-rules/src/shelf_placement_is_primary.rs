//! On a shelf whose place decides the kind, the front matter does not state the kind again, under `kind`
//! or under a facet by which another shelf tells kinds apart.
//!
//! # Why
//!
//! A fact in two places is one that will disagree with itself: the file is moved and the key is not.
//!
//! # Example
//!
//! `docs/notes/a.md` is a note because of its path, and writes `kind: note`.
//!
//! # Neighbour
//!
//! A restatement that agrees with the place is reported like one that does not; it agrees only today.

use headwater_check::{
    About, Defect, DocumentRule, DocumentView, Kind, Origin, Outcome, Taxonomy,
};

use crate::say::quoted;

/// The rule.
pub(crate) struct Rule {
    /// The facets that some shelf tells kinds apart by, in shelf order.
    discriminators: Vec<String>,
}

impl DocumentRule for Rule {
    const ABOUT: About = About::new(
        "shelf.placement_is_primary",
        1,
        Origin::Shape,
        include_str!("../../../docs/rules/shelf.placement_is_primary.md"),
    );
    // It has an instance over every typed document.
    const ROUTES: bool = false;

    fn generate(taxonomy: &Taxonomy, _: &Kind) -> Option<Self> {
        let shelves = taxonomy.shelves.values().filter(|shelf| !shelf.homogeneous);
        let discriminators = shelves.filter_map(|shelf| shelf.discriminator.clone()).collect();
        Some(Self { discriminators })
    }

    fn evaluate(&self, view: &DocumentView<'_>) -> Outcome {
        let Some(shelf) = view.shelf() else {
            return Outcome::skip("the shelf is heterogeneous, so the front matter states the kind");
        };
        let matter = view.front_matter();
        let kind = matter.entry("kind").map(|entry| (entry.key.as_str(), entry.key_span));
        let restated = kind.or_else(|| {
            let mut facts = self.discriminators.iter().filter_map(|facet| matter.facet(facet));
            facts.next().map(|fact| (fact.key, fact.key_span))
        });
        let Some((key, span)) = restated else { return Outcome::Pass };
        Outcome::fail(Defect::error(
            matter.place(span),
            format!(
                "{} states the kind, which the shelf {} decides by its place: it is {}",
                quoted(key),
                quoted(shelf),
                quoted(view.kind())
            ),
            format!("remove {}", quoted(key)),
        ))
    }
}
