//! `headwater check --fix` and `--diff` over whole repositories. `fix/cases.md` is the data: files, a
//! command line, and what stands there and is said afterwards.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fs;
use std::path::Path;

use headwater_taxonomy::verbs::Answer;

const CASES: &str = include_str!("fix/cases.md");
const TAXONOMY: &str = include_str!("fix/taxonomy.yml");

fn headwater(root: &Path, line: &str) -> Answer {
    let words = line.split(' ').filter(|word| !word.is_empty());
    let mut arguments: Vec<OsString> = words.map(OsString::from).collect();
    arguments.extend([OsString::from("--root"), root.as_os_str().to_owned()]);
    programs::headwater::run("headwater", &arguments)
}

fn write(root: &Path, path: &str, text: &str) {
    let path = root.join(path);
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, text).unwrap();
}

/// A repository with the taxonomy of the cases, and its lock.
fn repository() -> tempfile::TempDir {
    let root = tempfile::tempdir().unwrap();
    let package = ".headwater/packages/acme-cases";
    let declared = "taxonomy: {package: acme/cases, version: 1.0.0}\ncorpus: {root: docs}\n";
    write(root.path(), ".headwater/taxonomy.yml", declared);
    write(root.path(), &format!("{package}/taxonomy.yml"), TAXONOMY);
    let about = "package: acme/cases\nversion: 1.0.0\ncontents: {taxonomy: taxonomy.yml}\n";
    write(root.path(), &format!("{package}/package.yml"), about);
    fs::create_dir(root.path().join("docs")).unwrap();
    let resolved = headwater(root.path(), "taxonomy resolve");
    assert_eq!(resolved.status, 0, "{}{}", resolved.stdout, resolved.stderr);
    root
}

/// The files of a block: `=== path`, then lines.
fn files(block: &str) -> BTreeMap<String, String> {
    let parts = block.split("=== ").skip(1);
    parts.map(|part| part.split_once('\n').unwrap()).map(|(a, b)| (a.into(), b.into())).collect()
}

/// Every file below `docs` and the claims.
fn held(root: &Path) -> BTreeMap<String, String> {
    let mut all = BTreeMap::new();
    let mut open = vec![root.join("docs"), root.join(".headwater/ids")];
    while let Some(directory) = open.pop() {
        for entry in fs::read_dir(&directory).into_iter().flatten() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                open.push(path);
            } else {
                let name = path.strip_prefix(root).unwrap().to_string_lossy().into_owned();
                all.insert(name, fs::read_to_string(&path).unwrap());
            }
        }
    }
    all
}

/// The steps of a case: blocks in the order in which they stand, each with its word.
fn steps(text: &str) -> Vec<(&str, &str)> {
    let mut steps = Vec::new();
    let mut rest = text;
    while let Some((_, after)) = rest.split_once("~~~~") {
        let (kind, after) = after.split_once('\n').unwrap();
        let (block, after) = after.split_once("~~~~\n").unwrap();
        steps.push((kind.trim(), block));
        rest = after;
    }
    steps
}

#[test]
fn every_case_holds() {
    let mut count = 0;
    for case in format!("\n{CASES}").split("\n## ").skip(1) {
        let (title, text) = case.split_once('\n').unwrap();
        count += 1;
        let root = repository();
        let mut answer = Answer::default();
        for (kind, block) in steps(text) {
            let said = format!("{title}\n{}\n--- stderr\n{}", answer.stdout, answer.stderr);
            match kind {
                "files" => {
                    for (path, text) in files(block) {
                        write(root.path(), &path, &text);
                    }
                }
                "run" => {
                    let (line, status) = block.trim().rsplit_once("-> ").unwrap();
                    answer = headwater(root.path(), &format!("check --now 2026-08-12 {line}"));
                    let said = format!("{title}\n{}\n--- stderr\n{}", answer.stdout, answer.stderr);
                    assert_eq!(answer.status.to_string(), status, "{said}");
                    assert!(answer.status != 2 || answer.stdout.is_empty(), "{said}");
                }
                "after" => {
                    let now = held(root.path());
                    for (path, text) in files(block) {
                        assert_eq!(now.get(&path), Some(&text), "{said}\n{path}");
                    }
                }
                "stdout" => assert_eq!(answer.stdout, block, "{said}"),
                "says" | "silent" => {
                    for words in block.lines() {
                        let found = answer.stderr.contains(words) || answer.stdout.contains(words);
                        assert_eq!(found, kind == "says", "{words}\n{said}");
                    }
                }
                other => panic!("{title}: no step {other}"),
            }
        }
    }
    assert!(count > 5, "{count}");
}

#[test]
fn a_preview_is_served_from_the_cache_and_leaves_it_as_it_is() {
    let case = CASES.split("\n## ").find(|case| case.starts_with("All kinds")).unwrap();
    let root = repository();
    for (path, text) in files(steps(case)[0].1) {
        write(root.path(), &path, &text);
    }
    let preview =
        |flags: &str| headwater(root.path(), &format!("check --now 2026-08-12 --diff {flags}"));
    headwater(root.path(), "check --now 2026-08-12");
    let cache = root.path().join(".headwater/cache/checks");
    let kept = fs::read(&cache).unwrap();
    let (served, anew) = (preview(""), preview("--no-cache"));
    assert_eq!((served.status, &served.stdout), (anew.status, &anew.stdout));
    assert!(served.stderr.contains(" 0 evaluated, "), "{}", served.stderr);
    assert!(anew.stderr.contains("0 served from cache, 0 evaluated, "), "{}", anew.stderr);
    // Nor does a preview leave what it evaluated, or take away what it did not use.
    write(root.path(), "docs/another.md", "---\ntitle: another\n---\n\nIt's another.\n");
    assert_eq!(preview("").stdout, preview("--no-cache").stdout);
    assert_eq!(fs::read(&cache).unwrap(), kept);
}

#[test]
fn a_preview_writes_nothing_and_git_makes_the_fix_of_it() {
    let case = CASES.split("\n## ").find(|case| case.starts_with("All kinds")).unwrap();
    let (looked, fixed) = (repository(), repository());
    for (path, text) in files(steps(case)[0].1) {
        write(looked.path(), &path, &text);
        write(fixed.path(), &path, &text);
    }
    let everything = |root: &Path| -> BTreeMap<String, String> {
        let mut all = held(root);
        all.insert("cache".to_owned(), root.join(".headwater/cache").exists().to_string());
        all
    };
    let before = everything(looked.path());
    let shown = headwater(looked.path(), "check --now 2026-08-12 --diff");
    assert_eq!((shown.status, &everything(looked.path())), (0, &before), "{}", shown.stderr);
    write(looked.path(), "d.patch", &shown.stdout);
    let git = std::process::Command::new("git")
        .args(["apply", "d.patch"])
        .current_dir(looked.path())
        .status();
    assert!(git.unwrap().success(), "{}", shown.stdout);
    assert_eq!(headwater(fixed.path(), "check --now 2026-08-12 --fix").status, 0);
    assert_eq!(held(looked.path()), held(fixed.path()));
}
