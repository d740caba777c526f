//! The conformance runner: fixtures, worlds, and what is judged without being asked.

pub mod fixture;
pub mod invariants;
pub mod pattern;
pub mod refusal;
pub mod runner;
pub mod world;
