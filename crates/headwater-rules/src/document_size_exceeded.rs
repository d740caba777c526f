//! A document, or a section of it, has no more words than the budget of its kind. The nearest kind of the
//! chain that declares a budget gives all of it.
//!
//! Words are the author's: code, block quotations and what stands in quotation marks do not count. A
//! section is what stands under its heading, down to the next heading of its level or above; the heading
//! itself belongs to the document and not to the section.
//!
//! # Why
//!
//! A document that is read in one sitting is read. What outgrows its budget is two documents, or holds
//! what belongs elsewhere.
//!
//! # Example
//!
//! The kind declares `budget: {sections: {Context: 200}}`, and the text under `Context` has 240 words.
//!
//! # Neighbour
//!
//! The size of the file says nothing: a long listing costs a reader no words.

use std::collections::BTreeMap;

use headwater_check::headwater_taxonomy::model::Budget;
use headwater_check::markdown::{Document, Heading, PLACEHOLDER, Sentence};
use headwater_check::{
    About, Defect, DocumentNeeds, DocumentRule, DocumentView, Kind, Origin, Outcome, Place, Taxonomy,
};

use crate::say::quoted;

/// The rule for one kind.
pub(crate) struct Rule {
    kind: String,
    budget: Budget,
}

impl DocumentRule for Rule {
    const ABOUT: About = About::new(
        "document.size.exceeded",
        1,
        Origin::Document,
        include_str!("../../../docs/rules/document.size.exceeded.md"),
    );
    const NEEDS: DocumentNeeds = DocumentNeeds { body: true, ..DocumentNeeds::NONE };

    fn generate(_: &Taxonomy, kind: &Kind) -> Option<Self> {
        let budget = kind.budget.clone()?;
        let asks = budget.words.is_some() || !budget.sections.is_empty();
        asks.then(|| Self { kind: kind.name.clone(), budget })
    }

    fn evaluate(&self, view: &DocumentView<'_>) -> Outcome {
        let Some(body) = view.body() else { return Outcome::Pass };
        let markdown = body.markdown();
        let words = Words::of(markdown);
        let mut defects = Vec::new();
        let whole = words.between(0, markdown.source().len());
        if let Some(most) = self.budget.words.filter(|most| whole > *most) {
            defects.push(self.defect(view.file(), "document", whole, most));
        }
        let budgets: BTreeMap<String, (&str, u64)> = {
            let sections = self.budget.sections.iter();
            sections.map(|(name, most)| (folded(name), (name, *most))).collect()
        };
        for (heading, end) in sections(markdown) {
            let Some((name, most)) = budgets.get(&folded(&heading.text)) else { continue };
            let held = words.between(heading.span.end, end);
            if held > *most {
                let what = format!("section {}", quoted(name));
                defects.push(self.defect(body.place(heading.span), &what, held, *most));
            }
        }
        Outcome::of(defects)
    }
}

impl Rule {
    fn defect(&self, place: Place, what: &str, words: u64, most: u64) -> Defect {
        Defect::warn(
            place,
            format!("the {what} has {words} words, and the kind {} allows {most}", quoted(&self.kind)),
            "shorten it, or move a part of it to a document of its own",
        )
    }
}

/// The headings outside block quotations, each with where its section ends.
fn sections(document: &Document) -> Vec<(Heading, usize)> {
    let length = document.source().len();
    let mut sections: Vec<(Heading, usize)> = Vec::new();
    let mut open: Vec<usize> = Vec::new();
    for heading in document.headings().into_iter().filter(|heading| heading.quote_depth == 0) {
        while let Some((above, end)) = open.last().and_then(|at| sections.get_mut(*at)) {
            if above.level < heading.level {
                break;
            }
            *end = heading.span.start;
            open.pop();
        }
        open.push(sections.len());
        sections.push((heading, length));
    }
    sections
}

fn folded(heading: &str) -> String {
    heading.trim().to_lowercase()
}

/// Where the author's words stand.
struct Words {
    /// The start of each sentence and how many words stand before it.
    before: Vec<(usize, u64)>,
    all: u64,
}

impl Words {
    fn of(document: &Document) -> Self {
        let (mut before, mut all) = (Vec::new(), 0);
        for sentence in document.sentences() {
            before.push((sentence.span.start, all));
            all += authored_words(&sentence);
        }
        Self { before, all }
    }

    /// How many words stand in the sentences that begin between two places.
    fn between(&self, start: usize, end: usize) -> u64 {
        let before = |at: usize| {
            let next = self.before.partition_point(|(start, _)| *start < at);
            self.before.get(next).map_or(self.all, |(_, words)| *words)
        };
        before(end).saturating_sub(before(start))
    }
}

/// How many words of a sentence are the author's.
fn authored_words(sentence: &Sentence) -> u64 {
    let prose = sentence.prose();
    let words = prose.text.split(|c: char| c.is_whitespace() || c == PLACEHOLDER);
    words.filter(|word| word.contains(char::is_alphanumeric)).count() as u64
}
