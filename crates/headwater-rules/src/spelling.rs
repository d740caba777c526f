//! British spellings and their American forms, as far as the controlled language names them (checks
//! §9.4).

use std::sync::LazyLock;

use crate::phrases::Sieve;

/// A stem in both spellings and the endings that it has; an empty one is the stem alone.
const STEMS: [(&str, &str, &[&str]); 9] = [
    ("organis", "organiz", IS),
    ("customis", "customiz", IS),
    ("artefact", "artifact", &["", "s"]),
    ("behaviour", "behavior", &["", "s", "al"]),
    ("judgement", "judgment", &["", "s"]),
    ("licence", "license", &["", "s", "d"]),
    ("catalogue", "catalog", &["", "s"]),
    ("catalogued", "cataloged", &[""]),
    ("cataloguing", "cataloging", &[""]),
];

/// The endings of verbs in `-ise`. Others, as in `organism`, are of another word.
const IS: &[&str] = &[
    "e",
    "ed",
    "er",
    "ers",
    "es",
    "ing",
    "able",
    "ation",
    "ations",
    "ational",
    "ationally",
    "ability",
];

/// Whether a folded text may hold a word that has an American form.
pub(crate) fn may_be_british(folded: &str) -> bool {
    static BRITISH: LazyLock<Sieve> =
        LazyLock::new(|| Sieve::new(STEMS.map(|(british, ..)| british)));
    BRITISH.may_hold(folded)
}

/// The American form of a British word, in the case of the word.
pub(crate) fn american(word: &str) -> Option<String> {
    let lower = word.to_lowercase();
    STEMS.into_iter().find_map(|(british, american, endings)| {
        let ending = lower.strip_prefix(british).filter(|ending| endings.contains(ending))?;
        Some(in_case_of(word, &format!("{american}{ending}")))
    })
}

/// A lower-case text in the case of a model: all capitals, an initial one, or none.
pub(crate) fn in_case_of(model: &str, text: &str) -> String {
    let mut letters = model.chars().filter(|c| c.is_alphabetic());
    let capital = letters.next().is_some_and(char::is_uppercase);
    let mut rest = letters.peekable();
    if capital && rest.peek().is_some() && rest.all(char::is_uppercase) {
        return text.to_uppercase();
    }
    let mut letters = text.chars();
    match letters.next() {
        Some(first) if capital => first.to_uppercase().chain(letters).collect(),
        _ => text.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_word_has_one_american_form_and_other_words_have_none() {
        for (british, form) in [
            ("organise", "organize"),
            ("Organisation", "Organization"),
            ("organising", "organizing"),
            ("customisable", "customizable"),
            ("artefacts", "artifacts"),
            ("BEHAVIOUR", "BEHAVIOR"),
            ("behavioural", "behavioral"),
            ("judgements", "judgments"),
            ("licence", "license"),
            ("licenced", "licensed"),
            ("Catalogues", "Catalogs"),
            ("catalogued", "cataloged"),
        ] {
            assert_eq!(american(british).as_deref(), Some(form), "{british}");
            assert!(may_be_british(&format!("the {}s", british.to_lowercase())), "{british}");
        }
        for word in [
            "organism",
            "organisms",
            "organ",
            "behavior",
            "judge",
            "license",
            "catalog",
            "colour",
            "",
        ] {
            assert_eq!(american(word), None, "{word}");
        }
    }
}
