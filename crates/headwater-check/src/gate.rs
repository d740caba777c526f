//! The gate: whether a verdict that was reached over one tree carries to another (checks §4.2). It runs
//! no check, parses no document and lists no directory but the claim store; it reads the read set, the
//! lock, and each path that the read set lists.
//!
//! Every doubt voids: a verdict that is voided for nothing costs one run, and one that is carried for
//! nothing lets a corpus through that no run has judged.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io::{self, Read as _};
use std::path::{Component, Path, PathBuf};

use headwater_corpus::{CLAIMS_PATH, Claims, DOCUMENT_LIMIT, Digest};
use headwater_taxonomy::lock::{self, LockFault};
use headwater_taxonomy::yaml::escaped;
use rayon::prelude::*;
use sha2::{Digest as _, Sha256};

use crate::date::Date;
use crate::read_set::{Input, ReadSet};
use crate::registry::Registry;

/// What no gate can say, whatever it answers. It is the last line of every answer.
pub const LIMIT: &str =
    "the gate says nothing about a document that this tree gained since that run";

/// A reason for which a verdict does not carry.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Void {
    /// The resolved taxonomy is another one.
    LockMoved {
        /// The digest that the run read.
        recorded: String,
        /// The digest now.
        found: String,
    },
    /// The adoption block of the lock is another one.
    AdoptionMoved {
        /// Its digest when the run read it; none where there was no block.
        recorded: Option<String>,
        /// Its digest now.
        found: Option<String>,
    },
    /// The engine that decides has another edition of a rule than the one that ran.
    RuleMoved {
        /// The rule.
        rule: String,
        /// The edition that ran; none where the run had no such rule.
        recorded: Option<u32>,
        /// The edition of this engine; none where it has no such rule.
        found: Option<u32>,
    },
    /// The rule judged a whole set of documents.
    Barrier(String),
    /// The rule judged a change.
    ChangeScoped(String),
    /// The rule read another day.
    DayMoved {
        /// The rule.
        rule: String,
        /// The day that it read.
        recorded: Date,
        /// The day that is asked about.
        asked: Date,
    },
    /// The path leads out of the repository, so nothing was opened.
    Escaped(String),
    /// The run had no digest of the file.
    Unhashed(String),
    /// There is no such file to compare; why.
    Gone(String, String),
    /// The file has other bytes.
    Moved {
        /// The path.
        path: String,
        /// The digest that the run read.
        recorded: Digest,
        /// The digest now.
        found: Digest,
    },
}

impl Void {
    /// The word that programs tell reasons apart by.
    #[must_use]
    pub const fn word(&self) -> &'static str {
        match self {
            Self::LockMoved { .. } | Self::AdoptionMoved { .. } => "lock_moved",
            Self::RuleMoved { .. } => "rule_moved",
            Self::Barrier(_) => "barrier",
            Self::ChangeScoped(_) => "change_scoped",
            Self::DayMoved { .. } => "day_moved",
            Self::Escaped(_) => "escaped",
            Self::Unhashed(_) => "unhashed",
            Self::Gone(..) => "gone",
            Self::Moved { .. } => "moved",
        }
    }

    /// The reason as a sentence, without a full stop.
    #[must_use]
    pub fn says(&self) -> String {
        match self {
            Self::LockMoved { recorded, found } => format!(
                "the taxonomy is another one: the run read {}, and the lock gives {}",
                escaped(recorded),
                escaped(found)
            ),
            Self::AdoptionMoved { recorded, found } => {
                let words = |digest: &Option<String>| match digest {
                    Some(digest) => escaped(digest),
                    None => "none".to_owned(),
                };
                format!(
                    "the adoption block of the lock is another one: the run read {}, and the lock holds {}",
                    words(recorded),
                    words(found)
                )
            }
            Self::RuleMoved { rule, recorded, found } => {
                let rule = escaped(rule);
                match (recorded, found) {
                    (Some(recorded), Some(found)) => {
                        format!(
                            "{rule} ran in edition {recorded}, and this engine has edition {found}"
                        )
                    }
                    (None, _) => format!("{rule} did not run, and this engine has it"),
                    (_, None) => format!("{rule} ran, and this engine does not have it"),
                }
            }
            Self::Barrier(rule) => format!(
                "{} judged a whole set of documents, and a merge may have brought it others",
                escaped(rule)
            ),
            Self::ChangeScoped(rule) => format!(
                "{} judged a change, and what it was compared with is not part of this tree",
                escaped(rule)
            ),
            Self::DayMoved { rule, recorded, asked } => {
                format!("{} read the day {recorded}, and {asked} is asked about", escaped(rule))
            }
            Self::Escaped(path) => {
                format!("{} leads out of the repository, so it was not opened", escaped(path))
            }
            Self::Unhashed(path) => {
                format!("{} was handed to the run without a digest to compare", escaped(path))
            }
            Self::Gone(path, why) => format!("{}: {why}", escaped(path)),
            Self::Moved { path, recorded, found } => format!(
                "{} has other bytes: the run read {recorded}, and they give {found}",
                escaped(path)
            ),
        }
    }
}

/// What a gate answers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Verdict {
    /// The day of the run that reached it.
    pub clock: Date,
    /// How many inputs the read set lists.
    pub listed: usize,
    /// Why the verdict does not carry; empty where it does.
    pub reasons: Vec<Void>,
}

/// Holds a read set against the tree at `root` and this engine, on a day.
///
/// # Errors
/// The lock of the tree cannot be used.
pub fn gate(
    root: &Path,
    registry: &Registry,
    set: &ReadSet,
    asked: Date,
) -> Result<Verdict, LockFault> {
    let mut reasons = Vec::new();
    match lock::read(root) {
        Ok(lock) => {
            let found = lock.header.digest.clone();
            if found != set.lock {
                reasons.push(Void::LockMoved { recorded: set.lock.clone(), found });
            }
            let found = lock.adoption_digest();
            if found != set.adoption {
                reasons.push(Void::AdoptionMoved { recorded: set.adoption.clone(), found });
            }
        }
        // Somebody edited one of the two, so it is not the lock that the run read.
        Err(LockFault::Digest { declared, actual }) => {
            let found = if actual == set.lock { declared } else { actual };
            reasons.push(Void::LockMoved { recorded: set.lock.clone(), found });
        }
        Err(fault) => return Err(fault),
    }
    reasons.extend(editions(registry, set));
    reasons.extend(set.barriers.iter().cloned().map(Void::Barrier));
    reasons.extend(set.change_scoped.iter().cloned().map(Void::ChangeScoped));
    if asked != set.clock {
        let recorded = set.clock;
        let moved = |rule: &String| Void::DayMoved { rule: rule.clone(), recorded, asked };
        reasons.extend(set.windowed.iter().map(moved));
    }
    let tree = Tree::of(root, &set.inputs);
    reasons.par_extend(set.inputs.par_iter().filter_map(|input| tree.reason(input)));
    Ok(Verdict { clock: set.clock, listed: set.inputs.len(), reasons })
}

/// Where the editions of the run and of this engine differ: in registry order, then what this engine
/// does not have.
fn editions(registry: &Registry, set: &ReadSet) -> Vec<Void> {
    let mut recorded: BTreeMap<&str, BTreeSet<u32>> = BTreeMap::new();
    for (rule, edition) in &set.editions {
        recorded.entry(rule).or_default().insert(*edition);
    }
    let mut reasons = Vec::new();
    for template in registry.templates() {
        let about = template.about();
        let ran = recorded.remove(about.id).unwrap_or_default();
        let moved = |recorded| Void::RuleMoved {
            rule: about.id.to_owned(),
            recorded,
            found: Some(about.edition),
        };
        if ran.is_empty() {
            reasons.push(moved(None));
        }
        let others = ran.into_iter().filter(|edition| *edition != about.edition);
        reasons.extend(others.map(|edition| moved(Some(edition))));
    }
    for (rule, editions) in recorded {
        let recorded = editions.first().copied();
        reasons.push(Void::RuleMoved { rule: rule.to_owned(), recorded, found: None });
    }
    reasons
}

/// Where a directory or a file stands, decided before anything is opened.
#[derive(Clone)]
enum Stands {
    /// Here, inside the repository.
    At(PathBuf),
    /// Outside the repository.
    Outside,
    /// Nowhere; why.
    Nowhere(String),
}

const GONE: &str = "there is no such file any more";

/// A tree and the directories that the listed paths lie in, each looked at once.
struct Tree<'s> {
    root: &'s Path,
    real: PathBuf,
    directories: BTreeMap<&'s str, Stands>,
}

fn parts(path: &str) -> (&str, &str) {
    path.rsplit_once('/').unwrap_or(("", path))
}

impl<'s> Tree<'s> {
    fn of(root: &'s Path, inputs: &'s [Input]) -> Self {
        let real = fs::canonicalize(root).unwrap_or_else(|_| root.to_owned());
        let mut tree = Self { root, real, directories: BTreeMap::new() };
        let names: BTreeSet<&str> = inputs.iter().map(|input| parts(&input.path).0).collect();
        let names: Vec<&str> = names.into_iter().collect();
        tree.directories = names.par_iter().map(|name| (*name, tree.directory(name))).collect();
        tree
    }

    /// Why one input does not carry.
    fn reason(&self, input: &Input) -> Option<Void> {
        let path = || input.path.clone();
        let place = match self.file(&input.path) {
            Stands::Outside => return Some(Void::Escaped(path())),
            other => other,
        };
        let Some(recorded) = input.digest else { return Some(Void::Unhashed(path())) };
        let found = match place {
            // The store is listed whether there is one or not, and an absent one is an empty one.
            _ if input.path == CLAIMS_PATH => Ok(Claims::read(self.root).digest()),
            Stands::At(place) => digest(&place),
            Stands::Outside => return Some(Void::Escaped(path())),
            Stands::Nowhere(why) => Err(why),
        };
        match found {
            Ok(found) if found == recorded => None,
            Ok(found) => Some(Void::Moved { path: path(), recorded, found }),
            Err(why) => Some(Void::Gone(path(), why)),
        }
    }

    fn directory(&self, name: &str) -> Stands {
        if climbs(Path::new(name)) {
            return Stands::Outside;
        }
        let written = self.root.join(name);
        match fs::canonicalize(&written) {
            Ok(place) => self.inside(place),
            Err(_) => {
                // Links may lead out before the path ends.
                let nearest = written.ancestors().find_map(|above| fs::canonicalize(above).ok());
                match nearest.map(|place| self.inside(place)) {
                    Some(Stands::Outside) => Stands::Outside,
                    _ => Stands::Nowhere(GONE.to_owned()),
                }
            }
        }
    }

    fn inside(&self, place: PathBuf) -> Stands {
        if place.starts_with(&self.real) { Stands::At(place) } else { Stands::Outside }
    }

    fn file(&self, path: &str) -> Stands {
        if climbs(Path::new(path)) {
            return Stands::Outside;
        }
        let (directory, name) = parts(path);
        let directory = match self.directories.get(directory) {
            Some(Stands::At(directory)) => directory,
            Some(other) => return other.clone(),
            None => return Stands::Nowhere(GONE.to_owned()),
        };
        let place = directory.join(name);
        match fs::symlink_metadata(&place) {
            Ok(about) if about.is_file() => Stands::At(place),
            Ok(about) if about.is_symlink() => self.link(directory, &place),
            // The claim store is the one directory that is listed.
            Ok(about) if about.is_dir() && path == CLAIMS_PATH => Stands::At(place),
            Ok(_) => Stands::Nowhere("what stands there is no regular file".to_owned()),
            Err(error) => Stands::Nowhere(match error.kind() {
                io::ErrorKind::NotFound => GONE.to_owned(),
                _ => format!("it cannot be looked at: {error}"),
            }),
        }
    }

    /// A link that stands at a listed path. No run reads a document through one.
    fn link(&self, directory: &Path, place: &Path) -> Stands {
        let leads = match fs::canonicalize(place) {
            Ok(leads) => leads,
            // It leads nowhere; where it would is told by its text.
            Err(_) => folded(&directory.join(fs::read_link(place).unwrap_or_default())),
        };
        match self.inside(leads) {
            Stands::Outside => Stands::Outside,
            _ => Stands::Nowhere(
                "what stands there is a link, and no run reads through it".to_owned(),
            ),
        }
    }
}

/// Whether a path is absolute or leads above its beginning, by its text alone.
fn climbs(path: &Path) -> bool {
    let mut depth = 0_usize;
    for part in path.components() {
        match part {
            Component::Normal(_) => depth += 1,
            Component::CurDir => {}
            Component::ParentDir if depth > 0 => depth -= 1,
            Component::ParentDir | Component::RootDir | Component::Prefix(_) => return true,
        }
    }
    false
}

/// An absolute path without `..`, by its text alone.
fn folded(path: &Path) -> PathBuf {
    let mut folded = PathBuf::new();
    for part in path.components() {
        if part == Component::ParentDir {
            folded.pop();
        } else {
            folded.push(part);
        }
    }
    folded
}

/// The digest of a regular file, read a block at a time.
fn digest(place: &Path) -> Result<Digest, String> {
    let unread = |error: io::Error| format!("it cannot be read: {error}");
    let mut file = fs::File::open(place).map_err(unread)?.take(DOCUMENT_LIMIT + 1);
    let mut state = Sha256::new();
    let mut block = [0; 16 * 1024];
    let mut total = 0;
    loop {
        let read = file.read(&mut block).map_err(unread)?;
        if read == 0 {
            break;
        }
        state.update(block.get(..read).unwrap_or_default());
        total += read as u64;
    }
    if total > DOCUMENT_LIMIT {
        return Err(format!("it is larger than the limit of {DOCUMENT_LIMIT} bytes"));
    }
    Ok(Digest::from_bytes(state.finalize().into()))
}
