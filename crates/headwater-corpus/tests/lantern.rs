//! The worked corpus of the specification: its census, its graph, and the variants it prints.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a test fails by panicking"
)]

mod support;

use std::fs;
use std::path::Path;

use headwater_corpus::{CLAIMS_PATH, Corpus, Options, Revision};
use headwater_taxonomy::verbs::{self, Invocation};
use support::{about, write};

fn copy(from: &Path, to: &Path) {
    for entry in fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        let target = to.join(entry.file_name());
        if entry.file_type().unwrap().is_dir() {
            fs::create_dir_all(&target).unwrap();
            copy(&entry.path(), &target);
        } else {
            fs::copy(entry.path(), target).unwrap();
        }
    }
}

/// The repository: the documents kept here, the taxonomy kept beside its own crate, and a lock.
fn lantern() -> tempfile::TempDir {
    let root = tempfile::tempdir().unwrap();
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    copy(&here.join("../headwater-taxonomy/fixtures/lantern"), root.path());
    copy(&here.join("fixtures/lantern"), root.path());
    let answer = verbs::resolve(Invocation { program: "headwater", root: root.path() });
    assert_eq!(answer.status, 0, "{}", answer.stderr);
    root
}

fn load(root: &Path) -> Corpus {
    Corpus::load(root, Options::default()).unwrap_or_else(|refusals| panic!("{refusals:?}"))
}

const QUEUE: &str = "handbook/parts/queue.md";

#[test]
fn the_clean_tree_has_the_published_census_and_graph() {
    let root = lantern();
    let corpus = load(root.path());
    assert_eq!(about(&corpus, &["census"]), ["census 8: 8 typed (4 decision, 2 drill, 2 part)"]);
    let first = "handbook/decisions/0001-store-attempts-in-a-table.md";
    let second = "handbook/decisions/0002-store-attempts-in-a-log.md";
    let third = "handbook/decisions/0003-retry-five-times.md";
    assert_eq!(
        about(&corpus, &["edge", "pair", "problem", "collision"]),
        [
            format!("edge {first}:8:18 LAN-D-0001 superseded_by -> document {second}"),
            format!("edge {second}:8:15 LAN-D-0002 supersedes -> document {first}"),
            format!("edge {QUEUE}:9:14 LAN-PART-queue realizes -> document {second}"),
            format!("edge {QUEUE}:9:26 LAN-PART-queue realizes -> document {third}"),
            format!(
                "edge {QUEUE}:11:7 LAN-PART-queue governs -> source_file src/queue/*.rs \
                 [src/queue/retry.rs]"
            ),
            "pair LAN-D-0002 supersedes LAN-D-0001 both".to_owned(),
            "pair LAN-PART-queue realizes LAN-D-0002 declared".to_owned(),
            "pair LAN-PART-queue realizes LAN-D-0003 declared".to_owned(),
        ]
    );
    assert_eq!(
        about(&corpus, &["link"]),
        [
            format!("link {second}:15:52 corpus {first} #decision found"),
            format!("link handbook/drills/drain-the-queue.md:12:9 corpus {QUEUE} #scope found"),
            format!("link {QUEUE}:18:39 corpus {second}"),
        ]
    );
    // The read set of a run: the documents and the store; the declaration is the caller's.
    assert_eq!(corpus.nodes().flat_map(|(_, row)| row.inputs()).count(), 8);
    assert_eq!(corpus.claims().all().len(), 4);
    assert!(corpus.claims().holds("LAN-D-0004") && root.path().join(CLAIMS_PATH).is_dir());
    let anchor = corpus.edges().iter().find_map(|edge| edge.anchor()).unwrap();
    assert!(matches!(corpus.revision(anchor), Revision::At(_)));
}

#[test]
fn the_broken_variant_binds_as_published() {
    let root = lantern();
    let edit = |path: &str, from: &str, to: &str| {
        let text = fs::read_to_string(root.path().join(path)).unwrap();
        assert!(text.contains(from), "{path}");
        write(root.path(), path, text.replace(from, to));
    };
    let first = "handbook/decisions/0001-store-attempts-in-a-table.md";
    edit(first, "relations:\n  superseded_by: LAN-D-0002\n", "");
    edit(QUEUE, "LAN-D-0002, LAN-D-0003", "LAN-D-0001, LAN-D-0009");
    edit(QUEUE, "## Scope", "## Bounds");
    let corpus = load(root.path());
    let found = about(&corpus, &["edge", "pair", "link"]);
    let nothing = format!("edge {QUEUE}:9:26 LAN-PART-queue realizes -> nothing");
    assert!(found.contains(&nothing), "{found:#?}");
    assert!(found.contains(&"pair LAN-D-0002 supersedes LAN-D-0001 declared".to_owned()));
    assert!(found.contains(&format!(
        "link handbook/drills/drain-the-queue.md:12:9 corpus {QUEUE} #scope absent"
    )));
}

#[cfg(unix)]
#[test]
fn files_that_cannot_be_used_are_the_published_rows() {
    let root = lantern();
    let parts = root.path().join("handbook/parts");
    write(root.path(), "handbook/parts/bare.md", "# Bare\n");
    write(root.path(), "handbook/parts/bad.md", "---\nid: [\n---\n");
    write(root.path(), "handbook/parts/bin.md", b"\xff\xfe");
    std::os::unix::fs::symlink("queue.md", parts.join("link.md")).unwrap();
    write(root.path(), "handbook/other/z.md", "---\nid: Z\n---\n");
    write(root.path(), "handbook/parts/pic.png", b"\x89PNG");
    write(root.path(), "handbook/scratch/n.md", "# N\n");
    let marked = "<!-- headwater:generated shelf_index. Do not edit. -->\n# Parts\n";
    write(root.path(), "handbook/parts/README.md", marked);
    let corpus = load(root.path());
    assert_eq!(
        about(&corpus, &["census"]),
        ["census 16: 8 typed, 1 generated, 2 untyped, 2 unreadable, 1 excluded, \
             1 not a document, 1 unwalkable (4 decision, 2 drill, 2 part)"]
    );
    let rows: Vec<String> =
        about(&corpus, &["row"]).into_iter().filter(|line| !line.contains(" typed ")).collect();
    let bad = rows.iter().find(|line| line.contains("bad.md")).unwrap();
    assert!(bad.contains("unreadable: handbook/parts/bad.md:2:5: this is not YAML"), "{bad}");
    let rest: Vec<&String> = rows.iter().filter(|line| !line.contains("bad.md")).collect();
    assert_eq!(
        rest,
        [
            "row handbook/other/z.md untyped: no shelf matches this path",
            "row handbook/parts/README.md generated: shelf_index",
            "row handbook/parts/bare.md untyped: no front matter; it is on the shelf parts, which \
             holds part",
            "row handbook/parts/bin.md unreadable: byte 0 and what follows is not UTF-8 text",
            "row handbook/parts/link.md unwalkable: a symbolic link to `queue.md`, which is not \
             followed",
            "row handbook/parts/pic.png not a document",
            "row handbook/scratch/n.md excluded: `handbook/scratch/**`: working notes that nobody \
             relies on",
        ]
    );
}

#[test]
fn one_tree_gives_one_corpus_however_it_is_scheduled() {
    let root = lantern();
    let once = support::lines(&load(root.path()));
    for threads in [1, 7] {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        assert_eq!(pool.install(|| support::lines(&load(root.path()))), once);
    }
}

#[test]
fn the_identity_of_an_edge_is_of_neither_a_position_nor_a_path() {
    let identities = |corpus: &Corpus| {
        let of = |edge: &headwater_corpus::Edge| {
            let source = corpus.row(edge.source).unwrap().identifier().unwrap().to_owned();
            (source, corpus.written(edge).to_owned(), corpus.normalized(edge))
        };
        let mut found: Vec<_> = corpus.edges().iter().map(of).collect();
        found.sort();
        found
    };
    let root = lantern();
    let before = identities(&load(root.path()));
    let queue = root.path().join(QUEUE);
    let text = fs::read_to_string(&queue).unwrap();
    let swapped = text.replace("LAN-D-0002, LAN-D-0003", "LAN-D-0003, LAN-D-0002");
    let spelled = swapped.replace("src/queue/*.rs", "./src//queue/*.rs");
    assert_ne!(text, swapped);
    fs::remove_file(&queue).unwrap();
    write(root.path(), "handbook/parts/deep/moved.md", spelled);
    assert_eq!(identities(&load(root.path())), before);
}
