//! Rules 8, 12 and 16: one facet for a role, facets that are read and explained, and a freshness
//! date that can grow stale.

use std::collections::{BTreeMap, BTreeSet};

use super::Checker;
use crate::model::{Role, Taxonomy};
use crate::path::at;
use crate::shape::listed;
use crate::yaml::shown;

pub(super) fn check(checker: &mut Checker<'_>) {
    let taxonomy = checker.taxonomy();
    let mut roles: BTreeMap<Role, &str> = BTreeMap::new();
    let read = read_facets(taxonomy);
    for (name, facet) in taxonomy.facets.iter() {
        let path = at!["facets", name];
        if let Some(role) = facet.role {
            if let Some(first) = roles.get(&role) {
                let what = format!("`{first}` is in the role `{}` already", role.word());
                checker.refuse(8, path.then("role"), what, "keep one facet for a role");
            } else {
                roles.insert(role, name);
            }
            if role == Role::Freshness && facet.stale_after_days.is_none() {
                let what = "the freshness facet does not say when a confirmation is stale";
                checker.refuse(16, path.clone(), what, "add `stale_after_days:`");
            }
        }
        if !read.contains(name) {
            let what = "nothing reads this facet: no role, kind, shelf, filter or condition";
            checker.refuse(12, path.clone(), what, "list it in a kind, or remove it");
        }
        if facet.volatility.is_none() {
            let what = "the facet does not say whether its value may change";
            checker.refuse(12, path.clone(), what, "add `volatility: stable` or `mutable`");
        }
        if let Some(values) = &facet.values {
            let unguided: Vec<&String> = values
                .iter()
                .map(|value| &value.value)
                .filter(|value| facet.guidance.get(value).is_none_or(|text| text.trim().is_empty()))
                .collect();
            if !unguided.is_empty() {
                let what = format!("there is no guidance for {}", listed(&unguided));
                checker.refuse(12, path.clone(), what, "say when to use each value");
            }
        }
        for value in facet.guidance.names() {
            if facet.value(value).is_none() {
                let what = format!("`{}` is no value of this facet", shown(value));
                checker.warn(12, path.then("guidance").then(value), what, "remove it");
            }
        }
        if facet.volatility.as_deref() == Some("mutable") {
            mutable(checker, name);
        }
    }
}

fn mutable(checker: &mut Checker<'_>, facet: &str) {
    let taxonomy = checker.taxonomy();
    let mut uses = Vec::new();
    for (name, scheme) in taxonomy.schemes.iter() {
        uses.push((at!["identifier_schemes", name, "pattern"], scheme.pattern.as_str()));
    }
    for (name, shelf) in taxonomy.shelves.iter() {
        uses.push((at!["shelves", name, "path"], shelf.path.text()));
        uses.push((at!["shelves", name, "layout"], shelf.layout.as_deref().unwrap_or("")));
    }
    for (path, text) in uses {
        if placeholders(text).any(|name| name == facet) {
            let what = format!("`{facet}` may change, and names made from it would not");
            checker.refuse(12, path, what, "use a facet with `volatility: stable`");
        }
    }
}

/// The names inside `{…}`, without a format after a colon.
pub(super) fn placeholders(text: &str) -> impl Iterator<Item = &str> {
    text.split('{')
        .skip(1)
        .filter_map(|rest| rest.split_once('}').map(|(name, _)| name))
        .map(|name| name.split_once(':').map_or(name, |(name, _)| name))
}

/// The facets that something reads.
fn read_facets(taxonomy: &Taxonomy) -> BTreeSet<&str> {
    let mut read: BTreeSet<&str> = BTreeSet::new();
    let contract = |facet: &&crate::model::Facet| facet.role.is_some() || facet.required;
    read.extend(taxonomy.facets.values().filter(contract).map(|facet| facet.name.as_str()));
    for kind in taxonomy.kinds.values() {
        let declared = &kind.declared;
        for list in [&declared.require, &declared.optional, &declared.forbid] {
            read.extend(list.iter().map(String::as_str));
        }
        read.extend(declared.narrowed.names());
        for expectation in &kind.expectations {
            read.extend(expectation.when.iter().map(|(facet, _)| facet.as_str()));
        }
    }
    for shelf in taxonomy.shelves.values() {
        read.extend(shelf.discriminator.as_deref());
        read.extend(shelf.group_by.as_deref());
        read.extend(placeholders(shelf.layout.as_deref().unwrap_or("")));
    }
    for projection in &taxonomy.projections {
        read.extend(projection.include.names().chain(projection.exclude.names()));
    }
    for relation in taxonomy.relations.values() {
        read.extend(relation.inherits.iter().map(String::as_str));
        read.extend(relation.invalid_when_both.iter().map(|(facet, _)| facet.as_str()));
    }
    read
}
