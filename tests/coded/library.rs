//! The library of the store, called as another program would call it.

use canvas_store::Store;
use canvas_store::os::{self, Act};
use canvas_store::refusal::{Exit, Next, Program, Refusal, Subject};
use canvas_store::request::{Create, Edit, Environment, Payload, Position};
use std::io;
use std::path::Path;

fn shown(refusal: &Refusal) -> String {
    String::from_utf8(refusal.render(&Program::canvas("bin/canvas"))).unwrap()
}

/// No refusal is printed without a next action and something it is about.
pub fn refusals_are_whole() {
    for blank in ["", " ", "\n\t"] {
        let refusal =
            Refusal::new(Exit::Tool, "no", Subject::about("option", "--x"), Next::new(blank));
        let text = shown(&refusal);
        let next = text.lines().find_map(|l| l.strip_prefix("Canvas-Next: ")).unwrap();
        assert!(!next.trim().is_empty(), "{text}");
        assert!(text.contains("\nCanvas-About: option --x\n"), "{text}");
    }
}

/// Any error of the operating system gives advice and its errno; an unknown one promises nothing.
pub fn every_errno() {
    let directory = std::env::temp_dir();
    let path = directory.join("nothing-of-this-name.xml");
    let mut errors: Vec<io::Error> = (1..200).map(io::Error::from_raw_os_error).collect();
    errors.push(io::Error::from_raw_os_error(9_999));
    errors.push(io::Error::other("no number"));
    for error in &errors {
        for act in [Act::Look, Act::Read, Act::Write] {
            let refusal =
                os::refusal("cannot tell", error, act, &path, Subject::about("canvas", "x"));
            let text = shown(&refusal);
            assert_eq!(text.matches("\nCanvas-About: errno ").count(), 1, "{text}");
            let next = text.lines().find_map(|l| l.strip_prefix("Canvas-Next: ")).unwrap();
            assert!(!next.trim().is_empty(), "{text}");
            assert!(text.contains(&format!("\nCanvas-About: path {}\n", path.display())), "{text}");
            let number = error.raw_os_error();
            if number.is_none() {
                assert!(text.contains("\nCanvas-About: errno none\n"), "{text}");
            } else if number == Some(9_999) {
                assert!(text.contains("\nCanvas-About: errno 9999"), "{text}");
                assert!(!text.contains("chmod"), "{text}");
                assert!(!text.contains("is there"), "{text}");
            }
        }
    }
    let both = os::subjects(&io::Error::from_raw_os_error(13), &[Path::new("/a"), Path::new("/b")]);
    assert!(
        both.contains(&Subject::about("path", "/a"))
            && both.contains(&Subject::about("path", "/b"))
    );
}

struct Place {
    directory: tempfile::TempDir,
    store: Store,
}

impl Place {
    fn new() -> Place {
        let directory = tempfile::tempdir().unwrap();
        let store = Store::new(Environment {
            workspace: Some(directory.path().into()),
            user: Some("tester".into()),
            ..Environment::default()
        });
        Place { directory, store }
    }

    fn listing(&self) -> Vec<String> {
        let mut names: Vec<String> = std::fs::read_dir(self.directory.path().join("state/canvas"))
            .map(|entries| entries.map(|e| e.unwrap().file_name().into_string().unwrap()).collect())
            .unwrap_or_default();
        names.sort();
        names
    }
}

fn edit<'a>(canvas: &'a str, why: &'a str) -> Edit<'a> {
    Edit { canvas, why, base: None, author: None }
}

/// The reason rules, the guard and the paths bind a caller of the library as they bind a command
/// line, and nothing is left behind.
pub fn callers_are_bound() {
    let place = Place::new();
    let store = &place.store;
    let text = Payload { text: Some("x".to_owned()), ..Payload::default() };
    // An edit of a canvas that is not there makes no file and no store.
    let refusal = store.replace(&edit("t1", "because"), "ab2c", &text).unwrap_err();
    assert_eq!(refusal.exit(), Exit::Conflict);
    assert!(!place.directory.path().join("state").exists());
    let create = Create { canvas: Some("t1"), problem: "P", expected_value: "V", author: None };
    let created = store.create(&create).unwrap();
    // A birth over a canvas that is there names its file.
    let refusal = store.create(&create).unwrap_err();
    assert_eq!(refusal.exit(), Exit::Conflict);
    assert!(shown(&refusal).contains(&created.file), "{}", shown(&refusal));
    let file = place.directory.path().join("state/canvas/t1.xml");
    let before = std::fs::read(&file).unwrap();
    let p = created.problem.as_str();
    for why in ["", "  ", "\n", "as above", "ditto", "Same shape, same reading."] {
        let edit = edit("t1", why);
        for refusal in [
            store.replace(&edit, p, &text).unwrap_err(),
            store.remove(&edit, p).unwrap_err(),
            store.move_node(&edit, p, Position::Into("root")).unwrap_err(),
            store.insert(&edit, Position::Into("root"), &text).unwrap_err(),
            store.freeze("t1", why, None).unwrap_err(),
        ] {
            assert_eq!(refusal.exit(), Exit::Tool, "{why:?}: {}", shown(&refusal));
        }
    }
    // A position is one of two and never both or neither; a refused one names the moved node.
    let refusal = store.move_node(&edit("t1", "because"), p, Position::After("root")).unwrap_err();
    assert!(refusal.subjects().contains(&Subject::node(p)), "{}", shown(&refusal));
    // A path outside the store cannot be named.
    for outside in ["../t1", "a/../../t1", "/etc/t1", ".git", "t1/../t1"] {
        let refusal = store.replace(&edit(outside, "because"), p, &text).unwrap_err();
        assert_eq!(refusal.exit(), Exit::Tool, "{outside}: {}", shown(&refusal));
        let refusal = store
            .create(&Create {
                canvas: Some(outside),
                problem: "P",
                expected_value: "V",
                author: None,
            })
            .unwrap_err();
        assert_eq!(refusal.exit(), Exit::Tool, "{outside}: {}", shown(&refusal));
    }
    assert_eq!(std::fs::read(&file).unwrap(), before);
    assert_eq!(place.listing(), [".git", "t1.xml"]);
    let written = store.replace(&edit("t1", "because"), p, &text).unwrap();
    assert_eq!(written.node, p);
}

/// No public function of the store takes a document, and the document crate opens no file.
pub fn no_way_in_for_a_document() {
    let crates = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let store = std::fs::read_to_string(crates.join("canvas-store/src/store.rs")).unwrap();
    let mut public = 0;
    for (start, _) in store.match_indices("    pub fn ") {
        let signature = store[start..].split('{').next().unwrap();
        public += 1;
        for word in ["Document", "Element", "&[u8]", "Vec<u8>", "Path"] {
            assert!(!signature.contains(word), "{signature}");
        }
    }
    assert!(public >= 7, "the write surface is elsewhere: {public}");
    for entry in std::fs::read_dir(crates.join("canvas-document/src")).unwrap() {
        let path = entry.unwrap().path();
        let source = std::fs::read_to_string(&path).unwrap();
        for word in ["std::fs", "File::", "OpenOptions", "std::io::Write", "std::process"] {
            assert!(!source.contains(word), "{} speaks of {word}", path.display());
        }
    }
}
