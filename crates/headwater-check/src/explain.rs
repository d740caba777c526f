//! What a document is: its kind and how it came to it, what it owes, and what it is related to.

use std::fmt::Write as _;

use headwater_corpus::{Class, Corpus, Placed, Row};
use headwater_taxonomy::model::{Direction, End as Side, Role};
use headwater_taxonomy::path::normalize;
use headwater_taxonomy::yaml::{escaped, shown};

use crate::registry::Registry;

/// Explains the document with an identifier or at a path, in lines of text.
///
/// # Errors
/// One sentence that says which kind of nothing the target is.
pub fn explain(corpus: &Corpus, registry: &Registry, target: &str) -> Result<String, String> {
    let target = target.trim();
    let named = corpus.node(target).or_else(|| corpus.near_miss(target));
    let row = match named {
        Some(at) => corpus.row(at),
        None => match normalize(target) {
            Ok(path) => corpus.row_at(&path).and_then(|at| corpus.row(at)),
            Err(_) => None,
        },
    };
    match row {
        Some(row) => Ok(document(corpus, row)),
        None => Err(absent(corpus, registry, target)),
    }
}

/// Which kind of nothing a target is. Identifiers first: their fixed beginnings are known.
fn absent(corpus: &Corpus, registry: &Registry, target: &str) -> String {
    let quoted = format!("`{}`", shown(target));
    let unknown = || {
        let meant = registry.meant(target);
        let next = if meant.is_empty() { "; name one as the repository spells it" } else { &meant };
        format!("{quoted} is neither an identifier nor a path of this repository nor a rule{next}")
    };
    let prefixes = corpus.taxonomy().schemes.values().filter_map(|scheme| scheme.template().ok());
    let is_shaped = |prefix: String| !prefix.is_empty() && target.starts_with(&prefix);
    if prefixes.map(|template| template.prefix()).any(is_shaped) {
        return format!(
            "{quoted} has the form of an identifier, and no document carries it; look for a slip in it"
        );
    }
    let Ok(path) = normalize(target) else { return unknown() };
    let declaration = corpus.declaration();
    if let Some(rule) = declaration.exclude.iter().find(|rule| rule.pattern.matches(&path)) {
        let pattern = shown(rule.pattern.text());
        return format!("{quoted} is excluded by the pattern `{pattern}`: {}", shown(&rule.reason));
    }
    let root = &declaration.root;
    let inside = root.is_empty() || path == *root || path.starts_with(&format!("{root}/"));
    if inside && corpus.root().join(&path).is_dir() {
        return format!("{quoted} is a directory of this corpus; name a document in it");
    }
    if inside {
        return format!(
            "{quoted} is a path of this corpus, and nothing is written there; look for a slip in it"
        );
    }
    if target.contains('/') || corpus.root().join(&path).exists() {
        return format!(
            "{quoted} lies outside the corpus root `{}`; name a document below it",
            shown(root)
        );
    }
    unknown()
}

// Writing to a text cannot fail, so its results are passed over below.
fn document(corpus: &Corpus, row: &Row) -> String {
    let mut out = format!("{}\n", escaped(&row.path));
    let detail = corpus.detail(row);
    let class = row.class();
    let _ = match detail.as_str() {
        "" => writeln!(out, "  census: {class}"),
        detail => writeln!(out, "  census: {class}, {detail}"),
    };
    match corpus.derivation(row) {
        Some(Ok(placed)) => derived(&mut out, &placed),
        Some(Err(stop)) if class != Class::Untyped => {
            let _ = writeln!(out, "  no kind: {}", stop.sentence(corpus.taxonomy()));
        }
        Some(Err(_)) | None => {}
    }
    if let Some(identifier) = row.identifier() {
        let _ = writeln!(out, "  identifier: {}", escaped(identifier));
    }
    owed(&mut out, corpus, row);
    related(&mut out, corpus, row);
    out
}

fn derived(out: &mut String, placed: &Placed<'_>) {
    let how = if placed.discriminator.is_some() { "its discriminator" } else { "its place" };
    let _ =
        writeln!(out, "  kind: {}, by {how} on the shelf {}", placed.kind.name, placed.shelf.name);
    for shelf in &placed.beaten {
        let _ = writeln!(out, "    also matched by the less specific shelf {}", shelf.name);
    }
    if placed.kind.chain.len() > 1 {
        let _ = writeln!(out, "    descends: {}", placed.kind.chain.join(" > "));
    }
}

fn owed(out: &mut String, corpus: &Corpus, row: &Row) {
    let taxonomy = corpus.taxonomy();
    let Some(kind) = corpus.kind(row) else { return };
    if let Some((name, purpose)) =
        kind.purpose.as_ref().and_then(|name| Some((name, taxonomy.purposes.get(name)?)))
    {
        let _ = writeln!(out, "  purpose: {name}, to {}", purpose.intent);
    }
    let document = row.document.as_deref();
    if let Some(scent) = taxonomy.facet_with_role(Role::Scent)
        && let Some(text) = document.and_then(|document| document.facet_text(&scent.name))
    {
        let _ = writeln!(out, "  {}: {}", scent.name, escaped(text));
    }
    let provenance = document.and_then(|document| document.entry("provenance"));
    let warrant = provenance.and_then(|entry| entry.value.as_mapping()?.get("warrant")?.text());
    if let Some(warrant) = warrant {
        let _ = writeln!(out, "  warrant: {}", escaped(warrant));
    }
    for (what, list) in [("facets", &kind.required), ("sections", &kind.sections)] {
        if !list.is_empty() {
            let _ = writeln!(out, "  required {what}: {}", list.join(", "));
        }
    }
    for relation in taxonomy.relations.values() {
        if taxonomy.permits(&relation.from, &kind.name) {
            let _ = writeln!(out, "  may write {}: to {}", relation.name, relation.to.join(", "));
        }
        if let Some(inverse) = &relation.inverse
            && taxonomy.permits(&relation.to, &kind.name)
        {
            let _ = writeln!(out, "  may write {inverse}: to {}", relation.from.join(", "));
        }
    }
}

fn related(out: &mut String, corpus: &Corpus, row: &Row) {
    let Some(at) = corpus.row_at(&row.path) else { return };
    let written = corpus.edges_of(at).map(|(_, edge)| (edge, true));
    let incoming = corpus.edges_to(at).map(|(_, edge)| (edge, false));
    for (edge, wrote) in written.chain(incoming) {
        let Some(relation) = corpus.relation(edge) else { continue };
        let (arrow, far) = if wrote {
            (
                "->",
                edge.targets
                    .iter()
                    .map(|target| target.text.as_str())
                    .collect::<Vec<_>>()
                    .join(", "),
            )
        } else {
            ("<-", corpus.row(edge.source).and_then(Row::identifier).unwrap_or_default().to_owned())
        };
        let here = match (edge.direction, wrote) {
            (Direction::Declared, true) | (Direction::Inverse, false) => Side::From,
            _ => Side::To,
        };
        let governs = match relation.governing_end() {
            Some(end) if end == here => ", this end governs",
            Some(_) => ", the other end governs",
            None => "",
        };
        let _ = writeln!(out, "  {arrow} {} {}{governs}", corpus.written(edge), escaped(&far));
    }
}
