//! The cache of verdicts: one packed file, read whole and replaced whole. Its entries stand in the order in
//! which a run used them, which is nearly the order in which the next run asks for them, so that most of
//! the time the next entry is the one that is asked for.
//!
//! A key is a digest over every input of what it stands for, so there is nothing to invalidate; what a
//! run did not use is gone after it. A file that is not exactly what was written, to the last bit, is
//! an empty cache.
//!
//! ```text
//! magic, count, then for each entry its key and the end of its value, then the places of the entries
//! sorted by key, then the values, then the digest of the digests of all that in parts
//! ```

use std::fs::{self, OpenOptions};
use std::io::Write as _;
use std::path::{Path, PathBuf};

use rayon::prelude::*;
use sha2::{Digest as _, Sha256};

use crate::key::Key;

/// Where it is, below the repository root.
pub const CACHE_PATH: &str = ".headwater/cache/checks";

const MAGIC: &[u8] = b"headwater check cache 4\n";
const IGNORE: &[u8] = b"*\n!.gitignore\n";
/// The largest file that is read, in bytes.
const LIMIT: u64 = 1 << 30;
/// A key and the end of its value.
const SLOT: usize = 40;
/// The place of an entry.
const PLACE: usize = 8;
const DIGEST: usize = 32;
/// How many bytes are digested at a time.
const PART: usize = 1 << 20;

/// What a run leaves for the next one, in the order of use.
#[derive(Debug, Default)]
pub(crate) struct Entries(Vec<Left>);

#[derive(Debug)]
enum Left {
    /// What the cache holds at a place.
    Kept(usize),
    /// What the run made.
    New(Box<(Key, Vec<u8>)>),
}

impl Entries {
    /// Leaves what the cache held.
    pub(crate) fn keep(&mut self, hit: Hit<'_>) {
        self.0.push(Left::Kept(hit.at));
    }

    /// Leaves a value that was made.
    pub(crate) fn add(&mut self, key: Key, value: Vec<u8>) {
        self.0.push(Left::New(Box::new((key, value))));
    }

    /// Puts what was used later behind these.
    pub(crate) fn append(&mut self, later: &mut Self) {
        self.0.append(&mut later.0);
    }

    /// The place where the cache probably holds what is used next.
    fn next(&self) -> usize {
        let kept = self.0.iter().rev().take(4).find_map(|left| match left {
            Left::Kept(at) => Some(at + 1),
            Left::New(_) => None,
        });
        kept.unwrap_or_default()
    }
}

/// A value that the cache holds.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Hit<'c> {
    at: usize,
    /// The value.
    pub value: &'c [u8],
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
        let whole = held.starts_with(MAGIC) && digest_of(held) == digest;
        let count = number(held.get(MAGIC.len()..)?)?;
        if !whole || count > held.len() / (SLOT + PLACE) {
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

    /// Where the places begin.
    const fn places(&self) -> usize {
        MAGIC.len() + 8 + self.count * SLOT
    }

    /// Where the values begin.
    const fn values(&self) -> usize {
        self.places() + self.count * PLACE
    }

    fn slot(&self, at: usize) -> Option<&[u8]> {
        let start = MAGIC.len() + 8 + at * SLOT;
        self.bytes.get(start..start + SLOT)
    }

    fn end(&self, at: usize) -> Option<usize> {
        number(self.slot(at)?.get(DIGEST..)?)
    }

    fn key(&self, at: usize) -> Option<&[u8]> {
        self.slot(at)?.get(..DIGEST)
    }

    fn value(&self, at: usize) -> Option<&[u8]> {
        let start = if at == 0 { 0 } else { self.end(at - 1)? };
        let values = self.values();
        self.bytes.get(values + start..values + self.end(at)?)
    }

    /// The place of the entry that is so many-eth by key.
    fn sorted(&self, rank: usize) -> Option<usize> {
        number(self.bytes.get(self.places() + rank * PLACE..)?).filter(|at| *at < self.count)
    }

    /// The value of a key, which is probably the one after what was used last.
    pub(crate) fn get(&self, key: &Key, used: &Entries) -> Option<Hit<'_>> {
        let next = used.next();
        let at = if self.key(next) == Some(key) { next } else { self.find(key)? };
        Some(Hit { at, value: self.value(at)? })
    }

    /// The place of a key. Keys are digests, so they lie evenly, and where one must be is nearly known:
    /// steps of growing reach lead away from there until it lies between two of them.
    fn find(&self, key: &Key) -> Option<usize> {
        let (mut low, mut high) = (0, self.count);
        let mut guess = place(key, self.count);
        let mut reach = 8;
        while low < high {
            let middle = guess.clamp(low, high - 1);
            let at = self.sorted(middle)?;
            match self.key(at)?.cmp(key) {
                std::cmp::Ordering::Less => {
                    low = middle + 1;
                    guess = middle + reach;
                }
                std::cmp::Ordering::Greater => {
                    high = middle;
                    guess = middle.saturating_sub(reach);
                }
                std::cmp::Ordering::Equal => return Some(at),
            }
            if high - low <= reach {
                guess = low + (high - low) / 2;
            }
            reach *= 2;
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
        entries: &Entries,
    ) -> Result<(), (PathBuf, std::io::Error)> {
        let unchanged = entries
            .0
            .iter()
            .enumerate()
            .all(|(at, left)| matches!(left, Left::Kept(kept) if *kept == at));
        if unchanged && entries.0.len() == self.count && self.count > 0 {
            return Ok(());
        }
        let pairs = entries.0.iter().filter_map(|left| match left {
            Left::Kept(at) => Some((self.key(*at)?, self.value(*at)?)),
            Left::New(new) => Some((new.0.as_slice(), new.1.as_slice())),
        });
        let pairs: Vec<(&[u8], &[u8])> = pairs.collect();
        write(root, &packed(&pairs)).map_err(|error| (PathBuf::from(CACHE_PATH), error))
    }
}

/// The file of entries in this order. Of one key that stands there twice, either is found.
fn packed(pairs: &[(&[u8], &[u8])]) -> Vec<u8> {
    let length: usize = pairs.iter().map(|(_, value)| SLOT + PLACE + value.len()).sum();
    let mut file = Vec::with_capacity(MAGIC.len() + 8 + length + DIGEST);
    file.extend(MAGIC);
    file.extend((pairs.len() as u64).to_le_bytes());
    let mut end = 0_u64;
    for (key, value) in pairs {
        end += value.len() as u64;
        file.extend(*key);
        file.extend(end.to_le_bytes());
    }
    let mut places: Vec<(&[u8], u64)> =
        pairs.iter().zip(0..).map(|((key, _), at)| (*key, at)).collect();
    places.par_sort_unstable();
    places.iter().for_each(|(_, at)| file.extend(at.to_le_bytes()));
    pairs.iter().for_each(|(_, value)| file.extend(*value));
    let digest = digest_of(&file);
    file.extend(digest);
    file
}

/// A digest that all threads take together.
fn digest_of(bytes: &[u8]) -> [u8; DIGEST] {
    let parts: Vec<[u8; DIGEST]> =
        bytes.par_chunks(PART).map(|part| Sha256::digest(part).into()).collect();
    Sha256::digest(parts.as_flattened()).into()
}

/// Where a digest lies among so many that lie evenly.
fn place(key: &Key, count: usize) -> usize {
    let [a, b, c, d, ..] = *key;
    let high = u64::from(u32::from_be_bytes([a, b, c, d]));
    usize::try_from((high * count as u64) >> 32).unwrap_or_default()
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

    fn entries(new: &[(u8, &str)]) -> Entries {
        let mut entries = Entries::default();
        new.iter().for_each(|(byte, text)| entries.add(key(*byte), text.as_bytes().to_vec()));
        entries
    }

    fn value(cache: &Cache, key: &Key) -> Option<Vec<u8>> {
        cache.get(key, &Entries::default()).map(|hit| hit.value.to_vec())
    }

    #[test]
    fn what_is_written_is_read_and_what_is_not_used_is_gone() {
        let root = tempfile::tempdir().unwrap();
        let empty = Cache::read(root.path());
        assert_eq!(value(&empty, &key(1)), None);
        empty.replace(root.path(), &entries(&[(9, "nine"), (1, ""), (5, "five")])).unwrap();
        let cache = Cache::read(root.path());
        assert_eq!(value(&cache, &key(9)), Some(b"nine".to_vec()));
        assert_eq!(value(&cache, &key(1)), Some(Vec::new()));
        assert_eq!(value(&cache, &key(4)), None);
        let mut next = entries(&[(7, "seven"), (2, "two")]);
        next.keep(cache.get(&key(5), &next).unwrap());
        cache.replace(root.path(), &next).unwrap();
        let cache = Cache::read(root.path());
        let held = [(2, "two"), (5, "five"), (7, "seven")];
        for (byte, text) in held {
            assert_eq!(value(&cache, &key(byte)), Some(text.as_bytes().to_vec()));
        }
        assert_eq!((cache.count, value(&cache, &key(9))), (held.len(), None));
        let names: Vec<_> = fs::read_dir(root.path().join(".headwater/cache")).unwrap().collect();
        assert_eq!(names.len(), 2);
    }

    #[test]
    fn a_run_that_used_everything_and_made_nothing_writes_nothing() {
        let root = tempfile::tempdir().unwrap();
        Cache::default().replace(root.path(), &entries(&[(2, "b"), (1, "a")])).unwrap();
        let cache = Cache::read(root.path());
        let path = root.path().join(CACHE_PATH);
        fs::write(&path, "another").unwrap();
        let mut all = Entries::default();
        for byte in [2, 1] {
            let hit = cache.get(&key(byte), &all).unwrap();
            all.keep(hit);
        }
        cache.replace(root.path(), &all).unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"another");
        let mut one = Entries::default();
        one.keep(cache.get(&key(1), &one).unwrap());
        cache.replace(root.path(), &one).unwrap();
        assert_eq!(Cache::read(root.path()).count, 1);
    }

    proptest! {
        #[test]
        fn a_file_that_changed_in_any_bit_is_an_empty_cache(bit in 0_usize..1200) {
            let root = tempfile::tempdir().unwrap();
            let entries = entries(&[(1, "one"), (2, "two")]);
            Cache::default().replace(root.path(), &entries).unwrap();
            let path = root.path().join(CACHE_PATH);
            let mut bytes = fs::read(&path).unwrap();
            let at = bit / 8 % bytes.len();
            bytes[at] ^= 1 << (bit % 8);
            prop_assert!(Cache::parse(bytes.clone()).is_none());
            bytes.truncate(at);
            prop_assert!(Cache::parse(bytes).is_none());
        }

        #[test]
        fn every_key_is_found_and_no_other(
            keys in proptest::collection::btree_set(any::<[u8; 32]>(), 0..80),
            near in proptest::collection::btree_set(0_u8..255, 0..40),
            others in proptest::collection::vec(any::<[u8; 32]>(), 0..20),
        ) {
            // Keys that lie evenly, and keys that do not.
            let near = near.into_iter().map(|byte| { let mut key = [200; 32]; key[31] = byte; key });
            let keys: std::collections::BTreeSet<Key> = keys.into_iter().chain(near).collect();
            let root = tempfile::tempdir().unwrap();
            let mut entries = Entries::default();
            keys.iter().for_each(|key| entries.add(*key, key[..5].to_vec()));
            Cache::default().replace(root.path(), &entries).unwrap();
            let cache = Cache::read(root.path());
            for key in keys.iter().chain(&others) {
                let expected = keys.contains(key).then(|| key[..5].to_vec());
                prop_assert_eq!(value(&cache, key), expected);
            }
        }

        #[test]
        fn no_bytes_make_it_panic(bytes in proptest::collection::vec(any::<u8>(), 0..200)) {
            let mut file = [MAGIC, bytes.as_slice()].concat();
            let digest = Sha256::digest(&file);
            file.extend(digest);
            if let Some(cache) = Cache::parse(file) {
                cache.get(&key(0), &Entries::default());
            }
        }
    }

    #[cfg(unix)]
    #[test]
    fn a_link_is_not_followed_out_of_the_repository() {
        let (root, other) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        std::os::unix::fs::symlink(other.path(), root.path().join(".headwater")).unwrap();
        assert!(Cache::default().replace(root.path(), &entries(&[(1, "")])).is_err());
        assert_eq!(fs::read_dir(other.path()).unwrap().count(), 0);
    }
}
