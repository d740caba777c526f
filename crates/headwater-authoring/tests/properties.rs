//! What holds for every document that a person could have written, however awkward its front matter.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

mod support;

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use headwater_authoring::{Edit, Plan, compose, write as write_edits};
use headwater_check::Patch;
use headwater_check::headwater_corpus::Corpus;
use proptest::prelude::*;
use support::{corpus, taxonomy, write};

const PATH: &str = "docs/b.md";

/// Lines of front matter that say nothing about relations. Each may stand once.
const OTHERS: &[&str] = &[
    "title: plain",
    "title: \"quoted: #1\" # why",
    "summary: >-\n  folded\n\n  text",
    "summary: |+\n    kept\n\n",
    "summary: over\n  two lines",
    "tags: [a, 'b, c', {d: e}]",
    "tags:\n- a\n- b",
    "tags:\n      - a\n      # between\n      - b",
    "provenance:\n    warrant: asserted # w\n    basis: {k: v}",
    "\"quo ted\": 'it''s'",
    "ünïcode: ✓ 日本",
    "empty:",
    "none: ~",
    "# a comment alone",
    "",
    "status: current",
    "status_since: 2026-01-01   ",
];

/// How the document names a relation already: shapes that can be added to, and some that cannot.
fn shape(name: &'static str, indent: usize) -> impl Strategy<Value = String> {
    let pad = " ".repeat(indent);
    let dash = prop::sample::select(vec![0, 1, 2, 4]);
    (0..9_usize, dash, 1..4_usize, any::<bool>()).prop_map(move |(kind, dash, gap, comment)| {
        let (lead, gap) = (" ".repeat(indent + dash), " ".repeat(gap));
        let note = if comment { "  # note" } else { "" };
        match kind {
            0 => format!("{pad}{name}: NOTE-old{note}"),
            1 => format!("{pad}{name}: 'NOTE-old'{note}"),
            2 => format!("{pad}{name}:{note}\n{lead}-{gap}NOTE-old{note}\n{lead}-{gap}\"NOTE-two\""),
            3 => format!("{pad}{name}:\n{lead}-{gap}to: NOTE-old{note}\n{lead} {gap}why: |\n{lead}  {gap}x\n\n{lead}  {gap}y"),
            4 => format!("{pad}{name}:\n{pad}  to: NOTE-old{note}\n{pad}  why: because"),
            5 => format!("{pad}{name}:{note}"),
            6 => format!("{pad}{name}: [NOTE-old]"),
            7 => format!("{pad}{name}:\n{lead}-{gap}{{to: NOTE-old, why: x}}"),
            _ => format!("{pad}{name}:\n{lead}-{gap}NOTE-old # last"),
        }
    })
}

prop_compose! {
    /// A `relations` block, or none.
    fn block()(indent in 1..5_usize, there in 0..8_usize)(
        shapes in (shape("cites", indent), shape("cited_by", indent), shape("mentions", indent)),
        there in Just(there),
        comment in any::<bool>(),
    ) -> String {
        let all = [shapes.0, shapes.1, shapes.2];
        let kept: Vec<String> =
            all.into_iter().enumerate().filter(|(at, _)| there & (1 << at) != 0).map(|(_, s)| s).collect();
        match kept.is_empty() {
            true => String::new(),
            false => format!("relations:{}\n{}\n", if comment { " # edges" } else { "" }, kept.join("\n")),
        }
    }
}

/// The parts of a body.
const PARTS: &[&str] = &[
    "It doesn't hold.",
    "# doesn't",
    "- it doesn't\n- `doesn't`",
    "> it doesn't",
    "```\ndoesn't\n```",
    "*doesn't* and \"doesn't\" and <b>doesn't</b>",
    "[doesn't](doesn't.md) ![doesn't](x.png)",
    "| a | doesn't |\n|---|---|\n| doesn't | b |",
    "one\ndoesn't\\\ndoesn't  \ntwo",
    "[doesn't]\n\n[doesn't]: x.md",
    "doesn&#39;t and doesn't &amp; so",
];

#[derive(Clone, Debug)]
struct Written {
    text: String,
    halves: Vec<(String, String)>,
}

prop_compose! {
    fn document()(
        before in prop::sample::subsequence(OTHERS, 0..5),
        after in prop::sample::subsequence(OTHERS, 0..5),
        block in block(),
        body in prop::collection::vec(prop::sample::select(PARTS), 0..5),
        form in 0..8_u8,
        halves in prop::collection::vec(
            (prop::sample::select(vec!["cites", "cited_by", "mentions"]), "NOTE-(old|two|new|[a-c])"), 1..5),
    ) -> Written {
        let mut seen = BTreeSet::new();
        let mut once = |lines: Vec<&'static str>| -> String {
            let key = |line: &str| line.split(':').next().unwrap_or_default().to_owned();
            let kept = lines.into_iter().filter(|line| seen.insert(key(line)));
            kept.map(|line| format!("{line}\n")).collect()
        };
        let (before, after) = (once(before), once(after));
        let mut text = format!("---\nid: NOTE-b\n{before}{block}{after}---\n\n{}\n", body.join("\n\n"));
        if form & 1 != 0 {
            text = text.replace('\n', "\r\n");
        }
        if form & 2 != 0 {
            text.insert(0, '\u{feff}');
        }
        if form & 4 != 0 {
            text.truncate(text.trim_end().len());
        }
        let halves = halves.into_iter().map(|(name, target)| (name.to_owned(), target)).collect();
        Written { text, halves }
    }
}

fn half((relation, target): &(String, String)) -> Patch {
    let (path, relation, target) = (PATH.to_owned(), relation.clone(), target.clone());
    Patch::Half { path, relation, target, attributes: Vec::new() }
}

/// A patch for every place in the body where the word stands.
fn words(text: &str) -> Vec<Patch> {
    let body = text.find("\n---").unwrap_or_default();
    let found = text.match_indices("doesn't").filter(|(at, _)| *at > body);
    let patch = |(start, word): (usize, &str)| Patch::Text {
        path: PATH.to_owned(),
        start,
        end: start + word.len(),
        expected: word.to_owned(),
        replacement: "does not".to_owned(),
    };
    found.map(patch).collect()
}

fn in_repository<T>(text: &str, act: impl FnOnce(&Path, &Corpus) -> T) -> T {
    let root = tempfile::tempdir().unwrap();
    write(root.path(), PATH, text);
    let corpus = corpus(root.path(), &taxonomy(""));
    act(root.path(), &corpus)
}

fn planned(text: &str, patches: &[Patch]) -> Plan {
    in_repository(text, |_, corpus| compose(corpus, patches))
}

/// The halves that a document writes, and how often.
fn halves(text: &str) -> BTreeMap<(String, String), usize> {
    in_repository(text, |_, corpus| {
        let document = corpus.rows()[0].document.as_deref().unwrap();
        let mut all = BTreeMap::new();
        for half in corpus.halves(document).0 {
            let key = (half.written().to_owned(), half.targets[0].text.to_string());
            *all.entry(key).or_default() += 1;
        }
        all
    })
}

/// The front-matter keys that are no relations, with the bytes of their values.
fn others(text: &str) -> Vec<(String, String)> {
    let document = headwater_check::markdown::Document::parse(text).unwrap();
    let entries = document.front_matter().unwrap().values.entries();
    let kept = entries.iter().filter(|entry| entry.key != "relations");
    kept.map(|entry| (entry.key.to_string(), entry.value.span.of(text).to_owned())).collect()
}

fn body(text: &str) -> &str {
    let document = headwater_check::markdown::Document::parse(text).unwrap();
    &text[document.body_start()..]
}

fn only(plan: &Plan) -> Option<&Edit> {
    plan.edits.first()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(150))]

    #[test]
    fn halves_are_written_once_and_change_nothing_else(written in document()) {
        let Written { text, halves: wanted } = written;
        prop_assume!(headwater_check::markdown::Document::parse(text.as_str()).is_ok());
        let patches: Vec<Patch> = wanted.iter().map(half).collect();
        let plan = planned(&text, &patches);
        prop_assert!(plan.refusals.is_empty() || plan.edits.is_empty());
        if !plan.refusals.is_empty() {
            // What cannot be added to is a flow list, and nothing else of what is generated here.
            prop_assert!(plan.refusals[0].reason.contains("flow form"), "{}\n{text}", plan.refusals[0].reason);
            prop_assert!(text.contains("[NOTE-old]"));
            return Ok(());
        }
        let Some(edit) = only(&plan) else {
            let held = halves(&text);
            prop_assert!(wanted.iter().all(|half| held.contains_key(half)));
            return Ok(());
        };
        let new = edit.after.as_str();
        let mut expected = halves(&text);
        for half in &wanted {
            expected.insert(half.clone(), 1);
        }
        prop_assert_eq!(halves(new), expected, "{}", new);
        prop_assert_eq!(others(new), others(&text));
        prop_assert_eq!(body(new), body(&text));
        prop_assert_eq!(new.starts_with('\u{feff}'), text.starts_with('\u{feff}'));
        if text.contains('\r') {
            prop_assert_eq!(new.matches('\n').count(), new.matches("\r\n").count(), "{:?}", new);
        } else {
            prop_assert!(!new.contains('\r'));
        }
        // Written again it changes nothing, and the order of the patches says nothing.
        prop_assert_eq!(planned(new, &patches), Plan::default());
        let turned: Vec<Patch> = patches.iter().rev().cloned().collect();
        prop_assert_eq!(&planned(&text, &turned), &plan);
    }

    #[test]
    fn each_word_is_replaced_or_refused_and_the_rest_of_the_document_stays(written in document()) {
        let text = written.text;
        prop_assume!(headwater_check::markdown::Document::parse(text.as_str()).is_ok());
        let before = headwater_check::markdown::Document::parse(text.as_str()).unwrap();
        let (mut made, mut accepted) = (Vec::new(), 0);
        let alone = in_repository(&text, |_, corpus| -> Vec<(Patch, Plan)> {
            words(&text).into_iter().map(|patch| (patch.clone(), compose(corpus, [&patch]))).collect()
        });
        for (patch, plan) in alone {
            prop_assert_eq!(plan.edits.len() + plan.refusals.len(), 1);
            let Some(edit) = only(&plan) else { continue };
            accepted += 1;
            let after = headwater_check::markdown::Document::parse(edit.after.as_str()).unwrap();
            let kinds = |document: &headwater_check::markdown::Document| -> Vec<_> {
                document.blocks().iter().map(|block| (block.kind, block.quote_depth)).collect()
            };
            let leads = |document: &headwater_check::markdown::Document| -> Vec<String> {
                document.links().iter().map(|link| link.destination.to_string()).collect()
            };
            prop_assert_eq!(kinds(&before), kinds(&after));
            prop_assert_eq!(leads(&before), leads(&after));
            let read = |document: &headwater_check::markdown::Document| -> Vec<String> {
                let body = document.body();
                body.blocks().iter().map(|block| body.text_of(document.source(), block)).collect()
            };
            // Read as a reader reads it, one word of one block is another.
            let differ = read(&before).into_iter().zip(read(&after)).filter(|(a, b)| a != b);
            let differ: Vec<(String, String)> = differ.collect();
            prop_assert_eq!(differ.len(), 1);
            prop_assert_eq!(differ[0].1.matches("doesn't").count() + 1, differ[0].0.matches("doesn't").count());
            made.push(patch);
        }
        // All that were accepted one by one are accepted together, in any order.
        let plan = planned(&text, &made);
        prop_assert!(plan.refusals.is_empty(), "{:?}", plan.refusals);
        made.reverse();
        prop_assert_eq!(&planned(&text, &made), &plan);
        if let Some(edit) = only(&plan) {
            prop_assert_eq!(edit.patches, accepted);
            prop_assert_eq!(edit.after.matches("does not").count(), accepted);
        }
    }

    #[test]
    fn what_is_composed_is_what_is_written(written in document()) {
        let Written { text, halves: wanted } = written;
        prop_assume!(headwater_check::markdown::Document::parse(text.as_str()).is_ok());
        let patches: Vec<Patch> = wanted.iter().map(half).collect();
        in_repository(&text, |root, corpus| {
            let plan = compose(corpus, &patches);
            write_edits(root, &plan.edits).unwrap();
            let held = std::fs::read_to_string(root.join(PATH)).unwrap();
            let expected = only(&plan).map_or(text.as_str(), |edit| edit.after.as_str());
            assert_eq!(held, expected);
        });
    }
}
