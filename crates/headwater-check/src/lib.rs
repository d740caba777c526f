//! The check layer: what a rule is, what it may see, and the run that turns a corpus into findings.
//!
//! A rule implements one trait, and the trait is its scope: [`DocumentRule`], [`EntryRule`],
//! [`PairRule`], [`NeighbourhoodRule`], [`ShelfRule`] or [`CorpusRule`]. Its `evaluate` takes one view
//! and nothing else, and what a view hands over is what the runner keys the cache on and records as
//! the read set; so a rule cannot read past its scope, and a cached verdict cannot outlive an input.
//!
//! ```compile_fail
//! use headwater_check::*;
//! struct Sibling;
//! impl DocumentRule for Sibling {
//!     const ABOUT: About = About::new("x.y", 1, Origin::Shape, "");
//!     fn generate(_: &Taxonomy, _: &Kind) -> Option<Self> { Some(Self) }
//!     // A document rule has no corpus to read.
//!     fn evaluate(&self, view: &CorpusView<'_>) -> Outcome { Outcome::Pass }
//! }
//! ```
//!
//! ```compile_fail
//! fn look(view: &headwater_check::DocumentView<'_>) {
//!     // A view of a document does not lead to its neighbours.
//!     view.corpus();
//! }
//! ```
//!
//! ```compile_fail
//! // A scope is derived from a trait; no rule can state one.
//! let scope = headwater_check::Scope { grain: headwater_check::Grain::Document, flags: Vec::new() };
//! ```
//!
//! The order of a run: instances (parallel), coverage, the register and the pins, findings, obligations,
//! sorting, adoption, suppressions, read set.

mod about;
mod adoption;
mod barriers;
mod cache;
mod change;
mod coverage;
mod date;
mod directive;
mod escape;
mod explain;
mod finding;
mod gate;
mod key;
mod manifest;
mod observations;
mod pins;
mod plan;
mod read_set;
mod register;
mod registry;
mod rule;
mod run;
mod runner;
mod runner_rules;
mod suppression;
mod tally;
mod verification;
mod view;

pub use about::{About, FIXTURES_HEADING, Grain, Origin, Scope};
pub use adoption::{Adoption, Pair, RefusedTask, Standing as TaskStanding, Task, adoption_block};
pub use cache::CACHE_PATH;
pub use change::{ChangeAccount, PROMOTED, Prior, Stated};
pub use coverage::{Coverage, DocumentSkips, SkipClass};
pub use date::Date;
pub use directive::{Directive, Reach, RefusedDirective, State};
pub use escape::{Escape, Held, Hidden, Reason};
pub use explain::explain;
pub use finding::{Defect, FacetChange, Finding, Outcome, Patch, Place};
pub use gate::{LIMIT, Verdict, Void, gate};
pub use manifest::{Manifest, Stood};
pub use observations::{OBSERVATIONS_PATH, Observation, Observations};
pub use read_set::{BadReadSet, Input, READ_SET_LIMIT, ReadSet};
pub use register::{Disposition, Mechanism, Owed, Register};
pub use registry::{Registry, Template, corpus, document, entry, neighbourhood, pair, shelf};
pub use rule::{
    CorpusNeeds, CorpusRule, DocumentNeeds, DocumentRule, EntryNeeds, EntryRule,
    NeighbourhoodNeeds, NeighbourhoodRule, Outside, PairNeeds, PairRule, ShelfRule,
};
pub use run::{Broken, CacheAccount, Caching, Continuity, RuleAccount, Run, Settings, marks, run};
pub use runner_rules::COVERAGE;
pub use suppression::Suppressions;
pub use verification::{Verification, Verifications, is_verification};
pub use view::{
    Body, BoundLink, CorpusView, Departed, DocumentView, End, EntryTarget, EntryView, FrontMatter,
    Half, JudgedCitation, LinkFact, Neighbour, NeighbourhoodView, PairView, Passage, Prose,
    QuotedCitation, ShelfView, Unbound, folded,
};

// What the signatures of rules speak of. The crates below are reached through this one.
pub use headwater_taxonomy::model::{
    Direction, End as Side, Kind, Relation, Severity, Shelf, Standing, Taxonomy,
};
pub use markdown::Span;
pub use {headwater_corpus, headwater_taxonomy, markdown};
