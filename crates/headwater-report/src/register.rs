//! The register as text: the same block in the text report and in the file that `--register` writes.

use std::collections::BTreeMap;

use headwater_check::headwater_taxonomy::model::{Control, Disposition as Stated, Promotion};
use headwater_check::{Disposition, Escape, Mechanism, Owed};

use crate::Report;
use crate::layout::Layout;
use crate::words::{counted, plain};

/// The register of a run, in lines, the heading first.
#[must_use]
pub fn register(report: &Report<'_>) -> String {
    let mut out = String::from("register\n");
    obligations(&mut out, report);
    controls(&mut out, report);
    line(&mut out, report, "  ", &escaped(report));
    rules(&mut out, report);
    out
}

fn line(out: &mut String, report: &Report<'_>, indent: &str, sentence: &str) {
    // The block stands two columns in within the report.
    let layout = Layout { colour: false, width: report.layout.width.saturating_sub(2) };
    out.push_str(&layout.filled(indent, &format!("{indent}  "), &plain(sentence)));
    out.push('\n');
}

fn obligations(out: &mut String, report: &Report<'_>) {
    let (register, taxonomy) = (&report.run.register, report.corpus.taxonomy());
    let counts = Disposition::ALL
        .map(|disposition| format!("{} {}", register.count(disposition), disposition.word()));
    let severity = |owed: &Owed| taxonomy.obligations.get(&owed.id)?.severity.as_deref();
    let severities = ["high", "medium", "low"].map(|word| {
        let all = register.obligations.iter();
        format!("{} {word}", all.filter(|owed| severity(owed) == Some(word)).count())
    });
    let all = counted(register.obligations.len(), "obligation");
    let sentence = format!("{all}: {}; {}", counts.join(", "), severities.join(", "));
    line(out, report, "  ", &sentence);
    let open = register.obligations.iter();
    for owed in open.filter(|owed| owed.disposition != Disposition::Verified) {
        let stated = taxonomy.obligations.get(&owed.id);
        let why = match stated.and_then(|obligation| obligation.disposition.as_ref()) {
            Some(Stated::Gap { owner, target }) => {
                let target = target.as_ref().map_or_else(String::new, |by| format!(", by {by}"));
                format!("a gap of {owner}{target}")
            }
            Some(Stated::Unverifiable { reasoning }) => format!("unverifiable, {reasoning}"),
            None => "undeclared".to_owned(),
        };
        let held = |id: &String| {
            let of = register.controls.iter().find(|(control, _)| control == id);
            format!("{id} is {}", of.map_or("", |(_, mechanism)| mechanism.word()))
        };
        let controls: Vec<String> = owed.controls.iter().map(held).collect();
        let controls = match controls.as_slice() {
            [] => "no control names it".to_owned(),
            controls => controls.join(", "),
        };
        let statement = stated.map_or("", |obligation| obligation.statement.as_str());
        let severity = severity(owed).unwrap_or("no severity");
        let sentence = format!("{} ({severity}), {statement}: {why}; {controls}", owed.id);
        line(out, report, "    ", &sentence);
    }
}

fn controls(out: &mut String, report: &Report<'_>) {
    let (register, taxonomy) = (&report.run.register, report.corpus.taxonomy());
    let declared = || taxonomy.controls.values().zip(&register.controls);
    let tally = |word: &dyn Fn(&Control, Mechanism) -> String| {
        let mut counts: BTreeMap<String, usize> = BTreeMap::new();
        for (control, (_, mechanism)) in declared() {
            *counts.entry(word(control, *mechanism)).or_default() += 1;
        }
        let counts = counts.into_iter().map(|(word, count)| format!("{count} {word}"));
        counts.collect::<Vec<_>>().join(", ")
    };
    let mut sentence = counted(register.controls.len(), "control");
    if !register.controls.is_empty() {
        let postures = tally(&|control, _| posture(control).to_owned());
        let acts = tally(&|control, _| acts(control).to_owned());
        let mechanisms = tally(&|_, mechanism| mechanism.word().to_owned());
        sentence.push_str(&format!(": {postures}; {acts}; {mechanisms}"));
    }
    line(out, report, "  ", &sentence);
    for (control, (id, mechanism)) in declared() {
        let sentence = format!(
            "{id}, {} ({}), {}, {}: discharges {}; {}",
            control.mechanism,
            mechanism.word(),
            posture(control),
            acts(control),
            control.discharges.join(", "),
            promotion(control)
        );
        line(out, report, "    ", &sentence);
    }
}

const fn posture(control: &Control) -> &'static str {
    if control.blocking { "blocking" } else { "advisory" }
}

fn acts(control: &Control) -> &str {
    control.acts.as_deref().unwrap_or("acts unstated")
}

fn promotion(control: &Control) -> String {
    match &control.promotion {
        None => "no promotion is stated".to_owned(),
        Some(Promotion::Criteria { window, threshold, sample }) => {
            format!("promoted at {threshold} of {sample} over {window}")
        }
        Some(Promotion::FinalPosture(why)) => format!("its posture is final, {why}"),
        Some(Promotion::PermanentlyAdvisory(why)) => format!("it stays advisory, {why}"),
        Some(Promotion::ProducesFacts(why)) => format!("it produces facts, {why}"),
    }
}

/// How many findings each way of not being live has taken.
fn escaped(report: &Report<'_>) -> String {
    let count = |test: fn(&Escape) -> bool| {
        let escapes = report.run.findings.iter().filter_map(|finding| finding.escape.as_ref());
        escapes.filter(|escape| test(escape)).count()
    };
    format!(
        "findings that are not live: 0 waived, {} migration-pending, {} suppressed",
        count(|escape| matches!(escape, Escape::Pending(_))),
        count(|escape| matches!(escape, Escape::Suppressed(_)))
    )
}

fn rules(out: &mut String, report: &Report<'_>) {
    let accounts = &report.run.rules;
    for account in accounts.iter().filter(|account| account.obligations.len() > 1) {
        let all = account.obligations.join(", ");
        let sentence = format!("{} is of several obligations, so of none: {all}", account.rule);
        line(out, report, "  ", &sentence);
    }
    let controls = report.corpus.taxonomy().controls.values();
    let named: Vec<&str> = controls.filter_map(Control::rule).collect();
    let free = accounts.iter().map(|account| account.rule).filter(|rule| !named.contains(rule));
    let free: Vec<&str> = free.collect();
    let sentence = match free.as_slice() {
        [] => "a control names every rule".to_owned(),
        free => format!("no control names {}: {}", counted(free.len(), "rule"), free.join(", ")),
    };
    line(out, report, "  ", &sentence);
}
