//! The canonical text of a tree: what the lock digest is over, so it is a pure function of the tree
//! and of nothing else. Loading it gives the tree back; rendering that gives the text back.

use std::fmt::Write as _;

use sha2::{Digest as _, Sha256};

use crate::yaml::{Node, Value};

/// `sha256:` and 64 lower-case hexadecimal digits over these bytes.
pub fn digest(bytes: &[u8]) -> String {
    let mut out = String::with_capacity(71);
    out.push_str("sha256:");
    for byte in Sha256::digest(bytes) {
        let _ = write!(out, "{byte:02x}");
    }
    out
}

/// The canonical text, final newline included.
pub fn render(node: &Node) -> String {
    let mut out = String::new();
    match &node.value {
        Value::Scalar(text, _) => {
            scalar(&mut out, text);
            out.push('\n');
        }
        Value::List(items) if items.is_empty() => out.push_str("[]\n"),
        Value::Map(map) if map.is_empty() => out.push_str("{}\n"),
        _ => block(&mut out, node, 0, false),
    }
    out
}

/// The canonical text with every line indented by two spaces, as the lock holds it.
pub fn render_indented(node: &Node) -> String {
    let mut out = String::new();
    for line in render(node).lines() {
        out.push_str("  ");
        out.push_str(line);
        out.push('\n');
    }
    out
}

/// Writes a collection that is not empty. `inline` says that the cursor already stands where the
/// first line begins, behind a dash. Recursion is bounded by the depth limit of the loader.
fn block(out: &mut String, node: &Node, indent: usize, inline: bool) {
    let mut first = inline;
    let mut margin = |out: &mut String| {
        if !std::mem::take(&mut first) {
            out.extend(std::iter::repeat_n(' ', indent));
        }
    };
    match &node.value {
        Value::Map(map) => {
            for (key, member) in map.iter() {
                margin(out);
                scalar(out, key);
                out.push(':');
                value(out, &member.value, indent + 2);
            }
        }
        Value::List(items) => {
            for item in items {
                margin(out);
                out.push('-');
                if empty(item) {
                    value(out, item, indent + 2);
                } else {
                    out.push(' ');
                    block(out, item, indent + 2, true);
                }
            }
        }
        Value::Scalar(..) => {}
    }
}

/// Whether a value fits on the line of its key or dash.
fn empty(node: &Node) -> bool {
    match &node.value {
        Value::Scalar(..) => true,
        Value::List(items) => items.is_empty(),
        Value::Map(map) => map.is_empty(),
    }
}

fn value(out: &mut String, node: &Node, indent: usize) {
    match &node.value {
        Value::Scalar(text, _) => {
            out.push(' ');
            scalar(out, text);
            out.push('\n');
        }
        Value::List(items) if items.is_empty() => out.push_str(" []\n"),
        Value::Map(map) if map.is_empty() => out.push_str(" {}\n"),
        _ => {
            out.push('\n');
            block(out, node, indent, false);
        }
    }
}

fn scalar(out: &mut String, text: &str) {
    let bytes = text.as_bytes();
    let opens = bytes.first().is_some_and(|b| b.is_ascii_alphanumeric() || *b == b'_');
    let plain = |b: &u8| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'.' | b'/' | b'+' | b'-');
    if opens && bytes.iter().all(plain) {
        out.push_str(text);
        return;
    }
    out.push('"');
    for c in text.chars() {
        match c {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            '\u{2028}' => out.push_str("\\u2028"),
            '\u{2029}' => out.push_str("\\u2029"),
            c if c.is_control() => {
                let _ = write!(out, "\\x{:02x}", u32::from(c));
            }
            c => out.push(c),
        }
    }
    out.push('"');
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::yaml::{Map, Member, Span, Style, load};

    fn round(text: &str) -> String {
        render(&load(text, 0).unwrap())
    }

    #[test]
    fn scalars_are_plain_only_where_the_rule_says_so() {
        let cases = [
            ("'true'", "true"),
            ("a:b", "\"a:b\""),
            ("\"\"", "\"\""),
            ("'~'", "\"~\""),
            ("-x", "\"-x\""),
            ("_x.y/z+1-2", "_x.y/z+1-2"),
            ("two words", "\"two words\""),
            (
                "\"a\\u2028b\\x85\\x07\\n\\r\\t\\\"\\\\\"",
                "\"a\\u2028b\\x85\\x07\\n\\r\\t\\\"\\\\\"",
            ),
            ("é", "\"é\""),
        ];
        for (written, canonical) in cases {
            assert_eq!(round(&format!("k: {written}\n")), format!("k: {canonical}\n"));
        }
    }

    #[test]
    fn collections_are_block_style_and_empty_ones_inline() {
        let text = "a: {b: [], c: {}}\nd: [x, {k: v, l: [m]}, [n, [o]], []]\n";
        let want = "a:\n  b: []\n  c: {}\nd:\n  - x\n  - k: v\n    l:\n      - m\n  - - n\n    - \
                    - o\n  - []\n";
        assert_eq!(round(text), want);
        assert_eq!(round(want), want);
    }

    #[test]
    fn the_longest_key_is_read_back_however_it_is_escaped() {
        let long = "\u{2028}".repeat(crate::yaml::KEY_LIMIT);
        let text = format!("\"{}\": 1\n", "\\u2028".repeat(crate::yaml::KEY_LIMIT));
        let node = load(&text, 0).unwrap();
        assert!(node.get(&long).is_some());
        assert_eq!(render(&node), text);
    }

    #[test]
    fn digests_are_spelled_in_full() {
        assert_eq!(
            digest(b""),
            "sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
        );
    }

    fn tree() -> impl Strategy<Value = Node> {
        let text = prop_oneof![
            "[a-zA-Z0-9_./+:# -]{0,6}",
            proptest::collection::vec(any::<char>(), 0..6).prop_map(String::from_iter),
            Just("~".to_owned()),
            Just("\u{2028}\u{85}\u{feff}".to_owned()),
        ];
        let leaf = text.clone().prop_map(|text| Node {
            value: Value::Scalar(text, Style::Double),
            span: Span::default(),
        });
        leaf.prop_recursive(4, 40, 5, move |inner| {
            prop_oneof![
                proptest::collection::vec(inner.clone(), 0..4)
                    .prop_map(|items| Node { value: Value::List(items), span: Span::default() }),
                proptest::collection::vec((text.clone(), inner), 0..4).prop_map(|members| {
                    let map: Map = members
                        .into_iter()
                        .map(|(key, value)| (key, Member { key: Span::default(), value }))
                        .collect();
                    Node { value: Value::Map(map), span: Span::default() }
                }),
            ]
        })
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(400))]
        #[test]
        fn loading_the_canonical_text_gives_the_tree_back(node in tree()) {
            let text = render(&node);
            let back = load(&text, 0)
                .map_err(|faults| TestCaseError::fail(format!("{text:?}: {faults:?}")))?;
            prop_assert!(back.same(&node), "{text:?}");
            prop_assert_eq!(render(&back), text);
        }
    }
}
