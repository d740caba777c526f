//! The prose of a document keeps to the controlled language of its regime, `ASD-STE100` with the profile
//! `house`, or `ste-house`: no sentence of more than 25 words, no semicolon in running text, no
//! contraction, and under the tag `en-US` no British spelling of the words on its list.
//!
//! A code span is one word and so is a parenthetical. A line of references, with two or more ` · ` in it,
//! may be of any length. Semicolons are for parentheses, headings and table cells. There is one finding
//! for each sentence and test.
//!
//! # Why
//!
//! Readers of a second language, and programs, lose the thread in long sentences and guess at
//! contractions. One form for each word makes a corpus searchable.
//!
//! # Example
//!
//! `It doesn't hold.` The fix writes `does not`. In `So it's open.` the contraction may stand for `is` or
//! `has`, so a person writes it out.
//!
//! # Neighbour
//!
//! An apostrophe and an s are a possessive after most words: `the reader's copy` is none. Code and what
//! stands in quotation marks are not the author's words. A heading is reported and not rewritten, since
//! links name it.

use headwater_check::headwater_taxonomy::model::Language;
use headwater_check::markdown::BlockKind;
use headwater_check::{
    About, Defect, DocumentNeeds, DocumentRule, DocumentView, Kind, Origin, Outcome, Outside, Passage, Patch,
    Span, Taxonomy,
};

use crate::contraction::contraction;
use crate::language;
use crate::phrases::Phrases;
use crate::say::{by_hand, quoted};
use crate::spelling::{american, may_be_british};

/// The most words of a sentence.
const MOST_WORDS: usize = 25;

/// The rule for one regime.
pub(crate) enum Rule {
    /// The language is known.
    Known {
        /// Whether it spells the American way.
        is_american: bool,
        /// What the regime retires. How to write a retired term anew is for its own rule to say.
        retired: Phrases,
    },
    /// It is not; why.
    Unknown(String),
}

impl DocumentRule for Rule {
    const ABOUT: About = About::new(
        "language.controlled.not_met",
        1,
        Origin::Document,
        include_str!("../../../docs/rules/language.controlled.not_met.md"),
    );
    const NEEDS: DocumentNeeds = DocumentNeeds { body: true, ..DocumentNeeds::NONE };
    const OUTSIDE: Option<Outside<Self>> =
        Some(|taxonomy, regime| Self::of(language::named(taxonomy, regime)?));

    fn generate(taxonomy: &Taxonomy, kind: &Kind) -> Option<Self> {
        Self::of(language::of_kind(taxonomy, kind)?)
    }

    fn abstains(&self) -> Option<String> {
        match self {
            Self::Known { .. } => None,
            Self::Unknown(why) => Some(why.clone()),
        }
    }

    fn evaluate(&self, view: &DocumentView<'_>) -> Outcome {
        let (is_american, retired) = match self {
            Self::Known { is_american, retired } => (*is_american, retired),
            Self::Unknown(why) => return Outcome::skip(why.clone()),
        };
        let Some(prose) = view.prose() else { return Outcome::Pass };
        let may_contract = prose.folded().contains('\'');
        let may_spell = is_american && may_be_british(prose.folded());
        let mut defects = Vec::new();
        for passage in prose.passages() {
            defects.extend(length(passage));
            defects.extend(semicolon(passage));
            let text = passage.text();
            if may_contract && text.contains(MARKS) {
                let mut words = words(text).into_iter();
                defects.extend(words.find_map(|word| contracted(passage, word, retired)));
            }
            if may_spell {
                let mut words = words(text).into_iter();
                defects.extend(words.find_map(|word| spelled(passage, word, retired)));
            }
        }
        Outcome::of(defects)
    }
}

impl Rule {
    fn of((name, regime): (&str, &Language)) -> Option<Self> {
        let family = regime.controlled.as_deref().filter(|family| !matches!(*family, "" | "none"))?;
        let is_american =
            regime.tag.as_deref().is_some_and(|tag| tag.eq_ignore_ascii_case("en-US"));
        let profile = regime.profile.as_deref();
        let is = |known: &str| family.eq_ignore_ascii_case(known);
        if (is("ASD-STE100") && profile == Some("house")) || (is("ste-house") && profile.is_none()) {
            let retired = regime.retired_terms.iter().map(|retired| retired.term.as_str());
            return Some(Self::Known { is_american, retired: Phrases::new(retired) });
        }
        let profile = profile.map_or_else(
            || "without a profile".to_owned(),
            |profile| format!("with the profile {}", quoted(profile)),
        );
        Some(Self::Unknown(format!(
            "the language regime {} names the controlled language {} {profile}, which this program does \
             not know; it knows `ASD-STE100` with the profile `house`, and `ste-house`",
            quoted(name),
            quoted(family)
        )))
    }
}

fn length(passage: Passage<'_>) -> Option<Defect> {
    let sentence = passage.sentence();
    let words = sentence.words();
    let is_list = || sentence.text.matches(" · ").count() > 1;
    (words > MOST_WORDS && !is_list()).then(|| {
        Defect::warn(
            passage.start(),
            format!("the sentence has {words} words, and the controlled language allows {MOST_WORDS}"),
            by_hand(passage, "make two sentences of it, or a list"),
        )
    })
}

fn semicolon(passage: Passage<'_>) -> Option<Defect> {
    let is_running = matches!(passage.block(), BlockKind::Paragraph | BlockKind::Item);
    (is_running && passage.sentence().marks_outside_parentheses(';')).then(|| {
        Defect::warn(
            passage.start(),
            "the sentence joins two statements with a semicolon, which the controlled language keeps for \
             parentheses",
            by_hand(passage, "make two sentences of it"),
        )
    })
}

fn contracted(passage: Passage<'_>, word: Span, retired: &Phrases) -> Option<Defect> {
    let written = word.of(passage.text());
    let found = contraction(written)?;
    let message = format!("{} is a contraction", quoted(written));
    let asks = passage.sentence().text.ends_with('?');
    let (remedy, patch) = match &found.expansion {
        Some(expansion) if !(asks && found.is_negation) => {
            (format!("write {}", quoted(expansion)), patch(passage, word, expansion, retired))
        }
        _ => ("write out the words that it stands for".to_owned(), None),
    };
    Some(Defect::error(passage.place(word), message, by_hand(passage, &remedy)).patched(patch))
}

fn spelled(passage: Passage<'_>, word: Span, retired: &Phrases) -> Option<Defect> {
    let written = word.of(passage.text());
    let (marks, rest) = written.split_at(written.len() - written.trim_start_matches(MARKS).len());
    let bare = rest.split(MARKS).next().unwrap_or_default();
    let form = american(bare)?;
    let start = word.start + marks.len();
    let word = Span::new(start, start + bare.len());
    let message = format!("{} is the British spelling, and the language is en-US", quoted(bare));
    let (remedy, patch) = (format!("write {}", quoted(&form)), patch(passage, word, &form, retired));
    Some(Defect::error(passage.place(word), message, by_hand(passage, &remedy)).patched(patch))
}

/// The patch that writes a word anew, unless a retired term holds it.
fn patch(passage: Passage<'_>, word: Span, form: &str, retired: &Phrases) -> Option<Patch> {
    let patch = passage.replacing(word, form)?;
    let mut terms = retired.find(passage.text()).into_iter();
    terms.all(|term| term.span.end <= word.start || word.end <= term.span.start).then_some(patch)
}

/// The two forms of the apostrophe.
const MARKS: [char; 2] = ['\'', '’'];

/// The words of a text: letters and digits, with the apostrophes among them.
fn words(text: &str) -> Vec<Span> {
    let mut words: Vec<Span> = Vec::new();
    let letters = text.char_indices().filter(|(_, c)| c.is_alphanumeric() || MARKS.contains(c));
    for (at, c) in letters {
        let end = at + c.len_utf8();
        match words.last_mut() {
            Some(last) if last.end == at => last.end = end,
            _ => words.push(Span::new(at, end)),
        }
    }
    words
}
