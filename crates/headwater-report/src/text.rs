//! The report for a person at a terminal: each finding with its place, the line it stands on, why it
//! matters and what to do; then what was judged; the counts last.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use headwater_check::Finding;

use crate::source::excerpt;
use crate::words::{counted, coverage, place, plain, read_set, severity, tally};
use crate::{Format, Report};

/// Text with excerpts.
pub struct Text;

impl Format for Text {
    fn name(&self) -> &'static str {
        "text"
    }

    fn loss_set(&self) -> &'static [&'static str] {
        &["read_set", "coverage.skips.documents"]
    }

    fn render(&self, report: &Report<'_>) -> String {
        let mut out = String::new();
        let mut explained = BTreeSet::new();
        for finding in report.run.live() {
            let why = explained.insert(finding.rule);
            write_finding(&mut out, report, finding, why);
        }
        if report.verbose {
            write_account(&mut out, report);
        }
        write_summary(&mut out, report);
        out
    }
}

// Writing to a text cannot fail, so its results are passed over in this file.
fn write_finding(out: &mut String, report: &Report<'_>, finding: &Finding, why: bool) {
    let defect = &finding.defect;
    let (message, remedy) = (plain(&defect.message), plain(&defect.remedy));
    let obligation = finding.obligation.as_ref().map_or_else(String::new, |id| format!(" ({id})"));
    let _ =
        writeln!(out, "{}[{}]{obligation}: {}", severity(defect.severity), finding.rule, message);
    let gutter = defect.place.line.to_string().len();
    let _ = writeln!(out, "{:gutter$}--> {}", "", place(finding));
    if let Some(excerpt) = excerpt(report.corpus, &defect.place) {
        let (line, marks) = (defect.place.line, "^".repeat(excerpt.width));
        let _ = writeln!(out, "{:gutter$} |", "");
        let _ = writeln!(out, "{line} | {}", excerpt.line);
        let _ = writeln!(out, "{:gutter$} | {:start$}{marks}", "", "", start = excerpt.start);
    }
    let reason = report.registry.get(finding.rule).map(|template| template.about().why());
    if let Some(reason) = reason.filter(|reason| why && !reason.is_empty()) {
        let _ = writeln!(out, "{:gutter$} = why: {reason}", "");
    }
    let label = if finding.is_fixable() { "help (mechanical)" } else { "help" };
    let _ = writeln!(out, "{:gutter$} = {label}: {}\n", "", remedy);
}

/// What each rule did, and what was skipped.
fn write_account(out: &mut String, report: &Report<'_>) {
    let run = report.run;
    let _ = writeln!(out, "rules");
    for account in &run.rules {
        let _ = write!(
            out,
            "  {} of {} ({}, edition {})",
            counted(account.instances, "instance"),
            account.rule,
            account.scope,
            account.edition
        );
        if let Some(compared) = account.compared {
            let _ = write!(out, ", compared {}", counted(compared, "link"));
        }
        if !account.obligations.is_empty() {
            let _ = write!(out, ", obligations {}", account.obligations.join(", "));
        }
        out.push('\n');
    }
    let _ = writeln!(out, "skipped");
    for class in &run.coverage.skips {
        let _ =
            writeln!(out, "  {}: {}", counted(class.instances, "instance"), plain(&class.reason));
    }
    for path in &run.coverage.unaccounted {
        let _ = writeln!(out, "  {} was read and is no file of the census", plain(path));
    }
    if !run.continuity.is_empty() {
        let _ = writeln!(out, "continuity (edges whose ends share 0, 1, 2, 3 or more marks)");
    }
    for relation in &run.continuity {
        let [none, one, two, more] = relation.edges;
        let _ = writeln!(out, "  {}: {none}, {one}, {two}, {more}", relation.relation);
    }
    out.push('\n');
}

fn write_summary(out: &mut String, report: &Report<'_>) {
    let header = &report.corpus.lock().header;
    let _ = writeln!(out, "taxonomy {} {}, on {}", header.package, header.version, report.run.now);
    let _ = writeln!(out, "{}; {}", coverage(report), read_set(report));
    let coverage = &report.run.coverage;
    if coverage.skipped > 0 {
        let _ = writeln!(
            out,
            "{} skipped for {} (--verbose lists them)",
            counted(coverage.skipped, "instance"),
            counted(coverage.skips.len(), "reason")
        );
    }
    let _ = writeln!(out, "{}", tally(report));
}
