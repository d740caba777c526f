//! What a disk can hold that text cannot say: pipes, bad names, paths past every limit, and a corpus
//! root that is none.

#![cfg(unix)]
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a test fails by panicking"
)]

mod support;

use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt as _;
use std::path::Path;

use headwater_corpus::{Corpus, DOCUMENT_LIMIT, Options, Outcome, Stop, Unreadable, type_of};
use support::{about, declaration, lock, write};

const TAXONOMY: &str = "\
kinds: {note: {}}
relations: {cites: {family: evidence, from: [note], to: [note]}}
shelves: {notes: {path: \"docs/**\", homogeneous: true, kind: note}}
";

fn corpus(root: &Path) -> Corpus {
    support::corpus(root, TAXONOMY, support::DECLARATION)
}

#[test]
fn what_is_no_file_is_a_row_and_is_never_opened() {
    let root = tempfile::tempdir().unwrap();
    let docs = root.path().join("docs");
    fs::create_dir(&docs).unwrap();
    // Opening a pipe without a writer would hang.
    let pipe = docs.join("pipe.md");
    assert!(std::process::Command::new("mkfifo").arg(&pipe).status().unwrap().success());
    fs::write(docs.join(OsStr::from_bytes(b"bad\xff.md")), "---\n---\n").unwrap();
    write(root.path(), "docs/a.md", "---\n---\n[x](bad\u{fffd}.md) [y](pipe.md)\n");
    let corpus = corpus(root.path());
    assert_eq!(
        about(&corpus, &["row", "link"]),
        [
            "row docs/a.md typed note",
            "row docs/bad\u{fffd}.md unwalkable: the name is not UTF-8, so it is not opened",
            "row docs/pipe.md unwalkable: neither a file nor a directory, so it is not opened",
            "link docs/a.md:3:1 missing docs/bad\u{fffd}.md",
            "link docs/a.md:3:14 corpus docs/pipe.md",
        ]
    );
}

#[test]
fn a_directory_whose_path_is_too_long_is_a_row_and_the_rest_is_walked() {
    let root = tempfile::tempdir().unwrap();
    let depth = 24;
    let short = |levels: usize| format!("docs{}", "/d".repeat(levels));
    fs::create_dir_all(root.path().join(short(depth))).unwrap();
    // Renamed from the innermost outwards, so that every path named here is short.
    for level in (1..=depth).rev() {
        let parent = root.path().join(short(level - 1));
        fs::rename(parent.join("d"), parent.join("n".repeat(200))).unwrap();
    }
    write(root.path(), "docs/z.md", "---\n---\n");
    let rows = about(&corpus(root.path()), &["row"]);
    assert_eq!(rows.len(), 2, "{rows:?}");
    assert!(rows[0].contains("unwalkable: it cannot be listed"), "{}", rows[0]);
    assert_eq!(rows[1], "row docs/z.md typed note");
}

#[test]
fn a_corpus_root_must_be_a_directory_and_may_be_a_link_to_one() {
    let root = tempfile::tempdir().unwrap();
    let build = || {
        let declared = declaration(support::DECLARATION);
        Corpus::build(root.path(), lock(TAXONOMY), declared, Options::default())
    };
    let refused = |built: Result<Corpus, _>| {
        let refusals: Vec<headwater_taxonomy::refusal::Refusal> = built.map(|_| ()).unwrap_err();
        assert!(refusals[0].what.contains("`docs` is no directory"), "{refusals:?}");
    };
    refused(build());
    write(root.path(), "docs", "a file");
    refused(build());
    fs::remove_file(root.path().join("docs")).unwrap();
    fs::create_dir(root.path().join("real")).unwrap();
    std::os::unix::fs::symlink("real", root.path().join("docs")).unwrap();
    assert_eq!(build().unwrap().rows().len(), 0);
    write(root.path(), "real/a.md", "---\n---\n");
    assert_eq!(about(&build().unwrap(), &["row"]), ["row docs/a.md typed note"]);
}

#[test]
fn a_document_past_the_limit_is_a_row_that_names_it() {
    let root = tempfile::tempdir().unwrap();
    write(root.path(), "docs/a.md", "");
    // A file with a hole takes no room, and its size is asked before it is read.
    let file = fs::File::options().write(true).open(root.path().join("docs/a.md")).unwrap();
    file.set_len(DOCUMENT_LIMIT + 1).unwrap();
    let corpus = corpus(root.path());
    let limit = Outcome::Unreadable(Unreadable::TooLarge(DOCUMENT_LIMIT));
    assert_eq!(corpus.rows()[0].outcome, limit);
    assert!(corpus.detail(&corpus.rows()[0]).contains("268435456 bytes"));
}

/// Documents that nest, repeat or grow as far as text lets them.
#[test]
fn hostile_documents_are_rows_like_any_other() {
    let root = tempfile::tempdir().unwrap();
    let document = |name: &str, text: String| write(root.path(), &format!("docs/{name}.md"), text);
    let front = |yaml: &str| format!("---\n{yaml}\n---\n");
    document("deep-yaml", front(&format!("x: {}1{}", "[".repeat(20_000), "]".repeat(20_000))));
    document("deep-body", format!("---\n---\n{}x\n", "> ".repeat(20_000)));
    document("brackets", format!("---\n---\n{}\n", "[".repeat(100_000)));
    let entries: String = (0..20_000).map(|n| format!("\n    - X-{n}")).collect();
    document("many-edges", front(&format!("id: N-m\nrelations:\n  cites:{entries}")));
    let same = "\n    - N-m".repeat(20_000);
    document("same-edges", front(&format!("id: N-s\nrelations:\n  cites:{same}")));
    let links: String = (0..20_000).map(|n| format!("[x](gone-{}.md)\n", n % 7)).collect();
    document("many-links", format!("---\n---\n{links}"));
    let corpus = corpus(root.path());
    let classes: Vec<String> =
        corpus.rows().iter().map(|row| format!("{} {}", row.path, row.class())).collect();
    assert_eq!(
        classes,
        [
            "docs/brackets.md typed",
            "docs/deep-body.md typed",
            "docs/deep-yaml.md unreadable",
            "docs/many-edges.md typed",
            "docs/many-links.md typed",
            "docs/same-edges.md typed",
        ]
    );
    assert_eq!(corpus.edges().len(), 20_001);
    assert_eq!(corpus.problems().len(), 19_999);
    assert_eq!(corpus.links().bound.len(), 20_000);
}

#[test]
fn files_outside_the_corpus_are_read_and_patterns_that_reach_too_far_are_refused() {
    let root = tempfile::tempdir().unwrap();
    write(root.path(), "docs/a.md", "---\n---\n");
    write(root.path(), "README.md", "# Read me\n");
    write(root.path(), "guide/b.md", "---\nid: b\n---\n");
    write(root.path(), "guide/a.md", "a\n");
    write(root.path(), "mixed/bin.md", b"\xff");
    write(root.path(), "both.md", "x\n");
    write(root.path(), "linked/a.md", "x\n");
    std::os::unix::fs::symlink("a.md", root.path().join("linked/b.md")).unwrap();
    std::os::unix::fs::symlink("guide", root.path().join("way")).unwrap();
    let taxonomy = "\
regimes:
  language:
    plain:
      outside_root: [README.md, guide/*.md, guide/b.md, gone.md, docs/a.md, docs, '*.md', ../x.md,
        both.md, way/a.md, linked/*, mixed/*, guide]
    other: {outside_root: [both.md]}
";
    let corpus = support::corpus(root.path(), taxonomy, support::DECLARATION);
    let outside = corpus.outside();
    let files: Vec<(&str, &str)> =
        outside.files.iter().map(|file| (file.path.as_str(), file.regime.as_str())).collect();
    assert_eq!(files, [("README.md", "plain"), ("guide/a.md", "plain"), ("guide/b.md", "plain")]);
    let refusals: Vec<(&str, &str)> =
        outside.refusals.iter().map(|r| (r.pattern.as_str(), r.why.as_str())).collect();
    assert_eq!(
        refusals,
        [
            ("gone.md", "it matches no file"),
            ("docs/a.md", "it is under the corpus root"),
            ("docs", "it is under the corpus root"),
            ("*.md", "it opens with a wildcard"),
            ("../x.md", "it climbs above the repository"),
            ("both.md", "another regime lists `both.md` too"),
            ("way/a.md", "`way` is a symbolic link"),
            ("linked/*", "`linked/b.md` is a symbolic link"),
            ("mixed/*", "`mixed/bin.md` cannot be read: byte 0 and what follows is not UTF-8 text"),
            ("guide", "it matches no file"),
            ("both.md", "another regime lists `both.md` too"),
        ]
    );
}

#[test]
fn a_version_that_is_not_on_disk_reads_as_the_census_would_read_it() {
    let root = tempfile::tempdir().unwrap();
    write(root.path(), "docs/a.md", "---\nid: N-a\n---\n");
    let corpus = corpus(root.path());
    let before = b"---\nid: N-b\nrelations: {cites: [N-a, N-a], nonsense: x}\n---\n".to_vec();
    let document = corpus.parse("docs/a.md", before, None).unwrap();
    assert_eq!(document.identifier(), Some("N-b"));
    let (halves, troubles) = corpus.halves(&document);
    let written: Vec<(&str, &str)> =
        halves.iter().map(|half| (half.written(), half.targets[0].text.as_str())).collect();
    assert_eq!(written, [("cites", "N-a"), ("cites", "N-a")]);
    assert_eq!(troubles.len(), 1);
    let sidecar = Some(("docs/meta.yaml", b"id: N-c\n".to_vec()));
    let beside = corpus.parse("docs/a.md", b"# A\n".to_vec(), sidecar).unwrap();
    assert_eq!((beside.identifier(), beside.front_matter_path()), (Some("N-c"), "docs/meta.yaml"));
    let bare = corpus.parse("docs/a.md", b"# A\n".to_vec(), None).unwrap();
    let taxonomy = corpus.taxonomy();
    assert_eq!(type_of(taxonomy, "docs/a.md", &bare), Err(Stop::NoFrontMatter));
    let placed = type_of(taxonomy, "docs/a.md", &document).unwrap();
    assert_eq!((placed.kind.name.as_str(), placed.shelf.name.as_str()), ("note", "notes"));
    assert!(corpus.parse("docs/a.md", b"---\n[\n---\n".to_vec(), None).is_err());
}
