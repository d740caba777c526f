//! The one-node comparison accepts every change of the named node and refuses, by name, all others
//! (`canvas-store.md` §2.5, cases 208 to 224).
#![allow(clippy::unwrap_used, clippy::expect_used)]

mod common;

use canvas_document::{Document, Element, ROOT, Trespass, birth, changed};
use common::ids;
use proptest::prelude::*;

fn tree(text: &str) -> Document {
    Document::parse(text.as_bytes()).unwrap()
}

const BEFORE: &str = "<canvas ledger='t' schema='2'><text id='aaaa' v='1'>x</text>\
    <section id='bbbb' v='1' title='T'><text id='cccc' v='1'>y</text><text id='dddd' v='1'/></section></canvas>";

/// What a write naming `named` would be refused for, from `BEFORE` to `after`.
fn trespass(after: &str, named: Option<&str>) -> Trespass {
    changed(&tree(BEFORE), &tree(after), named).unwrap_err()
}

#[test]
fn other_nodes_are_named_and_only_those() {
    let another = BEFORE.replace(">y<", ">z<");
    assert_eq!(changed(&tree(BEFORE), &tree(&another), Some("cccc")), Ok(()));
    let found = trespass(&another, Some("aaaa"));
    assert_eq!(found, Trespass { nodes: vec!["cccc".to_owned()], ..Trespass::default() });
    let message = found.to_string();
    assert!(message.contains("one edit is one node") && message.contains("cccc"), "{message}");
    assert!(!message.contains("bbbb"), "{message}");

    assert_eq!(trespass(&BEFORE.replace(">x<", "><"), Some("cccc")).nodes, ["aaaa"]);
    assert_eq!(trespass(&BEFORE.replace("'T'", "'U'"), Some("cccc")).nodes, ["bbbb"]);
    assert_eq!(trespass(&BEFORE.replace("schema='2'", "schema='1'"), Some("cccc")).nodes, [ROOT]);
    assert_eq!(
        trespass(&BEFORE.replace("id='dddd' v='1'", "id='dddd' v='2'"), None).nodes,
        ["dddd"]
    );
}

#[test]
fn a_whole_new_document_names_everything_lost_and_added() {
    let found =
        trespass("<canvas ledger='t' schema='2'><text id='zzzz' v='1'/></canvas>", Some("aaaa"));
    assert_eq!(found.nodes, ["bbbb", "cccc", "dddd", "zzzz"]);
    assert_eq!(found.containers, [""; 0]);
}

#[test]
fn a_new_order_names_the_container() {
    let swapped = "<canvas ledger='t' schema='2'>\
        <section id='bbbb' v='1' title='T'><text id='dddd' v='1'/><text id='cccc' v='1'>y</text></section>\
        <text id='aaaa' v='1'>x</text></canvas>";
    let found = trespass(swapped, None);
    assert_eq!(
        (found.nodes.len(), found.containers),
        (0, vec![ROOT.to_owned(), "bbbb".to_owned()])
    );
    // The order of the named node itself is left out, not that of its children.
    assert_eq!(trespass(swapped, Some("aaaa")).containers, ["bbbb"]);
    assert_eq!(trespass(swapped, Some("bbbb")).containers, ["bbbb"]);
    assert_eq!(trespass(swapped, Some("cccc")).containers, [ROOT]);
    assert!(found.nodes.is_empty() && trespass(swapped, Some("zzzz")).to_string().contains("root"));
}

#[test]
fn what_cannot_be_named_is_refused_in_either_tree() {
    for (bad, repeated) in [
        ("<canvas><text v='1'/></canvas>", None),
        ("<canvas><text id=''/></canvas>", None),
        ("<canvas><text id='root'/></canvas>", None),
        ("<canvas><text id='aaaa'/><list><item id='aaaa'/></list></canvas>", Some("aaaa")),
        ("<canvas><list id='aaaa'><item id='aaaa'/></list></canvas>", Some("aaaa")),
        ("<canvas><list><item id='aaaa'/><item id='aaaa'/></list></canvas>", Some("aaaa")),
    ] {
        let (bad, good) = (tree(bad), tree("<canvas/>"));
        for found in [
            changed(&bad, &good, Some("aaaa")).unwrap_err(),
            changed(&good, &bad, Some("aaaa")).unwrap_err(),
            changed(&bad, &bad, None).unwrap_err(),
            birth(&bad).unwrap_err(),
        ] {
            assert!(!found.unaddressable.is_empty(), "{found:?}");
            assert_eq!(found.repeated.first().map(String::as_str), repeated);
            assert!(repeated.is_none_or(|id| found.to_string().contains(id)), "{found}");
        }
    }
}

#[test]
fn the_root_is_no_node_to_name() {
    let after = BEFORE.replace("schema='2'", "schema='1'");
    assert_eq!(trespass(&after, Some(ROOT)).nodes, [ROOT]);
}

#[test]
fn a_birth_is_the_root_alone() {
    assert_eq!(birth(&tree("<canvas ledger='t' schema='2'/>")), Ok(()));
    assert_eq!(birth(&tree(BEFORE)).unwrap_err().nodes, ["aaaa", "bbbb", "cccc", "dddd"]);
}

#[test]
fn absent_and_empty_text_and_the_order_of_attributes_are_equal() {
    let left = tree("<c a='1' b='2'><t id='aaaa' v='1'></t></c>");
    let right = tree("<c b='2' a='1'><t v='1' id='aaaa'/></c>");
    assert_eq!(changed(&left, &right, None), Ok(()));
}

#[test]
fn indentation_in_a_container_is_no_content_of_it() {
    let [root, list, item] =
        ["<canvas ledger='t' schema='2'>", "<list id='bbbb' v='1'>", "<item id='cccc' v='1'/>"];
    let around = |inside: &str| format!("{root}\n  {list}{inside}</list>\n</canvas>");
    let emptied = tree(&around("\n  "));
    for (before, after) in [(&emptied, around(item)), (&tree(&around(item)), around(""))] {
        assert_eq!(changed(before, &tree(&after), Some("cccc")), Ok(()));
    }
    assert_eq!(changed(&emptied, &tree(&around(" ")), Some("cccc")).unwrap_err().nodes, ["bbbb"]);
    let moved = format!("{root}{list}{item}</list></canvas>");
    let words = tree(&moved.replace(item, "words"));
    assert_eq!(changed(&words, &tree(&moved), Some("cccc")).unwrap_err().nodes, ["bbbb"]);
    let bare = tree(&format!("{root}\n</canvas>"));
    let first = tree(&format!("{root}<text id='aaaa' v='1'/></canvas>"));
    assert_eq!(changed(&bare, &first, Some("aaaa")), Ok(()));
}

#[test]
fn many_strange_nodes_take_no_time_and_little_room() {
    let nodes: String = (0..50_000).map(|n| format!("<t id='{}'/>", n / 2)).collect();
    let bad = tree(&format!("<c>{nodes}{}</c>", "<t/>".repeat(50_000)));
    let found = changed(&bad, &bad, None).unwrap_err();
    assert_eq!(found.repeated.len(), 25_000);
    assert!(found.to_string().len() < 10_000);
}

/// One way to change one node.
#[derive(Debug, Clone, Copy)]
enum Mutation {
    Text,
    Name,
    Version,
    Attribute,
}

fn mutate(node: &mut Element, mutation: Mutation) {
    match mutation {
        Mutation::Text => node.text.push('!'),
        Mutation::Name => node.name.push('x'),
        Mutation::Version => node.set_attribute("v", "99"),
        Mutation::Attribute => node.set_attribute("payload", "other"),
    }
}

fn mutation() -> impl Strategy<Value = Mutation> {
    prop::sample::select(vec![
        Mutation::Text,
        Mutation::Name,
        Mutation::Version,
        Mutation::Attribute,
    ])
}

proptest! {
    #[test]
    fn the_named_node_may_change_and_no_other(
        tree in common::document(),
        one in any::<prop::sample::Index>(),
        two in any::<prop::sample::Index>(),
        first in mutation(),
        second in mutation(),
    ) {
        let known = ids(&tree);
        prop_assume!(!known.is_empty());
        let (one, two) = (&known[one.index(known.len())], &known[two.index(known.len())]);
        prop_assert_eq!(changed(&tree, &tree, None), Ok(()));

        let mut after = tree.clone();
        mutate(after.find_mut(one).unwrap(), first);
        prop_assert_eq!(changed(&tree, &after, Some(one)), Ok(()));
        prop_assert_eq!(changed(&tree, &after, None).unwrap_err().nodes, [one.clone()]);
        prop_assert_eq!(changed(&after, &tree, Some("zzzz")).unwrap_err().nodes, [one.clone()]);

        mutate(after.find_mut(two).unwrap(), second);
        if one == two {
            prop_assert_eq!(changed(&tree, &after, Some(one)), Ok(()));
        } else {
            let found = changed(&tree, &after, Some(one)).unwrap_err();
            prop_assert_eq!(found, Trespass { nodes: vec![two.clone()], ..Trespass::default() });
        }
    }

    #[test]
    fn a_node_that_goes_or_comes_beside_the_named_one_is_named(
        tree in common::document(), one in any::<prop::sample::Index>()
    ) {
        let known = ids(&tree);
        prop_assume!(!known.is_empty());
        let gone = &known[one.index(known.len())];
        let mut after = tree.clone();
        let taken = after.take(gone).unwrap();
        let lost: Vec<_> = taken.descendants().filter_map(Element::id).map(str::to_owned).collect();
        prop_assert_eq!(&changed(&tree, &after, Some("zzzz")).unwrap_err().nodes, &lost);
        prop_assert_eq!(&changed(&after, &tree, None).unwrap_err().nodes, &lost);
        // Alone, a leaf may go; what stands under a node may not go with it.
        prop_assert_eq!(changed(&tree, &after, Some(gone)).is_ok(), lost.len() == 1);
    }

    #[test]
    fn swapped_siblings_are_named_by_their_container(
        tree in common::document(), one in any::<prop::sample::Index>()
    ) {
        let parents: Vec<_> = tree
            .root
            .descendants()
            .filter(|element| element.children.len() > 1)
            .map(|element| element.id().unwrap_or(ROOT).to_owned())
            .collect();
        prop_assume!(!parents.is_empty());
        let parent = &parents[one.index(parents.len())];
        let mut after = tree.clone();
        let element = if parent == ROOT { &mut after.root } else { after.find_mut(parent).unwrap() };
        element.children.reverse();
        let named = element.children[0].id().unwrap().to_owned();
        let others = element.children.len() - 1;
        let found = changed(&tree, &after, None).unwrap_err();
        prop_assert_eq!(found, Trespass { containers: vec![parent.clone()], ..Trespass::default() });
        // With one of two named, the other has no order left to differ in.
        prop_assert_eq!(changed(&tree, &after, Some(&named)).is_ok(), others == 1);
    }
}
