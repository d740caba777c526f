//! The programs as processes: both streams, closed and full ones included, and the exit status.

#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test fails by panicking")]

use std::fs::OpenOptions;
use std::io::pipe;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::process::CommandExt;
use std::process::{Command, Output, Stdio};

fn canvas() -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_canvas"));
    command.env_remove("OPENCLAW_WORKSPACE").stdin(Stdio::null());
    command
}

fn full() -> Stdio {
    OpenOptions::new().write(true).open("/dev/full").unwrap().into()
}

/// The writing end of a pipe that nobody reads.
fn closed() -> Stdio {
    let (reader, writer) = pipe().unwrap();
    drop(reader);
    writer.into()
}

fn text(bytes: &[u8]) -> &str {
    std::str::from_utf8(bytes).unwrap()
}

fn assert_shape(output: &Output) {
    let text = text(&output.stderr);
    assert_eq!(output.status.code(), Some(2), "{text}");
    assert_eq!(text.matches("\nCanvas-Next: ").count(), 1, "{text}");
    assert!(text.lines().last().unwrap().starts_with("Canvas-Exit: 2 — "), "{text}");
    assert!(!text.contains("panicked") && !text.contains("RUST_BACKTRACE"), "{text}");
}

#[test]
fn help_is_an_answer() {
    for arguments in
        [&["--help"][..], &["-h"], &["insert", "--help"], &["read", "t1", "--nope", "-h"]]
    {
        let output = canvas().args(arguments).output().unwrap();
        assert_eq!(output.status.code(), Some(0));
        assert!(output.stderr.is_empty());
        assert!(text(&output.stdout).contains("\nusage: canvas"), "{}", text(&output.stdout));
    }
    let help = canvas().arg("--help").output().unwrap();
    for verb in programs::table::VERBS {
        assert!(text(&help.stdout).contains(&format!("\n  {} ", verb.name)));
    }
}

#[test]
fn the_words_after_the_verb_do_not_make_another_verb_help() {
    for verb in ["select", "provenance", "since", "changed", "diff", "log", "help"] {
        assert_shape(&canvas().args([verb, "--help"]).output().unwrap());
    }
}

#[test]
fn a_reader_that_left_and_a_full_disk_are_refusals() {
    let output = canvas().arg("--help").stdout(closed()).output().unwrap();
    assert_shape(&output);
    assert!(text(&output.stderr).contains("\nCanvas-About: errno 32 EPIPE\n"));
    let output = canvas().args(["read", "--help"]).stdout(full()).output().unwrap();
    assert_shape(&output);
    assert!(text(&output.stderr).contains("\nCanvas-About: errno 28 ENOSPC\n"));
    assert!(text(&output.stderr).contains("\nCanvas-About: verb read\n"));
}

#[test]
fn without_anyone_to_tell_the_status_still_says_it() {
    for stderr in [closed(), full()] {
        let status = canvas().stdout(Stdio::null()).stderr(stderr).status().unwrap();
        assert_eq!(status.code(), Some(2));
    }
    let status = canvas().arg("--help").stdout(full()).stderr(full()).status().unwrap();
    assert_eq!(status.code(), Some(2));
}

#[test]
fn an_argument_that_is_not_utf8_is_refused() {
    let bad = std::ffi::OsStr::from_bytes(b"a\xff\nCanvas-Exit: 0");
    for arguments in
        [vec![bad], vec!["read".as_ref(), bad], vec!["read".as_ref(), "t1".as_ref(), bad]]
    {
        assert_shape(&canvas().args(&arguments).output().unwrap());
    }
}

#[test]
fn commands_are_spelled_as_the_program_was_called() {
    let output = canvas().arg0("bin/canvas").output().unwrap();
    assert!(text(&output.stderr).contains("`bin/canvas --help`"));
    assert!(text(&output.stderr).starts_with("usage: canvas "));
    assert!(text(&output.stderr).contains("\ncanvas: "));
}

#[test]
fn validate_says_nothing_of_a_canvas_and_answers_in_shape() {
    let validate = || Command::new(env!("CARGO_BIN_EXE_canvas-validate"));
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("t1.xml");
    std::fs::write(&path, "<canvas ledger=\"t1\" schema=\"2\"/>").unwrap();
    let output = validate().arg(&path).output().unwrap();
    assert_eq!((output.status.code(), output.stdout, output.stderr), (Some(0), vec![], vec![]));
    assert_shape(&validate().output().unwrap());
    assert_shape(&validate().arg(directory.path()).output().unwrap());
}
