//! What a run publishes, and whether its verdict carries to another tree: the worked corpus of the
//! fixtures, edited, merged and attacked between `check --read-set` and `gate`.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a test fails by panicking"
)]

use std::ffi::OsString;
use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::Command;

use headwater_taxonomy::verbs::Answer;
use support::lantern;

mod support;

const DAY: &str = "2026-03-20";
const LIMIT: &str = "the gate says nothing about a document that this tree gained since that run";

/// A repository with a lock, and a place outside it for what runs publish.
struct Repository {
    root: tempfile::TempDir,
    beside: tempfile::TempDir,
}

impl Repository {
    /// The worked corpus.
    fn new() -> Self {
        let this =
            Self { root: tempfile::tempdir().unwrap(), beside: tempfile::tempdir().unwrap() };
        lantern(this.root.path());
        assert_eq!(this.run(&["taxonomy", "resolve"]).status, 0);
        this
    }

    fn run(&self, words: &[&str]) -> Answer {
        let mut arguments: Vec<OsString> = words.iter().map(OsString::from).collect();
        arguments.extend([OsString::from("--root"), self.root.path().as_os_str().to_owned()]);
        programs::headwater::run("bin/headwater", &arguments)
    }

    fn artifact(&self) -> PathBuf {
        self.beside.path().join("read-set")
    }

    /// Checks on the day, and gives back the artifact.
    fn check(&self) -> String {
        let path = self.artifact();
        let words = ["check", "--strict", "--now", DAY, "--read-set", path.to_str().unwrap()];
        let answer = self.run(&words);
        assert_eq!(answer.status, 0, "{}{}", answer.stdout, answer.stderr);
        fs::read_to_string(path).unwrap()
    }

    /// Holds an artifact against the tree.
    fn gate(&self, artifact: &str, words: &[&str]) -> Answer {
        fs::write(self.artifact(), artifact).unwrap();
        let path = self.artifact();
        let all = [&["gate", "--read-set", path.to_str().unwrap()], words].concat();
        self.run(&all)
    }

    /// The reasons of a gate on the day, each as its word and what it is about.
    fn reasons(&self, artifact: &str) -> Vec<String> {
        let answer = self.gate(artifact, &["--now", DAY]);
        assert_eq!(answer.stderr, "", "{}", answer.stdout);
        assert_eq!(answer.stdout.lines().last(), Some(LIMIT));
        let lines = answer.stdout.lines().filter_map(|line| line.strip_prefix("  "));
        let reasons: Vec<String> = lines
            .map(|line| line.split([' ', ':']).filter(|word| !word.is_empty()).take(2))
            .map(|words| words.collect::<Vec<_>>().join(" "))
            .collect();
        assert_eq!(answer.status, u8::from(!reasons.is_empty()), "{}", answer.stdout);
        reasons
    }

    fn write(&self, path: &str, text: &str) {
        let path = self.root.path().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    fn read(&self, path: &str) -> String {
        fs::read_to_string(self.root.path().join(path)).unwrap()
    }

    /// Makes the tree the first commit of a branch.
    fn commit(&self, branch: &str) {
        self.git(&["init", "-q", "-b", branch]);
        self.git(&["add", "-A"]);
        self.git(&["commit", "-q", "-m", "base"]);
    }

    fn git(&self, words: &[&str]) {
        let identity = ["-c", "user.name=t", "-c", "user.email=t@example.org"];
        let mut command = Command::new("git");
        command.current_dir(self.root.path()).args(identity).args(words);
        command.env("GIT_CONFIG_GLOBAL", "/dev/null").env("GIT_CONFIG_NOSYSTEM", "1");
        let output = command.output().unwrap();
        assert!(output.status.success(), "{words:?}: {}", String::from_utf8_lossy(&output.stderr));
    }
}

/// An artifact without the lines that open with a keyword.
fn without(artifact: &str, keyword: &str) -> String {
    let kept = artifact.lines().filter(|line| line.split(' ').next() != Some(keyword));
    kept.map(|line| format!("{line}\n")).collect()
}

fn drill(name: &str) -> String {
    format!(
        "---\nid: LAN-DRILL-{name}\nstatus: current\nstatus_since: 2026-03-01\nchecked_on: 2026-03-01\n\
         summary: how to do {name}\n---\n\n# Do it\n"
    )
}

const QUEUE: &str = "handbook/parts/queue.md";

#[test]
fn the_artifact_lists_what_the_run_read_and_nothing_else() {
    let repository = Repository::new();
    repository.write("handbook/parts/broken.md", "---\nid: [\n---\n");
    repository.write("handbook/notes.txt", "no document\n");
    let path = repository.artifact();
    let words = ["check", "--now", DAY, "--read-set", path.to_str().unwrap()];
    let answer = repository.run(&words);
    let artifact = fs::read_to_string(&path).unwrap();
    let keywords: Vec<&str> = artifact.lines().filter_map(|line| line.split(' ').next()).collect();
    let mut order = keywords.clone();
    order.dedup();
    assert_eq!(order, ["lock", "clock", "barrier", "windowed", "version", "input"]);
    let values = |keyword: &str| -> Vec<String> {
        let all = artifact.lines().filter_map(|line| line.split_once(' '));
        all.filter(|(word, _)| *word == keyword).map(|(_, value)| value.to_owned()).collect()
    };
    assert_eq!(values("clock"), [DAY]);
    let registry = headwater_rules::registry();
    let templates = registry.templates();
    let versions: Vec<String> = templates
        .iter()
        .map(|template| format!("{} {}", template.about().id, template.about().edition))
        .collect();
    assert_eq!(values("version"), versions);
    let order = |rules: &[String]| {
        let place = |rule: &String| templates.iter().position(|it| it.about().id == rule).unwrap();
        rules.iter().map(place).is_sorted()
    };
    let (barriers, windowed) = (values("barrier"), values("windowed"));
    assert!(barriers.iter().any(|rule| rule == "identifier.claimed_twice"), "{barriers:?}");
    assert!(windowed.iter().any(|rule| rule == "relation.participation.overdue"), "{windowed:?}");
    assert!(order(&barriers) && order(&windowed));
    // The summary of the report counts the same.
    let summary = format!(
        "the verdict rests on {} inputs, 0 of them without a digest, and on {} barriers that no gate",
        values("input").len(),
        barriers.len()
    );
    assert!(answer.stdout.contains(&summary), "{}", answer.stdout);

    let inputs = values("input");
    let paths: Vec<&str> = inputs.iter().map(|input| input.rsplit_once(' ').unwrap().0).collect();
    assert!(paths.is_sorted() && paths.contains(&QUEUE), "{paths:?}");
    assert!(paths.contains(&".headwater/ids") && paths.contains(&".headwater/taxonomy.yml"));
    for absent in ["handbook/parts/broken.md", "handbook/notes.txt", "src/queue/retry.rs"] {
        assert!(!paths.contains(&absent), "{absent}");
    }
    assert!(!paths.iter().any(|path| path.ends_with("taxonomy.lock")));
    // An absent store is listed as an empty one.
    fs::remove_dir_all(repository.root.path().join(".headwater/ids")).unwrap();
    repository.run(&words);
    let empty = "input .headwater/ids \
                 sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855\n";
    assert!(fs::read_to_string(repository.artifact()).unwrap().contains(empty));
}

#[test]
fn barriers_void_every_real_run_and_without_them_the_hashes_decide() {
    let repository = Repository::new();
    let artifact = repository.check();
    let barriers = artifact.lines().filter(|line| line.starts_with("barrier ")).count();
    let reasons = repository.reasons(&artifact);
    assert!(barriers > 5 && reasons.len() == barriers, "{reasons:?}");
    assert!(reasons.iter().all(|reason| reason.starts_with("barrier ")));

    let artifact = without(&artifact, "barrier");
    let carries = repository.gate(&artifact, &["--now", DAY]);
    assert_eq!(carries.status, 0);
    assert!(
        carries.stdout.starts_with("carries: ") && carries.stdout.ends_with(&format!("{LIMIT}\n"))
    );

    // A document that the tree gained is what no gate sees.
    repository.write("handbook/drills/new.md", &drill("new"));
    assert_eq!(repository.reasons(&artifact), [""; 0]);
    let queue = repository.read(QUEUE);
    repository.write(QUEUE, &format!("{queue}\nMore.\n"));
    assert_eq!(repository.reasons(&artifact), [format!("moved {QUEUE}")]);
    fs::remove_file(repository.root.path().join(QUEUE)).unwrap();
    assert_eq!(repository.reasons(&artifact), [format!("gone {QUEUE}")]);
    repository.write(QUEUE, &queue);
    // A claim joins the store, whose listing is the digest.
    repository.write(".headwater/ids/decision_id/LAN-D-0009", "handbook/x.md\n");
    assert_eq!(repository.reasons(&artifact), ["moved .headwater/ids"]);
    fs::remove_file(repository.root.path().join(".headwater/ids/decision_id/LAN-D-0009")).unwrap();
    repository.write(".headwater/overlay.yml", "taxonomy: lantern/local\n");
    assert_eq!(repository.reasons(&artifact), [""; 0], "sources count when they are resolved");

    let day = repository.gate(&artifact, &["--now", "2026-03-21"]);
    assert_eq!(day.status, 1);
    assert!(day.stdout.contains("day_moved: relation.participation.overdue read the day"));
    let undated = without(&artifact, "windowed");
    assert_eq!(repository.gate(&undated, &["--now", "2026-03-21"]).status, 0);
}

#[test]
fn a_lock_that_moved_voids_and_one_that_cannot_be_read_refuses() {
    let repository = Repository::new();
    let artifact = without(&repository.check(), "barrier");
    let lock = ".headwater/taxonomy.lock";
    let held = repository.read(lock);
    // Edited by hand: its digest no longer speaks for it.
    repository
        .write(lock, &held.replace("a decision that no part realizes", "a choice nobody realizes"));
    assert_eq!(repository.reasons(&artifact).len(), 1);
    assert!(repository.reasons(&artifact)[0].starts_with("lock_moved "));
    let adopted = format!("{held}adoption: {{tasks: []}}\n");
    repository.write(lock, &adopted);
    assert!(repository.reasons(&artifact)[0].starts_with("lock_moved "));
    let noted = without(&repository.check(), "barrier");
    assert!(noted.lines().nth(1).unwrap().starts_with("adoption sha256:"), "{noted}");
    assert_eq!(repository.reasons(&noted), [""; 0]);
    repository.write(lock, &format!("{held}adoption: {{tasks: [], note: x}}\n"));
    assert!(repository.reasons(&noted)[0].starts_with("lock_moved "));
    repository.write(lock, &held);
    assert!(repository.reasons(&noted)[0].starts_with("lock_moved "));
    for broken in [Some("lock: [\n"), None] {
        match broken {
            Some(text) => repository.write(lock, text),
            None => fs::remove_file(repository.root.path().join(lock)).unwrap(),
        }
        let answer = repository.gate(&artifact, &["--now", DAY]);
        assert_eq!((answer.status, answer.stdout.as_str()), (2, ""));
        assert!(
            answer.stderr.starts_with("headwater: .headwater/taxonomy.lock"),
            "{}",
            answer.stderr
        );
    }
}

#[test]
fn every_listed_path_that_is_not_the_file_it_was_has_its_own_reason() {
    let repository = Repository::new();
    let artifact = without(&repository.check(), "barrier");
    let root = repository.root.path();
    let outside = repository.beside.path();
    fs::write(outside.join("x.md"), "x").unwrap();
    fs::create_dir(root.join("pipes")).unwrap();
    nix_pipe(&root.join("pipes/fifo"));
    symlink(outside, root.join("away")).unwrap();
    symlink(outside.join("x.md"), root.join("handbook/away.md")).unwrap();
    symlink(outside.join("none.md"), root.join("handbook/dangling-away.md")).unwrap();
    symlink("none.md", root.join("handbook/dangling.md")).unwrap();
    symlink("parts/queue.md", root.join("handbook/link.md")).unwrap();
    let digest = artifact.lines().find(|line| line.contains(QUEUE)).unwrap();
    let digest = digest.rsplit_once(' ').unwrap().1;
    let listed = |path: &str| format!("{artifact}input {path} {digest}\n");
    for (path, word) in [
        ("../x.md", "escaped"),
        ("/etc/passwd", "escaped"),
        ("/x", "escaped"),
        ("handbook/../../x.md", "escaped"),
        ("..", "escaped"),
        ("away/x.md", "escaped"),
        ("away/deep/none.md", "escaped"),
        ("handbook/away.md", "escaped"),
        ("handbook/dangling-away.md", "escaped"),
        ("handbook/dangling.md", "gone"),
        ("handbook/link.md", "gone"),
        ("handbook/parts", "gone"),
        ("handbook/parts/none.md", "gone"),
        ("none/none.md", "gone"),
        ("handbook/parts/queue.md/x", "gone"),
        ("pipes/fifo", "gone"),
        ("\"a\\u0000b\"", "gone"),
        ("handbook/drills/rotate-keys.md", "moved"),
    ] {
        let reasons = repository.reasons(&listed(path));
        assert_eq!(reasons.len(), 1, "{path}: {reasons:?}");
        assert!(reasons[0].starts_with(word), "{path}: {reasons:?}");
    }
    assert_eq!(repository.reasons(&format!("{artifact}input a b -\n")), ["unhashed a"]);
    assert_eq!(repository.reasons(&format!("{artifact}input ../b -\n")), ["escaped ../b"]);
    assert_eq!(repository.reasons(&listed("./handbook/../handbook/parts/queue.md")), [""; 0]);
    // The store is the one directory that is listed; it too may not lead away.
    fs::remove_dir_all(root.join(".headwater/ids")).unwrap();
    symlink(outside, root.join(".headwater/ids")).unwrap();
    assert_eq!(repository.reasons(&artifact), ["escaped .headwater/ids"]);
}

fn nix_pipe(path: &Path) {
    let made = Command::new("mkfifo").arg(path).status().unwrap();
    assert!(made.success());
}

#[test]
fn odd_paths_survive_the_artifact() {
    let repository = Repository::new();
    let odd = ["my note", "  two  ", "a\nb", "\"quoted\"", "tab\there", "é ✗", "back\\slash", "-"];
    for (at, name) in odd.iter().enumerate() {
        let path = format!("handbook/drills/{name}.md");
        repository.write(&path, &drill(&format!("odd-{at}")));
    }
    let artifact = without(&repository.check(), "barrier");
    assert_eq!(repository.reasons(&artifact), [""; 0]);
    for name in odd {
        let path = repository.root.path().join(format!("handbook/drills/{name}.md"));
        let held = fs::read(&path).unwrap();
        fs::write(&path, "x").unwrap();
        let reasons = repository.reasons(&artifact);
        assert!(reasons.len() == 1 && reasons[0].starts_with("moved "), "{name}: {reasons:?}");
        fs::write(&path, held).unwrap();
    }
}

#[test]
fn another_edition_voids_and_a_bad_artifact_is_refused() {
    let repository = Repository::new();
    let artifact = without(&repository.check(), "barrier");
    let another = artifact.replace("version relation.cycle 1\n", "version relation.cycle 7\n");
    assert_eq!(repository.reasons(&another), ["rule_moved relation.cycle"]);
    let missing = artifact.replace("version relation.cycle 1\n", "");
    assert_eq!(repository.reasons(&missing), ["rule_moved relation.cycle"]);
    let gone = artifact.clone() + "version acme.rule 1\n";
    assert_eq!(repository.reasons(&gone), ["rule_moved acme.rule"]);
    let scoped = artifact.clone() + "change-scoped document.removed\n";
    assert_eq!(repository.reasons(&scoped), ["change_scoped document.removed"]);

    let json = repository.gate(&(scoped + "input ../a\u{1b}b -\n"), &["--now", DAY, "--json"]);
    assert_eq!(json.status, 1);
    let reasons = "  \"reasons\": [\n    {\n      \"reason\": \"change_scoped\",\n      \"says\": ";
    assert!(
        json.stdout
            .starts_with("{\n  \"version\": \"1.0\",\n  \"carries\": false,\n  \"listed\": ")
    );
    assert!(json.stdout.contains(reasons), "{}", json.stdout);
    assert!(json.stdout.contains("\"path\": \"../a\\u001bb\""), "{}", json.stdout);
    assert!(json.stdout.ends_with(&format!("  \"limit\": \"{LIMIT}\"\n}}\n")), "{}", json.stdout);

    for (text, says) in [
        ("sealed x\n", "line 1: `sealed` is no keyword"),
        ("\n x\n", "line 2: `` is no keyword"),
        ("clock 2026-02-30\n", "line 1: `2026-02-30` is no day"),
        ("version a.b one\n", "line 1: `one` is no edition"),
        ("lock x\n", "it has no `clock` line"),
        ("clock 2026-03-20\n", "it has no `lock` line"),
    ] {
        let answer = repository.gate(text, &["--now", DAY]);
        assert_eq!((answer.status, answer.stdout.as_str()), (2, ""), "{text}");
        assert!(
            answer.stderr.contains(says)
                && answer.stderr.contains("bin/headwater check --read-set")
        );
        assert_eq!(answer.stderr.lines().count(), 1, "{}", answer.stderr);
    }
    let fifo = repository.beside.path().join("fifo");
    nix_pipe(&fifo);
    let directory = repository.beside.path();
    fs::write(directory.join("bytes"), b"lock \xff\n").unwrap();
    for path in [&fifo, &directory.to_owned(), &directory.join("none"), &directory.join("bytes")] {
        let answer = repository.run(&["gate", "--read-set", path.to_str().unwrap()]);
        assert_eq!((answer.status, answer.stdout.as_str()), (2, ""), "{}", path.display());
    }
    assert_eq!(repository.run(&["gate"]).status, 2);
    assert_eq!(repository.run(&["gate", "--read-set"]).status, 2);
    // A report is whole although its read set could not be written.
    let answer =
        repository.run(&["check", "--now", DAY, "--read-set", directory.to_str().unwrap()]);
    assert!(answer.status == 2 && answer.stdout.ends_with("no findings\n"), "{}", answer.stderr);
    assert!(answer.stderr.contains("the read set was not written"), "{}", answer.stderr);
}

/// Each side of a merge is green, the merge is red, and the gate voids both verdicts before anything is
/// checked.
#[test]
fn two_branches_that_mint_one_identifier_are_stopped_before_the_merge_is_checked() {
    let repository = Repository::new();
    repository.write(".gitignore", ".headwater/cache/\n");
    repository.commit("trunk");
    let mut sides = Vec::new();
    for side in ["left", "right"] {
        repository.git(&["checkout", "-q", "-b", side, "trunk"]);
        repository.write(&format!("handbook/drills/{side}.md"), &drill("restore-a-backup"));
        repository.git(&["add", "-A"]);
        repository.git(&["commit", "-q", "-m", side]);
        sides.push(repository.check());
    }
    // Git sees no conflict.
    repository.git(&["merge", "-q", "-m", "merge", "left"]);
    for artifact in &sides {
        let reasons = repository.reasons(artifact);
        assert!(reasons.contains(&"barrier identifier.claimed_twice".to_owned()), "{reasons:?}");
        // No byte that either side read has moved, so nothing but the barriers could tell.
        assert_eq!(repository.reasons(&without(artifact, "barrier")), [""; 0]);
    }
    let merged = repository.run(&["check", "--strict", "--now", DAY, "--json"]);
    assert_eq!(merged.status, 1);
    assert!(merged.stdout.contains("\"identifier.claimed_twice\""), "{}", merged.stdout);
}

/// What a rule says of a change rests on more than a tree holds.
#[test]
fn the_verdict_on_a_change_carries_nowhere() {
    let repository = Repository::new();
    repository.write(".gitignore", ".headwater/cache/\n");
    repository.commit("trunk");
    let drill = "handbook/drills/rotate-keys.md";
    fs::remove_file(repository.root.path().join(drill)).unwrap();
    repository.write(QUEUE, &format!("{}\nMore.\n", repository.read(QUEUE)));
    let out = repository.beside.path().join("change");
    let manifest = repository.run(&["change", "HEAD", out.to_str().unwrap()]);
    assert_eq!(manifest.status, 0, "{}", manifest.stderr);
    let path = repository.artifact();
    let words = ["check", "--now", DAY, "--change", manifest.stdout.trim(), "--read-set"];
    repository.run(&[&words[..], &[path.to_str().unwrap()]].concat());
    let artifact = without(&fs::read_to_string(path).unwrap(), "barrier");
    let reasons = repository.reasons(&artifact);
    let transition = "change_scoped lifecycle.transition.not_permitted";
    assert!(reasons.contains(&transition.to_owned()), "{reasons:?}");
    // The document that the change took away is listed with what stood there.
    assert_eq!(reasons.last(), Some(&format!("gone {drill}")));
}

fn shell(repository: &Repository, script: &str) -> std::process::Output {
    let programs = Path::new(env!("CARGO_BIN_EXE_headwater")).parent().unwrap();
    let search = std::env::join_paths(
        std::iter::once(programs.to_owned())
            .chain(std::env::split_paths(&std::env::var_os("PATH").unwrap_or_default())),
    );
    let mut command = Command::new("sh");
    command.current_dir(repository.root.path()).args(["-e", "-c", script]);
    command.env("PATH", search.unwrap()).env("GIT_CONFIG_GLOBAL", "/dev/null");
    for word in ["AUTHOR", "COMMITTER"] {
        command
            .env(format!("GIT_{word}_NAME"), "t")
            .env(format!("GIT_{word}_EMAIL"), "t@example.org");
    }
    command.env("TMPDIR", repository.beside.path());
    command.output().unwrap()
}

/// The commands of the guide do what it says: each side is green, the gate says no, and so does the
/// check of the merge.
#[test]
fn the_guide_to_continuous_integration_works_as_it_is_written() {
    let guide =
        Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/guides/continuous-integration.md");
    let guide = fs::read_to_string(guide).unwrap();
    let blocks: Vec<&str> =
        guide.split("```sh\n").skip(1).map(|rest| rest.split("```").next().unwrap()).collect();
    let repository = Repository::new();
    repository.write(".gitignore", ".headwater/cache/\n");
    repository.commit("main");
    for side in ["other", "topic"] {
        repository.git(&["checkout", "-q", "-b", side, "main"]);
        repository.write(&format!("handbook/drills/{side}.md"), &drill("restore-a-backup"));
        repository.git(&["add", "-A"]);
        repository.git(&["commit", "-q", "-m", side]);
    }
    let (last, before) = blocks.split_last().unwrap();
    // The other branch is merged while this one is judged.
    let turn = before.iter().position(|block| block.contains("git merge ")).unwrap();
    let mut script = "branch=topic\n".to_owned();
    for (at, block) in before.iter().enumerate() {
        if at == turn {
            script.push_str("git checkout -q main; git merge -q --no-edit other\n");
        }
        script.push_str(block);
    }
    let done = shell(&repository, &script);
    assert!(done.status.success(), "{done:?}");
    let said = String::from_utf8(done.stdout).unwrap();
    assert!(said.contains("barrier: identifier.claimed_twice") && said.contains(LIMIT), "{said}");
    let done = shell(&repository, &format!("out=$(echo \"$TMPDIR\"/tmp.*)\n{last}"));
    assert_eq!(done.status.code(), Some(1), "{done:?}");
    assert!(String::from_utf8(done.stdout).unwrap().contains("identifier.claimed_twice"));
    for word in ["lock_moved", "rule_moved", "change_scoped", "day_moved", "escaped", "unhashed"] {
        assert!(guide.contains(&format!("| `{word}` |")), "{word}");
    }
}

#[test]
fn every_hook_runs_as_it_is_written() {
    let hooks = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../.pre-commit-hooks.yaml");
    let hooks = headwater_taxonomy::yaml::load(&fs::read_to_string(hooks).unwrap(), 0).unwrap();
    let repository = Repository::new();
    repository.write(".gitignore", ".headwater/cache/\n");
    repository.commit("main");
    let hooks = hooks.items().unwrap();
    assert_eq!(hooks.len(), 3);
    let text = |hook: &headwater_taxonomy::yaml::Node, key: &str| {
        hook.get(key).and_then(|node| node.text()).unwrap_or_default().to_owned()
    };
    let statuses = || -> Vec<(String, Option<i32>)> {
        let each = hooks.iter().map(|hook| {
            let done = shell(&repository, &text(hook, "entry"));
            (text(hook, "id"), done.status.code())
        });
        each.collect()
    };
    assert!(statuses().iter().all(|(_, status)| *status == Some(0)), "{:?}", statuses());
    // A state that moves back is a fault of the change and of no document.
    let decision = "handbook/decisions/0002-store-attempts-in-a-log.md";
    let held = repository.read(decision);
    repository.write(decision, &held.replace("status: current", "status: draft"));
    let named = statuses();
    let of = |id: &str| named.iter().find(|(held, _)| held == id).unwrap().1;
    assert_eq!(of("headwater-check-change"), Some(1), "{named:?}");
    repository.write(decision, &held);
    repository.write(".headwater/overlay.yml", "nothing: here\n");
    assert_ne!(statuses().last().unwrap().1, Some(0));
}
