//! The guesses put together as the source of a taxonomy.

use std::path::Path;

use crate::facets::{self, Facet};
use crate::identifier;
use crate::relations::{self, FILE, Relation};
use crate::root::Root;
use crate::shelves::{self, Shelf};
use crate::survey::{Survey, counted, quoted};
use crate::tree::{Tree, map, text, texts};

/// The version of a first taxonomy.
pub(crate) const VERSION: &str = "0.1.0";
/// The name of the lifecycle.
const LIFECYCLE: &str = "found";
const PURPOSE: &str = "record";

/// A source and what was guessed.
pub(crate) struct Guess {
    pub taxonomy: String,
    pub account: Vec<(&'static str, String)>,
}

/// Guesses the taxonomy of a corpus.
pub(crate) fn guess(survey: &Survey, repository: &Path, root: &Root, package: &str) -> Guess {
    let identifier = identifier::guess(survey);
    let relations = relations::guess(survey, repository, identifier.as_ref());
    let mut used: Vec<&str> = relations.iter().flat_map(Relation::keys).collect();
    used.extend(identifier.as_ref().map(|identifier| identifier.key.as_str()));
    let facets = facets::guess(survey, &used);
    let states = facets.iter().find_map(|facet| Some((facet, facet.states()?)));
    let avoid = states.as_ref().map_or(&[][..], |(_, (values, _))| values);
    let shelves = shelves::guess(survey, root, avoid);

    let mut account = Vec::new();
    if let Some(sidecar) = &survey.sidecar {
        let (file, document) = (quoted(&sidecar.file), quoted(&sidecar.document));
        account.push((
            "sidecar",
            format!("{file} beside {document} in {}", counted(survey.sidecars, "folder")),
        ));
    }
    for shelf in &shelves {
        account.push((
            "shelf",
            format!("{} of {}: {}", quoted(&shelf.pattern), shelf.kind, shelf.why),
        ));
    }
    account.extend(identifier.iter().map(|identifier| ("identifier", identifier.why.clone())));
    account.extend(relations.iter().map(|relation| ("relation", relation.why.clone())));
    account.extend(facets.iter().filter_map(|facet| Some(("facet", facet.why.clone()?))));

    let kinds: Vec<String> = shelves.iter().map(|shelf| shelf.kind.clone()).collect();
    let mut source = vec![("taxonomy", text(package)), ("version", text(VERSION))];
    let purpose = map([
        ("intent", text("say what the documents of this corpus are for")),
        ("answers", texts(["what is written here"])),
    ]);
    source.push(("purposes", map([(PURPOSE, purpose)])));
    let declared = facets.iter().map(|facet| (facet.name.clone(), facet.tree()));
    source.push(("facets", map(declared)));
    if let Some((_, (values, standings))) = &states {
        let regime = crate::states::regime(values, standings);
        source.push(("regimes", map([("lifecycle", map([(LIFECYCLE, regime)]))])));
    }
    if relations.iter().any(|relation| relation.files) {
        source.push(("anchors", map([(FILE, map([("resolver", text("source-tree"))]))])));
    }
    let declared = relations.iter().map(|relation| (relation.name.clone(), relation.tree(&kinds)));
    source.push(("relations", map(declared)));
    let declared = shelves.iter().map(|shelf| {
        let shelved = [
            ("path", text(shelf.pattern.as_str())),
            ("homogeneous", text("true")),
            ("kind", text(shelf.kind.as_str())),
        ];
        (shelf.name.clone(), map(shelved))
    });
    source.push(("shelves", map(declared)));
    let state = states.as_ref().map(|(facet, _)| *facet);
    let declared = shelves.iter().map(|shelf| (shelf.kind.clone(), kind(shelf, &facets, state)));
    source.push(("kinds", map(declared)));

    let mut bindings = Vec::new();
    if let Some(identifier) = &identifier {
        let mut bound = vec![("key", text(identifier.key.as_str()))];
        bound.extend(identifier.template.iter().map(|held| ("template", text(held.as_str()))));
        bindings.push(("identifier", map(bound)));
    }
    let mut part = |name, entries: Vec<(String, Tree)>| {
        if !entries.is_empty() {
            bindings.push((name, map(entries)));
        }
    };
    part("relations", relations.iter().flat_map(Relation::bindings).collect());
    part("facets", facets.iter().filter_map(Facet::binding).collect());
    let list = |facet: &Facet| Some((facet.name.clone(), text(facet.separator?)));
    part("lists", facets.iter().filter_map(list).collect());
    bindings.extend(survey.sidecar.iter().map(|sidecar| ("sidecar", sidecar.tree())));
    source.push(("bindings", map(bindings)));

    // What was not found is not declared.
    source.retain(|(_, tree)| !matches!(tree, Tree::Map(entries) if entries.is_empty()));
    Guess { taxonomy: format!("{HEADER}{}", map(source).render()), account }
}

const HEADER: &str = "\
# What `headwater init` found in the documents as they were. It is yours to correct: say what the values
# mean under `guidance`, what the kinds are for under `purposes`, and what every document owes. After a
# change, `headwater taxonomy resolve` writes the lock anew.
";

fn kind(shelf: &Shelf, facets: &[Facet], state: Option<&Facet>) -> Tree {
    let names = |keys: &[String]| -> Vec<&str> {
        let held = facets.iter().filter(|facet| keys.contains(&facet.key));
        held.map(|facet| facet.name.as_str()).collect()
    };
    let mut declared = vec![("purpose", text(PURPOSE))];
    let (required, optional) = (names(&shelf.required), names(&shelf.optional));
    if state.is_some_and(|state| {
        required.contains(&state.name.as_str()) || optional.contains(&state.name.as_str())
    }) {
        declared.push(("lifecycle", text(LIFECYCLE)));
    }
    let mut owed = Vec::new();
    if !required.is_empty() {
        owed.push(("require", texts(required)));
    }
    if !optional.is_empty() {
        owed.push(("optional", texts(optional)));
    }
    if !owed.is_empty() {
        declared.push(("facets", map(owed)));
    }
    map(declared)
}
