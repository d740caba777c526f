//! What is refused before any adapter is started (canvas-projections §§7.1, 7.2).

use crate::desk::Desk;

/// A check of `t1` at the head, with an adapter that tells when it ran.
fn early(desk: &Desk, code: i32, words: &str) {
    let (run, _) = desk.refused_early(code, |desk| desk.check(&desk.answers(&[desk.finding()])));
    assert!(run.err().contains(words), "{}", run.report());
}

pub fn own_question() {
    let desk = Desk::new();
    assert_eq!(desk.check(&desk.answers(&[desk.finding()])).code, Some(0));
    early(&desk, 1, "never checked");
    // The author is what counts, whoever wrote.
    let author = "canvas-coherence | trigger:abc";
    desk.canvas(&[
        "insert", "t1", "--into", "root", "--text", "x", "--why", "y", "--author", author,
    ]);
    early(&desk, 1, "never checked");
    let author = "canvas-coherence | by-hand";
    desk.canvas(&[
        "insert", "t1", "--into", "root", "--text", "x", "--why", "y", "--author", author,
    ]);
    assert_eq!(desk.check(&desk.answers(&[])).code, Some(0));
}

pub fn stale_trigger() {
    let desk = Desk::new();
    let old = desk.world.head();
    for move_on in [
        &["replace", "t1", &desk.a, "--text", "x", "--why", "y"][..],
        // The head belongs to the whole repository.
        &["create", "t2", "--problem", "P", "--expected-value", "V"],
    ] {
        desk.canvas(move_on);
        let (run, _) =
            desk.refused_early(1, |desk| desk.check_at(&old, &desk.answers(&[desk.finding()])));
        assert!(run.err().contains("stale"), "{}", run.report());
    }
    let unknown = "0123456789abcdef0123456789abcdef01234567";
    desk.refused_early(1, |desk| desk.check_at(unknown, &desk.answers(&[])));
}

pub fn another_canvas() {
    let desk = Desk::new();
    desk.canvas(&["create", "t2", "--problem", "P", "--expected-value", "V"]);
    early(&desk, 1, "not a successful primary write");
}

pub fn freeze() {
    let desk = Desk::new();
    desk.canvas(&["freeze", "t1", "--why", "done"]);
    early(&desk, 1, "not a successful primary write");
    desk.canvas(&["replace", "t1", &desk.a, "--text", "x", "--why", "y"]);
    let run = desk.check(&desk.answers(&[desk.finding()]));
    assert_eq!(run.code, Some(0), "{}", run.report());
    assert!(desk.asked().is_some() && run.out().lines().count() == 2);
}

pub fn after_create() {
    let desk = Desk::new();
    assert_eq!(desk.check(&desk.answers(&[])).code, Some(0));
    assert!(desk.asked().unwrap().contains("\"verb\":\"insert\""));
}

pub fn every_verb() {
    let desk = Desk::new();
    for (verb, arguments) in [
        ("insert", &["insert", "t1", "--into", "root", "--text", "x", "--why", "y"][..]),
        ("replace", &["replace", "t1", &desk.a, "--text", "x", "--why", "y"]),
        ("move", &["move", "t1", &desk.a, "--after", &desk.b, "--why", "y"]),
        ("remove", &["remove", "t1", &desk.b, "--why", "y"]),
    ] {
        desk.canvas(arguments);
        let run = desk.check(&desk.answers(&[]));
        assert_eq!(run.code, Some(0), "{}", run.report());
        assert!(desk.asked().unwrap().contains(&format!("\"verb\":\"{verb}\",\"node_id\"")));
    }
}

pub fn abbreviated_trigger() {
    let desk = Desk::new();
    let head = desk.world.head();
    let long = format!("{head}0");
    for trigger in [&head[..12], &head[..39], &long, &head.to_uppercase(), "HEAD", "", " ", "\n"] {
        if trigger == head {
            continue;
        }
        let (run, _) =
            desk.refused_early(2, |desk| desk.check_at(trigger, &desk.answers(&[desk.finding()])));
        assert!(run.err().contains("option --trigger"), "{}", run.report());
    }
}

pub fn invocation() {
    let desk = Desk::new();
    let head = desk.world.head();
    for arguments in [
        &["t1", "--trigger", &head][..],
        &["t1", "--trigger", &head, "--model-command"],
        &["t1", "--trigger", &head, "--model-command", ""],
        &["t1", "--trigger", &head, "--model-command="],
        &["t1", "--model-command", "true"],
        &["--trigger", &head, "--model-command", "true"],
        &["t1", "--trigger", &head, "--author", "x", "--model-command", "true"],
        &["t1", "t2", "--trigger", &head, "--model-command", "true"],
        &[],
    ] {
        let (run, refusal) = desk.refused_early(2, |desk| desk.run(arguments));
        assert!(refusal.usage.starts_with("usage: canvas-coherence "), "{}", run.report());
        assert!(refusal.abouts.contains(&"command canvas-coherence".to_owned()));
    }
    // What is wrong with the invocation is told before the store is looked at.
    let mut desk = desk;
    desk.world.environment.remove(std::ffi::OsStr::new("OPENCLAW_WORKSPACE"));
    let (_, refusal) = desk.refused_early(2, |desk| desk.run(&["t1", "--trigger", &head]));
    assert!(refusal.abouts.contains(&"option --model-command".to_owned()));
    let help = desk.run(&["--help"]);
    assert_eq!(help.code, Some(0));
    assert!(help.out().starts_with("usage: canvas-coherence "), "{}", help.report());
}

pub fn invalid_canvas() {
    let desk = Desk::new();
    let file = desk.world.canvas_file("t1");
    let text = std::fs::read_to_string(&file).unwrap();
    desk.world.write(&file, text.replace("</canvas>", "<decision/></canvas>").as_bytes()).unwrap();
    let (run, refusal) = desk.refused_early(1, |desk| desk.check(&desk.answers(&[desk.finding()])));
    assert!(refusal.details.iter().any(|line| line.contains("<decision>")), "{}", run.report());
    desk.world.write(&file, b"<canvas").unwrap();
    early(&desk, 1, "not well-formed");
}

/// Each check comes before the next: where two fail, the first is told.
pub fn order() {
    let mut desk = Desk::new();
    let old = desk.world.head();
    // A trigger that is none, and no workspace: the trigger is told.
    let workspace = desk.world.environment.remove(std::ffi::OsStr::new("OPENCLAW_WORKSPACE"));
    let (run, _) = desk.refused_early(2, |desk| desk.check_at("x", "true"));
    assert!(run.err().contains("option --trigger"), "{}", run.report());
    // No workspace, and a canvas that cannot be: the workspace.
    let arguments = ["../t", "--trigger", &old, "--model-command", "true"];
    let (run, _) = desk.refused_early(2, |desk| desk.run(&arguments));
    assert!(run.err().contains("environment variable OPENCLAW_WORKSPACE"), "{}", run.report());
    desk.world.environment.insert("OPENCLAW_WORKSPACE".into(), workspace.unwrap());
    let (run, _) = desk.refused_early(2, |desk| desk.run(&arguments));
    assert!(run.err().contains("not a usable Canvas identifier"), "{}", run.report());
    let missing = ["none", "--trigger", &old, "--model-command", "true"];
    let (run, _) = desk.refused_early(1, |desk| desk.run(&missing));
    assert!(run.err().contains("no canvas for Canvas identifier none"), "{}", run.report());
    // A stale trigger, whose head is also a freeze, of a canvas that is not valid: it is stale.
    desk.canvas(&["freeze", "t1", "--why", "done"]);
    let file = desk.world.canvas_file("t1");
    let text = std::fs::read_to_string(&file).unwrap();
    desk.world.write(&file, text.replace("</canvas>", "<decision/></canvas>").as_bytes()).unwrap();
    let (run, _) = desk.refused_early(1, |desk| desk.check_at(&old, "true"));
    assert!(run.err().contains("stale"), "{}", run.report());
    // The head, which is a freeze: it is no primary write, before the document is judged.
    early(&desk, 1, "not a successful primary write");
    // Not well-formed comes with the store's own preflight.
    desk.world.write(&file, b"<canvas").unwrap();
    let (run, _) = desk.refused_early(1, |desk| desk.check_at(&old, "true"));
    assert!(run.err().contains("not well-formed"), "{}", run.report());
}

/// Commits that were not made by the store, or not as it makes them.
pub fn foreign_commits() {
    let good = "Canvas-Node: ab23\nCanvas-Author: x";
    for (touch, message, accepted) in [
        ("echo >>t1.xml", format!("replace ab23: r\n\n{good}"), true),
        ("echo >>t1.xml; echo >other", format!("replace ab23: r\n\n{good}"), false),
        ("echo >t1.txt", format!("replace ab23: r\n\n{good}"), false),
        ("mkdir t; echo >t/t1.xml", format!("replace ab23: r\n\n{good}"), false),
        ("true", format!("replace ab23: r\n\n{good}"), false),
        ("echo >>t1.xml", format!("replaced ab23: r\n\n{good}"), false),
        ("echo >>t1.xml", format!("create t1: r\n\n{good}"), false),
        ("echo >>t1.xml", "replace ab23: r\n\nCanvas-Author: x".to_owned(), false),
        ("echo >>t1.xml", "replace ab23: r\n\nCanvas-Node: ab23".to_owned(), false),
        ("echo >>t1.xml", format!("replace ab23: r\n\nCanvas-Node: cd45\n{good}"), false),
        ("echo >>t1.xml", "replace ab23: r".to_owned(), false),
        (
            "echo >>t1.xml",
            "replace ab23: r\n\nCanvas-Node: ab23\nCanvas-Author:\n".to_owned(),
            false,
        ),
    ] {
        let desk = Desk::new();
        let directory = desk.world.directory();
        let made = desk.world.shell(&format!("cd '{}' && {touch}", directory.display()));
        assert_eq!(made.code, Some(0), "{}", made.report());
        desk.world.git_text(&["add", "-A"]).unwrap();
        desk.world.git_text(&["commit", "-q", "--allow-empty", "-m", &message]).unwrap();
        if accepted {
            let run = desk.check(&desk.answers(&[]));
            assert_eq!(run.code, Some(0), "{}", run.report());
            assert!(desk.asked().is_some());
        } else {
            early(&desk, 1, "not a successful primary write");
        }
    }
}
