//! The report for code scanning: SARIF 2.1.0 (checks §8.4).

use headwater_check::{Escape, Finding, Severity};
use serde_json::{Value, json};

use crate::json::Change;
use crate::{Format, Rendered, Report};

const SCHEMA: &str = "https://json.schemastore.org/sarif-2.1.0.json";

/// SARIF.
pub struct Sarif;

impl Format for Sarif {
    fn name(&self) -> &'static str {
        "sarif"
    }

    fn loss_set(&self) -> &'static [&'static str] {
        &[
            "coverage.skips",
            "rules.instances",
            "rules.compared",
            "rules.notes",
            "continuity",
            "findings.patch",
            "verifications",
            "adoption",
            "suppressions",
            "register",
        ]
    }

    fn render(&self, report: &Report<'_>) -> Rendered {
        let mut out = Rendered::default();
        let run = report.run;
        let header = &report.corpus.lock().header;
        let rules: Vec<Value> = report.registry.templates().iter().map(|template| {
            let about = template.about();
            let account = run.rules.iter().find(|account| account.rule == about.id);
            json!({
                "id": about.id,
                "shortDescription": {"text": about.checks()},
                "properties": {"headwater": {
                    "scope": template.scope().to_string(),
                    "version": about.edition,
                    "obligations": account.map(|account| account.obligations.clone()).unwrap_or_default(),
                    "exportable_as": about.exportable_as,
                }},
            })
        }).collect();
        let artifacts: Vec<Value> = run
            .read_set
            .inputs
            .iter()
            .map(|input| {
                let mut artifact = json!({
                    "location": {"uri": uri(&input.path)},
                    "roles": ["analysisTarget"],
                });
                if let (Some(digest), Some(members)) = (input.digest, artifact.as_object_mut()) {
                    let digest = digest.to_string();
                    let hex = digest.strip_prefix("sha256:").unwrap_or_default();
                    members.insert("hashes".to_owned(), json!({"sha-256": hex}));
                }
                artifact
            })
            .collect();
        let carried = run.findings.iter().enumerate().map(|(at, finding)| {
            out.carries(at);
            result(report, finding)
        });
        let results: Vec<Value> = carried.collect();
        let coverage = &run.coverage;
        let escaped = |word: &str| {
            report.escaped().filter(|(_, _, escape)| Escape::word(Some(escape)) == word).count()
        };
        let mut properties = json!({
            "shape": "1.0",
            "taxonomy": {
                "package": header.package,
                "version": header.version,
                "lock": header.digest,
            },
            "clock": run.now.to_string(),
            "coverage": {
                "seen": coverage.seen,
                "classified": coverage.classified,
                "checked": coverage.checked,
                "generated": coverage.generated,
                "instances": coverage.instances,
                "skipped": coverage.skipped,
            },
            "escaped": {
                // Nothing waives a finding here: a task or a directive with a day does.
                "waived": 0,
                "migration_pending": escaped("migration-pending"),
                "suppressed": escaped("suppression"),
            },
            "read_set": {
                "inputs": run.read_set.inputs.len(),
                "unhashed": run.read_set.unhashed(),
            },
            "loss_set": self.loss_set(),
        });
        if let (Some(account), Some(members)) = (&run.change, properties.as_object_mut()) {
            // Texts, numbers and lists always serialize.
            let change = serde_json::to_value(Change::of(account)).unwrap_or_default();
            members.insert("change".to_owned(), change);
        }
        let log = json!({
            "$schema": SCHEMA,
            "version": "2.1.0",
            "runs": [{
                "tool": {"driver": {
                    "name": "headwater",
                    "version": env!("CARGO_PKG_VERSION"),
                    "rules": rules,
                }},
                "columnKind": "unicodeCodePoints",
                "invocations": [{"executionSuccessful": run.broken.is_empty()}],
                "artifacts": artifacts,
                "results": results,
                "properties": {"headwater": properties},
            }],
        });
        // A value always serializes.
        out.text = serde_json::to_string_pretty(&log).unwrap_or_default() + "\n";
        out
    }
}

fn result(report: &Report<'_>, finding: &Finding) -> Value {
    let defect = &finding.defect;
    let place = &defect.place;
    let index =
        report.registry.templates().iter().position(|template| template.about().id == finding.rule);
    let mut physical = json!({"artifactLocation": {"uri": uri(&place.path)}});
    if let (1.., Some(members)) = (place.line, physical.as_object_mut()) {
        let mut region = json!({"startLine": place.line, "startColumn": place.column});
        if let (1.., Some(region)) = (place.width, region.as_object_mut()) {
            region.insert("endColumn".to_owned(), json!(place.column + place.width));
        }
        members.insert("region".to_owned(), region);
    }
    let level = match defect.severity {
        Severity::Error => "error",
        Severity::Warn => "warning",
        Severity::Info => "note",
    };
    let mut own = json!({
        "severity": defect.severity.word(),
        "fixable": finding.is_fixable(),
        "remediation": defect.remedy,
        "escape": Escape::word(finding.escape.as_ref()),
    });
    if let (Some(obligation), Some(own)) = (&finding.obligation, own.as_object_mut()) {
        own.insert("obligation".to_owned(), json!(obligation));
        let severity = report.corpus.taxonomy().obligations.get(obligation);
        if let Some(severity) = severity.and_then(|held| held.severity.as_ref()) {
            own.insert("obligation_severity".to_owned(), json!(severity));
        }
    }
    let mut result = json!({
        "ruleId": finding.rule,
        "ruleIndex": index,
        "level": level,
        "kind": "fail",
        "message": {
            "text": defect.message,
            "markdown": format!("{}\n\n**Fix:** {}", defect.message, defect.remedy),
        },
        "locations": [{"physicalLocation": physical}],
        "properties": {"headwater": own},
    });
    if let (Some(escape), Some(members)) = (&finding.escape, result.as_object_mut()) {
        let kind = match escape {
            Escape::Pending(_) => "external",
            Escape::Suppressed(_) => "inSource",
        };
        let suppression =
            json!({"kind": kind, "status": "accepted", "justification": escape.to_string()});
        members.insert("suppressions".to_owned(), json!([suppression]));
    }
    result
}

/// A path as a relative URI: every byte but the unreserved ones and `/` is percent-encoded.
fn uri(path: &str) -> String {
    let mut out = String::new();
    for byte in path.bytes() {
        if byte.is_ascii_alphanumeric() || b"-._~/".contains(&byte) {
            out.push(char::from(byte));
        } else {
            out.push_str(&format!("%{byte:02X}"));
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::uri;

    #[test]
    fn uris_hold_no_byte_that_means_something_else() {
        assert_eq!(uri("docs/my note 100%.md"), "docs/my%20note%20100%25.md");
        assert_eq!(uri("é:#?"), "%C3%A9%3A%23%3F");
    }
}
