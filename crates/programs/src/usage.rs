//! Why a command line is refused, in the shape of a refusal (canvas-store §4.2).
//!
//! Every fault of a command line is told at once, each with what it is about and what mends it.

use canvas_store::refusal::{CANVAS, Exit, Next, Refusal, Subject, command_word, shell_quote};

use crate::command::synopsis;
use crate::nearest::nearest;
use crate::scan::{Scan, nearest_option};
use crate::table::{Opt, Rule, Takes, VERBS, Verb, Word, verb_names};

/// One thing wrong with a command line.
struct Fault {
    /// What is wrong; a clause.
    what: String,
    /// The options or arguments it is about, beside what every usage refusal names.
    about: Vec<Subject>,
    /// What mends it; a clause.
    mend: String,
}

impl Fault {
    fn new(what: impl Into<String>, about: Vec<Subject>, mend: impl Into<String>) -> Fault {
        Fault { what: what.into(), about, mend: mend.into() }
    }
}

/// The refusal of this command line, or none when there is no fault in it.
pub fn refusal(scan: &Scan) -> Option<Refusal> {
    let faults = match (scan.verb, &scan.verb_word) {
        (Some(verb), _) => faults_of(scan, verb),
        (None, Some(word)) => vec![unknown_verb(word)],
        (None, None) => vec![no_verb(scan)],
    };
    (!faults.is_empty()).then(|| shaped(scan, faults))
}

/// The refusal of a command line in which the table finds no fault and `clap` does.
pub fn unexplained(scan: &Scan) -> Refusal {
    let fault = Fault::new("the command line cannot be understood", Vec::new(), "correct it");
    shaped(scan, vec![fault])
}

/// The refusal of a command line that holds an argument that is not UTF-8, shown as well as it can
/// be (D-14).
pub fn not_utf8(scan: &Scan, shown: &str) -> Refusal {
    let fault = Fault::new(
        format!("an argument is not valid UTF-8: {shown}"),
        vec![Subject::about("argument", shown)],
        "give every argument as UTF-8 text",
    );
    shaped(scan, vec![fault])
}

/// What every usage refusal says around its faults: whose usage, and what the command line names.
fn shaped(scan: &Scan, faults: Vec<Fault>) -> Refusal {
    let command = match scan.verb {
        Some(verb) => format!("canvas {}", verb.name),
        None => String::from("canvas"),
    };
    let what = faults.iter().map(|fault| fault.what.as_str()).collect::<Vec<_>>().join("; ");
    let message = match scan.verb {
        Some(verb) => format!("{}: {what}", verb.name),
        None => what,
    };
    let mends = faults.iter().map(|fault| fault.mend.as_str()).collect::<Vec<_>>().join("; ");
    let help = match scan.verb {
        Some(verb) => format!("{CANVAS} {} --help", verb.name),
        None => format!("{CANVAS} --help"),
    };
    let next = Next::new(format!("{mends}. `{help}` prints the form. Nothing was written"));
    let mut refusal = Refusal::new(Exit::Tool, message, Subject::about("command", command), next)
        .and_all(scan.nodes().into_iter().map(Subject::node))
        .usage(format!("usage: {}", synopsis(scan.verb)));
    if let Some(canvas) = scan.canvas() {
        refusal = refusal.and(canvas_identifier(canvas));
    }
    if scan.names_the_root() {
        refusal = refusal.and(Subject::about("position", "root, the <canvas> element"));
    }
    faults.into_iter().fold(refusal, |refusal, fault| refusal.and_all(fault.about))
}

/// The label of a canvas identifier; a blank one is shown in quotes.
pub fn canvas_identifier(canvas: &str) -> Subject {
    let shown = if canvas.trim().is_empty() { format!("'{canvas}'") } else { canvas.to_owned() };
    Subject::about("Canvas identifier", shown)
}

fn option_subject(option: &Opt) -> Subject {
    Subject::about("option", option.flag())
}

fn no_verb(scan: &Scan) -> Fault {
    let mut about = vec![Subject::about("argument", "verb")];
    about.extend(scan.early.iter().map(|flag| Subject::about("option", flag)));
    let what = if scan.early.is_empty() {
        String::from("no verb was given")
    } else {
        format!("no verb was given, and options stand after one: {}", scan.early.join(", "))
    };
    Fault::new(what, about, format!("start with one of the verbs: {}", verb_names()))
}

fn unknown_verb(word: &str) -> Fault {
    let near = nearest(word, VERBS.iter().map(|verb| verb.name));
    Fault::new(
        format!("{} is not a verb", shell_quote(word)),
        vec![Subject::about("argument", "verb")],
        format!("{}use one of the verbs: {}", hint("", near), verb_names()),
    )
}

fn faults_of(scan: &Scan, verb: &'static Verb) -> Vec<Fault> {
    let mut faults = Vec::new();
    faults.extend(missing(scan, verb));
    faults.extend(without_value(scan));
    faults.extend(position(scan, verb));
    faults.extend(content(scan, verb));
    faults.extend(values_out_of_place(scan));
    faults.extend(scan.early.iter().map(|flag| {
        Fault::new(
            format!("an option stands before the verb: {flag}"),
            vec![Subject::about("option", flag)],
            format!("write {flag} after {}", verb.name),
        )
    }));
    faults.extend(scan.unknown.iter().map(|flag| unknown_option(flag, verb)));
    faults.extend(extra_words(scan, verb));
    faults
}

/// Required words and options that are not there at all.
fn missing(scan: &Scan, verb: &'static Verb) -> Option<Fault> {
    let words = verb.words.iter().skip(scan.words.len()).filter(|word| word.required);
    let words: Vec<&Word> = words.collect();
    let options: Vec<&Opt> =
        verb.options_under(Rule::Required).filter(|option| !is_given(scan, option)).collect();
    let mut names: Vec<String> = words.iter().map(|word| format!("<{}>", word.name)).collect();
    names.extend(options.iter().map(|option| option.flag()));
    if names.is_empty() {
        return None;
    }
    let mut forms: Vec<String> =
        words.iter().map(|word| format!("<{}> ({})", word.name, word.help)).collect();
    forms.extend(options.iter().map(|option| form_with_help(option)));
    let mut about: Vec<Subject> =
        words.iter().map(|word| Subject::about("argument", word.name)).collect();
    about.extend(options.iter().map(|option| option_subject(option)));
    let mend = format!("re-run with {}", forms.join(" and "));
    Some(Fault::new(format!("required and not given: {}", names.join(", ")), about, mend))
}

/// Flags at the end of the line, or in front of another flag, where a value should follow.
fn without_value(scan: &Scan) -> Vec<Fault> {
    let bare = scan
        .options
        .iter()
        .filter(|given| given.value.is_none() && given.option.takes != Takes::Nothing);
    bare.map(|given| {
        let option = given.option;
        Fault::new(
            format!("{} has no value", option.flag()),
            vec![option_subject(option)],
            format!(
                "re-run with {}; a value that starts with `-` is given as {}=VALUE, and none is \
                 ever read from standard input",
                form_with_help(option),
                option.flag(),
            ),
        )
    })
    .collect()
}

fn form_with_help(option: &Opt) -> String {
    format!("{} ({})", option.form(), option.help)
}

fn is_given(scan: &Scan, option: &Opt) -> bool {
    scan.options.iter().any(|given| given.option == option)
}

fn position(scan: &Scan, verb: &'static Verb) -> Option<Fault> {
    let places: Vec<&Opt> = verb.options_under(Rule::Position).collect();
    let given = places.iter().filter(|option| is_given(scan, option)).count();
    if places.is_empty() || given == 1 {
        return None;
    }
    let flags = places.iter().map(|option| option.flag()).collect::<Vec<_>>();
    let what = if given == 0 {
        format!("no position was given: {}", flags.join(" or "))
    } else {
        format!("more than one position was given: {}", flags.join(" and "))
    };
    let forms = places.iter().map(|option| form_with_help(option)).collect::<Vec<_>>();
    Some(Fault::new(
        what,
        places.iter().map(|option| option_subject(option)).collect(),
        format!("name exactly one position: {}", forms.join(" or ")),
    ))
}

fn content(scan: &Scan, verb: &'static Verb) -> Option<Fault> {
    let given: Vec<&Opt> =
        verb.options_under(Rule::Content).filter(|option| is_given(scan, option)).collect();
    if given.len() < 2 {
        return None;
    }
    let flags = given.iter().map(|option| option.flag()).collect::<Vec<_>>().join(" and ");
    Some(Fault::new(
        format!("a node has one content, and more were given: {flags}"),
        given.iter().map(|option| option_subject(option)).collect(),
        format!("keep one of {flags}"),
    ))
}

/// A value after a switch, and a word that is none of those an option may have.
fn values_out_of_place(scan: &Scan) -> Vec<Fault> {
    let given =
        scan.options.iter().filter_map(|given| Some((given.option, given.value.as_deref()?)));
    given
        .filter_map(|(option, value)| {
            let (what, mend) = match option.takes {
                Takes::Nothing => (
                    format!("{} takes no value", option.flag()),
                    format!("write {} alone", option.flag()),
                ),
                Takes::Choice(words) if !words.contains(&value) => (
                    format!("{} cannot be {}", option.flag(), shell_quote(value)),
                    format!("give {} one of: {}", option.flag(), words.join(", ")),
                ),
                _ => return None,
            };
            Some(Fault::new(what, vec![option_subject(option)], mend))
        })
        .collect()
}

fn unknown_option(flag: &str, verb: &'static Verb) -> Fault {
    let near = nearest_option(flag, Some(verb)).map(|option| option.name);
    Fault::new(
        format!("unknown option {flag}"),
        vec![Subject::about("option", flag)],
        format!("{}drop {}", hint("--", near), told(flag)),
    )
}

fn extra_words(scan: &Scan, verb: &'static Verb) -> Option<Fault> {
    let extra = scan.words.get(verb.words.len()..).filter(|extra| !extra.is_empty())?;
    let list = |show: fn(&str) -> String| {
        extra.iter().map(|word| show(word)).collect::<Vec<_>>().join(" ")
    };
    let (unexpected, extra) = (list(shell_quote), list(told));
    let takes: Vec<String> = verb.words.iter().map(|word| format!("<{}>", word.name)).collect();
    let mend = format!(
        "drop {extra}: {} takes {} and then only options; quote a value of several words",
        verb.name,
        takes.join(" ")
    );
    Some(Fault::new(format!("unexpected: {unexpected}"), Vec::new(), mend))
}

/// A word of the caller's in the next action, where a back quote or a line break in it could pass
/// for a command to run.
fn told(word: &str) -> String {
    command_word(word).unwrap_or_else(|| String::from("what the message names"))
}

/// `did you mean …? Otherwise `, when there is a name close to the one typed.
fn hint(dashes: &str, nearest: Option<&str>) -> String {
    nearest.map(|name| format!("did you mean {dashes}{name}? Otherwise ")).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scan::Given;
    use crate::verbs;
    use canvas_store::refusal::Program;

    static SHAPE: Opt = Opt {
        name: "shape",
        takes: Takes::Choice(&["round", "square"]),
        rule: Rule::Optional,
        help: "its shape",
    };
    static DRAW: Verb =
        Verb { name: "draw", about: "", more: "", words: &[], options: &[], run: verbs::read };

    fn draw(shape: &str) -> Option<String> {
        let scan = Scan {
            verb: Some(&DRAW),
            options: vec![Given { option: &SHAPE, value: Some(shape.to_owned()) }],
            ..Scan::default()
        };
        let text = refusal(&scan)?.render(&Program::canvas("canvas"));
        Some(String::from_utf8(text).unwrap())
    }

    #[test]
    fn a_choice_that_is_not_offered_names_those_that_are() {
        assert_eq!(draw("round"), None);
        let text = draw("oval\nx").unwrap();
        assert!(text.contains("\ncanvas: draw: --shape cannot be 'oval\\nx'\n"), "{text}");
        assert!(text.contains("\nCanvas-About: option --shape\n"), "{text}");
        assert!(text.contains("\nCanvas-Next: give --shape one of: round, square. "), "{text}");
        assert!(draw("").unwrap().contains("--shape cannot be ''"));
    }
}
