//! Every offending element of a document, in order, each with its sentence.
//!
//! A fixture is a document and, for each offence, the line of the element's start tag and the
//! message. The documents have one start tag to a line where it matters.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a test fails by panicking"
)]

use relaxng::Grammar;
use relaxng::roxmltree::Document;

const CANVAS: &str = include_str!("../../../schema/canvas.rng");

const NODES: &str = "figure, link, list, question, section, table, text";
const LEAVES: &str = "figure, link, list, question, table, text";
const ID: &str = "the attribute id does not have an allowed value; \
                  expected: a text of the form [a-z][a-hj-km-np-z2-9]{3}";
const V: &str =
    "the attribute v does not have an allowed value; expected: a text of the form [1-9][0-9]*";

/// The offences as `line: message`.
fn offences(grammar: &str, xml: &str) -> Vec<String> {
    let grammar = Grammar::parse(grammar).unwrap();
    let document = Document::parse(xml).unwrap_or_else(|error| panic!("{error}\n{xml}"));
    let line = |node| {
        let node = document.get_node(node).unwrap();
        document.text_pos_at(node.range().start).row
    };
    grammar
        .offences(&document)
        .into_iter()
        .map(|offence| format!("{}: {}", line(offence.node), offence.message))
        .collect()
}

/// Checks a schema-2 document with this content; line 1 is the root's, the content starts in line 2.
#[track_caller]
fn check(content: &str, expected: &[&str]) {
    let xml = format!("<canvas ledger=\"x\" schema=\"2\">\n{content}</canvas>");
    assert_eq!(offences(CANVAS, &xml), expected, "{xml}");
}

#[track_caller]
fn check_document(xml: &str, expected: &[&str]) {
    assert_eq!(offences(CANVAS, xml), expected, "{xml}");
}

#[test]
fn an_element_that_has_no_business_here() {
    check(
        "<decision/>",
        &[&format!("2: the element <decision> is not allowed here; allowed here: {NODES}")],
    );
    check(
        "<item id=\"ab2c\" v=\"1\"/>",
        &[&format!("2: the element <item> is not allowed here; allowed here: {NODES}")],
    );
    check(
        "<list id=\"ab2c\" v=\"1\">\n<text id=\"ab2d\" v=\"1\"/></list>",
        &["3: the element <text> is not allowed here; allowed here: item"],
    );
    for name in ["text", "figure", "question"] {
        check(
            &format!("<{name} id=\"ab2c\" v=\"1\">words\n<b>bold</b> words</{name}>"),
            &["3: the element <b> is not allowed here; no element is, only text"],
        );
    }
}

#[test]
fn a_section_of_the_third_level() {
    check(
        "<section id=\"ab2c\" v=\"1\" title=\"\">
<section id=\"ab2d\" v=\"1\" title=\"\">
<section id=\"ab2e\" v=\"1\" title=\"\"/>
</section></section>",
        &[&format!("4: the element <section> is not allowed here; allowed here: {LEAVES}")],
    );
}

#[test]
fn the_content_of_a_refused_element_is_not_looked_at() {
    check(
        "<decision id=\"BAD\">\n<verdict/>\n<text/>\n</decision>\n<text id=\"BAD\" v=\"1\"/>",
        &[
            &format!("2: the element <decision> is not allowed here; allowed here: {NODES}"),
            &format!("6: {ID}"),
        ],
    );
}

#[test]
fn another_root() {
    let message = "1: the element <html> is not allowed here; allowed here: canvas";
    check_document("<html><canvas ledger=\"x\" schema=\"1\"/></html>", &[message]);
    check_document(
        "<section id=\"ab2c\" v=\"1\" title=\"\"/>",
        &["1: the element <section> is not allowed here; allowed here: canvas"],
    );
}

#[test]
fn namespaces() {
    check_document(
        "<canvas xmlns=\"urn:x\" ledger=\"x\" schema=\"1\"/>",
        &["1: the element <canvas> in the namespace \"urn:x\" is not allowed here; \
           allowed here: canvas"],
    );
    check(
        "<p:text xmlns:p=\"a&#10;&quot;b\" id=\"ab2c\" v=\"1\"/>",
        &[&format!(
            "2: the element <text> in the namespace \"a\\n\\\"b\" is not allowed here; \
             allowed here: {NODES}"
        )],
    );
    check("<text xmlns:unused=\"urn:x\" id=\"ab2c\" v=\"1\"/>", &[]);
    check("<text xmlns=\"\" id=\"ab2c\" v=\"1\"/>", &[]);
    check(
        "<text xmlns:p=\"urn:x\" p:id=\"ab2c\" id=\"ab2c\" v=\"1\" xml:space=\"preserve\"/>",
        &["2: the attribute id of the namespace \"urn:x\" is not allowed here; \
           allowed here: id, v; the attribute xml:space is not allowed here; allowed here: id, v"],
    );
}

#[test]
fn attributes_too_many() {
    for name in ["xml:lang", "answered-by", "payload", "title", "ID"] {
        check(
            &format!("<text id=\"ab2c\" v=\"1\" {name}=\"secret\"/>"),
            &[&format!("2: the attribute {name} is not allowed here; allowed here: id, v")],
        );
    }
    let many: Vec<String> = (0..11).map(|number| format!("a{number}=\"\"")).collect();
    let found =
        offences(CANVAS, &format!("<canvas ledger=\"x\" schema=\"2\" {}/>", many.join(" ")));
    assert!(found.len() == 1 && found[0].contains("a7 is not"), "{found:?}");
    assert!(found[0].ends_with("; 3 more attributes are wrong"), "{found:?}");
}

#[test]
fn attributes_too_few() {
    check("<text v=\"1\"/>", &["2: the attribute id is missing"]);
    check("<text/>", &["2: the attribute id is missing; the attribute v is missing"]);
    check("<section id=\"ab2c\" v=\"1\"/>", &["2: the attribute title is missing"]);
    check("<link id=\"ab2c\" v=\"1\"/>", &["2: the attribute href is missing"]);
    check_document("<canvas schema=\"1\"/>", &["1: the attribute ledger is missing"]);
    check_document("<canvas ledger=\"x\"/>", &["1: the attribute schema is missing"]);
    check("<figure v=\"1\" payload=\"svg\"/>", &["2: the attribute id is missing"]);
}

#[test]
fn values() {
    for value in ["", "ab2", "ab2cd", "Ab2c", "abic", "1b2c", "ab 2c", "ab2c\u{a0}"] {
        check(&format!("<text id=\"{value}\" v=\"1\"/>"), &[&format!("2: {ID}")]);
    }
    for value in ["", "0", "01", "two", "1.0", "-1", "1 2"] {
        check(&format!("<text id=\"ab2c\" v=\"{value}\"/>"), &[&format!("2: {V}")]);
    }
    for value in ["false", "yes", "TRUE", "1", ""] {
        check(
            &format!("<question id=\"ab2c\" v=\"1\" answered=\"{value}\"/>"),
            &["2: the attribute answered does not have an allowed value; expected: \"true\""],
        );
    }
    for value in ["png", "SVG", "mermaid svg", ""] {
        check(
            &format!("<figure id=\"ab2c\" v=\"1\" payload=\"{value}\"/>"),
            &["2: the attribute payload does not have an allowed value; \
               expected: \"mermaid\", \"svg\""],
        );
    }
    for value in ["", " ", "&#9;&#10;"] {
        check(
            &format!("<link id=\"ab2c\" v=\"1\" href=\"{value}\"/>"),
            &["2: the attribute href does not have an allowed value; \
               expected: a text that is not empty"],
        );
    }
}

#[test]
fn white_space_around_a_value_does_not_count() {
    check(
        "<section id=\" ab2c\t\" v=\"&#10;1 \" title=\" \"><question id=\"ab2d\" v=\"1\" \
         answered=\" true \"/><figure id=\"ab2e\" v=\"1\" payload=\"&#9;svg\"/>\
         <link id=\"ab2f\" v=\"1\" href=\" \u{a0} \"/></section>",
        &[],
    );
    check_document("<canvas ledger=\" a  b \" schema=\" 2 \"/>", &[]);
}

#[test]
fn schemas() {
    let unknown = "1: the attribute schema does not have an allowed value; expected: \"1\", \"2\"";
    for value in ["3", "0", "", "1 2", "two"] {
        // Which figure rule holds is unknown, so no figure is blamed for it.
        check_document(
            &format!(
                "<canvas ledger=\"x\" schema=\"{value}\">
<figure id=\"ab2c\" v=\"1\" payload=\"svg\"/><figure id=\"ab2d\" v=\"1\"/></canvas>"
            ),
            &[unknown],
        );
    }
    let payload = "the attribute payload is not allowed here; allowed here: id, v";
    check_document(
        "<canvas schema=\"1\" ledger=\"x\">
<figure id=\"ab2c\" v=\"1\" payload=\"svg\"/>
<section id=\"ab2c\" v=\"1\" title=\"\">
<figure id=\"ab2c\" v=\"1\" payload=\"mermaid\"/>
<section id=\"ab2c\" v=\"1\" title=\"\">
<figure id=\"ab2c\" v=\"1\" payload=\"png\"/></section></section></canvas>",
        &[&format!("2: {payload}"), &format!("4: {payload}"), &format!("6: {payload}")],
    );
}

#[test]
fn text_where_none_may_stand() {
    let sentence = format!("text is not allowed here; allowed here: {NODES}");
    check("stray", &[&format!("1: {sentence}")]);
    check("one<text id=\"ab2c\" v=\"1\"/>two", &[&format!("1: {sentence}")]);
    check("<![CDATA[stray]]>", &[&format!("1: {sentence}")]);
    check("\u{a0}", &[&format!("1: {sentence}")]);
    check(" &#9;&#13;\n<![CDATA[ ]]>", &[]);
    check(
        "<list id=\"ab2c\" v=\"1\">stray</list>\n<table id=\"ab2d\" v=\"1\">stray\n\
         <row id=\"ab2e\" v=\"1\">stray</row></table>",
        &[
            "2: text is not allowed here; allowed here: item",
            "3: text is not allowed here; allowed here: row",
            "4: text is not allowed here; allowed here: cell",
        ],
    );
}

#[test]
fn comments_and_processing_instructions_are_as_nothing() {
    check_document(
        "<!-- a --><?b c?><canvas ledger=\"x\" schema=\"2\"><!-- d --><?e?>
<text id=\"ab2c\" v=\"1\">f<!-- g -->h<?i?></text><list id=\"ab2d\" v=\"1\"> <!-- j --> </list>
</canvas><!-- k -->",
        &[],
    );
}

#[test]
fn many_faults_at_once() {
    check(
        "<text id=\"BAD1\" v=\"1\"/>
<section id=\"BAD2\" v=\"1\">stray
<text id=\"BAD3\" v=\"0\"/>
<decision><text id=\"BAD\"/></decision>
<table id=\"ab2c\" v=\"1\">
<row id=\"ab2d\" v=\"1\">
<cell id=\"BAD4\" v=\"1\"><b/></cell>
</row></table></section>
<figure id=\"ab2e\" v=\"1\" payload=\"gif\">x</figure>",
        &[
            &format!("2: {ID}"),
            &format!(
                "3: {ID}; the attribute title is missing; \
                 text is not allowed here; allowed here: {NODES}"
            ),
            &format!("4: {ID}; {V}"),
            &format!("5: the element <decision> is not allowed here; allowed here: {NODES}"),
            &format!("8: {ID}"),
            "8: the element <b> is not allowed here; no element is, only text",
            "10: the attribute payload does not have an allowed value; \
             expected: \"mermaid\", \"svg\"",
        ],
    );
}

#[test]
fn a_refused_value_is_never_repeated() {
    check(
        "<text id=\"secret\" v=\"secret\"/><decision note=\"secret\">secret</decision>secret
<question id=\"ab2c\" v=\"1\" answered=\"secret\" note=\"secret\"/>",
        &[
            &format!("1: text is not allowed here; allowed here: {NODES}"),
            &format!("2: {ID}; {V}"),
            &format!("2: the element <decision> is not allowed here; allowed here: {NODES}"),
            "3: the attribute answered does not have an allowed value; expected: \"true\"; \
             the attribute note is not allowed here; allowed here: answered, id, v",
        ],
    );
}

#[test]
fn a_name_without_end_is_cut() {
    let found = offences(CANVAS, &format!("<{}/>", "n".repeat(100_000)));
    assert!(found.len() == 1 && found[0].len() < 200, "{}", found[0].len());
}

#[test]
fn another_grammar_gives_another_verdict_and_other_words() {
    let twelfth = CANVAS.replacen(
        "<element name=\"text\">",
        "<element name=\"decision\"><ref name=\"node-attributes\"/><text/></element>
         <element name=\"text\">",
        1,
    );
    let decided = "<canvas ledger=\"x\" schema=\"2\">\n<decision id=\"ab2c\" v=\"1\">d</decision>\n\
                   <verdict/></canvas>";
    assert_eq!(offences(CANVAS, decided).len(), 2);
    assert_eq!(
        offences(&twelfth, decided),
        [
            "3: the element <verdict> is not allowed here; allowed here: decision, figure, link, list, \
          question, section, table, text"
        ]
    );

    let attribute = "<attribute name=\"title\"><data type=\"string\"/></attribute>";
    let untitled = CANVAS.replacen(attribute, "", 1);
    assert_ne!(untitled, CANVAS);
    let section = "<canvas ledger=\"x\" schema=\"2\">\n<section id=\"ab2c\" v=\"1\"/>\n\
                   <section id=\"ab2d\" v=\"1\" title=\"t\"/></canvas>";
    assert_eq!(offences(CANVAS, section), ["2: the attribute title is missing"]);
    assert_eq!(
        offences(&untitled, section),
        ["3: the attribute title is not allowed here; allowed here: id, v"]
    );

    let roots = CANVAS.replace("name=\"canvas\"", "name=\"board\"");
    assert_eq!(
        offences(&roots, "<canvas ledger=\"x\" schema=\"2\"/>"),
        ["1: the element <canvas> is not allowed here; allowed here: board"]
    );
    assert!(offences(&roots, "<board ledger=\"x\" schema=\"2\"/>").is_empty());

    let third =
        CANVAS.replace("<value type=\"token\">2</value>", "<value type=\"token\">3</value>");
    assert_eq!(
        offences(&third, "<canvas ledger=\"x\" schema=\"2\"/>"),
        ["1: the attribute schema does not have an allowed value; expected: \"1\", \"3\""]
    );
}
