//! Contractions: which words are one, and what those with a single expansion stand for (checks §9.4).

use crate::spelling::in_case_of;

/// The words that `'s` after them contracts with; after any other word it is a possessive.
const BEFORE_S: [&str; 11] =
    ["it", "that", "there", "here", "what", "who", "let", "he", "she", "which", "this"];

/// The words of which `n't` has one expansion.
const BEFORE_NOT: [&str; 14] = [
    "do", "does", "did", "is", "are", "was", "were", "has", "have", "had", "could", "should",
    "would", "must",
];

/// A contracted word.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Contraction {
    /// Its one expansion, in its case; none where it has several.
    pub expansion: Option<String>,
    /// Whether the expansion puts `not` behind its verb. In a question the subject comes between.
    pub is_negation: bool,
}

/// What a word with apostrophes contracts, if it is a contraction.
pub(crate) fn contraction(word: &str) -> Option<Contraction> {
    let (stem, ending) = ending(word)?;
    let lower = stem.to_lowercase();
    let one = |word: &str| Some(format!("{stem} {}", like(ending, word)));
    let expansion = match (lower.as_str(), ending.to_lowercase().as_str()) {
        ("wo", "t") => Some(format!("{} {}", in_case_of(stem, "will"), like(ending, "not"))),
        ("ca", "t") => Some(format!("{stem}{}", like(ending, "nnot"))),
        (verb, "t") if BEFORE_NOT.contains(&verb) => one("not"),
        ("i", "m") => one("am"),
        ("i" | "we" | "they" | "you", "ve") => one("have"),
        ("we" | "they" | "you", "re") => one("are"),
        (_, "ll") => one("will"),
        _ => None,
    };
    Some(Contraction { expansion, is_negation: ending.eq_ignore_ascii_case("t") })
}

/// A contraction without its ending, and the letters of the ending behind the apostrophe.
fn ending(word: &str) -> Option<(&str, &str)> {
    let word = word.trim_matches(['\'', '’']);
    let (at, mark) = word.char_indices().rfind(|(_, c)| matches!(c, '\'' | '’'))?;
    let (stem, ending) = (word.get(..at)?, word.get(at + mark.len_utf8()..)?);
    if !stem.ends_with(char::is_alphabetic) {
        return None;
    }
    match ending.to_lowercase().as_str() {
        "t" => {
            let verb = stem.strip_suffix(['n', 'N']).filter(|verb| !verb.is_empty())?;
            Some((verb, ending))
        }
        "re" | "ve" | "ll" | "d" | "m" => Some((stem, ending)),
        "s" => BEFORE_S.contains(&stem.to_lowercase().as_str()).then_some((stem, ending)),
        _ => None,
    }
}

/// A word in capitals where the letters of the ending are.
fn like(ending: &str, word: &str) -> String {
    if ending.chars().all(char::is_uppercase) { word.to_uppercase() } else { word.to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_contraction_with_one_expansion_is_expanded_in_its_case() {
        for (word, expansion) in [
            ("doesn't", "does not"),
            ("Doesn’t", "Does not"),
            ("DON'T", "DO NOT"),
            ("won't", "will not"),
            ("Won't", "Will not"),
            ("WON’T", "WILL NOT"),
            ("can't", "cannot"),
            ("Can't", "Cannot"),
            ("CAN'T", "CANNOT"),
            ("I'm", "I am"),
            ("we've", "we have"),
            ("They’re", "They are"),
            ("you're", "you are"),
            ("it'll", "it will"),
            ("'mustn't'", "must not"),
        ] {
            let found = contraction(word).and_then(|it| it.expansion);
            assert_eq!(found.as_deref(), Some(expansion), "{word}");
        }
    }

    #[test]
    fn one_with_several_expansions_has_none() {
        for word in [
            "it's",
            "That’s",
            "let's",
            "he'd",
            "I'd",
            "ain't",
            "shan't",
            "needn't",
            "shouldn't've",
            "who're",
        ] {
            let found = contraction(word);
            assert_eq!(found.map(|it| it.expansion), Some(None), "{word}");
        }
    }

    #[test]
    fn a_possessive_and_other_apostrophes_are_none() {
        for word in [
            "reader's", "readers'", "o'clock", "'em", "'tis", "n't", "'s", "", "’", "1990's",
            "x't", "D'Angelo", "its",
        ] {
            assert_eq!(contraction(word), None, "{word}");
        }
    }
}
