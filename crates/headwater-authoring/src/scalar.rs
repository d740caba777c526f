//! How a text is written as a YAML scalar, so that the loader reads the same text again.

use headwater_check::markdown::yaml::{self, Style, Value};

/// Where a scalar stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Within {
    /// Behind a key or a dash, to the end of the line.
    Block,
    /// Between braces.
    Flow,
}

/// A text in a notation, or in the nearest one that can hold it.
pub(crate) fn spelled(text: &str, style: Style, within: Within) -> String {
    match style {
        Style::Double => double(text),
        Style::Single if !needs_escapes(text) => single(text),
        Style::Plain if is_plain(text, within) => text.to_owned(),
        _ if needs_escapes(text) => double(text),
        _ => single(text),
    }
}

/// A text in single quotes.
fn single(text: &str) -> String {
    format!("'{}'", inside(text, Style::Single))
}

fn double(text: &str) -> String {
    format!("\"{}\"", inside(text, Style::Double))
}

/// A text as it stands between the quotes of a notation.
pub(crate) fn inside(text: &str, style: Style) -> String {
    if style == Style::Single {
        return text.replace('\'', "''");
    }
    let mut out = String::new();
    for c in text.chars() {
        match c {
            '"' | '\\' => out.extend(['\\', c]),
            _ if is_special(c) => match u32::from(c) {
                code @ 0..=0xff => out.push_str(&format!("\\x{code:02x}")),
                code @ 0..=0xffff => out.push_str(&format!("\\u{code:04x}")),
                code => out.push_str(&format!("\\U{code:08x}")),
            },
            _ => out.push(c),
        }
    }
    out
}

/// Whether only double quotes can hold a text.
pub(crate) fn needs_escapes(text: &str) -> bool {
    text.chars().any(is_special)
}

fn is_special(c: char) -> bool {
    c.is_control() || matches!(c, '\u{2028}' | '\u{2029}' | '\u{feff}')
}

/// Whether a text without quotes is read as that text and as no null.
fn is_plain(text: &str, within: Within) -> bool {
    if needs_escapes(text) {
        return false;
    }
    let line = match within {
        Within::Block => format!("- {text}\n"),
        Within::Flow => format!("- {{k: {text}, l: m}}\n"),
    };
    let Ok(Some(node)) = yaml::load(&line, 0) else { return false };
    let Some([item]) = node.as_list() else { return false };
    let node = match (within, &item.value) {
        (Within::Flow, Value::Mapping(mapping)) if mapping.len() == 2 => mapping.get("k"),
        (Within::Block, _) => Some(item),
        _ => None,
    };
    let scalar = node.and_then(yaml::Node::as_scalar);
    scalar.is_some_and(|read| read.style == Style::Plain && !read.is_null() && read.text == text)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn the_simplest_notation_that_holds_a_text_is_taken() {
        let block = |text: &str| spelled(text, Style::Plain, Within::Block);
        assert_eq!(block("NOTE-ACM-a"), "NOTE-ACM-a");
        assert_eq!(block("2026-01-02"), "2026-01-02");
        assert_eq!(block("a, b"), "a, b");
        for text in
            ["", "~", "null", "a: b", "a #b", "- a", "#a", " a", "*a", "&a", "!a", "'a", "[a"]
        {
            assert_eq!(block(text), format!("'{}'", text.replace('\'', "''")), "{text}");
        }
        assert_eq!(block("a\nb"), "\"a\\x0ab\"");
        assert_eq!(spelled("a, b", Style::Plain, Within::Flow), "'a, b'");
        assert_eq!(spelled("it's", Style::Single, Within::Block), "'it''s'");
        assert_eq!(spelled("a\"b", Style::Double, Within::Block), "\"a\\\"b\"");
    }

    proptest! {
        #[test]
        fn what_is_spelled_is_read_again(
            text in "(\\PC|[\\x00-\\x1f:#,'\"{}\\[\\]~ -]|\u{2028}|\u{feff}){0,12}",
            style in prop::sample::select(vec![Style::Plain, Style::Single, Style::Double]),
            flow in any::<bool>(),
        ) {
            let (within, open, close) = if flow {
                (Within::Flow, "k: {a: ", ", b: c}")
            } else {
                (Within::Block, "k: ", "")
            };
            let source = format!("{open}{}{close}\n", spelled(&text, style, within));
            let node = yaml::load(&source, 0).unwrap().unwrap();
            let node = node.as_mapping().unwrap().get("k").unwrap();
            let node = node.as_mapping().map_or(node, |mapping| mapping.get("a").unwrap());
            prop_assert_eq!(&node.as_scalar().unwrap().text, &text, "{}", source);
        }
    }
}
