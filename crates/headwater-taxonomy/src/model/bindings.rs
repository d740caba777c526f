//! Bindings: where a corpus that was not written for this engine already keeps its identifiers,
//! edges and facets. The defaults are the engine's own keys, so a taxonomy without the block means
//! what it always meant.

use super::read::{named, text};
use crate::ordered::Ordered;
use crate::template::ValueTemplate;
use crate::yaml::Node;

/// The key of the block that holds edges in every document.
pub const RELATIONS_KEY: &str = "relations";
/// The key of the block that holds provenance.
pub const PROVENANCE_KEY: &str = "provenance";
/// The key that marks a generated document.
pub const GENERATED_KEY: &str = "headwater:generated";

/// A key whose values are targets of a relation.
#[derive(Clone, Debug, PartialEq)]
pub struct BoundRelation {
    /// The relation or the inverse that an entry is written under.
    pub relation: String,
    /// The separator between targets of one scalar.
    pub split: Option<String>,
    /// How a value becomes an identifier.
    pub template: ValueTemplate,
}

/// Front matter that is kept in a file beside the document.
#[derive(Clone, Debug, PartialEq)]
pub struct Sidecar {
    /// The name of the file that holds it.
    pub file: String,
    /// The name of the document it is about.
    pub document: String,
}

impl Sidecar {
    /// The path of the file that holds the front matter of the document at a path; none for a path
    /// whose front matter is not kept beside it.
    pub fn beside(&self, document: &str) -> Option<String> {
        renamed(document, &self.document, &self.file)
    }

    /// The path of the document whose front matter the file at a path holds.
    pub fn document_of(&self, file: &str) -> Option<String> {
        renamed(file, &self.file, &self.document)
    }
}

/// The path with its last segment replaced, where that is `from`.
fn renamed(path: &str, from: &str, to: &str) -> Option<String> {
    let directory = path.strip_suffix(from)?;
    (directory.is_empty() || directory.ends_with('/')).then(|| format!("{directory}{to}"))
}

/// The `bindings` block with its defaults.
#[derive(Clone, Debug, PartialEq)]
pub struct Bindings {
    /// The key of the identifier.
    pub identifier_key: String,
    /// How its value becomes the identifier.
    pub identifier_template: ValueTemplate,
    /// Further keys that hold edges, beside the `relations` block.
    pub relations: Ordered<BoundRelation>,
    /// Facets whose key is spelled otherwise.
    pub facets: Ordered<String>,
    /// Where front matter is kept, when not in the document.
    pub sidecar: Option<Sidecar>,
    /// Scalars that are lists, with their separators, by facet name or key.
    pub lists: Ordered<String>,
}

impl Default for Bindings {
    fn default() -> Self {
        Self {
            identifier_key: "id".to_owned(),
            identifier_template: ValueTemplate::default(),
            relations: Ordered::default(),
            facets: Ordered::default(),
            sidecar: None,
            lists: Ordered::default(),
        }
    }
}

fn template(node: Option<&Node>) -> ValueTemplate {
    node.and_then(|node| text(node, "template"))
        .and_then(|text| ValueTemplate::parse(&text))
        .unwrap_or_default()
}

impl Bindings {
    pub(super) fn read(root: &Node) -> Self {
        let mut bindings = Self::default();
        let Some(node) = root.get("bindings") else { return bindings };
        let identifier = node.get("identifier");
        if let Some(key) = identifier.and_then(|node| text(node, "key")) {
            bindings.identifier_key = key;
        }
        bindings.identifier_template = template(identifier);
        bindings.relations = named(node, "relations", |_, node| BoundRelation {
            relation: text(node, "relation").unwrap_or_default(),
            split: text(node, "split").filter(|split| !split.is_empty()),
            template: template(Some(node)),
        });
        bindings.facets = node
            .get("facets")
            .and_then(Node::map)
            .into_iter()
            .flat_map(|map| map.iter())
            .filter_map(|(facet, member)| Some((facet.to_owned(), text(&member.value, "key")?)))
            .collect();
        bindings.sidecar = node.get("sidecar").and_then(|node| {
            Some(Sidecar { file: text(node, "file")?, document: text(node, "document")? })
        });
        bindings.lists = named(node, "lists", |_, node| node.text().unwrap_or("").to_owned());
        bindings
    }

    /// The key under which files spell a facet.
    pub fn facet_key<'b>(&'b self, facet: &'b str) -> &'b str {
        self.facets.get(facet).map_or(facet, String::as_str)
    }

    /// The separator of a facet whose scalar is a list.
    pub fn list_separator(&self, facet: &str) -> Option<&str> {
        self.lists
            .get(facet)
            .or_else(|| self.lists.get(self.facet_key(facet)))
            .map(String::as_str)
            .filter(|separator| !separator.is_empty())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sidecar_and_its_document_name_each_other() {
        let binding = Sidecar { file: "kep.yaml".into(), document: "README.md".into() };
        assert_eq!(binding.beside("a/README.md").as_deref(), Some("a/kep.yaml"));
        assert_eq!(binding.document_of("kep.yaml").as_deref(), Some("README.md"));
        assert_eq!(binding.beside("a/MY-README.md"), None);
        assert_eq!(binding.document_of("a/README.md"), None);
    }
}
