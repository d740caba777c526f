//! Reports: one finished run, rendered for people and for machines. Every format is an implementation of
//! [`Format`] over the same [`Report`]; what a format leaves out stands in its loss set.

mod brief;
mod gate;
mod github;
mod json;
mod layout;
mod ledger;
mod markdown;
mod register;
mod sarif;
mod source;
mod text;
mod words;

use headwater_check::headwater_corpus::Corpus;
use headwater_check::{Escape, Finding, Registry, Run};

pub use brief::Brief;
pub use gate::{gate_json, gate_text};
pub use github::GitHub;
pub use json::Json;
pub use layout::{Layout, WIDEST, WIDTH};
pub use markdown::Markdown;
pub use register::register;
pub use sarif::Sarif;
pub use text::Text;

/// What is rendered.
#[derive(Clone, Copy)]
pub struct Report<'r> {
    /// The run.
    pub run: &'r Run,
    /// The corpus that it judged, for excerpts and the taxonomy's name.
    pub corpus: &'r Corpus,
    /// The rules, for their pages.
    pub registry: &'r Registry,
    /// Whether to say what each rule did and what was skipped.
    pub verbose: bool,
    /// How a report for a terminal is laid out.
    pub layout: Layout,
}

impl<'r> Report<'r> {
    /// The live findings with their places among all, in order.
    pub fn live(&self) -> impl Iterator<Item = (usize, &'r Finding)> {
        self.run.findings.iter().enumerate().filter(|(_, finding)| finding.is_live())
    }

    /// The other findings, each with what holds or hides it, in order.
    pub fn escaped(&self) -> impl Iterator<Item = (usize, &'r Finding, &'r Escape)> {
        let all = self.run.findings.iter().enumerate();
        all.filter_map(|(at, finding)| Some((at, finding, finding.escape.as_ref()?)))
    }
}

/// A report in a format, with the format's own census of the findings that it accounted for.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Rendered {
    /// The report.
    pub text: String,
    /// The places of the findings that it shows or counts among all.
    carried: Vec<usize>,
}

impl Rendered {
    /// Notes that a finding was accounted for.
    pub fn carries(&mut self, at: usize) {
        self.carried.push(at);
    }

    /// The findings of the run that the format has no account of. It is a defect of the format if
    /// there are any, and whoever reads the report must be told.
    #[must_use]
    pub fn lost<'r>(&self, run: &'r Run) -> Vec<&'r Finding> {
        let mut carried = vec![false; run.findings.len()];
        for at in &self.carried {
            if let Some(carried) = carried.get_mut(*at) {
                *carried = true;
            }
        }
        let findings = run.findings.iter().zip(carried);
        findings.filter(|(_, carried)| !carried).map(|(finding, _)| finding).collect()
    }
}

/// A way to render a report. The bytes depend on the report and on nothing else.
pub trait Format {
    /// The word that names it on a command line.
    fn name(&self) -> &'static str;

    /// The members of a report that it does not carry.
    fn loss_set(&self) -> &'static [&'static str];

    /// The whole report, and its census.
    fn render(&self, report: &Report<'_>) -> Rendered;
}

/// Every format, in the order of help.
pub const FORMATS: [&dyn Format; 6] = [&Text, &Brief, &Json, &Sarif, &GitHub, &Markdown];

/// The format of a name.
#[must_use]
pub fn format(name: &str) -> Option<&'static dyn Format> {
    FORMATS.into_iter().find(|format| format.name() == name)
}
