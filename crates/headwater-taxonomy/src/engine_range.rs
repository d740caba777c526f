//! The range of engine versions that a repository or a package asks for: `>=0.6 <0.8`.

use std::fmt;

use crate::yaml::shown;

/// The version of this engine.
pub const ENGINE_VERSION: &str = env!("CARGO_PKG_VERSION");

/// A range, all of whose terms must hold.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EngineRange {
    text: String,
    terms: Vec<(Comparison, Version)>,
}

type Version = [u64; 3];

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Comparison {
    AtLeast,
    Above,
    AtMost,
    Below,
    Equal,
}

impl EngineRange {
    /// Reads a range; none when a term is not one of `>=`, `>`, `<=`, `<`, `=` and a version.
    pub fn parse(text: &str) -> Option<Self> {
        let terms: Option<Vec<_>> = text
            .split_whitespace()
            .map(|term| {
                let (comparison, rest) = [
                    (">=", Comparison::AtLeast),
                    ("<=", Comparison::AtMost),
                    (">", Comparison::Above),
                    ("<", Comparison::Below),
                    ("=", Comparison::Equal),
                ]
                .into_iter()
                .find_map(|(sign, comparison)| Some((comparison, term.strip_prefix(sign)?)))?;
                Some((comparison, version(rest)?))
            })
            .collect();
        terms.filter(|terms| !terms.is_empty()).map(|terms| Self { text: text.to_owned(), terms })
    }

    /// Whether a version is in the range; a version that cannot be read is not.
    pub fn admits(&self, running: &str) -> bool {
        let Some(running) = version(running) else { return false };
        self.terms.iter().all(|(comparison, wanted)| match comparison {
            Comparison::AtLeast => running >= *wanted,
            Comparison::Above => running > *wanted,
            Comparison::AtMost => running <= *wanted,
            Comparison::Below => running < *wanted,
            Comparison::Equal => running == *wanted,
        })
    }
}

impl fmt::Display for EngineRange {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&shown(&self.text))
    }
}

/// One to three numbers joined by dots; the missing ones are 0.
fn version(text: &str) -> Option<Version> {
    let mut out = [0; 3];
    let mut parts = text.split('.');
    for slot in &mut out {
        match parts.next() {
            Some(part) if !part.is_empty() && part.bytes().all(|b| b.is_ascii_digit()) => {
                *slot = part.parse().ok()?;
            }
            Some(_) => return None,
            None => break,
        }
    }
    (!text.is_empty() && parts.next().is_none()).then_some(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_term_must_hold() {
        let range = EngineRange::parse(">=0.6 <0.8").unwrap();
        let held = ["0.6", "0.6.0", "0.7.9"];
        let outside = ["0.5.9", "0.8.0", "1", "", "0.7-pre", "0.6.0.0"];
        assert!(held.iter().all(|version| range.admits(version)));
        assert!(!outside.iter().any(|version| range.admits(version)));
        assert!(EngineRange::parse("=1.2").unwrap().admits("1.2.0"));
        for bad in ["", "0.6", ">=", ">=x", "~0.6", ">= 0.6"] {
            assert_eq!(EngineRange::parse(bad), None, "{bad}");
        }
    }
}
