//! The examples of the check layer: the handbook keeps its word, and the taxonomies of real proposals
//! find what is wrong with them. What `examples/taxonomies/eips` finds is computed a second time by
//! `eips.py`, which shares nothing with the engine.
//!
//! The proposals are not part of this repository. A small corpus of the same form, with every defect
//! planted in it, is judged in each run; the real one in `make corpora`, which needs its directory.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a test fails by panicking"
)]

use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

fn repository() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap() {
        let (from, name) = (entry.as_ref().unwrap().path(), entry.unwrap().file_name());
        if from.is_dir() {
            copy(&from, &to.join(name));
        } else if name != "taxonomy.lock" {
            fs::copy(from, to.join(name)).unwrap();
        }
    }
}

fn headwater(root: &Path, words: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_headwater"));
    command.args(words).arg("--root").arg(root).env_remove("OPENCLAW_WORKSPACE").output().unwrap()
}

/// A repository with one of the example taxonomies, its lock written.
fn governed(taxonomy: &str) -> tempfile::TempDir {
    let root = tempfile::tempdir().unwrap();
    let example = repository().join("examples/taxonomies").join(taxonomy).join(".headwater");
    copy(&example, &root.path().join(".headwater"));
    let resolved = headwater(root.path(), &["taxonomy", "resolve"]);
    assert!(resolved.status.success(), "{}", String::from_utf8_lossy(&resolved.stderr));
    root
}

#[test]
fn the_handbook_keeps_its_word_and_its_mistakes_are_found() {
    let root = tempfile::tempdir().unwrap();
    copy(&repository().join("examples/handbook"), root.path());
    assert!(headwater(root.path(), &["taxonomy", "resolve"]).status.success());
    let check = || {
        let words = ["check", "--strict", "--strict-census", "--no-cache", "--now", "2026-03-01"];
        let checked = headwater(root.path(), &[&words[..], &["--format", "github"]].concat());
        (checked.status.code(), String::from_utf8_lossy(&checked.stdout).into_owned())
    };
    let (status, said) = check();
    assert_eq!((status, said.contains("file=")), (Some(0), false), "{said}");
    let mistake = |path: &str, is: &str, was_to_be: &str| {
        let path = root.path().join("handbook").join(path);
        let text = fs::read_to_string(&path).unwrap();
        assert!(text.contains(was_to_be), "{}", path.display());
        fs::write(&path, text.replacen(was_to_be, is, 1)).unwrap();
    };
    // The mistakes of `examples/handbook/demo.sh`.
    mistake("procedures/ticket-check.md", "carries_out: FERRY-D-0001", "carries_out: FERRY-D-0003");
    mistake("procedures/fog.md", "status: curent", "status: current");
    mistake("procedures/winter-evenings.md", "weather/fog.md#when", "fog.md#when");
    let half = "superseded_by: FERRY-D-0003";
    mistake("decisions/0001-paper-tickets.md", "carried_out_by: FERRY-P-ticket-check", half);
    mistake("procedures/boarding.md", "In the future passengers board", "Passengers board");
    mistake("drills/2026-02-man-overboard.md", "FERRY-P-overboard", "FERRY-P-man-overboard");
    let (status, said) = check();
    assert_eq!(status, Some(1));
    for (rule, path) in [
        ("lifecycle.dependency.on_terminal", "procedures/ticket-check.md"),
        ("relation.participation.overdue", "decisions/0003-tickets-by-phone.md"),
        ("link.path.unresolved", "procedures/winter-evenings.md"),
        ("voice.forbidden_construction", "procedures/boarding.md"),
        ("facet.value.not_permitted", "procedures/fog.md"),
        ("relation.reciprocity.missing", "decisions/0003-tickets-by-phone.md"),
        ("relation.target.unresolved", "drills/2026-02-man-overboard.md"),
    ] {
        assert!(
            said.lines().any(|line| line.contains(rule) && line.contains(path)),
            "{rule}: {said}"
        );
    }
}

#[test]
fn the_locks_of_the_examples_are_what_their_sources_resolve_to() {
    for example in ["handbook", "taxonomies/eips", "taxonomies/keps"] {
        let root = repository().join("examples").join(example);
        let checked = headwater(&root, &["taxonomy", "resolve", "--check"]);
        let said = String::from_utf8_lossy(&checked.stdout).into_owned();
        assert!(
            checked.status.success(),
            "{example}: {said}; run `headwater taxonomy resolve` in it"
        );
    }
}

/// What the script counts, having found that the engine says the same.
fn agreed(root: &Path) -> String {
    let checked = headwater(root, &["check", "--json", "--no-cache", "--now", "2026-08-22"]);
    assert!(checked.status.success(), "{}", String::from_utf8_lossy(&checked.stderr));
    let report = root.join("report.json");
    fs::write(&report, &checked.stdout).unwrap();
    let script = repository().join("tests/headwater/eips.py");
    let said = Command::new("python3").args([&script, root, &report]).output();
    let said = said.expect("python3 is needed to compute the findings a second time");
    let text = String::from_utf8_lossy(&said.stdout).into_owned();
    assert!(said.status.success(), "{text}{}", String::from_utf8_lossy(&said.stderr));
    text
}

/// Number, status, what it requires, body.
const PLANTED: &[(u32, &str, &str, &str)] = &[
    (1, "Living", "", "## Status of it\n\nText.\n\n## Status of it\n\nAgain.\n"),
    // Two circles: one of two, one of three that is reached from outside.
    (2, "Draft", "3", "See [EIP-3](./eip-3.md).\n"),
    (3, "Draft", "2, 4", "## A `code` span & more\n"),
    (4, "Review", "5", "# Títle — of *it*\n"),
    (5, "Last Call", "6, 1", "Heading below\n-------------\n\nText.\n"),
    (6, "Stagnant", "4", "<a name=\"by-hand\"></a>Text, with `[no](./link.md)`.\n"),
    // What is settled rests on what is not; what is not may rest on anything.
    (10, "Final", "1, 2, 6", "Text.\n"),
    (11, "Final", "12, 13, 14", "Text.\n"),
    (12, "Withdrawn", "", "Text.\n"),
    (13, "Moved", "", "This file was moved.\n"),
    (14, "Final", "", "Text.\n"),
    (15, "Draft", "12", "Text.\n"),
    // A name that is nobody's, and a state that is none.
    (16, "Draft", "1, 999", "Text.\n"),
    (17, "Finel", "1", "Text.\n"),
    // Links, each form, dead and alive.
    (
        20,
        "Draft",
        "",
        "[dead](./eip-21)\nand [alive](./eip-10.md) and\n[dead](../assets/gone.png \"t\").\n\n\
         ![an image](gone.png) [![around](x.png)](./gone.md)\n\n\
         [used] and [used][] and [text][Used], not [unused].\n\n[used]: ./nowhere.md\n\n\
         ```\n[code](./gone.md)\n```\n\n> [quoted](./gone.md)\n\n\
         <!-- [comment](./gone.md) -->\n\nNoted[^1].\n\n[^1]:\n    ```csl-json\n    {}\n    ```\n",
    ),
    (
        21,
        "Draft",
        "",
        "[a](./eip-1.md#status-of-it-1) [b](./eip-1.md#status-of-it-2)\n\
         [c](./eip-3.md#a-code-span--more) [d](./eip-4.md#t%C3%ADtle--of-it) [e](#gone)\n\n\
         ## Here\n\n[f](#here) [g](./eip-5.md#heading-below) [h](./eip-6.md#by-hand)\n\
         [i](https://no.example/#x) [j](/assets/there.png#x) [k](/EIPS/eip-14.md)\n",
    ),
];

fn plant(root: &Path) {
    fs::create_dir_all(root.join("EIPS")).unwrap();
    fs::create_dir_all(root.join("assets")).unwrap();
    fs::write(root.join("assets/there.png"), "").unwrap();
    for (number, status, requires, body) in PLANTED {
        let requires =
            if requires.is_empty() { String::new() } else { format!("requires: {requires}\n") };
        let text = format!(
            "---\neip: {number}\ntitle: Number {number}\nstatus: {status}\ntype: Meta\n\
             created: 2020-01-01\n{requires}---\n\n{body}"
        );
        fs::write(root.join(format!("EIPS/eip-{number}.md")), text).unwrap();
    }
    // Enough that nothing is found, in chains.
    for number in 100..160 {
        let text = format!(
            "---\neip: {number}\ncategory: Core\nstatus: Final\nrequires: {}\n---\n\n[x](./eip-{number}.md)\n",
            if number == 100 { 1 } else { number - 1 }
        );
        fs::write(root.join(format!("EIPS/eip-{number}.md")), text).unwrap();
    }
}

#[test]
fn planted_defects_of_proposals_are_found_by_engine_and_script_alike() {
    let root = governed("eips");
    plant(root.path());
    assert_eq!(
        agreed(root.path()),
        "facet.value.not_permitted 1\n\
         relation.target.unresolved 1\n\
         relation.cycle 2\n\
         lifecycle.dependency.on_initial 2\n\
         lifecycle.dependency.on_terminal 1\n\
         link.path.unresolved 6\n\
         link.fragment.unresolved 3\n"
    );
}

#[test]
#[ignore = "needs the proposals themselves: `make corpora HEADWATER_EIPS=<directory that holds EIPS>`"]
fn the_real_proposals_are_judged_by_engine_and_script_alike() {
    let from = std::env::var_os("HEADWATER_EIPS")
        .expect("HEADWATER_EIPS names the directory that holds EIPS");
    let from = fs::canonicalize(from).unwrap();
    let root = governed("eips");
    for name in ["EIPS", "assets"] {
        symlink(from.join(name), root.path().join(name)).unwrap();
    }
    symlink(from.join("LICENSE.md"), root.path().join("LICENSE.md")).unwrap();
    let counts = agreed(root.path());
    assert!(
        counts.contains("relation.target.unresolved 0\n") && counts.contains("relation.cycle 2\n"),
        "{counts}"
    );
}

#[test]
fn the_taxonomy_of_enhancements_reads_facts_beside_their_documents() {
    let root = governed("keps");
    let proposal = |name: &str, facts: &str| {
        let place = root.path().join("keps/sig-a").join(name);
        fs::create_dir_all(&place).unwrap();
        fs::write(place.join("kep.yaml"), facts).unwrap();
        let body = "# T\n\n## Summary\n\nS.\n\n## Motivation\n\nM.\n\n## Proposal\n\nP.\n";
        fs::write(place.join("README.md"), body).unwrap();
    };
    let facts = |number: &str, status: &str, more: &str| {
        format!(
            "title: T\nkep-number: {number}\nowning-sig: sig-a\nstatus: {status}\n\
             creation-date: 2020-01-01\nauthors: [\"@a\"]\napprovers: [\"@b\"]\n{more}"
        )
    };
    proposal("1-one", &facts("1", "implemented", "replaces: [/keps/sig-a/2-two]\n"));
    proposal("2-two", &facts("2", "replaced", "superseded-by:\n  - keps/sig-a/1-one\n"));
    let clean = headwater(root.path(), &["check", "--strict", "--strict-census", "--no-cache"]);
    assert!(clean.status.success(), "{}", String::from_utf8_lossy(&clean.stdout));

    proposal("3-three", &facts("1", "imlpemented", "stage:\nreplaces:\n  - /keps/sig-a/4-four\n"));
    let found = headwater(root.path(), &["check", "--strict", "--no-cache", "--format", "github"]);
    let found = String::from_utf8_lossy(&found.stdout).into_owned();
    for (rule, line) in [
        ("identifier.claimed_twice", 2),
        ("facet.value.not_permitted", 4),
        ("facet.value.not_permitted", 8),
        ("relation.target.unresolved", 10),
    ] {
        let at = format!("file=keps/sig-a/3-three/kep.yaml,line={line},");
        let says = found.lines().any(|said| said.contains(&at) && said.contains(rule));
        assert!(says, "{rule} at line {line}:\n{found}");
    }
}
