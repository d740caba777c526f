//! The parts of a scalar that a binding reads as several values, each with the bytes it stands at.

use markdown::Span;
use markdown::yaml::Node;

/// One value and where it stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Part {
    pub text: String,
    pub span: Span,
}

/// The parts of a scalar, trimmed; blank ones and nulls are passed over. Anything but a scalar has
/// none. `source` is the file that the node was read from.
pub(crate) fn parts(source: &str, node: &Node, separator: Option<&str>) -> Vec<Part> {
    let Some(text) = node.text() else { return Vec::new() };
    let pieces: Vec<&str> = match separator {
        Some(separator) => text.split(separator).collect(),
        None => vec![text],
    };
    // A part stands where its text next occurs in the source. Where the source spells it otherwise
    // (escapes), that part and those behind it stand at the whole scalar; giving up at once keeps
    // this linear.
    let (mut from, mut found) = (node.span.start, true);
    let mut read = Vec::new();
    for piece in pieces {
        let piece = piece.trim();
        if piece.is_empty() {
            continue;
        }
        let at = if found { Span::new(from, node.span.end).of(source).find(piece) } else { None };
        let span = match at {
            Some(at) => Span::new(from + at, from + at + piece.len()),
            None => node.span,
        };
        found = at.is_some();
        from = span.end;
        read.push(Part { text: piece.to_owned(), span });
    }
    read
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn read(source: &str, separator: Option<&str>) -> Vec<(String, String)> {
        let node = markdown::yaml::load(source, 0).unwrap().unwrap();
        let read = parts(source, node.as_mapping().unwrap().get("k").unwrap(), separator);
        read.into_iter().map(|part| (part.text, part.span.of(source).to_owned())).collect()
    }

    #[test]
    fn parts_are_trimmed_and_stand_at_their_own_bytes() {
        let same = |texts: &[&str]| {
            texts.iter().map(|t| ((*t).to_owned(), (*t).to_owned())).collect::<Vec<_>>()
        };
        assert_eq!(read("k: 20, 721 ,,1", Some(",")), same(&["20", "721", "1"]));
        assert_eq!(read("k: '20, 721'", Some(",")), same(&["20", "721"]));
        assert_eq!(read("k: 2, 2, 22", Some(",")), same(&["2", "2", "22"]));
        assert_eq!(read("k: 007", None), same(&["007"]));
        assert_eq!(read("k: ' a, b '", None), same(&["a, b"]));
        for none in ["k:", "k: ~", "k: ''", "k: [1]", "k: {a: b}", "k: ','"] {
            assert_eq!(read(none, Some(",")), vec![], "{none}");
        }
        let escaped = "k: \"\\x61,b,c\"";
        assert_eq!(read(escaped, Some(","))[0], ("a".to_owned(), "\"\\x61,b,c\"".to_owned()));
    }

    proptest! {
        #[test]
        fn a_span_holds_its_part(pieces in proptest::collection::vec("[a-z0-9 ]{0,4}", 0..9)) {
            let source = format!("k: '{}'", pieces.join(","));
            for (text, spelled) in read(&source, Some(",")) {
                prop_assert_eq!(text, spelled);
            }
        }
    }
}
