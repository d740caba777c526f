//! The verb table as a `clap` command: parsing, help, and what is generated from them.
//!
//! `clap` never prints anything: its help goes to standard output as any answer does, and a command
//! line that it refuses is explained by [`crate::usage`] in the shape of a refusal.

use clap::{Arg, ArgAction, ArgGroup, Command};

use crate::table::{Opt, Rule, Takes, VERBS, Verb};

const ABOUT: &str = "A small structured document of what is understood about one task";
const MORE: &str = "\
Canvases live in $OPENCLAW_WORKSPACE/state/canvas, one XML file each, in one git repository. Every
edit changes one node, is one commit, and says why.

Exit status: 0 done; 1 the request conflicts with the store as it is, so read and decide again;
2 the tool, its invocation or its environment, so leave the canvas alone.
A value that starts with `-` is given as --flag=VALUE.";
const TEMPLATE: &str = "{about}\n\nusage: {usage}\n\n{all-args}{after-help}\n";

/// The whole command line, from the table.
pub fn canvas() -> Command {
    let top = Command::new("canvas")
        .version(env!("CARGO_PKG_VERSION"))
        .about(ABOUT)
        .after_help(MORE)
        .override_usage(synopsis(None))
        .help_template(TEMPLATE)
        .subcommand_required(true)
        .disable_help_subcommand(true)
        .disable_version_flag(true)
        .subcommand_help_heading("Verbs")
        .arg(
            Arg::new("version")
                .long("version")
                .action(ArgAction::Version)
                .help("Print the version"),
        );
    VERBS.iter().fold(top, |command, verb| command.subcommand(subcommand(verb)))
}

fn subcommand(verb: &'static Verb) -> Command {
    let mut command = Command::new(verb.name)
        .about(verb.about)
        .after_help(verb.more)
        .override_usage(synopsis(Some(verb)))
        .help_template(TEMPLATE)
        .args_override_self(true);
    for word in verb.words {
        command = command
            .arg(Arg::new(word.name).value_name(word.name).required(word.required).help(word.help));
    }
    command = command.args(verb.options.iter().map(argument));
    for (group, rule) in [("position", Rule::Position), ("content", Rule::Content)] {
        let names: Vec<_> = verb.options_under(rule).map(|option| option.name).collect();
        if !names.is_empty() {
            let group = ArgGroup::new(group).args(names).multiple(false);
            command = command.group(group.required(rule == Rule::Position));
        }
    }
    command
}

fn argument(option: &'static Opt) -> Arg {
    let arg = Arg::new(option.name)
        .long(option.name)
        .required(option.rule == Rule::Required)
        .help(option.help);
    match option.takes {
        Takes::Nothing => arg.action(ArgAction::SetTrue),
        Takes::One(value) => arg.value_name(value).action(ArgAction::Set),
        Takes::Each(value) => arg.value_name(value).action(ArgAction::Append),
        Takes::Choice(words) => arg.value_parser(words.to_vec()).action(ArgAction::Set),
    }
}

/// The synopsis of a verb, or of the whole command, without the word `usage:`; later lines are
/// indented to stand under the first.
pub fn synopsis(verb: Option<&Verb>) -> String {
    let Some(verb) = verb else {
        return String::from("canvas VERB [ARGUMENT]...\n       canvas VERB --help");
    };
    let mut parts: Vec<String> = Vec::new();
    for word in verb.words {
        let form = format!("<{}>", word.name);
        parts.push(if word.required { form } else { format!("[{form}]") });
    }
    for rule in [Rule::Position, Rule::Required, Rule::Optional, Rule::Content] {
        let forms: Vec<String> = verb.options_under(rule).map(Opt::form).collect();
        match rule {
            _ if forms.is_empty() => {}
            Rule::Position => parts.push(format!("({})", forms.join(" | "))),
            Rule::Required => parts.extend(forms),
            Rule::Content => parts.push(format!("[{}]", forms.join(" | "))),
            Rule::Optional => parts.extend(verb.options_under(rule).map(|option| {
                let more = if matches!(option.takes, Takes::Each(_)) { "..." } else { "" };
                format!("[{}]{more}", option.form())
            })),
        }
    }
    let start = format!("canvas {}", verb.name);
    let indent = "usage: ".len() + start.len();
    let mut lines = vec![start];
    let mut column = indent;
    for part in parts {
        if column + 1 + part.len() > 80 && column > indent {
            lines.push(" ".repeat(indent));
            column = indent;
        }
        if let Some(line) = lines.last_mut() {
            line.push(' ');
            line.push_str(&part);
        }
        column += 1 + part.len();
    }
    lines.join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_makes_a_command_that_clap_accepts() {
        canvas().debug_assert();
    }

    #[test]
    fn no_line_of_help_is_too_long_to_read() {
        for verb in canvas().get_subcommands_mut() {
            let help = verb.render_help().to_string();
            assert!(help.lines().all(|line| line.chars().count() <= 110), "{help}");
        }
    }
}
