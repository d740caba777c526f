//! What the repository pins: the package of its taxonomy, imported snapshots, harvested exports, and the
//! files outside the corpus that its regimes list. All of it is read on every run and kept in no cache
//! (checks §1.6).

use headwater_corpus::{Corpus, Digest, Pin, PinKind};
use headwater_taxonomy::declaration::DECLARATION_PATH;
use headwater_taxonomy::files::{Links, SOURCE_LIMIT, read_regular};
use headwater_taxonomy::lock::LOCK_PATH;
use headwater_taxonomy::release;
use headwater_taxonomy::repository::{Failure, find_package};
use headwater_taxonomy::yaml::{escaped, shown};

use crate::finding::{Defect, Place};
use crate::read_set::Input;
use crate::runner_rules::{HARVEST_UNREAD, IMPORT_UNREAD, OUTSIDE_REFUSED, PIN_DIVERGED};

/// How many divergences of one artifact a message names.
const NAMED: usize = 3;

/// What is wrong with the pins, and the files that were hashed to find out.
pub(crate) fn pins(corpus: &Corpus) -> (Vec<(&'static str, Defect)>, Vec<Input>) {
    let mut defects: Vec<(&'static str, Defect)> = corpus
        .outside()
        .refusals
        .iter()
        .map(|refusal| (OUTSIDE_REFUSED, outside(refusal)))
        .collect();
    let mut inputs = Vec::new();
    if let Ok(bytes) =
        read_regular(&corpus.root().join(DECLARATION_PATH), SOURCE_LIMIT, Links::Follow)
    {
        inputs.push(Input::of(DECLARATION_PATH, Digest::of(&bytes)));
    }
    defects.extend(package(corpus, &mut inputs).map(|defect| (PIN_DIVERGED, defect)));
    for pin in corpus.pins() {
        inputs.extend(pin.inputs.iter().map(|(path, digest)| Input::of(path, *digest)));
        let rule = match pin.kind {
            PinKind::Import => IMPORT_UNREAD,
            PinKind::Harvest => HARVEST_UNREAD,
        };
        defects.extend(pin.unread.as_ref().map(|why| (rule, unread(pin, why))));
    }
    (defects, inputs)
}

fn outside(refusal: &headwater_corpus::OutsideRefusal) -> Defect {
    let message = format!(
        "the language regime `{}` lists `{}` under `outside_root`, and it is not read: {}",
        shown(&refusal.regime),
        shown(&refusal.pattern),
        escaped(&refusal.why)
    );
    let remedy = "list regular files of this repository that lie outside the corpus root, each in one regime, or remove the pattern";
    Defect::error(Place::file(LOCK_PATH), message, remedy)
}

fn error(message: String, remedy: impl Into<String>) -> Defect {
    Defect::error(Place::file(DECLARATION_PATH), message, remedy)
}

fn package(corpus: &Corpus, inputs: &mut Vec<Input>) -> Option<Defect> {
    let declaration = corpus.declaration();
    let pin = declaration.digest.as_deref()?;
    let what = format!(
        "the package `{}` is pinned to `{}`, and what is vendored is not that artifact",
        shown(&declaration.package),
        shown(pin)
    );
    let remedy = "vendor the artifact that is pinned, or pin the one that is here after reading what changed";
    let package = match find_package(corpus.root(), declaration) {
        Ok(package) => package,
        Err(Failure::Unusable(refusals) | Failure::Refused(refusals)) => {
            let why = refusals.first().map(|refusal| escaped(&refusal.what)).unwrap_or_default();
            return Some(error(format!("{what}: {why}"), remedy));
        }
    };
    let directory = corpus.root().join(&package.directory);
    inputs.extend(members(&directory, &package.directory));
    let divergences = release::verify(&directory, Some(pin));
    if divergences.is_empty() {
        return None;
    }
    let mut why: Vec<String> =
        divergences.iter().take(NAMED).map(|divergence| escaped(&divergence.to_string())).collect();
    if divergences.len() > NAMED {
        why.push(format!("{} more", divergences.len() - NAMED));
    }
    Some(error(format!("{what}: {}", why.join("; ")), remedy))
}

/// The members of an artifact and its record, as inputs.
fn members(directory: &std::path::Path, path: &str) -> Vec<Input> {
    let members = release::members(directory).unwrap_or_default();
    let members = members.into_iter().filter_map(|(member, digest)| {
        Some(Input::of(&format!("{path}/{member}"), Digest::parse(&digest)?))
    });
    let record = read_regular(&directory.join(release::RECORD), SOURCE_LIMIT, Links::Refuse);
    let record = record
        .ok()
        .map(|bytes| Input::of(&format!("{path}/{}", release::RECORD), Digest::of(&bytes)));
    members.chain(record).collect()
}

fn unread(pin: &Pin, why: &str) -> Defect {
    let (what, consequence) = match pin.kind {
        PinKind::Import => ("imported snapshot", "no target in it can be bound"),
        PinKind::Harvest => ("harvested export", "no document of it can be bound"),
    };
    error(
        format!(
            "the {what} `{}` at `{}` is not used, so {consequence}: {}",
            shown(&pin.name),
            shown(&pin.at),
            escaped(why)
        ),
        "put the artifact that is pinned there, or correct `at` and `digest`",
    )
}
