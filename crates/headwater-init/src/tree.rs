//! YAML that is put together from values, so that no text of a corpus is ever pasted into a source.

use headwater_check::headwater_taxonomy::canonical;
use headwater_check::headwater_taxonomy::yaml::{Member, Node, Span, Value};

/// A value to be written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Tree {
    Text(String),
    List(Vec<Tree>),
    Map(Vec<(String, Tree)>),
}

/// A text.
pub(crate) fn text(text: impl Into<String>) -> Tree {
    Tree::Text(text.into())
}

/// A list of texts.
pub(crate) fn texts<T: Into<String>>(items: impl IntoIterator<Item = T>) -> Tree {
    Tree::List(items.into_iter().map(text).collect())
}

/// A mapping.
pub(crate) fn map<K: Into<String>>(entries: impl IntoIterator<Item = (K, Tree)>) -> Tree {
    Tree::Map(entries.into_iter().map(|(key, value)| (key.into(), value)).collect())
}

impl Tree {
    /// The node that the taxonomy crate reads. Nesting is as deep as the callers write it.
    pub(crate) fn node(&self) -> Node {
        let span = Span::default();
        match self {
            Self::Text(text) => Node::scalar(text.clone(), span),
            Self::List(items) => {
                Node { value: Value::List(items.iter().map(Self::node).collect()), span }
            }
            Self::Map(entries) => {
                let mut node = Node::empty_map(span);
                if let Some(map) = node.map_mut() {
                    for (key, value) in entries {
                        map.insert(key.clone(), Member { key: span, value: value.node() });
                    }
                }
                node
            }
        }
    }

    /// The text of a file that holds the value.
    pub(crate) fn render(&self) -> String {
        canonical::render(&self.node())
    }
}
