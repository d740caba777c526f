//! Which cases of the specification are held, and how the registry parts for each export.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use headwater_check::About;

/// The numbered cases, and the scenarios, of the list of checks.
const CASES: usize = 96;
const SCENARIOS: usize = 39;

#[test]
fn checks_coverage() {
    let manifest = Path::new(env!("CARGO_MANIFEST_DIR"));
    let table = fs::read_to_string(manifest.join("fixtures/coverage.md")).unwrap();
    let mut sources: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    let mut covered = BTreeSet::new();
    for row in table.lines().filter(|line| line.starts_with("| ")).skip(1) {
        let cells: Vec<&str> = row.trim_matches('|').splitn(3, " | ").map(str::trim).collect();
        let [case, file, line] = cells[..] else { unreachable!("{row}") };
        let lines = sources.entry(file.to_owned()).or_insert_with(|| {
            let source = fs::read_to_string(manifest.join("../..").join(file));
            source
                .unwrap_or_else(|error| unreachable!("{file}: {error}"))
                .lines()
                .map(held)
                .collect()
        });
        assert!(lines.contains(line), "{case}: {file} has no line `{line}`");
        covered.insert(case.to_owned());
    }
    let cases = (1..=CASES).map(|number| number.to_string());
    let all: BTreeSet<String> = cases.chain((1..=SCENARIOS).map(|it| format!("S{it}"))).collect();
    println!("{} cases of headwater-checks.md section 10: {} covered", all.len(), covered.len());
    assert_eq!(all, covered);
}

/// A line of a fixture or of a test as the table writes it: a title, or the name of a function.
fn held(line: &str) -> String {
    let line = line.trim();
    match line.split_once('(') {
        Some((name, _)) if name.starts_with("fn ") => format!("{name}("),
        _ => line.replace('|', "\\|"),
    }
}

/// For every target of an export, each rule is exported or it is not, and the two that a JSON Schema
/// can say are the two that say so.
#[test]
fn registry_partition_coverage() {
    let registry = headwater_rules::registry();
    let ids: BTreeSet<&str> = registry.templates().iter().map(|it| it.about().id).collect();
    assert_eq!(ids.len(), registry.templates().len(), "a rule is registered twice");
    let targets: BTreeSet<&str> =
        registry.templates().iter().flat_map(|it| it.about().exportable_as).copied().collect();
    assert_eq!(targets, BTreeSet::from(["jsonschema"]));
    for target in targets {
        let (exported, unexported): (Vec<&About>, Vec<&About>) = registry
            .templates()
            .iter()
            .map(headwater_check::Template::about)
            .partition(|about| about.exportable_as.contains(&target));
        let exported: Vec<&str> = exported.iter().map(|about| about.id).collect();
        println!(
            "{} rules: {} exported to {target}, {} unexported",
            ids.len(),
            exported.len(),
            unexported.len()
        );
        assert_eq!(exported, ["facet.required.missing", "facet.value.not_permitted"]);
        assert_eq!(exported.len() + unexported.len(), ids.len());
    }
}
