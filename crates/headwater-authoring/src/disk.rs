//! What the transaction asks of a disk, one step a call, so that a test can let any step fail.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Write as _};
use std::path::Path;

use tempfile::NamedTempFile;

/// The steps. Paths are whole.
pub(crate) trait Disk {
    /// Bytes that are on the disk and not yet under their name; gone when dropped.
    type Staged;

    /// The bytes of a file.
    fn read(&mut self, path: &Path) -> io::Result<Vec<u8>>;
    /// Whether a file can be opened for writing. It is not changed.
    fn open(&mut self, path: &Path) -> io::Result<()>;
    /// Puts bytes beside a file, with its mode and owner.
    fn stage(&mut self, path: &Path, bytes: &[u8]) -> io::Result<Self::Staged>;
    /// Gives staged bytes the name of the file, in one step that leaves the old bytes or the new.
    fn publish(&mut self, staged: Self::Staged, path: &Path) -> io::Result<()>;
    /// Makes a file that must not be there.
    fn create(&mut self, path: &Path, bytes: &[u8]) -> io::Result<()>;
    /// Makes a directory that must not be there.
    fn make_directory(&mut self, path: &Path) -> io::Result<()>;
    /// Removes a file that this run made.
    fn remove(&mut self, path: &Path) -> io::Result<()>;
    /// Removes an empty directory that this run made.
    fn remove_directory(&mut self, path: &Path) -> io::Result<()>;
}

/// The disk of this machine.
pub(crate) struct Real;

impl Disk for Real {
    type Staged = NamedTempFile;

    fn read(&mut self, path: &Path) -> io::Result<Vec<u8>> {
        fs::read(path)
    }

    fn open(&mut self, path: &Path) -> io::Result<()> {
        OpenOptions::new().write(true).open(path).map(drop)
    }

    fn stage(&mut self, path: &Path, bytes: &[u8]) -> io::Result<NamedTempFile> {
        let directory = path.parent().unwrap_or(Path::new("."));
        let mut builder = tempfile::Builder::new();
        let mut staged = builder.prefix(".headwater-").suffix(".tmp").tempfile_in(directory)?;
        staged.write_all(bytes)?;
        let about = fs::metadata(path)?;
        own(staged.as_file(), &about)?;
        staged.as_file().set_permissions(about.permissions())?;
        staged.as_file().sync_all()?;
        Ok(staged)
    }

    fn publish(&mut self, staged: NamedTempFile, path: &Path) -> io::Result<()> {
        staged.persist(path).map_err(|error| error.error)?;
        sync(path.parent())
    }

    fn create(&mut self, path: &Path, bytes: &[u8]) -> io::Result<()> {
        let mut file = OpenOptions::new().write(true).create_new(true).open(path)?;
        let written = file.write_all(bytes).and_then(|()| file.sync_all());
        let written = written.and_then(|()| sync(path.parent()));
        if written.is_err() {
            // The file is this run's own, and what failed may be tried again.
            let _ = fs::remove_file(path);
        }
        written
    }

    fn make_directory(&mut self, path: &Path) -> io::Result<()> {
        fs::create_dir(path)
    }

    fn remove(&mut self, path: &Path) -> io::Result<()> {
        fs::remove_file(path)
    }

    fn remove_directory(&mut self, path: &Path) -> io::Result<()> {
        fs::remove_dir(path)
    }
}

/// Makes names in a directory durable, where directories can be opened.
fn sync(directory: Option<&Path>) -> io::Result<()> {
    match directory {
        Some(directory) if cfg!(unix) => File::open(directory)?.sync_all(),
        _ => Ok(()),
    }
}

/// Gives a new file the owner and group of an old one.
#[cfg(unix)]
fn own(file: &File, about: &fs::Metadata) -> io::Result<()> {
    use std::os::unix::fs::{MetadataExt as _, fchown};
    let new = file.metadata()?;
    if (new.uid(), new.gid()) == (about.uid(), about.gid()) {
        return Ok(());
    }
    fchown(file, Some(about.uid()), Some(about.gid()))
}

#[cfg(not(unix))]
fn own(_: &File, _: &fs::Metadata) -> io::Result<()> {
    Ok(())
}

/// How many names a file has.
#[cfg(unix)]
pub(crate) fn names(about: &fs::Metadata) -> u64 {
    std::os::unix::fs::MetadataExt::nlink(about)
}

#[cfg(not(unix))]
pub(crate) fn names(_: &fs::Metadata) -> u64 {
    1
}
