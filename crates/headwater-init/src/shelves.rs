//! Folders as shelves: each folder below the corpus root that holds documents is a shelf of one kind.

use std::collections::{BTreeMap, BTreeSet};

use headwater_check::headwater_taxonomy::yaml::shown;

use crate::names::{Taken, singular, spelled};
use crate::relations::FILE;
use crate::root::Root;
use crate::survey::{Survey, counted};

/// The most folders that become shelves of their own; of more, all are one shelf.
const FOLDER_LIMIT: usize = 12;
/// Words that no kind may be named by: states, since a state is not what a thing is, and the anchor kind.
const TAKEN: [&str; 8] =
    ["draft", "pending", "proposed", "deprecated", "legacy", "temporary", "obsolete", FILE];

/// A shelf and the kind that it holds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Shelf {
    pub name: String,
    pub kind: String,
    pub pattern: String,
    /// The keys that every document has, in the order of the corpus.
    pub required: Vec<String>,
    /// The other keys of its documents, in the same order.
    pub optional: Vec<String>,
    /// Why.
    pub why: String,
}

/// The shelves in byte order of folders. `avoid` are values that no kind may be named by.
pub(crate) fn guess(survey: &Survey, root: &Root, avoid: &[String]) -> Vec<Shelf> {
    let prefix = if root.path.is_empty() { String::new() } else { format!("{}/", root.path) };
    let below = |path: &str| path.strip_prefix(&prefix).unwrap_or(path).to_owned();
    let folder = |path: &str| match below(path).split_once('/') {
        // A name that reads as a pattern can be no part of one, nor can one that reads as a reference.
        Some((folder, _)) if !folder.contains(['*', '?']) && !folder.starts_with('$') => {
            folder.to_owned()
        }
        _ => String::new(),
    };
    let with_matter: Vec<&str> = survey.documents.iter().map(|seen| seen.path.as_str()).collect();
    let all: Vec<&str> = survey.paths.iter().map(String::as_str).collect();
    // Where no document has front matter yet, the folders still say what there will be.
    let paths = if with_matter.is_empty() { &all } else { &with_matter };
    let mut folders: BTreeMap<String, Vec<&str>> = BTreeMap::new();
    for path in paths {
        folders.entry(folder(path)).or_default().push(path);
    }
    let whole = root.path.rsplit('/').next().unwrap_or_default();
    let one = |pattern: String, why: String| {
        let members = paths.iter().copied().collect();
        vec![(whole.to_owned(), pattern, members, why)]
    };
    let groups: Vec<(String, String, BTreeSet<&str>, String)> =
        if let Some(sidecar) = &survey.sidecar {
            let why =
                format!("every {} that has its {}", shown(&sidecar.document), shown(&sidecar.file));
            one(root.pattern(&format!("**/{}", sidecar.document)), why)
        } else if folders.len() > FOLDER_LIMIT || folders.keys().all(String::is_empty) {
            let why = if folders.len() > FOLDER_LIMIT {
                format!("{} folders, too many for a shelf each", folders.len())
            } else {
                "there are no folders".to_owned()
            };
            one(root.pattern("**"), why)
        } else {
            let group = |(folder, members): (&String, &Vec<&'_ str>)| {
                let deep = members.iter().any(|path| below(path).contains('/'));
                let (name, pattern) = match folder.as_str() {
                    "" if deep => (whole, root.pattern("**")),
                    "" => (whole, root.pattern("*.md")),
                    folder => (folder, root.pattern(&format!("{folder}/**"))),
                };
                (
                    name.to_owned(),
                    pattern,
                    format!("a folder of {}", counted(members.len(), "document")),
                )
            };
            folders
                .iter()
                .map(|(folder, members)| {
                    let (name, pattern, why) = group((folder, members));
                    (name, pattern, members.iter().copied().collect(), why)
                })
                .collect()
        };
    let (mut shelves, mut kinds) = (Taken::default(), Taken::default());
    groups
        .into_iter()
        .map(|(folder, pattern, members, why)| {
            let name = shelves.free(&spelled(&folder.to_lowercase(), "documents"));
            let mut kind = spelled(&singular(&folder), "document");
            if TAKEN.contains(&kind.as_str()) || avoid.contains(&kind) {
                kind.push_str("_document");
            }
            let (required, optional) = keys(survey, &members);
            Shelf { name, kind: kinds.free(&kind), pattern, required, optional, why }
        })
        .collect()
}

/// The keys that all of these documents have, and the others.
fn keys(survey: &Survey, members: &BTreeSet<&str>) -> (Vec<String>, Vec<String>) {
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    let mut documents = 0;
    for seen in survey.documents.iter().filter(|seen| members.contains(seen.path.as_str())) {
        documents += 1;
        for (key, _) in &seen.said {
            *counts.entry(key).or_default() += 1;
        }
    }
    let used = survey.keys().into_iter().filter(|key| counts.contains_key(key)).map(str::to_owned);
    used.partition(|key| documents >= 2 && counts.get(key.as_str()) == Some(&documents))
}
