//! The YAML block at the head of a document: where it begins and ends, and what it says.

use std::sync::Arc;

use crate::span::Span;
use crate::yaml::{self, Fault, FaultKind, Mapping, Value};

/// A front-matter block.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FrontMatter {
    /// The whole block, both fences and the line break after the second included.
    pub span: Span,
    /// What stands between the fences, without them.
    pub content: Span,
    /// The keys and values; none for an empty block.
    pub values: Mapping,
}

/// How a source begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Head {
    /// With a block: its content, and where the body begins.
    Block { start: usize, content: Span, body: usize },
    /// With a fence that no later line closes: the fence.
    Unclosed(Span),
    /// With a first line that was surely meant as a fence, and is none.
    NearMiss { start: usize },
    /// With anything else.
    None { start: usize },
}

/// Finds the front matter of a source. A fence is `---` at the start of a line, with nothing behind
/// it; the first one must be the first line, after an optional byte order mark.
pub(crate) fn head(source: &str) -> Head {
    let start = if source.starts_with('\u{feff}') { '\u{feff}'.len_utf8() } else { 0 };
    let text = &source[start..];
    let bytes = text.as_bytes();
    let content = match bytes {
        [b'-', b'-', b'-', b'\n', ..] => 4,
        [b'-', b'-', b'-', b'\r', b'\n', ..] => 5,
        _ => {
            let first = text.lines().next().unwrap_or_default();
            let meant = first.trim_matches([' ', '\t']) == "---" && text.len() > first.len();
            return if meant { Head::NearMiss { start } } else { Head::None { start } };
        }
    };
    let mut line = content;
    while line < bytes.len() {
        let rest = &bytes[line..];
        if rest.starts_with(b"---") {
            let end = match &rest[3..] {
                [] => Some(3),
                [b'\r', b'\n', ..] => Some(5),
                [b'\n' | b'\r', ..] => Some(4),
                _ => None,
            };
            if let Some(end) = end {
                let content = Span::new(content, line).shifted(start);
                return Head::Block { start, content, body: start + line + end };
            }
        }
        line += memchr::memchr(b'\n', rest).map_or(rest.len(), |at| at + 1);
    }
    Head::Unclosed(Span::new(start, start + 3))
}

/// Reads what stands between the fences.
pub(crate) fn read(
    source: &Arc<String>,
    block: Span,
    content: Span,
) -> Result<FrontMatter, Vec<Fault>> {
    let values = match yaml::load_part(source, content)? {
        None => Mapping::default(),
        Some(node) => match node.value {
            Value::Mapping(mapping) => *mapping,
            _ => return Err(vec![Fault { span: node.span, kind: FaultKind::NotMapping }]),
        },
    };
    Ok(FrontMatter { span: block, content, values })
}
