//! Which key is the identifier: one text in nearly every document, each its own, under a name that says
//! so or repeated in the path.

use std::collections::BTreeSet;

use headwater_check::Date;

use crate::survey::{Said, Survey, quoted};

/// The identifier of the documents.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Identifier {
    pub key: String,
    /// How a value becomes the identifier; none where it is one.
    pub template: Option<String>,
    /// The values as the files write them.
    pub values: BTreeSet<String>,
    /// Why.
    pub why: String,
}

impl Identifier {
    /// The identifier that a value stands for.
    pub(crate) fn filled(&self, value: &str) -> String {
        match &self.template {
            Some(template) => template.replacen("{value}", value, 1),
            None => value.to_owned(),
        }
    }

    /// Whether identifiers are bare numbers, which other keys may hold for other reasons.
    pub(crate) fn is_numeric(&self) -> bool {
        are_numbers(&self.values)
    }
}

/// Names of identifiers, and endings of such names.
const NAMES: [&str; 5] = ["id", "identifier", "key", "number", "no"];
/// What is one text for each document without being its identifier.
const LABELS: [&str; 6] = ["title", "name", "description", "summary", "date", "permalink"];

pub(crate) fn guess(survey: &Survey) -> Option<Identifier> {
    let total = survey.documents.len();
    let mut best: Option<((bool, bool, usize), Identifier)> = None;
    for key in survey.keys() {
        let mut values = BTreeSet::new();
        let (mut count, mut in_path) = (0, 0);
        for (seen, said) in survey.under(key) {
            let Said::Text(text, _) = said else { continue };
            if text.len() > 64 || text.contains(char::is_whitespace) || Date::parse(text).is_some()
            {
                continue;
            }
            count += 1;
            in_path += usize::from(is_in_path(text, &seen.path));
            values.insert(text.clone());
        }
        let lower = key.to_lowercase();
        let is_named = stem(&lower).is_some();
        let is_in_paths = in_path * 5 >= count * 4;
        let nearly = |part: usize, whole: usize| part * 100 >= whole * 90;
        let of_its_own = count >= 2 && values.len() * 100 >= count * 95;
        if !nearly(count, total)
            || !(of_its_own || lower == "id")
            || !(is_named || is_in_paths)
            || LABELS.contains(&lower.as_str())
        {
            continue;
        }
        let rank = (lower == "id", is_in_paths, count);
        if best.as_ref().is_none_or(|(held, _)| rank > *held) {
            let template = template(&lower, &values);
            let where_ = if is_in_paths { ", and in the paths" } else { "" };
            let shared =
                if values.len() < count { ", a few of them shared" } else { ", each its own" };
            let why = format!("{} in {count} of {total} documents{shared}{where_}", quoted(key));
            best = Some((rank, Identifier { key: key.to_owned(), template, values, why }));
        }
    }
    best.map(|(_, identifier)| identifier)
}

/// The part of a key's name before one of [`NAMES`]; empty where that is all.
fn stem(key: &str) -> Option<&str> {
    NAMES.iter().find_map(|name| {
        let before = key.strip_suffix(name)?;
        let stem = before.strip_suffix(['-', '_', ' ']);
        if before.is_empty() { Some(before) } else { stem }
    })
}

/// Whether nearly all values are numbers.
fn are_numbers(values: &BTreeSet<String>) -> bool {
    let numbers = values.iter().filter(|value| value.bytes().all(|b| b.is_ascii_digit())).count();
    numbers * 100 >= values.len() * 95
}

/// `EIP-{value}` for numbers under `eip`, `KEP-{value}` for numbers under `kep-number`.
fn template(key: &str, values: &BTreeSet<String>) -> Option<String> {
    if !are_numbers(values) {
        return None;
    }
    let prefix = stem(key).unwrap_or(key);
    let is_word = !prefix.is_empty() && prefix.bytes().all(|b| b.is_ascii_alphanumeric());
    is_word.then(|| format!("{}-{{value}}", prefix.to_uppercase()))
}

/// Whether the last two segments of a path hold the text between marks that are no letters or digits;
/// zeros before a number count for nothing.
fn is_in_path(text: &str, path: &str) -> bool {
    let bare = |text: &str| {
        let lower = text.to_lowercase();
        let number = lower.bytes().all(|b| b.is_ascii_digit());
        if number { lower.trim_start_matches('0').to_owned() } else { lower }
    };
    let text = bare(text);
    let path = path.strip_suffix(".md").unwrap_or(path);
    let mut segments = path.rsplit('/');
    let holds = |segment: &str| {
        bare(segment) == text
            || segment.split(|c: char| !c.is_alphanumeric()).any(|word| bare(word) == text)
            || (!text.bytes().all(|b| b.is_ascii_digit())
                && segment.to_lowercase().starts_with(&text))
    };
    !text.is_empty() && segments.by_ref().take(2).any(holds)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_holds_a_value_as_a_word() {
        assert!(is_in_path("20", "EIPS/eip-20.md"));
        assert!(is_in_path("12", "docs/0012-queue.md"));
        assert!(is_in_path("1287", "keps/1287-in-place/README.md"));
        assert!(is_in_path("Queue", "docs/queue.md"));
        assert!(is_in_path("ADR-7", "docs/adr-7-queue.md"));
        assert!(!is_in_path("2", "EIPS/eip-20.md"));
        assert!(!is_in_path("1287", "1287/a/b.md"));
    }

    #[test]
    fn names_of_identifiers_have_a_stem() {
        assert_eq!(stem("kep-number"), Some("kep"));
        assert_eq!(stem("id"), Some(""));
        assert_eq!(stem("valid"), None);
        assert_eq!(stem("eip"), None);
    }
}
