//! A document has a heading for every section that its kind, or a kind above it, requires. The level
//! and the case do not matter.
//!
//! # Why
//!
//! Readers of a kind know where in a document to look. A section that is not there is a question
//! without an answer.
//!
//! # Example
//!
//! The kind requires the section `Context`, and the document has no such heading.
//!
//! # Neighbour
//!
//! The word in the text is not the heading, and neither is a heading inside a block quotation or a code
//! block, which belongs to what is quoted.

use headwater_check::markdown::BlockKind;
use headwater_check::{
    About, Defect, DocumentNeeds, DocumentRule, DocumentView, Kind, Origin, Outcome, Taxonomy,
};

use crate::say::quoted;

/// The rule for one kind.
pub(crate) struct Rule {
    kind: String,
    /// The sections, each with what its heading is compared by.
    owed: Vec<(String, String)>,
}

impl DocumentRule for Rule {
    const ABOUT: About = About::new(
        "section.required.missing",
        1,
        Origin::Document,
        include_str!("../../../docs/rules/section.required.missing.md"),
    );
    const NEEDS: DocumentNeeds = DocumentNeeds { body: true, ..DocumentNeeds::NONE };

    fn generate(_: &Taxonomy, kind: &Kind) -> Option<Self> {
        let owed = kind.sections.iter().map(|section| (section.clone(), folded(section)));
        let owed: Vec<(String, String)> = owed.collect();
        (!owed.is_empty()).then(|| Self { kind: kind.name.clone(), owed })
    }

    fn evaluate(&self, view: &DocumentView<'_>) -> Outcome {
        let Some(body) = view.body() else { return Outcome::Pass };
        let markdown = body.markdown();
        let headings = markdown.blocks().iter().filter(|it| matches!(it.kind, BlockKind::Heading(_)));
        let own = headings.filter(|heading| heading.quote_depth == 0);
        let text = |heading| markdown.body().text_of(markdown.source(), heading);
        let mut missing: Vec<&(String, String)> = self.owed.iter().collect();
        for heading in own {
            if missing.is_empty() {
                return Outcome::Pass;
            }
            let written = folded(&text(heading));
            missing.retain(|(_, owed)| *owed != written);
        }
        Outcome::of(
            missing
                .into_iter()
                .map(|(section, _)| {
                    Defect::error(
                        view.file(),
                        format!(
                            "the section {} is missing, which every document of the kind {} owes",
                            quoted(section),
                            quoted(&self.kind)
                        ),
                        format!("add a heading {} with what belongs under it", quoted(section)),
                    )
                })
                .collect(),
        )
    }
}

fn folded(heading: &str) -> String {
    heading.trim().to_lowercase()
}
