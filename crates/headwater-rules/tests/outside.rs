//! Files outside the corpus that a language regime lists: the three language rules read them and no other
//! rule does, they are no rows, and they are inputs of the run.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

mod support;

use std::fs;

use headwater_check::{Run, headwater_corpus::Digest};
use support::{Case, cases, check, fixtures, judge, lines, write};

fn case() -> Case {
    cases(&fixtures().join("cases/outside.md")).remove(0)
}

fn verdict(mut run: Run) -> Run {
    run.cache = headwater_check::CacheAccount::default();
    run
}

#[test]
fn three_language_rules_read_them_and_no_other() {
    let case = case();
    let (root, run) = check(&case, false);
    assert_eq!(lines(&run), case.findings);
    assert_eq!(case.expects.unmet(&run), Vec::<String>::new());
    assert_eq!((run.coverage.seen, run.coverage.unaccounted.len()), (1, 0));
    let bytes = fs::read(root.path().join("README.md")).unwrap();
    let input = run.read_set.inputs.iter().find(|input| input.path == "README.md").unwrap();
    assert_eq!(input.digest, Some(Digest::of(&bytes)));
}

#[test]
fn an_edit_of_one_is_seen_by_a_warm_cache() {
    let case = case();
    let (root, cold) = check(&case, true);
    let warm = judge(root.path(), &case, true);
    assert_eq!(warm.cache.evaluated, 0);
    assert_eq!(verdict(warm), verdict(cold));
    write(root.path(), "README.md", "Plain.\n");
    let edited = judge(root.path(), &case, true);
    assert_eq!(edited.cache.evaluated, 3, "the three rules over the edited file");
    assert!(!lines(&edited).iter().any(|line| line.contains("README.md")));
    assert_eq!(verdict(edited), verdict(judge(root.path(), &case, false)));
}
