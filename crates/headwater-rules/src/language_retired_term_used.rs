//! The prose of a document does not use a term that its language regime retires. Each retired term
//! carries a reason, and perhaps the term to write instead.
//!
//! # Why
//!
//! A corpus that gave a thing a new name has two names for it until the old one is gone, and a reader
//! cannot know that they mean the same.
//!
//! # Example
//!
//! The regime retires `master list` for `register`, and a sentence begins `Master list entries`. The fix
//! writes `Register`. A term without a replacement is advice, since only the author knows what to write.
//!
//! # Neighbour
//!
//! Words are whole and a hyphen is part of a word, so `master list` is not in `master list-price`. A
//! phrase that crosses a line break, an emphasis mark or a possessive is reported and not rewritten, and
//! neither is a heading, since links name it.

use std::collections::BTreeSet;

use headwater_check::headwater_taxonomy::model::Language;
use headwater_check::markdown::{BlockKind, Body, Owner};
use headwater_check::{
    About, Defect, DocumentNeeds, DocumentRule, DocumentView, Kind, Origin, Outcome, Outside, Passage,
    Severity, Taxonomy,
};

use crate::language;
use crate::phrases::{Found, Phrases};
use crate::say::{by_hand, quoted};

/// The rule for one regime.
pub(crate) struct Rule {
    phrases: Phrases,
    terms: Vec<Term>,
}

struct Term {
    term: String,
    reason: String,
    replacement: Option<String>,
    /// Whether the replacement can be written into any prose and is not retired itself.
    is_plain: bool,
}

impl DocumentRule for Rule {
    const ABOUT: About = About::new(
        "language.retired_term.used",
        1,
        Origin::Document,
        include_str!("../../../docs/rules/language.retired_term.used.md"),
    );
    const NEEDS: DocumentNeeds = DocumentNeeds { body: true, ..DocumentNeeds::NONE };
    const OUTSIDE: Option<Outside<Self>> =
        Some(|taxonomy, regime| Self::of(language::named(taxonomy, regime)?.1));

    fn generate(taxonomy: &Taxonomy, kind: &Kind) -> Option<Self> {
        Self::of(language::of_kind(taxonomy, kind)?.1)
    }

    fn evaluate(&self, view: &DocumentView<'_>) -> Outcome {
        let Some(prose) = view.prose().filter(|prose| self.phrases.may_be_in(prose.folded())) else {
            return Outcome::Pass;
        };
        Outcome::of(prose.passages().flat_map(|passage| self.defects(passage)).collect())
    }
}

impl Rule {
    fn of(regime: &Language) -> Option<Self> {
        let phrases = Phrases::new(regime.retired_terms.iter().map(|retired| retired.term.as_str()));
        let terms = regime.retired_terms.iter().map(|retired| {
            let replacement = retired.replacement.as_deref().map(str::trim);
            let replacement = replacement.filter(|text| !text.is_empty());
            Term {
                term: retired.term.clone(),
                reason: retired.reason.trim().trim_end_matches('.').to_owned(),
                is_plain: replacement
                    .is_some_and(|text| is_plain(text) && phrases.find(text).is_empty()),
                replacement: replacement.map(str::to_owned),
            }
        });
        let terms: Vec<Term> = terms.collect();
        (!terms.is_empty()).then_some(Self { phrases, terms })
    }

    /// The first use of each term in a sentence.
    fn defects(&self, passage: Passage<'_>) -> Vec<Defect> {
        let mut seen = BTreeSet::new();
        let uses = self.phrases.find(passage.text()).into_iter();
        let first = uses.filter(|used| seen.insert(used.phrase));
        first.filter_map(|used| self.defect(passage, used)).collect()
    }

    fn defect(&self, passage: Passage<'_>, used: Found) -> Option<Defect> {
        let term = self.terms.get(used.phrase)?;
        let reason = match term.reason.as_str() {
            "" => String::new(),
            reason => format!(": {}", headwater_check::headwater_taxonomy::yaml::shown(reason)),
        };
        let message = format!("the term {} is retired{reason}", quoted(&term.term));
        let (severity, remedy, patch) = match &term.replacement {
            Some(replacement) => {
                let replacement = cased(used.span.of(passage.text()), replacement);
                let patch = passage.replacing(used.span, &replacement).filter(|_| term.is_plain);
                (Severity::Error, format!("write {}", quoted(&replacement)), patch)
            }
            None => (Severity::Warn, "say it in other words".to_owned(), None),
        };
        let place = passage.place(used.span);
        Some(Defect::new(severity, place, message, by_hand(passage, &remedy)).patched(patch))
    }
}

/// A replacement that opens with a capital where the term does.
fn cased(used: &str, replacement: &str) -> String {
    let mut letters = replacement.chars();
    match letters.next() {
        Some(first) if used.starts_with(char::is_uppercase) => {
            first.to_uppercase().chain(letters).collect()
        }
        _ => replacement.to_owned(),
    }
}

/// Whether a text is read as itself wherever prose is: no markup, no quotation, no table bar.
fn is_plain(text: &str) -> bool {
    let body = Body::parse(text, 0);
    let [block] = body.blocks() else { return false };
    let [run] = body.runs_of(block) else { return false };
    block.kind == BlockKind::Paragraph
        && run.owner == Owner::Authored
        && run.is_exact()
        && run.text(text) == text
        && !text.contains(['|', '*', '_', '`', '[', ']', '<', '>', '&', '\\', '~', '!', '"', '“', '”'])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_replacement_keeps_the_capital_of_the_term() {
        assert_eq!(cased("Master list", "register"), "Register");
        assert_eq!(cased("master List", "register"), "register");
        assert_eq!(cased("Élan", "éclat"), "Éclat");
        assert_eq!(cased("x", "API"), "API");
    }

    #[test]
    fn a_replacement_with_markup_is_not_plain() {
        for text in ["register", "the second list", "it's", "naïve – once", "a (b), c; d: e"] {
            assert!(is_plain(text), "{text}");
        }
        for text in ["", "*a*", "a*", "[a](b)", "`a`", "a|b", "# a", "- a", "1. a", "&amp;", "a\nb", "\"a\"", "<a>"] {
            assert!(!is_plain(text), "{text}");
        }
    }
}
