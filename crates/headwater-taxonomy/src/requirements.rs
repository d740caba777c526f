//! Core requirements: what must still be there after every overlay has had its say, and which
//! operation took it away.

use crate::merge::{Merger, file_of};
use crate::model::{Relation, Requirement, Taxonomy};
use crate::path::at;
use crate::refusal::{Class, Next, Refusal};
use crate::source::Overlay;
use crate::yaml::Node;

/// Whether a taxonomy satisfies a requirement.
pub fn satisfied(taxonomy: &Taxonomy, requirement: &Requirement) -> bool {
    match requirement {
        Requirement::FacetRole(role) => {
            taxonomy.facets.values().any(|facet| facet.role.is_some_and(|held| held.word() == role))
        }
        Requirement::Purpose(purpose) => {
            let serves = |kind: &crate::model::Kind| {
                !kind.is_abstract && kind.purpose.as_ref() == Some(purpose)
            };
            taxonomy.purposes.contains(purpose) && taxonomy.kinds.values().any(serves)
        }
        Requirement::RelationFamily { family, lifecycle_sensitive } => {
            let of_family = |relation: &Relation| {
                relation.family.is_some_and(|held| held.word() == family)
                    && (!lifecycle_sensitive
                        || relation.declares_sensitive
                        || relation.set_state.is_some())
            };
            taxonomy.relations.values().any(of_family)
        }
        Requirement::IdentifierScheme(scheme) => taxonomy.schemes.contains(scheme),
    }
}

fn sentence(requirement: &Requirement) -> String {
    match requirement {
        Requirement::FacetRole(role) => format!("a facet in the role `{role}`"),
        Requirement::Purpose(purpose) => {
            format!("the purpose `{purpose}` and a concrete kind that serves it")
        }
        Requirement::RelationFamily { family, lifecycle_sensitive: false } => {
            format!("a relation of the family `{family}`")
        }
        Requirement::RelationFamily { family, lifecycle_sensitive: true } => {
            format!("a lifecycle-sensitive relation of the family `{family}`")
        }
        Requirement::IdentifierScheme(scheme) => format!("the identifier scheme `{scheme}`"),
    }
}

/// The refusals of requirements that the merged tree does not satisfy.
pub(crate) fn refusals(
    files: &[String],
    base: &Node,
    overlays: &[Overlay],
    merged: &Node,
) -> Vec<Refusal> {
    let taxonomy = Taxonomy::from_tree(merged);
    let missing: Vec<(usize, &Requirement)> = taxonomy
        .core
        .iter()
        .enumerate()
        .filter(|(_, requirement)| !satisfied(&taxonomy, requirement))
        .collect();
    if missing.is_empty() {
        return Vec::new();
    }
    // Only a taxonomy that is refused pays for this: it is merged again, one operation at a time,
    // to see after which one each requirement was last lost.
    let mut lost: Vec<Option<String>> = vec![None; missing.len()];
    let holds = |tree: &Node| {
        let taxonomy = Taxonomy::from_tree(tree);
        missing.iter().map(|(_, requirement)| satisfied(&taxonomy, requirement)).collect::<Vec<_>>()
    };
    let mut before = holds(base);
    let mut merger = Merger::new(files, base);
    for operation in overlays.iter().flat_map(|overlay| &overlay.operations) {
        merger.apply(operation);
        let after = holds(&merger.tree);
        for ((was, is), lost) in before.iter().zip(&after).zip(&mut lost) {
            if *was && !*is {
                let (file, at) = (file_of(files, operation.source()), operation.span.start);
                *lost = Some(format!("`{operation}` at {file}:{at} removed the last one"));
            }
        }
        before = after;
    }
    missing
        .into_iter()
        .zip(lost)
        .map(|((number, requirement), lost)| {
            let path = at!["core", "requires", number];
            let span = path.nearest_span(merged);
            let why = lost.unwrap_or_else(|| "nothing ever declared one".to_owned());
            Refusal {
                class: Class::Core,
                file: file_of(files, span.source),
                at: Some(span.start),
                address: Some(path.to_string()),
                what: format!(
                    "the core asks for {}, and there is none: {why}",
                    sentence(requirement)
                ),
                next: Next::Do("declare one, or take the requirement out of `core`".to_owned()),
            }
        })
        .collect()
}
