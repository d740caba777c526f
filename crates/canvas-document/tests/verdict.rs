//! The verdict: `verdict/well-formed.txt` and `verdict/canvases.txt` say what it is, and the limits
//! are tried at and one past.
#![allow(clippy::unwrap_used, clippy::expect_used)]

use canvas_document::{
    ATTRIBUTES_PER_ELEMENT, BYTES, DECLARATIONS, DEPTH, DIAGNOSTICS, Diagnostic, Document, Fault,
    NODES, Verdict, examine, validate,
};
use proptest::prelude::*;

const WELL_FORMED: &str = include_str!("verdict/well-formed.txt");
const CANVASES: &str = include_str!("verdict/canvases.txt");

/// The shorthands of `well-formed.txt`.
fn spelled(raw: &str) -> Vec<u8> {
    let text = raw.replace("\\n", "\n").replace("\\t", "\t").replace("\\r", "\r");
    let mut bytes = Vec::new();
    let mut rest = text.as_str();
    while let Some(at) = rest.find("\\x{").into_iter().chain(rest.find("\\B{")).min() {
        bytes.extend_from_slice(&rest.as_bytes()[..at]);
        let end = at + rest[at..].find('}').unwrap();
        let code = u32::from_str_radix(&rest[at + 3..end], 16).unwrap();
        if rest[at..].starts_with("\\x") {
            bytes.extend_from_slice(char::from_u32(code).unwrap().to_string().as_bytes());
        } else {
            bytes.push(u8::try_from(code).unwrap());
        }
        rest = &rest[end + 1..];
    }
    bytes.extend_from_slice(rest.as_bytes());
    bytes
}

#[test]
fn well_formedness_is_as_the_table_says() {
    let mut wrong = Vec::new();
    for line in WELL_FORMED.lines().filter(|line| !line.is_empty() && !line.starts_with('#')) {
        let (expected, raw) = line.split_once(" :: ").expect(line);
        let bytes = spelled(raw);
        let (verdict, tree) = examine("F", &bytes);
        assert_eq!(validate("F", &bytes), verdict, "{line}");
        if expected == "yes" {
            assert!(matches!(verdict, Verdict::Invalid(_)), "{line}: {verdict:?}");
            assert_eq!(tree, Document::parse(&bytes), "{line}");
            assert!(tree.is_ok(), "{line}: {tree:?}");
        } else {
            let fault = tree.expect_err(line);
            assert_eq!(Document::parse(&bytes), Err(fault.clone()), "{line}");
            if fault.line != Some(expected.parse().unwrap()) {
                wrong.push(format!("{line}: {fault}"));
            }
            assert_eq!(verdict, Verdict::NotWellFormed(Diagnostic::not_well_formed("F", &fault)));
        }
    }
    assert_eq!(wrong, [""; 0]);
}

#[test]
fn canvases_are_judged_as_the_table_says() {
    for section in CANVASES.split("\n--- ").skip(1) {
        let (name, rest) = section.split_once('\n').unwrap();
        let (document, expected) = rest.split_once("\n===").expect(name);
        let document = document.replace("@C", "<canvas ledger=\"t\" schema=\"2\">");
        let verdict = validate("F", document.as_bytes());
        let lines: Vec<_> = verdict.diagnostics().iter().map(ToString::to_string).collect();
        let expected: Vec<_> = expected.lines().filter(|line| !line.is_empty()).collect();
        assert_eq!(lines.len(), expected.len(), "{name}: {lines:#?}");
        for (line, expected) in lines.iter().zip(expected) {
            assert!(line.starts_with(expected), "{name}: {line}");
            assert!(line.len() > expected.len() || line.contains(": SVG_"), "{name}: {line}");
            assert!(!line.contains('\n') && !line.contains('\u{1b}'), "{name}: {line:?}");
        }
        assert_eq!(lines.is_empty(), verdict == Verdict::Valid, "{name}");
        // A valid canvas can always be loaded.
        let (again, tree) = examine("F", document.as_bytes());
        assert!(again == verdict && (tree.is_ok() || verdict != Verdict::Valid), "{name}");
    }
}

#[test]
fn a_label_is_shown_as_given_but_cannot_forge_a_line() {
    let verdict = validate("a/b.xml", b"<");
    assert!(verdict.diagnostics()[0].to_string().starts_with("a/b.xml:1: not well-formed XML: "));
    let verdict = validate("a\nCanvas-Exit: 0", b"<");
    assert!(!verdict.diagnostics()[0].to_string().contains('\n'));
}

fn faults(text: &str) -> Result<(), Fault> {
    Document::parse(text.as_bytes()).map(|_| ())
}

fn names_limit(fault: &Fault, limit: usize, line: u32) {
    assert!(fault.message.contains(&limit.to_string()), "{fault}");
    assert_eq!(fault.line, Some(line), "{fault}");
}

#[test]
fn the_limit_of_bytes() {
    let sized = |bytes: usize| format!("<a>{}</a>", " ".repeat(bytes - 7));
    assert_eq!(faults(&sized(BYTES)), Ok(()));
    names_limit(&faults(&sized(BYTES + 1)).unwrap_err(), BYTES, 1);
}

#[test]
fn the_limit_of_depth() {
    let nested = |depth: usize| format!("{}{}", "<a>\n".repeat(depth), "</a>".repeat(depth));
    assert_eq!(faults(&nested(DEPTH)), Ok(()));
    names_limit(&faults(&nested(DEPTH + 1)).unwrap_err(), DEPTH, 65);
    names_limit(&faults(&nested(100_000)).unwrap_err(), DEPTH, 65);
    let unclosed = "<a>".repeat(1_000_000);
    names_limit(&faults(&unclosed).unwrap_err(), DEPTH, 1);
}

#[test]
fn the_limit_of_nodes() {
    for node in ["<b/>\n", "<!---->\n", "<?b?>\n", "<![CDATA[]]>\n"] {
        let text = |nodes: usize| format!("<a>{}</a>", node.repeat(nodes - 1));
        assert_eq!(faults(&text(NODES)), Ok(()), "{node}");
        names_limit(&faults(&text(NODES + 1)).unwrap_err(), NODES, 200_000);
    }
}

#[test]
fn the_limits_of_attributes_and_declarations() {
    let attributes = |count: usize| {
        let list: String = (0..count).map(|n| format!(" a{n}=''")).collect();
        format!("<a>\n<b{list}/></a>")
    };
    assert_eq!(faults(&attributes(ATTRIBUTES_PER_ELEMENT)), Ok(()));
    let fault = faults(&attributes(ATTRIBUTES_PER_ELEMENT + 1)).unwrap_err();
    names_limit(&fault, ATTRIBUTES_PER_ELEMENT, 2);
    let declarations = |count: usize| {
        let list: String = (0..count).map(|n| format!("\n<b xmlns:x{n}='u'/>")).collect();
        format!("<a>{list}</a>")
    };
    assert_eq!(faults(&declarations(DECLARATIONS)), Ok(()));
    names_limit(&faults(&declarations(DECLARATIONS + 1)).unwrap_err(), DECLARATIONS, 102);
}

#[test]
fn the_limit_of_diagnostics() {
    let text = |faults: usize| {
        format!("<canvas ledger='t' schema='2'>{}</canvas>", "<risk/>\n".repeat(faults))
    };
    let verdict = validate("F", text(DIAGNOSTICS).as_bytes());
    assert_eq!(verdict.diagnostics().len(), DIAGNOSTICS);
    let last = verdict.diagnostics().last().unwrap().to_string();
    assert!(last.starts_with("F:10000: <risk> "), "{last}");
    assert!(last.contains("at /canvas[1]/risk[10000]"), "{last}");
    let verdict = validate("F", text(DIAGNOSTICS + 1).as_bytes());
    assert_eq!(verdict.diagnostics().len(), DIAGNOSTICS + 1);
    assert!(verdict.diagnostics().last().unwrap().to_string().contains("10000"));
}

proptest! {
    #[test]
    fn no_bytes_make_the_verdict_panic(bytes in prop::collection::vec(any::<u8>(), 0..300)) {
        let (verdict, tree) = examine("F", &bytes);
        prop_assert_eq!(&validate("F", &bytes), &verdict);
        prop_assert_eq!(matches!(verdict, Verdict::NotWellFormed(_)), Document::parse(&bytes).is_err() && tree.is_err());
    }

    #[test]
    fn a_damaged_canvas_is_judged_without_panic(at in 0usize..400, byte in any::<u8>(), cut in any::<bool>()) {
        let mut bytes = br#"<?xml version="1.0" encoding="UTF-8"?>
<canvas ledger="t" schema="2">
  <section id="aaaa" v="1" title="x"><text id="aaab" v="1">a &amp; b</text></section>
  <figure id="aaac" v="1" payload="svg">&lt;svg xmlns="http://www.w3.org/2000/svg"/></figure>
</canvas>
"#.to_vec();
        let at = at % bytes.len();
        if cut { bytes.truncate(at) } else { bytes[at] = byte }
        let (verdict, tree) = examine("F", &bytes);
        if let Ok(tree) = tree {
            // Words between children are dropped on loading, so only a valid canvas is sure to stay so.
            let again = validate("F", &tree.to_bytes().unwrap());
            prop_assert!(verdict != Verdict::Valid || again == Verdict::Valid);
        }
    }
}
