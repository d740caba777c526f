//! Repositories in other states than the one a fresh store is in.

use super::{Dice, born, edit, refused_in, sound};
use crate::support::world::{Snapshot, World};
use std::path::{Path, PathBuf};

/// Edits and reads of every kind.
fn live(world: &World, p: &str, v: &str) {
    let head = world.head();
    edit(world, &["replace", "t1", v, "--text", "V again.", "--why", "by another writer"]);
    let n = edit(
        world,
        &["insert", "t1", "--after", p, "--text", "N", "--why", "a note", "--base", &head],
    );
    edit(world, &["move", "t1", &n, "--into", "root", "--why", "the end is the place"]);
    edit(world, &["remove", "t1", &n, "--why", "no longer needed"]);
    let news = world.canvas(&["read", "t1", "--since", &head, "--provenance", "--frozen"]);
    assert_eq!(news.code, Some(0), "{}", news.report());
    assert!(news.out().contains("Canvas-News: 4 commit(s) between "), "{}", news.report());
    let history = world.canvas(&["history", "t1", &n]);
    assert_eq!(history.out().matches("\nCanvas-Commit: ").count(), 3, "{}", history.report());
    sound(world, &["t1"]);
}

/// Detached heads, packed refs, packs, commit graphs, odd branches, merges.
pub fn detached_and_packed() {
    let world = World::new();
    let (p, v) = born(&world, "t1");
    let prepare: [&[&[&str]]; 9] = [
        &[&["pack-refs", "--all"]],
        &[&["repack", "-q", "-a", "-d"], &["prune-packed"]],
        &[&["commit-graph", "write", "--reachable", "--changed-paths"]],
        &[&["gc", "-q", "--aggressive", "--prune=now"]],
        &[&["checkout", "-q", "--detach"]],
        &[&["checkout", "-q", "-b", "feature/deep/branch"]],
        &[
            &["pack-refs", "--all"],
            &["repack", "-q", "-a", "-d", "-f", "--depth=50"],
            &["multi-pack-index", "write"],
        ],
        &[&["commit-graph", "write", "--reachable", "--split"]],
        &[&["update-index", "--index-version", "4"]],
    ];
    for steps in prepare {
        for step in steps {
            world.git_text(step).unwrap();
        }
        live(&world, &p, &v);
    }
    // A branch of the same store is merged in: both sides' commits count.
    world.git_text(&["branch", "side"]).unwrap();
    edit(&world, &["replace", "t1", &p, "--text", "main side", "--why", "on the main side"]);
    let tree = world.git_text(&["rev-parse", "HEAD^{tree}"]).unwrap();
    let other = world
        .git_text(&[
            "commit-tree",
            "side^{tree}",
            "-p",
            "side",
            "-m",
            "replace: elsewhere",
            "-m",
            &format!("Canvas-Node: {v}\nCanvas-Author: x"),
        ])
        .unwrap();
    let merge = world
        .git_text(&["commit-tree", &tree, "-p", "HEAD", "-p", &other, "-m", "Merge by hand"])
        .unwrap();
    world.git_text(&["reset", "-q", "--soft", &merge]).unwrap();
    edit_after_merge(&world, &v);
}

fn edit_after_merge(world: &World, v: &str) {
    let run = world.canvas(&["replace", "t1", v, "--text", "after", "--why", "after the merge"]);
    assert_eq!(run.code, Some(0), "{}", run.report());
    let text = std::fs::read_to_string(world.canvas_file("t1")).unwrap();
    let counted = world
        .git_text(&["log", "--format=%(trailers:key=Canvas-Node,valueonly,separator=)"])
        .unwrap()
        .lines()
        .filter(|l| *l == v)
        .count();
    assert!(text.contains(&format!("id=\"{v}\" v=\"{counted}\"")), "{counted}: {text}");
}

/// Formats this store does not write are refused, and left alone.
pub fn foreign_formats() {
    for format in ["--object-format=sha256", "--ref-format=reftable"] {
        let world = World::new();
        let run = world.shell(&format!(
            "mkdir -p outer/inner/w/state/canvas && cd outer/inner/w/state/canvas && \
             git init -q -b main {format} . && git -c user.name=o -c user.email=o@o commit -q --allow-empty -m x"
        ));
        if run.code != Some(0) {
            println!("this git does not know {format}");
            continue;
        }
        world.write(&world.canvas_file("t1"), b"<canvas ledger=\"t1\" schema=\"2\"/>").unwrap();
        let before = Snapshot::take(&world);
        for line in [
            &["read", "t1"][..],
            &["history", "t1", "ab2c"],
            &["insert", "t1", "--into", "root", "--why", "because"],
            &["freeze", "t1", "--why", "because"],
            &["create", "t2", "--problem", "P", "--expected-value", "V"],
        ] {
            let run = world.canvas(line);
            assert_eq!(run.code, Some(2), "{format}: {}", run.report());
            let refusal = refused_in(&world, &run, &before, None);
            assert!(
                refusal.abouts.iter().any(|a| a.starts_with("canvas repository ")),
                "{}",
                run.report()
            );
        }
    }
    // A `.git` that is a file, or a link to nowhere, is no repository directory.
    let world = World::new();
    let (p, _) = born(&world, "t1");
    let git = world.directory().join(".git");
    let aside = world.root().join("files/git");
    std::fs::rename(&git, &aside).unwrap();
    world.write(&git, format!("gitdir: {}\n", aside.display()).as_bytes()).unwrap();
    let before = Snapshot::take(&world);
    for line in [&["read", "t1"][..], &["replace", "t1", &p, "--why", "because"]] {
        let run = world.canvas(line);
        assert_eq!(run.code, Some(2), "{}", run.report());
        refused_in(&world, &run, &before, None);
    }
}

/// A canvas path that is a link: what it points to is never written through it.
pub fn linked_canvas() {
    let world = World::new();
    let (p, _) = born(&world, "t1");
    let outside = world.root().join("files/outside.xml");
    std::fs::copy(world.canvas_file("t1"), &outside).unwrap();
    world.give(&outside);
    let kept = std::fs::read(&outside).unwrap();
    std::os::unix::fs::symlink(&outside, world.canvas_file("t2")).unwrap();
    let before = Snapshot::take(&world);
    for line in [
        &["insert", "t2", "--into", "root", "--text", "x", "--why", "because"][..],
        &["replace", "t2", &p, "--text", "x", "--why", "because"],
        &["remove", "t2", &p, "--why", "because"],
        &["create", "t2", "--problem", "P", "--expected-value", "V"],
    ] {
        let run = world.canvas(line);
        assert_ne!(run.code, Some(0), "{}", run.report());
        refused_in(&world, &run, &before, None);
    }
    assert_eq!(std::fs::read(&outside).unwrap(), kept);
    let run = world.canvas(&["read", "t2"]);
    if run.code != Some(0) {
        refused_in(&world, &run, &before, None);
    }
    // A workspace that is a link is an ordinary workspace.
    std::fs::remove_file(world.canvas_file("t2")).unwrap();
    let mut world = world;
    let link = world.root().join("files/link");
    std::os::unix::fs::symlink(world.workspace(), &link).unwrap();
    world.environment.insert("OPENCLAW_WORKSPACE".into(), link.into());
    edit(&world, &["replace", "t1", &p, "--text", "x", "--why", "through a link"]);
    sound(&world, &["t1"]);
}

fn files_below(path: &Path, found: &mut Vec<PathBuf>) {
    let Ok(entries) = std::fs::read_dir(path) else { return };
    for entry in entries.flatten() {
        let path = entry.path();
        if path.is_dir() {
            files_below(&path, found);
        } else {
            found.push(path);
        }
    }
    found.sort();
}

/// What every read says, in one piece.
fn answers(world: &World, nodes: &[String]) -> String {
    let mut all = String::new();
    for line in [
        vec!["read", "t1", "--provenance", "--frozen"],
        vec!["read", "t2", "--provenance", "--frozen"],
    ]
    .into_iter()
    .chain(nodes.iter().map(|n| vec!["history", "t1", n]))
    {
        let run = world.canvas(&line);
        assert_eq!(run.code, Some(0), "{}", run.report());
        all.push_str(&run.report());
    }
    all
}

/// Files that only make things faster may vanish or rot; no answer changes.
pub fn derived_files() {
    let world = World::new();
    let (p, v) = born(&world, "t1");
    let (other, _) = born(&world, "t2");
    let n = edit(&world, &["insert", "t1", "--into", "root", "--text", "N", "--why", "a note"]);
    edit(&world, &["replace", "t1", &p, "--text", "x", "--why", "it reads better"]);
    edit(&world, &["freeze", "t1", "--why", "done: over"]);
    let nodes = [p, v, n];
    let derived = world.directory().join(".git/canvas");
    let mut dice = Dice::new(7);
    for round in 0..8 {
        // What is said without any derived file is the truth; it is said again with them.
        std::fs::remove_dir_all(&derived).ok();
        let truth = answers(&world, &nodes);
        assert_eq!(answers(&world, &nodes), truth);
        edit(&world, &["replace", "t2", &other, "--text", &round.to_string(), "--why", "to renew"]);
        std::fs::remove_dir_all(&derived).ok();
        let truth = answers(&world, &nodes);
        edit(&world, &["freeze", "t2", "--why", "done: to renew what is derived"]);
        let head = world.git_text(&["rev-parse", "HEAD"]).unwrap();
        rot(&world, &derived, &mut dice);
        let said = answers(&world, &nodes);
        // The freeze moved the head; nothing else may differ from what was said before it.
        let (said, truth) = (without_heads(&said), without_heads(&truth));
        assert_eq!(said, truth, "round {round} at {head}");
        rot(&world, &derived, &mut dice);
        edit(&world, &["replace", "t2", &other, "--text", "again", "--why", "after the rot"]);
        sound(&world, &["t1", "t2"]);
    }
    std::fs::remove_dir_all(&derived).ok();
    let truth = answers(&world, &nodes);
    // A file in the way of the directory itself is no derived file: a refusal may say so.
    world.write(&derived, b"a file in the way").unwrap();
    let before = Snapshot::take(&world);
    let run = world.canvas(&["read", "t1"]);
    if run.code != Some(0) {
        assert_eq!(run.code, Some(2), "{}", run.report());
        refused_in(&world, &run, &before, Some("t1"));
    }
    std::fs::remove_file(&derived).unwrap();
    assert_eq!(answers(&world, &nodes), truth);
}

/// The answers without the lines that follow the head: the base, and the freeze of `t2`.
fn without_heads(text: &str) -> String {
    text.split('\n')
        .filter(|l| !l.starts_with("Canvas-Base: ") && !l.ends_with("what is derived"))
        .filter(|l| *l != "Canvas-Frozen: none")
        .collect::<Vec<_>>()
        .join("\n")
}

/// Damages every derived file in some way.
fn rot(world: &World, derived: &Path, dice: &mut Dice) {
    let mut files = Vec::new();
    files_below(derived, &mut files);
    for file in files {
        let mut bytes = std::fs::read(&file).unwrap();
        let length = bytes.len() as u64;
        match dice.below(6) {
            0 => {
                std::fs::remove_file(&file).unwrap();
                continue;
            }
            1 => bytes.truncate(usize::try_from(dice.below(length)).unwrap()),
            2 => bytes.extend_from_slice(b"\0garbage\xff"),
            3 => bytes.fill(0),
            4 => bytes.clear(),
            _ => {
                for _ in 0..8 {
                    let at = usize::try_from(dice.below(length)).unwrap();
                    if let Some(byte) = bytes.get_mut(at) {
                        *byte ^= 1 << dice.below(8);
                    }
                }
            }
        }
        world.write(&file, &bytes).unwrap();
    }
}
