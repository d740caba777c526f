//! `canvas-citations`: whether quoted lines still stand where they are cited (canvas-projections §6).

use std::any::Any;
use std::ffi::OsString;
use std::io::{self, Write};
use std::panic::{self, AssertUnwindSafe};
use std::path::PathBuf;
use std::process::ExitCode;

use canvas_citations::{PINNED_REPORTS, Request, default_root, survey};
use canvas_store::refusal::{Exit, Next, Program, Refusal, Subject, VALIDATE};
use programs::process::{Failure, no_answer};

const USAGE: &str = "usage: canvas-citations [--pinned DIR]... [ROOT ...]";

/// What the arguments ask for.
enum Asked {
    Help,
    Survey { roots: Vec<PathBuf>, pinned: Vec<PathBuf> },
}

fn main() -> ExitCode {
    // A defect is reported in the shape of a refusal; Rust's own text would stand before it.
    panic::set_hook(Box::new(|_| {}));
    let mut arguments = std::env::args_os();
    let name = arguments.next().unwrap_or_default();
    let arguments: Vec<OsString> = arguments.collect();
    let run = panic::catch_unwind(AssertUnwindSafe(|| run(&arguments, &mut io::stdout().lock())));
    let failed = |defect: Box<dyn Any + Send>| Err(defective(defect.as_ref()));
    match run.unwrap_or_else(failed) {
        Ok(false) => ExitCode::SUCCESS,
        Ok(true) => ExitCode::from(Exit::Conflict.code()),
        Err(refusal) => {
            let text = refusal.render(&program(&name.to_string_lossy()));
            // With standard error closed there is nobody left to tell; the status still says it.
            let _ = io::stderr().lock().write_all(&text);
            ExitCode::from(refusal.exit().code())
        }
    }
}

/// How this program is spelled: [`VALIDATE`] stands for the caller's own spelling of it.
fn program(argv0: &str) -> Program {
    Program {
        name: "canvas-citations",
        tool: "there is no report; the invocation or the environment is wrong",
        ..Program::validate(argv0)
    }
}

/// Prints the report; true when a quoted citation moved.
fn run(arguments: &[OsString], out: &mut impl Write) -> Result<bool, Refusal> {
    let (text, fails) = match asked(arguments)? {
        Asked::Help => (help(), false),
        Asked::Survey { roots, pinned } => {
            let mut request = Request::new(roots);
            request.pinned.extend(pinned);
            let report = survey(&request).map_err(|refused| {
                let next = Next::new(format!("{}: `{VALIDATE} ROOT`", refused.next()));
                let (kind, value) = refused.about();
                Refusal::new(Exit::Tool, refused.to_string(), Subject::about(kind, value), next)
            })?;
            (report.to_string(), report.fails())
        }
    };
    let written = out.write_all(text.as_bytes()).and_then(|()| out.flush());
    written.map_err(|error| unanswered(&Failure::Output { error, stored: None }))?;
    Ok(fails)
}

fn asked(arguments: &[OsString]) -> Result<Asked, Refusal> {
    let mut roots = Vec::new();
    let mut pinned = Vec::new();
    let mut options = true;
    let mut rest = arguments.iter();
    while let Some(argument) = rest.next() {
        match argument.to_str() {
            Some("--") if options => options = false,
            Some("-h" | "--help") if options => return Ok(Asked::Help),
            Some("--pinned") if options => {
                let directory =
                    rest.next().ok_or_else(|| misused("--pinned has no directory", "--pinned"))?;
                pinned.push(PathBuf::from(directory));
            }
            Some(option) if options && option.len() > 1 && option.starts_with('-') => {
                let Some(directory) = option.strip_prefix("--pinned=") else {
                    return Err(misused("there is no such option", option));
                };
                pinned.push(PathBuf::from(directory));
            }
            _ => roots.push(PathBuf::from(argument)),
        }
    }
    if roots.is_empty() {
        let here = std::env::current_dir().map_err(|error| {
            let next = Next::new(format!("change to a directory that exists: `{VALIDATE} ROOT`"));
            let message = format!("the current directory cannot be read: {error}");
            Refusal::new(Exit::Tool, message, Subject::about("root", "."), next)
        })?;
        roots.push(default_root(&here));
    }
    Ok(Asked::Survey { roots, pinned })
}

fn misused(message: &str, option: &str) -> Refusal {
    let next = Next::new(format!("correct the command line; `{VALIDATE} --help` prints the form"));
    Refusal::new(Exit::Tool, message, Subject::about("option", option), next).usage(USAGE)
}

fn unanswered(failure: &Failure) -> Refusal {
    let (message, mend) = no_answer(failure);
    Refusal::new(Exit::Tool, message, Subject::about("errno", failure.errno()), Next::new(mend))
}

fn defective(defect: &(dyn Any + Send)) -> Refusal {
    let text = defect.downcast_ref::<String>().map(String::as_str);
    let words = text.or_else(|| defect.downcast_ref::<&str>().copied()).unwrap_or("no words");
    let (message, _) = no_answer(&Failure::Defect(words.to_owned()));
    let next = Next::new("survey the roots one at a time, and report the message");
    Refusal::new(Exit::Tool, message, Subject::about("command", "canvas-citations"), next)
}

fn help() -> String {
    format!(
        "{USAGE}

Says whether the words quoted beside a citation such as `docs/spec.md:12-14` still
stand in the cited lines. Every Markdown file below each ROOT is surveyed; a citation
in one ROOT may name a file of another. Without a ROOT: the repository around the
current directory, else that directory.

  --pinned DIR   count the citations of documents below DIR (relative to a ROOT) and
                 judge none of them; may be repeated
  -h, --help     print this

PINNED_REPORTS, never judged: {}.

Exit status: 0 nothing moved; 1 a quoted citation moved; 2 the invocation or the
environment is wrong.
",
        PINNED_REPORTS.join(", "),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tried(arguments: &[&str]) -> (Option<bool>, String) {
        let arguments: Vec<OsString> = arguments.iter().map(OsString::from).collect();
        let mut out = Vec::new();
        match run(&arguments, &mut out) {
            Ok(fails) => (Some(fails), String::from_utf8(out).unwrap()),
            Err(refusal) => {
                assert_eq!(refusal.exit(), Exit::Tool);
                let text = refusal.render(&program("bin/canvas-citations"));
                (None, String::from_utf8(text).unwrap())
            }
        }
    }

    #[test]
    fn a_root_that_is_no_directory_is_refused_with_all_labels() {
        let (status, text) = tried(&["/nowhere/at all"]);
        assert_eq!(status, None);
        assert!(text.starts_with("canvas-citations: not a directory\n"), "{text}");
        assert!(text.contains("\nCanvas-About: root /nowhere/at all\n"), "{text}");
        assert_eq!(text.matches("\nCanvas-Next: ").count(), 1, "{text}");
        assert!(text.contains("`bin/canvas-citations ROOT`"), "{text}");
        assert!(text.contains("\nCanvas-Exit: 2 — "), "{text}");
    }

    #[test]
    fn odd_command_lines_are_refused_with_the_usage() {
        for arguments in [&["--pinned"][..], &["--no-such"], &["-x", "."]] {
            let (status, text) = tried(arguments);
            assert_eq!(status, None);
            assert!(text.starts_with(USAGE), "{text}");
            assert!(text.contains("\nCanvas-About: option -"), "{text}");
        }
        assert!(tried(&["--", "--pinned"]).1.contains("\nCanvas-About: root --pinned\n"));
    }

    #[test]
    fn a_moved_citation_is_a_no_and_a_pinned_one_is_not() {
        let place = tempfile::tempdir().unwrap();
        let root = place.path().to_str().unwrap();
        std::fs::create_dir(place.path().join("old")).unwrap();
        let words = "words that are long enough to look for";
        std::fs::write(place.path().join("a.md"), format!("x\n{words}\n")).unwrap();
        std::fs::write(place.path().join("old/b.md"), format!("`a.md:1` \"{words}\"")).unwrap();
        let (status, text) = tried(&[root]);
        assert_eq!(status, Some(true));
        assert!(text.starts_with("old/b.md:1\n    cites a.md:1\n"), "{text}");
        let (status, text) = tried(&["--pinned=old", root]);
        assert_eq!(status, Some(false));
        assert!(text.contains(" 1 citations in 1 pinned dated readings"), "{text}");
    }

    #[test]
    fn help_names_what_is_exempt() {
        let (status, text) = tried(&["--help"]);
        assert_eq!(status, Some(false));
        assert!(PINNED_REPORTS.iter().all(|directory| text.contains(directory)), "{text}");
    }
}
