//! Quotations beside line numbers: do they still stand where they are cited?
//!
//! A line number is a fact about a file at one moment. Inserting a paragraph moves every passage
//! below it and falsifies each citation of them without breaking anything a reader can see. This
//! crate walks one or more checkouts, judges each citation that has a quotation beside it, asks the
//! repository about those that have none, and says what it exempted.
//!
//! What a citation, a quotation and a verdict are is decided in `markdown::citation`; here are the
//! files, the repositories and the report.

mod history;
mod report;
mod survey;
mod tree;

use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

pub use report::{Changed, Finding, Report, Undecidable};

/// Directories of dated readings: written against a named commit, never judged.
pub const PINNED_REPORTS: [&str; 4] =
    ["docs/why-verdict", "docs/drive-by-hand", "docs/merge-and-split", "docs/unquoted-citations"];

/// What to survey.
#[derive(Clone, Debug)]
pub struct Request {
    /// The checkouts, in the order in which a citation is looked for in them.
    pub roots: Vec<PathBuf>,
    /// Directories, relative to a root, whose documents are counted and not judged.
    pub pinned: Vec<PathBuf>,
}

impl Request {
    /// A survey of some roots with the usual exemptions.
    #[must_use]
    pub fn new(roots: Vec<PathBuf>) -> Self {
        Self { roots, pinned: PINNED_REPORTS.iter().map(PathBuf::from).collect() }
    }
}

/// Why there is no report.
#[derive(Debug)]
pub enum Refusal {
    /// A root that is no directory.
    NotADirectory(PathBuf),
    /// A file or directory below a root that could not be read.
    Unreadable(PathBuf, io::Error),
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotADirectory(_) => f.write_str("not a directory"),
            Self::Unreadable(_, cause) => write!(f, "cannot be read: {cause}"),
        }
    }
}

impl std::error::Error for Refusal {}

impl Refusal {
    /// What the refusal is about: the kind and the value that stand after `Canvas-About:`.
    #[must_use]
    pub fn about(&self) -> (&'static str, String) {
        match self {
            Self::NotADirectory(root) => ("root", root.to_string_lossy().into_owned()),
            Self::Unreadable(path, _) => ("path", path.to_string_lossy().into_owned()),
        }
    }

    /// What to do next, as it stands after `Canvas-Next:`.
    #[must_use]
    pub fn next(&self) -> &'static str {
        match self {
            Self::NotADirectory(_) => "name a directory that holds a checkout",
            Self::Unreadable(..) => "make it readable, or survey a root that does not hold it",
        }
    }
}

/// Surveys the roots.
///
/// # Errors
///
/// [`Refusal`] when a root is no directory or something below it cannot be read.
pub fn survey(request: &Request) -> Result<Report, Refusal> {
    survey::run(request)
}

/// The root when none is given: the top of the repository around a directory, else the directory.
#[must_use]
pub fn default_root(directory: &Path) -> PathBuf {
    directory
        .ancestors()
        .find(|ancestor| ancestor.join(".git").exists())
        .unwrap_or(directory)
        .to_owned()
}
