//! The change that a run judges (checks §5): a [`Manifest`] bound to the rows of the census, with the
//! versions that stood before it read and parsed. A manifest never narrows a run; it lets the rules that
//! compare two versions reach a verdict.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use headwater_corpus::{
    Binding, Class, Corpus, DOCUMENT_LIMIT, Digest, Document, Edge, Row, projection_of, type_of,
};
use headwater_taxonomy::files::{Links, read_regular};
use headwater_taxonomy::pattern::PathPattern;
use rayon::prelude::*;

use crate::key::Canonical;
use crate::manifest::{Manifest, Stood};
use crate::view::FrontMatter;

/// The rule whose findings are counted as promotions.
pub const PROMOTED: &str = "warrant.promoted";

/// Why an instance that compares two versions is skipped in a run without a change.
pub(crate) const NO_CHANGE: &str = "change-scoped-only: the run was given no change, so there is no earlier version to compare with";

/// A document as it stood before the change.
#[derive(Clone, Copy, Debug)]
pub enum Prior<'v> {
    /// As it stands now.
    Unchanged,
    /// Nowhere.
    Added,
    /// In another version, whose front matter this is; none where it had none.
    Committed(Option<FrontMatter<'v>>),
}

/// What a run says of its change, beside findings (checks §5.3).
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ChangeAccount {
    /// The paths that the manifest names: the sum of the next four and of `unmatched`.
    pub documents: usize,
    /// Those of the census where nothing stood before.
    pub added: usize,
    /// Those of the census with an earlier version.
    pub carried: usize,
    /// Those of the census whose earlier version could not be read.
    pub unreadable: usize,
    /// Those of the census that only `verified` lines name.
    pub verified_alone: usize,
    /// Those that no row of the census holds, in path order.
    pub unmatched: Vec<String>,
    /// The documents that `verified` lines name.
    pub verified: usize,
    /// The documents and targets of `verified` lines that name no edge of that document.
    pub unstated: Vec<(String, String)>,
    /// How many documents were promoted, counted before anything escapes.
    pub promotions: usize,
}

/// What a change says of one edge beside the version of its document.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stated {
    /// The author read the document again.
    pub document: bool,
    /// The author read this edge again.
    pub edge: bool,
    /// The change carries a path that the target names or matches.
    pub target: bool,
}

/// A version that is not on disk, and the files that it was made of.
#[derive(Debug)]
pub(crate) struct Version {
    document: Document,
    pub inputs: Vec<(String, Digest)>,
}

/// What stood at the place of a document that the change carries.
#[derive(Debug)]
enum Before {
    Added,
    Committed(Box<Version>),
    Unreadable(String),
}

/// A document that stood before the change and that no row holds.
#[derive(Debug)]
pub(crate) struct Gone {
    pub path: String,
    pub version: Result<Version, String>,
}

/// A manifest over a corpus.
#[derive(Debug)]
pub(crate) struct Change<'m> {
    manifest: &'m Manifest,
    /// Every path that the change carries.
    paths: BTreeSet<String>,
    /// By row.
    before: BTreeMap<usize, Before>,
    /// In path order; of those that were read, each had front matter and no generator wrote it.
    pub gone: Vec<Gone>,
}

impl<'m> Change<'m> {
    /// Opens what the manifest names of the documents of a corpus.
    pub(crate) fn of(corpus: &Corpus, manifest: &'m Manifest) -> Self {
        let sidecar = corpus.taxonomy().bindings.sidecar.as_ref();
        let document_of = |path: &'m String| {
            let beside = sidecar.and_then(|binding| binding.document_of(path));
            beside.unwrap_or_else(|| path.clone())
        };
        let paths: BTreeSet<String> = manifest.stood.keys().map(document_of).collect();
        let (mut rows, mut gone) = (Vec::new(), Vec::new());
        for path in paths {
            match corpus.row_at(&path) {
                Some(at) if is_document(corpus.row(at)) => rows.push((at, path)),
                None if corpus.takes_document(&path) => gone.push(path),
                _ => {}
            }
        }
        let source = Source { corpus, manifest };
        let before = rows
            .into_par_iter()
            .map(|(at, path)| {
                let before = match source.version(&path) {
                    None => Before::Added,
                    Some(Ok(version)) => Before::Committed(Box::new(version)),
                    Some(Err(why)) => {
                        Before::Unreadable(format!("the earlier version cannot be read: {why}"))
                    }
                };
                (at, before)
            })
            .collect();
        let departed = |path: String| {
            let version = source.version(&path)?;
            let stood = |version: &Version| {
                let generated = projection_of(&path, version.document.markdown().source());
                version.document.front_matter().is_some() && generated.is_none()
            };
            version.as_ref().map_or(true, stood).then_some(Gone { path, version })
        };
        let gone = gone.into_par_iter().filter_map(departed).collect();
        let paths = manifest.stood.keys().cloned().collect();
        Self { manifest, paths, before, gone }
    }

    /// The version of a document before the change.
    ///
    /// # Errors
    /// Why it could not be read.
    pub(crate) fn prior(&self, row: usize) -> Result<Prior<'_>, &str> {
        match self.before.get(&row) {
            None => Ok(Prior::Unchanged),
            Some(Before::Added) => Ok(Prior::Added),
            Some(Before::Committed(version)) => Ok(Prior::Committed(version.front_matter())),
            Some(Before::Unreadable(why)) => Err(why),
        }
    }

    /// What the change says of an edge that the document of a row wrote.
    pub(crate) fn stated(&self, row: &Row, edge: &Edge) -> Stated {
        let spellings = Spellings::of(edge);
        let edges = self.manifest.verified_edges.get(&row.path);
        Stated {
            document: self.manifest.verified.contains(&row.path),
            edge: edges.is_some_and(|targets| spellings.among(targets).next().is_some()),
            target: spellings.among(&self.paths).next().is_some(),
        }
    }

    /// Writes the version before the change of the document of a row into a key.
    pub(crate) fn key_prior(&self, key: &mut Canonical, row: usize) {
        match self.before.get(&row) {
            None => {
                key.number(0);
            }
            Some(Before::Added) => {
                key.number(1);
            }
            Some(Before::Committed(version)) => version.key(key.number(2)),
            Some(Before::Unreadable(_)) => {
                key.number(3);
            }
        }
    }

    /// Writes the documents that are gone into a key.
    pub(crate) fn key_gone(&self, key: &mut Canonical) {
        key.number(self.gone.len() as u64);
        for gone in &self.gone {
            key.text(&gone.path);
            match &gone.version {
                Ok(version) => version.key(key.number(0)),
                Err(why) => {
                    key.number(1).text(why);
                }
            }
        }
    }

    /// The account, but for promotions.
    pub(crate) fn account(&self, corpus: &Corpus) -> ChangeAccount {
        let manifest = self.manifest;
        let paths = manifest.paths();
        let mut account = ChangeAccount {
            documents: paths.len(),
            verified: manifest.read_again().len(),
            ..ChangeAccount::default()
        };
        for path in paths {
            let row = corpus.row_at(path);
            let before = row.and_then(|row| self.before.get(&row));
            match (row, manifest.stood.get(path), before) {
                (None, ..) => account.unmatched.push(path.to_owned()),
                (Some(_), None, _) => account.verified_alone += 1,
                (Some(_), Some(Stood::Nothing), _) => account.added += 1,
                (Some(_), Some(_), Some(Before::Unreadable(_))) => account.unreadable += 1,
                (Some(_), Some(_), _) => account.carried += 1,
            }
        }
        for (document, targets) in &manifest.verified_edges {
            let mut unstated: BTreeSet<&String> = targets.iter().collect();
            let row = corpus.row_at(document);
            for (_, edge) in row.into_iter().flat_map(|row| corpus.edges_of(row)) {
                for target in Spellings::of(edge).among(targets) {
                    unstated.remove(target);
                }
            }
            let pair = |target: &String| (document.clone(), target.clone());
            account.unstated.extend(unstated.into_iter().map(pair));
        }
        account
    }
}

impl Version {
    pub(crate) fn front_matter(&self) -> Option<FrontMatter<'_>> {
        FrontMatter::of_document(&self.document)
    }

    /// The name of the kind that it had at a path.
    pub(crate) fn kind<'c>(&self, corpus: &'c Corpus, path: &str) -> Option<&'c str> {
        let placed = type_of(corpus.taxonomy(), path, &self.document).ok()?;
        Some(&placed.kind.name)
    }

    fn key(&self, key: &mut Canonical) {
        key.number(self.inputs.len() as u64);
        for (path, digest) in &self.inputs {
            key.text(path).digest(Some(digest));
        }
    }
}

/// Where earlier versions come from.
struct Source<'s> {
    corpus: &'s Corpus,
    manifest: &'s Manifest,
}

/// The bytes of a file before a change: none where it was not there.
type Bytes = Result<Option<Vec<u8>>, String>;

impl Source<'_> {
    /// The version of the document at a path; none where there was none.
    fn version(&self, path: &str) -> Option<Result<Version, String>> {
        let row = self.corpus.row_at(path).and_then(|at| self.corpus.row(at));
        let document = row.and_then(|row| row.document.as_deref());
        let bytes = self.bytes(path, || {
            Ok(document.map(|document| document.markdown().source().as_bytes().to_vec()))
        });
        let binding = self.corpus.taxonomy().bindings.sidecar.as_ref();
        let beside = binding.and_then(|binding| binding.beside(path));
        let sidecar = match &beside {
            None => Ok(None),
            Some(beside) => self.bytes(beside, || self.on_disk(beside)),
        };
        match bytes {
            Ok(None) => None,
            Ok(Some(bytes)) => Some(sidecar.and_then(|sidecar| {
                self.parse(path, bytes, beside.as_deref().unwrap_or_default(), sidecar)
            })),
            Err(why) => Some(Err(why)),
        }
    }

    fn parse(
        &self,
        path: &str,
        bytes: Vec<u8>,
        beside: &str,
        sidecar: Option<Vec<u8>>,
    ) -> Result<Version, String> {
        let mut inputs = vec![(path.to_owned(), Digest::of(&bytes))];
        inputs.extend(sidecar.as_ref().map(|bytes| (beside.to_owned(), Digest::of(bytes))));
        let sidecar = sidecar.map(|bytes| (beside, bytes));
        let parsed = self.corpus.parse(path, bytes, sidecar);
        parsed.map(|document| Version { document, inputs }).map_err(|why| why.sentence())
    }

    /// What stood at a path: as the manifest says, else what stands there now.
    fn bytes(&self, path: &str, now: impl FnOnce() -> Bytes) -> Bytes {
        match self.manifest.stood.get(path) {
            None => now(),
            Some(Stood::Nothing) => Ok(None),
            Some(Stood::Bytes(file)) => {
                let bytes = read_regular(Path::new(file), DOCUMENT_LIMIT, Links::Follow);
                bytes.map(Some).map_err(|error| error.to_string())
            }
        }
    }

    /// A file of the census that did not change.
    fn on_disk(&self, path: &str) -> Bytes {
        let row = self.corpus.row_at(path).and_then(|at| self.corpus.row(at));
        if row.is_none_or(|row| row.class() != Class::NotADocument) {
            return Ok(None);
        }
        let path = self.corpus.root().join(path);
        let bytes = read_regular(&path, DOCUMENT_LIMIT, Links::Refuse);
        bytes.map(Some).map_err(|error| error.to_string())
    }
}

/// Whether the census reads a row as a document, whatever came of it.
fn is_document(row: Option<&Row>) -> bool {
    let of = [Class::Typed, Class::Generated, Class::Untyped, Class::Unreadable];
    row.is_some_and(|row| row.path.ends_with(".md") && of.contains(&row.class()))
}

/// What names the targets of an edge.
struct Spellings<'e> {
    /// As they are written, normalized, and where links lead.
    texts: Vec<&'e str>,
    /// Those that mean every path they match.
    patterns: Vec<PathPattern>,
}

impl<'e> Spellings<'e> {
    fn of(edge: &'e Edge) -> Self {
        let parts = match &edge.binding {
            Binding::Anchor(anchor) => anchor.parts.as_slice(),
            _ => &[],
        };
        let written = edge.targets.iter().map(|target| target.text.as_str());
        let resolved = parts
            .iter()
            .flat_map(|part| std::iter::once(part.normalized.as_str()).chain(part.real.as_deref()));
        // What matches nothing in the tree is no path.
        let paths = parts.iter().filter(|part| !part.members.is_empty());
        let patterns = paths.map(|part| PathPattern::new(&part.normalized));
        Self {
            texts: written.chain(resolved).collect(),
            patterns: patterns.filter(|pattern| !pattern.is_literal()).collect(),
        }
    }

    /// The members of a set that name a target.
    fn among<'s>(&self, set: &'s BTreeSet<String>) -> impl Iterator<Item = &'s String> {
        let texts = self.texts.iter().filter_map(|text| set.get(*text));
        let matching = self.patterns.iter().flat_map(|pattern| {
            let prefix = pattern.literal_prefix();
            let from = set.range(prefix.clone()..);
            let below = from.take_while(move |path| path.starts_with(&prefix));
            below.filter(|path| pattern.matches(path))
        });
        texts.chain(matching)
    }
}
