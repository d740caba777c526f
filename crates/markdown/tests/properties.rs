//! What holds for every text: spans fit and are in order, and where a document stands, which line
//! breaks it has and what precedes it change nothing but offsets.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::hint::black_box;

use markdown::{Body, Document, LinkForm, Owner, Span};
use proptest::prelude::*;

/// Fragments that make and break Markdown.
const PIECES: &[&str] = &[
    "a",
    "B",
    "word ",
    "ä",
    "😀",
    " ",
    "  ",
    "    ",
    "\t",
    "\n",
    "\n\n",
    "\n> ",
    "\n- ",
    "\n1. ",
    "\n# ",
    "\n===\n",
    "\n---\n",
    "\n```\n",
    "\n~~~sh\n",
    "\n| a | b |\n| - | - |\n",
    "|",
    "*",
    "**",
    "_",
    "~~",
    "`",
    "``",
    "[",
    "]",
    "(",
    ")",
    "](",
    "][",
    "]: ",
    "![",
    "<",
    ">",
    "<b>",
    "</b>",
    "<!--",
    "-->",
    "<div>\n",
    "http://a.b ",
    "<http://a.b>",
    "<a@b.c>",
    "\\",
    "\\\n",
    "  \n",
    "&amp;",
    "&quot;",
    "&#0;",
    "\0",
    "\"",
    "“",
    "”",
    "'",
    ".",
    ". ",
    "! ",
    "? ",
    "e.g. ",
    "U.S. ",
    "A",
    "1",
    "#1 ",
    "iPhone ",
    "; ",
    "[a]: /b \"c\"\n",
    "[a]",
    "[a][]",
    "[x](y)",
    "[x](<y z> 't')",
    "(b ",
    "…",
    "\u{a0}",
    "\u{feff}",
    "\u{2028}",
];

fn text() -> impl Strategy<Value = String> {
    proptest::collection::vec(proptest::sample::select(PIECES), 0..40)
        .prop_map(|pieces| pieces.concat())
}

/// Everything about a body that must not depend on where it stands.
fn shape(source: &str, body: &Body, by: usize) -> Vec<String> {
    let moved = |span: Span| (span.start - by, span.end - by);
    let mut lines = Vec::new();
    for block in body.blocks() {
        lines.push(format!("{:?} {:?} {}", block.kind, moved(block.span), block.quote_depth));
        for run in body.runs_of(block) {
            let text = run.text(source);
            lines.push(format!(
                "  {:?} {:?} {text:?} {}",
                run.owner,
                moved(run.span),
                run.is_exact()
            ));
        }
    }
    for link in body.links() {
        let at = link.destination_span.map(moved);
        let text = body.link_text(source, link);
        lines.push(format!(
            "{:?} {:?} {:?} {at:?} {text:?}",
            link.form,
            moved(link.span),
            link.destination
        ));
    }
    for sentence in body.sentences(source) {
        lines.push(format!("{:?} {:?}", moved(sentence.span), sentence.text.as_str()));
    }
    lines
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: if cfg!(debug_assertions) { 400 } else { 50_000 },
        failure_persistence: None,
        ..ProptestConfig::default()
    })]

    #[test]
    fn spans_fit_and_are_in_order(source in text()) {
        let body = Body::parse(&source, 0);
        let mut before = Span::default();
        for block in body.blocks() {
            prop_assert!(source.get(block.span.start..block.span.end).is_some());
            prop_assert!(before <= block.span, "{before:?} {:?}", block.span);
            before = block.span;
            let runs = body.runs_of(block);
            prop_assert!(!runs.is_empty());
            for pair in runs.windows(2) {
                prop_assert!(pair[0].span.end <= pair[1].span.start);
            }
            for run in runs {
                prop_assert!(block.span.start <= run.span.start);
                prop_assert!(block.kind.is_verbatim() || run.span.end <= block.span.end, "{run:?} {block:?}");
                prop_assert!(!run.text(&source).is_empty());
                prop_assert_eq!(block.kind.is_verbatim() && run.owner != Owner::Code, false);
                prop_assert!(block.quote_depth == 0 || run.owner != Owner::Authored);
                if run.is_exact() {
                    prop_assert_eq!(run.text(&source), run.span.of(&source));
                }
            }
        }
        for pair in body.links().windows(2) {
            prop_assert!(pair[0].span.start < pair[1].span.start);
        }
    }

    #[test]
    fn a_destination_stands_in_its_span(source in text()) {
        let body = Body::parse(&source, 0);
        for link in body.links() {
            let Some(span) = link.destination_span else {
                prop_assert!(false, "no span for {link:?}");
                continue;
            };
            let raw = span.of(&source);
            if link.form != LinkForm::Email && !raw.contains(['\\', '&', '\0']) {
                prop_assert_eq!(raw, &*link.destination);
            }
        }
    }

    #[test]
    fn sentences_are_in_order_and_hold_all_that_is_visible(source in text()) {
        let body = Body::parse(&source, 0);
        let sentences = body.sentences(&source);
        for pair in sentences.windows(2) {
            prop_assert!(pair[0].span.end <= pair[1].span.start);
        }
        for (at, block) in body.blocks().iter().enumerate() {
            let visible = |text: String| text.split_whitespace().collect::<String>();
            let own = sentences.iter().filter(|sentence| sentence.block == at);
            let said: String = own.map(|sentence| sentence.text.as_str()).collect();
            let expected = if block.is_prose() { body.text_of(&source, block) } else { String::new() };
            prop_assert_eq!(visible(said), visible(expected));
        }
        for sentence in &sentences {
            let prose = sentence.prose();
            for (at, c) in prose.text.char_indices() {
                if let Some(span) = prose.span(at, at + c.len_utf8()) {
                    prop_assert!(c == markdown::PLACEHOLDER || span.of(&source) == c.to_string());
                }
            }
        }
    }

    #[test]
    fn what_precedes_the_body_changes_offsets_only(source in text()) {
        let alone = shape(&source, &Body::parse(&source, 0), 0);
        for before in ["---\na: b\n---\n", "\u{feff}---\r\na: b\r\n---\r\n"] {
            let whole = format!("{before}{source}");
            let document = Document::parse(whole.as_str()).unwrap();
            prop_assert_eq!(document.body_start(), before.len());
            prop_assert_eq!(&alone, &shape(&whole, document.body(), before.len()));
        }
    }

    #[test]
    fn line_breaks_of_windows_change_no_text(source in text()) {
        let other = source.replace('\n', "\r\n");
        let (plain, dos) = (Body::parse(&source, 0), Body::parse(&other, 0));
        // Inside a code span the library reads one such break as two blanks, so only what is visible
        // is compared.
        let visible = |text: &str| text.split_whitespace().collect::<String>();
        let said = |source: &str, body: &Body| -> Vec<String> {
            let sentences = body.sentences(source);
            sentences.iter().map(|sentence| visible(&sentence.text)).collect()
        };
        prop_assert_eq!(said(&source, &plain), said(&other, &dos));
        let kinds = |body: &Body| -> Vec<_> { body.blocks().iter().map(|b| (b.kind, b.quote_depth)).collect() };
        prop_assert_eq!(kinds(&plain), kinds(&dos));
        let links = |body: &Body| -> Vec<_> { body.links().iter().map(|l| (l.form, l.destination.clone())).collect() };
        prop_assert_eq!(links(&plain), links(&dos));
    }

    #[test]
    fn any_bytes_are_read_or_refused(bytes in proptest::collection::vec(any::<u8>(), 0..200)) {
        if let Ok(document) = Document::read(bytes.clone()) {
            prop_assert_eq!(document.source().as_bytes(), bytes);
        }
    }

    #[test]
    fn any_document_is_read_or_refused(source in text()) {
        for fence in ["---\n", "\u{feff}---\r\n", " ---\n"] {
            if let Ok(document) = Document::parse(format!("{fence}{source}")) {
                black_box((document.headings(), document.sentences()));
                for link in document.links() {
                    black_box((document.link_text(link), document.position(link.span.end)));
                }
            }
        }
    }
}
