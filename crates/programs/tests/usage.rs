//! Faulty command lines and what each must print: the cases of `usage.md`, and properties that hold
//! for every command line. With `UPDATE_DOCS=1` the expected text is written anew.

#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test fails by panicking")]

use std::ffi::OsString;
use std::path::PathBuf;

use canvas_store::refusal::Program;
use programs::scan::scan;
use programs::{canvas, command, table, usage};
use proptest::prelude::*;

/// The words of a line, with shell quotes taken off.
fn words(line: &str) -> Vec<String> {
    let mut words: Vec<String> = Vec::new();
    let (mut quote, mut fresh) = (None, true);
    for c in line.chars() {
        match (quote, c) {
            (None, ' ') => fresh = true,
            (Some(open), _) if open == c => quote = None,
            _ => {
                if std::mem::take(&mut fresh) {
                    words.push(String::new());
                }
                match (quote, c) {
                    (None, '\'' | '"') => quote = Some(c),
                    _ => words.last_mut().unwrap().push(c),
                }
            }
        }
    }
    words
}

fn answer(arguments: &[String]) -> String {
    let arguments: Vec<OsString> = arguments.iter().map(OsString::from).collect();
    let answer = canvas::run(&arguments);
    assert!(answer.stdout.is_empty(), "{arguments:?} printed an answer");
    let refusal = answer.refusal.expect("a refusal");
    String::from_utf8(refusal.render(&Program::canvas("bin/canvas"))).unwrap()
}

#[test]
fn every_faulty_command_line_of_the_table_is_answered_as_it_says() {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/usage.md");
    let before = std::fs::read_to_string(&path).unwrap();
    let mut after = String::new();
    let (mut in_block, mut cases) = (false, 0);
    for line in before.lines() {
        if line.starts_with("```") {
            in_block = !in_block;
        }
        if !in_block || line.starts_with("```") {
            after.push_str(&format!("{line}\n"));
        } else if let Some(command) = line.strip_prefix("$ canvas") {
            cases += 1;
            after.push_str(&format!("{line}\n{}", answer(&words(command))));
        }
    }
    assert!(cases >= 20, "only {cases} cases were found");
    if std::env::var_os("UPDATE_DOCS").is_some() {
        std::fs::write(&path, &after).unwrap();
    } else {
        assert_eq!(before, after, "set UPDATE_DOCS=1 to write the new text after reading it");
    }
}

/// Any argument, with those that mean something far more often than chance would have it.
fn argument() -> impl Strategy<Value = String> {
    let names = table::VERBS.iter().flat_map(|verb| {
        let flags = verb.options.iter().flat_map(|option| {
            [option.flag(), format!("{}=x", option.flag()), option.flag()[..4].to_owned()]
        });
        flags.chain([verb.name.to_owned()]).collect::<Vec<_>>()
    });
    let mut names: Vec<String> = names.collect();
    names.extend(["--", "-", "-1", "- x", "root", "ab2c", "t1", "", "-x"].map(str::to_owned));
    prop_oneof![4 => prop::sample::select(names), 1 => any::<String>()]
}

fn command_line() -> impl Strategy<Value = Vec<String>> {
    let verbs: Vec<&str> = table::VERBS.iter().map(|verb| verb.name).collect();
    let start = prop_oneof![
        9 => prop::sample::select(verbs).prop_map(|verb| vec![verb.to_owned()]),
        1 => Just(Vec::new()),
    ];
    (start, prop::collection::vec(argument(), 0..9)).prop_map(|(mut line, rest)| {
        line.extend(rest);
        line
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(4000))]

    /// What the table finds no fault in, the parser takes; so no refusal is left unexplained.
    #[test]
    fn the_parser_refuses_nothing_that_goes_unexplained(line in command_line()) {
        let scan = scan(&line);
        prop_assume!(!scan.help && !scan.version);
        if usage::refusal(&scan).is_none() {
            let taken = command::canvas().try_get_matches_from(scan.normal());
            prop_assert!(taken.is_ok(), "{:?}", taken.err());
        }
    }

    /// Every refusal has the lines of canvas-store §4.1, once, in order, and no others.
    #[test]
    fn every_usage_refusal_has_its_shape(line in command_line()) {
        let scan = scan(&line);
        if let Some(refusal) = usage::refusal(&scan) {
            let text = String::from_utf8(refusal.render(&Program::canvas("canvas"))).unwrap();
            prop_assert!(text.starts_with("usage: canvas"), "{text}");
            let lines: Vec<&str> = text.split('\n').collect();
            let at = |start: &str| lines.iter().position(|line| line.starts_with(start));
            let count = |start: &str| lines.iter().filter(|line| line.starts_with(start)).count();
            for once in ["canvas: ", "Canvas-About: command canvas", "Canvas-Next: ", "Canvas-Exit: 2 — "] {
                prop_assert_eq!(count(once), 1, "{}", text);
            }
            let start = at("canvas: ").unwrap();
            let ranks = lines[start..].iter().map(|line| match line.split_once(": ") {
                Some(("canvas", _)) => 0,
                Some(("Canvas-Node", _)) => 1,
                Some(("Canvas-About", _)) => 2,
                Some(("Canvas-Next", _)) => 3,
                Some(("Canvas-Exit", _)) => 4,
                _ => 5,
            });
            let ranks: Vec<i32> = ranks.collect();
            prop_assert!(ranks.is_sorted(), "{text}");
            prop_assert_eq!(ranks.iter().filter(|rank| **rank == 5).count(), 1, "{}", text);
            prop_assert!(text.contains("Nothing was written\n"), "{text}");
            prop_assert!(!text.contains("Canvas-Node: root\n"), "{text}");
        }
    }

    /// Any text at all reaches a verb unchanged in the form with `=`.
    #[test]
    fn a_value_with_an_equals_sign_is_taken_as_it_is(text in any::<String>(), node in any::<String>()) {
        let line = ["remove", "t1", "--base=a", "--why=first"].map(str::to_owned).to_vec();
        let line = [line, vec![format!("--why={text}"), String::from("--"), node.clone()]].concat();
        let matches = command::canvas().try_get_matches_from(scan(&line).normal()).unwrap();
        let (_, given) = matches.subcommand().unwrap();
        prop_assert_eq!(given.get_one::<String>("why"), Some(&text));
        prop_assert_eq!(given.get_one::<String>("node-id"), Some(&node));
    }
}
