//! What a check does with the adapter it started, and with what that answered.

use crate::desk::{Desk, NONE, text};
use crate::support::invariants::{self, check_versions, commits, counts};
use crate::support::world::{Snapshot, display, finish};

pub fn no_finding() {
    let desk = Desk::new();
    let before = Snapshot::take(&desk.world);
    let run = desk.check(NONE);
    assert_eq!(run.code, Some(0), "{}", run.report());
    assert!(run.stdout.is_empty());
    assert_eq!(before.difference(&Snapshot::take(&desk.world)), None);
}

pub fn one_finding() {
    let desk = Desk::new();
    let trigger = desk.world.head();
    let before = Snapshot::take(&desk.world);
    let run = desk.check(&desk.answers(&[desk.finding()]));
    assert_eq!(run.code, Some(0), "{}", run.report());
    desk.asked().unwrap();
    let after = Snapshot::take(&desk.world);
    assert_eq!((after.status.as_str(), after.files.len()), ("", before.files.len()));
    let (node, base) = (run.label("Canvas-Node").unwrap(), run.label("Canvas-Base").unwrap());
    assert_eq!(run.out(), format!("Canvas-Node: {node}\nCanvas-Base: {base}\n"));
    let stored = std::fs::read_to_string(desk.world.canvas_file("t1")).unwrap();
    let tags = invariants::tags(&stored);
    let last = tags.last().unwrap();
    let attributes = [("id".to_owned(), node.clone()), ("v".to_owned(), "1".to_owned())];
    assert_eq!((last.name.as_str(), last.attributes.as_slice()), ("question", &attributes[..]));
    assert!(
        stored.contains(&format!("\n  <question id=\"{node}\" v=\"1\">{} or {}?<", desk.a, desk.b))
    );
    let commits = commits(&desk.world).unwrap();
    assert_eq!(commits.len(), 4);
    let head = &commits[0];
    assert_eq!((&head.sha, &head.nodes), (&base, &vec![node.clone()]));
    assert_eq!(head.authors, [format!("canvas-coherence | trigger:{trigger}")]);
    assert_eq!((&head.bases, &head.paths), (&vec![trigger.clone()], &vec!["t1.xml".to_owned()]));
    let subject = desk.world.git_text(&["log", "-1", "--format=%s"]).unwrap();
    let (a, b) = (&desk.a, &desk.b);
    assert_eq!(
        subject,
        format!(
            "insert {node}: coherence check after {trigger} found nodes {a}, {b} disagree: they disagree"
        )
    );
    check_versions(&stored, &counts(&commits)).unwrap();
    let shown = desk.world.canvas(&["read", "t1", "--type", "question"]);
    assert!(shown.out().contains(&node), "{}", shown.report());
}

pub fn two_findings() {
    let desk = Desk::new();
    let trigger = desk.world.head();
    let run = desk.check(&desk.answers(&[desk.finding(), desk.finding()]));
    assert_eq!(run.code, Some(0), "{}", run.report());
    let lines: Vec<String> = run.out().lines().map(str::to_owned).collect();
    let commits = commits(&desk.world).unwrap();
    assert_eq!((lines.len(), commits.len()), (4, 5));
    assert_eq!(lines[1], format!("Canvas-Base: {}", commits[1].sha));
    assert_eq!(lines[3], format!("Canvas-Base: {}", commits[0].sha));
    assert_eq!(commits[1].bases, std::slice::from_ref(&trigger));
    assert_eq!(commits[0].bases, [commits[1].sha.clone()]);
    for commit in &commits[..2] {
        assert_eq!(commit.authors, [format!("canvas-coherence | trigger:{trigger}")]);
    }
}

pub fn folded_reason() {
    let desk = Desk::new();
    let (a, b) = (&desk.a, &desk.b);
    let finding = format!(
        "{{\"question\": \"  {a}\\n{b}? \", \"reason\": \" one\\n\\n two \\t three\\u2028four \", \
         \"node_ids\": [\"{a}\", \"{b}\"]}}"
    );
    let run = desk.check(&desk.answers(&[finding]));
    assert_eq!(run.code, Some(0), "{}", run.report());
    let subject = desk.world.git_text(&["log", "-1", "--format=%s"]).unwrap();
    assert!(subject.ends_with(" disagree: one two three four"), "{subject}");
    let node = run.label("Canvas-Node").unwrap();
    let history = desk.world.canvas(&["history", "t1", &node]);
    assert!(history.out().contains(" disagree: one two three four\n"), "{}", history.report());
    let stored = std::fs::read_to_string(desk.world.canvas_file("t1")).unwrap();
    assert!(stored.contains(&format!(">{a}\n{b}?</question>")), "{stored}");
}

pub fn adapter_that_writes() {
    let desk = Desk::new();
    let write = format!(
        "OPENCLAW_WORKSPACE='{}' bin/canvas replace t1 {} --text x --why y >&2; {}",
        desk.world.workspace().display(),
        desk.a,
        desk.answers(&[desk.finding()])
    );
    let run = desk.check(&write);
    assert_eq!(run.code, Some(1), "{}", run.report());
    assert!(run.stdout.is_empty() && run.err().contains("stale"), "{}", run.report());
    assert_eq!(commits(&desk.world).unwrap().len(), 4, "only the adapter's own write is there");
    // With nothing to write it does not matter.
    let write = write.replace(&desk.finding(), "");
    assert_eq!(desk.check(&write).code, Some(0));
}

pub fn environment() {
    let mut desk = Desk::new();
    for (name, value) in [
        ("GIT_DIR", "/nowhere"),
        ("GIT_WORK_TREE", "/nowhere"),
        ("GIT_INDEX_FILE", "/nowhere"),
        ("GIT_CONFIG_COUNT", "0"),
        ("KEY_OF_A_MODEL", "secret"),
    ] {
        desk.world.environment.insert(name.into(), value.into());
    }
    let run = desk.check(&format!("env >files/environment; pwd >files/place; {NONE}"));
    assert_eq!(run.code, Some(0), "{}", run.report());
    let environment = text(&desk, "files/environment");
    assert!(
        !environment.contains("OPENCLAW_WORKSPACE") && !environment.contains("GIT_"),
        "{environment}"
    );
    assert!(environment.contains("KEY_OF_A_MODEL=secret\n"), "{environment}");
    assert_eq!(text(&desk, "files/place").trim(), desk.world.root().to_str().unwrap());
}

pub fn request() {
    let desk = Desk::new();
    let section = [
        "insert",
        "t1",
        "--into",
        "root",
        "--type",
        "section",
        "--title",
        "Übersicht \"x\"",
        "--why",
        "because",
        "--author",
        "ann | step",
    ];
    desk.canvas(&section);
    let run = desk.check(&desk.answers(&[]));
    assert_eq!(run.code, Some(0), "{}", run.report());
    let first = desk.asked().unwrap();
    assert!(first.contains("Übersicht"), "what is not ASCII stands as it is: {first}");
    let head = desk.canvas(&[
        "replace",
        "t1",
        &desk.a,
        "--text",
        "new",
        "--why",
        "why: this",
        "--author",
        "leo",
    ]);
    assert_eq!(desk.check(&desk.answers(&[])).code, Some(0));
    let text = desk.asked().unwrap();
    let commits = commits(&desk.world).unwrap();
    let stored = std::fs::read_to_string(desk.world.canvas_file("t1")).unwrap();
    let (a, b, s) = (&desk.a, &desk.b, &invariants::ids(&stored)[2]);
    let quoted = |text: &str| {
        format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n"))
    };
    let first_words = "the problem this Canvas starts with";
    let second_words = "the expected value this Canvas starts with";
    let user = "tester | by-hand";
    let past = |commit: usize, verb: &str, reason: &str, author: &str| {
        format!(
            r#"{{"sha":"{}","verb":"{verb}","reason":"{reason}","author":"{author}"}}"#,
            commits[commit].sha
        )
    };
    // Every field, in order; the words of the instruction are free.
    let expected = format!(
        r#"{{"schema":1,"ledger":"t1","trigger_sha":"{head}","canvas_sha":"{head}","canvas_xml":{},"trigger":{{"sha":"{head}","subject":"replace {a}: why: this","verb":"replace","node_id":"{a}","author":"leo","reason":"why: this"}},"nodes":[{{"id":"{a}","element":"text","text":"new","attributes":{{"id":"{a}","v":"2"}},"history":[{},{}]}},{{"id":"{b}","element":"text","text":"V","attributes":{{"id":"{b}","v":"1"}},"history":[{}]}},{{"id":"{s}","element":"section","text":"","attributes":{{"id":"{s}","title":"Übersicht \"x\"","v":"1"}},"history":[{}]}}],"instruction":""#,
        quoted(&stored),
        past(3, "insert", first_words, user),
        past(0, "replace", "why: this", "leo"),
        past(2, "insert", second_words, user),
        past(1, "insert", "because", "ann | step"),
    )
    .replace(r#""title":"Übersicht "x"""#, r#""title":"Übersicht \"x\"""#);
    let at = text.find("\"instruction\":\"").unwrap() + "\"instruction\":\"".len();
    assert_eq!(&text[..at], expected);
    assert!(text[at..].contains("trigger") && text[at..].trim_end().ends_with("\"}"), "{text}");
}

pub fn arguments_of_the_adapter() {
    let desk = Desk::new();
    let script = format!("for word; do printf '<%s>' \"$word\"; done >files/words; {NONE}");
    let head = desk.world.head();
    let run = desk.run(&[
        "--trigger",
        &head,
        "t1",
        "--model-command",
        "sh",
        "-c",
        &script,
        "sh",
        "--x",
        "--trigger",
        "y",
        "--help",
        "",
        "a b",
        "$HOME",
        "*",
        "--",
        "é",
    ]);
    assert_eq!(run.code, Some(0), "{}", run.report());
    assert_eq!(text(&desk, "files/words"), "<--x><--trigger><y><--help><><a b><$HOME><*><--><é>");
}

pub fn adapter_failures() {
    let desk = Desk::new();
    for (script, words) in [
        (
            "echo a line >&2; echo >&2; echo another >&2; exit 7",
            &["exit status 7", "\n    a line\n"][..],
        ),
        ("kill -9 $$", &["signal 9"]),
        ("sleep 300 & exit 3", &["exit status 3"]),
    ] {
        let (run, refusal) = desk.refused(2, |desk| desk.check(script));
        for words in words.iter().chain(&["model", "stands"]) {
            assert!(run.err().contains(words), "{words}\n{}", run.report());
        }
        assert!(refusal.abouts.contains(&"coherence model response".to_owned()));
    }
    let head = desk.world.head();
    let files = desk.world.root().join("files");
    desk.world.write(&files.join("plain"), b"no program").unwrap();
    for program in ["no-such-adapter", "files/no-such-adapter", "files", "files/plain"] {
        let arguments = ["t1", "--trigger", &head, "--model-command", program];
        let (run, refusal) = desk.refused(2, |desk| desk.run(&arguments));
        assert!(run.err().contains("start") && run.err().contains("model"), "{}", run.report());
        assert!(refusal.abouts.contains(&format!("command {program}")), "{}", run.report());
        assert!(refusal.abouts.iter().any(|about| about.starts_with("errno ")), "{}", run.report());
    }
    // The limit of the program itself is a minute, so it is met only on request; the library's tests
    // meet shorter ones.
    if std::env::var_os("CANVAS_TEST_FULL").is_some() {
        let start = std::time::Instant::now();
        let (run, _) = desk.refused(2, |desk| desk.check("sleep 300 & sleep 300"));
        assert!(
            run.err().contains("timed out") && run.err().contains("60 seconds"),
            "{}",
            run.report()
        );
        assert!((59..75).contains(&start.elapsed().as_secs()), "{:?}", start.elapsed());
    }
}

/// An answer that nobody takes: the question is stored, and it is said so.
pub fn unprinted_answer() {
    let desk = Desk::new();
    let head = desk.world.head();
    let script = desk.answers(&[desk.finding()]);
    let arguments = ["t1", "--trigger", &head, "--model-command", "sh", "-c", &script];
    let mut command = desk.world.program("canvas-coherence");
    command
        .args(arguments)
        .stdout(std::fs::OpenOptions::new().write(true).open("/dev/full").unwrap());
    let run = finish(command, display("bin/canvas-coherence", &arguments));
    assert_eq!(run.code, Some(2), "{}", run.report());
    let refusal = desk.refusal(&run);
    assert!(refusal.message.contains(&desk.world.head()), "{}", run.report());
    assert!(refusal.abouts.contains(&"errno 28 ENOSPC".to_owned()), "{}", run.report());
}
