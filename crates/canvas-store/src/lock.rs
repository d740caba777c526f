//! The two kinds of lock a writer takes.
//!
//! [`StoreLock`] is the advisory lock that keeps the store's own writers apart (canvas-store D-7).
//! The operating system releases it when the holder dies. The locked file also holds the holder's
//! *intent*: what it is about to do to which canvas, so that the next command can tell an
//! interrupted write from a hand edit (decision 19).
//!
//! [`OwnedLock`] is one of git's lock files (`index.lock`, `refs/…/main.lock`), taken so that one
//! left behind by a killed writer of ours can be told from anybody else's: it is a second name for
//! a private file below `.git/canvas`, and shares its inode.

use std::fs::{self, File, TryLockError};
use std::io::{self, Read};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use gix::ObjectId;

use crate::disk;

/// The store's own folder inside `.git`.
pub const PRIVATE: &str = "canvas";

/// How long a writer waits for the writers before it.
const STORE_WAIT: Duration = Duration::from_secs(60);
/// How long a writer waits for a git process that holds one of git's locks.
const GIT_WAIT: Duration = Duration::from_millis(1000);

/// What a writer is about to do to one canvas file, recorded before it touches anything.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Intent {
    /// The canvas's file name, such as `t1.xml`.
    pub file: String,
    /// The blob of the bytes at the path before, or none for a birth.
    pub old: Option<ObjectId>,
    /// The blob of the bytes that are to stand there after.
    pub new: ObjectId,
    /// The name, in the canvas directory, under which the new bytes are written first.
    pub temporary: String,
    /// The name under which the old bytes are written first when they are put back.
    pub back: String,
}

const INTENT_HEAD: &str = "canvas-intent 2";

impl Intent {
    fn to_bytes(&self) -> Vec<u8> {
        let old = self.old.map_or_else(|| String::from("-"), |id| id.to_string());
        let body = format!(
            "{INTENT_HEAD}\n{}\n{old}\n{}\n{}\n{}\n",
            self.file, self.new, self.temporary, self.back
        );
        let sum = crc32fast::hash(body.as_bytes());
        format!("{body}{sum:08x}\n").into_bytes()
    }

    /// The intent in `bytes`, or none when they hold no whole one.
    fn parse(bytes: &[u8]) -> Option<Intent> {
        let text = std::str::from_utf8(bytes).ok()?;
        let (body, sum) = text.strip_suffix('\n')?.rsplit_once('\n')?;
        if format!("{:08x}", crc32fast::hash(format!("{body}\n").as_bytes())) != sum {
            return None;
        }
        let mut lines = body.split('\n');
        if lines.next()? != INTENT_HEAD {
            return None;
        }
        let name = |name: &str| (!name.is_empty() && !name.contains('/')).then(|| name.to_owned());
        let file = name(lines.next()?)?;
        let old = match lines.next()? {
            "-" => None,
            hex => Some(ObjectId::from_hex(hex.as_bytes()).ok()?),
        };
        let new = ObjectId::from_hex(lines.next()?.as_bytes()).ok()?;
        let (temporary, back) = (name(lines.next()?)?, name(lines.next()?)?);
        Some(Intent { file, old, new, temporary, back })
    }
}

/// The path of the file that holds the lock and the intent.
pub fn store_lock_path(git_dir: &Path) -> PathBuf {
    git_dir.join(PRIVATE).join("lock")
}

/// What a reader, which takes no lock, finds in the lock file.
#[derive(Clone, Debug, Eq, PartialEq)]
pub enum Seen {
    /// No write is under way.
    Quiet,
    /// A writer is recording its intent and has not touched anything yet.
    Torn,
    /// A write is, or was, under way.
    Intent(Intent),
}

/// Looks at the intent without taking the lock.
pub fn look(git_dir: &Path) -> io::Result<Seen> {
    match fs::read(store_lock_path(git_dir)) {
        Ok(bytes) if bytes.is_empty() => Ok(Seen::Quiet),
        Ok(bytes) => Ok(Intent::parse(&bytes).map_or(Seen::Torn, Seen::Intent)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(Seen::Quiet),
        Err(error) => Err(error),
    }
}

/// The held advisory lock of one store.
pub struct StoreLock {
    file: File,
}

/// Why the store's lock was not had.
#[derive(Debug)]
pub enum LockError {
    /// Other writers held it for the whole bounded wait.
    Busy(Duration),
    /// The operating system refused.
    Io(PathBuf, io::Error),
}

impl StoreLock {
    /// Takes the lock, waiting a bounded time for the writers before this one. Also returns the
    /// intent of a writer that died, if there is one.
    pub fn take(git_dir: &Path) -> Result<(StoreLock, Option<Intent>), LockError> {
        let private = git_dir.join(PRIVATE);
        disk::create_dir_if_absent(&private).map_err(|error| LockError::Io(private, error))?;
        let path = store_lock_path(git_dir);
        let io = |error| LockError::Io(path.clone(), error);
        let mut file = disk::open_or_create(&path).map_err(io)?;
        wait(STORE_WAIT, || match file.try_lock() {
            Ok(()) => Some(Ok(())),
            Err(TryLockError::WouldBlock) => None,
            Err(TryLockError::Error(error)) => Some(Err(error)),
        })
        .ok_or(LockError::Busy(STORE_WAIT))?
        .map_err(io)?;
        let mut bytes = Vec::new();
        file.read_to_end(&mut bytes).map_err(io)?;
        let intent = Intent::parse(&bytes);
        let lock = StoreLock { file };
        if !bytes.is_empty() && intent.is_none() {
            // Its writer died while recording it, before it touched anything.
            lock.clear().map_err(io)?;
        }
        Ok((lock, intent))
    }

    /// Records what is about to happen, durably.
    pub fn record(&self, intent: &Intent) -> io::Result<()> {
        disk::overwrite_durable(&self.file, &intent.to_bytes())
    }

    /// Forgets the intent: what it announced is done, or undone.
    pub fn clear(&self) -> io::Result<()> {
        disk::truncate(&self.file)
    }
}

/// One of git's lock files, recognisable as ours.
pub struct OwnedLock {
    private: PathBuf,
    lock: PathBuf,
}

fn lock_path_of(target: &Path) -> PathBuf {
    let mut name = target.as_os_str().to_owned();
    name.push(".lock");
    PathBuf::from(name)
}

impl OwnedLock {
    /// Takes `<target>.lock` with `content` in it, durably unless it is empty, waiting a short bounded time when git
    /// holds it. `role` names the private file. The error carries the path concerned; `EEXIST` on
    /// the lock's path means that somebody else holds it.
    pub fn take(
        git_dir: &Path,
        role: &str,
        target: &Path,
        content: &[u8],
    ) -> Result<OwnedLock, (PathBuf, io::Error)> {
        let private = git_dir.join(PRIVATE).join(role);
        let at_private = |error| (private.clone(), error);
        // A private file left behind may be a second name for a file git now uses: never reuse it.
        disk::remove_if_there(&private).map_err(at_private)?;
        if content.is_empty() {
            // What it is to hold comes with `fill`, which forces it to the disk.
            disk::create_empty(&private).map_err(at_private)?;
        } else {
            disk::create_durable(&private, content, 0o666).map_err(at_private)?;
        }
        let owned = OwnedLock { private, lock: lock_path_of(target) };
        let linked = wait(GIT_WAIT, || match disk::link(&owned.private, &owned.lock) {
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => None,
            other => Some(other),
        });
        match linked {
            Some(Ok(())) => Ok(owned),
            Some(Err(error)) => Err((owned.lock.clone(), error)),
            None => Err((owned.lock.clone(), io::Error::from_raw_os_error(17))),
        }
    }

    /// Replaces what the lock holds, durably.
    pub fn fill(&self, content: &[u8]) -> io::Result<()> {
        let file = fs::OpenOptions::new().write(true).open(&self.private)?;
        disk::overwrite_durable(&file, content)
    }

    /// Renames the lock onto `target`; the caller forces the directory to the disk.
    pub fn commit(&self, target: &Path) -> io::Result<()> {
        disk::rename(&self.lock, target)
    }
}

impl Drop for OwnedLock {
    fn drop(&mut self) {
        // What cannot be removed here is recognised as ours and removed by the next writer.
        let _ = remove_ours(&self.private, &self.lock);
    }
}

/// Removes `lock` if it is a second name for `private`, then `private` itself.
fn remove_ours(private: &Path, lock: &Path) -> Result<(), (PathBuf, io::Error)> {
    let Ok(ours) = fs::symlink_metadata(private) else { return Ok(()) };
    let same = fs::symlink_metadata(lock)
        .is_ok_and(|theirs| (theirs.dev(), theirs.ino()) == (ours.dev(), ours.ino()));
    if same {
        disk::remove_if_there(lock).map_err(|error| (lock.to_path_buf(), error))?;
    }
    disk::remove_if_there(private).map_err(|error| (private.to_path_buf(), error))
}

/// Removes the lock files that a dead writer of ours left: those that share the inode of its
/// private file. Anybody else's stay. Call only while holding the [`StoreLock`].
pub fn sweep(git_dir: &Path, targets: &[(&str, &Path)]) -> Result<(), (PathBuf, io::Error)> {
    for (role, target) in targets {
        remove_ours(&git_dir.join(PRIVATE).join(role), &lock_path_of(target))?;
    }
    Ok(())
}

/// Calls `attempt` until it answers or `limit` has passed, pausing a little longer each time.
fn wait<T>(limit: Duration, mut attempt: impl FnMut() -> Option<T>) -> Option<T> {
    let start = Instant::now();
    let mut pause = Duration::from_micros(200);
    loop {
        if let Some(answer) = attempt() {
            return Some(answer);
        }
        if start.elapsed() >= limit {
            return None;
        }
        std::thread::sleep(pause);
        pause = (pause * 3 / 2).min(Duration::from_millis(10));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn intent() -> Intent {
        Intent {
            file: String::from("t1.xml"),
            old: None,
            new: ObjectId::empty_blob(gix::hash::Kind::Sha1),
            temporary: String::from("t1.xml.tmp-7"),
            back: String::from("t1.xml.back-7"),
        }
    }

    #[test]
    fn an_intent_reads_back_whole_or_not_at_all() {
        let bytes = intent().to_bytes();
        assert_eq!(Intent::parse(&bytes), Some(intent()));
        for cut in 0..bytes.len() {
            assert_eq!(Intent::parse(&bytes[..cut]), None, "cut at {cut}");
        }
        for at in 0..bytes.len() {
            let mut bent = bytes.clone();
            bent[at] ^= 1;
            assert_ne!(Intent::parse(&bent), Some(intent()), "bent at {at}");
        }
    }

    #[test]
    fn only_our_own_stale_lock_is_swept() {
        let dir = tempfile::tempdir().unwrap();
        let git_dir = dir.path();
        fs::create_dir(git_dir.join(PRIVATE)).unwrap();
        let target = git_dir.join("index");
        let lock = OwnedLock::take(git_dir, "index", &target, b"x").unwrap();
        std::mem::forget(lock);
        assert!(git_dir.join("index.lock").exists());
        sweep(git_dir, &[("index", &target)]).unwrap();
        assert!(!git_dir.join("index.lock").exists());

        fs::write(git_dir.join("index.lock"), "git's").unwrap();
        sweep(git_dir, &[("index", &target)]).unwrap();
        assert!(git_dir.join("index.lock").exists());
        let (path, error) = OwnedLock::take(git_dir, "index", &target, b"x").err().unwrap();
        assert_eq!(path, git_dir.join("index.lock"));
        assert_eq!(error.kind(), io::ErrorKind::AlreadyExists);
        assert_eq!(fs::read(git_dir.join("index.lock")).unwrap(), b"git's");
    }
}
