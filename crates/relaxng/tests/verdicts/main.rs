//! Verdicts on generated documents, compared with those of others.

mod documents;
mod library;
mod xmllint;
