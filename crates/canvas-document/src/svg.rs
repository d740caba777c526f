//! The rules of an inline drawing (`canvas-store.md` §1.7): a small, inert part of SVG, by allow list.
//!
//! The checks on the whole drawing run in a fixed order and the first that fails is the only result.
//! Then every node is looked at in document order and everything refused in it is listed. What is not
//! on a list is refused, so a future feature of SVG is refused too.

use roxmltree::{Document, Node};

use crate::lexis::shown;
use crate::limits::{DRAWING, SVG_BYTES, SVG_DEPTH, SVG_ELEMENTS};
use crate::xml;

const NAMESPACE: &str = "http://www.w3.org/2000/svg";

/// Attributes of every element but those that only hold words about the drawing.
const COMMON: [&str; 9] = [
    "fill",
    "stroke",
    "stroke-width",
    "stroke-linecap",
    "stroke-linejoin",
    "opacity",
    "transform",
    "role",
    "aria-label",
];

/// One element that a drawing may hold.
struct Shape {
    name: &'static str,
    /// Whether [`COMMON`] applies.
    common: bool,
    /// Attributes besides the common ones.
    own: &'static [&'static str],
    /// Whether character data may stand directly in it.
    words: bool,
}

const fn shape(name: &'static str, own: &'static [&'static str]) -> Shape {
    Shape { name, common: true, own, words: false }
}

const LETTERING: &[&str] =
    &["x", "y", "dx", "dy", "text-anchor", "font-family", "font-size", "font-weight"];

const SHAPES: [Shape; 13] = [
    shape("svg", &["viewBox", "width", "height"]),
    shape("g", &[]),
    shape("path", &["d"]),
    shape("rect", &["x", "y", "width", "height", "rx", "ry"]),
    shape("circle", &["cx", "cy", "r"]),
    shape("ellipse", &["cx", "cy", "rx", "ry"]),
    shape("line", &["x1", "y1", "x2", "y2"]),
    shape("polyline", &["points"]),
    shape("polygon", &["points"]),
    Shape { name: "text", common: true, own: LETTERING, words: true },
    Shape { name: "tspan", common: true, own: LETTERING, words: true },
    Shape { name: "title", common: false, own: &[], words: true },
    Shape { name: "desc", common: false, own: &[], words: true },
];

/// One thing that a drawing must not hold.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SvgRefusal {
    /// The code of `canvas-store.md` §1.7, such as `SVG_VALUE_RECT_FILL`.
    pub code: String,
    /// What to change, in one sentence.
    pub advice: String,
}

/// Everything in `text` that an inline drawing must not hold; empty when it may be shown.
#[must_use]
pub fn svg_refusals(text: &str) -> Vec<SvgRefusal> {
    let alone = |code: &str, advice: &str| {
        vec![SvgRefusal { code: code.to_owned(), advice: advice.to_owned() }]
    };
    if text.len() > SVG_BYTES {
        let advice = format!("the drawing has {} bytes; make it {SVG_BYTES} at most", text.len());
        return alone("SVG_TOO_LARGE", &advice);
    }
    let lower = text.to_ascii_lowercase();
    if ["<!doctype", "<!entity", "<?"].iter().any(|opening| lower.contains(opening)) {
        return alone(
            "SVG_DECLARATION",
            "remove the XML declaration, the document type and every processing instruction; \
             begin with <svg",
        );
    }
    if declares_prefix(&lower) {
        return alone(
            "SVG_NAMESPACE",
            "remove every xmlns:… declaration, and the prefixed elements and attributes that need it; \
             keep xmlns=\"http://www.w3.org/2000/svg\"",
        );
    }
    let text = xml::normal(text);
    let parsed = match xml::parse(&text, &DRAWING) {
        Ok(parsed) => parsed,
        Err(fault) => {
            return alone(
                "SVG_NOT_WELL_FORMED",
                &format!("repair the markup of the drawing; {fault}"),
            );
        }
    };
    drawing_refusals(&parsed.document)
}

/// `xmlns`, not the end of a longer word, then a colon, white space between them or not.
fn declares_prefix(lower: &str) -> bool {
    lower.match_indices("xmlns").any(|(at, word)| {
        let joined =
            lower[..at].chars().next_back().is_some_and(|c| c.is_alphanumeric() || c == '_');
        !joined && lower[at + word.len()..].trim_start().starts_with(':')
    })
}

fn drawing_refusals(document: &Document<'_>) -> Vec<SvgRefusal> {
    let alone = |code: &str, advice: String| vec![SvgRefusal { code: code.to_owned(), advice }];
    let elements = || document.descendants().filter(Node::is_element);
    if elements().take(SVG_ELEMENTS + 1).count() > SVG_ELEMENTS {
        return alone(
            "SVG_TOO_MANY_ELEMENTS",
            format!("draw with at most {SVG_ELEMENTS} elements; merge paths or split the figure"),
        );
    }
    // The count above bounds this: 256 elements have at most as many ancestors each.
    if elements().any(|node| node.ancestors().filter(Node::is_element).count() > SVG_DEPTH) {
        return alone(
            "SVG_TOO_DEEP",
            format!("nest at most {SVG_DEPTH} levels; remove groups that hold one group only"),
        );
    }
    let root = document.root_element();
    if root.tag_name().name() != "svg" || root.tag_name().namespace() != Some(NAMESPACE) {
        return alone("SVG_ROOT", format!("make the root element <svg xmlns=\"{NAMESPACE}\">"));
    }
    let mut found = Vec::new();
    for node in elements() {
        element_refusals(node, &mut found);
    }
    found
}

fn element_refusals(node: Node<'_, '_>, found: &mut Vec<SvgRefusal>) {
    let tag = node.tag_name();
    let upper = tag.name().to_uppercase();
    let shape =
        SHAPES.iter().find(|shape| shape.name == tag.name() && tag.namespace() == Some(NAMESPACE));
    let Some(shape) = shape else {
        let names: Vec<_> = SHAPES.iter().map(|shape| shape.name).collect();
        found.push(SvgRefusal {
            code: format!("SVG_ELEMENT_{upper}"),
            advice: format!("remove the element; a drawing is made of {}", names.join(", ")),
        });
        return;
    };
    if !shape.words && holds_words(node.first_child()) {
        found.push(SvgRefusal {
            code: format!("SVG_MIXED_CONTENT_{upper}"),
            advice: "move the words into a <text> or <title> element, or remove them".to_owned(),
        });
    }
    if holds_words(node.next_sibling()) {
        found.push(SvgRefusal {
            code: format!("SVG_TAIL_CONTENT_{upper}"),
            advice:
                "move the words behind the element into an element of their own, such as a <tspan>"
                    .to_owned(),
        });
    }
    for attribute in node.attributes() {
        let name = attribute.name();
        let listed = shape.own.contains(&name) || (shape.common && COMMON.contains(&name));
        if attribute.namespace().is_some() || !listed {
            found.push(SvgRefusal {
                code: format!("SVG_ATTRIBUTE_{upper}_{}", name.to_uppercase()),
                advice: attribute_advice(shape, name),
            });
        } else if let Err(wanted) = judge(name, attribute.value()) {
            found.push(SvgRefusal {
                code: format!("SVG_VALUE_{upper}_{}", name.to_uppercase()),
                advice: format!("write {name} as {wanted}"),
            });
        }
    }
}

/// Whether words stand from `node` on, before the next element.
fn holds_words(node: Option<Node<'_, '_>>) -> bool {
    std::iter::successors(node, Node::next_sibling)
        .take_while(|node| !node.is_element())
        .filter(Node::is_text)
        .any(|node| node.text().is_some_and(|text| !text.trim().is_empty()))
}

fn attribute_advice(shape: &Shape, name: &str) -> String {
    let name = shown(name);
    let common = if shape.common { &COMMON[..] } else { &[] };
    let names: Vec<_> = shape.own.iter().chain(common).copied().collect();
    if names.is_empty() {
        format!("remove the attribute {name}; <{}> takes none", shape.name)
    } else {
        format!("remove the attribute {name}; <{}> takes {}", shape.name, names.join(", "))
    }
}

/// Whether `value` may stand in the attribute `name`; if not, what may.
fn judge(name: &str, value: &str) -> Result<(), &'static str> {
    let lower = value.to_ascii_lowercase();
    if ["url(", "javascript:", "data:"].iter().any(|word| lower.contains(word)) {
        return Err("a plain value, without url(…), javascript: or data:");
    }
    let one_of = |list: &[&str]| list.contains(&value);
    let (fine, wanted) = match name {
        "fill" | "stroke" => (is_paint(value), "none, currentColor, #rgb or #rrggbb"),
        "transform" => (
            is_transform(value),
            "translate(…), scale(…), rotate(…), matrix(…), skewX(…) or skewY(…) with plain decimal numbers",
        ),
        "viewBox" | "points" => {
            (is_list(value, |_| false), "plain decimal numbers between spaces or commas")
        }
        "d" => (
            is_list(value, |b| b"MmLlHhVvCcSsQqTtAaZz".contains(&b)),
            "path commands and plain decimal numbers, without exponents",
        ),
        "font-family" => (one_of(&["sans-serif", "monospace"]), "sans-serif or monospace"),
        "stroke-linecap" => (one_of(&["butt", "round", "square"]), "butt, round or square"),
        "stroke-linejoin" => (one_of(&["miter", "round", "bevel"]), "miter, round or bevel"),
        "text-anchor" => (one_of(&["start", "middle", "end"]), "start, middle or end"),
        "role" => (value == "img", "img"),
        "aria-label" => (!value.contains(['<', '>']), "words without < and >"),
        _ => (is_number(value), "a plain decimal number, without unit, percent sign or exponent"),
    };
    if fine { Ok(()) } else { Err(wanted) }
}

fn is_paint(value: &str) -> bool {
    matches!(value, "none" | "currentColor")
        || value.strip_prefix('#').is_some_and(|hex| {
            matches!(hex.len(), 3 | 6) && hex.bytes().all(|b| b.is_ascii_hexdigit())
        })
}

/// `-?digits[.digits]` or `-?.digits`.
fn is_number(value: &str) -> bool {
    let digits = |part: &str| !part.is_empty() && part.bytes().all(|b| b.is_ascii_digit());
    let value = value.strip_prefix('-').unwrap_or(value);
    match value.split_once('.') {
        None => digits(value),
        Some((whole, fraction)) => (whole.is_empty() || digits(whole)) && digits(fraction),
    }
}

fn is_space(c: char) -> bool {
    matches!(c, ' ' | '\t' | '\n' | '\r')
}

/// Something, made of digits, signs, dots, commas, white space and `further` bytes only.
fn is_list(value: &str, further: impl Fn(u8) -> bool) -> bool {
    !value.trim_matches(is_space).is_empty()
        && value.bytes().all(|b| {
            b.is_ascii_digit()
                || matches!(b, b'+' | b'-' | b'.' | b',')
                || is_space(char::from(b))
                || further(b)
        })
}

/// One or more functions, each with its arguments in parentheses, white space between them or not.
fn is_transform(value: &str) -> bool {
    let functions = ["translate", "scale", "rotate", "matrix", "skewX", "skewY"];
    let mut rest = value.trim_matches(is_space);
    if rest.is_empty() {
        return false;
    }
    while !rest.is_empty() {
        let after = functions
            .iter()
            .find_map(|name| rest.strip_prefix(name)?.strip_prefix('(')?.split_once(')'));
        match after {
            Some((arguments, tail)) if is_list(arguments, |_| false) => {
                rest = tail.trim_start_matches(is_space);
            }
            _ => return false,
        }
    }
    true
}
