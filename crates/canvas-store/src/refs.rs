//! The head of the repository: reading it, and moving it in one durable compare-and-swap.
//!
//! The files format of refs is read and written here rather than through a library because a commit
//! counts only once its ref is on the disk, and no library forces it there (dependencies §1). What
//! is written is git's own protocol: `<ref>.lock` taken exclusively, compared, renamed.

use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use gix::ObjectId;
use rustix::fs::{AtFlags, Mode, OFlags};

use crate::disk;
use crate::lock::OwnedLock;

/// Where the head points.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Head {
    /// The ref that holds the head: a full name such as `refs/heads/main`, or `HEAD` itself when it
    /// is detached.
    pub name: String,
    /// The commit, or none on a branch without commits.
    pub commit: Option<ObjectId>,
}

/// Why the head could not be read.
#[derive(Debug)]
pub enum RefError {
    /// The operating system refused.
    Io {
        /// The file that was being read.
        path: PathBuf,
        /// What it said.
        error: io::Error,
    },
    /// A file does not hold what git writes there.
    Malformed {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        what: String,
    },
}

/// The longest chain of symbolic refs followed, as in git.
const SYMREF_LIMIT: usize = 5;
/// `ELOOP`: what was to be opened is a symbolic link.
const LOOP: i32 = 40;
/// The largest ref file read; one holds a name or a hash.
const REF_FILE_LIMIT: usize = 8 * 1024;

/// Reads the head of the repository whose `.git` is `git_dir`. All of it is read from one open
/// directory, so that a repository moved away meanwhile is not mistaken for an empty one.
pub fn read_head(git_dir: &Path) -> Result<Head, RefError> {
    let io = |path: &Path, error| RefError::Io { path: path.to_path_buf(), error };
    let directory = File::open(git_dir).map_err(|error| io(git_dir, error))?;
    let head = follow(git_dir, &directory)?;
    if head.commit.is_none() {
        // No commits, or a repository that is being removed: then its HEAD is gone by now as well.
        rustix::fs::statat(&directory, "HEAD", AtFlags::SYMLINK_NOFOLLOW)
            .map_err(|error| io(&git_dir.join("HEAD"), error.into()))?;
    }
    Ok(head)
}

/// The bytes of the file `name` below an open directory.
fn read_in(directory: &File, name: &str) -> io::Result<Vec<u8>> {
    read_with(directory, name, OFlags::empty())
}

fn read_with(directory: &File, name: &str, further: OFlags) -> io::Result<Vec<u8>> {
    let flags = OFlags::RDONLY | OFlags::CLOEXEC | further;
    let mut file = File::from(rustix::fs::openat(directory, name, flags, Mode::empty())?);
    let mut bytes = Vec::new();
    file.read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// The ref that `name` leads to as a symbolic link, which is how a symbolic ref was once written, and
/// still is with `core.preferSymlinkRefs`.
fn linked(directory: &File, name: &str) -> Option<String> {
    let target = rustix::fs::readlinkat(directory, name, Vec::new()).ok()?;
    target.into_string().ok().filter(|target| is_ref_name(target))
}

fn follow(git_dir: &Path, directory: &File) -> Result<Head, RefError> {
    let mut name = String::from("HEAD");
    for _ in 0..=SYMREF_LIMIT {
        let path = git_dir.join(&name);
        let content = match read_with(directory, &name, OFlags::NOFOLLOW) {
            Ok(content) => content,
            Err(error) if error.raw_os_error() == Some(LOOP) => {
                if let Some(target) = linked(directory, &name) {
                    name = target;
                    continue;
                }
                read_in(directory, &name)
                    .map_err(|error| RefError::Io { path: path.clone(), error })?
            }
            // A branch may exist in packed-refs only, or not at all yet; HEAD itself must be there.
            Err(error) if error.kind() == io::ErrorKind::NotFound && name != "HEAD" => {
                return Ok(Head { commit: packed(git_dir, directory, &name)?, name });
            }
            Err(error) => return Err(RefError::Io { path, error }),
        };
        let malformed =
            |what: &str| RefError::Malformed { path: path.clone(), what: what.to_owned() };
        if content.len() > REF_FILE_LIMIT {
            return Err(malformed("it is too long for a ref"));
        }
        let content = String::from_utf8(content).map_err(|_| malformed("it is not text"))?;
        if let Some(target) = content.strip_prefix("ref:") {
            let target = target.trim();
            if !is_ref_name(target) {
                return Err(malformed("it names something that is no ref"));
            }
            name = target.to_owned();
            continue;
        }
        let commit = content
            .split_whitespace()
            .next()
            .and_then(|hex| ObjectId::from_hex(hex.as_bytes()).ok())
            .ok_or_else(|| malformed("it holds no object id"))?;
        return Ok(Head { name, commit: Some(commit) });
    }
    Err(RefError::Malformed {
        path: git_dir.join("HEAD"),
        what: String::from("it leads through too many symbolic refs"),
    })
}

/// Whether `name` is a ref below `refs/` that stays below it.
fn is_ref_name(name: &str) -> bool {
    name.starts_with("refs/")
        && name
            .split('/')
            .all(|part| !part.is_empty() && !part.starts_with('.') && !part.ends_with(".lock"))
        && !name.contains("..")
        && !name.contains(|c: char| c.is_control() || " ~^:?*[\\".contains(c))
}

/// The value of `name` in `packed-refs`, if it is there.
fn packed(git_dir: &Path, directory: &File, name: &str) -> Result<Option<ObjectId>, RefError> {
    let path = git_dir.join("packed-refs");
    let content = match read_in(directory, "packed-refs") {
        Ok(content) => content,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(RefError::Io { path, error }),
    };
    for line in content.split(|byte| *byte == b'\n') {
        let Some((hex, rest)) = line.split_at_checked(40) else { continue };
        if rest.strip_prefix(b" ") == Some(name.as_bytes()) {
            return match ObjectId::from_hex(hex) {
                Ok(id) => Ok(Some(id)),
                Err(_) => Err(RefError::Malformed {
                    path,
                    what: format!("its line for {name} holds no object id"),
                }),
            };
        }
    }
    Ok(None)
}

/// A held `<name>.lock` with the new value in it; dropping it without [`RefLock::publish`] leaves
/// the ref as it was.
pub struct RefLock {
    path: PathBuf,
    lock: OwnedLock,
}

/// Why a ref could not be moved.
#[derive(Debug)]
pub enum MoveError {
    /// The ref no longer holds what it was expected to hold.
    Moved,
    /// The ref could not be read back.
    Ref(RefError),
    /// The operating system refused; the path is the one it refused.
    Io {
        /// The file concerned.
        path: PathBuf,
        /// What it said.
        error: io::Error,
    },
}

impl RefLock {
    /// Takes the lock of `head`'s ref, checks under it that the ref still holds `head.commit`, and
    /// writes `new` into the lock, durably. Waits a bounded time for another writer's lock.
    pub fn prepare(git_dir: &Path, head: &Head, new: ObjectId) -> Result<RefLock, MoveError> {
        let path = git_dir.join(&head.name);
        if let Some(parent) = path.parent() {
            disk::create_dir_all(parent)
                .map_err(|error| MoveError::Io { path: parent.to_path_buf(), error })?;
        }
        let content = format!("{new}\n");
        let lock = OwnedLock::take(git_dir, "ref", &path, content.as_bytes())
            .map_err(|(path, error)| MoveError::Io { path, error })?;
        let now = match std::fs::read(&path) {
            Ok(content) => ObjectId::from_hex(content.trim_ascii_end()).ok(),
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                let directory = File::open(git_dir)
                    .map_err(|error| MoveError::Io { path: git_dir.to_path_buf(), error })?;
                packed(git_dir, &directory, &head.name).map_err(MoveError::Ref)?
            }
            Err(error) => return Err(MoveError::Io { path, error }),
        };
        if now != head.commit {
            return Err(MoveError::Moved);
        }
        Ok(RefLock { path, lock })
    }

    /// Renames the lock onto the ref: the one instant at which a commit becomes part of the store.
    /// Returns the ref's path, whose directory the caller then forces to the disk.
    pub fn publish(self) -> io::Result<PathBuf> {
        self.lock.commit(&self.path)?;
        Ok(self.path)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_link_to_a_ref_is_a_symbolic_ref_and_any_other_link_is_followed() {
        let git_dir = tempfile::tempdir().unwrap();
        let at = |name: &str| git_dir.path().join(name);
        let commit = ObjectId::empty_tree(gix::hash::Kind::Sha1);
        std::fs::create_dir_all(at("refs/heads")).unwrap();
        std::fs::write(at("elsewhere"), format!("{commit}\n")).unwrap();
        std::os::unix::fs::symlink("refs/heads/main", at("HEAD")).unwrap();
        let head = |commit| Head { name: String::from("refs/heads/main"), commit };
        assert_eq!(read_head(git_dir.path()).unwrap(), head(None));
        std::os::unix::fs::symlink("../../elsewhere", at("refs/heads/main")).unwrap();
        assert_eq!(read_head(git_dir.path()).unwrap(), head(Some(commit)));
    }

    #[test]
    fn ref_names_stay_below_refs() {
        for good in ["refs/heads/main", "refs/heads/a/b", "refs/heads/x-y_z"] {
            assert!(is_ref_name(good), "{good}");
        }
        for bad in [
            "main",
            "refs/../x",
            "refs//x",
            "refs/heads/.x",
            "refs/a b",
            "/etc/passwd",
            "refs/x.lock",
        ] {
            assert!(!is_ref_name(bad), "{bad}");
        }
    }
}
