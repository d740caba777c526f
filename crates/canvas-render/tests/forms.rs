//! The two forms by their properties: they say the same of the same canvas, and neither lets markup in.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a test fails by panicking"
)]

use canvas_document::{Document, Element};
use canvas_render::{Projection, comment, page};
use canvas_store::Crossing;
use proptest::prelude::*;

const WORDS: &str = "[ \n<>&\"'*a-c\\[\\]()\u{e9}]{0,16}";

fn leaf(name: &'static str) -> impl Strategy<Value = Element> {
    (WORDS, any::<bool>()).prop_map(move |(text, answered)| {
        let mut element = Element::new(name);
        match name {
            "question" if answered => element.set_attribute("answered", "true"),
            "figure" if answered => element.set_attribute("payload", "mermaid"),
            "link" if answered => element.set_attribute("href", format!("javascript:{text}")),
            "link" => element.set_attribute("href", format!("https://a.example/{text}")),
            _ => {}
        }
        element.text = text;
        element
    })
}

fn holding(
    name: &'static str,
    children: impl Strategy<Value = Element>,
) -> impl Strategy<Value = Element> {
    (WORDS, proptest::collection::vec(children, 0..4)).prop_map(move |(title, children)| {
        let mut element = Element::new(name);
        if name == "section" {
            element.set_attribute("title", title);
        }
        element.children = children;
        element
    })
}

fn node() -> BoxedStrategy<Element> {
    prop_oneof![
        leaf("text"),
        leaf("question"),
        leaf("figure"),
        leaf("link"),
        holding("list", leaf("item")),
        holding("table", holding("row", leaf("cell"))),
    ]
    .boxed()
}

/// A canvas whose nodes have ids, and of which about half have crossed.
fn projection() -> impl Strategy<Value = Projection> {
    let section = holding("section", prop_oneof![node(), holding("section", node())]);
    let nodes = proptest::collection::vec(prop_oneof![node(), section], 0..6);
    (nodes, any::<u64>()).prop_map(|(nodes, crossed)| {
        let mut root = Element::new("canvas");
        root.children = nodes;
        let mut count = 0;
        number(&mut root.children, &mut count);
        let crossings = (0..count).filter(|n| crossed >> (n % 64) & 1 == 1).map(|n| {
            (
                format!("n{n:03}"),
                Crossing { commit: format!("{n:040x}"), reason: format!("because <{n}> & \"so\"") },
            )
        });
        Projection {
            canvas: "t1".to_owned(),
            head: "f".repeat(40),
            crossings: crossings.collect(),
            document: Document { root },
        }
    })
}

fn number(nodes: &mut [Element], count: &mut usize) {
    for node in nodes {
        node.set_attribute("id", format!("n{:03}", *count));
        *count += 1;
        number(&mut node.children, count);
    }
}

proptest! {
    #[test]
    fn both_forms_tell_the_same_crossings_in_the_same_order(projection in projection()) {
        let page = page(&projection);
        let shown: Vec<&str> = page
            .split("<q class=\"crossing-why\">because &lt;")
            .skip(1)
            .map(|rest| rest.split_once("&gt;").unwrap().0)
            .collect();
        let comment = comment(&projection);
        let told: Vec<&str> = comment
            .split("— because &lt;")
            .skip(1)
            .map(|rest| rest.split_once('>').unwrap().0)
            .collect();
        prop_assert_eq!(shown.len(), projection.crossings.len());
        prop_assert_eq!(shown, told);
    }

    #[test]
    fn a_comment_holds_no_tag_and_its_blocks_stand_one_blank_line_apart(projection in projection()) {
        let comment = comment(&projection);
        prop_assert!(!comment.contains('<'));
        prop_assert!(comment.ends_with('\n') && !comment.ends_with("\n\n"));
        let mut fence: Option<&str> = None;
        let mut blank = false;
        for line in comment.lines() {
            match fence {
                Some(open) if line == open => fence = None,
                Some(_) => {}
                // These canvases hold no backtick, so this opens the source of a figure.
                None if line == "```" => fence = Some(line),
                None => prop_assert!(!(blank && line.is_empty()), "{}", comment),
            }
            blank = line.is_empty();
        }
    }

    #[test]
    fn a_page_has_the_tags_that_we_write_and_no_others(projection in projection()) {
        let page = page(&projection);
        let body = page.split_once("<body>").unwrap().1;
        let body = body.split("<script ").next().unwrap();
        const OURS: [&str; 36] = [
            "header", "h1", "h2", "h3", "h4", "p", "code", "nav", "ol", "ul", "li", "a", "main", "section", "table",
            "tbody", "tr", "td", "figure", "figcaption", "div", "span", "q", "pre", "svg", "g", "rect", "line",
            "path", "text", "tspan", "title", "strong", "em", "body", "html",
        ];
        for tag in body.split('<').skip(1) {
            let name = tag.trim_start_matches('/').split(['>', ' ', '/']).next().unwrap();
            prop_assert!(OURS.contains(&name), "<{name}> in {body}");
        }
        prop_assert!(!body.contains("href=\"javascript:"));
        for id in (0..projection.document.root.descendants().count() - 1).map(|n| format!("id=\"n{n:03}\"")) {
            let held = body.matches(&format!(" {id}")).count();
            prop_assert_eq!(held, 1, "{}", id);
        }
    }
}
