//! Inline drawings: `svg/refused.txt` and `svg/accepted.txt` say what is refused, with which codes,
//! and what passes; the limits are tried at and one past.
#![allow(clippy::unwrap_used, clippy::expect_used)]

use canvas_document::{
    SVG_ATTRIBUTES_PER_ELEMENT, SVG_BYTES, SVG_DEPTH, SVG_ELEMENTS, svg_refusals,
};
use proptest::prelude::*;

const REFUSED: &str = include_str!("svg/refused.txt");
const ACCEPTED: &str = include_str!("svg/accepted.txt");
const START: &str = "<svg xmlns=\"http://www.w3.org/2000/svg\"";

/// The shorthands of the data files.
fn spelled(raw: &str) -> String {
    let mut text =
        raw.replace("@S", START).replace("\\n", "\n").replace("\\t", "\t").replace("\\r", "\r");
    while let Some(at) = text.find("\\x{") {
        let end = at + text[at..].find('}').unwrap();
        let c = char::from_u32(u32::from_str_radix(&text[at + 3..end], 16).unwrap()).unwrap();
        text.replace_range(at..=end, &c.to_string());
    }
    text
}

fn codes(text: &str) -> Vec<String> {
    svg_refusals(text).into_iter().map(|refusal| refusal.code).collect()
}

#[test]
fn every_attack_is_refused_with_its_codes() {
    let mut count = 0;
    for line in REFUSED.lines().filter(|line| !line.is_empty() && !line.starts_with('#')) {
        let (expected, drawing) = line.split_once(" :: ").expect(line);
        let expected: Vec<_> = expected.split(',').collect();
        assert_eq!(codes(&spelled(drawing)), expected, "{drawing}");
        count += 1;
    }
    assert!(count >= 150, "{count} attacks");
}

#[test]
fn every_honest_drawing_passes() {
    let mut count = 0;
    for section in ACCEPTED.split("\n--- ").skip(1) {
        let (name, drawing) = section.split_once('\n').unwrap();
        assert_eq!(svg_refusals(&spelled(drawing)), [], "{name}");
        count += 1;
    }
    assert!(count >= 40, "{count} drawings");
}

#[test]
fn every_refusal_says_what_to_change() {
    for line in REFUSED.lines().filter(|line| line.contains(" :: ")) {
        let (_, drawing) = line.split_once(" :: ").unwrap();
        for refusal in svg_refusals(&spelled(drawing)) {
            assert!(refusal.advice.split_whitespace().count() >= 4, "{refusal:?}");
            assert!(!refusal.advice.contains('\n'), "{refusal:?}");
        }
    }
}

#[test]
fn the_size_limit_counts_bytes() {
    let sized = |bytes: usize| {
        let frame = format!("{START}><title></title></svg>").len();
        let words = bytes - frame;
        // Two bytes a character, so that a count of characters would come out at half.
        let words = "é".repeat(words / 2) + &"e".repeat(words % 2);
        format!("{START}><title>{words}</title></svg>")
    };
    assert_eq!(sized(SVG_BYTES).len(), SVG_BYTES);
    assert_eq!(codes(&sized(SVG_BYTES)), [""; 0]);
    assert_eq!(codes(&sized(SVG_BYTES + 1)), ["SVG_TOO_LARGE"]);
    assert_eq!(codes(&"<?".repeat(SVG_BYTES)), ["SVG_TOO_LARGE"]);
}

#[test]
fn the_element_limit_counts_the_root() {
    let drawing = |elements: usize| format!("{START}>{}</svg>", "<rect/>".repeat(elements - 1));
    assert_eq!(codes(&drawing(SVG_ELEMENTS)), [""; 0]);
    assert_eq!(codes(&drawing(SVG_ELEMENTS + 1)), ["SVG_TOO_MANY_ELEMENTS"]);
    // Refused ones count too, and come before the root is looked at.
    assert_eq!(codes(&format!("<x>{}</x>", "<script/>".repeat(256))), ["SVG_TOO_MANY_ELEMENTS"]);
}

#[test]
fn the_depth_limit_counts_the_root() {
    let drawing = |depth: usize| {
        format!("{START}>{}{}</svg>", "<g>".repeat(depth - 1), "</g>".repeat(depth - 1))
    };
    assert_eq!(codes(&drawing(SVG_DEPTH)), [""; 0]);
    assert_eq!(codes(&drawing(SVG_DEPTH + 1)), ["SVG_TOO_DEEP"]);
    assert_eq!(codes(&drawing(100)), ["SVG_TOO_DEEP"]);
    assert_eq!(codes(&drawing(10_000)), ["SVG_TOO_MANY_ELEMENTS"]);
}

#[test]
fn the_limit_of_attributes_keeps_the_check_linear() {
    let drawing = |count: usize| {
        let attributes: String = (0..count).map(|n| format!(" a{n}=''")).collect();
        svg_refusals(&format!("{START}{attributes}/>"))
    };
    // The declaration of the namespace counts.
    let limit = SVG_ATTRIBUTES_PER_ELEMENT - 1;
    assert_eq!(drawing(limit).len(), limit);
    for count in [limit + 1, 8_000] {
        let refused = drawing(count);
        assert_eq!(refused[0].code, "SVG_NOT_WELL_FORMED");
        assert!(refused[0].advice.contains("256 attributes"));
    }
}

proptest! {
    #[test]
    fn no_text_makes_the_check_panic(text in "\\PC*") {
        let _ = svg_refusals(&text);
    }

    #[test]
    fn pieces_of_drawings_never_pass_with_a_foreign_element_or_handler(
        pieces in prop::collection::vec(prop::sample::select(vec![
            "<g>", "</g>", "<rect/>", "<script/>", "<rect onclick='x'/>", "<text>a</text>", "words",
            "<!-- c -->", "<use href='#a'/>", "&lt;", " ", "<g fill='none'>", "<text>", "</text>",
        ]), 0..12)
    ) {
        let inner = pieces.concat();
        let found = codes(&format!("{START}>{inner}</svg>"));
        let dangerous = inner.contains("script") || inner.contains("onclick") || inner.contains("use");
        prop_assert!(!dangerous || !found.is_empty());
    }
}
