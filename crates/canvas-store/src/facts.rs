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

const HEADER: &[u8] = b"canvas-facts 2\n";
/// The fixed part of a record's body: id, date, number of parents.
const FIXED: usize = 20 + 8 + 2;

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

/// Records in an order in which parents precede their children, packed so that a hundred thousand
/// of them stay small.
#[derive(Debug, Default)]
pub struct Facts {
    ids: Vec<[u8; 20]>,
    times: Vec<i64>,
    /// For each record, where its parents begin in `parents`.
    parent_starts: Vec<u32>,
    parents: Vec<u32>,
    /// For each record, where its names begin in `names`.
    name_starts: Vec<u32>,
    /// Names, each as in the file: tag, length, bytes.
    names: Vec<u8>,
}

impl Facts {
    /// How many records there are.
    pub fn len(&self) -> usize {
        self.ids.len()
    }

    /// The commit of record `index`.
    pub fn id(&self, index: u32) -> Option<ObjectId> {
        self.ids.get(index as usize).map(|id| ObjectId::Sha1(*id))
    }

    /// The committer's date of record `index`.
    pub fn time(&self, index: u32) -> i64 {
        self.times.get(index as usize).copied().unwrap_or_default()
    }

    /// The parents of record `index`.
    pub fn parents(&self, index: u32) -> &[u32] {
        span(&self.parent_starts, &self.parents, index)
    }

    /// What the trailers of record `index` name.
    pub fn names(&self, index: u32) -> Names<'_> {
        Names(span(&self.name_starts, &self.names, index))
    }

    /// The place of commit `id`, looked for from the newest record on.
    pub fn find(&self, id: ObjectId) -> Option<u32> {
        let wanted = id.as_slice();
        self.ids.iter().rposition(|id| id == wanted).and_then(|at| u32::try_from(at).ok())
    }

    /// Adds a record, whose parents must already be here.
    pub fn push(&mut self, record: &Record) -> u32 {
        let index = self.ids.len() as u32;
        let mut id = [0; 20];
        id.copy_from_slice(record.id.as_slice());
        self.ids.push(id);
        self.times.push(record.time);
        self.parent_starts.push(self.parents.len() as u32);
        self.parents.extend_from_slice(&record.parents);
        self.name_starts.push(self.names.len() as u32);
        for (tag, name) in &record.names {
            put_name(&mut self.names, *tag, name);
        }
        index
    }

    fn body(&self, index: u32) -> Vec<u8> {
        let parents = self.parents(index);
        let mut body = Vec::with_capacity(64);
        body.extend_from_slice(&self.ids[index as usize]);
        body.extend_from_slice(&self.time(index).to_le_bytes());
        body.extend_from_slice(&(parents.len() as u16).to_le_bytes());
        for parent in parents {
            body.extend_from_slice(&parent.to_le_bytes());
        }
        body.extend_from_slice(self.names(index).0);
        body
    }

    /// Takes one record's body from the file; none when it is not one.
    fn push_body(&mut self, body: &[u8]) -> Option<()> {
        let (fixed, mut rest) = body.split_at_checked(FIXED)?;
        let count = u16::from_le_bytes(fixed[28..30].try_into().ok()?) as usize;
        let index = self.ids.len() as u32;
        let parents_start = self.parents.len();
        for _ in 0..count {
            let (parent, after) = rest.split_at_checked(4)?;
            let parent = u32::from_le_bytes(parent.try_into().ok()?);
            if parent >= index {
                self.parents.truncate(parents_start);
                return None;
            }
            self.parents.push(parent);
            rest = after;
        }
        let mut names = Names(rest);
        while names.next().is_some() {}
        if !names.0.is_empty() {
            self.parents.truncate(parents_start);
            return None;
        }
        self.ids.push(fixed[..20].try_into().ok()?);
        self.times.push(i64::from_le_bytes(fixed[20..28].try_into().ok()?));
        self.parent_starts.push(parents_start as u32);
        self.name_starts.push(self.names.len() as u32);
        self.names.extend_from_slice(rest);
        Some(())
    }
}

/// The part of `pool` that belongs to `index`.
fn span<'a, T>(starts: &[u32], pool: &'a [T], index: u32) -> &'a [T] {
    let index = index as usize;
    let Some(start) = starts.get(index) else { return &[] };
    let end = starts.get(index + 1).map_or(pool.len(), |end| *end as usize);
    pool.get(*start as usize..end).unwrap_or(&[])
}

fn put_name(out: &mut Vec<u8>, tag: Tag, name: &[u8]) {
    out.push(match tag {
        Tag::Node => b'N',
        Tag::Freeze => b'F',
        Tag::Move => b'M',
    });
    out.extend_from_slice(&(name.len() as u32).to_le_bytes());
    out.extend_from_slice(name);
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

/// The file of records, as far as it was sound when read.
#[derive(Debug, Default)]
pub struct FactsFile {
    /// The records read.
    pub facts: Facts,
    /// How many records the file holds.
    stored: usize,
    /// How many bytes of the file are sound.
    sound: u64,
    /// The running checksum at that point.
    sum: u32,
}

fn facts_path(git_dir: &Path) -> PathBuf {
    git_dir.join(PRIVATE).join("facts")
}

impl FactsFile {
    /// Reads the file; an absent, unreadable or damaged one gives the records before the damage.
    pub fn load(git_dir: &Path) -> FactsFile {
        let mut file = FactsFile::default();
        let Ok(bytes) = std::fs::read(facts_path(git_dir)) else { return file };
        let Some(mut rest) = bytes.strip_prefix(HEADER) else { return file };
        file.sound = HEADER.len() as u64;
        while let Some((length, after)) = rest.split_at_checked(4) {
            let length = u32::from_le_bytes([length[0], length[1], length[2], length[3]]) as usize;
            let Some((body, after)) = after.split_at_checked(length) else { break };
            let Some((sum, after)) = after.split_at_checked(4) else { break };
            let expected = checksum(file.sum, body);
            if sum != expected.to_le_bytes() || file.facts.push_body(body).is_none() {
                break;
            }
            file.sum = expected;
            file.sound += 8 + length as u64;
            rest = after;
        }
        file.stored = file.facts.len();
        file
    }

    /// Appends the records that the file does not hold yet, after cutting off what is unsound.
    pub fn save(&mut self, git_dir: &Path) -> io::Result<()> {
        if self.stored == self.facts.len() {
            return Ok(());
        }
        let mut out = Vec::new();
        if self.sound == 0 {
            out.extend_from_slice(HEADER);
            self.sum = 0;
        }
        let mut sum = self.sum;
        for index in self.stored..self.facts.len() {
            let body = self.facts.body(index as u32);
            sum = checksum(sum, &body);
            out.extend_from_slice(&(body.len() as u32).to_le_bytes());
            out.extend_from_slice(&body);
            out.extend_from_slice(&sum.to_le_bytes());
        }
        disk::replace_tail(&facts_path(git_dir), self.sound, &out)?;
        self.sound += out.len() as u64;
        self.sum = sum;
        self.stored = self.facts.len();
        Ok(())
    }
}

/// The checksum of a record, chained to the one before it so that records cannot be swapped.
fn checksum(before: u32, body: &[u8]) -> u32 {
    let mut hasher = crc32fast::Hasher::new_with_initial(before);
    hasher.update(body);
    hasher.update(&(body.len() as u32).to_le_bytes());
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
                parents: facts.parents(index).to_vec(),
                names: facts.names(index).map(|(tag, name)| (tag, name.to_vec())).collect(),
            })
            .collect()
    }

    #[test]
    fn what_is_saved_is_loaded_and_damage_leaves_a_true_prefix() {
        let dir = tempfile::tempdir().unwrap();
        std::fs::create_dir(dir.path().join(PRIVATE)).unwrap();
        let path = facts_path(dir.path());
        let mut file = filled();
        file.save(dir.path()).unwrap();
        let truth = records(&file.facts);
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
        assert_eq!(std::fs::read(&path).unwrap(), whole);
    }
}
