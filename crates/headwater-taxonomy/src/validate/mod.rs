//! The validation rules over a resolved tree: what a lock promises to everything that reads it.
//!
//! Each rule is one function over the typed taxonomy; it reports at an address of the tree, and the
//! place in the source is looked up from that. Warnings name declarations that can never act; they
//! refuse nothing.

mod bindings;
mod facets;
mod identifiers;
mod kinds;
mod lifecycle;
mod names;
mod projections;
mod relations;
mod shelves;
mod warnings;

pub use names::undeclared;

use crate::merge::file_of;
use crate::model::Taxonomy;
use crate::path::TreePath;
use crate::refusal::{Class, Next, Refusal};
use crate::resolve::Resolution;

/// The number of this rule set. A lock that another set validated is not read. Raised whenever a
/// rule changes what it refuses in a taxonomy that an earlier set accepted.
pub const RULE_SET: u32 = 2;

/// One class of rules, for the report of `taxonomy validate`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RuleClass {
    /// Its number.
    pub number: u8,
    /// Its name.
    pub name: &'static str,
    /// What it decides.
    pub decides: &'static str,
    /// What of it is decided elsewhere or by nobody, so that a green line is not read as more.
    pub leaves_open: Option<&'static str>,
}

const fn class(
    number: u8,
    name: &'static str,
    decides: &'static str,
    leaves_open: Option<&'static str>,
) -> RuleClass {
    RuleClass { number, name, decides, leaves_open }
}

/// The class that is decided while the sources merge.
pub const MERGE_CLASS: u8 = 19;

/// Every class, in order of number.
pub const CLASSES: &[RuleClass] = &[
    class(
        1,
        "referential integrity",
        "every name that a declaration reads is declared",
        Some("the shelves that sections of a projection name"),
    ),
    class(
        2,
        "anchors",
        "every anchor kind names a resolver, and no two name one",
        Some("whether a run has the resolver"),
    ),
    class(3, "identifiers", "every scheme is readable, and no two can mint one identifier", None),
    class(
        4,
        "coverage",
        "every shelf reaches a kind, every concrete kind a shelf",
        Some("whether a document stands on the shelf"),
    ),
    class(5, "inheritance", "parents are abstract, chains end, narrowings narrow", None),
    class(
        6,
        "purpose",
        "every concrete kind has one, every purpose is served",
        Some("whether a document serves it"),
    ),
    class(7, "determinism", "no path can be on two shelves of equal rank", None),
    class(8, "roles", "at most one facet for a role", None),
    class(9, "lifecycle", "states are declared, reachable, and end where they say", None),
    class(10, "relations", "ends, nuclei and set states fit the kinds", None),
    class(11, "expectations", "an expectation can be met by the relation it names", None),
    class(
        12,
        "facets",
        "every facet is read, explained and stated as stable or mutable",
        Some("whether an explanation explains"),
    ),
    class(
        13,
        "rigidity",
        "no kind is named like a state",
        Some("synonyms of states outside the fixed list"),
    ),
    class(14, "attributes", "every attribute has a value space", None),
    class(
        15,
        "warrant",
        "a transcription pins a declared anchor kind",
        Some("whether what it pins is what it says"),
    ),
    class(16, "context safety", "the freshness facet says when it is stale", None),
    class(
        17,
        "mappings",
        "kinds and values on this side exist",
        Some("whether the terms on the other side exist"),
    ),
    class(
        18,
        "projection targets",
        "outputs and outside paths stay in the repository",
        Some("whether another file is in the way"),
    ),
    class(
        MERGE_CLASS,
        "merge",
        "structure, references, confluence, core and who writes an edge",
        None,
    ),
    class(
        20,
        "bindings",
        "every bound key means one declared thing",
        Some("whether the files hold the key"),
    ),
];

/// The name of a class.
pub fn class_name(number: u8) -> &'static str {
    CLASSES.iter().find(|class| class.number == number).map_or("unknown", |class| class.name)
}

/// What validation found.
#[derive(Clone, Debug, Default)]
pub struct Validation {
    /// What no lock may hold, by rule.
    pub refusals: Vec<Refusal>,
    /// What can never act, or is likely a slip.
    pub warnings: Vec<Refusal>,
}

/// Runs every rule over a resolution.
pub fn validate(resolution: &Resolution) -> Validation {
    let mut checker = Checker { resolution, found: Validation::default() };
    names::check(&mut checker);
    identifiers::check(&mut checker);
    shelves::check(&mut checker);
    kinds::check(&mut checker);
    facets::check(&mut checker);
    lifecycle::check(&mut checker);
    relations::check(&mut checker);
    projections::check(&mut checker);
    bindings::check(&mut checker);
    warnings::check(&mut checker);
    let mut found = checker.found;
    // A stable sort: by rule, and within one in the order of the declarations.
    found.refusals.sort_by_key(|refusal| refusal.class);
    found
}

/// What the rules share: the taxonomy, and where to report.
pub(crate) struct Checker<'r> {
    resolution: &'r Resolution,
    found: Validation,
}

impl<'r> Checker<'r> {
    fn taxonomy(&self) -> &'r Taxonomy {
        &self.resolution.taxonomy
    }

    fn refuse(&mut self, rule: u8, path: TreePath, what: impl Into<String>, next: &str) {
        let refusal = self.about(rule, path, what.into(), next);
        self.found.refusals.push(refusal);
    }

    fn warn(&mut self, rule: u8, path: TreePath, what: impl Into<String>, next: &str) {
        let warning = self.about(rule, path, what.into(), next);
        self.found.warnings.push(warning);
    }

    fn about(&self, rule: u8, path: TreePath, what: String, next: &str) -> Refusal {
        let span = path.nearest_span(&self.resolution.tree);
        Refusal {
            class: Class::Rule(rule),
            file: file_of(&self.resolution.files, span.source),
            at: Some(span.start),
            address: Some(path.to_string()),
            what,
            next: Next::Do(next.to_owned()),
        }
    }
}
