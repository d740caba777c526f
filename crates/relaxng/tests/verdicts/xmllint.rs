//! The verdict on thousands of documents against libxml2's, through `xmllint`.

use std::collections::BTreeMap;
use std::io::ErrorKind;
use std::path::Path;
use std::process::Command;

use crate::documents::{Choices, SEEDS, document};
use relaxng::Grammar;

const SCHEMA: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../schema/canvas.rng");
const DOCUMENTS: u64 = 4_000;
const AT_ONCE: usize = 500;

/// What xmllint says about files of a directory.
fn verdicts(directory: &Path, names: &[String]) -> BTreeMap<String, bool> {
    let run = Command::new("xmllint")
        .current_dir(directory)
        .args(["--noout", "--nonet", "--relaxng", SCHEMA])
        .args(names)
        .output();
    let output = match run {
        Ok(output) => output,
        Err(error) if error.kind() == ErrorKind::NotFound => panic!(
            "this test compares with xmllint, which is not installed: install libxml2-utils \
             (Debian, Ubuntu), libxml2 (Fedora, Homebrew) or libxml2-utils (Alpine)"
        ),
        Err(error) => panic!("xmllint cannot be run: {error}"),
    };
    let said = String::from_utf8_lossy(&output.stderr);
    said.lines()
        .filter_map(|line| {
            let (name, valid) = match line.strip_suffix(" fails to validate") {
                Some(name) => (name, false),
                None => (line.strip_suffix(" validates")?, true),
            };
            Some((name.to_owned(), valid))
        })
        .collect()
}

#[test]
fn the_same_verdict_on_every_document() {
    let source = std::fs::read_to_string(SCHEMA).unwrap();
    let grammar = Grammar::parse(&source).unwrap();
    let directory = tempfile::tempdir().unwrap();
    let mut documents: Vec<String> = SEEDS.iter().map(|&seed| seed.to_owned()).collect();
    documents.extend((0..DOCUMENTS).map(|seed| document(&mut Choices::seeded(seed))));
    let name = |position: usize| format!("{position}.xml");
    for (position, text) in documents.iter().enumerate() {
        std::fs::write(directory.path().join(name(position)), text).unwrap();
    }
    let names: Vec<String> = (0..documents.len()).map(name).collect();
    let mut theirs = BTreeMap::new();
    for part in names.chunks(AT_ONCE) {
        theirs.extend(verdicts(directory.path(), part));
    }

    let mut valid = 0;
    let mut different = Vec::new();
    for (name, text) in names.iter().zip(&documents) {
        let parsed = roxmltree::Document::parse(text).unwrap_or_else(|error| {
            panic!("a generated document is not well-formed: {error}\n{text}")
        });
        let offences = grammar.offences(&parsed);
        valid += usize::from(offences.is_empty());
        if theirs.get(name) != Some(&offences.is_empty()) {
            different.push(format!("xmllint: {:?}, here: {offences:?}\n{text}", theirs.get(name)));
        }
    }
    assert!(different.is_empty(), "{} differ, the first: {}", different.len(), different[0]);
    let share = valid * 100 / documents.len();
    assert!((20..70).contains(&share), "{share} % of the documents are valid: too one-sided");
}
