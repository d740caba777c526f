//! Identifier templates (`{namespace}-D-{seq:04d}`) and value templates (`EIP-{value}`).
//!
//! Two schemes that could mint one identifier would make a document's kind a guess, so the question
//! "can these two meet" is decided here, over positions and not over prefixes.

use std::fmt;

use crate::yaml::shown;

/// The most digits a sequence may have.
pub const DIGITS_LIMIT: usize = 18;

/// An identifier template with its namespace filled in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Template {
    parts: Vec<Part>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Part {
    Literal(String),
    Namespace(String),
    Digits(usize),
    Slug,
}

/// Why a template cannot be read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Unreadable {
    /// No text.
    EmptyPattern,
    /// The scheme has no namespace, or a blank one.
    NoNamespace,
    /// A `{` without its `}`.
    Unclosed,
    /// A placeholder that is not one of the three.
    Unknown(String),
    /// `{slug}` is not last, or stands twice.
    SlugNotLast,
    /// `{seq:0Nd}` with no digit, or with more than [`DIGITS_LIMIT`].
    Digits(String),
}

impl fmt::Display for Unreadable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::EmptyPattern => f.write_str("the pattern is empty"),
            Self::NoNamespace => f.write_str("the namespace is absent or empty"),
            Self::Unclosed => f.write_str("a `{` of the pattern is not closed"),
            Self::Unknown(name) => write!(
                f,
                "`{{{}}}` is no placeholder; there are {{namespace}}, {{slug}} and {{seq:0Nd}}",
                shown(name)
            ),
            Self::SlugNotLast => f.write_str("{slug} may only stand last, and once"),
            Self::Digits(name) => {
                write!(f, "`{{{}}}` must ask for 1 to {DIGITS_LIMIT} digits", shown(name))
            }
        }
    }
}

impl Template {
    /// Reads a template.
    ///
    /// # Errors
    /// The first thing that makes it unreadable.
    pub fn parse(pattern: &str, namespace: Option<&str>) -> Result<Self, Unreadable> {
        if pattern.is_empty() {
            return Err(Unreadable::EmptyPattern);
        }
        let namespace = namespace.filter(|text| !text.trim().is_empty());
        let mut parts = Vec::new();
        let mut rest = pattern;
        while !rest.is_empty() {
            if parts.last() == Some(&Part::Slug) {
                return Err(Unreadable::SlugNotLast);
            }
            if let Some(open) = rest.strip_prefix('{') {
                let (name, after) = open.split_once('}').ok_or(Unreadable::Unclosed)?;
                parts.push(placeholder(name, namespace)?);
                rest = after;
            } else {
                let end = rest.find('{').unwrap_or(rest.len());
                let (literal, after) = rest.split_at(end);
                parts.push(Part::Literal(literal.to_owned()));
                rest = after;
            }
        }
        // A scheme without a namespace is unreadable even when its pattern does not name it.
        namespace.ok_or(Unreadable::NoNamespace)?;
        Ok(Self { parts })
    }

    /// Whether an identifier is of this template.
    ///
    /// # Errors
    /// What was expected and what stands there.
    pub fn admits(&self, identifier: &str) -> Result<(), String> {
        let mut rest = identifier;
        for part in &self.parts {
            match part {
                Part::Literal(text) | Part::Namespace(text) => {
                    let what = || match part {
                        Part::Literal(_) => format!("`{text}`"),
                        _ => format!("the namespace `{text}`"),
                    };
                    rest =
                        rest.strip_prefix(text.as_str()).ok_or_else(|| missing(rest, &what()))?;
                }
                Part::Digits(width) => {
                    let digits =
                        rest.get(..*width).filter(|d| d.bytes().all(|b| b.is_ascii_digit()));
                    if digits.is_none() {
                        return Err(missing(rest, &format!("{width} digits")));
                    }
                    rest = rest.get(*width..).unwrap_or("");
                }
                Part::Slug if rest.is_empty() => return Err(missing(rest, "a slug")),
                Part::Slug => rest = "",
            }
        }
        if rest.is_empty() { Ok(()) } else { Err(format!("`{}` is left over", shown(rest))) }
    }

    /// The leading literal and namespace text.
    pub fn prefix(&self) -> String {
        let mut prefix = String::new();
        for part in &self.parts {
            match part {
                Part::Literal(text) | Part::Namespace(text) => prefix.push_str(text),
                _ => break,
            }
        }
        prefix
    }

    /// The value of the first run of digits of an identifier that is admitted.
    pub fn sequence_of(&self, identifier: &str) -> Option<u64> {
        self.admits(identifier).ok()?;
        let mut rest = identifier;
        for part in &self.parts {
            match part {
                Part::Literal(text) | Part::Namespace(text) => {
                    rest = rest.strip_prefix(text.as_str())?
                }
                Part::Digits(width) => return rest.get(..*width)?.parse().ok(),
                Part::Slug => return None,
            }
        }
        None
    }

    /// The identifier of a sequence number and a slug; none when the number needs more digits than
    /// the template has, or the slug is asked for and empty.
    pub fn mint(&self, sequence: u64, slug: &str) -> Option<String> {
        let mut out = String::new();
        for part in &self.parts {
            match part {
                Part::Literal(text) | Part::Namespace(text) => out.push_str(text),
                Part::Digits(width) => {
                    let number = format!("{sequence:0width$}");
                    if number.len() > *width {
                        return None;
                    }
                    out.push_str(&number);
                }
                Part::Slug if slug.is_empty() => return None,
                Part::Slug => out.push_str(slug),
            }
        }
        Some(out)
    }

    /// Whether the template asks for a sequence number.
    pub fn has_sequence(&self) -> bool {
        self.parts.iter().any(|part| matches!(part, Part::Digits(_)))
    }

    /// Whether the template ends in a slug.
    pub fn has_slug(&self) -> bool {
        self.parts.last() == Some(&Part::Slug)
    }

    /// The template with placeholders rendered as zeros and `<slug>`, for messages.
    pub fn shape(&self) -> String {
        let mut out = String::new();
        for part in &self.parts {
            match part {
                Part::Literal(text) | Part::Namespace(text) => out.push_str(text),
                Part::Digits(width) => out.extend(std::iter::repeat_n('0', *width)),
                Part::Slug => out.push_str("<slug>"),
            }
        }
        out
    }

    /// Whether no text is admitted by both.
    pub fn disjoint(&self, other: &Self) -> bool {
        let ((a, a_open), (b, b_open)) = (self.positions(), other.positions());
        let meets = |x: &Place, y: &Place| match (x, y) {
            (Place::Digit, Place::Digit) => true,
            (Place::Is(c), Place::Digit) | (Place::Digit, Place::Is(c)) => c.is_ascii_digit(),
            (Place::Is(x), Place::Is(y)) => x == y,
        };
        if !a.iter().zip(&b).all(|(x, y)| meets(x, y)) {
            return true;
        }
        let overlap = match (a_open, b_open) {
            (true, true) => true,
            (false, false) => a.len() == b.len(),
            (true, false) => b.len() > a.len(),
            (false, true) => a.len() > b.len(),
        };
        !overlap
    }

    fn positions(&self) -> (Vec<Place>, bool) {
        let mut places = Vec::new();
        for part in &self.parts {
            match part {
                Part::Literal(text) | Part::Namespace(text) => {
                    places.extend(text.chars().map(Place::Is));
                }
                Part::Digits(width) => places.extend((0..*width).map(|_| Place::Digit)),
                Part::Slug => return (places, true),
            }
        }
        (places, false)
    }
}

enum Place {
    Is(char),
    Digit,
}

fn missing(rest: &str, wanted: &str) -> String {
    if rest.is_empty() {
        format!("it ends before {wanted}")
    } else {
        format!("`{}` is where {wanted} was expected", shown(rest))
    }
}

fn placeholder(name: &str, namespace: Option<&str>) -> Result<Part, Unreadable> {
    match name {
        "namespace" => Ok(Part::Namespace(namespace.ok_or(Unreadable::NoNamespace)?.to_owned())),
        "slug" => Ok(Part::Slug),
        _ => {
            let digits = name
                .strip_prefix("seq:0")
                .and_then(|rest| rest.strip_suffix('d'))
                .filter(|digits| !digits.is_empty() && digits.bytes().all(|b| b.is_ascii_digit()));
            match digits {
                None => Err(Unreadable::Unknown(name.to_owned())),
                Some(digits) => match digits.parse() {
                    Ok(width) if (1..=DIGITS_LIMIT).contains(&width) => Ok(Part::Digits(width)),
                    _ => Err(Unreadable::Digits(name.to_owned())),
                },
            }
        }
    }
}

/// A template with the one placeholder `{value}`, of the bindings. The default is `{value}` itself.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ValueTemplate {
    before: String,
    after: String,
}

impl ValueTemplate {
    /// Reads a template; none unless `{value}` stands in it exactly once.
    pub fn parse(text: &str) -> Option<Self> {
        let (before, after) = text.split_once("{value}")?;
        (!after.contains("{value}"))
            .then(|| Self { before: before.to_owned(), after: after.to_owned() })
    }

    /// The template filled with a value.
    pub fn fill(&self, value: &str) -> String {
        format!("{}{value}{}", self.before, self.after)
    }

    /// The value that fills the template to this text; none when no value does.
    pub fn invert<'t>(&self, text: &'t str) -> Option<&'t str> {
        let value = text.strip_prefix(self.before.as_str())?.strip_suffix(self.after.as_str())?;
        (!value.is_empty()).then_some(value)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn template(pattern: &str) -> Template {
        Template::parse(pattern, Some("LAN")).unwrap()
    }

    #[test]
    fn unreadable_templates_say_why() {
        let read = |pattern: &str| Template::parse(pattern, Some("N")).unwrap_err();
        assert_eq!(read(""), Unreadable::EmptyPattern);
        assert_eq!(read("{slug"), Unreadable::Unclosed);
        assert_eq!(read("{name}"), Unreadable::Unknown("name".into()));
        assert_eq!(read("{slug}-x"), Unreadable::SlugNotLast);
        assert_eq!(read("{slug}{slug}"), Unreadable::SlugNotLast);
        assert_eq!(read("{seq:00d}"), Unreadable::Digits("seq:00d".into()));
        assert_eq!(read("{seq:019d}"), Unreadable::Digits("seq:019d".into()));
        assert_eq!(read("{seq:4d}"), Unreadable::Unknown("seq:4d".into()));
        assert_eq!(Template::parse("X-{slug}", Some(" ")).unwrap_err(), Unreadable::NoNamespace);
        assert_eq!(Template::parse("X-{slug}", None).unwrap_err(), Unreadable::NoNamespace);
    }

    #[test]
    fn identifiers_are_admitted_whole() {
        let decision = template("{namespace}-D-{seq:04d}");
        assert_eq!(decision.admits("LAN-D-0001"), Ok(()));
        assert_eq!(decision.sequence_of("LAN-D-0012"), Some(12));
        assert!(decision.admits("LAN-D-001").unwrap_err().contains("4 digits"));
        assert_eq!(decision.admits("LAN-D-00011").unwrap_err(), "`1` is left over");
        assert_eq!(decision.admits("").unwrap_err(), "it ends before the namespace `LAN`");
        assert!(decision.admits("LAN-D-٠٠٠١").is_err());
        let part = template("{namespace}-PART-{slug}");
        assert_eq!(part.admits("LAN-PART-a/b"), Ok(()));
        assert_eq!(part.admits("LAN-PART-").unwrap_err(), "it ends before a slug");
        assert_eq!((part.prefix(), part.shape()), ("LAN-PART-".into(), "LAN-PART-<slug>".into()));
        assert_eq!(decision.mint(12, ""), Some("LAN-D-0012".into()));
        assert_eq!(decision.mint(10_000, ""), None);
    }

    #[test]
    fn disjointness_is_over_positions() {
        let cases = [
            ("{namespace}-D-{seq:04d}", "{namespace}-PART-{slug}", true),
            ("{namespace}-D-{seq:04d}", "{namespace}-D-{slug}", false),
            ("A-{slug}", "A-B-{slug}", false),
            ("A-{seq:04d}", "A-{seq:05d}", true),
            ("A-{seq:02d}", "A-1{seq:01d}", false),
            ("A-{seq:02d}", "A-x{seq:01d}", true),
            ("A-{slug}", "A-", true),
            ("A-{slug}", "A-b", false),
        ];
        for (a, b, want) in cases {
            assert_eq!(template(a).disjoint(&template(b)), want, "{a} {b}");
            assert_eq!(template(b).disjoint(&template(a)), want, "{b} {a}");
        }
    }

    proptest! {
        #[test]
        fn what_two_templates_admit_they_share(
            a in "[A1]{0,2}(\\{seq:0[12]d\\})?[A1]{0,2}(\\{slug\\})?",
            b in "[A1]{0,2}(\\{seq:0[12]d\\})?[A1]{0,2}(\\{slug\\})?",
            text in "[A1]{0,8}",
        ) {
            prop_assume!(!a.is_empty() && !b.is_empty());
            let (a, b) = (template(&a), template(&b));
            if a.admits(&text).is_ok() && b.admits(&text).is_ok() {
                prop_assert!(!a.disjoint(&b), "{:?} {:?} {}", a, b, text);
            }
        }

        #[test]
        fn inverting_undoes_filling(before in ".{0,4}", after in ".{0,4}", value in ".{1,6}") {
            let text = format!("{before}{{value}}{after}");
            if let Some(template) = ValueTemplate::parse(&text) {
                let filled = template.fill(&value);
                prop_assert_eq!(template.invert(&filled), Some(value.as_str()));
            }
        }
    }
}
