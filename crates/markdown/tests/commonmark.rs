//! The examples of the CommonMark specification, read by this crate: the headings, the code, the links
//! and images and all text are those of the expected page.
//!
//! The examples are under a licence that this repository cannot take over, so they are not part of it.
//! The package of the parsing library holds them, and cargo has unpacked it to build anything at all.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a test fails by panicking"
)]

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use markdown::{BlockKind, Body, Owner};

/// The file of the library's package that holds the examples.
fn examples() -> PathBuf {
    let run = |program: &str, words: &[&str]| {
        let done =
            Command::new(program).args(words).current_dir(env!("CARGO_MANIFEST_DIR")).output();
        String::from_utf8(done.unwrap().stdout).unwrap()
    };
    let version = run("rustc", &["-vV"]);
    let host = version.lines().find_map(|line| line.strip_prefix("host: ")).unwrap();
    let cargo = std::env::var("CARGO").unwrap_or_else(|_| "cargo".to_owned());
    // Of the other platforms not every package is on this machine.
    let words =
        ["metadata", "--format-version=1", "--locked", "--offline", "--filter-platform", host];
    let metadata = run(&cargo, &words);
    let manifests = metadata.split("\"manifest_path\":\"").skip(1);
    let mut manifests = manifests.filter_map(|rest| rest.split('"').next());
    let manifest = manifests.find(|path| path.contains("pulldown-cmark-0")).expect("the library");
    Path::new(manifest).with_file_name("tests").join("suite/spec.rs")
}

/// The raw strings of the file, two for each example: the Markdown and the page.
fn parse(file: &str) -> Vec<(&str, &str)> {
    let strings: Vec<&str> =
        file.split("r##\"").skip(1).filter_map(|rest| rest.split("\"##").next()).collect();
    strings.chunks_exact(2).map(|pair| (pair[0], pair[1])).collect()
}

/// What a reader sees: heading levels, code blocks, destinations, and every letter.
#[derive(Debug, Default, PartialEq, Eq)]
struct Seen {
    headings: Vec<u8>,
    code: Vec<String>,
    links: Vec<Vec<u8>>,
    images: Vec<Vec<u8>>,
    text: String,
}

fn unescaped(html: &str) -> String {
    html.replace("&lt;", "<").replace("&gt;", ">").replace("&quot;", "\"").replace("&amp;", "&")
}

fn without_blanks(text: &str) -> String {
    text.chars().filter(|c| !c.is_whitespace()).collect()
}

/// A destination as bytes, its escapes read; a page escapes what a document need not.
fn bytes(destination: &str) -> Vec<u8> {
    let mut out = Vec::new();
    let mut rest = destination.as_bytes();
    while let [first, tail @ ..] = rest {
        let escape = tail.get(..2).and_then(|two| std::str::from_utf8(two).ok());
        match escape.and_then(|two| u8::from_str_radix(two, 16).ok()).filter(|_| *first == b'%') {
            Some(byte) => (out.push(byte), rest = &tail[2..]).1,
            None => (out.push(*first), rest = tail).1,
        }
    }
    out
}

fn attribute(tag: &str, name: &str) -> Option<String> {
    let (_, rest) = tag.split_once(&format!(" {name}=\""))?;
    rest.split('"').next().map(unescaped)
}

/// What the page shows. It holds no raw HTML, so every `<` opens a tag of the renderer.
fn page(html: &str) -> Seen {
    let mut seen = Seen::default();
    let mut code: Option<String> = None;
    // A block without a text of its own is none here: nothing can be said about it.
    let html = (1..=6).fold(html.to_owned(), |html, n| html.replace(&format!("<h{n}></h{n}>"), ""));
    for part in html.split('<').skip(1) {
        let (tag, text) = part.split_once('>').unwrap_or((part, ""));
        let text = unescaped(text);
        let name: String = tag.chars().take_while(char::is_ascii_alphanumeric).collect();
        match name.as_str() {
            "h1" | "h2" | "h3" | "h4" | "h5" | "h6" => {
                seen.headings.push(name.as_bytes()[1] - b'0')
            }
            "a" => seen.links.push(bytes(&attribute(tag, "href").unwrap_or_default())),
            "img" => {
                seen.images.push(bytes(&attribute(tag, "src").unwrap_or_default()));
                seen.text.push_str(&without_blanks(&attribute(tag, "alt").unwrap_or_default()));
            }
            "pre" => code = Some(String::new()),
            _ => {}
        }
        if let Some(code) = &mut code {
            code.push_str(&text);
        }
        if tag == "/code" || tag == "/pre" {
            // A code block ends with its element; an inline one is none.
            if let Some(text) = code.take().filter(|_| tag == "/code") {
                let text = text.strip_suffix(&unescaped(part.split_once('>').unwrap().1)).unwrap();
                seen.code.push(text.to_owned());
            }
        }
        seen.text.push_str(&without_blanks(&text));
    }
    seen.code.retain(|code| !code.is_empty());
    seen.links.sort();
    seen.images.sort();
    seen
}

/// What this crate reads; none where there is raw HTML, which a page shows as itself.
fn reading(source: &str) -> Option<Seen> {
    let body = Body::parse(source, 0);
    let mut seen = Seen::default();
    for block in body.blocks() {
        let mut runs = body.runs_of(block).iter();
        let is_html =
            runs.any(|run| run.owner == Owner::Code && run.span.of(source).starts_with('<'));
        let text = body.text_of(source, block);
        match block.kind {
            BlockKind::Html => return None,
            BlockKind::Code => seen.code.push(text.clone()),
            _ if is_html => return None,
            BlockKind::Heading(level) => seen.headings.push(level),
            _ => {}
        }
        seen.text.push_str(&without_blanks(&text));
    }
    for link in body.links() {
        let list = if link.image { &mut seen.images } else { &mut seen.links };
        list.push(bytes(&link.destination));
    }
    seen.links.sort();
    seen.images.sort();
    Some(seen)
}

#[test]
fn every_example_of_the_specification_reads_as_its_page() {
    let path = examples();
    let file =
        fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    let all = parse(&file);
    assert!(all.len() >= 600, "only {} examples were found in {}", all.len(), path.display());
    let mut compared = 0;
    let mut wrong = Vec::new();
    for (number, (source, html)) in (1..).zip(&all) {
        let Some(read) = reading(source) else { continue };
        compared += 1;
        let expected = page(html);
        if read != expected {
            wrong.push(format!(
                "example {number}\n{source}---\n{html}---\n{read:?}\n{expected:?}\n"
            ));
        }
    }
    assert!(wrong.is_empty(), "{} of {compared}:\n{}", wrong.len(), wrong.join("\n"));
    assert!(compared >= 500, "only {compared} examples were compared");
}
