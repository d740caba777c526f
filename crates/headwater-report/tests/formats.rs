//! Every format carries every finding, in one order, and no value of a corpus breaks its form.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

use std::fs;

use headwater_check::headwater_corpus::{Corpus, Options};
use headwater_check::headwater_taxonomy::declaration::Declaration;
use headwater_check::headwater_taxonomy::lock::{Header, Lock};
use headwater_check::headwater_taxonomy::yaml::load;
use headwater_check::{Date, Run, Settings, Severity, Taxonomy, run};
use headwater_report::{FORMATS, Report, format};
use serde_json::Value;

const TAXONOMY: &str = r#"
facets:
  audience: {values: [reader, operator]}
  summary: {role: scent, type: string}
kinds:
  note: {facets: {require: [summary]}}
relations:
  cites: {family: evidence, from: [note], to: [note], inverse: cited_by, reciprocal: required}
shelves:
  notes: {path: "docs/**", homogeneous: true, kind: note}
obligations:
  OB-1: {statement: audiences are known, severity: high}
controls:
  CT-1: {mechanism: "check:facet.value.not_permitted", discharges: [OB-1]}
"#;

const FILES: &[(&str, &str)] = &[
    (
        "docs/a b%.md",
        "---\nid: A\nsummary: s\naudience: \"x|y<b>\\n::error::z\"\nrelations:\n  cites: B\n---\n",
    ),
    ("docs/b.md", "---\nid: B\n\u{202e}odd: 1\n---\n\n# T\n"),
    ("docs/bad.md", "---\nid: [\n---\n"),
];

/// Runs every rule over the files and hands the report to a test.
fn reported(test: impl Fn(&Report<'_>)) {
    let root = tempfile::tempdir().unwrap();
    fs::create_dir(root.path().join("docs")).unwrap();
    for (path, text) in FILES {
        fs::write(root.path().join(path), text).unwrap();
    }
    let resolved = load(TAXONOMY, 0).unwrap();
    let header = Header {
        digest: "sha256:00".to_owned(),
        rules: 0,
        package: "acme/cases".to_owned(),
        version: "1.0.0".to_owned(),
        sources: Vec::new(),
    };
    let taxonomy = Taxonomy::from_tree(&resolved);
    let lock = Lock { header, foundings: Vec::new(), adoption: None, taxonomy, resolved };
    let declared = b"taxonomy: {package: acme/cases, version: 1.0.0}\ncorpus: {root: docs}\n";
    let declaration = Declaration::parse(declared).unwrap();
    let corpus = Corpus::build(root.path(), lock, declaration, Options::default()).unwrap();
    let registry = headwater_rules::registry();
    let now = Date::parse("2026-08-12").unwrap();
    let run: Run = run(&corpus, &registry, Settings { now, cache: false, continuity: true });
    assert!(run.findings.len() >= 5, "{:#?}", run.findings);
    test(&Report { run: &run, corpus: &corpus, registry: &registry, verbose: false });
}

#[test]
fn every_format_names_every_rule_that_found_something() {
    reported(|report| {
        for format in FORMATS {
            let text = format.render(report);
            for finding in &report.run.findings {
                let rule = finding.rule;
                assert!(text.contains(rule), "{} lost {rule}", format.name());
            }
            // Programs are given what stands there; people must not be shown it turned around.
            let for_programs = ["json", "sarif"].contains(&format.name());
            assert!(
                for_programs || !text.contains('\u{202e}'),
                "{} turns text around",
                format.name()
            );
            assert_eq!(text, format.render(report));
        }
    });
}

#[test]
fn the_findings_of_json_are_those_of_the_run_in_its_order() {
    reported(|report| {
        let text = format("json").unwrap().render(report);
        let json: Value = serde_json::from_str(&text).unwrap();
        let found = json["findings"].as_array().unwrap();
        assert_eq!(found.len(), report.run.findings.len());
        for (item, finding) in found.iter().zip(&report.run.findings) {
            assert_eq!(item["rule"], finding.rule);
            assert_eq!(item["line"], finding.defect.place.line);
            assert_eq!(item["fixable"], finding.is_fixable());
            assert_eq!(item.get("obligation").is_some(), finding.obligation.is_some());
        }
        let bound = found.iter().find(|item| item["rule"] == "facet.value.not_permitted").unwrap();
        assert_eq!(bound["obligation"], "OB-1");
        let order =
            ["version", "tool", "taxonomy", "clock", "coverage", "rules", "findings", "read_set"];
        let places: Vec<_> =
            order.iter().map(|key| text.find(&format!("\n  \"{key}\":")).unwrap()).collect();
        assert!(places.is_sorted(), "{places:?}");
        assert!(text.ends_with("}\n"));
    });
}

#[test]
fn sarif_says_the_same_with_encoded_paths_and_no_region_for_a_file() {
    reported(|report| {
        let text = format("sarif").unwrap().render(report);
        let run = &serde_json::from_str::<Value>(&text).unwrap()["runs"][0];
        let results = run["results"].as_array().unwrap();
        assert_eq!(results.len(), report.run.findings.len());
        for (result, finding) in results.iter().zip(&report.run.findings) {
            let rule =
                &run["tool"]["driver"]["rules"][result["ruleIndex"].as_u64().unwrap() as usize];
            assert_eq!(rule["id"], finding.rule);
            let physical = &result["locations"][0]["physicalLocation"];
            assert_eq!(physical.get("region").is_some(), finding.defect.place.line > 0);
            let level = match finding.defect.severity {
                Severity::Error => "error",
                Severity::Warn => "warning",
                Severity::Info => "note",
            };
            assert_eq!(result["level"], level);
        }
        assert!(text.contains("\"docs/a%20b%25.md\""));
    });
}

#[test]
fn text_marks_the_place_and_ends_with_the_counts() {
    reported(|report| {
        let text = format("text").unwrap().render(report);
        assert!(text.contains("error[facet.value.not_permitted] (OB-1): "), "{text}");
        assert!(text.contains("\n --> docs/a b%.md:4:11\n  |\n4 | audience: "), "{text}");
        assert!(text.contains("\n  |           ^^^"), "{text}");
        assert!(text.contains("help (mechanical): "), "{text}");
        assert_eq!(text.matches("= why: ").count(), {
            let rules: std::collections::BTreeSet<_> =
                report.run.findings.iter().map(|finding| finding.rule).collect();
            rules.len()
        });
        let last = text.lines().last().unwrap();
        assert!(last.contains(" errors, ") && last.ends_with("notes"), "{last}");
    });
}

#[test]
fn markdown_and_annotations_keep_a_value_in_its_place() {
    reported(|report| {
        let text = format("markdown").unwrap().render(report);
        let rows = text.lines().filter(|line| line.starts_with("| ")).count();
        assert_eq!(rows, report.run.findings.len() + 1);
        for row in text.lines().filter(|line| line.starts_with("| ")) {
            assert_eq!(row.replace("\\|", "").matches('|').count(), 5, "{row}");
        }
        assert!(!text.contains("<b>"));
        let text = format("github").unwrap().render(report);
        let commands = text.lines().filter(|line| line.starts_with("::")).count();
        assert_eq!(commands, report.run.findings.len());
        assert!(text.contains("file=docs/a b%25.md,line=4,col=11,"));
    });
}
