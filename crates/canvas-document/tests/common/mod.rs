//! Generated trees, shared by the property tests.
#![allow(dead_code)]

use canvas_document::{Document, Element};
use proptest::prelude::*;

/// Text that is hostile to a serialiser, made of characters XML can hold.
pub fn text() -> impl Strategy<Value = String> {
    let pieces = prop_oneof![
        Just("\r".to_owned()),
        Just("\r\n".to_owned()),
        Just("\n".to_owned()),
        Just("\t".to_owned()),
        Just("]]>".to_owned()),
        Just("<![CDATA[".to_owned()),
        Just("<!-- x -->".to_owned()),
        Just("<?pi x?>".to_owned()),
        Just("&amp;".to_owned()),
        Just("&#13;".to_owned()),
        Just("&".to_owned()),
        Just("\"'".to_owned()),
        Just("</text><text id=\"zzzz\" v=\"1\">".to_owned()),
        Just("\u{2028}\u{85}\u{7f}".to_owned()),
        Just("👩‍🚀e\u{301}".to_owned()),
        Just("\u{FEFF}\u{FFFD}".to_owned()),
        Just("  ".to_owned()),
        "[a-z ]{0,6}",
        any::<char>().prop_filter("XML holds it", |&c| holds(c)).prop_map(String::from),
    ];
    prop::collection::vec(pieces, 0..6).prop_map(|pieces| pieces.concat())
}

fn holds(c: char) -> bool {
    matches!(c, '\t' | '\n' | '\r') || (c >= ' ' && c != '\u{FFFE}' && c != '\u{FFFF}')
}

fn named(name: impl Strategy<Value = String>) -> impl Strategy<Value = Element> {
    (name, text(), text(), prop::option::of(text())).prop_map(|(name, body, title, href)| {
        let mut element = Element::new(name);
        element.set_attribute("id", "");
        element.set_attribute("v", "1");
        element.set_attribute("title", title);
        if let Some(href) = href {
            element.set_attribute("href", href);
        }
        element.text = body;
        element
    })
}

/// A tree in the shape that loading gives: text in leaves only, an id of its own on every node.
pub fn document() -> impl Strategy<Value = Document> {
    let name =
        || prop_oneof![Just("text".to_owned()), Just("list".to_owned()), "[a-zé_][a-z0-9.-]{0,5}"];
    let node = named(name()).prop_recursive(5, 40, 6, move |inner| {
        (named(name()), prop::collection::vec(inner, 1..6)).prop_map(|(mut element, children)| {
            element.text.clear();
            element.children = children;
            element
        })
    });
    (text(), prop::collection::vec(node, 0..6)).prop_map(|(ledger, children)| {
        let mut root = Element::new("canvas");
        root.set_attribute("ledger", ledger);
        root.set_attribute("schema", "2");
        root.children = children;
        let mut count = 0;
        number(&mut root, &mut count);
        Document { root }
    })
}

fn number(element: &mut Element, count: &mut usize) {
    for child in &mut element.children {
        child.set_attribute("id", id(*count));
        *count += 1;
        number(child, count);
    }
}

/// The n-th of a row of distinct ids.
pub fn id(n: usize) -> String {
    let letters: Vec<char> = "abcdefghjkmnpqrstuvwxyz23456789".chars().collect();
    let digit = |k: usize| letters[k % letters.len()];
    format!("n{}{}{}", digit(n / 961), digit(n / 31), digit(n))
}

/// Every id in document order.
pub fn ids(document: &Document) -> Vec<String> {
    document.root.descendants().filter_map(|node| node.id().map(str::to_owned)).collect()
}
