//! Every case under `tests/cases`: files, commits and roots in, one report out.
//!
//! A case file begins with a sentence that says what it shows. Then come steps, each after a line
//! `=== STEP ARGUMENT`: `file PATH` (the lines below it are the content), `empty-end PATH` (the same
//! without the last line break), `init DIRECTORY`, `commit DIRECTORY DAY` (everything, on that day of
//! January 2026), `configure DIRECTORY KEY VALUE`, `root DIRECTORY`, `pinned DIRECTORY`, and last `fails` or `passes`, below which the
//! whole report stands. Without a `root` step the directory of the case is the only one.

#![allow(clippy::unwrap_used, clippy::panic)] // a test that cannot go on should stop

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use canvas_citations::{Request, survey};

fn git(directory: &Path, day: &str, arguments: &[&str]) {
    let date = format!("2026-01-{day}T12:00:00Z");
    let mut command = Command::new("git");
    for variable in ["GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE"] {
        command.env_remove(variable);
    }
    let output = command
        .current_dir(directory)
        .args(["-c", "user.name=A", "-c", "user.email=a@example.org", "-c", "commit.gpgsign=false"])
        .args(arguments)
        .env("GIT_AUTHOR_DATE", &date)
        .env("GIT_COMMITTER_DATE", &date)
        .output()
        .unwrap();
    assert!(output.status.success(), "git {arguments:?}: {output:?}");
}

fn run(case: &str) -> (String, String) {
    let place = tempfile::tempdir().unwrap();
    let base = place.path();
    let mut request = Request::new(Vec::new());
    let steps = case.split("\n=== ").skip(1);
    for step in steps {
        let (head, body) = step.split_once('\n').unwrap_or((step, ""));
        let mut words = head.split(' ');
        let (name, argument) = (words.next().unwrap(), words.next().unwrap_or_default());
        match name {
            "file" | "empty-end" => {
                let path = base.join(argument);
                fs::create_dir_all(path.parent().unwrap()).unwrap();
                let end = if name == "file" { "\n" } else { "" };
                fs::write(path, format!("{body}{end}")).unwrap();
            }
            "init" => {
                fs::create_dir_all(base.join(argument)).unwrap();
                git(&base.join(argument), "01", &["init", "-q", "-b", "main"]);
            }
            "commit" => {
                let day = words.next().unwrap();
                git(&base.join(argument), day, &["add", "-A"]);
                git(&base.join(argument), day, &["commit", "-q", "-m", "a step"]);
            }
            "configure" => {
                let (key, value) = (words.next().unwrap(), words.collect::<Vec<_>>().join(" "));
                git(&base.join(argument), "01", &["config", key, &value]);
            }
            "root" => request.roots.push(base.join(argument)),
            "pinned" => request.pinned.push(PathBuf::from(argument)),
            "fails" | "passes" => {
                if request.roots.is_empty() {
                    request.roots.push(base.to_owned());
                }
                let report = survey(&request).unwrap();
                let text = report.to_string().replace(&base.display().to_string(), "BASE");
                let verdict = if report.fails() { "fails" } else { "passes" };
                return (format!("{verdict}\n{text}"), format!("{step}\n"));
            }
            other => panic!("no step is called {other}"),
        }
    }
    panic!("a case ends with `fails` or `passes`");
}

#[test]
fn every_case() {
    let mut cases: Vec<PathBuf> = fs::read_dir("tests/cases")
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "case"))
        .collect();
    cases.sort();
    assert!(cases.len() >= 30, "cases are missing");
    let mut wrong = Vec::new();
    for path in cases {
        let case = fs::read_to_string(&path).unwrap();
        let (actual, expected) = run(case.trim_end_matches('\n'));
        if actual != expected {
            wrong.push(format!("{}\n--- expected\n{expected}--- actual\n{actual}", path.display()));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
