//! The canvas repository: every canvas of one workspace in one git repository, one edit one commit.
//!
//! The write surface is the six functions of [`Store`]; none takes a document. Reads take no lock.
//! Nothing here knows a terminal or ends a process: a "no" is a [`refusal::Refusal`].
//!
//! | module | one noun |
//! |---|---|
//! | `request` | what may be asked and what is answered |
//! | `refusal` | the shape of a no |
//! | `workspace` | from the variable and an identifier to a path |
//! | `store` | the six writes |
//! | `read` | the two reads |
//! | `projection`, `sections` | what a projection shows, crossings included |
//! | `revisions` | the commit that each node stands at |
//! | `trigger` | a primary write and the canvas it left, for a check of it |
//! | `writer` | the one write path |
//! | `staleness` | what moved since a declared base |
//! | `history` | questions about commits, over `facts`; `past` and `tally` for what an edit asks |
//! | `repository`, `refs`, `staged` | git's objects, head and index |
//! | `message`, `trailers` | a commit message, written and read back |
//! | `diff` | git's unified diff |
//! | `lock` | the store's lock, intents, git's lock files |
//! | `disk`, `os` | changes to a disk; errors of the system |

mod disk;
mod facts;
#[cfg(test)]
mod faults;
mod figure;
mod history;
mod hooks;
mod identity;
mod init;
mod lock;
mod maintenance;
mod mint;
mod past;
mod projection;
mod read;
mod reason;
mod refs;
mod repository;
mod revisions;
mod sections;
mod staged;
mod staleness;
mod store;
mod tally;
mod trigger;
mod workspace;
mod writer;

pub mod diff;
pub mod message;
pub mod os;
pub mod refusal;
pub mod request;
pub mod trailers;

pub use figure::figure_source;
pub use projection::{Crossing, Projection};
pub use revisions::Revisions;
pub use store::Store;
pub use trigger::{NodeFacts, PrimaryWrite};
