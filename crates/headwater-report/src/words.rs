//! Words and counts that several formats share.

use headwater_check::headwater_taxonomy::yaml::escaped;
use headwater_check::{Finding, Severity};

use crate::Report;

/// A count with its noun.
pub(crate) fn counted(count: usize, one: &str) -> String {
    if count == 1 { format!("1 {one}") } else { format!("{count} {one}s") }
}

/// How many errors, warnings and notes there are.
pub(crate) fn tally(report: &Report<'_>) -> String {
    let count = |severity| report.run.count(severity);
    if report.run.findings.is_empty() {
        return "no findings".to_owned();
    }
    format!(
        "{}, {}, {}",
        counted(count(Severity::Error), "error"),
        counted(count(Severity::Warn), "warning"),
        counted(count(Severity::Info), "note")
    )
}

/// What of the corpus was judged, in one sentence.
pub(crate) fn coverage(report: &Report<'_>) -> String {
    let coverage = &report.run.coverage;
    format!(
        "{} seen, {} classified, {} checked, {}",
        counted(coverage.seen, "file"),
        coverage.classified,
        coverage.checked,
        counted(coverage.instances, "check instance")
    )
}

/// What the verdict rests on, in one sentence.
pub(crate) fn read_set(report: &Report<'_>) -> String {
    let inputs = &report.run.read_set;
    let unhashed = inputs.iter().filter(|input| input.digest.is_none()).count();
    format!(
        "the verdict rests on {}, {unhashed} of them without a digest",
        counted(inputs.len(), "input")
    )
}

/// The place of a finding: the path alone for a finding about a whole file.
pub(crate) fn place(finding: &Finding) -> String {
    let place = &finding.defect.place;
    match place.line {
        0 => escaped(&place.path),
        line => format!("{}:{line}:{}", escaped(&place.path), place.column),
    }
}

/// The word of a severity for people.
pub(crate) const fn severity(severity: Severity) -> &'static str {
    match severity {
        Severity::Error => "error",
        Severity::Warn => "warning",
        Severity::Info => "note",
    }
}
