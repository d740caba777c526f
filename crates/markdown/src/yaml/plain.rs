//! The short way for the YAML that nearly every front matter is: block mappings and lists of one-line
//! texts. What is not surely that is left to the library, so this decides only how long reading takes;
//! a property test holds the two to one answer.

use super::load::Source;
use super::{Entry, Mapping, Node, Scalar, Style, Text, Value};
use crate::span::Span;

/// How deep blocks may nest here.
const DEPTH: usize = 8;
/// How many entries one mapping may have, since a repeated key is looked for among all of them.
const ENTRIES: usize = 64;
/// How long a key may be, in bytes.
const KEY: usize = 128;

/// Reads a text; none where it is not surely the plain kind.
pub(super) fn read(source: Source<'_>) -> Option<Node> {
    let text = source.text();
    let entries = Vec::with_capacity(ENTRIES);
    let mut reader = Reader { source, text, at: 0, entries, items: Vec::new() };
    let indent = reader.indent()?;
    let node = reader.mapping(indent, false, DEPTH)?;
    (reader.at == text.len()).then_some(node)
}

struct Reader<'s> {
    source: Source<'s>,
    text: &'s str,
    at: usize,
    /// The entries of all mappings that are still open, the innermost last.
    entries: Vec<Entry>,
    /// The items of all lists that are still open, the innermost last.
    items: Vec<Node>,
}

impl<'s> Reader<'s> {
    fn byte(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    fn span(&self, start: usize, end: usize) -> Span {
        Span::new(start, end).shifted(self.source.base)
    }

    /// Passes over empty lines; how many spaces the next line begins with, none at the end.
    fn indent(&mut self) -> Option<usize> {
        let rest = self.text.as_bytes().get(self.at..)?;
        self.at += rest.iter().take_while(|byte| **byte == b'\n').count();
        let rest = self.text.as_bytes().get(self.at..).filter(|rest| !rest.is_empty())?;
        Some(rest.iter().take_while(|byte| **byte == b' ').count())
    }

    /// A block mapping whose keys begin `indent` bytes into their lines. Behind a dash, the reader is
    /// at the first of them.
    fn mapping(&mut self, indent: usize, behind_dash: bool, depth: usize) -> Option<Node> {
        let depth = depth.checked_sub(1)?;
        let outer = self.entries.len();
        loop {
            if !behind_dash || self.entries.len() > outer {
                match self.indent() {
                    Some(found) if found == indent => self.at += indent,
                    Some(found) if found > indent => return None,
                    _ => break,
                }
            }
            let (key, at) = self.key()?;
            let held = self.entries.get(outer..)?;
            if held.len() == ENTRIES || held.iter().any(|entry| entry.key == *key) {
                return None;
            }
            let (key, key_span) = (self.source.part(at.start, at.end), self.span(at.start, at.end));
            let value = match self.byte() {
                Some(b' ') => self.inline(indent)?,
                _ => self.below(indent, depth)?,
            };
            self.entries.push(Entry { key, key_span, value });
        }
        let entries: Box<[Entry]> = self.entries.drain(outer..).collect();
        let span = Span::new(entries.first()?.key_span.start, entries.last()?.value.span.end);
        Some(Node { span, value: Value::Mapping(Box::new(Mapping::new(entries, false))) })
    }

    /// Passes over a key and its colon; the key, and where it stands in the text.
    fn key(&mut self) -> Option<(&'s str, Span)> {
        let start = self.at;
        let rest = self.text.get(start..)?;
        let length = rest
            .bytes()
            .take_while(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.'))
            .count();
        let key = rest.get(..length)?;
        let plain = key.starts_with(|first: char| first.is_ascii_alphanumeric() || first == '_');
        if !plain || length > KEY || rest.as_bytes().get(length) != Some(&b':') {
            return None;
        }
        self.at += length + 1;
        if !matches!(self.byte(), None | Some(b' ' | b'\n')) {
            return None;
        }
        Some((key, Span::new(start, start + length)))
    }

    /// The value of a key that ends its line.
    fn below(&mut self, indent: usize, depth: usize) -> Option<Node> {
        let behind = self.at;
        let absent = |reader: &Self| Node {
            span: reader.span(behind, behind),
            value: Value::Scalar(Scalar { text: Text::default(), style: Style::Plain }),
        };
        let Some(found) = self.indent() else { return Some(absent(self)) };
        let dash = self.text.as_bytes().get(self.at + found) == Some(&b'-');
        if found < indent || (found == indent && !dash) {
            return Some(absent(self));
        }
        if dash {
            let mut list = self.list(found, depth)?;
            if found == indent {
                // As the library has it, a list that stands no deeper than its key begins behind the dash.
                list.span.start = list.as_list()?.first()?.span.start;
            }
            return Some(list);
        }
        self.mapping(found, false, depth)
    }

    /// A block list whose dashes stand `indent` spaces into their lines.
    fn list(&mut self, indent: usize, depth: usize) -> Option<Node> {
        let depth = depth.checked_sub(1)?;
        let outer = self.items.len();
        let mut start = None;
        while let Some(found) = self.indent() {
            if found > indent {
                return None;
            }
            let dash = self.at + found;
            if found < indent || self.text.as_bytes().get(dash) != Some(&b'-') {
                break;
            }
            start = start.or(Some(dash));
            self.at = dash + 1;
            let blanks = self.blanks();
            if blanks == 0 {
                return None;
            }
            // A key makes the item a mapping; nothing else may hold a colon and a blank.
            let begin = self.at;
            let keyed = self.key().is_some();
            self.at = begin;
            let item = match keyed {
                true => self.mapping(indent + 1 + blanks, true, depth)?,
                false => {
                    self.at -= 1;
                    self.inline(indent)?
                }
            };
            self.items.push(item);
        }
        let items: Box<[Node]> = self.items.drain(outer..).collect();
        let span = Span::new(start? + self.source.base, items.last()?.span.end);
        Some(Node { span, value: Value::List(items) })
    }

    fn blanks(&mut self) -> usize {
        let rest = self.text.as_bytes().get(self.at..).unwrap_or_default();
        let blanks = rest.iter().take_while(|byte| **byte == b' ').count();
        self.at += blanks;
        blanks
    }

    /// What stands behind blanks up to the end of a line, in a block that is `indent` deep. The next
    /// line must not continue it.
    fn inline(&mut self, indent: usize) -> Option<Node> {
        self.blanks();
        let rest = self.text.get(self.at..)?;
        let line = rest.get(..memchr::memchr(b'\n', rest.as_bytes()).unwrap_or(rest.len()))?;
        let start = self.at;
        self.at += line.len();
        if self.indent().is_some_and(|found| {
            found > indent
                || (found == indent && self.text.as_bytes().get(self.at + found) == Some(&b'#'))
        }) {
            return None;
        }
        let Some(inner) = line.strip_prefix('[') else { return self.scalar(line, start, false) };
        let inner = inner.strip_suffix(']')?;
        let outer = self.items.len();
        let mut at = start + 1;
        for part in inner.split(',').filter(|_| !inner.is_empty()) {
            let text = part.trim_matches(' ');
            let blanks = part.len() - part.trim_start_matches(' ').len();
            let item = self.scalar(text, at + blanks, true)?;
            self.items.push(item);
            at += part.len() + 1;
        }
        let items = self.items.drain(outer..).collect();
        let span = self.span(start, start + line.len());
        Some(Node { span, value: Value::List(items) })
    }

    /// A text with or without quotes, alone on the rest of its line or between commas.
    fn scalar(&self, text: &str, start: usize, flow: bool) -> Option<Node> {
        let quote = text.as_bytes().first().copied()?;
        let (quotes, style) = match quote {
            b'"' | b'\'' => {
                let mark = char::from(quote);
                let inner = text.get(1..)?.strip_suffix(mark)?;
                let style = if quote == b'"' { Style::Double } else { Style::Single };
                let plain = !inner.contains([mark, '\\']) && inner.chars().all(printable);
                plain.then_some((1, style))?
            }
            _ => plain(text, flow).then_some((0, Style::Plain))?,
        };
        let end = start + text.len();
        let text = self.source.part(start + quotes, end - quotes);
        Some(Node { span: self.span(start, end), value: Value::Scalar(Scalar { text, style }) })
    }
}

/// Whether a text without quotes is surely read as it stands.
fn plain(text: &str, flow: bool) -> bool {
    let first = text.chars().next().unwrap_or(' ');
    let begins = first.is_alphanumeric() || "/.(_~+$".contains(first);
    let ends = !text.ends_with([' ', ':']);
    let bare = |byte| !b":[]{},#?\"'".contains(&byte);
    let (mut before, mut ascii) = (b' ', true);
    for byte in text.bytes() {
        let marks = matches!((before, byte), (b':', b' ') | (b' ', b'#')) || (flow && !bare(byte));
        if marks || byte < b' ' || byte == 0x7f {
            return false;
        }
        ascii &= byte.is_ascii();
        before = byte;
    }
    begins && ends && (ascii || text.chars().all(printable))
}

/// Whether YAML has a character for printable and for no line break. Some that it has are left out.
fn printable(c: char) -> bool {
    matches!(c, ' '..='~' | '\u{a0}'..='\u{2027}' | '\u{202a}'..='\u{d7ff}')
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use proptest::prelude::*;

    use super::super::load::by_library;
    use super::*;

    /// A text that begins `base` bytes into its file, in both ways.
    fn both(text: &str, base: usize) -> (Option<Node>, Option<Node>) {
        let whole = Arc::new(format!("{:base$}{text}", ""));
        let content = Span::new(base, whole.len());
        let source = Source { whole: &whole, content, base };
        (read(source), by_library(source).ok().flatten())
    }

    #[test]
    fn the_usual_front_matter_takes_the_short_way() {
        let text = "id: A-1\ntitle: Über \"das\" (neu)\nempty:\nlist: [a, 'b c', \"\"]\nnone: []\n\
            tags:\n- x\n- \"y: z\"\nrelations:\n  realizes: [B-1, B-2]\n  governs:\n    - src/*.rs\n\
            \x20   - to: src/a.rs\n      note: it's here\n    - kind: x\n  z:\n\nurl: http://x/y?z=1\n";
        for text in [text, "a: [x]", "a:", "  a: b\n  c:\n    - d", "a:\n- b\n\n\nc: d\n"] {
            let (read, by_library) = both(text, 7);
            assert!(read.is_some(), "{text}");
            assert_eq!(read, by_library, "{text}");
        }
    }

    #[test]
    fn what_may_mean_something_else_takes_the_long_way() {
        for text in [
            "",
            "\n",
            "a",
            "- a",
            "a: b: c",
            "a: b #c",
            "a: 'b''c'",
            "a: \"b\\n\"",
            "a: b\n  c",
            "a: |\n  b",
            "a: &x b",
            "a: *x",
            "a: !t b",
            "<<: b",
            "a: b\na: c",
            "a: {b: c}",
            "a: [b, [c]]",
            "a: [b,]",
            "a: [b\n]",
            "a: b \n",
            "a:\tb",
            "a: b\n b: c",
            "a:\n  - - b",
            "a:\n  -\n",
            "? a\n: b",
            "a: b\r\n",
            "--- \na: b",
            "a: b\n...\n",
            "a: b\n# c\n",
            "a: @b",
            "a: -",
            "'a': b",
            "a: \u{85}b",
            "a: [b: c]",
            "a: [b #]",
        ] {
            assert_eq!(both(text, 0).0, None, "{text:?}");
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(4_000))]

        #[test]
        fn the_short_way_leads_where_the_long_one_does(
            text in "(a|b|c-d|é|a: |b: |c:\n|a:\n|b:\n  |\n|\n|\n  |\n    |- |\n- |\n  - |\\[|\\]|, |, |,|\\{|\\}| |:|#|\"|'|\\.|/|-|\\?|&|\\*|!|~|\t|\u{2028}|\\||>){1,24}",
            base in 0_usize..3,
        ) {
            if let (Some(node), by_library) = both(&text, base) {
                prop_assert_eq!(Some(node), by_library);
            }
        }

        #[test]
        fn blocks_of_every_shape_are_read_alike(
            lines in proptest::collection::vec(
                ("( |  |   |    )?", "(- |-  )?", "(a|b|c|d|e|f|g|h)(: |:  |:)", "(x|y z|'q'|\"q\"|\\[a, b\\]|)"), 1..9,
            ),
        ) {
            let text: String =
                lines.iter().map(|(i, d, k, v)| format!("{i}{d}{k}{v}\n")).collect();
            if let (Some(node), by_library) = both(&text, 0) {
                prop_assert_eq!(Some(node), by_library);
            }
        }
    }
}
