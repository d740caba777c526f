//! `taxonomy resolve`, which writes the lock, and `taxonomy resolve --check`, which says whether the
//! committed one is what it would write.

use std::fmt::Write as _;

use super::{Answer, Invocation, Judged, counted, judge};
use crate::files::replace;
use crate::lock::{self, Carried, LOCK_PATH, Lock, around_adoption, carried};
use crate::repository::{Failure, Repository};
use crate::yaml::{Node, escaped};

const REFUSED: &str = "the taxonomy is refused, so no lock is written";

/// Resolves, validates, and writes the lock when nothing is refused.
pub fn resolve(invocation: Invocation<'_>) -> Answer {
    let (repository, judged) = match sources(invocation, REFUSED) {
        Ok(found) => found,
        Err(answer) => return answer,
    };
    let answer = write(invocation, &judged);
    answer.with_notes(invocation, &repository.declaration)
}

/// The sources of a repository, resolved and valid, or the answer that refuses them.
fn sources(invocation: Invocation<'_>, refused: &str) -> Result<(Repository, Judged), Answer> {
    let repository = Repository::open(invocation.root)
        .map_err(|failure| Answer::failed(invocation, &failure, refused))?;
    let answer = match judge(&repository) {
        Ok(judged) if judged.validation.refusals.is_empty() => return Ok((repository, judged)),
        Ok(Judged { validation, advice, .. }) => {
            let failure = Failure::Refused(validation.refusals);
            let mut answer = Answer::failed(invocation, &failure, refused);
            for line in advice {
                let _ = writeln!(answer.stderr, "  {line}");
            }
            answer
        }
        Err(refusals) => Answer::failed(invocation, &Failure::Refused(refusals), refused),
    };
    Err(answer.with_notes(invocation, &repository.declaration))
}

fn write(invocation: Invocation<'_>, judged: &Judged) -> Answer {
    let Judged { resolution, validation, .. } = judged;
    let committed = lock::read_bytes(invocation.root);
    let held = carried(committed.as_deref().map_err(Clone::clone));
    let (adoption, account) = match &held {
        Carried::Nothing => (None, "no adoption block".to_owned()),
        Carried::Through(node) => {
            (Some(node), format!("the adoption block was carried through: {}", tasks(node)))
        }
        Carried::Salvaged(node, fault) => (
            Some(node),
            format!(
                "the adoption block was salvaged from a lock that does not read ({}): {}",
                fault.refusal().what,
                tasks(node)
            ),
        ),
        Carried::Opaque(fault) => {
            let sentence = "the committed lock was left as it is, because its adoption block cannot \
                            be seen and would be lost";
            return Answer::refused(invocation, 2, sentence, &[fault.refusal()]);
        }
    };
    let text = lock::write(resolution, adoption);
    let unchanged = committed.is_ok_and(|bytes| bytes == text.as_bytes());
    if !unchanged && let Err(error) = replace(&invocation.root.join(LOCK_PATH), text.as_bytes()) {
        let sentence = format!("{LOCK_PATH} cannot be written: {error}");
        return Answer::refused(invocation, 2, &sentence, &[]);
    }
    let mut stdout = String::new();
    for source in &resolution.sources {
        let _ = writeln!(stdout, "source    {} {}", escaped(&source.path), source.digest);
    }
    for founding in &resolution.foundings {
        let _ = writeln!(
            stdout,
            "founded   {} by {} of {}",
            founding.founds,
            founding.at,
            escaped(&founding.source)
        );
    }
    let _ = writeln!(stdout, "adoption  {account}");
    let digest = crate::canonical::digest(resolution.text().as_bytes());
    let verb = if unchanged { "unchanged" } else { "written" };
    let _ = writeln!(stdout, "lock      {LOCK_PATH} {verb}, {digest}");
    let mut stderr = String::new();
    if !validation.warnings.is_empty() {
        let _ = writeln!(
            stderr,
            "headwater: {}; run `{} taxonomy validate`, which lists what can never act",
            counted(validation.warnings.len(), "warning"),
            invocation.program
        );
    }
    Answer { stdout, stderr, status: 0 }
}

fn tasks(adoption: &Node) -> String {
    counted(adoption.get("tasks").and_then(Node::items).map_or(0, <[Node]>::len), "task")
}

/// Compares the committed lock with what `resolve` would write, and writes nothing.
pub fn check(invocation: Invocation<'_>) -> Answer {
    let refused = "the taxonomy is refused, so there is nothing to compare the lock with";
    let (repository, judged) = match sources(invocation, refused) {
        Ok(found) => found,
        Err(answer) => return answer,
    };
    compare(invocation, &judged).with_notes(invocation, &repository.declaration)
}

fn compare(invocation: Invocation<'_>, judged: &Judged) -> Answer {
    let resolution = &judged.resolution;
    let read = lock::read_bytes(invocation.root)
        .and_then(|bytes| lock::parse(&bytes).map(|lock| (bytes, lock)));
    let (bytes, lock) = match read {
        Ok(read) => read,
        Err(fault) => {
            let sentence = "the committed lock cannot be read";
            return Answer::refused(invocation, 2, sentence, &[fault.refusal()]);
        }
    };
    let would = lock::write(resolution, lock.adoption.as_ref());
    if bytes == would.as_bytes() {
        let stdout = format!("{LOCK_PATH} is what the sources resolve to\n");
        return Answer { stdout, stderr: String::new(), status: 0 };
    }
    let advise = format!("run `{} taxonomy resolve`, which writes it again\n", invocation.program);
    let mut stdout = String::new();
    if generated_moved(&lock, judged) {
        let _ = writeln!(stdout, "{LOCK_PATH} is not what the sources resolve to");
        for line in moved(&lock, judged) {
            let _ = writeln!(stdout, "  {line}");
        }
    } else {
        let held = String::from_utf8_lossy(&bytes);
        let only_adoption = around_adoption(&held) == around_adoption(&would);
        let place = if only_adoption {
            "only the adoption block is spelled otherwise"
        } else {
            "text outside the adoption block is spelled otherwise"
        };
        let _ = writeln!(
            stdout,
            "{LOCK_PATH} holds the same taxonomy and is not in the written form: {place}"
        );
    }
    stdout.push_str(&advise);
    Answer { stdout, stderr: String::new(), status: 1 }
}

fn generated_moved(lock: &Lock, judged: &Judged) -> bool {
    let resolution = &judged.resolution;
    lock.header.digest != crate::canonical::digest(resolution.text().as_bytes())
        || lock.header.package != resolution.taxonomy.name
        || lock.header.version != resolution.taxonomy.version
        || lock.header.sources != resolution.sources
        || lock.foundings != resolution.foundings
}

fn moved(lock: &Lock, judged: &Judged) -> Vec<String> {
    let now = &judged.resolution.sources;
    let mut lines = Vec::new();
    for recorded in &lock.header.sources {
        let path = escaped(&recorded.path);
        match now.iter().find(|source| source.path == recorded.path) {
            None => lines.push(format!("{path} is no longer a source")),
            Some(source) if source.digest != recorded.digest => {
                lines.push(format!("{path} moved: {} is now {}", recorded.digest, source.digest));
            }
            Some(_) => {}
        }
    }
    for source in now {
        if !lock.header.sources.iter().any(|recorded| recorded.path == source.path) {
            lines.push(format!("{} is a new source", escaped(&source.path)));
        }
    }
    if lines.is_empty() {
        lines.push("no recorded source moved; the lock itself was changed".to_owned());
    }
    lines
}
