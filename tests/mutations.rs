//! The entries of the fuzz targets over mutated samples: what a fuzzer would find soonest, in every run
//! of the tests.

#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test fails by panicking")]

#[path = "../fuzz/entries.rs"]
mod entries;

use std::fs;
use std::path::{Path, PathBuf};

use headwater_taxonomy::lock;
use headwater_taxonomy::verbs::{self, Invocation};
use proptest::prelude::*;
use proptest::sample::{Index, select};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// Samples of every format: fixtures of the crates as they are, and the lock that they resolve to.
fn samples() -> Vec<Vec<u8>> {
    let mut samples: Vec<Vec<u8>> = Vec::new();
    let repository = tempfile::tempdir().unwrap();
    for part in ["headwater-corpus/fixtures/lantern", "headwater-taxonomy/fixtures/lantern"] {
        let from = root().join("crates").join(part);
        let mut stack = vec![PathBuf::new()];
        while let Some(path) = stack.pop() {
            let (here, there) = (from.join(&path), repository.path().join(&path));
            if here.is_dir() {
                fs::create_dir_all(there).unwrap();
                stack.extend(
                    fs::read_dir(here).unwrap().map(|it| path.join(it.unwrap().file_name())),
                );
            } else {
                fs::copy(&here, there).unwrap();
                samples.push(fs::read(here).unwrap());
            }
        }
    }
    let resolved = verbs::resolve(Invocation { program: "headwater", root: repository.path() });
    assert_eq!(resolved.status, 0, "{}", resolved.stderr);
    samples.push(fs::read(repository.path().join(lock::LOCK_PATH)).unwrap());
    let canvases =
        fs::read_to_string(root().join("crates/canvas-document/tests/verdict/canvases.txt"))
            .unwrap();
    for section in canvases.split("\n--- ").skip(1) {
        let canvas = section.split("\n===").next().unwrap().split_once('\n').unwrap().1;
        let canvas = canvas.replace("@C", "<canvas ledger=\"t\" schema=\"2\">");
        samples.push(canvas.into_bytes());
    }
    let hex = "0".repeat(64);
    let lines = [
        "headwater change 1\nadded\tdocs/a.md\nprior\tdocs/b.md\t/x/b.md\nverified\tdocs/b.md\n\
         verified\tdocs/b.md\tA-1\n"
            .to_owned(),
        format!(
            "lock sha256:{hex}\nadoption sha256:{hex}\nclock 2026-01-02\nbarrier relation.cycle\n\
             windowed facet.date.future\nversion relation.cycle 1\ninput docs/a.md sha256:{hex}\n\
             input \"docs/\\n\" -\n"
        ),
    ];
    samples.extend(lines.map(String::into_bytes));
    samples.sort();
    samples
}

/// One change of some bytes.
#[derive(Clone, Debug)]
enum Change {
    Replace(Index, u8),
    Insert(Index, &'static str),
    Remove(Index, Index),
    Repeat(Index, Index, usize),
}

fn change() -> impl Strategy<Value = Change> {
    let tokens = vec![
        "---\n",
        "\n",
        "\r\n",
        "\r",
        "\0",
        "\u{feff}",
        "\u{85}",
        "\u{2028}",
        "é",
        "[",
        "](",
        ")",
        "`",
        "> ",
        "- ",
        "#",
        "&a ",
        "*a",
        "!t ",
        "<<",
        ": ",
        "? ",
        "|",
        "\"",
        "'",
        "{",
        "}",
        "<x>",
        "</x>",
        "<!--",
        "-->",
        "<![CDATA[",
        "]]>",
        "&#0;",
        "&lt;",
        "<!DOCTYPE x>",
        "xmlns=\"y\"",
        "9999999999999999999",
        "\u{1b}[31m",
        "%",
        "\\",
    ];
    prop_oneof![
        (any::<Index>(), any::<u8>()).prop_map(|(at, byte)| Change::Replace(at, byte)),
        (any::<Index>(), select(tokens)).prop_map(|(at, token)| Change::Insert(at, token)),
        (any::<Index>(), any::<Index>()).prop_map(|(from, to)| Change::Remove(from, to)),
        (any::<Index>(), any::<Index>(), 2_usize..40)
            .prop_map(|(from, to, times)| Change::Repeat(from, to, times)),
    ]
}

fn apply(bytes: &mut Vec<u8>, change: &Change) {
    let place = |at: &Index, bytes: &[u8]| at.index(bytes.len() + 1);
    // A stretch of at most 64 bytes, so that most of the sample stays.
    let stretch = |from: &Index, to: &Index, bytes: &[u8]| {
        let start = place(from, bytes);
        start..bytes.len().min(start + to.index(65))
    };
    match change {
        Change::Replace(at, byte) => {
            let at = place(at, bytes);
            if let Some(held) = bytes.get_mut(at) {
                *held = *byte;
            }
        }
        Change::Insert(at, token) => {
            let at = place(at, bytes);
            bytes.splice(at..at, token.bytes());
        }
        Change::Remove(from, to) => {
            let range = stretch(from, to, bytes);
            bytes.drain(range);
        }
        Change::Repeat(from, to, times) => {
            let range = stretch(from, to, bytes);
            let repeated = bytes[range.clone()].repeat(*times);
            bytes.splice(range, repeated);
        }
    }
}

#[test]
fn every_entry_keeps_its_promises_over_mutated_samples() {
    let config = ProptestConfig { cases: 1_500, failure_persistence: None, ..Default::default() };
    let input = (select(samples()), proptest::collection::vec(change(), 0..6));
    proptest!(config, |((sample, changes) in input)| {
        let mut bytes = sample;
        changes.iter().for_each(|change| apply(&mut bytes, change));
        for (_, entry) in entries::ENTRIES {
            entry(&bytes);
        }
    });
}

#[test]
fn every_entry_has_a_target() {
    let manifest = fs::read_to_string(root().join("fuzz/Cargo.toml")).unwrap();
    for (name, _) in entries::ENTRIES {
        assert!(manifest.contains(&format!("name = \"{name}\"")), "{name}");
        let target = root().join(format!("fuzz/fuzz_targets/{name}.rs"));
        assert!(target.is_file(), "{}", target.display());
    }
    let targets = fs::read_dir(root().join("fuzz/fuzz_targets")).unwrap().count();
    assert_eq!(targets, entries::ENTRIES.len());
}
