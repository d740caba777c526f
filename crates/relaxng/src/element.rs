//! A parsed document as the library wants to see it: names, attributes and children, with each run
//! of text in one piece.

use relax_ng::{Content, Element, ExpandedName};
use roxmltree::{Node, NodeId};

use crate::datatypes::{MARK, is_xml_space};

/// One element of a parsed document.
#[derive(Clone, Copy)]
pub(crate) struct View<'a, 'input>(pub(crate) Node<'a, 'input>);

/// Keeps a text that only Unicode calls blank from being dropped as white space; see [`MARK`].
fn marked(text: &str) -> String {
    let blank = text.chars().all(char::is_whitespace);
    if blank && !text.chars().all(is_xml_space) { format!("{MARK}{text}") } else { text.to_owned() }
}

/// The children of an element: comments and processing instructions left out, and what they
/// separated joined again, so that they can never change a verdict.
fn children<'a, 'input>(node: Node<'a, 'input>) -> Vec<Content<View<'a, 'input>>> {
    let mut found = Vec::new();
    let mut run = String::new();
    for child in node.children() {
        if child.is_element() {
            if !run.is_empty() {
                found.push(Content::Text(marked(&run)));
                run.clear();
            }
            found.push(Content::Element(View(child)));
        } else if child.is_text() {
            run.push_str(child.text().unwrap_or_default());
        }
    }
    if !run.is_empty() {
        found.push(Content::Text(marked(&run)));
    }
    found
}

impl Element for View<'_, '_> {
    type Location = NodeId;

    fn name(&self) -> ExpandedName {
        ExpandedName::new(self.0.tag_name().namespace(), self.0.tag_name().name())
    }

    fn attributes(&self) -> impl Iterator<Item = (ExpandedName, String)> {
        self.0.attributes().map(|attribute| {
            let name = ExpandedName::new(attribute.namespace(), attribute.name());
            (name, marked(attribute.value()))
        })
    }

    fn children(&self) -> impl Iterator<Item = Content<Self>> {
        children(self.0).into_iter()
    }

    fn location(&self) -> Option<NodeId> {
        Some(self.0.id())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(xml: &str) -> Vec<String> {
        let document = roxmltree::Document::parse(xml).unwrap();
        children(document.root_element())
            .into_iter()
            .map(|child| match child {
                Content::Text(text) => text,
                Content::Element(view) => format!("<{}>", view.name().local),
            })
            .collect()
    }

    #[test]
    fn text_is_joined_across_whatever_is_not_an_element() {
        assert_eq!(texts("<a>b<!--c-->d<?e f?><![CDATA[<g>]]></a>"), ["bd<g>"]);
        assert_eq!(texts("<a>b<c/>d<!----></a>"), ["b", "<c>", "d"]);
        assert!(texts("<a><!-- --><?p?></a>").is_empty());
    }

    #[test]
    fn only_xml_white_space_stays_blank() {
        assert_eq!(texts("<a> \t\n</a>"), [" \t\n"]);
        assert_eq!(texts("<a>\u{a0}</a>"), ["\0\u{a0}"]);
        assert_eq!(texts("<a> \u{2003} x</a>"), [" \u{2003} x"]);
    }
}
