//! The `git` that is asked: one that no configuration of a user and no variable of a calling hook makes
//! answer otherwise, that writes nothing, and that fetches nothing.

use std::collections::BTreeMap;
use std::fs::{File, OpenOptions};
use std::io::{self, BufReader, Read as _, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};

use crate::Refusal;
use crate::diff::Stood;

/// How many deleted times added files are compared for renames: this number squared. Git has its own
/// limit, which a user may lower; past it only files of equal content are found.
const RENAME_LIMIT: &str = "-l3000";

/// A work tree.
pub(crate) struct Git {
    root: PathBuf,
}

impl Git {
    /// The work tree that a directory is in.
    pub(crate) fn at(root: &Path) -> Result<Self, Refusal> {
        let git = Self { root: root.to_owned() };
        if !root.is_dir() {
            return Err(Refusal::new(format!(
                "`{}` is no directory; name the repository with --root",
                root.display()
            )));
        }
        let answer = git.output(&["rev-parse", "--is-inside-work-tree"])?;
        if answer.status.success() && answer.stdout.trim_ascii() == b"true" {
            return Ok(git);
        }
        let said = first_line(&answer.stderr);
        Err(Refusal::new(format!(
            "`{}` is in no work tree of git{}; run this where the change was made, or name it with --root",
            root.display(),
            if said.is_empty() { said } else { format!(" ({said})") }
        )))
    }

    /// The full name of the commit that a revision names.
    pub(crate) fn commit(&self, revision: &str) -> Result<String, Refusal> {
        let wanted = format!("{revision}^{{commit}}");
        let words = ["rev-parse", "--verify", "--quiet", "--end-of-options", &wanted];
        let answer = self.output(&words)?;
        let name = String::from_utf8_lossy(answer.stdout.trim_ascii()).into_owned();
        let is_name = name.len() >= 40 && name.bytes().all(|byte| byte.is_ascii_hexdigit());
        if answer.status.success() && is_name {
            return Ok(name);
        }
        let shallow = self.output(&["rev-parse", "--is-shallow-repository"])?;
        let shallow = shallow.stdout.trim_ascii() == b"true";
        Err(Refusal::new(if shallow {
            format!(
                "`{revision}` is no commit of this clone, which is shallow; fetch the history it lacks with `git fetch --unshallow`"
            )
        } else {
            format!("`{revision}` is no commit of this repository; fetch it, or correct the name")
        }))
    }

    /// The path of the root below the top of the work tree, with a slash at its end; empty at the top.
    pub(crate) fn prefix(&self) -> Result<Vec<u8>, Refusal> {
        let mut prefix = self.run(&["rev-parse", "--show-prefix"])?;
        if prefix.last() == Some(&b'\n') {
            prefix.pop();
        }
        Ok(prefix)
    }

    /// The raw differences between a commit and the work tree, separated by NUL.
    pub(crate) fn changed(&self, base: &str) -> Result<Vec<u8>, Refusal> {
        let index = IndexCopy::of(&self.root, &self.run(&["rev-parse", "--git-path", "index"])?)?;
        let words = [
            "diff",
            "--raw",
            "--no-abbrev",
            "-z",
            "--find-renames=50%",
            RENAME_LIMIT,
            "--no-ext-diff",
            "--no-textconv",
            "--no-color",
            "--no-relative",
            "--ignore-submodules=dirty",
            base,
            "--",
        ];
        let mut command = self.command(&words);
        if let Some(IndexCopy(path)) = &index {
            command.env("GIT_INDEX_FILE", path);
        }
        finished(&words, command.output())
    }

    /// The files below the root that git neither tracks nor ignores, separated by NUL.
    pub(crate) fn untracked(&self) -> Result<Vec<u8>, Refusal> {
        self.run(&["ls-files", "--others", "--exclude-standard", "-z"])
    }

    /// Writes what stood at each path into numbered files of a directory, in order. Gives back the
    /// number of each path; a path has none where nothing stood.
    pub(crate) fn versions(
        &self,
        base: &str,
        all: &[&Stood],
        directory: &Path,
    ) -> Result<BTreeMap<String, usize>, Refusal> {
        let asked = all.iter().filter_map(|stood| stood.object(base));
        let words: String = asked.map(|object| object + "\n").collect();
        let mut child = self
            .command(&["cat-file", "--batch"])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .map_err(|error| not_run(&error))?;
        let (Some(mut stdin), Some(stdout)) = (child.stdin.take(), child.stdout.take()) else {
            return Err(Refusal::new("git gave no pipe to speak through; run this again"));
        };
        // Git answers while it is still being asked, and either pipe may be full.
        let ask = std::thread::spawn(move || stdin.write_all(words.as_bytes()));
        let mut answers = BufReader::new(stdout);
        let mut files = BTreeMap::new();
        let mut done = Ok(());
        for stood in all {
            let file = directory.join((files.len() + 1).to_string());
            let written = match stood.gitlink() {
                Some(text) => write_new(&file, &mut text.as_bytes()).map(|()| true),
                None if stood.object(base).is_some() => answer(&mut answers, &file),
                None => continue,
            };
            match written {
                Ok(true) => {
                    files.insert(stood.path.clone(), files.len() + 1);
                }
                // Of an unmerged path nobody has said yet whether it was there.
                Ok(false) if stood.is_unmerged() => {}
                Ok(false) => {
                    done = Err(Refusal::new(format!(
                        "this clone lacks the bytes of `{}` at the revision; fetch them with `git fetch --refetch`",
                        stood.path
                    )));
                    break;
                }
                Err(error) => {
                    done = Err(Refusal::new(format!(
                        "`{}` cannot be written: {error}; make room for it or name another output directory",
                        file.display()
                    )));
                    break;
                }
            }
        }
        if done.is_err() {
            // It may be writing what nobody will read.
            let _ = child.kill();
        }
        drop(answers);
        let asked = ask.join();
        let status = child.wait().map_err(|error| not_run(&error))?;
        done?;
        if !status.success() || !matches!(asked, Ok(Ok(()))) {
            return Err(Refusal::new(
                "`git cat-file` failed; look whether the repository is sound with `git fsck`",
            ));
        }
        Ok(files)
    }

    fn command(&self, words: &[&str]) -> Command {
        let mut command = Command::new("git");
        for (name, _) in std::env::vars_os() {
            if name.to_string_lossy().starts_with("GIT_") {
                command.env_remove(name);
            }
        }
        command
            .current_dir(&self.root)
            .env("LC_ALL", "C")
            .env("GIT_OPTIONAL_LOCKS", "0")
            .env("GIT_TERMINAL_PROMPT", "0")
            .env("GIT_NO_LAZY_FETCH", "1")
            .args(["--no-pager", "-c", "core.fsmonitor=false", "-c", "core.hooksPath=/dev/null"])
            .args(["-c", "diff.autoRefreshIndex=true"])
            .args(words)
            .stdin(Stdio::null());
        command
    }

    fn output(&self, words: &[&str]) -> Result<Output, Refusal> {
        self.command(words).output().map_err(|error| not_run(&error))
    }

    fn run(&self, words: &[&str]) -> Result<Vec<u8>, Refusal> {
        finished(words, self.command(words).output())
    }
}

/// What a command that was to succeed printed.
fn finished(words: &[&str], answer: io::Result<Output>) -> Result<Vec<u8>, Refusal> {
    let answer = answer.map_err(|error| not_run(&error))?;
    if answer.status.success() {
        return Ok(answer.stdout);
    }
    Err(Refusal::new(format!(
        "`git {}` failed: {}; mend what it names and run this again",
        words.first().copied().unwrap_or_default(),
        first_line(&answer.stderr)
    )))
}

/// A copy of the index. A comparison with the work tree refreshes the index that it reads, and takes its
/// lock for it, whatever is said about optional locks; another program may be about to commit.
struct IndexCopy(PathBuf);

impl IndexCopy {
    /// None where there is no index yet.
    fn of(root: &Path, said: &[u8]) -> Result<Option<Self>, Refusal> {
        static COPIES: AtomicUsize = AtomicUsize::new(0);
        let index = root.join(String::from_utf8_lossy(said).trim_end_matches('\n'));
        let number = COPIES.fetch_add(1, Ordering::Relaxed);
        let name = format!("headwater-change-{}-{number}.index", std::process::id());
        let copy = std::env::temp_dir().join(name);
        let copied = match File::open(&index) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            opened => opened.and_then(|mut from| {
                let written = from.metadata()?.modified()?;
                write_new(&copy, &mut from)?;
                // A file that is no older than the index may have changed since, and is compared.
                File::options().write(true).open(&copy)?.set_modified(written)
            }),
        };
        copied.map(|()| Some(Self(copy))).map_err(|error| {
            Refusal::new(format!(
                "the index `{}` cannot be copied to the directory of temporary files: {error}; make room there, or name another with TMPDIR",
                index.display()
            ))
        })
    }
}

impl Drop for IndexCopy {
    fn drop(&mut self) {
        // It is a temporary file; that one stays is no harm.
        let _ = std::fs::remove_file(&self.0);
    }
}

/// Reads one answer of `git cat-file --batch` into a new file; false where the object is missing.
fn answer(answers: &mut impl io::BufRead, file: &Path) -> io::Result<bool> {
    let mut head = String::new();
    answers.read_line(&mut head)?;
    let size = head.trim_end_matches('\n').rsplit_once(" blob ").map(|(_, size)| size.parse());
    let Some(Ok(size)) = size else {
        return if head.ends_with(" missing\n") {
            Ok(false)
        } else {
            Err(io::Error::other("git did not answer with a file"))
        };
    };
    let mut bytes = answers.take(size);
    write_new(file, &mut bytes)?;
    if bytes.limit() > 0 {
        return Err(io::Error::other("git ended in the middle of a file"));
    }
    let mut end = [0];
    bytes.into_inner().read_exact(&mut end)?;
    Ok(true)
}

/// Writes a file anew, whatever stood there; a link that stood there is not followed.
pub(crate) fn write_new(path: &Path, from: &mut impl io::Read) -> io::Result<()> {
    match std::fs::remove_file(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
        _ => {}
    }
    let mut file = OpenOptions::new().write(true).create_new(true).open(path)?;
    io::copy(from, &mut file).map(|_| ())
}

fn not_run(error: &io::Error) -> Refusal {
    Refusal::new(match error.kind() {
        io::ErrorKind::NotFound => {
            "there is no program `git` on the search path; install it".to_owned()
        }
        _ => format!("git cannot be run: {error}; mend that and run this again"),
    })
}

fn first_line(stderr: &[u8]) -> String {
    let text = String::from_utf8_lossy(stderr);
    text.lines().next().unwrap_or_default().trim().trim_start_matches("fatal: ").to_owned()
}
