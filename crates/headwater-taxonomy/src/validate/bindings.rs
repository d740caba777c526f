//! Rule 20: bindings. A bound key decides what a file says, so it must mean one declared thing, and
//! its template must be one that can be read backwards.

use std::collections::BTreeMap;

use super::Checker;
use crate::model::{GENERATED_KEY, PROVENANCE_KEY, RELATIONS_KEY};
use crate::path::{TreePath, at};
use crate::shape::advice;
use crate::template::ValueTemplate;
use crate::yaml::{Node, shown};

pub(super) fn check(checker: &mut Checker<'_>) {
    let root = at!["bindings"];
    if root.find(&checker.resolution.tree).is_none() {
        return;
    }
    let taxonomy = checker.taxonomy();
    let bindings = &taxonomy.bindings;

    let identifier = root.then("identifier");
    key(checker, &identifier.then("key"), &bindings.identifier_key);
    template(checker, &identifier.then("template"));
    for (spelled, bound) in bindings.relations.iter() {
        let path = root.then("relations").then(spelled);
        key(checker, &path, spelled);
        template(checker, &path.then("template"));
        if spelled == bindings.identifier_key {
            let what = "this is the key of the identifier, and cannot hold edges too";
            checker.refuse(20, path.clone(), what, "bind another key");
        }
        if taxonomy.relation_written(&bound.relation).is_none() {
            let inverses = taxonomy.relations.values().filter_map(|held| held.inverse.as_deref());
            let known = taxonomy.relations.names().chain(inverses);
            let what = format!("`{}` is no declared relation or inverse", shown(&bound.relation));
            let next = advice(&bound.relation, known, "declare the relation");
            checker.refuse(20, path.then("relation"), what, &next);
        }
        let split = path.then("split");
        if split.find(&checker.resolution.tree).and_then(Node::text) == Some("") {
            checker.refuse(20, split, "the separator is empty", "write one, or remove `split`");
        }
    }
    let mut spelled: BTreeMap<&str, &str> = BTreeMap::new();
    for (facet, bound) in bindings.facets.iter() {
        let path = root.then("facets").then(facet);
        key(checker, &path.then("key"), bound);
        if !taxonomy.facets.contains(facet) {
            let what = format!("`{}` is no declared facet", shown(facet));
            let next = advice(facet, taxonomy.facets.names(), "declare the facet");
            checker.refuse(20, path.clone(), what, &next);
        }
        // A facet that is not bound is spelled by its name, unless that name is bound elsewhere.
        let by_name =
            bound != facet && taxonomy.facets.contains(bound) && !bindings.facets.contains(bound);
        let other = spelled.insert(bound, facet).or(by_name.then_some(bound.as_str()));
        if let Some(other) = other {
            let what = format!("the facet `{other}` is read from the key `{}` too", shown(bound));
            checker.refuse(20, path.then("key"), what, "give each facet its own key");
        }
    }
    if let Some(sidecar) = &bindings.sidecar {
        for (member, name) in [("file", &sidecar.file), ("document", &sidecar.document)] {
            let path = root.then("sidecar").then(member);
            if name.trim().is_empty() || name.contains(['/', '\\']) || name == "." || name == ".." {
                let what = format!("`{}` is no plain file name", shown(name));
                checker.refuse(20, path, what, "write a file name without a directory");
            }
        }
        if sidecar.file == sidecar.document {
            let what = "the front matter and the document are one file";
            checker.refuse(20, root.then("sidecar"), what, "remove `sidecar`");
        }
        if !sidecar.document.ends_with(".md") {
            let what =
                format!("`{}` is no document; their names end in .md", shown(&sidecar.document));
            checker.refuse(20, root.then("sidecar").then("document"), what, "name a document");
        }
    }
    for (name, separator) in bindings.lists.iter() {
        let path = root.then("lists").then(name);
        if separator.is_empty() {
            checker.refuse(20, path.clone(), "the separator is empty", "write one");
        }
        if !taxonomy.facets.contains(name) && taxonomy.facet_of_key(name).is_none() {
            let what = format!("`{}` is no facet and no key of one", shown(name));
            checker.warn(20, path, what, "name a declared facet");
        }
    }
}

fn key(checker: &mut Checker<'_>, path: &TreePath, key: &str) {
    if key.trim().is_empty() {
        checker.refuse(20, path.clone(), "the key is blank", "write the key of the files");
    } else if [RELATIONS_KEY, PROVENANCE_KEY, GENERATED_KEY].contains(&key) {
        let what = format!("`{key}` is a key that the engine reads itself");
        checker.refuse(20, path.clone(), what, "bind another key");
    }
}

fn template(checker: &mut Checker<'_>, path: &TreePath) {
    let Some(text) = path.find(&checker.resolution.tree).and_then(Node::text) else { return };
    if ValueTemplate::parse(text).is_none() {
        let what = format!("`{}` does not hold `{{value}}` exactly once", shown(text));
        checker.refuse(20, path.clone(), what, "write it as `EIP-{value}`");
    }
}
