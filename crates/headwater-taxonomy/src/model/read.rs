//! Reading typed declarations out of a tree, leniently: what is absent or of another type reads as
//! absent. A lock is validated before it is written, and one that another hand wrote is still read;
//! style plays no part, because the lock does not keep it.

use crate::ordered::Ordered;
use crate::yaml::{Node, parse_bool, parse_int};

pub(super) fn text(node: &Node, key: &str) -> Option<String> {
    node.get(key)?.text().map(str::to_owned)
}

pub(super) fn flag(node: &Node, key: &str) -> bool {
    node.get(key).and_then(Node::text).and_then(parse_bool).unwrap_or(false)
}

pub(super) fn whole(node: &Node, key: &str) -> Option<u64> {
    let number = node.get(key).and_then(Node::text).and_then(parse_int)?;
    u64::try_from(number).ok()
}

/// The scalars of a list; a lone scalar is a list of one.
pub(super) fn texts(node: &Node, key: &str) -> Vec<String> {
    node.get(key).map(scalars).unwrap_or_default()
}

pub(super) fn scalars(node: &Node) -> Vec<String> {
    match (node.items(), node.text()) {
        (Some(items), _) => items.iter().filter_map(Node::text).map(str::to_owned).collect(),
        (None, Some(text)) => vec![text.to_owned()],
        (None, None) => Vec::new(),
    }
}

/// The members of a mapping, each read by `read` from its name and value.
pub(super) fn named<T>(node: &Node, key: &str, read: impl Fn(&str, &Node) -> T) -> Ordered<T> {
    node.get(key)
        .and_then(Node::map)
        .into_iter()
        .flat_map(|map| map.iter())
        .map(|(name, member)| (name.to_owned(), read(name, &member.value)))
        .collect()
}

/// The items of a list, each read by `read`.
pub(super) fn listed<T>(node: &Node, key: &str, read: impl Fn(&Node) -> T) -> Vec<T> {
    node.get(key).and_then(Node::items).unwrap_or(&[]).iter().map(read).collect()
}
