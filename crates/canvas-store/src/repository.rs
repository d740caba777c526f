//! The one git repository that holds every canvas: opening it, reading objects, writing them durably.
//!
//! Only this file, `refs`, `staged`, `identity` and `history` know the git library. The object
//! database is opened without the repository's or the user's configuration, so that neither can
//! change a byte that is read or written (canvas-store §2.4, D-5).

use std::cell::RefCell;
use std::io;
use std::path::{Path, PathBuf};

use gix::ObjectId;
use gix::hash::{Kind as Hash, Prefix};
use gix::objs::{CommitRef, Find as _, Kind, TreeRefIter};
use gix::odb::store::prefix::{disambiguate, lookup};
use gix::zlib::stream::deflate::{Compress, FlushCompress};

use crate::disk;
use crate::os::{self, Act};
use crate::refs::{self, Head, RefError};
use crate::refusal::{CANVAS, Exit, Next, Refusal, Subject, command_word};

/// The canvas repository, opened for reading; writers add locks of their own.
pub struct Repository {
    /// The directory that holds the canvases, spelled from the workspace variable.
    dir: PathBuf,
    /// `dir/.git`, absolute.
    git_dir: PathBuf,
    objects: gix::odb::Handle,
    shallow: Vec<ObjectId>,
    buffer: RefCell<Vec<u8>>,
    compressor: RefCell<Option<Compress>>,
}

/// Why something in the repository could not be read or written.
#[derive(Debug)]
pub struct GitError {
    /// The path concerned, when one is known.
    pub path: Option<PathBuf>,
    /// The operating system's error, when it was one.
    pub error: Option<io::Error>,
    /// What happened, in words.
    pub words: String,
}

impl GitError {
    /// An operating-system error on a path.
    pub fn io(path: &Path, error: io::Error) -> GitError {
        let words = format!("{}: {}", os::words(&error), path.display());
        GitError { path: Some(path.to_path_buf()), error: Some(error), words }
    }

    /// Something wrong with what the repository holds.
    pub fn words(words: impl Into<String>) -> GitError {
        GitError { path: None, error: None, words: words.into() }
    }
}

impl From<RefError> for GitError {
    fn from(error: RefError) -> GitError {
        match error {
            RefError::Io { path, error } => GitError::io(&path, error),
            RefError::Malformed { path, what } => GitError {
                words: format!("{}: {what}", path.display()),
                path: Some(path),
                error: None,
            },
        }
    }
}

/// One commit, as far as the store reads it.
#[derive(Clone, Debug)]
pub struct Commit {
    /// Its tree.
    pub tree: ObjectId,
    /// Its parents, first parent first; empty at a root and at the edge of a shallow clone.
    pub parents: Vec<ObjectId>,
    /// The message, as it is stored.
    pub message: Vec<u8>,
}

/// One file in one commit's top-level tree.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct Entry {
    /// The file mode, such as `0o100644`.
    pub mode: u16,
    /// The blob.
    pub id: ObjectId,
}

/// What an abbreviated or full sha turned out to be.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Resolved {
    /// Exactly one commit.
    Commit(ObjectId),
    /// Nothing here, something that is no commit, or several commits.
    NoCommit,
}

/// The extensions of repository format 1 under which this program reads the right thing.
const KNOWN_EXTENSIONS: [&str; 6] =
    ["noop", "preciousobjects", "partialclone", "worktreeconfig", "relativeworktrees", "noop-v1"];

impl Repository {
    /// Opens the repository of the canvas directory `dir`. Refuses, at exit 2, one that is absent,
    /// unreadable, or of a format this program cannot read.
    pub fn open(dir: &Path) -> Result<Repository, Refusal> {
        let git_dir = std::path::absolute(dir.join(".git"))
            .map_err(|error| cannot_tell(dir, &GitError::io(dir, error)))?;
        match std::fs::metadata(&git_dir) {
            Ok(meta) if meta.is_dir() => {}
            Ok(_) => return Err(elsewhere(dir)),
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                return Err(
                    not_a_repository(dir).and(Subject::about("errno", os::errno_value(&error)))
                );
            }
            Err(error) => return Err(cannot_tell(dir, &GitError::io(&git_dir, error))),
        }
        let fail = |error: GitError| cannot_tell(dir, &error);
        check_format(&git_dir).map_err(fail)?;
        let objects_dir = git_dir.join("objects");
        std::fs::read_dir(&objects_dir)
            .map_err(|error| cannot_tell(dir, &GitError::io(&objects_dir, error)))?;
        // It could be listed a moment ago: what the library misses now is gone.
        let gone = |_| io::Error::from_raw_os_error(2);
        // Named, because the library would ask for the current directory, which may be gone.
        let current_dir = git_dir.parent().map(Path::to_path_buf);
        let options = gix::odb::store::init::Options { current_dir, ..Default::default() };
        let mut objects = gix::odb::at_opts(&objects_dir, Hash::Sha1, None, options)
            .map_err(|error| cannot_tell(dir, &GitError::io(&objects_dir, gone(error))))?;
        objects.set_pack_cache(|| {
            Box::new(gix::odb::pack::cache::lru::MemoryCappedHashmap::new(16 << 20))
        });
        let shallow = read_shallow(&git_dir).map_err(fail)?;
        Ok(Repository {
            dir: dir.to_path_buf(),
            git_dir,
            objects,
            shallow,
            buffer: RefCell::new(Vec::new()),
            compressor: RefCell::new(None),
        })
    }

    /// The canvas directory, spelled from the workspace variable.
    pub fn dir(&self) -> &Path {
        &self.dir
    }

    /// The canvas directory as an absolute path.
    pub fn work_tree(&self) -> &Path {
        self.git_dir.parent().unwrap_or(&self.dir)
    }

    /// The absolute path of `.git`.
    pub fn git_dir(&self) -> &Path {
        &self.git_dir
    }

    /// The object database.
    pub fn objects(&self) -> &gix::odb::Handle {
        &self.objects
    }

    /// Whether history ends early because the repository is a shallow clone.
    pub fn is_shallow(&self) -> bool {
        !self.shallow.is_empty()
    }

    /// The head as it is now.
    pub fn head(&self) -> Result<Head, GitError> {
        Ok(refs::read_head(&self.git_dir)?)
    }

    /// Calls `read` with the bytes of object `id`, which must be of kind `kind`.
    fn with<T>(
        &self,
        id: ObjectId,
        kind: Kind,
        read: impl FnOnce(&[u8]) -> Result<T, GitError>,
    ) -> Result<T, GitError> {
        let mut buffer = self.buffer.take();
        let result = match self.objects.try_find(&id, &mut buffer) {
            Ok(Some(data)) if data.kind == kind => read(data.data),
            Ok(Some(data)) => {
                Err(GitError::words(format!("object {id} is a {}, not a {kind}", data.kind)))
            }
            Ok(None) => Err(self.unreadable(id, None)),
            Err(error) => Err(self.unreadable(id, Some(error))),
        };
        self.buffer.replace(buffer);
        result
    }

    /// Why `id` cannot be read: the operating system's reason for its loose file, if it has one.
    fn unreadable(&self, id: ObjectId, error: Option<gix::Error>) -> GitError {
        let path = self.loose_path(id);
        match std::fs::File::open(&path) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => GitError::io(&path, error),
            _ => GitError::words(match error {
                Some(error) => format!("object {id} cannot be read: {error}"),
                None => format!("object {id} is missing from the repository"),
            }),
        }
    }

    /// Whether the object is in the repository.
    pub fn has(&self, id: ObjectId) -> bool {
        use gix::objs::Exists as _;
        self.objects.exists(&id)
    }

    /// Reads date, parents and message of a commit without copying the message.
    pub fn scan<T>(
        &self,
        id: ObjectId,
        read: impl FnOnce(i64, Vec<ObjectId>, &[u8]) -> T,
    ) -> Result<T, GitError> {
        self.with(id, Kind::Commit, |data| {
            let commit = parse_commit(id, data)?;
            Ok(read(commit_time(&commit), self.parents(id, &commit), commit.message))
        })
    }

    /// Reads a commit.
    pub fn commit(&self, id: ObjectId) -> Result<Commit, GitError> {
        self.with(id, Kind::Commit, |data| {
            let commit = parse_commit(id, data)?;
            Ok(Commit {
                tree: commit.tree(),
                parents: self.parents(id, &commit),
                message: commit.message.to_vec(),
            })
        })
    }

    fn parents(&self, id: ObjectId, commit: &CommitRef<'_>) -> Vec<ObjectId> {
        if self.shallow.contains(&id) { Vec::new() } else { commit.parents().collect() }
    }

    /// The top-level entry `name` of `tree`, if the tree has it.
    pub fn entry(&self, tree: ObjectId, name: &str) -> Result<Option<Entry>, GitError> {
        if tree == ObjectId::empty_tree(Hash::Sha1) {
            return Ok(None);
        }
        self.with(tree, Kind::Tree, |data| {
            for entry in TreeRefIter::from_bytes(data, Hash::Sha1) {
                let entry = entry
                    .map_err(|error| GitError::words(format!("tree {tree} is damaged: {error}")))?;
                if entry.filename == name.as_bytes() {
                    return Ok(Some(Entry { mode: entry.mode.value(), id: entry.oid.to_owned() }));
                }
            }
            Ok(None)
        })
    }

    /// The top-level entry `name` as `commit` has it.
    pub fn entry_at(&self, commit: ObjectId, name: &str) -> Result<Option<Entry>, GitError> {
        let tree = self.commit(commit)?.tree;
        self.entry(tree, name)
    }

    /// The bytes of a blob.
    pub fn blob(&self, id: ObjectId) -> Result<Vec<u8>, GitError> {
        self.with(id, Kind::Blob, |data| Ok(data.to_vec()))
    }

    /// The bytes of `tree` with `name` set to the blob `id` of mode `mode`, in git's order.
    pub fn tree_with(
        &self,
        tree: Option<ObjectId>,
        name: &str,
        id: ObjectId,
        mode: &str,
    ) -> Result<Vec<u8>, GitError> {
        let mut line = Vec::with_capacity(name.len() + 32);
        line.extend_from_slice(mode.as_bytes());
        line.push(b' ');
        line.extend_from_slice(name.as_bytes());
        line.push(0);
        line.extend_from_slice(id.as_slice());
        let Some(tree) = tree.filter(|tree| *tree != ObjectId::empty_tree(Hash::Sha1)) else {
            return Ok(line);
        };
        self.with(tree, Kind::Tree, |data| {
            let damaged = || GitError::words(format!("tree {tree} is damaged"));
            let mut out = Vec::with_capacity(data.len() + line.len());
            let mut placed = false;
            let mut rest = data;
            while !rest.is_empty() {
                let space = memchr::memchr(b' ', rest).ok_or_else(damaged)?;
                let nul = memchr::memchr(0, rest).filter(|nul| *nul > space).ok_or_else(damaged)?;
                let (entry, after) = rest.split_at_checked(nul + 21).ok_or_else(damaged)?;
                let (mode, entry_name) = (&entry[..space], &entry[space + 1..nul]);
                if entry_name == name.as_bytes() {
                    // The file takes the place of whatever has its name.
                    rest = after;
                    continue;
                }
                let mut sort_name = entry_name.to_vec();
                if mode == b"40000" {
                    sort_name.push(b'/');
                }
                if !placed && sort_name.as_slice() > name.as_bytes() {
                    out.extend_from_slice(&line);
                    placed = true;
                }
                out.extend_from_slice(entry);
                rest = after;
            }
            if !placed {
                out.extend_from_slice(&line);
            }
            Ok(out)
        })
    }

    /// Where the loose file of `id` is, or would be.
    fn loose_path(&self, id: ObjectId) -> PathBuf {
        let hex = id.to_string();
        let (fan, rest) = hex.split_at(2);
        self.git_dir.join("objects").join(fan).join(rest)
    }

    /// Stores an object and forces it to the disk. The id is returned also when it was there.
    pub fn write(&self, kind: Kind, data: &[u8]) -> Result<ObjectId, GitError> {
        let id = object_id(kind, data)?;
        if self.has(id) {
            return Ok(id);
        }
        let path = self.loose_path(id);
        let fan = path.parent().unwrap_or(&self.git_dir).to_path_buf();
        disk::create_dir_if_absent(&fan).map_err(|error| GitError::io(&fan, error))?;
        let mut object = gix::objs::encode::loose_header(kind, data.len() as u64).to_vec();
        object.extend_from_slice(data);
        let object = self.deflate(&object)?;
        // git removes stale files of this name when it packs.
        let temporary = fan.join(format!("tmp_obj_{}", std::process::id()));
        let stored = disk::remove_if_there(&temporary)
            .and_then(|()| disk::create_durable(&temporary, &object, 0o444))
            .and_then(|()| disk::rename(&temporary, &path))
            .and_then(|()| disk::sync_parent(&path));
        if let Err(error) = stored {
            let _ = disk::remove_if_there(&temporary);
            return Err(GitError::io(&path, error));
        }
        Ok(id)
    }

    /// `data` as a zlib stream. The compressor is kept: making one costs more than using it.
    fn deflate(&self, data: &[u8]) -> Result<Vec<u8>, GitError> {
        let mut compressor = self.compressor.borrow_mut();
        let compressor =
            compressor.get_or_insert_with(|| Compress::new(gix::zlib::Compression::BEST_SPEED));
        compressor.reset();
        // What cannot be compressed takes up to nine bits a byte at this level.
        let mut out = vec![0; data.len() + data.len() / 7 + 128];
        let status = compressor
            .compress(data, &mut out, FlushCompress::Finish)
            .map_err(|error| GitError::words(format!("cannot compress an object: {error}")))?;
        if !matches!(status, gix::zlib::Status::StreamEnd) {
            return Err(GitError::words("cannot compress an object: the stream does not end"));
        }
        out.truncate(usize::try_from(compressor.total_out()).unwrap_or(out.len()));
        Ok(out)
    }

    /// What a hex sha of 4 to 40 digits names.
    pub fn resolve(&self, hex: &str) -> Result<Resolved, GitError> {
        let failed = |error: gix::Error| GitError::words(format!("cannot look {hex} up: {error}"));
        let Ok(prefix) = Prefix::from_hex(&hex.to_ascii_lowercase()) else {
            return Ok(Resolved::NoCommit);
        };
        let mut candidates = std::collections::HashSet::new();
        let outcome: Option<lookup::Outcome> =
            self.objects.lookup_prefix(prefix, Some(&mut candidates)).map_err(failed)?;
        if outcome.is_none() && candidates.is_empty() {
            return Ok(Resolved::NoCommit);
        }
        if let Some(Ok(id)) = outcome {
            candidates.insert(id);
        }
        let mut commits = Vec::new();
        let mut buffer = Vec::new();
        for id in candidates {
            match self.objects.try_find(&id, &mut buffer) {
                Ok(Some(data)) if data.kind == Kind::Commit => commits.push(id),
                Ok(_) => {}
                Err(error) => return Err(self.unreadable(id, Some(error))),
            }
        }
        match commits.as_slice() {
            [one] => Ok(Resolved::Commit(*one)),
            _ => Ok(Resolved::NoCommit),
        }
    }

    /// The abbreviation git prints for `id`: long enough for the size of the repository, and unique.
    pub fn abbreviate(&self, id: ObjectId) -> String {
        let packed = self.objects.packed_object_count().unwrap_or(0);
        // git: half the bits of the count, rounded up, at least seven digits.
        let bits = u64::BITS - packed.leading_zeros();
        let length = (bits as usize).div_ceil(2).max(7);
        disambiguate::Candidate::new(id, length)
            .ok()
            .and_then(|candidate| self.objects.disambiguate_prefix(candidate).ok().flatten())
            .map_or_else(|| id.to_hex_with_len(length).to_string(), |prefix| prefix.to_string())
    }

    /// A git command pinned to this repository, as a person can type it.
    pub fn pinned(&self, command: &str) -> String {
        pinned(&self.dir, command)
    }
}

fn parse_commit(id: ObjectId, data: &[u8]) -> Result<CommitRef<'_>, GitError> {
    CommitRef::from_bytes(data, Hash::Sha1)
        .map_err(|error| GitError::words(format!("commit {id} is damaged: {error}")))
}

/// The committer's date, or the epoch when the commit has none that can be read.
fn commit_time(commit: &CommitRef<'_>) -> i64 {
    commit.committer().ok().and_then(|who| who.time().ok()).map_or(0, |time| time.seconds)
}

/// The id that `data` has as an object of `kind`.
pub fn object_id(kind: Kind, data: &[u8]) -> Result<ObjectId, GitError> {
    gix::objs::compute_hash(Hash::Sha1, kind, data)
        .map_err(|error| GitError::words(format!("cannot hash: {error}")))
}

/// A git command pinned to the repository of `dir`, back-quoted as a diagnostic; in words where a
/// shell could not be told the path on one line.
pub fn pinned(dir: &Path, command: &str) -> String {
    let dir = std::path::absolute(dir).unwrap_or_else(|_| dir.to_path_buf());
    let word = |path: &Path| command_word(&path.display().to_string());
    match word(&dir.join(".git")).zip(word(&dir)) {
        Some((git_dir, work_tree)) => {
            format!("`git --git-dir={git_dir} --work-tree={work_tree} {command}`")
        }
        None => format!("git's {command} in that directory"),
    }
}

/// Refuses repository formats that this program would misread, in git's words.
fn check_format(git_dir: &Path) -> Result<(), GitError> {
    let path = git_dir.join("config");
    let bytes = match std::fs::read(&path) {
        Ok(bytes) => bytes,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
        Err(error) => return Err(GitError::io(&path, error)),
    };
    let damaged = |what: String| GitError {
        words: format!("{}: {what}", path.display()),
        path: Some(path.clone()),
        error: None,
    };
    let config = gix::config::File::from_bytes_no_includes(
        &bytes,
        gix::config::file::Metadata::from(gix::config::Source::Local),
        Default::default(),
    )
    .map_err(|error| damaged(format!("bad config file: {error}")))?;
    let version = config
        .integer("core.repositoryformatversion")
        .map_err(|error| damaged(format!("bad core.repositoryformatversion: {error}")))?
        .unwrap_or(0);
    if !(0..=1).contains(&version) {
        return Err(damaged(format!("expected git repo version <= 1, found {version}")));
    }
    let Some(sections) = config.sections_by_name("extensions") else { return Ok(()) };
    for section in sections {
        for name in section.value_names() {
            let name = name.to_string().to_ascii_lowercase();
            let value = section.value(&name).map(|value| value.to_string().to_ascii_lowercase());
            match (name.as_str(), value.as_deref()) {
                ("objectformat", Some("sha1")) | ("refstorage", Some("files")) => {}
                ("objectformat" | "refstorage", value) => {
                    return Err(damaged(format!(
                        "extensions.{name} is {}, which this program does not read",
                        value.unwrap_or("empty")
                    )));
                }
                (known, _) if KNOWN_EXTENSIONS.contains(&known) => {}
                (unknown, _) if version == 1 => {
                    return Err(damaged(format!("unknown repository extension found: {unknown}")));
                }
                _ => {}
            }
        }
    }
    Ok(())
}

/// The commits at which a shallow clone ends.
fn read_shallow(git_dir: &Path) -> Result<Vec<ObjectId>, GitError> {
    let path = git_dir.join("shallow");
    match std::fs::read(&path) {
        Ok(bytes) => Ok(bytes
            .split(|byte| byte.is_ascii_whitespace())
            .filter_map(|hex| ObjectId::from_hex(hex).ok())
            .collect()),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(Vec::new()),
        Err(error) => Err(GitError::io(&path, error)),
    }
}

fn not_a_repository(dir: &Path) -> Refusal {
    Refusal::new(
        Exit::Tool,
        format!("{} is not a git repository", dir.display()),
        Subject::about("canvas repository", dir.display().to_string()),
        Next::new(format!(
            "`{CANVAS} create <canvas-id> --problem TEXT --expected-value TEXT` makes the repository with \
             its first canvas; if there was one, put it back first"
        )),
    )
}

/// The refusal for a `.git` that is no directory, as in a linked work tree and a submodule: the store
/// looks nowhere else (canvas-store §2.1).
fn elsewhere(dir: &Path) -> Refusal {
    let git = dir.join(".git");
    Refusal::new(
        Exit::Tool,
        format!("{} is not a git repository: its .git is not a directory", dir.display()),
        Subject::about("canvas repository", dir.display().to_string()),
        Next::new(format!(
            "look {}; where it only says where the repository is, put that repository itself in its place, \
             otherwise move it away, and re-run",
            os::with("ls -ld", &git)
        )),
    )
    .and(Subject::about("path", git.display().to_string()))
}

/// Whether `error` says that what makes a directory a repository is not there: `.git` itself, its
/// `HEAD` or its `objects`. That is what git calls no repository.
fn is_no_repository(dir: &Path, error: &GitError) -> bool {
    let absent = |path: &Path| {
        std::fs::symlink_metadata(path).is_err_and(|error| error.kind() == io::ErrorKind::NotFound)
    };
    let essential = error.path.as_ref().is_some_and(|path| {
        path.ends_with(".git") || path.ends_with(".git/HEAD") || path.ends_with(".git/objects")
    });
    let gone = error.error.as_ref().is_some_and(|error| error.kind() == io::ErrorKind::NotFound);
    (essential && gone) || absent(&dir.join(".git"))
}

/// The refusal for a repository that cannot be read: it never claims that something is absent,
/// unless the repository itself is.
pub fn cannot_tell(dir: &Path, error: &GitError) -> Refusal {
    if is_no_repository(dir, error) {
        return not_a_repository(dir).and(Subject::about("errno", "2 ENOENT"));
    }
    let subject = Subject::about("canvas repository", dir.display().to_string());
    let message =
        format!("cannot tell what the canvas repository {} holds: {}", dir.display(), error.words);
    match (&error.path, &error.error) {
        (Some(path), Some(io)) => {
            Refusal::new(Exit::Tool, message, subject, os::next(io, Act::Look, path))
                .and_all(os::subjects(io, &[path]))
        }
        (path, _) => {
            let refusal = Refusal::new(
                Exit::Tool,
                message,
                subject,
                Next::new(format!(
                    "leave the canvas alone and see what git says of it: {}",
                    pinned(dir, "rev-parse HEAD")
                )),
            )
            .and(Subject::about("command", "git"));
            match path {
                Some(path) => refusal.and(Subject::about("path", path.display().to_string())),
                None => refusal,
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn objects_of_every_size_and_of_no_pattern_are_read_back() {
        let root = tempfile::tempdir().unwrap();
        crate::init::ensure(root.path()).unwrap();
        let repository = Repository::open(root.path()).unwrap();
        let mut state = 1_u64;
        let mut random = || {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
            (state >> 33) as u8
        };
        for size in [0, 1, 2, 100, 257, 4_095, 4_096, 40_000, 70_001, 300_000] {
            let noise: Vec<u8> = (0..size).map(|_| random()).collect();
            let text = b"<text id=\"aaaa\" v=\"1\">".repeat(size / 20);
            for data in [noise, text] {
                let id = repository.write(Kind::Blob, &data).unwrap();
                assert_eq!(repository.blob(id).unwrap(), data);
            }
        }
    }
}
