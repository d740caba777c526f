//! Operating-system errors as refusals: what was tried, on which path, and what helps
//! (canvas-store §4.3).

use std::io;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::refusal::{CANVAS, Exit, Next, Refusal, Subject, command_word};

/// What was being done to a path when the operating system refused.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Act {
    /// Looking whether something is there, or traversing to it.
    Look,
    /// Reading what is there.
    Read,
    /// Creating, writing, renaming or removing; advice is then about the directory.
    Write,
}

/// Takes every `GIT_*` variable from what `command` inherits: none of them may steer what the store
/// starts (canvas-store D-5).
pub fn without_git_variables(command: &mut Command) -> &mut Command {
    for (name, _) in std::env::vars_os().filter(|(name, _)| name.as_bytes().starts_with(b"GIT_")) {
        command.env_remove(name);
    }
    command
}

/// The errno of an I/O error, when it has one.
pub fn errno(error: &io::Error) -> Option<i32> {
    error.raw_os_error()
}

/// The symbolic name of an errno, for the ones the advice table knows and some more.
pub fn errno_name(errno: i32) -> Option<&'static str> {
    Some(match errno {
        1 => "EPERM",
        2 => "ENOENT",
        4 => "EINTR",
        5 => "EIO",
        6 => "ENXIO",
        7 => "E2BIG",
        9 => "EBADF",
        11 => "EAGAIN",
        12 => "ENOMEM",
        13 => "EACCES",
        16 => "EBUSY",
        17 => "EEXIST",
        18 => "EXDEV",
        20 => "ENOTDIR",
        21 => "EISDIR",
        22 => "EINVAL",
        23 => "ENFILE",
        24 => "EMFILE",
        26 => "ETXTBSY",
        27 => "EFBIG",
        28 => "ENOSPC",
        29 => "ESPIPE",
        30 => "EROFS",
        31 => "EMLINK",
        32 => "EPIPE",
        36 => "ENAMETOOLONG",
        37 => "ENOLCK",
        39 => "ENOTEMPTY",
        40 => "ELOOP",
        75 => "EOVERFLOW",
        95 => "EOPNOTSUPP",
        110 => "ETIMEDOUT",
        116 => "ESTALE",
        122 => "EDQUOT",
        _ => return None,
    })
}

/// The value of the `errno` label: number and name, or `none`.
pub fn errno_value(error: &io::Error) -> String {
    match errno(error) {
        Some(number) => match errno_name(number) {
            Some(name) => format!("{number} {name}"),
            None => number.to_string(),
        },
        None => String::from("none"),
    }
}

/// The error in the words of the message: `[Errno 13] Permission denied`.
pub fn words(error: &io::Error) -> String {
    match errno(error) {
        Some(number) => {
            let text = error.to_string();
            let text = text.strip_suffix(&format!(" (os error {number})")).unwrap_or(&text);
            format!("[Errno {number}] {text}")
        }
        None => format!("[Errno none] {error}"),
    }
}

/// The shallowest directory above `path` that this process cannot both read and traverse.
pub fn blocked_ancestor(path: &Path) -> Option<PathBuf> {
    let absolute = std::path::absolute(path).ok()?;
    let mut above: Vec<&Path> = absolute.ancestors().skip(1).collect();
    above.reverse();
    let needed = rustix::fs::Access::READ_OK | rustix::fs::Access::EXEC_OK;
    above
        .into_iter()
        .find(|directory| {
            rustix::fs::accessat(rustix::fs::CWD, *directory, needed, rustix::fs::AtFlags::EACCESS)
                .is_err_and(|errno| errno == rustix::io::Errno::ACCESS)
        })
        .map(Path::to_path_buf)
}

/// Whether this process may put files into `directory`.
fn is_writable(directory: &Path) -> bool {
    let needed = rustix::fs::Access::WRITE_OK | rustix::fs::Access::EXEC_OK;
    let flags = rustix::fs::AtFlags::EACCESS;
    rustix::fs::accessat(rustix::fs::CWD, directory, needed, flags).is_ok()
}

/// The next action for `error`, met while doing `act` to `path` (the table of canvas-store §4.3).
pub fn next(error: &io::Error, act: Act, path: &Path) -> Next {
    Next::new(advice(error, act, path))
}

fn advice(error: &io::Error, act: Act, path: &Path) -> String {
    let directory = path.parent().filter(|p| !p.as_os_str().is_empty()).unwrap_or(Path::new("."));
    match errno(error) {
        Some(13) => {
            if let Some(blocked) = blocked_ancestor(path) {
                return match command_word(&blocked.display().to_string()) {
                    Some(blocked) => format!(
                        "the directory {blocked} is what refuses: look at it with `ls -ld {blocked}`, \
                         then run `chmod u+rx {blocked}` and re-run the command"
                    ),
                    None => String::from(
                        "a directory on the way refuses: make it readable and traversable for this \
                         user and re-run the command",
                    ),
                };
            }
            let (target, mode) = match act {
                // A file that is written in place, as the store's lock is.
                Act::Write if path.is_file() && is_writable(directory) => (path, "u+w"),
                Act::Write => (directory, "u+w"),
                Act::Look | Act::Read if path.is_dir() => (path, "u+rx"),
                Act::Look | Act::Read => (path, "u+r"),
            };
            match command_word(&target.display().to_string()) {
                Some(target) => format!(
                    "look at `ls -ld {target}`, then run `chmod {mode} {target}` and re-run the command"
                ),
                None => String::from(
                    "give this user the right that the path named above lacks and re-run the command",
                ),
            }
        }
        Some(1) => format!(
            "look at the owner and mode {}; re-run as the user that owns it, or have its owner change it",
            with("ls -ld", path)
        ),
        Some(2) => format!(
            "the path named above was there and is gone: look {}; if it is really gone, \
             `{CANVAS} create <canvas-id> --problem TEXT --expected-value TEXT` makes a canvas anew",
            with("ls -ld", directory)
        ),
        Some(20) => format!(
            "something on the way to the path named above is not a directory: find it {} and move it \
             aside",
            with("ls -l", directory)
        ),
        Some(17 | 21) => {
            format!("look at what is there {} and move it aside, then re-run", with("ls -ld", path))
        }
        Some(40) => format!(
            "a link on the way leads back to itself: look {}, correct the link and re-run",
            with("ls -ld", path)
        ),
        Some(36) => String::from(
            "use a shorter Canvas identifier, or a workspace whose path is shorter, and re-run",
        ),
        Some(28 | 122 | 30) => format!(
            "look at the free space and how it is mounted {}; free some space, raise the quota, remount \
             it writable, or point OPENCLAW_WORKSPACE elsewhere",
            with("df -h", directory)
        ),
        Some(23 | 24) => String::from(
            "too many files are open: raise the limit (`ulimit -n` shows it) or wait for other \
             programs to end, then re-run",
        ),
        Some(32) => String::from(
            "re-run with a reader that stays until the end, or send the output to a file",
        ),
        _ => format!(
            "look at the path named above {}, resolve the condition that the message names and re-run",
            with("ls -ld", path)
        ),
    }
}

/// `with` a diagnostic command on `path`, or with a tool of one's own where a shell could not be
/// told the path on one line.
pub fn with(command: &str, path: &Path) -> String {
    match command_word(&path.display().to_string()) {
        Some(path) => format!("with `{command} {path}`"),
        None => String::from("with a tool that can be told its odd name"),
    }
}

/// The labels every operating-system refusal carries: each path once, and the errno.
pub fn subjects(error: &io::Error, paths: &[&Path]) -> Vec<Subject> {
    let mut subjects: Vec<Subject> =
        paths.iter().map(|path| Subject::about("path", path.display().to_string())).collect();
    subjects.push(Subject::about("errno", errno_value(error)));
    subjects
}

/// A refusal for `error`, met while doing `act` to `path`: `lead` says in words what could not be
/// done, `subject` is what the request was about. Exit 2.
pub fn refusal(
    lead: impl Into<String>,
    error: &io::Error,
    act: Act,
    path: &Path,
    subject: Subject,
) -> Refusal {
    let lead = lead.into();
    Refusal::new(
        Exit::Tool,
        format!("{lead}: {}: {}", words(error), path.display()),
        subject,
        next(error, act, path),
    )
    .and_all(subjects(error, &[path]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_errno_known_unknown_or_absent_has_a_next_action_and_a_label() {
        let path = Path::new("/nowhere/at/all.xml");
        let mut errors: Vec<io::Error> = (1..140).map(io::Error::from_raw_os_error).collect();
        errors.push(io::Error::other("words only"));
        for error in &errors {
            for act in [Act::Look, Act::Read, Act::Write] {
                let refusal =
                    refusal("cannot tell", error, act, path, Subject::about("canvas", "x"));
                let text = String::from_utf8(
                    refusal.render(&crate::refusal::Program::canvas("bin/canvas")),
                )
                .unwrap();
                assert!(text.contains("\nCanvas-About: errno "), "{text}");
                assert_eq!(text.matches("\nCanvas-Next: ").count(), 1);
                assert_eq!(text.contains("chmod"), errno(error) == Some(13), "{text}");
            }
        }
    }

    #[test]
    fn only_an_unreachable_directory_is_a_blocked_ancestor() {
        assert_eq!(blocked_ancestor(&std::env::temp_dir().join("x")), None);
    }
}
