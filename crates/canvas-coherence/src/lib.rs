//! Coherence checking: after a write, ask a model what in the canvas now contradicts itself, and
//! store each contradiction as one open question (canvas-projections §7).
//!
//! The model is reached through an adapter, a program of the caller's. It gets one request and gives
//! one response; it chooses no author, no place, no type and no flag. What it says is read whole and
//! strictly before anything is written, and each finding becomes one insert through the store, which
//! stays the only writer. Nothing here retries, prints or ends a process.
//!
//! | module | one noun |
//! |---|---|
//! | `request` | what the adapter is told |
//! | `adapter` | the adapter as a process: its limits, its output, its end |
//! | `response` | what the adapter may answer |

mod adapter;
mod request;
mod response;

use std::ffi::OsString;

use canvas_store::refusal::{Exit, Next, Refusal, Subject, escape};
use canvas_store::request::{Edit, Payload, Position, Written};
use canvas_store::{PrimaryWrite, Store};

pub use adapter::Limits;
use response::Finding;

/// What every author of ours begins with; a commit of such an author is never checked.
const AUTHOR: &str = "canvas-coherence | trigger:";
/// Characters of one message that are shown; what an adapter says may have any length.
const SHOWN: usize = 600;

/// What to check, and with what.
#[derive(Clone, Debug)]
pub struct Check<'a> {
    /// The canvas identifier.
    pub canvas: &'a str,
    /// The commit of the write to check, forty lower-case hex digits.
    pub trigger: &'a str,
    /// The adapter and its arguments, started as they are.
    pub command: &'a [OsString],
    /// What the adapter is allowed.
    pub limits: Limits,
}

/// How a check ended.
#[derive(Debug, Default)]
pub struct Checked {
    /// The questions stored, in order. They stand also when a refusal follows.
    pub written: Vec<Written>,
    /// Why the check, or the next of its writes, was refused.
    pub refusal: Option<Refusal>,
}

impl From<Refusal> for Checked {
    fn from(refusal: Refusal) -> Checked {
        Checked { written: Vec::new(), refusal: Some(refusal) }
    }
}

impl Checked {
    /// The text for standard output: two lines for each question stored.
    pub fn to_text(&self) -> String {
        let lines = |written: &Written| {
            format!("Canvas-Node: {}\nCanvas-Base: {}\n", written.node, written.base)
        };
        self.written.iter().map(lines).collect()
    }
}

/// Checks one write: looks at it, asks the adapter, stores what it finds.
pub fn check(store: &Store, check: &Check<'_>) -> Checked {
    match ask(store, check) {
        Ok((write, findings)) => store_all(store, &write, &findings),
        Err(refusal) => refusal.into(),
    }
}

/// Everything before the first write.
fn ask(store: &Store, check: &Check<'_>) -> Result<(PrimaryWrite, Vec<Finding>), Refusal> {
    if !is_full_sha(check.trigger) {
        return Err(not_a_trigger(check));
    }
    let write = store.primary_write(check.canvas, check.trigger)?;
    if write.edit.author.starts_with(AUTHOR) {
        return Err(own_question(&write));
    }
    let request = request::Request::of(&write).to_json().map_err(|error| {
        failed(check, &format!("the request to the model adapter cannot be written: {error}"))
    })?;
    let answer = adapter::run(check.command, request, &check.limits).map_err(|failure| {
        let mut refusal = failed(check, &failure.to_string()).and_all(failure.errno());
        for line in failure.quoted() {
            refusal = refusal.detail(line);
        }
        refusal
    })?;
    let findings = response::read(&answer, &write)
        .map_err(|fault| failed(check, &format!("the model response {fault}")))?;
    let reasons: Vec<String> = findings.iter().map(|finding| reason(&write, finding)).collect();
    let texts = findings.iter().map(|finding| finding.question.as_str());
    write
        .can_hold(texts.zip(reasons.iter().map(String::as_str)))
        .map_err(|why| failed(check, &format!("the model response cannot be stored: {why}")))?;
    Ok((write, findings))
}

/// One insert for each finding, each based on the commit before it. The first refusal ends it.
fn store_all(store: &Store, write: &PrimaryWrite, findings: &[Finding]) -> Checked {
    let mut checked = Checked::default();
    // With nothing to write it is no matter what moved meanwhile.
    if findings.is_empty() {
        return checked;
    }
    if let Err(refusal) = store.require_unchanged(write) {
        return refusal.into();
    }
    let author = format!("{AUTHOR}{}", write.commit);
    for finding in findings {
        let why = reason(write, finding);
        let base = checked.written.last().map_or(write.commit.as_str(), |written| &written.base);
        let edit =
            Edit { canvas: &write.canvas, why: &why, base: Some(base), author: Some(&author) };
        let payload = Payload {
            element: Some(String::from("question")),
            text: Some(finding.question.clone()),
            ..Payload::default()
        };
        match store.insert(&edit, Position::Into("root"), &payload) {
            Ok(written) => checked.written.push(written),
            Err(refusal) => {
                checked.refusal = Some(refusal);
                break;
            }
        }
    }
    checked
}

/// The reason of a finding's insert: the checker's evidence, then the model's words on one line.
fn reason(write: &PrimaryWrite, finding: &Finding) -> String {
    let words: Vec<&str> = finding.reason.split_whitespace().collect();
    format!(
        "coherence check after {} found nodes {} disagree: {}",
        write.commit,
        finding.node_ids.join(", "),
        words.join(" ")
    )
}

/// Whether `sha` is a commit in full, as the store prints it.
fn is_full_sha(sha: &str) -> bool {
    sha.len() == 40 && sha.bytes().all(|b| matches!(b, b'0'..=b'9' | b'a'..=b'f'))
}

fn not_a_trigger(check: &Check<'_>) -> Refusal {
    Refusal::new(
        Exit::Tool,
        format!(
            "--trigger takes a commit in full, forty lower-case hex digits, and not '{}'; nothing was \
             written",
            cut(check.trigger)
        ),
        Subject::about("option", format!("--trigger '{}'", cut(check.trigger))),
        Next::new(
            "re-run with the sha that the write to be checked printed as Canvas-Base, all of it",
        ),
    )
    .and(Subject::about("Canvas identifier", check.canvas))
}

fn own_question(write: &PrimaryWrite) -> Refusal {
    Refusal::new(
        Exit::Conflict,
        format!(
            "the trigger {} is itself a question that a coherence check asked; such a commit is never \
             checked, and nothing was written",
            write.commit
        ),
        Subject::node(&write.node),
        Next::new(
            "check the writes of people and agents only; answer the question with a write, and check that \
             one",
        ),
    )
    .and(Subject::about("Canvas identifier", write.canvas.as_str()))
    .and(Subject::about("option", format!("--trigger {}", write.commit)))
}

/// The refusal for an adapter, or a response, that cannot be used.
fn failed(check: &Check<'_>, message: &str) -> Refusal {
    let adapter = check.command.first().map(|word| word.to_string_lossy()).unwrap_or_default();
    Refusal::new(
        Exit::Tool,
        format!(
            "{}; no finding was written, and the write that triggered the check stands, as commit {}",
            cut(message),
            check.trigger
        ),
        Subject::about("coherence", "model response"),
        Next::new(
            "mend the adapter and run the check of the same trigger again while it is the head; do not \
             repeat the write",
        ),
    )
    .and(Subject::about("command", cut(&adapter)))
    .and(Subject::about("Canvas identifier", check.canvas))
}

/// `text`, escaped and cut so that no adapter can flood a message.
fn cut(text: &str) -> String {
    match text.char_indices().nth(SHOWN) {
        Some((end, _)) => format!("{}…", escape(&text[..end])),
        None => escape(text),
    }
}
