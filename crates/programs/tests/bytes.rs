//! What a check prints is decided by the corpus, the lock and the day: over two hundred random edits the
//! warm cache, no cache, one thread and sixteen threads print the same bytes.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a test fails by panicking"
)]

use std::ffi::OsString;
use std::fs;

use headwater_taxonomy::verbs::Answer;
use rayon::{ThreadPool, ThreadPoolBuilder};
use support::lantern;

mod support;

const EDITS: usize = 200;

/// A small generator of numbers, the same in every run.
struct Dice(u64);

impl Dice {
    fn roll(&mut self, below: usize) -> usize {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(self.0 >> 33).unwrap() % below
    }

    fn pick<'t>(&mut self, texts: &[&'t str]) -> &'t str {
        texts[self.roll(texts.len())]
    }
}

/// The corpus that is edited: the worked one, and parts, drills and decisions with numbers.
struct Edited {
    root: tempfile::TempDir,
    dice: Dice,
    day: u32,
}

const FOLDERS: [(&str, &str); 3] =
    [("handbook/parts", "PART"), ("handbook/drills", "DRILL"), ("handbook/decisions", "D")];

impl Edited {
    fn new() -> Self {
        let root = tempfile::tempdir().unwrap();
        lantern(root.path());
        let edited = Self { root, dice: Dice(7), day: 1 };
        assert_eq!(edited.run(&["taxonomy", "resolve"]).status, 0);
        edited
    }

    fn run(&self, words: &[&str]) -> Answer {
        let mut arguments: Vec<OsString> = words.iter().map(OsString::from).collect();
        arguments.extend([OsString::from("--root"), self.root.path().as_os_str().to_owned()]);
        programs::headwater::run("headwater", &arguments)
    }

    fn check(&self, format: &str, words: &[&str]) -> Answer {
        let day = format!("2026-{:02}-{:02}", self.day / 28 + 1, self.day % 28 + 1);
        self.run(&[&["check", "--format", format, "--now", &day], words].concat())
    }

    fn write(&self, path: &str, text: &str) {
        let path = self.root.path().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    fn identifier(&mut self) -> String {
        let (_, word) = FOLDERS[self.dice.roll(3)];
        match word {
            "D" => format!("LAN-D-{:04}", self.dice.roll(9)),
            word => format!("LAN-{word}-{}", self.dice.roll(6)),
        }
    }

    /// The path of a document that may or may not be there.
    fn path(&mut self) -> String {
        let (folder, _) = FOLDERS[self.dice.roll(3)];
        format!("{folder}/{:04}-x.md", self.dice.roll(6))
    }

    fn document(&mut self) -> String {
        let mut text = format!("---\nid: {}\n", self.identifier());
        for (key, values) in [
            ("status", &["draft", "current", "superseded", "gone", ""][..]),
            ("status_since", &["2026-01-02", "2026-03-01", "2027-01-01", "x"]),
            ("checked_on", &["2026-01-02", "2024-01-01"]),
            ("summary", &["one two three four five six", "One two three four five six", "s"]),
            ("team", &["queue", "billing", "nobody"]),
        ] {
            if self.dice.roll(5) > 0 {
                text.push_str(&format!("{key}: {}\n", self.dice.pick(values)));
            }
        }
        if self.dice.roll(3) > 0 {
            text.push_str("relations:\n");
            for relation in ["supersedes", "realizes", "governs", "clashes_with", "superseded_by"] {
                if self.dice.roll(3) > 0 {
                    continue;
                }
                let target = match relation {
                    "governs" => format!("src/{}.rs", self.dice.roll(3)),
                    _ => self.identifier(),
                };
                text.push_str(&format!("  {relation}:\n    - {target}\n"));
            }
        }
        text.push_str("---\n\n");
        for _ in 0..self.dice.roll(5) {
            let (path, line) = (self.path(), self.dice.roll(9));
            let paragraph = match self.dice.roll(7) {
                0 => format!("# {}", self.dice.pick(&["Scope", "Context", "Decision", "One"])),
                1 => format!("[x](/{path}#{})", self.dice.pick(&["scope", "one", "none"])),
                2 => "[m](/MANUAL.md) and [g](../gone.md)".to_owned(),
                3 => format!("`MANUAL.md:{line}` says \"the queue is drained by hand, always\"."),
                4 => "It will be drained, and it doesn't wait.".to_owned(),
                5 => format!(
                    "<!-- headwater allow=link.path.unresolved scope=file until=2026-0{}-01 reason=false_positive -->",
                    self.dice.roll(4) + 1
                ),
                _ => format!("[{}](/{path})", self.identifier()),
            };
            text.push_str(&format!("{paragraph}\n\n"));
        }
        text
    }

    /// One random edit, of the corpus or of what lies beside it.
    fn edit(&mut self) {
        let path = self.path();
        let at = |path: &str| self.root.path().join(path);
        match self.dice.roll(14) {
            0 => {
                let _ = fs::remove_file(at(&path));
            }
            1 => {
                let _ = fs::rename(at(&path), at(&path).with_file_name("0009-y.md"));
            }
            2 => self.write(&path, "---\nid: [\n---\n"),
            3 => {
                let file = format!("src/{}.rs", self.dice.roll(3));
                match self.dice.roll(2) {
                    0 => self.write(&file, self.dice.0.to_string().as_str()),
                    _ => drop(fs::remove_file(self.root.path().join(file))),
                }
            }
            4 => {
                let before = "\n".repeat(self.dice.roll(9));
                match self.dice.roll(3) {
                    0 => drop(fs::remove_file(self.root.path().join("MANUAL.md"))),
                    _ => self.write(
                        "MANUAL.md",
                        &format!("{before}The queue is drained by hand, always.\n"),
                    ),
                }
            }
            5 => {
                let claim = format!(".headwater/ids/decision_id/LAN-D-{:04}", self.dice.roll(9));
                match self.dice.roll(3) {
                    0 => drop(fs::remove_file(self.root.path().join(claim))),
                    _ => self.write(&claim, &format!("{path}\n")),
                }
            }
            6 => self.day = u32::try_from(self.dice.roll(150)).unwrap(),
            7 => self.write("handbook/loose.txt", self.dice.0.to_string().as_str()),
            _ => {
                let text = self.document();
                self.write(&path, &text);
            }
        }
    }
}

fn pool(threads: usize) -> ThreadPool {
    ThreadPoolBuilder::new().num_threads(threads).build().unwrap()
}

#[test]
fn the_same_bytes_cached_and_not_on_one_thread_and_on_sixteen() {
    let mut edited = Edited::new();
    let (one, sixteen) = (pool(1), pool(16));
    let mut said = std::collections::BTreeSet::new();
    for edit in 0..EDITS {
        edited.edit();
        let warm = sixteen.install(|| edited.check("json", &[]));
        let anew = one.install(|| edited.check("json", &["--no-cache"]));
        assert!(
            warm.status == 0 && anew.status == 0,
            "edit {edit}: {} {}",
            warm.stderr,
            anew.stderr
        );
        assert_eq!(warm.stdout, anew.stdout, "edit {edit}");
        if edit % 10 == 0 {
            for format in ["text", "sarif", "markdown", "github", "brief"] {
                let warm = one.install(|| edited.check(format, &[]));
                let anew = sixteen.install(|| edited.check(format, &["--no-cache"]));
                assert_eq!(warm.stdout, anew.stdout, "edit {edit}: {format}");
                assert!(warm.stderr.contains(" 0 evaluated, "), "edit {edit}: {}", warm.stderr);
            }
        }
        let (_, findings) = warm.stdout.split_once("\"findings\": [").unwrap();
        let rules = findings.lines().filter_map(|line| line.strip_prefix("      \"rule\": "));
        said.extend(rules.map(str::to_owned));
    }
    // Of many kinds, or the sameness would say little.
    assert!(said.len() > 20, "{said:#?}");
}
