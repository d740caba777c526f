//! The conformance corpus: `tests/fixtures/*.txt`, each a list of sources and what is read in them.
//!
//! A case is a line `=== TITLE`, the Markdown source, a line `---->`, and the reading: blocks with
//! their runs, links, definitions, anchors, sentences, and front matter, with byte spans. In a source
//! `␍` stands for a carriage return, `⇥` for a tab, `␀` for a null and `⟪BOM⟫` for a byte order mark; the last line
//! break is not part of it. Running with `UPDATE_FIXTURES=1` writes the readings anew, to be reviewed
//! as a change of the files.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::fmt::Write;
use std::fs;
use std::path::PathBuf;

use markdown::yaml::{Mapping, Node, Value};
use markdown::{Document, Owner, Refusal, Span};

fn shown(span: Span) -> String {
    format!("{}..{}", span.start, span.end)
}

fn reading(source: &str) -> String {
    let mut out = String::new();
    let document = match Document::parse(source) {
        Ok(document) => document,
        Err(refusal) => {
            match &refusal {
                Refusal::FrontMatter(faults) => {
                    for fault in faults {
                        writeln!(out, "refused {} {}", shown(fault.span), fault.kind).unwrap();
                    }
                }
                other => writeln!(out, "refused {other}").unwrap(),
            }
            return out;
        }
    };
    if document.is_near_miss() {
        writeln!(out, "near miss").unwrap();
    }
    if let Some(front_matter) = document.front_matter() {
        writeln!(out, "front matter {}", shown(front_matter.span)).unwrap();
        entries(&mut out, &front_matter.values, 1);
    }
    for block in document.blocks() {
        let kind = format!("{:?}", block.kind).to_lowercase();
        write!(out, "{kind} {}", shown(block.span)).unwrap();
        if block.quote_depth > 0 {
            write!(out, " depth {}", block.quote_depth).unwrap();
        }
        if !block.info.is_empty() {
            write!(out, " info {:?}", block.info).unwrap();
        }
        for soft in document.body().soft_breaks_of(block) {
            write!(out, " soft {}", shown(*soft)).unwrap();
        }
        writeln!(out).unwrap();
        for run in document.runs_of(block) {
            let owner = match run.owner {
                Owner::Authored => "authored",
                Owner::Quoted => "quoted",
                Owner::Code => "code",
            };
            let exact = if run.is_exact() { "" } else { " inexact" };
            let text = document.text_of(run);
            writeln!(out, "  {owner} {} {text:?}{exact}", shown(run.span)).unwrap();
        }
    }
    for link in document.links() {
        let what = if link.image { "image" } else { "link" };
        let form = format!("{:?}", link.form).to_lowercase();
        let quoted = if link.quoted { " quoted" } else { "" };
        let at = link.destination_span.map_or("?".into(), |span| {
            let raw = span.of(source);
            let same = if raw == &*link.destination { "" } else { raw };
            format!("{} {same}", shown(span)).trim_end().to_owned()
        });
        let text = document.link_text(link);
        let to = &link.destination;
        writeln!(out, "{what} {} {form}{quoted} {text:?} -> {to:?} at {at}", shown(link.span))
            .unwrap();
    }
    for definition in document.body().definitions() {
        let at = definition.destination_span.map_or("?".into(), shown);
        let (label, to) = (&definition.label, &definition.destination);
        writeln!(out, "definition {} {label:?} -> {to:?} at {at}", shown(definition.span)).unwrap();
    }
    for heading in document.headings() {
        writeln!(out, "anchor #{} level {}", heading.anchor, heading.level).unwrap();
    }
    for sentence in document.sentences() {
        let at = document.position(sentence.span.start);
        writeln!(out, "sentence {at} words {} {:?}", sentence.words(), sentence.text.as_str())
            .unwrap();
    }
    out
}

fn entries(out: &mut String, mapping: &Mapping, depth: usize) {
    for entry in mapping.entries() {
        write!(out, "{}{:?} {}", "  ".repeat(depth), entry.key, shown(entry.key_span)).unwrap();
        value(out, &entry.value, depth);
    }
}

fn value(out: &mut String, node: &Node, depth: usize) {
    match &node.value {
        Value::Scalar(scalar) => {
            let style = format!("{:?}", scalar.style).to_lowercase();
            writeln!(out, " {style} {:?} {}", scalar.text, shown(node.span)).unwrap();
        }
        Value::List(items) => {
            writeln!(out, " list {}", shown(node.span)).unwrap();
            for item in items {
                write!(out, "{}-", "  ".repeat(depth + 1)).unwrap();
                value(out, item, depth + 1);
            }
        }
        Value::Mapping(mapping) => {
            let flow = if mapping.is_flow() { "flow " } else { "" };
            writeln!(out, " {flow}mapping {}", shown(node.span)).unwrap();
            entries(out, mapping, depth + 1);
        }
    }
}

#[test]
fn every_case_reads_as_written() {
    let mut files: Vec<PathBuf> = fs::read_dir("tests/fixtures")
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "txt"))
        .collect();
    files.sort();
    let update = std::env::var_os("UPDATE_FIXTURES").is_some();
    let mut wrong = Vec::new();
    let mut count = 0;
    for path in files {
        let text = fs::read_to_string(&path).unwrap();
        let (preamble, cases) = text.split_once("\n=== ").unwrap();
        let mut written = format!("{preamble}\n");
        for case in cases.split("\n=== ") {
            count += 1;
            let (title, rest) = case.split_once('\n').unwrap();
            let (source, expected) = rest.split_once("\n---->").unwrap_or((rest, ""));
            let expected = expected.trim_matches('\n');
            let plain = source
                .replace('␍', "\r")
                .replace('⇥', "\t")
                .replace('␀', "\0")
                .replace("⟪BOM⟫", "\u{feff}");
            let actual = reading(&plain);
            let actual = actual.trim_end();
            if expected != actual {
                wrong.push(format!("{title} ({})\n{source}\n---->\n{actual}\n", path.display()));
            }
            write!(written, "=== {title}\n{source}\n---->\n{actual}\n\n").unwrap();
        }
        if update {
            fs::write(&path, format!("{}\n", written.trim_end())).unwrap();
        }
    }
    assert!(update || wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(count >= 100, "only {count} cases: some are missing");
}
