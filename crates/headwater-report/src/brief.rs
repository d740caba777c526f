//! The report for a search tool or an editor: one line for each finding, the counts last.

use std::fmt::Write as _;

use crate::words::{coverage, place, plain, severity, tally};
use crate::{Format, Report};

/// One line for each finding.
pub struct Brief;

impl Format for Brief {
    fn name(&self) -> &'static str {
        "brief"
    }

    fn loss_set(&self) -> &'static [&'static str] {
        &["read_set", "rules", "coverage.skips", "findings.obligation"]
    }

    fn render(&self, report: &Report<'_>) -> String {
        let mut out = String::new();
        for finding in report.run.live() {
            let defect = &finding.defect;
            // Writing to a text cannot fail.
            let _ = writeln!(
                out,
                "{}: {}: {}: {}; {}",
                place(finding),
                severity(defect.severity),
                finding.rule,
                plain(&defect.message),
                plain(&defect.remedy)
            );
        }
        let _ = writeln!(out, "{}; {}", coverage(report), tally(report));
        out
    }
}
