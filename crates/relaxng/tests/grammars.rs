//! Grammars of every shape: the sentences for patterns that the canvas grammar does not use, and
//! what is refused when a grammar is read.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a test fails by panicking"
)]

use relaxng::Grammar;
use relaxng::roxmltree::Document;

const HEAD: &str = "<grammar xmlns='http://relaxng.org/ns/structure/1.0' \
                    datatypeLibrary='http://www.w3.org/2001/XMLSchema-datatypes'>";

fn grammar(body: &str) -> String {
    format!("{HEAD}\n{body}\n</grammar>")
}

/// The start `<a>` with this content.
fn messages(content: &str, xml: &str) -> Vec<String> {
    of(&grammar(&format!("<start><element name='a'>{content}</element></start>")), xml)
}

fn of(grammar: &str, xml: &str) -> Vec<String> {
    let grammar = Grammar::parse(grammar).unwrap_or_else(|error| panic!("{error}\n{grammar}"));
    let document = Document::parse(xml).unwrap();
    grammar.offences(&document).into_iter().map(|offence| offence.message).collect()
}

fn refusal(grammar: &str) -> String {
    match Grammar::parse(grammar) {
        Ok(_) => panic!("accepted: {grammar}"),
        Err(error) => error.to_string(),
    }
}

const B: &str = "<element name='b'><empty/></element>";
const C: &str = "<element name='c'><empty/></element>";

#[test]
fn order_and_number() {
    let both = format!("<group>{B}{C}</group>");
    assert!(messages(&both, "<a><b/><c/></a>").is_empty());
    assert_eq!(
        messages(&both, "<a><c/><b/></a>"),
        [
            "required content is missing; allowed here: b, c",
            "the element <c> is not allowed at this place among its siblings; \
             allowed in the parent: b, c"
        ]
    );
    assert!(messages(&format!("<interleave>{B}{C}</interleave>"), "<a><c/><b/></a>").is_empty());
    let some = format!("<oneOrMore>{B}</oneOrMore>");
    assert_eq!(messages(&some, "<a/>"), ["required content is missing; allowed here: b"]);
    assert!(messages(&some, "<a><b/><b/></a>").is_empty());
    assert_eq!(
        messages(&format!("<optional>{B}</optional>"), "<a><b/><b/></a>"),
        ["the element <b> is not allowed at this place among its siblings; \
          allowed in the parent: b"]
    );
}

#[test]
fn empty_elements_and_mixed_ones() {
    assert_eq!(
        messages("<empty/>", "<a><b/></a>"),
        ["the element <b> is not allowed here; no element is"]
    );
    assert_eq!(
        messages("<empty/>", "<a>x</a>"),
        ["text is not allowed here; the element must be empty"]
    );
    let mixed = format!("<mixed><zeroOrMore>{B}</zeroOrMore></mixed>");
    assert!(messages(&mixed, "<a>x<b/>y</a>").is_empty());
    assert_eq!(
        messages(&mixed, "<a>x<c/>y</a>"),
        ["the element <c> is not allowed here; allowed here: b"]
    );
    assert_eq!(
        messages(&format!("<group>{B}<text/></group>"), "<a>x<b/></a>"),
        ["text is not allowed at this place among the child elements; allowed here: b"]
    );
}

#[test]
fn text_with_a_datatype() {
    let number = "<data type='positiveInteger'/>";
    assert!(messages(number, "<a> 12 </a>").is_empty());
    assert!(messages(number, "<a> 1<!-- -->2 </a>").is_empty());
    let refused = ["the text does not have an allowed value; expected: a positive whole number"];
    assert_eq!(messages(number, "<a>0</a>"), refused);
    assert_eq!(messages(number, "<a>\u{a0}</a>"), refused);
    assert_eq!(
        messages(number, "<a/>"),
        ["required content is missing; allowed here: a positive whole number"]
    );
    let either = "<choice><value>yes</value><value type='string'>no \"</value></choice>";
    assert!(messages(either, "<a> yes</a>").is_empty());
    assert_eq!(
        messages(either, "<a> no</a>"),
        ["the text does not have an allowed value; expected: \"no \\\"\", \"yes\""]
    );
    let some = "<data type='token'><param name='minLength'>2</param><param name='maxLength'>3</param>\
                <except><value>abc</value></except></data>";
    assert!(messages(some, "<a> ab </a>").is_empty());
    for refused in ["abc", "a", "abcd"] {
        assert_eq!(
            messages(some, &format!("<a>{refused}</a>")),
            ["the text does not have an allowed value; expected: a text of at least 2 characters \
              and of at most 3 characters, with exceptions"]
        );
    }
    let pattern = r"<data type='token'><param name='pattern'>\d+\.\d</param></data>";
    assert!(messages(pattern, "<a>12.3</a>").is_empty());
    assert_eq!(
        messages(pattern, "<a>12</a>"),
        [r"the text does not have an allowed value; expected: a text of the form \d+\.\d"]
    );
    let list = format!("<list><oneOrMore>{number}</oneOrMore></list>");
    assert!(messages(&list, "<a>1 2 3</a>").is_empty());
    assert_eq!(
        messages(&list, "<a>1 x</a>"),
        ["the text does not have an allowed value; expected: a list of values"]
    );
}

#[test]
fn attributes_that_choose_the_content() {
    let one = "<group><attribute name='kind'><value>one</value></attribute>\
               <attribute name='size'/><element name='b'><empty/></element></group>";
    let two = "<group><attribute name='kind'><value>two</value></attribute>\
               <element name='c'><empty/></element></group>";
    let content = format!("<choice>{one}{two}</choice>");
    assert!(messages(&content, "<a kind='one' size=''><b/></a>").is_empty());
    assert!(messages(&content, "<a kind='two'><c/></a>").is_empty());
    assert_eq!(
        messages(&content, "<a kind='one'><c/></a>"),
        ["the attribute size is missing", "the element <c> is not allowed here; allowed here: b"]
    );
    assert_eq!(
        messages(&content, "<a kind='two' size=''><b/></a>"),
        [
            "the attribute size is not allowed here; allowed here: kind",
            "the element <b> is not allowed here; allowed here: c"
        ]
    );
    assert_eq!(messages(&content, "<a><c/></a>"), ["the attribute kind is missing"]);
    assert_eq!(
        messages("<attribute name='x'><empty/></attribute>", "<a x='1'/>"),
        ["the attribute x does not have an allowed value; expected: nothing"]
    );
    assert_eq!(messages("<attribute name='x'/>", "<a/>"), ["the attribute x is missing"]);
    assert_eq!(
        messages("<choice><attribute name='x'/><attribute name='y'/></choice>", "<a/>"),
        ["required content is missing"]
    );
}

#[test]
fn classes_of_names() {
    let open = "<zeroOrMore><element><anyName><except><name>b</name><nsName ns='urn:x'/></except>\
                </anyName><empty/></element></zeroOrMore>";
    assert!(messages(open, "<a><c/><p:b xmlns:p='urn:y'/></a>").is_empty());
    assert_eq!(
        messages(open, "<a><b/><p:c xmlns:p='urn:x'/></a>"),
        [
            "the element <b> is not allowed here; allowed here: other elements",
            "the element <c> in the namespace \"urn:x\" is not allowed here; \
             allowed here: other elements"
        ]
    );
    let within = "<element><choice><nsName ns='urn:x'/><name>c</name></choice><empty/></element>";
    assert!(messages(within, "<a><c/></a>").is_empty());
    assert_eq!(
        messages(within, "<a><b/></a>")[1],
        "the element <b> is not allowed here; allowed here: names of the namespace \"urn:x\", c"
    );
    let spaced = "<element name='a' ns='urn:x' xmlns:p='urn:p' \
                  xmlns='http://relaxng.org/ns/structure/1.0'>
                  <attribute name='p:x'/><attribute name='y'/></element>";
    assert!(of(spaced, "<a xmlns='urn:x' xmlns:q='urn:p' q:x='' y=''/>").is_empty());
    assert_eq!(
        of(spaced, "<a xmlns='urn:x' x=''/>"),
        ["the attribute x is not allowed here; allowed here: x of the namespace \"urn:p\", y; \
          the attribute x of the namespace \"urn:p\" is missing; the attribute y is missing"]
    );
    assert_eq!(
        of(spaced, "<a/>"),
        ["the element <a> is not allowed here; allowed here: a of the namespace \"urn:x\""]
    );
}

#[test]
fn definitions_in_parts() {
    let parts = grammar(
        "<start combine='choice'><ref name='b'/></start>
         <start combine='choice'><element name='a'><ref name='x'/></element></start>
         <div><define name='b'><element name='b'><empty/></element></define></div>
         <define name='x' combine='interleave'><attribute name='m'/></define>
         <define name='x' combine='interleave'><attribute name='n'/></define>",
    );
    assert!(of(&parts, "<b/>").is_empty());
    assert_eq!(of(&parts, "<c/>"), ["the element <c> is not allowed here; allowed here: a, b"]);
    assert_eq!(of(&parts, "<a/>"), ["the attribute m is missing; the attribute n is missing"]);
}

#[test]
fn annotations_are_skipped() {
    let annotated = grammar(
        "<start xmlns:d='urn:doc' d:since='1'><d:note>text</d:note>\
         <element name='a'><d:note/><empty/></element></start>",
    );
    assert!(of(&annotated, "<a/>").is_empty());
}

#[test]
fn mistakes_have_a_line_and_a_cause() {
    let element = |content: &str| {
        grammar(&format!("<start>\n<element name='a'>\n{content}\n</element></start>"))
    };
    for (grammar, line, cause) in [
        (String::new(), 1, "not XML"),
        ("<grammar>\n</start>".to_owned(), 2, "not XML"),
        ("<grammar/>".to_owned(), 1, "namespace must be"),
        ("\n<html xmlns='http://www.w3.org/1999/xhtml'/>".to_owned(), 2, "namespace must be"),
        (grammar(""), 1, "no start"),
        (element("<ref name='lost'/>"), 4, "ref names no define"),
        (element("<ref/>"), 4, "needs the attribute name"),
        (element("<data type='anyURI'/>"), 4, "anyURI is not supported"),
        (element("<value type='date'>x</value>"), 4, "date is not supported"),
        (element("<data type='token'><param name='length'>1</param></data>"), 4, "facet length"),
        (element("<data type='token'>\n<param name='pattern'>(</param></data>"), 5, "expression"),
        (element("<data type='token'>\n<param name='pattern'>\\i</param></data>"), 5, "\\i"),
        (element("<attribute/>"), 4, "has no name"),
        (element("<attribute name='q:x'/>"), 4, "prefix q"),
        (element("<element><text/><empty/></element>"), 4, "a name is needed"),
        (element("<nothing/>"), 4, "<nothing> is no RELAX NG pattern"),
        (element("<externalRef href='x.rng'/>"), 4, "one file"),
        (element("<parentRef name='x'/>"), 4, "not supported"),
        (grammar("<include href='x.rng'/>"), 2, "one file"),
        (grammar("<element name='a'><empty/></element>"), 2, "cannot stand in a grammar"),
        // What only the library knows has the line of the root.
        (element("<attribute name='x'/><attribute name='x'/>"), 1, "same name"),
        (
            grammar("<start><ref name='a'/></start><define name='a'><ref name='a'/></define>"),
            1,
            "a",
        ),
    ] {
        let refusal = refusal(&grammar);
        assert!(refusal.starts_with(&format!("line {line}: ")), "{refusal}\n{grammar}");
        assert!(refusal.contains(cause) && !refusal.contains('\n'), "{refusal}\n{grammar}");
    }
}

#[test]
fn a_grammar_of_hostile_shape_is_refused_or_read_but_never_fatal() {
    let nested = |levels: usize| {
        format!("{}<empty/>{}", "<group>".repeat(levels), "</group>".repeat(levels))
    };
    assert!(messages(&nested(58), "<a/>").is_empty());
    let refused = refusal(&grammar(&format!("<start>{}</start>", nested(500))));
    assert!(refused.contains("deeper than 64 levels"), "{refused}");
    let refused = refusal(&grammar(&format!("<start>{}</start>", nested(100_000))));
    assert!(refused.contains("more than 1000 elements"), "{refused}");

    let chain: String = (0..490)
        .map(|number| format!("<define name='d{number}'><ref name='d{}'/></define>", number + 1))
        .collect();
    let chain = format!("<start><element name='a'><ref name='d0'/></element></start>{chain}");
    let chain = grammar(&format!("{chain}<define name='d490'><attribute name='x'/></define>"));
    assert_eq!(of(&chain, "<a/>"), ["the attribute x is missing"]);

    let longer: String = (0..248)
        .map(|number| {
            let next = format!("<ref name='d{}'/>", number + 1);
            format!("<define name='d{number}'><choice>{next}<empty/></choice></define>")
        })
        .collect();
    let longer = format!("<start><element name='a'><ref name='d0'/></element></start>{longer}");
    let longer = grammar(&format!("{longer}<define name='d248'>{B}</define>"));
    assert_eq!(of(&longer, "<a>x</a>"), ["text is not allowed here; allowed here: b"]);

    // Definitions that lead to the next one twice: 2 to the power of 240 ways through.
    let twice: String = (0..240)
        .map(|number| {
            let next = format!("<ref name='d{}'/>", number + 1);
            format!("<define name='d{number}'><choice>{next}{next}</choice></define>")
        })
        .collect();
    let twice = format!("<start><element name='a'><ref name='d0'/></element></start>{twice}");
    let twice = grammar(&format!("{twice}<define name='d240'>{B}</define>"));
    assert_eq!(
        of(&twice, "<a><c/></a>"),
        [
            "required content is missing; allowed here: b",
            "the element <c> is not allowed here; allowed here: b"
        ]
    );
}
