//! Black-box conformance of `canvas render`, in the language of `tests/README.md`.
//!
//! The cases are data: `tests/render/cases/*.md`. Those that need a browser are `tests/render/*.mjs`
//! and those that only a library can drive are unit tests; `projection_coverage` counts all of them.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::print_stdout)]

#[macro_use]
#[path = "support/fixtures.rs"]
mod fixtures;
#[allow(dead_code)] // What the suite of the store needs and this one does not.
mod support;

use std::collections::BTreeSet;
use std::path::PathBuf;

use support::fixture::{self, Number, RENDERED};
use support::runner;

fn directory() -> PathBuf {
    fixture::directory().join("../render")
}

/// Runs every case of one fixture file and reports all that fail.
fn run_fixture(file: &str) {
    let load = |path: PathBuf| fixture::load(&path).unwrap();
    let mut setups = load(fixture::directory().join("setups.md")).setups;
    setups.extend(load(directory().join("cases/setups.md")).setups);
    let cases = load(directory().join("cases").join(file)).cases;
    runner::run_all(file, &cases, &setups);
}

fixtures! {
    render_command => "command.md";
    render_page => "page.md";
    render_crossings => "crossings.md";
    render_figures => "figures.md";
    render_comment => "comment.md";
}

/// Cases that a unit test or a browser test covers: its file, words of its title, the numbers.
const ELSEWHERE: &[(&str, &str, &str)] = &[
    (
        "crates/canvas-store/src/sections.rs",
        "fn a_section_is_the_one_a_node_sits_in_and_never_its_title(",
        "R 57",
    ),
    (
        "crates/canvas-render/tests/diagrams.rs",
        "fn any_text_is_one_drawing_whose_view_box_holds_every_shape(",
        "R 78",
    ),
    (
        "tests/render/mermaid.test.mjs",
        "test(\"the policy keeps a hostile module from every other address\"",
        "R 87",
    ),
    (
        "tests/render/mermaid.test.mjs",
        "test(\"a returned drawing is let in only if it is nothing but a drawing\"",
        "R 88-90",
    ),
    (
        "tests/render/mermaid.test.mjs",
        "test(\"out of reach of the module, every source stays readable and says why\"",
        "R 91",
    ),
];

#[test]
fn projection_coverage() {
    let mut covered = BTreeSet::new();
    let mut cover = |numbers: Vec<Number>| {
        for number in numbers {
            assert!(covered.insert(number), "case {number} is covered twice");
        }
    };
    let files = std::fs::read_dir(directory().join("cases")).unwrap();
    let files: BTreeSet<String> =
        files.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    let run: BTreeSet<String> = FIXTURES.iter().map(|file| (*file).to_owned()).collect();
    assert_eq!(files.iter().filter(|file| !run.contains(*file)).collect::<Vec<_>>(), ["setups.md"]);
    for file in FIXTURES {
        for case in fixture::load(&directory().join("cases").join(file)).unwrap().cases {
            cover(case.numbers);
        }
    }
    for (file, words, numbers) in ELSEWHERE {
        let source = std::fs::read_to_string(directory().join("../..").join(file)).unwrap();
        assert!(source.contains(words), "{file} has no {words}");
        cover(fixture::numbers(numbers).unwrap());
    }
    let missing: Vec<String> = (1..=RENDERED)
        .map(Number::Rendered)
        .filter(|number| !covered.contains(number))
        .map(|number| number.to_string())
        .collect();
    println!(
        "{RENDERED} cases of canvas-projections.md sections 1 to 5: {} covered",
        RENDERED as usize - missing.len()
    );
    assert!(missing.is_empty(), "not covered: {}", missing.join(", "));
}
