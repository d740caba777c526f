//! The report for a search tool or an editor: one line for each finding, the counts last.

use std::fmt::Write as _;

use crate::words::{coverage, place, plain, severity, tally};
use crate::{Format, Rendered, Report};

/// One line for each live finding.
pub struct Brief;

impl Format for Brief {
    fn name(&self) -> &'static str {
        "brief"
    }

    fn loss_set(&self) -> &'static [&'static str] {
        &[
            "change",
            "read_set",
            "rules",
            "coverage.skips",
            "findings.obligation",
            "findings.escape",
            "register",
        ]
    }

    fn render(&self, report: &Report<'_>) -> Rendered {
        let mut out = Rendered::default();
        for (at, finding) in report.live() {
            let defect = &finding.defect;
            // Writing to a text cannot fail.
            let _ = writeln!(
                out.text,
                "{}: {}: {}: {}; {}",
                place(finding),
                severity(defect.severity),
                finding.rule,
                plain(&defect.message),
                plain(&defect.remedy)
            );
            out.carries(at);
        }
        let _ = writeln!(out.text, "{}; {}", coverage(report), tally(report));
        // The tally counts the others.
        report.escaped().for_each(|(at, ..)| out.carries(at));
        out
    }
}
