//! Names, characters and ids: what XML and the canvas format allow, and how a value that came from
//! outside is shown in a message without being able to forge a line of it.

use crate::place::ROOT;

/// Characters of an echoed value that are shown before it is cut.
const SHOWN: usize = 120;

/// Whether `id` has the shape of a node id: `[a-z][a-hj-km-np-z2-9]{3}`, the whole value.
#[must_use]
pub fn is_node_id(id: &str) -> bool {
    let bytes = id.as_bytes();
    bytes.len() == 4
        && bytes[0].is_ascii_lowercase()
        && bytes[1..].iter().all(
            |b| matches!(b, b'a'..=b'h' | b'j' | b'k' | b'm' | b'n' | b'p'..=b'z' | b'2'..=b'9'),
        )
}

/// Whether a verb can address a node by `id`: not the empty one, not one with white space in it (the
/// verdict collapses that, a comparison does not), not the word for the root.
pub(crate) fn is_addressable(id: &str) -> bool {
    !id.is_empty() && id != ROOT && !id.contains(char::is_whitespace)
}

/// Whether XML 1.0 can hold `c`, raw or by reference.
pub(crate) fn is_xml_char(c: char) -> bool {
    match c {
        '\t' | '\n' | '\r' => true,
        '\u{FFFE}' | '\u{FFFF}' => false,
        _ => c >= ' ',
    }
}

/// White space as XML means it.
pub(crate) fn is_xml_space(b: u8) -> bool {
    matches!(b, b' ' | b'\t' | b'\n' | b'\r')
}

fn starts_name(c: char) -> bool {
    matches!(c,
        'A'..='Z' | 'a'..='z' | '_'
        | '\u{C0}'..='\u{D6}' | '\u{D8}'..='\u{F6}' | '\u{F8}'..='\u{2FF}'
        | '\u{370}'..='\u{37D}' | '\u{37F}'..='\u{1FFF}' | '\u{200C}'..='\u{200D}'
        | '\u{2070}'..='\u{218F}' | '\u{2C00}'..='\u{2FEF}' | '\u{3001}'..='\u{D7FF}'
        | '\u{F900}'..='\u{FDCF}' | '\u{FDF0}'..='\u{FFFD}' | '\u{10000}'..='\u{EFFFF}')
}

fn continues_name(c: char) -> bool {
    starts_name(c)
        || matches!(c,
            '-' | '.' | '0'..='9' | '\u{B7}' | '\u{300}'..='\u{36F}' | '\u{203F}'..='\u{2040}')
}

/// Whether `name` is an XML name without a prefix (an `NCName`).
pub(crate) fn is_plain_name(name: &str) -> bool {
    let mut chars = name.chars();
    chars.next().is_some_and(starts_name) && chars.all(continues_name)
}

/// Whether `name` may stand as an attribute of the tree: a plain name, or a namespace declaration.
pub(crate) fn is_attribute_name(name: &str) -> bool {
    is_plain_name(name) || name.strip_prefix("xmlns:").is_some_and(is_plain_name)
}

/// White space collapsed as an XML Schema `token`: trimmed, inner runs to one space.
pub(crate) fn collapsed(value: &str) -> String {
    let mut words = value.split([' ', '\t', '\n', '\r']).filter(|word| !word.is_empty());
    let mut out = String::from(words.next().unwrap_or_default());
    for word in words {
        out.push(' ');
        out.push_str(word);
    }
    out
}

/// `value` for a message: [`escaped`], and cut after 120 characters so that it cannot flood one.
pub(crate) fn shown(value: &str) -> String {
    match value.char_indices().nth(SHOWN) {
        Some((end, _)) => escaped(&value[..end]) + "…",
        None => escaped(value),
    }
}

/// `value` with control characters and every kind of line break escaped, so that it cannot forge a
/// line or steer a terminal.
pub(crate) fn escaped(value: &str) -> String {
    let mut out = String::with_capacity(value.len());
    for c in value.chars() {
        if c.is_control() || is_steering(c) {
            out.extend(c.escape_default());
        } else {
            out.push(c);
        }
    }
    out
}

/// Line and paragraph separators, and the marks that reorder what a terminal shows.
fn is_steering(c: char) -> bool {
    matches!(c, '\u{2028}' | '\u{2029}' | '\u{200E}' | '\u{200F}'
        | '\u{202A}'..='\u{202E}' | '\u{2066}'..='\u{2069}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn node_ids_have_one_shape() {
        for good in ["q4rt", "head", "l222", "i234", "o999", "zzzz"] {
            assert!(is_node_id(good), "{good}");
        }
        for bad in [
            "", "root", "K3XQ", "k3x", "k3xo", "k3x1", "k3xi", "k3xl", "k3x0", "2abc", "q4rt ",
            "q4rtt", "é23",
        ] {
            assert!(!is_node_id(bad), "{bad}");
        }
    }

    #[test]
    fn names_are_xml_names_without_prefix() {
        for good in ["text", "_a", "é", "a-b.c", "日本"] {
            assert!(is_plain_name(good), "{good}");
        }
        for bad in ["", "a b", "1a", "-a", ":a", "a:b", "a>", "text id=\"z\"", "a\n", "×"] {
            assert!(!is_plain_name(bad), "{bad}");
        }
        assert!(is_attribute_name("xmlns:a") && is_attribute_name("xmlns"));
        assert!(!is_attribute_name("xml:lang") && !is_attribute_name("xmlns:"));
    }

    #[test]
    fn a_shown_value_stays_on_one_line() {
        assert_eq!(shown("a\nb\u{2028}c\u{1b}[0m\u{202e}"), "a\\nb\\u{2028}c\\u{1b}[0m\\u{202e}");
        assert_eq!(shown(&"x".repeat(500)).chars().count(), 121);
    }

    #[test]
    fn tokens_collapse() {
        assert_eq!(collapsed("  a \t b\n"), "a b");
        assert_eq!(collapsed("\u{a0}"), "\u{a0}");
    }
}
