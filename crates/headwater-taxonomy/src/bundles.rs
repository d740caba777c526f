//! The order of the sources, and bundles that are required and not selected.

use std::collections::{BTreeMap, BTreeSet};

use crate::merge::{file_of, leaves};
use crate::path::TreePath;
use crate::refusal::{Class, Next, Refusal};
use crate::shape::listed;
use crate::source::{Overlay, Verb};
use crate::yaml::Node;

/// The bundles in application order: again and again the first one in listed order whose selected
/// requirements are all placed.
///
/// # Errors
/// The refusal that lists a cycle.
pub(crate) fn ordered(
    files: &[String],
    bundles: Vec<Overlay>,
) -> Result<Vec<Overlay>, Box<Refusal>> {
    let selected: BTreeMap<String, usize> = bundles
        .iter()
        .enumerate()
        .filter_map(|(at, bundle)| Some((bundle.bundle.clone()?, at)))
        .collect();
    let mut waits: Vec<BTreeSet<usize>> = bundles
        .iter()
        .map(|bundle| {
            bundle.requires.iter().filter_map(|name| selected.get(name).copied()).collect()
        })
        .collect();
    let mut dependents: Vec<Vec<usize>> = vec![Vec::new(); bundles.len()];
    for (at, needed) in waits.iter().enumerate() {
        for &other in needed {
            if let Some(list) = dependents.get_mut(other) {
                list.push(at);
            }
        }
    }
    let mut ready: BTreeSet<usize> =
        (0..bundles.len()).filter(|&at| waits.get(at).is_some_and(BTreeSet::is_empty)).collect();
    let mut order = Vec::new();
    while let Some(at) = ready.pop_first() {
        order.push(at);
        for &dependent in dependents.get(at).into_iter().flatten() {
            if let Some(needed) = waits.get_mut(dependent) {
                needed.remove(&at);
                if needed.is_empty() {
                    ready.insert(dependent);
                }
            }
        }
    }
    if order.len() < bundles.len() {
        return Err(Box::new(cycle(files, &bundles, &waits)));
    }
    let mut slots: Vec<Option<Overlay>> = bundles.into_iter().map(Some).collect();
    Ok(order.into_iter().filter_map(|at| slots.get_mut(at).and_then(Option::take)).collect())
}

fn cycle(files: &[String], bundles: &[Overlay], waits: &[BTreeSet<usize>]) -> Refusal {
    // Every bundle that still waits waits for one that still waits, so following them must repeat.
    let mut path: Vec<usize> = Vec::new();
    let mut at = waits.iter().position(|needed| !needed.is_empty()).unwrap_or(0);
    while !path.contains(&at) {
        path.push(at);
        at = waits.get(at).and_then(|needed| needed.first().copied()).unwrap_or(at);
    }
    let start = path.iter().position(|&seen| seen == at).unwrap_or(0);
    let name = |at: &usize| bundles.get(*at).and_then(|b| b.bundle.clone()).unwrap_or_default();
    let names: Vec<String> =
        path.get(start..).unwrap_or(&[]).iter().chain([&at]).map(name).collect();
    let file = bundles.get(at).map_or(String::new(), |bundle| file_of(files, bundle.source));
    Refusal::of_file(
        Class::Bundles,
        &file,
        format!("the bundles require each other in a circle: {}", names.join(" requires ")),
        Next::Do("take one `requires` of the circle out".to_owned()),
    )
}

/// The refusals of operations that need what only a bundle that is not selected could provide.
pub(crate) fn unmet(files: &[String], base: &Node, overlays: &[Overlay]) -> Vec<Refusal> {
    let selected: BTreeSet<&str> =
        overlays.iter().filter_map(|overlay| overlay.bundle.as_deref()).collect();
    let mut provided: Option<BTreeSet<Vec<String>>> = None;
    let mut refusals = Vec::new();
    for overlay in overlays {
        let missing: Vec<&String> =
            overlay.requires.iter().filter(|name| !selected.contains(name.as_str())).collect();
        if missing.is_empty() {
            continue;
        }
        let provided = provided.get_or_insert_with(|| provided_by_adds(overlays));
        for operation in &overlay.operations {
            let needed = match operation.verb {
                Verb::Add => operation.address.split_last().map_or(&[][..], |(_, parent)| parent),
                Verb::AddTo => &operation.address,
                _ => continue,
            };
            let path = TreePath(needed.iter().map(Into::into).collect());
            // A root key is always there to be added under.
            if needed.len() < 2 || provided.contains(needed) || path.find(base).is_some() {
                continue;
            }
            refusals.push(Refusal {
                class: Class::Bundles,
                file: file_of(files, operation.source()),
                at: Some(operation.span.start),
                address: Some(operation.to_string()),
                what: format!(
                    "nothing selected provides `{}`, and this bundle requires {}, which {} not \
                     selected",
                    needed.join("."),
                    listed(&missing),
                    if missing.len() == 1 { "is" } else { "are" }
                ),
                next: Next::Do(
                    "list the missing bundle under `taxonomy.bundles` in .headwater/taxonomy.yml"
                        .to_owned(),
                ),
            });
        }
    }
    refusals
}

/// Every address at or below an `add`.
fn provided_by_adds(overlays: &[Overlay]) -> BTreeSet<Vec<String>> {
    let mut provided = BTreeSet::new();
    for operation in overlays.iter().flat_map(|overlay| &overlay.operations) {
        let (Verb::Add, Some(value)) = (operation.verb, operation.value()) else { continue };
        for (path, _) in leaves(&operation.address, value) {
            for length in operation.address.len()..=path.len() {
                provided.extend(path.get(..length).map(<[String]>::to_vec));
            }
        }
    }
    provided
}
