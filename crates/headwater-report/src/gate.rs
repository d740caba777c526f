//! The answer of a gate, for people and for programs (checks §4.2).

use std::fmt::Write as _;

use headwater_check::{LIMIT, Verdict, Void};
use serde::Serialize;

use crate::words::counted;

/// The version of the JSON shape, apart from that of the engine.
const VERSION: &str = "1.0";

#[derive(Serialize)]
struct Document<'v> {
    version: &'static str,
    carries: bool,
    listed: usize,
    reasons: Vec<Item<'v>>,
    limit: &'static str,
}

/// One reason. The members that it has no value for are absent.
#[derive(Default, Serialize)]
struct Item<'v> {
    reason: &'static str,
    says: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    rule: Option<&'v str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    path: Option<&'v str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    recorded: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    found: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    asked: Option<String>,
}

fn item(reason: &Void) -> Item<'_> {
    let said = Item { reason: reason.word(), says: reason.says(), ..Item::default() };
    match reason {
        Void::LockMoved { recorded, found } => {
            Item { recorded: Some(recorded.clone()), found: Some(found.clone()), ..said }
        }
        Void::AdoptionMoved { recorded, found } => {
            Item { recorded: recorded.clone(), found: found.clone(), ..said }
        }
        Void::RuleMoved { rule, recorded, found } => Item {
            rule: Some(rule),
            recorded: recorded.map(|edition| edition.to_string()),
            found: found.map(|edition| edition.to_string()),
            ..said
        },
        Void::Barrier(rule) | Void::ChangeScoped(rule) => Item { rule: Some(rule), ..said },
        Void::DayMoved { rule, recorded, asked } => Item {
            rule: Some(rule),
            recorded: Some(recorded.to_string()),
            asked: Some(asked.to_string()),
            ..said
        },
        Void::Escaped(path) | Void::Unhashed(path) | Void::Gone(path, _) => {
            Item { path: Some(path), ..said }
        }
        Void::Moved { path, recorded, found } => Item {
            path: Some(path),
            recorded: Some(recorded.to_string()),
            found: Some(found.to_string()),
            ..said
        },
    }
}

/// The answer as JSON.
#[must_use]
pub fn gate_json(verdict: &Verdict) -> String {
    let document = Document {
        version: VERSION,
        carries: verdict.reasons.is_empty(),
        listed: verdict.listed,
        reasons: verdict.reasons.iter().map(item).collect(),
        limit: LIMIT,
    };
    // Texts, numbers and lists always serialize.
    serde_json::to_string_pretty(&document).unwrap_or_default() + "\n"
}

/// The answer as text. Its last line says how far a gate reaches.
#[must_use]
pub fn gate_text(verdict: &Verdict) -> String {
    let Verdict { clock, listed, reasons } = verdict;
    let inputs = counted(*listed, "input");
    let mut out = if reasons.is_empty() {
        format!("carries: the verdict of {clock} holds for this tree, over {inputs}\n")
    } else {
        format!(
            "void: the verdict of {clock} over {inputs} does not carry to this tree, for {}; check it \
             anew\n",
            counted(reasons.len(), "reason")
        )
    };
    for reason in reasons {
        // Writing to a text cannot fail.
        let _ = writeln!(out, "  {}: {}", reason.word(), reason.says());
    }
    let _ = writeln!(out, "{LIMIT}");
    out
}

#[cfg(test)]
mod tests {
    use headwater_check::Date;
    use headwater_check::headwater_corpus::Digest;
    use serde_json::{Value, json};

    use super::*;

    fn verdict(reasons: Vec<Void>) -> Verdict {
        Verdict { clock: Date::parse("2026-08-12").unwrap(), listed: 3, reasons }
    }

    fn all() -> Vec<Void> {
        let text = str::to_owned;
        let (recorded, asked) =
            (Date::parse("2026-08-12").unwrap(), Date::parse("2026-08-13").unwrap());
        vec![
            Void::LockMoved { recorded: text("a"), found: text("b\n") },
            Void::AdoptionMoved { recorded: None, found: Some(text("c")) },
            Void::RuleMoved { rule: text("r.s"), recorded: Some(1), found: Some(2) },
            Void::RuleMoved { rule: text("r.s"), recorded: None, found: Some(2) },
            Void::RuleMoved { rule: text("r.s"), recorded: Some(1), found: None },
            Void::Barrier(text("r.s")),
            Void::ChangeScoped(text("r.s")),
            Void::DayMoved { rule: text("r.s"), recorded, asked },
            Void::Escaped(text("../a\nb")),
            Void::Unhashed(text("a.md")),
            Void::Gone(text("a.md"), text("it went")),
            Void::Moved { path: text("a.md"), recorded: Digest::of(b"a"), found: Digest::of(b"b") },
        ]
    }

    #[test]
    fn each_reason_carries_the_values_that_its_sentence_was_made_from() {
        let document: Value = serde_json::from_str(&gate_json(&verdict(all()))).unwrap();
        assert_eq!(document["carries"], false);
        let mut reasons = document["reasons"].as_array().unwrap().clone();
        for reason in &mut reasons {
            let says = reason.as_object_mut().unwrap().remove("says").unwrap();
            let says = says.as_str().unwrap();
            assert!(!says.is_empty() && !says.ends_with('.') && !says.contains('\n'), "{says}");
        }
        let (a, b) = (Digest::of(b"a").to_string(), Digest::of(b"b").to_string());
        assert_eq!(
            reasons,
            [
                json!({"reason": "lock_moved", "recorded": "a", "found": "b\n"}),
                json!({"reason": "lock_moved", "found": "c"}),
                json!({"reason": "rule_moved", "rule": "r.s", "recorded": "1", "found": "2"}),
                json!({"reason": "rule_moved", "rule": "r.s", "found": "2"}),
                json!({"reason": "rule_moved", "rule": "r.s", "recorded": "1"}),
                json!({"reason": "barrier", "rule": "r.s"}),
                json!({"reason": "change_scoped", "rule": "r.s"}),
                json!({
                    "reason": "day_moved", "rule": "r.s",
                    "recorded": "2026-08-12", "asked": "2026-08-13",
                }),
                json!({"reason": "escaped", "path": "../a\nb"}),
                json!({"reason": "unhashed", "path": "a.md"}),
                json!({"reason": "gone", "path": "a.md"}),
                json!({"reason": "moved", "path": "a.md", "recorded": a, "found": b}),
            ]
        );
    }

    #[test]
    fn the_text_has_one_line_for_each_reason_and_ends_with_its_reach() {
        for reasons in [Vec::new(), all()] {
            let verdict = verdict(reasons);
            let text = gate_text(&verdict);
            assert_eq!(text.lines().count(), verdict.reasons.len() + 2, "{text}");
            assert_eq!(text.lines().last(), Some(LIMIT));
            assert_eq!(text.starts_with("carries: "), verdict.reasons.is_empty(), "{text}");
        }
    }
}
