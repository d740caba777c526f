//! How large a document may be. The one table of limits of this crate; a refusal names the limit
//! it met. They keep every later step linear: the XML library compares the attributes of one
//! element, and the namespaces in scope, pair by pair.

/// Bytes of one canvas file: 16 MiB.
pub const BYTES: usize = 16 * 1024 * 1024;
/// Levels of nesting; the root is level 1.
pub const DEPTH: usize = 64;
/// Elements, comments, processing instructions and CDATA sections of one document, taken together.
pub const NODES: usize = 200_000;
/// Attributes and namespace declarations on one element.
pub const ATTRIBUTES_PER_ELEMENT: usize = 64;
/// Namespace declarations of one document. A canvas uses none.
pub const DECLARATIONS: usize = 100;
/// Diagnostics that one verdict lists.
pub const DIAGNOSTICS: usize = 10_000;
/// UTF-8 bytes of one inline drawing.
pub const SVG_BYTES: usize = 102_400;
/// Elements of one inline drawing.
pub const SVG_ELEMENTS: usize = 256;
/// Levels of nesting of one inline drawing; its root is level 1.
pub const SVG_DEPTH: usize = 16;

/// Attributes and namespace declarations on one element of an inline drawing. Roomier than that of a
/// canvas, so that the raw output of a drawing program gets the refusals that help.
pub const SVG_ATTRIBUTES_PER_ELEMENT: usize = 256;

/// The limits one reading of XML is held to.
#[derive(Clone, Copy)]
pub(crate) struct Limits {
    pub(crate) depth: usize,
    pub(crate) nodes: usize,
    pub(crate) attributes: usize,
    pub(crate) declarations: usize,
}

/// The limits of a canvas.
pub(crate) const CANVAS: Limits = Limits {
    depth: DEPTH,
    nodes: NODES,
    attributes: ATTRIBUTES_PER_ELEMENT,
    declarations: DECLARATIONS,
};

/// The limits under which a drawing is *read*: its own, smaller ones have codes of their own and are
/// counted afterwards, and its size already bounds the rest.
pub(crate) const DRAWING: Limits = Limits {
    depth: usize::MAX,
    nodes: usize::MAX,
    attributes: SVG_ATTRIBUTES_PER_ELEMENT,
    declarations: usize::MAX,
};
