//! Coverage: what of the census was judged. The denominator is every row, fixed before any rule ran,
//! so a file that could not be read or typed does not drop out of the account (checks §2.7).

use std::collections::HashMap;

use headwater_corpus::{Corpus, Outcome, Row, Stop, Unreadable, Untyped};
use headwater_taxonomy::model::{Placement, Severity};

use crate::finding::{Defect, Place};
use crate::registry::Registry;
use crate::runner::Runner;
use crate::tally::{Routed, Tallies, Unit};

/// What of the census was judged.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Coverage {
    /// Every row of the census.
    pub seen: usize,
    /// The typed ones.
    pub classified: usize,
    /// The typed ones over which an instance that counts reached a verdict.
    pub checked: usize,
    /// The generated ones.
    pub generated: usize,
    /// Every instance.
    pub instances: usize,
    /// Those that reached no verdict.
    pub skipped: usize,
    /// Why, each reason once, in order of first appearance.
    pub skips: Vec<SkipClass>,
    /// Paths that an instance read and the census never walked.
    pub unaccounted: Vec<String>,
}

/// One reason for skipping.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SkipClass {
    /// The reason.
    pub reason: String,
    /// How many instances gave it.
    pub instances: usize,
    /// How many of those instances were routed to no document.
    pub unrouted: usize,
    /// For each instance and each document that it was routed to, the row and the template.
    routings: Vec<(usize, usize)>,
}

impl SkipClass {
    /// The documents that the instances were routed to, in path order.
    #[must_use]
    pub fn documents<'c>(&self, corpus: &'c Corpus, registry: &Registry) -> Vec<DocumentSkips<'c>> {
        let mut routings = self.routings.clone();
        routings.sort_unstable();
        let at_one_row = routings.chunk_by(|a, b| a.0 == b.0);
        at_one_row
            .filter_map(|routings| {
                let &(row, _) = routings.first()?;
                let templates = routings.iter().filter_map(|(_, at)| registry.templates().get(*at));
                let mut rules: Vec<_> = templates.map(|template| template.about().id).collect();
                rules.sort_unstable();
                rules.dedup();
                let path = corpus.row(row)?.path.as_str();
                Some(DocumentSkips { path, rules, routings: routings.len() })
            })
            .collect()
    }
}

/// The skips of one reason at one document.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DocumentSkips<'c> {
    /// The document.
    pub path: &'c str,
    /// The rules, in byte order.
    pub rules: Vec<&'static str>,
    /// How many instances.
    pub routings: usize,
}

impl Coverage {
    /// The account of a run. The runner tells the rows that a unit is routed to.
    pub(crate) fn of(
        corpus: &Corpus,
        tallies: &Tallies<'_>,
        runner: &Runner<'_>,
    ) -> (Self, Vec<Defect>) {
        let mut per_row = vec![(0_usize, 0_usize); corpus.rows().len()];
        let is_typed = |row: &Row| matches!(row.outcome, Outcome::Typed);
        let count = |per_row: &mut [(usize, usize)], around: bool| {
            let is_asked =
                |routed: &&Routed| matches!(routed.unit, Unit::Neighbourhood(_)) == around;
            for routed in tallies.routed().filter(is_asked) {
                runner.each_routed(routed.unit, |row| {
                    if let Some((created, ran)) = per_row.get_mut(row) {
                        *created += routed.created;
                        *ran += routed.ran;
                    }
                });
            }
        };
        count(&mut per_row, false);
        // What is around a document is not kept, and how often it was judged matters only for a document
        // that nothing else judged.
        if corpus.rows().iter().zip(&per_row).any(|(row, (_, ran))| is_typed(row) && *ran == 0) {
            count(&mut per_row, true);
        }
        let count = |test: fn(&Row) -> bool| corpus.rows().iter().filter(|row| test(row)).count();
        let checked =
            corpus.rows().iter().zip(&per_row).filter(|(row, (_, ran))| is_typed(row) && *ran > 0);
        let coverage = Self {
            seen: corpus.rows().len(),
            classified: count(is_typed),
            checked: checked.count(),
            generated: count(|row| matches!(row.outcome, Outcome::Generated(_))),
            instances: tallies.sum(|part| part.instances.iter().sum()),
            skipped: tallies.skips().map(|skip| skip.templates.as_slice().len()).sum(),
            skips: skips(tallies, runner),
            unaccounted: Vec::new(),
        };
        let unchecked = corpus.rows().iter().zip(per_row);
        let defects =
            unchecked.filter_map(|(row, (created, ran))| unchecked_row(corpus, row, created, ran));
        (coverage, defects.collect())
    }
}

fn skips(tallies: &Tallies<'_>, runner: &Runner<'_>) -> Vec<SkipClass> {
    let mut places: HashMap<&str, usize> = HashMap::new();
    let mut classes: Vec<SkipClass> = Vec::new();
    let mut last: Option<(&str, usize)> = None;
    for skip in tallies.skips() {
        let reason = skip.reason.as_ref();
        // Skips that follow each other are most often for one reason.
        let at = match last {
            Some((held, at)) if held == reason => at,
            _ => *places.entry(reason).or_insert(classes.len()),
        };
        last = Some((reason, at));
        if at == classes.len() {
            let reason = reason.to_owned();
            classes.push(SkipClass { reason, instances: 0, unrouted: 0, routings: Vec::new() });
        }
        let Some(class) = classes.get_mut(at) else { continue };
        let templates = skip.templates.as_slice();
        class.instances += templates.len();
        let before = class.routings.len();
        runner.each_routed(skip.unit, |row| {
            class.routings.extend(templates.iter().map(|template| (row, *template)));
        });
        if class.routings.len() == before {
            class.unrouted += templates.len();
        }
    }
    classes
}

/// What is to be said about a row that no rule judged.
fn unchecked_row(corpus: &Corpus, row: &Row, created: usize, ran: usize) -> Option<Defect> {
    let detail = || corpus.detail(row);
    let (severity, message, remedy) = match &row.outcome {
        Outcome::Typed if ran > 0 => return None,
        Outcome::Typed if created > 0 => (
            Severity::Warn,
            format!(
                "all {created} instances over this document were skipped, so nothing about it was judged"
            ),
            "read the reasons for skipping in this report, and mend what they name",
        ),
        Outcome::Typed => {
            let kind = corpus.kind(row).map_or("", |kind| kind.name.as_str());
            (
                Severity::Warn,
                format!(
                    "no rule asks anything of this document, whose kind is `{kind}`, so nothing about it was judged"
                ),
                "give the kind something to hold (facets, sections, relations), or move the document to the shelf of its kind",
            )
        }
        Outcome::Unreadable(why) => {
            let remedy = match why {
                Unreadable::FrontMatter { .. } => "mend the front matter as the message says",
                Unreadable::FrontMatterTwice(_) => "keep the front matter in one of the two places",
                Unreadable::Sidecar(..) => "mend the file beside it as the message says",
                Unreadable::Io(_) => {
                    "make the file readable, or exclude it under `corpus.exclude` with a reason"
                }
                Unreadable::TooLarge(_) | Unreadable::NotUtf8(_) => {
                    "write it as UTF-8 text within the limit, or exclude it under `corpus.exclude` with a reason"
                }
            };
            (Severity::Error, format!("this document could not be read: {}", detail()), remedy)
        }
        // `shelf.discriminator.unresolved` says so, at the place that is to be mended.
        Outcome::Untyped(Untyped::Stopped(
            Stop::NoDiscriminator { .. }
            | Stop::DiscriminatorNotScalar { .. }
            | Stop::UnknownDiscriminator { .. },
        )) => return None,
        Outcome::Untyped(why) => {
            let no_front_matter = matches!(why, Untyped::NoFrontMatter { .. });
            let ambiguous = match why {
                Untyped::Stopped(stop) => matches!(stop, Stop::AmbiguousShelf(_)),
                // Without front matter nothing was resolved, but the place is as ambiguous.
                Untyped::NoFrontMatter { .. } => {
                    matches!(corpus.taxonomy().placement(&row.path), Placement::Ambiguous(_))
                }
            };
            let severity = if ambiguous { Severity::Error } else { Severity::Warn };
            let remedy = if ambiguous {
                "make one of the shelf patterns more specific, and resolve the taxonomy again"
            } else if no_front_matter {
                "open the file with front matter between two lines of `---`, or exclude it under `corpus.exclude` with a reason"
            } else {
                "move the file to a shelf, or mend what the message names, or exclude it under `corpus.exclude` with a reason"
            };
            (
                severity,
                format!("this document has no kind, so nothing about it was judged: {}", detail()),
                remedy,
            )
        }
        Outcome::Unwalkable(_) => (
            Severity::Warn,
            format!("this is not a file that can be read: {}", detail()),
            "put the file itself here, or take it out of the corpus; `corpus.exclude` reaches files only",
        ),
        Outcome::Generated(_) | Outcome::Excluded(_) | Outcome::NotADocument => return None,
    };
    Some(Defect::new(severity, Place::file(&row.path), message, remedy))
}
