//! Reports: one finished run, rendered for people and for machines. Every format is an implementation of
//! [`Format`] over the same [`Report`]; what a format leaves out stands in its loss set.

mod brief;
mod gate;
mod github;
mod json;
mod markdown;
mod sarif;
mod source;
mod text;
mod words;

use headwater_check::headwater_corpus::Corpus;
use headwater_check::{Registry, Run};

pub use brief::Brief;
pub use gate::{gate_json, gate_text};
pub use github::GitHub;
pub use json::Json;
pub use markdown::Markdown;
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
}

/// A way to render a report. The bytes depend on the report and on nothing else.
pub trait Format {
    /// The word that names it on a command line.
    fn name(&self) -> &'static str;

    /// The members of a report that it does not carry.
    fn loss_set(&self) -> &'static [&'static str];

    /// The whole report.
    fn render(&self, report: &Report<'_>) -> String;
}

/// Every format, in the order of help.
pub const FORMATS: [&dyn Format; 6] = [&Text, &Brief, &Json, &Sarif, &GitHub, &Markdown];

/// The format of a name.
#[must_use]
pub fn format(name: &str) -> Option<&'static dyn Format> {
    FORMATS.into_iter().find(|format| format.name() == name)
}
