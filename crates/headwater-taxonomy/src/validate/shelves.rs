//! Rules 4 and 7: shelves reach kinds and kinds shelves, and no path is on two at equal rank.

use std::collections::{BTreeMap, BTreeSet};

use super::Checker;
use crate::model::Shelf;
use crate::path::at;
use crate::pattern::Specificity;
use crate::yaml::shown;

pub(super) fn check(checker: &mut Checker<'_>) {
    let taxonomy = checker.taxonomy();
    let mut reached: BTreeSet<&str> = BTreeSet::new();
    for (name, shelf) in taxonomy.shelves.iter() {
        let path = at!["shelves", name];
        if shelf.path.is_empty() {
            let what = "the pattern has no segment and matches nothing";
            checker.refuse(4, path.then("path"), what, "write a path such as `docs/notes/**`");
        }
        if shelf.reaches().is_empty() {
            let (what, next) = if shelf.homogeneous {
                ("the shelf reaches no kind", "add `kind:`")
            } else {
                ("the shelf reaches no kind", "add `discriminator:` and `kinds:`")
            };
            checker.refuse(4, path.clone(), what, next);
        } else if !shelf.homogeneous && shelf.discriminator.is_none() {
            let what = "nothing tells which of the kinds a document is of";
            checker.refuse(4, path.clone(), what, "add `discriminator:`, naming a facet");
        }
        for kind in shelf.reaches() {
            reached.insert(kind);
            if taxonomy.kinds.get(kind).is_some_and(|kind| kind.is_abstract) {
                let what = format!("the shelf reaches the abstract kind `{}`", shown(kind));
                checker.refuse(4, path.clone(), what, "name a concrete kind");
            }
        }
        unread_members(checker, shelf);
    }
    for (name, kind) in taxonomy.kinds.iter() {
        if !kind.is_abstract && !reached.contains(name) {
            let what = "no shelf reaches this kind, so no document can be of it";
            checker.refuse(4, at!["kinds", name], what, "give it a shelf, or make it abstract");
        }
    }

    let mut ranks: BTreeMap<Specificity, Vec<&Shelf>> = BTreeMap::new();
    for shelf in taxonomy.shelves.values() {
        ranks.entry(shelf.path.specificity()).or_default().push(shelf);
    }
    // Pairs are compared within one rank only; a taxonomy has few shelves of one rank.
    for shelves in ranks.values() {
        for (place, shelf) in shelves.iter().enumerate() {
            for earlier in shelves.get(..place).unwrap_or(&[]) {
                if shelf.path.overlaps(&earlier.path) {
                    let what = format!(
                        "a path can be here and on `{}`: `{}` and `{}` overlap and neither is more \
                         specific",
                        earlier.name,
                        shown(shelf.path.text()),
                        shown(earlier.path.text())
                    );
                    let path = at!["shelves", &shelf.name, "path"];
                    checker.refuse(7, path, what, "make one of the patterns more specific");
                }
            }
        }
    }
}

fn unread_members(checker: &mut Checker<'_>, shelf: &Shelf) {
    let path = at!["shelves", &shelf.name];
    let unread: &[(&str, bool)] = if shelf.homogeneous {
        &[("discriminator", shelf.discriminator.is_some()), ("kinds", !shelf.kinds.is_empty())]
    } else {
        &[("kind", shelf.kind.is_some())]
    };
    for (member, stated) in unread {
        if *stated {
            let what = format!(
                "`{member}` is never read on a shelf with `homogeneous: {}`",
                shelf.homogeneous
            );
            checker.warn(4, path.then(*member), what, "remove it, or change `homogeneous`");
        }
    }
    let facet = shelf.discriminator.as_ref().and_then(|name| checker.taxonomy().facets.get(name));
    let Some(facet) = facet.filter(|facet| facet.values.is_some() && !shelf.homogeneous) else {
        return;
    };
    for (place, kind) in shelf.kinds.iter().enumerate() {
        if facet.value(kind).is_none() {
            let what = format!(
                "`{}` is no value of the discriminator `{}`, so no document can be of it here",
                shown(kind),
                facet.name
            );
            checker.warn(4, path.then("kinds").then(place), what, "add the value to the facet");
        }
    }
}
