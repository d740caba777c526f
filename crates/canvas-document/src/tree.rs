//! The canvas as an owned tree: what an edit loads, changes and writes back (`canvas-store.md` §1.5).
//!
//! Comments and processing instructions are dropped and the text on both sides joins; CDATA becomes
//! text; references are resolved; the text of an element that has child elements is discarded; a
//! leaf's text is kept as it is, white space included.
//!
//! What the tree cannot hold exactly is refused, never dropped: an element or an attribute in a
//! namespace. A namespace declaration that no name uses is held as an attribute where it stood, so it
//! survives an edit.

use crate::lexis::{is_addressable, shown};
use crate::limits;
use crate::xml::{self, Fault, Parsed};

/// One element: the root, or a node.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Element {
    /// The element name.
    pub name: String,
    /// The attributes, in the order they are written in.
    pub attributes: Vec<(String, String)>,
    /// The character data. Not written while there are children.
    pub text: String,
    /// The child elements, in order.
    pub children: Vec<Element>,
}

impl Element {
    /// An element without attributes, text or children.
    #[must_use]
    pub fn new(name: impl Into<String>) -> Element {
        Element {
            name: name.into(),
            attributes: Vec::new(),
            text: String::new(),
            children: Vec::new(),
        }
    }

    /// The value of an attribute.
    #[must_use]
    pub fn attribute(&self, name: &str) -> Option<&str> {
        self.attributes.iter().find(|(given, _)| given == name).map(|(_, value)| value.as_str())
    }

    /// The value of `id`, as written.
    #[must_use]
    pub fn id(&self) -> Option<&str> {
        self.attribute("id")
    }

    /// Set an attribute: in its place if it is there, else as the last one.
    pub fn set_attribute(&mut self, name: &str, value: impl Into<String>) {
        let value = value.into();
        match self.attributes.iter_mut().find(|(given, _)| given == name) {
            Some((_, old)) => *old = value,
            None => self.attributes.push((name.to_owned(), value)),
        }
    }

    /// Take an attribute away; its value if it was there.
    pub fn remove_attribute(&mut self, name: &str) -> Option<String> {
        let at = self.attributes.iter().position(|(given, _)| given == name)?;
        Some(self.attributes.remove(at).1)
    }

    /// This element and everything under it, in document order.
    #[must_use]
    pub fn descendants(&self) -> Descendants<'_> {
        Descendants { waiting: vec![self] }
    }
}

/// An element and everything under it, in document order.
#[derive(Debug, Clone)]
pub struct Descendants<'a> {
    waiting: Vec<&'a Element>,
}

impl<'a> Iterator for Descendants<'a> {
    type Item = &'a Element;

    fn next(&mut self) -> Option<&'a Element> {
        let element = self.waiting.pop()?;
        self.waiting.extend(element.children.iter().rev());
        Some(element)
    }
}

/// A whole canvas: its root element.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Document {
    /// The root element. It carries no id and is not a node; [`crate::ROOT`] is the word that
    /// places use for it.
    pub root: Element,
}

impl Document {
    /// Load the tree of a canvas file.
    ///
    /// # Errors
    /// The file is not well-formed XML, has a document type declaration, passes a limit, or holds an
    /// element or attribute in a namespace, which this tree cannot hold. The fault names the line.
    pub fn parse(bytes: &[u8]) -> Result<Document, Fault> {
        let text = xml::decode(bytes)?;
        Document::from_xml(&xml::parse(&text, &limits::CANVAS)?)
    }

    pub(crate) fn from_xml(parsed: &Parsed<'_>) -> Result<Document, Fault> {
        let mut build = Build { parsed, elements: 0, declarations: 0 };
        Ok(Document { root: build.element(parsed.document.root_element())? })
    }

    /// The node with this id, first in document order. An id that no verb can address has no node:
    /// the empty one, one with white space in it, and the word `root`.
    #[must_use]
    pub fn find(&self, id: &str) -> Option<&Element> {
        self.trail(id)?.pop()
    }

    /// [`Document::find`], to change the node.
    pub fn find_mut(&mut self, id: &str) -> Option<&mut Element> {
        let path = self.path(id)?;
        self.at_mut(&path)
    }

    /// The element that holds the node with this id as a child.
    #[must_use]
    pub fn parent_of(&self, id: &str) -> Option<&Element> {
        let mut trail = self.trail(id)?;
        trail.pop();
        trail.pop()
    }

    /// The nearest ancestor of the node that is called `name`, the node itself not counted
    /// (`canvas-store.md` §5.5).
    #[must_use]
    pub fn nearest_ancestor(&self, id: &str, name: &str) -> Option<&Element> {
        let mut trail = self.trail(id)?;
        trail.pop();
        trail.into_iter().rev().find(|element| element.name == name)
    }

    /// The elements from the root down to the node, both included.
    #[must_use]
    pub fn trail(&self, id: &str) -> Option<Vec<&Element>> {
        let mut element = &self.root;
        let mut trail = vec![element];
        for at in self.path(id)? {
            element = element.children.get(at)?;
            trail.push(element);
        }
        Some(trail)
    }

    /// Child positions from the root down to the node with this id.
    pub(crate) fn path(&self, id: &str) -> Option<Vec<usize>> {
        if !is_addressable(id) {
            return None;
        }
        // The open elements, each with the children not yet looked at, and the way to the innermost.
        let mut open = vec![self.root.children.iter().enumerate()];
        let mut path = Vec::new();
        while let Some(children) = open.last_mut() {
            match children.next() {
                Some((at, child)) => {
                    path.push(at);
                    if child.id() == Some(id) {
                        return Some(path);
                    }
                    open.push(child.children.iter().enumerate());
                }
                None => {
                    open.pop();
                    path.pop();
                }
            }
        }
        None
    }

    /// The element at a path.
    pub(crate) fn at_mut(&mut self, path: &[usize]) -> Option<&mut Element> {
        path.iter().try_fold(&mut self.root, |element, &at| element.children.get_mut(at))
    }
}

struct Build<'a, 't> {
    parsed: &'a Parsed<'t>,
    /// Elements built so far.
    elements: usize,
    /// Namespace declarations placed so far.
    declarations: usize,
}

impl Build<'_, '_> {
    /// Recursion is as deep as the document, which the depth limit bounds.
    fn element(&mut self, node: roxmltree::Node<'_, '_>) -> Result<Element, Fault> {
        let tag = node.tag_name();
        if let Some(namespace) = tag.namespace().filter(|uri| !uri.is_empty()) {
            let message = format!(
                "<{}> is in the namespace \"{}\"; a canvas has none",
                shown(tag.name()),
                shown(namespace)
            );
            return Err(self.fault(node.range().start, &message));
        }
        let mut element = Element::new(tag.name());
        for attribute in node.attributes() {
            if attribute.namespace().is_some() {
                let message = format!(
                    "the attribute \"{}\" is in a namespace; a canvas has none",
                    shown(attribute.name())
                );
                return Err(self.fault(attribute.range().start, &message));
            }
            element.attributes.push((attribute.name().to_owned(), attribute.value().to_owned()));
        }
        self.declarations_of(node, &mut element);
        self.elements += 1;
        let mut text = String::new();
        for child in node.children() {
            if child.is_element() {
                element.children.push(self.element(child)?);
            } else if child.is_text() && element.children.is_empty() {
                text.push_str(child.text().unwrap_or_default());
            }
        }
        if element.children.is_empty() {
            element.text = text;
        }
        Ok(element)
    }

    /// Put the namespace declarations of one element where they stood among its attributes.
    fn declarations_of(&mut self, node: roxmltree::Node<'_, '_>, element: &mut Element) {
        while let Some(declaration) = self
            .parsed
            .declarations
            .get(self.declarations)
            .filter(|declaration| declaration.element == self.elements)
        {
            self.declarations += 1;
            let (name, prefix) = match declaration.prefix.as_str() {
                "" => ("xmlns".to_owned(), None),
                prefix => (format!("xmlns:{prefix}"), Some(prefix)),
            };
            let uri = node.lookup_namespace_uri(prefix).unwrap_or_default().to_owned();
            let place = declaration.place.min(element.attributes.len());
            element.attributes.insert(place, (name, uri));
        }
    }

    fn fault(&self, offset: usize, message: &str) -> Fault {
        Fault::at(self.parsed.document.input_text(), offset, message)
    }
}
