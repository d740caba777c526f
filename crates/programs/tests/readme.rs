//! The `console` blocks of README.md and of the quickstart, run in order in one shell each: what they
//! show is what happens. The shell stands where `examples` is the one of this repository.
//!
//! Ids and shas differ from run to run, so a word that is one is compared by where it came from: it
//! must stand wherever the README repeats it. With `UPDATE_DOCS=1` the blocks are written anew.

#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test fails by panicking")]

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

/// A shell in a fresh directory with the programs on its search path.
struct Shell {
    child: Child,
    _place: tempfile::TempDir,
}

impl Shell {
    fn new() -> Shell {
        let place = tempfile::tempdir().unwrap();
        let examples = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples");
        std::os::unix::fs::symlink(examples, place.path().join("examples")).unwrap();
        let bin = Path::new(env!("CARGO_BIN_EXE_canvas")).parent().unwrap();
        let path = format!("{}:{}", bin.display(), std::env::var("PATH").unwrap());
        let child = Command::new("sh")
            .current_dir(place.path())
            .env_clear()
            .env("PATH", path)
            .env("HOME", place.path())
            .env("USER", "ann")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        Shell { child, _place: place }
    }

    /// Everything the command prints on both streams.
    fn run(&mut self, command: &str) -> Vec<String> {
        let script = format!("{{ {command}\n}} 2>&1; printf '\\001\\n'\n");
        self.child.stdin.as_mut().unwrap().write_all(script.as_bytes()).unwrap();
        // The shell writes nothing between two commands, so nothing is lost in the buffer.
        let lines = BufReader::new(self.child.stdout.as_mut().unwrap()).lines();
        lines.map(Result::unwrap).take_while(|line| line != "\u{1}").collect()
    }
}

impl Drop for Shell {
    fn drop(&mut self) {
        drop(self.child.stdin.take());
        self.child.wait().unwrap();
    }
}

/// The runs of letters and digits of a line, and what stands between them.
fn tokens(line: &str) -> Vec<&str> {
    let mut tokens = Vec::new();
    let mut start = 0;
    let kinds: Vec<(usize, bool)> =
        line.char_indices().map(|(at, c)| (at, c.is_alphanumeric())).collect();
    for pair in kinds.windows(2) {
        if pair[0].1 != pair[1].1 {
            tokens.push(&line[start..pair[1].0]);
            start = pair[1].0;
        }
    }
    tokens.push(&line[start..]);
    tokens
}

/// Which word of this run stands where the README has another.
#[derive(Default)]
struct Renamed(BTreeMap<String, String>);

impl Renamed {
    fn in_this_run(&self, text: &str) -> String {
        let renamed = |token| self.0.get(token).map_or(token, String::as_str);
        tokens(text).into_iter().map(renamed).collect()
    }

    /// Whether the two lines say the same. New words are learnt where a program introduces them.
    fn same(&mut self, readme: &str, now: &str) -> bool {
        let (readme_tokens, now_tokens) = (tokens(readme), tokens(now));
        readme_tokens.len() == now_tokens.len()
            && readme_tokens.into_iter().zip(now_tokens).all(|(old, new)| {
                let known = self.0.get(old).map_or(old, String::as_str);
                if known == new {
                    return true;
                }
                let introduced =
                    !self.0.contains_key(old) && introduces(readme, old) && introduces(now, new);
                if introduced {
                    self.0.insert(old.to_owned(), new.to_owned());
                }
                introduced
            })
    }
}

/// Whether a word of this line may be another in the next run: a sha, or a node id after its label.
fn introduces(line: &str, word: &str) -> bool {
    let hex = word.bytes().all(|byte| byte.is_ascii_hexdigit());
    let labels = ["Canvas-Node: ", "Canvas-Problem: ", "Canvas-Expected-Value: "];
    (hex && word.len() == 40)
        || (hex && word.len() == 7 && line.starts_with("index "))
        || (word.len() == 4 && labels.iter().any(|label| line.starts_with(label)))
}

#[test]
fn the_readme_shows_what_happens() {
    shows_what_happens("README.md");
}

#[test]
fn the_quickstart_shows_what_happens() {
    shows_what_happens("docs/quickstart-headwater.md");
}

fn shows_what_happens(page: &str) {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../..").join(page);
    let before = std::fs::read_to_string(&path).unwrap();
    let update = std::env::var_os("UPDATE_DOCS").is_some();
    let mut shell = Shell::new();
    let mut renamed = Renamed::default();
    let mut after = String::new();
    let mut lines = before.lines().peekable();
    let (mut in_block, mut commands, mut drifted) = (false, 0, false);
    while let Some(line) = lines.next() {
        let here = if in_block { renamed.in_this_run(line) } else { line.to_owned() };
        after.push_str(&format!("{here}\n"));
        if line.starts_with("```") {
            in_block = line == "```console";
        }
        let Some(first) = line.strip_prefix("$ ").filter(|_| in_block) else { continue };
        let mut command = first.to_owned();
        while command.ends_with('\\') {
            let more = lines.next().unwrap();
            after.push_str(&renamed.in_this_run(more));
            after.push('\n');
            command = format!("{command}\n{more}");
        }
        commands += 1;
        let printed = shell.run(&renamed.in_this_run(&command));
        let mut shown = Vec::new();
        while let Some(line) =
            lines.next_if(|line| !line.starts_with("$ ") && !line.starts_with("```"))
        {
            shown.push(line);
        }
        let same = shown.len() == printed.len()
            && shown.iter().zip(&printed).all(|(old, new)| renamed.same(old, new));
        drifted |= !same;
        assert!(
            same || update,
            "{page} shows\n{}\nand this happens (`make docs` writes it):\n{}",
            shown.join("\n"),
            printed.join("\n")
        );
        after.extend(printed.iter().map(|line| format!("{line}\n")));
    }
    assert!(commands >= 5, "only {commands} commands were found");
    // New ids alone are no reason to touch the file.
    if drifted {
        std::fs::write(&path, after).unwrap();
    }
}
