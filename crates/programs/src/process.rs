//! The edge between a program and its process: arguments, both streams, the exit status.
//!
//! A run ends in one of three ways and all of them are handled here, once: with an answer, with an
//! answer that cannot be printed (a reader that left, a full disk), or with a defect that would
//! otherwise be a stack trace (canvas-store §4.1, §4.3).

use std::any::Any;
use std::ffi::OsString;
use std::io::{self, Write};
use std::panic::{self, AssertUnwindSafe};
use std::process::ExitCode;

use canvas_store::os;
use canvas_store::refusal::{Program, Refusal};

use crate::answer::Answer;

/// One of the programs.
pub struct Tool {
    /// How it and its siblings are spelled, from `argv[0]`.
    pub program: fn(&str) -> Program,
    /// Does what the arguments ask for.
    pub run: fn(&[OsString]) -> Answer,
    /// The refusal for a run with these arguments that failed like this.
    pub failed: fn(&[OsString], &Failure) -> Refusal,
}

/// Why there is no answer on standard output.
#[derive(Debug)]
pub enum Failure {
    /// The program has a defect; what it said about it.
    Defect(String),
    /// Standard output refused the answer.
    Output {
        /// What the operating system said.
        error: io::Error,
        /// The commit that this run made before, which stands.
        stored: Option<String>,
    },
}

impl Failure {
    /// The value of the `errno` label.
    pub fn errno(&self) -> String {
        match self {
            Failure::Defect(_) => String::from("none"),
            Failure::Output { error, .. } => os::errno_value(error),
        }
    }
}

/// The whole of a `main`: runs the tool, prints its answer, says how it ended.
pub fn main(tool: &Tool) -> ExitCode {
    // A defect is reported in the shape of a refusal; Rust's own text would stand before it.
    panic::set_hook(Box::new(|_| {}));
    let mut arguments = std::env::args_os();
    let name = arguments.next().unwrap_or_default();
    let arguments: Vec<OsString> = arguments.collect();
    let refusal = finish(tool, &arguments, &mut io::stdout().lock());
    let Some(refusal) = refusal else { return ExitCode::SUCCESS };
    // When standard error is closed or full there is nobody left to tell; the status still says it.
    let text = refusal.render(&(tool.program)(&name.to_string_lossy()));
    let _ = io::stderr().lock().write_all(&text);
    ExitCode::from(refusal.exit().code())
}

/// Runs the tool and prints its answer; what remains to be said is a refusal.
fn finish(tool: &Tool, arguments: &[OsString], out: &mut impl Write) -> Option<Refusal> {
    let run = AssertUnwindSafe(|| (tool.run)(arguments));
    let failure = match panic::catch_unwind(run) {
        Ok(answer) => match out.write_all(&answer.stdout).and_then(|()| out.flush()) {
            Ok(()) => return answer.refusal,
            Err(error) => Failure::Output { error, stored: answer.stored },
        },
        Err(defect) => Failure::Defect(words(defect.as_ref())),
    };
    Some((tool.failed)(arguments, &failure))
}

fn words(defect: &(dyn Any + Send)) -> String {
    let text = defect.downcast_ref::<String>().map(String::as_str);
    text.or_else(|| defect.downcast_ref::<&str>().copied()).unwrap_or("no words").to_owned()
}

/// The message and the advice for a failure, before a tool adds what it knows.
pub fn no_answer(failure: &Failure) -> (String, String) {
    match failure {
        Failure::Defect(words) => (
            format!("a defect in this program ended the run: {words}"),
            String::from("look at the store before running anything again, and report the message"),
        ),
        Failure::Output { error, stored } => {
            let what = format!("cannot write to standard output: {}", os::words(error));
            let message = match stored {
                Some(commit) => format!("{what}; the edit is stored, as commit {commit}"),
                None => what,
            };
            let mend = match os::errno(error) {
                Some(32) => {
                    "let the reader take everything before it closes the pipe, or send the \
                             output to a file"
                }
                Some(28 | 122) => "free space where the output goes (`df -h` shows it)",
                _ => "send the output to a file or a pipe that can be written",
            };
            let again = if stored.is_some() { "; do not repeat the edit" } else { "" };
            (message, format!("{mend}{again}"))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use canvas_store::refusal::{Exit, Next, Subject};

    struct Broken(i32);

    impl Write for Broken {
        fn write(&mut self, _: &[u8]) -> io::Result<usize> {
            Err(io::Error::from_raw_os_error(self.0))
        }
        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    fn failed(_: &[OsString], failure: &Failure) -> Refusal {
        let (message, mend) = no_answer(failure);
        Refusal::new(Exit::Tool, message, Subject::about("errno", failure.errno()), Next::new(mend))
    }

    fn tool(run: fn(&[OsString]) -> Answer) -> Tool {
        Tool { program: Program::canvas, run, failed }
    }

    fn text(refusal: Option<Refusal>) -> String {
        String::from_utf8(refusal.unwrap().render(&Program::canvas("canvas"))).unwrap()
    }

    #[test]
    fn a_defect_becomes_a_refusal_that_claims_nothing_about_the_store() {
        panic::set_hook(Box::new(|_| {}));
        let tool = tool(|_| panic!("index 3 out of bounds\nCanvas-Exit: 0"));
        let text = text(finish(&tool, &[], &mut Vec::new()));
        let _ = panic::take_hook();
        assert!(text.starts_with("canvas: a defect"), "{text}");
        assert!(text.contains("\nCanvas-About: errno none\n"), "{text}");
        assert!(text.ends_with('\n') && text.contains("\nCanvas-Exit: 2 — "), "{text}");
        assert!(!text.to_lowercase().contains("nothing was written"), "{text}");
        assert_eq!(text.matches("\nCanvas-Exit: ").count(), 1, "{text}");
    }

    #[test]
    fn an_answer_that_cannot_be_printed_says_that_the_edit_is_stored() {
        let tool = tool(|_| Answer::stored("Canvas-Node: ab2c\n", "c0ffee"));
        for (errno, name) in [(32, "32 EPIPE"), (28, "28 ENOSPC"), (5, "5 EIO")] {
            let text = text(finish(&tool, &[], &mut Broken(errno)));
            assert!(text.contains("the edit is stored, as commit c0ffee"), "{text}");
            assert!(text.contains(&format!("\nCanvas-About: errno {name}\n")), "{text}");
        }
    }

    #[test]
    fn an_answer_without_a_write_claims_none() {
        let text = text(finish(&tool(|_| Answer::said("x")), &[], &mut Broken(32)));
        assert!(!text.contains("stored"), "{text}");
    }
}
