//! Words that messages share: values of a corpus quoted, on one line and cut to a readable length.

use headwater_check::Passage;
use headwater_check::headwater_taxonomy::yaml::shown;

/// A value in code marks.
pub(crate) fn quoted(text: &str) -> String {
    format!("`{}`", shown(text))
}

/// Values in code marks with commas between them; a long list is cut and its length told.
pub(crate) fn listed<'t>(texts: impl IntoIterator<Item = &'t str>) -> String {
    const MOST: usize = 20;
    let all: Vec<String> = texts.into_iter().map(quoted).collect();
    match all.get(..MOST) {
        Some(first) if all.len() > MOST => {
            format!("{} and {} more", first.join(", "), all.len() - MOST)
        }
        _ => all.join(", "),
    }
}

/// A remedy for a sentence. What stands in front matter is edited by a person, since no patch of a text
/// reaches it.
pub(crate) fn by_hand(passage: Passage<'_>, remedy: &str) -> String {
    match passage.is_front_matter() {
        true => format!("{remedy}; a person edits this front-matter value by hand"),
        false => remedy.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_cannot_break_a_line_and_a_list_cannot_grow_without_bound() {
        assert_eq!(quoted("a\nb"), "`a\\nb`");
        assert_eq!(listed(["a", "b"]), "`a`, `b`");
        let many: Vec<String> = (0..25).map(|n| n.to_string()).collect();
        assert!(listed(many.iter().map(String::as_str)).ends_with("`19` and 5 more"));
    }
}
