//! Properties of the resolver and the lock over many inputs.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a test fails by panicking"
)]

use std::path::Path;
use std::sync::LazyLock;

use headwater_taxonomy::canonical::render;
use headwater_taxonomy::lock::{self, Lock};
use headwater_taxonomy::refusal::{Class, Refusal};
use headwater_taxonomy::resolve::{Resolution, resolve};
use headwater_taxonomy::source::{Role, Source};
use headwater_taxonomy::validate::validate;
use headwater_taxonomy::yaml::load;
use proptest::prelude::*;
use proptest::sample::{Index, select, subsequence};

fn fixture(path: &str) -> Vec<u8> {
    std::fs::read(Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/lantern").join(path))
        .unwrap()
}

fn base() -> Source {
    let path = ".headwater/packages/lantern-handbook/taxonomy.yml";
    Source { path: path.to_owned(), role: Role::Base, bytes: fixture(path) }
}

fn lantern() -> Resolution {
    let path = ".headwater/overlay.yml";
    let overlay = Source { path: path.to_owned(), role: Role::Overlay, bytes: fixture(path) };
    resolve(&[base(), overlay]).unwrap()
}

/// Operations that meet, nest and pass each other in every way, over the lantern base.
const OPERATIONS: &[(&str, &str, &str)] = &[
    ("add", "kinds.memo", "{is_a: page, purpose: rationale}"),
    ("add", "kinds.memo", "{write_when: a claim, budget: {words: 9}}"),
    ("add", "kinds.memo.purpose", "rationale"),
    ("add", "kinds.memo.write_when", "a claim is made"),
    ("add", "kinds.part.budget", "{words: 100, sections: {Scope: 20}}"),
    ("add", "kinds.part.budget", "{}"),
    ("add", "kinds.part.budget.sections", "{Scope: 10, Reach: 20}"),
    ("add", "kinds.part.budget.sections.Reach", "30"),
    ("add", "kinds.drill.sections.require", "[Steps]"),
    ("add", "facets.mood", "{values: [good], volatility: stable, guidance: {good: all is well}}"),
    ("add", "facets.mood.type", "string"),
    ("add", "bindings.facets.team.key", "Team"),
    ("add", "surface.commands", "[git]"),
    ("override", "facets.checked_on.stale_after_days", "30"),
    (
        "override",
        "facets.checked_on",
        "{volatility: mutable, stale_after_days: 1, role: freshness}",
    ),
    ("override", "regimes.voice.present", "{forbid: [phased_rollout]}"),
    ("override", "kinds.memo.purpose", "behavior"),
    ("add_to", "kinds.decision.sections.require", "[Reach]"),
    ("add_to", "kinds.memo.sections.require", "[Reach]"),
    ("add_to", "regimes.voice.present.forbid", "change_narration"),
    ("add_to", "vocabularies.stage", "[{value: lost, role: terminal-retained}]"),
    ("remove_from", "kinds.decision.sections.require", "[Context]"),
    ("remove_from", "regimes.voice.present.forbid", "[future_intent]"),
    ("remove", "regimes.voice.present", ""),
    ("remove", "regimes.voice", ""),
    ("remove", "kinds.part.voice", ""),
    ("remove", "facets.title", ""),
];

type Operation = (&'static str, &'static str, &'static str);

/// One overlay, in an order of blocks, operations and members that `order` turns.
fn text(operations: &[Operation], requires: &[String], turned: bool) -> String {
    let mut out = String::from("# operations\n");
    if !requires.is_empty() {
        out += &format!("requires: [{}]\n", requires.join(", "));
    }
    let mut verbs = vec!["add", "override", "add_to", "remove_from", "remove"];
    let mut operations = operations.to_vec();
    if turned {
        verbs.reverse();
        operations.reverse();
    }
    for verb in verbs {
        let of_verb: Vec<_> = operations.iter().filter(|(held, ..)| *held == verb).collect();
        if of_verb.is_empty() {
            continue;
        }
        out += &format!("{verb}:\n");
        for (_, address, value) in of_verb {
            let value = if turned { turn(value) } else { (*value).to_owned() };
            out += &match verb {
                "remove" => format!("  - {address}\n"),
                _ => format!("  {address}: {value}\n"),
            };
        }
    }
    out + "# end\n"
}

/// The same value with the members of a flat flow mapping in reverse.
fn turn(value: &str) -> String {
    match value.strip_prefix('{').and_then(|rest| rest.strip_suffix('}')) {
        Some(inside) if !inside.contains(['{', '[']) => {
            let mut members: Vec<&str> = inside.split(", ").collect();
            members.reverse();
            format!("{{{}}}", members.join(", "))
        }
        _ => value.to_owned(),
    }
}

/// Operations of one source whose addresses do not meet, so that their order cannot matter.
fn apart(chosen: Vec<Operation>) -> Vec<Operation> {
    let mut kept: Vec<Operation> = Vec::new();
    for operation in chosen {
        let meets = |other: &Operation| {
            let (a, b) = (format!("{}.", operation.1), format!("{}.", other.1));
            a.starts_with(&b) || b.starts_with(&a)
        };
        if !kept.iter().any(meets) {
            kept.push(operation);
        }
    }
    kept
}

fn operations() -> impl Strategy<Value = Vec<Operation>> {
    proptest::collection::vec(select(OPERATIONS), 0..5).prop_map(apart)
}

fn outcome(sources: &[Source]) -> Result<String, ()> {
    resolve(sources).map(|resolution| resolution.text()).map_err(|_| ())
}

fn orders() -> Vec<[usize; 3]> {
    vec![[0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]

    /// Whatever the order of the sources, of the blocks, the operations and the members: the same
    /// sources are accepted, with one text, or refused.
    #[test]
    fn the_order_of_sources_and_of_maps_decides_nothing(
        operations in proptest::collection::vec(operations(), 3),
        requires in proptest::collection::vec(subsequence(vec![0_usize, 1, 2], 0..2), 3),
        repository in any::<bool>(),
    ) {
        let name = |at: usize| ["a", "b", "c"][at].to_owned();
        let source = |at: usize, turned: bool| {
            // The third source is the overlay of the repository in half of the runs, and may then
            // require nothing.
            let overlay = repository && at == 2;
            let requires: Vec<String> = if overlay {
                Vec::new()
            } else {
                requires[at].iter().copied().filter(|other| *other < at).map(name).collect()
            };
            let role = if overlay { Role::Overlay } else { Role::Bundle(name(at)) };
            let bytes = text(&operations[at], &requires, turned).into_bytes();
            Source { path: format!("{}.yml", name(at)), role, bytes }
        };
        let mut outcomes = Vec::new();
        for order in orders() {
            for turned in [false, true] {
                let mut sources = vec![base()];
                sources.extend(order.into_iter().map(|at| source(at, turned)));
                outcomes.push(outcome(&sources));
            }
        }
        for other in &outcomes {
            prop_assert_eq!(other, &outcomes[0]);
        }
    }

    /// With no `requires`, a bundle and the overlay of the repository may trade places: what the
    /// resolver accepts does not depend on which of them is which.
    #[test]
    fn accepted_sources_commute_even_with_the_overlay(
        operations in proptest::collection::vec(operations(), 3),
    ) {
        let outcomes: Vec<_> = orders().into_iter().map(|order| {
            let sources = order.iter().enumerate().map(|(place, at)| Source {
                path: format!("{at}.yml"),
                role: if place == 2 { Role::Overlay } else { Role::Bundle(format!("x{at}")) },
                bytes: text(&operations[*at], &[], false).into_bytes(),
            });
            outcome(&std::iter::once(base()).chain(sources).collect::<Vec<_>>())
        }).collect();
        for other in &outcomes {
            prop_assert_eq!(other, &outcomes[0]);
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    /// A resolved tree survives its own text, and so does the lock around it.
    #[test]
    fn what_is_written_is_read_back(operations in operations()) {
        let path = "overlay.yml".to_owned();
        let bytes = text(&operations, &[], false).into_bytes();
        let overlay = Source { path, role: Role::Overlay, bytes };
        let Ok(resolution) = resolve(&[base(), overlay]) else { return Ok(()) };
        let canonical = resolution.text();
        let back = load(&canonical, 0).unwrap();
        prop_assert!(back.same(&resolution.tree));
        prop_assert_eq!(render(&back), canonical);
        let written = lock::write(&resolution, None);
        let lock = lock::parse(written.as_bytes()).unwrap();
        prop_assert!(lock.resolved.same(&resolution.tree));
        prop_assert_eq!(&lock.taxonomy, &resolution.taxonomy);
        prop_assert_eq!(&lock.header.sources, &resolution.sources);
        prop_assert_eq!(&lock.foundings, &resolution.foundings);
    }

    /// Damaged sources are refused or resolved, and never anything else.
    #[test]
    fn damaged_sources_never_panic(
        edits in proptest::collection::vec((any::<Index>(), any::<u8>(), 0..3_u8), 1..6),
        lines in proptest::collection::vec((any::<Index>(), any::<Index>()), 0..4),
    ) {
        let mut source = base();
        let mut text: Vec<String> =
            String::from_utf8(source.bytes).unwrap().lines().map(str::to_owned).collect();
        for (a, b) in lines {
            let (a, b) = (a.index(text.len()), b.index(text.len()));
            text.swap(a, b);
        }
        source.bytes = text.join("\n").into_bytes();
        for (place, byte, how) in edits {
            damage(&mut source.bytes, &place, byte, how);
        }
        if let Ok(resolution) = resolve(&[source]) {
            let validation = validate(&resolution);
            for refusal in validation.refusals.iter().chain(&validation.warnings) {
                prop_assert_eq!(refusal.render("hw").lines().count(), 1);
            }
        }
    }

    /// A damaged lock is refused, or holds the taxonomy that it held.
    #[test]
    fn a_damaged_lock_is_refused_or_unharmed(
        place in any::<Index>(),
        byte in any::<u8>(),
        how in 0..3_u8,
    ) {
        let (written, original) = &*ADOPTED;
        let mut bytes = written.clone().into_bytes();
        damage(&mut bytes, &place, byte, how);
        if let Ok(lock) = lock::parse(&bytes) {
            prop_assert!(lock.resolved.same(&original.resolved));
            prop_assert_eq!(&lock.header.digest, &original.header.digest);
        }
    }
}

fn damage(bytes: &mut Vec<u8>, place: &Index, byte: u8, how: u8) {
    let at = place.index(bytes.len());
    match how {
        0 => bytes[at] = byte,
        1 => bytes.insert(at, byte),
        _ => {
            bytes.remove(at);
        }
    }
}

/// A lock with an adoption block.
static ADOPTED: LazyLock<(String, Lock)> = LazyLock::new(|| {
    let adoption = load("tasks: [{id: AD-1, owner: kim}]\n", 0).unwrap();
    let written = lock::write(&lantern(), Some(&adoption));
    let lock = lock::parse(written.as_bytes()).unwrap();
    (written, lock)
});

/// The properties above are about accepted sources, so most operations must be acceptable.
#[test]
fn most_operations_are_accepted_alone() {
    let alone = |operation: &Operation| {
        let (path, role) = ("overlay.yml".to_owned(), Role::Overlay);
        let bytes = text(&[*operation], &[], false).into_bytes();
        resolve(&[base(), Source { path, role, bytes }]).is_ok()
    };
    let refused: Vec<_> = OPERATIONS.iter().filter(|operation| !alone(operation)).collect();
    let wanted = [("override", "kinds.memo.purpose"), ("add_to", "kinds.memo.sections.require")];
    assert_eq!(refused.iter().map(|(verb, at, _)| (*verb, *at)).collect::<Vec<_>>(), wanted);
}

#[test]
fn every_line_of_the_resolved_block_is_covered_by_the_digest() {
    let (written, _) = &*ADOPTED;
    let lines: Vec<&str> = written.lines().collect();
    let start = lines.iter().position(|line| *line == "resolved:").unwrap() + 1;
    for at in start..lines.len() {
        let mut without = lines.clone();
        without.remove(at);
        assert!(lock::parse((without.join("\n") + "\n").as_bytes()).is_err(), "{}", lines[at]);
        // A change of case, of a digit or of a quoted text is a change of the taxonomy.
        let mut changed = lines.clone();
        let line = changed[at].replacen(|c: char| c.is_ascii_alphanumeric(), "Q", 1);
        changed[at] = &line;
        assert!(lock::parse((changed.join("\n") + "\n").as_bytes()).is_err(), "{line}");
    }
    for at in start..lines.len() - 1 {
        let mut swapped = lines.clone();
        swapped.swap(at, at + 1);
        if swapped[at] != swapped[at + 1] {
            let read = lock::parse((swapped.join("\n") + "\n").as_bytes());
            assert!(read.is_err(), "{} / {}", swapped[at], swapped[at + 1]);
        }
    }
}

#[test]
fn a_long_chain_of_kinds_is_refused_and_not_followed() {
    let mut text = String::from("taxonomy: a\nversion: 1\nkinds:\n  k0: {abstract: true}\n");
    for at in 1..3000 {
        text += &format!("  k{at}: {{abstract: true, is_a: k{}}}\n", at - 1);
    }
    let bytes = text.into_bytes();
    let resolution = resolve(&[Source { path: "t.yml".into(), role: Role::Base, bytes }]).unwrap();
    let refusals = validate(&resolution).refusals;
    assert_eq!(refusals.len(), 3000 - 64);
    assert!(refusals.iter().all(|refusal| refusal.what.contains("longer than 64 kinds")));
}

/// What two operations from two sources do to each other, at every relation of their addresses.
#[test]
fn every_pair_of_operations_is_contested_exactly_where_order_would_matter() {
    let place = "kinds.part.facets";
    let list = |verb: &'static str, member: &str| {
        let value = if verb == "remove" { "" } else { "[x]" };
        (verb, format!("{place}.{member}"), value)
    };
    let whole = |verb: &'static str, value: &'static str| (verb, place.to_owned(), value);
    let verbs = ["add", "override", "add_to", "remove_from", "remove"];
    let source = |name: &str, (verb, address, value): &(&str, String, &str)| {
        let body = match *verb {
            "remove" => format!("remove: [{address}]\n"),
            verb => format!("{verb}: {{{address}: {value}}}\n"),
        };
        let role = Role::Bundle(name.to_owned());
        Source { path: format!("{name}.yml"), role, bytes: body.into_bytes() }
    };
    let contested = |a: &(&str, String, &str), b: &(&str, String, &str)| {
        let found = resolve(&[base(), source("a", a), source("b", b)]);
        let refusals = found.err().unwrap_or_default();
        let confluence = |refusal: &&Refusal| refusal.class == Class::Confluence;
        let count = refusals.iter().filter(confluence).count();
        assert!(count == 0 || count == refusals.len(), "confluence comes before the merge");
        count
    };
    let mut tried = 0;
    for first in verbs {
        for second in verbs {
            let (a, b, beside) =
                (list(first, "require"), list(second, "require"), list(second, "optional"));
            assert_eq!(contested(&a, &b), 1, "{a:?} {b:?}");
            assert_eq!(contested(&a, &beside), 0, "{a:?} {beside:?}");
            tried += 2;
            for (value, meets) in [("{require: [y]}", true), ("{optional: [y]}", false)] {
                // No list stands at the parent, so only three operations can be there.
                if ["add_to", "remove_from"].contains(&second) {
                    continue;
                }
                let parent = whole(second, if second == "remove" { "" } else { value });
                let wanted = usize::from(meets || first != "add" || second != "add");
                assert_eq!(contested(&a, &parent), wanted, "{a:?} {parent:?}");
                assert_eq!(contested(&parent, &a), wanted, "{parent:?} {a:?}");
                tried += 2;
            }
        }
    }
    assert_eq!(tried, 25 * 2 + 5 * 3 * 2 * 2);
}
