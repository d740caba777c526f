//! Files outside the corpus that language regimes list: they are no rows and no nodes, and the three
//! language rules read them (`outside_root`). A pattern that cannot be followed safely is refused as
//! a whole.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;
use std::sync::Arc;

use headwater_taxonomy::model::{Bindings, Taxonomy};
use headwater_taxonomy::path::normalize;
use headwater_taxonomy::pattern::PathPattern;

use crate::digest::Digest;
use crate::document::Document;
use crate::read::{DOCUMENT_LIMIT, parse_document, read_file};
use crate::walk::{What, walk};

/// A file outside the corpus that is held to a language regime.
#[derive(Debug)]
pub struct OutsideFile {
    /// The regime that lists it.
    pub regime: String,
    /// Its path below the repository root.
    pub path: String,
    /// The digest of its bytes.
    pub digest: Digest,
    /// The file, read as a document.
    pub document: Box<Document>,
}

/// A listed pattern that is not followed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OutsideRefusal {
    /// The regime that lists it.
    pub regime: String,
    /// The pattern as written.
    pub pattern: String,
    /// Why, in words for people.
    pub why: String,
}

/// What the language regimes list outside the corpus.
#[derive(Debug, Default)]
pub struct Outside {
    /// The files, by path.
    pub files: Vec<OutsideFile>,
    /// The patterns that are refused, in declared order.
    pub refusals: Vec<OutsideRefusal>,
}

/// One listed pattern and what it matches.
struct Listed<'t> {
    regime: &'t str,
    pattern: &'t str,
    paths: Result<Vec<String>, String>,
}

impl Outside {
    /// Reads what the regimes of a taxonomy list, beside the corpus at `corpus_root`.
    pub(crate) fn read(
        root: &Path,
        corpus_root: &str,
        taxonomy: &Taxonomy,
        bindings: &Arc<Bindings>,
    ) -> Self {
        let mut listed = Vec::new();
        for (regime, language) in taxonomy.regimes.language.iter() {
            for pattern in &language.outside_root {
                let paths = matches(root, corpus_root, pattern);
                listed.push(Listed { regime, pattern, paths });
            }
        }
        let mut regimes: BTreeMap<String, BTreeSet<&str>> = BTreeMap::new();
        for Listed { regime, paths, .. } in &listed {
            for path in paths.iter().flatten() {
                regimes.entry(path.clone()).or_default().insert(regime);
            }
        }
        let mut outside = Self::default();
        let mut read: BTreeSet<String> = BTreeSet::new();
        for Listed { regime, pattern, paths } in listed {
            let shared = |path: &&String| regimes.get(*path).is_some_and(|held| held.len() > 1);
            let files = paths.and_then(|paths| match paths.iter().find(shared) {
                Some(path) => Err(format!("another regime lists `{path}` too")),
                None => paths
                    .into_iter()
                    .filter(|path| !read.contains(path))
                    .map(|path| file(root, regime, path, bindings))
                    .collect::<Result<Vec<_>, _>>(),
            });
            match files {
                Ok(files) => {
                    read.extend(files.iter().map(|file| file.path.clone()));
                    outside.files.extend(files);
                }
                Err(why) => outside.refusals.push(OutsideRefusal {
                    regime: regime.to_owned(),
                    pattern: pattern.to_owned(),
                    why,
                }),
            }
        }
        outside.files.sort_unstable_by(|a, b| a.path.cmp(&b.path));
        outside
    }
}

/// The files that a pattern matches, in path order, or why it is not followed.
fn matches(root: &Path, corpus_root: &str, written: &str) -> Result<Vec<String>, String> {
    let path = normalize(written).map_err(|why| why.to_string())?;
    let pattern = PathPattern::new(&path);
    let prefix = pattern.literal_prefix();
    if prefix.is_empty() {
        return Err("it opens with a wildcard".to_owned());
    }
    let governed = |path: &str| {
        corpus_root.is_empty()
            || path
                .strip_prefix(corpus_root)
                .is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
    };
    if governed(&prefix) {
        return Err("it is under the corpus root".to_owned());
    }
    let mut above = String::new();
    for segment in prefix.split('/') {
        above = if above.is_empty() { segment.to_owned() } else { format!("{above}/{segment}") };
        if fs::symlink_metadata(root.join(&above)).is_ok_and(|about| about.is_symlink()) {
            return Err(format!("`{above}` is a symbolic link"));
        }
    }
    let mut paths = Vec::new();
    if pattern.is_literal() {
        if fs::symlink_metadata(root.join(&path)).is_ok_and(|about| about.is_file()) {
            paths.push(path);
        }
    } else if root.join(&prefix).is_dir() {
        for entry in walk(root, &prefix).into_iter().filter(|entry| pattern.matches(&entry.path)) {
            match entry.what {
                What::File if governed(&entry.path) => {
                    return Err(format!("`{}` is under the corpus root", entry.path));
                }
                What::File => paths.push(entry.path),
                What::Link(_) => return Err(format!("`{}` is a symbolic link", entry.path)),
                What::Special | What::Unlisted(_) | What::BadName => {}
            }
        }
    }
    if paths.is_empty() { Err("it matches no file".to_owned()) } else { Ok(paths) }
}

fn file(
    root: &Path,
    regime: &str,
    path: String,
    bindings: &Arc<Bindings>,
) -> Result<OutsideFile, String> {
    let bytes = read_file(&root.join(&path), DOCUMENT_LIMIT)
        .map_err(|failure| format!("`{path}` cannot be read: {}", failure.sentence()))?;
    let digest = Digest::of(&bytes);
    let document = parse_document(&path, bytes, None, bindings)
        .map_err(|why| format!("`{path}` cannot be read: {}", why.sentence()))?;
    Ok(OutsideFile { regime: regime.to_owned(), path, digest, document: Box::new(document) })
}
