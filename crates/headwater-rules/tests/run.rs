//! What a run promises as a whole: the cache, the number of threads and the order of directories change
//! no byte of it, and an edit evaluates again what it can have changed and nothing else.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

mod support;

use std::fs;

use headwater_check::{CACHE_PATH, Date, Run};
use proptest::prelude::*;
use support::{case, check, judge, lines, write};

/// The run without what is a fact about a disk.
fn verdict(mut run: Run) -> Run {
    run.cache = headwater_check::CacheAccount::default();
    run
}

const WINDOW: &str = r#"{"kinds": {"note": {"relations": {"expect": [{"id": "cited", "relation": "cited_by",
    "within": "30d", "since": "state_entered", "rationale": "x"}]}}}}"#;

const THREE: &str = "\
=== docs/notes/a.md
---
id: NOTE-ACM-a
audience: nobody
status: current
status_since: 2026-08-01
provenance: {warrant: asserted}
relations:
  cites: NOTE-ACM-b
  governs: src/x.rs
---

# T

[x](../../README.md) [y](b.md#t)
=== docs/notes/b.md
---
id: NOTE-ACM-b
status: current
status_since: 2026-08-01
provenance: {warrant: asserted}
---

# T
=== docs/pages/p.md
---
title: t
provenance: {warrant: asserted}
---
=== src/x.rs
//
=== README.md
# R
";

#[test]
fn a_second_run_evaluates_nothing_and_an_edit_what_it_touches() {
    let case = case(THREE, WINDOW);
    let (root, cold) = check(&case, true);
    assert_eq!(cold.cache.served, 0);
    let total = |run: &Run| run.cache.served + run.cache.evaluated + run.cache.unkeyed;
    assert_eq!(total(&cold), cold.coverage.instances);
    assert_eq!(
        fs::read(root.path().join(".headwater/cache/.gitignore")).unwrap(),
        b"*\n!.gitignore\n"
    );
    let warm = judge(root.path(), &case, true);
    assert_eq!((warm.cache.evaluated, total(&warm)), (0, total(&cold)));
    assert_eq!(verdict(warm), verdict(cold.clone()));
    assert_eq!(verdict(judge(root.path(), &case, false)), verdict(cold.clone()));

    // A page that nothing is related to: its document rules and the barriers.
    write(
        root.path(),
        "docs/pages/p.md",
        "---\ntitle: other\nprovenance: {warrant: asserted}\n---\n",
    );
    let edited = judge(root.path(), &case, true);
    let of = |run: &Run, grain: &str| {
        let all = run.rules.iter().filter(|account| account.scope.starts_with(grain));
        all.map(|account| account.instances).sum::<usize>()
    };
    let barriers = of(&edited, "corpus");
    let one = edited.coverage.instances / 3;
    assert!(edited.cache.evaluated > barriers, "{:?}", edited.cache);
    assert!(edited.cache.evaluated < barriers + one, "{:?}", edited.cache);
    assert_eq!(verdict(edited), verdict(judge(root.path(), &case, false)));
}

#[test]
fn another_day_evaluates_what_reads_the_day_and_nothing_else() {
    let mut case = case(THREE, WINDOW);
    let (root, _) = check(&case, true);
    case.now = Date::parse("2026-09-20").unwrap();
    let next = judge(root.path(), &case, true);
    // Both notes have the window; nothing else of this taxonomy reads the day.
    assert_eq!(next.cache.evaluated, 2);
    assert!(lines(&next).iter().any(|line| line.starts_with("relation.participation.overdue")));
    assert_eq!(verdict(next), verdict(judge(root.path(), &case, false)));
}

#[test]
fn what_no_document_says_moves_a_warm_verdict() {
    let case = case(THREE, "");
    for path in ["src/x.rs", "README.md", "docs/notes/b.md"] {
        let (root, _) = check(&case, true);
        judge(root.path(), &case, true);
        fs::remove_file(root.path().join(path)).unwrap();
        let warm = judge(root.path(), &case, true);
        let anew = judge(root.path(), &case, false);
        assert_eq!(verdict(warm), verdict(anew.clone()), "{path}");
        let rules = ["relation.target.unresolved", "link.path.unresolved"];
        assert!(
            lines(&anew).iter().any(|line| rules.iter().any(|rule| line.starts_with(rule))),
            "{path}"
        );
    }
}

#[test]
fn the_claim_store_and_the_snapshot_are_inputs() {
    let delta = r#"{"kinds": {"verification": {"is_a": "any"},
        "note": {"identifier": {"scheme": "note_id"}}},
        "shelves": {"notes": {"layout": "{slug}.md"},
            "proofs": {"path": "docs/proofs/**", "homogeneous": true, "kind": "verification"}},
        "relations": {"proven_by": {"family": "evidence", "from": ["note"], "to": ["verification"]}}}"#;
    let corpus = "\
=== docs/notes/a.md
---
id: NOTE-ACM-a
relations: {proven_by: V-1}
---
=== docs/proofs/v.md
---
id: V-1
---
";
    let case = case(corpus, delta);
    let (root, cold) = check(&case, true);
    assert!(lines(&cold).iter().any(|line| line.starts_with("identifier.claim.missing")));
    write(root.path(), ".headwater/ids/note_id/NOTE-ACM-a", "docs/notes/a.md\n");
    write(
        root.path(),
        ".headwater/observations.yml",
        "V-1: {kind: verification, commit: abc1234, criterion_digest: x}\n",
    );
    let warm = judge(root.path(), &case, true);
    assert_eq!(lines(&warm), ["relation.target.verification.suspect docs/notes/a.md:3 warn"]);
    assert_eq!(verdict(warm), verdict(judge(root.path(), &case, false)));
}

#[test]
fn what_is_held_or_hidden_was_judged_and_counted_like_everything_else() {
    let corpus = THREE.replace(
        "# T\n\n[x]",
        "<!-- headwater allow=relation.reciprocity.missing scope=file until=2030-01-01 reason=false_positive -->\n\n# T\n\n[x]",
    );
    assert_ne!(corpus, THREE);
    let mut case = case(&corpus, WINDOW);
    let (root, hidden) = check(&case, true);
    case.adoption = "tasks: [{id: AD-1, statement: s, owner: kim, until: 2026-08-12, pairs: [{path: docs/notes/a.md, rule: facet.value.not_permitted}]}]".to_owned();
    let held = judge(root.path(), &case, true);
    assert_eq!(held.cache.evaluated, 0, "an adoption block is no input of a verdict");
    case.now = Date::parse("2030-01-02").unwrap();
    let live = judge(root.path(), &case, false);
    let escaped = |run: &Run| run.findings.len() - run.live().count();
    assert_eq!((escaped(&hidden), escaped(&held), escaped(&live)), (1, 2, 0));
    assert_eq!((&held.coverage, &held.rules), (&hidden.coverage, &hidden.rules));
    assert_eq!(held.coverage, live.coverage);
    let verdicts = |run: &Run| -> Vec<_> {
        run.findings.iter().map(|finding| (finding.rule, finding.defect.clone())).collect()
    };
    assert_eq!(verdicts(&held), verdicts(&hidden));
}

#[test]
fn a_broken_cache_costs_a_cold_run_and_nothing_else() {
    let case = case(THREE, "");
    let (root, cold) = check(&case, true);
    let path = root.path().join(CACHE_PATH);
    let whole = fs::read(&path).unwrap();
    for bytes in
        [Vec::new(), b"headwater check cache 2\n".to_vec(), whole[..whole.len() / 2].to_vec()]
    {
        fs::write(&path, bytes).unwrap();
        let run = judge(root.path(), &case, true);
        assert_eq!(run.cache.served, 0);
        assert_eq!(verdict(run), verdict(cold.clone()));
        assert_eq!(judge(root.path(), &case, true).cache.evaluated, 0);
    }
    fs::remove_file(&path).unwrap();
    fs::create_dir(&path).unwrap();
    let run = judge(root.path(), &case, true);
    assert!(run.cache.unwritten.is_some());
    assert_eq!(verdict(run), verdict(cold));
}

/// What a rule over links reads beside documents is asked on every run, and prose is none of it.
#[test]
fn links_are_judged_by_where_they_lead_now_and_not_by_the_words_around_them() {
    let text =
        "---\nid: NOTE-ACM-a\n---\n\n# T\n\n[x](../../kept/x.txt) [y](gone%20b.md) [z](__z.md)\n";
    let case = case(&format!("=== docs/notes/a.md\n{text}"), "");
    let (root, first) = check(&case, true);
    let dead = |run: &Run| -> Vec<String> {
        let dead = run.findings.iter().filter(|one| one.rule == "link.path.unresolved");
        dead.map(|finding| finding.defect.message.clone()).collect()
    };
    assert_eq!(dead(&first).len(), 3);
    let instances = |rule: &str| {
        let again = judge(root.path(), &case, true);
        assert_eq!(verdict(again.clone()), verdict(judge(root.path(), &case, false)), "{rule}");
        (dead(&again).len(), again.cache.evaluated)
    };
    assert_eq!(instances("nothing changed"), (3, 0));
    write(root.path(), "docs/notes/a.md", format!("{text}\nMore words.\n"));
    let (_, words) = instances("words");
    write(root.path(), "kept/x.txt", "");
    let (left, file) = instances("a file beside the corpus");
    assert_eq!((left, file > 0), (2, true));
    fs::create_dir(root.path().join("docs/notes/gone b.md")).unwrap();
    assert_eq!(instances("a directory that a decoded path leads to").0, 1);
    write(root.path(), "docs/notes/a.md", format!("{text}\n[w](w.md)\n"));
    let (left, link) = instances("a link");
    assert_eq!((left, link > words), (2, true));
}

/// A document of a generated corpus: which shelf, and lines of front matter and text to choose from.
fn document() -> impl Strategy<Value = (u8, u8, Vec<u8>)> {
    (0_u8..4, 0_u8..8, proptest::collection::vec(any::<u8>(), 0..8))
}

fn text(shelf: u8, name: u8, picks: &[u8]) -> (String, String) {
    let shelf = ["notes", "mixed", "pages", "loose"][usize::from(shelf)];
    let mut matter = format!("id: NOTE-ACM-{name}\n");
    let (mut cites, mut body) = (Vec::new(), String::new());
    for pick in picks {
        let other = pick / 8 % 8;
        match pick % 8 {
            0 => cites.push(other),
            1 => body.push_str(&format!("\n[x](../notes/{other}.md#one)\n")),
            2 => body.push_str("\n# One\n"),
            3 if !matter.contains("status:") => matter.push_str("status: current\n"),
            4 if !matter.contains("summary:") => {
                matter.push_str("summary: one two three four five\n")
            }
            5 if !matter.contains("doc_type:") => matter.push_str("doc_type: memo\n"),
            6 if !matter.contains("id:\n") => matter = matter.replace("NOTE-ACM-", "NOTE-ACM-0"),
            _ => {}
        }
    }
    cites.sort_unstable();
    cites.dedup();
    let entries: String = cites.iter().map(|n| format!("    - NOTE-ACM-{n}\n")).collect();
    if !entries.is_empty() {
        matter.push_str(&format!("relations:\n  replaces:\n{entries}"));
    }
    (format!("docs/{shelf}/{name}.md"), format!("---\n{matter}---\n{body}"))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(40))]

    /// However files came to be, whatever a cache holds, however many threads there are.
    #[test]
    fn nothing_but_the_corpus_the_lock_and_the_day_decides(
        documents in proptest::collection::vec(document(), 1..10),
        edits in proptest::collection::vec(document(), 0..3),
        threads in 1_usize..4,
    ) {
        let case = case("", WINDOW);
        let (forward, backward) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        for root in [&forward, &backward] {
            fs::create_dir(root.path().join("docs")).unwrap();
        }
        let mut files: std::collections::BTreeMap<String, String> =
            documents.iter().map(|(shelf, name, picks)| text(*shelf, *name, picks)).collect();
        for (path, text) in &files {
            write(forward.path(), path, text);
        }
        judge(forward.path(), &case, true);
        // The cache is now of the corpus before the edits.
        for (shelf, name, picks) in &edits {
            let (path, text) = text(*shelf, *name, picks);
            write(forward.path(), &path, &text);
            files.insert(path, text);
        }
        for (path, text) in files.iter().rev() {
            write(backward.path(), path, text);
        }
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        let cold = pool.install(|| judge(backward.path(), &case, false));
        let warm = judge(forward.path(), &case, true);
        prop_assert!(cold.broken.is_empty());
        prop_assert_eq!(verdict(warm), verdict(cold.clone()));
        let again = judge(forward.path(), &case, true);
        prop_assert_eq!(again.cache.evaluated, 0);
        prop_assert_eq!(verdict(again), verdict(cold));
    }
}
