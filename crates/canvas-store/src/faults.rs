//! Every failure point of every write, injected: the canvas, git's index and the head are as before
//! or as after, never between. And every point at which a process can be killed: the next command
//! finds a store that it can heal.

use std::path::{Path, PathBuf};
use std::process::Command;

use canvas_document::Document;

use crate::Store;
use crate::disk::fault::{self, Plan};
use crate::past::Past;
use crate::repository::Repository;
use crate::request::{Create, Edit, Environment, Payload, Position, ReadRequest};
use crate::workspace::Workspace;
use crate::writer::{Change, Found, Writer};

/// A workspace with one canvas of a few nodes.
struct Fixture {
    root: tempfile::TempDir,
    store: Store,
    problem: String,
    section: String,
}

/// What can be seen of a store from outside.
#[derive(Debug, PartialEq)]
struct State {
    head: String,
    file: Option<Vec<u8>>,
    status: String,
    listing: Vec<String>,
}

impl Fixture {
    fn new() -> Fixture {
        let root = tempfile::tempdir().unwrap();
        let environment = Environment {
            workspace: Some(root.path().into()),
            user: Some("ann".into()),
            git_config_nosystem: true,
            ..Environment::default()
        };
        let store = Store::new(environment);
        let created = store
            .create(&Create {
                canvas: Some("t1"),
                problem: "P.",
                expected_value: "V.",
                author: None,
            })
            .unwrap();
        let payload = Payload {
            element: Some("section".into()),
            title: Some("S".into()),
            ..Payload::default()
        };
        let section = store.insert(&edit(), Position::Into("root"), &payload).unwrap().node;
        Fixture { root, store, problem: created.problem, section }
    }

    fn dir(&self) -> PathBuf {
        self.root.path().join("state").join("canvas")
    }

    fn state(&self, canvas: &str) -> State {
        let dir = self.dir();
        let mut listing: Vec<String> = std::fs::read_dir(&dir)
            .unwrap()
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .collect();
        listing.sort();
        State {
            head: git(&dir, &["log", "--format=%H"]),
            file: std::fs::read(dir.join(format!("{canvas}.xml"))).ok(),
            status: git(&dir, &["status", "--porcelain"]),
            listing,
        }
    }

    /// What must hold of any store at rest: the file, the index and the head agree, nothing is left
    /// over, nothing is broken, and every node's `v` is the number of commits that name it.
    fn assert_whole(&self, context: &str, every_object: bool) {
        let dir = self.dir();
        assert_eq!(git(&dir, &["status", "--porcelain"]), "", "{context}");
        assert_eq!(git(&dir, &["diff-index", "--cached", "HEAD"]), "", "{context}");
        if every_object {
            let fsck = git(&dir, &["fsck", "--full", "--strict", "--no-dangling"]);
            assert_eq!(fsck, "", "{context}");
        }
        assert!(!dir.join(".git/index.lock").exists(), "{context}");
        assert!(!dir.join(".git/refs/heads/main.lock").exists(), "{context}");
        let named = git(&dir, &["log", "--format=%(trailers:key=Canvas-Node,valueonly)"]);
        let bytes = std::fs::read(dir.join("t1.xml")).unwrap();
        let document = Document::parse(&bytes).unwrap();
        for node in document.root.descendants().skip(1) {
            let count = named.lines().filter(|line| Some(*line) == node.id()).count();
            assert_eq!(node.attribute("v"), Some(count.to_string().as_str()), "{context}");
        }
    }
}

fn edit() -> Edit<'static> {
    Edit { canvas: "t1", why: "a reason of its own", base: None, author: None }
}

fn git(dir: &Path, args: &[&str]) -> String {
    let output = Command::new("git")
        .arg("--git-dir")
        .arg(dir.join(".git"))
        .arg("--work-tree")
        .arg(dir)
        .args(args)
        .env("GIT_CONFIG_GLOBAL", "/dev/null")
        .env("GIT_CONFIG_NOSYSTEM", "1")
        .output()
        .unwrap();
    let mut said = String::from_utf8_lossy(&output.stdout).into_owned();
    if args[0] == "fsck" {
        said.push_str(&String::from_utf8_lossy(&output.stderr));
    }
    said
}

type Write = fn(&Fixture) -> bool;

/// One write of each verb; each says whether it succeeded.
const WRITES: [(&str, Write); 6] = [
    ("insert", |f| {
        let payload = Payload { text: Some("new".into()), ..Payload::default() };
        f.store.insert(&edit(), Position::Into("root"), &payload).is_ok()
    }),
    ("replace", |f| {
        let payload = Payload { text: Some("other".into()), ..Payload::default() };
        f.store.replace(&edit(), &f.problem, &payload).is_ok()
    }),
    ("move", |f| f.store.move_node(&edit(), &f.problem, Position::Into(&f.section)).is_ok()),
    ("remove", |f| f.store.remove(&edit(), &f.problem).is_ok()),
    ("freeze", |f| f.store.freeze("t1", "done: it is", None).is_ok()),
    ("create", |f| {
        let create =
            Create { canvas: Some("t2"), problem: "P.", expected_value: "V.", author: None };
        f.store.create(&create).is_ok()
    }),
];

/// How many operations a write makes when nothing fails.
fn operations(write: Write) -> usize {
    let fixture = Fixture::new();
    fault::set(Plan::None);
    assert!(write(&fixture));
    fault::count()
}

#[test]
fn one_failed_operation_leaves_the_store_as_before_or_as_after() {
    for (verb, write) in WRITES {
        let canvas = if verb == "create" { "t2" } else { "t1" };
        let total = operations(write);
        assert!(total > 8, "{verb} makes only {total} operations");
        let mut refused = 0;
        for k in 0..total {
            let fixture = Fixture::new();
            let before = fixture.state(canvas);
            fault::set(Plan::At(k));
            let done = write(&fixture);
            fault::set(Plan::None);
            let after = fixture.state(canvas);
            let context = format!("{verb}, operation {k} of {total}, done {done}");
            if done {
                assert_ne!(after.head, before.head, "{context}");
            } else if verb != "create" {
                refused += 1;
                assert_eq!(after, before, "{context}");
            } else {
                // What create has committed when it fails stays; it is a valid canvas or none.
                refused += 1;
                let births = after.head.lines().count() > before.head.lines().count();
                assert_eq!(after.file.is_some(), births, "{context}");
            }
            fixture.assert_whole(&context, k % 4 == 0);
            assert!(fixture.store.read("t1", &ReadRequest::default()).is_ok(), "{context}");
        }
        assert!(refused > total / 3, "{verb}: only {refused} of {total} failures were refusals");
    }
}

#[test]
fn a_process_killed_at_any_point_leaves_what_the_next_command_heals() {
    for (verb, write) in WRITES {
        let canvas = if verb == "create" { "t2" } else { "t1" };
        for k in 0..operations(write) {
            let fixture = Fixture::new();
            let before = fixture.state(canvas);
            fault::set(Plan::From(k));
            write(&fixture);
            fault::set(Plan::None);
            let context = format!("{verb}, killed at operation {k}");

            // A reader needs no healing: what it prints belongs to the head it prints.
            let head = git(&fixture.dir(), &["rev-parse", "HEAD"]);
            let stored = git(&fixture.dir(), &["show", &format!("HEAD:{canvas}.xml")]);
            match fixture.store.read(canvas, &ReadRequest::default()) {
                Ok(reading) => {
                    let expected = format!("Canvas-Base: {head}{stored}");
                    assert_eq!(String::from_utf8(reading.stdout).unwrap(), expected, "{context}");
                }
                Err(_) => assert_eq!(stored, "", "{context}"),
            }

            // The next write, to another canvas even, works and carries nothing of the dead one.
            let next = fixture.store.create(&Create {
                canvas: Some("t9"),
                problem: "P.",
                expected_value: "V.",
                author: None,
            });
            assert!(next.is_ok(), "{context}: {next:?}");
            fixture.assert_whole(&context, k % 4 == 0);
            let touched = git(
                &fixture.dir(),
                &["show", "--format=", "--name-only", "HEAD", "HEAD~1", "HEAD~2"],
            );
            assert!(touched.lines().all(|line| line == "t9.xml"), "{context}: {touched}");
            let after = fixture.state(canvas);
            let strays = after
                .listing
                .iter()
                .filter(|name| name.contains(".tmp-") || name.contains(".back-"));
            assert_eq!(strays.count(), 0, "{context}");
            if verb != "create" && after.file != before.file {
                let edited = git(&fixture.dir(), &["log", "--format=%s", "-1", "--", "t1.xml"]);
                assert!(edited.starts_with(verb), "{context}");
            }
        }
    }
}

#[test]
fn a_hand_edit_survives_a_failed_write() {
    let total = operations(WRITES[1].1);
    for k in 0..total {
        let fixture = Fixture::new();
        let path = fixture.dir().join("t1.xml");
        let edited = std::fs::read_to_string(&path).unwrap().replace("V.", "V, by hand.");
        std::fs::write(&path, &edited).unwrap();
        for plan in [Plan::At(k), Plan::From(k)] {
            fault::set(plan);
            let done = WRITES[1].1(&fixture);
            fault::set(Plan::None);
            if done {
                break;
            }
            // Another canvas's write heals what a killed one left.
            let head = git(&fixture.dir(), &["log", "--format=%s", "-1"]);
            if head.starts_with("replace") {
                break;
            }
            fixture.store.freeze("t1", "done: heals", None).unwrap();
            assert_eq!(std::fs::read_to_string(&path).unwrap(), edited, "{plan:?}");
        }
    }
}

#[test]
fn an_undone_write_brings_back_what_the_guard_saw_not_what_was_read_first() {
    let (mut k, mut refused) = (0, 0);
    loop {
        let fixture = Fixture::new();
        let repository = Repository::open(&fixture.dir()).unwrap();
        let workspace = Workspace::find(&fixture.store.environment).unwrap();
        let place = workspace.place("t1").unwrap();
        let writer = Writer::begin(&repository, &place, &fixture.store.environment).unwrap();
        let head = repository.head().unwrap();
        let mut past = Past::of(&repository, head.commit).unwrap();
        let bytes = std::fs::read(&place.path).unwrap();
        let found = Found { document: Document::parse(&bytes).unwrap(), bytes };
        let mut after = found.document.clone();
        let node = after.find_mut(&fixture.problem).unwrap();
        node.text = String::from("by the store");
        node.set_attribute("v", "2");

        // Between reading and storing somebody edits that very node by hand.
        let edited = String::from_utf8(found.bytes.clone()).unwrap().replace("P.", "P, by hand.");
        std::fs::write(&place.path, &edited).unwrap();
        let change = Change {
            verb: "replace",
            name: &fixture.problem,
            reason: "a reason of its own",
            node: Some(&fixture.problem),
            author: "ann",
        };
        fault::set(Plan::At(k));
        let stored = writer.store(&change, Some(&found), &after, &head, &mut past);
        let operations = fault::count();
        fault::set(Plan::None);
        if stored.is_err() {
            refused += 1;
            assert_eq!(std::fs::read_to_string(&place.path).unwrap(), edited, "operation {k}");
        } else if k >= operations {
            break;
        }
        k += 1;
    }
    assert!(refused > 10, "only {refused} of {k} failures were refusals");
}
