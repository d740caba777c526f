//! The few ways in which this crate touches the disk: reading a regular file within a limit, and
//! replacing one so that a reader sees the old bytes or the new ones.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Read as _, Write as _};
use std::path::{Path, PathBuf};

/// The largest taxonomy source, declaration or manifest that is read, in bytes.
pub const SOURCE_LIMIT: u64 = 16 * 1024 * 1024;
/// The largest lock that is read, in bytes.
pub const LOCK_LIMIT: u64 = 64 * 1024 * 1024;

/// Why a file could not be read.
#[derive(Debug)]
pub enum ReadError {
    /// Nothing is there.
    Absent,
    /// A directory, a pipe, a device or, where links are not followed, a link.
    NotRegular,
    /// More bytes than the limit, which is named.
    TooLarge(u64),
    /// The operating system refuses.
    Io(io::Error),
}

impl std::fmt::Display for ReadError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Absent => f.write_str("there is no such file"),
            Self::NotRegular => f.write_str("it is not a regular file"),
            Self::TooLarge(limit) => write!(f, "it is larger than the limit of {limit} bytes"),
            Self::Io(error) => write!(f, "it cannot be read: {error}"),
        }
    }
}

/// Whether a link at the path itself is followed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Links {
    /// A link to a regular file reads as that file.
    Follow,
    /// A link is no regular file.
    Refuse,
}

/// Reads a regular file of at most `limit` bytes. Nothing else is ever opened.
///
/// # Errors
/// Why not.
pub fn read_regular(path: &Path, limit: u64, links: Links) -> Result<Vec<u8>, ReadError> {
    let about = match links {
        Links::Follow => fs::metadata(path),
        Links::Refuse => fs::symlink_metadata(path),
    };
    let absent = |error: &io::Error| {
        matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory)
    };
    match about {
        Err(error) if absent(&error) => return Err(ReadError::Absent),
        Err(error) => return Err(ReadError::Io(error)),
        Ok(about) if !about.is_file() => return Err(ReadError::NotRegular),
        Ok(_) => {}
    }
    let mut bytes = Vec::new();
    let file = File::open(path).map_err(ReadError::Io)?;
    file.take(limit + 1).read_to_end(&mut bytes).map_err(ReadError::Io)?;
    if bytes.len() as u64 > limit {
        return Err(ReadError::TooLarge(limit));
    }
    Ok(bytes)
}

/// Replaces a file by writing a temporary one beside it and renaming it, with both synced.
///
/// # Errors
/// What the operating system refuses; the old file is then as it was.
pub fn replace(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let directory = path.parent().filter(|parent| !parent.as_os_str().is_empty());
    let directory = directory.unwrap_or(Path::new("."));
    let (mut file, temporary) = create_beside(directory, path)?;
    let written = (|| {
        file.write_all(bytes)?;
        file.sync_all()?;
        fs::rename(&temporary, path)?;
        sync_directory(directory)
    })();
    if written.is_err() {
        // After the rename there is nothing left to remove; before it, the file is ours alone.
        let _ = fs::remove_file(&temporary);
    }
    written
}

/// A new file beside `path`. A name that is taken is left to whoever took it.
fn create_beside(directory: &Path, path: &Path) -> io::Result<(File, PathBuf)> {
    let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let mut last = io::Error::from(io::ErrorKind::AlreadyExists);
    for number in 0..16_u8 {
        let temporary = directory.join(format!(".{name}.{}.{number}.tmp", std::process::id()));
        match OpenOptions::new().write(true).create_new(true).open(&temporary) {
            Ok(file) => return Ok((file, temporary)),
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => last = error,
            Err(error) => return Err(error),
        }
    }
    Err(last)
}

/// Makes a rename in a directory durable, where directories can be opened.
fn sync_directory(directory: &Path) -> io::Result<()> {
    if cfg!(unix) { File::open(directory)?.sync_all() } else { Ok(()) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn limits_hold_at_the_limit_and_one_past_it() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("f");
        fs::write(&path, "12345").unwrap();
        assert_eq!(read_regular(&path, 5, Links::Refuse).unwrap(), b"12345");
        assert!(matches!(read_regular(&path, 4, Links::Refuse), Err(ReadError::TooLarge(4))));
        let not_there = read_regular(&dir.path().join("g"), 4, Links::Follow);
        assert!(matches!(not_there, Err(ReadError::Absent)));
        assert!(matches!(read_regular(dir.path(), 4, Links::Follow), Err(ReadError::NotRegular)));
    }

    #[test]
    fn replacing_leaves_one_file_and_failing_leaves_the_old_one() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("f");
        replace(&path, b"one").unwrap();
        let taken = dir.path().join(format!(".f.{}.0.tmp", std::process::id()));
        fs::write(&taken, "theirs").unwrap();
        replace(&path, b"two").unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"two");
        assert_eq!(fs::read(&taken).unwrap(), b"theirs");
        assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 2);
        // A directory cannot be replaced by a file, so the rename fails.
        fs::create_dir_all(dir.path().join("d/x")).unwrap();
        assert!(replace(&dir.path().join("d"), b"three").is_err());
        assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 3);
    }
}
