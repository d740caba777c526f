//! What the benches share: a synthesised store, taking turns, and the table.

use std::fmt::Write as _;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant};

/// How many canvases a synthesised store has, unless its history is too short for that many.
const CANVASES: usize = 200;
/// How many nodes each has.
const NODES: usize = 40;
/// How often each line of the table is measured at the most; the median counts.
const ROUNDS: usize = 15;
/// How often at the least, and after how long a line that has that many rounds is done.
const ROUNDS_AT_LEAST: usize = 3;
const LONG_ENOUGH: Duration = Duration::from_secs(8);
/// The variable that narrows the run, such as `CANVAS_BENCH_SIZES=100,2000`.
const SIZES: &str = "CANVAS_BENCH_SIZES";
/// The argument under which the bench runs one command and reports its peak memory.
const MEASURE: &str = "--measure-memory-of";

/// The history lengths to measure.
pub fn sizes(default: &[usize]) -> Vec<usize> {
    match std::env::var(SIZES) {
        Ok(list) => {
            list.split(',').map(|size| size.trim().parse().expect("a number of commits")).collect()
        }
        Err(_) => default.to_vec(),
    }
}

/// Runs a command to its end.
pub fn run(mut command: Command) -> Output {
    command.output().unwrap_or_else(|error| panic!("{command:?}: {error}"))
}

/// How long a command takes, in seconds; it must succeed.
pub fn seconds(mut command: Command) -> f64 {
    command.stdout(Stdio::piped()).stderr(Stdio::piped()).stdin(Stdio::null());
    let start = Instant::now();
    let output = command.output().unwrap_or_else(|error| panic!("{command:?}: {error}"));
    let taken = start.elapsed().as_secs_f64();
    assert!(output.status.success(), "{command:?}: {}", String::from_utf8_lossy(&output.stderr));
    taken
}

/// Whether this process was started to measure one command's memory; it then has done so.
pub fn is_measurement() -> bool {
    let mut args = std::env::args_os().skip(1);
    if args.next().is_none_or(|first| first != MEASURE) {
        return false;
    }
    let program = args.next().expect("a program to measure");
    let status = Command::new(program)
        .args(args)
        .stdout(Stdio::null())
        .status()
        .expect("the measured program runs");
    assert!(status.success());
    let usage = nix::sys::resource::getrusage(nix::sys::resource::UsageWho::RUSAGE_CHILDREN)
        .expect("the system reports usage");
    println!("{}", usage.max_rss());
    true
}

/// The peak resident memory of one run of a command, in KiB.
pub fn peak_memory(command: &Command) -> u64 {
    let mut measure = Command::new(std::env::current_exe().expect("this program has a path"));
    measure.arg(MEASURE).arg(command.get_program()).args(command.get_args());
    for (key, value) in command.get_envs() {
        match value {
            Some(value) => measure.env(key, value),
            None => measure.env_remove(key),
        };
    }
    let output = run(measure);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8_lossy(&output.stdout).trim().parse().expect("a number of KiB")
}

/// A store with a long history, made with git alone.
pub struct Repository {
    root: tempfile::TempDir,
    commits: usize,
    graph: bool,
}

/// The id of node `node` of canvas `canvas`: every pair has its own.
fn node_id(canvas: usize, node: usize) -> String {
    const ALPHABET: &[u8; 31] = b"abcdefghjkmnpqrstuvwxyz23456789";
    let number = canvas * NODES + node;
    let digit = |place: u32| char::from(ALPHABET[number / 31_usize.pow(place) % 31]);
    format!("b{}{}{}", digit(2), digit(1), digit(0))
}

impl Repository {
    /// A store of `commits` edits over all canvases in turn, packed, with a commit-graph or without.
    pub fn synthesise(commits: usize, graph: bool) -> Repository {
        let root = tempfile::tempdir().expect("a temporary directory");
        let repository = Repository { root, commits, graph };
        let dir = repository.dir();
        std::fs::create_dir_all(&dir).expect("the canvas directory is made");
        let init = ["init", "-q", "-b", "main"];
        assert!(
            run({
                let mut command = repository.git();
                command.args(init);
                command
            })
            .status
            .success()
        );
        let mut import = repository.git();
        let mut child = import
            .args(["fast-import", "--quiet"])
            .stdin(Stdio::piped())
            .spawn()
            .expect("git fast-import starts");
        let stream = repository.stream();
        child.stdin.take().expect("a pipe").write_all(&stream).expect("git takes the stream");
        assert!(child.wait().expect("git ends").success());
        let mut steps: Vec<&[&str]> =
            vec![&["repack", "-a", "-d", "-q"], &["reset", "-q", "--hard"]];
        if graph {
            steps.push(&["commit-graph", "write", "--reachable", "--changed-paths"]);
        }
        for step in steps {
            let mut command = repository.git();
            command.args(step);
            assert!(run(command).status.success(), "{step:?}");
        }
        repository
    }

    fn stream(&self) -> Vec<u8> {
        let canvases = CANVASES.min(self.commits / 4);
        let mut versions = vec![[1_u32; NODES]; canvases];
        let mut out = Vec::new();
        let mut commit = |number: usize,
                          subject: &str,
                          trailers: &str,
                          canvas: usize,
                          content: &str| {
            let message = format!("{subject}\n\n{trailers}");
            let time = 1_700_000_000 + number;
            let _ = write!(
                out,
                "commit refs/heads/main\ncommitter b <b@localhost> {time} +0000\ndata {}\n{message}\n\
                 M 100644 inline c{canvas}.xml\ndata {}\n{content}\n",
                message.len(),
                content.len()
            );
        };
        for (canvas, versions) in versions.iter().enumerate() {
            let content = document(canvas, versions);
            let subject = format!("create c{canvas}: Canvas created, root only");
            commit(canvas, &subject, "Canvas-Author: bench | by-hand\n", canvas, &content);
        }
        for number in canvases..self.commits {
            let canvas = number % canvases;
            let node = (number / canvases - 1) % NODES;
            versions[canvas][node] += 1;
            let content = document(canvas, &versions[canvas]);
            let id = node_id(canvas, node);
            let subject = format!("replace {id}: reason number {number} for this edit");
            let trailers = format!(
                "Canvas-Node: {id}\nCanvas-Author: bench | by-hand\nCanvas-Base: {number:040x}\n"
            );
            commit(number, &subject, &trailers, canvas, &content);
        }
        out
    }

    /// Where the canvases are.
    pub fn dir(&self) -> PathBuf {
        self.root.path().join("state").join("canvas")
    }

    /// How the rows of this store are called.
    pub fn name(&self) -> String {
        let graph = if self.graph { ", commit-graph" } else { "" };
        format!("{} commits{graph}", self.commits)
    }

    /// The ids of a canvas's nodes.
    pub fn nodes(&self, canvas: &str) -> Vec<String> {
        let canvas: usize = canvas.trim_start_matches('c').parse().expect("a canvas of this store");
        (0..NODES).map(|node| node_id(canvas, node)).collect()
    }

    /// The head.
    pub fn head(&self) -> String {
        let mut command = self.git();
        command.args(["rev-parse", "HEAD"]);
        String::from_utf8_lossy(&run(command).stdout).trim().to_owned()
    }

    /// git, pinned to this store, with nobody's configuration.
    pub fn git(&self) -> Command {
        let mut command = Command::new("git");
        command.arg("--git-dir").arg(self.dir().join(".git")).arg("--work-tree").arg(self.dir());
        command.current_dir(self.root.path());
        command.env("GIT_CONFIG_GLOBAL", "/dev/null").env("GIT_CONFIG_NOSYSTEM", "1");
        for role in ["AUTHOR", "COMMITTER"] {
            command
                .env(format!("GIT_{role}_NAME"), "bench")
                .env(format!("GIT_{role}_EMAIL"), "b@localhost");
        }
        command
    }

    /// How many commits it was made with.
    pub fn commits(&self) -> usize {
        self.commits
    }

    /// `canvas`, on this store.
    pub fn canvas(&self, args: &[&str]) -> Command {
        let mut command = self.program(env!("CARGO_BIN_EXE_canvas"));
        command.args(args);
        command
    }

    /// A program under test, on this store.
    pub fn program(&self, path: &str) -> Command {
        let mut command = Command::new(path);
        command.env("OPENCLAW_WORKSPACE", self.root.path()).env("USER", "bench");
        command.env("GIT_CONFIG_GLOBAL", "/dev/null").env("GIT_CONFIG_NOSYSTEM", "1");
        command
    }
}

/// A file of the project's examples.
pub fn example(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples").join(name)
}

/// A checkout of `files` Markdown files of about eight kilobytes, one in 25 of which quotes another
/// beside its line numbers.
pub fn checkout(files: usize) -> tempfile::TempDir {
    let root = tempfile::tempdir().expect("a temporary directory");
    let line = |file: usize, line: usize| {
        format!("Line {line} of document {file} says that step {} follows step {line}.\n", line + 1)
    };
    for file in 0..files {
        let folder = root.path().join(format!("part{}", file % 20));
        std::fs::create_dir_all(&folder).expect("the folder is made");
        let mut text = format!("# Document {file}\n\n");
        for number in 3..130 {
            text.push_str(&line(file, number));
        }
        if file % 25 == 1 {
            let (other, number) = (file - 1, 40 + file % 50);
            let quoted = line(other, number);
            let path = format!("part{}/d{other}.md", other % 20);
            let _ = write!(text, "\nAs {path}:{number} has it, \"{}\".\n", quoted.trim());
        }
        std::fs::write(folder.join(format!("d{file}.md")), text).expect("the document is written");
    }
    root
}

fn document(canvas: usize, versions: &[u32; NODES]) -> String {
    let mut out = format!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<canvas ledger=\"c{canvas}\" schema=\"2\">\n"
    );
    for (node, v) in versions.iter().enumerate() {
        let id = node_id(canvas, node);
        let _ = writeln!(
            out,
            "  <text id=\"{id}\" v=\"{v}\">What node {node} says in its version {v}.</text>"
        );
    }
    out.push_str("</canvas>\n");
    out
}

/// The table of ratios.
pub struct Table {
    rows: Vec<[String; 6]>,
}

fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}

impl Table {
    /// A table without rows.
    pub fn new() -> Table {
        Table { rows: Vec::new() }
    }

    /// Measures `verb` and `floor` in turns and adds their medians and ratio.
    pub fn row(
        &mut self,
        store: &str,
        verb: &str,
        mut measured: impl FnMut() -> f64,
        floor: &str,
        mut beside: impl FnMut() -> f64,
    ) {
        let (mut ours, mut theirs) = (Vec::new(), Vec::new());
        let start = Instant::now();
        for round in 0..ROUNDS {
            if round >= ROUNDS_AT_LEAST && start.elapsed() > LONG_ENOUGH {
                break;
            }
            ours.push(measured());
            theirs.push(beside());
        }
        let (ours, theirs) = (median(ours), median(theirs));
        self.add([
            store.to_owned(),
            verb.to_owned(),
            format!("{:.2} ms", ours * 1e3),
            floor.to_owned(),
            format!("{:.2} ms", theirs * 1e3),
            format!("{:.2}", ours / theirs),
        ]);
    }

    /// Adds the peak memory of a verb.
    pub fn memory(&mut self, store: &str, verb: &str, kib: u64) {
        let mib = format!("{:.1} MiB", kib as f64 / 1024.0);
        self.add([
            store.to_owned(),
            format!("{verb}, peak memory"),
            mib,
            "64 MiB".into(),
            String::new(),
            format!("{:.2}", kib as f64 / 65536.0),
        ]);
    }

    fn add(&mut self, row: [String; 6]) {
        println!("| {} |", row.join(" | "));
        self.rows.push(row);
    }

    /// Prints the whole table and keeps it in `benches/results/<name>.md`.
    pub fn print_and_keep(&self, name: &str) {
        let mut out = format!(
            "# {name}\n\nMedians of {ROUNDS_AT_LEAST} to {ROUNDS} runs of whole processes; floor and verb took turns.\n\n"
        );
        out.push_str(
            "| store | verb | median | floor | median | ratio |\n|---|---|---|---|---|---|\n",
        );
        for row in &self.rows {
            let _ = writeln!(out, "| {} |", row.join(" | "));
        }
        let results = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../benches/results");
        std::fs::create_dir_all(&results).expect("the results' folder is made");
        std::fs::write(results.join(format!("{name}.md")), &out).expect("the table is kept");
        println!("\n{out}");
    }
}
