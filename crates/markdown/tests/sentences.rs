//! Sentences against a corpus marked by hand: `tests/sentences/`, ten awkward styles.
//!
//! The first paragraph of a file says what it holds and how many of its sentences are cut as marked. In
//! the blocks below it `¶` ends a sentence where a reader would. The rule of the specification departs from a reader in known ways (a stop after a
//! title or an initial is an end, a lower-case word opens nothing); a block in which it does begins
//! with `~ `, and such a block that starts to agree fails the test as well, so that the marks stay
//! true. What is measured is the share of sentences that are cut as marked.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::fs;
use std::path::PathBuf;

use markdown::Body;

/// How many of the marked sentences of a block are cut as marked, how many there are, and whether
/// nothing else is cut.
fn compare(marked: &str) -> (usize, usize, bool) {
    let mut source = String::new();
    let mut ends = vec![0];
    for c in marked.chars() {
        if c == '¶' {
            ends.push(source.len());
        } else {
            source.push(c);
        }
    }
    let sentences = Body::parse(&source, 0).sentences(&source);
    let whole = |pair: &[usize]| {
        let mut touching = sentences
            .iter()
            .map(|sentence| sentence.span)
            .filter(|span| span.start < pair[1] && span.end > pair[0]);
        let only = touching.next();
        touching.next().is_none()
            && only.is_some_and(|span| span.start >= pair[0] && span.end <= pair[1])
    };
    let right = ends.windows(2).filter(|pair| whole(pair)).count();
    (right, ends.len() - 1, right == ends.len() - 1 && right == sentences.len())
}

#[test]
fn sentences_are_cut_as_marked() {
    let mut files: Vec<PathBuf> =
        fs::read_dir("tests/sentences").unwrap().map(|entry| entry.unwrap().path()).collect();
    files.sort();
    assert!(files.len() >= 10);
    let (mut all, mut cut) = (0, 0);
    let mut wrong = Vec::new();
    for path in files {
        let text = fs::read_to_string(&path).unwrap();
        let (about, blocks) = text.split_once("\n\n").unwrap();
        let (all_before, cut_before) = (all, cut);
        for block in blocks.split("\n\n") {
            let (departs, marked) = match block.strip_prefix("~ ") {
                Some(marked) => (true, marked),
                None => (false, block),
            };
            let (right, count, agrees) = compare(marked);
            all += count;
            cut += right;
            if agrees == departs {
                let read: Vec<String> = {
                    let source = marked.replace('¶', "");
                    let sentences = Body::parse(&source, 0).sentences(&source);
                    sentences.iter().map(|sentence| sentence.text.clone()).collect()
                };
                wrong.push(format!("{}: {block}\n  {read:?}", path.display()));
            }
        }
        let measured = format!("Cut as marked: {} of {}.", cut - cut_before, all - all_before);
        if !about.ends_with(&measured) {
            wrong.push(format!("{}: {measured}", path.display()));
        }
    }
    assert!(wrong.is_empty(), "not as marked:\n{}", wrong.join("\n"));
    assert!(all >= 300, "only {all} sentences are marked");
    // The departures are all in the corpus on purpose, many times more of them than prose has.
    println!("{cut} of {all} sentences are cut as marked");
}
