//! Cases that are code by nature, and what they share.

pub mod guard;
pub mod hostile;
pub mod kills;
pub mod library;
pub mod races;
pub mod repositories;

use crate::support::invariants::{self, Commit};
use crate::support::refusal::{self, Refusal};
use crate::support::world::{Run, Snapshot, World};

/// Whether the long form of the tests was asked for.
pub fn full() -> bool {
    std::env::var_os("CANVAS_TEST_FULL").is_some_and(|v| v == "1")
}

/// Creates a canvas and returns the ids of its two nodes.
pub fn born(world: &World, canvas: &str) -> (String, String) {
    let run = world.canvas(&["create", canvas, "--problem", "P.", "--expected-value", "V."]);
    assert_eq!(run.code, Some(0), "{}", run.report());
    (run.label("Canvas-Problem").unwrap(), run.label("Canvas-Expected-Value").unwrap())
}

/// Runs an edit that must succeed, judged like every edit of a fixture; returns the node.
pub fn edit(world: &World, arguments: &[&str]) -> String {
    let before = Snapshot::take(world);
    let run = world.canvas(arguments);
    assert_eq!(run.code, Some(0), "{}", run.report());
    assert!(run.stderr.is_empty(), "{}", run.report());
    let judged = invariants::check_write(world, arguments[0], arguments[1], &run, &before, false);
    judged.unwrap_or_else(|e| panic!("{e}\n{}", run.report()));
    run.label("Canvas-Node").unwrap_or_default()
}

/// Takes a refusal apart and judges what can be judged while others write.
pub fn refused(run: &Run) -> Refusal {
    refusal::parse(run, "canvas").unwrap_or_else(|e| panic!("{e}\n{}", run.report()))
}

/// Takes a refusal apart and judges its truth as well; nothing may have been printed or changed.
pub fn refused_in(world: &World, run: &Run, before: &Snapshot, canvas: Option<&str>) -> Refusal {
    let refusal = refused(run);
    refusal::check_truth(&refusal, world, canvas)
        .unwrap_or_else(|e| panic!("{e}\n{}", run.report()));
    assert!(run.stdout.is_empty(), "{}", run.report());
    if let Some(difference) = before.difference(&Snapshot::take(world)) {
        panic!("a refusal changed something:\n{difference}\n{}", run.report());
    }
    refusal
}

/// Judges a store at rest: every commit one node and one path, `v` true everywhere, nothing dirty,
/// nothing left behind, git content. Returns its commits, newest first.
pub fn sound(world: &World, canvases: &[&str]) -> Vec<Commit> {
    let fsck = world.git(&["fsck", "--no-dangling", "--no-progress"]);
    assert_eq!(fsck.code, Some(0), "{}", fsck.report());
    let commits = invariants::commits(world).unwrap();
    let counts = invariants::counts(&commits);
    for commit in &commits {
        assert!(commit.nodes.len() <= 1, "two nodes in one commit: {commit:?}");
        assert!(commit.paths.len() <= 1, "two paths in one commit: {commit:?}");
    }
    for canvas in canvases {
        let text = std::fs::read_to_string(world.canvas_file(canvas)).unwrap();
        invariants::check_versions(&text, &counts).unwrap();
        let head = world.git(&["show", &format!("HEAD:{canvas}.xml")]);
        assert_eq!(head.out(), text, "{canvas} on disk is not what HEAD holds");
        let verdict = world.validate(&[world.canvas_file(canvas)]);
        assert_eq!(verdict.code, Some(0), "{}", verdict.report());
        let ids = invariants::ids(&text);
        let mut unique = ids.clone();
        unique.sort();
        unique.dedup();
        assert_eq!(unique.len(), ids.len(), "an id twice in {canvas}");
    }
    assert_eq!(world.git_text(&["status", "--porcelain"]).unwrap(), "", "the tree is not clean");
    let mut names: Vec<String> = std::fs::read_dir(world.directory())
        .unwrap()
        .map(|e| e.unwrap().file_name().into_string().unwrap())
        .filter(|n| n != ".git" && !canvases.iter().any(|c| *n == format!("{c}.xml")))
        .collect();
    names.sort();
    assert!(names.is_empty(), "left behind: {names:?}");
    commits
}

/// A small deterministic sequence of numbers, for delays and choices.
pub struct Dice(u64);

impl Dice {
    /// The sequence that `seed` starts.
    pub fn new(seed: u64) -> Dice {
        Dice(seed.wrapping_mul(2).wrapping_add(1))
    }

    /// The next number below `limit`.
    pub fn below(&mut self, limit: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % limit.max(1)
    }
}
