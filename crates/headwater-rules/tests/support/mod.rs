//! Repositories made of text, so that a case is data a person can read.

#![allow(
    dead_code,
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a test fails by panicking, and no test file uses every helper"
)]

mod expects;

use std::fs;
use std::path::{Path, PathBuf};

use headwater_check::headwater_corpus::{Corpus, Options};
use headwater_check::headwater_taxonomy::declaration::{DECLARATION_PATH, Declaration};
use headwater_check::headwater_taxonomy::lock::{Header, Lock};
use headwater_check::headwater_taxonomy::model::Taxonomy;
use headwater_check::headwater_taxonomy::yaml::load;
use headwater_check::{Caching, Date, Escape, Manifest, Run, Settings, State, run};
use serde_json::Value;

pub use expects::Expects;

const DECLARATION: &str = "taxonomy: {package: acme/cases, version: 1.0.0}\ncorpus: {root: docs}\n";

/// One case of a fixture.
#[derive(Debug)]
pub struct Case {
    /// The file that it stands in.
    pub file: String,
    /// Its title.
    pub title: String,
    /// What it says before its first block.
    pub text: String,
    /// The taxonomy: the base with the delta merged in.
    pub taxonomy: String,
    /// Its files.
    pub corpus: String,
    /// The adoption block of its lock; empty for none.
    pub adoption: String,
    /// What stood before a change: files, and what else the manifest says. None for no change.
    pub change: Option<(String, String)>,
    /// The findings it expects, one a line, sorted.
    pub findings: Vec<String>,
    /// What it expects of the tasks and the directives, one a line, where it says so.
    pub ledger: Option<Vec<String>>,
    /// The day.
    pub now: Date,
    /// What else it expects, of which it states what matters to it.
    pub expects: Expects,
}

pub fn fixtures() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures")
}

/// A case of some files and the base taxonomy with a delta merged in.
pub fn case(corpus: &str, delta: &str) -> Case {
    let mut all = fs::read_to_string(fixtures().join("base.json")).unwrap();
    if !delta.is_empty() {
        let mut base: Value = serde_json::from_str(&all).unwrap();
        merge(&mut base, serde_json::from_str(delta).unwrap());
        all = base.to_string();
    }
    Case {
        file: String::new(),
        title: String::new(),
        text: String::new(),
        taxonomy: all,
        corpus: corpus.to_owned(),
        change: None,
        adoption: String::new(),
        findings: Vec::new(),
        ledger: None,
        expects: Expects::default(),
        now: Date::parse("2026-08-12").unwrap(),
    }
}

/// The cases of a file: a title after `## `, perhaps `Delta:` and JSON, perhaps `Now:` and a date, what
/// else it expects ([`Expects`]), a block `corpus`, and a block `findings` unless nothing is found. A
/// block `adoption` is that of the lock; a block `ledger` says what its tasks and the directives of the
/// corpus come to. The file `.headwater/taxonomy.yml` of a corpus is its declaration.
/// A case of a change also has a block `before` with the files that stood at their paths, or a block
/// `change` of lines `added PATH`, `verified PATH` and `verified PATH -> TARGET`, or both.
pub fn cases(path: &Path) -> Vec<Case> {
    let base = fs::read_to_string(fixtures().join("base.json")).unwrap();
    let base: Value = serde_json::from_str(&base).unwrap();
    let source = fs::read_to_string(path).unwrap();
    let file = path.file_stem().unwrap().to_string_lossy().into_owned();
    let mut found = Vec::new();
    for (title, rest) in parts(&source) {
        let head = rest.split("~~~~corpus\n").next().unwrap();
        let line = |name: &str| {
            let line = head.lines().find_map(|line| line.strip_prefix(name));
            line.map(|line| line.trim().trim_matches('`').to_owned())
        };
        let mut taxonomy = base.clone();
        if let Some(delta) = line("Delta:") {
            merge(
                &mut taxonomy,
                serde_json::from_str(&delta).unwrap_or_else(|e| panic!("{file}: {title}: {e}")),
            );
        }
        let block = |name: &str| {
            let (_, after) = rest.split_once(&format!("~~~~{name}\n"))?;
            after.split_once("~~~~\n").map(|(block, _)| block.to_owned())
        };
        let mut findings: Vec<String> =
            block("findings").unwrap_or_default().lines().map(str::to_owned).collect();
        findings.sort();
        found.push(Case {
            file: file.clone(),
            title: title.clone(),
            text: rest.clone(),
            taxonomy: taxonomy.to_string(),
            change: match (block("before"), block("change")) {
                (None, None) => None,
                (before, change) => Some((before.unwrap_or_default(), change.unwrap_or_default())),
            },
            corpus: block("corpus").unwrap_or_else(|| panic!("{file}: {title}: no corpus")),
            adoption: block("adoption").unwrap_or_default(),
            findings,
            ledger: block("ledger").map(|block| block.lines().map(str::to_owned).collect()),
            expects: Expects::read(|name| {
                let line = head.lines().find_map(|line| line.strip_prefix(name))?;
                Some(line.trim().to_owned())
            }),
            now: Date::parse(line("Now:").as_deref().unwrap_or("2026-08-12")).unwrap(),
        });
    }
    found
}

/// The parts of a fixture under their titles; a heading inside a block is no title.
fn parts(source: &str) -> Vec<(String, String)> {
    let mut parts: Vec<(String, String)> = Vec::new();
    let mut inside = false;
    for line in source.lines() {
        if line.starts_with("~~~~") {
            inside = !inside;
        }
        match line.strip_prefix("## ") {
            Some(title) if !inside => parts.push((title.to_owned(), String::new())),
            _ => {
                if let Some((_, text)) = parts.last_mut() {
                    text.push_str(line);
                    text.push('\n');
                }
            }
        }
    }
    parts
}

/// Merges mappings key by key; everything else replaces, and null removes.
pub fn merge(base: &mut Value, delta: Value) {
    match (base, delta) {
        (Value::Object(base), Value::Object(delta)) => {
            for (key, value) in delta {
                match base.get_mut(&key) {
                    Some(_) if value.is_null() => {
                        base.remove(&key);
                    }
                    Some(held) => merge(held, value),
                    None => {
                        base.insert(key, value);
                    }
                }
            }
        }
        (base, delta) => *base = delta,
    }
}

pub fn lock(taxonomy: &str) -> Lock {
    let resolved = load(taxonomy, 0).unwrap_or_else(|faults| panic!("{faults:?}\n{taxonomy}"));
    Lock {
        header: Header {
            digest: taxonomy.to_owned(),
            rules: 0,
            package: "acme/cases".to_owned(),
            version: "1.0.0".to_owned(),
            sources: Vec::new(),
        },
        foundings: Vec::new(),
        adoption: None,
        taxonomy: Taxonomy::from_tree(&resolved),
        resolved,
    }
}

/// Writes one file with its directories.
pub fn write(root: &Path, path: &str, bytes: impl AsRef<[u8]>) {
    let path = root.join(path);
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, bytes).unwrap();
}

/// The files of a block: `=== path`, then lines.
pub fn files(block: &str) -> Vec<(String, String)> {
    let parts = block.split("=== ").skip(1);
    let file = |part: &str| {
        let (name, text) = part.split_once('\n').unwrap_or((part, ""));
        (name.to_owned(), text.to_owned())
    };
    parts.map(file).collect()
}

pub fn corpus(root: &Path, taxonomy: &str, adoption: &str) -> Corpus {
    let declared = fs::read(root.join(DECLARATION_PATH)).unwrap_or_else(|_| DECLARATION.into());
    let declaration = Declaration::parse(&declared).unwrap();
    let mut lock = lock(taxonomy);
    if !adoption.is_empty() {
        lock.adoption = Some(load(adoption, 0).unwrap_or_else(|faults| panic!("{faults:?}")));
    }
    Corpus::build(root, lock, declaration, Options::default())
        .unwrap_or_else(|refusals| panic!("{refusals:?}"))
}

/// Writes the files of a case in a new directory and runs every rule over them.
pub fn check(case: &Case, cache: bool) -> (tempfile::TempDir, Run) {
    let root = tempfile::tempdir().unwrap();
    for (path, text) in files(&case.corpus) {
        write(root.path(), &path, text);
    }
    let run = judge(root.path(), case, cache);
    (root, run)
}

pub fn judge(root: &Path, case: &Case, cache: bool) -> Run {
    let manifest = case.change.as_ref().map(|(before, change)| manifest(root, before, change));
    let settings = Settings {
        now: case.now,
        cache: if cache { Caching::Keep } else { Caching::Off },
        continuity: true,
        change: manifest.as_ref(),
    };
    run(&corpus(root, &case.taxonomy, &case.adoption), &headwater_rules::registry(), settings)
}

/// Writes what stood before beside the corpus, and reads the manifest that names it.
fn manifest(root: &Path, before: &str, change: &str) -> Manifest {
    let mut text = "headwater change 1\n".to_owned();
    for (at, (path, bytes)) in files(before).into_iter().enumerate() {
        let file = format!("before/{at}");
        write(root, &file, bytes);
        text.push_str(&format!("prior\t{path}\t{}\n", root.join(file).display()));
    }
    for line in change.lines() {
        text.push_str(&line.replace(" -> ", "\t").replacen(' ', "\t", 1));
        text.push('\n');
    }
    Manifest::parse(&text).unwrap()
}

/// The findings of a run as lines `rule path:line severity`, sorted; an escaped one says what holds it.
pub fn lines(run: &Run) -> Vec<String> {
    let line = |finding: &headwater_check::Finding| {
        let place = &finding.defect.place;
        let escape = match &finding.escape {
            None => String::new(),
            Some(Escape::Pending(held)) => format!(" held by {}", held.task),
            Some(Escape::Suppressed(hidden)) => {
                format!(" hidden by {}:{}", hidden.path, hidden.line)
            }
        };
        let severity = finding.defect.severity.word();
        format!("{} {}:{} {severity}{escape}", finding.rule, place.path, place.line)
    };
    let mut lines: Vec<String> = run.findings.iter().map(line).collect();
    lines.sort();
    lines
}

/// What the adoption tasks and the directives of a run came to, as lines in the order of the report.
pub fn ledger(run: &Run) -> Vec<String> {
    let (adoption, suppressions) = (&run.adoption, &run.suppressions);
    let tasks = adoption.tasks.iter().map(|standing| match standing.expired {
        true => format!("{} expired", standing.task.id),
        false => {
            let (open, closed, held) = (standing.open, standing.closed, standing.held);
            format!("{}: {open} open, {closed} closed, {held} held", standing.task.id)
        }
    });
    let refused = adoption.refused.iter().map(|refused| format!("{} refused", refused.task));
    let unread = adoption.unread.iter().map(|key| format!("{key} unread"));
    let directives = suppressions.directives.iter().map(|directive| {
        let state = match directive.state {
            State::Applied(count) => format!("hides {count}"),
            State::Unused => "unused".to_owned(),
            State::Expired => "expired".to_owned(),
        };
        format!("{}:{} {state}", directive.path, directive.line)
    });
    let wrong = suppressions.refused.iter();
    let wrong = wrong.map(|refused| format!("{}:{} refused", refused.path, refused.line));
    tasks.chain(refused).chain(unread).chain(directives).chain(wrong).collect()
}
