//! A document of the corpus: its Markdown, and its front matter as the taxonomy's bindings read it,
//! wherever the corpus keeps it. Rules ask for facets by name and never see a key's spelling.

use std::sync::{Arc, OnceLock};

use headwater_taxonomy::model::{Bindings, RELATIONS_KEY};
use markdown::yaml::{self, Entry, Fault, FaultKind, Mapping, Node, Scalar, Style, Text, Value};
use markdown::{LineIndex, Position, Span};

use crate::census::Unreadable;
use crate::digest::Digest;
use crate::parts::{filled, parts};

/// Front matter that stands in a file beside its document.
#[derive(Debug)]
pub struct Sidecar {
    /// The path below the repository root.
    pub path: String,
    /// The digest of its bytes.
    pub digest: Digest,
    source: Arc<String>,
    values: Mapping,
    lines: OnceLock<LineIndex>,
}

impl Sidecar {
    /// Reads a sidecar from its text.
    pub(crate) fn parse(path: &str, digest: Digest, source: String) -> Result<Self, Unreadable> {
        let source = Arc::new(source);
        let whole = Span::new(0, source.len());
        let read = yaml::load_part(&source, whole).and_then(|node| match node {
            None => Ok(Mapping::default()),
            Some(Node { value: Value::Mapping(mapping), .. }) => Ok(*mapping),
            Some(node) => Err(vec![Fault { span: node.span, kind: FaultKind::NotMapping }]),
        });
        match read {
            Ok(values) => {
                Ok(Self { path: path.to_owned(), digest, source, values, lines: OnceLock::new() })
            }
            Err(faults) => Err(Unreadable::faults(path, &source, &faults)),
        }
    }
}

/// One front-matter value, under the key that the file spells.
#[derive(Clone, Copy, Debug)]
pub struct Fact<'d> {
    /// The key as the file spells it.
    pub key: &'d str,
    /// The bytes of the key.
    pub key_span: Span,
    /// The value. A scalar that a binding declares to be a list is a list here.
    pub value: &'d Node,
}

/// An identifier and where it stands in the front matter.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Identifier {
    /// The identifier, trimmed, the binding's template filled.
    pub text: Text,
    /// The bytes of the key.
    pub key_span: Span,
    /// The bytes of the value.
    pub span: Span,
}

/// What a document says about its identifier.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Identity {
    /// It has one.
    Usable(Identifier),
    /// It has none: no key, a null or a blank value.
    Absent,
    /// The value is a list or a mapping; the bytes of the key.
    NotScalar(Span),
}

/// A parsed document.
#[derive(Debug)]
pub struct Document {
    path: String,
    markdown: markdown::Document,
    sidecar: Option<Box<Sidecar>>,
    bindings: Arc<Bindings>,
    /// Scalars that bindings declare to be lists, read as lists, by key.
    lists: Vec<(Text, Node)>,
    identity: Identity,
}

impl Document {
    /// Puts a document together. A sidecar, where there is one, is its front matter.
    pub(crate) fn new(
        path: &str,
        markdown: markdown::Document,
        sidecar: Option<Sidecar>,
        bindings: Arc<Bindings>,
    ) -> Self {
        let mut document = Self {
            path: path.to_owned(),
            markdown,
            sidecar: sidecar.map(Box::new),
            bindings,
            lists: Vec::new(),
            identity: Identity::Absent,
        };
        document.lists = document.read_lists();
        document.identity = document.read_identity();
        document
    }

    /// The path below the repository root.
    #[must_use]
    pub fn path(&self) -> &str {
        &self.path
    }

    /// The Markdown: source, blocks, links, headings, sentences. The body is parsed when it is first
    /// asked for.
    #[must_use]
    pub fn markdown(&self) -> &markdown::Document {
        &self.markdown
    }

    /// The front matter's file, when it is not the document.
    #[must_use]
    pub fn sidecar(&self) -> Option<&Sidecar> {
        self.sidecar.as_deref()
    }

    /// The keys and values of the front matter as the file spells them; none where there is none.
    #[must_use]
    pub fn front_matter(&self) -> Option<&Mapping> {
        match &self.sidecar {
            Some(sidecar) => Some(&sidecar.values),
            None => self.markdown.front_matter().map(|block| &block.values),
        }
    }

    /// The path of the file that holds the front matter.
    #[must_use]
    pub fn front_matter_path(&self) -> &str {
        self.sidecar.as_ref().map_or(&self.path, |sidecar| &sidecar.path)
    }

    /// The text of the file that holds the front matter; its spans are offsets into it.
    #[must_use]
    pub fn front_matter_source(&self) -> &str {
        self.sidecar.as_ref().map_or(self.markdown.source(), |sidecar| &sidecar.source)
    }

    /// The bytes of the front-matter block with its fences, or all of a sidecar; empty where there is
    /// no front matter.
    #[must_use]
    pub fn front_matter_span(&self) -> Span {
        match &self.sidecar {
            Some(sidecar) => Span::new(0, sidecar.source.len()),
            None => self.markdown.front_matter().map_or(Span::default(), |block| block.span),
        }
    }

    /// The line and column of an offset of the front matter's file.
    #[must_use]
    pub fn front_matter_position(&self, offset: usize) -> Position {
        match &self.sidecar {
            Some(sidecar) => sidecar
                .lines
                .get_or_init(|| LineIndex::new(&sidecar.source))
                .position(&sidecar.source, offset),
            None => self.markdown.position(offset),
        }
    }

    /// The entry under a key, as the file spells both.
    #[must_use]
    pub fn entry(&self, key: &str) -> Option<&Entry> {
        self.front_matter()?.entry(key)
    }

    /// The value under a key, with what bindings declare to be lists read as lists.
    #[must_use]
    pub fn fact(&self, key: &str) -> Option<Fact<'_>> {
        let entry = self.entry(key)?;
        let list = self.lists.iter().find(|(name, _)| *name == entry.key);
        let value = list.map_or(&entry.value, |(_, node)| node);
        Some(Fact { key: &entry.key, key_span: entry.key_span, value })
    }

    /// The value of a facet, by its name.
    #[must_use]
    pub fn facet(&self, name: &str) -> Option<Fact<'_>> {
        self.fact(self.bindings.facet_key(name))
    }

    /// The text of a facet whose value is a scalar and no null.
    #[must_use]
    pub fn facet_text(&self, name: &str) -> Option<&str> {
        self.facet(name)?.value.text()
    }

    /// Whether a facet is a scalar of that text, or a list that holds one.
    #[must_use]
    pub fn facet_holds(&self, name: &str, text: &str) -> bool {
        let Some(fact) = self.facet(name) else { return false };
        match fact.value.as_list() {
            Some(items) => items.iter().any(|item| item.text() == Some(text)),
            None => fact.value.text() == Some(text),
        }
    }

    /// The identifier, or why there is none.
    #[must_use]
    pub fn identity(&self) -> &Identity {
        &self.identity
    }

    /// The identifier.
    #[must_use]
    pub fn identifier(&self) -> Option<&str> {
        match &self.identity {
            Identity::Usable(identifier) => Some(&identifier.text),
            _ => None,
        }
    }

    /// The bindings that its front matter is read by.
    #[must_use]
    pub fn bindings(&self) -> &Bindings {
        &self.bindings
    }

    /// The `relations` block.
    #[must_use]
    pub fn relations(&self) -> Option<&Entry> {
        self.entry(RELATIONS_KEY)
    }

    fn read_lists(&self) -> Vec<(Text, Node)> {
        let bindings = &self.bindings;
        if bindings.lists.is_empty() {
            return Vec::new();
        }
        let entries = self.front_matter().map_or(&[][..], Mapping::entries);
        let mut lists = Vec::new();
        for entry in entries {
            let bound = bindings.facets.iter().find(|(_, key)| entry.key == **key);
            let facet = bound.map_or(entry.key.as_str(), |(facet, _)| facet);
            let Some(separator) = bindings.list_separator(facet) else { continue };
            // A null and a value that is a list already stay what they are.
            if entry.value.text().is_none() {
                continue;
            }
            let items = parts(self.front_matter_source(), &entry.value, Some(separator));
            let node = |part: crate::parts::Part| Node {
                span: part.span,
                value: Value::Scalar(Scalar { text: part.text, style: Style::Plain }),
            };
            let value = Value::List(items.into_iter().map(node).collect());
            lists.push((entry.key.clone(), Node { span: entry.value.span, value }));
        }
        lists
    }

    fn read_identity(&self) -> Identity {
        let Some(entry) = self.entry(&self.bindings.identifier_key) else {
            return Identity::Absent;
        };
        if entry.value.as_scalar().is_none() {
            return Identity::NotScalar(entry.key_span);
        }
        match parts(self.front_matter_source(), &entry.value, None).pop() {
            None => Identity::Absent,
            Some(part) => Identity::Usable(Identifier {
                text: filled(&self.bindings.identifier_template, part.text),
                key_span: entry.key_span,
                span: part.span,
            }),
        }
    }
}

#[cfg(test)]
mod tests {
    use headwater_taxonomy::model::Taxonomy;

    use super::*;

    fn document(taxonomy: &str, source: &str) -> Document {
        let tree = headwater_taxonomy::yaml::load(taxonomy, 0).unwrap();
        let bindings = Arc::new(Taxonomy::from_tree(&tree).bindings);
        let markdown = markdown::Document::parse(source).unwrap();
        Document::new("a.md", markdown, None, bindings)
    }

    const BOUND: &str =
        "bindings:\n  facets: {state: {key: Status}}\n  lists: {authors: \",\", Status: \"/\"}\n";

    #[test]
    fn facets_are_asked_for_by_name_whatever_the_file_spells() {
        let source = "---\nStatus: Draft / Last Call\nstate: x\nauthors: A, B\nother: A, B\n---\n";
        let read = document(BOUND, source);
        let state = read.facet("state").unwrap();
        assert_eq!((state.key, state.key_span.of(source)), ("Status", "Status"));
        let items = |name: &str| -> Vec<(&str, &str)> {
            let items = read.facet(name).unwrap().value.as_list().unwrap();
            items.iter().map(|item| (item.text().unwrap(), item.span.of(source))).collect()
        };
        assert_eq!(items("state"), [("Draft", "Draft"), ("Last Call", "Last Call")]);
        assert_eq!(items("authors"), [("A", "A"), ("B", "B")]);
        assert_eq!(read.facet_text("other"), Some("A, B"));
        assert!(read.facet_holds("state", "Last Call") && !read.facet_holds("state", "Call"));
        assert!(read.facet_holds("other", "A, B"));
        assert_eq!(read.entry("Status").unwrap().value.text(), Some("Draft / Last Call"));
        assert!(read.facet("absent").is_none());
    }

    #[test]
    fn a_null_and_a_written_list_stay_what_they_are_under_a_list_binding() {
        let read = document(BOUND, "---\nauthors:\nStatus: [a / b]\n---\n");
        assert!(read.facet("authors").unwrap().value.is_null());
        let items = read.facet("state").unwrap().value.as_list().unwrap();
        assert_eq!(items.len(), 1);
        assert_eq!(document(BOUND, "# x\n").front_matter_span(), Span::default());
    }
}
