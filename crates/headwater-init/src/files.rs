//! The files of a first taxonomy, and writing them all or none.

use std::fs::{self, OpenOptions};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use headwater_check::headwater_taxonomy::declaration::DECLARATION_PATH;
use headwater_check::headwater_taxonomy::lock::LOCK_PATH;
use headwater_check::headwater_taxonomy::repository::PACKAGES_PATH;
use headwater_check::headwater_taxonomy::yaml::escaped;

use crate::root::Root;
use crate::taxonomy::VERSION;
use crate::tree::{Tree, map, text};
use crate::{Failure, refusal, unusable};

/// Where the overlay is.
pub(crate) const OVERLAY_PATH: &str = ".headwater/overlay.yml";
/// The directory of all files.
const DIRECTORY: &str = ".headwater";

/// The overlay: nothing yet.
pub(crate) const OVERLAY: &str = "\
# What this repository adds to the package, or takes from it: `add`, `override`, `add_to`, `remove_from`
# and `remove`, by address. The package stays as it is and can be replaced by its next version.
add: {}
";

/// A file to be written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Draft {
    /// The path below the repository root.
    pub path: String,
    /// What it holds.
    pub text: String,
}

/// Where the files of a package go.
pub(crate) struct Paths {
    manifest: String,
    pub taxonomy: String,
}

impl Paths {
    pub(crate) fn of(package: &str) -> Self {
        let directory = format!("{PACKAGES_PATH}/{}", package.replace('/', "-"));
        Self {
            manifest: format!("{directory}/package.yml"),
            taxonomy: format!("{directory}/taxonomy.yml"),
        }
    }

    /// Every file, in the order in which they are written.
    pub(crate) fn drafts(
        self,
        package: &str,
        source: String,
        lock: String,
        declared: String,
    ) -> Vec<Draft> {
        let manifest = map([
            ("package", text(package)),
            ("version", text(VERSION)),
            ("contents", map([("taxonomy", text("taxonomy.yml"))])),
        ]);
        let draft = |path: &str, text: String| Draft { path: path.to_owned(), text };
        vec![
            draft(&self.manifest, manifest.render()),
            draft(&self.taxonomy, source),
            draft(OVERLAY_PATH, OVERLAY.to_owned()),
            draft(LOCK_PATH, lock),
            draft(DECLARATION_PATH, declared),
        ]
    }
}

/// The declaration of the repository.
pub(crate) fn declaration(package: &str, root: &Root) -> String {
    let path = if root.path.is_empty() { "." } else { &root.path };
    let mut corpus = vec![("root", text(path))];
    if !root.exclude.is_empty() {
        let exclude = root.exclude.iter().map(|(pattern, reason)| {
            map([("path", text(pattern.as_str())), ("reason", text(reason.as_str()))])
        });
        corpus.push(("exclude", Tree::List(exclude.collect())));
    }
    let taxonomy =
        [("package", text(package)), ("version", text(VERSION)), ("overlay", text(OVERLAY_PATH))];
    map([("taxonomy", map(taxonomy)), ("corpus", map(corpus))]).render()
}

/// Whether the repository has no taxonomy yet.
pub(crate) fn unbound(root: &Path) -> Result<(), Failure> {
    if !root.is_dir() {
        return Err(unusable(refusal(
            ".",
            "the repository root is no directory",
            "name one with --root",
        )));
    }
    let is_there = |path: &str| fs::symlink_metadata(root.join(path)).is_ok();
    for path in [DECLARATION_PATH, LOCK_PATH, OVERLAY_PATH] {
        if is_there(path) {
            let next = "edit what is there, or remove the directory .headwater to begin anew";
            return Err(Failure::No(refusal(path, "this repository has a taxonomy already", next)));
        }
    }
    let directory = fs::symlink_metadata(root.join(DIRECTORY));
    if directory.is_ok_and(|about| !about.is_dir()) {
        let what = "it is no directory, and the taxonomy is written into one of this name";
        return Err(unusable(refusal(DIRECTORY, what, "move it away")));
    }
    Ok(())
}

pub(crate) fn write(root: &Path, drafts: &[Draft]) -> Result<(), Failure> {
    let mut written: Vec<PathBuf> = Vec::new();
    for draft in drafts {
        let path = root.join(&draft.path);
        if let Err(error) = create(&path, &draft.text) {
            for path in written.iter().rev() {
                // What cannot be removed is named by the next attempt, which finds it there.
                let _ = fs::remove_file(path);
            }
            let what = match error.kind() {
                io::ErrorKind::AlreadyExists => {
                    "it is there already, so nothing was written".to_owned()
                }
                _ => format!("it cannot be written, so nothing was: {error}"),
            };
            let next = "move away what is there, or make the directory writable";
            return Err(unusable(refusal(&escaped(&draft.path), what, next)));
        }
        written.push(path);
    }
    Ok(())
}

/// Makes a new file with what it holds, on disk when this returns.
fn create(path: &Path, text: &str) -> io::Result<()> {
    if let Some(directory) = path.parent() {
        fs::create_dir_all(directory)?;
    }
    let mut file = OpenOptions::new().write(true).create_new(true).open(path)?;
    let written = file.write_all(text.as_bytes()).and_then(|()| file.sync_all());
    if written.is_err() {
        let _ = fs::remove_file(path);
    }
    written
}
