//! Which keys hold relations: what stands there are identifiers of documents.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use headwater_check::headwater_taxonomy::model::RELATIONS_KEY;
use headwater_check::headwater_taxonomy::path::normalize;

use crate::identifier::Identifier;
use crate::names::{Taken, spelled};
use crate::survey::{Said, Seen, Survey, counted, quoted};
use crate::tree::{Tree, map, text, texts};

/// The anchor kind of files.
pub(crate) const FILE: &str = "file";

/// A relation and the keys that hold it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Relation {
    /// Its name.
    pub name: String,
    /// What the far document writes.
    pub inverse: Option<String>,
    family: Family,
    /// Whether it leads to files of the repository and not to documents.
    pub files: bool,
    /// The keys that are bound to it; none for one of the `relations` block.
    bound: Vec<Bound>,
    /// Why.
    pub why: String,
}

/// A key that holds identifiers.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Bound {
    key: String,
    written: String,
    split: Option<&'static str>,
    template: Option<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Family {
    Succession,
    Composition,
    Association,
}

/// Beginnings of names that tell a family; `None` is a relation of no family in particular.
const STEMS: [(&str, Family); 24] = [
    ("supersede", Family::Succession),
    ("replace", Family::Succession),
    ("obsolete", Family::Succession),
    ("require", Family::Composition),
    ("depend", Family::Composition),
    ("need", Family::Composition),
    ("parent", Family::Composition),
    ("part", Family::Composition),
    ("include", Family::Composition),
    ("relate", Family::Association),
    ("relation", Family::Association),
    ("see", Family::Association),
    ("refer", Family::Association),
    ("ref", Family::Association),
    ("cite", Family::Association),
    ("link", Family::Association),
    ("implement", Family::Association),
    ("extend", Family::Association),
    ("amend", Family::Association),
    ("update", Family::Association),
    ("block", Family::Association),
    ("follow", Family::Association),
    ("derive", Family::Association),
    ("child", Family::Association),
];

fn named(name: &str) -> Option<(&'static str, Family)> {
    let lower = name.to_lowercase();
    STEMS.into_iter().find(|(stem, _)| lower.starts_with(stem))
}

fn is_passive(name: &str) -> bool {
    let lower = name.to_lowercase();
    ["-by", "_by", " by"].iter().any(|end| lower.ends_with(end))
}

/// The relations of the corpus, in the order of its keys.
pub(crate) fn guess(
    survey: &Survey,
    root: &Path,
    identifier: Option<&Identifier>,
) -> Vec<Relation> {
    let mut taken = Taken::default();
    let mut found: Vec<Found> = Vec::new();
    for key in survey.keys() {
        if key == RELATIONS_KEY {
            found.extend(block(survey, root, identifier).into_iter().map(|(name, files, why)| {
                Found { name: taken.free(&name), files, bound: None, why }
            }));
        } else if let Some(identifier) = identifier.filter(|identifier| identifier.key != key)
            && let Some((split, template, why)) = targets(survey, key, identifier)
        {
            let written = taken.free(&spelled(key, "relation"));
            let bound = Bound { key: key.to_owned(), written: written.clone(), split, template };
            found.push(Found { name: written, files: false, bound: Some(bound), why });
        }
    }
    paired(found)
}

/// A name that edges are written under.
struct Found {
    name: String,
    /// Whether it leads to files and not to documents.
    files: bool,
    bound: Option<Bound>,
    why: String,
}

/// The names in the `relations` blocks, whether each leads to files of the repository, and why.
fn block(
    survey: &Survey,
    root: &Path,
    identifier: Option<&Identifier>,
) -> Vec<(String, bool, String)> {
    // For each name the documents, the targets that are identifiers, and those that are files.
    let mut names: BTreeMap<&str, (usize, usize, usize)> = BTreeMap::new();
    for (_, said) in survey.under(RELATIONS_KEY) {
        let Said::Map(entries) = said else { continue };
        for (name, targets) in entries {
            let (documents, known, files) = names.entry(name).or_default();
            *documents += 1;
            for target in targets {
                let is_known =
                    identifier.is_some_and(|identifier| identifier.values.contains(target));
                let is_file = || normalize(target).is_ok_and(|path| root.join(path).exists());
                *known += usize::from(is_known);
                *files += usize::from(!is_known && is_file());
            }
        }
    }
    let usable = names.into_iter().filter(|(name, _)| spelled(name, "") == *name);
    usable
        .map(|(name, (documents, known, files))| {
            let to_files = known == 0 && files > 0;
            let where_ = if to_files { ", to files of the repository" } else { "" };
            let documents = counted(documents, "document");
            let why = format!("{} in the relations of {documents}{where_}", quoted(name));
            (name.to_owned(), to_files, why)
        })
        .collect()
}

/// Whether what stands under a key are identifiers, and how it is separated and spelled.
fn targets(
    survey: &Survey,
    key: &str,
    identifier: &Identifier,
) -> Option<(Option<&'static str>, Option<String>, String)> {
    if identifier.is_numeric() && named(key).is_none() {
        // A number under another name may count anything.
        return None;
    }
    let own = |seen: &Seen| match seen.under(&identifier.key) {
        Some(Said::Text(text, _)) => text.clone(),
        _ => String::new(),
    };
    let full: BTreeSet<String> =
        identifier.values.iter().map(|value| identifier.filled(value)).collect();
    // One is enough under a name that says what it is.
    let enough = if named(key).is_some() { 1 } else { 2 };
    let mut best: Option<(usize, Option<&'static str>, Option<String>, String)> = None;
    for split in [None, Some(","), Some(";")] {
        let (mut parts, mut bare, mut filled, mut selves) = (0_usize, 0_usize, 0_usize, 0_usize);
        for (seen, said) in survey.under(key) {
            let own = own(seen);
            for piece in pieces(said, split) {
                parts += 1;
                bare += usize::from(identifier.values.contains(piece));
                filled += usize::from(full.contains(piece));
                selves += usize::from(piece == own);
            }
        }
        let known = bare.max(filled);
        let most = best.as_ref().is_none_or(|(held, ..)| known > *held);
        if most && known >= enough && known * 5 >= parts * 4 && selves * 2 < parts {
            let template = if bare >= filled { identifier.template.clone() } else { None };
            let how =
                split.map_or(String::new(), |split| format!(", separated by {}", quoted(split)));
            let why =
                format!("{} holds {parts} values{how}, {known} of them identifiers", quoted(key));
            best = Some((known, split, template, why));
        }
    }
    best.map(|(_, split, template, why)| (split, template, why))
}

/// The values that stand under a key, trimmed, blank ones left out.
fn pieces<'s>(said: &'s Said, split: Option<&str>) -> Vec<&'s str> {
    let texts: Vec<&str> = match said {
        Said::Text(text, _) => vec![text],
        Said::List(items) => items.iter().map(String::as_str).collect(),
        _ => Vec::new(),
    };
    let parts = texts.into_iter().flat_map(|text| match split {
        Some(separator) => text.split(separator).collect(),
        None => vec![text],
    });
    parts.map(str::trim).filter(|part| !part.is_empty()).collect()
}

/// Puts `superseded-by` to `supersedes` as its inverse.
fn paired(found: Vec<Found>) -> Vec<Relation> {
    let mut relations: Vec<Relation> = Vec::new();
    let (passive, active): (Vec<_>, Vec<_>) =
        found.into_iter().partition(|found| is_passive(&found.name));
    for Found { name, files, bound, why } in active.into_iter().chain(passive) {
        let stem = named(&name);
        let family = stem.map_or(Family::Association, |(_, family)| family);
        let partner = relations.iter_mut().find(|held| {
            is_passive(&name)
                && held.files == files
                && !is_passive(&held.name)
                && held.inverse.is_none()
                && stem.is_some()
                && named(&held.name).map(|(stem, _)| stem) == stem.map(|(stem, _)| stem)
        });
        match partner {
            Some(partner) => {
                partner.why = format!("{}; {why}, the inverse", partner.why);
                partner.inverse = Some(name);
                partner.bound.extend(bound);
            }
            None => {
                let bound = bound.into_iter().collect();
                relations.push(Relation { name, inverse: None, family, files, bound, why });
            }
        }
    }
    relations
}

impl Relation {
    /// The keys that are bound to it.
    pub(crate) fn keys(&self) -> impl Iterator<Item = &str> {
        self.bound.iter().map(|bound| bound.key.as_str())
    }

    /// The bindings of its keys.
    pub(crate) fn bindings(&self) -> impl Iterator<Item = (String, Tree)> {
        self.bound.iter().map(|bound| {
            let mut binding = vec![("relation", text(bound.written.as_str()))];
            binding.extend(bound.split.map(|split| ("split", text(split))));
            binding.extend(
                bound.template.iter().map(|template| ("template", text(template.as_str()))),
            );
            (bound.key.clone(), map(binding))
        })
    }

    /// Its declaration, between documents of these kinds.
    pub(crate) fn tree(&self, kinds: &[String]) -> Tree {
        let family = match self.family {
            Family::Succession => "succession",
            Family::Composition => "composition",
            Family::Association => "association",
        };
        let kinds = || texts(kinds.iter().map(String::as_str));
        let mut declared = vec![("family", text(family))];
        if self.family == Family::Composition {
            declared.push(("nuclearity", text("multinuclear")));
        }
        let to = if self.files { texts([FILE]) } else { kinds() };
        declared.extend([("from", kinds()), ("to", to)]);
        declared.extend(self.inverse.iter().map(|inverse| ("inverse", text(inverse.as_str()))));
        declared.push(("created_by", text("author")));
        map(declared)
    }
}
