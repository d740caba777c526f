//! A document whose language regime states `source_form: one_line_per_block` writes each paragraph,
//! heading and list item on one line: no block of text is continued on the next line of the source.
//!
//! # Why
//!
//! A text that is wrapped by hand is wrapped anew when one word changes, so a comparison of two versions
//! shows lines that say the same, and a phrase that crosses a break is found by no search.
//!
//! # Example
//!
//! A paragraph stands on two lines. The finding is at the second.
//!
//! # Neighbour
//!
//! A break that a reader sees, made by a backslash or two spaces, is text and no wrapping. Code and raw
//! HTML keep their lines. A block quotation is held to the form, since its lines are this author's.

use headwater_check::headwater_taxonomy::model::Language;
use headwater_check::{
    About, Defect, DocumentNeeds, DocumentRule, DocumentView, Kind, Origin, Outcome, Outside, Span,
    Taxonomy,
};

use crate::language;
use crate::say::quoted;

/// The rule for one regime.
pub(crate) struct Rule {
    regime: String,
}

impl DocumentRule for Rule {
    const ABOUT: About = About::new(
        "language.source_form.not_met",
        1,
        Origin::Document,
        include_str!("../../../docs/rules/language.source_form.not_met.md"),
    );
    const NEEDS: DocumentNeeds = DocumentNeeds { body: true, ..DocumentNeeds::NONE };
    const OUTSIDE: Option<Outside<Self>> =
        Some(|taxonomy, regime| Self::of(language::named(taxonomy, regime)?));

    fn generate(taxonomy: &Taxonomy, kind: &Kind) -> Option<Self> {
        Self::of(language::of_kind(taxonomy, kind)?)
    }

    fn evaluate(&self, view: &DocumentView<'_>) -> Outcome {
        let Some(body) = view.body() else { return Outcome::Pass };
        let markdown = body.markdown();
        let blocks = markdown.blocks().iter().filter(|block| !block.kind.is_verbatim());
        let breaks = blocks.flat_map(|block| markdown.body().soft_breaks_of(block));
        let defect = |at: &Span| {
            let (lines, source) = (markdown.lines(), markdown.source());
            let line = lines.line(source, at.start) + 1;
            let next = Span::new(lines.start_of(source, line), lines.start_of(source, line + 1));
            Defect::error(
                body.place(next),
                format!(
                    "the line continues the block above it, where the language regime {} asks for one \
                     line per block",
                    quoted(&self.regime)
                ),
                "join it to the line before",
            )
        };
        Outcome::of(breaks.map(defect).collect())
    }
}

impl Rule {
    fn of((name, regime): (&str, &Language)) -> Option<Self> {
        regime.one_line_per_block.then(|| Self { regime: name.to_owned() })
    }
}
