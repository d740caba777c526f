//! The history as an edit needs it: how often a name stands in it, and what a new commit adds.
//!
//! Most edits ask nothing else, and then the tally answers. What the tally cannot answer, or when
//! there is none that is true for the head, comes from the whole [`History`], loaded at that moment.

use std::cell::OnceCell;

use gix::ObjectId;

use crate::facts::Tag;
use crate::history::{History, Read, read};
use crate::repository::{GitError, Repository};
use crate::tally::Tally;

/// The history of one head, for a writer.
pub struct Past<'r> {
    repository: &'r Repository,
    head: Option<ObjectId>,
    tally: Option<Tally>,
    /// The commits that other git processes made on top of what is tallied, oldest first.
    newer: Vec<(ObjectId, Read)>,
    whole: OnceCell<History<'r>>,
}

impl<'r> Past<'r> {
    /// The history of `head`.
    pub fn of(repository: &'r Repository, head: Option<ObjectId>) -> Result<Past<'r>, GitError> {
        let mut past =
            Past { repository, head, tally: None, newer: Vec::new(), whole: OnceCell::new() };
        if let Some(head) = head.filter(|_| !repository.is_shallow()) {
            // What is tallied does not say that the repository still has the commit.
            repository.scan(head, |_, _, _| ())?;
            if let Some(tally) = Tally::load(repository.git_dir())
                && let Some(newer) = line_down_to(repository, head, tally.tip())?
            {
                (past.tally, past.newer) = (Some(tally), newer);
            }
        }
        if past.tally.is_none() {
            past.whole()?;
        }
        Ok(past)
    }

    /// The whole history.
    pub fn whole(&self) -> Result<&History<'r>, GitError> {
        if let Some(history) = self.whole.get() {
            return Ok(history);
        }
        let history = History::load(self.repository, self.head)?;
        Ok(self.whole.get_or_init(|| history))
    }

    /// How many commits, on any file, name `node`: its `v`.
    pub fn count(&self, node: &str) -> Result<usize, GitError> {
        match self.tally.as_ref().and_then(|tally| tally.count(Tag::Node, node)) {
            Some(count) => {
                let names = |read: &Read| {
                    read.names.iter().any(|(t, n)| *t == Tag::Node && n == node.as_bytes())
                };
                Ok(count + self.newer.iter().filter(|(_, read)| names(read)).count())
            }
            None => Ok(self.whole()?.count(node)),
        }
    }

    /// Adds the commit that was just made on top of the head, to the derived files as well. They are
    /// only copies, so a failure is no matter: it is made up for when they are next needed.
    pub fn advance(&mut self, commit: ObjectId) {
        let whole = self.whole.take();
        let before = self.head.replace(commit);
        if self.add_to_tally(before, commit).is_some() {
            return;
        }
        self.newer.clear();
        let history = match whole {
            Some(mut history) => history.advance(commit).map(|()| history),
            None => History::load(self.repository, Some(commit)),
        };
        if let Ok(mut history) = history {
            history.save(commit);
            self.tally =
                Tally::load(self.repository.git_dir()).filter(|tally| tally.tip() == commit);
            let _ = self.whole.set(history);
        }
    }

    fn add_to_tally(&mut self, before: Option<ObjectId>, commit: ObjectId) -> Option<()> {
        // Until it is known to be true again there is none.
        let mut tally = self.tally.take()?;
        let read = read(self.repository, commit).ok()?;
        if read.parents.as_slice() != before.as_slice() {
            return None;
        }
        let git_dir = self.repository.git_dir();
        for (id, read) in std::mem::take(&mut self.newer).into_iter().chain([(commit, read)]) {
            tally.append(git_dir, id, read.time, read.names).ok()?;
        }
        self.tally = Some(tally);
        Some(())
    }
}

/// How many commits of others are taken into the tally one by one.
const NEWER: usize = 64;

/// The commits from `head` down to `tip`, which is not one of them, oldest first; none when they are
/// not a short line.
fn line_down_to(
    repository: &Repository,
    head: ObjectId,
    tip: ObjectId,
) -> Result<Option<Vec<(ObjectId, Read)>>, GitError> {
    let mut line = Vec::new();
    let mut at = head;
    while at != tip {
        let commit = read(repository, at)?;
        let [parent] = commit.parents.as_slice() else { return Ok(None) };
        if line.len() == NEWER {
            return Ok(None);
        }
        let below = *parent;
        line.push((at, commit));
        at = below;
    }
    line.reverse();
    Ok(Some(line))
}
