//! A document bound to a node of a real canvas store: it binds, it says why not, and it is told when the
//! node moved.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a test fails by panicking"
)]

use std::fs;
use std::path::Path;
use std::process::{Command, Output};

/// A repository whose notes may rest on canvases, and a workspace beside it.
struct Bench {
    root: tempfile::TempDir,
    workspace: tempfile::TempDir,
    id: String,
}

const PACKAGE: &str = "package: acme/notes\nversion: 1.0.0\ncontents: {taxonomy: taxonomy.yml}\n";
const TAXONOMY: &str = "\
taxonomy: acme/notes
version: 1.0.0
purposes: {rationale: {intent: explain a choice, answers: [why]}}
facets:
  summary: {role: scent, type: string, volatility: mutable}
anchors: {canvas_node: {resolver: canvas}}
identifier_schemes: {note_id: {pattern: \"N-{slug}\", namespace: ACM, allocation: minted-once}}
kinds: {note: {purpose: rationale, identifier: {scheme: note_id}}}
relations:
  rests_on:
    family: governance
    from: [note]
    to: [canvas_node]
    created_by: agent
    attributes: {verified_revision: {type: string, owner: edge}}
  replaces: {family: succession, from: [note], to: [note], inverse: replaced_by, lifecycle_sensitive: true, created_by: agent}
shelves: {notes: {path: notes/**, homogeneous: true, kind: note}}
";

impl Bench {
    fn new() -> Self {
        let bench = Self {
            root: tempfile::tempdir().unwrap(),
            workspace: tempfile::tempdir().unwrap(),
            id: String::new(),
        };
        let home = ".headwater/packages/acme";
        bench.write(&format!("{home}/package.yml"), PACKAGE);
        bench.write(&format!("{home}/taxonomy.yml"), TAXONOMY);
        bench.write(
            ".headwater/taxonomy.yml",
            "taxonomy: {package: acme/notes, version: 1.0.0}\ncorpus: {root: notes}\n",
        );
        fs::create_dir(bench.root.path().join("notes")).unwrap();
        let resolved = bench.headwater(&["taxonomy", "resolve"], true);
        assert!(resolved.status.success(), "{resolved:?}");
        bench.canvas(&["create", "c1", "--problem", "what is it", "--expected-value", "to know"]);
        let added = bench.canvas(&[
            "insert",
            "c1",
            "--into",
            "root",
            "--text",
            "the plan",
            "--why",
            "it is agreed",
        ]);
        let id = added.lines().find_map(|line| line.strip_prefix("Canvas-Node: ")).unwrap();
        Self { id: id.to_owned(), ..bench }
    }

    fn write(&self, path: &str, text: &str) {
        let path = self.root.path().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    fn command(&self, program: &str, stored: bool) -> Command {
        let mut command = Command::new(program);
        command.env_remove("OPENCLAW_WORKSPACE").env("HOME", self.workspace.path());
        if stored {
            command.env("OPENCLAW_WORKSPACE", self.workspace.path());
        }
        command
    }

    fn canvas(&self, words: &[&str]) -> String {
        let mut command = self.command(env!("CARGO_BIN_EXE_canvas"), true);
        let output = command.args(words).output().unwrap();
        assert!(output.status.success(), "{words:?}: {}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).unwrap()
    }

    fn headwater(&self, words: &[&str], stored: bool) -> Output {
        let mut command = self.command(env!("CARGO_BIN_EXE_headwater"), stored);
        command.args(words).arg("--root").arg(self.root.path()).output().unwrap()
    }

    /// Writes the one note, resting on a target.
    fn note(&self, target: &str, attributes: &str) {
        self.write(
            "notes/a.md",
            &format!(
                "---\nid: N-a\nsummary: s\nrelations:\n  rests_on:\n    - to: \"{target}\"\n{attributes}---\n\n# A\n"
            ),
        );
    }

    /// The findings about the relation, one a line.
    fn found(&self, stored: bool) -> Vec<String> {
        let words = ["check", "--format", "brief", "--now", "2026-03-20"];
        let output = self.headwater(&words, stored);
        let anew = self.headwater(&[&words[..], &["--no-cache"]].concat(), stored);
        assert_eq!(output.stdout, anew.stdout, "a cached run says the same");
        let text = String::from_utf8(output.stdout).unwrap();
        text.lines().filter(|line| line.contains("relation.target.")).map(str::to_owned).collect()
    }
}

fn git(directory: &Path, words: &[&str]) -> String {
    let output = Command::new("git").current_dir(directory).args(words).output().unwrap();
    String::from_utf8(output.stdout).unwrap().trim().to_owned()
}

#[test]
fn a_node_binds_while_the_canvas_holds_it_and_else_the_report_says_why() {
    let bench = Bench::new();
    let node = format!("canvas:c1#{}", bench.id);
    for target in ["canvas:c1", node.as_str()] {
        bench.note(target, "");
        assert_eq!(bench.found(true), [""; 0], "{target}");
    }
    for (target, why) in [
        ("canvas:c1#nowhere", "holds no node with that id"),
        ("canvas:c2", "no canvas for Canvas identifier c2"),
        ("canvas:../c1", "is not a usable Canvas identifier"),
        ("c1", "is not of the form"),
    ] {
        bench.note(target, "");
        let found = bench.found(true);
        assert!(found.len() == 1 && found[0].contains(why), "{target}: {found:?}");
    }
    bench.note(&node, "");
    let absent = bench.found(false);
    assert!(absent.len() == 1 && absent[0].contains("set OPENCLAW_WORKSPACE"), "{absent:?}");
    // The node is taken out; no byte of the repository changes, and a warm run says so.
    assert_eq!(bench.found(true), [""; 0]);
    bench.canvas(&["remove", "c1", &bench.id, "--why", "it is done"]);
    assert_eq!(bench.found(true).len(), 1);
}

#[test]
fn a_document_is_told_when_the_node_under_it_moved() {
    let bench = Bench::new();
    let node = format!("canvas:c1#{}", bench.id);
    let directory = bench.workspace.path().join("state/canvas");
    let verified = git(&directory, &["rev-parse", "HEAD"]);
    bench.note(&node, &format!("      verified_revision: {verified}\n"));
    assert_eq!(bench.found(true), [""; 0]);
    // Another node of the canvas moves, and nothing under the document did.
    bench.canvas(&["insert", "c1", "--into", "root", "--text", "aside", "--why", "it came up"]);
    assert_eq!(bench.found(true), [""; 0]);
    bench.canvas(&["replace", "c1", &bench.id, "--text", "a new plan", "--why", "it moved"]);
    let moved = git(&directory, &["rev-parse", "HEAD"]);
    let found = bench.found(true);
    assert!(found.len() == 1 && found[0].contains("relation.target.suspect"), "{found:?}");
    assert!(found[0].contains(&moved) && found[0].contains(&verified), "{found:?}");
}

#[test]
fn a_node_stands_at_the_last_commit_that_names_it_and_a_canvas_at_the_last_that_changed_it() {
    let bench = Bench::new();
    bench.canvas(&["create", "c2", "--problem", "another", "--expected-value", "to know"]);
    bench.canvas(&["replace", "c1", &bench.id, "--text", "a new plan", "--why", "it moved"]);
    bench.canvas(&["freeze", "c1", "--why", "it is done"]);
    let workspace = Some(bench.workspace.path().as_os_str().to_owned());
    let environment = canvas_store::request::Environment { workspace, ..Default::default() };
    let store = canvas_store::Store::new(environment);
    let directory = bench.workspace.path().join("state/canvas");
    for canvas in ["c1", "c2"] {
        let revisions = store.revisions(canvas).unwrap();
        let file = format!("{canvas}.xml");
        assert_eq!(
            revisions.canvas,
            Some(git(&directory, &["log", "-1", "--format=%H", "--", &file]))
        );
        assert!(revisions.nodes.len() > 1, "{revisions:?}");
        for (node, commit) in revisions.nodes {
            let history = bench.canvas(&["history", canvas, &node]);
            let mut named = history.lines().filter_map(|line| line.strip_prefix("Canvas-Commit: "));
            assert_eq!(named.next_back(), commit.as_deref(), "{node}");
        }
    }
    assert!(store.revisions("c3").is_err());
}
