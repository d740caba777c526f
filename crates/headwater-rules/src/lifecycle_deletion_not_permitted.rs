//! A change takes no document away that stood at the end of a lifecycle which keeps what has ended.
//!
//! # Why
//!
//! A ruling that was superseded is why the present one says what it says, and others still name it. With
//! the file goes the record.
//!
//! # Example
//!
//! The lifecycle of rulings has `retain_terminal: true`; a change deletes one at `superseded`.
//!
//! # Neighbour
//!
//! Not every file that is gone was such a document: a draft may be thrown away, a renamed document is
//! named at its new path, and a file outside the corpus was none.

use std::collections::BTreeMap;

use headwater_check::{
    About, CorpusNeeds, CorpusRule, CorpusView, Defect, Origin, Outcome, Place, Taxonomy,
};
use headwater_check::headwater_taxonomy::model::Lifecycle;

use crate::say::quoted;
use crate::states::StateFacet;

/// The rule.
pub(crate) struct Rule {
    facet: StateFacet,
    /// The lifecycles that keep what has ended, by kind.
    keeping: BTreeMap<String, Lifecycle>,
}

impl CorpusRule for Rule {
    const ABOUT: About = About::new(
        "lifecycle.deletion.not_permitted",
        1,
        Origin::Graph,
        include_str!("../../../docs/rules/lifecycle.deletion.not_permitted.md"),
    );
    const NEEDS: CorpusNeeds = CorpusNeeds { prior: true, ..CorpusNeeds::NONE };

    fn generate(taxonomy: &Taxonomy) -> Option<Self> {
        let facet = StateFacet::of(taxonomy)?;
        let keeping = taxonomy.kinds.values().filter_map(|kind| {
            let lifecycle = taxonomy.lifecycle_of(kind).filter(|held| held.retain_terminal)?;
            Some((kind.name.clone(), lifecycle.clone()))
        });
        let keeping: BTreeMap<_, _> = keeping.collect();
        (!keeping.is_empty()).then_some(Self { facet, keeping })
    }

    fn evaluate(&self, view: &CorpusView<'_>) -> Outcome {
        let (mut defects, mut unread) = (Vec::new(), None);
        for gone in view.departed() {
            let (kind, matter) = match gone.stood {
                Ok((Some(kind), matter)) => (kind, matter),
                Ok((None, _)) => continue,
                Err(why) => {
                    unread.get_or_insert((gone.path, why));
                    continue;
                }
            };
            let state = self.facet.state(matter);
            let Some((lifecycle, state)) = self.keeping.get(kind).zip(state) else { continue };
            if !lifecycle.names(state) || !lifecycle.is_terminal(state) {
                continue;
            }
            defects.push(Defect::error(
                Place::file(gone.path),
                format!(
                    "the change takes this document away; it stood at {}, where the lifecycle of the kind {} ends, and that lifecycle keeps what has ended",
                    quoted(state),
                    quoted(kind)
                ),
                "restore the document; where it moved, the change is to name it at its new path",
            ));
        }
        match unread {
            // A document that cannot be read may have been one that is kept.
            Some((path, why)) if defects.is_empty() => Outcome::skip(format!(
                "the version of {} before the change cannot be read: {why}",
                quoted(path)
            )),
            _ => Outcome::of(defects),
        }
    }
}
