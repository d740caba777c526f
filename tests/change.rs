//! Random histories of a git repository, replayed: every commit on the first-parent line is one change,
//! made by the producer and judged by the engine, and exactly the illegal landings that a model of the
//! test predicts are found. A merge lands as one movement, whatever way its branch took.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::fs;
use std::io::Write as _;
use std::path::Path;
use std::process::{Command, Stdio};

use headwater_check::headwater_corpus::{Corpus, Options};
use headwater_check::{Caching, Date, Manifest, Settings};
use headwater_taxonomy::declaration::Declaration;
use headwater_taxonomy::lock::{Header, Lock};
use headwater_taxonomy::model::Taxonomy;
use headwater_vcs::{Request, produce};

/// How many commits of the first-parent line are replayed.
const COMMITS: usize = 320;
/// How many documents there are at most.
const DOCUMENTS: u64 = 12;

/// The declared machine: a fork, a way back, two ends, and a state that leads to itself.
const MOVES: [(&str, &[&str]); 5] = [
    ("draft", &["review", "dropped"]),
    ("review", &["draft", "current"]),
    ("current", &["current", "held"]),
    ("held", &["superseded"]),
    ("superseded", &[]),
];
const STATES: [&str; 6] = ["draft", "review", "current", "held", "superseded", "dropped"];

const TAXONOMY: &str = "\
facets:
  status:
    role: state
    values:
      - {value: draft, role: initial}
      - {value: review, role: initial}
      - {value: current, role: live}
      - {value: held, role: live}
      - {value: superseded, role: terminal-retained}
      - {value: dropped, role: terminal}
regimes:
  lifecycle:
    machine:
      initial: draft
      retain_terminal: true
      transitions:
        draft: [review, dropped]
        review: [draft, current]
        current: [current, held]
        held: [superseded]
kinds: {note: {lifecycle: machine}}
shelves: {notes: {path: 'docs/**', homogeneous: true, kind: note}}
";

/// A generator with a fixed seed, so that the test is one history for ever.
struct Random(u64);

impl Random {
    /// A number below `most`.
    fn below(&mut self, most: u64) -> u64 {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % most
    }
}

/// The documents of one tree: the state of each, by path.
type Tree = BTreeMap<String, &'static str>;

/// What one landing breaks, by path: a move that no way leads along, or a deletion of what is kept.
fn illegal(before: &Tree, after: &Tree, moved: &BTreeMap<String, String>) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    for (path, now) in after {
        // Where a document came from; one that came from nowhere may stand at any state.
        let from = if before.contains_key(path) { Some(path) } else { moved.get(path) };
        if let Some(then) = from.and_then(|from| before.get(from))
            && then != now
            && !leads(then, now)
        {
            found.insert(format!("lifecycle.transition.not_permitted {path}"));
        }
    }
    for (path, then) in before.iter().filter(|(path, _)| !after.contains_key(*path)) {
        let renamed = moved.values().any(|from| from == path);
        if !renamed && ["superseded", "dropped"].contains(then) {
            found.insert(format!("lifecycle.deletion.not_permitted {path}"));
        }
    }
    found
}

/// Whether some way leads from one state to another, by trying every way without a state twice.
fn leads(from: &str, to: &str) -> bool {
    fn walk<'s>(at: &'s str, to: &str, seen: &mut Vec<&'s str>) -> bool {
        let next = MOVES.iter().find(|(from, _)| *from == at).map_or(&[][..], |(_, next)| next);
        next.iter().any(|state| {
            if *state == to {
                return true;
            }
            if seen.contains(state) {
                return false;
            }
            seen.push(state);
            let found = walk(state, to, seen);
            seen.pop();
            found
        })
    }
    walk(from, to, &mut vec![from])
}

fn text(name: &str, state: &str) -> String {
    // Enough that is one document's own for git to see a rename, and none between two documents.
    let own: String = (0..12).map(|line| format!("{name} line {line} of {name}\n")).collect();
    format!("---\nid: {name}\nstatus: {state}\n---\n\n{own}")
}

/// Commits as `git fast-import` reads them, with the tree of each.
struct History {
    stream: String,
    trees: Vec<Tree>,
    /// The name that each document was written under first, which its text keeps.
    names: BTreeMap<String, String>,
    next: u64,
    random: Random,
}

impl History {
    /// Moves a few documents about; gives back the new tree and where renamed ones came from.
    fn step(&mut self, tree: &Tree) -> (Tree, BTreeMap<String, String>) {
        let mut tree = tree.clone();
        let mut moved = BTreeMap::new();
        for _ in 0..=self.random.below(2) {
            let at = usize::try_from(self.random.below(DOCUMENTS)).unwrap();
            let held = tree.keys().nth(at).cloned();
            let state = STATES[usize::try_from(self.random.below(STATES.len() as u64)).unwrap()];
            match (held, self.random.below(10)) {
                (Some(path), 0 | 1) => {
                    tree.remove(&path);
                    moved.remove(&path);
                }
                // A rename, and perhaps a move of its state in the same commit.
                (Some(path), 2) if !moved.contains_key(&path) => {
                    let old = tree.remove(&path).unwrap();
                    let to = self.fresh();
                    let name = self.names[&path].clone();
                    self.names.insert(to.clone(), name);
                    let stays = self.random.below(2) == 0;
                    tree.insert(to.clone(), if stays { old } else { state });
                    moved.insert(to, path);
                }
                (Some(path), _) => {
                    tree.insert(path, state);
                }
                (None, _) => {
                    let path = self.fresh();
                    self.names.insert(path.clone(), format!("N-{}", self.next));
                    tree.insert(path, state);
                }
            }
        }
        (tree, moved)
    }

    fn fresh(&mut self) -> String {
        self.next += 1;
        format!("docs/{}/n{}.md", self.next % 3, self.next)
    }

    /// Writes a commit with a whole tree, and gives back its mark.
    fn commit(&mut self, branch: &str, tree: &Tree, parents: &[usize]) -> usize {
        self.trees.push(tree.clone());
        let mark = self.trees.len();
        let out = &mut self.stream;
        writeln!(out, "commit refs/heads/{branch}\nmark :{mark}\ncommitter k <k@example.com> {mark} +0000\ndata 1\nx").unwrap();
        for (at, parent) in parents.iter().enumerate() {
            writeln!(out, "{} :{parent}", if at == 0 { "from" } else { "merge" }).unwrap();
        }
        writeln!(out, "deleteall").unwrap();
        for (path, state) in tree {
            let text = text(&self.names[path], state);
            writeln!(out, "M 100644 inline {path}\ndata {}\n{text}", text.len()).unwrap();
        }
        mark
    }
}

/// One landing: the commit, its first parent, and what it breaks.
struct Landing {
    commit: usize,
    parent: usize,
    illegal: BTreeSet<String>,
}

/// A history with merges, and what each landing on its first-parent line breaks.
fn history() -> (History, Vec<Landing>) {
    let mut history = History {
        stream: String::new(),
        trees: Vec::new(),
        names: BTreeMap::new(),
        next: 0,
        random: Random(20_260_812),
    };
    let mut tree = Tree::new();
    let mut head = history.commit("main", &tree, &[]);
    let mut landings = Vec::new();
    while landings.len() < COMMITS {
        let before = tree.clone();
        let (mut after, mut moved) = history.step(&before);
        let mut parents = vec![head];
        if history.random.below(4) == 0 {
            // A branch of several commits: what happened inside it is no landing.
            let mut tip = history.commit("side", &after, &[head]);
            for _ in 0..history.random.below(3) {
                let (next, renamed) = history.step(&after);
                moved = compose(&moved, &renamed);
                after = next;
                tip = history.commit("side", &after, &[tip]);
            }
            parents.push(tip);
        }
        moved.retain(|to, from| {
            after.contains_key(to) && before.contains_key(from) && !after.contains_key(from)
        });
        let commit = history.commit("main", &after, &parents);
        landings.push(Landing { commit, parent: head, illegal: illegal(&before, &after, &moved) });
        (head, tree) = (commit, after);
    }
    (history, landings)
}

/// Renames of one step after those of the steps before it.
fn compose(
    before: &BTreeMap<String, String>,
    after: &BTreeMap<String, String>,
) -> BTreeMap<String, String> {
    let mut all = before.clone();
    for (to, from) in after {
        let origin = before.get(from).unwrap_or(from).clone();
        all.insert(to.clone(), origin);
    }
    all
}

fn git(root: &Path, words: &[&str], input: Option<&str>) {
    let mut child = Command::new("git")
        .current_dir(root)
        .args(["-c", "init.defaultBranch=main", "-c", "advice.detachedHead=false"])
        .args(words)
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    child.stdin.take().unwrap().write_all(input.unwrap_or_default().as_bytes()).unwrap();
    assert!(child.wait().unwrap().success(), "git {words:?}");
}

/// The findings about states of the tree that is checked out, against a revision.
fn judged(root: &Path, base: &str, out: &Path) -> BTreeSet<String> {
    let request = Request { root, base, out, verified: &[], verified_edges: &[] };
    let manifest = Manifest::read(&produce(&request).unwrap()).unwrap();
    let resolved = headwater_taxonomy::yaml::load(TAXONOMY, 0).unwrap();
    let lock = Lock {
        header: Header {
            digest: String::new(),
            rules: 0,
            package: "acme/cases".to_owned(),
            version: "1.0.0".to_owned(),
            sources: Vec::new(),
        },
        foundings: Vec::new(),
        adoption: None,
        taxonomy: Taxonomy::from_tree(&resolved),
        resolved,
    };
    let declaration = b"taxonomy: {package: acme/cases, version: 1.0.0}\ncorpus: {root: docs}\n";
    let declaration = Declaration::parse(declaration).unwrap();
    fs::create_dir_all(root.join("docs")).unwrap();
    let corpus = Corpus::build(root, lock, declaration, Options::default()).unwrap();
    let now = Date::parse("2026-08-12").unwrap();
    let settings =
        Settings { now, cache: Caching::Off, continuity: false, change: Some(&manifest) };
    let run = headwater_check::run(&corpus, &headwater_rules::registry(), settings);
    let found = run.findings.iter().filter(|finding| finding.rule.starts_with("lifecycle."));
    found.map(|finding| format!("{} {}", finding.rule, finding.defect.place.path)).collect()
}

#[test]
fn a_replayed_history_breaks_exactly_what_a_model_says() {
    let (history, landings) = history();
    let root = tempfile::tempdir().unwrap();
    let out = tempfile::tempdir().unwrap();
    git(root.path(), &["init", "-q"], None);
    git(
        root.path(),
        &["fast-import", "--quiet", "--export-marks=.git/marks"],
        Some(&history.stream),
    );
    let marks = fs::read_to_string(root.path().join(".git/marks")).unwrap();
    let names: BTreeMap<usize, &str> = marks
        .lines()
        .map(|line| {
            let (mark, name) = line[1..].split_once(' ').unwrap();
            (mark.parse().unwrap(), name)
        })
        .collect();
    let (mut broken, mut merges) = (BTreeMap::new(), 0);
    for landing in &landings {
        let (commit, base) = (names[&landing.commit], names[&landing.parent]);
        git(root.path(), &["checkout", "-q", "-f", commit], None);
        let found = judged(root.path(), base, out.path());
        assert_eq!(found, landing.illegal, "from {base} to {commit}");
        for finding in &found {
            let rule = finding.split(' ').next().unwrap_or_default().to_owned();
            *broken.entry(rule).or_insert(0) += 1;
        }
        merges += usize::from(landing.commit > landing.parent + 1);
    }
    // The history holds enough of each to mean something.
    assert!(merges > 40, "{merges} merges");
    assert!(broken.len() == 2 && broken.values().all(|count| *count > 20), "{broken:?}");
    let legal = landings.iter().filter(|landing| landing.illegal.is_empty()).count();
    assert!(legal > 60, "{legal} legal landings");
}
