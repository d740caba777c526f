//! Which kind of figure a figure is, and what both forms call it.

use canvas_document::Element;

use crate::text::fold;

/// How the text of a figure is to be read.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum Kind {
    /// Canvas Diagram 1, drawn here; every figure that says nothing else, in either schema.
    Diagram,
    /// Mermaid source, drawn by the reader's browser.
    Mermaid,
    /// A drawing in SVG that validation has let through.
    Svg,
}

impl Kind {
    /// The kind of a figure of a valid document.
    pub(crate) fn of(figure: &Element) -> Kind {
        match figure.attribute("payload").map(fold).as_deref() {
            Some("mermaid") => Kind::Mermaid,
            Some("svg") => Kind::Svg,
            _ => Kind::Diagram,
        }
    }

    /// What the caption on the page says.
    pub(crate) fn caption(self) -> &'static str {
        match self {
            Kind::Diagram => "drawn from Canvas Diagram 1 source",
            Kind::Mermaid => "Mermaid source, progressively enhanced",
            Kind::Svg => "inline SVG escape hatch",
        }
    }

    /// What the comment calls the fenced source.
    pub(crate) fn label(self) -> &'static str {
        match self {
            Kind::Diagram => "Canvas Diagram 1 source",
            Kind::Mermaid => "Mermaid source",
            Kind::Svg => "inline SVG source",
        }
    }
}
