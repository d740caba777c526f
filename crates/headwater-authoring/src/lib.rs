//! The one path on which the engine writes into documents.
//!
//! A check says what is to be written as a `Patch`. [`compose`] turns patches into the whole bytes of
//! each file, in memory, over what the run read: it assumes, tests every assumption against the file,
//! and refuses the file where one is wrong. [`write`](write()) puts the files on the disk, all or none, and
//! [`unified`] shows them instead.
//!
//! The guards of a range of prose: it stands below the front matter, its bytes are those that the check
//! saw, it lies in one run of the author's own words, and the result parses to the same document with
//! the substitution in it. A link destination has a guard of its own: the result differs in that one
//! destination. Front matter is read back: the wanted values stand there, and every other byte of it
//! and of the body is the same.

mod bound;
mod diff;
mod disk;
mod entry;
mod facets;
mod file;
mod half;
mod plan;
mod scalar;
mod splice;
mod text;
mod transaction;

pub use diff::unified;
pub use plan::{Edit, Plan, Refusal, compose};
pub use transaction::{Failure, write};
