//! Rules 15, 17 and 18: transcriptions, mappings, and paths that stay in the repository.

use std::collections::BTreeMap;

use super::Checker;
use crate::model::Projection;
use crate::path::{BadPath, TreePath, at, normalize};
use crate::yaml::{Node, shown};

/// The extensions that can carry the marker of a generated file.
const EXTENSIONS: &[&str] = &["md", "markdown", "json", "yml", "yaml", "toml"];

pub(super) fn check(checker: &mut Checker<'_>) {
    let taxonomy = checker.taxonomy();
    for (place, projection) in taxonomy.projections.iter().enumerate() {
        transcription(checker, place, projection);
        target(checker, place, projection);
        filter(checker, place, projection);
    }
    profiles(checker);
    mappings(checker);
    outside(checker);
}

fn transcription(checker: &mut Checker<'_>, place: usize, projection: &Projection) {
    let path = at!["projections", place];
    match &projection.anchor {
        Some(anchor) if !checker.taxonomy().anchors.contains(anchor) => {
            let what = format!("`{}` is no declared anchor kind", shown(anchor));
            checker.refuse(
                15,
                path.then("from").then("anchor"),
                what,
                "declare it, or name another",
            );
        }
        None if projection.kind == "transcription" => {
            let what = "a transcription does not say what it transcribes";
            checker.refuse(15, path, what, "add `from: {anchor: <anchor kind>}`");
        }
        _ => {}
    }
}

/// Why a path is not relative and inside the repository.
fn misplaced(path: &str) -> Option<String> {
    if path.split(['/', '\\']).any(|segment| segment == "..") {
        return Some("it holds `..`".to_owned());
    }
    match normalize(path) {
        Ok(_) => None,
        Err(why @ (BadPath::Empty | BadPath::Absolute | BadPath::Climbs)) => Some(why.to_string()),
    }
}

fn target(checker: &mut Checker<'_>, place: usize, projection: &Projection) {
    let path = at!["projections", place, "output"];
    let output = &projection.output;
    if let Some(why) = misplaced(output) {
        let what = format!("`{}` is no path inside the repository: {why}", shown(output));
        checker.refuse(18, path, what, "write a relative path without `..`");
    } else {
        let name = output.rsplit('/').next().unwrap_or("");
        let extension = name.rsplit_once('.').map(|(_, extension)| extension);
        if !extension.is_some_and(|extension| EXTENSIONS.contains(&extension)) {
            let what = format!(
                "`{}` cannot carry the marker of a generated file; the extension must be one of {}",
                shown(output),
                crate::shape::listed(EXTENSIONS)
            );
            checker.refuse(18, path, what, "write to such a file");
        }
    }
    if !projection.committed && projection.kind != "graph_export" {
        let what = "only a `graph_export` may be left uncommitted";
        checker.refuse(18, at!["projections", place, "committed"], what, "remove `committed`");
    }
}

fn filter(checker: &mut Checker<'_>, place: usize, projection: &Projection) {
    for (side, clauses) in [("include", &projection.include), ("exclude", &projection.exclude)] {
        for (name, values) in clauses.iter() {
            // Rule 1 refuses a facet that is not declared.
            let Some(facet) = checker.taxonomy().facets.get(name) else { continue };
            if facet.values.is_none() {
                continue;
            }
            for (number, value) in values.iter().enumerate() {
                if facet.value(value).is_none() {
                    let path = at!["projections", place, "filter", side, name].then(number);
                    let what = format!("`{}` is no value of `{name}`", shown(value));
                    checker.refuse(18, path, what, "name one of its values");
                }
            }
        }
    }
}

/// One profile has one filter and one grain.
fn profiles(checker: &mut Checker<'_>) {
    let taxonomy = checker.taxonomy();
    let tree = &checker.resolution.tree;
    for member in ["filter", "tombstone"] {
        let mut held: BTreeMap<&str, (usize, &Node)> = BTreeMap::new();
        for (place, projection) in taxonomy.projections.iter().enumerate() {
            let path: TreePath = at!["projections", place, member];
            let Some(node) = path.find(tree) else { continue };
            match held.get(projection.profile.as_str()) {
                Some((first, other)) if !other.same(node) => {
                    let what = format!(
                        "the profile `{}` has another {member} at projections[{first}]",
                        shown(&projection.profile)
                    );
                    let next = "state it once, or use another profile";
                    checker.refuse(18, path, what, next);
                }
                Some(_) => {}
                None => {
                    held.insert(&projection.profile, (place, node));
                }
            }
        }
    }
}

fn mappings(checker: &mut Checker<'_>) {
    let taxonomy = checker.taxonomy();
    for (place, mapping) in taxonomy.mappings.iter().enumerate() {
        for kind in mapping.kinds.names() {
            if !taxonomy.kinds.contains(kind) {
                let what = format!("`{}` is no declared kind", shown(kind));
                let path = at!["mappings", place, "kinds", kind];
                checker.refuse(17, path, what, "map a declared kind");
            }
        }
        for key in mapping.facet_values.names() {
            let declared = key.split_once('.').is_some_and(|(facet, value)| {
                taxonomy.facets.get(facet).is_some_and(|facet| facet.value(value).is_some())
            });
            if !declared {
                let what = format!("`{}` is no facet and value, as `facet.value`", shown(key));
                let path = at!["mappings", place, "facet_values", key];
                checker.refuse(17, path, what, "map a value that the facet lists");
            }
        }
    }
}

fn outside(checker: &mut Checker<'_>) {
    let mut held: BTreeMap<String, &str> = BTreeMap::new();
    for (name, language) in checker.taxonomy().regimes.language.iter() {
        for (place, written) in language.outside_root.iter().enumerate() {
            let path = at!["regimes", "language", name, "outside_root", place];
            if let Some(why) = misplaced(written) {
                let what = format!("`{}` is no path inside the repository: {why}", shown(written));
                checker.refuse(18, path, what, "write a relative path without `..`");
                continue;
            }
            let Ok(normal) = normalize(written) else { continue };
            if let Some(first) = held.get(&normal) {
                let what = format!("the language `{first}` lists `{}` already", shown(written));
                checker.refuse(18, path, what, "list a path under one language");
            } else {
                held.insert(normal, name);
            }
        }
    }
}
