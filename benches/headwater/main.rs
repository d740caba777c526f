//! What `headwater check` costs beside what reading the same corpus costs at the very least, both
//! measured in this run (docs: benches/README.md).
//!
//! Every figure is of a whole process, start to end. What is measured and its floor take turns, so that
//! whatever else the machine does falls on both.

// A bench that cannot run has nothing to report, and what it reports it prints.
#![allow(
    clippy::expect_used,
    clippy::panic,
    clippy::print_stdout,
    clippy::indexing_slicing,
    reason = "a bench that cannot run stops"
)]

mod corpus;
mod floor;
mod measure;

use std::fmt::Write as _;
use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

use corpus::Corpus;
use floor::{FLOOR, Floor};
use measure::{Cost, median};

/// The variable that narrows the run, such as `HEADWATER_BENCH_SIZES=1000,10000`.
const SIZES: &str = "HEADWATER_BENCH_SIZES";
/// The variable that names repositories with a lock, separated as search paths are.
const CORPORA: &str = "HEADWATER_BENCH_CORPORA";
/// How often each line is measured: at least and at most, and how long until the least is enough.
const ROUNDS: (usize, usize) = (3, 15);
const LONG_ENOUGH: Duration = Duration::from_secs(20);

fn main() {
    if Floor::asked() || Cost::asked() {
        return;
    }
    let mut table = Table::default();
    for size in sizes() {
        measure(&mut table, &Corpus::made(size));
    }
    match std::env::var_os(CORPORA) {
        Some(list) => {
            for root in std::env::split_paths(&list) {
                measure(&mut table, &Corpus::given(&root));
            }
        }
        None => table.note = format!("No real corpora: `{CORPORA}` names none."),
    }
    table.keep();
}

/// The numbers of documents to measure.
fn sizes() -> Vec<usize> {
    match std::env::var(SIZES) {
        Ok(list) => list
            .split(',')
            .map(|size| size.trim().parse().expect("a number of documents"))
            .collect(),
        Err(_) => vec![1_000, 10_000, 100_000],
    }
}

fn measure(table: &mut Table, corpus: &Corpus) {
    let check = || corpus.headwater(&["check", "--now", "2026-06-01"]);
    let floor = |floor: Floor| {
        let mut command = Command::new(std::env::current_exe().expect("this program has a path"));
        command.arg(FLOOR).arg(floor.word()).arg(corpus.root());
        command
    };
    let cold = || {
        corpus.forget();
        Cost::of(&check())
    };
    let warm = || Cost::of(&check());
    let edited = || {
        corpus.edit();
        Cost::of(&check())
    };
    let (parse, hash) = (floor(Floor::Parse), floor(Floor::Hash));
    table.row(&corpus.name, "cold", cold, "read + SHA-256 + parse", || Cost::of(&parse));
    table.row(&corpus.name, "warm", warm, "read + SHA-256", || Cost::of(&hash));
    // After an edit the next run is warm again, so the two take turns.
    table.row(&corpus.name, "one document edited", edited, "warm", warm);

    let beside = tempfile::tempdir().expect("a temporary directory");
    let manifest = corpus.change(beside.path());
    let stated = || Cost::of(check().arg("--change").arg(&manifest));
    stated();
    table.row(&corpus.name, "one document stated in a change", stated, "warm", warm);
    let read_set = beside.path().join("read-set");
    Cost::of(check().arg("--read-set").arg(&read_set));
    let gate = || {
        let mut command = corpus.headwater(&["gate", "--now", "2026-06-01"]);
        Cost::of(command.arg("--read-set").arg(&read_set))
    };
    table.row(&corpus.name, "gate", gate, "read + SHA-256", || Cost::of(&hash));
    let diff = || Cost::of(check().args(["--fix", "--diff"]));
    table.row(&corpus.name, "check --fix --diff", diff, "warm", warm);
}

/// The table of ratios.
#[derive(Default)]
struct Table {
    rows: Vec<String>,
    note: String,
}

const HEAD: &str = "\
| corpus | run | instances | wall | CPU | peak memory | floor | wall | CPU | wall ratio | CPU ratio |
|---|---|---|---|---|---|---|---|---|---|---|
";

impl Table {
    /// Measures a run and its floor in turns.
    fn row(
        &mut self,
        corpus: &str,
        run: &str,
        mut measured: impl FnMut() -> Cost,
        floor: &str,
        mut beside: impl FnMut() -> Cost,
    ) {
        let (mut ours, mut theirs) = (Vec::new(), Vec::new());
        let start = Instant::now();
        for round in 0..ROUNDS.1 {
            if round >= ROUNDS.0 && start.elapsed() > LONG_ENOUGH {
                break;
            }
            ours.push(measured());
            theirs.push(beside());
        }
        let (ours, theirs) = (median(&ours), median(&theirs));
        let row = format!(
            "| {corpus} | {run} | {} | {:.0} ms | {:.0} ms | {:.0} MiB | {floor} | {:.0} ms | {:.0} ms | {:.2} | {:.2} |",
            instances(&ours.said),
            ours.wall,
            ours.cpu,
            ours.memory as f64 / 1024.0,
            theirs.wall,
            theirs.cpu,
            ours.wall / theirs.wall,
            ours.cpu / theirs.cpu,
        );
        println!("{row}");
        self.rows.push(row);
    }

    /// Prints the whole table and keeps it under `benches/results/`.
    fn keep(&self) {
        let mut out = format!(
            "# headwater\n\nMedians of {} to {} runs of whole processes; run and floor took turns. {}\n\n{HEAD}",
            ROUNDS.0, ROUNDS.1, self.note
        );
        for row in &self.rows {
            let _ = writeln!(out, "{row}");
        }
        let results = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../benches/results");
        std::fs::create_dir_all(&results).expect("the results' folder is made");
        std::fs::write(results.join("headwater.md"), &out).expect("the table is kept");
        println!("\n{out}");
    }
}

/// How many instances a run had: the sum of those that were served, evaluated and not keyed. A fast run
/// that judged less is no fast run.
fn instances(said: &str) -> usize {
    let line = said.lines().find(|line| line.contains(" served from cache, "));
    let words = line.unwrap_or_default().split_whitespace();
    words.filter_map(|word| word.parse::<usize>().ok()).sum()
}
