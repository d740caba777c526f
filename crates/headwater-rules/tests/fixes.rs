//! What the patches of every fixture come to: writing them until none is left ends, with their findings
//! gone and nothing refused.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

mod support;

use std::collections::BTreeSet;
use std::fs;
use std::path::PathBuf;

use headwater_authoring::{compose, write};
use headwater_check::{Patch, Run};
use support::{Case, cases, check, corpus, fixtures, judge};

fn every_case() -> Vec<Case> {
    let mut paths: Vec<PathBuf> = Vec::new();
    for directory in ["rules", "cases"] {
        let entries = fs::read_dir(fixtures().join(directory)).unwrap();
        paths.extend(entries.map(|entry| entry.unwrap().path()));
    }
    paths.sort();
    paths.iter().flat_map(|path| cases(path)).collect()
}

fn patches(run: &Run) -> Vec<&Patch> {
    let live = run.findings.iter().filter(|finding| finding.is_live());
    live.filter_map(|finding| finding.defect.patch.as_ref()).collect()
}

#[test]
fn writing_patches_until_none_is_left_ends_without_a_refusal() {
    let mut fixed = BTreeSet::new();
    for case in every_case() {
        let name = format!("{}: {}", case.file, case.title);
        let (root, mut judged) = check(&case, false);
        let mut rounds = 0;
        loop {
            let corpus = corpus(root.path(), &case.taxonomy, &case.adoption);
            let patches = patches(&judged);
            let plan = compose(&corpus, patches.iter().copied());
            // Only a list between brackets is left to its author.
            let expected = plan.refusals.iter().all(|it| it.reason.contains("in flow form"));
            assert!(expected, "{name}: {:?}", plan.refusals);
            assert!(plan.edits.is_empty() != (patches.len() > plan.refusals.len()), "{name}");
            if plan.edits.is_empty() {
                break;
            }
            let carried = judged.findings.iter().filter(|finding| finding.is_fixable());
            fixed.extend(carried.map(|finding| finding.rule));
            assert_eq!(write(root.path(), &plan.edits), Ok(vec![]), "{name}");
            rounds += 1;
            assert!(rounds < 10, "{name}: {:#?}", plan.edits);
            judged = judge(root.path(), &case, false);
        }
    }
    for rule in [
        "citation.lines.moved",
        "identifier.claim.missing",
        "language.controlled.not_met",
        "language.retired_term.used",
        "lifecycle.state.not_set_by_edge",
        "link.path.unresolved",
        "relation.reciprocity.missing",
        "relation.target.suspect",
    ] {
        assert!(fixed.contains(rule), "no fixture has a patch of {rule}: {fixed:?}");
    }
}
