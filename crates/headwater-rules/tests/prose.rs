//! What the patches of prose rules promise: no file is refused for one, and writing them until none is
//! left comes to an end.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

mod support;

use std::path::Path;

use headwater_authoring::{compose, write as commit};
use headwater_check::{Patch, Run};
use proptest::prelude::*;
use support::{Case, case, corpus, judge, lines, write};

/// Writes the patches of a run. How many there were.
fn fix(root: &Path, case: &Case, run: &Run) -> usize {
    let patches: Vec<&Patch> =
        run.findings.iter().filter_map(|finding| finding.defect.patch.as_ref()).collect();
    let plan = compose(&corpus(root, &case.taxonomy, ""), patches.iter().copied());
    assert!(plan.refusals.is_empty(), "{:?}\n{patches:#?}", plan.refusals);
    commit(root, &plan.edits).unwrap();
    patches.len()
}

const TERMS: &str = r#"{"regimes": {"language": {"house": {"retired_terms": [
    {"term": "master list", "reason": "r", "replacement": "register"},
    {"term": "list", "reason": "r", "replacement": "row"},
    {"term": "catalogue", "reason": "r", "replacement": "index"},
    {"term": "don't", "reason": "r", "replacement": "do not ever"},
    {"term": "ping", "reason": "r", "replacement": "pong"},
    {"term": "pong", "reason": "r", "replacement": "ping"},
    {"term": "grow", "reason": "r", "replacement": "grow grow"},
    {"term": "seamless", "reason": "r"}]}}}}"#;

#[test]
fn a_sentence_with_two_contractions_takes_two_runs() {
    let page = "---\ntitle: t\n---\n\n# P\n\nIt doesn't hold and it isn't fast.\n";
    let case = case(&format!("=== docs/pages/p.md\n{page}"), "");
    let (root, first) = support::check(&case, false);
    let finding = "language.controlled.not_met docs/pages/p.md:7 error";
    assert_eq!(lines(&first), [finding]);
    assert_eq!(fix(root.path(), &case, &first), 1);
    let held = || std::fs::read_to_string(root.path().join("docs/pages/p.md")).unwrap();
    assert!(held().ends_with("\nIt does not hold and it isn't fast.\n"));
    let second = judge(root.path(), &case, false);
    assert_eq!(lines(&second), [finding]);
    assert_eq!(fix(root.path(), &case, &second), 1);
    assert!(held().ends_with("\nIt does not hold and it is not fast.\n"));
    let third = judge(root.path(), &case, false);
    assert_eq!((lines(&third).len(), fix(root.path(), &case, &third)), (0, 0));
}

/// Pieces of a page, with everything around which a word is hard to find or to replace.
const PIECES: [&str; 46] = [
    "doesn't ",
    "Won’t ",
    "it's ",
    "they're ",
    "DON'T ",
    "don't ",
    "don&#39;t ",
    "do*n't* ",
    "you'll ",
    "Behaviour ",
    "catalogue ",
    "organisation-wide ",
    "judgement",
    "licence's ",
    "master list ",
    "Master  list ",
    "*master* list ",
    "list ",
    "ping ",
    "pong ",
    "grow ",
    "seamless ",
    "– ",
    "Ä ",
    "\\* ",
    "`don't` ",
    "“don't” ",
    "\"don't",
    "(don't) ",
    "[catalogue] ",
    "[don't](x.md) ",
    "<!-- don't --> ",
    "<https://a.b/catalogue> ",
    "https://a.b/catalogue ",
    "a/catalogue ",
    ". ",
    "? ",
    "; ",
    "\n",
    "\n\n",
    "\n- ",
    "\n> ",
    "\n\n| a | ",
    "\n| - | - |\n| b | ",
    "\n\n[catalogue]: c.md\n\n",
    "\n===\n",
];

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]

    #[test]
    fn patches_pass_their_guards_and_come_to_an_end(
        picks in proptest::collection::vec(0..PIECES.len(), 1..30),
        returns: bool,
        marked: bool,
    ) {
        let case = case("", TERMS);
        let body: String = picks.iter().map(|pick| PIECES[*pick]).collect();
        let mut page = format!("---\ntitle: t\nsummary: it doesn't\n---\n\n{body}\n");
        if returns {
            page = page.replace('\n', "\r\n");
        }
        if marked {
            page.insert(0, '\u{feff}');
        }
        let root = tempfile::tempdir().unwrap();
        write(root.path(), "docs/pages/p.md", page);
        write(root.path(), "README.md", "");
        let mut runs = 0;
        loop {
            let run = judge(root.path(), &case, false);
            prop_assert!(run.broken.is_empty(), "{:?}", run.broken);
            if fix(root.path(), &case, &run) == 0 {
                break;
            }
            runs += 1;
            // Each run writes the first of each defect of a sentence.
            prop_assert!(runs <= picks.len() + 1);
        }
    }
}
