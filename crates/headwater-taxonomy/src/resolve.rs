//! From sources to one resolved tree, in the fixed steps of the specification: read each alone,
//! order, confluence, merge, canonical order, references, shape again, core. Every refusal of a step
//! is reported together, and no step runs after one that refused.

use crate::bundles;
use crate::canonical;
use crate::confluence;
use crate::declarations::TAXONOMY;
use crate::merge::{Founding, Merger, canonical_order, file_of};
use crate::model::Taxonomy;
use crate::path::TreePath;
use crate::references;
use crate::refusal::{Class, Next, Refusal};
use crate::requirements;
use crate::shape::{Completeness, hold};
use crate::source::{Overlay, Role, Source, read_base, read_overlay};
use crate::yaml::Node;

/// A source as the lock records it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SourceRecord {
    /// The path, relative to the repository root.
    pub path: String,
    /// The digest of its bytes.
    pub digest: String,
}

/// A resolved taxonomy, not yet validated.
#[derive(Clone, Debug)]
pub struct Resolution {
    /// The resolved tree in canonical order.
    pub tree: Node,
    /// The same, typed.
    pub taxonomy: Taxonomy,
    /// The sources in application order, base first.
    pub sources: Vec<SourceRecord>,
    /// What operations brought into being.
    pub foundings: Vec<Founding>,
    /// The paths of the sources by the numbers that spans carry.
    pub files: Vec<String>,
}

impl Resolution {
    /// The canonical text.
    pub fn text(&self) -> String {
        canonical::render(&self.tree)
    }
}

/// Resolves sources: one base, the selected bundles in listed order, the overlay of the repository.
///
/// # Errors
/// Every refusal of the first step that refuses, in the order of files and places.
pub fn resolve(sources: &[Source]) -> Result<Resolution, Vec<Refusal>> {
    let files: Vec<String> = sources.iter().map(|source| source.path.clone()).collect();
    let (base, overlays) = read_each(sources)?;
    let (bundles, repository): (Vec<_>, Vec<_>) =
        overlays.into_iter().partition(|overlay| overlay.bundle.is_some());
    let mut overlays = bundles::ordered(&files, bundles).map_err(|refusal| vec![*refusal])?;
    overlays.extend(repository);
    let mut refusals = bundles::unmet(&files, &base, &overlays);
    refusals.extend(confluence::contested(&files, &overlays));
    if !refusals.is_empty() {
        return Err(refusals);
    }

    let mut merger = Merger::new(&files, &base);
    for overlay in &overlays {
        merger.apply_all(overlay);
    }
    let Merger { tree, refusals, foundings, .. } = merger;
    if !refusals.is_empty() {
        return Err(refusals);
    }
    let mut tree = canonical_order(tree, Some(&base), base.span.source);

    let about =
        |class: Class, path: TreePath, span: crate::yaml::Span, what: String, next: &str| Refusal {
            class,
            file: file_of(&files, span.source),
            at: Some(span.start),
            address: Some(path.to_string()),
            what,
            next: Next::Do(next.to_owned()),
        };
    let dangling: Vec<Refusal> = references::resolve(&mut tree)
        .into_iter()
        .map(|(path, span, what)| {
            about(Class::Reference, path, span, what, "declare the vocabulary, or refer to another")
        })
        .collect();
    if !dangling.is_empty() {
        return Err(dangling);
    }
    let mut misfits = Vec::new();
    hold(&TAXONOMY, &tree, &TreePath::default(), Completeness::Whole, &mut misfits);
    if !misfits.is_empty() {
        return Err(misfits
            .into_iter()
            .map(|misfit| {
                let what = format!("after the merge, {}", misfit.what);
                about(Class::Structure, misfit.path, misfit.span, what, &misfit.next)
            })
            .collect());
    }
    let refusals = requirements::refusals(&files, &base, &overlays, &tree);
    if !refusals.is_empty() {
        return Err(refusals);
    }

    let numbers = std::iter::once(base.span.source).chain(overlays.iter().map(|o| o.source));
    let record = |number: u32| {
        let source = sources.get(number as usize)?;
        let digest = canonical::digest(&source.bytes);
        Some(SourceRecord { path: source.path.clone(), digest })
    };
    Ok(Resolution {
        taxonomy: Taxonomy::from_tree(&tree),
        sources: numbers.filter_map(record).collect(),
        tree,
        foundings,
        files,
    })
}

fn read_each(sources: &[Source]) -> Result<(Node, Vec<Overlay>), Vec<Refusal>> {
    let mut base = None;
    let mut overlays = Vec::new();
    let mut refusals = Vec::new();
    for (number, source) in (0_u32..).zip(sources) {
        match source.role {
            Role::Base => match read_base(source, number) {
                Ok(node) => base = Some(node),
                Err(found) => refusals.extend(found),
            },
            _ => match read_overlay(source, number) {
                Ok(overlay) => overlays.push(overlay),
                Err(found) => refusals.extend(found),
            },
        }
    }
    match base {
        Some(base) if refusals.is_empty() => Ok((base, overlays)),
        Some(_) => Err(refusals),
        None if refusals.is_empty() => Err(vec![Refusal::of_file(
            Class::Input,
            "",
            "there is no taxonomy source",
            Next::Do("name one under `contents.taxonomy` in package.yml".to_owned()),
        )]),
        None => Err(refusals),
    }
}
