//! The parts of a scalar that a binding reads as several values, each with the bytes it stands at.

use headwater_taxonomy::template::ValueTemplate;
use markdown::Span;
use markdown::yaml::{Node, Style, Text};

/// One value and where it stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Part {
    pub text: Text,
    pub span: Span,
}

/// The parts of a scalar, trimmed; blank ones and nulls are passed over. Anything but a scalar has
/// none. `source` is the file that the node was read from.
pub(crate) fn parts(source: &str, node: &Node, separator: Option<&str>) -> Vec<Part> {
    let (Some(scalar), Some(text)) = (node.as_scalar(), node.text()) else { return Vec::new() };
    let mut places = Places::of(node.span, source, text, scalar.style);
    let mut part = |start: usize, piece: &str| {
        let trimmed = piece.trim();
        if trimmed.is_empty() {
            return None;
        }
        let offset = start + (piece.len() - piece.trim_start().len());
        let text = scalar.text.part(Span::new(offset, offset + trimmed.len()));
        Some(Part { text, span: places.next(offset, trimmed) })
    };
    let Some(separator) = separator else { return part(0, text).into_iter().collect() };
    let mut start = 0;
    let pieces = text.split(separator).filter_map(|piece| {
        let begin = start;
        start += piece.len() + separator.len();
        part(begin, piece)
    });
    pieces.collect()
}

/// The value that a template makes of a text, trimmed.
pub(crate) fn filled(template: &ValueTemplate, text: Text) -> Text {
    if *template == ValueTemplate::default() {
        return text.trimmed();
    }
    template.fill(&text).trim().into()
}

/// How the parts of a text lie in the source of the scalar.
enum Places<'s> {
    /// The source holds the text letter for letter, from this offset on.
    Verbatim(usize),
    /// The source breaks it over lines; a part is looked for behind the one before.
    Folded { source: &'s str, whole: Span, from: usize },
    /// The source spells it with escapes, or one part could not be found: the whole scalar.
    Whole(Span),
}

impl<'s> Places<'s> {
    fn of(whole: Span, source: &'s str, text: &str, style: Style) -> Self {
        let quoted = matches!(style, Style::Single | Style::Double);
        let quotes = usize::from(quoted);
        let inner = Span::new(whole.start + quotes, whole.end.saturating_sub(quotes));
        if inner.of(source) == text {
            Self::Verbatim(inner.start)
        } else if quoted {
            Self::Whole(whole)
        } else {
            Self::Folded { source, whole, from: whole.start }
        }
    }

    fn next(&mut self, offset: usize, part: &str) -> Span {
        match self {
            Self::Verbatim(base) => Span::new(*base + offset, *base + offset + part.len()),
            Self::Whole(whole) => *whole,
            Self::Folded { source, whole, from } => {
                let whole = *whole;
                match Span::new(*from, whole.end).of(source).find(part) {
                    Some(at) => {
                        let span = Span::new(*from + at, *from + at + part.len());
                        *from = span.end;
                        span
                    }
                    // Giving up at once keeps the search linear.
                    None => {
                        *self = Self::Whole(whole);
                        whole
                    }
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn read(source: &str, separator: Option<&str>) -> Vec<(String, String)> {
        let node = markdown::yaml::load(source, 0).unwrap().unwrap();
        let read = parts(source, node.as_mapping().unwrap().get("k").unwrap(), separator);
        let told = |part: Part| (part.text.to_string(), part.span.of(source).to_owned());
        read.into_iter().map(told).collect()
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
        assert_eq!(read("k: 11, 1", Some(", ")), same(&["11", "1"]));
        for none in ["k:", "k: ~", "k: ''", "k: [1]", "k: {a: b}", "k: ','"] {
            assert_eq!(read(none, Some(",")), vec![], "{none}");
        }
        assert_eq!(read("k: 20,\n  721, 2 0\n", Some(",")), same(&["20", "721", "2 0"]));
        let whole = "\"\\x31,1\"";
        let part = ("1".to_owned(), whole.to_owned());
        assert_eq!(read(&format!("k: {whole}"), Some(",")), [part.clone(), part]);
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
