//! Annotations for a GitHub workflow: commands on standard output, which the runner shows beside the
//! lines they name. It shows only so many of each level in one step, so the true totals are said last.

use std::fmt::Write as _;

use headwater_check::Severity;

use crate::words::{coverage, plain, tally};
use crate::{Format, Rendered, Report};

/// How many annotations of one level the runner shows for a step.
const SHOWN: usize = 10;

/// GitHub annotations.
pub struct GitHub;

impl Format for GitHub {
    fn name(&self) -> &'static str {
        "github"
    }

    fn loss_set(&self) -> &'static [&'static str] {
        &[
            "findings past ten of one severity",
            "findings.escape",
            "change",
            "read_set",
            "rules",
            "coverage.skips",
            "register",
        ]
    }

    fn render(&self, report: &Report<'_>) -> Rendered {
        let mut out = Rendered::default();
        let mut left = Vec::new();
        for (severity, command) in
            [(Severity::Error, "error"), (Severity::Warn, "warning"), (Severity::Info, "notice")]
        {
            let of_it = report.live().filter(|(_, it)| it.defect.severity == severity);
            for (place, (at, finding)) in of_it.enumerate() {
                // What is past the limit is counted below.
                out.carries(at);
                if place >= SHOWN {
                    continue;
                }
                let defect = &finding.defect;
                let mut properties = format!("file={}", property(&defect.place.path));
                if defect.place.line > 0 {
                    let (line, column) = (defect.place.line, defect.place.column);
                    // Writing to a text cannot fail.
                    let _ = write!(properties, ",line={line},col={column}");
                }
                let _ = writeln!(
                    out.text,
                    "::{command} {properties},title={}::{}",
                    property(finding.rule),
                    data(&plain(&format!("{}; {}", defect.message, defect.remedy)))
                );
            }
            let count = report.run.count(severity);
            if count > SHOWN {
                left.push(format!("{SHOWN} of {count} {command} annotations"));
            }
        }
        if !left.is_empty() {
            let what = format!("shown are {}; another format lists all", left.join(" and "));
            let _ = writeln!(out.text, "::notice title=headwater check::{}", data(&what));
        }
        let _ = writeln!(out.text, "{}; {}", coverage(report), tally(report));
        // An annotation is a demand, so only a live finding is one; the tally counts the others.
        report.escaped().for_each(|(at, ..)| out.carries(at));
        out
    }
}

/// The text of a command.
fn data(text: &str) -> String {
    text.replace('%', "%25").replace('\r', "%0D").replace('\n', "%0A")
}

/// The value of a property of a command.
fn property(text: &str) -> String {
    data(text).replace(':', "%3A").replace(',', "%2C")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_value_can_begin_another_command_or_property() {
        assert_eq!(property("a,b:c\n::error::x%"), "a%2Cb%3Ac%0A%3A%3Aerror%3A%3Ax%25");
        assert_eq!(data("a\r\n::error::b"), "a%0D%0A::error::b");
    }
}
