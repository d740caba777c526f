//! The programs as functions: arguments in, bytes and a refusal out.
//!
//! The binaries hold no logic; what they share is here, so that tests can run a whole program
//! without a process. [`canvas`] and [`validate`] are the programs, [`process`] is the one place
//! that prints and decides an exit status. [`headwater`] answers in its own shape and prints itself.

pub mod answer;
pub mod canvas;
pub mod coherence;
pub mod command;
pub mod headwater;
mod nearest;
pub mod process;
pub mod scan;
pub mod table;
pub mod usage;
pub mod validate;
pub mod verbs;
