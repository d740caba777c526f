//! The `canvas-validate` program (canvas-store §6): every file judged, in order; the first that
//! cannot be examined ends the run.

use std::ffi::OsString;
use std::fs::{File, Metadata, OpenOptions};
use std::io::{self, Read};
use std::os::unix::fs::{FileTypeExt, OpenOptionsExt};
use std::path::Path;

use canvas_document::{BYTES, Verdict};
use canvas_store::os::{self, Act};
use canvas_store::refusal::{Exit, Next, Program, Refusal, Subject, VALIDATE, shell_quote};

use crate::answer::Answer;
use crate::process::{Failure, Tool, no_answer};

/// `canvas-validate`, for [`crate::process::main`].
pub const TOOL: Tool = Tool { program: Program::validate, run, failed };

const USAGE: &str = "usage: canvas-validate FILE [FILE ...]";

/// Judges every file that the arguments (without `argv[0]`) name. There are no options.
pub fn run(arguments: &[OsString]) -> Answer {
    match judge(arguments) {
        Ok(()) => Answer::default(),
        Err(refusal) => refusal.into(),
    }
}

fn judge(arguments: &[OsString]) -> Result<(), Refusal> {
    if arguments.is_empty() {
        let next = Next::new(format!("name at least one file: `{VALIDATE} FILE [FILE ...]`"));
        let about = Subject::about("argument", "FILE");
        return Err(Refusal::new(Exit::Tool, "no file was given", about, next).detail(USAGE));
    }
    let mut faulty: Vec<(&str, Verdict)> = Vec::new();
    for argument in arguments {
        let path = argument.to_str().ok_or_else(|| not_utf8(argument))?;
        let verdict = canvas_document::validate(path, &content(path)?);
        if verdict != Verdict::Valid && faulty.iter().all(|(known, _)| *known != path) {
            faulty.push((path, verdict));
        }
    }
    if faulty.is_empty() { Ok(()) } else { Err(not_valid(&faulty)) }
}

fn file(path: &str) -> Subject {
    Subject::about("file", path)
}

fn not_valid(faulty: &[(&str, Verdict)]) -> Refusal {
    let paths: Vec<&str> = faulty.iter().map(|(path, _)| *path).collect();
    let diagnostics = || faulty.iter().flat_map(|(_, verdict)| verdict.diagnostics());
    let drawing = diagnostics().find_map(|diagnostic| diagnostic.advice.as_deref());
    let drawing = drawing.map_or(String::new(), |advice| format!("in a drawing {advice}; "));
    let quoted = paths.iter().map(|path| shell_quote(path)).collect::<Vec<_>>().join(" ");
    let next = Next::new(format!(
        "repair each file at the nodes the lines above name; {drawing}then re-run \
         `{VALIDATE} {quoted}`. What a canvas may hold is written in schema/canvas.rng"
    ));
    let message = format!("not a valid canvas: {}", paths.join(", "));
    let first = file(paths.first().copied().unwrap_or_default());
    let refusal = Refusal::new(Exit::Conflict, message, first, next)
        .and_all(paths.iter().map(|path| file(path)));
    diagnostics().fold(refusal, |refusal, diagnostic| refusal.detail(diagnostic.to_string()))
}

fn not_utf8(argument: &OsString) -> Refusal {
    let shown = argument.to_string_lossy();
    Refusal::new(
        Exit::Tool,
        format!("a file name is not valid UTF-8: {shown}"),
        file(&shown),
        Next::new("rename the file, or reach it by a path that is UTF-8, and re-run"),
    )
}

/// The bytes of a regular file, and at most one more than a canvas may have. Nothing that could
/// block is opened.
fn content(path: &str) -> Result<Vec<u8>, Refusal> {
    let target = Path::new(path);
    only_a_file(path, &std::fs::metadata(target).map_err(|error| cannot_look(path, &error))?)?;
    let opened = open(target).map_err(|error| cannot_read(path, &error))?;
    // What stood there may have been exchanged since the look.
    only_a_file(path, &opened.metadata().map_err(|error| cannot_look(path, &error))?)?;
    let mut bytes = Vec::new();
    let most = BYTES as u64 + 1;
    opened.take(most).read_to_end(&mut bytes).map_err(|error| cannot_read(path, &error))?;
    Ok(bytes)
}

fn open(path: &Path) -> io::Result<File> {
    let flags = rustix::fs::OFlags::NONBLOCK.bits() as i32;
    OpenOptions::new().read(true).custom_flags(flags).open(path)
}

fn only_a_file(path: &str, metadata: &Metadata) -> Result<(), Refusal> {
    let kind = metadata.file_type();
    let what = match () {
        () if kind.is_file() => return Ok(()),
        () if kind.is_dir() => "a directory",
        () if kind.is_fifo() => "a named pipe",
        () if kind.is_socket() => "a socket",
        () if kind.is_block_device() => "a block device",
        () if kind.is_char_device() => "a character device",
        () => "no regular file",
    };
    Err(Refusal::new(
        Exit::Tool,
        format!("not a file but {what}: {path}"),
        file(path),
        Next::new("name the canvas file itself, one `.xml` file for each canvas"),
    ))
}

fn cannot_look(path: &str, error: &io::Error) -> Refusal {
    if error.kind() != io::ErrorKind::NotFound {
        let lead = "cannot tell whether there is a canvas file";
        let refusal = os::refusal(lead, error, Act::Look, Path::new(path), file(path));
        let blocked = os::blocked_ancestor(Path::new(path));
        let blocked = blocked.map(|above| Subject::about("directory", above.display().to_string()));
        return refusal.and_all(blocked);
    }
    Refusal::new(
        Exit::Tool,
        format!("no such file: {path}"),
        file(path),
        Next::new(
            "name a file that exists; the canvases of a workspace are \
             $OPENCLAW_WORKSPACE/state/canvas/<canvas-id>.xml",
        ),
    )
    .and_all(os::subjects(error, &[]))
}

fn cannot_read(path: &str, error: &io::Error) -> Refusal {
    if error.kind() == io::ErrorKind::NotFound {
        return cannot_look(path, error);
    }
    os::refusal("cannot read the canvas file", error, Act::Read, Path::new(path), file(path))
}

/// The outermost guard: nothing is ever printed on success, so this is a defect, not a lost answer.
fn failed(arguments: &[OsString], failure: &Failure) -> Refusal {
    let (message, _) = no_answer(failure);
    let next = Next::new("examine the files one at a time, and report the message");
    Refusal::new(Exit::Tool, message, Subject::about("command", "canvas-validate"), next)
        .and_all(arguments.iter().map(|argument| file(&argument.to_string_lossy())))
        .and(Subject::about("errno", failure.errno()))
}
