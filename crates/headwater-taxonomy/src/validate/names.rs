//! Rule 1, referential integrity: every name that a declaration reads is declared.

use std::collections::BTreeSet;

use super::Checker;
use crate::model::Taxonomy;
use crate::path::{TreePath, at};
use crate::shape::advice;
use crate::yaml::shown;

/// A name that is read and that nothing declares.
struct Missing<'t> {
    path: TreePath,
    what: &'static str,
    name: &'t str,
    near: Option<String>,
}

/// The names that nothing declares, as (what they should be, name).
pub fn undeclared(taxonomy: &Taxonomy) -> BTreeSet<(&'static str, String)> {
    collect(taxonomy).into_iter().map(|missing| (missing.what, missing.name.to_owned())).collect()
}

pub(super) fn check(checker: &mut Checker<'_>) {
    for Missing { path, what, name, near } in collect(checker.taxonomy()) {
        let said = format!("`{}` is no declared {what}", shown(name));
        checker.refuse(1, path, said, &near.unwrap_or_else(|| format!("declare the {what}")));
    }
}

struct Collector<'t> {
    missing: Vec<Missing<'t>>,
}

impl<'t> Collector<'t> {
    fn reads<'n>(
        &mut self,
        declared: bool,
        path: TreePath,
        what: &'static str,
        name: &'t str,
        known: impl Iterator<Item = &'n str>,
    ) {
        if !declared {
            let near = advice(name, known, "");
            let near = Some(near).filter(|near| !near.is_empty());
            self.missing.push(Missing { path, what, name, near });
        }
    }
}

fn collect(taxonomy: &Taxonomy) -> Vec<Missing<'_>> {
    let t = taxonomy;
    let mut c = Collector { missing: Vec::new() };
    kinds(t, &mut c);
    for (name, shelf) in t.shelves.iter() {
        let at = at!["shelves", name];
        if let Some(kind) = &shelf.kind {
            c.reads(t.kinds.contains(kind), at.then("kind"), "kind", kind, t.kinds.names());
        }
        for (place, kind) in shelf.kinds.iter().enumerate() {
            let path = at.then("kinds").then(place);
            c.reads(t.kinds.contains(kind), path, "kind", kind, t.kinds.names());
        }
        for (member, read) in
            [("discriminator", &shelf.discriminator), ("group_by", &shelf.group_by)]
        {
            if let Some(name) = read {
                facet_read(t, &mut c, at.then(member), name);
            }
        }
    }
    for (name, relation) in t.relations.iter() {
        let at = at!["relations", name];
        for (end, permitted) in [("from", &relation.from), ("to", &relation.to)] {
            for (place, name) in permitted.iter().enumerate() {
                let declared = t.kinds.contains(name) || t.anchors.contains(name);
                let known = t.kinds.names().chain(t.anchors.names());
                c.reads(declared, at.then(end).then(place), "kind or anchor kind", name, known);
            }
        }
        for (place, name) in relation.inherits.iter().enumerate() {
            facet_read(t, &mut c, at.then("inherits").then(place), name);
        }
    }
    for (place, projection) in t.projections.iter().enumerate() {
        let at = at!["projections", place];
        for (number, shelf) in projection.shelves.iter().enumerate() {
            let path = at.then("for").then(number);
            c.reads(t.shelves.contains(shelf), path, "shelf", shelf, t.shelves.names());
        }
        if let Some(identity) = &projection.identity {
            let path = at.then("identity").then("kind");
            let kind = &identity.kind;
            c.reads(t.kinds.contains(kind), path, "kind", kind, t.kinds.names());
        }
        for (side, clauses) in [("include", &projection.include), ("exclude", &projection.exclude)]
        {
            for name in clauses.names() {
                facet_read(t, &mut c, at.then("filter").then(side).then(name), name);
            }
        }
    }
    for (name, control) in t.controls.iter() {
        for (place, obligation) in control.discharges.iter().enumerate() {
            let path = at!["controls", name, "discharges", place];
            let declared = t.obligations.contains(obligation);
            c.reads(declared, path, "obligation", obligation, t.obligations.names());
        }
    }
    c.missing
}

fn facet_read<'t>(t: &'t Taxonomy, c: &mut Collector<'t>, path: TreePath, name: &'t str) {
    c.reads(t.facets.contains(name), path, "facet", name, t.facets.names());
}

fn kinds<'t>(t: &'t Taxonomy, c: &mut Collector<'t>) {
    for (name, kind) in t.kinds.iter() {
        let at = at!["kinds", name];
        let d = &kind.declared;
        if let Some(parent) = &d.is_a {
            c.reads(t.kinds.contains(parent), at.then("is_a"), "kind", parent, t.kinds.names());
        }
        if let Some(purpose) = &d.purpose {
            let declared = t.purposes.contains(purpose);
            c.reads(declared, at.then("purpose"), "purpose", purpose, t.purposes.names());
        }
        if let Some(scheme) = &d.scheme {
            let path = at.then("identifier").then("scheme");
            let declared = t.schemes.contains(scheme);
            c.reads(declared, path, "identifier scheme", scheme, t.schemes.names());
        }
        if let Some(voice) = &d.voice {
            let known = &t.regimes.voice;
            c.reads(known.contains(voice), at.then("voice"), "voice", voice, known.names());
        }
        if let Some(regime) = &d.lifecycle {
            let known = &t.regimes.lifecycle;
            let path = at.then("lifecycle");
            c.reads(known.contains(regime), path, "lifecycle", regime, known.names());
        }
        if let Some(regime) = &d.language {
            let known = &t.regimes.language;
            let path = at.then("language");
            c.reads(known.contains(regime), path, "language", regime, known.names());
        }
        let facets = at.then("facets");
        for (list, names) in
            [("require", &d.require), ("optional", &d.optional), ("forbid", &d.forbid)]
        {
            for (place, name) in names.iter().enumerate() {
                facet_read(t, c, facets.then(list).then(place), name);
            }
        }
        for name in d.narrowed.names() {
            facet_read(t, c, facets.then("values").then(name), name);
        }
        for (place, expectation) in kind.expectations.iter().enumerate() {
            let at = at.then("relations").then("expect").then(place);
            let relation = &expectation.relation;
            let inverses = t.relations.values().filter_map(|relation| relation.inverse.as_deref());
            c.reads(
                t.relation_written(relation).is_some(),
                at.then("relation"),
                "relation or inverse",
                relation,
                t.relations.names().chain(inverses),
            );
            if let Some(kind) = &expectation.to_kind {
                c.reads(t.kinds.contains(kind), at.then("to_kind"), "kind", kind, t.kinds.names());
            }
        }
    }
}
