//! The taxonomy of a corpus: what its documents are, what each owes, and how they may be related.
//!
//! Sources (a package, its bundles, the overlay of a repository) are read alone, tested for
//! confluence, merged into one tree, validated, and written as the lock. Everything downstream reads
//! the lock and never the sources.
//!
//! - [`lock::read`] gives the [`model::Taxonomy`] that the rest of the engine consumes.
//! - [`repository::declaration`] gives what a repository declares about its corpus.
//! - [`resolve::resolve`] and [`validate::validate`] make and judge a resolution from bytes.
//! - [`verbs`] are the `taxonomy` verbs, complete but for arguments and printing.
//! - [`yaml`], [`path`], [`pattern`], [`template`] and [`release`] serve other readers of the same
//!   files.

mod bundles;
mod confluence;
mod declarations;
mod merge;
mod references;
mod requirements;
mod shape;

pub mod canonical;
pub mod declaration;
pub mod engine_range;
pub mod files;
pub mod lock;
pub mod model;
pub mod nearest;
pub mod ordered;
pub mod path;
pub mod pattern;
pub mod refusal;
pub mod release;
pub mod repository;
pub mod resolve;
pub mod source;
pub mod template;
pub mod validate;
pub mod verbs;
pub mod yaml;

pub use declarations::{ENGINE_KEYS, FAMILIES, PROJECTION_KINDS, ROLES, TYPES, VOICE_CATEGORIES};
pub use merge::Founding;
pub use requirements::satisfied;
