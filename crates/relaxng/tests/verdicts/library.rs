//! The verdict against that of the library with its own datatypes, on documents handed to it in the
//! plainest way. Finding the places and words for a fault must not change whether there is one.

use crate::documents::{Choices, document};
use proptest::prelude::*;
use relax_ng::{
    Content, DatatypeRegistry, Element, ExpandedName, ResolveError, Schema, SchemaResolver,
    SchemaSource, SchemaSyntax,
};
use relaxng::Grammar;

const CANVAS: &str = include_str!("../../../../schema/canvas.rng");

struct Nowhere;

impl SchemaResolver for Nowhere {
    fn resolve(&self, href: &str, _base: &str) -> Result<SchemaSource, ResolveError> {
        Err(ResolveError::new(href))
    }
}

struct Plain<'a, 'input>(roxmltree::Node<'a, 'input>);

impl Element for Plain<'_, '_> {
    type Location = ();

    fn name(&self) -> ExpandedName {
        ExpandedName::new(self.0.tag_name().namespace(), self.0.tag_name().name())
    }

    fn attributes(&self) -> impl Iterator<Item = (ExpandedName, String)> {
        self.0.attributes().map(|attribute| {
            let name = ExpandedName::new(attribute.namespace(), attribute.name());
            (name, attribute.value().to_owned())
        })
    }

    fn children(&self) -> impl Iterator<Item = Content<Self>> {
        let mut joined: Vec<Content<Self>> = Vec::new();
        for child in self.0.children() {
            match (child.text(), joined.last_mut()) {
                _ if child.is_element() => joined.push(Content::Element(Plain(child))),
                (Some(more), Some(Content::Text(text))) if child.is_text() => text.push_str(more),
                (Some(text), _) if child.is_text() => joined.push(Content::Text(text.to_owned())),
                _ => {}
            }
        }
        joined.into_iter()
    }
}

/// The library takes every character that Unicode calls blank for white space; XML knows four. That
/// is corrected here, so the comparison leaves such documents to the one with libxml2.
fn has_other_blanks(text: &str) -> bool {
    text.chars().any(|character| character.is_whitespace() && !" \t\n\r".contains(character))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1_000))]

    #[test]
    fn the_same_verdict(decisions in proptest::collection::vec(any::<u32>(), 1..40)) {
        let text = document(&mut Choices::new(decisions.into_iter()));
        prop_assume!(!has_other_blanks(&text));
        let grammar = Grammar::parse(CANVAS).unwrap();
        let source = SchemaSource::new(CANVAS, "", SchemaSyntax::Xml);
        let schema = Schema::compile(&source, &Nowhere).unwrap();
        let parsed = roxmltree::Document::parse(&text).unwrap();
        let theirs = schema.validate(&DatatypeRegistry::new(), &Plain(parsed.root_element()));
        let ours = grammar.offences(&parsed);
        prop_assert_eq!(ours.is_empty(), theirs.unwrap().is_empty(), "{}", text);
        for offence in &ours {
            prop_assert!(!offence.message.is_empty() && !offence.message.contains('\n'));
            prop_assert!(parsed.get_node(offence.node).is_some_and(|node| node.is_element()));
        }
        let places: Vec<usize> = ours.iter().map(|offence| offence.node.get_usize()).collect();
        prop_assert!(places.windows(2).all(|pair| pair[0] < pair[1]), "document order, once each");
    }
}
