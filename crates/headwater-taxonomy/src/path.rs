//! Places inside a tree (`kinds.decision.facets.require[1]`) and repository paths (`docs/a.md`).
//! Both are spelled once here, so that every message names a place the same way.

use std::fmt;

use crate::yaml::{Node, Span, shown};

/// One step into a tree.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Step {
    /// A key of a mapping.
    Key(String),
    /// An item of a list, from 0.
    Item(usize),
}

impl From<&str> for Step {
    fn from(key: &str) -> Self {
        Self::Key(key.to_owned())
    }
}

impl From<&String> for Step {
    fn from(key: &String) -> Self {
        Self::Key(key.clone())
    }
}

impl From<usize> for Step {
    fn from(item: usize) -> Self {
        Self::Item(item)
    }
}

/// A place in a tree, from its root.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct TreePath(pub Vec<Step>);

impl TreePath {
    /// The place one step further in.
    pub fn then(&self, step: impl Into<Step>) -> Self {
        let mut steps = self.0.clone();
        steps.push(step.into());
        Self(steps)
    }

    /// The value at this place.
    pub fn find<'t>(&self, root: &'t Node) -> Option<&'t Node> {
        self.0.iter().try_fold(root, |node, step| match step {
            Step::Key(key) => node.get(key),
            Step::Item(item) => node.items()?.get(*item),
        })
    }

    /// Where this place, or the nearest place above it that exists, stands in its file. A member of
    /// a mapping stands at its key.
    pub fn nearest_span(&self, root: &Node) -> Span {
        let mut span = root.span;
        let mut node = root;
        for step in &self.0 {
            let next = match step {
                Step::Key(key) => {
                    node.map().and_then(|map| map.get(key)).map(|m| (m.key, &m.value))
                }
                Step::Item(item) => {
                    node.items().and_then(|items| items.get(*item)).map(|n| (n.span, n))
                }
            };
            let Some((at, inner)) = next else { break };
            (span, node) = (at, inner);
        }
        span
    }
}

impl fmt::Display for TreePath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (at, step) in self.0.iter().enumerate() {
            match step {
                Step::Item(item) => write!(f, "[{item}]")?,
                Step::Key(key) => {
                    if at > 0 {
                        f.write_str(".")?;
                    }
                    if is_name(key) {
                        f.write_str(key)?;
                    } else {
                        write!(f, "\"{}\"", shown(key))?;
                    }
                }
            }
        }
        Ok(())
    }
}

/// Builds a [`TreePath`] from keys and item numbers.
macro_rules! at {
    ($($step:expr),* $(,)?) => { $crate::path::TreePath(vec![$($crate::path::Step::from($step)),*]) };
}
pub(crate) use at;

/// Whether a text is a name the model owns: `[A-Za-z0-9_-]+`, one segment of a dotted address.
pub fn is_name(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_' || b == b'-')
}

/// Why a path cannot be used inside a repository.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BadPath {
    /// Nothing is left of it.
    Empty,
    /// It begins with `/`.
    Absolute,
    /// A `..` leads above the root.
    Climbs,
}

impl fmt::Display for BadPath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Empty => "it names nothing",
            Self::Absolute => "it is absolute",
            Self::Climbs => "it climbs above the repository",
        })
    }
}

/// The normal form of a path relative to the repository root: trimmed, `/` separators, without
/// empty, `.` and `..` segments. No case folding and no Unicode normalization.
///
/// # Errors
/// A path that is empty, absolute, or climbs above the root.
pub fn normalize(path: &str) -> Result<String, BadPath> {
    let path = path.trim().replace('\\', "/");
    if path.starts_with('/') {
        return Err(BadPath::Absolute);
    }
    let mut kept: Vec<&str> = Vec::new();
    for segment in path.split('/') {
        match segment {
            "" | "." => {}
            ".." => {
                kept.pop().ok_or(BadPath::Climbs)?;
            }
            segment => kept.push(segment),
        }
    }
    if kept.is_empty() { Err(BadPath::Empty) } else { Ok(kept.join("/")) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_normalize_or_say_why_not() {
        assert_eq!(normalize(" ./a//b/../c\\d "), Ok("a/c/d".to_owned()));
        assert_eq!(normalize("a/../../b"), Err(BadPath::Climbs));
        assert_eq!(normalize("/a"), Err(BadPath::Absolute));
        for empty in ["", ".", "a/..", " "] {
            assert_eq!(normalize(empty), Err(BadPath::Empty));
        }
    }

    #[test]
    fn places_are_spelled_so_that_odd_keys_stay_one_step() {
        let place = at!["regimes", "Last Call", 2_usize, "x"];
        assert_eq!(place.to_string(), "regimes.\"Last Call\"[2].x");
    }
}
