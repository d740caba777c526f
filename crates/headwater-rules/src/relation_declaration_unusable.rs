//! Everything a document writes about its relations is an edge: the block is a mapping, its keys are
//! relations or inverses, each entry names a target, and none says the same twice.
//!
//! # Why
//!
//! What cannot be used is dropped when the graph is built, and the author does not see that it is not
//! there.
//!
//! # Example
//!
//! `relations: {cties: NOTE-ACM-b}`: no relation has that name.
//!
//! # Neighbour
//!
//! A triple is repeated when its targets mean the same, and not only when they are spelled the same:
//! `./src/x.rs` repeats `src/x.rs`. A target that leads nowhere is an edge, and
//! `relation.target.unresolved` reports it.

use headwater_check::{
    About, Defect, DocumentNeeds, DocumentRule, DocumentView, FrontMatter, Kind, Origin, Outcome,
    Taxonomy,
};
use headwater_check::headwater_corpus::{Problem, Trouble};
use headwater_check::headwater_taxonomy::nearest::nearest;

use crate::say::quoted;

/// The rule.
pub(crate) struct Rule {
    names: Vec<String>,
}

impl DocumentRule for Rule {
    const ABOUT: About = About::new(
        "relation.declaration.unusable",
        1,
        Origin::Graph,
        include_str!("../../../docs/rules/relation.declaration.unusable.md"),
    );
    const NEEDS: DocumentNeeds = DocumentNeeds { phase_a: true, ..DocumentNeeds::NONE };

    fn generate(taxonomy: &Taxonomy, kind: &Kind) -> Option<Self> {
        let relations = taxonomy.relations.values();
        let names = relations.flat_map(|relation| [Some(&relation.name), relation.inverse.as_ref()]);
        let names = names.flatten().cloned().collect();
        taxonomy.is_related(kind).then_some(Self { names })
    }

    fn evaluate(&self, view: &DocumentView<'_>) -> Outcome {
        let matter = view.front_matter();
        let problems = view.problems().unwrap_or_default().iter();
        Outcome::of(problems.filter_map(|problem| self.defect(matter, problem)).collect())
    }
}

impl Rule {
    fn defect(&self, matter: FrontMatter<'_>, problem: &Problem) -> Option<Defect> {
        let (what, remedy) = match &problem.trouble {
            // `identifier.unusable` says so, and names what is lost.
            Trouble::NoIdentifier => return None,
            Trouble::NotMapping => {
                let value = matter.entry("relations").map(|entry| &entry.value);
                let is = match value {
                    Some(value) if value.as_list().is_some() => "a list",
                    Some(value) if value.is_null() => "empty",
                    _ => "a text",
                };
                (
                    format!("`relations` is {is}, and a mapping from relation names to targets belongs there"),
                    "write each target under the name of its relation, or remove the key".to_owned(),
                )
            }
            Trouble::UnknownRelation(name) => {
                let near = nearest(name, self.names.iter().map(String::as_str));
                let remedy = match near {
                    Some(near) => format!("write {} if that is meant, or declare the relation", quoted(near)),
                    None => "write the name of a declared relation, or declare this one".to_owned(),
                };
                (format!("no relation and no inverse is called {}", quoted(name)), remedy)
            }
            Trouble::NoTarget(name) => (
                format!("an entry under {} names no target under `to`", quoted(name)),
                "write `to:` with one target".to_owned(),
            ),
            Trouble::Unusable(name) => (
                format!("an entry under {} is neither one target nor a mapping with `to`", quoted(name)),
                "write one target for each entry".to_owned(),
            ),
            Trouble::Repeated(name, target) => (
                format!("{} is written twice", quoted(&format!("{name}: {target}"))),
                "remove one of the two".to_owned(),
            ),
        };
        Some(Defect::error(matter.place(problem.span), what, remedy))
    }
}
