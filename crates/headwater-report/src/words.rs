//! Words and counts that several formats share.

use headwater_check::{Finding, Severity};

use crate::Report;
use crate::ledger::escaped_count;

/// How many statements of a change that name nothing are listed.
const SHOWN: usize = 10;

/// Whether a character ends a line or changes the order in which others are shown.
pub(crate) fn is_unsafe(c: char) -> bool {
    c.is_control()
        || matches!(
            c,
            '\u{200e}'
                | '\u{200f}'
                | '\u{2028}'..='\u{202e}'
                | '\u{2066}'..='\u{2069}'
        )
}

/// A text as a terminal, a log or a comment may show it: on one line and in its own order.
pub(crate) fn plain(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        if is_unsafe(c) {
            out.extend(c.escape_unicode());
        } else {
            out.push(c);
        }
    }
    out
}

/// A count with its noun.
pub(crate) fn counted(count: usize, one: &str) -> String {
    if count == 1 { format!("1 {one}") } else { format!("{count} {one}s") }
}

/// How many live errors, warnings and notes there are.
pub(crate) fn live_tally(report: &Report<'_>) -> String {
    let count = |severity| report.run.count(severity);
    if report.live().next().is_none() {
        return "no findings".to_owned();
    }
    format!(
        "{}, {}, {}",
        counted(count(Severity::Error), "error"),
        counted(count(Severity::Warn), "warning"),
        counted(count(Severity::Info), "note")
    )
}

/// The same, and how many findings are not live.
pub(crate) fn tally(report: &Report<'_>) -> String {
    let live = live_tally(report);
    match report.escaped().count() {
        0 => live,
        _ => format!("{live}; not reported: {}", escaped_count(report)),
    }
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

/// What the run made of its change, in one sentence; none where it was given none.
pub(crate) fn change(report: &Report<'_>) -> Option<String> {
    let account = report.run.change.as_ref()?;
    let mut text = format!(
        "the change names {}: {} added, {} with an earlier version, {} whose earlier version cannot be read, {} only read again, {} outside the census",
        counted(account.documents, "path"),
        account.added,
        account.carried,
        account.unreadable,
        account.verified_alone,
        account.unmatched.len()
    );
    text.push_str(&format!(
        "; {} read again, {}",
        counted(account.verified, "document"),
        counted(account.promotions, "promotion")
    ));
    if !account.unstated.is_empty() {
        let shown = account.unstated.iter().take(SHOWN);
        let pairs: Vec<String> =
            shown.map(|(document, target)| plain(&format!("{document} to {target}"))).collect();
        let more = account.unstated.len() - pairs.len();
        let more = if more > 0 { format!(" and {more} more") } else { String::new() };
        text.push_str(&format!("; no edge answers the statement about {}{more}", pairs.join(", ")));
    }
    Some(text)
}

/// What the verdict rests on, in one sentence.
pub(crate) fn read_set(report: &Report<'_>) -> String {
    let set = &report.run.read_set;
    format!(
        "the verdict rests on {}, {} of them without a digest, and on {} that no gate carries across a \
         merge",
        counted(set.inputs.len(), "input"),
        set.unhashed(),
        counted(set.barriers.len(), "barrier")
    )
}

/// The place of a finding: the path alone for a finding about a whole file.
pub(crate) fn place(finding: &Finding) -> String {
    let place = &finding.defect.place;
    match place.line {
        0 => plain(&place.path),
        line => format!("{}:{line}:{}", plain(&place.path), place.column),
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
