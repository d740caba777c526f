//! Rules 2 and 3: anchors name one resolver each; identifier schemes are readable and cannot meet.

use std::collections::BTreeMap;

use super::Checker;
use crate::path::at;
use crate::shape::listed;
use crate::template::{Template, Unreadable};
use crate::yaml::shown;

pub(super) fn check(checker: &mut Checker<'_>) {
    let taxonomy = checker.taxonomy();
    let mut resolvers: BTreeMap<&str, &str> = BTreeMap::new();
    for (name, anchor) in taxonomy.anchors.iter() {
        let path = at!["anchors", name, "resolver"];
        if anchor.resolver.trim().is_empty() {
            checker.refuse(2, path, "the resolver is blank", "name one, such as `source-tree`");
        } else if let Some(first) = resolvers.insert(&anchor.resolver, name) {
            let resolver = shown(&anchor.resolver);
            let what = format!("`{first}` names the resolver `{resolver}` already");
            checker.refuse(2, path, what, "keep one anchor kind for a resolver");
            resolvers.insert(&anchor.resolver, first);
        }
    }

    let mut readable: Vec<(&str, Template)> = Vec::new();
    for (name, scheme) in taxonomy.schemes.iter() {
        match scheme.template() {
            Ok(template) => readable.push((name, template)),
            Err(Unreadable::NoNamespace) => {
                let what = "the namespace is absent or empty after resolution";
                let next = format!("add `identifier_schemes.{name}.namespace` in the overlay");
                checker.refuse(3, at!["identifier_schemes", name], what, &next);
            }
            Err(why) => {
                let path = at!["identifier_schemes", name, "pattern"];
                checker.refuse(3, path, why.to_string(), "correct the pattern");
            }
        }
    }
    // Every pair is compared: a taxonomy has a handful of schemes, and each comparison stops at the
    // first position that cannot meet.
    for (at, (name, template)) in readable.iter().enumerate() {
        for (other, earlier) in readable.get(..at).unwrap_or(&[]) {
            if template.disjoint(earlier) {
                continue;
            }
            let minting = |scheme: &str| {
                let kinds: Vec<&str> = taxonomy
                    .kinds
                    .values()
                    .filter(|kind| kind.scheme.as_deref() == Some(scheme))
                    .map(|kind| kind.name.as_str())
                    .collect();
                if kinds.is_empty() { "no kind".to_owned() } else { listed(&kinds) }
            };
            let what = format!(
                "it can mint an identifier of `{other}`: `{}` under which {} mints, and `{}` under \
                 which {} mints, overlap",
                shown(&template.shape()),
                minting(name),
                shown(&earlier.shape()),
                minting(other)
            );
            let path = at!["identifier_schemes", *name, "pattern"];
            checker.refuse(3, path, what, "put a literal that differs before the slug or number");
        }
    }
}
