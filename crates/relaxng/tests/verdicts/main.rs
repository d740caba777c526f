//! Verdicts on generated documents, compared with those of others.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a test fails by panicking"
)]

mod documents;
mod library;
mod xmllint;
