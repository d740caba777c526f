//! How often each name stands in the history: what one edit asks of it, without reading it.
//!
//! An edit needs one number, the commits that name one node. Beside the records (`facts`) lies
//! therefore a tally: the names of all of them, parted into buckets by their hash, and one small file
//! that says for which head the buckets are true, how long each is, and what its checksum is. That
//! file is replaced at one stroke after the buckets have grown, and a bucket is read only as far as it
//! says; so whatever is missing, torn or out of date is seen, and then the records are read instead.
//! It exists only for a history that is one line of commits.

use std::collections::BTreeSet;
use std::io;
use std::path::{Path, PathBuf};

use gix::ObjectId;

use crate::disk;
use crate::facts::{FactsFile, Record, Tag, Tail, put_name};
use crate::lock::PRIVATE;

const HEADER: &[u8] = b"canvas-tally 1\n";
/// How many buckets there are.
const BUCKETS: usize = 256;

/// The head of one bucket.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
struct Bucket {
    /// How many bytes of its file are true.
    length: u32,
    /// Their checksum.
    sum: u32,
}

/// The tally of the history of one head.
#[derive(Debug)]
pub struct Tally {
    folder: PathBuf,
    tip: ObjectId,
    /// Where the file of records ends.
    tail: Tail,
    buckets: Vec<Bucket>,
}

/// The bucket of a name.
fn bucket_of(entry: &[u8]) -> usize {
    crc32fast::hash(entry) as usize % BUCKETS
}

impl Tally {
    fn path(folder: &Path, bucket: usize) -> PathBuf {
        folder.join(format!("{bucket:02x}"))
    }

    fn heads(folder: &Path) -> PathBuf {
        folder.join("heads")
    }

    fn folder(git_dir: &Path) -> PathBuf {
        git_dir.join(PRIVATE).join("tally")
    }

    /// The commit up to which the names are tallied.
    pub fn tip(&self) -> ObjectId {
        self.tip
    }

    /// The tally, if there is a sound one.
    pub fn load(git_dir: &Path) -> Option<Tally> {
        let folder = Tally::folder(git_dir);
        let bytes = std::fs::read(Tally::heads(&folder)).ok()?;
        let (body, sum) = bytes.split_at_checked(bytes.len().checked_sub(4)?)?;
        if crc32fast::hash(body).to_le_bytes() != sum {
            return None;
        }
        let (tip, rest) = body.strip_prefix(HEADER)?.split_at_checked(20)?;
        let (tail, rest) = Tail::from_bytes(rest)?;
        if rest.len() != BUCKETS * 8 {
            return None;
        }
        let word = |bytes: &[u8]| bytes.first_chunk().map_or(0, |bytes| u32::from_le_bytes(*bytes));
        let bucket = |bytes: &[u8]| Bucket { length: word(bytes), sum: word(&bytes[4..]) };
        let buckets = rest.chunks_exact(8).map(bucket).collect();
        Some(Tally { folder, tip: ObjectId::from_bytes_or_panic(tip), tail, buckets })
    }

    fn save_heads(&self) -> io::Result<()> {
        let mut out = HEADER.to_vec();
        out.extend_from_slice(self.tip.as_slice());
        self.tail.put(&mut out);
        for bucket in &self.buckets {
            out.extend_from_slice(&bucket.length.to_le_bytes());
            out.extend_from_slice(&bucket.sum.to_le_bytes());
        }
        out.extend_from_slice(&crc32fast::hash(&out).to_le_bytes());
        disk::replace_file(&Tally::heads(&self.folder), &out)
    }

    /// How many commits name `name`, or none when the bucket is not what it should be.
    pub fn count(&self, tag: Tag, name: &str) -> Option<usize> {
        let mut entry = Vec::new();
        put_name(&mut entry, tag, name.as_bytes());
        let at = bucket_of(&entry);
        let bucket = self.buckets.get(at)?;
        if bucket.length == 0 {
            return Some(0);
        }
        let bytes = std::fs::read(Tally::path(&self.folder, at)).ok()?;
        let bytes = bytes.get(..bucket.length as usize)?;
        if crc32fast::hash(bytes) != bucket.sum {
            return None;
        }
        Some(crate::facts::names_in(bytes).filter(|found| *found == (tag, name.as_bytes())).count())
    }

    /// Adds the commit that was just made on top of the tip, to the records and to the tally.
    pub fn append(
        &mut self,
        git_dir: &Path,
        id: ObjectId,
        time: i64,
        names: Vec<(Tag, Vec<u8>)>,
    ) -> io::Result<()> {
        for entry in entries(names.iter().map(|(tag, name)| (*tag, name.as_slice()))) {
            let at = bucket_of(&entry);
            let Some(bucket) = self.buckets.get_mut(at) else { continue };
            disk::replace_tail(&Tally::path(&self.folder, at), u64::from(bucket.length), &entry)?;
            let mut hasher = crc32fast::Hasher::new_with_initial(bucket.sum);
            hasher.update(&entry);
            *bucket = Bucket { length: bucket.length + entry.len() as u32, sum: hasher.finalize() };
        }
        let parents = self.tail.last().into_iter().collect();
        self.tail.append(git_dir, &Record { id, time, parents, names })?;
        self.tip = id;
        self.save_heads()
    }

    /// Makes the tally anew from the records, which are one line of commits that ends at `tip`.
    pub fn rebuild(git_dir: &Path, file: &FactsFile, tip: ObjectId) -> io::Result<()> {
        let folder = Tally::folder(git_dir);
        disk::create_dir_if_absent(&folder)?;
        let mut contents = vec![Vec::new(); BUCKETS];
        for place in 0..file.facts.len() as u32 {
            for entry in entries(file.facts.names(place)) {
                contents[bucket_of(&entry)].extend_from_slice(&entry);
            }
        }
        let mut buckets = Vec::with_capacity(BUCKETS);
        for (at, content) in contents.iter().enumerate() {
            // What an old file holds beyond its length is no part of it.
            if !content.is_empty() {
                disk::replace_tail(&Tally::path(&folder, at), 0, content)?;
            }
            buckets.push(Bucket { length: content.len() as u32, sum: crc32fast::hash(content) });
        }
        Tally { folder, tip, tail: file.tail(), buckets }.save_heads()
    }
}

/// The names of one commit as they stand in a bucket; a name said twice counts once.
fn entries<'a>(names: impl Iterator<Item = (Tag, &'a [u8])>) -> BTreeSet<Vec<u8>> {
    names
        .map(|(tag, name)| {
            let mut entry = Vec::new();
            put_name(&mut entry, tag, name);
            entry
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn id(number: u32) -> ObjectId {
        let mut bytes = [7; 20];
        bytes[..4].copy_from_slice(&number.to_le_bytes());
        ObjectId::Sha1(bytes)
    }

    fn names(number: u32) -> Vec<(Tag, Vec<u8>)> {
        let name = format!("n{:03}", number % 40).into_bytes();
        match number % 10 {
            0 => vec![(Tag::Freeze, b"t1".to_vec())],
            1 => Vec::new(),
            2 => vec![(Tag::Node, name.clone()), (Tag::Move, name.clone()), (Tag::Node, name)],
            _ => vec![(Tag::Node, name)],
        }
    }

    /// Grows a history to `total` commits by the tally, and holds it to what the records say.
    fn grow(dir: &Path, from: u32, total: u32) {
        for number in from..total {
            let mut tally = Tally::load(dir).unwrap();
            assert_eq!(tally.tip(), id(number - 1));
            tally.append(dir, id(number), i64::from(number), names(number)).unwrap();
        }
        let file = FactsFile::load(dir);
        assert_eq!(file.facts.len() as u32, total);
        let tally = Tally::load(dir).unwrap();
        assert_eq!(tally.tip(), id(total - 1));
        assert_eq!(tally.tail, file.tail());
        for tag in [Tag::Node, Tag::Move, Tag::Freeze] {
            for name in (0..40).map(|n| format!("n{n:03}")).chain(["t1".into(), "n0".into()]) {
                let counted = file.facts.naming(tag, name.as_bytes()).len();
                assert_eq!(tally.count(tag, &name), Some(counted), "{tag:?} {name}");
            }
        }
    }

    #[test]
    fn the_tally_counts_what_the_records_hold_and_damage_is_seen() {
        let root = tempfile::tempdir().unwrap();
        let dir = root.path();
        std::fs::create_dir(dir.join(PRIVATE)).unwrap();
        let mut file = FactsFile::default();
        for number in 0_u32..30 {
            let parents = number.checked_sub(1).into_iter().collect();
            file.facts.push(&Record {
                id: id(number),
                time: i64::from(number),
                parents,
                names: names(number),
            });
        }
        file.save(dir).unwrap();
        assert!(Tally::load(dir).is_none());
        Tally::rebuild(dir, &file, id(29)).unwrap();
        grow(dir, 30, 700);

        let heads = Tally::heads(&Tally::folder(dir));
        let whole = std::fs::read(&heads).unwrap();
        for at in (0..whole.len()).step_by(13) {
            let mut bent = whole.clone();
            bent[at] ^= 1;
            std::fs::write(&heads, &bent).unwrap();
            assert!(Tally::load(dir).is_none(), "bent at {at}");
        }
        std::fs::write(&heads, &whole).unwrap();

        let mut entry = Vec::new();
        put_name(&mut entry, Tag::Node, b"n003");
        let bucket = Tally::path(&Tally::folder(dir), bucket_of(&entry));
        let whole = std::fs::read(&bucket).unwrap();
        let count = |bytes: &[u8]| {
            std::fs::write(&bucket, bytes).unwrap();
            Tally::load(dir).unwrap().count(Tag::Node, "n003")
        };
        let truth = count(&whole);
        assert!(truth > Some(0));
        assert_eq!(count(&[whole.clone(), b"torn".to_vec()].concat()), truth);
        assert_eq!(count(&whole[1..]), None);
        assert_eq!(count(&[&whole[..5], b"x", &whole[6..]].concat()), None);
        std::fs::remove_file(&bucket).unwrap();
        assert_eq!(Tally::load(dir).unwrap().count(Tag::Node, "n003"), None);
    }
}
