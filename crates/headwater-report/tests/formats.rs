//! Every format carries every finding, in one order, and no value of a corpus breaks its form.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

use std::fs;

use headwater_check::headwater_corpus::{Corpus, Options};
use headwater_check::headwater_taxonomy::declaration::Declaration;
use headwater_check::headwater_taxonomy::lock::{Header, Lock};
use headwater_check::headwater_taxonomy::yaml::load;
use headwater_check::{Caching, Date, Escape, Manifest, Run, Settings, Severity, Taxonomy, run};
use headwater_report::{FORMATS, Layout, Rendered, Report, format, register};
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
    (
        "docs/b.md",
        "---\nid: B\n\u{202e}odd: 1\n---\n\n# T\n\n![gone](gone.png)\n\n> [gone](gone.md)\n",
    ),
    ("docs/scratch/today.md", "to do\n"),
    ("docs/bad.md", "---\nid: [\n---\n"),
    (
        "docs/c.md",
        "---\nid: C\nsummary: t\naudience: z\nodd: 1\n---\n\n<!-- headwater allow=facet.undeclared scope=file until=2030-01-01 reason=accepted_deviation note=a|b <i> -->\n\n<!-- headwater allow=facet.undeclared -->\n<!-- headwater allow=facet.value.blank scope=file until=2030-01-01 reason=false_positive -->\n<!-- headwater allow=facet.value.blank scope=file until=2026-08-11 reason=false_positive -->\n",
    ),
];

const DECLARED: &[u8] = br#"
taxonomy: {package: acme/cases, version: 1.0.0}
corpus:
  root: docs
  exclude:
    - {path: docs/scratch/**, reason: "notes of the day"}
    - {path: docs/scrtch/**, reason: "misspelled"}
"#;

const ADOPTION: &str = r#"
tasks:
  - id: AD-1
    statement: one finding of before
    owner: kim
    until: 2026-08-12
    pairs:
      - {path: docs/c.md, rule: facet.value.not_permitted}
      - {path: docs/z.md, rule: facet.value.not_permitted}
  - {id: AD-2, statement: s, owner: kim, until: 2026-08-12, pairs: [{path: "docs/**", rule: facet.undeclared}]}
notes: mine
"#;

/// A change that says nothing of a document but what nothing answers to.
const CHANGE: &str = "\
headwater change 1
added\tdocs/b.md
added\tsrc/\u{1b}[31m|<b>.rs
verified\tdocs/b.md\t<i>|`x`\u{202e}
";

/// Runs every rule over the files and hands the report to a test.
fn reported(test: impl Fn(&Report<'_>)) {
    let root = tempfile::tempdir().unwrap();
    fs::create_dir_all(root.path().join("docs/scratch")).unwrap();
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
    let adoption = Some(load(ADOPTION, 0).unwrap());
    let lock = Lock { header, foundings: Vec::new(), adoption, taxonomy, resolved };
    let declaration = Declaration::parse(DECLARED).unwrap();
    let corpus = Corpus::build(root.path(), lock, declaration, Options::default()).unwrap();
    let registry = headwater_rules::registry();
    let now = Date::parse("2026-08-12").unwrap();
    let change = Manifest::parse(CHANGE).unwrap();
    let settings = Settings { now, cache: Caching::Off, continuity: true, change: Some(&change) };
    let run: Run = run(&corpus, &registry, settings);
    assert!(run.findings.len() >= 5, "{:#?}", run.findings);
    let layout = Layout::default();
    test(&Report { run: &run, corpus: &corpus, registry: &registry, verbose: false, layout });
}

#[test]
fn every_format_names_every_rule_that_found_something_and_accounts_for_every_finding() {
    reported(|report| {
        for format in FORMATS {
            let rendered = format.render(report);
            let text = &rendered.text;
            for (_, finding) in report.live() {
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
            assert_eq!(rendered, format.render(report));
            assert_eq!(rendered.lost(report.run), Vec::<&headwater_check::Finding>::new());
            // A format that shows nothing has lost everything.
            let all: Vec<_> = report.run.findings.iter().collect();
            assert_eq!(Rendered::default().lost(report.run), all);
        }
    });
}

#[test]
fn the_findings_of_json_are_those_of_the_run_in_its_order() {
    reported(|report| {
        let text = format("json").unwrap().render(report).text;
        let json: Value = serde_json::from_str(&text).unwrap();
        let found = json["findings"].as_array().unwrap();
        assert_eq!(found.len(), report.run.findings.len());
        for (item, finding) in found.iter().zip(&report.run.findings) {
            assert_eq!(item["rule"], finding.rule);
            assert_eq!(item["line"], finding.defect.place.line);
            assert_eq!(item["fixable"], finding.is_fixable());
            assert_eq!(item["escape"], Escape::word(finding.escape.as_ref()));
            assert_eq!(item.get("obligation").is_some(), finding.obligation.is_some());
        }
        let bound = found.iter().find(|item| item["rule"] == "facet.value.not_permitted").unwrap();
        assert_eq!(bound["obligation"], "OB-1");
        let of = |escape: &str| found.iter().find(|item| item["escape"] == escape).unwrap();
        let held = of("migration-pending");
        let by = serde_json::json!({"task": "AD-1", "owner": "kim", "until": "2026-08-12"});
        assert_eq!((&held["held_by"], held.get("hidden_by")), (&by, None));
        let hidden = of("suppression");
        let by = serde_json::json!({"path": "docs/c.md", "line": 8, "reason": "accepted_deviation",
            "until": "2030-01-01", "note": "a|b <i>"});
        assert_eq!((&hidden["hidden_by"], hidden.get("held_by")), (&by, None));
        assert!(of("none").get("held_by").is_none());
        let change = &json["change"];
        let counts = ["documents", "added", "carried", "unreadable", "verified_alone", "verified"];
        assert_eq!(counts.map(|key| change[key].as_u64().unwrap()), [2, 1, 0, 0, 0, 1]);
        assert_eq!(change["unmatched"], serde_json::json!(["src/\u{1b}[31m|<b>.rs"]));
        let unstated = serde_json::json!([{"document": "docs/b.md", "target": "<i>|`x`\u{202e}"}]);
        assert_eq!(change["unstated"], unstated);
        let order = [
            "version", "tool", "taxonomy", "clock", "change", "coverage", "rules", "findings",
            "read_set",
        ];
        let places: Vec<_> =
            order.iter().map(|key| text.find(&format!("\n  \"{key}\":")).unwrap()).collect();
        assert!(places.is_sorted(), "{places:?}");
        assert!(text.ends_with("}\n"));
    });
}

#[test]
fn sarif_says_the_same_with_encoded_paths_and_no_region_for_a_file() {
    reported(|report| {
        let text = format("sarif").unwrap().render(report).text;
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
            let kind = match finding.escape {
                None => Value::Null,
                Some(Escape::Pending(_)) => "external".into(),
                Some(Escape::Suppressed(_)) => "inSource".into(),
            };
            assert_eq!(result["suppressions"][0]["kind"], kind);
            let status = result["suppressions"][0].get("status");
            assert_eq!(status.is_some(), finding.escape.is_some());
        }
        assert!(text.contains("\"docs/a%20b%25.md\""));
        let escaped = serde_json::json!({"waived": 0, "migration_pending": 1, "suppressed": 1});
        assert_eq!(run["properties"]["headwater"]["escaped"], escaped);
    });
}

#[test]
fn text_marks_the_place_and_ends_with_the_counts() {
    reported(|report| {
        let text = format("text").unwrap().render(report).text;
        assert!(text.contains("error[facet.value.not_permitted] (OB-1): "), "{text}");
        assert!(text.contains("\n --> docs/a b%.md:4:11\n  |\n4 | audience: "), "{text}");
        assert!(text.contains("\n  |           ^^^"), "{text}");
        assert!(text.contains("help (mechanical): "), "{text}");
        assert_eq!(text.matches("= why: ").count(), {
            let rules: std::collections::BTreeSet<_> =
                report.live().map(|(_, finding)| finding.rule).collect();
            rules.len()
        });
        let last = text.lines().last().unwrap();
        assert!(last.contains(" errors, "), "{last}");
        assert!(last.ends_with("; not reported: 1 pending and 1 suppressed"), "{last}");
        let headings =
            ["taxonomy", "clock", "census", "graph", "checks", "not reported", "read set"];
        let places: Vec<_> =
            headings.iter().map(|it| text.find(&format!("\n{it}\n")).unwrap()).collect();
        assert!(places.is_sorted(), "{text}");
        let unfilled = text.replace("\n    ", " ").replace("\n      ", " ");
        for line in [
            "the change names 2 paths: 1 added, 0 with an earlier version, 0 whose earlier version cannot be read, 0 only read again, 1 outside the census; 1 document read again, 0 promotions; no edge answers the statement about docs/b.md to <i>|`x`\\u{202e}",
            "adoption: 1 pair open, 1 closed, 1 finding held, 1 task",
            "AD-2 holds nothing: the path `docs/**` is a pattern, name each file",
            "adoption.notes is not read",
            "suppressions: 1 finding hidden by 1 directive, 1 expired, 1 matched no finding, 1 refused",
            "by reason: accepted_deviation 1",
            "by rule: facet.undeclared 1",
            "by shelf: notes 1",
            "docs/c.md:12 expired on 2026-08-11 and no longer hides facet.value.blank",
            "docs/c.md:11 matched no finding of facet.value.blank",
            "docs/c.md:10 suppresses nothing: `scope=` is missing",
            "1 finding of facet.value.not_permitted, held by AD-1 (kim) until 2026-08-12",
            "1 finding of facet.undeclared, hidden by docs/c.md:8 (accepted_deviation) until 2030-01-01: a|b <i>",
        ] {
            let squeezed = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
            assert!(squeezed(&unfilled).contains(&squeezed(line)), "{line}\n{text}");
        }
        let each = format("text").unwrap().render(&Report { verbose: true, ..*report }).text;
        let (_, each) = each.split_once("\nnot reported\n").unwrap();
        for (_, finding, _) in report.escaped() {
            let place = &finding.defect.place;
            let line = format!("  {}:{}:{}: ", place.path, place.line, place.column);
            assert!(each.contains(&line), "{line}\n{each}");
        }
    });
}

/// What no finding speaks of is counted, so that nothing is hidden without a trace.
#[test]
fn text_says_what_the_census_and_the_graph_hold() {
    reported(|report| {
        let text = format("text").unwrap().render(report).text;
        for line in [
            "  5 files: 3 typed, 1 unreadable, 1 excluded\n",
            "  by kind: note 3\n",
            "  excluded by docs/scratch/**: 1 file, notes of the day\n",
            "  excluded by docs/scrtch/**: 0 files, misspelled\n",
        ] {
            assert!(text.contains(line), "{line}\n{text}");
        }
        let each = format("text").unwrap().render(&Report { verbose: true, ..*report }).text;
        for line in [
            "    docs/scratch/today.md: excluded: `docs/scratch/**`: notes of the day\n",
            "    docs/bad.md: unreadable: ",
            "  written relations: 1 to documents, 0 to anchors, 0 to what an export\n",
            "  not judged: 1 image, and 1 link in block quotations\n",
        ] {
            assert!(each.contains(line) && !text.contains(line), "{line}\n{each}");
        }
    });
}

#[test]
fn markdown_and_annotations_keep_a_value_in_its_place() {
    reported(|report| {
        let text = format("markdown").unwrap().render(report).text;
        let rows = text.lines().filter(|line| line.starts_with("| ")).count();
        assert_eq!(rows, report.run.findings.len() + 2);
        let (live, escaped) = text.split_once("<details>\n").unwrap();
        for (part, bars) in [(live, 5), (escaped, 6)] {
            for row in part.lines().filter(|line| line.starts_with("| ")) {
                assert_eq!(row.replace("\\|", "").matches('|').count(), bars, "{row}");
            }
        }
        assert!(escaped.starts_with("<summary>Not reported: 1 pending and 1 suppressed</summary>"));
        assert!(!text.contains("<b>") && !text.contains("<i>"));
        assert!(text.contains("\n\nThe change names 2 paths"), "{text}");
        let text = format("github").unwrap().render(report).text;
        let commands = text.lines().filter(|line| line.starts_with("::")).count();
        assert_eq!(commands, report.live().count());
        assert!(text.contains("file=docs/a b%25.md,line=4,col=11,"));
    });
}

#[test]
fn text_is_filled_to_the_width_and_coloured_only_where_it_is_asked_for() {
    reported(|report| {
        let text = format("text").unwrap();
        let narrow = text.render(report).text;
        let wide = text.render(&Report { layout: report.layout.wide(Some(120)), ..*report }).text;
        for (text, width) in [(&narrow, 80), (&wide, 120)] {
            // Lines of a file, paths and the sentence of the read set are not filled.
            let ours = text.lines().filter(|line| line.starts_with("  ") && !line.contains(" | "));
            let ours = ours.filter(|line| !line.contains("the verdict rests on"));
            let longest = ours.map(|line| line.chars().count()).max().unwrap();
            assert!(longest <= width && longest > width - 20, "{longest}\n{text}");
        }
        assert!(!narrow.contains('\u{1b}'));
        let layout = Layout { colour: true, ..report.layout };
        let coloured = text.render(&Report { layout, ..*report }).text;
        let mut plain = String::new();
        for part in coloured.split('\u{1b}') {
            plain.push_str(
                part.strip_prefix('[').and_then(|it| it.split_once('m')).map_or(part, |it| it.1),
            );
        }
        assert_eq!(plain, narrow);
        assert!(
            coloured.contains("\u{1b}[1;31merror[facet.value.not_permitted]\u{1b}[0m (OB-1): ")
        );
        for other in FORMATS.into_iter().filter(|other| other.name() != "text") {
            let coloured = other.render(&Report { layout, ..*report });
            assert_eq!(coloured, other.render(report), "{}", other.name());
        }
    });
}

#[test]
fn the_register_is_one_block_in_the_report_and_alone() {
    reported(|report| {
        let alone = register(report);
        let text = format("text").unwrap().render(report).text;
        let indented: String = alone.lines().map(|line| format!("  {line}\n")).collect();
        assert!(text.contains(&indented), "{alone}\n{text}");
        assert!(alone.starts_with("register\n  1 obligation: 1 verified, 0 gap, 0 unverifiable, "));
    });
}
