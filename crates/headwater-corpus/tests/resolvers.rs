//! Resolvers over real directories: revisions, pinned artifacts, canvases.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a test fails by panicking"
)]

mod support;

use std::fs;
use std::path::Path;

use headwater_corpus::{Binding, Canvases, Corpus, Digest, Options, Revision};
use headwater_taxonomy::release;
use proptest::prelude::*;
use support::{about, declaration, lock, write};

const TAXONOMY: &str = "\
kinds: {note: {}}
anchors:
  code: {resolver: source-tree}
  rule: {resolver: check-rule}
  board: {resolver: canvas}
  ticket: {resolver: tracker}
  far: {resolver: platform}
relations:
  governs: {family: governance, from: [note], to: [code]}
  enforces: {family: evidence, from: [note], to: [rule]}
  rests_on: {family: derivation, from: [note], to: [board]}
  tracked: {family: association, from: [note], to: [ticket]}
  uses: {family: association, from: [note], to: [far]}
shelves: {notes: {path: \"docs/**\", homogeneous: true, kind: note}}
";

/// A corpus of one document that writes these relations.
fn related(root: &Path, relations: &str, declared: &str, options: Options) -> Corpus {
    write(root, "docs/a.md", format!("---\nid: N-a\nrelations: {relations}\n---\n"));
    Corpus::build(root, lock(TAXONOMY), declaration(declared), options).unwrap()
}

fn governing(root: &Path, relations: &str) -> Corpus {
    related(root, relations, support::DECLARATION, Options::default())
}

fn revisions(corpus: &Corpus) -> Vec<Revision> {
    let anchors = corpus.edges().iter().filter_map(|edge| edge.anchor());
    anchors.map(|anchor| corpus.revision(anchor).clone()).collect()
}

fn manifest(files: &[(&str, &str)]) -> Revision {
    let text: String = files
        .iter()
        .map(|(path, text)| format!("{path}\0{}\n", Digest::of(text.as_bytes())))
        .collect();
    Revision::At(Digest::of(text.as_bytes()).to_string())
}

#[test]
fn a_revision_is_over_paths_and_bytes_and_over_nothing_else() {
    let root = tempfile::tempdir().unwrap();
    write(root.path(), "src/b.rs", "b");
    write(root.path(), "src/a.rs", "a");
    fs::create_dir(root.path().join("src/deep")).unwrap();
    let all = [("src/a.rs", "a"), ("src/b.rs", "b")];
    let corpus = governing(
        root.path(),
        "{governs: [src/*, [src/b.rs, src/a.rs, src/*.rs], src/a.rs, src, src/deep]}",
    );
    assert_eq!(
        revisions(&corpus),
        [
            manifest(&all),
            manifest(&all),
            manifest(&all[..1]),
            Revision::Directory,
            Revision::Directory
        ]
    );
    write(root.path(), "src/a.rs", "A");
    let moved = revisions(&governing(root.path(), "{governs: src/*}"));
    assert_eq!(moved, [manifest(&[("src/a.rs", "A"), ("src/b.rs", "b")])]);
}

#[cfg(unix)]
#[test]
fn special_files_have_no_bytes_and_are_never_opened() {
    let root = tempfile::tempdir().unwrap();
    fs::create_dir_all(root.path().join("run")).unwrap();
    let pipe = root.path().join("run/pipe");
    assert!(std::process::Command::new("mkfifo").arg(&pipe).status().unwrap().success());
    let corpus = governing(root.path(), "{governs: [run/*, run/pipe]}");
    assert_eq!(revisions(&corpus), [Revision::NoFile, Revision::NoFile]);
    write(root.path(), "run/x", "x");
    let corpus = governing(root.path(), "{governs: run/*}");
    assert_eq!(revisions(&corpus), [manifest(&[("run/x", "x")])]);
}

struct Board;

impl Canvases for Board {
    fn find(&self, canvas: &str, node: Option<&str>) -> Result<(), String> {
        if canvas == "c1" && node.is_none_or(|node| node == "n1") {
            Ok(())
        } else {
            Err("the store has none".to_owned())
        }
    }

    fn revision(&self, _: &str, node: Option<&str>) -> Result<String, String> {
        Ok(format!("commit-of-{}", node.unwrap_or("all")))
    }
}

#[test]
fn canvases_and_rules_are_anchors_when_they_are_handed_in() {
    let root = tempfile::tempdir().unwrap();
    let options = Options {
        rules: vec!["facet.required.missing".to_owned()],
        canvases: Some(Box::new(Board)),
        resolvers: Vec::new(),
    };
    let relations = "{rests_on: ['canvas:c1#n1', 'canvas:c2'], enforces: facet.required.missing}";
    let corpus = related(root.path(), relations, support::DECLARATION, options);
    assert_eq!(
        about(&corpus, &["edge"]),
        [
            "edge docs/a.md:3:24 N-a rests_on -> board canvas:c1#n1 []",
            "edge docs/a.md:3:40 N-a rests_on -> no board: the store has none",
            "edge docs/a.md:3:64 N-a enforces -> rule facet.required.missing []",
        ]
    );
    assert_eq!(revisions(&corpus), [Revision::At("commit-of-n1".to_owned()), Revision::Never]);
    let absent = related(root.path(), relations, support::DECLARATION, Options::default());
    let why = absent.resolvers().why_absent("canvas").unwrap();
    assert!(why.contains("OPENCLAW_WORKSPACE"), "{why}");
}

/// Writes a snapshot with its record, and gives back the digest to pin.
fn snapshot(root: &Path, text: &str) -> String {
    write(root, "ext/snapshot.yml", text);
    let members = release::members(&root.join("ext")).unwrap();
    let digest = release::digest_of(&members);
    let member = &members["snapshot.yml"];
    write(
        root,
        "ext/release.yml",
        format!(
            "release:\n  format: 1\n  digest: {digest}\n  members:\n    - {{path: snapshot.yml, \
             digest: {member}}}\n"
        ),
    );
    digest
}

fn importing(pin: &str) -> String {
    format!("{}imports: {{t: {{at: ext, {pin}resolver: tracker}}}}\n", support::DECLARATION)
}

#[test]
fn an_item_of_a_pinned_snapshot_is_an_anchor_with_its_revision() {
    let root = tempfile::tempdir().unwrap();
    let text = "snapshot:\n  format: 1\n  items: [{id: T-1, revision: r3}]\n";
    let digest = snapshot(root.path(), text);
    let pinned = importing(&format!("digest: \"{digest}\", "));
    let corpus = related(root.path(), "{tracked: [T-1, T-2]}", &pinned, Options::default());
    assert_eq!(
        about(&corpus, &["edge"]),
        [
            "edge docs/a.md:3:23 N-a tracked -> ticket T-1 []",
            "edge docs/a.md:3:28 N-a tracked -> no ticket: the snapshot has no such item",
        ]
    );
    assert_eq!(revisions(&corpus), [Revision::At("r3".to_owned())]);
    let [pin] = corpus.pins() else { panic!("one pin") };
    assert_eq!(pin.unread, None);
    let inputs: Vec<&str> = pin.inputs.iter().map(|(path, _)| path.as_str()).collect();
    assert_eq!(inputs, ["ext/release.yml", "ext/snapshot.yml"]);
}

#[test]
fn an_import_that_is_not_what_is_pinned_binds_nothing_and_says_why() {
    let good = "snapshot: {format: 1, items: [{id: T-1, revision: r3}]}\n";
    for (text, pin, why) in [
        (good, "", "no digest pins it"),
        (good, "digest: sha256:0, ", "it is not the pinned artifact"),
        ("snapshot: {format: 2}\n", "digest: $, ", "another format"),
        ("items: []\n", "digest: $, ", "no `snapshot` mapping"),
        ("snapshot: [\n", "digest: $, ", "not YAML"),
        ("snapshot: {format: 1, items: [{id: T-1}]}\n", "digest: $, ", "no `revision`"),
    ] {
        let root = tempfile::tempdir().unwrap();
        let digest = snapshot(root.path(), text);
        let pinned = importing(&pin.replace('$', &format!("\"{digest}\"")));
        let corpus = related(root.path(), "{tracked: T-1}", &pinned, Options::default());
        let unread = corpus.pins()[0].unread.clone().unwrap();
        assert!(unread.contains(why), "{unread}");
        let [edge] = corpus.edges() else { panic!("one edge") };
        assert!(matches!(edge.binding, Binding::Unbound(_)));
    }
}

#[test]
fn an_export_binds_withholds_or_says_what_it_cannot_tell() {
    let gone = Digest::of(b"X-3");
    let export = |profile: &str, version: &str| {
        format!(
            "{{\"version\": \"{version}\", \"profile\": {profile}, \"tombstones\": [{{\"identifiers\": \
             [\"{gone}\"]}}], \"graph\": {{\"documents\": [{{\"id\": \"X-1\"}}, {{}}]}}}}"
        )
    };
    let counted = "{\"name\": \"partner\", \"filtered\": true, \"tombstone\": \"counted\"}";
    let sealed = counted.replace("counted", "sealed");
    let open = "{\"name\": \"all\", \"filtered\": false}";
    for (text, second, third) in [
        (export(counted, "1.4"), "it was not left out", "withheld far partner"),
        (export(counted, "1.2"), "cannot be told apart", "cannot be told apart"),
        (export(&sealed, "1.4"), "cannot be told apart", "cannot be told apart"),
        (export(open, "1.4"), "leaves nothing out", "leaves nothing out"),
    ] {
        let root = tempfile::tempdir().unwrap();
        write(root.path(), "ext/x.json", &text);
        let digest = Digest::of(text.as_bytes());
        let pinned = format!(
            "{}harvests: {{p: {{at: ext/x.json, digest: \"{digest}\", resolver: platform}}}}\n",
            support::DECLARATION
        );
        let corpus = related(root.path(), "{uses: [X-1, X-2, X-3]}", &pinned, Options::default());
        let lines = about(&corpus, &["edge"]);
        assert!(lines[0].ends_with("far X-1 []"), "{lines:?}");
        assert!(lines[1].contains(second) && lines[2].contains(third), "{lines:?}");
        assert_eq!(revisions(&corpus), [Revision::At(digest.to_string())]);
    }
}

#[cfg(unix)]
#[test]
fn what_is_pinned_stays_inside_and_no_two_resolvers_share_a_name() {
    let root = tempfile::tempdir().unwrap();
    fs::create_dir(root.path().join("docs")).unwrap();
    std::os::unix::fs::symlink("..", root.path().join("out")).unwrap();
    for (block, why) in [
        ("imports: {t: {at: a/../b, resolver: x}}", "holds `..`"),
        ("harvests: {t: {at: /etc/x, resolver: x}}", "absolute"),
        ("imports: {t: {at: out, resolver: x}}", "leads out"),
        ("imports: {t: {at: ext, resolver: source-tree}}", "two resolvers"),
        ("imports: {t: {at: ext, resolver: x}, u: {at: ext, resolver: x}}", "two resolvers"),
    ] {
        let declared = declaration(&format!("{}{block}\n", support::DECLARATION));
        let refused = Corpus::build(root.path(), lock(TAXONOMY), declared, Options::default());
        let refusals = refused.map(|_| ()).unwrap_err();
        assert!(refusals[0].what.contains(why), "{refusals:?}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(32))]
    #[test]
    fn any_target_binds_or_says_why(target in "[a-c./*?#: \\\\~\u{0}é-]{0,12}") {
        let root = tempfile::tempdir().unwrap();
        write(root.path(), "a/b.c", "x");
        let quoted = target.replace('\\', "\\\\").replace('\u{0}', "\\0");
        let corpus = governing(root.path(), &format!("{{governs: \"{quoted}\"}}"));
        prop_assert_eq!(corpus.edges().len() + corpus.problems().len(), 1);
    }
}
