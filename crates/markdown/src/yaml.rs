//! YAML as this project reads it: a tree of values with byte spans, and every refusal at once.
//!
//! The dialect is the 1.2 core schema without anchors, aliases, merge keys, explicit tags and
//! second documents, because a reader must be able to see the whole fact at the place where it is
//! written. Aliases are refused as events, before anything could be expanded. A scalar keeps its
//! text and its style; which type it has is asked by whoever reads it.

use std::collections::HashMap;
use std::fmt;

use granit_parser::{Event, Parser, ScalarStyle};

use crate::span::Span;

/// How deep lists and mappings may nest.
pub const MAX_DEPTH: usize = 256;
/// How long one YAML text may be, in bytes.
pub const MAX_BYTES: usize = 16 * 1024 * 1024;
/// How many refusals one text collects before the loader stops.
pub const MAX_FAULTS: usize = 100;

/// A value and where it stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Node {
    /// The bytes of the value. An absent value has an empty span.
    pub span: Span,
    /// What is written there.
    pub value: Value,
}

/// What a node holds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Value {
    /// A single text.
    Scalar(Scalar),
    /// A list, in source order.
    List(Vec<Node>),
    /// Keys and their values, in source order.
    Mapping(Mapping),
}

/// A text and how it was written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Scalar {
    /// The text after quotes and escapes are read. An absent value has an empty text.
    pub text: String,
    /// The notation.
    pub style: Style,
}

/// The notation of a scalar.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Style {
    /// Without quotes.
    Plain,
    /// In single quotes.
    Single,
    /// In double quotes.
    Double,
    /// After `|`.
    Literal,
    /// After `>`.
    Folded,
}

/// The entries of a mapping, in source order. No two have the same key.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Mapping {
    entries: Vec<Entry>,
    /// Indices of `entries`, sorted by key.
    by_key: Vec<usize>,
    /// Whether it was written as `{…}`.
    flow: bool,
}

/// One key and its value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    /// The key's text.
    pub key: String,
    /// The bytes of the key, quotes included.
    pub key_span: Span,
    /// The value.
    pub value: Node,
}

impl Node {
    /// The scalar, if the node is one.
    #[must_use]
    pub fn as_scalar(&self) -> Option<&Scalar> {
        match &self.value {
            Value::Scalar(scalar) => Some(scalar),
            _ => None,
        }
    }

    /// The items, if the node is a list.
    #[must_use]
    pub fn as_list(&self) -> Option<&[Node]> {
        match &self.value {
            Value::List(items) => Some(items),
            _ => None,
        }
    }

    /// The entries, if the node is a mapping.
    #[must_use]
    pub fn as_mapping(&self) -> Option<&Mapping> {
        match &self.value {
            Value::Mapping(mapping) => Some(mapping),
            _ => None,
        }
    }

    /// The text of a scalar that is not null.
    #[must_use]
    pub fn text(&self) -> Option<&str> {
        self.as_scalar().filter(|scalar| !scalar.is_null()).map(|scalar| scalar.text.as_str())
    }

    /// Whether the node is a null scalar.
    #[must_use]
    pub fn is_null(&self) -> bool {
        self.as_scalar().is_some_and(Scalar::is_null)
    }
}

impl Scalar {
    /// Plain and one of: empty, `~`, `null`, `Null`, `NULL`.
    #[must_use]
    pub fn is_null(&self) -> bool {
        self.style == Style::Plain
            && matches!(self.text.as_str(), "" | "~" | "null" | "Null" | "NULL")
    }

    /// The truth value, if the scalar is plain and one of the six core spellings.
    #[must_use]
    pub fn as_bool(&self) -> Option<bool> {
        match self.text.as_str() {
            _ if self.style != Style::Plain => None,
            "true" | "True" | "TRUE" => Some(true),
            "false" | "False" | "FALSE" => Some(false),
            _ => None,
        }
    }

    /// The integer, if the scalar is plain and decimal, `0o…` or `0x…`, and fits.
    #[must_use]
    pub fn as_int(&self) -> Option<i64> {
        if self.style != Style::Plain {
            return None;
        }
        let text = self.text.as_str();
        let based = |digits: &str, base: u32| {
            (!digits.is_empty() && digits.chars().all(|c| c.is_digit(base)))
                .then(|| i64::from_str_radix(digits, base).ok())
                .flatten()
        };
        if let Some(octal) = text.strip_prefix("0o") {
            return based(octal, 8);
        }
        if let Some(hexadecimal) = text.strip_prefix("0x") {
            return based(hexadecimal, 16);
        }
        let digits = text.strip_prefix(['+', '-']).unwrap_or(text);
        (!digits.is_empty() && digits.bytes().all(|b| b.is_ascii_digit()))
            .then(|| text.parse().ok())
            .flatten()
    }

    /// The number, if the scalar is plain and a float or an integer of the core schema.
    #[must_use]
    pub fn as_float(&self) -> Option<f64> {
        if self.style != Style::Plain {
            return None;
        }
        let text = self.text.as_str();
        let unsigned = text.strip_prefix(['+', '-']).unwrap_or(text);
        match unsigned {
            ".inf" | ".Inf" | ".INF" if text.starts_with('-') => return Some(f64::NEG_INFINITY),
            ".inf" | ".Inf" | ".INF" => return Some(f64::INFINITY),
            ".nan" | ".NaN" | ".NAN" if unsigned.len() == text.len() => return Some(f64::NAN),
            _ => {}
        }
        let (mantissa, exponent) = match unsigned.split_once(['e', 'E']) {
            Some((mantissa, exponent)) => (mantissa, Some(exponent)),
            None => (unsigned, None),
        };
        let exponent_fits = exponent.is_none_or(|exponent| {
            let digits = exponent.strip_prefix(['+', '-']).unwrap_or(exponent);
            !digits.is_empty() && digits.bytes().all(|b| b.is_ascii_digit())
        });
        let mantissa_fits = mantissa.bytes().any(|b| b.is_ascii_digit())
            && mantissa.bytes().all(|b| b.is_ascii_digit() || b == b'.')
            && mantissa.bytes().filter(|&b| b == b'.').count() <= 1;
        (exponent_fits && mantissa_fits).then(|| text.parse().ok()).flatten()
    }
}

impl Mapping {
    /// The entries in source order.
    #[must_use]
    pub fn entries(&self) -> &[Entry] {
        &self.entries
    }

    /// The entry with a key.
    #[must_use]
    pub fn entry(&self, key: &str) -> Option<&Entry> {
        let at = self
            .by_key
            .binary_search_by(|&index| self.entries[index].key.as_str().cmp(key))
            .ok()?;
        self.entries.get(self.by_key[at])
    }

    /// The value of a key.
    #[must_use]
    pub fn get(&self, key: &str) -> Option<&Node> {
        self.entry(key).map(|entry| &entry.value)
    }

    /// How many entries there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// Whether there is no entry.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// Whether the mapping was written in flow form, `{…}`.
    #[must_use]
    pub fn is_flow(&self) -> bool {
        self.flow
    }

    fn new(entries: Vec<Entry>, flow: bool) -> Self {
        let mut by_key: Vec<usize> = (0..entries.len()).collect();
        by_key.sort_by(|&a, &b| entries[a].key.cmp(&entries[b].key));
        Self { entries, by_key, flow }
    }
}

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
    if text.len() > MAX_BYTES {
        let span = Span::new(MAX_BYTES, text.len()).shifted(base);
        return Err(vec![Fault { span, kind: FaultKind::TooLong }]);
    }
    let mark = if text.starts_with('\u{feff}') { '\u{feff}'.len_utf8() } else { 0 };
    Loader::new(base + mark).run(&text[mark..])
}

/// A list or mapping that is still open.
enum Open {
    List { start: usize, items: Vec<Node> },
    Mapping { start: usize, entries: Vec<Entry>, seen: HashMap<String, Span>, key: Key, flow: bool },
}

/// Whether a mapping waits for a key or for the value of one.
enum Key {
    Awaited,
    Read(String, Span),
}

struct Loader {
    base: usize,
    open: Vec<Open>,
    root: Option<Node>,
    faults: Vec<Fault>,
}

impl Loader {
    fn new(base: usize) -> Self {
        Self { base, open: Vec::new(), root: None, faults: Vec::new() }
    }

    fn run(mut self, text: &str) -> Result<Option<Node>, Vec<Fault>> {
        let options = granit_parser::options! {
            // One more than ours, so that our own refusal comes first and names the limit.
            flow_nesting_limit: MAX_DEPTH + 1,
            block_nesting_limit: MAX_DEPTH + 1,
            emit_unresolved_aliases: true,
            emit_anchor_events: true,
        };
        let mut documents = 0;
        for event in Parser::new_from_str_with_options(text, options) {
            let (event, at) = match event {
                Ok(event) => event,
                Err(error) => {
                    let offset = error.marker().byte_offset().unwrap_or_default().min(text.len());
                    let span = Span::new(offset, offset).shifted(self.base);
                    let message = error.info();
                    return Err(vec![Fault { span, kind: FaultKind::Syntax(message) }]);
                }
            };
            let span = at.byte_range().map(Span::from).unwrap_or_default();
            let span = Span::new(span.start, span.end.max(span.start)).shifted(self.base);
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
                    self.scalar(span, String::new(), Style::Double);
                }
                Event::Scalar(value, style, _, tag) => {
                    if tag.is_some() {
                        let tagged = at.tag_span().and_then(|tag| tag.byte_range());
                        let span = tagged.map_or(span, |tag| Span::from(tag).shifted(self.base));
                        self.refuse(span, FaultKind::Tag);
                    }
                    let style = match style {
                        ScalarStyle::SingleQuoted => Style::Single,
                        ScalarStyle::DoubleQuoted => Style::Double,
                        ScalarStyle::Literal => Style::Literal,
                        ScalarStyle::Folded => Style::Folded,
                        ScalarStyle::Plain => Style::Plain,
                    };
                    let absent = style == Style::Plain && span.is_empty();
                    let value = if absent { String::new() } else { value.into_owned() };
                    self.scalar(span, value, style);
                }
                Event::SequenceStart(_, _, tag) => {
                    self.refuse_tag(tag.is_some(), &at, span);
                    self.open(Open::List { start: span.start, items: Vec::new() });
                }
                Event::MappingStart(style, _, tag) => {
                    self.refuse_tag(tag.is_some(), &at, span);
                    self.open(Open::Mapping {
                        start: span.start,
                        entries: Vec::new(),
                        seen: HashMap::new(),
                        key: Key::Awaited,
                        flow: style == granit_parser::StructureStyle::Flow,
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

    fn refuse(&mut self, span: Span, kind: FaultKind) {
        self.faults.push(Fault { span, kind });
    }

    fn refuse_tag(&mut self, tagged: bool, at: &granit_parser::Span, span: Span) {
        if tagged {
            let tag = at.tag_span().and_then(|tag| tag.byte_range());
            let span = tag.map_or(span, |tag| Span::from(tag).shifted(self.base));
            self.refuse(span, FaultKind::Tag);
        }
    }

    fn open(&mut self, open: Open) {
        self.open.push(open);
    }

    fn close(&mut self, end: usize) {
        let (start, value) = match self.open.pop() {
            Some(Open::List { start, items }) => (start, Value::List(items)),
            Some(Open::Mapping { start, entries, flow, .. }) => {
                (start, Value::Mapping(Mapping::new(entries, flow)))
            }
            None => return,
        };
        self.place(Node { span: Span::new(start, end.max(start)), value });
    }

    fn scalar(&mut self, span: Span, text: String, style: Style) {
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
                            *key = Key::Read(String::new(), span);
                            return self.refuse(span, FaultKind::KeyNotScalar);
                        };
                        let merge = scalar.style == Style::Plain && scalar.text == "<<";
                        *key = Key::Read(scalar.text.clone(), span);
                        let first = *seen.entry(scalar.text.clone()).or_insert(span);
                        if merge {
                            self.refuse(span, FaultKind::MergeKey);
                        } else if first != span {
                            let key = scalar.text;
                            self.refuse(span, FaultKind::DuplicateKey { key, first });
                        }
                    }
                }
            }
        }
    }
}
