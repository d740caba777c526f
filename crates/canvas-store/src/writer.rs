//! The one write path: a canvas's bytes, git's index and the head move together or not at all.
//!
//! The order is what makes it safe. Everything that can fail for want of space or rights happens
//! before the file is put in place; the file is put in place before the head moves; the head moves
//! by one rename. Before that rename any failure is taken back; after it nothing is. An intent,
//! recorded first and cleared last, lets the next writer finish or undo what a killed one left
//! (canvas-store §2.6, decision 19).

use std::fs;
use std::io;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

use canvas_document::{BYTES, Document, Trespass, Verdict, birth, changed, examine};
use gix::ObjectId;
use gix::objs::Kind;

use crate::disk;
use crate::hooks::Hooks;
use crate::identity::Identity;
use crate::lock::{self, Intent, LockError, OwnedLock, PRIVATE, StoreLock};
use crate::message::{self, Message};
use crate::os::{self, Act};
use crate::past::Past;
use crate::refs::{Head, MoveError, RefLock};
use crate::refusal::{
    CANVAS, Exit, Next, Refusal, Subject, VALIDATE, command_word, escape, shell_quote,
};
use crate::repository::{GitError, Repository, cannot_tell, object_id};
use crate::request::Environment;
use crate::staged;
use crate::workspace::{Place, cannot_write};

/// The mode of every canvas in a tree.
const FILE_MODE: &str = "100644";
/// The private name under which a hook's view of the index lies.
const HOOK_INDEX: &str = "hook-index";

/// A writer that holds the store's lock.
pub struct Writer<'r> {
    repository: &'r Repository,
    place: Place,
    lock: StoreLock,
    identity: Identity,
}

/// What one commit says.
pub struct Change<'a> {
    /// `create`, `insert`, `replace`, `remove`, `move` or `freeze`.
    pub verb: &'static str,
    /// The node id or the canvas id in the subject.
    pub name: &'a str,
    /// The reason, already accepted.
    pub reason: &'a str,
    /// The one node that is changed.
    pub node: Option<&'a str>,
    /// The author, already accepted.
    pub author: &'a str,
}

/// The canvas as a writer found it.
pub struct Found {
    /// The bytes at the path.
    pub bytes: Vec<u8>,
    /// Their tree.
    pub document: Document,
}

/// Why a write did not happen.
pub enum NotStored {
    /// It is refused.
    Refused(Box<Refusal>),
    /// Another git process moved the head in the meantime; everything is as it was, try again.
    HeadMoved,
}

impl From<Refusal> for NotStored {
    fn from(refusal: Refusal) -> NotStored {
        NotStored::Refused(Box::new(refusal))
    }
}

/// A step that failed between the first change and the publication, in the words of the message.
enum Failed {
    /// The canvas file itself could not be written.
    File(PathBuf, io::Error),
    /// A step of git's, named as its command line.
    Git(&'static str, GitError),
    /// The head is no longer what the edit was applied to.
    HeadMoved,
}

/// git's command line for putting the file into the index.
const ADD: &str = "add -f --";
/// git's command line for making the commit.
const COMMIT: &str = "commit -q -m <message> --";

impl<'r> Writer<'r> {
    /// Takes the store's lock and heals what a dead writer left.
    pub fn begin(
        repository: &'r Repository,
        place: &Place,
        environment: &Environment,
    ) -> Result<Writer<'r>, Refusal> {
        let git_dir = repository.git_dir();
        let (lock, intent) =
            StoreLock::take(git_dir).map_err(|error| no_lock(repository, place, error))?;
        let told = |error: GitError| cannot_tell(repository.dir(), &error);
        let head = repository.head().map_err(told)?;
        let identity = Identity::load(environment, repository.work_tree(), git_dir, &head.name)
            .map_err(told)?;
        let writer = Writer { repository, place: place.clone(), lock, identity };
        writer.heal(&head, intent.as_ref()).map_err(|error| {
            let refusal = match (&error.path, error.error) {
                (Some(path), Some(io)) => {
                    let lead = "an interrupted write of another process cannot be taken back";
                    os::refusal(lead, &io, Act::Write, path, repository_at(repository))
                }
                _ => cannot_tell(repository.dir(), &GitError::words(error.words)),
            };
            refusal.and(writer.place.canvas())
        })?;
        Ok(writer)
    }

    /// Who commits, from git's configuration.
    pub fn identity(&self) -> &Identity {
        &self.identity
    }

    /// Finishes or undoes the write that `intent` announced, and removes what its writer left.
    fn heal(&self, head: &Head, intent: Option<&Intent>) -> Result<(), GitError> {
        let git_dir = self.repository.git_dir();
        let index = git_dir.join("index");
        let reference = git_dir.join(&head.name);
        lock::sweep(git_dir, &[("index", &index), ("ref", &reference)])
            .map_err(|(path, error)| GitError::io(&path, error))?;
        let Some(intent) = intent else { return Ok(()) };
        let dir = self.repository.dir();
        for name in [&intent.temporary, &intent.back] {
            let path = dir.join(name);
            disk::remove_if_there(&path).map_err(|error| GitError::io(&path, error))?;
        }
        let stored = match head.commit {
            Some(commit) => self.repository.entry_at(commit, &intent.file)?,
            None => None,
        };
        let path = dir.join(&intent.file);
        if stored.is_some_and(|entry| entry.id == intent.new) {
            // The commit is published; git's index may not have followed.
            if staged::staged(self.repository, &intent.file)? != Some(intent.new) && path.exists() {
                self.restage(&intent.file, intent.new)?;
            }
        } else if content_id(&path)? == Some(intent.new) {
            // Under the name that the intent knows: this may be interrupted as well.
            self.put_back(&path, intent.old, &dir.join(&intent.back))?;
        }
        let clear = || self.lock.clear();
        twice(clear).map_err(|error| GitError::io(&git_dir.join(PRIVATE).join("lock"), error))
    }

    /// Puts the blob `old` back at `path`, or removes the file when there was none.
    fn put_back(&self, path: &Path, old: Option<ObjectId>, back: &Path) -> Result<(), GitError> {
        let failed = |error| GitError::io(path, error);
        match old {
            Some(old) => {
                let bytes = self.repository.blob(old)?;
                twice(|| replace(back, path, &bytes)).map_err(failed)
            }
            None => twice(|| disk::remove_if_there(path).and_then(|()| disk::sync_parent(path)))
                .map_err(failed),
        }
    }

    /// Puts one entry into git's index.
    fn restage(&self, file: &str, id: ObjectId) -> Result<(), GitError> {
        let index = self.repository.git_dir().join("index");
        let lock = OwnedLock::take(self.repository.git_dir(), "index", &index, b"")
            .map_err(|(path, error)| lock_error(&path, error))?;
        let bytes = staged::with_entry(self.repository, file, id)?;
        lock.fill(&bytes)
            .and_then(|()| lock.commit(&index))
            .map_err(|error| GitError::io(&index, error))
    }

    /// Stores `after` in the place of what is on the disk, as one commit on top of `head`.
    ///
    /// `found` is what the edit was applied to, or none for a birth. On success the history has
    /// been advanced and the commit is on the disk.
    pub fn store(
        &self,
        change: &Change<'_>,
        found: Option<&Found>,
        after: &Document,
        head: &Head,
        past: &mut Past<'r>,
    ) -> Result<ObjectId, NotStored> {
        let (bytes, before) = self.approve(change, found, after)?;
        let told = |error: GitError| {
            cannot_tell(self.repository.dir(), &error).and_all(self.labels(change))
        };
        let entry = match head.commit {
            Some(commit) => self.repository.entry_at(commit, &self.place.file).map_err(told)?,
            None => None,
        };
        let old = before
            .as_deref()
            .map(|bytes| object_id(Kind::Blob, bytes))
            .transpose()
            .map_err(told)?;
        let new = object_id(Kind::Blob, &bytes).map_err(told)?;
        let process = std::process::id();
        let temporary = format!("{}.tmp-{process}", self.place.file);
        let back = format!("{}.back-{process}", self.place.file);
        let mut write = Write {
            writer: self,
            change,
            head,
            old,
            new,
            bytes: &bytes,
            temporary: self.path_beside(&temporary),
            back: self.path_beside(&back),
            placed: false,
        };
        if let (Some(old), Some(before)) = (old, &before)
            && entry.is_none_or(|entry| entry.id != old)
        {
            // A hand edit is about to be overwritten: a rollback must be able to bring it back.
            self.repository
                .write(Kind::Blob, before)
                .map_err(|error| write.refusal(Failed::Git(ADD, error), Fate::Untouched))?;
        }
        let intent = Intent { file: self.place.file.clone(), old, new, temporary, back };
        self.lock.record(&intent).map_err(|error| {
            let path = self.repository.git_dir().join(PRIVATE).join("lock");
            write.refusal(Failed::Git(ADD, GitError::io(&path, error)), Fate::Untouched)
        })?;
        match write.run() {
            Ok(published) => self.conclude(published, past, change),
            Err(failed) => Err(write.take_back(failed)),
        }
    }

    fn path_beside(&self, name: &str) -> PathBuf {
        self.repository.dir().join(name)
    }

    /// Commits the end of the work: nothing changes but the head (canvas-store §3.11, D-11).
    pub fn freeze(
        &self,
        change: &Change<'_>,
        head: &Head,
        past: &mut Past<'r>,
    ) -> Result<ObjectId, NotStored> {
        let told = |error: GitError| cannot_tell(self.repository.dir(), &error);
        let parent =
            head.commit.map(|commit| self.repository.commit(commit)).transpose().map_err(told)?;
        let refuse = |failed: Failed| match failed {
            Failed::HeadMoved => NotStored::HeadMoved,
            Failed::File(path, error) => cannot_write(&self.place, &error, &path).into(),
            Failed::Git(step, error) => {
                git_refused(self, change, step, &error, head, Fate::Untouched).into()
            }
        };
        let tree = parent
            .map(|parent| parent.tree)
            .unwrap_or_else(|| ObjectId::empty_tree(gix::hash::Kind::Sha1));
        let published = self.publish(change, head, tree, None, None).map_err(refuse)?;
        self.conclude(published, past, change)
    }

    /// Serialises the candidate and judges the bytes: the grammar, then the one-node rule against
    /// the disk as it is now. Returns the candidate's bytes and those on the disk, which are what an
    /// undone write must bring back.
    fn approve(
        &self,
        change: &Change<'_>,
        found: Option<&Found>,
        after: &Document,
    ) -> Result<(Vec<u8>, Option<Vec<u8>>), Refusal> {
        let label = self.place.path.display().to_string();
        let bytes = after.to_bytes().map_err(|fault| {
            let diagnostic = canvas_document::Diagnostic::not_well_formed(&label, &fault);
            self.invalid(change, &[diagnostic])
        })?;
        let (verdict, reparsed) = examine(&label, &bytes);
        if verdict != Verdict::Valid {
            return Err(self.invalid(change, verdict.diagnostics()));
        }
        let candidate = reparsed.map_err(|fault| {
            let diagnostic = canvas_document::Diagnostic::not_well_formed(&label, &fault);
            self.invalid(change, &[diagnostic])
        })?;
        let Some(found) = found else {
            if self.place.look()?.is_some() {
                return Err(self.trespass(
                    change,
                    &Trespass::default(),
                    "a canvas is there already",
                ));
            }
            birth(&candidate).map_err(|trespass| self.trespass(change, &trespass, ""))?;
            return Ok((bytes, None));
        };
        let now = self.place.bytes(BYTES)?;
        let moved;
        let before = if now == found.bytes {
            &found.document
        } else {
            moved = Document::parse(&now).map_err(|fault| not_well_formed(&self.place, &fault))?;
            &moved
        };
        changed(before, &candidate, change.node)
            .map_err(|trespass| self.trespass(change, &trespass, ""))?;
        Ok((bytes, Some(now)))
    }

    /// The refusal for a document that the grammar, or XML, does not allow.
    fn invalid(&self, change: &Change<'_>, diagnostics: &[canvas_document::Diagnostic]) -> Refusal {
        let what = change
            .node
            .map_or_else(|| format!("canvas {}", self.place.id), |node| format!("node {node}"));
        let mut next = String::from(
            "change what the diagnostics name and re-run; schema/canvas.rng is where it is written what \
             a canvas node may be",
        );
        for advice in diagnostics.iter().filter_map(|diagnostic| diagnostic.advice.as_deref()) {
            next.push_str(&format!("; {advice}"));
        }
        let mut refusal = Refusal::new(
            Exit::Conflict,
            format!("{}: {what} would make the canvas invalid; nothing was written", change.verb),
            self.place.canvas(),
            Next::new(next),
        )
        .and_all(change.node.map(Subject::node));
        if change.node.is_none() || change.verb == "create" {
            refusal = refusal.and(self.place.identifier());
        }
        for diagnostic in diagnostics {
            refusal = refusal.detail(diagnostic.to_string());
        }
        refusal
    }

    /// The refusal of the one-node rule.
    fn trespass(&self, change: &Change<'_>, trespass: &Trespass, why: &str) -> Refusal {
        let detail = if why.is_empty() {
            trespass.to_string()
        } else {
            format!("one edit is one node; {why}")
        };
        let others = trespass.nodes.iter().chain(&trespass.repeated);
        let named = change.node.into_iter().map(str::to_owned).chain(others.cloned());
        let containers = trespass.containers.iter().map(|id| {
            if id == canvas_document::ROOT {
                Subject::about("container", "the root")
            } else {
                Subject::about("container", id.clone())
            }
        });
        Refusal::new(
            Exit::Conflict,
            format!("{}: {detail}; nothing was written", change.verb),
            self.place.canvas(),
            Next::new(format!(
                "`{CANVAS} read {}` shows the canvas as it is; decide again and edit one node",
                self.place.id
            )),
        )
        .and_all(named.filter(|id| id != canvas_document::ROOT).map(Subject::Node))
        .and_all(containers)
    }

    /// Makes the commit object and moves the head onto it.
    fn publish(
        &self,
        change: &Change<'_>,
        head: &Head,
        tree: ObjectId,
        blob: Option<ObjectId>,
        index: Option<OwnedLock>,
    ) -> Result<Published, Failed> {
        let commit = |error: GitError| Failed::Git(COMMIT, error);
        let parent = head.commit;
        // A birth has no state before it that it could have been decided against.
        let base = parent.filter(|_| change.verb != "create").map(|id| id.to_string());
        let composed = Message {
            verb: change.verb,
            name: change.name,
            reason: change.reason,
            node: change.node,
            freeze: (change.verb == "freeze").then_some(change.name),
            author: change.author,
            base: base.as_deref(),
        }
        .compose();
        let git_dir = self.repository.git_dir();
        let hooks = self.hooks();
        let hook_index = git_dir.join(PRIVATE).join(HOOK_INDEX);
        let text = if hooks.any(&["pre-commit", "prepare-commit-msg", "commit-msg"]) {
            let seen = staged::of_tree(
                self.repository,
                Some(tree),
                blob.map(|id| (self.place.file.as_str(), id)),
            )
            .map_err(commit)?;
            fs::write(&hook_index, seen)
                .map_err(|error| commit(GitError::io(&hook_index, error)))?;
            let text = self.consult(&hooks, &hook_index, &composed);
            let _ = fs::remove_file(&hook_index);
            text.map_err(commit)?
        } else {
            composed
        };
        let object = self.commit_object(tree, parent, &text).map_err(commit)?;
        let id = self.repository.write(Kind::Commit, &object).map_err(commit)?;
        let reference = RefLock::prepare(git_dir, head, id).map_err(|error| match error {
            MoveError::Moved => Failed::HeadMoved,
            MoveError::Ref(error) => commit(error.into()),
            MoveError::Io { path, error } => commit(lock_error(&path, error)),
        })?;
        let null = ObjectId::null(gix::hash::Kind::Sha1);
        let transaction = format!("{} {id} {}\n", parent.unwrap_or(null), head.name);
        let index_path = git_dir.join("index");
        hooks
            .run("reference-transaction", &["prepared"], &index_path, &transaction)
            .map_err(commit)?;
        let path = reference
            .publish()
            .map_err(|error| commit(GitError::io(&git_dir.join(&head.name), error)))?;
        Ok(Published {
            commit: id,
            parent,
            reference: path,
            name: head.name.clone(),
            index,
            transaction,
        })
    }

    fn hooks(&self) -> Hooks<'_> {
        Hooks {
            directory: &self.identity.hooks,
            work_tree: self.repository.work_tree(),
            git_dir: self.repository.git_dir(),
        }
    }

    /// Lets the hooks see the commit and its message; returns the message they leave.
    fn consult(
        &self,
        hooks: &Hooks<'_>,
        index: &Path,
        composed: &[u8],
    ) -> Result<Vec<u8>, GitError> {
        let path = self.repository.git_dir().join("COMMIT_EDITMSG");
        let shown = path.display().to_string();
        hooks.run("pre-commit", &[], index, "")?;
        fs::write(&path, composed).map_err(|error| GitError::io(&path, error))?;
        hooks.run("prepare-commit-msg", &[&shown, "message"], index, "")?;
        hooks.run("commit-msg", &[&shown], index, "")?;
        let text = fs::read(&path).map_err(|error| GitError::io(&path, error))?;
        let (before, after) = (message::decode(composed), message::decode(&text));
        if before != after {
            return Err(GitError::words(
                "a hook changed the subject or the Canvas trailers of the commit message, so the commit \
                 would no longer say what was done and why",
            ));
        }
        Ok(text)
    }

    fn commit_object(
        &self,
        tree: ObjectId,
        parent: Option<ObjectId>,
        text: &[u8],
    ) -> Result<Vec<u8>, GitError> {
        let now = SystemTime::now()
            .duration_since(UNIX_EPOCH)
            .map_err(|_| GitError::words("the clock of this machine stands before 1970"))?
            .as_secs();
        let who = format!("{} <{}> {now} +0000", self.identity.name(), self.identity.email);
        let mut object = format!("tree {tree}\n");
        if let Some(parent) = parent {
            object.push_str(&format!("parent {parent}\n"));
        }
        object.push_str(&format!("author {who}\ncommitter {who}\n\n"));
        let mut object = object.into_bytes();
        object.extend_from_slice(text);
        Ok(object)
    }

    /// Everything after the one instant of publication: none of it can undo the commit.
    fn conclude(
        &self,
        mut published: Published,
        past: &mut Past<'r>,
        change: &Change<'_>,
    ) -> Result<ObjectId, NotStored> {
        let git_dir = self.repository.git_dir();
        let index_path = git_dir.join("index");
        let durable = twice(|| disk::sync_parent(&published.reference));
        let followed = match published.index.take() {
            Some(lock) => twice(|| lock.commit(&index_path)),
            None => Ok(()),
        };
        if followed.is_ok() {
            // With the intent still there, the next command lets the index follow.
            let _ = twice(|| self.lock.clear());
        }
        if self.identity.reflog {
            self.note(&published, change);
        }
        past.advance(published.commit);
        let hooks = self.hooks();
        // git ignores what these two say.
        let _ =
            hooks.run("reference-transaction", &["committed"], &index_path, &published.transaction);
        let _ = hooks.run("post-commit", &[], &index_path, "");
        crate::maintenance::consider(self.repository);
        durable.map_err(|error| {
            os::refusal(
                format!(
                    "{}: the edit is stored as commit {}, but the disk did not confirm it",
                    change.verb, published.commit
                ),
                &error,
                Act::Write,
                &published.reference,
                repository_at(self.repository),
            )
            .and_all(self.labels(change))
        })?;
        Ok(published.commit)
    }

    /// Notes the move of the head in git's reflogs; a convenience, so its failure is no matter.
    fn note(&self, published: &Published, change: &Change<'_>) {
        let null = ObjectId::null(gix::hash::Kind::Sha1);
        let Ok(now) = SystemTime::now().duration_since(UNIX_EPOCH) else { return };
        let kind = if published.parent.is_some() { "commit" } else { "commit (initial)" };
        let line = format!(
            "{} {} {} <{}> {} +0000\t{kind}: {} {}: {}\n",
            published.parent.unwrap_or(null),
            published.commit,
            self.identity.name(),
            self.identity.email,
            now.as_secs(),
            change.verb,
            change.name,
            change.reason
        );
        let logs = self.repository.git_dir().join("logs");
        for name in ["HEAD", &published.name] {
            let path = logs.join(name);
            if path.parent().is_some_and(|parent| disk::create_dir_all(parent).is_ok()) {
                let _ = disk::append(&path, line.as_bytes());
            }
            if name == published.name {
                break;
            }
        }
    }

    /// What every refusal of a write is about.
    fn labels(&self, change: &Change<'_>) -> Vec<Subject> {
        let mut labels: Vec<Subject> = change.node.map(Subject::node).into_iter().collect();
        labels.push(self.place.identifier());
        labels.push(self.place.canvas());
        labels
    }
}

/// A commit that is part of the store, and what still has to follow it.
struct Published {
    commit: ObjectId,
    parent: Option<ObjectId>,
    reference: PathBuf,
    name: String,
    index: Option<OwnedLock>,
    transaction: String,
}

/// One write of a canvas file, from the first change to the publication.
struct Write<'w, 'r> {
    writer: &'w Writer<'r>,
    change: &'w Change<'w>,
    head: &'w Head,
    old: Option<ObjectId>,
    new: ObjectId,
    bytes: &'w [u8],
    temporary: PathBuf,
    back: PathBuf,
    placed: bool,
}

impl Write<'_, '_> {
    fn run(&mut self) -> Result<Published, Failed> {
        let repository = self.writer.repository;
        let place = &self.writer.place;
        let add = |error: GitError| Failed::Git(ADD, error);
        self.write_temporary()?;
        let id = repository.write(Kind::Blob, self.bytes).map_err(add)?;
        let parent =
            self.head.commit.map(|commit| repository.commit(commit)).transpose().map_err(add)?;
        let tree = repository
            .tree_with(parent.map(|parent| parent.tree), &place.file, id, FILE_MODE)
            .map_err(add)?;
        let tree = repository.write(Kind::Tree, &tree).map_err(add)?;
        let index_path = repository.git_dir().join("index");
        let index = OwnedLock::take(repository.git_dir(), "index", &index_path, b"")
            .map_err(|(path, error)| add(lock_error(&path, error)))?;

        let path = &place.path;
        // From here on the path may hold the new bytes, whatever the rename answers.
        self.placed = true;
        disk::rename(&self.temporary, path)
            .and_then(|()| disk::sync_parent(path))
            .map_err(|error| Failed::File(path.clone(), error))?;
        let staged = staged::with_entry(repository, &place.file, id).map_err(add)?;
        index.fill(&staged).map_err(|error| add(GitError::io(&index_path, error)))?;
        self.writer.publish(self.change, self.head, tree, Some(id), Some(index))
    }

    /// Writes the temporary file and reads it back: what was judged is what is on the disk.
    fn write_temporary(&self) -> Result<(), Failed> {
        let failed = |error: io::Error| Failed::File(self.temporary.clone(), error);
        let mode = fs::metadata(&self.writer.place.path)
            .map_or(0o666, |meta| meta.permissions().mode() & 0o666);
        disk::remove_if_there(&self.temporary).map_err(failed)?;
        disk::create_durable(&self.temporary, self.bytes, mode).map_err(failed)?;
        if fs::read(&self.temporary).map_err(failed)? != self.bytes {
            return Err(failed(io::Error::other("the file does not hold what was written to it")));
        }
        Ok(())
    }

    /// Undoes everything and says why.
    fn take_back(&self, failed: Failed) -> NotStored {
        let _ = twice(|| disk::remove_if_there(&self.temporary));
        let restored = if self.placed { self.restore() } else { Ok(()) };
        let fate = match restored {
            Ok(()) => {
                let _ = twice(|| self.writer.lock.clear());
                if self.placed { Fate::TakenBack } else { Fate::Untouched }
            }
            // The intent stays, so that the next command can try again.
            Err(error) => Fate::Stuck(error.words),
        };
        match (failed, fate) {
            (Failed::HeadMoved, Fate::TakenBack | Fate::Untouched) => NotStored::HeadMoved,
            (failed, fate) => self.refusal(failed, fate).into(),
        }
    }

    fn restore(&self) -> Result<(), GitError> {
        let path = &self.writer.place.path;
        if content_id(path)? != Some(self.new) {
            // The rename did not happen, or somebody has already written something else there.
            return Ok(());
        }
        self.writer.put_back(path, self.old, &self.back)
    }

    fn refusal(&self, failed: Failed, fate: Fate) -> Refusal {
        match failed {
            Failed::File(path, error) => {
                let mut refusal = cannot_write(&self.writer.place, &error, &path)
                    .and_all(self.change.node.map(Subject::node));
                if let Fate::Stuck(words) = fate {
                    refusal = refusal.detail(stuck(&self.writer.place, &words));
                }
                refusal
            }
            Failed::Git(step, error) => {
                git_refused(self.writer, self.change, step, &error, self.head, fate)
            }
            Failed::HeadMoved => {
                let error = GitError::words("the head was moved by another git process");
                git_refused(self.writer, self.change, COMMIT, &error, self.head, fate)
            }
        }
    }
}

/// What became of the canvas after a failed write.
enum Fate {
    /// Nothing had been changed.
    Untouched,
    /// The change was undone.
    TakenBack,
    /// Undoing it failed too, for this reason.
    Stuck(String),
}

fn stuck(place: &Place, words: &str) -> String {
    format!(
        "putting the canvas back was refused too: {}; {} still holds the edit, and no commit has it",
        escape(words),
        place.path.display()
    )
}

/// The refusal for a step that git, or the repository, would not take (canvas-store §3.12).
fn git_refused(
    writer: &Writer<'_>,
    change: &Change<'_>,
    step: &str,
    error: &GitError,
    head: &Head,
    fate: Fate,
) -> Refusal {
    let place = &writer.place;
    let path = place.path.display().to_string();
    let at = head.commit.map_or_else(|| String::from("no commit yet"), |id| id.to_string());
    let status = writer.repository.pinned("status");
    let held = |verb: &str| match (change.verb, head.commit) {
        ("create", _) | (_, None) => format!("the file {path} was removed again; the head is {at}"),
        _ => format!("{path} {verb} what the head {at} has"),
    };
    let mut message =
        format!("{}: git {step} {} failed: {}", change.verb, shell_quote(&path), error.words);
    let now = match fate {
        Fate::Untouched if change.verb == "freeze" => {
            format!("{path} is untouched and the head is still {at}")
        }
        Fate::Untouched | Fate::TakenBack => held("holds again"),
        Fate::Stuck(words) => {
            message.push_str("; ");
            message.push_str(&stuck(place, &words));
            format!(
                "{path} still holds the edit, and the head {at} does not; the next write puts it back"
            )
        }
    };
    let refusal = Refusal::new(
        Exit::Tool,
        message,
        repository_at(writer.repository),
        Next::new(format!(
            "{now}; see what stands in the way with {status}, resolve it and re-run{}",
            mend(writer.repository, error).unwrap_or_default()
        )),
    )
    .and_all(change.node.map(Subject::node))
    .and(Subject::about("command", "git"))
    .and(place.canvas())
    .and(place.identifier());
    match (&error.path, &error.error) {
        (Some(path), Some(io)) => refusal.and_all(os::subjects(io, &[path])),
        _ => refusal,
    }
}

/// What git's status cannot show: a disk that takes nothing, and the one right whose absence in `.git`
/// itself made `error`, as a repair.
fn mend(repository: &Repository, error: &GitError) -> Option<String> {
    let git_dir = repository.git_dir();
    let errno = error.error.as_ref().and_then(os::errno);
    if let Some(28 | 30 | 122) = errno {
        let space = os::with("df -h", git_dir);
        return Some(format!("; look at the free space, and how it is mounted, {space}"));
    }
    let denied = errno == Some(13);
    if !denied || error.path.as_ref()?.parent()? != git_dir {
        return None;
    }
    let git_dir = command_word(&git_dir.display().to_string())?;
    Some(format!("; run `chmod u+w {git_dir}` if that is what is missing"))
}

/// The store's repository, as a label.
pub fn repository_at(repository: &Repository) -> Subject {
    Subject::about("canvas repository", repository.dir().display().to_string())
}

/// The refusal for a stored document that cannot be parsed (canvas-store §3.12).
pub fn not_well_formed(place: &Place, fault: &canvas_document::Fault) -> Refusal {
    let label = place.path.display().to_string();
    Refusal::new(
        Exit::Conflict,
        format!("the canvas for Canvas identifier {} is not well-formed XML", place.id),
        place.identifier(),
        Next::new(match command_word(&label) {
            Some(path) => {
                format!("`{VALIDATE} {path}` says where; repair the file at that line, then re-run")
            }
            None => format!("{VALIDATE} says where; repair the file at that line, then re-run"),
        }),
    )
    .and(place.canvas())
    .detail(canvas_document::Diagnostic::not_well_formed(&label, fault).to_string())
}

/// Why the store's lock was not had, as a refusal.
fn no_lock(repository: &Repository, place: &Place, error: LockError) -> Refusal {
    match error {
        LockError::Busy(waited) => Refusal::new(
            Exit::Tool,
            format!(
                "other writers have kept the canvas repository {} busy for {} seconds",
                repository.dir().display(),
                waited.as_secs()
            ),
            repository_at(repository),
            Next::new("re-run the same command; nothing was written, and a writer that dies lets go of the lock"),
        ),
        LockError::Io(path, error) => os::refusal(
            "cannot write: the canvas repository cannot be locked",
            &error,
            Act::Write,
            &path,
            repository_at(repository),
        ),
    }
    .and(place.identifier())
    .and(place.canvas())
}

/// A lock file of git's that could not be taken, in git's words when somebody else holds it.
fn lock_error(path: &Path, error: io::Error) -> GitError {
    if error.kind() != io::ErrorKind::AlreadyExists {
        return GitError::io(path, error);
    }
    GitError {
        words: format!(
            "Unable to create '{}': File exists. Another git process seems to be running in this \
             repository, or one died and left the file",
            path.display()
        ),
        path: Some(path.to_path_buf()),
        error: Some(error),
    }
}

/// The blob id of the file at `path`, or none when there is no file.
fn content_id(path: &Path) -> Result<Option<ObjectId>, GitError> {
    match fs::read(path) {
        Ok(bytes) => object_id(Kind::Blob, &bytes).map(Some),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(GitError::io(path, error)),
    }
}

/// Puts `bytes` at `path` by way of the temporary `back`.
fn replace(back: &Path, path: &Path, bytes: &[u8]) -> io::Result<()> {
    let mode = fs::metadata(path).map_or(0o666, |meta| meta.permissions().mode() & 0o666);
    disk::remove_if_there(back)?;
    let replaced = disk::create_durable(back, bytes, mode)
        .and_then(|()| disk::rename(back, path))
        .and_then(|()| disk::sync_parent(path));
    if replaced.is_err() {
        let _ = disk::remove_if_there(back);
    }
    replaced
}

/// Runs `step` again if it failed once: after the point of no return, and while undoing, a passing
/// failure must not leave the store between two states.
fn twice(step: impl Fn() -> io::Result<()>) -> io::Result<()> {
    step().or_else(|_| step())
}
