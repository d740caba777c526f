//! The example adapters do what they say.

use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use crate::desk::Desk;
use crate::support::world::Run;

/// Puts an example where the children find it, and says how it is started; nothing when there is no
/// Python to run it.
fn adapter(desk: &Desk, name: &str) -> Option<[String; 2]> {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/adapters").join(name);
    let mode = std::fs::metadata(&source).unwrap().permissions().mode();
    assert_eq!(mode & 0o111, 0o111, "{name} can be started");
    let text = std::fs::read_to_string(&source).unwrap();
    let interpreter = if text.starts_with("#!/bin/sh\n") { "sh" } else { "python3" };
    assert!(interpreter == "sh" || text.starts_with("#!/usr/bin/env python3\n"), "{name}");
    if interpreter == "python3" && desk.world.shell("python3 -c 0").code != Some(0) {
        println!("python3 is not here: {name} is not tested");
        return None;
    }
    desk.world.write(&desk.world.root().join("files").join(name), text.as_bytes()).unwrap();
    Some([interpreter.to_owned(), format!("files/{name}")])
}

/// Checks `t1` at its head with an example and further arguments for it.
fn check(desk: &Desk, adapter: &[String; 2], arguments: &[&str]) -> Run {
    let head = desk.world.head();
    let mut words = vec!["t1", "--trigger", &head, "--model-command", &adapter[0], &adapter[1]];
    words.extend(arguments);
    desk.run(&words)
}

pub fn no_finding() {
    let desk = Desk::new();
    let adapter = adapter(&desk, "no-finding").unwrap();
    let run = check(&desk, &adapter, &[]);
    assert_eq!((run.code, run.out().as_str()), (Some(0), ""), "{}", run.report());
}

pub fn rule_based() {
    let desk = Desk::new();
    let Some(adapter) = adapter(&desk, "conflicting-numbers") else { return };
    let say = |node: &str, text: &str| {
        desk.canvas(&["replace", "t1", node, "--text", text, "--why", "it was measured"]);
        let run = check(&desk, &adapter, &[]);
        assert_eq!(run.code, Some(0), "{}", run.report());
        run.out().lines().count() / 2
    };
    assert_eq!(say(&desk.a, "We deploy in May. The window is 30 minutes, at most."), 0);
    for agrees in [
        "The window is 30 minutes, at most.",
        "The window is 30.0 minutes at most",
        "The window is 45 minutes, at best.",
        "The window is short.",
        "30 45",
    ] {
        assert_eq!(say(&desk.b, agrees), 0, "{agrees}");
    }
    assert_eq!(say(&desk.b, "Nobody knows why.\nThe window is 45 minutes, at most"), 1);
    let stored = std::fs::read_to_string(desk.world.canvas_file("t1")).unwrap();
    assert!(stored.contains(&format!("Nodes {} and {} give different numbers", desk.b, desk.a)));
    let subject = desk.world.git_text(&["log", "-1", "--format=%s"]).unwrap();
    assert!(subject.contains("says \"The window is 45 minutes, at most\""), "{subject}");
    // A question states nothing.
    let question = [
        "insert",
        "t1",
        "--into",
        "root",
        "--type",
        "question",
        "--why",
        "open",
        "--text",
        "The window is 60 minutes, at most?",
    ];
    desk.canvas(&question);
    let run = check(&desk, &adapter, &[]);
    assert_eq!((run.code, run.out().as_str()), (Some(0), ""), "{}", run.report());
}

pub fn command_line_model() {
    let desk = Desk::new();
    let Some(adapter) = adapter(&desk, "command-line-model") else { return };
    let answer =
        format!("echo 'Here it is:'; {}; echo; echo Done.", desk.answers(&[desk.finding()]));
    let run = check(&desk, &adapter, &["sh", "-c", &answer]);
    assert_eq!(run.code, Some(0), "{}", run.report());
    assert_eq!(run.out().lines().count(), 2, "{}", run.report());
    let prompt = desk.asked().unwrap();
    assert!(prompt.starts_with("Find contradictions") && prompt.contains("canvas_xml"), "{prompt}");
    desk.canvas(&["replace", "t1", &desk.a, "--text", "x", "--why", "y"]);
    for (model, words) in [("exit 5", "sh ended with status 5"), ("echo no", "gave no JSON object")]
    {
        let (run, _) = desk.refused(2, |desk| check(desk, &adapter, &["sh", "-c", model]));
        assert!(run.err().contains(words), "{}", run.report());
    }
    let (run, _) = desk.refused(2, |desk| check(desk, &adapter, &[]));
    assert!(run.err().contains("usage: command-line-model"), "{}", run.report());
}
