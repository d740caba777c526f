//! Applying operations to the base, one source after the other, and the canonical order of keys.
//!
//! Every operation has a precondition, and one that does not hold is refused and passed over, so
//! that a single run reports all of them.

use crate::canonical;
use crate::references::{Sigil, classify};
use crate::refusal::{Class, Next, Refusal};
use crate::source::{Operation, Overlay, Verb};
use crate::yaml::{Map, Member, Node, Span, Value, shown};

/// What an operation brought into being because its parent did not exist.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Founding {
    /// The file of the operation.
    pub source: String,
    /// The operation, as `add.kinds.memo.purpose`.
    pub at: String,
    /// The shortest address that was missing.
    pub founds: String,
}

/// The leaf paths of a value at an address: scalars, lists and empty mappings are leaves.
pub(crate) fn leaves(address: &[String], value: &Node) -> Vec<(Vec<String>, Node)> {
    let mut found = Vec::new();
    collect_leaves(&mut address.to_vec(), value, &mut found);
    found
}

fn collect_leaves(path: &mut Vec<String>, node: &Node, found: &mut Vec<(Vec<String>, Node)>) {
    match node.map() {
        Some(map) if !map.is_empty() => {
            for (key, member) in map.iter() {
                path.push(key.to_owned());
                collect_leaves(path, &member.value, found);
                path.pop();
            }
        }
        _ => found.push((path.clone(), node.clone())),
    }
}

/// What the walk along an address found.
enum Reached<'t> {
    /// The value at the address.
    Value(&'t Node),
    /// Nothing; the first `usize` segments exist.
    Missing(usize),
    /// A value that is no mapping stands at the first `usize` segments and the address goes below.
    Blocked(usize, &'t Node),
}

fn reach<'t>(root: &'t Node, address: &[String]) -> Reached<'t> {
    let mut node = root;
    for (at, segment) in address.iter().enumerate() {
        let Some(map) = node.map() else { return Reached::Blocked(at, node) };
        match map.get(segment) {
            Some(member) => node = &member.value,
            None => return Reached::Missing(at),
        }
    }
    Reached::Value(node)
}

/// Applies operations to a copy of the base.
pub(crate) struct Merger<'s> {
    files: &'s [String],
    base: &'s Node,
    /// The merged tree so far.
    pub tree: Node,
    /// What was refused.
    pub refusals: Vec<Refusal>,
    /// What was founded.
    pub foundings: Vec<Founding>,
}

impl<'s> Merger<'s> {
    pub fn new(files: &'s [String], base: &'s Node) -> Self {
        let (refusals, foundings) = (Vec::new(), Vec::new());
        Self { files, base, tree: base.clone(), refusals, foundings }
    }

    /// Applies the operations of one source, which are in application order.
    pub fn apply_all(&mut self, overlay: &Overlay) {
        for operation in &overlay.operations {
            self.apply(operation);
        }
    }

    /// Applies one operation, or refuses it and leaves the tree as it was.
    pub fn apply(&mut self, operation: &Operation) {
        let outcome = match operation.verb {
            Verb::Add => self.add(operation),
            Verb::Override => self.replace(operation),
            Verb::AddTo => self.add_to(operation),
            Verb::RemoveFrom => self.remove_from(operation),
            Verb::Remove => self.remove(operation),
        };
        if let Err((what, next)) = outcome {
            self.refusals.push(Refusal {
                class: Class::Operation,
                file: file_of(self.files, operation.source()),
                at: Some(operation.span.start),
                address: Some(operation.to_string()),
                what,
                next: Next::Do(next),
            });
        }
    }

    fn add(&mut self, operation: &Operation) -> Result<(), (String, String)> {
        let address = &operation.address;
        let Some(value) = operation.value() else { return Ok(()) };
        if let Reached::Value(held) = reach(self.base, address) {
            return Err((
                format!(
                    "the base declares `{}` already, as {}, and this adds {}",
                    address.join("."),
                    excerpt(held),
                    excerpt(value)
                ),
                "use `override` to replace it, `add_to` to extend a list, or address a member that \
                 the base does not declare"
                    .to_owned(),
            ));
        }
        let leaves = leaves(address, value);
        for (path, leaf) in &leaves {
            let held = match reach(&self.tree, path) {
                Reached::Missing(_) => continue,
                Reached::Value(held) => held,
                Reached::Blocked(at, node) => {
                    let above = path.get(..at).unwrap_or(&[]).join(".");
                    return Err(blocked(&above, node));
                }
            };
            return Err((
                format!(
                    "`{}` is there already, as {}, and this adds {}",
                    path.join("."),
                    excerpt(held),
                    excerpt(leaf)
                ),
                "remove one of the two".to_owned(),
            ));
        }
        let parent = address.split_last().map_or(&[][..], |(_, parent)| parent);
        if let Reached::Missing(at) = reach(&self.tree, parent) {
            self.foundings.push(Founding {
                source: file_of(self.files, operation.source()),
                at: operation.to_string(),
                founds: parent.get(..=at).unwrap_or(parent).join("."),
            });
        }
        for (path, leaf) in leaves {
            graft(&mut self.tree, &path, leaf, operation.span);
        }
        Ok(())
    }

    fn replace(&mut self, operation: &Operation) -> Result<(), (String, String)> {
        let Some(value) = operation.value() else { return Ok(()) };
        let held = self.existing(&operation.address, "use `add` to declare it")?;
        *held = value.clone();
        Ok(())
    }

    fn add_to(&mut self, operation: &Operation) -> Result<(), (String, String)> {
        let items = self.list(&operation.address)?;
        items.extend(operation.values.iter().cloned());
        Ok(())
    }

    fn remove_from(&mut self, operation: &Operation) -> Result<(), (String, String)> {
        let items = self.list(&operation.address)?;
        let mut left = items.clone();
        for value in &operation.values {
            match left.iter().position(|item| item.same(value)) {
                Some(at) => {
                    left.remove(at);
                }
                None => {
                    let what = format!("the list does not hold {}", excerpt(value));
                    return Err((what, "remove the item from this operation".to_owned()));
                }
            }
        }
        *items = left;
        Ok(())
    }

    fn remove(&mut self, operation: &Operation) -> Result<(), (String, String)> {
        self.existing(&operation.address, "remove this operation")?;
        let Some((last, parent)) = operation.address.split_last() else { return Ok(()) };
        if let Some(map) = walk_mut(&mut self.tree, parent).and_then(Node::map_mut) {
            map.remove(last);
        }
        Ok(())
    }

    fn existing(&mut self, address: &[String], next: &str) -> Result<&mut Node, (String, String)> {
        let spelled = address.join(".");
        match reach(&self.tree, address) {
            Reached::Value(_) => {}
            Reached::Missing(_) => {
                return Err((format!("nothing declares `{spelled}`"), next.to_owned()));
            }
            Reached::Blocked(at, node) => {
                return Err(blocked(&address.get(..at).unwrap_or(&[]).join("."), node));
            }
        }
        walk_mut(&mut self.tree, address)
            .ok_or_else(|| (format!("nothing declares `{spelled}`"), next.to_owned()))
    }

    fn list(&mut self, address: &[String]) -> Result<&mut Vec<Node>, (String, String)> {
        let next = "use `add` to declare the list";
        let node = self.existing(address, next)?;
        if let Some(text) = node.text()
            && matches!(classify(text), Sigil::Reference(_))
        {
            return Err(blocked(&address.join("."), node));
        }
        let what = format!("{} stands there, not a list", node.describe());
        match &mut node.value {
            Value::List(items) => Ok(items),
            _ => Err((what, "use `override` to replace it".to_owned())),
        }
    }
}

fn blocked(above: &str, node: &Node) -> (String, String) {
    match (&node.value, node.text().map(classify)) {
        (_, Some(Sigil::Reference(target))) => (
            format!("`{above}` is a reference, and no address passes through one"),
            format!("address `{}` instead", target.join(".")),
        ),
        (Value::List(_), _) => (
            format!("`{above}` is a list, and an address never enters one"),
            format!("use `add_to` or `remove_from` on `{above}`"),
        ),
        _ => (
            format!("`{above}` holds {} and has no members", excerpt(node)),
            format!("override `{above}` as a whole"),
        ),
    }
}

fn walk_mut<'t>(root: &'t mut Node, address: &[String]) -> Option<&'t mut Node> {
    address.iter().try_fold(root, |node, segment| {
        node.map_mut()?.get_mut(segment).map(|member| &mut member.value)
    })
}

/// Puts a leaf at a path that `reach` found missing, with the parents it lacks.
fn graft(root: &mut Node, path: &[String], leaf: Node, span: Span) {
    let Some((last, parents)) = path.split_last() else { return };
    let mut node = root;
    for segment in parents {
        let Some(map) = node.map_mut() else { return };
        if !map.contains(segment) {
            map.insert(segment.clone(), Member { key: span, value: Node::empty_map(span) });
        }
        match map.get_mut(segment) {
            Some(member) => node = &mut member.value,
            None => return,
        }
    }
    if let Some(map) = node.map_mut() {
        map.insert(last.clone(), Member { key: span, value: leaf });
    }
}

/// A value on one line, for messages.
pub(crate) fn excerpt(node: &Node) -> String {
    match &node.value {
        Value::Scalar(..) => node.describe(),
        _ => {
            let text = canonical::render(node);
            let line: Vec<&str> = text.lines().map(str::trim).collect();
            format!("`{}`", shown(&line.join(" ")))
        }
    }
}

/// The file of a source by its number.
pub(crate) fn file_of(files: &[String], source: u32) -> String {
    files.get(source as usize).cloned().unwrap_or_default()
}

/// The canonical order of keys: those of the base in its order, then the others by bytes. A value
/// inside a list keeps its own order when it comes from the base, and is ordered by bytes when an
/// overlay brought it. Recursion is bounded by the loader and the address limit.
pub(crate) fn canonical_order(node: Node, base: Option<&Node>, base_source: u32) -> Node {
    let Node { value, span } = node;
    let value = match value {
        Value::Scalar(..) => value,
        Value::List(items) => {
            let ordered = |item: Node| {
                // The base is its own order: pairing an item with itself would be the identity.
                if item.span.source == base_source {
                    item
                } else {
                    canonical_order(item, None, base_source)
                }
            };
            Value::List(items.into_iter().map(ordered).collect())
        }
        Value::Map(map) => {
            let declared = base.and_then(Node::map);
            let mut entries = map.into_entries();
            entries.sort_by(|(a, _), (b, _)| {
                let place = |key: &str| declared.and_then(|map| map.position(key));
                match (place(a), place(b)) {
                    (Some(a), Some(b)) => a.cmp(&b),
                    (Some(_), None) => std::cmp::Ordering::Less,
                    (None, Some(_)) => std::cmp::Ordering::Greater,
                    (None, None) => a.as_bytes().cmp(b.as_bytes()),
                }
            });
            let ordered: Map = entries
                .into_iter()
                .map(|(key, Member { key: at, value })| {
                    let counterpart = declared.and_then(|map| map.get(&key)).map(|m| &m.value);
                    let value = canonical_order(value, counterpart, base_source);
                    (key, Member { key: at, value })
                })
                .collect();
            Value::Map(ordered)
        }
    };
    Node { value, span }
}
