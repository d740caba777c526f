//! From front matter to raw halves: the entries of the `relations` block and of the keys that
//! bindings declare, in file order, and what of them cannot be used (model §3.6, steps 1 to 5).

use headwater_taxonomy::model::{BoundRelation, Direction, RELATIONS_KEY, Relation, Taxonomy};
use markdown::Span;
use markdown::yaml::{Entry, Node, Text};

use crate::document::Document;
use crate::edge::{Target, Trouble};
use crate::parts::{filled, parts};

/// One half before its target is bound. Spans are offsets of the file that holds the front matter.
#[derive(Clone, Debug)]
pub struct Half<'t> {
    /// The relation.
    pub relation: &'t Relation,
    /// Under which of its names it is written.
    pub direction: Direction,
    /// The key of a binding that it stands under; none for the `relations` block.
    pub bound_key: Option<Text>,
    /// The bytes of the key that it stands under.
    pub key_span: Span,
    /// The raw targets.
    pub targets: Box<[Target]>,
    /// The bytes of the target text, or of the list of targets.
    pub span: Span,
    /// The keys of a mapping entry beside `to`.
    pub attributes: Box<[Entry]>,
}

impl Half<'_> {
    /// The name it is written under, through a binding the one that the binding gives.
    #[must_use]
    pub fn written(&self) -> &str {
        written(self.relation, self.direction)
    }
}

/// The name of a relation in a direction.
pub(crate) fn written(relation: &Relation, direction: Direction) -> &str {
    match direction {
        Direction::Declared => &relation.name,
        Direction::Inverse => relation.inverse.as_deref().unwrap_or(&relation.name),
    }
}

/// Whether a document may stand at an end. An end that names nothing restricts nothing.
pub(crate) fn permits_documents(taxonomy: &Taxonomy, permitted: &[String]) -> bool {
    permitted.is_empty() || taxonomy.permits_documents(permitted)
}

/// Every half that a document writes, in file order, and what of its relations is none, with its
/// bytes. Targets are not bound, so no repeat is told.
pub(crate) fn halves<'t>(
    taxonomy: &'t Taxonomy,
    document: &Document,
) -> (Vec<Half<'t>>, Vec<(Trouble, Span)>) {
    let mut reader = Halves { taxonomy, document, found: Vec::new(), troubles: Vec::new() };
    let entries = document.front_matter().map_or(&[][..], |mapping| mapping.entries());
    for entry in entries {
        if entry.key == RELATIONS_KEY {
            reader.block(entry);
        } else if let Some(binding) = taxonomy.bindings.relations.get(&entry.key) {
            reader.bound(entry, binding);
        }
    }
    (reader.found, reader.troubles)
}

struct Halves<'t, 'd> {
    taxonomy: &'t Taxonomy,
    document: &'d Document,
    found: Vec<Half<'t>>,
    troubles: Vec<(Trouble, Span)>,
}

impl<'t> Halves<'t, '_> {
    fn problem(&mut self, trouble: Trouble, span: Span) {
        self.troubles.push((trouble, span));
    }

    fn block(&mut self, block: &Entry) {
        let Some(mapping) = block.value.as_mapping() else {
            self.problem(Trouble::NotMapping, block.key_span);
            return;
        };
        if self.document.identifier().is_none() {
            self.problem(Trouble::NoIdentifier, block.key_span);
            return;
        }
        for entry in mapping.entries() {
            let Some((relation, direction)) = self.taxonomy.relation_written(&entry.key) else {
                self.problem(Trouble::UnknownRelation(entry.key.to_string()), entry.key_span);
                continue;
            };
            let items = entry.value.as_list().unwrap_or(std::slice::from_ref(&entry.value));
            for item in items {
                self.item(relation, direction, entry, item);
            }
        }
    }

    fn item(&mut self, relation: &'t Relation, direction: Direction, entry: &Entry, item: &Node) {
        let mut attributes = Box::default();
        let mut node = item;
        if let Some(mapping) = item.as_mapping() {
            let Some(to) = mapping.get("to") else {
                self.problem(Trouble::NoTarget(entry.key.to_string()), item.span);
                return;
            };
            let others = mapping.entries().iter().filter(|entry| entry.key != "to");
            attributes = others.cloned().collect();
            node = to;
        }
        let Some(targets) = self.targets(relation, direction, node) else {
            let name = entry.key.to_string();
            let trouble = match item.as_mapping() {
                Some(_) => Trouble::NoTarget(name),
                None => Trouble::Unusable(name),
            };
            self.problem(trouble, item.span);
            return;
        };
        self.found.push(Half {
            relation,
            direction,
            bound_key: None,
            key_span: entry.key_span,
            targets,
            span: node.span,
            attributes,
        });
    }

    /// The raw targets of a scalar, or of a list where only anchors may stand.
    fn targets(
        &self,
        relation: &Relation,
        direction: Direction,
        node: &Node,
    ) -> Option<Box<[Target]>> {
        let one = |node: &Node| {
            let text = node.as_scalar().filter(|scalar| !scalar.is_null())?.text.trimmed();
            (!text.is_empty()).then_some(Target { text, span: node.span })
        };
        match node.as_list() {
            None => Some([one(node)?].into()),
            Some([]) => None,
            Some(_) if permits_documents(self.taxonomy, relation.far_end(direction)) => None,
            Some(items) => items.iter().map(one).collect(),
        }
    }

    fn bound(&mut self, entry: &Entry, binding: &BoundRelation) {
        let Some((relation, direction)) = self.taxonomy.relation_written(&binding.relation) else {
            self.problem(Trouble::UnknownRelation(binding.relation.clone()), entry.key_span);
            return;
        };
        let source = self.document.front_matter_source();
        let items = entry.value.as_list().unwrap_or(std::slice::from_ref(&entry.value));
        let mut found = Vec::new();
        for item in items {
            if item.as_scalar().is_none() {
                self.problem(Trouble::Unusable(entry.key.to_string()), item.span);
                continue;
            }
            for part in parts(source, item, binding.split.as_deref()) {
                let text = filled(&binding.template, part.text);
                let span = part.span;
                found.push(Half {
                    relation,
                    direction,
                    bound_key: Some(entry.key.clone()),
                    key_span: entry.key_span,
                    targets: [Target { text, span }].into(),
                    span,
                    attributes: Box::default(),
                });
            }
        }
        if self.document.identifier().is_none() && !found.is_empty() {
            self.problem(Trouble::NoIdentifier, entry.key_span);
            return;
        }
        self.found.extend(found);
    }
}
