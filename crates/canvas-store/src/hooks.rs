//! The commit hooks of the repository, run as git runs them around a commit that names its path.
//!
//! A hook can refuse a commit. It cannot change what is committed, and it cannot take the trailers
//! out of the message: either would make the commit say something the store did not do.

use std::fs::{self, File};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use crate::lock::PRIVATE;
use crate::os::without_git_variables;
use crate::repository::GitError;

/// How much of a refusing hook's output is quoted.
const OUTPUT_LIMIT: u64 = 16 * 1024;
/// `ENOEXEC`: the file is a script without a first line that names its interpreter.
const NOEXEC: i32 = 8;

/// The hooks of one repository.
pub struct Hooks<'a> {
    /// The directory that holds them.
    pub directory: &'a Path,
    /// The work tree, where they run; absolute.
    pub work_tree: &'a Path,
    /// `.git`.
    pub git_dir: &'a Path,
}

impl Hooks<'_> {
    /// The hook `name`, when it is there and executable.
    fn find(&self, name: &str) -> Option<PathBuf> {
        let path = self.directory.join(name);
        let meta = fs::metadata(&path).ok()?;
        (meta.is_file() && meta.permissions().mode() & 0o111 != 0).then_some(path)
    }

    /// Whether any of `names` would run.
    pub fn any(&self, names: &[&str]) -> bool {
        names.iter().any(|name| self.find(name).is_some())
    }

    /// Runs hook `name` if it is there. `index` is the index it sees, `input` its standard input.
    /// Fails, with what the hook printed, when it could not be run or did not end with 0.
    pub fn run(
        &self,
        name: &str,
        args: &[&str],
        index: &Path,
        input: &str,
    ) -> Result<(), GitError> {
        let Some(path) = self.find(name) else { return Ok(()) };
        self.spawn(&path, args, index, input).map_err(|failure| {
            GitError::words(format!("the {name} hook {} {failure}", path.display()))
        })
    }

    fn spawn(&self, path: &Path, args: &[&str], index: &Path, input: &str) -> Result<(), String> {
        let not_run = |error: io::Error| format!("could not be run: {error}");
        // Files, not pipes: a background process of the hook may keep them open for ever.
        let (mut output, output_path) = self.scratch("hook-output").map_err(not_run)?;
        let (mut stdin, stdin_path) = self.scratch("hook-input").map_err(not_run)?;
        let prepared = stdin
            .write_all(input.as_bytes())
            .and_then(|()| stdin.seek(SeekFrom::Start(0)))
            .map_err(not_run);
        let _ = fs::remove_file(output_path);
        let _ = fs::remove_file(stdin_path);
        prepared?;
        let start =
            |program: &Path, first: Option<&Path>| -> io::Result<std::process::ExitStatus> {
                let mut command = Command::new(program);
                command.args(first).args(args).current_dir(self.work_tree);
                without_git_variables(&mut command)
                    .env("GIT_DIR", self.git_dir)
                    .env("GIT_WORK_TREE", self.work_tree)
                    .env("GIT_INDEX_FILE", index)
                    .env("GIT_EDITOR", ":")
                    .stdin(Stdio::from(stdin.try_clone()?))
                    .stdout(Stdio::from(output.try_clone()?))
                    .stderr(Stdio::from(output.try_clone()?))
                    .status()
            };
        let status = match start(path, None) {
            Err(error) if error.raw_os_error() == Some(NOEXEC) => {
                start(Path::new("sh"), Some(path))
            }
            other => other,
        }
        .map_err(not_run)?;
        if status.success() {
            return Ok(());
        }
        let mut said = Vec::new();
        let _ = output.seek(SeekFrom::Start(0));
        let _ = output.take(OUTPUT_LIMIT).read_to_end(&mut said);
        let said = String::from_utf8_lossy(&said);
        Err(match status.code() {
            Some(code) => format!("exited {code}: {}", said.trim()),
            None => format!("was killed: {}", said.trim()),
        })
    }

    fn scratch(&self, name: &str) -> io::Result<(File, PathBuf)> {
        let path = self.git_dir.join(PRIVATE).join(name);
        let file = fs::OpenOptions::new()
            .read(true)
            .write(true)
            .create(true)
            .truncate(true)
            .open(&path)?;
        Ok((file, path))
    }
}
