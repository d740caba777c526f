//! The verbs `taxonomy validate`, `taxonomy resolve [--check]` and `taxonomy kinds`, complete but
//! for argument parsing and printing: each takes a repository and gives back the text of both
//! streams and the exit status.

mod kinds;
mod resolve;
mod validate;

pub use kinds::kinds;
pub use resolve::{check, resolve};
pub use validate::validate;

use std::fmt::Write as _;
use std::path::Path;

use crate::declaration::Declaration;
use crate::refusal::Refusal;
use crate::repository::{Failure, Repository};
use crate::resolve::{Resolution, resolve as resolve_sources};
use crate::source::{Role, Source};
use crate::validate::{Validation, undeclared, validate as validate_resolution};

/// How a verb was called.
#[derive(Clone, Copy, Debug)]
pub struct Invocation<'a> {
    /// The program as the caller typed it; recommended commands are spelled with it.
    pub program: &'a str,
    /// The repository root.
    pub root: &'a Path,
}

/// What a verb answers: 0 for done or yes, 1 for no, 2 for what could not be used.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Answer {
    /// The one artifact.
    pub stdout: String,
    /// The account of what happened, and refusals.
    pub stderr: String,
    /// The exit status.
    pub status: u8,
}

impl Answer {
    /// A refusal: nothing on standard output, one sentence and its details on standard error.
    fn refused(
        invocation: Invocation<'_>,
        status: u8,
        sentence: &str,
        refusals: &[Refusal],
    ) -> Self {
        let mut stderr = format!("headwater: {sentence}\n");
        for refusal in refusals {
            let _ = writeln!(stderr, "  {}", refusal.render(invocation.program));
        }
        Self { stdout: String::new(), stderr, status }
    }

    fn failed(invocation: Invocation<'_>, failure: &Failure, refused: &str) -> Self {
        match failure {
            Failure::Unusable(refusals) => {
                let sentence = "the taxonomy of this repository cannot be read";
                Self::refused(invocation, 2, sentence, refusals)
            }
            Failure::Refused(refusals) => Self::refused(invocation, 1, refused, refusals),
        }
    }

    /// Puts the notes about the declaration, an engine out of range included, before everything else on standard error.
    fn with_notes(mut self, invocation: Invocation<'_>, declaration: &Declaration) -> Self {
        let mut notes = String::new();
        for note in declaration.notes.iter().chain(&declaration.unmet_engine()) {
            let _ = writeln!(notes, "headwater: {}", note.render(invocation.program));
        }
        self.stderr.insert_str(0, &notes);
        self
    }
}

/// A resolution with its validation.
struct Judged {
    resolution: Resolution,
    validation: Validation,
    /// Which bundles would supply names that are left undeclared.
    advice: Vec<String>,
}

/// Resolves and validates what a repository holds.
fn judge(repository: &Repository) -> Result<Judged, Vec<Refusal>> {
    let resolution = resolve_sources(&repository.sources)?;
    let disagreements = repository.disagreements(&resolution);
    if !disagreements.is_empty() {
        return Err(disagreements);
    }
    let validation = validate_resolution(&resolution);
    let advice = bundle_advice(repository, &resolution);
    Ok(Judged { resolution, validation, advice })
}

/// Tries each bundle that is shipped and not selected alone, and says which of the undeclared names
/// it would supply. Advice under the refusals, never a fix.
fn bundle_advice(repository: &Repository, resolution: &Resolution) -> Vec<String> {
    let missing = undeclared(&resolution.taxonomy);
    if missing.is_empty() {
        return Vec::new();
    }
    let mut advice = Vec::new();
    for bundle in &repository.unselected {
        let Role::Bundle(name) = &bundle.role else { continue };
        let with: Vec<Source> = repository.sources.iter().chain([bundle]).cloned().collect();
        let Ok(tried) = resolve_sources(&with) else { continue };
        let still = undeclared(&tried.taxonomy);
        let supplied: Vec<String> = missing
            .iter()
            .filter(|name| !still.contains(*name))
            .map(|(what, name)| format!("the {what} `{}`", crate::yaml::shown(name)))
            .collect();
        if !supplied.is_empty() {
            advice.push(format!(
                "the bundle `{name}`, which is not selected, would supply {}",
                supplied.join(", ")
            ));
        }
    }
    advice
}

/// "1 refusal", "2 refusals".
fn counted(number: usize, noun: &str) -> String {
    format!("{number} {noun}{}", if number == 1 { "" } else { "s" })
}
