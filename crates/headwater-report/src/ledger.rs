//! The ledger of what is not live: the adoption tasks, the directives, and what each of them holds or
//! hides. Each function gives lines; a line under another begins with a blank.

use std::collections::BTreeMap;

use headwater_check::{Escape, Reason, State};

use crate::Report;
use crate::layout::JOIN;
use crate::words::{counted, place, plain, severity};

/// What the adoption tasks came to; nothing where the lock has none.
pub(crate) fn adoption(report: &Report<'_>) -> Vec<String> {
    let adoption = &report.run.adoption;
    let mut lines = Vec::new();
    if !adoption.tasks.is_empty() {
        let sum = |of: fn(&headwater_check::TaskStanding) -> usize| {
            adoption.tasks.iter().map(of).sum::<usize>()
        };
        lines.push(format!(
            "adoption: {} open, {} closed, {} held, {}{}",
            counted(sum(|task| task.open), "pair"),
            sum(|task| task.closed),
            counted(sum(|task| task.held), "finding"),
            counted(adoption.tasks.len(), "task"),
            match adoption.tasks.iter().filter(|task| task.expired).count() {
                0 => String::new(),
                expired => format!(" ({expired} expired)"),
            }
        ));
    }
    let refused = adoption.refused.iter();
    lines
        .extend(refused.map(|task| {
            format!(" {} holds{JOIN}nothing: {}", plain(&task.task), plain(&task.why))
        }));
    let unread = adoption.unread.iter();
    lines
        .extend(unread.map(|key| {
            format!(" adoption.{} is not read, only `tasks` is; remove it", plain(key))
        }));
    lines
}

/// What the directives came to; nothing where there are none.
pub(crate) fn suppressions(report: &Report<'_>) -> Vec<String> {
    let suppressions = &report.run.suppressions;
    if suppressions.directives.is_empty() && suppressions.refused.is_empty() {
        return Vec::new();
    }
    let count = |test: fn(State) -> bool| {
        suppressions.directives.iter().filter(|directive| test(directive.state)).count()
    };
    let hidden: Vec<_> = report
        .escaped()
        .filter_map(|(_, finding, escape)| match escape {
            Escape::Suppressed(hidden) => Some((finding, hidden)),
            Escape::Pending(_) => None,
        })
        .collect();
    let mut lines = vec![format!(
        "suppressions: {} hidden by {}, {} expired, {} matched{JOIN}no{JOIN}finding, {} refused",
        counted(hidden.len(), "finding"),
        counted(count(|state| matches!(state, State::Applied(_))), "directive"),
        count(|state| state == State::Expired),
        count(|state| state == State::Unused),
        suppressions.refused.len()
    )];
    if !hidden.is_empty() {
        let mut reasons: BTreeMap<Reason, usize> = BTreeMap::new();
        let (mut rules, mut shelves) = (BTreeMap::new(), BTreeMap::new());
        for (finding, hidden) in &hidden {
            *reasons.entry(hidden.reason).or_default() += 1;
            *rules.entry(finding.rule.to_owned()).or_default() += 1;
            let path = &finding.defect.place.path;
            *shelves.entry(shelf(report, path)).or_default() += 1;
        }
        let reasons = reasons.into_iter().map(|(reason, count)| (reason.word().to_owned(), count));
        lines.push(format!(" by reason: {}", counts(&reasons.collect())));
        lines.push(format!(" by rule: {}", counts(&rules)));
        lines.push(format!(" by shelf: {}", counts(&shelves)));
    }
    for directive in &suppressions.directives {
        let at = format!(" {}:{}", whole(&directive.path), directive.line);
        match directive.state {
            State::Applied(_) => {}
            State::Expired => {
                let (rule, until) = (directive.rule, directive.until);
                lines.push(format!("{at} expired on {until} and no longer hides {rule}"));
            }
            State::Unused => {
                lines.push(format!("{at} matched{JOIN}no{JOIN}finding of {}", directive.rule));
            }
        }
    }
    lines.extend(suppressions.refused.iter().map(|refused| {
        let (path, line, why) = (whole(&refused.path), refused.line, plain(&refused.why));
        format!(" {path}:{line} suppresses{JOIN}nothing: {why}")
    }));
    lines
}

/// What is not live: for each task and directive how much of which rule, or each finding by itself.
pub(crate) fn not_reported(report: &Report<'_>, each: bool) -> Vec<String> {
    let escaped = report.escaped();
    if each {
        let line = escaped.map(|(_, finding, escape)| {
            format!(
                "{}: {}: {}: {}, {}",
                place(finding),
                severity(finding.defect.severity),
                finding.rule,
                plain(&finding.defect.message),
                plain(&escape.to_string())
            )
        });
        return line.collect();
    }
    let mut holders: BTreeMap<(String, &str), usize> = BTreeMap::new();
    for (_, finding, escape) in escaped {
        *holders.entry((escape.to_string(), finding.rule)).or_default() += 1;
    }
    let line = |((holder, rule), count): ((String, &str), usize)| {
        format!("{} of {rule}, {}", counted(count, "finding"), plain(&holder))
    };
    holders.into_iter().map(line).collect()
}

/// How many findings are not live, in words.
pub(crate) fn escaped_count(report: &Report<'_>) -> String {
    let count = |word: &str| {
        report.escaped().filter(|(_, _, escape)| Escape::word(Some(escape)) == word).count()
    };
    format!("{} pending and {} suppressed", count("migration-pending"), count("suppression"))
}

/// A path as one word.
fn whole(path: &str) -> String {
    plain(path).replace(' ', &JOIN.to_string())
}

fn shelf(report: &Report<'_>, path: &str) -> String {
    let corpus = report.corpus;
    let row = corpus.row_at(path).and_then(|at| corpus.row(at));
    row.and_then(|row| corpus.shelf(row)).map_or("no shelf", |shelf| &shelf.name).to_owned()
}

fn counts(counts: &BTreeMap<String, usize>) -> String {
    let counts = counts.iter().map(|(word, count)| format!("{} {count}", plain(word)));
    counts.collect::<Vec<_>>().join(", ")
}
