//! What loading keeps and drops, and the exact bytes of what is written (`canvas-store.md` §§1.4, 1.5).
#![allow(clippy::unwrap_used, clippy::expect_used)]

use canvas_document::{Document, Element};

/// Load `given`, write it, compare.
fn becomes(given: &str, expected: &str) {
    let tree = Document::parse(given.as_bytes()).unwrap();
    let written = String::from_utf8(tree.to_bytes().unwrap()).unwrap();
    let expected = format!("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n{expected}\n");
    assert_eq!(written, expected, "{given:?}");
    assert_eq!(Document::parse(written.as_bytes()).unwrap(), tree, "{given:?}");
}

#[test]
fn written_files_come_back_byte_for_byte() {
    let file = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n\
        <canvas ledger=\"my-task\" schema=\"2\">\n  \
          <text id=\"y8dk\" v=\"1\">The store does not exist.\n\n  indented line</text>\n  \
          <text v=\"1\" id=\"y8dm\">  padded  </text>\n  \
          <text id=\"y8dn\" v=\"1\"> \n </text>\n  \
          <section id=\"q4rt\" v=\"1\" title=\"a&quot;b&#10;c&#9;d&#13;'&lt;&gt;&amp;\">\n    \
            <list id=\"jc5v\" v=\"1\"/>\n    \
            <link id=\"jc5w\" v=\"1\" href=\"u\">\"q\" 't'\t]]&gt; &amp;amp; &#13; \u{7f}\u{85}\u{2028}é</link>\n  \
          </section>\n\
        </canvas>\n";
    let tree = Document::parse(file.as_bytes()).unwrap();
    assert_eq!(String::from_utf8(tree.to_bytes().unwrap()).unwrap(), file);
}

#[test]
fn a_childless_root_is_one_empty_tag() {
    becomes("<canvas ledger='x' schema='2'></canvas>", "<canvas ledger=\"x\" schema=\"2\"/>");
    becomes("<c> \n </c>", "<c> \n </c>");
}

#[test]
fn comments_and_instructions_go_and_the_text_around_them_joins() {
    becomes(
        "<?p?><!-- a --><c>a<!-- b -->b<?p?>c<![CDATA[<d>]]>e</c><!-- z -->",
        "<c>abc&lt;d&gt;e</c>",
    );
    becomes("<c><t>a<!-- \n --></t><!-- x --></c>", "<c>\n  <t>a</t>\n</c>");
    becomes("<c><t><!-- only --></t></c>", "<c>\n  <t/>\n</c>");
}

#[test]
fn text_beside_children_goes() {
    becomes("<c>\n    <t/>words<t/>\n</c>", "<c>\n  <t/>\n  <t/>\n</c>");
    let mut tree = Document::parse(b"<c><l id='jc5v'>\n  <i id='jc5w'/>\n</l></c>").unwrap();
    tree.take("jc5w").unwrap();
    assert_eq!(
        tree.find("jc5v"),
        Some(&{
            let mut list = Element::new("l");
            list.set_attribute("id", "jc5v");
            list
        })
    );
}

#[test]
fn line_ends_and_references_are_read_as_xml_asks() {
    // A raw CR, alone, before LF, or before a reference, is LF. One written as a reference is content.
    becomes("<c>a\r\nb\rc\r\r\nd\r&amp;e\r&#10;f</c>", "<c>a\nb\nc\n\nd\n&amp;e\n\nf</c>");
    becomes("<c>a&#13;\nb&#xD;&#xA;c&#13;\r</c>", "<c>a&#13;\nb&#13;\nc&#13;\n</c>");
    becomes("<c a='x\ty\r\nz\nw&#9;&#10;&#13;'/>", "<c a=\"x y z w&#9;&#10;&#13;\"/>");
    becomes("<c><![CDATA[a\r\nb\r]]></c>", "<c>a\nb\n</c>");
}

#[test]
fn an_unused_namespace_declaration_stays_where_it_stood() {
    becomes(
        "<c a='1' xmlns:x='u&amp;v' b='2' xmlns:y='w'><t xmlns:x='u2' xmlns=''/></c>",
        "<c a=\"1\" xmlns:x=\"u&amp;v\" b=\"2\" xmlns:y=\"w\">\n  <t xmlns:x=\"u2\" xmlns=\"\"/>\n</c>",
    );
    becomes(
        "<c><t><u xmlns:x='u'/></t><t><u xmlns:x='u'/></t></c>",
        "<c>\n  <t>\n    <u xmlns:x=\"u\"/>\n  </t>\n  <t>\n    <u xmlns:x=\"u\"/>\n  </t>\n</c>",
    );
}

#[test]
fn what_the_tree_cannot_hold_is_refused_with_its_line() {
    for (given, word) in [
        ("<c>\n<t xmlns='u'/></c>", "namespace"),
        ("<c xmlns:x='u'>\n<x:t/></c>", "namespace"),
        ("<c xmlns:x='u'>\n<t x:a='1'/></c>", "namespace"),
        ("<c>\n<t xml:lang='en'/></c>", "namespace"),
    ] {
        let fault = Document::parse(given.as_bytes()).unwrap_err();
        assert_eq!(fault.line, Some(2), "{given}");
        assert!(fault.message.contains(word), "{given}: {fault}");
    }
}

#[test]
fn a_crafted_name_never_reaches_the_markup() {
    for name in
        ["text id=\"zz22\" v=\"1\"/><text", "a b", "", "x:text", "1a", "a/", "!--", "?p", "a\u{0}"]
    {
        assert!(Document { root: Element::new(name) }.to_bytes().is_err(), "{name:?}");
        let mut root = Element::new("c");
        root.set_attribute(name, "1");
        assert!(Document { root }.to_bytes().is_err(), "{name:?}");
    }
    let mut root = Element::new("c");
    root.attributes = vec![("a".to_owned(), String::new()), ("a".to_owned(), String::new())];
    assert!(Document { root }.to_bytes().is_err());
}

#[test]
fn nesting_past_the_limit_is_not_written() {
    let mut element = Element::new("a");
    for _ in 1..canvas_document::DEPTH {
        let mut parent = Element::new("a");
        parent.children.push(element);
        element = parent;
    }
    let at_limit = Document { root: element.clone() };
    assert_eq!(Document::parse(&at_limit.to_bytes().unwrap()), Ok(at_limit));
    let mut root = Element::new("a");
    root.children.push(element);
    assert!(Document { root }.to_bytes().unwrap_err().message.contains("64"));
}

#[test]
fn attributes_keep_their_place() {
    let mut element = Element::new("text");
    for name in ["id", "v", "title"] {
        element.set_attribute(name, name);
    }
    element.set_attribute("v", "2");
    assert_eq!(element.attribute("v"), Some("2"));
    assert_eq!(element.remove_attribute("id"), Some("id".to_owned()));
    assert_eq!(element.remove_attribute("id"), None);
    let names: Vec<_> = element.attributes.iter().map(|(name, _)| name.as_str()).collect();
    assert_eq!(names, ["v", "title"]);
}
