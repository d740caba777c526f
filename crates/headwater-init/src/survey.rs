//! What the documents of a corpus say in their front matter, wherever they keep it.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use headwater_check::headwater_corpus::{Class, Corpus, Document};
use headwater_check::headwater_taxonomy::resolve::resolve;
use headwater_check::headwater_taxonomy::source::{Role, Source};
use headwater_check::headwater_taxonomy::yaml::shown;
use headwater_check::markdown::yaml::{Entry, Node, Style};

use crate::Failure;
use crate::root::Root;
use crate::tree::{Tree, map, text};

/// What stands under a key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Said {
    /// Nothing: a null or a blank text.
    Nothing,
    /// One text, trimmed, and whether it is written without quotes.
    Text(String, bool),
    /// A list of texts.
    List(Vec<String>),
    /// A mapping: its keys, each with the texts that stand there or under `to`.
    Map(Vec<(String, Vec<String>)>),
    /// Anything else.
    Other,
}

/// One document with front matter.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Seen {
    pub path: String,
    pub said: Vec<(String, Said)>,
}

impl Seen {
    pub(crate) fn under(&self, key: &str) -> Option<&Said> {
        self.said.iter().find(|(held, _)| held == key).map(|(_, said)| said)
    }
}

/// A file beside each document that holds its front matter.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Sidecar {
    pub file: String,
    pub document: String,
}

impl Sidecar {
    pub(crate) fn tree(&self) -> Tree {
        map([("file", text(self.file.as_str())), ("document", text(self.document.as_str()))])
    }
}

/// Everything that is guessed from.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Survey {
    /// The documents with front matter, in path order.
    pub documents: Vec<Seen>,
    /// The paths of all documents that could be read, in path order.
    pub paths: Vec<String>,
    /// Where front matter is kept, when not in the document.
    pub sidecar: Option<Sidecar>,
    /// In how many directories that sidecar was found.
    pub sidecars: usize,
}

impl Survey {
    pub(crate) fn take(root: &Path, corpus_root: &Root) -> Result<Self, Failure> {
        let corpus = read(root, corpus_root, None)?;
        let found = sidecar(&corpus);
        let corpus = match &found {
            Some((sidecar, _)) => read(root, corpus_root, Some(sidecar))?,
            None => corpus,
        };
        let mut survey = Self::default();
        for row in corpus.rows() {
            let Some(document) = &row.document else { continue };
            survey.paths.push(row.path.clone());
            if row.class() == Class::Untyped && document.front_matter().is_some() {
                survey.documents.push(Seen { path: row.path.clone(), said: said(document) });
            }
        }
        if let Some((sidecar, count)) = found {
            (survey.sidecar, survey.sidecars) = (Some(sidecar), count);
        }
        Ok(survey)
    }

    /// The keys of the front matter that a taxonomy can speak of, in the order in which documents first
    /// write them. A text with a dollar sign before it is a reference wherever one stands in a source.
    pub(crate) fn keys(&self) -> Vec<&str> {
        let mut seen = BTreeSet::new();
        let all = self.documents.iter().flat_map(|document| &document.said);
        let keys = all.map(|(key, _)| key.as_str());
        keys.filter(|key| !key.starts_with('$') && seen.insert(*key)).collect()
    }

    /// Each document that writes a key, with what it says.
    pub(crate) fn under<'s>(&'s self, key: &'s str) -> impl Iterator<Item = (&'s Seen, &'s Said)> {
        self.documents.iter().filter_map(move |seen| Some((seen, seen.under(key)?)))
    }
}

/// The corpus under a taxonomy that declares nothing, so that every document is there and none is judged.
fn read(root: &Path, corpus_root: &Root, sidecar: Option<&Sidecar>) -> Result<Corpus, Failure> {
    let mut source = vec![("taxonomy", text("survey")), ("version", text("0.0.0"))];
    if let Some(sidecar) = sidecar {
        source.push(("bindings", map([("sidecar", sidecar.tree())])));
    }
    let bytes = map(source).render().into_bytes();
    let source = Source { path: "survey".to_owned(), role: Role::Base, bytes };
    let resolution = resolve(&[source]).map_err(Failure::Unusable)?;
    crate::corpus(root, &resolution, &crate::files::declaration("survey", corpus_root))
}

/// The sidecar that most directories have: a YAML file beside a document without front matter, in at
/// least two directories and for at least half of the documents.
fn sidecar(corpus: &Corpus) -> Option<(Sidecar, usize)> {
    // Directory by directory: the documents without front matter, and the YAML files.
    let mut directories: BTreeMap<&str, (Vec<&str>, Vec<&str>)> = BTreeMap::new();
    let mut documents = 0;
    for row in corpus.rows() {
        let (directory, name) = row.path.rsplit_once('/').unwrap_or(("", &row.path));
        if name.starts_with('$') {
            continue;
        }
        let (bare, files) = directories.entry(directory).or_default();
        match (&row.document, row.class()) {
            (Some(document), _) => {
                documents += 1;
                if document.front_matter().is_none() {
                    bare.push(name);
                }
            }
            (None, Class::NotADocument) if name.ends_with(".yaml") || name.ends_with(".yml") => {
                files.push(name);
            }
            _ => {}
        }
    }
    let mut counts: BTreeMap<(&str, &str), usize> = BTreeMap::new();
    for (bare, files) in directories.values() {
        // A directory of many of both says nothing about which belong together.
        if bare.len() <= 8 && files.len() <= 8 {
            for pair in
                bare.iter().flat_map(|document| files.iter().map(move |file| (*file, *document)))
            {
                *counts.entry(pair).or_default() += 1;
            }
        }
    }
    // The first in byte order of those that are found most often.
    let most = counts.into_iter().rev().max_by_key(|(_, count)| *count);
    let ((file, document), count) =
        most.filter(|(_, count)| *count >= 2 && count * 2 >= documents)?;
    Some((Sidecar { file: file.to_owned(), document: document.to_owned() }, count))
}

fn said(document: &Document) -> Vec<(String, Said)> {
    let entries = document.front_matter().map_or(&[][..], |mapping| mapping.entries());
    entries.iter().map(|entry| (entry.key.to_string(), what(&entry.value))).collect()
}

fn what(node: &Node) -> Said {
    if let Some(scalar) = node.as_scalar() {
        let text = node.text().unwrap_or_default().trim();
        return if text.is_empty() {
            Said::Nothing
        } else {
            Said::Text(text.to_owned(), scalar.style == Style::Plain)
        };
    }
    if let Some(mapping) = node.as_mapping() {
        let entry = |entry: &Entry| (entry.key.to_string(), targets(&entry.value));
        return Said::Map(mapping.entries().iter().map(entry).collect());
    }
    let items = node.as_list().unwrap_or_default();
    let texts: Option<Vec<String>> = items
        .iter()
        .map(|item| item.as_scalar().map(|_| item.text().unwrap_or_default().trim().to_owned()))
        .collect();
    texts.map_or(Said::Other, |texts| {
        Said::List(texts.into_iter().filter(|text| !text.is_empty()).collect())
    })
}

/// The texts of an entry of a `relations` block: one, a list, or what stands under `to`.
fn targets(node: &Node) -> Vec<String> {
    let items = node.as_list().unwrap_or(std::slice::from_ref(node));
    let to = |item: &Node| match item.as_mapping() {
        Some(mapping) => mapping.get("to").and_then(|to| Some(to.text()?.trim().to_owned())),
        None => item.text().map(|text| text.trim().to_owned()),
    };
    items.iter().filter_map(to).collect()
}

/// "1 document", "2 documents".
pub(crate) fn counted(number: usize, noun: &str) -> String {
    format!("{number} {noun}{}", if number == 1 { "" } else { "s" })
}

/// A quoted text for the account, on one line.
pub(crate) fn quoted(text: &str) -> String {
    format!("`{}`", shown(text))
}
