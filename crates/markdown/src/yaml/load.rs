//! From events to a tree: what is refused, and the limits.

use std::borrow::Cow;
use std::collections::HashMap;
use std::fmt;
use std::sync::Arc;

use granit_parser::{ErrorKind, Event, Parser, ScalarStyle, StructureStyle};

use super::{Entry, Mapping, Node, Scalar, Style, Text, Value, plain};
use crate::span::Span;

/// How deep lists and mappings may nest.
pub const MAX_DEPTH: usize = 256;
/// How long one YAML text may be, in bytes.
pub const MAX_BYTES: usize = 16 * 1024 * 1024;
/// How many refusals one text collects before the loader stops.
pub const MAX_FAULTS: usize = 100;

/// One reason why a YAML text is refused, and where.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    /// The offending bytes; empty where only a place is known.
    pub span: Span,
    /// What is wrong.
    pub kind: FaultKind,
}

/// What is wrong with a YAML text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FaultKind {
    /// `&name`.
    Anchor,
    /// `*name`.
    Alias,
    /// A plain `<<` key.
    MergeKey,
    /// `!tag`, `!!str` included.
    Tag,
    /// A key that the same mapping already has.
    DuplicateKey {
        /// The key.
        key: String,
        /// Where it stands first.
        first: Span,
    },
    /// A list or a mapping used as a key.
    KeyNotScalar,
    /// A second document in one text.
    SecondDocument,
    /// Front matter that is a list or a scalar.
    NotMapping,
    /// The text cannot be read as YAML.
    Syntax(String),
    /// Nesting beyond [`MAX_DEPTH`].
    TooDeep,
    /// Longer than [`MAX_BYTES`].
    TooLong,
    /// [`MAX_FAULTS`] refusals were found and the rest was not read.
    TooManyFaults,
}

impl fmt::Display for FaultKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Anchor => {
                f.write_str("an anchor (`&name`) is not read here; write the value out")
            }
            Self::Alias => f.write_str("an alias (`*name`) is not read here; write the value out"),
            Self::MergeKey => {
                f.write_str("a merge key (`<<`) is not read here; write the entries out")
            }
            Self::Tag => f.write_str("an explicit tag (`!tag`) is not read here; remove it"),
            Self::DuplicateKey { key, .. } => {
                write!(f, "the key `{}` stands twice in one mapping", key.escape_debug())
            }
            Self::KeyNotScalar => f.write_str("a key must be a single text, not a list or mapping"),
            Self::SecondDocument => {
                f.write_str("a second document begins here; one text holds one document")
            }
            Self::NotMapping => {
                f.write_str("front matter must be a mapping of keys to values (`key: value`)")
            }
            Self::Syntax(message) => write!(f, "this is not YAML: {message}"),
            Self::TooDeep => {
                write!(f, "lists and mappings nest deeper than the limit of {MAX_DEPTH}")
            }
            Self::TooLong => write!(f, "the text is longer than the limit of {MAX_BYTES} bytes"),
            Self::TooManyFaults => {
                write!(f, "more than {MAX_FAULTS} faults; the rest was not read")
            }
        }
    }
}

/// Reads one YAML text that begins `base` bytes into its file; spans are offsets into the file.
///
/// A byte order mark at the start of the text is skipped. `None` says that the text holds no value
/// at all.
///
/// # Errors
///
/// Every refusal of the dialect, together; a syntax error, or a limit that was passed, alone.
pub fn load(text: &str, base: usize) -> Result<Option<Node>, Vec<Fault>> {
    let content = Span::new(0, text.len());
    read(&Source { whole: &Arc::new(text.to_owned()), content, base })
}

/// Reads the YAML text that stands in a file under a span, as [`load`] does. The tree shares the text
/// of the file.
///
/// # Errors
///
/// As [`load`].
pub fn load_part(file: &Arc<String>, content: Span) -> Result<Option<Node>, Vec<Fault>> {
    read(&Source { whole: file, content, base: content.start })
}

/// A YAML text: where it stands in memory, and where in its file.
#[derive(Clone, Copy)]
pub(super) struct Source<'s> {
    /// What the texts of the tree are parts of.
    pub whole: &'s Arc<String>,
    /// The YAML text in it.
    pub content: Span,
    /// The offset of the YAML text in the file.
    pub base: usize,
}

impl<'s> Source<'s> {
    /// The YAML text.
    pub(super) fn text(self) -> &'s str {
        self.content.of(self.whole)
    }

    /// The text between two offsets of the YAML text.
    pub(super) fn part(self, start: usize, end: usize) -> Text {
        Text::within(self.whole, Span::new(start, end).shifted(self.content.start))
    }

    /// The source without its first bytes.
    fn skipping(self, bytes: usize) -> Self {
        let content = Span::new(self.content.start + bytes, self.content.end);
        Self { content, base: self.base + bytes, ..self }
    }
}

fn read(source: &Source<'_>) -> Result<Option<Node>, Vec<Fault>> {
    if source.content.len() > MAX_BYTES {
        let span = Span::new(MAX_BYTES, source.content.len()).shifted(source.base);
        return Err(vec![Fault { span, kind: FaultKind::TooLong }]);
    }
    let mark = if source.text().starts_with('\u{feff}') { '\u{feff}'.len_utf8() } else { 0 };
    let source = source.skipping(mark);
    match plain::read(source) {
        Some(node) => Ok(Some(node)),
        None => by_library(source),
    }
}

/// Reads a text with the library, which knows all of YAML.
pub(super) fn by_library(source: Source<'_>) -> Result<Option<Node>, Vec<Fault>> {
    Loader::new(source).run()
}

/// A list or mapping that is still open.
enum Open {
    List { start: usize, items: Vec<Node>, flow: bool },
    Mapping { start: usize, entries: Vec<Entry>, seen: HashMap<String, Span>, key: Key, flow: bool },
}

/// Whether a mapping waits for a key or for the value of one.
enum Key {
    Awaited,
    Read(Text, Span),
}

struct Loader<'s> {
    source: Source<'s>,
    open: Vec<Open>,
    root: Option<Node>,
    faults: Vec<Fault>,
}

impl<'s> Loader<'s> {
    fn new(source: Source<'s>) -> Self {
        Self { source, open: Vec::new(), root: None, faults: Vec::new() }
    }

    fn run(mut self) -> Result<Option<Node>, Vec<Fault>> {
        let text = self.source.text();
        let base = self.source.base;
        let options = granit_parser::options! {
            // Each kind on its own; the two together are counted below.
            flow_nesting_limit: MAX_DEPTH,
            block_nesting_limit: MAX_DEPTH,
            emit_unresolved_aliases: true,
            emit_anchor_events: true,
        };
        let mut documents = 0;
        for event in Parser::new_from_str_with_options(text, options) {
            let (event, at) = match event {
                Ok(event) => event,
                Err(error) => {
                    let offset = error.marker().byte_offset().unwrap_or_default().min(text.len());
                    let span = Span::new(offset, offset).shifted(base);
                    let kind = match error.kind() {
                        ErrorKind::RecursionLimitExceeded => FaultKind::TooDeep,
                        _ => FaultKind::Syntax(error.info()),
                    };
                    return Err(vec![Fault { span, kind }]);
                }
            };
            let span = at.byte_range().map(Span::from).unwrap_or_default();
            let span = Span::new(span.start, span.end.max(span.start)).shifted(base);
            match event {
                Event::DocumentStart(..) => {
                    documents += 1;
                    if documents == 2 {
                        self.refuse(span, FaultKind::SecondDocument);
                    }
                }
                Event::Anchor(..) => self.refuse(span, FaultKind::Anchor),
                Event::Alias(_) | Event::UnresolvedAlias(_) => {
                    self.refuse(span, FaultKind::Alias);
                    self.scalar(span, Text::default(), Style::Double);
                }
                Event::Scalar(value, style, _, tag) => {
                    self.refuse_tag(tag.is_some(), &at, span);
                    let style = match style {
                        ScalarStyle::SingleQuoted => Style::Single,
                        ScalarStyle::DoubleQuoted => Style::Double,
                        ScalarStyle::Literal => Style::Literal,
                        ScalarStyle::Folded => Style::Folded,
                        ScalarStyle::Plain => Style::Plain,
                    };
                    let absent = style == Style::Plain && span.is_empty();
                    if absent {
                        self.scalar(self.absent(text, span), Text::default(), style);
                    } else {
                        self.scalar(span, self.text(value, span), style);
                    }
                }
                Event::SequenceStart(style, _, tag) => {
                    self.refuse_tag(tag.is_some(), &at, span);
                    let flow = style == StructureStyle::Flow;
                    self.open(Open::List { start: span.start, items: Vec::new(), flow });
                }
                Event::MappingStart(style, _, tag) => {
                    self.refuse_tag(tag.is_some(), &at, span);
                    self.open(Open::Mapping {
                        start: span.start,
                        entries: Vec::new(),
                        seen: HashMap::new(),
                        key: Key::Awaited,
                        flow: style == StructureStyle::Flow,
                    });
                }
                Event::SequenceEnd | Event::MappingEnd => self.close(span.end),
                _ => {}
            }
            if self.open.len() > MAX_DEPTH {
                return Err(vec![Fault { span, kind: FaultKind::TooDeep }]);
            }
            if self.faults.len() >= MAX_FAULTS {
                self.faults.push(Fault { span, kind: FaultKind::TooManyFaults });
                break;
            }
        }
        if self.faults.is_empty() {
            return Ok(self.root);
        }
        self.faults.sort_by_key(|fault| fault.span);
        Err(self.faults)
    }

    /// The text of a value: the bytes under its span, unless it is spelled otherwise there.
    fn text(&self, value: Cow<'_, str>, span: Span) -> Text {
        let (start, end) = (span.start - self.source.base, span.end - self.source.base);
        let spelled = self.source.part(start, end);
        if spelled == *value { spelled } else { value.into_owned().into() }
    }

    fn refuse(&mut self, span: Span, kind: FaultKind) {
        self.faults.push(Fault { span, kind });
    }

    fn refuse_tag(&mut self, tagged: bool, at: &granit_parser::Span, span: Span) {
        if tagged {
            let tag = at.tag_span().and_then(|tag| tag.byte_range());
            let span = tag.map_or(span, |tag| Span::from(tag).shifted(self.source.base));
            self.refuse(span, FaultKind::Tag);
        }
    }

    /// Where an absent value would stand: right behind the colon of its key.
    fn absent(&self, text: &str, span: Span) -> Span {
        let Some(Open::Mapping { key: Key::Read(_, key), .. }) = self.open.last() else {
            return span;
        };
        let behind = text.get(key.end - self.source.base..).unwrap_or_default();
        let colon = behind.len() - behind.trim_start_matches([' ', '\t']).len();
        if behind[colon..].starts_with(':') {
            let at = key.end + colon + 1;
            return Span::new(at, at);
        }
        span
    }

    fn open(&mut self, open: Open) {
        self.open.push(open);
    }

    fn close(&mut self, end: usize) {
        let (start, last, flow, value) = match self.open.pop() {
            Some(Open::List { start, items, flow }) => {
                (start, items.last().map(|item| item.span.end), flow, Value::List(items.into()))
            }
            Some(Open::Mapping { start, entries, flow, .. }) => {
                let last = entries.last().map(|entry| entry.value.span.end);
                let mapping = Mapping::new(entries.into(), flow);
                (start, last, flow, Value::Mapping(Box::new(mapping)))
            }
            None => return,
        };
        // In block form the library counts the line breaks up to the next token.
        let end = last.filter(|_| !flow).unwrap_or(end);
        self.place(Node { span: Span::new(start, end.max(start)), value });
    }

    fn scalar(&mut self, span: Span, text: Text, style: Style) {
        self.place(Node { span, value: Value::Scalar(Scalar { text, style }) });
    }

    /// Puts a finished value where the innermost open list or mapping expects one.
    fn place(&mut self, node: Node) {
        match self.open.last_mut() {
            None => self.root = self.root.take().or(Some(node)),
            Some(Open::List { items, .. }) => items.push(node),
            Some(Open::Mapping { entries, seen, key, .. }) => {
                match std::mem::replace(key, Key::Awaited) {
                    Key::Read(text, key_span) => {
                        entries.push(Entry { key: text, key_span, value: node });
                    }
                    Key::Awaited => {
                        let span = node.span;
                        let Value::Scalar(scalar) = node.value else {
                            *key = Key::Read(Text::default(), span);
                            return self.refuse(span, FaultKind::KeyNotScalar);
                        };
                        let merge = scalar.style == Style::Plain && scalar.text == "<<";
                        *key = Key::Read(scalar.text.clone(), span);
                        let first = *seen.entry(scalar.text.to_string()).or_insert(span);
                        if merge {
                            self.refuse(span, FaultKind::MergeKey);
                        } else if first != span {
                            let key = scalar.text.to_string();
                            self.refuse(span, FaultKind::DuplicateKey { key, first });
                        }
                    }
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn faults(text: &str) -> Vec<FaultKind> {
        load(text, 0).unwrap_err().into_iter().map(|fault| fault.kind).collect()
    }

    #[test]
    fn a_repeated_key_names_the_first_in_its_own_mapping_only() {
        let found = load("a: {x: 1}\nb: {x: 1, x: 2}\na: 3\n", 10).unwrap_err();
        let first = Span::new(14, 15);
        assert_eq!(
            found,
            [
                Fault {
                    span: Span::new(30, 31),
                    kind: FaultKind::DuplicateKey { key: "x".into(), first: Span::new(24, 25) }
                },
                Fault {
                    span: Span::new(36, 37),
                    kind: FaultKind::DuplicateKey { key: "a".into(), first: Span::new(10, 11) }
                },
            ]
        );
        assert_ne!(first, Span::new(24, 25));
    }

    #[test]
    fn an_alias_bomb_is_refused_before_anything_grows() {
        let mut bomb = String::from("a0: &a0 [x, x]\n");
        for at in 1..40 {
            let before = at - 1;
            bomb.push_str(&format!("a{at}: &a{at} [*a{before}, *a{before}]\n"));
        }
        let found = faults(&bomb);
        assert_eq!(found.iter().filter(|kind| **kind == FaultKind::Alias).count(), 66);
        assert_eq!(found.last(), Some(&FaultKind::TooManyFaults));
    }

    #[test]
    fn depth_is_refused_one_past_the_limit() {
        let nest = |open: &str, close: &str, depth: usize| {
            format!("{}x{}", open.repeat(depth), close.repeat(depth))
        };
        assert!(load(&nest("[", "]", MAX_DEPTH), 0).is_ok());
        assert_eq!(faults(&nest("[", "]", MAX_DEPTH + 1)), [FaultKind::TooDeep]);
        assert_eq!(faults(&nest("[", "]", 100_000)), [FaultKind::TooDeep]);
        assert!(load(&nest("- ", "", MAX_DEPTH), 0).is_ok());
        assert_eq!(faults(&nest("- ", "", MAX_DEPTH + 1)), [FaultKind::TooDeep]);
        assert_eq!(faults(&nest("{a: ", "}", MAX_DEPTH + 1)), [FaultKind::TooDeep]);
        assert_eq!(faults(&nest("- [", "]", 100_000)).len(), 1);
        assert_eq!(faults(&nest("? ", "", 100_000)).len(), 1);
    }

    #[test]
    fn length_is_refused_one_past_the_limit() {
        let mut text = String::from("a: ");
        text.push_str(&"x".repeat(MAX_BYTES - text.len()));
        assert!(load(&text, 0).is_ok());
        text.push('x');
        assert_eq!(faults(&text), [FaultKind::TooLong]);
    }

    #[test]
    fn a_mark_is_skipped_and_counted() {
        let mapping = match load("\u{feff}a: b", 0).unwrap().unwrap().value {
            Value::Mapping(mapping) => *mapping,
            other => panic!("{other:?}"),
        };
        assert_eq!(mapping.entries()[0].key_span, Span::new(3, 4));
    }

    #[test]
    fn an_empty_text_holds_nothing() {
        for text in ["", "\n", "# only a comment\n"] {
            assert_eq!(load(text, 0), Ok(None), "{text:?}");
        }
    }

    proptest! {
        #[test]
        fn any_text_is_read_or_refused_with_spans_that_fit(
            text in "(a|b|: |- |\n|  |\\[|\\]|\\{|\\}|, |&x |\\*x|!t |'|\"|\\||>|#|\\?|ä|\t|---|%){0,40}"
        ) {
            match load(&text, 0) {
                Ok(Some(node)) => prop_assert!(text.get(node.span.start..node.span.end).is_some()),
                Ok(None) => {}
                Err(faults) => {
                    for fault in faults {
                        prop_assert!(text.get(fault.span.start..fault.span.end).is_some());
                    }
                }
            }
        }

        #[test]
        fn a_plain_word_stands_in_its_span(
            words in proptest::collection::btree_map("[a-z]{1,8}", "[a-zä]{1,8}", 0..8)
        ) {
            let text: String = words.iter().map(|(key, value)| format!("{key}: {value}\n")).collect();
            if let Some(node) = load(&text, 0).unwrap() {
                let mapping = node.as_mapping().unwrap();
                prop_assert_eq!(mapping.len(), words.len());
                for (key, value) in &words {
                    let entry = mapping.entry(key).unwrap();
                    prop_assert_eq!(entry.key_span.of(&text), key);
                    prop_assert_eq!(entry.value.span.of(&text), value);
                }
            }
        }
    }
}
