//! Where a node stands: the two ways to name a place, and the edits that need one
//! (`canvas-store.md` §§3.4, 3.7, 3.10).

use std::collections::BTreeSet;
use std::fmt;

use crate::lexis::{is_addressable, shown};
use crate::tree::{Document, Element};

/// The reserved word that names the root element. It has the shape of no node id.
pub const ROOT: &str = "root";

/// A place for a node.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Place {
    /// Right after the node with this id, in its parent.
    After(String),
    /// The last child of the node with this id, or of the root ([`ROOT`]).
    Into(String),
}

impl Place {
    /// The id, or [`ROOT`], that the place is named by.
    #[must_use]
    pub fn target(&self) -> &str {
        match self {
            Place::After(id) | Place::Into(id) => id,
        }
    }
}

/// Why a place cannot be used. The document is as it was.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PlaceError {
    /// No node has the id that names the place.
    UnknownTarget(String),
    /// Nothing can stand after the root.
    RootHasNoSiblings,
    /// The node to move is not in the document; the root is no node.
    UnknownNode(String),
    /// The place is the node to move, or inside it.
    InsideItself {
        /// The node to move.
        node: String,
        /// The place it was to move to.
        target: String,
    },
}

impl fmt::Display for PlaceError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            PlaceError::UnknownTarget(id) | PlaceError::UnknownNode(id) => {
                write!(f, "no node with id {}", shown(id))
            }
            PlaceError::RootHasNoSiblings => {
                f.write_str("the root has no siblings, so nothing can stand after it")
            }
            PlaceError::InsideItself { node, target } if node == target => {
                write!(f, "node {} cannot be its own place", shown(node))
            }
            PlaceError::InsideItself { node, target } => write!(
                f,
                "{} is inside node {}; the subtree would leave the document",
                shown(target),
                shown(node)
            ),
        }
    }
}

impl std::error::Error for PlaceError {}

impl Document {
    /// Put `node` at `place`.
    ///
    /// # Errors
    /// The place names no node, or is after the root.
    pub fn insert(&mut self, place: &Place, node: Element) -> Result<(), PlaceError> {
        let (path, at) = self.slot(place)?;
        if let Some(parent) = self.at_mut(&path) {
            let at = at.unwrap_or(parent.children.len());
            parent.children.insert(at, node);
        }
        Ok(())
    }

    /// Take the node with this id out, and everything under it with it.
    pub fn take(&mut self, id: &str) -> Option<Element> {
        let path = self.path(id)?;
        let (&at, parent) = path.split_last()?;
        Some(self.at_mut(parent)?.children.remove(at))
    }

    /// Move the node with this id, and everything under it, to `place`.
    ///
    /// # Errors
    /// The node or the place is not there, or the place is the node or inside it. Nothing has moved.
    pub fn move_node(&mut self, id: &str, place: &Place) -> Result<(), PlaceError> {
        let path = self.path(id).ok_or_else(|| PlaceError::UnknownNode(id.to_owned()))?;
        self.slot(place)?;
        if let Some(target) = self.path(place.target())
            && target.starts_with(&path)
        {
            return Err(PlaceError::InsideItself {
                node: id.to_owned(),
                target: place.target().to_owned(),
            });
        }
        match self.take(id) {
            // The place was found and is not inside what was taken, so it is still there.
            Some(node) => self.insert(place, node),
            None => Err(PlaceError::UnknownNode(id.to_owned())),
        }
    }

    /// The nodes whose id is among `ids` or whose name is among `names`, each with its whole subtree and
    /// once, in document order, as children of a copy of the root (`canvas-store.md` §3.4).
    ///
    /// # Errors
    /// The ids that are no node of this document, in the order they were asked for.
    pub fn select<I: AsRef<str>, N: AsRef<str>>(
        &self,
        ids: &[I],
        names: &[N],
    ) -> Result<Document, Vec<String>> {
        let ids: Vec<&str> = ids.iter().map(AsRef::as_ref).collect();
        let wanted: BTreeSet<&str> = ids.iter().copied().filter(|id| is_addressable(id)).collect();
        let names: BTreeSet<&str> = names.iter().map(AsRef::as_ref).collect();
        let asked_for = |element: &Element| element.id().is_some_and(|id| wanted.contains(id));
        let nodes = self.root.children.iter().flat_map(Element::descendants);
        let found: BTreeSet<&str> =
            nodes.filter(|node| asked_for(node)).filter_map(Element::id).collect();
        let mut told = BTreeSet::new();
        let missing: Vec<String> = ids
            .into_iter()
            .filter(|id| !found.contains(id) && told.insert(*id))
            .map(str::to_owned)
            .collect();
        if !missing.is_empty() {
            return Err(missing);
        }
        let mut root = Element {
            name: self.root.name.clone(),
            attributes: self.root.attributes.clone(),
            text: String::new(),
            children: Vec::new(),
        };
        let mut waiting: Vec<&Element> = self.root.children.iter().rev().collect();
        while let Some(element) = waiting.pop() {
            if asked_for(element) || names.contains(element.name.as_str()) {
                root.children.push(element.clone());
            } else {
                waiting.extend(element.children.iter().rev());
            }
        }
        Ok(Document { root })
    }

    /// The parent that a place is in, by its path, and the position there; none is the end.
    fn slot(&self, place: &Place) -> Result<(Vec<usize>, Option<usize>), PlaceError> {
        let unknown = || PlaceError::UnknownTarget(place.target().to_owned());
        match place {
            Place::Into(id) if id == ROOT => Ok((Vec::new(), None)),
            Place::Into(id) => Ok((self.path(id).ok_or_else(unknown)?, None)),
            Place::After(id) if id == ROOT => Err(PlaceError::RootHasNoSiblings),
            Place::After(id) => {
                let mut path = self.path(id).ok_or_else(unknown)?;
                let at = path.pop().ok_or_else(unknown)?;
                Ok((path, Some(at + 1)))
            }
        }
    }
}
