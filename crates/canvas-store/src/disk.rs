//! Every change the store makes to a disk, one function each.
//!
//! They stand in one place for two reasons: each says whether what it did survives a power cut, and
//! tests can make any one of them fail, or make the process "die" at it, without a special build of
//! the code under test (the fault seam at the bottom is compiled for tests only).

use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::os::unix::fs::{FileExt, OpenOptionsExt};
use std::path::Path;

/// Creates `path`, which must not exist, with `bytes` and forces it to the disk.
pub fn create_durable(path: &Path, bytes: &[u8], mode: u32) -> io::Result<()> {
    fault::point()?;
    let mut file = OpenOptions::new().write(true).create_new(true).mode(mode).open(path)?;
    let written =
        fault::point().and_then(|()| file.write_all(bytes)).and_then(|()| file.sync_all());
    if written.is_err() {
        // The caller learns of the failed write; a half-written private file helps nobody.
        let _ = remove_if_there(path);
    }
    written
}

/// Creates `path`, which must not exist, with nothing in it. Not durable.
pub fn create_empty(path: &Path) -> io::Result<()> {
    fault::point()?;
    OpenOptions::new().write(true).create_new(true).open(path).map(drop)
}

/// Replaces the content of an open file in place and forces it to the disk.
pub fn overwrite_durable(file: &File, bytes: &[u8]) -> io::Result<()> {
    fault::point()?;
    file.write_all_at(bytes, 0)?;
    file.set_len(bytes.len() as u64)?;
    file.sync_data()
}

/// Empties an open file. Not durable: after a power cut the old content may be back.
pub fn truncate(file: &File) -> io::Result<()> {
    fault::point()?;
    file.set_len(0)
}

/// Opens `path` for reading and writing, creating it empty when it is absent.
pub fn open_or_create(path: &Path) -> io::Result<File> {
    fault::point()?;
    OpenOptions::new().read(true).write(true).create(true).truncate(false).open(path)
}

/// Renames; [`sync_parent`] of `to` makes it last.
pub fn rename(from: &Path, to: &Path) -> io::Result<()> {
    fault::point()?;
    fs::rename(from, to)
}

/// Gives the file at `from` a second name, which must not exist.
pub fn link(from: &Path, to: &Path) -> io::Result<()> {
    fault::point()?;
    fs::hard_link(from, to)
}

/// Removes a file; its absence is fine.
pub fn remove_if_there(path: &Path) -> io::Result<()> {
    fault::point()?;
    match fs::remove_file(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
        _ => Ok(()),
    }
}

/// Creates a directory; its presence is fine.
pub fn create_dir_if_absent(path: &Path) -> io::Result<()> {
    match fs::symlink_metadata(path) {
        Ok(_) => return Ok(()),
        Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
        Err(_) => {}
    }
    fault::point()?;
    match fs::create_dir(path) {
        Err(error) if error.kind() != io::ErrorKind::AlreadyExists => Err(error),
        _ => sync_parent(path),
    }
}

/// Creates a directory and every missing one above it.
pub fn create_dir_all(path: &Path) -> io::Result<()> {
    fault::point()?;
    fs::create_dir_all(path)
}

/// Appends to a file that need not exist. Not durable.
pub fn append(path: &Path, bytes: &[u8]) -> io::Result<()> {
    fault::point()?;
    OpenOptions::new().append(true).create(true).open(path)?.write_all(bytes)
}

/// Cuts `path` off at `keep` bytes, or creates it, and appends `bytes`. Not durable.
pub fn replace_tail(path: &Path, keep: u64, bytes: &[u8]) -> io::Result<()> {
    fault::point()?;
    let file = OpenOptions::new().write(true).create(true).truncate(false).open(path)?;
    file.set_len(keep)?;
    file.write_all_at(bytes, keep)
}

/// Puts a new file in the place of `path` at one stroke. Not durable.
pub fn replace_file(path: &Path, bytes: &[u8]) -> io::Result<()> {
    fault::point()?;
    let new = path.with_extension("new");
    fs::write(&new, bytes)?;
    fs::rename(&new, path)
}

/// Forces the directory that holds `path` to the disk, so that a new name in it lasts.
pub fn sync_parent(path: &Path) -> io::Result<()> {
    fault::point()?;
    match path.parent() {
        Some(parent) => File::open(parent)?.sync_all(),
        None => Ok(()),
    }
}

/// The seam where tests make operations fail.
#[cfg(test)]
pub mod fault {
    use std::cell::Cell;
    use std::io;

    /// What happens at the counted operation.
    #[derive(Clone, Copy, Debug, Eq, PartialEq)]
    pub enum Plan {
        /// Every operation works.
        None,
        /// The operation with this number (from 0) fails; all others work.
        At(usize),
        /// The operation with this number and all later ones fail, as after a kill.
        From(usize),
    }

    thread_local! {
        static PLAN: Cell<Plan> = const { Cell::new(Plan::None) };
        static COUNT: Cell<usize> = const { Cell::new(0) };
    }

    /// Sets the plan of this thread and starts counting anew.
    pub fn set(plan: Plan) {
        PLAN.set(plan);
        COUNT.set(0);
    }

    /// How many operations this thread has started since [`set`].
    pub fn count() -> usize {
        COUNT.get()
    }

    /// Passed by every operation.
    pub fn point() -> io::Result<()> {
        let number = COUNT.get();
        COUNT.set(number + 1);
        let fails = match PLAN.get() {
            Plan::None => false,
            Plan::At(k) => number == k,
            Plan::From(k) => number >= k,
        };
        if fails { Err(io::Error::from_raw_os_error(28)) } else { Ok(()) }
    }
}

/// Outside tests no operation is made to fail.
#[cfg(not(test))]
mod fault {
    /// Passed by every operation.
    #[inline]
    pub fn point() -> std::io::Result<()> {
        Ok(())
    }
}
