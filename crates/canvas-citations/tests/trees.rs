//! Trees that a text cannot lay out: links, bytes that are no text, roots named twice or inside
//! another, and what is refused.

#![cfg(unix)]
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};

use canvas_citations::{Refusal, Report, Request, default_root, survey};

const WORDS: &str = "words that are long enough to look for";

fn citing(line: usize) -> String {
    format!("As `spec.md:{line}` says, \"{WORDS}\".\n")
}

fn lay_out() -> tempfile::TempDir {
    let place = tempfile::tempdir().unwrap();
    let root = place.path();
    fs::create_dir_all(root.join("a/inner")).unwrap();
    fs::write(root.join("a/spec.md"), format!("first\n{WORDS}\n")).unwrap();
    fs::write(root.join("a/inner/doc.md"), citing(2)).unwrap();
    place
}

fn counts(roots: &[&Path]) -> (usize, usize, usize, usize) {
    let Report { landed, moved, undecidable, live_documents, .. } =
        survey(&Request::new(roots.iter().map(PathBuf::from).collect())).unwrap();
    (landed, moved.len(), undecidable.len(), live_documents)
}

#[test]
fn a_root_named_twice_or_inside_another_counts_once() {
    let place = lay_out();
    let (outer, inner) = (place.path().join("a"), place.path().join("a/inner"));
    assert_eq!(counts(&[&outer]), (1, 0, 0, 2));
    assert_eq!(counts(&[&outer, &outer]), (1, 0, 0, 2));
    assert_eq!(counts(&[&inner, &outer]), (1, 0, 0, 2));
    assert_eq!(counts(&[&inner]), (0, 0, 1, 1), "alone it cannot see the file");
}

#[test]
fn links_are_neither_surveyed_nor_followed() {
    let place = lay_out();
    let root = place.path().join("b");
    fs::create_dir_all(root.join(".runs")).unwrap();
    symlink(place.path().join("a/spec.md"), root.join("spec.md")).unwrap();
    symlink(place.path().join("a"), root.join("linked")).unwrap();
    symlink(place.path().join("a"), root.join(".runs/linked")).unwrap();
    let cites = format!(
        "{}\nAs `linked/spec.md:2` says, \"{WORDS}\".\n\nAs `.runs/linked/spec.md:2` says, \"{WORDS}\".\n",
        citing(2)
    );
    fs::write(root.join("doc.md"), cites).unwrap();
    assert_eq!(counts(&[&root]), (0, 0, 3, 1));
}

#[test]
fn bytes_that_are_no_text_move_no_line() {
    let place = lay_out();
    let root = place.path().join("a");
    let mut spec = b"\xff\xfe\n".to_vec();
    spec.extend_from_slice(WORDS.as_bytes());
    fs::write(root.join("spec.md"), spec).unwrap();
    let mut doc = b"\xff\n".to_vec();
    doc.extend_from_slice(citing(1).as_bytes());
    fs::write(root.join("inner/doc.md"), doc).unwrap();
    let report = survey(&Request::new(vec![root])).unwrap();
    assert_eq!(report.moved[0].0.line, 2);
    assert_eq!((report.moved[0].1.first, report.moved[0].1.last), (2, 2));
}

#[test]
fn no_name_forges_a_line_of_the_report() {
    let place = lay_out();
    let root = place.path().join("a");
    fs::write(root.join("x\n0 quoted citations.md"), citing(1)).unwrap();
    let text = survey(&Request::new(vec![root])).unwrap().to_string();
    assert!(text.starts_with("x\\n0 quoted citations.md:1\n"), "{text}");
}

#[test]
fn a_root_that_is_a_file_is_refused() {
    let place = lay_out();
    let root = place.path().join("a/spec.md");
    let refusal = survey(&Request::new(vec![root.clone()])).unwrap_err();
    assert!(matches!(&refusal, Refusal::NotADirectory(path) if *path == root));
    assert_eq!(refusal.to_string(), "not a directory");
    assert_eq!(refusal.about(), ("root", root.to_string_lossy().into_owned()));
}

#[test]
fn the_default_root_is_the_top_of_the_repository() {
    let place = lay_out();
    let deep = place.path().join("a/inner");
    fs::create_dir(place.path().join("a/.git")).unwrap();
    assert_eq!(default_root(&deep), place.path().join("a"));
}
