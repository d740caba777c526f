//! The report for programs (checks §8.3). Members stand in the order of that section.

use headwater_check::{ChangeAccount, Escape, Finding, Severity};
use serde::Serialize;

use crate::{Format, Rendered, Report};

/// The version of this shape, apart from that of the engine.
const VERSION: &str = "1.6";

/// JSON.
pub struct Json;

#[derive(Serialize)]
struct Document<'r> {
    version: &'static str,
    tool: &'static str,
    taxonomy: Taxonomy<'r>,
    clock: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    change: Option<Change<'r>>,
    coverage: Coverage<'r>,
    rules: Vec<Rule<'r>>,
    continuity: Vec<Continuity<'r>>,
    findings: Vec<Item<'r>>,
    read_set: Vec<Input<'r>>,
}

#[derive(Serialize)]
struct Taxonomy<'r> {
    package: &'r str,
    version: &'r str,
    lock: &'r str,
}

/// Also what SARIF says of a change.
#[derive(Serialize)]
pub(crate) struct Change<'r> {
    documents: usize,
    added: usize,
    carried: usize,
    unreadable: usize,
    verified: usize,
    verified_alone: usize,
    unmatched: &'r [String],
    unstated: Vec<Unstated<'r>>,
    promotions: usize,
}

#[derive(Serialize)]
struct Unstated<'r> {
    document: &'r str,
    target: &'r str,
}

impl<'r> Change<'r> {
    pub(crate) fn of(account: &'r ChangeAccount) -> Self {
        let unstated = account.unstated.iter();
        Self {
            documents: account.documents,
            added: account.added,
            carried: account.carried,
            unreadable: account.unreadable,
            verified: account.verified,
            verified_alone: account.verified_alone,
            unmatched: &account.unmatched,
            unstated: unstated.map(|(document, target)| Unstated { document, target }).collect(),
            promotions: account.promotions,
        }
    }
}

#[derive(Serialize)]
struct Coverage<'r> {
    seen: usize,
    classified: usize,
    checked: usize,
    generated: usize,
    instances: usize,
    skipped: usize,
    skips: Vec<Skips<'r>>,
    unaccounted: &'r [String],
}

#[derive(Serialize)]
struct Skips<'r> {
    reason: &'r str,
    instances: usize,
    documents: Vec<SkippedDocument<'r>>,
    unrouted: usize,
}

#[derive(Serialize)]
struct SkippedDocument<'r> {
    path: &'r str,
    rules: Vec<&'static str>,
    routings: usize,
}

#[derive(Serialize)]
struct Rule<'r> {
    rule: &'r str,
    scope: &'r str,
    version: u32,
    obligations: &'r [String],
    instances: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    compared: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    notes: Option<&'r [String]>,
}

#[derive(Serialize)]
struct Continuity<'r> {
    relation: &'r str,
    shared_marks: [usize; 4],
}

#[derive(Serialize)]
struct Item<'r> {
    rule: &'r str,
    severity: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    obligation: Option<&'r str>,
    path: &'r str,
    line: usize,
    column: usize,
    message: &'r str,
    remediation: &'r str,
    fixable: bool,
    escape: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    held_by: Option<HeldBy<'r>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    hidden_by: Option<HiddenBy<'r>>,
}

#[derive(Serialize)]
struct HeldBy<'r> {
    task: &'r str,
    owner: &'r str,
    until: String,
}

#[derive(Serialize)]
struct HiddenBy<'r> {
    path: &'r str,
    line: usize,
    reason: &'static str,
    until: String,
    note: &'r str,
}

#[derive(Serialize)]
struct Input<'r> {
    path: &'r str,
    digest: Option<String>,
}

fn item(finding: &Finding) -> Item<'_> {
    let defect = &finding.defect;
    let (held_by, hidden_by) = match &finding.escape {
        None => (None, None),
        Some(Escape::Pending(held)) => {
            let (task, owner, until) = (&held.task, &held.owner, held.until.to_string());
            (Some(HeldBy { task, owner, until }), None)
        }
        Some(Escape::Suppressed(hidden)) => {
            let by = HiddenBy {
                path: &hidden.path,
                line: hidden.line,
                reason: hidden.reason.word(),
                until: hidden.until.to_string(),
                note: hidden.note.as_deref().unwrap_or_default(),
            };
            (None, Some(by))
        }
    };
    Item {
        rule: finding.rule,
        severity: Severity::word(defect.severity),
        obligation: finding.obligation.as_deref(),
        path: &defect.place.path,
        line: defect.place.line,
        column: defect.place.column,
        message: &defect.message,
        remediation: &defect.remedy,
        fixable: finding.is_fixable(),
        escape: Escape::word(finding.escape.as_ref()),
        held_by,
        hidden_by,
    }
}

impl Format for Json {
    fn name(&self) -> &'static str {
        "json"
    }

    fn loss_set(&self) -> &'static [&'static str] {
        &["findings.patch", "verifications", "adoption", "suppressions", "register"]
    }

    fn render(&self, report: &Report<'_>) -> Rendered {
        let mut out = Rendered::default();
        let run = report.run;
        let header = &report.corpus.lock().header;
        let coverage = &run.coverage;
        let skips = coverage.skips.iter().map(|class| Skips {
            reason: &class.reason,
            instances: class.instances,
            documents: class
                .documents(report.corpus, report.registry)
                .into_iter()
                .map(|document| SkippedDocument {
                    path: document.path,
                    rules: document.rules,
                    routings: document.routings,
                })
                .collect(),
            unrouted: class.unrouted,
        });
        let document = Document {
            version: VERSION,
            tool: "headwater",
            taxonomy: Taxonomy {
                package: &header.package,
                version: &header.version,
                lock: &header.digest,
            },
            clock: run.now.to_string(),
            change: run.change.as_ref().map(Change::of),
            coverage: Coverage {
                seen: coverage.seen,
                classified: coverage.classified,
                checked: coverage.checked,
                generated: coverage.generated,
                instances: coverage.instances,
                skipped: coverage.skipped,
                skips: skips.collect(),
                unaccounted: &coverage.unaccounted,
            },
            rules: run
                .rules
                .iter()
                .map(|account| Rule {
                    rule: account.rule,
                    scope: &account.scope,
                    version: account.edition,
                    obligations: &account.obligations,
                    instances: account.instances,
                    compared: account.compared,
                    notes: Some(account.notes.as_slice()).filter(|notes| !notes.is_empty()),
                })
                .collect(),
            continuity: run
                .continuity
                .iter()
                .map(|held| Continuity { relation: &held.relation, shared_marks: held.edges })
                .collect(),
            findings: run
                .findings
                .iter()
                .enumerate()
                .map(|(at, finding)| {
                    out.carries(at);
                    item(finding)
                })
                .collect(),
            read_set: run
                .read_set
                .inputs
                .iter()
                .map(|input| Input {
                    path: &input.path,
                    digest: input.digest.map(|digest| digest.to_string()),
                })
                .collect(),
        };
        // Texts, numbers and lists always serialize.
        out.text = serde_json::to_string_pretty(&document).unwrap_or_default() + "\n";
        out
    }
}
