//! The command line as one table: parsing, help and the answers to faulty lines are made from it.

use std::path::PathBuf;

use clap::{Arg, ArgAction, Command, value_parser};

const MORE: &str = "\
Exit status: 0 done, or a verdict of yes; 1 the answer is no; 2 the tool, its invocation or its
environment.";

/// What says how a report is made or judged. A run that shows a diff makes none.
const REPORTED: [&str; 9] = [
    "format",
    "gate",
    "json",
    "read-set",
    "register",
    "strict",
    "strict-census",
    "verbose",
    "wide",
];

/// The whole command line.
#[must_use]
pub fn command() -> Command {
    Command::new("headwater")
        .version(env!("CARGO_PKG_VERSION"))
        .about("Checks that typed Markdown documents say what they owe, and agree with each other")
        .after_help(MORE)
        .subcommand_required(true)
        .arg(
            Arg::new("root")
                .long("root")
                .value_name("DIR")
                .value_parser(value_parser!(PathBuf))
                .global(true)
                .help("The repository to read; default is the working directory"),
        )
        .arg(
            flag(
                "no-color",
                "Plain text, also on a terminal; so does a NO_COLOR that is not empty",
            )
            .global(true),
        )
        .subcommand(init())
        .subcommand(check())
        .subcommand(change())
        .subcommand(
            Command::new("explain")
                .about("Says what a document is and owes, or what a rule checks and why")
                .arg(
                    Arg::new("target")
                        .value_name("PATH|ID|RULE")
                        .required(true)
                        .help("A document by path or identifier, or a rule by its name"),
                ),
        )
        .subcommand(gate())
        .subcommand(taxonomy())
}

fn flag(name: &'static str, help: &'static str) -> Arg {
    Arg::new(name).long(name).action(ArgAction::SetTrue).help(help)
}

fn init() -> Command {
    Command::new("init")
        .about("Writes a first taxonomy for the documents that are there, and says what it guessed")
        .arg(
            Arg::new("corpus")
                .long("corpus")
                .value_name("DIR")
                .help("The directory of the documents; default is the one with the most Markdown"),
        )
        .arg(
            Arg::new("package")
                .long("package")
                .value_name("NAME")
                .help("The name of the package, as owner/name; default is made from the directory"),
        )
        .arg(
            Arg::new("owner")
                .long("owner")
                .value_name("NAME")
                .default_value("unassigned")
                .help("Who answers for what the documents owe from before"),
        )
        .arg(now("The day from which debt is held; default is today, in UTC"))
}

fn check() -> Command {
    let formats = headwater_report::FORMATS.map(headwater_report::Format::name);
    Command::new("check")
        .about("Judges every document by every rule, and reports what is wrong")
        .arg(flag(
            "strict",
            "Exit 1 when a live error was found, or the taxonomy asks for another engine",
        ))
        .arg(
            Arg::new("gate")
                .long("gate")
                .value_name("WHAT")
                .value_parser(["posture"])
                .conflicts_with("strict")
                .help("Exit 1 when a live finding is of a rule that a blocking control names"),
        )
        .arg(flag(
            "strict-census",
            "Exit 1 when a file could not be read, typed or judged, or there is none",
        ))
        .arg(
            Arg::new("format")
                .long("format")
                .value_name("FORMAT")
                .value_parser(formats.to_vec())
                .help("The form of the report; default is text"),
        )
        .arg(flag("json", "The same as --format json").conflicts_with("format"))
        .arg(
            Arg::new("change")
                .long("change")
                .value_name("MANIFEST")
                .value_parser(value_parser!(PathBuf))
                .help("The change that this tree is the result of, as the verb change writes it"),
        )
        .arg(
            Arg::new("register")
                .long("register")
                .value_name("PATH")
                .value_parser(value_parser!(PathBuf))
                .help("Write the register of obligations and controls to this file"),
        )
        .arg(flag(
            "wide",
            "Fill the text report to the columns of the terminal (COLUMNS), from 80 to 120",
        ))
        .arg(flag("no-cache", "Judge everything anew, and keep nothing"))
        .arg(now("The day of the run; default is today, in UTC"))
        .arg(
            Arg::new("read-set")
                .long("read-set")
                .value_name("PATH")
                .value_parser(value_parser!(PathBuf))
                .help("Write what the verdict rests on to this file, for `gate`"),
        )
        .arg(flag("verbose", "Also say what each rule did, and what was skipped"))
        .arg(flag(
            "fix",
            "Write the patches that ride with live findings, round by round, then report anew",
        ))
        .arg(
            flag("diff", "Write nothing; show what the first round of --fix would write")
                .conflicts_with_all(REPORTED),
        )
        .arg(
            Arg::new("rule")
                .long("rule")
                .value_name("RULE")
                .action(ArgAction::Append)
                .help("Fix the findings of this rule only; may be given several times"),
        )
}

fn now(help: &'static str) -> Arg {
    Arg::new("now").long("now").value_name("YYYY-MM-DD").help(help)
}

fn gate() -> Command {
    Command::new("gate")
        .about("Says whether the verdict of an earlier run carries to this tree, without a check")
        .arg(
            Arg::new("read-set")
                .long("read-set")
                .value_name("PATH")
                .value_parser(value_parser!(PathBuf))
                .required(true)
                .help("What that run rested on, as `check --read-set` wrote it"),
        )
        .arg(now("The day to decide for; default is today, in UTC"))
        .arg(flag("json", "Answer in JSON"))
}

fn change() -> Command {
    Command::new("change")
        .about("Writes the manifest of a change from git, for check --change")
        .after_help(
            "Names every path that differs between BASE and the working tree, with the bytes that stood
there. BASE is the merge base of a proposed change, and HEAD for what is not committed yet. A
file that was moved is seen as one once the move is staged (git mv). An OUT inside the tree that
git does not ignore is part of the change: what is written there is named as added. Prints the
path of the manifest.",
        )
        .arg(
            Arg::new("base")
                .value_name("BASE")
                .required(true)
                .help("The revision that the change starts from"),
        )
        .arg(
            Arg::new("out")
                .value_name("OUT")
                .required(true)
                .value_parser(value_parser!(PathBuf))
                .help("The directory to write `manifest` and `prior/` in"),
        )
        .arg(
            Arg::new("verified")
                .long("verified")
                .value_name("PATH")
                .action(ArgAction::Append)
                .help("A document that you read again; may be given several times"),
        )
        .arg(
            Arg::new("verified-edge")
                .long("verified-edge")
                .value_names(["PATH", "TARGET"])
                .num_args(2)
                .action(ArgAction::Append)
                .help("An edge that you read again: its document, and its target as the entry writes it"),
        )
}

fn taxonomy() -> Command {
    Command::new("taxonomy")
        .about("Judges, resolves and lists the taxonomy of the repository")
        .subcommand_required(true)
        .subcommand(
            Command::new("validate").about("Reports every rule of validation; writes nothing"),
        )
        .subcommand(
            Command::new("resolve").about("Writes the lock, when the taxonomy validates").arg(
                flag("check", "Write nothing; say whether the lock is what the sources resolve to"),
            ),
        )
        .subcommand(
            Command::new("kinds")
                .about("Lists the kinds of the lock, and what each owes")
                .arg(flag("json", "As JSON")),
        )
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_table_is_one_that_clap_accepts() {
        super::command().debug_assert();
    }
}
