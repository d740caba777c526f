//! The cache of verdicts: one packed file, sorted keys and then values, read whole and replaced whole.
//!
//! A key is a digest over every input of what it stands for, so there is nothing to invalidate; what a
//! run did not use is gone after it. A file that is not exactly what was written, to the last bit, is
//! an empty cache.

use std::fs::{self, OpenOptions};
use std::io::Write as _;
use std::path::{Path, PathBuf};

use rayon::slice::ParallelSliceMut as _;
use sha2::{Digest as _, Sha256};

use crate::key::Key;

/// Where it is, below the repository root.
pub const CACHE_PATH: &str = ".headwater/cache/checks";

const MAGIC: &[u8] = b"headwater check cache 3\n";
const IGNORE: &[u8] = b"*\n!.gitignore\n";
/// The largest file that is read, in bytes.
const LIMIT: u64 = 1 << 30;
/// A key and the end of its value.
const SLOT: usize = 40;
const DIGEST: usize = 32;

/// A value of a run, for the next one.
#[derive(Debug)]
pub(crate) enum Value {
    /// As the cache held it.
    Kept,
    /// Made in this run.
    New(Vec<u8>),
}

/// What an earlier run left.
#[derive(Debug, Default)]
pub(crate) struct Cache {
    bytes: Vec<u8>,
    count: usize,
}

impl Cache {
    /// Reads the cache of a repository; whatever is wrong with it, it is then empty.
    pub(crate) fn read(root: &Path) -> Self {
        let path = root.join(CACHE_PATH);
        let readable =
            fs::symlink_metadata(&path).is_ok_and(|at| at.is_file() && at.len() <= LIMIT);
        if !readable {
            return Self::default();
        }
        fs::read(&path).ok().and_then(Self::parse).unwrap_or_default()
    }

    fn parse(mut bytes: Vec<u8>) -> Option<Self> {
        let body = bytes.len().checked_sub(DIGEST)?;
        let (held, digest) = bytes.split_at(body);
        let whole = held.starts_with(MAGIC) && Sha256::digest(held).as_slice() == digest;
        let count = number(held.get(MAGIC.len()..)?)?;
        if !whole || count > held.len() / SLOT {
            return None;
        }
        bytes.truncate(body);
        let cache = Self { bytes, count };
        // The digest says that the file is what somebody wrote; only this says that it was we.
        let mut last = 0;
        for at in 0..count {
            let end = cache.end(at).filter(|end| *end >= last)?;
            last = end;
        }
        (cache.values() + last == cache.bytes.len()).then_some(cache)
    }

    /// Where the values begin.
    const fn values(&self) -> usize {
        MAGIC.len() + 8 + self.count * SLOT
    }

    fn slot(&self, at: usize) -> Option<&[u8]> {
        let start = MAGIC.len() + 8 + at * SLOT;
        self.bytes.get(start..start + SLOT)
    }

    fn end(&self, at: usize) -> Option<usize> {
        number(self.slot(at)?.get(DIGEST..)?)
    }

    /// The value of a key.
    pub(crate) fn get(&self, key: &Key) -> Option<&[u8]> {
        let (mut low, mut high) = (0, self.count);
        while low < high {
            let middle = low + (high - low) / 2;
            match self.slot(middle)?.get(..DIGEST)?.cmp(key) {
                std::cmp::Ordering::Less => low = middle + 1,
                std::cmp::Ordering::Greater => high = middle,
                std::cmp::Ordering::Equal => {
                    let start = if middle == 0 { 0 } else { self.end(middle - 1)? };
                    let values = self.values();
                    return self.bytes.get(values + start..values + self.end(middle)?);
                }
            }
        }
        None
    }

    /// Replaces the cache by the entries of a run. Nothing is written where nothing changed.
    ///
    /// # Errors
    /// The path and why it could not be written.
    pub(crate) fn replace(
        &self,
        root: &Path,
        mut entries: Vec<(Key, Value)>,
    ) -> Result<(), (PathBuf, std::io::Error)> {
        entries.par_sort_unstable_by_key(|(key, _)| *key);
        entries.dedup_by_key(|(key, _)| *key);
        let kept = entries.iter().all(|(_, value)| matches!(value, Value::Kept));
        if kept && entries.len() == self.count && self.count > 0 {
            return Ok(());
        }
        let mut values: Vec<u8> = Vec::new();
        let mut file = MAGIC.to_vec();
        file.extend((entries.len() as u64).to_le_bytes());
        for (key, value) in &entries {
            values.extend(match value {
                Value::Kept => self.get(key).unwrap_or_default(),
                Value::New(bytes) => bytes,
            });
            file.extend(key);
            file.extend((values.len() as u64).to_le_bytes());
        }
        file.append(&mut values);
        let digest = Sha256::digest(&file);
        file.extend(digest);
        write(root, &file).map_err(|error| (PathBuf::from(CACHE_PATH), error))
    }
}

fn number(bytes: &[u8]) -> Option<usize> {
    let bytes: [u8; 8] = bytes.get(..8)?.try_into().ok()?;
    usize::try_from(u64::from_le_bytes(bytes)).ok()
}

/// Writes the file aside and renames it, so that a reader sees the old one or the new one.
fn write(root: &Path, bytes: &[u8]) -> std::io::Result<()> {
    let directory = real_directory(&real_directory(root, ".headwater")?, "cache")?;
    let ignore = directory.join(".gitignore");
    if fs::symlink_metadata(&ignore).is_err() {
        fs::write(&ignore, IGNORE)?;
    }
    let aside = directory.join(format!("checks.{}", std::process::id()));
    let _ = fs::remove_file(&aside);
    let written = OpenOptions::new()
        .write(true)
        .create_new(true)
        .open(&aside)
        .and_then(|mut file| file.write_all(bytes))
        .and_then(|()| fs::rename(&aside, directory.join("checks")));
    if written.is_err() {
        let _ = fs::remove_file(&aside);
    }
    written
}

/// A directory that is made where it is missing, and that is no link to another place.
fn real_directory(parent: &Path, name: &str) -> std::io::Result<PathBuf> {
    let path = parent.join(name);
    match fs::symlink_metadata(&path) {
        Ok(about) if about.is_dir() => Ok(path),
        Ok(_) => Err(std::io::Error::other("it is not a directory")),
        Err(_) => fs::create_dir(&path).map(|()| path),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn key(byte: u8) -> Key {
        [byte; 32]
    }

    #[test]
    fn what_is_written_is_read_and_what_is_not_used_is_gone() {
        let root = tempfile::tempdir().unwrap();
        let new = |text: &str| Value::New(text.as_bytes().to_vec());
        let empty = Cache::read(root.path());
        assert_eq!(empty.get(&key(1)), None);
        empty
            .replace(
                root.path(),
                vec![(key(9), new("nine")), (key(1), new("")), (key(5), new("five"))],
            )
            .unwrap();
        let cache = Cache::read(root.path());
        assert_eq!(cache.get(&key(9)), Some(&b"nine"[..]));
        assert_eq!(cache.get(&key(1)), Some(&b""[..]));
        assert_eq!(cache.get(&key(4)), None);
        cache.replace(root.path(), vec![(key(5), Value::Kept), (key(7), new("seven"))]).unwrap();
        let cache = Cache::read(root.path());
        assert_eq!(cache.get(&key(5)), Some(&b"five"[..]));
        assert_eq!(cache.get(&key(9)), None);
        let names: Vec<_> = fs::read_dir(root.path().join(".headwater/cache")).unwrap().collect();
        assert_eq!(names.len(), 2);
    }

    proptest! {
        #[test]
        fn a_file_that_changed_in_any_bit_is_an_empty_cache(bit in 0_usize..1200) {
            let root = tempfile::tempdir().unwrap();
            let value = |text: &str| Value::New(text.as_bytes().to_vec());
            let entries = vec![(key(1), value("one")), (key(2), value("two"))];
            Cache::default().replace(root.path(), entries).unwrap();
            let path = root.path().join(CACHE_PATH);
            let mut bytes = fs::read(&path).unwrap();
            let at = bit / 8 % bytes.len();
            bytes[at] ^= 1 << (bit % 8);
            prop_assert!(Cache::parse(bytes.clone()).is_none());
            bytes.truncate(at);
            prop_assert!(Cache::parse(bytes).is_none());
        }

        #[test]
        fn no_bytes_make_it_panic(bytes in proptest::collection::vec(any::<u8>(), 0..200)) {
            let mut file = [MAGIC, bytes.as_slice()].concat();
            let digest = Sha256::digest(&file);
            file.extend(digest);
            if let Some(cache) = Cache::parse(file) {
                cache.get(&key(0));
            }
        }
    }

    #[cfg(unix)]
    #[test]
    fn a_link_is_not_followed_out_of_the_repository() {
        let (root, other) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        std::os::unix::fs::symlink(other.path(), root.path().join(".headwater")).unwrap();
        assert!(Cache::default().replace(root.path(), vec![(key(1), Value::New(vec![]))]).is_err());
        assert_eq!(fs::read_dir(other.path()).unwrap().count(), 0);
    }
}
