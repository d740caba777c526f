//! What each fuzz target does with bytes: read them, and hold what was read to its promises. A test of
//! the workspace (`tests/mutations.rs`) runs the same functions over mutated samples, so that they cannot
//! fall behind the libraries.

use canvas_document::{Document as Canvas, Verdict};
use headwater_check::{Manifest, ReadSet};
use headwater_taxonomy::declaration::Declaration;
use headwater_taxonomy::{lock, yaml};
use markdown::{Document, Span};

/// An entry: what it is called, and what it does.
pub type Entry = (&'static str, fn(&[u8]));

/// Every entry; each has a target of its name.
pub const ENTRIES: [Entry; 6] = [
    ("document", document),
    ("lock", lock_file),
    ("declaration", declaration),
    ("manifest", manifest),
    ("read_set", read_set),
    ("canvas", canvas),
];

/// A Markdown document: front matter, body, sentences, anchors.
pub fn document(bytes: &[u8]) {
    let Ok(document) = Document::read(bytes.to_vec()) else { return };
    let source = document.source();
    let fits = |span: Span| assert!(source.get(span.start..span.end).is_some(), "{span:?}");
    if let Some(front_matter) = document.front_matter() {
        fits(front_matter.span);
        fits(front_matter.content);
        for entry in front_matter.values.entries() {
            fits(entry.key_span);
            fits(entry.value.span);
            assert!(front_matter.values.entry(&entry.key).is_some());
        }
    }
    document.blocks().iter().for_each(|block| fits(block.span));
    document.body().runs().iter().for_each(|run| fits(run.span));
    document.links().iter().for_each(|link| fits(link.span));
    for heading in document.headings() {
        assert!(document.position(heading.span.start).line > 0);
    }
    for sentence in document.sentences() {
        fits(sentence.span);
    }
}

/// The lock of a taxonomy.
pub fn lock_file(bytes: &[u8]) {
    // The refusal is made too: it quotes what was found.
    if let Err(fault) = lock::parse(bytes) {
        one_line(&fault.refusal().render("headwater"));
    }
}

/// The declaration of a repository, and the loader under it.
pub fn declaration(bytes: &[u8]) {
    if let Err(faults) = yaml::load_bytes(bytes, 0) {
        faults.iter().for_each(|fault| one_line(&fault.to_string()));
    }
    if let Err(refusals) = Declaration::parse(bytes) {
        refusals.iter().for_each(|refusal| one_line(&refusal.render("headwater")));
    }
}

/// The manifest of a change.
pub fn manifest(bytes: &[u8]) {
    let Ok(text) = std::str::from_utf8(bytes) else { return };
    if let Err(why) = Manifest::parse(text) {
        one_line(&why);
    }
}

/// What a verdict rests on.
pub fn read_set(bytes: &[u8]) {
    let Ok(text) = std::str::from_utf8(bytes) else { return };
    match ReadSet::parse(text) {
        Err(why) => one_line(&why.to_string()),
        Ok(set) => assert!(set.to_string().starts_with("lock ")),
    }
}

/// A canvas: what was read is written, and what was written is read back the same.
pub fn canvas(bytes: &[u8]) {
    let verdict = canvas_document::validate("c.xml", bytes);
    verdict.diagnostics().iter().for_each(|diagnostic| one_line(&diagnostic.to_string()));
    match Canvas::parse(bytes) {
        Err(_) => assert!(verdict != Verdict::Valid, "a valid canvas has a tree"),
        Ok(tree) => {
            let Ok(written) = tree.to_bytes() else { return };
            let again = Canvas::parse(&written).expect("what was written is read");
            assert_eq!(again, tree);
            assert_eq!(again.to_bytes().expect("it was written before"), written);
        }
    }
}

/// No value that was read forges a line of its own.
fn one_line(text: &str) {
    assert!(!text.chars().any(char::is_control), "{text:?}");
}
