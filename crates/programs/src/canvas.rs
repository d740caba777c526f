//! The `canvas` program: a command line in, an answer out, nothing printed here.

use std::ffi::OsString;

use canvas_store::Store;
use canvas_store::refusal::{CANVAS, Exit, Next, Program, Refusal, Subject, shell_quote};
use canvas_store::request::Environment;

use crate::answer::Answer;
use crate::process::{Failure, Tool, no_answer};
use crate::scan::{Scan, scan};
use crate::usage;
use crate::{command, table};

/// `canvas`, for [`crate::process::main`].
pub const TOOL: Tool = Tool { program: Program::canvas, run, failed };

/// Does what the arguments (without `argv[0]`) ask for.
pub fn run(arguments: &[OsString]) -> Answer {
    let (scan, not_utf8) = read_arguments(arguments);
    if let Some(shown) = not_utf8 {
        return usage::not_utf8(&scan, &shown).into();
    }
    let asks_for_help =
        (scan.help || scan.version) && (scan.verb.is_some() || scan.verb_word.is_none());
    if !asks_for_help && let Some(refusal) = usage::refusal(&scan) {
        return refusal.into();
    }
    match command::canvas().try_get_matches_from(scan.normal()) {
        Err(text) if !text.use_stderr() => Answer::said(text.to_string()),
        Err(_) => usage::unexplained(&scan).into(),
        Ok(matches) => {
            let done = matches.subcommand().and_then(|(name, given)| {
                let verb = table::verb(name)?;
                Some((verb.run)(&Store::new(Environment::from_process()), given))
            });
            match done {
                Some(Ok(answer)) => answer,
                Some(Err(refusal)) => refusal.into(),
                None => usage::unexplained(&scan).into(),
            }
        }
    }
}

/// The arguments scanned, and the first that is not UTF-8 as it can be shown.
fn read_arguments(arguments: &[OsString]) -> (Scan, Option<String>) {
    let text: Vec<String> =
        arguments.iter().map(|argument| argument.to_string_lossy().into_owned()).collect();
    let bad = arguments.iter().zip(&text).find(|(argument, _)| argument.to_str().is_none());
    (scan(&text), bad.map(|(_, shown)| shown.clone()))
}

/// The outermost guard (canvas-store §4.3): a run that has no answer, or whose answer cannot be
/// printed. It claims nothing about what was written but what is known.
fn failed(arguments: &[OsString], failure: &Failure) -> Refusal {
    let (scan, _) = read_arguments(arguments);
    let command = match scan.verb {
        Some(verb) => Subject::about("verb", verb.name),
        None => Subject::about("command", "canvas"),
    };
    let (message, mend) = no_answer(failure);
    let canvas = scan.canvas().map_or(String::from("<canvas-id>"), shell_quote);
    let look = format!(
        "`{CANVAS} read {canvas}` and git -C $OPENCLAW_WORKSPACE/state/canvas log say what the \
         store holds"
    );
    let mut refusal =
        Refusal::new(Exit::Tool, message, command, Next::new(format!("{mend}; {look}")))
            .and_all(scan.nodes().into_iter().map(Subject::node));
    if let Some(canvas) = scan.canvas() {
        refusal = refusal.and(usage::canvas_identifier(canvas));
    }
    for name in ["base", "since"] {
        for value in scan.values(name) {
            refusal = refusal.and(Subject::about("option", format!("--{name} {value}")));
        }
    }
    refusal.and(Subject::about("errno", failure.errno()))
}
