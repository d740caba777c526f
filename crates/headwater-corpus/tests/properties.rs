//! What holds of every corpus, whatever its documents say.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a test fails by panicking"
)]

mod support;

use std::collections::BTreeSet;

use headwater_corpus::{Corpus, Digest};
use headwater_taxonomy::model::Direction;
use proptest::prelude::*;
use support::{DECLARATION, corpus, lines, write};

const TAXONOMY: &str = "\
kinds: {note: {}, memo: {}}
anchors: {code: {resolver: source-tree}}
relations:
  cites: {family: evidence, from: [note], to: [note], inverse: cited_by}
  traces: {family: evidence, from: [note], to: [note, code]}
  likes: {family: association, from: [note], to: [memo]}
shelves:
  notes: {path: \"docs/n/**\", homogeneous: true, kind: note}
  memos: {path: \"docs/m/**\", homogeneous: true, kind: memo}
";

/// A document: its directory, its identifier, and its entries as (name, target).
type Written = (usize, usize, Vec<(usize, usize)>);

fn written() -> impl Strategy<Value = Vec<Written>> {
    let entries = proptest::collection::vec((0..5_usize, 0..8_usize), 0..6);
    proptest::collection::vec((0..3_usize, 0..6_usize, entries), 0..12)
}

fn build(documents: &[Written]) -> (tempfile::TempDir, Corpus) {
    let root = tempfile::tempdir().unwrap();
    std::fs::create_dir(root.path().join("docs")).unwrap();
    for (at, (directory, id, entries)) in documents.iter().enumerate() {
        let name = |n: &usize| ["cites", "cited_by", "traces", "likes", "unknown"][*n];
        let target = |n: &usize| match n {
            6 => "docs".to_owned(),
            7 => "docs/n/*".to_owned(),
            n => format!("I-{n}"),
        };
        let mut front = if *id == 5 { String::new() } else { format!("id: I-{id}\n") };
        for relation in 0..5 {
            let targets: Vec<String> =
                entries.iter().filter(|(n, _)| *n == relation).map(|(_, t)| target(t)).collect();
            if !targets.is_empty() {
                if !front.contains("relations:") {
                    front.push_str("relations:\n");
                }
                front.push_str(&format!("  {}: [{}]\n", name(&relation), targets.join(", ")));
            }
        }
        let directory = ["n", "m", "x"][*directory];
        let body = format!("---\n{front}---\n[x](../n/{}.md#a)\n", at / 2);
        write(root.path(), &format!("docs/{directory}/{at}.md"), body);
    }
    let corpus = corpus(root.path(), TAXONOMY, DECLARATION);
    (root, corpus)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn the_census_and_the_graph_account_for_everything(documents in written()) {
        let (root, corpus) = build(&documents);
        prop_assert_eq!(corpus.rows().len(), documents.len());
        prop_assert!(corpus.rows().is_sorted_by(|a, b| a.path < b.path));
        for (at, row) in corpus.rows().iter().enumerate() {
            prop_assert_eq!(corpus.row_at(&row.path), Some(at));
            let bytes = std::fs::read(root.path().join(&row.path)).unwrap();
            prop_assert_eq!(row.digest, Some(Digest::of(&bytes)));
        }
        // Every entry that a node writes is an edge or a problem, unless its document has no
        // identifier, which is one problem for all.
        let mut identities = BTreeSet::new();
        for (row, _) in corpus.nodes() {
            let edges: Vec<_> = corpus.edges_of(row).collect();
            let problems = corpus.problems_of(row);
            let at: usize = corpus.row(row).unwrap().path[7..].trim_end_matches(".md").parse().unwrap();
            let (_, id, entries) = &documents[at];
            if *id == 5 {
                prop_assert_eq!((edges.len(), problems.len()), (0, usize::from(!entries.is_empty())));
                continue;
            }
            let unknown = entries.iter().filter(|(name, _)| *name == 4).count();
            let lumped = unknown.saturating_sub(1);
            prop_assert_eq!(edges.len() + problems.len() + lumped, entries.len());
            for (at, edge) in edges {
                prop_assert_eq!(edge.source, row);
                let identity = (row, corpus.written(edge).to_owned(), corpus.normalized(edge));
                prop_assert!(identities.insert(identity));
                if let Some(target) = edge.document() {
                    let id = corpus.row(target).unwrap().identifier().unwrap();
                    prop_assert_eq!(id, edge.targets[0].text.as_str());
                    prop_assert_eq!(corpus.node(id), Some(target));
                    let incoming = corpus.edges_to(target).any(|(other, _)| other == at);
                    prop_assert_eq!(incoming, target != row);
                }
            }
        }
        // Every half between documents is in exactly one pair of its own.
        let mut held = BTreeSet::new();
        for (at, pair) in corpus.pairs().iter().enumerate() {
            prop_assert!(pair.half().is_some());
            for (half, direction) in
                [(pair.declared, Direction::Declared), (pair.inverse, Direction::Inverse)]
            {
                let Some(half) = half else { continue };
                held.insert(half);
                prop_assert_eq!(corpus.edge(half).unwrap().direction, direction);
            }
            for end in [pair.from, pair.to] {
                prop_assert!(corpus.pairs_of(end).any(|(other, _)| other == at));
            }
        }
        let bound: BTreeSet<usize> = corpus
            .edges()
            .iter()
            .enumerate()
            .filter(|(_, edge)| edge.document().is_some())
            .map(|(at, _)| at)
            .collect();
        prop_assert_eq!(held, bound);
        let again = support::corpus(root.path(), TAXONOMY, DECLARATION);
        prop_assert_eq!(lines(&corpus), lines(&again));
    }

    #[test]
    fn any_bytes_are_a_row(bytes in proptest::collection::vec(
        prop_oneof![Just(b'-'), Just(b'\n'), Just(b':'), Just(b'['), Just(b'<'), any::<u8>()], 0..80,
    ), fenced in any::<bool>()) {
        let root = tempfile::tempdir().unwrap();
        let bytes = if fenced { [b"---\n", &bytes[..], b"\n---\n"].concat() } else { bytes };
        write(root.path(), "docs/n/a.md", &bytes);
        let corpus = corpus(root.path(), TAXONOMY, DECLARATION);
        prop_assert_eq!(corpus.rows().len(), 1);
        prop_assert!(!lines(&corpus).is_empty());
    }
}
