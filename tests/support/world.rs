//! The world of one case: a fresh workspace, the programs, and whoever runs them.
//!
//! Permission cases mean nothing to root, so a test process that is root runs every child as an
//! ordinary user in directories that belong to that user. Nothing here judges an answer.

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::io::Read;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::os::unix::fs::{MetadataExt, PermissionsExt, lchown};
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// The user and group that children run as when the tests run as root.
const NOBODY: u32 = 65_534;

/// How long one child may take; a child that hangs is a failure, not a wait.
const PATIENCE: Duration = Duration::from_secs(120);

/// What one child did.
#[derive(Clone, Debug)]
pub struct Run {
    /// The command, for a reader.
    pub command: String,
    /// Its exit status; none when a signal ended it.
    pub code: Option<i32>,
    /// Its standard output.
    pub stdout: Vec<u8>,
    /// Its standard error.
    pub stderr: Vec<u8>,
}

impl Run {
    /// Standard output as text.
    pub fn out(&self) -> String {
        String::from_utf8_lossy(&self.stdout).into_owned()
    }

    /// Standard error as text.
    pub fn err(&self) -> String {
        String::from_utf8_lossy(&self.stderr).into_owned()
    }

    /// Everything, for a failure message.
    pub fn report(&self) -> String {
        let code = self.code.map_or("ended by a signal".to_owned(), |c| format!("exit {c}"));
        let (out, err) = (shorten(&self.out()), shorten(&self.err()));
        format!("$ {}\n{code}\n--- stdout\n{out}\n--- stderr\n{err}\n---", shorten(&self.command))
    }

    /// The value of the first `label: value` line of standard output.
    pub fn label(&self, label: &str) -> Option<String> {
        let start = format!("{label}: ");
        self.out().split('\n').find_map(|l| l.strip_prefix(&start).map(str::to_owned))
    }
}

fn shorten(text: &str) -> String {
    const LIMIT: usize = 4_000;
    match text.char_indices().nth(LIMIT) {
        Some((cut, _)) => format!("{}… ({} bytes)", &text[..cut], text.len()),
        None => text.to_owned(),
    }
}

/// Whether the children run as another user than the tests.
pub fn is_root() -> bool {
    std::fs::metadata("/proc/self").is_ok_and(|m| m.uid() == 0)
}

/// The world of one case.
pub struct World {
    root: tempfile::TempDir,
    /// The environment of every child.
    pub environment: BTreeMap<OsString, OsString>,
    /// Where children start; `bin/canvas` is found from the root of the world only.
    pub cwd: PathBuf,
    /// Modes that were changed, in order: path, mode before, mode now.
    modes: Vec<(PathBuf, u32, u32)>,
}

impl World {
    /// A fresh world: `bin/` with the programs, an empty home and an empty workspace.
    pub fn new() -> World {
        let root = tempfile::Builder::new().prefix("canvas-case-").tempdir().unwrap();
        std::fs::set_permissions(root.path(), PermissionsExt::from_mode(0o755)).unwrap();
        let path = root.path().canonicalize().unwrap();
        let mut world =
            World { root, environment: BTreeMap::new(), cwd: path.clone(), modes: Vec::new() };
        for directory in ["bin", "home", "files", "outer", "outer/inner", "outer/inner/w"] {
            std::fs::create_dir(path.join(directory)).unwrap();
            world.give(&path.join(directory));
        }
        world.give(&path);
        for (name, built) in [
            ("canvas", env!("CARGO_BIN_EXE_canvas")),
            ("canvas-validate", env!("CARGO_BIN_EXE_canvas-validate")),
        ] {
            install(Path::new(built), &path.join("bin").join(name));
        }
        for (name, value) in [
            ("PATH", OsString::from("/usr/local/bin:/usr/bin:/bin")),
            ("HOME", path.join("home").into()),
            ("USER", OsString::from("tester")),
            ("LANG", OsString::from("C.UTF-8")),
            ("OPENCLAW_WORKSPACE", world.workspace().into()),
        ] {
            world.environment.insert(name.into(), value);
        }
        world
    }

    /// The root of the world.
    pub fn root(&self) -> PathBuf {
        self.root.path().canonicalize().unwrap()
    }

    /// `WS`.
    pub fn workspace(&self) -> PathBuf {
        self.root().join("outer/inner/w")
    }

    /// `DIR`.
    pub fn directory(&self) -> PathBuf {
        self.workspace().join("state/canvas")
    }

    /// `FILE` of a canvas.
    pub fn canvas_file(&self, canvas: &str) -> PathBuf {
        self.directory().join(format!("{canvas}.xml"))
    }

    /// Makes a path the property of whoever runs the children.
    pub fn give(&self, path: &Path) {
        if is_root() {
            lchown(path, Some(NOBODY), Some(NOBODY)).unwrap();
        }
    }

    /// Writes a file as whoever runs the children.
    pub fn write(&self, path: &Path, bytes: &[u8]) -> Result<(), String> {
        std::fs::write(path, bytes).map_err(|e| format!("write {}: {e}", path.display()))?;
        self.give(path);
        Ok(())
    }

    /// Changes a mode; it is put back when the world ends.
    pub fn mode(&mut self, path: &Path, mode: u32) -> Result<(), String> {
        let metadata =
            std::fs::symlink_metadata(path).map_err(|e| format!("{}: {e}", path.display()))?;
        set_mode(path, mode)?;
        self.modes.push((path.to_owned(), metadata.mode() & 0o7777, mode));
        Ok(())
    }

    /// Puts every mode back and forgets the changes.
    pub fn restore_modes(&mut self) {
        for (path, before, _) in std::mem::take(&mut self.modes).into_iter().rev() {
            let _ = set_mode(&path, before);
        }
    }

    /// Does something with every mode as it was, then changes the modes again.
    pub fn lifted<T>(&self, act: impl FnOnce() -> T) -> T {
        // A repair may have changed a mode since; what stands now is what must stand afterwards.
        let mut now = Vec::new();
        for (path, before, _) in self.modes.iter().rev() {
            now.push(std::fs::symlink_metadata(path).ok().map(|m| m.mode() & 0o7777));
            let _ = set_mode(path, *before);
        }
        let result = act();
        for ((path, _, _), mode) in self.modes.iter().zip(now.into_iter().rev()) {
            if let Some(mode) = mode {
                let _ = set_mode(path, mode);
            }
        }
        result
    }

    /// A command that will run in this world, as whoever runs its children.
    pub fn command(&self, program: &OsStr) -> Command {
        let mut command = Command::new(program);
        command.env_clear().envs(&self.environment).current_dir(&self.cwd);
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        if is_root() {
            command.uid(NOBODY).gid(NOBODY);
        }
        command
    }

    /// One of our programs, called `bin/NAME`.
    pub fn program(&self, name: &str) -> Command {
        let mut command = self.command(self.root().join("bin").join(name).as_os_str());
        command.arg0(format!("bin/{name}"));
        command
    }

    /// Runs `bin/canvas`.
    pub fn canvas<S: AsRef<OsStr>>(&self, arguments: &[S]) -> Run {
        let mut command = self.program("canvas");
        command.args(arguments);
        finish(command, display("bin/canvas", arguments))
    }

    /// Runs `bin/canvas-validate`.
    pub fn validate<S: AsRef<OsStr>>(&self, arguments: &[S]) -> Run {
        let mut command = self.program("canvas-validate");
        command.args(arguments);
        finish(command, display("bin/canvas-validate", arguments))
    }

    /// Runs a shell script in the world; `bin/canvas` means what it means to a caller.
    pub fn shell(&self, script: &str) -> Run {
        let mut command = self.command(OsStr::new("/bin/sh"));
        command.arg("-c").arg(script).current_dir(self.root());
        finish(command, format!("sh -c {script}"))
    }

    /// Runs git on `DIR` with no configuration but its own.
    pub fn git<S: AsRef<OsStr>>(&self, arguments: &[S]) -> Run {
        let mut command = self.git_command();
        command.args(arguments);
        finish(command, display("git", arguments))
    }

    /// Git on `DIR`, before its arguments.
    pub fn git_command(&self) -> Command {
        let mut command = self.command(OsStr::new("git"));
        let directory = self.directory();
        command
            .env_clear()
            .env("PATH", "/usr/local/bin:/usr/bin:/bin")
            .env("HOME", "/nonexistent")
            .env("LC_ALL", "C")
            .env("GIT_CONFIG_NOSYSTEM", "1")
            .env("GIT_CONFIG_GLOBAL", "/dev/null")
            .env("GIT_OPTIONAL_LOCKS", "0")
            .env("GIT_AUTHOR_NAME", "someone")
            .env("GIT_AUTHOR_EMAIL", "someone@localhost")
            .env("GIT_COMMITTER_NAME", "someone")
            .env("GIT_COMMITTER_EMAIL", "someone@localhost")
            .arg("-c")
            .arg("core.fsmonitor=false")
            .arg(option("--git-dir=", &directory.join(".git")))
            .arg(option("--work-tree=", &directory))
            .current_dir(if directory.is_dir() { directory } else { self.root() });
        command
    }

    /// What git prints, trimmed; an error when it refuses.
    pub fn git_text(&self, arguments: &[&str]) -> Result<String, String> {
        let run = self.git(arguments);
        if run.code == Some(0) { Ok(run.out().trim_end().to_owned()) } else { Err(run.report()) }
    }

    /// The head of the store, or nothing when there is none.
    pub fn head(&self) -> String {
        if !self.directory().join(".git").is_dir() {
            return String::new();
        }
        self.git_text(&["rev-parse", "--verify", "-q", "HEAD"]).unwrap_or_default()
    }

    /// Copies the workspace aside, modes lifted, and returns a closure's worth of undo.
    pub fn keep_workspace(&self) -> Result<PathBuf, String> {
        // Keeping may nest: a case keeps the workspace, and so does the test of a repair inside it.
        let aside = (0..)
            .map(|n| self.root().join(format!("aside-{n}")))
            .find(|path| !path.exists())
            .ok_or("no name is free")?;
        let script = format!("cp -a {} {}", quote(&self.workspace()), quote(&aside));
        let run = self.lifted(|| self.shell(&script));
        if run.code == Some(0) { Ok(aside) } else { Err(run.report()) }
    }

    /// Puts back what `keep_workspace` kept.
    pub fn put_back_workspace(&self, aside: &Path) -> Result<(), String> {
        let wanted: Vec<(PathBuf, u32)> =
            self.modes.iter().map(|(path, _, now)| (path.clone(), *now)).collect();
        for (path, before, _) in self.modes.iter().rev() {
            let _ = set_mode(path, *before);
        }
        let workspace = quote(&self.workspace());
        let run = self.shell(&format!(
            "chmod -R u+rwX {workspace}; rm -rf {workspace} && mv {} {workspace}",
            quote(aside)
        ));
        for (path, now) in wanted {
            let _ = set_mode(&path, now);
        }
        if run.code == Some(0) { Ok(()) } else { Err(run.report()) }
    }
}

impl Drop for World {
    fn drop(&mut self) {
        self.restore_modes();
    }
}

fn set_mode(path: &Path, mode: u32) -> Result<(), String> {
    std::fs::set_permissions(path, PermissionsExt::from_mode(mode))
        .map_err(|e| format!("mode {mode:o} {}: {e}", path.display()))
}

/// Puts a program into a world, where an ordinary user can reach it.
fn install(built: &Path, place: &Path) {
    if is_root() {
        // The build directory may be out of the ordinary user's reach; the inode is not.
        if std::fs::hard_link(built, place).is_err() {
            std::fs::copy(built, place).unwrap();
        }
    } else {
        std::os::unix::fs::symlink(built, place).unwrap();
    }
}

fn option(name: &str, path: &Path) -> OsString {
    let mut bytes = name.as_bytes().to_vec();
    bytes.extend_from_slice(path.as_os_str().as_bytes());
    OsString::from_vec(bytes)
}

/// A path as a shell must be told it.
pub fn quote(path: &Path) -> String {
    format!("'{}'", path.display().to_string().replace('\'', r"'\''"))
}

/// A command line for a reader.
pub fn display<S: AsRef<OsStr>>(program: &str, arguments: &[S]) -> String {
    let mut line = program.to_owned();
    for argument in arguments {
        let text = argument.as_ref().to_string_lossy();
        let plain = !text.is_empty() && !text.contains(|c: char| " '\"\n\t".contains(c));
        line.push(' ');
        line.push_str(&if plain { text.into_owned() } else { format!("{text:?}") });
    }
    line
}

/// Starts a command and waits for it, at most [`PATIENCE`].
pub fn finish(mut command: Command, line: String) -> Run {
    match command.spawn() {
        Ok(child) => await_child(child, line),
        Err(error) => Run {
            command: line,
            code: None,
            stdout: Vec::new(),
            stderr: format!("cannot start: {error}").into_bytes(),
        },
    }
}

/// Waits for a child that has been started.
pub fn await_child(mut child: Child, line: String) -> Run {
    fn drain(stream: Option<impl Read + Send + 'static>) -> std::thread::JoinHandle<Vec<u8>> {
        std::thread::spawn(move || {
            let mut bytes = Vec::new();
            if let Some(mut stream) = stream {
                let _ = stream.read_to_end(&mut bytes);
            }
            bytes
        })
    }
    let out = drain(child.stdout.take());
    let err = drain(child.stderr.take());
    let start = Instant::now();
    let mut pause = Duration::from_micros(300);
    let status = loop {
        match child.try_wait() {
            Ok(Some(status)) => break Some(status),
            Ok(None) if start.elapsed() < PATIENCE => {
                std::thread::sleep(pause);
                pause = (pause * 5 / 4).min(Duration::from_millis(10));
            }
            _ => {
                let _ = child.kill();
                let _ = child.wait();
                break None;
            }
        }
    };
    let stdout = out.join().unwrap_or_default();
    let mut stderr = err.join().unwrap_or_default();
    match status {
        None => stderr.extend_from_slice(b"\n(the child hung and was ended)"),
        Some(status) => {
            if let Some(signal) = status.signal() {
                stderr.extend_from_slice(format!("\n(ended by signal {signal})").as_bytes());
            }
        }
    }
    Run { command: line, code: status.and_then(|s| s.code()), stdout, stderr }
}

/// What a workspace and its store look like: `SAME` and `[U]` compare two of these.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Snapshot {
    /// Everything below the directory that holds the workspace, `.git` apart.
    pub files: BTreeMap<PathBuf, Entry>,
    /// `git log --format=%H`.
    pub log: String,
    /// `git status --porcelain`.
    pub status: String,
}

/// One thing in a directory.
#[derive(Clone, Debug, Eq, PartialEq)]
pub enum Entry {
    /// A directory.
    Directory,
    /// A file and its bytes.
    File(Vec<u8>),
    /// A symbolic link and where it points.
    Link(PathBuf),
    /// Anything else.
    Other,
}

impl Snapshot {
    /// Looks at the world with every changed mode lifted.
    pub fn take(world: &World) -> Snapshot {
        world.lifted(|| {
            let mut files = BTreeMap::new();
            list(&world.root().join("outer"), &mut files);
            let (mut log, mut status) = (String::new(), String::new());
            if world.directory().join(".git").is_dir() {
                let run = world.git(&["log", "--format=%H"]);
                log = format!("{:?} {}", run.code, run.out());
                let run = world.git(&["status", "--porcelain"]);
                status = run.out();
            }
            Snapshot { files, log, status }
        })
    }

    /// What differs, for a reader; nothing when the two agree.
    pub fn difference(&self, after: &Snapshot) -> Option<String> {
        let mut lines = Vec::new();
        for path in self.files.keys().chain(after.files.keys()) {
            let (old, new) = (self.files.get(path), after.files.get(path));
            if old != new {
                let word = match (old, new) {
                    (None, _) => "appeared",
                    (_, None) => "is gone",
                    _ => "changed",
                };
                lines.push(format!("{} {word}", path.display()));
            }
        }
        if self.log != after.log {
            lines.push(format!("git log was\n{}and is\n{}", self.log, after.log));
        }
        if self.status != after.status {
            lines.push(format!("git status was\n{}and is\n{}", self.status, after.status));
        }
        lines.dedup();
        if lines.is_empty() { None } else { Some(lines.join("\n")) }
    }
}

fn list(path: &Path, files: &mut BTreeMap<PathBuf, Entry>) {
    let Ok(entries) = std::fs::read_dir(path) else { return };
    for entry in entries.flatten() {
        if entry.file_name() == ".git" {
            continue;
        }
        let path = entry.path();
        let kind = match entry.file_type() {
            Ok(kind) if kind.is_dir() => {
                list(&path, files);
                Entry::Directory
            }
            Ok(kind) if kind.is_symlink() => {
                Entry::Link(std::fs::read_link(&path).unwrap_or_default())
            }
            Ok(kind) if kind.is_file() => Entry::File(std::fs::read(&path).unwrap_or_default()),
            _ => Entry::Other,
        };
        files.insert(path, kind);
    }
}
