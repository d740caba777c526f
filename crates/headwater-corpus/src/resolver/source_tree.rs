//! The resolver `source-tree`: a path or a pattern of the repository is an anchor, and its revision is
//! a digest over what it matches, whatever order the file system has (model §6.4).

use std::collections::HashMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use headwater_taxonomy::declaration::Exclusion;
use headwater_taxonomy::path::normalize;
use headwater_taxonomy::pattern::PathPattern;

use super::{Member, MemberKind, Resolution, Resolved, Resolver, Revision};
use crate::digest::Digest;
use crate::read::{DOCUMENT_LIMIT, read_file};
use crate::walk::{Entry, What, walk};

/// The name of the resolver.
pub(crate) const NAME: &str = "source-tree";

pub(crate) struct SourceTree {
    root: PathBuf,
    /// The root with every link followed; none where the system does not say.
    real_root: Option<PathBuf>,
    exclude: Vec<Exclusion>,
    /// What each target came to. Many edges share their targets.
    resolved: Mutex<HashMap<String, Resolution>>,
    /// The revision of each list of targets that was asked for.
    revisions: Mutex<HashMap<Vec<String>, Revision>>,
    /// What stands below each literal prefix that was walked.
    walked: Mutex<HashMap<String, Arc<Vec<Entry>>>>,
}

impl SourceTree {
    pub(crate) fn new(root: &Path, exclude: &[Exclusion]) -> Self {
        Self {
            root: root.to_owned(),
            real_root: fs::canonicalize(root).ok(),
            exclude: exclude.to_owned(),
            resolved: Mutex::default(),
            revisions: Mutex::default(),
            walked: Mutex::default(),
        }
    }

    /// The real path of something that exists, below the root.
    ///
    /// # Errors
    /// It leads out of the repository, or cannot be followed.
    fn real(&self, path: &str) -> Result<String, String> {
        let real = fs::canonicalize(self.root.join(path)).map_err(|error| match error.kind() {
            std::io::ErrorKind::NotFound => format!("`{path}` leads nowhere"),
            _ => format!("`{path}` cannot be followed: {error}"),
        })?;
        let below = self.real_root.as_ref().and_then(|root| real.strip_prefix(root).ok());
        match below.and_then(Path::to_str) {
            Some(below) => Ok(below.replace(std::path::MAIN_SEPARATOR, "/")),
            None => Err(format!("`{path}` leads out of the repository")),
        }
    }

    fn excluded(&self, path: &str) -> Option<usize> {
        self.exclude.iter().position(|rule| rule.pattern.matches(path))
    }

    fn decide(&self, path: String) -> Resolution {
        let pattern = PathPattern::new(&path);
        if pattern.is_literal() { self.literal(path) } else { self.pattern(path, &pattern) }
    }

    fn literal(&self, path: String) -> Resolution {
        let Ok(about) = fs::symlink_metadata(self.root.join(&path)) else {
            return Resolution::Unresolved(format!("there is no file or directory `{path}`"));
        };
        let real = match self.real(&path) {
            Ok(real) => real,
            Err(why) => return Resolution::Unresolved(why),
        };
        let about = if about.is_symlink() {
            match fs::metadata(self.root.join(&path)) {
                Ok(about) => about,
                Err(error) => {
                    return Resolution::Unresolved(format!("`{path}` cannot be read: {error}"));
                }
            }
        } else {
            about
        };
        let kind = if about.is_dir() {
            MemberKind::Directory
        } else if about.is_file() {
            MemberKind::File
        } else {
            MemberKind::Special
        };
        Resolution::Resolved(Resolved {
            members: vec![Member { path: path.clone(), kind }],
            real: (real != path).then_some(real),
            excluded: self.excluded(&path),
            normalized: path,
        })
    }

    fn pattern(&self, path: String, pattern: &PathPattern) -> Resolution {
        let prefix = pattern.literal_prefix();
        if prefix.is_empty() {
            let why = "a pattern needs a first segment without wildcards";
            return Resolution::Unresolved(why.to_owned());
        }
        let nothing = || Resolution::Unresolved(format!("nothing matches `{path}`"));
        if !self.root.join(&prefix).is_dir() {
            return nothing();
        }
        if let Err(why) = self.real(&prefix) {
            return Resolution::Unresolved(why);
        }
        let members: Vec<Member> = self
            .below(&prefix)
            .iter()
            .filter(|entry| pattern.matches(&entry.path) && self.excluded(&entry.path).is_none())
            .filter_map(|entry| {
                let kind = match entry.what {
                    What::File => MemberKind::File,
                    What::Link(_) | What::Special => MemberKind::Special,
                    What::Unlisted(_) | What::BadName => return None,
                };
                Some(Member { path: entry.path.clone(), kind })
            })
            .collect();
        if members.is_empty() {
            return nothing();
        }
        Resolution::Resolved(Resolved { normalized: path, members, ..Resolved::default() })
    }

    fn below(&self, prefix: &str) -> Arc<Vec<Entry>> {
        let mut walked = self.walked.lock().unwrap_or_else(PoisonError::into_inner);
        let entries =
            walked.entry(prefix.to_owned()).or_insert_with(|| Arc::new(walk(&self.root, prefix)));
        Arc::clone(entries)
    }
}

impl Resolver for SourceTree {
    fn name(&self) -> &str {
        NAME
    }

    fn resolve(&self, raw: &str, _asserter: &str) -> Resolution {
        let path = match normalize(raw) {
            Ok(path) => path,
            Err(why) => return Resolution::Unresolved(why.to_string()),
        };
        let known =
            self.resolved.lock().unwrap_or_else(PoisonError::into_inner).get(&path).cloned();
        if let Some(known) = known {
            return known;
        }
        let found = self.decide(path.clone());
        let mut resolved = self.resolved.lock().unwrap_or_else(PoisonError::into_inner);
        resolved.insert(path, found.clone());
        found
    }

    fn revision(&self, parts: &[Resolved]) -> Revision {
        let targets: Vec<String> = parts.iter().map(|part| part.normalized.clone()).collect();
        let known =
            self.revisions.lock().unwrap_or_else(PoisonError::into_inner).get(&targets).cloned();
        if let Some(known) = known {
            return known;
        }
        let revision = self.read_revision(parts);
        let mut revisions = self.revisions.lock().unwrap_or_else(PoisonError::into_inner);
        revisions.insert(targets, revision.clone());
        revision
    }
}

impl SourceTree {
    /// The revision of what the targets match, read from the disk.
    fn read_revision(&self, parts: &[Resolved]) -> Revision {
        let mut members: Vec<&Member> = parts.iter().flat_map(|part| &part.members).collect();
        members.sort_unstable();
        members.dedup();
        if members.iter().any(|member| member.kind == MemberKind::Directory) {
            return Revision::Directory;
        }
        let mut manifest = Vec::new();
        for member in members.iter().filter(|member| member.kind == MemberKind::File) {
            // A literal target may be a link to a file inside the root, which was decided above.
            let real = match self.real(&member.path) {
                Ok(real) => real,
                Err(why) => return Revision::Unreadable(why),
            };
            match read_file(&self.root.join(real), DOCUMENT_LIMIT) {
                Ok(bytes) => {
                    manifest.extend_from_slice(member.path.as_bytes());
                    manifest.push(0);
                    manifest.extend_from_slice(Digest::of(&bytes).to_string().as_bytes());
                    manifest.push(b'\n');
                }
                Err(failure) => {
                    let why = format!("`{}`: {}", member.path, failure.sentence());
                    return Revision::Unreadable(why);
                }
            }
        }
        if manifest.is_empty() {
            return Revision::NoFile;
        }
        Revision::At(Digest::of(&manifest).to_string())
    }
}
