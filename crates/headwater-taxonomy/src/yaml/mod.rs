//! The one YAML loader of the engine's own files: sources, lock, declarations, snapshots.
//!
//! A taxonomy is a contract, so the dialect is small: YAML 1.2 core, one document, and nothing that
//! makes a text mean something other than what stands at the place where it is read. Anchors,
//! aliases, merge keys, tags and duplicate keys are refused with their positions, all together.

use std::fmt;

mod loader;

pub use loader::{DEPTH_LIMIT, Fault, KEY_LIMIT, Offence, load, load_bytes};

use crate::ordered::Ordered;

/// A place in a file. Lines and columns count from 1; a column counts Unicode scalar values; the
/// offset counts bytes of the whole file, a byte order mark included.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Position {
    /// The line, from 1.
    pub line: u32,
    /// The column, from 1.
    pub column: u32,
    /// The byte offset, from 0.
    pub offset: usize,
}

impl fmt::Display for Position {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.line, self.column)
    }
}

/// A stretch of one source. `source` is the place of the file among the files that were loaded
/// together, 0 where there is only one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Span {
    /// Which file.
    pub source: u32,
    /// Where it begins.
    pub start: Position,
    /// Where it ends, exclusive.
    pub end: Position,
}

/// How a scalar was written. Only a plain scalar can be a null, a boolean or a number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Style {
    /// No quotes.
    Plain,
    /// Single quotes.
    Single,
    /// Double quotes.
    Double,
    /// A block scalar opened by `|`.
    Literal,
    /// A block scalar opened by `>`.
    Folded,
}

/// A mapping, in the order of the file.
pub type Map = Ordered<Member>;

/// The value of one mapping key, with the place of the key.
#[derive(Clone, Debug)]
pub struct Member {
    /// Where the key stands.
    pub key: Span,
    /// The value.
    pub value: Node,
}

/// One value of a loaded file.
#[derive(Clone, Debug)]
pub struct Node {
    /// What it is.
    pub value: Value,
    /// Where it stands. A value that was left out has an empty span.
    pub span: Span,
}

/// The three shapes of a value.
#[derive(Clone, Debug)]
pub enum Value {
    /// Text with its style.
    Scalar(String, Style),
    /// A sequence.
    List(Vec<Node>),
    /// A mapping.
    Map(Map),
}

impl Node {
    /// A scalar that stands at `span`.
    pub fn scalar(text: impl Into<String>, span: Span) -> Self {
        Self { value: Value::Scalar(text.into(), Style::Plain), span }
    }

    /// An empty mapping that stands at `span`.
    pub fn empty_map(span: Span) -> Self {
        Self { value: Value::Map(Map::default()), span }
    }

    /// The text of a scalar, whatever its style. A null has a text too; ask [`Node::is_null`].
    pub fn text(&self) -> Option<&str> {
        match &self.value {
            Value::Scalar(text, _) => Some(text),
            _ => None,
        }
    }

    /// The items of a list.
    pub fn items(&self) -> Option<&[Node]> {
        match &self.value {
            Value::List(items) => Some(items),
            _ => None,
        }
    }

    /// The members of a mapping.
    pub fn map(&self) -> Option<&Map> {
        match &self.value {
            Value::Map(map) => Some(map),
            _ => None,
        }
    }

    /// The members of a mapping, to change.
    pub fn map_mut(&mut self) -> Option<&mut Map> {
        match &mut self.value {
            Value::Map(map) => Some(map),
            _ => None,
        }
    }

    /// The value of a key of a mapping.
    pub fn get(&self, key: &str) -> Option<&Node> {
        self.map()?.get(key).map(|member| &member.value)
    }

    /// Whether this is a plain null of the core schema.
    pub fn is_null(&self) -> bool {
        matches!(&self.value, Value::Scalar(text, Style::Plain)
            if matches!(text.as_str(), "" | "~" | "null" | "Null" | "NULL"))
    }

    /// The boolean that a plain scalar is.
    pub fn as_bool(&self) -> Option<bool> {
        match &self.value {
            Value::Scalar(text, Style::Plain) => parse_bool(text),
            _ => None,
        }
    }

    /// The integer that a plain scalar is.
    pub fn as_int(&self) -> Option<i64> {
        match &self.value {
            Value::Scalar(text, Style::Plain) => parse_int(text),
            _ => None,
        }
    }

    /// "a mapping", "a list", "nothing" or "the text `…`", for messages.
    pub fn describe(&self) -> String {
        match &self.value {
            _ if self.is_null() => "nothing".to_owned(),
            Value::Scalar(text, _) => format!("`{}`", shown(text)),
            Value::List(_) => "a list".to_owned(),
            Value::Map(_) => "a mapping".to_owned(),
        }
    }

    /// Whether two values say the same: scalar text, lists in order, mappings in order. Style and
    /// place say nothing. Recursion is bounded by [`DEPTH_LIMIT`].
    pub fn same(&self, other: &Node) -> bool {
        match (&self.value, &other.value) {
            (Value::Scalar(a, _), Value::Scalar(b, _)) => a == b,
            (Value::List(a), Value::List(b)) => {
                a.len() == b.len() && a.iter().zip(b).all(|(a, b)| a.same(b))
            }
            (Value::Map(a), Value::Map(b)) => {
                a.len() == b.len()
                    && a.iter()
                        .zip(b.iter())
                        .all(|((ka, a), (kb, b))| ka == kb && a.value.same(&b.value))
            }
            _ => false,
        }
    }
}

/// Text made one line, for output: control characters and line separators are escaped, so that no
/// value can forge a line.
pub fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        if c.is_control() || matches!(c, '\u{2028}' | '\u{2029}') {
            out.extend(c.escape_default());
        } else {
            out.push(c);
        }
    }
    out
}

/// Text made one line and cut to 80 characters, for the values that a message quotes.
pub fn shown(text: &str) -> String {
    match text.char_indices().nth(80) {
        Some((end, _)) => escaped(text.get(..end).unwrap_or(text)) + "…",
        None => escaped(text),
    }
}

/// The boolean of the core schema that a text spells.
pub fn parse_bool(text: &str) -> Option<bool> {
    match text {
        "true" | "True" | "TRUE" => Some(true),
        "false" | "False" | "FALSE" => Some(false),
        _ => None,
    }
}

/// The integer of the core schema that a text spells, within 64 bits.
pub fn parse_int(text: &str) -> Option<i64> {
    let digits = |text: &str, radix: u32| {
        (!text.is_empty() && text.chars().all(|c| c.is_digit(radix)))
            .then(|| i64::from_str_radix(text, radix).ok())
            .flatten()
    };
    if let Some(octal) = text.strip_prefix("0o") {
        return digits(octal, 8);
    }
    if let Some(hex) = text.strip_prefix("0x") {
        return digits(hex, 16);
    }
    let unsigned = text.strip_prefix(['+', '-']).unwrap_or(text);
    (!unsigned.is_empty() && unsigned.bytes().all(|b| b.is_ascii_digit()))
        .then(|| text.parse().ok())
        .flatten()
}
