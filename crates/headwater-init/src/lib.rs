//! A first taxonomy for a corpus that has none, guessed from the corpus itself.
//!
//! Folders become shelves, keys of the front matter that come again become facets, small sets of values
//! become closed sets, and what names other documents becomes a relation. A guess is made only where
//! the corpus as a whole says so, and what single documents say otherwise is held as debt in the
//! adoption block of the lock. So the check that follows has nothing new to say, and everything that
//! goes wrong from then on shows. Nothing is written before the guess resolves, validates and was run.

mod debt;
mod facets;
mod files;
mod identifier;
mod names;
mod relations;
mod root;
mod shelves;
mod states;
mod survey;
mod taxonomy;
mod tree;

use std::path::Path;

use headwater_check::headwater_corpus::{Corpus, Options};
use headwater_check::headwater_taxonomy::declaration::Declaration;
use headwater_check::headwater_taxonomy::lock;
use headwater_check::headwater_taxonomy::refusal::{Class, Next, Refusal};
use headwater_check::headwater_taxonomy::resolve::{Resolution, resolve};
use headwater_check::headwater_taxonomy::source::{Role, Source};
use headwater_check::headwater_taxonomy::validate::validate;
use headwater_check::{Date, Registry};

pub use debt::GRACE_DAYS;
pub use files::Draft;
pub use names::PACKAGE_LIMIT;

use debt::Debt;
use files::Paths;
use survey::Survey;

/// What to make a taxonomy for.
#[derive(Clone, Copy, Debug)]
pub struct Request<'r> {
    /// The repository root.
    pub root: &'r Path,
    /// The corpus root below it; none for the directory with the most Markdown.
    pub corpus: Option<&'r str>,
    /// The name of the package; none for one that is made from the corpus root.
    pub package: Option<&'r str>,
    /// Who answers for the debt.
    pub owner: &'r str,
    /// The day; the debt is held for [`GRACE_DAYS`] from it.
    pub now: Date,
}

/// Why there is no taxonomy.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Failure {
    /// The request is well formed and the answer is no.
    No(Refusal),
    /// Something that was named or is needed cannot be used.
    Unusable(Vec<Refusal>),
}

/// A taxonomy that resolves, validates and was run, not yet written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Proposal {
    /// The files, in the order in which they are written.
    pub drafts: Vec<Draft>,
    /// What was guessed and why, a line each: a word, what, and the reason.
    pub account: Vec<(&'static str, String)>,
}

/// Guesses a taxonomy, and reads nothing but the repository.
///
/// # Errors
/// The repository has one already, there is no Markdown, or something cannot be used.
pub fn propose(request: Request<'_>, registry: &Registry) -> Result<Proposal, Failure> {
    files::unbound(request.root)?;
    let corpus_root = root::choose(request.root, request.corpus)?;
    let package = names::package(request.package, &corpus_root.path)?;
    let paths = Paths::of(&package);
    let survey = Survey::take(request.root, &corpus_root)?;
    let guess = taxonomy::guess(&survey, request.root, &corpus_root, &package);

    let base = Source {
        path: paths.taxonomy.clone(),
        role: Role::Base,
        bytes: guess.taxonomy.clone().into_bytes(),
    };
    let overlay = Source {
        path: files::OVERLAY_PATH.to_owned(),
        role: Role::Overlay,
        bytes: files::OVERLAY.as_bytes().to_vec(),
    };
    let resolution = resolve(&[base, overlay]).map_err(Failure::Unusable)?;
    let refusals = validate(&resolution).refusals;
    if !refusals.is_empty() {
        return Err(Failure::Unusable(refusals));
    }
    let declared = files::declaration(&package, &corpus_root);
    let debt = Debt::of(&corpus(request.root, &resolution, &declared)?, registry, request.now);
    let adoption = debt.block(request.owner, request.now);
    let mut account = corpus_root.account;
    account.extend(guess.account);
    account.push(("debt", debt.account(request.now)));
    let lock = lock::write(&resolution, adoption.as_ref());
    Ok(Proposal { drafts: paths.drafts(&package, guess.taxonomy, lock, declared), account })
}

/// Writes the files of a proposal, the declaration last, so that an interrupted writer leaves a
/// repository that is still unbound.
///
/// # Errors
/// A file is there already or cannot be written; none of them is then left.
pub fn write(root: &Path, proposal: &Proposal) -> Result<(), Failure> {
    files::write(root, &proposal.drafts)
}

/// A corpus under a resolution that is on no disk.
fn corpus(root: &Path, resolution: &Resolution, declared: &str) -> Result<Corpus, Failure> {
    let text = lock::write(resolution, None);
    let lock = lock::parse(text.as_bytes()).map_err(|fault| unusable(fault.refusal()))?;
    let declaration = Declaration::parse(declared.as_bytes()).map_err(Failure::Unusable)?;
    Corpus::build(root, lock, declaration, Options::default()).map_err(Failure::Unusable)
}

fn unusable(refusal: Refusal) -> Failure {
    Failure::Unusable(vec![refusal])
}

fn refusal(file: &str, what: impl Into<String>, next: &str) -> Refusal {
    Refusal::of_file(Class::Input, file, what, Next::Do(next.to_owned()))
}
