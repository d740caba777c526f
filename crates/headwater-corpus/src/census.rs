//! The census: one row for every file under the corpus root, and what became of it (model §3.2). It
//! is the denominator of every report, so it is fixed before anything is judged.

use std::collections::BTreeMap;
use std::fmt;

use headwater_taxonomy::declaration::Declaration;
use headwater_taxonomy::model::{Placement, Standing, Taxonomy};
use headwater_taxonomy::yaml::shown;
use markdown::{LineIndex, Position};

use crate::digest::Digest;
use crate::document::Document;
use crate::typing::Stop;

/// What a row came to, as a word.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Class {
    /// A document of a kind.
    Typed,
    /// A file that a generator wrote.
    Generated,
    /// A document without a kind.
    Untyped,
    /// A document that could not be read.
    Unreadable,
    /// A file that the repository excludes.
    Excluded,
    /// A file of another format.
    NotADocument,
    /// A link, a special file, a bad name, or a directory that could not be listed.
    Unwalkable,
}

impl Class {
    /// Every class, in the order in which they are printed.
    pub const ALL: [Self; 7] = [
        Self::Typed,
        Self::Generated,
        Self::Untyped,
        Self::Unreadable,
        Self::Excluded,
        Self::NotADocument,
        Self::Unwalkable,
    ];

    /// The label.
    #[must_use]
    pub const fn label(self) -> &'static str {
        match self {
            Self::Typed => "typed",
            Self::Generated => "generated",
            Self::Untyped => "untyped",
            Self::Unreadable => "unreadable",
            Self::Excluded => "excluded",
            Self::NotADocument => "not a document",
            Self::Unwalkable => "unwalkable",
        }
    }
}

impl fmt::Display for Class {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.label())
    }
}

/// What became of a row.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// It has a kind.
    Typed,
    /// It carries the marker.
    Generated(Generated),
    /// It has no kind.
    Untyped(Untyped),
    /// It could not be read.
    Unreadable(Unreadable),
    /// An exclusion matches it: the index among `Declaration::exclude`.
    Excluded(usize),
    /// Its name is no document's.
    NotADocument,
    /// It is no file that can be opened.
    Unwalkable(Unwalkable),
}

/// A file that a generator wrote.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Generated {
    /// The projection that the marker names; empty where it names none.
    pub projection: String,
}

/// Why a document has no kind.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Untyped {
    /// It has no front matter.
    NoFrontMatter {
        /// Whether its first line has blanks around `---`.
        near_miss: bool,
    },
    /// Kind resolution stopped.
    Stopped(Stop),
}

/// Why a document could not be read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Unreadable {
    /// The system did not give its bytes.
    Io(String),
    /// It is larger than a document may be, in bytes.
    TooLarge(u64),
    /// It is no UTF-8 text from this byte on.
    NotUtf8(usize),
    /// Its front matter is refused: the file it stands in, and each reason with its place.
    FrontMatter {
        /// The document or its sidecar.
        path: String,
        /// Where and what, in order.
        faults: Vec<(Position, String)>,
    },
    /// It has front matter and a sidecar, the path of which is given.
    FrontMatterTwice(String),
    /// Its sidecar, the path of which is given, cannot be read; why.
    Sidecar(String, String),
}

/// Why an entry cannot be opened.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Unwalkable {
    /// A symbolic link, and what it holds.
    Link(String),
    /// A pipe, a socket or a device.
    Special,
    /// The system did not list it; why.
    Unlisted(String),
    /// Its name is no UTF-8.
    BadName,
}

/// One row of the census.
#[derive(Debug)]
pub struct Row {
    /// The path below the repository root.
    pub path: String,
    /// What became of it.
    pub outcome: Outcome,
    /// The digest of its bytes, where they were read.
    pub digest: Option<Digest>,
    /// The parsed document.
    pub document: Option<Box<Document>>,
    /// The place of the kind among `Taxonomy::kinds`.
    pub kind: Option<usize>,
    /// The place of the shelf among `Taxonomy::shelves`.
    pub shelf: Option<usize>,
    /// How the document stands by the state that its front matter writes; none where it writes none of
    /// those that there are.
    pub standing: Option<Standing>,
}

impl Row {
    pub(crate) fn bare(path: String, outcome: Outcome) -> Self {
        Self {
            path,
            outcome,
            digest: None,
            document: None,
            kind: None,
            shelf: None,
            standing: None,
        }
    }

    /// The word for what became of it.
    #[must_use]
    pub fn class(&self) -> Class {
        match &self.outcome {
            Outcome::Typed => Class::Typed,
            Outcome::Generated(_) => Class::Generated,
            Outcome::Untyped(_) => Class::Untyped,
            Outcome::Unreadable(_) => Class::Unreadable,
            Outcome::Excluded(_) => Class::Excluded,
            Outcome::NotADocument => Class::NotADocument,
            Outcome::Unwalkable(_) => Class::Unwalkable,
        }
    }

    /// Whether it is a node of the graph: typed, or generated with a kind.
    #[must_use]
    pub fn is_node(&self) -> bool {
        self.kind.is_some()
    }

    /// The identifier that its document writes, typed or not.
    #[must_use]
    pub fn identifier(&self) -> Option<&str> {
        self.document.as_ref()?.identifier()
    }

    /// The files whose bytes its document was made of, with their digests: itself, and a sidecar.
    pub fn inputs(&self) -> impl Iterator<Item = (&str, Digest)> {
        let own = self.digest.map(|digest| (self.path.as_str(), digest));
        let sidecar = self.document.as_ref().and_then(|document| document.sidecar());
        own.into_iter().chain(sidecar.map(|sidecar| (sidecar.path.as_str(), sidecar.digest)))
    }

    /// What is to be said about the row beside its class; empty where the class says all.
    #[must_use]
    pub fn detail(&self, taxonomy: &Taxonomy, declaration: &Declaration) -> String {
        match &self.outcome {
            Outcome::Typed | Outcome::NotADocument => String::new(),
            Outcome::Generated(generated) => generated.projection.clone(),
            Outcome::Untyped(Untyped::Stopped(stop)) => stop.sentence(taxonomy),
            Outcome::Untyped(Untyped::NoFrontMatter { near_miss }) => {
                let place = self.placement(taxonomy);
                let sidecar = taxonomy.bindings.sidecar.as_ref();
                let sidecar = sidecar.filter(|binding| {
                    self.path.rsplit('/').next().is_some_and(|name| name == binding.document)
                });
                match sidecar {
                    _ if *near_miss => format!(
                        "no front matter, because the first line has blanks around `---`; remove them; {place}"
                    ),
                    Some(binding) => {
                        format!("no front matter, and no `{}` beside it; {place}", binding.file)
                    }
                    None => format!("no front matter; {place}"),
                }
            }
            Outcome::Unreadable(why) => why.sentence(),
            Outcome::Excluded(at) => declaration
                .exclude
                .get(*at)
                .map(|rule| format!("`{}`: {}", shown(rule.pattern.text()), shown(&rule.reason)))
                .unwrap_or_default(),
            Outcome::Unwalkable(Unwalkable::Link(target)) => {
                format!("a symbolic link to `{}`, which is not followed", shown(target))
            }
            Outcome::Unwalkable(Unwalkable::Special) => {
                "neither a file nor a directory, so it is not opened".to_owned()
            }
            Outcome::Unwalkable(Unwalkable::Unlisted(why)) => format!("it cannot be listed: {why}"),
            Outcome::Unwalkable(Unwalkable::BadName) => {
                "the name is not UTF-8, so it is not opened".to_owned()
            }
        }
    }

    fn placement(&self, taxonomy: &Taxonomy) -> String {
        match taxonomy.placement(&self.path) {
            Placement::None => Stop::NoShelf.sentence(taxonomy),
            Placement::Ambiguous(names) => {
                let names = names.into_iter().map(str::to_owned).collect();
                Stop::AmbiguousShelf(names).sentence(taxonomy)
            }
            Placement::On(shelf, _) => match &shelf.kind {
                Some(kind) if shelf.homogeneous => {
                    format!("it is on the shelf {}, which holds {kind}", shelf.name)
                }
                _ => format!("it is on the shelf {}", shelf.name),
            },
        }
    }
}

impl Unreadable {
    /// One paragraph.
    #[must_use]
    pub fn sentence(&self) -> String {
        match self {
            Self::Io(why) => format!("it cannot be read: {why}"),
            Self::TooLarge(limit) => format!("it is larger than the limit of {limit} bytes"),
            Self::NotUtf8(at) => format!("byte {at} and what follows is not UTF-8 text"),
            Self::FrontMatter { path, faults } => {
                let lines: Vec<String> = faults
                    .iter()
                    .map(|(at, what)| format!("{}:{at}: {what}", shown(path)))
                    .collect();
                lines.join("; ")
            }
            Self::FrontMatterTwice(sidecar) => format!(
                "it has front matter, and so has `{}` beside it; keep one of the two",
                shown(sidecar)
            ),
            Self::Sidecar(path, why) => {
                format!("its front matter in `{}` cannot be read: {why}", shown(path))
            }
        }
    }

    pub(crate) fn faults(path: &str, source: &str, faults: &[markdown::yaml::Fault]) -> Self {
        let lines = LineIndex::new(source);
        let placed = |fault: &markdown::yaml::Fault| {
            (lines.position(source, fault.span.start), fault.kind.to_string())
        };
        Self::FrontMatter { path: path.to_owned(), faults: faults.iter().map(placed).collect() }
    }
}

/// The census in numbers.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Summary {
    /// How many files are under the corpus root.
    pub files: usize,
    /// How many rows each class has; classes without rows are absent.
    pub classes: BTreeMap<Class, usize>,
    /// How many typed rows each kind has.
    pub kinds: BTreeMap<String, usize>,
    /// How many rows each exclusion took, in declared order.
    pub exclusions: Vec<usize>,
}

impl Summary {
    pub(crate) fn of(rows: &[Row], taxonomy: &Taxonomy, declaration: &Declaration) -> Self {
        let mut summary = Self {
            files: rows.len(),
            exclusions: vec![0; declaration.exclude.len()],
            ..Self::default()
        };
        for row in rows {
            *summary.classes.entry(row.class()).or_default() += 1;
            match (&row.outcome, row.kind.and_then(|kind| taxonomy.kinds.at(kind))) {
                (Outcome::Typed, Some((kind, _))) => match summary.kinds.get_mut(kind) {
                    Some(count) => *count += 1,
                    None => {
                        summary.kinds.insert(kind.to_owned(), 1);
                    }
                },
                (Outcome::Excluded(at), _) => {
                    if let Some(count) = summary.exclusions.get_mut(*at) {
                        *count += 1;
                    }
                }
                _ => {}
            }
        }
        summary
    }

    /// How many rows are of a class.
    #[must_use]
    pub fn count(&self, class: Class) -> usize {
        self.classes.get(&class).copied().unwrap_or_default()
    }
}
