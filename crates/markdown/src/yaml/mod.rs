//! YAML as this project reads it: a tree of values with byte spans, and every refusal at once.
//!
//! The dialect is the 1.2 core schema without anchors, aliases, merge keys, explicit tags and
//! second documents, because a reader must be able to see the whole fact at the place where it is
//! written. Aliases are refused as events, before anything could be expanded. A scalar keeps its
//! text and its style; which type it has is asked by whoever reads it.

mod load;
mod plain;
mod text;

pub use load::{Fault, FaultKind, MAX_BYTES, MAX_DEPTH, MAX_FAULTS, load, load_part};
pub use text::Text;

use crate::span::Span;

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
    List(Box<[Node]>),
    /// Keys and their values, in source order.
    Mapping(Box<Mapping>),
}

/// A text and how it was written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Scalar {
    /// The text after quotes and escapes are read. An absent value has an empty text.
    pub text: Text,
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

/// How many entries a mapping is searched one by one for a key.
const FEW: usize = 16;

/// The entries of a mapping, in source order. No two have the same key.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Mapping {
    entries: Box<[Entry]>,
    /// Indices of `entries`, sorted by key; empty where there are few.
    by_key: Box<[usize]>,
    /// Whether it was written as `{…}`.
    flow: bool,
}

/// One key and its value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    /// The key's text.
    pub key: Text,
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
        if self.by_key.is_empty() {
            return self.entries.iter().find(|entry| entry.key == key);
        }
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

    fn new(entries: Box<[Entry]>, flow: bool) -> Self {
        let mut by_key: Vec<usize> = Vec::new();
        if entries.len() > FEW {
            by_key.extend(0..entries.len());
            by_key.sort_by(|&a, &b| entries[a].key.as_str().cmp(&entries[b].key));
        }
        Self { entries, by_key: by_key.into(), flow }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn mapping(text: &str) -> Mapping {
        match load(text, 0).unwrap().unwrap().value {
            Value::Mapping(mapping) => *mapping,
            other => panic!("{other:?}"),
        }
    }

    fn scalar(text: &str) -> Scalar {
        mapping(&format!("a: {text}")).get("a").unwrap().as_scalar().unwrap().clone()
    }

    #[test]
    fn types_are_those_of_the_core_schema() {
        for text in ["true", "True", "TRUE"] {
            assert_eq!(scalar(text).as_bool(), Some(true));
        }
        for text in ["no", "yes", "on", "off", "tRUE", "\"true\"", "'false'", "y"] {
            assert_eq!(scalar(text).as_bool(), None, "{text}");
        }
        for text in ["", "~", "null", "Null", "NULL"] {
            assert!(scalar(text).is_null(), "{text}");
        }
        assert!(!scalar("\"\"").is_null() && !scalar("nULL").is_null());
        for (text, number) in [
            ("0", Some(0)),
            ("-7", Some(-7)),
            ("+007", Some(7)),
            ("0o17", Some(15)),
            ("0xfF", Some(255)),
            ("9223372036854775807", Some(i64::MAX)),
            ("-9223372036854775808", Some(i64::MIN)),
            ("9223372036854775808", None),
            ("1_000", None),
            ("0b1", None),
            ("0o", None),
            ("0x-1", None),
            ("-0x1", None),
            ("'1'", None),
            ("1.0", None),
        ] {
            assert_eq!(scalar(text).as_int(), number, "{text}");
        }
        for (text, number) in [
            ("1.5", Some(1.5)),
            ("-.5", Some(-0.5)),
            ("1.", Some(1.0)),
            ("1e3", Some(1000.0)),
            ("+12.5E-1", Some(1.25)),
            (".inf", Some(f64::INFINITY)),
            ("-.Inf", Some(f64::NEG_INFINITY)),
            ("7", Some(7.0)),
            (".", None),
            ("e3", None),
            ("1e", None),
            ("1.2.3", None),
            ("inf", None),
            ("\"1.5\"", None),
        ] {
            assert_eq!(scalar(text).as_float(), number, "{text}");
        }
        assert!(scalar(".nan").as_float().is_some_and(f64::is_nan));
    }
}
