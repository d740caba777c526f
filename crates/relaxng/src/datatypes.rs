//! The datatypes a grammar may use, with every pattern compiled once.
//!
//! The library's own XML Schema types compile a `pattern` again for each value they meet, which is
//! ten times the work of the validation itself. These are registered in their place. They are few
//! on purpose: a type or facet that is not here is refused when the grammar is read, with its line.

use std::collections::BTreeMap;
use std::sync::Arc;

use regex::Regex;
use relax_ng::{DatatypeContext, DatatypeLibrary};

/// Stands before a value that is blank to Unicode but not to XML (a no-break space, say). The
/// library takes such a text for white space and drops it where no text may stand, which XML's own
/// definition of white space forbids. No XML document can hold this character.
pub(crate) const MARK: char = '\0';

/// What XML calls white space.
pub(crate) fn is_xml_space(character: char) -> bool {
    matches!(character, ' ' | '\t' | '\n' | '\r')
}

/// The value with white space collapsed: none at the ends, one space for each inner run.
fn collapsed(value: &str) -> String {
    let words: Vec<&str> = value.split(is_xml_space).filter(|word| !word.is_empty()).collect();
    words.join(" ")
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Type {
    String,
    Token,
    PositiveInteger,
}

impl Type {
    fn named(name: &str) -> Option<Type> {
        match name {
            "string" => Some(Type::String),
            "token" => Some(Type::Token),
            "positiveInteger" => Some(Type::PositiveInteger),
            _ => None,
        }
    }

    /// The value as facets and comparisons see it.
    fn normal(self, value: &str) -> String {
        let value = value.strip_prefix(MARK).unwrap_or(value);
        match self {
            Type::String => value.to_owned(),
            Type::Token | Type::PositiveInteger => collapsed(value),
        }
    }
}

/// The digits of a positive integer without sign and leading zeros.
fn positive_digits(value: &str) -> Option<&str> {
    let digits = value.strip_prefix('+').unwrap_or(value).trim_start_matches('0');
    let all = !digits.is_empty() && value.bytes().skip(1).all(|byte| byte.is_ascii_digit());
    let first = value.starts_with('+') || value.starts_with(|first: char| first.is_ascii_digit());
    (all && first).then_some(digits)
}

/// The types, and the patterns of one grammar in compiled form.
#[derive(Clone, Debug, Default)]
pub(crate) struct Datatypes {
    patterns: Arc<BTreeMap<String, Regex>>,
}

impl Datatypes {
    /// Compiles each of the patterns; a refusal says why and carries the pattern's position.
    pub(crate) fn new<'a>(
        patterns: impl Iterator<Item = &'a str>,
    ) -> Result<Datatypes, (usize, String)> {
        let mut compiled = BTreeMap::new();
        for (position, pattern) in patterns.enumerate() {
            if !compiled.contains_key(pattern) {
                let regex = compile(pattern).map_err(|cause| (position, cause))?;
                compiled.insert(pattern.to_owned(), regex);
            }
        }
        Ok(Datatypes { patterns: Arc::new(compiled) })
    }

    /// Whether the type exists and takes these facets.
    pub(crate) fn check(&self, name: &str, facets: &[(&str, &str)]) -> Result<(), String> {
        let Some(kind) = Type::named(name) else {
            return Err(format!(
                "the datatype {name} is not supported; use string, token or positiveInteger"
            ));
        };
        for (facet, value) in facets {
            match *facet {
                "pattern" if self.patterns.contains_key(*value) => {}
                "pattern" => return Err("a pattern must be plain text".to_owned()),
                "minLength" | "maxLength" if kind != Type::PositiveInteger => {
                    if value.trim().parse::<usize>().is_err() {
                        return Err(format!("{facet} needs a whole number"));
                    }
                }
                _ => {
                    return Err(format!("the datatype {name} does not take the facet {facet}"));
                }
            }
        }
        Ok(())
    }

    /// Whether `value` is one of the type's values and satisfies every facet, each of several patterns
    /// included.
    pub(crate) fn matches(&self, name: &str, facets: &[(&str, &str)], value: &str) -> bool {
        let Some(kind) = Type::named(name) else { return false };
        let value = kind.normal(value);
        if kind == Type::PositiveInteger && positive_digits(&value).is_none() {
            return false;
        }
        facets.iter().all(|(facet, wanted)| {
            let length = || wanted.trim().parse::<usize>().ok();
            match *facet {
                "pattern" => self.patterns.get(*wanted).is_some_and(|regex| regex.is_match(&value)),
                "minLength" => length().is_some_and(|length| value.chars().count() >= length),
                "maxLength" => length().is_some_and(|length| value.chars().count() <= length),
                _ => false,
            }
        })
    }

    /// Whether both texts denote the same value of the type.
    pub(crate) fn equal(&self, name: &str, left: &str, right: &str) -> bool {
        let Some(kind) = Type::named(name) else { return false };
        let (left, right) = (kind.normal(left), kind.normal(right));
        match kind {
            Type::String | Type::Token => left == right,
            Type::PositiveInteger => {
                positive_digits(&left).is_some()
                    && positive_digits(&left) == positive_digits(&right)
            }
        }
    }
}

impl DatatypeLibrary for Datatypes {
    fn validate_params(&self, name: &str, facets: &[(&str, &str)]) -> Result<(), String> {
        self.check(name, facets)
    }

    fn matches(
        &self,
        name: &str,
        facets: &[(&str, &str)],
        value: &str,
        _context: &DatatypeContext,
    ) -> bool {
        Datatypes::matches(self, name, facets, value)
    }

    fn values_equal(
        &self,
        name: &str,
        expected: &str,
        _expected_context: &DatatypeContext,
        actual: &str,
        _actual_context: &DatatypeContext,
    ) -> bool {
        self.equal(name, expected, actual)
    }
}

/// Compiles a pattern of XML Schema's regular expressions, which match a whole value. What the two
/// dialects write alike passes through, what differs is translated or refused.
fn compile(pattern: &str) -> Result<Regex, String> {
    let refuse = |what: &str| Err(format!("a pattern may not use {what} here"));
    let mut translated = String::with_capacity(pattern.len() + 8);
    translated.push_str(r"\A(?:");
    let mut in_class = false;
    let mut characters = pattern.chars().peekable();
    while let Some(character) = characters.next() {
        match character {
            '\\' => match characters.next() {
                Some('s') if in_class => translated.push_str(r" \t\n\r"),
                Some('s') => translated.push_str(r"[ \t\n\r]"),
                Some('S') if !in_class => translated.push_str(r"[^ \t\n\r]"),
                Some(
                    escaped @ ('\\' | '|' | '.' | '-' | '^' | '?' | '*' | '+' | '{' | '}' | '('
                    | ')' | '[' | ']' | 'n' | 'r' | 't' | 'd' | 'D'),
                ) => translated.extend(['\\', escaped]),
                Some(other) => return refuse(&format!("\\{other}")),
                None => return refuse("a lone backslash"),
            },
            '[' if in_class => return refuse("a class within a class"),
            '[' => {
                in_class = true;
                translated.push('[');
                if characters.next_if_eq(&'^').is_some() {
                    translated.push('^');
                }
            }
            ']' if in_class => {
                in_class = false;
                translated.push(']');
            }
            '&' | '~' | '^' if in_class => translated.extend(['\\', character]),
            '-' if in_class && characters.peek() == Some(&'-') => return refuse("--"),
            '(' if !in_class && characters.peek() == Some(&'?') => return refuse("(?"),
            '^' | '$' if !in_class => translated.extend(['\\', character]),
            '.' if !in_class => translated.push_str(r"[^\n\r]"),
            other => translated.push(other),
        }
    }
    translated.push_str(r")\z");
    Regex::new(&translated).map_err(|_| "the pattern is not a regular expression".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn accepts(pattern: &str, value: &str) -> bool {
        let types = Datatypes::new([pattern].into_iter()).unwrap();
        types.matches("token", &[("pattern", pattern)], value)
    }

    #[test]
    fn a_pattern_matches_the_whole_collapsed_value() {
        let id = "[a-z][a-hj-km-np-z2-9]{3}";
        for good in ["ab2c", "head", " ab2c ", "\tab2c\n"] {
            assert!(accepts(id, good), "{good:?}");
        }
        for bad in ["", "ab2", "ab2cd", "Ab2c", "abic", "ab c", "ab2c\u{a0}", "root", "ab2c\0"] {
            assert!(!accepts(id, bad), "{bad:?}");
        }
        assert!(accepts("a|b c", "b  c") && !accepts("a|b", "ab"));
        assert!(accepts("^$", "^$") && !accepts("^$", ""));
        assert!(accepts(r"\d+\s\S[\s.]", "12 x.") && !accepts("a.c", "ac"));
    }

    #[test]
    fn a_pattern_of_the_other_dialect_only_is_refused() {
        for pattern in [r"\i\c*", r"\w", "(?i)a", "[a-z-[aeiou]]", "[a--b]", r"\", "(", r"\p{L}"] {
            assert!(Datatypes::new([pattern].into_iter()).is_err(), "{pattern}");
        }
        assert_eq!(Datatypes::new(["a", "("].into_iter()).unwrap_err().0, 1);
    }

    #[test]
    fn lengths_count_characters_after_collapsing() {
        let types = Datatypes::default();
        let least = [("minLength", "1")];
        for (value, token, string) in [
            ("", false, false),
            (" \t\n", false, true),
            ("\0\u{a0}", true, true),
            (" é ", true, true),
        ] {
            assert_eq!(types.matches("token", &least, value), token, "{value:?}");
            assert_eq!(types.matches("string", &least, value), string, "{value:?}");
        }
        assert!(types.matches("token", &[("maxLength", "3")], " a  é "));
        assert!(!types.matches("token", &[("maxLength", "2")], " a  é "));
    }

    #[test]
    fn equality_follows_the_type() {
        let types = Datatypes::default();
        assert!(types.equal("token", "a b", "\n a \t b"));
        assert!(!types.equal("token", "a b", "ab"));
        assert!(!types.equal("token", "a", "a\u{a0}"));
        assert!(types.equal("string", "a ", "a ") && !types.equal("string", "a", "a "));
        assert!(types.equal("positiveInteger", "7", " +007 "));
        assert!(!types.equal("positiveInteger", "0", "0"));
    }

    #[test]
    fn positive_integers() {
        let types = Datatypes::default();
        for (value, good) in
            [("1", true), ("+1", true), ("010", true), ("0", false), ("-1", false), ("", false)]
                .into_iter()
                .chain([("+", false), ("++1", false), ("1.0", false), ("é1", false), ("1é", false)])
        {
            assert_eq!(types.matches("positiveInteger", &[], value), good, "{value}");
        }
    }

    #[test]
    fn unknown_types_and_facets_are_refused() {
        let types = Datatypes::default();
        assert!(types.check("anyURI", &[]).unwrap_err().contains("anyURI"));
        assert!(types.check("token", &[("length", "1")]).unwrap_err().contains("length"));
        assert!(types.check("token", &[("minLength", "one")]).is_err());
        assert!(types.check("positiveInteger", &[("minLength", "1")]).is_err());
        assert!(types.check("token", &[("pattern", "x")]).is_err(), "never compiled");
        assert!(types.check("string", &[("maxLength", "4")]).is_ok());
    }
}
