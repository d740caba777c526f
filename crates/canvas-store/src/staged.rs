//! git's index, with one entry changed and every other writer's entries left as they are.

use std::io;
use std::path::Path;
use std::time::SystemTime;

use gix::ObjectId;
use gix::bstr::BStr;
use gix::hash::Kind as Hash;
use gix::index::entry::{Flags, Mode, Stat};
use gix::index::{File, State, decode, fs::Metadata, write};
use gix::objs::Kind;

use crate::repository::{GitError, Repository, object_id};

fn open(repository: &Repository) -> Result<File, GitError> {
    let path = repository.git_dir().join("index");
    // The library cannot say which of its errors was the operating system's.
    match std::fs::File::open(&path) {
        Ok(_) => {}
        Err(error) if error.kind() == io::ErrorKind::NotFound => {}
        Err(error) => return Err(GitError::io(&path, error)),
    }
    let options = decode::Options { thread_limit: Some(1), ..Default::default() };
    File::at_or_default(&path, Hash::Sha1, false, options).map_err(|error| GitError {
        words: format!("{}: {error}", path.display()),
        path: Some(path),
        error: None,
    })
}

/// The blob that the index has for `file`, if it has exactly that and no conflict.
pub fn staged(repository: &Repository, file: &str) -> Result<Option<ObjectId>, GitError> {
    let index = open(repository)?;
    Ok(index.entry_by_path(name(file)).map(|entry| entry.id))
}

fn name(file: &str) -> &BStr {
    file.as_bytes().into()
}

/// The bytes of the index with `file` staged as the blob `id`, its stat data taken from the disk.
/// Call it while holding `index.lock`.
pub fn with_entry(repository: &Repository, file: &str, id: ObjectId) -> Result<Vec<u8>, GitError> {
    let mut index = open(repository)?;
    let written = index.timestamp();
    let path = repository.dir().join(file);
    index.remove_entries(|_, path, _| path == name(file));
    smudge(repository, &mut index, written.into())?;
    let stat = Metadata::from_path_no_follow(&path).map_err(|error| GitError::io(&path, error))?;
    let stat = Stat::from_fs(&stat)
        .map_err(|error| GitError::words(format!("{}: {error}", path.display())))?;
    index.dangerously_push_entry(stat, id, Flags::empty(), Mode::FILE, name(file));
    index.sort_entries();
    bytes(index)
}

/// Marks entries that were changed in the same clock tick in which the index was last written:
/// rewriting the index would otherwise make git believe them unchanged for ever.
fn smudge(repository: &Repository, index: &mut File, written: SystemTime) -> Result<(), GitError> {
    for (entry, path) in index.entries_mut_with_paths() {
        if SystemTime::from(entry.stat.mtime) < written || entry.mode != Mode::FILE {
            continue;
        }
        let same = gix::path::from_bstr(path)
            .ok()
            .and_then(|path| std::fs::read(repository.dir().join(path)).ok())
            .and_then(|content| object_id(Kind::Blob, &content).ok())
            .is_some_and(|id| id == entry.id);
        if !same {
            entry.stat.size = 0;
        }
    }
    Ok(())
}

/// The bytes of an index that holds exactly the top-level tree `tree`, with `file` as blob `id`
/// when it is given: what a hook is shown of the commit to be made.
pub fn of_tree(
    repository: &Repository,
    tree: Option<ObjectId>,
    file: Option<(&str, ObjectId)>,
) -> Result<Vec<u8>, GitError> {
    let state = match tree {
        Some(tree) => State::from_tree(&tree, repository.objects(), Default::default())
            .map_err(|error| GitError::words(format!("tree {tree} cannot be read: {error}")))?,
        None => State::new(Hash::Sha1),
    };
    let mut index = File::from_state(state, Path::new("index"));
    if let Some((file, id)) = file {
        index.remove_entries(|_, path, _| path == name(file));
        let stat = Metadata::from_path_no_follow(&repository.dir().join(file))
            .ok()
            .and_then(|stat| Stat::from_fs(&stat).ok())
            .unwrap_or_default();
        index.dangerously_push_entry(stat, id, Flags::empty(), Mode::FILE, name(file));
        index.sort_entries();
    }
    bytes(index)
}

fn bytes(mut index: File) -> Result<Vec<u8>, GitError> {
    // With the cache tree kept, git's next commit would take this entry from the tree before.
    index.remove_tree();
    let mut out = Vec::new();
    index
        .write_to(
            &mut out,
            write::Options { extensions: write::Extensions::None, skip_hash: false },
        )
        .map_err(|error| GitError::words(format!("the index cannot be written: {error}")))?;
    Ok(out)
}
