//! The words that are quoted beside a citation by line number stand in the cited lines.
//!
//! # Why
//!
//! A line number is a fact about a file at one moment. A paragraph that is inserted above moves every
//! passage below it, and a reader who follows the number finds something else under the same words.
//!
//! # Example
//!
//! `` `b.md:3` says "the queue is drained by hand before a release" ``, and in `b.md` these words stand
//! at line 5 now.
//!
//! # Neighbour
//!
//! Only words that stand elsewhere in the cited file are reported. Words that stand nowhere in it, and a
//! file that nobody finds, are for a reader to judge; a dead link is `link.path.unresolved`.

use std::collections::BTreeMap;

use headwater_check::markdown::citation::{Lines, Verdict};
use headwater_check::{
    About, CorpusNeeds, CorpusRule, CorpusView, Defect, JudgedCitation, Origin, Outcome, Patch,
    Taxonomy,
};

use crate::say::quoted;

/// The rule.
pub(crate) struct Rule;

impl CorpusRule for Rule {
    const ABOUT: About = About::new(
        "citation.lines.moved",
        1,
        Origin::Document,
        include_str!("../../../docs/rules/citation.lines.moved.md"),
    );
    const NEEDS: CorpusNeeds = CorpusNeeds { citations: true, ..CorpusNeeds::NONE };

    fn generate(_: &Taxonomy) -> Option<Self> {
        Some(Self)
    }

    fn evaluate(&self, view: &CorpusView<'_>) -> Outcome {
        let judged: Vec<JudgedCitation<'_>> =
            view.citations().filter_map(|citation| citation.judge()).collect();
        // Several quotations may lean on one citation, and then its numbers serve all of them or none.
        let mut wanted: BTreeMap<(usize, usize), Vec<Option<Lines>>> = BTreeMap::new();
        for citation in &judged {
            let place = match citation.verdict {
                Verdict::Moved(_) => citation.only_place(),
                Verdict::Lands => Some(citation.lines()),
                Verdict::Absent => continue,
            };
            wanted.entry(citation.key()).or_default().push(place);
        }
        let moved = judged.iter().filter_map(|citation| {
            let Verdict::Moved(now) = citation.verdict else { return None };
            let places = wanted.get(&citation.key()).map_or(&[][..], Vec::as_slice);
            let (first, rest) = places.split_first()?;
            let only = first.filter(|_| rest.iter().all(|place| place == first));
            let there = format!("of {}", quoted(citation.found().unwrap_or_default()));
            let message = format!(
                "{} is cited for the words {}, which stand at {} {there}",
                quoted(&format!("{}:{}", citation.written(), numbers(citation.lines()))),
                quoted(citation.words()),
                range(now)
            );
            let remedy = match only {
                Some(only) => format!("write {}", quoted(&numbers(only))),
                None => format!(
                    "read {} {there} and cite the lines that are meant; the words stand in several places, or other words lean on the same numbers",
                    range(now)
                ),
            };
            let patch = only.and_then(|only| renumbered(citation, only));
            Some(Defect::error(citation.place(), message, remedy).patched(patch))
        });
        Outcome::of(moved.collect())
    }

    fn compared(&self, view: &CorpusView<'_>) -> Option<usize> {
        Some(view.citations().count())
    }
}

/// A range as a citation writes it.
fn numbers(lines: Lines) -> String {
    if lines.first == lines.last {
        return lines.first.to_string();
    }
    format!("{}-{}", lines.first, lines.last)
}

/// A range as a sentence writes it.
fn range(lines: Lines) -> String {
    let noun = if lines.first == lines.last { "line" } else { "lines" };
    format!("{noun} {}", numbers(lines))
}

/// The patch that writes other line numbers.
fn renumbered(citation: &JudgedCitation<'_>, lines: Lines) -> Option<Patch> {
    let (start, end, expected) = citation.numbers()?;
    Some(Patch::Text {
        path: citation.path().to_owned(),
        start,
        end,
        expected: expected.to_owned(),
        replacement: numbers(lines),
    })
}
