//! Black-box conformance of `canvas-coherence`: cases 145 to 168 of canvas-projections §9, and what
//! stands in §7 beside them.
//!
//! The adapters here are shell scripts. Those that hang, and what only shorter limits show, are in the
//! tests of `crates/canvas-coherence`: the program's own limit is a minute.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::print_stdout)]

#[path = "../support/mod.rs"]
#[allow(dead_code, reason = "the runner of fixtures has no part in this target")]
mod support;

mod desk;
mod examples;
mod outcomes;
mod preflight;
mod responses;

use std::collections::BTreeSet;

/// The cases of canvas-projections §9 about this program.
const CASES: std::ops::RangeInclusive<u32> = 145..=168;

macro_rules! cases {
    ($($name:ident => $path:path, [$($number:literal),*];)*) => {
        $(#[test] fn $name() { $path() })*
        /// Which cases each test covers.
        const COVERED: &[(&str, &[u32])] = &[$((stringify!($name), &[$($number),*])),*];
    };
}

cases! {
    no_finding => outcomes::no_finding, [145];
    one_finding => outcomes::one_finding, [146, 147];
    two_findings => outcomes::two_findings, [148];
    folded_reason => outcomes::folded_reason, [168];
    adapter_that_writes => outcomes::adapter_that_writes, [164];
    environment => outcomes::environment, [162];
    request => outcomes::request, [163];
    arguments_of_the_adapter => outcomes::arguments_of_the_adapter, [166];
    adapter_failures => outcomes::adapter_failures, [156, 157, 158];
    unprinted_answer => outcomes::unprinted_answer, [];
    own_question => preflight::own_question, [149];
    stale_trigger => preflight::stale_trigger, [150];
    another_canvas => preflight::another_canvas, [151];
    freeze => preflight::freeze, [152, 153];
    after_create => preflight::after_create, [154];
    every_verb => preflight::every_verb, [];
    abbreviated_trigger => preflight::abbreviated_trigger, [155];
    invocation => preflight::invocation, [165];
    invalid_canvas => preflight::invalid_canvas, [167];
    order_of_the_preflight => preflight::order, [];
    foreign_commits => preflight::foreign_commits, [];
    faults_of_a_response => responses::faults, [159, 160, 161];
    no_finding_adapter => examples::no_finding, [];
    rule_based_adapter => examples::rule_based, [];
    command_line_model_adapter => examples::command_line_model, [];
}

#[test]
fn coverage() {
    let all: Vec<u32> = COVERED.iter().flat_map(|(_, numbers)| numbers.iter().copied()).collect();
    let covered: BTreeSet<u32> = all.iter().copied().collect();
    assert_eq!(covered.len(), all.len(), "a case is covered twice");
    let missing: Vec<u32> = CASES.filter(|number| !covered.contains(number)).collect();
    println!(
        "{} cases of canvas-projections.md on canvas-coherence: {} covered, not covered: {missing:?}",
        CASES.count(),
        covered.len()
    );
    assert!(missing.is_empty() && covered.iter().all(|number| CASES.contains(number)));
}
