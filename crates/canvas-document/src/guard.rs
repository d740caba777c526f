//! The one-node comparison: which nodes differ between two trees, besides the one a write names
//! (`canvas-store.md` §2.5).
//!
//! A node is compared by its name, its attributes as a set, its character data and its parent; a
//! container by the order of its children. The root is compared too, under the word `root`.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use crate::lexis::{is_xml_space, shown};
use crate::place::ROOT;
use crate::tree::{Document, Element};

/// Entries of one list that a message spells out; the lists themselves are whole.
const LISTED: usize = 20;

/// What differs besides the node that the write names. At least one list is not empty.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Trespass {
    /// Other nodes that differ, in document order; the root as [`ROOT`].
    pub nodes: Vec<String>,
    /// Containers whose children stand in another order; the root as [`ROOT`].
    pub containers: Vec<String>,
    /// Ids that more than one node carries.
    pub repeated: Vec<String>,
    /// Nodes that no edit can name, described: no id, or an id that others carry too.
    pub unaddressable: Vec<String>,
}

impl Trespass {
    fn is_empty(&self) -> bool {
        self.nodes.is_empty() && self.containers.is_empty() && self.unaddressable.is_empty()
    }
}

impl fmt::Display for Trespass {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("one edit is one node")?;
        let lists = [
            ("; these would change too: ", &self.nodes),
            ("; the order would change in: ", &self.containers),
            ("; no edit can name ", &self.unaddressable),
        ];
        for (what, list) in lists {
            for (at, entry) in list.iter().take(LISTED).enumerate() {
                f.write_str(if at == 0 { what } else { ", " })?;
                f.write_str(&shown(entry))?;
            }
            if list.len() > LISTED {
                write!(f, " and {} more", list.len() - LISTED)?;
            }
        }
        Ok(())
    }
}

impl std::error::Error for Trespass {}

/// Compare two trees. Only the node `named` may differ: born, changed, moved or gone. Without a name
/// (a freeze) nothing may.
///
/// # Errors
/// Everything else that differs.
pub fn changed(before: &Document, after: &Document, named: Option<&str>) -> Result<(), Trespass> {
    let mut trespass = Trespass::default();
    let old = Records::of(before, &mut trespass);
    let new = Records::of(after, &mut trespass);
    if !trespass.is_empty() {
        return Err(trespass);
    }
    // The root is not a node, so no write can name it.
    let named = named.filter(|&id| id != ROOT);
    let other = |id: &str| Some(id) != named;
    for &id in old.order.iter().filter(|id| other(id)) {
        if !same(&old, &new, id) {
            trespass.nodes.push(id.to_owned());
        }
    }
    for &id in new.order.iter().filter(|id| other(id)) {
        if !old.by_id.contains_key(id) {
            trespass.nodes.push(id.to_owned());
        }
    }
    // A child that came or went is named above. What is left is the order of those that stayed.
    for &id in &old.order {
        let (Some(was), Some(is)) = (old.children.get(id), new.children.get(id)) else {
            continue;
        };
        let was = was.iter().filter(|child| other(child) && new.holds(id, child));
        let is = is.iter().filter(|child| other(child) && old.holds(id, child));
        if !was.eq(is) {
            trespass.containers.push(id.to_owned());
        }
    }
    if trespass.is_empty() { Ok(()) } else { Err(trespass) }
}

/// Whether both trees have the same record of `id`. White space in an element that has children in
/// either tree is indentation, which is never written: a container that somebody emptied by hand keeps
/// its line breaks until a child comes.
fn same(old: &Records<'_>, new: &Records<'_>, id: &str) -> bool {
    let (Some(was), Some(is)) = (old.by_id.get(id), new.by_id.get(id)) else { return false };
    let holds = |records: &Records<'_>| records.children.get(id).is_some_and(|ids| !ids.is_empty());
    let blank = |text: &str| text.bytes().all(is_xml_space);
    was == is
        || (holds(old) || holds(new))
            && blank(was.text)
            && blank(is.text)
            && *was == Record { text: was.text, ..is.clone() }
}

/// The first commit of a canvas holds the root alone.
///
/// # Errors
/// Every node that is already there.
pub fn birth(after: &Document) -> Result<(), Trespass> {
    let mut trespass = Trespass::default();
    let records = Records::of(after, &mut trespass);
    trespass.nodes.extend(records.order.iter().skip(1).map(|&id| id.to_owned()));
    if trespass.is_empty() { Ok(()) } else { Err(trespass) }
}

#[derive(Clone, PartialEq)]
struct Record<'d> {
    name: &'d str,
    /// Sorted: attributes are a set.
    attributes: Vec<(&'d str, &'d str)>,
    text: &'d str,
    parent: Option<&'d str>,
}

struct Records<'d> {
    /// The ids in document order, [`ROOT`] first.
    order: Vec<&'d str>,
    by_id: BTreeMap<&'d str, Record<'d>>,
    /// The ids of the children of every element that has an id, and of the root.
    children: BTreeMap<&'d str, Vec<&'d str>>,
}

impl<'d> Records<'d> {
    /// One walk; what cannot be recorded under an id of its own is added to `trespass`.
    fn of(document: &'d Document, trespass: &mut Trespass) -> Records<'d> {
        let mut records =
            Records { order: Vec::new(), by_id: BTreeMap::new(), children: BTreeMap::new() };
        records.add(ROOT, &document.root, None);
        let mut repeated = BTreeSet::new();
        let below = |element: &'d Element, id: &'d str| {
            element.children.iter().rev().map(move |child| (child, id))
        };
        let mut waiting: Vec<(&Element, &str)> = below(&document.root, ROOT).collect();
        while let Some((element, parent)) = waiting.pop() {
            let nameless = |why: &str| {
                let holder = if parent == ROOT { "the root" } else { parent };
                format!("a <{}> in {} {why}", shown(&element.name), shown(holder))
            };
            // What stands under a node that cannot be named is still looked at, as if it stood in
            // the nearest one that can.
            let id = match element.id() {
                None | Some("") => {
                    trespass.unaddressable.push(nameless("without an id"));
                    parent
                }
                Some(ROOT) => {
                    trespass.unaddressable.push(nameless("with the reserved word root for an id"));
                    parent
                }
                Some(id) => {
                    if records.by_id.contains_key(id) {
                        repeated.insert(id);
                    } else {
                        records.add(id, element, Some(parent));
                    }
                    id
                }
            };
            waiting.extend(below(element, id));
        }
        let known: BTreeSet<String> = trespass.repeated.iter().cloned().collect();
        for id in repeated.into_iter().filter(|&id| !known.contains(id)) {
            trespass.repeated.push(id.to_owned());
            trespass
                .unaddressable
                .push(format!("the id {}, which more than one node carries", shown(id)));
        }
        records
    }

    fn add(&mut self, id: &'d str, element: &'d Element, parent: Option<&'d str>) {
        let mut attributes: Vec<_> = element
            .attributes
            .iter()
            .map(|(name, value)| (name.as_str(), value.as_str()))
            .collect();
        attributes.sort_unstable();
        let record = Record { name: &element.name, attributes, text: &element.text, parent };
        self.order.push(id);
        self.by_id.insert(id, record);
        self.children.insert(id, element.children.iter().filter_map(Element::id).collect());
    }

    /// Whether `child` is a child of `parent` here.
    fn holds(&self, parent: &str, child: &str) -> bool {
        self.by_id.get(child).is_some_and(|record| record.parent == Some(parent))
    }
}
