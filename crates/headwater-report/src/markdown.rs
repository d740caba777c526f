//! The report for a review comment (checks §8.5). Everything that comes from a corpus is escaped, so no
//! cell can end its row and no value can be markup.

use std::fmt::Write as _;

use crate::ledger::escaped_count;
use crate::words::{change, counted, coverage, live_tally, place, plain, read_set, severity};
use crate::{Format, Rendered, Report};

/// Markdown.
pub struct Markdown;

impl Format for Markdown {
    fn name(&self) -> &'static str {
        "markdown"
    }

    fn loss_set(&self) -> &'static [&'static str] {
        &[
            "read_set",
            "rules",
            "coverage.skips",
            "adoption",
            "suppressions",
            "register",
            "change.unmatched",
        ]
    }

    fn render(&self, report: &Report<'_>) -> Rendered {
        let run = report.run;
        let mut rendered = Rendered::default();
        let mut out = String::from("## `headwater check`\n\n");
        // Writing to a text cannot fail, so its results are passed over.
        let live = report.live().count();
        let headline = match live {
            0 => "Nothing was found.".to_owned(),
            _ => format!("Found: {}.", live_tally(report)),
        };
        let _ = writeln!(out, "{headline}\n");
        if let Some(change) = change(report) {
            let _ = writeln!(out, "{}.\n", cell(&capitalized(&change)));
        }
        let _ = writeln!(out, "**{}.**\n", coverage(report));
        if live > 0 {
            out.push_str("| Severity | Where | Rule | Finding |\n|---|---|---|---|\n");
        }
        for (at, finding) in report.live() {
            let defect = &finding.defect;
            let _ = writeln!(
                out,
                "| {} | {} | `{}` | {} **Fix:** {} |",
                severity(defect.severity),
                cell(&place(finding)),
                finding.rule,
                cell(&plain(&defect.message)),
                cell(&plain(&defect.remedy))
            );
            rendered.carries(at);
        }
        if live > 0 {
            out.push('\n');
        }
        if live < run.findings.len() {
            let summary = escaped_count(report);
            let _ = writeln!(out, "<details>\n<summary>Not reported: {summary}</summary>\n");
            out.push_str("| Severity | Where | Rule | Finding | Why |\n|---|---|---|---|---|\n");
            for (at, finding, escape) in report.escaped() {
                let _ = writeln!(
                    out,
                    "| {} | {} | `{}` | {} | {} |",
                    severity(finding.defect.severity),
                    cell(&place(finding)),
                    finding.rule,
                    cell(&plain(&finding.defect.message)),
                    cell(&plain(&escape.to_string()))
                );
                rendered.carries(at);
            }
            out.push_str("\n</details>\n\n");
        }
        let bound = run.findings.iter().filter(|finding| finding.obligation.is_some()).count();
        let sentence = capitalized(&read_set(report));
        let _ = writeln!(out, "{sentence}. {} bound to an obligation.", counted(bound, "finding"));
        rendered.text = out;
        rendered
    }
}

/// A sentence with its first letter as a capital.
fn capitalized(sentence: &str) -> String {
    let mut letters = sentence.chars();
    letters.next().into_iter().flat_map(char::to_uppercase).chain(letters).collect()
}

/// A text as the content of a cell: bars, breaks and markup escaped. Code marks of our own messages are
/// escaped with the rest, since what stands between them is the corpus's.
fn cell(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '\r' | '\n' => out.push(' '),
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '@' => out.push_str("&#64;"),
            '|' | '\\' | '`' | '*' | '_' | '[' | ']' | '~' | '#' | '!' | ':' => {
                out.push('\\');
                out.push(c);
            }
            c => out.push(c),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::cell;

    #[test]
    fn a_cell_holds_no_bar_no_break_and_no_markup() {
        assert_eq!(cell("a|b\nc"), "a\\|b c");
        assert_eq!(cell("<b>![x](y)</b>"), "&lt;b&gt;\\!\\[x\\](y)&lt;/b&gt;");
        assert_eq!(cell("`a` @kim"), "\\`a\\` &#64;kim");
    }
}
