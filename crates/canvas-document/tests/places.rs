//! Insert, take, move and select change what they say and keep everything else.
#![allow(clippy::unwrap_used, clippy::expect_used)]

mod common;

use canvas_document::{Document, Element, Place, PlaceError, ROOT, changed};
use common::ids;
use proptest::prelude::*;

fn tree(text: &str) -> Document {
    Document::parse(text.as_bytes()).unwrap()
}

fn sample() -> Document {
    tree(
        "<canvas ledger='t' schema='2'><text id='aaaa'>x</text><section id='bbbb'>\
         <text id='cccc'/><list id='dddd'><item id='eeee'/></list></section><text id='ffff'/></canvas>",
    )
}

fn node(id: &str) -> Element {
    let mut node = Element::new("text");
    node.set_attribute("id", id);
    node
}

fn after(id: &str) -> Place {
    Place::After(id.to_owned())
}

fn into(id: &str) -> Place {
    Place::Into(id.to_owned())
}

#[test]
fn a_node_is_inserted_at_its_place() {
    for (place, order) in [
        (after("aaaa"), "aaaa zzzz bbbb cccc dddd eeee ffff"),
        (after("ffff"), "aaaa bbbb cccc dddd eeee ffff zzzz"),
        (after("cccc"), "aaaa bbbb cccc zzzz dddd eeee ffff"),
        (into("dddd"), "aaaa bbbb cccc dddd eeee zzzz ffff"),
        (into("cccc"), "aaaa bbbb cccc zzzz dddd eeee ffff"),
        (into(ROOT), "aaaa bbbb cccc dddd eeee ffff zzzz"),
    ] {
        let mut document = sample();
        document.insert(&place, node("zzzz")).unwrap();
        assert_eq!(ids(&document).join(" "), order, "{place:?}");
    }
    let mut empty = tree("<canvas/>");
    empty.insert(&into(ROOT), node("zzzz")).unwrap();
    assert_eq!(ids(&empty), ["zzzz"]);
}

#[test]
fn a_place_that_is_none_is_refused_and_nothing_moves() {
    let unknown = |id: &str| PlaceError::UnknownTarget(id.to_owned());
    let inside = |target: &str| PlaceError::InsideItself {
        node: "bbbb".to_owned(),
        target: target.to_owned(),
    };
    for (place, error) in [
        (after("zz99"), unknown("zz99")),
        (into("zz99"), unknown("zz99")),
        (into(""), unknown("")),
        (after(ROOT), PlaceError::RootHasNoSiblings),
        (after("bbbb"), inside("bbbb")),
        (into("bbbb"), inside("bbbb")),
        (after("cccc"), inside("cccc")),
        (into("eeee"), inside("eeee")),
    ] {
        let mut document = sample();
        assert_eq!(document.move_node("bbbb", &place), Err(error.clone()), "{place:?}");
        assert_eq!(document, sample());
        if !matches!(error, PlaceError::InsideItself { .. }) {
            assert_eq!(document.insert(&place, node("zzzz")), Err(error), "{place:?}");
            assert_eq!(document, sample());
        }
    }
    for id in [ROOT, "", "zz99"] {
        let unknown = PlaceError::UnknownNode(id.to_owned());
        assert_eq!(sample().move_node(id, &after("aaaa")), Err(unknown));
        assert_eq!(sample().take(id), None);
        assert_eq!(sample().find(id), None);
    }
}

#[test]
fn a_node_moves_with_its_subtree() {
    for (id, place, order) in [
        ("bbbb", after("ffff"), "aaaa ffff bbbb cccc dddd eeee"),
        ("bbbb", into("ffff"), "aaaa ffff bbbb cccc dddd eeee"),
        ("dddd", into(ROOT), "aaaa bbbb cccc ffff dddd eeee"),
        ("ffff", into(ROOT), "aaaa bbbb cccc dddd eeee ffff"),
        ("ffff", after("aaaa"), "aaaa ffff bbbb cccc dddd eeee"),
        ("aaaa", into("dddd"), "bbbb cccc dddd eeee aaaa ffff"),
    ] {
        let mut document = sample();
        document.move_node(id, &place).unwrap();
        assert_eq!(ids(&document).join(" "), order, "{id} {place:?}");
        assert_eq!(document.find(id), sample().find(id));
    }
}

#[test]
fn ancestors_are_found_by_name() {
    let document = sample();
    assert_eq!(document.parent_of("eeee").unwrap().id(), Some("dddd"));
    assert_eq!(document.parent_of("aaaa").unwrap().name, "canvas");
    assert_eq!(document.parent_of("zz99"), None);
    assert_eq!(document.nearest_ancestor("eeee", "section").unwrap().id(), Some("bbbb"));
    assert_eq!(document.nearest_ancestor("bbbb", "section"), None);
    assert_eq!(document.nearest_ancestor("aaaa", "section"), None);
    assert_eq!(document.trail("eeee").unwrap().len(), 4);
}

#[test]
fn an_id_that_no_verb_can_address_finds_nothing() {
    let document =
        tree("<c><t id=' ab2c '/><t id=''/><t id='root'/><t id='a\u{a0}b'/><t id='K3XQ'/></c>");
    for id in [" ab2c ", "ab2c", "", "root", "a\u{a0}b"] {
        assert_eq!(document.find(id), None, "{id}");
    }
    assert!(document.find("K3XQ").is_some());
}

#[test]
fn a_selection_holds_what_was_asked_for_once_and_in_order() {
    let none: [&str; 0] = [];
    let document = sample();
    let order =
        |ids_: &[&str], names: &[&str]| ids(&document.select(ids_, names).unwrap()).join(" ");
    assert_eq!(order(&["ffff", "aaaa"], &none), "aaaa ffff");
    assert_eq!(order(&["bbbb", "cccc"], &none), "bbbb cccc dddd eeee");
    assert_eq!(order(&["eeee"], &none), "eeee");
    assert_eq!(order(&none, &["text"]), "aaaa cccc ffff");
    assert_eq!(order(&["aaaa", "aaaa"], &["text", "item"]), "aaaa cccc eeee ffff");
    for names in [["canvas"], ["decision"]] {
        let empty = document.select(&none, &names).unwrap();
        assert_eq!(
            empty.to_bytes().unwrap(),
            tree("<canvas ledger='t' schema='2'/>").to_bytes().unwrap()
        );
    }
    assert_eq!(
        document.select(&["aaaa", "zz99", ROOT, "", "zz99"], &none),
        Err(["zz99", ROOT, ""].map(str::to_owned).to_vec())
    );
}

proptest! {
    #[test]
    fn taking_and_inserting_keep_everything_else(
        tree in common::document(), pick in any::<prop::sample::Index>(), deep in any::<bool>()
    ) {
        let known = ids(&tree);
        let place = match known.len() {
            0 => into(ROOT),
            n if deep => into(&known[pick.index(n)]),
            n => after(&known[pick.index(n)]),
        };
        let mut grown = tree.clone();
        grown.insert(&place, node("zzzz")).unwrap();
        prop_assert_eq!(changed(&tree, &grown, Some("zzzz")), Ok(()));
        prop_assert_eq!(grown.take("zzzz"), Some(node("zzzz")));
        prop_assert_eq!(grown, tree);
    }

    #[test]
    fn a_move_is_the_edit_of_one_node_or_of_none(
        tree in common::document(),
        which in any::<prop::sample::Index>(),
        whither in any::<prop::sample::Index>(),
        deep in any::<bool>(),
    ) {
        let known = ids(&tree);
        prop_assume!(!known.is_empty());
        let id = &known[which.index(known.len())];
        let target = &known[whither.index(known.len())];
        let place = if deep { into(target) } else { after(target) };
        let mut moved = tree.clone();
        match moved.move_node(id, &place) {
            Err(error) => {
                prop_assert_eq!(&moved, &tree);
                let subtree: Vec<_> = tree.find(id).unwrap().descendants().filter_map(Element::id).collect();
                prop_assert!(subtree.contains(&target.as_str()), "{}", error);
            }
            Ok(()) => {
                // One node's edit, whole subtree in tow, and still every node once.
                prop_assert_eq!(changed(&tree, &moved, Some(id)), Ok(()));
                prop_assert_eq!(moved.find(id), tree.find(id));
                let (mut was, mut is) = (known.clone(), ids(&moved));
                was.sort();
                is.sort();
                prop_assert_eq!(was, is);
                let parent = moved.parent_of(id).unwrap();
                if deep {
                    prop_assert_eq!(parent.id(), Some(target.as_str()));
                    prop_assert_eq!(parent.children.last().unwrap().id(), Some(id.as_str()));
                } else {
                    let at = parent.children.iter().position(|child| child.id() == Some(id)).unwrap();
                    prop_assert_eq!(parent.children[at - 1].id(), Some(target.as_str()));
                }
            }
        }
    }

    #[test]
    fn a_selection_is_every_subtree_asked_for_and_no_more(
        tree in common::document(), picks in prop::collection::vec(any::<prop::sample::Index>(), 0..4)
    ) {
        let known = ids(&tree);
        let wanted: Vec<String> = if known.is_empty() { Vec::new() } else {
            picks.iter().map(|pick| known[pick.index(known.len())].clone()).collect()
        };
        let none: [&str; 0] = [];
        let selection = tree.select(&wanted, &none).unwrap();
        let expected: Vec<_> = known
            .iter()
            .filter(|id| tree.trail(id).unwrap().iter().any(|at| at.id().is_some_and(|id| wanted.iter().any(|w| w == id))))
            .cloned()
            .collect();
        prop_assert_eq!(ids(&selection), expected);
    }
}
