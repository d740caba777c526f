//! Black-box conformance of `canvas` and `canvas-validate`.
//!
//! Most cases are data: `tests/store/*.md`, run by `tests/support`. What is code by nature
//! (processes that race, processes that are killed, hostile surroundings) is under `tests/coded`.
//! `conformance_coverage` counts both against the two lists of cases.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::print_stdout)]

mod coded;
#[macro_use]
#[path = "support/fixtures.rs"]
mod fixtures;
mod support;

use std::collections::BTreeMap;
use support::fixture::{self, ACCEPTANCES, CASES, Fixture, Number};
use support::runner::{self, Setups};

/// The file of the set-ups.
const SETUPS: &str = "setups.md";

fn setups() -> Setups {
    fixture::load(&fixture::directory().join(SETUPS)).unwrap().setups
}

fn load(file: &str) -> Fixture {
    fixture::load(&fixture::directory().join(file)).unwrap()
}

/// Runs every case of one fixture file and reports all that fail.
fn run_fixture(file: &str) {
    runner::run_all(file, &load(file).cases, &setups());
}

fixtures! {
    store_surface => "surface.md";
    store_create => "create.md";
    store_read => "read.md";
    store_history => "history.md";
    store_insert => "insert.md";
    store_replace => "replace.md";
    store_remove_and_move => "remove-move.md";
    store_reasons => "reasons.md";
    store_base => "base.md";
    store_one_commit => "one-commit.md";
    store_system => "system.md";
    store_render => "render.md";
    store_validate => "validate.md";
}

macro_rules! coded {
    ($($name:ident => $path:path, $numbers:literal;)*) => {
        $(#[test] fn $name() { $path() })*
        /// The cases that are code.
        const CODED: &[&str] = &[$($numbers),*];
    };
}

coded! {
    sixteen_writers => coded::races::sixteen_writers, "S8 230";
    twenty_replaces_at_once => coded::races::twenty_replaces_at_once, "Q 287";
    twenty_inserts_at_once => coded::races::twenty_inserts_at_once, "Q 288";
    two_canvases_at_once => coded::races::two_canvases_at_once, "Q 289";
    one_base_one_success => coded::races::one_base_one_success, "Q 291";
    printed_base_is_the_writers_own => coded::races::printed_base_is_the_writers_own, "Q 292";
    readers_see_whole_documents => coded::races::readers_see_whole_documents, "";
    raw_git_beside_us => coded::races::raw_git_beside_us, "";
    canvas_vanishes_under_a_reader => coded::races::canvas_vanishes_under_a_reader, "M 253, M 254";
    repository_vanishes_under_a_reader => coded::races::repository_vanishes_under_a_reader, "M 255";
    killed_writers => coded::kills::killed_writers, "Q 290";
    closed_pipe => coded::hostile::closed_pipe, "M 248, S8 78";
    full_output => coded::hostile::full_output, "";
    full_disk => coded::hostile::full_disk, "";
    forged_labels => coded::hostile::forged_labels, "";
    arguments_that_are_no_text => coded::hostile::arguments_that_are_no_text, "";
    git_variables => coded::hostile::git_variables, "";
    user_configuration => coded::hostile::user_configuration, "";
    hooks => coded::hostile::hooks, "";
    odd_paths => coded::hostile::odd_paths, "";
    large_arguments => coded::hostile::large_arguments, "";
    detached_and_packed => coded::repositories::detached_and_packed, "";
    foreign_formats => coded::repositories::foreign_formats, "";
    linked_canvas => coded::repositories::linked_canvas, "";
    derived_files => coded::repositories::derived_files, "";
    one_edit_is_one_node => coded::guard::one_edit_is_one_node, "L 208-213, L 215, L 217, L 219, L 220";
    positions => coded::guard::positions, "L 223, L 224";
    childless => coded::guard::childless, "B 52";
    refusals_are_whole => coded::library::refusals_are_whole, "A 19";
    every_errno => coded::library::every_errno, "M 249-251";
    callers_are_bound => coded::library::callers_are_bound, "H 171, I 182, L 214, L 216, L 218, L 221";
    no_way_in_for_a_document => coded::library::no_way_in_for_a_document, "L 222";
}

#[test]
fn conformance_coverage() {
    let mut covered: BTreeMap<Number, String> = BTreeMap::new();
    let mut cover = |number: Number, place: String| {
        if let Some(other) = covered.insert(number, place.clone()) {
            panic!("case {number} is covered by {other} and by {place}");
        }
    };
    for file in FIXTURES {
        for case in load(file).cases {
            for number in case.numbers {
                cover(number, format!("{file} line {}", case.line));
            }
        }
    }
    for numbers in CODED.iter().filter(|n| !n.is_empty()) {
        for number in fixture::numbers(numbers).unwrap() {
            cover(number, "a coded case".to_owned());
        }
    }
    let all_cases: Vec<Number> = (1..=CASES).map(Number::Case).collect();
    let all_acceptances: Vec<Number> = (1..=ACCEPTANCES).map(Number::Acceptance).collect();
    let mut missing = Vec::new();
    for (name, all) in
        [("canvas-store-cases.md", all_cases), ("canvas-store.md section 8", all_acceptances)]
    {
        let count = all.len();
        let open: Vec<String> =
            all.iter().filter(|n| !covered.contains_key(n)).map(ToString::to_string).collect();
        println!("{count} cases of {name}: {} covered", count - open.len());
        missing.extend(open);
    }
    assert!(missing.is_empty(), "not covered: {}", missing.join(", "));
    let mut files: Vec<String> = std::fs::read_dir(fixture::directory())
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .filter(|name| name.ends_with(".md") && name != SETUPS)
        .collect();
    files.sort();
    let mut run: Vec<String> = FIXTURES.iter().map(|f| (*f).to_owned()).collect();
    run.sort();
    assert_eq!(files, run, "every fixture file is run");
}
