//! Rules 5, 6 and 13: inheritance, purpose, and names that are states.

use std::collections::BTreeSet;

use super::Checker;
use crate::model::{CHAIN_LIMIT, Kind, Role};
use crate::path::at;
use crate::shape::listed;
use crate::yaml::shown;

/// Words that say how a document stands, and so are no species of document.
const STATE_WORDS: &[&str] =
    &["draft", "pending", "proposed", "deprecated", "legacy", "temporary", "obsolete"];

pub(super) fn check(checker: &mut Checker<'_>) {
    let taxonomy = checker.taxonomy();
    let states = taxonomy.facet_with_role(Role::State);
    let mut served: BTreeSet<&str> = BTreeSet::new();
    for (name, kind) in taxonomy.kinds.iter() {
        let path = at!["kinds", name];
        inheritance(checker, kind);
        narrowings(checker, kind);
        if !kind.is_abstract {
            match &kind.purpose {
                Some(purpose) => {
                    served.insert(purpose);
                }
                None => {
                    let what = "the kind has no purpose, its own or inherited";
                    checker.refuse(6, path.clone(), what, "add `purpose:`");
                }
            }
        }
        if kind.declared.write_when.as_ref().is_some_and(|text| text.trim().is_empty()) {
            let next = "say when to write such a document, or remove it";
            checker.refuse(6, path.then("write_when"), "`write_when` is blank", next);
        }
        if STATE_WORDS.contains(&name) || states.is_some_and(|facet| facet.value(name).is_some()) {
            let what = format!("`{name}` is a state a document stands in, not a kind of document");
            checker.refuse(13, path, what, "name the kind after what the document is");
        }
    }
    for name in taxonomy.purposes.names() {
        if !served.contains(name) {
            let what = "no concrete kind serves this purpose";
            checker.refuse(6, at!["purposes", name], what, "give it a kind, or remove it");
        }
    }
}

fn inheritance(checker: &mut Checker<'_>, kind: &Kind) {
    let taxonomy = checker.taxonomy();
    let path = at!["kinds", &kind.name];
    if let Some(parent) = kind.declared.is_a.as_ref().and_then(|name| taxonomy.kinds.get(name))
        && !parent.is_abstract
    {
        let what = format!("the parent `{}` is not abstract", parent.name);
        checker.refuse(5, path.then("is_a"), what, "inherit from an abstract kind");
    }
    let root = kind.chain.first().and_then(|name| taxonomy.kinds.get(name));
    let beyond = root.and_then(|root| root.declared.is_a.as_ref());
    if let Some(beyond) = beyond.filter(|name| taxonomy.kinds.contains(name)) {
        if *beyond == kind.name {
            let links = kind.chain.iter().rev().chain([beyond]);
            let circle: Vec<&str> = links.map(String::as_str).collect();
            let what = format!("the chain runs in a circle: {}", circle.join(" is a "));
            checker.refuse(5, path.then("is_a"), what, "end the chain at a kind without `is_a`");
        } else if kind.chain.len() == CHAIN_LIMIT {
            let what = format!("the chain is longer than {CHAIN_LIMIT} kinds");
            checker.refuse(5, path.then("is_a"), what, "shorten it");
        }
    }
    let above: Vec<&Kind> = kind
        .chain
        .iter()
        .filter(|name| **name != kind.name)
        .filter_map(|name| taxonomy.kinds.get(name))
        .collect();
    for (place, facet) in kind.declared.forbid.iter().enumerate() {
        let required = |kind: &&&Kind| kind.declared.require.contains(facet);
        let path = path.then("facets").then("forbid").then(place);
        if let Some(ancestor) = above.iter().find(required) {
            let what = format!("`{}` requires the facet `{}`", ancestor.name, shown(facet));
            checker.refuse(5, path, what, "take it out of one of the two");
        } else if kind.declared.require.contains(facet) {
            let what =
                format!("the kind also requires `{}`, and the forbidding wins", shown(facet));
            checker.warn(5, path, what, "take it out of one of the two");
        }
    }
    for (place, facet) in kind.declared.require.iter().enumerate() {
        if let Some(ancestor) = above.iter().find(|kind| kind.declared.forbid.contains(facet)) {
            let what = format!(
                "`{}` forbids `{}`, so this never asks for it",
                ancestor.name,
                shown(facet)
            );
            let path = path.then("facets").then("require").then(place);
            checker.warn(5, path, what, "take it out of one of the two");
        }
    }
}

fn narrowings(checker: &mut Checker<'_>, kind: &Kind) {
    let taxonomy = checker.taxonomy();
    let own = kind.declared.narrowed.len();
    let above = kind.narrowings.get(..kind.narrowings.len() - own).unwrap_or(&[]);
    for (name, values) in kind.declared.narrowed.iter() {
        let path = at!["kinds", &kind.name, "facets", "values", name];
        let Some(facet) = taxonomy.facets.get(name) else { continue };
        if kind.forbids(name) {
            let what = format!("the kind forbids the facet `{name}`");
            checker.refuse(5, path, what, "remove the narrowing or the forbidding");
            continue;
        }
        if values.is_empty() {
            checker.refuse(5, path, "the narrowing admits no value", "name at least one value");
            continue;
        }
        let outside: Vec<&String> =
            values.iter().filter(|value| facet.value(value).is_none()).collect();
        if !outside.is_empty() {
            let what = format!("{} is no value of the facet", listed(&outside));
            checker.refuse(5, path, what, "narrow to values that the facet lists");
            continue;
        }
        let wider: Vec<&String> = values
            .iter()
            .filter(|value| {
                above.iter().any(|(facet, narrowed)| facet == name && !narrowed.contains(value))
            })
            .collect();
        if !wider.is_empty() {
            let what = format!("{} is narrowed away further up the chain", listed(&wider));
            checker.refuse(5, path, what, "narrow to values that every ancestor admits");
        }
    }
}
