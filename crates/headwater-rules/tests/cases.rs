//! Every case of `fixtures/`: a taxonomy and a corpus go in, and exactly the findings it states come out.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

mod support;

use std::fs;

use headwater_check::Origin;
use support::{cases, check, fixtures, ledger, lines};

#[test]
fn every_case_has_exactly_its_findings() {
    let mut wrong = String::new();
    let mut count = 0;
    for directory in ["rules", "cases"] {
        let mut paths: Vec<_> = fs::read_dir(fixtures().join(directory))
            .unwrap()
            .map(|entry| entry.unwrap().path())
            .collect();
        paths.sort();
        for case in paths.iter().flat_map(|path| cases(path)) {
            count += 1;
            let (_root, run) = check(&case, false);
            let found = lines(&run);
            let ledger = ledger(&run);
            let counted = case.ledger.as_ref().is_none_or(|expected| *expected == ledger);
            let unmet = case.expects.unmet(&run);
            let says = counted && unmet.is_empty() && run.broken.is_empty();
            if found != case.findings || !says {
                let messages: Vec<String> = run
                    .findings
                    .iter()
                    .map(|finding| format!("{}: {}", finding.rule, finding.defect.message))
                    .collect();
                wrong.push_str(&format!(
                    "\n{}: {}\n  expected {:#?}\n  found {found:#?}\n  {messages:#?} {ledger:#?} {:?} {unmet:?}\n",
                    case.file, case.title, case.findings, run.broken
                ));
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong}");
    assert!(count > 100, "only {count} cases were read");
}

/// Each rule has a fixture in which it fires, one in which it passes, and one that tells it from the
/// rule one might take it for.
#[test]
fn every_rule_has_its_three_fixtures() {
    for template in headwater_rules::registry().templates() {
        let id = template.about().id;
        let path = fixtures().join(format!("rules/{id}.md"));
        assert!(path.is_file(), "{id} has no fixtures");
        let all = cases(&path);
        let of = |word: &str| {
            let case = all.iter().find(|case| case.title.starts_with(word));
            case.unwrap_or_else(|| panic!("{id} has no fixture `{word}`"))
        };
        let fires = |case: &support::Case| {
            case.findings.iter().any(|line| line.starts_with(&format!("{id} ")))
        };
        assert!(fires(of("Fires")), "{id} does not fire where it is to");
        for word in ["Passes", "Discriminates"] {
            let case = of(word);
            let (_root, run) = check(case, false);
            let account = run.rules.iter().find(|account| account.rule == id).unwrap();
            let runner = template.about().origin == Origin::Runner;
            assert!(account.instances > 0 || runner, "{id}: {}: no instance", case.title);
            assert!(word != "Passes" || !fires(case), "{id}: {}", case.title);
        }
    }
}

/// What a finding says is for people: one line, no more than a paragraph, and something to do.
#[test]
fn every_finding_says_what_is_wrong_and_what_to_do() {
    for directory in ["rules", "cases"] {
        for entry in fs::read_dir(fixtures().join(directory)).unwrap() {
            for case in cases(&entry.unwrap().path()) {
                let (_root, run) = check(&case, false);
                for finding in &run.findings {
                    for text in [&finding.defect.message, &finding.defect.remedy] {
                        assert!(
                            !text.is_empty() && !text.contains('\n'),
                            "{}: {text:?}",
                            finding.rule
                        );
                        assert!(!text.ends_with('.'), "{}: {text:?}", finding.rule);
                    }
                    let id = headwater_rules::registry();
                    assert!(
                        !id.get(finding.rule).unwrap().about().why().is_empty(),
                        "{}",
                        finding.rule
                    );
                }
            }
        }
    }
}
