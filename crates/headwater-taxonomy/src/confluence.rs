//! Confluence: the result must not depend on the order of the sources.
//!
//! Every pair of operations from two sources is tested before anything merges. Pairs are found by
//! sorting the paths and walking them with a stack of the prefixes that are open, so the cost grows
//! with the operations and the contested pairs, not with the square of the operations.

use std::collections::BTreeSet;

use crate::merge::{file_of, leaves};
use crate::refusal::{Class, Next, Refusal};
use crate::source::{Operation, Overlay, Verb};

/// One path that an operation touches.
struct Touch<'o> {
    path: Vec<String>,
    overlay: usize,
    place: usize,
    operation: &'o Operation,
}

/// The refusals of every contested pair.
pub(crate) fn contested(files: &[String], overlays: &[Overlay]) -> Vec<Refusal> {
    let mut adds = Vec::new();
    let mut all = Vec::new();
    for (number, overlay) in overlays.iter().enumerate() {
        for (place, operation) in overlay.operations.iter().enumerate() {
            let touch = |path| Touch { path, overlay: number, place, operation };
            if let (Verb::Add, Some(value)) = (operation.verb, operation.value()) {
                adds.extend(
                    leaves(&operation.address, value).into_iter().map(|(path, _)| touch(path)),
                );
            }
            all.push(touch(operation.address.clone()));
        }
    }
    let both_add = |a: &Touch<'_>, b: &Touch<'_>| {
        a.operation.verb == Verb::Add && b.operation.verb == Verb::Add
    };
    let mut refusals = Vec::new();
    pairs(&mut adds, |_, _| true, files, &mut refusals);
    let free = |a: &Touch<'_>, b: &Touch<'_>| {
        !both_add(a, b) && !exempt(overlays, a, b) && !exempt(overlays, b, a)
    };
    pairs(&mut all, free, files, &mut refusals);
    refusals
}

/// Whether `dependent` may touch what `other` touches because its bundle directly requires the
/// bundle of `other`, so that the order of the two is decided.
fn exempt(overlays: &[Overlay], dependent: &Touch<'_>, other: &Touch<'_>) -> bool {
    let requires = overlays.get(dependent.overlay).map(|overlay| &overlay.requires);
    let bundle = overlays.get(other.overlay).and_then(|overlay| overlay.bundle.as_ref());
    matches!(dependent.operation.verb, Verb::Add | Verb::AddTo)
        && matches!((requires, bundle), (Some(requires), Some(bundle)) if requires.contains(bundle))
}

fn pairs(
    touches: &mut [Touch<'_>],
    contests: impl Fn(&Touch<'_>, &Touch<'_>) -> bool,
    files: &[String],
    refusals: &mut Vec<Refusal>,
) {
    touches.sort_by(|a, b| {
        a.path.cmp(&b.path).then_with(|| (a.overlay, a.place).cmp(&(b.overlay, b.place)))
    });
    let mut open: Vec<&Touch<'_>> = Vec::new();
    let mut told: BTreeSet<[(usize, usize); 2]> = BTreeSet::new();
    for touch in touches.iter() {
        while open.last().is_some_and(|above| !touch.path.starts_with(&above.path)) {
            open.pop();
        }
        for above in &open {
            if above.overlay == touch.overlay || !contests(above, touch) {
                continue;
            }
            let mut pair = [(above.overlay, above.place), (touch.overlay, touch.place)];
            pair.sort_unstable();
            // Two operations may collide at many leaves; the first tells.
            if told.insert(pair) {
                refusals.push(refusal(files, above, touch));
            }
        }
        open.push(touch);
    }
}

fn refusal(files: &[String], above: &Touch<'_>, below: &Touch<'_>) -> Refusal {
    let (first, second) =
        if above.overlay < below.overlay { (above, below) } else { (below, above) };
    let (one, two) = (first.operation, second.operation);
    let deeper = below.path.join(".");
    let why = if one.verb == Verb::Add && two.verb == Verb::Add {
        "both declare it, so the one that came first would win"
    } else {
        "one would see the result of the other, so their order would decide the value"
    };
    Refusal {
        class: Class::Confluence,
        file: file_of(files, two.source()),
        at: Some(two.span.start),
        address: Some(two.to_string()),
        what: format!(
            "it meets `{one}` of {} at {}, at `{deeper}`: {why}",
            file_of(files, one.source()),
            one.span.start
        ),
        next: Next::Do(
            "keep one of the two, or let one bundle require the other where it only adds"
                .to_owned(),
        ),
    }
}
