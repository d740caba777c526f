//! The `headwater` program: a command line in, an answer out. Nothing is printed but in [`main`].

mod check;
mod command;
mod explain;

use std::ffi::OsString;
use std::io::{self, Write};
use std::panic::{self, AssertUnwindSafe};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::ArgMatches;
use headwater_corpus::{Corpus, Options};
use headwater_taxonomy::refusal::Refusal;
use headwater_taxonomy::verbs::{self, Answer, Invocation};

pub use command::command;

/// The whole of `main`: runs the program, prints its answer, gives back its status.
pub fn main() -> ExitCode {
    // A defect is reported as a sentence; Rust's own text would stand before it.
    panic::set_hook(Box::new(|_| {}));
    let mut arguments = std::env::args_os();
    let program = arguments.next().unwrap_or_default().to_string_lossy().into_owned();
    let arguments: Vec<OsString> = arguments.collect();
    let done = panic::catch_unwind(AssertUnwindSafe(|| run(&program, &arguments)));
    let answer = done.unwrap_or_else(|_| {
        refused(2, "a defect in this program ended the run; report it with the command line")
    });
    let printed =
        io::stdout().lock().write_all(answer.stdout.as_bytes()).and_then(|()| io::stdout().flush());
    // When standard error is closed or full there is nobody left to tell; the status still says it.
    let _ = io::stderr().lock().write_all(answer.stderr.as_bytes());
    match printed {
        Ok(()) => ExitCode::from(answer.status),
        Err(error) => {
            let what = format!("headwater: cannot write to standard output: {error}\n");
            let _ = io::stderr().lock().write_all(what.as_bytes());
            ExitCode::from(2)
        }
    }
}

/// Does what the arguments (without `argv[0]`) ask for.
#[must_use]
pub fn run(program: &str, arguments: &[OsString]) -> Answer {
    let words = std::iter::once(OsString::from("headwater")).chain(arguments.iter().cloned());
    let matches = match command().try_get_matches_from(words) {
        Ok(matches) => matches,
        Err(text) if !text.use_stderr() => {
            return Answer { stdout: text.to_string(), ..Answer::default() };
        }
        Err(error) => {
            // The first paragraph says what is wrong; the rest is a synopsis that help gives.
            let text = error.to_string();
            let text = text.split("\n\n").next().unwrap_or_default();
            let text = text.trim().trim_start_matches("error: ");
            let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
            return refused(2, &format!("{text}; `{program} --help` says what there is"));
        }
    };
    let root = matches.get_one::<PathBuf>("root").cloned().unwrap_or_else(|| PathBuf::from("."));
    let context = Context { program, root: &root };
    match matches.subcommand() {
        Some(("check", given)) => check::check(context, given),
        Some(("explain", given)) => explain::explain(context, given),
        Some(("taxonomy", given)) => taxonomy(context, given),
        _ => refused(2, &format!("no verb is given; `{program} --help` lists them")),
    }
}

/// How the program was called, and over which repository.
#[derive(Clone, Copy)]
pub(crate) struct Context<'a> {
    /// As the caller typed it.
    pub program: &'a str,
    /// The repository root.
    pub root: &'a Path,
}

impl Context<'_> {
    /// Builds the corpus of the repository, with the notes of its declaration for standard error.
    pub(crate) fn corpus(self) -> Result<(Corpus, String), Answer> {
        let registry = headwater_rules::registry();
        let rules = registry.templates().iter().map(|template| template.about().id.to_owned());
        let options = Options { rules: rules.collect(), ..Options::default() };
        let corpus =
            Corpus::load(self.root, options).map_err(|refusals| self.refusal(&refusals))?;
        let declaration = corpus.declaration();
        let unmet = declaration.unmet_engine();
        let notes = declaration.notes.iter().chain(&unmet);
        let notes = notes.map(|note| format!("headwater: {}\n", note.render(self.program)));
        let notes = notes.collect();
        Ok((corpus, notes))
    }

    fn refusal(self, refusals: &[Refusal]) -> Answer {
        let lines = refusals.iter().map(|refusal| refusal.render(self.program));
        refused(2, &lines.collect::<Vec<_>>().join("\n  "))
    }
}

/// A refusal: nothing on standard output, a sentence on standard error.
pub(crate) fn refused(status: u8, sentence: &str) -> Answer {
    Answer { stdout: String::new(), stderr: format!("headwater: {sentence}\n"), status }
}

fn taxonomy(context: Context<'_>, given: &ArgMatches) -> Answer {
    let invocation = Invocation { program: context.program, root: context.root };
    match given.subcommand() {
        Some(("validate", _)) => verbs::validate(invocation),
        Some(("resolve", given)) if given.get_flag("check") => verbs::check(invocation),
        Some(("resolve", _)) => verbs::resolve(invocation),
        Some(("kinds", given)) => verbs::kinds(invocation, given.get_flag("json")),
        _ => {
            let sentence =
                format!("no verb is given; `{} taxonomy --help` lists them", context.program);
            refused(2, &sentence)
        }
    }
}
