//! Documents of hostile size and shape: nothing overflows, and the time grows with the size.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a test fails by panicking"
)]

use std::time::{Duration, Instant};

use relaxng::Grammar;
use relaxng::roxmltree::{Document, ParsingOptions};

const CANVAS: &str = include_str!("../../../schema/canvas.rng");

fn parse(xml: &str) -> Document<'_> {
    let options = ParsingOptions { nodes_limit: u32::MAX, ..ParsingOptions::default() };
    Document::parse_with_options(xml, options).unwrap()
}

fn canvas(content: &str) -> String {
    format!("<canvas ledger=\"x\" schema=\"2\">{content}</canvas>")
}

#[test]
fn a_hundred_thousand_levels() {
    const LEVELS: usize = 100_000;
    let grammar = Grammar::parse(CANVAS).unwrap();
    for name in ["section", "decision"] {
        let open = format!("<{name} id=\"ab2c\" v=\"1\" title=\"\">").repeat(LEVELS);
        let xml = canvas(&format!("{open}{}", format!("</{name}>").repeat(LEVELS)));
        assert_eq!(grammar.offences(&parse(&xml)).len(), 1);
    }

    // A grammar that allows any depth, so that each level is entered.
    let recursive =
        "<grammar xmlns='http://relaxng.org/ns/structure/1.0'><start><ref name='a'/></start>
        <define name='a'><element name='a'><optional><ref name='a'/></optional></element></define>
        </grammar>";
    let recursive = Grammar::parse(recursive).unwrap();
    let nested = |inner: &str| format!("{}{inner}{}", "<a>".repeat(LEVELS), "</a>".repeat(LEVELS));
    assert!(recursive.offences(&parse(&nested(""))).is_empty());
    let found = recursive.offences(&parse(&nested("<b/>")));
    assert_eq!(found.len(), 1);
    assert_eq!(found[0].message, "the element <b> is not allowed here; allowed here: a");
}

/// Each of these is repeated so often within one parent, and each occurrence is one offence.
const FAULTS: [&str; 5] = [
    "<text id=\"BAD\" v=\"0\"/>",
    "<decision/>",
    "<section id=\"ab2c\" v=\"1\"/>",
    "<text id=\"ab2c\" v=\"1\" note=\"\"><!-- c --></text>",
    "<list id=\"ab2c\" v=\"1\">stray</list>",
];

fn time(grammar: &Grammar, xml: &str, offences: usize) -> Duration {
    let document = parse(xml);
    let once = || {
        let start = Instant::now();
        assert_eq!(grammar.offences(&document).len(), offences);
        start.elapsed()
    };
    once().min(once()).min(once())
}

#[test]
fn the_time_grows_with_the_size() {
    let grammar = Grammar::parse(CANVAS).unwrap();
    let faulty = |times: usize| canvas(&FAULTS.concat().repeat(times));
    let sections = |times: usize| {
        canvas(&"<section id=\"\" v=\"1\"><section id=\"\"><b/></section></section>".repeat(times))
    };
    let attributes = |times: usize| {
        // The parser compares the attributes of one element with one another; few at a time here.
        let many: String = (0..100).map(|number| format!(" a{number}=\"\"")).collect();
        canvas(&format!("<text id=\"ab2c\" v=\"1\"{many}/>").repeat(times / 20))
    };
    let valid = |times: usize| canvas(&"<text id=\"ab2c\" v=\"1\">x</text>".repeat(5 * times));
    for (name, document, offences) in [
        ("faulty", &faulty as &dyn Fn(usize) -> String, 5.0),
        ("sections", &sections, 3.0),
        ("attributes", &attributes, 0.05),
        ("valid", &valid, 0.0),
    ] {
        let (small, large) = (200_usize, 1_600_usize);
        let count = |times: usize| (times as f64 * offences) as usize;
        let first = time(&grammar, &document(small), count(small));
        let second = time(&grammar, &document(large), count(large));
        // Eight times the size; quadratic growth would be 64 times the time.
        assert!(second < first * 24 + Duration::from_millis(20), "{name}: {first:?}, {second:?}");
    }
}

#[test]
fn many_of_each_fault() {
    let grammar = Grammar::parse(CANVAS).unwrap();
    let xml = canvas(&FAULTS.concat().repeat(4_000));
    assert_eq!(grammar.offences(&parse(&xml)).len(), 20_000);
}
