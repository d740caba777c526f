//! The verdict on a canvas: the one entry point that judges a document (`canvas-store.md` §1.6).
//!
//! Well-formedness first, then the grammar, then the drawings. The grammar is `schema/canvas.rng`, read
//! into the program when it is built and compiled once per process; the file alone gives the same verdict under any
//! other RELAX NG validator. No element name stands here: a drawing is told by its `payload`.

use std::collections::HashMap;
use std::fmt;
use std::sync::LazyLock;

use relaxng::Grammar;
use roxmltree::{Node, NodeId};

use crate::lexis::{collapsed, escaped, shown};
use crate::limits::{CANVAS, DIAGNOSTICS};
use crate::svg::svg_refusals;
use crate::tree::Document;
use crate::xml::{self, Fault, Parsed};

/// The text of the grammar, `schema/canvas.rng`.
pub const GRAMMAR: &str = include_str!("../../../schema/canvas.rng");

static COMPILED: LazyLock<Grammar> = LazyLock::new(compile);

// The text is a constant of the build and a test compiles it, so this cannot fail where tests passed.
#[allow(clippy::expect_used)]
fn compile() -> Grammar {
    Grammar::parse(GRAMMAR).expect("schema/canvas.rng is a grammar")
}

/// What a document is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Verdict {
    /// A canvas.
    Valid,
    /// Not XML that a canvas can be; one diagnostic.
    NotWellFormed(Diagnostic),
    /// XML, but no canvas, or one with a drawing that must not be shown; at least one diagnostic.
    Invalid(Vec<Diagnostic>),
}

impl Verdict {
    /// What is wrong, in document order; nothing for a valid document.
    #[must_use]
    pub fn diagnostics(&self) -> &[Diagnostic] {
        match self {
            Verdict::Valid => &[],
            Verdict::NotWellFormed(diagnostic) => std::slice::from_ref(diagnostic),
            Verdict::Invalid(diagnostics) => diagnostics,
        }
    }
}

/// One thing wrong with a document. Displayed, it is the line of `canvas-store.md` §6.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Diagnostic {
    /// The document's path, as the caller gave it.
    pub label: String,
    /// The 1-based line of the fault, or of the start tag of the offending element.
    pub line: Option<u32>,
    /// The offending element, described.
    pub element: Option<String>,
    /// What is wrong; for a drawing its code. One line, values escaped.
    pub message: String,
    /// For a drawing: what to change.
    pub advice: Option<String>,
}

impl Diagnostic {
    /// The diagnostic of bytes that are not well-formed, or of a tree that cannot be written.
    #[must_use]
    pub fn not_well_formed(label: &str, fault: &Fault) -> Diagnostic {
        Diagnostic {
            label: label.to_owned(),
            line: Some(fault.line.unwrap_or(1)),
            element: None,
            message: format!("not well-formed XML: {}", fault.message),
            advice: None,
        }
    }
}

impl fmt::Display for Diagnostic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&escaped(&self.label))?;
        if let Some(line) = self.line {
            write!(f, ":{line}")?;
        }
        if let Some(element) = &self.element {
            write!(f, ": {element}")?;
        }
        write!(f, ": {}", self.message)
    }
}

/// Judge the bytes of a document. `label` is its path as the caller knows it.
#[must_use]
pub fn validate(label: &str, bytes: &[u8]) -> Verdict {
    match read(bytes, |parsed| judge(label, parsed)) {
        Ok(verdict) => verdict,
        Err(fault) => Verdict::NotWellFormed(Diagnostic::not_well_formed(label, &fault)),
    }
}

/// [`validate`] and [`Document::parse`] over one reading of the bytes. A valid document always has a
/// tree; an invalid one has none if it holds what the tree cannot hold.
pub fn examine(label: &str, bytes: &[u8]) -> (Verdict, Result<Document, Fault>) {
    match read(bytes, |parsed| (judge(label, parsed), Document::from_xml(parsed))) {
        Ok(both) => both,
        Err(fault) => {
            (Verdict::NotWellFormed(Diagnostic::not_well_formed(label, &fault)), Err(fault))
        }
    }
}

fn read<T>(bytes: &[u8], then: impl FnOnce(&Parsed<'_>) -> T) -> Result<T, Fault> {
    let text = xml::decode(bytes)?;
    Ok(then(&xml::parse(&text, &CANVAS)?))
}

fn judge(label: &str, parsed: &Parsed<'_>) -> Verdict {
    let document = &parsed.document;
    let offences = COMPILED.offences(document);
    let mut diagnostics = Vec::new();
    if offences.is_empty() {
        for node in document.descendants().filter(|node| is_drawing(*node)) {
            let element = description(node, None);
            diagnostics.extend(svg_refusals(&text_of(node)).into_iter().map(|refusal| {
                Diagnostic {
                    label: label.to_owned(),
                    line: None,
                    element: Some(element.clone()),
                    message: refusal.code,
                    advice: Some(refusal.advice),
                }
            }));
            if diagnostics.len() > DIAGNOSTICS {
                break;
            }
        }
    } else {
        let lines = Lines::of(document.input_text());
        let ordinals = Ordinals::of(document);
        for offence in offences.iter().take(DIAGNOSTICS + 1) {
            let node = document.get_node(offence.node);
            diagnostics.push(Diagnostic {
                label: label.to_owned(),
                line: node.map(|node| lines.line(node.range().start)),
                element: node.map(|node| description(node, Some(&ordinals))),
                message: escaped(&offence.message),
                advice: None,
            });
        }
    }
    if diagnostics.is_empty() {
        return Verdict::Valid;
    }
    if diagnostics.len() > DIAGNOSTICS {
        diagnostics.truncate(DIAGNOSTICS);
        diagnostics.push(Diagnostic {
            label: label.to_owned(),
            line: None,
            element: None,
            message: format!("more is wrong; only the first {DIAGNOSTICS} faults are listed"),
            advice: None,
        });
    }
    Verdict::Invalid(diagnostics)
}

/// Whether the document says that this node's text is an SVG drawing.
fn is_drawing(node: Node<'_, '_>) -> bool {
    node.attribute("payload").is_some_and(|payload| collapsed(payload) == "svg")
}

fn text_of(node: Node<'_, '_>) -> String {
    node.children().filter(Node::is_text).filter_map(|text| text.text()).collect()
}

/// An element as §6 describes it. The way to it is needed only where it has no id.
fn description(node: Node<'_, '_>, ordinals: Option<&Ordinals>) -> String {
    let tag = shown(node.tag_name().name());
    if node.parent().is_none_or(|parent| parent.is_root()) {
        return match node.attribute("ledger") {
            Some(ledger) => format!("<{tag}> (the root, ledger=\"{}\")", shown(ledger)),
            None => format!("<{tag}> (the root)"),
        };
    }
    let version = match node.attribute("v") {
        Some(v) => format!("v=\"{}\"", shown(v)),
        None => "no v attribute".to_owned(),
    };
    match (node.attribute("id"), ordinals) {
        (Some(id), _) => format!("<{tag}> (id=\"{}\", {version})", shown(id)),
        (None, None) => format!("<{tag}> (no id attribute, {version})"),
        (None, Some(ordinals)) => {
            format!("<{tag}> (no id attribute, {version}, at {})", ordinals.path(node))
        }
    }
}

/// Where the lines of a text end, so that many places cost one walk.
struct Lines(Vec<usize>);

impl Lines {
    fn of(text: &str) -> Lines {
        Lines(text.match_indices('\n').map(|(at, _)| at).collect())
    }

    fn line(&self, offset: usize) -> u32 {
        let before = self.0.partition_point(|&end| end < offset);
        u32::try_from(before).unwrap_or(u32::MAX).saturating_add(1)
    }
}

/// The place of every element among its siblings of the same name, from 1, in one walk.
struct Ordinals(HashMap<NodeId, usize>);

impl Ordinals {
    fn of(document: &roxmltree::Document<'_>) -> Ordinals {
        let mut ordinals = HashMap::new();
        for parent in document.descendants() {
            let mut counts: HashMap<_, usize> = HashMap::new();
            for child in parent.children().filter(Node::is_element) {
                let tag = child.tag_name();
                let count = counts.entry((tag.namespace(), tag.name())).or_default();
                *count += 1;
                ordinals.insert(child.id(), *count);
            }
        }
        Ordinals(ordinals)
    }

    /// `/canvas[1]/section[2]/text[1]`.
    fn path(&self, node: Node<'_, '_>) -> String {
        let mut steps: Vec<_> = node
            .ancestors()
            .filter(Node::is_element)
            .map(|step| {
                let ordinal = self.0.get(&step.id()).copied().unwrap_or(1);
                format!("/{}[{ordinal}]", shown(step.tag_name().name()))
            })
            .collect();
        steps.reverse();
        steps.concat()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_grammar_compiles() {
        assert!(Grammar::parse(GRAMMAR).is_ok());
    }
}
