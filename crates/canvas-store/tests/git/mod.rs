//! What the comparisons with git share: git without a user's configuration, a repository made in
//! one process, and random input that is the same in every run.

use std::fs;
use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};

use tempfile::TempDir;

/// A small generator; one seed always gives one sequence.
pub struct Random(pub u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// A number from 0 to `bound`, which is not among them.
    pub fn below(&mut self, bound: usize) -> usize {
        (self.next() % bound as u64) as usize
    }

    /// One of `from`.
    pub fn pick<T: Copy>(&mut self, from: &[T]) -> T {
        from[self.below(from.len())]
    }
}

/// Git in `directory`, with no configuration but its own defaults.
pub fn git(directory: &Path) -> Command {
    let mut command = Command::new("git");
    command.current_dir(directory);
    for (name, _) in std::env::vars_os() {
        if name.to_string_lossy().starts_with("GIT_") {
            command.env_remove(name);
        }
    }
    command
        .env("GIT_CONFIG_GLOBAL", if cfg!(windows) { "NUL" } else { "/dev/null" })
        .env("GIT_CONFIG_NOSYSTEM", "1")
        .env("LC_ALL", "C");
    command
}

/// Runs `command` with `input` on its standard input; its standard output.
pub fn run(command: &mut Command, input: &[u8]) -> Vec<u8> {
    let mut child =
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().expect("git starts");
    let mut stdin = child.stdin.take().expect("a pipe");
    let output = std::thread::scope(|scope| {
        scope.spawn(move || stdin.write_all(input).expect("git reads its input"));
        child.wait_with_output().expect("git ends")
    });
    assert!(output.status.success(), "{command:?}");
    output.stdout
}

/// A bare repository with commits, made by one `git fast-import`.
pub struct Commits {
    directory: TempDir,
    stream: Vec<u8>,
    count: usize,
}

impl Commits {
    pub fn new() -> Self {
        let directory = tempfile::tempdir().expect("a temporary directory");
        run(git(directory.path()).args(["init", "-q", "--bare", "."]), b"");
        Commits { directory, stream: Vec::new(), count: 0 }
    }

    /// Lets the next commit be one without a parent.
    pub fn start_branch(&mut self) {
        self.stream.extend_from_slice(b"reset refs/heads/b\n");
    }

    /// Adds a commit with this message; `change` is what fast-import calls a file change, or empty.
    pub fn add(&mut self, message: &[u8], change: &[u8]) {
        self.count += 1;
        let (mark, length) = (self.count, message.len());
        let head = format!("commit refs/heads/b\nmark :{mark}\ncommitter a <a> {mark} +0000\n");
        self.stream.extend_from_slice(format!("{head}data {length}\n").as_bytes());
        for part in [message, b"\n", change] {
            self.stream.extend_from_slice(part);
        }
    }

    /// What `git log` with these arguments prints for all commits, in the order of their addition.
    pub fn log(self, arguments: &[&str]) -> Vec<u8> {
        let path = self.directory.path();
        let import = ["fast-import", "--quiet", "--export-marks=marks"];
        run(git(path).args(import), &self.stream);
        let marks = fs::read_to_string(path.join("marks")).expect("marks");
        let mut ids = vec![""; self.count];
        for line in marks.lines() {
            let (mark, id) = line[1..].split_once(' ').expect("a mark");
            ids[mark.parse::<usize>().expect("a number") - 1] = id;
        }
        let log = ["log", "--no-walk=unsorted", "--stdin"];
        run(git(path).args(log).args(arguments), ids.join("\n").as_bytes())
    }
}
