//! Cited files are inputs like documents, and a patch writes the lines at which the words stand.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

mod support;

use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;

use headwater_check::{CacheAccount, Patch, Run};
use support::{case, judge, write};

const RULE: &str = "citation.lines.moved";
const WORDS: &str = "the queue is drained by hand before a release";

fn page(body: &str) -> String {
    format!("---\nid: NOTE-ACM-a\n---\n\n{body}\n")
}

/// The findings of the rule, warm; and they are the same as cold.
fn moved(root: &Path) -> Vec<(usize, Option<Patch>)> {
    let verdict = |mut run: Run| {
        run.cache = CacheAccount::default();
        run
    };
    let case = case("", "");
    let warm = verdict(judge(root, &case, true));
    assert_eq!(warm, verdict(judge(root, &case, false)));
    let found = warm.findings.into_iter().filter(|finding| finding.rule == RULE);
    found.map(|finding| (finding.defect.place.line, finding.defect.patch)).collect()
}

#[test]
fn a_cited_file_outside_the_corpus_joins_the_key_and_the_read_set() {
    let root = tempfile::tempdir().unwrap();
    write(root.path(), "docs/notes/a.md", page(&format!("`MANUAL.md:1` says \"{WORDS}\".")));
    assert_eq!(moved(root.path()), []);
    // It comes, moves, is right, is a link, and goes; nothing of the corpus changes.
    write(root.path(), "MANUAL.md", format!("x\n{WORDS}\n"));
    assert_eq!(moved(root.path()).len(), 1);
    let run = judge(root.path(), &case("", ""), true);
    let listed: Vec<&str> = run.read_set.inputs.iter().map(|input| input.path.as_str()).collect();
    assert_eq!(listed, [".headwater/ids", "MANUAL.md", "docs/notes/a.md"]);
    assert!(run.read_set.barriers.iter().any(|rule| rule == RULE));
    let account = run.rules.iter().find(|account| account.rule == RULE).unwrap();
    assert_eq!(account.compared, Some(1));
    write(root.path(), "MANUAL.md", WORDS);
    assert_eq!(moved(root.path()), []);
    write(root.path(), "MANUAL.md", "other words\n");
    assert_eq!(moved(root.path()), []);
    write(root.path(), "MANUAL.md", format!("x\n{WORDS}\n"));
    assert_eq!(moved(root.path()).len(), 1);
    fs::rename(root.path().join("MANUAL.md"), root.path().join("HIDDEN.md")).unwrap();
    symlink("HIDDEN.md", root.path().join("MANUAL.md")).unwrap();
    assert_eq!(moved(root.path()), [], "nothing is read through a link");
    // A nearer file of that name takes its place.
    write(root.path(), "docs/notes/MANUAL.md", format!("---\nx: 1\n---\n{WORDS}\n"));
    assert_eq!(moved(root.path()).len(), 1);
}

#[test]
fn a_patch_rides_where_one_other_range_serves_every_quotation() {
    let root = tempfile::tempdir().unwrap();
    let other = "nobody is to send anything while it is drained";
    write(root.path(), "c.md", format!("{WORDS}\n\n{WORDS}\n"));
    write(
        root.path(),
        "b.md",
        format!("x\n\nthe queue is drained by hand\nbefore a release\n{other}\n"),
    );
    for (body, expected) in [
        (format!("é `b.md:1` says \"{WORDS}\"."), Some("3-4")),
        (format!("b.md:1-2 says \"{other}\"."), Some("5")),
        // It stands at two places.
        (format!("`c.md:2` says \"{WORDS}\"."), None),
        // It stands nowhere but in the quotation.
        (format!("`a.md:1` says \"{WORDS}\"."), None),
        // Two quotations lean on one citation, and want other lines.
        (format!("`b.md:1` says \"{WORDS}\" and \"{other}\"."), None),
        // The other one stands where it is cited.
        (format!("`b.md:5` says \"{other}\" and \"{WORDS}\"."), None),
    ] {
        write(root.path(), "docs/notes/a.md", page(&body));
        let found = moved(root.path());
        assert!(!found.is_empty(), "{body}");
        for (_, patch) in found {
            let Some(expected) = expected else {
                assert_eq!(patch, None, "{body}");
                continue;
            };
            let Some(Patch::Text { start, end, expected: old, replacement, .. }) = patch else {
                panic!("no patch: {body}");
            };
            assert_eq!(replacement, expected);
            let mut text = page(&body);
            assert_eq!(text[start..end], old);
            text.replace_range(start..end, &replacement);
            write(root.path(), "docs/notes/a.md", text);
            assert_eq!(moved(root.path()), []);
        }
    }
    // What stands in front matter is no prose.
    let matter = format!("---\nid: NOTE-ACM-a\nsummary: b.md:1 says \"{WORDS}\"\n---\n");
    write(root.path(), "docs/notes/a.md", matter);
    assert_eq!(moved(root.path()), [(3, None)]);
}
