//! Several processes on one store at once.

use super::{born, full, refused, sound};
use crate::support::invariants;
use crate::support::world::{Run, World};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

/// Runs one command line per entry, all at once, and returns what each did.
fn at_once(world: &World, lines: &[Vec<String>]) -> Vec<Run> {
    thread::scope(|scope| {
        let started: Vec<_> =
            lines.iter().map(|line| scope.spawn(move || world.canvas(line))).collect();
        started.into_iter().map(|t| t.join().unwrap()).collect()
    })
}

fn line(words: &[&str]) -> Vec<String> {
    words.iter().map(|w| (*w).to_owned()).collect()
}

/// A refusal under contention is staleness (1) or a bounded wait (2), and conforms.
fn judge(run: &Run, stale: bool) {
    if run.code == Some(0) {
        assert!(run.stderr.is_empty(), "{}", run.report());
        return;
    }
    let refusal = refused(run);
    assert!(run.stdout.is_empty(), "{}", run.report());
    match run.code {
        Some(1) => assert!(stale, "refused for another reason than a wait\n{}", run.report()),
        _ => assert!(
            refusal.abouts.iter().any(|a| a.starts_with("canvas repository ")),
            "{}",
            run.report()
        ),
    }
}

/// Sixteen processes, each inserting again and again.
pub fn sixteen_writers() {
    let world = World::new();
    born(&world, "t1");
    let rounds = if full() { 50 } else { 4 };
    let runs: Vec<Run> = thread::scope(|scope| {
        let world = &world;
        let writers: Vec<_> = (0..16)
            .map(|writer| {
                scope.spawn(move || {
                    (0..rounds)
                        .map(|round| {
                            let text = format!("text {writer} {round}");
                            world.canvas(&[
                                "insert",
                                "t1",
                                "--into",
                                "root",
                                "--text",
                                &text,
                                "--why",
                                "one of many notes",
                            ])
                        })
                        .collect::<Vec<_>>()
                })
            })
            .collect();
        writers.into_iter().flat_map(|t| t.join().unwrap()).collect()
    });
    runs.iter().for_each(|run| judge(run, false));
    let stored: Vec<&Run> = runs.iter().filter(|r| r.code == Some(0)).collect();
    let commits = sound(&world, &["t1"]);
    assert_eq!(commits.len(), 3 + stored.len(), "stored and committed are not the same");
    let text = std::fs::read_to_string(world.canvas_file("t1")).unwrap();
    let ids = invariants::ids(&text);
    assert_eq!(ids.len(), 2 + stored.len());
    for run in &stored {
        let node = run.label("Canvas-Node").unwrap();
        assert!(ids.contains(&node), "{node} was stored and is lost");
        let base = run.label("Canvas-Base").unwrap();
        let commit = commits.iter().find(|c| c.sha == base).unwrap();
        assert_eq!(commit.nodes, [node]);
    }
    assert_eq!(stored.len(), runs.len(), "a bounded wait is allowed, yet none should be needed");
}

/// Twenty processes, each replacing a node of its own.
pub fn twenty_replaces_at_once() {
    let world = World::new();
    born(&world, "t1");
    let nodes: Vec<String> = (0..20)
        .map(|n| {
            super::edit(
                &world,
                &["insert", "t1", "--into", "root", "--text", &n.to_string(), "--why", "a note"],
            )
        })
        .collect();
    let lines: Vec<Vec<String>> = nodes
        .iter()
        .map(|n| line(&["replace", "t1", n, "--text", &format!("new {n}"), "--why", "all at once"]))
        .collect();
    let runs = at_once(&world, &lines);
    runs.iter().for_each(|run| judge(run, false));
    let text = std::fs::read_to_string(world.canvas_file("t1")).unwrap();
    let mut stored = 0;
    for (run, node) in runs.iter().zip(&nodes) {
        let there = text.contains(&format!("id=\"{node}\" v=\"2\">new {node}</text>"));
        assert_eq!(run.code == Some(0), there, "{}\n{text}", run.report());
        stored += usize::from(there);
    }
    assert_eq!(sound(&world, &["t1"]).len(), 23 + stored);
}

/// Twenty processes, each inserting into the root.
pub fn twenty_inserts_at_once() {
    let world = World::new();
    born(&world, "t1");
    let lines: Vec<Vec<String>> = (0..20)
        .map(|n| {
            line(&["insert", "t1", "--into", "root", "--text", &n.to_string(), "--why", "a note"])
        })
        .collect();
    let runs = at_once(&world, &lines);
    runs.iter().for_each(|run| assert_eq!(run.code, Some(0), "{}", run.report()));
    let ids: BTreeSet<String> = runs.iter().map(|r| r.label("Canvas-Node").unwrap()).collect();
    assert_eq!(ids.len(), 20);
    assert_eq!(sound(&world, &["t1"]).len(), 23);
    let text = std::fs::read_to_string(world.canvas_file("t1")).unwrap();
    let present: BTreeSet<String> = invariants::ids(&text).into_iter().collect();
    assert!(ids.is_subset(&present));
}

/// Writers on two canvases of one store.
pub fn two_canvases_at_once() {
    let world = World::new();
    born(&world, "t1");
    born(&world, "t2");
    let lines: Vec<Vec<String>> = (0..20)
        .map(|n| {
            let canvas = if n % 2 == 0 { "t1" } else { "t2" };
            let text = format!("{canvas} {n}");
            line(&["insert", canvas, "--into", "root", "--text", &text, "--why", "a note"])
        })
        .collect();
    let runs = at_once(&world, &lines);
    runs.iter().for_each(|run| assert_eq!(run.code, Some(0), "{}", run.report()));
    let commits = sound(&world, &["t1", "t2"]);
    for (run, line) in runs.iter().zip(&lines) {
        let base = run.label("Canvas-Base").unwrap();
        let commit = commits.iter().find(|c| c.sha == base).unwrap();
        assert_eq!(commit.paths, [format!("{}.xml", line[1])]);
    }
    assert_eq!(commits.len(), 26);
}

/// Two writers hold the same base; one of them is told so.
pub fn one_base_one_success() {
    for _ in 0..if full() { 30 } else { 5 } {
        let world = World::new();
        let (p, _) = born(&world, "t1");
        let base = world.head();
        let lines: Vec<Vec<String>> = ["one", "two", "three"]
            .iter()
            .map(|text| {
                line(&["replace", "t1", &p, "--text", text, "--why", text, "--base", &base])
            })
            .collect();
        let runs = at_once(&world, &lines);
        let stored: Vec<usize> = (0..3).filter(|n| runs[*n].code == Some(0)).collect();
        assert_eq!(stored.len(), 1, "{}", runs.iter().map(Run::report).collect::<String>());
        let winner = &lines[stored[0]][4];
        for run in runs.iter().filter(|r| r.code != Some(0)) {
            assert_eq!(run.code, Some(1), "{}", run.report());
            let refusal = refused(run);
            assert_eq!(refusal.nodes, [p.as_str()]);
            let details = refusal.details.join("\n");
            assert!(details.contains(&format!("+  <text id=\"{p}\" v=\"2\">{winner}</text>")));
        }
        assert_eq!(sound(&world, &["t1"]).len(), 4);
    }
}

/// What an edit prints as its base is its own commit, whatever lands after it.
pub fn printed_base_is_the_writers_own() {
    let world = World::new();
    let (p, v) = born(&world, "t1");
    let lines: Vec<Vec<String>> = (0..12)
        .map(|n| {
            let node = if n % 2 == 0 { &p } else { &v };
            line(&[
                "replace",
                "t1",
                node,
                "--text",
                &n.to_string(),
                "--why",
                &format!("number {n}"),
            ])
        })
        .collect();
    let runs = at_once(&world, &lines);
    for (run, line) in runs.iter().zip(&lines) {
        assert_eq!(run.code, Some(0), "{}", run.report());
        let base = run.label("Canvas-Base").unwrap();
        let subject = world.git_text(&["show", "-s", "--format=%s", &base]).unwrap();
        assert_eq!(subject, format!("replace {}: {}", line[2], line[6]));
    }
    sound(&world, &["t1"]);
}

/// A reader during writes prints a document that belongs to the base it prints.
pub fn readers_see_whole_documents() {
    let world = World::new();
    let (p, _) = born(&world, "t1");
    let done = AtomicBool::new(false);
    let writes = if full() { 200 } else { 25 };
    let seen: Vec<Run> = thread::scope(|scope| {
        let (world, done, p) = (&world, &done, &p);
        let readers: Vec<_> = (0..2)
            .map(|_| {
                scope.spawn(move || {
                    let mut runs = Vec::new();
                    while !done.load(Ordering::Relaxed) {
                        runs.push(world.canvas(&["read", "t1"]));
                    }
                    runs
                })
            })
            .collect();
        for n in 0..writes {
            let text = format!("text {n} {}", "x".repeat(n * 50));
            let run = world.canvas(&["replace", "t1", p, "--text", &text, "--why", "a new text"]);
            assert_eq!(run.code, Some(0), "{}", run.report());
        }
        done.store(true, Ordering::Relaxed);
        readers.into_iter().flat_map(|t| t.join().unwrap()).collect()
    });
    let mut held: BTreeMap<String, String> = BTreeMap::new();
    for run in &seen {
        assert_eq!(run.code, Some(0), "{}", run.report());
        let out = run.out();
        let (first, document) = out.split_once('\n').unwrap();
        let base = first.strip_prefix("Canvas-Base: ").unwrap().to_owned();
        let committed = held
            .entry(base.clone())
            .or_insert_with(|| world.git(&["show", &format!("{base}:t1.xml")]).out());
        assert_eq!(document, committed, "a reader saw another document than that of {base}");
    }
    assert!(seen.len() > 3, "the readers hardly ran: {}", seen.len());
    sound(&world, &["t1"]);
}

/// Somebody commits with plain git while we write.
pub fn raw_git_beside_us() {
    let world = World::new();
    born(&world, "t1");
    let rounds = if full() { 100 } else { 20 };
    world.write(&world.directory().join("notes.txt"), b"start\n").unwrap();
    world.git_text(&["add", "notes.txt"]).unwrap();
    world.git_text(&["commit", "-q", "-m", "notes"]).unwrap();
    let runs: Vec<Run> = thread::scope(|scope| {
        let world = &world;
        let other = scope.spawn(move || {
            for n in 0..rounds {
                let path = world.directory().join("notes.txt");
                world.write(&path, format!("note {n}\n").as_bytes()).unwrap();
                // A taken lock is git's own answer here; the next round commits what is left.
                let _ = world.git(&["commit", "-q", "-m", "raw", "--", "notes.txt"]);
            }
        });
        let runs = (0..rounds)
            .map(|n| {
                world.canvas(&[
                    "insert",
                    "t1",
                    "--into",
                    "root",
                    "--text",
                    &n.to_string(),
                    "--why",
                    "a note",
                ])
            })
            .collect();
        other.join().unwrap();
        runs
    });
    runs.iter().for_each(|run| judge(run, false));
    let stored = runs.iter().filter(|r| r.code == Some(0)).count();
    let _ = world.git(&["commit", "-q", "-m", "the last note", "--", "notes.txt"]);
    std::fs::rename(world.directory().join("notes.txt"), world.root().join("files/n")).unwrap();
    world.git_text(&["rm", "-q", "--cached", "notes.txt"]).unwrap();
    world.git_text(&["commit", "-q", "-m", "no more notes"]).unwrap();
    let commits = sound(&world, &["t1"]);
    assert_eq!(commits.iter().filter(|c| c.nodes.len() == 1).count(), 2 + stored);
    let text = std::fs::read_to_string(world.canvas_file("t1")).unwrap();
    assert_eq!(invariants::ids(&text).len(), 2 + stored);
}

/// Moves `from` away and back while `act` runs.
fn while_blinking(from: &std::path::Path, away: &std::path::Path, act: impl FnOnce()) {
    let done = AtomicBool::new(false);
    thread::scope(|scope| {
        let done = &done;
        let blinker = scope.spawn(move || {
            while !done.load(Ordering::Relaxed) {
                std::fs::rename(from, away).unwrap();
                thread::yield_now();
                std::fs::rename(away, from).unwrap();
                thread::yield_now();
            }
        });
        // A failing judgement must stop the blinker too.
        let result = std::panic::catch_unwind(std::panic::AssertUnwindSafe(act));
        done.store(true, Ordering::Relaxed);
        blinker.join().unwrap();
        if let Err(panic) = result {
            std::panic::resume_unwind(panic);
        }
    });
}

/// The canvas comes and goes between our look and our read.
pub fn canvas_vanishes_under_a_reader() {
    let world = World::new();
    let (p, _) = born(&world, "t1");
    let file = world.canvas_file("t1");
    let away = world.workspace().join("away.xml");
    while_blinking(&file, &away, || {
        for n in 0..if full() { 600 } else { 60 } {
            let run = match n % 3 {
                0 | 1 => world.canvas(&["read", "t1"]),
                _ => world.canvas(&["history", "t1", &p]),
            };
            if run.code != Some(0) {
                let refusal = refused(&run);
                if run.code == Some(2) {
                    // It came back between two looks (store specification, 3.12): try again.
                    assert!(refusal.next.contains("re-run"), "{}", run.report());
                    let said = run.err();
                    for claim in ["a link", "not a regular file"] {
                        assert!(!said.contains(claim), "{}", run.report());
                    }
                    continue;
                }
                assert_eq!(run.code, Some(1), "{}", run.report());
                assert!(
                    run.err().contains("no canvas for Canvas identifier t1"),
                    "{}",
                    run.report()
                );
                assert!(!run.err().contains("the canvas is there"), "{}", run.report());
                assert!(refusal.next.contains("bin/canvas create t1"), "{}", run.report());
            }
            let verdict = world.validate(&[&file]);
            if verdict.code != Some(0) {
                crate::support::refusal::parse(&verdict, "canvas-validate").unwrap();
                assert_eq!(verdict.code, Some(2), "{}", verdict.report());
                assert!(verdict.err().contains("no such file"), "{}", verdict.report());
            }
        }
    });
    // Writers meet the same race; what they say conforms, whatever they meet.
    let copy = world.root().join("files/copy.xml");
    std::fs::copy(&file, &copy).unwrap();
    let done = AtomicBool::new(false);
    thread::scope(|scope| {
        let (done, file, away) = (&done, &file, &away);
        let blinker = scope.spawn(move || {
            while !done.load(Ordering::Relaxed) {
                let _ = std::fs::rename(file, away);
                thread::yield_now();
                let _ = std::fs::rename(away, file);
                thread::yield_now();
            }
        });
        for _ in 0..30 {
            let run = world.canvas(&["replace", "t1", &p, "--text", "x", "--why", "a race"]);
            if run.code != Some(0) {
                refused(&run);
            }
            let run = world.canvas(&["remove", "t1", "zz99", "--why", "a race"]);
            refused(&run);
        }
        done.store(true, Ordering::Relaxed);
        blinker.join().unwrap();
    });
    std::fs::remove_file(&file).unwrap();
    let run = world.canvas(&["read", "t1"]);
    assert!(refused(&run).next.contains("bin/canvas create t1"));
    let run = world.canvas(&["create", "t1", "--problem", "P", "--expected-value", "V"]);
    assert_eq!(run.code, Some(0), "{}", run.report());
}

/// The repository comes and goes between our look and our use.
pub fn repository_vanishes_under_a_reader() {
    let world = World::new();
    born(&world, "t1");
    let git = world.directory().join(".git");
    let away = world.workspace().join("away.git");
    let judge = |run: &Run| {
        refused(run);
        let err = run.err();
        assert_eq!(run.code, Some(2), "{}", run.report());
        let directory = world.directory().display().to_string();
        assert!(err.contains(&format!("{directory} is not a git repository")), "{}", run.report());
        assert!(err.contains("errno 2 ENOENT"), "{}", run.report());
        assert!(!err.contains("cannot tell"), "{}", run.report());
    };
    while_blinking(&git, &away, || {
        for _ in 0..if full() { 600 } else { 80 } {
            let run = world.canvas(&["read", "t1"]);
            if run.code != Some(0) {
                judge(&run);
            }
        }
    });
    std::fs::rename(&git, &away).unwrap();
    judge(&world.canvas(&["read", "t1"]));
    let run = world.canvas(&["create", "t2", "--problem", "P", "--expected-value", "V"]);
    assert_eq!(run.code, Some(0), "{}", run.report());
    assert!(git.is_dir());
}
