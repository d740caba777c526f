//! An inline drawing, written anew (canvas-projections §4.4.2).
//!
//! Validation has seen the stored text and let it through. What reaches the page is still not that
//! text but what a parser made of it, so nothing that a second parser might read differently survives.

use roxmltree::{Document, Node};

use crate::text::{esc, esc_attr};

const NAMESPACE: &str = "http://www.w3.org/2000/svg";

/// The attributes that the root gets from us.
const OURS: [&str; 3] = ["class", "role", "aria-label"];

/// The drawing of figure `id`; none when the text is not XML.
pub(crate) fn rewritten(id: &str, source: &str) -> Option<String> {
    let source = source.replace("\r\n", "\n").replace('\r', "\n");
    let document = Document::parse(source.trim_start_matches('\u{FEFF}')).ok()?;
    let root = document.root_element();
    let mut out = format!(
        "<{} xmlns=\"{NAMESPACE}\" class=\"figure-drawing\" role=\"img\" \
         aria-label=\"inline SVG figure {}\"",
        root.tag_name().name(),
        esc_attr(id)
    );
    write(root, &OURS, &mut out);
    Some(out)
}

/// Writes the rest of an element whose start tag is open. Validation bounds the depth.
fn write(element: Node<'_, '_>, skipped: &[&str], out: &mut String) {
    for attribute in element.attributes() {
        if !skipped.contains(&attribute.name()) {
            out.push_str(&format!(" {}=\"{}\"", attribute.name(), esc_attr(attribute.value())));
        }
    }
    if !element.has_children() {
        out.push_str("/>");
        return;
    }
    out.push('>');
    let holds_words = matches!(element.tag_name().name(), "text" | "tspan" | "title" | "desc");
    for child in element.children() {
        if child.is_element() {
            out.push('<');
            out.push_str(child.tag_name().name());
            write(child, &[], out);
        } else if child.is_text() && holds_words {
            out.push_str(&esc(child.text().unwrap_or_default()));
        }
    }
    out.push_str(&format!("</{}>", element.tag_name().name()));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_drawing_is_written_anew_under_our_name() {
        let source = "<svg xmlns='http://www.w3.org/2000/svg' role='img' aria-label='theirs' viewBox='0 0 9 9'>\n \
                      <!-- gone --><title>A &amp; B</title>\n<rect width='3' height=\"4\"/><g></g></svg>";
        assert_eq!(
            rewritten("f2gx", source).unwrap(),
            "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"figure-drawing\" role=\"img\" \
             aria-label=\"inline SVG figure f2gx\" viewBox=\"0 0 9 9\"><title>A &amp; B</title>\
             <rect width=\"3\" height=\"4\"/><g/></svg>"
        );
        assert_eq!(rewritten("f2gx", "<svg"), None);
    }
}
