//! Writing and reading are inverses, and no bytes make reading panic.
#![allow(clippy::unwrap_used, clippy::expect_used)]

mod common;

use canvas_document::{Document, Element};
use proptest::prelude::*;

proptest! {
    #[test]
    fn what_is_written_is_read_back(tree in common::document()) {
        let bytes = tree.to_bytes().unwrap();
        let read = Document::parse(&bytes).unwrap();
        prop_assert_eq!(&read, &tree);
        prop_assert_eq!(read.to_bytes().unwrap(), bytes);
    }

    #[test]
    fn no_bytes_make_reading_panic(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        let _ = Document::parse(&bytes);
    }

    #[test]
    fn nearly_xml_is_refused_or_becomes_a_stable_tree(
        pieces in prop::collection::vec(prop::sample::select(vec![
            "<", ">", "/", "<a", "<a>", "</a>", "<b x='1'", " y=\"2\"", "/>", "<!--", "-->", "<![CDATA[",
            "]]>", "<?xml version=\"1.0\"?>", "<?p", "?>", "&#13;", "&#xD800;", "&lt;", "&", "\r", "\n", "\t",
            " ", "xmlns", "xmlns:a", "=", "'u'", "\"", "a:", ":", "<!DOCTYPE", "é", "\u{FEFF}", "\0", "\u{FFFE}",
        ]), 0..24),
        wrapped in any::<bool>(),
    ) {
        let inner = pieces.concat();
        let text = if wrapped { format!("<r>{inner}</r>") } else { inner };
        if let Ok(tree) = Document::parse(text.as_bytes()) {
            let bytes = tree.to_bytes().unwrap();
            prop_assert_eq!(&Document::parse(&bytes).unwrap(), &tree);
        }
    }

    #[test]
    fn what_xml_cannot_hold_is_never_written(
        c in prop::sample::select(
            (0..0x20).chain([0xfffe, 0xffff]).filter_map(char::from_u32)
                .filter(|c| !"\t\n\r".contains(*c)).collect::<Vec<_>>()
        ),
        inside in any::<bool>(),
    ) {
        let mut root = Element::new("canvas");
        let mut node = Element::new("text");
        if inside { node.text = format!("one\ntwo{c}") } else { node.set_attribute("title", format!("{c}")) }
        root.children.push(node);
        let fault = Document { root }.to_bytes().unwrap_err();
        prop_assert_eq!(fault.line, Some(if inside { 4 } else { 3 }));
        let code = format!("U+{:04X}", u32::from(c));
        prop_assert!(fault.message.contains(&code));
    }

    #[test]
    fn a_name_that_is_no_xml_name_is_never_written(name in common::text()) {
        let fine = !name.is_empty()
            && !name.contains(|c: char| c.is_ascii() && !c.is_ascii_alphanumeric() && !"_-.".contains(c))
            && !name.starts_with(|c: char| "-.".contains(c) || c.is_ascii_digit());
        let written = Document { root: Element::new(name.clone()) }.to_bytes();
        if let Ok(bytes) = &written {
            prop_assert_eq!(Document::parse(bytes).unwrap().root.name, name);
        }
        prop_assert!(fine || written.is_err());
    }
}
