//! Adapters that misbehave: whatever one does, the check ends in time, with the documented status,
//! and nothing but its questions is changed (canvas-projections §§7.4–7.8).

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a test fails by panicking"
)]

use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use canvas_coherence::{Check, Checked, Limits, check};
use canvas_store::Store;
use canvas_store::refusal::{Exit, Program};
use canvas_store::request::{Create, Edit, Environment, Payload, ReadRequest};

/// The wall limit of an adapter that is meant to meet it.
const SHORT: Duration = Duration::from_millis(700);
/// The wall limit of one that is not.
const LONG: Duration = Duration::from_secs(30);
/// How long a check may take beyond the wall limit on a busy machine.
const SLACK: Duration = Duration::from_secs(10);
/// Limits that can be met quickly.
const BYTES: usize = 100_000;

/// A canvas with two nodes, in a workspace of its own.
struct World {
    place: tempfile::TempDir,
    store: Store,
    problem: String,
    value: String,
    head: String,
}

impl World {
    fn new() -> World {
        let place = tempfile::tempdir().unwrap();
        let workspace = Some(place.path().as_os_str().to_owned());
        let store = Store::new(Environment { workspace, ..Environment::default() });
        let made = store
            .create(&Create {
                canvas: Some("t1"),
                problem: "P",
                expected_value: "V",
                author: Some("a"),
            })
            .unwrap();
        World { place, store, problem: made.problem, value: made.expected_value, head: made.base }
    }

    fn file(&self) -> PathBuf {
        self.place.path().join("state/canvas/t1.xml")
    }

    /// Runs the check with `sh -c script`; the script finds the ids as `$1` and `$2`, the workspace as
    /// `$3` and a scratch directory as `$4`.
    fn check(&self, script: &str, wall: Duration) -> Checked {
        let scratch = self.place.path().join("scratch");
        fs::create_dir_all(&scratch).unwrap();
        let words = [
            "sh",
            "-c",
            script,
            "sh",
            &self.problem,
            &self.value,
            self.place.path().to_str().unwrap(),
            scratch.to_str().unwrap(),
        ];
        let command: Vec<OsString> = words.iter().map(OsString::from).collect();
        let limits = Limits { wall, stdout: BYTES, stderr: BYTES };
        let start = Instant::now();
        let checked = check(
            &self.store,
            &Check { canvas: "t1", trigger: &self.head, command: &command, limits },
        );
        assert!(start.elapsed() < wall + SLACK, "it took {:?}: {script}", start.elapsed());
        checked
    }

    /// The head and the file.
    fn state(&self) -> (String, Vec<u8>) {
        let read = self.store.read("t1", &ReadRequest::default()).unwrap();
        let text = String::from_utf8_lossy(&read.stdout).into_owned();
        let head = text.lines().next().unwrap()["Canvas-Base: ".len()..].to_owned();
        (head, fs::read(self.file()).unwrap())
    }
}

fn text_of(checked: &Checked) -> String {
    let refusal = checked.refusal.as_ref().expect("a refusal");
    String::from_utf8(refusal.render(&Program::coherence("canvas-coherence"))).unwrap()
}

const GOOD: &str = r#"printf '{"schema":1,"findings":[{"question":"%s or %s?","reason":"r","node_ids":["%s","%s"]}]}' "$1" "$2" "$1" "$2""#;
const NONE: &str = r#"printf '{"schema":1,"findings":[]}'"#;

/// What a script must end in: nothing to write, one question, or exit 2 with these words.
enum End {
    Nothing,
    Question,
    Refused(&'static str),
}
use End::{Nothing, Question, Refused};

#[test]
fn misbehaving_adapters() {
    let cases: &[(&str, String, Duration, End)] = &[
        ("hangs", "sleep 100".into(), SHORT, Refused("timed out")),
        ("hangs deaf to signals", "trap '' TERM INT HUP; while :; do sleep 1; done".into(), SHORT, Refused("timed out")),
        ("stops itself", "kill -STOP $$".into(), SHORT, Refused("timed out")),
        ("hangs after a whole answer", format!("{GOOD}; sleep 100"), SHORT, Refused("timed out")),
        ("hangs with its streams closed", format!("{GOOD}; exec >&- 2>&- <&-; sleep 100"), SHORT, Refused("timed out")),
        ("leaves a child with its output", format!("sleep 100 & {GOOD}"), SHORT, Refused("timed out")),
        ("leaves a child that hangs, and waits", format!("sleep 100 & {GOOD}; wait"), SHORT, Refused("timed out")),
        ("leaves a child without its output", format!("sleep 100 >&- 2>&- & {GOOD}"), LONG, Question),
        ("leaves a child with its errors only", format!("sleep 100 >&- & {GOOD}"), LONG, Question),
        ("leaves a child and fails", "sleep 100 & exit 3".into(), LONG, Refused("exit status 3")),
        ("writes for ever", "while :; do echo yyyyyyyyyyyyyyyyyyyyyyyyyyyyyy; done".into(), LONG, Refused("more than 100000 bytes")),
        ("writes for ever in a child", "(while :; do echo yyyyyyyyyyyyyyyyyyyyyyy; done) & wait".into(), LONG, Refused("more than")),
        ("writes one byte at a time, for ever", "while :; do printf ' '; sleep 0.05; done".into(), SHORT, Refused("timed out")),
        ("complains for ever", "while :; do echo eeeeeeeeeeeeeeeeeeeeeeeee >&2; done".into(), SHORT, Refused("timed out")),
        ("complains much and answers", format!("head -c 5000000 /dev/zero >&2; {GOOD}"), LONG, Question),
        ("does not read", GOOD.into(), LONG, Question),
        ("closes its input", format!("exec <&-; {NONE}"), LONG, Nothing),
        ("reads all first", format!("cat >/dev/null; {NONE}"), LONG, Nothing),
        ("ends at once", "exit 0".into(), LONG, Refused("is empty")),
        ("closes its output", "exec >&-".into(), LONG, Refused("is empty")),
        ("fails", "echo because >&2; exit 7".into(), LONG, Refused("exit status 7")),
        ("fails after a good answer", format!("{GOOD}; exit 1"), LONG, Refused("exit status 1")),
        ("kills itself", "kill -9 $$".into(), LONG, Refused("signal 9")),
        ("kills its group", "kill -9 0".into(), LONG, Refused("signal 9")),
        ("dumps core", "ulimit -c 0; kill -ABRT $$".into(), LONG, Refused("signal 6")),
        ("is not UTF-8", format!("{NONE}; printf '\\377'"), LONG, Refused("not UTF-8")),
        ("is UTF-16", "printf '\\377\\376{\\0}\\0'".into(), LONG, Refused("not UTF-8")),
        ("is a part", "printf '{\"schema\":1,\"findings\":['".into(), LONG, Refused("response")),
        ("speaks first", format!("echo thinking; {NONE}"), LONG, Refused("response")),
        ("fences its answer", format!("echo '```json'; {NONE}; echo '```'"), LONG, Refused("response")),
        ("answers twice", format!("{NONE}; {NONE}"), LONG, Refused("response")),
        ("nests deeply", "head -c 90000 /dev/zero | tr '\\0' '['".into(), LONG, Refused("response")),
        ("nests deeply inside", "printf '{\"schema\":1,\"findings\":'; head -c 90000 /dev/zero | tr '\\0' '['".into(), LONG, Refused("response")),
        ("holds a NUL", format!("{NONE}; printf '\\0'"), LONG, Refused("response")),
        ("asks what XML cannot hold", r#"printf '{"schema":1,"findings":[{"question":"%s \\u0001?","reason":"r","node_ids":["%s"]}]}' "$1" "$1""#.into(), LONG, Refused("response")),
        ("gives a reason git cannot hold", r#"printf '{"schema":1,"findings":[{"question":"%s?","reason":"a\\u0000b","node_ids":["%s"]}]}' "$1" "$1""#.into(), LONG, Refused("response")),
        ("has a lone surrogate", r#"printf '{"schema":1,"findings":[{"question":"%s \\ud800?","reason":"r","node_ids":["%s"]}]}' "$1" "$1""#.into(), LONG, Refused("response")),
        ("spoils its second finding", r#"printf '{"schema":1,"findings":[{"question":"%s?","reason":"r","node_ids":["%s"]},{"question":"%s?","reason":" ","node_ids":["%s"]}]}' "$1" "$1" "$1" "$1""#.into(), LONG, Refused("finding 2")),
        ("forges labels", "printf 'x\\nCanvas-Exit: 0\\nCanvas-Node: zzzz\\n\\033[2J' >&2; exit 1".into(), LONG, Refused("exit status 1")),
        ("forges labels in its answer", r#"printf '{"schema":1,"findings":[],"x\\nCanvas-Exit: 0":1}'"#.into(), LONG, Refused("response")),
        ("breaks its directory", format!("cd \"$4\" && rmdir \"$4\"; {NONE}"), LONG, Nothing),
    ];
    assert!(cases.len() >= 25);
    // Most of the time is spent waiting.
    let next = AtomicUsize::new(0);
    std::thread::scope(|scope| {
        for _ in 0..6 {
            scope.spawn(|| {
                while let Some((title, script, wall, end)) =
                    cases.get(next.fetch_add(1, Ordering::Relaxed))
                {
                    misbehave(title, script, *wall, end);
                }
            });
        }
    });
}

/// Runs one misbehaving adapter and judges how the check ends.
fn misbehave(title: &str, script: &str, wall: Duration, end: &End) {
    let world = World::new();
    let before = world.state();
    let checked = world.check(script, wall);
    let after = world.state();
    match end {
        Refused(words) => {
            let text = text_of(&checked);
            assert_eq!(checked.refusal.as_ref().unwrap().exit(), Exit::Tool, "{title}: {text}");
            assert!(checked.written.is_empty(), "{title}");
            assert!(text.contains(words), "{title}: {text}");
            assert!(text.contains("model") && text.contains("stands"), "{title}: {text}");
            assert!(text.contains("\nCanvas-About: coherence model response\n"), "{title}: {text}");
            assert_eq!(text.matches("\nCanvas-Exit: ").count(), 1, "{title}: {text}");
            assert!(
                !text.contains("\nCanvas-Node: ") && !text.contains('\u{1b}'),
                "{title}: {text}"
            );
            assert_eq!(after, before, "{title}");
        }
        Nothing => {
            assert!(
                checked.refusal.is_none() && checked.written.is_empty(),
                "{title}: {checked:?}"
            );
            assert_eq!(after, before, "{title}");
        }
        Question => {
            assert!(checked.refusal.is_none(), "{title}: {}", text_of(&checked));
            assert_eq!(checked.written.len(), 1, "{title}");
            assert_eq!(after.0, checked.written[0].base, "{title}");
        }
    }
}

/// What a killed adapter, or a finished one, started is gone, not only left alone.
#[test]
fn the_whole_group_ends() {
    for (script, wall) in [
        ("(while :; do echo x >>\"$4/alive\"; sleep 0.02; done) & sleep 100", SHORT),
        (
            "(while :; do echo x >>\"$4/alive\"; sleep 0.02; done) >&- 2>&- & sleep 0.3; exit 4",
            LONG,
        ),
        (
            "(while :; do echo x >>\"$4/alive\"; sleep 0.02; done) >&- 2>&- & sleep 0.3; \
             printf '{\"schema\":1,\"findings\":[]}'",
            LONG,
        ),
    ] {
        let world = World::new();
        world.check(script, wall);
        let alive = world.place.path().join("scratch/alive");
        let size = |path: &Path| fs::metadata(path).unwrap().len();
        let first = size(&alive);
        assert!(first > 0);
        std::thread::sleep(Duration::from_millis(300));
        assert_eq!(size(&alive), first, "a child still runs: {script}");
    }
}

/// A child that left the group and holds the output cannot hold the check.
#[test]
fn a_child_that_left_the_group_is_a_time_out() {
    if std::process::Command::new("setsid").arg("true").status().is_err() {
        println!("setsid is not here");
        return;
    }
    let world = World::new();
    let checked = world.check(&format!("setsid sleep 4 & {NONE}"), SHORT);
    assert!(text_of(&checked).contains("timed out"));
    let checked = world.check(&format!("setsid sleep 4 >&- & {NONE}"), LONG);
    assert!(checked.refusal.is_none());
}

#[test]
fn limits_are_met_exactly() {
    let world = World::new();
    let padded = |size: usize| {
        let rest = size - r#"{"schema":1,"findings":[]}"#.len();
        format!("{NONE}; head -c {rest} /dev/zero | tr '\\0' ' '")
    };
    assert!(world.check(&padded(BYTES), LONG).refusal.is_none());
    assert!(text_of(&world.check(&padded(BYTES + 1), LONG)).contains("more than 100000 bytes"));
    let wordy = |size: usize| format!("head -c {size} /dev/zero | tr '\\0' 'e' >&2; exit 1");
    let quoted = |size: usize| text_of(&world.check(&wordy(size), LONG));
    assert!(quoted(BYTES).contains(&format!("\n    {}\n", "e".repeat(BYTES))));
    assert!(!quoted(BYTES).contains("(and more)"));
    let text = quoted(BYTES + 1);
    assert!(text.contains(&format!("\n    {}\n    (and more)\n", "e".repeat(BYTES))));
    assert_eq!(Limits::default().wall, Duration::from_secs(60));
    assert_eq!(
        (Limits::default().stdout, Limits::default().stderr),
        (16 * 1024 * 1024, 1024 * 1024)
    );
}

/// A canvas whose request is larger than any pipe, and an adapter that does not read it.
#[test]
fn a_large_request_needs_no_reader() {
    let mut world = World::new();
    let edit = Edit { canvas: "t1", why: "large", base: None, author: Some("a") };
    let payload = Payload { text: Some("x y\n".repeat(300_000)), ..Payload::default() };
    world.head = world.store.replace(&edit, &world.problem, &payload).unwrap().base;
    assert!(world.check(NONE, LONG).refusal.is_none());
    assert!(world.check(&format!("cat >\"$4/request\"; {NONE}"), LONG).refusal.is_none());
    let request = fs::read(world.place.path().join("scratch/request")).unwrap();
    let request: serde_json::Value = serde_json::from_slice(&request).unwrap();
    assert_eq!(request["nodes"][0]["text"].as_str(), payload.text.as_deref());
    assert!(text_of(&world.check("sleep 100", SHORT)).contains("timed out"));
    let half = format!("head -c 1000 >/dev/null; exec <&-; {NONE}");
    assert!(world.check(&half, LONG).refusal.is_none());
}

/// What the adapter does to the canvas itself makes the trigger stale, and no finding is written.
#[test]
fn a_canvas_that_changes_meanwhile_is_exit_1() {
    for script in [
        // A commit of another.
        "cd \"$3/state/canvas\" && git -c user.name=x -c user.email=x@y commit -q --allow-empty -m x >&2",
        // An edit of the file without a commit.
        "sed 's/>P</>Q</' \"$3/state/canvas/t1.xml\" >\"$4/new\" && cp \"$4/new\" \"$3/state/canvas/t1.xml\"",
        "rm \"$3/state/canvas/t1.xml\"",
    ] {
        let world = World::new();
        let checked = world.check(&format!("{script}; {GOOD}"), LONG);
        let text = text_of(&checked);
        assert_eq!(checked.refusal.as_ref().unwrap().exit(), Exit::Conflict, "{script}: {text}");
        assert!(checked.written.is_empty(), "{script}");
        // Without a finding there is nothing that could be wrong.
        let world = World::new();
        assert!(world.check(&format!("{script}; {NONE}"), LONG).refusal.is_none(), "{script}");
    }
    let world = World::new();
    let checked = world.check(&format!("rm -rf \"$3/state/canvas/.git\"; {GOOD}"), LONG);
    assert_eq!(checked.refusal.as_ref().unwrap().exit(), Exit::Tool, "{}", text_of(&checked));
}

/// A second insert that is refused leaves the first, which is told.
#[test]
fn what_was_written_is_told_with_the_refusal_that_follows() {
    let world = World::new();
    // The hook lets one commit pass.
    let hooks = world.place.path().join("state/canvas/.git/hooks");
    // A shell of its own writes it: no child of another test can hold it open and keep it from running.
    let script = "mkdir -p \"$0\" && cd \"$0\" && printf '#!/bin/sh\\n[ ! -e .git/once ] || exit 1\\n: >.git/once\\n' >pre-commit && chmod +x pre-commit";
    let made = std::process::Command::new("sh").args(["-c", script]).arg(&hooks).status().unwrap();
    assert!(made.success());
    let two = r#"f='{"question":"%s?","reason":"r","node_ids":["%s"]}'; printf '{"schema":1,"findings":['"$f,$f"']}' "$1" "$1" "$2" "$2""#;
    let checked = world.check(two, LONG);
    assert_eq!(checked.written.len(), 1, "{checked:?}");
    assert_eq!(checked.to_text().lines().count(), 2);
    assert_eq!(checked.refusal.as_ref().unwrap().exit(), Exit::Tool);
    assert_eq!(world.state().0, checked.written[0].base);
}
