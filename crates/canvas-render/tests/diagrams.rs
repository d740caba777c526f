//! Canvas Diagram 1 by its properties: whatever the text, one drawing that shows all of itself.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a test fails by panicking"
)]

use std::collections::{BTreeMap, BTreeSet};

use canvas_document::{Document, Element};
use canvas_render::{Projection, page};
use proptest::prelude::*;
use roxmltree::Node;

/// The drawing on the page of a canvas with this one figure.
fn drawn(source: &str) -> String {
    let mut figure = Element::new("figure");
    figure.set_attribute("id", "fcda");
    figure.text = source.to_owned();
    let mut root = Element::new("canvas");
    root.children.push(figure);
    let projection = Projection {
        canvas: "t1".to_owned(),
        head: "0".repeat(40),
        document: Document { root },
        crossings: BTreeMap::new(),
    };
    let page = page(&projection);
    assert_eq!(page.matches("<svg ").count(), 1);
    let start = page.find("<svg ").unwrap();
    let end = page.rfind("</svg>").unwrap() + "</svg>".len();
    assert!(page.ends_with("</html>\n"));
    page[start..end].to_owned()
}

/// The numbers of an attribute, whatever stands between them.
fn numbers(text: &str) -> Vec<f64> {
    text.split(|c: char| !(c.is_ascii_digit() || c == '.' || c == '-'))
        .filter_map(|number| number.parse().ok())
        .collect()
}

/// The corners of what one element draws; for letters, their anchor and their lines.
fn points(node: Node<'_, '_>) -> Vec<(f64, f64)> {
    let number = |name: &str| node.attribute(name).map_or(0.0, |value| value.parse().unwrap());
    match node.tag_name().name() {
        "rect" => {
            let (x, y) = (number("x"), number("y"));
            vec![(x, y), (x + number("width"), y + number("height"))]
        }
        "line" => vec![(number("x1"), number("y1")), (number("x2"), number("y2"))],
        "path" => {
            let numbers = numbers(node.attribute("d").unwrap());
            numbers.chunks(2).map(|pair| (pair[0], pair[1])).collect()
        }
        "text" => {
            let lines = node.children().filter(|child| child.has_tag_name("tspan"));
            let last: f64 = lines.map(|line| numbers(line.attribute("dy").unwrap())[0]).sum();
            vec![(number("x"), number("y")), (number("x"), number("y") + last)]
        }
        _ => Vec::new(),
    }
}

/// Checks one drawing; returns its document.
fn check(svg: &str) {
    let document = roxmltree::Document::parse(svg).expect("a drawing is well-formed XML");
    let root = document.root_element();
    assert!(root.has_tag_name(("http://www.w3.org/2000/svg", "svg")));
    let size = numbers(root.attribute("viewBox").unwrap());
    for node in document.descendants().filter(Node::is_element) {
        for (x, y) in points(node) {
            let inside = (0.0..=size[2]).contains(&x) && (0.0..=size[3]).contains(&y);
            assert!(inside, "{x} {y} is outside {size:?} in {svg}");
        }
    }
    let longest = document
        .descendants()
        .filter(|node| node.attribute("class") == Some("diagnostic"))
        .map(|node| node.text().unwrap_or_default().chars().count())
        .max();
    assert!(longest.is_none_or(|longest| 60.0 + 8.0 * longest as f64 <= size[2]));
}

fn word() -> impl Strategy<Value = String> {
    prop_oneof![
        "[a-c]",
        "[0-9]{1,4}",
        Just("->".to_owned()),
        Just("-x".to_owned()),
        "\"[^\"\\\\]{0,30}\""
    ]
}

/// Lines that are mostly statements.
fn statement() -> impl Strategy<Value = String> {
    let label = "\"[ a-zA-Z<&\u{4e00}]{0,60}\"";
    prop_oneof![
        ("[a-d]", 1..6u32, 1..6u32, label)
            .prop_map(|(id, r, c, l)| format!("box {id} {r} {c} {l}")),
        ("[a-d]", "(->|--|-x)", "[a-d]", label)
            .prop_map(|(a, k, b, l)| format!("edge {a} {k} {b} {l}")),
        (1..6u32, 1..6u32, label).prop_map(|(r, c, l)| format!("text {r} {c} {l}")),
        proptest::collection::vec(word(), 0..6).prop_map(|words| words.join(" ")),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 600, ..ProptestConfig::default() })]

    /// canvas-projections, case 78, and beyond: any character at all.
    #[test]
    fn any_text_is_one_drawing_whose_view_box_holds_every_shape(
        source in prop_oneof!["[\u{20}-\u{1ff}]{0,80}", "\\PC{0,80}", ".{0,80}", proptest::collection::vec(any::<char>(), 0..60).prop_map(String::from_iter)],
    ) {
        check(&drawn(&source));
    }

    #[test]
    fn every_statement_is_drawn_or_has_its_row(lines in proptest::collection::vec(statement(), 0..14)) {
        let svg = drawn(&lines.join("\n"));
        check(&svg);
        let count = |what: &str| svg.matches(what).count();
        let of = |verb: &str| lines.iter().filter(|line| line.starts_with(verb)).collect::<Vec<_>>();
        let word = |line: &str, at: usize| line.split(' ').nth(at).unwrap().to_owned();
        let boxes: BTreeSet<String> = of("box ").iter().map(|line| word(line, 1)).collect();
        prop_assert_eq!(count("<rect "), boxes.len());
        prop_assert_eq!(count("[CD1_DUPLICATE_ID]"), of("box ").len() - boxes.len());
        let joined = |line: &&&String| boxes.contains(&word(line, 1)) && boxes.contains(&word(line, 3));
        let edges = of("edge ");
        let drawn: Vec<_> = edges.iter().filter(joined).collect();
        prop_assert_eq!(count("[CD1_MISSING_ENDPOINT]"), edges.len() - drawn.len());
        let crosses = drawn.iter().filter(|line| word(line, 2) == "-x").count();
        let open_paths = svg.split("<path ").skip(1).filter(|path| path.split('>').next().is_some_and(|tag| tag.contains("fill=\"none\""))).count();
        prop_assert_eq!(count("<line ") + open_paths, drawn.len() + crosses);
    }
}

#[test]
fn a_hundred_parallels_are_all_drawn_apart() {
    let mut source = String::from("box a 1 1 \"A\"\nbox b 1 2 \"B\"\n");
    source
        .push_str(&"edge a -> b \"go\"\nedge b -x a \"back\"\nedge a -- a \"again\"\n".repeat(33));
    let svg = drawn(&source);
    check(&svg);
    let document = roxmltree::Document::parse(&svg).unwrap();
    let mut paths: Vec<&str> =
        document.descendants().filter_map(|node| node.attribute("d")).collect();
    let count = paths.len();
    paths.sort_unstable();
    paths.dedup();
    assert_eq!(paths.len(), count);
    assert_eq!(count, 33 * 5, "a path for each edge, and one for each head");
}
