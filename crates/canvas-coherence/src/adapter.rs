//! The adapter as a process, held to its limits whatever it does (canvas-projections §§7.4, 7.5).
//!
//! It is started as given, without a shell, in a process group of its own. One thread writes the
//! request, two read the streams, one waits for the process; this thread waits for them no longer than
//! the deadline. At the end, a good one too, the whole group is killed while its leader is not yet
//! reaped, so that the number of the group can mean nobody else. A thread whose pipe was carried out
//! of the group is left behind rather than waited for.
//!
//! If this program itself is killed, the adapter loses both its readers; nothing it says is used.

use std::ffi::OsString;
use std::fmt;
use std::io::{self, Read, Write};
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use canvas_store::os::without_git_variables;

use canvas_store::os;
use canvas_store::refusal::{Subject, escape};
use rustix::process::{Pid, Signal, WaitId, WaitIdOptions, kill_process_group, waitid};

/// How long a killed process may take to be gone, and its last words to be read.
const GRACE: Duration = Duration::from_secs(2);

/// What one adapter is allowed.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct Limits {
    /// From its start until it has ended and all of its answer is read, for its whole process group.
    pub wall: Duration,
    /// Bytes of standard output; one more is a failure.
    pub stdout: usize,
    /// Bytes of standard error that are kept; the rest is read and dropped.
    pub stderr: usize,
}

impl Default for Limits {
    /// Sixty seconds, 16 MiB and 1 MiB.
    fn default() -> Limits {
        Limits { wall: Duration::from_secs(60), stdout: 16 << 20, stderr: 1 << 20 }
    }
}

/// Why there is no answer.
#[derive(Debug)]
pub(crate) enum Failure {
    /// It could not be started.
    Start(io::Error),
    /// It, or what it started, was not done in time.
    TimedOut(Duration, Said),
    /// It wrote more to standard output than it may.
    TooMuch(usize, Said),
    /// It ended and did not succeed.
    Ended(ExitStatus, Said),
    /// Its output, or its end, could not be had.
    Lost(io::Error, Said),
}

/// What an adapter wrote to standard error.
#[derive(Debug, Default)]
pub(crate) struct Said {
    text: String,
    cut: bool,
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Failure::Start(error) => {
                write!(f, "the model adapter could not be started: {}", os::words(error))
            }
            Failure::TimedOut(wall, _) => write!(
                f,
                "the model adapter timed out: it, or a process it started, had not ended after {} seconds",
                wall.as_secs_f64()
            ),
            Failure::TooMuch(most, _) => {
                write!(f, "the model adapter wrote more than {most} bytes to standard output")
            }
            Failure::Ended(status, _) => match (status.code(), status.signal()) {
                (Some(code), _) => write!(f, "the model adapter ended with exit status {code}"),
                (_, Some(signal)) => write!(f, "the model adapter was ended by signal {signal}"),
                _ => write!(f, "the model adapter ended without a status"),
            },
            Failure::Lost(error, _) => {
                write!(f, "the answer of the model adapter could not be read: {}", os::words(error))
            }
        }
    }
}

impl Failure {
    /// The system's error, when one is behind it.
    pub(crate) fn errno(&self) -> Option<Subject> {
        match self {
            Failure::Start(error) | Failure::Lost(error, _) => {
                Some(Subject::about("errno", os::errno_value(error)))
            }
            _ => None,
        }
    }

    /// What it wrote to standard error, line by line, indented and escaped so that no line can be
    /// taken for a label.
    pub(crate) fn quoted(&self) -> Vec<String> {
        let said = match self {
            Failure::Start(_) => return Vec::new(),
            Failure::TimedOut(_, said)
            | Failure::TooMuch(_, said)
            | Failure::Ended(_, said)
            | Failure::Lost(_, said) => said,
        };
        let mut lines: Vec<String> =
            said.text.trim().lines().map(|line| format!("    {}", escape(line))).collect();
        if said.cut {
            lines.push(String::from("    (and more)"));
        }
        lines
    }
}

/// What the threads tell.
enum Event {
    /// Standard output ended, or has more than it may.
    Output(io::Result<Option<Vec<u8>>>),
    /// Standard error ended.
    Error,
    /// The process ended, and whether with success.
    Exit(io::Result<bool>),
}

/// Runs the adapter with `request` on its standard input; its standard output when it succeeds.
pub(crate) fn run(
    command: &[OsString],
    request: Vec<u8>,
    limits: &Limits,
) -> Result<Vec<u8>, Failure> {
    let deadline = Instant::now() + limits.wall;
    let mut child = start(command).map_err(Failure::Start)?;
    let (sender, events) = channel();
    let kept = Arc::new(Mutex::new(Vec::new()));
    let attended = attend(&mut child, request, limits, &sender, &kept);
    drop(sender);
    let heard = match attended {
        Ok(()) => listen(&events, deadline),
        Err(error) => Err(Stop::Lost(error)),
    };
    let status = end(&mut child);
    if let (Ok(output), Ok(status)) = (&heard, &status)
        && status.success()
    {
        return Ok(output.clone());
    }
    let said = last_words(&events, &kept, limits.stderr);
    Err(match (heard, status) {
        (Err(Stop::Deadline), _) => Failure::TimedOut(limits.wall, said),
        (Err(Stop::TooMuch), _) => Failure::TooMuch(limits.stdout, said),
        (Err(Stop::Lost(error)), _) | (_, Err(error)) => Failure::Lost(error, said),
        (_, Ok(status)) => Failure::Ended(status, said),
    })
}

/// Starts the process: as given, in its own group, without what leads to the store.
fn start(command: &[OsString]) -> io::Result<Child> {
    let Some((program, arguments)) = command.split_first() else {
        return Err(io::Error::from(io::ErrorKind::InvalidInput));
    };
    let mut command = Command::new(program);
    command.args(arguments).process_group(0);
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    without_git_variables(command.env_remove("OPENCLAW_WORKSPACE")).spawn()
}

/// Sets a thread on each thing the process does.
fn attend(
    child: &mut Child,
    request: Vec<u8>,
    limits: &Limits,
    sender: &Sender<Event>,
    kept: &Arc<Mutex<Vec<u8>>>,
) -> io::Result<()> {
    let spawn = |work: Box<dyn FnOnce() + Send>| thread::Builder::new().spawn(work).map(drop);
    if let Some(mut stdin) = child.stdin.take() {
        // An adapter need not read its request; closing it early is no failure by itself.
        spawn(Box::new(move || drop(stdin.write_all(&request))))?;
    }
    if let Some(stdout) = child.stdout.take() {
        let (sender, most) = (sender.clone(), limits.stdout);
        spawn(Box::new(move || {
            let mut bytes = Vec::new();
            let read = stdout.take(most as u64 + 1).read_to_end(&mut bytes);
            let whole = read.map(|_| (bytes.len() <= most).then_some(bytes));
            let _ = sender.send(Event::Output(whole));
        }))?;
    }
    if let Some(stderr) = child.stderr.take() {
        let (sender, kept, most) = (sender.clone(), Arc::clone(kept), limits.stderr);
        spawn(Box::new(move || {
            keep(stderr, &kept, most);
            let _ = sender.send(Event::Error);
        }))?;
    }
    let (sender, pid) = (sender.clone(), Pid::from_child(child));
    spawn(Box::new(move || {
        let _ = sender.send(Event::Exit(exit_of(pid)));
    }))
}

/// Reads a stream to its end and keeps one byte more than `most` of it at most.
fn keep(mut stream: impl Read, kept: &Mutex<Vec<u8>>, most: usize) {
    let mut buffer = [0; 8192];
    loop {
        match stream.read(&mut buffer) {
            Ok(0) => return,
            Ok(count) => {
                let mut kept = kept.lock().unwrap_or_else(PoisonError::into_inner);
                let room = (most + 1).saturating_sub(kept.len());
                kept.extend_from_slice(&buffer[..count.min(room)]);
            }
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(_) => return,
        }
    }
}

/// Waits for the process to end and leaves it to be reaped; whether it succeeded.
fn exit_of(pid: Pid) -> io::Result<bool> {
    loop {
        match waitid(WaitId::Pid(pid), WaitIdOptions::EXITED | WaitIdOptions::NOWAIT) {
            Ok(status) => return Ok(status.is_some_and(|s| s.exit_status() == Some(0))),
            Err(rustix::io::Errno::INTR) => {}
            Err(error) => return Err(error.into()),
        }
    }
}

/// Why listening stopped without a whole answer.
enum Stop {
    Deadline,
    TooMuch,
    Lost(io::Error),
}

/// Takes events until the process has ended and its output is whole; an end without success needs
/// no output.
fn listen(events: &Receiver<Event>, deadline: Instant) -> Result<Vec<u8>, Stop> {
    let mut output = None;
    let mut ended = false;
    loop {
        if ended && let Some(output) = output {
            return Ok(output);
        }
        match events.recv_timeout(deadline.saturating_duration_since(Instant::now())) {
            Ok(Event::Output(Ok(Some(bytes)))) => output = Some(bytes),
            Ok(Event::Output(Ok(None))) => return Err(Stop::TooMuch),
            Ok(Event::Output(Err(error)) | Event::Exit(Err(error))) => {
                return Err(Stop::Lost(error));
            }
            Ok(Event::Exit(Ok(true))) => ended = true,
            Ok(Event::Exit(Ok(false))) => return Ok(output.unwrap_or_default()),
            Ok(Event::Error) => {}
            Err(RecvTimeoutError::Timeout | RecvTimeoutError::Disconnected) => {
                return Err(Stop::Deadline);
            }
        }
    }
}

/// Kills the group and reaps its leader.
fn end(child: &mut Child) -> io::Result<ExitStatus> {
    // Either fails when nobody is left, which is what they are for.
    let _ = kill_process_group(Pid::from_child(child), Signal::KILL);
    let _ = child.kill();
    let deadline = Instant::now() + GRACE;
    loop {
        if let Some(status) = child.try_wait()? {
            return Ok(status);
        }
        if Instant::now() >= deadline {
            return Err(io::Error::from(io::ErrorKind::TimedOut));
        }
        thread::sleep(Duration::from_millis(2));
    }
}

/// What was written to standard error. Its reader is given a moment to take the rest; no sender is
/// left when every reader is done.
fn last_words(events: &Receiver<Event>, kept: &Mutex<Vec<u8>>, most: usize) -> Said {
    let deadline = Instant::now() + GRACE;
    let left = || deadline.saturating_duration_since(Instant::now());
    while let Ok(event) = events.recv_timeout(left()) {
        if matches!(event, Event::Error) {
            break;
        }
    }
    let kept = kept.lock().unwrap_or_else(PoisonError::into_inner);
    let cut = kept.len() > most;
    Said { text: String::from_utf8_lossy(&kept[..kept.len().min(most)]).into_owned(), cut }
}
