//! Resolvers: what binds an edge end that is no document (model §6.4). The set of a run is fixed when
//! the corpus is built; what lives outside this crate (canvases, the rules of the engine) is handed in.

pub(crate) mod canvas;
pub(crate) mod check_rule;
pub(crate) mod comment_scan;
pub(crate) mod comments;
pub(crate) mod pinned;
pub(crate) mod source_tree;

use std::fmt;

pub use canvas::Canvases;
pub use pinned::{Pin, PinKind};

/// What stands in a repository at a path that a target matches.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Member {
    /// The path below the repository root.
    pub path: String,
    /// What it is.
    pub kind: MemberKind,
}

/// What a member is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum MemberKind {
    /// A regular file.
    File,
    /// A directory, named literally.
    Directory,
    /// A link, a pipe, a socket or a device, which has no bytes to digest.
    Special,
}

/// A target that a resolver knows.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Resolved {
    /// The target, normalized.
    pub normalized: String,
    /// What it matches, sorted; empty for what is no path.
    pub members: Vec<Member>,
    /// The real path below the root of a literal target that links lead to, where it is another one.
    pub real: Option<String>,
    /// The exclusion that matches a literal target: the index among `Declaration::exclude`.
    pub excluded: Option<usize>,
}

/// What a resolver says about a target.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Resolution {
    /// It knows it.
    Resolved(Resolved),
    /// It does not; why, in words for people.
    Unresolved(String),
    /// An export keeps it back under this profile.
    Withheld(String),
}

/// The state of what an edge was bound to, for telling whether it moved.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Revision {
    /// This state.
    At(String),
    /// None, because a directory is named literally.
    Directory,
    /// None, because nothing that matches is a regular file.
    NoFile,
    /// None, because such targets have no revision.
    Never,
    /// None now; why.
    Unreadable(String),
}

/// Binds the targets of one kind of anchor.
pub trait Resolver: Send + Sync {
    /// Its name, as anchor kinds write it.
    fn name(&self) -> &str;

    /// Resolves one raw target, trimmed, that a document with the identifier `asserter` wrote.
    fn resolve(&self, raw: &str, asserter: &str) -> Resolution;

    /// The present revision of what the targets of one edge resolved to.
    fn revision(&self, parts: &[Resolved]) -> Revision;
}

/// The resolvers of a run.
#[derive(Default)]
pub struct Resolvers {
    present: Vec<Box<dyn Resolver>>,
    absent: Vec<(String, String)>,
}

impl fmt::Debug for Resolvers {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.present.iter().map(|resolver| resolver.name())).finish()
    }
}

impl Resolvers {
    /// Adds a resolver.
    ///
    /// # Errors
    /// The name, when another resolver has it.
    pub fn add(&mut self, resolver: Box<dyn Resolver>) -> Result<(), String> {
        if self.get(resolver.name()).is_some() {
            return Err(resolver.name().to_owned());
        }
        self.present.push(resolver);
        Ok(())
    }

    /// Says why a resolver is not in this run.
    pub fn say_absent(&mut self, name: &str, why: &str) {
        self.absent.push((name.to_owned(), why.to_owned()));
    }

    /// The resolver of a name. There are few.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<&dyn Resolver> {
        self.present.iter().find(|resolver| resolver.name() == name).map(|held| &**held)
    }

    /// Why a resolver is not in this run, where that is known.
    #[must_use]
    pub fn why_absent(&self, name: &str) -> Option<String> {
        self.absent.iter().find(|(absent, _)| absent == name).map(|(_, why)| why.clone())
    }
}
