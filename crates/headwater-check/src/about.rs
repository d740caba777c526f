//! What is known about a rule beside what it decides: its name, its edition, its page, its scope.

use std::fmt;

/// Which part of a taxonomy a rule comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Origin {
    /// Facets, kinds, shelves and identifier schemes.
    Shape,
    /// Relations and lifecycles.
    Graph,
    /// Declarations that need many documents.
    Corpus,
    /// Regimes and links, over bodies.
    Document,
    /// The runner itself.
    Runner,
}

impl Origin {
    /// Its word.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            Self::Shape => "shape",
            Self::Graph => "graph",
            Self::Corpus => "corpus",
            Self::Document => "document",
            Self::Runner => "runner",
        }
    }
}

/// What stands above the fixtures of a page, at its end.
pub const FIXTURES_HEADING: &str = "\n## Fixtures\n";

/// A rule, described.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct About {
    /// The identifier, which suppressions, controls and reports name.
    pub id: &'static str,
    /// Raised by hand whenever the rule decides, anchors or words anything differently. It is part of
    /// every cache key, so that a warm cache does not serve the older text.
    pub edition: u32,
    /// Which part of a taxonomy it comes from.
    pub origin: Origin,
    /// The emitter targets whose constraint catches exactly what the rule catches.
    pub exportable_as: &'static [&'static str],
    /// The page of the rule, in Markdown: a title, what it checks, sections `Why`, `Example` and
    /// `Neighbour`, facts, and its fixtures.
    pub page: &'static str,
}

impl About {
    /// A rule that no emitter expresses.
    #[must_use]
    pub const fn new(id: &'static str, edition: u32, origin: Origin, page: &'static str) -> Self {
        Self { id, edition, origin, exportable_as: &[], page }
    }

    /// The same, expressed exactly by the JSON Schema emitter.
    #[must_use]
    pub const fn in_json_schema(mut self) -> Self {
        self.exportable_as = &["jsonschema"];
        self
    }

    /// The page without its fixtures.
    #[must_use]
    pub fn text(&self) -> &'static str {
        self.page.split(FIXTURES_HEADING).next().unwrap_or_default()
    }

    /// The first paragraph of the page, on one line: what the rule checks.
    #[must_use]
    pub fn checks(&self) -> String {
        first_paragraph(self.page.split_once('\n').map_or("", |(_, rest)| rest))
    }

    /// The first paragraph under `## Why`, on one line; empty where there is none.
    #[must_use]
    pub fn why(&self) -> String {
        first_paragraph(self.page.split_once("\n## Why\n").map_or("", |(_, rest)| rest))
    }
}

fn first_paragraph(text: &str) -> String {
    let lines = text.lines().skip_while(|line| line.trim().is_empty());
    lines.take_while(|line| !line.trim().is_empty()).collect::<Vec<_>>().join(" ")
}

/// What one instance of a rule covers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Grain {
    /// One document.
    Document,
    /// One written half of an edge.
    Entry,
    /// One edge between two documents, with both its halves.
    Pair,
    /// A document and what it is directly related to.
    Neighbourhood,
    /// The documents of one shelf.
    Shelf,
    /// Every document.
    Corpus,
    /// The resolved taxonomy and what stands beside it; no instance.
    Taxonomy,
}

impl Grain {
    /// Its words in reports.
    #[must_use]
    pub const fn words(self) -> &'static str {
        match self {
            Self::Document => "document",
            Self::Entry => "edge (entry)",
            Self::Pair => "edge (pair)",
            Self::Neighbourhood => "neighbourhood",
            Self::Shelf => "shelf",
            Self::Corpus => "corpus",
            Self::Taxonomy => "taxonomy",
        }
    }
}

/// The scope of a rule: its grain and what it needs beside. It is derived from the trait that the rule
/// implements, and nothing outside this crate can make one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Scope {
    grain: Grain,
    flags: Vec<&'static str>,
}

impl Scope {
    /// The scope of a grain; of the flags those that are set.
    pub(crate) fn new(grain: Grain, flags: &[(bool, &'static str)]) -> Self {
        let flags = flags.iter().filter(|(set, _)| *set).map(|(_, word)| *word).collect();
        Self { grain, flags }
    }

    /// The grain.
    #[must_use]
    pub const fn grain(&self) -> Grain {
        self.grain
    }

    /// Whether the rule compares two versions, so that it reaches no verdict without a change.
    #[must_use]
    pub fn needs_prior(&self) -> bool {
        self.flags.contains(&PRIOR)
    }

    /// Whether the rule is handed the day.
    #[must_use]
    pub fn needs_clock(&self) -> bool {
        self.flags.contains(&CLOCK)
    }
}

/// The flag of rules that are handed the day.
pub(crate) const CLOCK: &str = "clock";
/// The flag of rules that compare two versions.
pub(crate) const PRIOR: &str = "prior version";

impl fmt::Display for Scope {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.grain.words())?;
        self.flags.iter().try_for_each(|flag| write!(f, " + {flag}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_gives_what_and_why() {
        let page = "# `a.b`\n\nIt checks\none thing.\n\n## Why\n\nBecause\nof that.\n\nMore.\n";
        let about = About::new("a.b", 1, Origin::Shape, page);
        assert_eq!(about.checks(), "It checks one thing.");
        assert_eq!(about.why(), "Because of that.");
        assert_eq!(About::new("a.b", 1, Origin::Shape, "").why(), "");
    }

    #[test]
    fn a_scope_names_what_it_needs() {
        let scope =
            Scope::new(Grain::Document, &[(true, "body"), (false, "phase A"), (true, CLOCK)]);
        assert_eq!(scope.to_string(), "document + body + clock");
    }
}
