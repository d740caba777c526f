//! What one process costs: wall time, processor time, peak memory.

use std::process::{Command, Stdio};
use std::time::Instant;

use nix::sys::resource::{UsageWho, getrusage};
use nix::sys::time::TimeValLike as _;

/// The argument under which this program runs one command and tells what it cost. It is a process of its
/// own, so that nothing else that was ever run counts.
const MEASURE: &str = "--measure";

/// What a process cost.
#[derive(Clone, Debug)]
pub struct Cost {
    /// From start to end, in milliseconds.
    pub wall: f64,
    /// User and system time of all threads, in milliseconds.
    pub cpu: f64,
    /// Peak resident memory, in KiB.
    pub memory: u64,
    /// What it said on standard error.
    pub said: String,
}

impl Cost {
    /// Runs a command to its end; it must answer yes or no.
    pub fn of(command: &Command) -> Self {
        let mut measure = Command::new(std::env::current_exe().expect("this program has a path"));
        measure.arg(MEASURE).arg(command.get_program()).args(command.get_args());
        let output = measure.stdin(Stdio::null()).output().expect("this program runs");
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(output.status.success(), "{command:?}: {said}");
        let told = String::from_utf8_lossy(&output.stdout).into_owned();
        let mut numbers = told.split_whitespace();
        let mut next = || numbers.next().expect("three numbers");
        let number = |text: &str| text.parse().expect("a number");
        let (wall, cpu) = (number(next()), number(next()));
        Self { wall, cpu, memory: next().parse().expect("a number of KiB"), said }
    }

    /// Measures, where this process was started for that.
    pub fn asked() -> bool {
        let mut arguments = std::env::args_os().skip(1);
        if arguments.next().is_none_or(|first| first != MEASURE) {
            return false;
        }
        let mut command = Command::new(arguments.next().expect("a program to measure"));
        command.args(arguments).stdin(Stdio::null()).stdout(Stdio::null());
        let start = Instant::now();
        let status = command.status().expect("the measured program runs");
        let wall = start.elapsed().as_secs_f64() * 1e3;
        // A well-formed no, such as that of a gate, took as long as a yes.
        assert!(matches!(status.code(), Some(0 | 1)), "{command:?}: {status}");
        let usage = getrusage(UsageWho::RUSAGE_CHILDREN).expect("the system reports usage");
        let cpu = usage.user_time() + usage.system_time();
        println!("{wall} {} {}", cpu.num_microseconds() as f64 / 1e3, usage.max_rss());
        true
    }
}

/// The medians of several costs; memory is the largest.
pub fn median(costs: &[Cost]) -> Cost {
    let middle = |of: fn(&Cost) -> f64| {
        let mut all: Vec<f64> = costs.iter().map(of).collect();
        all.sort_by(f64::total_cmp);
        all[all.len() / 2]
    };
    Cost {
        wall: middle(|cost| cost.wall),
        cpu: middle(|cost| cost.cpu),
        memory: costs.iter().map(|cost| cost.memory).max().unwrap_or_default(),
        said: costs.last().map(|cost| cost.said.clone()).unwrap_or_default(),
    }
}
