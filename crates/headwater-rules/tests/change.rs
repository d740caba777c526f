//! What a run makes of a change: which lines of the manifest it accounts for and how, what joins the
//! keys and the read set, and when a stamp is offered.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

mod support;

use std::fs;

use headwater_check::{CacheAccount, Patch, Run};
use support::{Case, check, fixtures, judge, lines, write};

/// The case of a title in `fixtures/cases/change.md`.
fn case(title: &str) -> Case {
    let all = support::cases(&fixtures().join("cases/change.md"));
    all.into_iter().find(|case| case.title.starts_with(title)).unwrap_or_else(|| panic!("{title}"))
}

fn patches(run: &Run) -> Vec<&Patch> {
    let suspects = run.findings.iter().filter(|finding| finding.rule == "relation.target.suspect");
    suspects.filter_map(|finding| finding.defect.patch.as_ref()).collect()
}

fn verdict(mut run: Run) -> Run {
    run.cache = CacheAccount::default();
    run
}

/// The digest of what stands under a path for the edge that names it.
fn revision(root: &std::path::Path, path: &str) -> String {
    use headwater_check::headwater_corpus::Digest;
    let bytes = fs::read(root.join(path)).unwrap();
    Digest::of(format!("{path}\0{}\n", Digest::of(&bytes)).as_bytes()).to_string()
}

#[test]
fn every_path_of_a_manifest_is_accounted_for_once() {
    let (_root, run) = check(&case("Every line of a manifest has its place"), false);
    let change = run.change.unwrap();
    assert_eq!(
        (change.added, change.carried, change.unreadable, change.verified_alone),
        (1, 3, 1, 1)
    );
    assert_eq!(
        change.unmatched,
        ["./docs/notes/a.md", "docs/notes/gone.md", "docs/notes/typo.md", "src/x.rs"]
    );
    assert_eq!(change.documents, 1 + 3 + 1 + 1 + 4);
    assert_eq!((change.verified, change.promotions), (4, 1));
    let unstated: Vec<_> =
        change.unstated.iter().map(|(from, to)| (from.as_str(), to.as_str())).collect();
    assert_eq!(unstated, [("docs/notes/b.md", "lib/z.rs"), ("docs/notes/typo.md", "src/x.rs")]);
}

#[test]
fn a_run_without_a_change_has_no_account_and_says_why_it_skipped() {
    let mut without = case("Every line of a manifest has its place");
    without.change = None;
    let (_root, run) = check(&without, false);
    assert_eq!(run.change, None);
    assert!(run.read_set.change_scoped.is_empty());
    let class =
        run.coverage.skips.iter().find(|class| class.reason.starts_with("change-scoped-only"));
    let class = class.unwrap();
    let comparing = [
        "warrant.promoted",
        "lifecycle.transition.not_permitted",
        "lifecycle.deletion.not_permitted",
        "lifecycle.entered.not_moved",
    ];
    let instances = run.rules.iter().filter(|rule| comparing.contains(&rule.rule));
    assert_eq!(class.instances, instances.map(|rule| rule.instances).sum::<usize>());
    assert_eq!(class.unrouted, 1);
}

#[test]
fn an_earlier_version_that_cannot_be_read_is_a_reason_and_never_a_pass() {
    let (_root, run) = check(&case("An earlier version that does not parse"), false);
    let reasons: Vec<&str> = run.coverage.skips.iter().map(|class| class.reason.as_ref()).collect();
    let unread = reasons.iter().filter(|reason| reason.contains("cannot be read")).count();
    assert_eq!(unread, 2, "{reasons:#?}");
    assert!(lines(&run).is_empty());
    assert_eq!(run.change.unwrap().unreadable, 1);
    for rule in ["lifecycle.transition.not_permitted", "lifecycle.deletion.not_permitted"] {
        assert!(!run.read_set.change_scoped.iter().any(|held| held == rule));
    }
}

#[test]
fn a_file_of_earlier_bytes_is_opened_only_where_it_is_one() {
    let mut odd = case("An earlier version that does not parse");
    for (file, why) in [
        ("/nowhere/at/all", "there is no such file"),
        ("/", "it is not a regular file"),
        ("/dev/zero", "it is not a regular file"),
    ] {
        odd.change = Some((String::new(), format!("prior docs/notes/a.md -> {file}\n")));
        let (_root, run) = check(&odd, false);
        let reasons = run.coverage.skips.iter().filter(|class| class.reason.contains(why));
        assert_eq!(reasons.map(|class| class.instances).sum::<usize>(), 3, "{file}");
        assert_eq!(run.change.unwrap().unreadable, 1);
    }
}

#[test]
fn what_is_gone_joins_the_read_set_where_it_was_a_document() {
    let (_root, run) = check(&case("A deletion at the end of a lifecycle"), false);
    let listed = |path: &str| run.read_set.inputs.iter().find(|input| input.path == path);
    assert!(listed("docs/notes/gone.md").unwrap().digest.is_some());
    assert!(listed("docs/notes/draft.md").is_some() && listed("src/x.rs").is_none());
    assert_eq!(run.coverage.unaccounted, ["docs/notes/draft.md", "docs/notes/gone.md"]);
    let change = run.change.unwrap();
    assert_eq!(change.unmatched, ["docs/notes/draft.md", "docs/notes/gone.md", "src/x.rs"]);
    assert_eq!(
        run.read_set.change_scoped,
        [
            "warrant.promoted",
            "lifecycle.transition.not_permitted",
            "lifecycle.deletion.not_permitted",
            "lifecycle.entered.not_moved"
        ]
    );
}

#[test]
fn the_earlier_version_is_an_input_of_the_rules_that_read_it_and_of_no_other() {
    let moved = case("A way of several moves");
    let (root, cold) = check(&moved, true);
    let warm = judge(root.path(), &moved, true);
    assert_eq!(warm.cache.evaluated, 0);
    assert_eq!(verdict(warm), verdict(cold.clone()));
    // Another version before: what compares the two is judged again, and nothing else.
    let mut other = case("A way of several moves");
    other.change = other.change.map(|(before, change)| {
        (before.replace("NOTE-ACM-d\nstatus: draft", "NOTE-ACM-d\nstatus: withdrawn"), change)
    });
    let again = judge(root.path(), &other, true);
    assert_eq!(again.cache.evaluated, 2, "of one document, what reached a verdict");
    assert_eq!(lines(&again).len(), lines(&cold).len() + 1);
    assert_eq!(verdict(again), verdict(judge(root.path(), &other, false)));
    // No change: nothing that was served compares, and nothing is judged that was not.
    let mut without = case("A way of several moves");
    without.change = None;
    let none = judge(root.path(), &without, true);
    assert_eq!(none.cache.evaluated, 0);
    assert_eq!(verdict(none), verdict(judge(root.path(), &without, false)));
}

#[test]
fn an_edited_target_moves_a_warm_verdict() {
    let suspect = case("A target that moved without a change");
    let (root, _) = check(&suspect, true);
    let stamped = revision(root.path(), "src/x.rs");
    let text = fs::read_to_string(root.path().join("docs/notes/a.md")).unwrap();
    write(root.path(), "docs/notes/a.md", text.replace("sha256:0", &stamped));
    assert!(lines(&judge(root.path(), &suspect, true)).is_empty());
    write(root.path(), "src/x.rs", "// edited\n");
    let warm = judge(root.path(), &suspect, true);
    assert_eq!(lines(&warm), ["relation.target.suspect docs/notes/a.md:3 warn"]);
    assert_eq!(verdict(warm), verdict(judge(root.path(), &suspect, false)));
}

#[test]
fn a_stamp_is_offered_where_somebody_read_and_by_nothing_else() {
    for (title, offered) in [
        ("A target that moved without a change", 0),
        ("A date that moved alone", 0),
        ("A target that the change carries alone", 0),
        ("A date and a target that moved together", 1),
        ("A statement about the edge", 1),
        ("A statement about the document alone", 0),
        ("A new document with a target of the change", 1),
        ("A pattern and a file of it that is gone", 1),
        ("No revision yet, and a statement", 1),
        ("What a stamp cannot be written into", 0),
        ("A literal directory", 0),
    ] {
        let case = case(title);
        let (root, run) = check(&case, true);
        assert_eq!(lines(&run), case.findings, "{title}");
        assert_eq!(patches(&run).len(), offered, "{title}: {:#?}", run.findings);
        for patch in patches(&run) {
            let Patch::Half { path, relation, target, attributes } = patch else {
                panic!("{title}")
            };
            assert_eq!((path.as_str(), relation.as_str()), ("docs/notes/a.md", "governs"));
            let stamped = attributes.iter().find(|(key, _)| key == "verified_revision").unwrap();
            assert!(stamped.1.starts_with("sha256:") && stamped.1.len() == 71, "{title}");
            if target == "src/x.rs" {
                assert_eq!(stamped.1, revision(root.path(), "src/x.rs"), "{title}");
            }
        }
        assert_eq!(verdict(judge(root.path(), &case, true)), verdict(run), "{title}");
    }
    let kept = case("A statement about the edge");
    let (_root, run) = check(&kept, false);
    let Patch::Half { attributes, .. } = patches(&run)[0] else { panic!("no half") };
    let keys: Vec<&str> = attributes.iter().map(|(key, _)| key.as_str()).collect();
    assert_eq!(keys, ["cue", "verified_revision", "strength"]);
}

#[test]
fn a_sidecar_is_part_of_the_version_before() {
    let sidecar = case("Front matter that stands in a file beside the document");
    let (_root, run) = check(&sidecar, false);
    assert_eq!(lines(&run), sidecar.findings);
    let change = run.change.unwrap();
    assert_eq!((change.carried, change.unmatched.len()), (2, 2));
}
