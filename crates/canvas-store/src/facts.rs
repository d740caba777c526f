//! What the store needs to know of each commit, and its derived copy inside `.git`.
//!
//! A record is a pure function of one commit (its date, its parents, the nodes and freezes its
//! trailers name), so a record can be missing but never out of date: whatever branch the head is on,
//! the commits below it are looked up here and only those not found are read from the repository.
//! The file is written by writers alone, appended to after a commit is published, and read up to the
//! first byte that does not check out. Deleting or damaging it costs time and changes no answer.

use std::io;
use std::path::{Path, PathBuf};

use gix::ObjectId;

use crate::disk;
use crate::lock::PRIVATE;

const HEADER: &[u8] = b"canvas-facts 4\n";
/// The fixed part of a record's body: id, date, number of parents.
const FIXED: usize = 20 + 8 + 4;

/// What a trailer of a commit names.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Tag {
    /// A node, by `Canvas-Node`.
    Node,
    /// A canvas, by `Canvas-Freeze`.
    Freeze,
    /// A node, by `Canvas-Node` of a commit whose verb is `move`; it is named as a node too.
    Move,
}

/// One commit's record, on its way into [`Facts`].
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Record {
    /// The commit.
    pub id: ObjectId,
    /// The committer's date in seconds since the epoch.
    pub time: i64,
    /// The places in [`Facts`] of the commit's parents, first parent first.
    pub parents: Vec<u32>,
    /// What its trailers name.
    pub names: Vec<(Tag, Vec<u8>)>,
}

/// Records in an order in which parents precede their children. They stay as they are in the file
/// and are read in place: a command that asks one question of a hundred thousand commits must not
/// take them all apart first.
#[derive(Debug, Default)]
pub struct Facts {
    /// The records, each its length and its body; what frames them in the file may lie between.
    bytes: Vec<u8>,
    /// Where each record's body begins.
    starts: Vec<usize>,
    /// How many of the first records are a chain: each has the one before as its only parent.
    chain: usize,
}

impl Facts {
    /// How many records there are.
    pub fn len(&self) -> usize {
        self.starts.len()
    }

    /// Whether the records up to `index` are one line of commits without a merge.
    pub fn is_chain(&self, index: u32) -> bool {
        (index as usize) < self.chain
    }

    fn body(&self, index: u32) -> &[u8] {
        let body = self.starts.get(index as usize).and_then(|start| {
            let length = read_u32(self.bytes.get(start.checked_sub(4)?..)?)? as usize;
            self.bytes.get(*start..start + length)
        });
        body.unwrap_or_default()
    }

    /// The commit of record `index`.
    pub fn id(&self, index: u32) -> Option<ObjectId> {
        self.body(index).get(..20).map(ObjectId::from_bytes_or_panic)
    }

    /// The committer's date of record `index`.
    pub fn time(&self, index: u32) -> i64 {
        let time = self.body(index).get(20..28).and_then(|bytes| bytes.try_into().ok());
        time.map_or(0, i64::from_le_bytes)
    }

    /// The parents of record `index`.
    pub fn parents(&self, index: u32) -> impl DoubleEndedIterator<Item = u32> + ExactSizeIterator {
        let (parents, _) = part(self.body(index)).unwrap_or_default();
        parents.chunks_exact(4).map(|parent| read_u32(parent).unwrap_or_default())
    }

    /// What the trailers of record `index` name.
    pub fn names(&self, index: u32) -> Names<'_> {
        Names(part(self.body(index)).unwrap_or_default().1)
    }

    /// The place of commit `id`, looked for from the newest record on.
    pub fn find(&self, id: ObjectId) -> Option<u32> {
        let wanted = id.as_slice();
        let at = self.starts.iter().rposition(|start| self.bytes[*start..].starts_with(wanted))?;
        u32::try_from(at).ok()
    }

    /// Adds a record, whose parents must already be here.
    pub fn push(&mut self, record: &Record) -> u32 {
        let index = self.starts.len() as u32;
        let before = self.bytes.len();
        put_record(&mut self.bytes, record);
        let parents: Vec<u8> = bytes_of(&record.parents).collect();
        Facts::enter(&mut self.starts, &mut self.chain, before + 4, &parents);
        index
    }

    /// Takes the record whose body begins at `start`; `parents` are its parents as bytes.
    fn enter(starts: &mut Vec<usize>, chain: &mut usize, start: usize, parents: &[u8]) {
        let index = starts.len();
        let follows = match index.checked_sub(1) {
            None => parents.is_empty(),
            Some(before) => parents == (before as u32).to_le_bytes(),
        };
        *chain += usize::from(follows && *chain == index);
        starts.push(start);
    }

    /// The places of the records that name `name`, oldest first.
    ///
    /// The name is searched for in the bytes of all records at once, and only where it is found is a
    /// record taken apart: this is what `v` and every history cost.
    pub fn naming(&self, tag: Tag, name: &[u8]) -> Vec<u32> {
        let mut needle = Vec::new();
        put_name(&mut needle, tag, name);
        let mut places: Vec<u32> = Vec::new();
        for at in memchr::memmem::find_iter(&self.bytes, &needle) {
            let Some(place) = self.starts.partition_point(|start| *start <= at).checked_sub(1)
            else {
                continue;
            };
            let place = place as u32;
            if places.last() != Some(&place) && self.names(place).any(|found| found == (tag, name))
            {
                places.push(place);
            }
        }
        places
    }

    /// Takes the records of a block of the file, which lies at `from..to`. None of them is kept when
    /// one is not what it should be.
    fn enter_block(&mut self, from: usize, to: usize) -> Option<()> {
        let (count, chain) = (self.starts.len(), self.chain);
        let mut at = from;
        while at < to {
            let start = at + 4;
            let length = self.bytes.get(at..to).and_then(read_u32).map(|length| length as usize);
            let parents = length
                .and_then(|length| self.bytes.get(start..start.checked_add(length)?))
                .filter(|body| start + body.len() <= to)
                .and_then(|body| sound_parents(body, self.starts.len()));
            let (Some(parents), Some(length)) = (parents, length) else {
                self.starts.truncate(count);
                self.chain = chain;
                return None;
            };
            Facts::enter(&mut self.starts, &mut self.chain, start, parents);
            at = start + length;
        }
        Some(())
    }
}

fn read_u32(bytes: &[u8]) -> Option<u32> {
    bytes.first_chunk().map(|bytes| u32::from_le_bytes(*bytes))
}

fn bytes_of(parents: &[u32]) -> impl Iterator<Item = u8> {
    parents.iter().flat_map(|parent| parent.to_le_bytes())
}

/// Puts a record as it stands in the file: its length and its body.
fn put_record(out: &mut Vec<u8>, record: &Record) {
    let before = out.len();
    out.extend_from_slice(&[0; 4]);
    out.extend_from_slice(record.id.as_slice());
    out.extend_from_slice(&record.time.to_le_bytes());
    out.extend_from_slice(&(record.parents.len() as u32).to_le_bytes());
    out.extend(bytes_of(&record.parents));
    for (tag, name) in &record.names {
        put_name(out, *tag, name);
    }
    let length = (out.len() - before - 4) as u32;
    out[before..before + 4].copy_from_slice(&length.to_le_bytes());
}

/// The parents and the names of a record's body.
fn part(body: &[u8]) -> Option<(&[u8], &[u8])> {
    let (fixed, rest) = body.split_at_checked(FIXED)?;
    let count = read_u32(&fixed[28..])? as usize;
    rest.split_at_checked(count.checked_mul(4)?)
}

/// The parents of `body`, if it is a record that can stand at `index`.
fn sound_parents(body: &[u8], index: usize) -> Option<&[u8]> {
    let (parents, names) = part(body)?;
    let known = |parent: &[u8]| read_u32(parent).is_some_and(|parent| (parent as usize) < index);
    let mut names = Names(names);
    while names.next().is_some() {}
    (names.0.is_empty() && parents.chunks_exact(4).all(known)).then_some(parents)
}

/// Puts a name as it stands in the file: tag, length, bytes.
pub fn put_name(out: &mut Vec<u8>, tag: Tag, name: &[u8]) {
    out.push(match tag {
        Tag::Node => b'N',
        Tag::Freeze => b'F',
        Tag::Move => b'M',
    });
    out.extend_from_slice(&(name.len() as u32).to_le_bytes());
    out.extend_from_slice(name);
}

/// The names that stand one after the other in `bytes`.
pub fn names_in(bytes: &[u8]) -> Names<'_> {
    Names(bytes)
}

/// The names of one record.
pub struct Names<'a>(&'a [u8]);

impl<'a> Iterator for Names<'a> {
    type Item = (Tag, &'a [u8]);

    fn next(&mut self) -> Option<Self::Item> {
        let (head, rest) = self.0.split_at_checked(5)?;
        let tag = match head[0] {
            b'N' => Tag::Node,
            b'F' => Tag::Freeze,
            b'M' => Tag::Move,
            _ => return None,
        };
        let length = u32::from_le_bytes(head[1..].try_into().ok()?) as usize;
        let (name, rest) = rest.split_at_checked(length)?;
        self.0 = rest;
        Some((tag, name))
    }
}

/// Where a sound file of records ends: enough to append to it without reading it.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub struct Tail {
    /// How many bytes of the file are sound.
    sound: u64,
    /// The checksum of the last block.
    sum: u32,
    /// How many blocks there are.
    blocks: u32,
    /// How many records there are.
    records: u32,
}

impl Tail {
    /// The place of the last record.
    pub fn last(&self) -> Option<u32> {
        self.records.checked_sub(1)
    }

    /// Puts the tail as bytes.
    pub fn put(&self, out: &mut Vec<u8>) {
        out.extend_from_slice(&self.sound.to_le_bytes());
        for word in [self.sum, self.blocks, self.records] {
            out.extend_from_slice(&word.to_le_bytes());
        }
    }

    /// The tail at the beginning of `bytes`, and what follows it.
    pub fn from_bytes(bytes: &[u8]) -> Option<(Tail, &[u8])> {
        let (sound, rest) = bytes.split_first_chunk()?;
        let (words, rest) = rest.split_at_checked(12)?;
        let tail = Tail {
            sound: u64::from_le_bytes(*sound),
            sum: read_u32(words)?,
            blocks: read_u32(&words[4..])?,
            records: read_u32(&words[8..])?,
        };
        Some((tail, rest))
    }

    /// Appends one record, a child of the last one, to the file. When the file has many blocks it is
    /// read and written anew as one.
    pub fn append(&mut self, git_dir: &Path, record: &Record) -> io::Result<()> {
        let whole =
            std::fs::metadata(facts_path(git_dir)).is_ok_and(|meta| meta.len() >= self.sound);
        if self.blocks as usize >= BLOCKS || !whole {
            let mut file = FactsFile::load(git_dir);
            if file.facts.len() != self.records as usize {
                return Err(io::Error::other("the records are not those the tally speaks of"));
            }
            file.facts.push(record);
            file.save(git_dir)?;
            *self = file.tail();
            return Ok(());
        }
        let mut records = Vec::new();
        put_record(&mut records, record);
        let sum = checksum(self.sum, &records);
        let mut out = Vec::new();
        put_block(&mut out, sum, &records);
        disk::replace_tail(&facts_path(git_dir), self.sound, &out)?;
        self.sound += out.len() as u64;
        self.sum = sum;
        self.blocks += 1;
        self.records += 1;
        Ok(())
    }
}

/// The file of records, as far as it was sound when read.
///
/// After a header come blocks: the length of a block, a checksum chained to the block before, and
/// records. A writer appends one block; when there are many, it writes them anew as one.
#[derive(Debug, Default)]
pub struct FactsFile {
    /// The records.
    pub facts: Facts,
    /// How much of `facts.bytes` the file holds.
    stored: usize,
    /// Where the sound part of the file ends.
    end: Tail,
}

/// What stands before a block's records: length and checksum.
const FRAME: usize = 8;
/// How many blocks make a file worth writing anew.
const BLOCKS: usize = 256;

fn facts_path(git_dir: &Path) -> PathBuf {
    git_dir.join(PRIVATE).join("facts")
}

impl FactsFile {
    /// Reads the file; an absent, unreadable or damaged one gives the records before the damage.
    pub fn load(git_dir: &Path) -> FactsFile {
        let mut file = FactsFile::default();
        let Ok(bytes) = std::fs::read(facts_path(git_dir)) else { return file };
        if !bytes.starts_with(HEADER) {
            return file;
        }
        file.facts.bytes = bytes;
        let mut at = HEADER.len();
        while let Some(frame) = file.facts.bytes.get(at..at + FRAME) {
            let (Some(length), Some(sum)) = (read_u32(frame), read_u32(&frame[4..])) else { break };
            let (from, to) = (at + FRAME, at + FRAME + length as usize);
            let Some(block) = file.facts.bytes.get(from..to) else { break };
            if checksum(file.end.sum, block) != sum || file.facts.enter_block(from, to).is_none() {
                break;
            }
            (file.end.sum, at) = (sum, to);
            file.end.blocks += 1;
        }
        file.facts.bytes.truncate(at);
        (file.stored, file.end.sound) = (at, at as u64);
        file
    }

    /// Where the file ends, once it holds all of the records.
    pub fn tail(&self) -> Tail {
        Tail { records: self.facts.len() as u32, ..self.end }
    }

    /// Brings the file up to date with the records, cutting off what was unsound.
    pub fn save(&mut self, git_dir: &Path) -> io::Result<()> {
        if self.stored == self.facts.bytes.len() {
            return Ok(());
        }
        let path = facts_path(git_dir);
        if self.end.sound == 0 || self.end.blocks as usize >= BLOCKS {
            let records = self.facts.starts.iter().enumerate();
            let all: Vec<u8> = records
                .flat_map(|(index, start)| {
                    let body = self.facts.body(index as u32);
                    &self.facts.bytes[start - 4..start + body.len()]
                })
                .copied()
                .collect();
            self.end.sum = checksum(0, &all);
            let mut out = HEADER.to_vec();
            put_block(&mut out, self.end.sum, &all);
            disk::replace_file(&path, &out)?;
            (self.end.sound, self.end.blocks) = (out.len() as u64, 1);
        } else {
            let new = &self.facts.bytes[self.stored..];
            let sum = checksum(self.end.sum, new);
            let mut out = Vec::new();
            put_block(&mut out, sum, new);
            disk::replace_tail(&path, self.end.sound, &out)?;
            self.end.sum = sum;
            self.end.sound += out.len() as u64;
            self.end.blocks += 1;
        }
        self.stored = self.facts.bytes.len();
        Ok(())
    }
}

fn put_block(out: &mut Vec<u8>, sum: u32, records: &[u8]) {
    out.extend_from_slice(&(records.len() as u32).to_le_bytes());
    out.extend_from_slice(&sum.to_le_bytes());
    out.extend_from_slice(records);
}

/// The checksum of a block, chained to the one before it so that blocks cannot be swapped.
fn checksum(before: u32, records: &[u8]) -> u32 {
    let mut hasher = crc32fast::Hasher::new_with_initial(before);
    hasher.update(&(records.len() as u32).to_le_bytes());
    hasher.update(records);
    hasher.finalize()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn record(number: u8, parents: &[u32]) -> Record {
        Record {
            id: ObjectId::Sha1([number; 20]),
            time: i64::from(number) - 3,
            parents: parents.to_vec(),
            names: (0..number % 4)
                .map(|n| {
                    (
                        [Tag::Node, Tag::Move, Tag::Freeze][usize::from(n)],
                        vec![b'a' + n; usize::from(n) * 3],
                    )
                })
                .collect(),
        }
    }

    fn filled() -> FactsFile {
        let mut file = FactsFile::default();
        file.facts.push(&record(1, &[]));
        for n in 2..40 {
            let last = file.facts.len() as u32 - 1;
            let parents = if n % 7 == 0 { vec![last, last / 2] } else { vec![last] };
            file.facts.push(&record(n, &parents));
        }
        file
    }

    fn records(facts: &Facts) -> Vec<Record> {
        (0..facts.len() as u32)
            .map(|index| Record {
                id: facts.id(index).unwrap(),
                time: facts.time(index),
                parents: facts.parents(index).collect(),
                names: facts.names(index).map(|(tag, name)| (tag, name.to_vec())).collect(),
            })
            .collect()
    }

    #[test]
    fn what_is_saved_is_loaded_and_damage_leaves_a_true_prefix() {
        let dir = tempfile::tempdir().unwrap();
        std::fs::create_dir(dir.path().join(PRIVATE)).unwrap();
        let path = facts_path(dir.path());
        let truth = records(&filled().facts);
        let mut file = FactsFile::default();
        for some in truth.chunks(7) {
            for record in some {
                file.facts.push(record);
            }
            file.save(dir.path()).unwrap();
        }
        assert_eq!(records(&file.facts), truth);
        let whole = std::fs::read(&path).unwrap();
        assert_eq!(records(&FactsFile::load(dir.path()).facts), truth);

        for at in 0..whole.len() {
            let mut bent = whole.clone();
            bent[at] ^= 0x41;
            std::fs::write(&path, &bent).unwrap();
            let read = FactsFile::load(dir.path());
            let read_records = records(&read.facts);
            assert_eq!(read_records, truth[..read_records.len()], "bent at {at}");
            assert!(read_records.len() < truth.len());
            std::fs::write(&path, &whole[..at]).unwrap();
            assert!(truth.starts_with(&records(&FactsFile::load(dir.path()).facts)));
        }
        std::fs::write(&path, &whole).unwrap();

        // A damaged file is cut back to its sound part and continued.
        let mut bent = whole.clone();
        let middle = bent.len() / 2;
        bent[middle] ^= 1;
        std::fs::write(&path, &bent).unwrap();
        let mut read = FactsFile::load(dir.path());
        for record in &truth[read.facts.len()..] {
            read.facts.push(record);
        }
        read.save(dir.path()).unwrap();
        assert_eq!(records(&FactsFile::load(dir.path()).facts), truth);
    }

    #[test]
    fn names_are_found_where_they_are_names() {
        let mut facts = filled().facts;
        // An id that holds what a name looks like is no name.
        let mut id = [0; 20];
        id[..9].copy_from_slice(b"N\x04\0\0\0abcd");
        facts.push(&Record {
            id: ObjectId::Sha1(id),
            time: 0,
            parents: vec![0],
            names: Vec::new(),
        });
        let named = |name: &[u8]| (Tag::Node, name.to_vec());
        let twice = vec![named(b"abcd"), named(b"abc"), named(b"abcd")];
        let at = facts.push(&Record {
            id: ObjectId::Sha1([9; 20]),
            time: 0,
            parents: vec![1],
            names: twice,
        });
        assert_eq!(facts.naming(Tag::Node, b"abcd"), [at]);
        assert_eq!(facts.naming(Tag::Node, b"abc"), [at]);
        assert!(
            facts.naming(Tag::Freeze, b"abcd").is_empty()
                && facts.naming(Tag::Node, b"ab").is_empty()
        );
        for (tag, name) in [(Tag::Node, &b""[..]), (Tag::Move, b"bbb"), (Tag::Freeze, b"cccccc")] {
            let plain = |place: &u32| facts.names(*place).any(|found| found == (tag, name));
            let expected: Vec<u32> = (0..facts.len() as u32).filter(plain).collect();
            assert!(!expected.is_empty());
            assert_eq!(facts.naming(tag, name), expected);
        }
    }

    #[test]
    fn many_small_blocks_become_one() {
        let dir = tempfile::tempdir().unwrap();
        std::fs::create_dir(dir.path().join(PRIVATE)).unwrap();
        let mut blocks = 0;
        for round in 0..3 * BLOCKS as u32 {
            let mut file = FactsFile::load(dir.path());
            assert_eq!(file.facts.len() as u32, round);
            assert_eq!(file.facts.is_chain(round.saturating_sub(1)), round > 0);
            let parents: Vec<u32> = round.checked_sub(1).into_iter().collect();
            file.facts.push(&record((round % 200) as u8, &parents));
            file.save(dir.path()).unwrap();
            blocks = blocks.max(file.end.blocks as usize);
        }
        assert_eq!(blocks, BLOCKS);
    }
}
