//! One edit is one node, asked of the library: no command line can hand a document in.

use canvas_document::{Document, Element, Place, PlaceError, ROOT, birth, changed, is_node_id};

const BEFORE: &str = r#"<canvas ledger="t" schema="2">
  <text id="ab2c" v="1">one</text>
  <text id="ab2d" v="1">two</text>
  <section id="ab2e" v="1" title="three">
    <text id="ab2f" v="1">four</text>
    <text id="ab2g" v="1">five</text>
  </section>
</canvas>"#;

fn tree(text: &str) -> Document {
    Document::parse(text.as_bytes()).unwrap()
}

/// What a write that names `ab2c` would be told about `after`.
fn trespass(after: &str) -> Vec<String> {
    let told = changed(&tree(BEFORE), &tree(after), Some("ab2c")).unwrap_err();
    assert!(told.to_string().contains("one edit is one node"), "{told}");
    let mut all = told.nodes;
    all.extend(told.containers);
    all.extend(told.repeated);
    all.sort();
    all
}

/// Every way to change more than the named node is refused, and names what it would change.
pub fn one_edit_is_one_node() {
    // A whole new document under one node's name.
    let other = r#"<canvas ledger="t" schema="2"><text id="ab2c" v="2">x</text><text id="zz2z" v="1">y</text></canvas>"#;
    let told = trespass(other);
    for node in ["ab2d", "ab2e", "ab2f", "ab2g", "zz2z"] {
        assert!(told.contains(&node.to_owned()), "{node}: {told:?}");
    }
    // Every node's text.
    let all =
        BEFORE.replace("one", "1").replace("two", "2").replace("four", "4").replace("five", "5");
    assert_eq!(trespass(&all), ["ab2d", "ab2f", "ab2g"]);
    // The named node and a new one.
    let more =
        BEFORE.replace("one<", "1<").replace("</canvas>", r#"<list id="ab2h" v="1"/></canvas>"#);
    assert_eq!(trespass(&more), ["ab2h"]);
    // Siblings reordered besides: the container is named, the root as `root`.
    let (d, e) = (r#"<text id="ab2d" v="1">two</text>"#, BEFORE.find("<section").unwrap());
    let end = BEFORE.find("</canvas>").unwrap();
    let reordered = format!(
        "{}{}{d}</canvas>",
        BEFORE[..e].replace(d, "").replace("one", "1"),
        &BEFORE[e..end]
    );
    assert_eq!(trespass(&reordered), [ROOT]);
    let f = r#"<text id="ab2f" v="1">four</text>"#;
    let g = r#"<text id="ab2g" v="1">five</text>"#;
    let inner = BEFORE.replace(f, "X").replace(g, f).replace("X", g);
    assert_eq!(trespass(&inner), ["ab2e"]);
    // Another node's text changed, or emptied; the unrelated ones are not named.
    assert_eq!(trespass(&BEFORE.replace("two", "2")), ["ab2d"]);
    assert_eq!(trespass(&BEFORE.replace(">five<", "><")), ["ab2g"]);
    // One id twice.
    let twice = BEFORE.replace("ab2d", "ab2f");
    let told = changed(&tree(BEFORE), &tree(&twice), Some("ab2f")).unwrap_err();
    assert!(told.to_string().contains("ab2f"), "{told}");
    // A node without an id.
    let nameless = BEFORE.replace(r#"id="ab2d" "#, "");
    assert!(changed(&tree(BEFORE), &tree(&nameless), Some("ab2d")).is_err());
    // The root's own attributes.
    assert_eq!(trespass(&BEFORE.replace("ledger=\"t\"", "ledger=\"u\"")), [ROOT]);
    // A birth is the root alone.
    let told = birth(&tree(BEFORE)).unwrap_err();
    assert_eq!(told.nodes, ["ab2c", "ab2d", "ab2e", "ab2f", "ab2g"]);
    assert!(birth(&tree(r#"<canvas ledger="t" schema="2"/>"#)).is_ok());
    // A freeze names no node, so nothing may differ.
    let told = changed(&tree(BEFORE), &tree(&BEFORE.replace("one", "1")), None).unwrap_err();
    assert_eq!(told.nodes, ["ab2c"]);
    assert!(changed(&tree(BEFORE), &tree(BEFORE), None).is_ok());
    // Absent text and empty text are one state; attributes are a set.
    let plain = r#"<canvas ledger="t" schema="2"><text id="ab2c" v="1"/></canvas>"#;
    let empty = r#"<canvas schema="2" ledger="t"><text v="1" id="ab2c"></text></canvas>"#;
    assert!(changed(&tree(plain), &tree(empty), None).is_ok());
}

/// Where a node goes, asked of the library.
pub fn positions() {
    let mut document = tree(r#"<canvas ledger="t" schema="2"/>"#);
    let node = |id: &str| {
        let mut element = Element::new("text");
        element.set_attribute("id", id);
        element
    };
    let ids = |document: &Document| -> Vec<String> {
        document.root.children.iter().map(|c| c.id().unwrap().to_owned()).collect()
    };
    document.insert(&Place::Into(ROOT.to_owned()), node("ab2c")).unwrap();
    document.insert(&Place::Into(ROOT.to_owned()), node("ab2d")).unwrap();
    document.insert(&Place::After("ab2c".to_owned()), node("ab2e")).unwrap();
    assert_eq!(ids(&document), ["ab2c", "ab2e", "ab2d"]);
    for place in [Place::After("zz2z".to_owned()), Place::Into("zz2z".to_owned())] {
        assert_eq!(
            document.insert(&place, node("ab2f")),
            Err(PlaceError::UnknownTarget("zz2z".to_owned()))
        );
    }
    assert_eq!(
        document.insert(&Place::After(ROOT.to_owned()), node("ab2f")),
        Err(PlaceError::RootHasNoSiblings)
    );
    assert_eq!(ids(&document), ["ab2c", "ab2e", "ab2d"]);
    // The reserved word is no node id, so none can be minted as it; `head` can be one.
    assert!(!is_node_id(ROOT));
    assert!(is_node_id("head") && is_node_id("ab2c"));
    for odd in ["", "ab2", "ab2cd", "ab1c", "abic", "ab0c", "Ab2c", "2abc", "ab2c\n", "é2c"] {
        assert!(!is_node_id(odd), "{odd:?}");
    }
}

/// Childless elements are written without a space before the slash.
pub fn childless() {
    for line in [
        r#"<canvas ledger="t" schema="2"/>"#,
        "<canvas ledger=\"t\" schema=\"2\">\n  <table id=\"ab2c\" v=\"1\"/>\n</canvas>",
    ] {
        let text = format!("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n{line}\n");
        assert_eq!(tree(&text).to_bytes().unwrap(), text.as_bytes());
        let spaced = text.replace("/>", "   />").replace("\"2\">", "\"2\" >");
        assert_eq!(tree(&spaced).to_bytes().unwrap(), text.as_bytes());
    }
}
