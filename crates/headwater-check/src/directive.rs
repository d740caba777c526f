//! One suppression directive: what it says, what it reaches, and why one does not read (checks §6.4).

use headwater_taxonomy::yaml::shown;
use markdown::comment_openings;

use crate::date::Date;
use crate::escape::Reason;
use crate::registry::Registry;

const WORD: &str = "headwater";
/// The mark of generated files, which is a comment with the same first word and no directive.
const MARKER: &str = "generated";

/// What a directive reaches.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reach {
    /// Every finding of the rule on the document, front matter and line 0 included.
    File,
    /// The lines of one block, the last included.
    Block {
        /// The first line.
        first: usize,
        /// The last line.
        last: usize,
    },
}

/// A directive that reads.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Directive {
    /// The document that it stands in.
    pub path: String,
    /// The line on which its comment begins.
    pub line: usize,
    /// The rule.
    pub rule: &'static str,
    /// What it reaches.
    pub reach: Reach,
    /// The last day on which it hides.
    pub until: Date,
    /// Why what it hides may stay.
    pub reason: Reason,
    /// What its author added.
    pub note: Option<String>,
    /// What it came to.
    pub state: State,
}

/// What a directive came to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum State {
    /// It hid so many findings, at least one.
    Applied(usize),
    /// There was nothing for it to hide.
    Unused,
    /// Its last day is past.
    Expired,
}

/// A directive that hides nothing because it does not read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RefusedDirective {
    /// The document that it stands in.
    pub path: String,
    /// The line on which its comment begins.
    pub line: usize,
    /// Why.
    pub why: String,
}

/// Whether a directive may stand in a source, which is seldom, and costs no parsing to find.
pub(crate) fn may_hold(source: &str) -> bool {
    comment_openings(source).any(|comment| comment.trim_start().starts_with(WORD))
}

/// What a comment says behind the word that makes it a directive.
pub(crate) fn directive(comment: &str) -> Option<&str> {
    let rest = comment.trim().strip_prefix(WORD)?;
    match rest.strip_prefix(':') {
        Some(rest) => {
            let first = rest.split(|c: char| !c.is_ascii_alphanumeric()).next();
            (first != Some(MARKER)).then_some(rest)
        }
        None => rest.starts_with(char::is_whitespace).then_some(rest),
    }
}

/// A directive as written.
#[derive(Debug, PartialEq)]
pub(crate) struct Parsed {
    pub rule: &'static str,
    pub whole_file: bool,
    pub until: Date,
    pub reason: Reason,
    pub note: Option<String>,
}

impl Parsed {
    /// Reads what a comment says behind the word, or says why it does not read.
    pub(crate) fn of(text: &str, registry: &Registry) -> Result<Self, String> {
        const KEYS: [&str; 5] = ["allow", "scope", "until", "reason", "note"];
        let mut values: [Option<String>; 5] = Default::default();
        let mut rest = text.trim();
        while !rest.is_empty() {
            let word = rest.split(char::is_whitespace).next().unwrap_or_default();
            let Some((key, value)) = word.split_once('=') else {
                return Err(format!(
                    "`{}` is no `key=value`, and only a `note=` may hold several words",
                    shown(word)
                ));
            };
            let at = KEYS.iter().position(|known| *known == key);
            let Some(slot) = at.and_then(|at| values.get_mut(at)) else {
                return Err(format!("there is no key `{}`, but {}", shown(key), KEYS.join(", ")));
            };
            if slot.is_some() {
                return Err(format!("`{key}` stands there twice"));
            }
            let (value, after) = if key == "note" {
                (rest.get("note=".len()..).unwrap_or_default(), "")
            } else {
                (value, rest.get(word.len()..).unwrap_or_default())
            };
            let value = value.split_whitespace().collect::<Vec<_>>().join(" ");
            *slot = Some(value);
            rest = after.trim_start();
        }
        let [rule, scope, until, reason, note] = values;
        let needed = |value: Option<String>, key: &str| {
            let value = value.filter(|value| !value.is_empty());
            value.ok_or_else(|| format!("`{key}=` is missing"))
        };
        let rule = needed(rule, "allow")?;
        let known = registry.get(&rule).map(|template| template.about().id);
        let rule = known.ok_or_else(|| {
            format!("there is no rule `{}`{}", shown(&rule), registry.meant(&rule))
        })?;
        let whole_file = match needed(scope, "scope")?.as_str() {
            "file" => true,
            "block" => false,
            other => return Err(format!("the scope `{}` is neither file nor block", shown(other))),
        };
        let until = needed(until, "until")?;
        let until = Date::parse(&until)
            .ok_or_else(|| format!("`until={}` is no day, write YYYY-MM-DD", shown(&until)))?;
        let word = needed(reason, "reason")?;
        let reason = Reason::ALL.into_iter().find(|reason| reason.word() == word);
        let reason = reason.ok_or_else(|| {
            let words = Reason::ALL.map(Reason::word).join(" nor ");
            format!("the reason `{}` is neither {words}", shown(&word))
        })?;
        Ok(Self { rule, whole_file, until, reason, note: note.filter(|note| !note.is_empty()) })
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn registry() -> Registry {
        Registry::new(Vec::new())
    }

    fn parse(text: &str) -> Result<Parsed, String> {
        let text = directive(text).unwrap_or_else(|| panic!("no directive: {text}"));
        Parsed::of(text, &registry())
    }

    const GOOD: &str = "headwater allow=coverage.document_unchecked scope=file until=2026-08-12 reason=false_positive";

    #[test]
    fn keys_come_in_any_order_and_a_note_runs_to_the_end() {
        let read = parse(GOOD).unwrap();
        assert!(read.whole_file && read.note.is_none());
        let other = " headwater: reason=accepted_deviation\n until=2026-08-12 scope=block\tallow=coverage.document_unchecked note=a  b=c\nd ";
        let read = parse(other).unwrap();
        assert_eq!(
            (read.reason, read.note.as_deref()),
            (Reason::AcceptedDeviation, Some("a b=c d"))
        );
    }

    #[test]
    fn what_is_not_one_directive_is_refused_with_its_reason() {
        for (from, to, why) in [
            ("coverage.document_unchecked", "a.b", "no rule `a.b`"),
            ("reason=false_positive", "reason=lazy", "`lazy`"),
            ("until=2026-08-12 ", "", "`until=` is missing"),
            ("2026-08-12", "2026-02-30", "no day"),
            ("2026-08-12", "", "`until=` is missing"),
            ("scope=file", "scope=line", "`line`"),
            ("scope=file", "scope=file extent=all", "no key `extent`"),
            ("scope=file", "scope=file please", "`please`"),
            ("scope=file", "scope=file scope=file", "twice"),
        ] {
            let refused = parse(&GOOD.replace(from, to)).unwrap_err();
            assert!(refused.contains(why), "{to}: {refused}");
        }
    }

    #[test]
    fn only_the_word_itself_opens_a_directive() {
        for text in ["headwaters allow=x", "headwater", "a headwater allow=x", "headwater-x y"] {
            assert_eq!(directive(text), None, "{text}");
        }
        assert_eq!(directive(" headwater:generated shelf_index. Do not edit. "), None);
        assert!(directive("headwater: generated").is_some() && directive("headwater x").is_some());
        assert!(may_hold("a <!--\n\n headwater x -->") && !may_hold("<!-- a --> headwater"));
    }

    proptest! {
        /// A directive reads or is refused; no text breaks the reader or forges a line of the report.
        #[test]
        fn any_text_reads_or_is_refused_on_one_line(
            words in proptest::collection::vec(
                prop::sample::select(vec![
                    "allow=coverage.document_unchecked", "scope=file", "scope=block",
                    "until=2026-08-12", "reason=false_positive", "note=x", "=", "a=", "\n", "\u{1b}", "é",
                ]),
                0..8,
            ),
        ) {
            match Parsed::of(&words.join(" "), &registry()) {
                Ok(parsed) => prop_assert!(parsed.note.is_none_or(|note| !note.contains('\n'))),
                Err(why) => prop_assert!(!why.contains(char::is_control), "{why:?}"),
            }
        }
    }
}
