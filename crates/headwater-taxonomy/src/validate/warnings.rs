//! Warnings: declarations that can never act. They refuse no lock, because a corpus may rely on
//! them being there; they are printed, because nobody else would notice.

use std::collections::BTreeMap;

use super::Checker;
use super::facets::placeholders;
use crate::declarations::{ENGINE_KEYS, VOICE_CATEGORIES};
use crate::model::{Reciprocity, Relation};
use crate::path::at;
use crate::shape::{advice, duration, listed};
use crate::yaml::shown;

pub(super) fn check(checker: &mut Checker<'_>) {
    let taxonomy = checker.taxonomy();
    for (name, kind) in taxonomy.kinds.iter() {
        for (place, expectation) in kind.expectations.iter().enumerate() {
            let path = at!["kinds", name, "relations", "expect", place];
            if duration(&expectation.within).is_some_and(|(_, suffix)| suffix != 'd') {
                let what = format!(
                    "no check reads the window `{}`, so the expectation is always skipped",
                    shown(&expectation.within)
                );
                checker.warn(11, path.then("within"), what, "write it in days, as `30d`");
            }
            if kind.is_abstract {
                let what = "expectations are not inherited, so one on an abstract kind never acts";
                checker.warn(11, path, what, "write it on each concrete kind");
            }
        }
    }
    for (name, voice) in taxonomy.regimes.voice.iter() {
        for (place, category) in voice.forbid.iter().enumerate() {
            if !VOICE_CATEGORIES.contains(&category.as_str()) {
                let what = format!(
                    "`{}` is no category of the engine, which has {}",
                    shown(category),
                    listed(VOICE_CATEGORIES)
                );
                let next = advice(category, VOICE_CATEGORIES.iter().copied(), "remove it");
                checker.warn(1, at!["regimes", "voice", name, "forbid", place], what, &next);
            }
        }
    }
    let mut inverses: BTreeMap<&str, &str> = BTreeMap::new();
    for relation in taxonomy.relations.values() {
        names_of(checker, relation, &mut inverses);
        conditions(checker, relation);
    }
    for name in taxonomy.facets.names() {
        let key = taxonomy.bindings.facet_key(name);
        let owned = if key == "id" {
            taxonomy.bindings.identifier_key == "id"
        } else {
            ENGINE_KEYS.contains(&key)
        };
        if owned {
            let what = format!("the engine reads the key `{key}` itself, so this facet shadows it");
            checker.warn(12, at!["facets", name], what, "give the facet another name or key");
        }
    }
    for (name, shelf) in taxonomy.shelves.iter() {
        let Some(layout) = &shelf.layout else { continue };
        for placeholder in placeholders(layout) {
            let known =
                matches!(placeholder, "slug" | "seq") || taxonomy.facets.contains(placeholder);
            if !known {
                let what =
                    format!("`{{{}}}` is no facet and neither slug nor seq", shown(placeholder));
                checker.warn(1, at!["shelves", name, "layout"], what, "name a facet of the kind");
            }
        }
    }
    for name in taxonomy.anchors.names() {
        if taxonomy.kinds.contains(name) {
            let what = format!("`{name}` is a kind too, so an end that names it means both");
            checker.warn(1, at!["anchors", name], what, "give one of them another name");
        }
    }
}

fn names_of<'t>(
    checker: &mut Checker<'t>,
    relation: &'t Relation,
    inverses: &mut BTreeMap<&'t str, &'t str>,
) {
    let path = at!["relations", &relation.name];
    match &relation.inverse {
        Some(inverse) => {
            let next = "give the inverse a name of its own";
            if checker.taxonomy().relations.contains(inverse) {
                let what =
                    format!("`{}` is a relation too, and is read as that relation", shown(inverse));
                checker.warn(10, path.then("inverse"), what, next);
            }
            if let Some(first) = inverses.get(inverse.as_str()) {
                let what =
                    format!("`{}` is the inverse of `{first}` too, which wins", shown(inverse));
                checker.warn(10, path.then("inverse"), what, next);
            } else {
                inverses.insert(inverse, &relation.name);
            }
        }
        None if relation.reciprocal == Some(Reciprocity::Required) => {
            let what = "the far document owes a half and there is no inverse to write it under, so \
                        it is asked for the relation's own name";
            checker.warn(10, path, what, "add `inverse:`");
        }
        None => {}
    }
}

fn conditions(checker: &mut Checker<'_>, relation: &Relation) {
    for (facet, value) in &relation.invalid_when_both {
        let path = at!["relations", &relation.name, "invalid_when", "both", facet];
        match checker.taxonomy().facets.get(facet) {
            None => {
                let what = format!("`{}` is no declared facet, so it never holds", shown(facet));
                checker.warn(10, path, what, "name a declared facet");
            }
            Some(declared) if declared.values.is_some() && declared.value(value).is_none() => {
                let what =
                    format!("`{}` is no value of `{}`, so it never holds", shown(value), facet);
                checker.warn(10, path, what, "name one of its values");
            }
            Some(_) => {}
        }
    }
}
