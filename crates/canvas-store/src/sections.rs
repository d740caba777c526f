//! In which section a node sits, read from the bytes of one version of a canvas.
//!
//! Finding the crossings of a canvas asks this of two versions for every move, so the versions that
//! our serializer wrote, nearly all of them, are read in one pass without building a tree. The pass
//! checks every byte against the form of canvas-store §1.4; at the first that is not of it, it gives
//! up, and the version is parsed as any other document.

use canvas_document::{ATTRIBUTES_PER_ELEMENT, DEPTH, Document, NODES};

/// The element that is meant.
const SECTION: &str = "section";
/// The first line of every file that we write.
const DECLARATION: &str = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n";
/// The references that we write.
const REFERENCES: [&str; 7] = ["&amp;", "&lt;", "&gt;", "&quot;", "&#9;", "&#10;", "&#13;"];

/// The id of the nearest section above the first node with this id, no section being one of the
/// answers, as for a node that is not there; none when the bytes are no document.
pub fn section_of(bytes: &[u8], node: &str) -> Option<Option<String>> {
    if let Some(found) = std::str::from_utf8(bytes).ok().and_then(|text| written(text, node)) {
        return Some(found.map(str::to_owned));
    }
    let document = Document::parse(bytes).ok()?;
    let section = document.nearest_ancestor(node, SECTION);
    Some(section.map(|section| section.id().unwrap_or_default().to_owned()))
}

/// [`section_of`] for a text in the exact form that we write; none for any other.
fn written<'t>(text: &'t str, node: &str) -> Option<Option<&'t str>> {
    let mut rest = text.strip_prefix(DECLARATION)?;
    // The open elements: their names, and the section that their children sit in.
    let mut open: Vec<(&str, Option<&str>)> = Vec::new();
    let mut found: Option<Option<&str>> = None;
    let mut elements = 0;
    loop {
        let line = rest.trim_start_matches(' ');
        let indent = rest.len() - line.len();
        if let Some(after) = line.strip_prefix("</") {
            let (name, _) = open.pop()?;
            rest = after.strip_prefix(name)?.strip_prefix(">\n")?;
            if indent != 2 * open.len() {
                return None;
            }
        } else {
            elements += 1;
            if indent != 2 * open.len() || open.len() >= DEPTH || elements > NODES {
                return None;
            }
            let (name, mut after) = name(line.strip_prefix('<')?)?;
            let mut attributes: Vec<(&str, &str)> = Vec::new();
            while let Some(attribute) = after.strip_prefix(' ') {
                let (name, value) = self::name(attribute)?;
                let (value, end) = value.strip_prefix("=\"")?.split_once('"')?;
                let twice = attributes.iter().any(|(other, _)| *other == name);
                let raw = value.contains(['<', '\n', '\t']);
                if twice || raw || name.starts_with("xml") || !is_written(value) {
                    return None;
                }
                attributes.push((name, value));
                after = end;
            }
            if attributes.len() >= ATTRIBUTES_PER_ELEMENT {
                return None;
            }
            let id = attributes.iter().find(|(name, _)| *name == "id").map(|(_, value)| *value);
            if id.is_some_and(|id| id.contains('&')) {
                return None;
            }
            let section = open.last().and_then(|(_, section)| *section);
            // The root is no node.
            if !open.is_empty() && id == Some(node) && found.is_none() {
                found = Some(section);
            }
            if let Some(end) = after.strip_prefix("/>\n") {
                rest = end;
            } else {
                let content = after.strip_prefix('>')?;
                let (words, markup) = content.split_at(content.find('<')?);
                if let Some(end) = markup.strip_prefix("</") {
                    if words.is_empty() || !is_written(words) {
                        return None;
                    }
                    rest = end.strip_prefix(name)?.strip_prefix(">\n")?;
                } else {
                    rest = content.strip_prefix('\n')?;
                    let inside =
                        if name == SECTION { Some(id.unwrap_or_default()) } else { section };
                    open.push((name, inside));
                }
            }
        }
        if open.is_empty() {
            return rest.is_empty().then(|| found.flatten());
        }
    }
}

/// A name that needs no thought, and what follows it.
fn name(text: &str) -> Option<(&str, &str)> {
    let end = text.find(|c: char| !c.is_ascii_alphanumeric() && !matches!(c, '-' | '_' | '.'))?;
    let (name, rest) = text.split_at(end);
    name.starts_with(|c: char| c.is_ascii_alphabetic()).then_some((name, rest))
}

/// Whether words can have come out of our escaping: nothing raw that is escaped, nothing that XML
/// cannot hold.
fn is_written(words: &str) -> bool {
    let plain = |b: u8| b >= b' ' && b != b'>' || matches!(b, b'\n' | b'\t');
    words.bytes().all(plain)
        && !words.contains(['\u{fffe}', '\u{ffff}'])
        && words
            .match_indices('&')
            .all(|(at, _)| REFERENCES.iter().any(|known| words[at..].starts_with(known)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use canvas_document::Element;
    use proptest::prelude::*;

    fn parsed(bytes: &[u8], node: &str) -> Option<Option<String>> {
        let document = Document::parse(bytes).ok()?;
        let section = document.nearest_ancestor(node, SECTION);
        Some(section.map(|section| section.id().unwrap_or_default().to_owned()))
    }

    /// canvas-projections, case 57.
    #[test]
    fn a_section_is_the_one_a_node_sits_in_and_never_its_title() {
        for (first, second) in [("Evidence", "Appendix"), ("", "")] {
            let source = format!(
                "<canvas ledger='t' schema='2'><text id='free' v='1'/>\
                 <section id='aaaa' v='1' title='{first}'><text id='in2a' v='1'/>\
                 <section id='bbbb' v='1' title='{second}'><list id='in2b' v='1'><item id='it2b' v='1'/>\
                 </list></section></section></canvas>"
            );
            let rewritten = Document::parse(source.as_bytes()).unwrap().to_bytes().unwrap();
            for bytes in [source.as_bytes(), &rewritten] {
                let section = |id: &str| section_of(bytes, id).unwrap();
                let of = |id: &str| Some(id.to_owned());
                assert_eq!(section("free"), None);
                assert_eq!(section("in2a"), of("aaaa"));
                assert_eq!(section("in2b"), of("bbbb"));
                assert_eq!(section("it2b"), of("bbbb"));
                assert_eq!(section("aaaa"), None);
                assert_eq!(section("bbbb"), of("aaaa"));
                assert_eq!(section("none"), None);
            }
        }
        assert_eq!(section_of(b"<canvas", "free"), None);
    }

    fn node() -> impl Strategy<Value = Element> {
        let name = prop_oneof![Just("section"), Just("text"), Just("list")];
        let text = "[ \n\ta-c<>&\"]{0,6}";
        let leaf = (name.clone(), "[ab][a2]", text).prop_map(|(name, id, text)| {
            let mut element = Element::new(name);
            element.set_attribute("id", id);
            element.set_attribute("title", text.clone());
            element.text = text;
            element
        });
        leaf.prop_recursive(4, 24, 4, move |inner| {
            (name.clone(), "[ab][a2]", proptest::collection::vec(inner, 1..4)).prop_map(
                |(name, id, children)| {
                    let mut element = Element::new(name);
                    element.set_attribute("id", id);
                    element.children = children;
                    element
                },
            )
        })
    }

    proptest! {
        #[test]
        fn what_we_write_is_read_in_one_pass_and_like_any_document(root in node()) {
            let bytes = Document { root }.to_bytes().unwrap();
            let text = std::str::from_utf8(&bytes).unwrap();
            for id in ["aa", "a2", "ba", "b2", "cc"] {
                let found = written(text, id).map(|found| found.map(str::to_owned));
                prop_assert!(found.is_some());
                prop_assert_eq!(found, parsed(&bytes, id));
            }
        }

        #[test]
        fn what_is_bent_is_read_as_the_parser_reads_it(
            root in node(),
            at in any::<prop::sample::Index>(),
            byte in prop_oneof![Just(b'<'), Just(b'>'), Just(b'&'), Just(b'"'), Just(b'/'), Just(b' '), Just(b'\n'), any::<u8>()],
            put: bool,
        ) {
            let mut bytes = Document { root }.to_bytes().unwrap();
            let at = at.index(bytes.len());
            if put { bytes.insert(at, byte) } else { bytes[at] = byte }
            if let Ok(text) = std::str::from_utf8(&bytes) {
                for id in ["aa", "b2"] {
                    if let Some(found) = written(text, id) {
                        prop_assert_eq!(Some(found.map(str::to_owned)), parsed(&bytes, id));
                    }
                }
            }
        }
    }
}
