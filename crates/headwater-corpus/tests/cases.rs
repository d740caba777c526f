//! Runs every case of `fixtures/cases`. Each file holds one taxonomy and cases; each case a corpus
//! and the lines it must give. A case that mentions one `edge` line states every `edge` line, and so
//! for each word that lines begin with.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a test fails by panicking"
)]

mod support;

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

/// The fenced blocks of a text, as (info word, content).
fn blocks(text: &str) -> Vec<(&str, &str)> {
    text.split("\n~~~~")
        .skip(1)
        .step_by(2)
        .map(|block| block.split_once('\n').unwrap_or((block, "")))
        .collect()
}

fn block<'t>(blocks: &[(&'t str, &'t str)], word: &str) -> Option<&'t str> {
    blocks.iter().find(|(info, _)| *info == word).map(|(_, content)| *content)
}

#[test]
fn every_case_gives_its_lines() {
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/cases");
    let mut files: Vec<_> =
        fs::read_dir(directory).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.sort();
    let (mut count, mut failures) = (0, Vec::new());
    for file in files {
        let text = fs::read_to_string(&file).unwrap();
        let mut cases = text.split("\n## ");
        let head = blocks(cases.next().unwrap());
        let base = block(&head, "taxonomy").expect("a taxonomy before the first case");
        for case in cases {
            count += 1;
            let name = case.lines().next().unwrap();
            let blocks = blocks(case);
            let root = tempfile::tempdir().unwrap();
            support::write_all(root.path(), block(&blocks, "corpus").expect(name));
            let taxonomy = block(&blocks, "taxonomy").unwrap_or(base);
            let declaration = block(&blocks, "declaration").unwrap_or(support::DECLARATION);
            let corpus = support::corpus(root.path(), taxonomy, declaration);
            let expected: Vec<&str> = block(&blocks, "expect").expect(name).lines().collect();
            let words: BTreeSet<&str> =
                expected.iter().map(|line| line.split(' ').next().unwrap()).collect();
            let words: Vec<&str> = words.into_iter().collect();
            // `no edge` says that there is none.
            let none: Vec<&str> =
                expected.iter().filter_map(|line| line.strip_prefix("no ")).collect();
            let expected: Vec<&str> =
                expected.into_iter().filter(|line| !line.starts_with("no ")).collect();
            let found = support::about(&corpus, &[words, none].concat());
            if found != expected {
                let file = file.file_name().unwrap().to_string_lossy().into_owned();
                failures.push(format!(
                    "{file}: {name}\n  expected:\n    {}\n  found:\n    {}",
                    expected.join("\n    "),
                    found.join("\n    ")
                ));
            }
        }
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
    assert!(count >= 20, "only {count} cases were found");
}
