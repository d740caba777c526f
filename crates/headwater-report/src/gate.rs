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
