//! From patches to the bytes of whole files, in memory. Nothing is written, and what cannot be
//! composed is refused file by file.

use std::collections::BTreeMap;

use headwater_check::headwater_corpus::Corpus;
use headwater_check::headwater_taxonomy::path::normalize;
use headwater_check::{FacetChange, Patch};

use crate::file::{File, Files};
use crate::half::Half;
use crate::text::Change;
use crate::{facets, half, text};

/// A file that is to become other bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Edit {
    /// The path below the repository root.
    pub path: String,
    /// The bytes that the run read; none for a file that does not exist.
    pub before: Option<String>,
    /// The bytes that it is to hold.
    pub after: String,
    /// How many patches made it.
    pub patches: usize,
}

/// A file that is not written, and why, in words that follow its path.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Refusal {
    /// The path below the repository root.
    pub path: String,
    /// Why.
    pub reason: String,
}

/// What patches come to.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Plan {
    /// The files that change or come to be, in path order.
    pub edits: Vec<Edit>,
    /// The files that do not, in path order.
    pub refusals: Vec<Refusal>,
}

/// The patches of one path.
#[derive(Default)]
struct Wanted {
    text: Vec<Change>,
    facets: Vec<Vec<FacetChange>>,
    halves: Vec<Half>,
    /// What a new file is to hold.
    contents: Vec<String>,
}

/// Composes patches over the files of a corpus as its run read them: for each file the text patches
/// at their offsets, then facets, then halves. Any refusal refuses its file and no other.
#[must_use]
pub fn compose<'p>(corpus: &Corpus, patches: impl IntoIterator<Item = &'p Patch>) -> Plan {
    let mut wanted: BTreeMap<&str, Wanted> = BTreeMap::new();
    for patch in patches {
        match patch {
            Patch::Text { path, start, end, expected, replacement } => {
                wanted.entry(path).or_default().text.push(Change {
                    start: *start,
                    end: *end,
                    expected: expected.clone(),
                    replacement: replacement.clone(),
                });
            }
            Patch::Half { path, relation, target, attributes } => {
                wanted.entry(path).or_default().halves.push(Half {
                    relation: relation.clone(),
                    target: target.clone(),
                    attributes: attributes.clone(),
                });
            }
            Patch::Facets { path, changes } => {
                wanted.entry(path).or_default().facets.push(changes.clone());
            }
            Patch::Create { path, contents } => {
                wanted.entry(path).or_default().contents.push(contents.clone());
            }
        }
    }
    let files = Files::of(corpus);
    let mut plan = Plan::default();
    for (path, wanted) in wanted {
        match edit(&files, path, wanted) {
            Ok(Some(edit)) => plan.edits.push(edit),
            Ok(None) => {}
            Err(reason) => plan.refusals.push(Refusal { path: path.to_owned(), reason }),
        }
    }
    plan
}

/// The edit of one path; none where its bytes stay what they are.
fn edit(files: &Files<'_>, path: &str, wanted: Wanted) -> Result<Option<Edit>, String> {
    let Wanted { text, facets, halves, mut contents } = wanted;
    if !contents.is_empty() {
        contents.sort();
        contents.dedup();
        return match contents.as_slice() {
            [contents] if text.is_empty() && facets.is_empty() && halves.is_empty() => {
                created(path, contents).map(Some)
            }
            _ => Err("two corrections want other things of this new file".to_owned()),
        };
    }
    let mut file = files.get(path)?;
    let mut patches = 0;
    if !text.is_empty() {
        patches += text::write(&mut file, text)?;
    }
    if !facets.is_empty() {
        patches += facets::write(&mut file, &facets)?;
    }
    if !halves.is_empty() {
        patches += half::write(&mut file, halves)?;
    }
    Ok(changed(&file, path, patches))
}

fn changed(file: &File<'_>, path: &str, patches: usize) -> Option<Edit> {
    let (before, after) = (file.original_text(), file.text());
    (before != after).then(|| Edit {
        path: path.to_owned(),
        before: Some(before.to_owned()),
        after: after.to_owned(),
        patches,
    })
}

fn created(path: &str, contents: &str) -> Result<Edit, String> {
    if normalize(path).as_deref() != Ok(path) {
        return Err("it is no path inside the repository".to_owned());
    }
    let after = contents.to_owned();
    Ok(Edit { path: path.to_owned(), before: None, after, patches: 1 })
}
