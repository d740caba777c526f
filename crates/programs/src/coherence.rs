//! The `canvas-coherence` program (canvas-projections §7): a command line in, an answer out.
//!
//! Everything after `--model-command` belongs to the adapter and is never looked at, so this is not a
//! command line that an argument parser could read.

use std::ffi::{OsStr, OsString};

use canvas_coherence::{Check, Limits, check};
use canvas_store::Store;
use canvas_store::refusal::{CANVAS, Exit, Next, Program, Refusal, Subject, command_word};
use canvas_store::request::Environment;

use crate::answer::Answer;
use crate::process::{Failure, Tool, no_answer};
use crate::usage::canvas_identifier;

/// `canvas-coherence`, for [`crate::process::main`].
pub const TOOL: Tool = Tool { program: Program::coherence, run, failed };

const USAGE: &str = "usage: canvas-coherence <canvas-id> --trigger <full-sha> \
                     --model-command <adapter> [<argument> ...]";
const TRIGGER: &str = "--trigger";
const COMMAND: &str = "--model-command";

/// What stands on the command line.
#[derive(Debug, Default)]
struct Given {
    words: Vec<OsString>,
    triggers: Vec<Option<OsString>>,
    /// The adapter and its arguments; none when the option is not there.
    command: Option<Vec<OsString>>,
    unknown: Vec<OsString>,
    help: bool,
}

/// Does what the arguments (without `argv[0]`) ask for.
pub fn run(arguments: &[OsString]) -> Answer {
    let given = read(arguments);
    if given.help {
        return Answer::said(help());
    }
    let (canvas, trigger, command) = match asked(&given) {
        Ok(asked) => asked,
        Err(faults) => return misused(&given, &faults).into(),
    };
    let store = Store::new(Environment::from_process());
    let limits = Limits::default();
    let checked = check(&store, &Check { canvas, trigger, command, limits });
    Answer {
        stdout: checked.to_text().into_bytes(),
        stored: checked.written.last().map(|written| written.base.clone()),
        refusal: checked.refusal,
    }
}

fn read(arguments: &[OsString]) -> Given {
    let mut given = Given::default();
    let mut rest = arguments.iter();
    while let Some(argument) = rest.next() {
        let text = argument.to_string_lossy();
        match &*text {
            "-h" | "--help" => given.help = true,
            // The next word is the identifier, whatever it starts with.
            "--" => given.words.extend(rest.next().cloned()),
            TRIGGER => given.triggers.push(rest.next().cloned()),
            COMMAND => {
                given.command = Some(rest.by_ref().cloned().collect());
            }
            option if option.len() > 1 && option.starts_with('-') => {
                if let Some(value) = attached(argument, TRIGGER) {
                    given.triggers.push(Some(value));
                } else if let Some(word) = attached(argument, COMMAND) {
                    // The whole command is in this one word, and nothing may follow the command.
                    given.command = Some(vec![word]);
                    given.unknown.extend(rest.by_ref().cloned());
                } else {
                    given.unknown.push(argument.clone());
                }
            }
            _ => given.words.push(argument.clone()),
        }
    }
    given
}

/// The value of `option` in a word `option=value`.
fn attached(argument: &OsStr, option: &str) -> Option<OsString> {
    use std::os::unix::ffi::OsStrExt as _;
    let value = argument.as_bytes().strip_prefix(option.as_bytes())?.strip_prefix(b"=")?;
    Some(OsStr::from_bytes(value).to_os_string())
}

/// One thing wrong with a command line: what, what it is about, and what mends it.
struct Fault {
    what: String,
    about: Subject,
    mend: &'static str,
}

impl Fault {
    fn option(what: impl Into<String>, option: &str, mend: &'static str) -> Fault {
        Fault { what: what.into(), about: Subject::about("option", option), mend }
    }

    fn argument(what: impl Into<String>, argument: &str, mend: &'static str) -> Fault {
        Fault { what: what.into(), about: Subject::about("argument", argument), mend }
    }
}

/// The canvas, the trigger and the adapter, or every fault of the command line.
fn asked(given: &Given) -> Result<(&str, &str, &[OsString]), Vec<Fault>> {
    let mut faults = Vec::new();
    let mut text = |argument: &OsString| {
        let shown = argument.to_string_lossy();
        if argument.to_str().is_none() {
            let what = format!("an argument is not valid UTF-8: {shown}");
            faults.push(Fault::argument(what, &shown, "give the identifier and the sha as text"));
        }
        shown.into_owned()
    };
    let words: Vec<String> = given.words.iter().map(&mut text).collect();
    for trigger in given.triggers.iter().flatten() {
        text(trigger);
    }
    for extra in words.iter().skip(1) {
        let what = format!("only one canvas can be checked, and {extra} is a second word");
        faults.push(Fault::argument(what, extra, "name one canvas, before --model-command"));
    }
    for option in &given.unknown {
        let option = option.to_string_lossy();
        let what = format!("{option} cannot stand there");
        let mend = "drop what is not known; what the adapter is to be given comes after the word \
                    that follows --model-command";
        faults.push(if option.starts_with('-') {
            Fault::option(what, &option, mend)
        } else {
            Fault::argument(what, &option, mend)
        });
    }
    if words.is_empty() {
        faults.push(Fault::argument("no canvas is named", "canvas-id", "name the canvas first"));
    }
    match given.triggers.as_slice() {
        [Some(_)] => {}
        [] => faults.push(Fault::option(
            "--trigger is missing",
            TRIGGER,
            "give the full sha that the write printed as Canvas-Base",
        )),
        [None] => faults.push(Fault::option(
            "--trigger has no value",
            TRIGGER,
            "give the full sha that the write printed as Canvas-Base",
        )),
        _ => faults.push(Fault::option("--trigger is given twice", TRIGGER, "give one trigger")),
    }
    let command = given.command.as_deref();
    match command {
        None => faults.push(Fault::option(
            "--model-command is missing",
            COMMAND,
            "end with --model-command and the adapter",
        )),
        Some(words) if words.first().is_none_or(|word| word.is_empty()) => {
            faults.push(Fault::option(
                "--model-command names no adapter",
                COMMAND,
                "give the adapter after --model-command, and its arguments after it",
            ));
        }
        Some(_) => {}
    }
    let canvas = given.words.first().and_then(|word| word.to_str());
    let trigger = given.triggers.first().and_then(|trigger| trigger.as_ref()?.to_str());
    match (canvas, trigger, command) {
        (Some(canvas), Some(trigger), Some(command)) if faults.is_empty() => {
            Ok((canvas, trigger, command))
        }
        _ => Err(faults),
    }
}

fn misused(given: &Given, faults: &[Fault]) -> Refusal {
    let whats: Vec<&str> = faults.iter().map(|fault| fault.what.as_str()).collect();
    let mut mends: Vec<&str> = faults.iter().map(|fault| fault.mend).collect();
    mends.dedup();
    let next = Next::new(format!("{}. Nothing was checked or written", mends.join("; ")));
    let command = Subject::about("command", "canvas-coherence");
    let canvas = given.words.first().map(|word| canvas_identifier(&word.to_string_lossy()));
    Refusal::new(Exit::Tool, whats.join("; "), command, next)
        .usage(USAGE)
        .and_all(canvas)
        .and_all(faults.iter().map(|fault| fault.about.clone()))
}

/// The outermost guard: what was stored is known only when it could not be printed.
fn failed(arguments: &[OsString], failure: &Failure) -> Refusal {
    let given = read(arguments);
    let (message, mend) = no_answer(failure);
    let canvas = given.words.first().map(|word| word.to_string_lossy().into_owned());
    let word = canvas.as_deref().and_then(command_word);
    let next = Next::new(format!(
        "{mend}; `{CANVAS} read {} --type question` shows the questions that are stored",
        word.as_deref().unwrap_or("<canvas-id>")
    ));
    Refusal::new(Exit::Tool, message, Subject::about("command", "canvas-coherence"), next)
        .and_all(canvas.map(|canvas| canvas_identifier(&canvas)))
        .and(Subject::about("errno", failure.errno()))
}

fn help() -> String {
    let limits = Limits::default();
    format!(
        "{USAGE}

Asks a model what the write <full-sha> made contradictory in a canvas, and stores each
contradiction as one open question, in a commit of its own. To be run after create,
insert, replace, remove or move has succeeded, with the Canvas-Base that it printed.

  <canvas-id>            the canvas that was written
  --trigger SHA          the commit of that write, in full; it must still be the head
  --model-command WORD ...
                         the adapter and its arguments, started without a shell; the last
                         option, everything after it belongs to the adapter
  -h, --help             print this

The adapter reads one JSON object from standard input and writes one to standard output,
within {} seconds and {} bytes. OPENCLAW_WORKSPACE and the variables of git are kept from
it.

Exit status: 0 no contradiction, or each is stored and printed as Canvas-Node and
Canvas-Base; 1 the store as it is does not allow it; 2 the invocation, the environment,
the adapter or its response is wrong. The write that was checked always stands.
",
        limits.wall.as_secs(),
        limits.stdout
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn given(arguments: &[&str]) -> Given {
        read(&arguments.iter().map(OsString::from).collect::<Vec<_>>())
    }

    fn refused(arguments: &[&str]) -> String {
        let arguments: Vec<OsString> = arguments.iter().map(OsString::from).collect();
        let answer = run(&arguments);
        assert!(answer.stdout.is_empty() && answer.stored.is_none());
        let refusal = answer.refusal.unwrap();
        assert_eq!(refusal.exit(), Exit::Tool);
        String::from_utf8(refusal.render(&Program::coherence("bin/canvas-coherence"))).unwrap()
    }

    #[test]
    fn everything_after_the_command_is_the_adapters() {
        let given = given(&[
            "t1",
            "--trigger",
            "s",
            "--model-command",
            "a",
            "--trigger",
            "y",
            "--help",
            "",
        ]);
        let (canvas, trigger, command) = asked(&given).ok().unwrap();
        assert_eq!((canvas, trigger), ("t1", "s"));
        assert_eq!(command, ["a", "--trigger", "y", "--help", ""]);
        assert!(!given.help);
    }

    #[test]
    fn a_value_may_be_attached_and_an_identifier_may_start_with_a_dash() {
        let given = given(&["--trigger=s=t", "--", "-x", "--model-command=a b"]);
        let (canvas, trigger, command) = asked(&given).ok().unwrap();
        assert_eq!((canvas, trigger), ("-x", "s=t"));
        assert_eq!(command, ["a b"]);
    }

    #[test]
    fn every_fault_is_told_at_once_with_the_usage() {
        for (arguments, abouts) in [
            (&[][..], &["argument canvas-id", "option --trigger", "option --model-command"][..]),
            (&["t1"], &["Canvas identifier t1", "option --trigger", "option --model-command"]),
            (&["t1", "--trigger"], &["option --trigger", "option --model-command"]),
            (&["t1", "--trigger", "s"], &["option --model-command"]),
            (&["t1", "--trigger", "s", "--model-command"], &["option --model-command"]),
            (&["t1", "--trigger", "s", "--model-command", ""], &["option --model-command"]),
            (&["t1", "--trigger", "s", "--model-command="], &["option --model-command"]),
            (&["t1", "--trigger", "s", "--model-command=a", "b"], &["argument b"]),
            (&["t1", "t2", "--trigger", "s", "--model-command", "a"], &["argument t2"]),
            (&["t1", "--base", "--trigger", "s", "--model-command", "a"], &["option --base"]),
            (&["t1", "--trigger=s", "--trigger=s", "--model-command", "a"], &["option --trigger"]),
        ] {
            let text = refused(arguments);
            assert!(text.starts_with(USAGE), "{text}");
            assert!(text.contains("\ncanvas-coherence: "), "{text}");
            for about in abouts {
                assert!(text.contains(&format!("\nCanvas-About: {about}\n")), "{about}\n{text}");
            }
            assert!(text.contains("\nCanvas-Exit: 2 — "), "{text}");
        }
    }

    #[test]
    fn help_comes_before_any_fault() {
        let answer = run(&[OsString::from("--help")]);
        assert!(answer.refusal.is_none());
        let text = String::from_utf8(answer.stdout).unwrap();
        assert!(
            text.starts_with("usage: canvas-coherence ") && text.contains("60 seconds"),
            "{text}"
        );
    }
}
