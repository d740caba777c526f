//! Runs the cases of `fixtures/cases`: small edits of one taxonomy, and all that each must report.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a test fails by panicking"
)]

use std::path::Path;

use headwater_taxonomy::refusal::Refusal;
use headwater_taxonomy::resolve::resolve;
use headwater_taxonomy::source::{Role, Source};
use headwater_taxonomy::validate::validate;

#[derive(Debug, Default)]
struct Case {
    name: String,
    blocks: Vec<(String, String)>,
}

fn cases(text: &str) -> Vec<Case> {
    let mut cases: Vec<Case> = Vec::new();
    let mut open: Option<(String, String)> = None;
    for line in text.lines() {
        if let Some((_, body)) = &mut open {
            if line == "```" {
                cases.last_mut().expect("a block inside a case").blocks.extend(open.take());
            } else {
                body.push_str(line);
                body.push('\n');
            }
        } else if let Some(name) = line.strip_prefix("## ") {
            cases.push(Case { name: name.to_owned(), blocks: Vec::new() });
        } else if let Some(kind) = line.strip_prefix("```") {
            open = Some((kind.to_owned(), String::new()));
        }
    }
    assert!(open.is_none(), "a fence is not closed");
    cases
}

fn base() -> String {
    let path = "fixtures/lantern/.headwater/packages/lantern-handbook/taxonomy.yml";
    let text = std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join(path)).unwrap();
    text.replace("first}", "first, namespace: LAN}").replace("once}", "once, namespace: LAN}")
}

fn sources(case: &Case) -> Vec<Source> {
    let mut taxonomy = base();
    let mut others = Vec::new();
    for (kind, body) in &case.blocks {
        let source = |path: String, role| Source { path, role, bytes: body.clone().into_bytes() };
        match kind.split_once(' ') {
            None if kind == "replace" => {
                let of = |sign: char| -> String {
                    let lines = body.lines().filter_map(|line| line.strip_prefix(sign));
                    lines.map(|line| format!("{line}\n")).collect()
                };
                let (old, new) = (of('-'), of('+'));
                assert_eq!(taxonomy.matches(&old).count(), 1, "{}: {old:?}", case.name);
                taxonomy = taxonomy.replace(&old, &new);
            }
            None if kind == "append" => taxonomy.push_str(body),
            None if kind == "taxonomy" => taxonomy.clone_from(body),
            None if kind == "overlay" => others.push(source("overlay.yml".into(), Role::Overlay)),
            Some(("bundle", name)) => {
                others.push(source(format!("{name}.yml"), Role::Bundle(name.to_owned())));
            }
            _ => assert!(["refused", "warned", "says"].contains(&kind.as_str()), "{kind}"),
        }
    }
    let path = "taxonomy.yml".to_owned();
    let first = Source { path, role: Role::Base, bytes: taxonomy.into_bytes() };
    std::iter::once(first).chain(others).collect()
}

fn lines(refusals: &[Refusal]) -> String {
    let line = |refusal: &Refusal| {
        let place = refusal.at.map_or(String::new(), |at| format!(":{at}"));
        let address = refusal.address.as_deref().unwrap_or("");
        let label = refusal.class.label();
        format!("{label} {}{place} {address}", refusal.file).trim_end().to_owned() + "\n"
    };
    refusals.iter().map(line).collect()
}

/// Runs one case and says how it differs from what it expects.
fn run(case: &Case) -> Result<(), String> {
    let block = |kind: &str| {
        case.blocks.iter().find(|(held, _)| held == kind).map_or("", |(_, body)| body.as_str())
    };
    let (refusals, warnings) = match resolve(&sources(case)) {
        Err(refusals) => (refusals, Vec::new()),
        Ok(resolution) => {
            let validation = validate(&resolution);
            (validation.refusals, validation.warnings)
        }
    };
    let warnings = if refusals.is_empty() { warnings } else { Vec::new() };
    let said: Vec<String> =
        refusals.iter().chain(&warnings).map(|refusal| refusal.render("hw")).collect();
    let mut differs = String::new();
    for (kind, found) in [("refused", lines(&refusals)), ("warned", lines(&warnings))] {
        if found != block(kind) {
            differs += &format!("\n```{kind}\n{found}```\ninstead of\n{}", block(kind));
        }
    }
    for wanted in block("says").lines() {
        if !said.iter().any(|text| text.contains(wanted)) {
            differs += &format!("\nnothing says {wanted:?}");
        }
    }
    if differs.is_empty() {
        return Ok(());
    }
    Err(format!("## {}{differs}\n{}\n", case.name, said.join("\n")))
}

fn run_file(name: &str) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/cases").join(name);
    let cases = cases(&std::fs::read_to_string(path).unwrap());
    assert!(!cases.is_empty());
    let failures: Vec<String> = cases.iter().filter_map(|case| run(case).err()).collect();
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

macro_rules! files {
    ($($name:ident),*) => { $(#[test] fn $name() { run_file(concat!(stringify!($name), ".md")); })* };
}
files!(
    yaml, structure, references, addresses, operations, bundles, confluence, core, rules, warnings
);

#[test]
fn every_file_of_cases_is_run() {
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/cases");
    assert_eq!(std::fs::read_dir(directory).unwrap().count(), 10 + 1);
}
