//! The cache of verdicts: two packed files, each read whole and replaced whole. One holds nearly all; its
//! entries stand in the order in which a run used them, which is nearly the order in which the next run
//! asks for them, so that most of the time the next entry is the one that is asked for. The other holds
//! the little that was made since, so that a run after an edit writes little.
//!
//! A key is a digest over every input of what it stands for, so there is nothing to invalidate. What runs
//! no longer use is gone when it is an eighth of all, and the files are then one again. A file that is not
//! exactly what was written, to the last bit, is an empty one.
//!
//! ```text
//! magic, number of entries, then for each its key and the end of its value, then a table of hashes over
//! the keys, then the values, then the digest of the digests of all that in parts
//! ```

use std::fs::{self, OpenOptions};
use std::io::Write as _;
use std::path::{Path, PathBuf};

use rayon::prelude::*;
use sha2::{Digest as _, Sha256};

use crate::key::Key;

/// Where it is, below the repository root.
pub const CACHE_PATH: &str = ".headwater/cache/checks";
/// The file beside it, with what was made since.
const RECENT: &str = "recent";
/// The file itself.
const CHECKS: &str = "checks";
/// The share of all entries that may stand in the other file or be out of use.
const SHARE: usize = 8;

const MAGIC: &[u8] = b"headwater check cache 5\n";
const IGNORE: &[u8] = b"*\n!.gitignore\n";
/// The largest file that is read, in bytes. Every number in it fits four bytes.
const LIMIT: u64 = 1 << 30;
/// The bytes of a number.
const NUMBER: usize = 4;
const DIGEST: usize = 32;
/// A key and the end of its value.
const SLOT: usize = DIGEST + NUMBER;
/// How many seats are looked at for one key. Chance never fills so many in a row, and a file that somebody
/// else made must not cost more.
const LONGEST_SEARCH: usize = 256;
/// How many bytes are digested at a time.
const PART: usize = 1 << 20;

/// What a run leaves for the next one, in the order of use.
#[derive(Debug, Default)]
pub(crate) struct Entries {
    order: Vec<Left>,
    /// The keys of what the run made, each with the end of its value.
    made: Vec<(Key, usize)>,
    values: Vec<u8>,
}

/// Entries that follow each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Left {
    /// What the cache holds at a place, and so many behind it.
    Kept(usize, usize),
    /// What the run made at a place, and so many behind it.
    Made(usize, usize),
}

impl Left {
    const fn count(self) -> usize {
        let (Self::Kept(_, count) | Self::Made(_, count)) = self;
        count
    }
}

impl Entries {
    /// Leaves what the cache held.
    pub(crate) fn keep(&mut self, hit: Hit<'_>) {
        self.leave(Left::Kept(hit.at, 1));
    }

    /// Leaves a value that was made.
    pub(crate) fn add(&mut self, key: Key, value: &[u8]) {
        self.values.extend(value);
        self.leave(Left::Made(self.made.len(), 1));
        self.made.push((key, self.values.len()));
    }

    fn leave(&mut self, left: Left) {
        let (Left::Kept(next, more) | Left::Made(next, more)) = left;
        match (self.order.last_mut(), left) {
            (Some(Left::Kept(at, count)), Left::Kept(..))
            | (Some(Left::Made(at, count)), Left::Made(..))
                if *at + *count == next =>
            {
                *count += more;
            }
            _ => self.order.push(left),
        }
    }

    /// What the run made at a place.
    fn made(&self, at: usize) -> Option<(&Key, &[u8])> {
        let before = at.checked_sub(1).and_then(|before| self.made.get(before));
        let start = before.map_or(0, |(_, end)| *end);
        let (key, end) = self.made.get(at)?;
        Some((key, self.values.get(start..*end)?))
    }

    /// The place where the cache probably holds what is used next.
    fn next(&self) -> usize {
        let kept = self.order.iter().rev().take(2).find_map(|left| match left {
            Left::Kept(at, count) => Some(at + count),
            Left::Made(..) => None,
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

/// What earlier runs left: nearly all, and what was made since, whose places follow.
#[derive(Debug, Default)]
pub(crate) struct Cache {
    checks: Pack,
    recent: Pack,
}

impl Cache {
    /// Reads the cache of a repository; whatever is wrong with a file of it, that is then empty.
    pub(crate) fn read(root: &Path) -> Self {
        let path = root.join(CACHE_PATH);
        let recent = path.with_file_name(RECENT);
        let (checks, recent) = rayon::join(|| Pack::read(&path), || Pack::read(&recent));
        Self { checks, recent }
    }

    /// The pack of a place, and the place in it.
    fn pack(&self, at: usize) -> (&Pack, usize) {
        match at.checked_sub(self.checks.count) {
            None => (&self.checks, at),
            Some(at) => (&self.recent, at),
        }
    }

    fn key(&self, at: usize) -> Option<&Key> {
        let (pack, at) = self.pack(at);
        pack.key(at)
    }

    fn value(&self, at: usize) -> Option<&[u8]> {
        let (pack, at) = self.pack(at);
        pack.value(at)
    }

    /// The value of a key, which is probably the one after what was used last.
    pub(crate) fn get(&self, key: &Key, used: &Entries) -> Option<Hit<'_>> {
        let next = used.next();
        let recent = || Some(self.checks.count + self.recent.find(key)?);
        let at = match self.key(next) == Some(key) {
            true => next,
            false => self.checks.find(key).or_else(recent)?,
        };
        Some(Hit { at, value: self.value(at)? })
    }

    /// Replaces the cache by the entries of a run: all of it, or the little that was made since. Nothing
    /// is written where nothing was made.
    ///
    /// # Errors
    /// The path and why it could not be written.
    pub(crate) fn replace<'e>(
        &self,
        root: &Path,
        entries: impl Iterator<Item = &'e Entries> + Clone,
    ) -> Result<(), (PathBuf, std::io::Error)> {
        let old = self.checks.count;
        // Of each range the places before the border are of the one file, those behind it of the other.
        let kept = |range: &Left| match *range {
            Left::Kept(at, count) => (at.min(old)..(at + count).min(old)).len(),
            Left::Made(..) => 0,
        };
        let order = || entries.clone().flat_map(|entries| &entries.order);
        let used: usize = order().map(kept).sum();
        let further: usize = order().map(|left| left.count() - kept(left)).sum();
        let little = old > 0 && SHARE * (further + old.saturating_sub(used)) <= old;
        if little && entries.clone().all(|entries| entries.made.is_empty()) {
            return Ok(());
        }
        let (name, border) = if little { (RECENT, old) } else { (CHECKS, 0) };
        let all = || entries.clone().flat_map(|entries| self.left(entries));
        let left = || all().filter(|(at, ..)| at.is_none_or(|at| at >= border));
        let left = || left().map(|(_, key, value)| (key, value));
        write(root, name, |file| pack(left, file))
            .and_then(|()| match little {
                true => Ok(()),
                false => remove(root, RECENT),
            })
            .map_err(|error| (PathBuf::from(CACHE_PATH), error))
    }

    /// Every entry that a run leaves, in the order of use, with its place where the cache holds it.
    fn left<'e>(
        &'e self,
        entries: &'e Entries,
    ) -> impl Iterator<Item = (Option<usize>, &'e Key, &'e [u8])> {
        entries.order.iter().flat_map(move |left| {
            let (Left::Kept(at, count) | Left::Made(at, count)) = *left;
            (at..at + count).filter_map(move |at| match left {
                Left::Kept(..) => Some((Some(at), self.key(at)?, self.value(at)?)),
                Left::Made(..) => entries.made(at).map(|(key, value)| (None, key, value)),
            })
        })
    }
}

/// One file.
#[derive(Debug, Default)]
struct Pack {
    bytes: Vec<u8>,
    count: usize,
}

impl Pack {
    fn read(path: &Path) -> Self {
        let readable = fs::symlink_metadata(path).is_ok_and(|at| at.is_file() && at.len() <= LIMIT);
        if !readable {
            return Self::default();
        }
        fs::read(path).ok().and_then(Self::parse).unwrap_or_default()
    }

    fn parse(mut bytes: Vec<u8>) -> Option<Self> {
        let body = bytes.len().checked_sub(DIGEST)?;
        let (held, digest) = bytes.split_at(body);
        let whole = held.starts_with(MAGIC) && digest_of(held) == digest;
        let count = number(held.get(MAGIC.len()..)?)?;
        if !whole || count > held.len() / SLOT {
            return None;
        }
        bytes.truncate(body);
        let cache = Self { bytes, count };
        // The digest says that the file is what somebody wrote; only this says that it was we.
        let mut last = 0;
        for at in 0..count {
            last = cache.end(at).filter(|end| *end >= last)?;
        }
        (cache.values() + last == cache.bytes.len()).then_some(cache)
    }

    /// Where the table of hashes begins.
    const fn table(&self) -> usize {
        MAGIC.len() + NUMBER + self.count * SLOT
    }

    /// Where the values begin.
    const fn values(&self) -> usize {
        self.table() + seats(self.count) * NUMBER
    }

    fn slot(&self, at: usize) -> Option<&[u8]> {
        let start = MAGIC.len() + NUMBER + at * SLOT;
        self.bytes.get(start..start + SLOT).filter(|_| at < self.count)
    }

    fn end(&self, at: usize) -> Option<usize> {
        number(self.slot(at)?.get(DIGEST..)?)
    }

    fn key(&self, at: usize) -> Option<&Key> {
        self.slot(at)?.first_chunk()
    }

    fn value(&self, at: usize) -> Option<&[u8]> {
        let start = if at == 0 { 0 } else { self.end(at - 1)? };
        let values = self.values();
        self.bytes.get(values + start..values + self.end(at)?)
    }

    /// The place of a key, by the table.
    fn find(&self, key: &Key) -> Option<usize> {
        let table = self.bytes.get(self.table()..self.values())?;
        let seats = seats(self.count);
        seats_of(key, seats).find_map(|seat| {
            match number(table.get(seat * NUMBER..)?)?.checked_sub(1) {
                // Nobody sits here, so the key is nowhere.
                None => Some(None),
                Some(at) => (self.key(at) == Some(key)).then_some(Some(at)),
            }
        })?
    }
}

/// Writes the file of entries in their order. Of one key that stands there twice the first is found.
fn pack<'e, E>(left: impl Fn() -> E, file: fs::File) -> std::io::Result<()>
where
    E: Iterator<Item = (&'e Key, &'e [u8])>,
{
    let sum = |(count, values), (_, value): (_, &[u8])| (count + 1, values + value.len());
    let (count, values) = left().fold((0, 0), sum);
    let length = MAGIC.len() + NUMBER + count * SLOT + seats(count) * NUMBER + values + DIGEST;
    if length as u64 > LIMIT {
        return Err(std::io::Error::other("it would be larger than 1 GiB"));
    }
    let mut file = Digested { file, part: Vec::with_capacity(PART), digests: Vec::new() };
    file.add(MAGIC)?;
    file.add(&bytes_of(count))?;
    let mut end = 0;
    for (key, value) in left() {
        end += value.len();
        file.add(key)?;
        file.add(&bytes_of(end))?;
    }
    for place in table(count, left().map(|(key, _)| key)) {
        file.add(&place.to_le_bytes())?;
    }
    for (_, value) in left() {
        file.add(value)?;
    }
    file.finish()
}

/// A file that is written in parts, and the digest of each.
struct Digested {
    file: fs::File,
    part: Vec<u8>,
    digests: Vec<[u8; DIGEST]>,
}

impl Digested {
    fn add(&mut self, mut bytes: &[u8]) -> std::io::Result<()> {
        while let Some((fit, rest)) = bytes.split_at_checked(PART - self.part.len()) {
            self.part.extend(fit);
            self.flush()?;
            bytes = rest;
        }
        self.part.extend(bytes);
        Ok(())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        self.digests.push(Sha256::digest(&self.part).into());
        self.file.write_all(&self.part)?;
        self.part.clear();
        Ok(())
    }

    fn finish(mut self) -> std::io::Result<()> {
        if !self.part.is_empty() {
            self.flush()?;
        }
        self.file.write_all(&Sha256::digest(self.digests.as_flattened()))
    }
}

/// The size of the table of hashes over so many keys. Half of it stays free, so that a search is short.
const fn seats(count: usize) -> usize {
    2 * count
}

/// Where a key may sit, in the order of search. Keys are digests, so their first bytes are as good as any
/// hash.
fn seats_of(key: &Key, seats: usize) -> impl Iterator<Item = usize> {
    let [a, b, c, d, ..] = *key;
    let high = u64::from(u32::from_be_bytes([a, b, c, d]));
    let first = usize::try_from((high * seats as u64) >> 32).unwrap_or_default();
    (0..seats.min(LONGEST_SEARCH)).map(move |step| (first + step) % seats)
}

/// The table of hashes over so many keys: in each seat the place of an entry and one more, or nothing.
fn table<'k>(count: usize, keys: impl Iterator<Item = &'k Key>) -> Vec<u32> {
    let seats = seats(count);
    let mut table = vec![0_u32; seats];
    for (key, place) in keys.zip(1..) {
        let free = seats_of(key, seats).find(|seat| table.get(*seat) == Some(&0));
        if let Some(seat) = free.and_then(|seat| table.get_mut(seat)) {
            *seat = place;
        }
    }
    table
}

/// A digest that all threads take together.
fn digest_of(bytes: &[u8]) -> [u8; DIGEST] {
    let parts: Vec<[u8; DIGEST]> =
        bytes.par_chunks(PART).map(|part| Sha256::digest(part).into()).collect();
    Sha256::digest(parts.as_flattened()).into()
}

fn number(bytes: &[u8]) -> Option<usize> {
    usize::try_from(u32::from_le_bytes(*bytes.first_chunk()?)).ok()
}

/// The bytes of a number, which is smaller than the largest file.
fn bytes_of(number: usize) -> [u8; NUMBER] {
    u32::try_from(number).unwrap_or(u32::MAX).to_le_bytes()
}

/// Writes a file of the cache aside and renames it, so that a reader sees the old one or the new one.
fn write(
    root: &Path,
    name: &str,
    pack: impl FnOnce(fs::File) -> std::io::Result<()>,
) -> std::io::Result<()> {
    let directory = directory(root)?;
    let ignore = directory.join(".gitignore");
    if fs::symlink_metadata(&ignore).is_err() {
        fs::write(&ignore, IGNORE)?;
    }
    let aside = directory.join(format!("{name}.{}", std::process::id()));
    let _ = fs::remove_file(&aside);
    let written = OpenOptions::new()
        .write(true)
        .create_new(true)
        .open(&aside)
        .and_then(pack)
        .and_then(|()| fs::rename(&aside, directory.join(name)));
    if written.is_err() {
        let _ = fs::remove_file(&aside);
    }
    written
}

/// Takes a file of the cache away.
fn remove(root: &Path, name: &str) -> std::io::Result<()> {
    match fs::remove_file(directory(root)?.join(name)) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => Err(error),
        _ => Ok(()),
    }
}

/// The directory of the cache.
fn directory(root: &Path) -> std::io::Result<PathBuf> {
    real_directory(&real_directory(root, ".headwater")?, "cache")
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
    use std::iter::once;

    use proptest::prelude::*;

    fn key(byte: u8) -> Key {
        [byte; 32]
    }

    fn entries(new: &[(u8, &str)]) -> Entries {
        let mut entries = Entries::default();
        new.iter().for_each(|(byte, text)| entries.add(key(*byte), text.as_bytes()));
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
        empty.replace(root.path(), once(&entries(&[(9, "nine"), (1, ""), (5, "five")]))).unwrap();
        let cache = Cache::read(root.path());
        assert_eq!(value(&cache, &key(9)), Some(b"nine".to_vec()));
        assert_eq!(value(&cache, &key(1)), Some(Vec::new()));
        assert_eq!(value(&cache, &key(4)), None);
        let mut next = entries(&[(7, "seven"), (2, "two")]);
        next.keep(cache.get(&key(5), &next).unwrap());
        cache.replace(root.path(), once(&next)).unwrap();
        let cache = Cache::read(root.path());
        let held = [(2, "two"), (5, "five"), (7, "seven")];
        for (byte, text) in held {
            assert_eq!(value(&cache, &key(byte)), Some(text.as_bytes().to_vec()));
        }
        assert_eq!((cache.checks.count, value(&cache, &key(9))), (held.len(), None));
        let names: Vec<_> = fs::read_dir(root.path().join(".headwater/cache")).unwrap().collect();
        assert_eq!(names.len(), 2);
    }

    #[test]
    fn a_run_that_used_everything_and_made_nothing_writes_nothing() {
        let root = tempfile::tempdir().unwrap();
        Cache::default().replace(root.path(), once(&entries(&[(2, "b"), (1, "a")]))).unwrap();
        let cache = Cache::read(root.path());
        let path = root.path().join(CACHE_PATH);
        fs::write(&path, "another").unwrap();
        let mut all = Entries::default();
        for byte in [2, 1] {
            let hit = cache.get(&key(byte), &all).unwrap();
            all.keep(hit);
        }
        cache.replace(root.path(), once(&all)).unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"another");
        let mut one = Entries::default();
        one.keep(cache.get(&key(1), &one).unwrap());
        cache.replace(root.path(), once(&one)).unwrap();
        assert_eq!(Cache::read(root.path()).checks.count, 1);
    }

    #[test]
    fn files_of_any_number_of_parts_are_read() {
        let tables = MAGIC.len() + NUMBER + SLOT + seats(1) * NUMBER;
        for body in [PART - 1, PART, PART + 1, 2 * PART, 2 * PART + 1] {
            let root = tempfile::tempdir().unwrap();
            let mut large = Entries::default();
            large.add(key(1), &vec![7; body - tables]);
            Cache::default().replace(root.path(), once(&large)).unwrap();
            assert_eq!(
                fs::metadata(root.path().join(CACHE_PATH)).unwrap().len(),
                (body + DIGEST) as u64
            );
            assert_eq!(value(&Cache::read(root.path()), &key(1)), Some(vec![7; body - tables]));
        }
    }

    proptest! {
        #[test]
        fn a_file_that_changed_in_any_bit_is_an_empty_cache(bit in 0_usize..1200) {
            let root = tempfile::tempdir().unwrap();
            let entries = entries(&[(1, "one"), (2, "two")]);
            Cache::default().replace(root.path(), once(&entries)).unwrap();
            let path = root.path().join(CACHE_PATH);
            let mut bytes = fs::read(&path).unwrap();
            let at = bit / 8 % bytes.len();
            bytes[at] ^= 1 << (bit % 8);
            prop_assert!(Pack::parse(bytes.clone()).is_none());
            bytes.truncate(at);
            prop_assert!(Pack::parse(bytes).is_none());
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
            keys.iter().for_each(|key| entries.add(*key, &key[..5]));
            Cache::default().replace(root.path(), once(&entries)).unwrap();
            let cache = Cache::read(root.path());
            for key in keys.iter().chain(&others) {
                let expected = keys.contains(key).then(|| key[..5].to_vec());
                prop_assert_eq!(value(&cache, key), expected);
            }
        }

        #[test]
        fn what_the_last_of_many_runs_used_is_there(
            runs in proptest::collection::vec(proptest::collection::vec(0_u8..60, 0..70), 1..8),
        ) {
            let root = tempfile::tempdir().unwrap();
            for run in runs {
                let cache = Cache::read(root.path());
                let mut left = Entries::default();
                for byte in &run {
                    match cache.get(&key(*byte), &left) {
                        Some(hit) => left.keep(hit),
                        None => left.add(key(*byte), &[*byte, 1]),
                    }
                }
                cache.replace(root.path(), once(&left)).unwrap();
                let cache = Cache::read(root.path());
                for byte in run {
                    prop_assert_eq!(value(&cache, &key(byte)), Some(vec![byte, 1]));
                }
                let used = left.order.iter().map(|left| left.count()).sum::<usize>();
                let held = cache.checks.count + cache.recent.count;
                prop_assert!(SHARE * held.saturating_sub(used) <= 2 * held, "{} of {}", used, held);
            }
        }

        #[test]
        fn no_bytes_make_it_panic(
            count in 0_u8..3,
            bytes in proptest::collection::vec(prop_oneof![0_u8..3, any::<u8>()], 0..200),
        ) {
            let mut file = [MAGIC, &[count, 0, 0, 0], bytes.as_slice()].concat();
            let digest = digest_of(&file);
            file.extend(digest);
            if let Some(checks) = Pack::parse(file) {
                let cache = Cache { checks, recent: Pack::default() };
                cache.get(&key(0), &Entries::default());
            }
        }
    }

    #[test]
    fn the_little_that_is_made_after_an_edit_is_all_that_is_written() {
        let root = tempfile::tempdir().unwrap();
        let at = |name: &str| fs::read(root.path().join(".headwater/cache").join(name)).ok();
        let run = |bytes: std::ops::Range<u8>| {
            let cache = Cache::read(root.path());
            let mut left = Entries::default();
            for byte in bytes {
                match cache.get(&key(byte), &left) {
                    Some(hit) => left.keep(hit),
                    None => left.add(key(byte), b"x"),
                }
            }
            cache.replace(root.path(), once(&left)).unwrap();
            (at(CHECKS).unwrap(), at(RECENT))
        };
        let (whole, none) = run(0..100);
        assert_eq!(none, None);
        let (same, first) = run(2..102);
        assert_eq!((&same, first.is_some()), (&whole, true));
        // Nothing is made, so nothing is written; and what is of no use gives way.
        assert_eq!(run(2..102), (same, first.clone()));
        let (same, second) = run(4..104);
        assert_eq!((&same, second != first), (&whole, true));
        let (other, none) = run(20..120);
        assert_eq!((other == whole, none), (false, None));
    }

    #[cfg(unix)]
    #[test]
    fn a_link_is_not_followed_out_of_the_repository() {
        let (root, other) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        std::os::unix::fs::symlink(other.path(), root.path().join(".headwater")).unwrap();
        assert!(Cache::default().replace(root.path(), once(&entries(&[(1, "")]))).is_err());
        assert_eq!(fs::read_dir(other.path()).unwrap().count(), 0);
    }
}
