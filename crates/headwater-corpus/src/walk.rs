//! The walk: every entry below a directory, in byte order of paths. There are no ignore rules, links
//! are never followed, and what cannot be listed is an entry too, so that nothing goes missing
//! between the disk and the census (model §3.1).

use std::fs::{self, DirEntry};
use std::io;
use std::path::Path;

use rayon::prelude::*;

/// The engine's own cache, the one place that is never enumerated: otherwise a run would change the
/// census of the next.
const CACHE_PATH: &str = ".headwater/cache";

/// One entry of a directory tree that is no listed directory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Entry {
    /// The path below the repository root; lossy for a name that is no UTF-8.
    pub path: String,
    pub what: What,
}

/// What an entry is.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum What {
    File,
    /// A symbolic link and what it holds.
    Link(String),
    /// A pipe, a socket or a device.
    Special,
    /// A directory, or an entry of one, that the system did not list; why.
    Unlisted(String),
    /// A name that is no UTF-8.
    BadName,
}

/// Every entry below the directory `from`, which is relative to `root` and normalized; empty for the
/// root itself. A directory that links lead to is entered only when `from` is it.
pub(crate) fn walk(root: &Path, from: &str) -> Vec<Entry> {
    let mut entries = Vec::new();
    // Level by level: the depth of a directory tree is not ours to bound.
    let mut level = vec![from.to_owned()];
    while !level.is_empty() {
        let listed: Vec<Listed> =
            level.par_iter().map(|directory| Listed::of(root, directory)).collect();
        level.clear();
        for listed in listed {
            entries.extend(listed.entries);
            level.extend(listed.directories);
        }
    }
    // A lossy path may equal a real one, which then comes first.
    entries.par_sort_unstable_by(|a, b| a.path.cmp(&b.path).then_with(|| a.what.cmp(&b.what)));
    entries
}

/// What stands in one directory.
#[derive(Default)]
struct Listed {
    entries: Vec<Entry>,
    /// The paths of the directories.
    directories: Vec<String>,
}

impl Listed {
    fn of(root: &Path, directory: &str) -> Self {
        let mut listed = Self::default();
        if directory == CACHE_PATH {
            return listed;
        }
        let shown = if directory.is_empty() { "." } else { directory };
        let unlisted = |error: io::Error| Entry {
            path: shown.to_owned(),
            what: What::Unlisted(error.to_string()),
        };
        let listing = match fs::read_dir(root.join(directory)) {
            Ok(listing) => listing,
            Err(error) => {
                listed.entries.push(unlisted(error));
                return listed;
            }
        };
        for item in listing {
            match item {
                Ok(item) => listed.add(directory, &item),
                Err(error) => {
                    listed.entries.push(unlisted(error));
                    // A listing that failed may fail for ever.
                    break;
                }
            }
        }
        listed
    }

    fn add(&mut self, directory: &str, item: &DirEntry) {
        let name = item.file_name();
        let path = |name: &str| match directory {
            "" => name.to_owned(),
            directory => format!("{directory}/{name}"),
        };
        let Some(valid) = name.to_str() else {
            let path = path(&name.to_string_lossy());
            self.entries.push(Entry { path, what: What::BadName });
            return;
        };
        let path = path(valid);
        let what = match item.file_type() {
            Err(error) => What::Unlisted(error.to_string()),
            Ok(kind) if kind.is_dir() => {
                self.directories.push(path);
                return;
            }
            Ok(kind) if kind.is_file() => What::File,
            Ok(kind) if kind.is_symlink() => {
                let target = fs::read_link(item.path()).unwrap_or_default();
                What::Link(target.to_string_lossy().into_owned())
            }
            Ok(_) => What::Special,
        };
        self.entries.push(Entry { path, what });
    }
}

#[cfg(all(test, unix))]
mod tests {
    use std::os::unix::ffi::OsStrExt as _;
    use std::os::unix::fs::symlink;

    use super::*;

    #[test]
    fn everything_is_enumerated_once_and_in_byte_order() {
        let root = tempfile::tempdir().unwrap();
        let at = |path: &str| root.path().join(path);
        for directory in ["a/b", "a.d", ".git", ".headwater/cache"] {
            fs::create_dir_all(at(directory)).unwrap();
        }
        let files =
            ["a/b/x.md", "a.d/y", ".git/HEAD", "a-b", ".headwater/cache/checks", "a/.gitignore"];
        for file in files {
            fs::write(at(file), "x").unwrap();
        }
        symlink("..", at("a/up")).unwrap();
        symlink("nowhere", at("dangling")).unwrap();
        symlink("a-b", at("to-file")).unwrap();
        fs::write(root.path().join(std::ffi::OsStr::from_bytes(b"n\xff")), "x").unwrap();
        std::os::unix::net::UnixListener::bind(at("socket")).unwrap();
        let found: Vec<(String, What)> =
            walk(root.path(), "").into_iter().map(|entry| (entry.path, entry.what)).collect();
        let link = |target: &str| What::Link(target.to_owned());
        let expected = [
            (".git/HEAD", What::File),
            ("a-b", What::File),
            ("a.d/y", What::File),
            ("a/.gitignore", What::File),
            ("a/b/x.md", What::File),
            ("a/up", link("..")),
            ("dangling", link("nowhere")),
            ("n\u{fffd}", What::BadName),
            ("socket", What::Special),
            ("to-file", link("a-b")),
        ];
        assert_eq!(found, expected.map(|(path, what)| (path.to_owned(), what)));
    }

    #[test]
    fn a_directory_that_is_absent_is_an_entry() {
        let root = tempfile::tempdir().unwrap();
        let found = walk(root.path(), "gone");
        assert!(matches!(found.as_slice(), [Entry { what: What::Unlisted(_), .. }]), "{found:?}");
    }
}
