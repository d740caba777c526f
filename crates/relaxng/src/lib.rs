//! A RELAX NG grammar, and every offence of a document against it.
//!
//! The verdict is the `relax-ng` library's: a document is valid exactly when the library finds
//! nothing. The library also goes on after a fault, so one pass finds every element that is wrong.
//! This crate adds what it lacks: datatypes whose patterns are compiled once, a document in which
//! XML's rules for white space hold, and for each fault a sentence that says what was expected
//! there, taken from the grammar's own text.
//!
//! No grammar is built in and no element name is known here.
//!
//! ```
//! use relaxng::{Grammar, roxmltree::Document};
//!
//! let grammar = Grammar::parse(
//!     "<element name='note' xmlns='http://relaxng.org/ns/structure/1.0'>
//!        <attribute name='date'/>
//!        <text/>
//!      </element>",
//! )?;
//! let document = Document::parse("<note>Call back.</note>").unwrap();
//! let offences = grammar.offences(&document);
//! assert_eq!(offences.len(), 1);
//! assert_eq!(offences[0].message, "the attribute date is missing");
//! # Ok::<(), relaxng::GrammarError>(())
//! ```
//!
//! Limits. A grammar is one file without `include`, `externalRef` or nested grammars; its datatypes
//! are `string`, `token` and `positiveInteger`. Its size and depth are bounded, so that no grammar
//! overflows the stack; the time to read one is not. As in the library, an element is told from its
//! siblings by its name: a grammar that allows two elements of one name at one place, and tells them
//! apart by what they hold *and* by what follows them, is judged more kindly than it should be.
//! Where an element is refused, its own content is not looked at: it has to go, or to move, first.

mod datatypes;
mod element;
mod explain;
mod model;
mod place;

use std::collections::BTreeMap;
use std::fmt;

use relax_ng::{
    DatatypeRegistry, ResolveError, Schema, SchemaResolver, SchemaSource, SchemaSyntax,
    ValidationErrorKind, XSD_DATATYPE_LIBRARY,
};
use roxmltree::{Document, NodeId};

use crate::element::View;
use crate::explain::Explanation;
use crate::model::Model;

/// The XML parser whose documents this crate judges.
pub use roxmltree;

/// A compiled grammar, for any number of documents and threads.
pub struct Grammar {
    schema: Schema,
    registry: DatatypeRegistry,
    model: Model,
}

/// One element of a document that the grammar does not allow as it is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Offence {
    /// The offending element.
    pub node: NodeId,
    /// What is wrong with it and what was expected, in one line. Values of the document are not
    /// repeated.
    pub message: String,
}

/// Why a text is no grammar.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GrammarError {
    line: u32,
    cause: String,
}

impl GrammarError {
    pub(crate) fn new(line: u32, cause: impl Into<String>) -> GrammarError {
        GrammarError { line, cause: cause.into() }
    }
}

impl fmt::Display for GrammarError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "line {}: {}", self.line, self.cause)
    }
}

impl std::error::Error for GrammarError {}

/// A grammar is one file, so nothing is ever looked up.
struct NoOtherFile;

impl SchemaResolver for NoOtherFile {
    fn resolve(&self, _href: &str, _base: &str) -> Result<SchemaSource, ResolveError> {
        Err(ResolveError::new("a grammar must be one file"))
    }
}

impl Grammar {
    /// Compiles a grammar in RELAX NG's XML syntax.
    ///
    /// # Errors
    ///
    /// The line and the cause, when the text is not XML or not a grammar that this crate reads. A
    /// mistake that concerns the grammar as a whole has the line of its root element.
    pub fn parse(source: &str) -> Result<Grammar, GrammarError> {
        let model = Model::read(source)?;
        let text = SchemaSource::new(source, "", SchemaSyntax::Xml);
        let schema = Schema::compile(&text, &NoOtherFile)
            .map_err(|error| GrammarError::new(model.line, error.to_string()))?;
        let mut registry = DatatypeRegistry::builtin_only();
        registry.register("", model.datatypes.clone());
        registry.register(XSD_DATATYPE_LIBRARY, model.datatypes.clone());
        let grammar = Grammar { schema, registry, model };
        grammar.check_datatypes()?;
        Ok(grammar)
    }

    /// The library looks at a grammar's datatypes when it validates: let it do so once here.
    fn check_datatypes(&self) -> Result<(), GrammarError> {
        let document = Document::parse("<x/>")
            .map_err(|error| GrammarError::new(self.model.line, error.to_string()))?;
        match self.schema.validate(&self.registry, &View(document.root_element())) {
            Ok(_) => Ok(()),
            Err(error) => Err(GrammarError::new(self.model.line, error.to_string())),
        }
    }

    /// The elements of a document that are wrong, in document order and each of them once; none
    /// when the document is valid.
    ///
    /// One pass over a valid document. An invalid one costs a second walk over the places of its
    /// faults; the library keeps the path of each fault, so the cost is the size of the document
    /// plus faults times depth.
    pub fn offences(&self, document: &Document<'_>) -> Vec<Offence> {
        let root = document.root_element();
        let errors = match self.schema.validate(&self.registry, &View(root)) {
            Ok(errors) => errors,
            // Cannot be, since `parse` asked the same question; no verdict is no pass.
            Err(error) => {
                let message = format!("the grammar cannot be applied: {error}");
                return vec![Offence { node: root.id(), message }];
            }
        };
        // Nodes are numbered in document order.
        let mut by_element: BTreeMap<usize, (NodeId, Vec<&ValidationErrorKind>)> = BTreeMap::new();
        for error in &errors {
            let node = error.location().copied().unwrap_or(root.id());
            let faults = &mut by_element.entry(node.get_usize()).or_insert((node, Vec::new())).1;
            faults.push(error.kind());
        }
        let mut explanation = Explanation::new(&self.model, document);
        by_element
            .into_values()
            .map(|(node, faults)| Offence { node, message: explanation.message(node, &faults) })
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const CANVAS: &str = include_str!("../../../schema/canvas.rng");

    #[test]
    fn a_grammar_is_shared_between_threads() {
        fn shared<T: Send + Sync>() {}
        shared::<Grammar>();
    }

    #[test]
    fn the_smallest_documents() {
        let grammar = Grammar::parse(CANVAS).unwrap();
        let count = |xml| grammar.offences(&Document::parse(xml).unwrap()).len();
        assert_eq!(count(r#"<canvas ledger="x" schema="1"/>"#), 0);
        assert_eq!(count(r#"<canvas ledger="x" schema="2"/>"#), 0);
        assert_eq!(count(r#"<canvas ledger="x" schema="3"/>"#), 1);
        assert_eq!(count("<other/>"), 1);
    }
}
