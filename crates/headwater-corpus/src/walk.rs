//! The walk: every entry below a directory, in byte order of paths. There are no ignore rules, links
//! are never followed, and what cannot be listed is an entry too, so that nothing goes missing
//! between the disk and the census (model §3.1).

use std::fs;
use std::path::Path;

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
    // An explicit stack: the depth of a directory tree is not ours to bound.
    let mut stack = vec![from.to_owned()];
    while let Some(directory) = stack.pop() {
        if directory == CACHE_PATH {
            continue;
        }
        let shown = || if directory.is_empty() { ".".to_owned() } else { directory.clone() };
        let listing = match fs::read_dir(root.join(&directory)) {
            Ok(listing) => listing,
            Err(error) => {
                entries.push(Entry { path: shown(), what: What::Unlisted(error.to_string()) });
                continue;
            }
        };
        for item in listing {
            let item = match item {
                Ok(item) => item,
                Err(error) => {
                    let what = What::Unlisted(error.to_string());
                    entries.push(Entry { path: shown(), what });
                    // A listing that failed may fail for ever.
                    break;
                }
            };
            let name = item.file_name();
            let path = |name: &str| match directory.as_str() {
                "" => name.to_owned(),
                directory => format!("{directory}/{name}"),
            };
            let Some(valid) = name.to_str() else {
                entries.push(Entry { path: path(&name.to_string_lossy()), what: What::BadName });
                continue;
            };
            let path = path(valid);
            let what = match item.file_type() {
                Err(error) => What::Unlisted(error.to_string()),
                Ok(kind) if kind.is_dir() => {
                    stack.push(path);
                    continue;
                }
                Ok(kind) if kind.is_file() => What::File,
                Ok(kind) if kind.is_symlink() => {
                    let target = fs::read_link(item.path());
                    What::Link(
                        target.map(|at| at.to_string_lossy().into_owned()).unwrap_or_default(),
                    )
                }
                Ok(_) => What::Special,
            };
            entries.push(Entry { path, what });
        }
    }
    // A lossy path may equal a real one, which then comes first.
    entries.sort_unstable_by(|a, b| a.path.cmp(&b.path).then_with(|| a.what.cmp(&b.what)));
    entries
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
