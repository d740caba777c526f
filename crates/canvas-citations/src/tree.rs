//! The files of all roots, listed once.
//!
//! A citation names a file by a path or by no more than its base name. Both are answered from one
//! sorted walk, so the answer depends on nothing but the tree, and nothing outside a root is opened,
//! whatever a document says. Symbolic links are neither documents nor targets.

use std::collections::{HashMap, HashSet};
use std::ffi::{OsStr, OsString};
use std::fs;
use std::io;
use std::path::{Component, Path, PathBuf};

use walkdir::WalkDir;

use crate::{Refusal, Request};

const NOT_ENTERED: [&str; 6] =
    [".git", "__pycache__", ".pytest_cache", "node_modules", ".runs", ".orchestrator-artifacts"];
const TRANSCRIPT: &str = "canvas-transcript.md";
const FIXTURES: &str = "fixtures";

/// A Markdown file that is surveyed.
pub(crate) struct Document {
    /// Where it is.
    pub path: PathBuf,
    /// How the report names it: relative to its root, below the root's name where there are several.
    pub shown: PathBuf,
    /// Whether it is a dated reading.
    pub pinned: bool,
}

/// All Markdown files below the roots.
pub(crate) struct Tree {
    /// The roots without links in them.
    roots: Vec<PathBuf>,
    /// Every Markdown file, by path.
    files: HashSet<PathBuf>,
    /// The first Markdown file of each base name: by root, then in sorted order.
    by_name: HashMap<OsString, PathBuf>,
    /// What is surveyed, in the order of the roots, then sorted.
    pub documents: Vec<Document>,
}

impl Tree {
    /// Walks every root once.
    pub(crate) fn walk(request: &Request) -> Result<Self, Refusal> {
        let mut tree = Self {
            roots: Vec::new(),
            files: HashSet::new(),
            by_name: HashMap::new(),
            documents: Vec::new(),
        };
        for root in &request.roots {
            if !root.is_dir() {
                return Err(Refusal::NotADirectory(root.clone()));
            }
            let real = root.canonicalize().map_err(|e| Refusal::Unreadable(root.clone(), e))?;
            tree.roots.push(real);
        }
        for (at, root) in request.roots.iter().enumerate() {
            let shown = if request.roots.len() == 1 { Path::new("") } else { root };
            tree.walk_root(at, shown, request)?;
        }
        Ok(tree)
    }

    fn walk_root(&mut self, at: usize, shown: &Path, request: &Request) -> Result<(), Refusal> {
        let root = self.roots[at].clone();
        let entered = |name: &OsStr| !NOT_ENTERED.iter().any(|&skipped| name == skipped);
        let walk = WalkDir::new(&root).sort_by_file_name().into_iter().filter_entry(|entry| {
            entry.depth() == 0 || !entry.file_type().is_dir() || entered(entry.file_name())
        });
        for entry in walk {
            let entry = entry.map_err(|error| {
                let path = error.path().unwrap_or(&root).to_owned();
                let cause = error.into_io_error();
                Refusal::Unreadable(path, cause.unwrap_or_else(|| io::ErrorKind::Other.into()))
            })?;
            let name = entry.file_name();
            if !entry.file_type().is_file() || !name.as_encoded_bytes().ends_with(b".md") {
                continue;
            }
            let path = entry.path().to_owned();
            // A root inside another one lists its files twice; the first listing counts.
            if !self.files.insert(path.clone()) {
                continue;
            }
            self.by_name.entry(name.to_owned()).or_insert_with(|| path.clone());
            let below = path.strip_prefix(&root).unwrap_or(&path);
            let fixture = below.components().any(|part| part.as_os_str() == FIXTURES);
            if fixture || name == TRANSCRIPT {
                continue;
            }
            let pinned = request.pinned.iter().any(|directory| {
                below.starts_with(directory.strip_prefix(".").unwrap_or(directory))
            });
            let shown = shown.join(below);
            self.documents.push(Document { path, shown, pinned });
        }
        Ok(())
    }

    /// The file that a citation names: relative to the citing document, then to each root in order,
    /// then by base name.
    pub(crate) fn resolve(&self, document: &Path, cited: &str) -> Option<PathBuf> {
        document
            .parent()
            .into_iter()
            .chain(self.roots.iter().map(PathBuf::as_path))
            .filter_map(|from| folded(&from.join(cited)))
            .find(|path| self.holds(path))
            .or_else(|| self.by_name.get(Path::new(cited).file_name()?).cloned())
    }

    /// Whether a path is a regular file below a root, reached through no link.
    fn holds(&self, path: &Path) -> bool {
        if self.files.contains(path) {
            return true;
        }
        // It may still lie in a directory that the walk did not enter.
        self.roots.iter().filter_map(|root| Some((root, path.strip_prefix(root).ok()?))).any(
            |(root, below)| {
                let skipped =
                    |part: Component<'_>| NOT_ENTERED.iter().any(|&name| part.as_os_str() == name);
                let mut here = root.clone();
                below.components().any(skipped)
                    && below.components().all(|part| {
                        here.push(part);
                        fs::symlink_metadata(&here).is_ok_and(|found| !found.is_symlink())
                    })
                    && here.is_file()
            },
        )
    }
}

/// A path without `.` and `..`, by its text alone; `None` when it climbs above its beginning.
fn folded(path: &Path) -> Option<PathBuf> {
    let mut folded = PathBuf::new();
    for part in path.components() {
        match part {
            Component::CurDir => {}
            Component::ParentDir => {
                if !folded.pop() {
                    return None;
                }
            }
            other => folded.push(other),
        }
    }
    Some(folded)
}
