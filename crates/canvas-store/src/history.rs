//! Every question the store asks of its history, answered from one walk.
//!
//! A [`History`] is the set of commits reachable from one head, newest first as `git log` orders
//! them. Which commits *name* a node is known from the records alone; whether a commit *touches* a
//! file is asked second, and only of the commits that matter, because comparing trees is what is
//! dear (dependencies §1).

use std::cell::RefCell;
use std::collections::{BinaryHeap, HashMap, HashSet};
use std::rc::Rc;

use gix::ObjectId;

use crate::facts::{FactsFile, Record, Tag};
use crate::message::{self, Decoded};
use crate::repository::{Entry, GitError, Repository};
use crate::tally::Tally;

/// The commits reachable from a head.
pub struct History<'r> {
    repository: &'r Repository,
    file: FactsFile,
    /// Places in the records, newest first.
    order: Order,
    /// Whether a commit with several parents is among them.
    merges: bool,
    /// The last commit that was looked at for a file.
    last: RefCell<Option<Rc<Looked>>>,
}

/// A commit that edited a node, and what it says.
pub type Edit = (ObjectId, Decoded);

/// A commit, as far as it was read to find one file in it.
struct Looked {
    place: u32,
    file: String,
    entry: Option<Entry>,
    message: Vec<u8>,
}

/// What a commit's record is made of.
pub struct Read {
    /// The committer's date in seconds since the epoch.
    pub time: i64,
    /// The parents.
    pub parents: Vec<ObjectId>,
    /// What the trailers name.
    pub names: Vec<(Tag, Vec<u8>)>,
}

impl<'r> History<'r> {
    /// The history of `head`: what the derived file knows, and a walk over the rest.
    pub fn load(
        repository: &'r Repository,
        head: Option<ObjectId>,
    ) -> Result<History<'r>, GitError> {
        // At the edge of a shallow clone a commit looks like a root, which it may not always be.
        let file = if repository.is_shallow() {
            FactsFile::default()
        } else {
            FactsFile::load(repository.git_dir())
        };
        let mut history = History {
            repository,
            file,
            order: Order::default(),
            merges: false,
            last: RefCell::new(None),
        };
        if let Some(head) = head {
            // What is recorded of a commit does not say that the repository still has it.
            repository.scan(head, |_, _, _| ())?;
            let head = history.extend(head)?;
            history.arrange(head);
        }
        Ok(history)
    }

    /// Records `head` and whatever of its ancestors is not recorded; returns its place.
    fn extend(&mut self, head: ObjectId) -> Result<u32, GitError> {
        match self.file.facts.find(head) {
            Some(place) => Ok(place),
            None => self.record(head),
        }
    }

    /// Records `head`, which is not recorded yet, and what of its ancestors is not.
    fn record(&mut self, head: ObjectId) -> Result<u32, GitError> {
        let mut known = Known { missing: head, places: None };
        let mut pending: HashMap<ObjectId, Read> = HashMap::new();
        let mut stack = vec![head];
        let mut last = 0;
        while let Some(id) = stack.last().copied() {
            if let Some(place) = known.find(&self.file, id) {
                last = place;
                stack.pop();
                continue;
            }
            let commit = match pending.remove(&id) {
                Some(commit) => commit,
                None => {
                    let commit = read(self.repository, id)?;
                    let unknown = commit
                        .parents
                        .iter()
                        .filter(|parent| known.find(&self.file, **parent).is_none());
                    let before = stack.len();
                    stack.extend(unknown);
                    if stack.len() > before {
                        pending.insert(id, commit);
                        continue;
                    }
                    commit
                }
            };
            let parents = commit
                .parents
                .iter()
                .filter_map(|parent| known.find(&self.file, *parent))
                .collect();
            let record = Record { id, time: commit.time, parents, names: commit.names };
            last = self.file.facts.push(&record);
            known.add(id, last);
            stack.pop();
        }
        Ok(last)
    }

    /// Orders what is reachable from the record `head` as `git log` does: by commit date, newest
    /// first, a commit entering when one of its children has been listed.
    fn arrange(&mut self, head: u32) {
        let facts = &self.file.facts;
        if facts.is_chain(head) {
            self.order = Order { length: head as usize + 1, listed: None };
            return;
        }
        let mut seen = vec![false; facts.len()];
        let mut queue = BinaryHeap::new();
        let mut arrival = u64::MAX;
        let mut enter = |place: u32, queue: &mut BinaryHeap<(i64, u64, u32)>| {
            if let Some(seen) = seen.get_mut(place as usize)
                && !*seen
            {
                *seen = true;
                queue.push((facts.time(place), arrival, place));
                arrival -= 1;
            }
        };
        enter(head, &mut queue);
        let mut order = Vec::with_capacity(facts.len());
        while let Some((_, _, place)) = queue.pop() {
            order.push(place);
            let parents = facts.parents(place);
            self.merges |= parents.len() > 1;
            for parent in parents {
                enter(parent, &mut queue);
            }
        }
        self.order = Order { length: order.len(), listed: Some(order) };
    }

    /// Adds the commit that was just made on top of the head.
    pub fn advance(&mut self, id: ObjectId) -> Result<(), GitError> {
        let place = self.record(id)?;
        self.arrange(place);
        Ok(())
    }

    /// Writes what was learned into the derived files, `tip` being the newest commit. They are only
    /// copies, so a failure is no matter.
    pub fn save(&mut self, tip: ObjectId) {
        let git_dir = self.repository.git_dir();
        if self.repository.is_shallow() {
            return;
        }
        if self.order.listed.is_some() && !self.merges {
            self.straighten();
        }
        let saved = self.file.save(git_dir);
        if saved.is_ok()
            && self.order.listed.is_none()
            && self.order.length == self.file.facts.len()
        {
            let _ = Tally::rebuild(git_dir, &self.file, tip);
        }
    }

    /// Keeps only the records of this history, which is one line: those of commits that were taken
    /// back stand between them and are in the way of everything that is fast on a line.
    fn straighten(&mut self) {
        let mut file = FactsFile::default();
        for place in self.order.newest_first().rev() {
            let Some(id) = self.file.facts.id(place) else { return };
            let time = self.file.facts.time(place);
            let parents = (file.facts.len() as u32).checked_sub(1).into_iter().collect();
            let names =
                self.file.facts.names(place).map(|(tag, name)| (tag, name.to_vec())).collect();
            file.facts.push(&Record { id, time, parents, names });
        }
        self.order = Order { length: file.facts.len(), listed: None };
        self.last.take();
        self.file = file;
    }

    /// The commits of this history that name `name`, newest first.
    fn naming(&self, tag: Tag, name: &str) -> Vec<u32> {
        let mut places = self.file.facts.naming(tag, name.as_bytes());
        match &self.order.listed {
            None => {
                places.retain(|place| (*place as usize) < self.order.length);
                places.reverse();
                places
            }
            Some(listed) => {
                let named: HashSet<u32> = places.into_iter().collect();
                listed.iter().copied().filter(|place| named.contains(place)).collect()
            }
        }
    }

    fn names(&self, place: u32, tag: Tag, name: &str) -> bool {
        self.file.facts.names(place).any(|(t, n)| t == tag && n == name.as_bytes())
    }

    fn commit_id(&self, place: u32) -> Result<ObjectId, GitError> {
        self.file.facts.id(place).ok_or_else(|| GitError::words("a commit without a record"))
    }

    /// How many commits, on any file, name `node`: its `v`.
    pub fn count(&self, node: &str) -> usize {
        self.naming(Tag::Node, node).len()
    }

    /// The oldest commit that froze `canvas`.
    pub fn oldest_freeze(&self, canvas: &str) -> Result<Option<ObjectId>, GitError> {
        self.naming(Tag::Freeze, canvas).last().map(|place| self.commit_id(*place)).transpose()
    }

    /// The commits that touch `file` and name `node`, newest first.
    pub fn edits_of(&self, file: &str, node: &str) -> Result<Vec<ObjectId>, GitError> {
        self.on_path(file, self.naming(Tag::Node, node).into_iter())
    }

    /// For each of `nodes` that a commit touching `file` names, all of those commits with what they
    /// say, oldest first; from one walk, however many nodes there are.
    pub fn edits_of_each<'n>(
        &self,
        file: &str,
        nodes: impl IntoIterator<Item = &'n str>,
    ) -> Result<HashMap<&'n str, Vec<Edit>>, GitError> {
        let wanted: HashSet<&str> = nodes.into_iter().collect();
        let mut found: HashMap<&str, Vec<Edit>> = HashMap::new();
        let line = self.line_of(file)?;
        for place in self.order.newest_first() {
            for (tag, name) in self.file.facts.names(place) {
                let name = std::str::from_utf8(name).ok();
                let Some(node) = name.and_then(|name| wanted.get(name).copied()) else { continue };
                if tag != Tag::Node || !line.holds(place) {
                    continue;
                }
                // The commit is read once, for the file and for its words.
                let looked = self.look(place, file)?;
                if self.touches(place, file)? {
                    let commit = self.commit_id(place)?;
                    let edits = found.entry(node).or_default();
                    // A commit that says the name twice is one edit.
                    if edits.last().is_none_or(|(last, _)| *last != commit) {
                        edits.push((commit, message::decode(&looked.message)));
                    }
                }
            }
        }
        found.values_mut().for_each(|edits| edits.reverse());
        Ok(found)
    }

    /// For each of `nodes`, the newest commit that touches `file` and names it.
    pub fn last_edits<'n>(
        &self,
        file: &str,
        nodes: impl IntoIterator<Item = &'n str>,
    ) -> Result<HashMap<&'n str, ObjectId>, GitError> {
        let mut wanted: HashSet<&str> = nodes.into_iter().collect();
        let mut found = HashMap::new();
        let line = self.line_of(file)?;
        for place in self.order.newest_first() {
            if wanted.is_empty() {
                break;
            }
            for (tag, name) in self.file.facts.names(place) {
                let Some(node) =
                    std::str::from_utf8(name).ok().and_then(|name| wanted.get(name).copied())
                else {
                    continue;
                };
                if tag == Tag::Node && line.holds(place) && self.touches(place, file)? {
                    wanted.remove(node);
                    found.insert(node, self.commit_id(place)?);
                }
            }
        }
        Ok(found)
    }

    /// The newest commit that touches `file`.
    pub fn last_change(&self, file: &str) -> Result<Option<ObjectId>, GitError> {
        let line = self.line_of(file)?;
        for place in self.order.newest_first() {
            if line.holds(place) && self.touches(place, file)? {
                return self.commit_id(place).map(Some);
            }
        }
        Ok(None)
    }

    /// Shows `decide` each commit that may have moved one of the `undecided` in `file`, newest first,
    /// until it has said of every one of them that this was the commit looked for.
    pub fn moves<'n>(
        &self,
        file: &str,
        undecided: &mut HashSet<&'n str>,
        mut decide: impl FnMut(ObjectId, &'n str) -> Result<bool, GitError>,
    ) -> Result<(), GitError> {
        let line = self.line_of(file)?;
        for place in self.order.newest_first() {
            if undecided.is_empty() {
                break;
            }
            for (tag, name) in self.file.facts.names(place) {
                if tag != Tag::Move {
                    continue;
                }
                let name = std::str::from_utf8(name).ok();
                let Some(node) = name.and_then(|name| undecided.get(name).copied()) else {
                    continue;
                };
                // A commit with one parent that does not touch the file has moved nothing in it, so
                // only of a merge is it worth asking.
                let merge = self.file.facts.parents(place).len() > 1;
                if line.holds(place)
                    && (!merge || self.touches(place, file)?)
                    && decide(self.commit_id(place)?, node)?
                {
                    undecided.remove(node);
                }
            }
        }
        Ok(())
    }

    /// The commits that are reachable from the head and not from `base`, that touch `file`, newest
    /// first, each with whether it names `node`; none when `base` is no ancestor of the head.
    pub fn since(
        &self,
        base: ObjectId,
        file: &str,
        node: Option<&str>,
    ) -> Result<Option<Vec<(ObjectId, bool)>>, GitError> {
        let mut newest_first = self.order.newest_first();
        let at = newest_first.position(|place| self.file.facts.id(place) == Some(base));
        let Some(at) = at else { return Ok(None) };
        let newer: Vec<u32> = if self.merges {
            let below = self.order.newest_first().nth(at).map(|place| self.below(place));
            let below = below.unwrap_or_default();
            self.order.newest_first().filter(|place| !below[*place as usize]).collect()
        } else {
            self.order.newest_first().take(at).collect()
        };
        let line = self.line_of(file)?;
        let mut found = Vec::new();
        for place in newer {
            if line.holds(place) && self.touches(place, file)? {
                let names = node.is_some_and(|node| self.names(place, Tag::Node, node));
                found.push((self.commit_id(place)?, names));
            }
        }
        Ok(Some(found))
    }

    /// Which records are reachable from `place`, itself included.
    fn below(&self, place: u32) -> Vec<bool> {
        let mut below = vec![false; self.file.facts.len()];
        let mut stack = vec![place];
        while let Some(place) = stack.pop() {
            if !std::mem::replace(&mut below[place as usize], true) {
                stack.extend(self.file.facts.parents(place));
            }
        }
        below
    }

    fn on_path(
        &self,
        file: &str,
        places: impl Iterator<Item = u32>,
    ) -> Result<Vec<ObjectId>, GitError> {
        let line = self.line_of(file)?;
        let mut found = Vec::new();
        for place in places {
            if line.holds(place) && self.touches(place, file)? {
                found.push(self.commit_id(place)?);
            }
        }
        Ok(found)
    }

    /// Whether the commit at `place` changes `file` against every parent it has.
    fn touches(&self, place: u32, file: &str) -> Result<bool, GitError> {
        let here = self.entry(place, file)?;
        let parents = self.file.facts.parents(place);
        if parents.len() == 0 {
            return Ok(here.is_some());
        }
        for parent in parents {
            if self.entry(parent, file)? == here {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// `file` as the commit at `place` has it.
    fn entry(&self, place: u32, file: &str) -> Result<Option<Entry>, GitError> {
        Ok(self.look(place, file)?.entry)
    }

    /// Reads the commit at `place` and finds `file` in it. The last answer is kept: on a line of
    /// commits the parent of one is the next that is asked about.
    fn look(&self, place: u32, file: &str) -> Result<Rc<Looked>, GitError> {
        if let Some(last) = self.last.borrow().as_ref()
            && last.place == place
            && last.file == file
        {
            return Ok(Rc::clone(last));
        }
        let commit = self.repository.commit(self.commit_id(place)?)?;
        let entry = self.repository.entry(commit.tree, file)?;
        let looked =
            Rc::new(Looked { place, file: file.to_owned(), entry, message: commit.message });
        self.last.replace(Some(Rc::clone(&looked)));
        Ok(looked)
    }

    /// The commits that `git log -- file` looks at: at a merge that has the file as one parent has
    /// it, only that parent's side is followed.
    fn line_of(&self, file: &str) -> Result<Line, GitError> {
        if !self.merges {
            return Ok(Line(None));
        }
        let Some(head) = self.order.newest_first().next() else { return Ok(Line(None)) };
        let mut held = HashSet::new();
        let mut stack = vec![head];
        while let Some(place) = stack.pop() {
            if !held.insert(place) {
                continue;
            }
            let parents = self.file.facts.parents(place);
            let mut same = None;
            if parents.len() > 1 {
                let here = self.entry(place, file)?;
                for parent in self.file.facts.parents(place) {
                    if self.entry(parent, file)? == here {
                        same = Some(parent);
                        break;
                    }
                }
            }
            match same {
                Some(parent) => stack.push(parent),
                None => stack.extend(parents),
            }
        }
        Ok(Line(Some(held)))
    }
}

/// The commits of a history, as places in the records.
#[derive(Default)]
struct Order {
    length: usize,
    /// The places, newest first; none where they are simply all below `length`.
    listed: Option<Vec<u32>>,
}

impl Order {
    fn newest_first(&self) -> impl DoubleEndedIterator<Item = u32> + ExactSizeIterator {
        (0..self.length).map(|at| match &self.listed {
            Some(listed) => listed[at],
            None => (self.length - 1 - at) as u32,
        })
    }
}

/// Which commits belong to a file's own history; all of them where there is no merge.
struct Line(Option<HashSet<u32>>);

impl Line {
    fn holds(&self, place: u32) -> bool {
        self.0.as_ref().is_none_or(|held| held.contains(&place))
    }
}

/// Finds the places of commits during a walk. The map is made only when the newest record, which is
/// nearly always the parent of what is new, is not the one looked for.
struct Known {
    /// The commit the walk began with; it is recorded last.
    missing: ObjectId,
    places: Option<HashMap<ObjectId, u32>>,
}

impl Known {
    fn find(&mut self, file: &FactsFile, id: ObjectId) -> Option<u32> {
        if id == self.missing {
            return None;
        }
        let facts = &file.facts;
        let count = facts.len() as u32;
        let newest = count.checked_sub(1)?;
        if facts.id(newest) == Some(id) {
            return Some(newest);
        }
        let places = self.places.get_or_insert_with(|| {
            (0..count).filter_map(|place| facts.id(place).map(|id| (id, place))).collect()
        });
        places.get(&id).copied()
    }

    fn add(&mut self, id: ObjectId, place: u32) {
        if let Some(places) = &mut self.places {
            places.insert(id, place);
        }
    }
}

/// Reads what the record of one commit is made of.
pub fn read(repository: &Repository, id: ObjectId) -> Result<Read, GitError> {
    repository.scan(id, |time, parents, message| Read {
        time,
        parents,
        names: if message::may_name(message) {
            names(&message::decode(message))
        } else {
            Vec::new()
        },
    })
}

/// What a decoded message names.
fn names(decoded: &Decoded) -> Vec<(Tag, Vec<u8>)> {
    let nodes = decoded.nodes.iter().map(|name| (Tag::Node, name.clone()));
    let freezes = decoded.freezes.iter().map(|name| (Tag::Freeze, name.clone()));
    let moved: &[Vec<u8>] = if decoded.verb() == "move" { &decoded.nodes } else { &[] };
    let moves = moved.iter().map(|name| (Tag::Move, name.clone()));
    nodes.chain(freezes).chain(moves).collect()
}
