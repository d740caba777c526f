//! The report for a person at a terminal: each live finding with its place, the line it stands on, why it
//! matters and what to do; then the account of the run under headings; the counts last (checks §8.2).

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use headwater_check::headwater_corpus::{Binding, Class};
use headwater_check::{Finding, Severity};

use crate::layout::{Layout, Paint};
use crate::ledger::{adoption, not_reported, suppressions};
use crate::register::register;
use crate::source::Excerpts;
use crate::words::{change, counted, coverage, place, plain, read_set, severity, tally};
use crate::{Format, Rendered, Report};

/// Text with excerpts.
pub struct Text;

impl Format for Text {
    fn name(&self) -> &'static str {
        "text"
    }

    fn loss_set(&self) -> &'static [&'static str] {
        &["read_set", "coverage.skips.documents"]
    }

    fn render(&self, report: &Report<'_>) -> Rendered {
        let mut out = Rendered::default();
        let mut explained = BTreeSet::new();
        let mut excerpts = Excerpts::of(report.corpus);
        for (at, finding) in report.live() {
            let why = explained.insert(finding.rule);
            write_finding(&mut out.text, report, finding, why, &mut excerpts);
            out.carries(at);
        }
        let text = &mut out.text;
        write_subject(text, report);
        write_checks(text, report);
        let escaped: Vec<usize> = report.escaped().map(|(at, ..)| at).collect();
        if !escaped.is_empty() {
            heading(text, report, "not reported");
            for line in not_reported(report, report.verbose) {
                write_line(text, report, "  ", &line);
            }
        }
        heading(text, report, "read set");
        // The sentence is for programs too, so it stands on one line.
        let _ = writeln!(text, "  {}", read_set(report));
        let _ = writeln!(text, "{}", tally(report));
        escaped.into_iter().for_each(|at| out.carries(at));
        out
    }
}

// Writing to a text cannot fail, so its results are passed over in this file.
fn write_finding<'r>(
    out: &mut String,
    report: &Report<'r>,
    finding: &'r Finding,
    why: bool,
    excerpts: &mut Excerpts<'r>,
) {
    let (layout, defect) = (report.layout, &finding.defect);
    let paint = match defect.severity {
        Severity::Error => Paint::Error,
        Severity::Warn => Paint::Warning,
        Severity::Info => Paint::Note,
    };
    let title = format!("{}[{}]", severity(defect.severity), finding.rule);
    let obligation = finding.obligation.as_ref().map_or_else(String::new, |id| format!(" ({id})"));
    let sentence = format!("{title}{}: {}", plain(&obligation), plain(&defect.message));
    let sentence = layout.filled("", "  ", &sentence);
    let rest = sentence.strip_prefix(&title).unwrap_or_default();
    let _ = writeln!(out, "{}{rest}", layout.painted(paint, &title));
    let gutter = defect.place.line.to_string().len();
    let frame = |text: &str| layout.painted(Paint::Frame, text);
    let _ = writeln!(out, "{:gutter$}{} {}", "", frame("-->"), place(finding));
    if let Some(excerpt) = excerpts.at(&defect.place) {
        let (line, marks) = (defect.place.line.to_string(), "^".repeat(excerpt.width));
        let bar = frame("|");
        let _ = writeln!(out, "{:gutter$} {bar}", "");
        let _ = writeln!(out, "{} {bar} {}", frame(&line), excerpt.line);
        let marks = layout.painted(paint, &marks);
        let _ = writeln!(out, "{:gutter$} {bar} {:start$}{marks}", "", "", start = excerpt.start);
    }
    let mut part = |label: &str, sentence: &str| {
        let (first, hanging) = (format!("{:gutter$} = {label}: ", ""), " ".repeat(gutter + 5));
        let text = layout.filled(&first, &hanging, sentence);
        let _ = writeln!(out, "{}", text.replacen('=', &frame("="), 1));
    };
    let reason = report.registry.get(finding.rule).map(|template| template.about().why());
    if let Some(reason) = reason.filter(|reason| why && !reason.is_empty()) {
        part("why", &reason);
    }
    let label = if finding.is_fixable() { "help (mechanical)" } else { "help" };
    part(label, &plain(&defect.remedy));
    out.push('\n');
}

fn heading(out: &mut String, report: &Report<'_>, words: &str) {
    let _ = writeln!(out, "{}", report.layout.painted(Paint::Heading, words));
}

fn write_line(out: &mut String, report: &Report<'_>, indent: &str, sentence: &str) {
    let layout = Layout { colour: false, ..report.layout };
    let _ = writeln!(out, "{}", layout.filled(indent, &format!("{indent}  "), sentence));
}

/// What was judged: by which taxonomy, on which day, over which files.
fn write_subject(out: &mut String, report: &Report<'_>) {
    let (header, corpus) = (&report.corpus.lock().header, report.corpus);
    heading(out, report, "taxonomy");
    let _ = writeln!(out, "  {} {}", plain(&header.package), plain(&header.version));
    heading(out, report, "clock");
    let _ = writeln!(out, "  {}", report.run.now);
    heading(out, report, "census");
    let summary = corpus.summary();
    let classes = summary.classes.iter().map(|(class, count)| format!("{count} {class}"));
    let classes: Vec<String> = classes.collect();
    let files = counted(summary.files, "file");
    let sentence =
        if classes.is_empty() { files } else { format!("{files}: {}", classes.join(", ")) };
    write_line(out, report, "  ", &sentence);
    let kinds = summary.kinds.iter().map(|(kind, count)| format!("{kind} {count}"));
    let kinds: Vec<String> = kinds.collect();
    if !kinds.is_empty() {
        write_line(out, report, "  ", &format!("by kind: {}", plain(&kinds.join(", "))));
    }
    // What an exclusion hides is in no finding, and one that hides nothing is often misspelled.
    for (rule, count) in corpus.declaration().exclude.iter().zip(&summary.exclusions) {
        let (files, pattern) = (counted(*count, "file"), plain(rule.pattern.text()));
        let reason = plain(&rule.reason);
        write_line(out, report, "  ", &format!("excluded by {pattern}: {files}, {reason}"));
    }
    for row in corpus.rows().iter().filter(|row| report.verbose && row.class() != Class::Typed) {
        let mut sentence = format!("{}: {}", plain(&row.path), row.class());
        let detail = corpus.detail(row);
        if !detail.is_empty() {
            let _ = write!(sentence, ": {}", plain(&detail));
        }
        write_line(out, report, "    ", &sentence);
    }
    heading(out, report, "graph");
    let nodes = counted(corpus.nodes().count(), "document");
    let halves = counted(corpus.edges().len(), "written relation");
    let pairs = counted(corpus.pairs().len(), "edge");
    write_line(out, report, "  ", &format!("{nodes}, {pairs} between them, {halves}"));
    if report.verbose {
        write_ends(out, report);
    }
}

/// Where the written relations lead, and the links that are not judged.
fn write_ends(out: &mut String, report: &Report<'_>) {
    let corpus = report.corpus;
    let (mut documents, mut anchors, mut withheld, mut nothing) = (0, BTreeMap::new(), 0, 0);
    for edge in corpus.edges() {
        match &edge.binding {
            Binding::Document(_) => documents += 1,
            Binding::Anchor(anchor) => {
                let texts = edge.targets.iter().map(|target| target.text.as_str());
                let named = texts.collect::<Vec<_>>().join(", ");
                *anchors.entry((anchor.kind.as_str(), named)).or_insert(0_usize) += 1;
            }
            Binding::Withheld(_) => withheld += 1,
            Binding::Unbound(_) => nothing += 1,
        }
    }
    let sentence = format!(
        "written relations: {documents} to documents, {} to anchors, {withheld} to what an export withholds, {nothing} to nothing",
        anchors.values().sum::<usize>()
    );
    write_line(out, report, "  ", &sentence);
    for ((kind, named), count) in &anchors {
        let count = counted(*count, "relation");
        write_line(out, report, "    ", &format!("{} {}: {count}", plain(kind), plain(named)));
    }
    let links = corpus.links();
    let images = counted(links.images, "image");
    let quoted = counted(links.quoted, "link");
    let sentence = format!("not judged: {images}, and {quoted} in block quotations");
    write_line(out, report, "  ", &sentence);
}

/// What the checks came to, beside their findings.
fn write_checks(out: &mut String, report: &Report<'_>) {
    let run = report.run;
    heading(out, report, "checks");
    if let Some(change) = change(report) {
        write_line(out, report, "  ", &change);
    }
    for path in run.change.iter().flat_map(|change| &change.unmatched).filter(|_| report.verbose) {
        let sentence = format!("{} is in the change and is no file of the census", plain(path));
        write_line(out, report, "    ", &sentence);
    }
    write_line(out, report, "  ", &coverage(report));
    write_skips(out, report);
    for line in adoption(report).into_iter().chain(suppressions(report)) {
        let indent = if line.starts_with(' ') { "    " } else { "  " };
        write_line(out, report, indent, line.trim_start());
    }
    if report.verbose {
        write_rules(out, report);
    } else {
        for account in &run.rules {
            for note in &account.notes {
                write_line(out, report, "  ", &format!("{}: {}", account.rule, plain(note)));
            }
        }
    }
    if !run.register.is_empty() {
        for line in register(report).lines() {
            let _ = writeln!(out, "  {line}");
        }
    }
    if run.verifications.total() > 0 {
        let states = &run.verifications;
        let sentence = format!(
            "verifications: {} declared, {} observed, {} suspect, {} unknown",
            states.declared, states.observed, states.suspect, states.unknown
        );
        write_line(out, report, "  ", &sentence);
    }
    if !run.continuity.is_empty() && report.verbose {
        write_line(
            out,
            report,
            "  ",
            "continuity (edges whose ends share 0, 1, 2, 3 or more marks)",
        );
        for relation in &run.continuity {
            let [none, one, two, more] = relation.edges;
            let _ = writeln!(out, "    {}: {none}, {one}, {two}, {more}", relation.relation);
        }
    }
}

fn write_skips(out: &mut String, report: &Report<'_>) {
    let coverage = &report.run.coverage;
    if coverage.skipped > 0 {
        let instances = counted(coverage.skipped, "instance");
        let reasons = counted(coverage.skips.len(), "reason");
        let hint = if report.verbose { "" } else { " (--verbose lists them)" };
        write_line(out, report, "  ", &format!("{instances} skipped for {reasons}{hint}"));
    }
    for class in coverage.skips.iter().filter(|_| report.verbose) {
        let instances = counted(class.instances, "instance");
        write_line(out, report, "    ", &format!("{instances}: {}", plain(&class.reason)));
    }
    for path in coverage.unaccounted.iter().filter(|_| report.verbose) {
        let sentence = format!("{} was read and is no file of the census", plain(path));
        write_line(out, report, "  ", &sentence);
    }
}

/// What each rule did.
fn write_rules(out: &mut String, report: &Report<'_>) {
    let _ = writeln!(out, "  rules");
    for account in &report.run.rules {
        let mut sentence = format!(
            "{} of {} ({}, edition {})",
            counted(account.instances, "instance"),
            account.rule,
            account.scope,
            account.edition
        );
        if let Some(compared) = account.compared {
            let _ = write!(sentence, ", {compared} compared");
        }
        if !account.obligations.is_empty() {
            let _ = write!(sentence, ", obligations {}", plain(&account.obligations.join(", ")));
        }
        write_line(out, report, "    ", &sentence);
        for note in &account.notes {
            write_line(out, report, "      ", &plain(note));
        }
    }
}
