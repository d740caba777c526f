//! The ledger of editions: for each rule its edition, the digest of its fixtures, and the digest of what it
//! said over them. A rule that says something else over the same fixtures under the same edition would be
//! served from a warm cache as it was; the ledger fails until its edition is raised.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::collections::BTreeMap;
use std::fs;

use headwater_check::Template;
use sha2::{Digest, Sha256};
use support::{cases, check, fixtures};

mod support;

/// What the ledger keeps of a rule: its edition, its fixtures, its verdicts.
type Line = (u32, String, String);

fn line(template: &Template) -> Line {
    let about = template.about();
    let path = fixtures().join(format!("rules/{}.md", about.id));
    let (mut corpus, mut verdicts) = (Sha256::new(), Sha256::new());
    corpus.update(fs::read(fixtures().join("base.json")).unwrap());
    corpus.update(fs::read(&path).unwrap());
    for case in cases(&path) {
        let (_root, run) = check(&case, false);
        verdicts.update(case.title.as_bytes());
        for finding in run.findings.iter().filter(|finding| finding.rule == about.id) {
            verdicts.update(serde_json::to_vec(&finding.defect).unwrap());
        }
    }
    (about.edition, short(corpus), short(verdicts))
}

fn short(digest: Sha256) -> String {
    digest.finalize().iter().take(8).map(|byte| format!("{byte:02x}")).collect()
}

fn read(ledger: &str) -> BTreeMap<&str, Line> {
    let rows = ledger.lines().filter(|line| line.starts_with("| `"));
    rows.map(|row| {
        let cells: Vec<&str> = row.trim_matches('|').split('|').map(str::trim).collect();
        let [rule, edition, corpus, verdicts] = cells[..] else { unreachable!("{row}") };
        let line = (edition.parse().unwrap(), corpus.to_owned(), verdicts.to_owned());
        (rule.trim_matches('`'), line)
    })
    .collect()
}

#[test]
fn a_rule_that_says_something_else_has_another_edition() {
    let path = fixtures().join("editions.md");
    let held = fs::read_to_string(&path).unwrap_or_default();
    let before = read(&held);
    let mut now = String::from(
        "# Editions\n\nWhat each rule said over its fixtures in its edition; `UPDATE_DOCS=1` writes it anew where an edition\nor a fixture changed.\n\n| rule | edition | fixtures | verdicts |\n|---|---|---|---|\n",
    );
    for template in headwater_rules::registry().templates() {
        let id = template.about().id;
        let (edition, corpus, verdicts) = line(template);
        if let Some((before, fixtures, said)) = before.get(id) {
            assert!(edition >= *before, "{id}: editions only rise");
            assert!(
                edition > *before || corpus != *fixtures || verdicts == *said,
                "{id} says something else over the same fixtures; raise its edition, or a warm cache serves it as it was"
            );
        }
        now.push_str(&format!("| `{id}` | {edition} | {corpus} | {verdicts} |\n"));
    }
    if std::env::var_os("UPDATE_DOCS").is_some() {
        fs::write(&path, &now).unwrap();
    }
    assert_eq!(
        fs::read_to_string(&path).unwrap_or_default(),
        now,
        "a rule or its fixtures changed; run with UPDATE_DOCS=1 to keep what is said now"
    );
}
