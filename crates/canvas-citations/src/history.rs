//! What a citation without a quotation was written against.
//!
//! The commit that last touched the citing line says when the citation was true; the cited lines at
//! that commit are what it meant. One `git blame` is run for each document that has such citations,
//! restricted to their lines, and one `git cat-file` for each repository. Whatever git cannot answer
//! leaves the citation out of the count: this part of the survey only informs.

use std::collections::HashMap;
use std::io::{self, BufRead, BufReader, Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use markdown::citation::{Cited, Lines, SHORTEST_FRAGMENT};

use crate::survey::text;

/// How many separate ranges one blame is asked for; beyond that the whole document is blamed.
const MOST_RANGES: usize = 1000;

/// The text that a citation was written against.
pub(crate) struct Past {
    /// The commit that last touched the citing line.
    pub commit: String,
    /// The cited lines then, normalised.
    pub text: String,
}

/// The repositories met so far.
#[derive(Default)]
pub(crate) struct History {
    /// The repository of each directory asked about.
    by_directory: HashMap<PathBuf, Option<usize>>,
    open: Vec<Repository>,
}

struct Repository {
    top: PathBuf,
    objects: Option<Objects>,
    /// Commits of the first-parent line, from the head back, each with the least committer date
    /// met so far, so that "the last one not later than" is a binary search.
    line: Option<Vec<(i64, String)>>,
}

/// A running `git cat-file --batch`.
struct Objects {
    child: Child,
    requests: Option<ChildStdin>,
    answers: BufReader<ChildStdout>,
}

/// The commit of a line: its name and its committer date.
type Origin = (String, i64);

/// One document's citations and the commits of their lines.
pub(crate) struct Reading<'h> {
    history: &'h mut History,
    home: usize,
    origins: HashMap<usize, Origin>,
    /// Past files, by repository and object name.
    files: HashMap<(usize, String), Option<Cited>>,
}

impl History {
    /// Blames the lines of a document's citations. `None` outside a repository, and where there is
    /// nothing to ask.
    pub(crate) fn reading(
        &mut self,
        document: &Path,
        lines: &[usize],
        targets: &[Option<PathBuf>],
    ) -> Option<Reading<'_>> {
        if lines.is_empty() {
            return None;
        }
        let home = self.repository(document.parent()?)?;
        let asked: Vec<usize> =
            lines.iter().zip(targets).filter(|(_, t)| t.is_some()).map(|(&line, _)| line).collect();
        let origins =
            if asked.is_empty() { None } else { blame(&self.open[home].top, document, &asked) };
        let origins = origins.unwrap_or_default();
        Some(Reading { history: self, home, origins, files: HashMap::new() })
    }

    /// The repository around a directory.
    fn repository(&mut self, directory: &Path) -> Option<usize> {
        if let Some(&known) = self.by_directory.get(directory) {
            return known;
        }
        let top = directory.ancestors().find(|ancestor| ancestor.join(".git").exists());
        let found = top.map(|top| {
            self.open.iter().position(|known| known.top == top).unwrap_or_else(|| {
                self.open.push(Repository { top: top.to_owned(), objects: None, line: None });
                self.open.len() - 1
            })
        });
        self.by_directory.insert(directory.to_owned(), found);
        found
    }
}

impl Reading<'_> {
    /// The text that the citation on a line was written against.
    pub(crate) fn past(&mut self, line: usize, target: &Path, cited: Lines) -> Option<Past> {
        let (commit, date) = self.origins.get(&line)?.clone();
        let repository = self.history.repository(target.parent()?)?;
        let then = if repository == self.home {
            commit.clone()
        } else {
            self.history.open[repository].commit_at(date)?
        };
        let top = &self.history.open[repository].top;
        let path = target.strip_prefix(top).ok()?.to_str()?.replace(std::path::MAIN_SEPARATOR, "/");
        let object = (repository, format!("{then}:{path}"));
        if !self.files.contains_key(&object) {
            let bytes = self.history.open[repository].object(&object.1);
            let file = bytes.map(|bytes| Cited::new(text(bytes)));
            self.files.insert(object.clone(), file);
        }
        let past = self.files.get(&object)?.as_ref()?.text(cited)?;
        (past.chars().count() >= SHORTEST_FRAGMENT).then_some(Past { commit, text: past })
    }
}

impl Repository {
    /// The bytes of an object.
    fn object(&mut self, name: &str) -> Option<Vec<u8>> {
        if name.contains('\n') {
            return None;
        }
        if self.objects.is_none() {
            self.objects = Objects::start(&self.top);
        }
        let answer = self.objects.as_mut()?.ask(name);
        if answer.is_err() {
            // The reader is out of step or gone; the next question starts another.
            self.objects = None;
        }
        answer.ok().flatten()
    }

    /// The last commit of the head's line that is not later than a date.
    fn commit_at(&mut self, date: i64) -> Option<String> {
        let top = &self.top;
        let line = self.line.get_or_insert_with(|| {
            let arguments = ["rev-list", "--first-parent", "--timestamp", "HEAD"];
            let output = git(top).args(arguments).output();
            let text = output.map(|output| output.stdout).unwrap_or_default();
            let mut least = i64::MAX;
            String::from_utf8_lossy(&text)
                .lines()
                .filter_map(|line| {
                    let (date, commit) = line.split_once(' ')?;
                    least = least.min(date.parse().ok()?);
                    Some((least, commit.to_owned()))
                })
                .collect()
        });
        let at = line.partition_point(|&(least, _)| least > date);
        line.get(at).map(|(_, commit)| commit.clone())
    }
}

impl Objects {
    fn start(top: &Path) -> Option<Self> {
        let mut child = git(top)
            .args(["cat-file", "--batch"])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .ok()?;
        let requests = child.stdin.take();
        let answers = BufReader::new(child.stdout.take()?);
        Some(Self { child, requests, answers })
    }

    /// The bytes of a named blob, or nothing where the name has none. An error says that the process
    /// gave no whole answer.
    fn ask(&mut self, name: &str) -> io::Result<Option<Vec<u8>>> {
        let gone = || io::Error::from(io::ErrorKind::UnexpectedEof);
        let requests = self.requests.as_mut().ok_or_else(gone)?;
        writeln!(requests, "{name}")?;
        requests.flush()?;
        let mut head = String::new();
        if self.answers.read_line(&mut head)? == 0 {
            return Err(gone());
        }
        let words: Vec<&str> = head.trim_end().rsplitn(3, ' ').collect();
        let [size, kind, _] = words[..] else { return Ok(None) };
        let Ok(size) = size.parse::<u64>() else { return Ok(None) };
        let mut bytes = Vec::new();
        let read = (&mut self.answers).take(size).read_to_end(&mut bytes)?;
        let mut end = [0];
        self.answers.read_exact(&mut end)?;
        if read as u64 != size || end != *b"\n" {
            return Err(gone());
        }
        Ok((kind == "blob").then_some(bytes))
    }
}

impl Drop for Objects {
    fn drop(&mut self) {
        // The end of its input ends the process.
        self.requests = None;
        let _ = self.child.wait();
    }
}

/// A git command whose answers depend on the repository alone.
fn git(top: &Path) -> Command {
    let mut command = Command::new("git");
    command.current_dir(top).stdin(Stdio::null()).stderr(Stdio::null());
    for variable in
        ["GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_OBJECT_DIRECTORY", "GIT_NAMESPACE"]
    {
        command.env_remove(variable);
    }
    command.env("GIT_OPTIONAL_LOCKS", "0").env("GIT_NO_LAZY_FETCH", "1").env("LC_ALL", "C");
    for setting in [
        "core.fsmonitor=false",
        "core.quotePath=false",
        "blame.ignoreRevsFile=",
        "diff.algorithm=default",
    ] {
        command.args(["-c", setting]);
    }
    command
}

/// The commits of some lines of a document; lines that no commit holds are missing.
fn blame(top: &Path, document: &Path, lines: &[usize]) -> Option<HashMap<usize, Origin>> {
    let path = document.strip_prefix(top).ok()?;
    let mut command = git(top);
    // A conversion that somebody configured would change the lines, and run.
    command.args(["blame", "--porcelain", "--no-textconv"]);
    let ranges = ranges(lines);
    if ranges.len() <= MOST_RANGES {
        for range in ranges {
            command.arg(format!("-L{},{}", range.first, range.last));
        }
    }
    let output = command.arg("--").arg(path).output().ok()?;
    output.status.success().then(|| origins(&String::from_utf8_lossy(&output.stdout)))
}

/// Sorted lines as ranges without gaps.
fn ranges(lines: &[usize]) -> Vec<Lines> {
    let mut sorted = lines.to_vec();
    sorted.sort_unstable();
    let mut ranges: Vec<Lines> = Vec::new();
    for line in sorted {
        match ranges.last_mut() {
            Some(range) if line <= range.last + 1 => range.last = line,
            _ => ranges.push(Lines { first: line, last: line }),
        }
    }
    ranges
}

/// Reads `git blame --porcelain`.
fn origins(porcelain: &str) -> HashMap<usize, Origin> {
    let mut dates: HashMap<&str, i64> = HashMap::new();
    let mut lines: Vec<(usize, &str)> = Vec::new();
    let mut commit = "";
    for line in porcelain.split('\n') {
        // Text of the document stands behind a tab, so nothing it holds is read as a header.
        if line.starts_with('\t') {
            continue;
        }
        let mut words = line.split(' ');
        match (words.next(), words.next(), words.next()) {
            (Some("committer-time"), Some(date), None) => {
                if let Ok(date) = date.parse() {
                    dates.insert(commit, date);
                }
            }
            (Some(name), Some(_), Some(now)) if is_commit(name) => {
                commit = name;
                if let Ok(now) = now.parse() {
                    lines.push((now, name));
                }
            }
            _ => {}
        }
    }
    lines
        .into_iter()
        .filter(|(_, commit)| commit.bytes().any(|byte| byte != b'0'))
        .filter_map(|(line, commit)| Some((line, (commit.to_owned(), *dates.get(commit)?))))
        .collect()
}

fn is_commit(word: &str) -> bool {
    word.len() >= 40 && word.bytes().all(|byte| byte.is_ascii_hexdigit())
}
