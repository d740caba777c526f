//! The two reads (canvas-store §§3.4, 3.6). They take no lock and write nothing.
//!
//! What a reader prints belongs to the head it prints: it looks at the head, the file and the intent
//! of any writer twice, and where a write is under way, or died, answers with the document as the
//! head has it.

use std::time::Duration;

use canvas_document::{BYTES, Document, Element, Verdict, examine};
use gix::ObjectId;
use gix::objs::Kind;

use crate::history::History;
use crate::lock::{self, Seen};
use crate::message;
use crate::refusal::{CANVAS, Exit, Next, Refusal, Subject, command_word, escape};
use crate::repository::{GitError, Repository, cannot_tell, object_id};
use crate::request::{HistoryEntry, NodeHistory, ReadRequest, Reading};
use crate::staleness::{self, Declared, cannot_search};
use crate::store::{Store, head_of};
use crate::workspace::{Place, Workspace};
use crate::writer::{not_well_formed, repository_at};

/// What stands for the commit and the author of a node that no commit names.
pub(crate) const UNRECORDED: &str = "unrecorded";
/// How often a reader looks again while writers move the store under it.
const LOOKS: u32 = 500;

/// A canvas opened for reading.
pub(crate) struct Opened {
    pub place: Place,
    pub repository: Repository,
}

impl Store {
    /// Finds the canvas and its repository, in the order of canvas-store §3.1.
    pub(crate) fn open(&self, canvas: &str) -> Result<Opened, Refusal> {
        let workspace = Workspace::find(&self.environment)?;
        let place = workspace.place(canvas)?;
        place.require()?;
        let repository = Repository::open(&workspace.canvases)?;
        Ok(Opened { place, repository })
    }

    /// Reads a canvas, or part of it, and what was asked for beside it (canvas-store §3.4).
    ///
    /// # Errors
    /// The refusals of §§3.4, 3.12 and 5.2. An invalid document is no error: it is printed, and
    /// [`Reading::refusal`] follows it.
    pub fn read(&self, canvas: &str, request: &ReadRequest<'_>) -> Result<Reading, Refusal> {
        let Opened { place, repository } = self.open(canvas)?;
        let (head, bytes) = snapshot(&place, &repository)?;
        let label = place.path.display().to_string();
        let (verdict, document) = examine(&label, &bytes);
        let selects = !request.ids.is_empty() || !request.types.is_empty();
        let document = match document {
            Ok(document) => Some(document),
            Err(fault) if selects || request.provenance || bytes.len() > BYTES => {
                return Err(not_well_formed(&place, &fault));
            }
            Err(_) => None,
        };
        let told = |error: GitError| cannot_search(&repository, &place, &error);
        let history = if request.frozen || request.provenance || request.since.is_some() {
            Some(History::load(&repository, Some(head)).map_err(told)?)
        } else {
            None
        };
        let mut stdout = format!("Canvas-Base: {head}\n").into_bytes();
        if let Some(history) = history.as_ref().filter(|_| request.frozen) {
            let frozen = history.oldest_freeze(&place.id).map_err(told)?;
            let line = match frozen {
                Some(commit) => {
                    let decoded =
                        message::decode(&repository.commit(commit).map_err(told)?.message);
                    format!("Canvas-Frozen: {commit} {}\n", escape(&decoded.reason()))
                }
                None => String::from("Canvas-Frozen: none\n"),
            };
            stdout.extend(line.bytes());
        }
        let selection = match document.as_ref().filter(|_| selects) {
            Some(document) => Some(
                document
                    .select(&request.ids, &request.types)
                    .map_err(|missing| not_held(&place, &missing))?,
            ),
            None => None,
        };
        if let Some(history) = history.as_ref().filter(|_| request.provenance) {
            let printed = selection.as_ref().or(document.as_ref());
            let lines = provenance(&repository, history, &place, printed).map_err(told)?;
            stdout.extend(lines.bytes());
        }
        if let (Some(history), Some(given)) = (&history, request.since) {
            let declared = Declared { option: "--since", given, node: None };
            let news = staleness::since(&repository, || Ok(history), head, &place, &declared)?;
            stdout.extend(news.to_bytes());
        }
        match &selection {
            Some(selection) => {
                let bytes =
                    selection.to_bytes().map_err(|fault| not_well_formed(&place, &fault))?;
                stdout.extend(bytes);
            }
            None => stdout.extend(&bytes),
        }
        Ok(Reading { stdout, refusal: invalid(&place, &verdict) })
    }

    /// Every edit of one node of one canvas, oldest first (canvas-store §3.6).
    ///
    /// # Errors
    /// The refusals of §§3.6 and 3.12.
    pub fn history(&self, canvas: &str, node: &str) -> Result<NodeHistory, Refusal> {
        if node.trim().is_empty() {
            return Err(Refusal::new(
                Exit::Tool,
                "a node id is required and must not be empty: no canvas holds a node without one",
                Subject::about("argument", "node-id"),
                Next::new(format!(
                    "re-run `{CANVAS} history {0} <node-id>` with the id you meant; if it came from a \
                     variable, that variable was empty. `{CANVAS} read {0}` prints every id",
                    command_word(canvas).unwrap_or_else(|| String::from("<canvas-id>"))
                )),
            )
            .and(crate::workspace::identifier(canvas)));
        }
        let Opened { place, repository } = self.open(canvas)?;
        let told = |error: GitError| cannot_search(&repository, &place, &error);
        let (_, head) = head_of(&repository)?;
        let history = History::load(&repository, Some(head)).map_err(told)?;
        let mut entries = Vec::new();
        for id in history.edits_of(&place.file, node).map_err(told)?.into_iter().rev() {
            let decoded = message::decode(&repository.commit(id).map_err(told)?.message);
            entries.push(HistoryEntry {
                commit: id.to_string(),
                author: decoded.author().unwrap_or_else(|| UNRECORDED.to_owned()),
                verb: decoded.verb().into_owned(),
                reason: decoded.reason().into_owned(),
            });
        }
        if entries.is_empty() {
            return Err(not_held(&place, &[node.to_owned()]));
        }
        Ok(NodeHistory { node: node.to_owned(), entries })
    }
}

/// The head and the bytes of the canvas that belong together.
pub(crate) fn snapshot(
    place: &Place,
    repository: &Repository,
) -> Result<(ObjectId, Vec<u8>), Refusal> {
    let told = |error: GitError| cannot_tell(repository.dir(), &error);
    let intent_path = lock::store_lock_path(repository.git_dir());
    for look in 0..LOOKS {
        if look > 0 {
            std::thread::sleep(Duration::from_micros(u64::from(look.min(50)) * 100));
        }
        let (_, head) = head_of(repository)?;
        let bytes = place.bytes(BYTES)?;
        let seen = lock::look(repository.git_dir())
            .map_err(|error| told(GitError::io(&intent_path, error)))?;
        // A write that began or ended meanwhile shows in one of these; then everything is looked at
        // again. One that neither began nor ended has left the file alone, or is in its intent.
        if head_of(repository)?.1 != head || place.bytes(BYTES)? != bytes {
            continue;
        }
        match seen {
            Seen::Quiet => return Ok((head, bytes)),
            // Its writer has touched nothing yet. A dead one never will.
            Seen::Torn if look + 1 == LOOKS => return Ok((head, bytes)),
            Seen::Torn => {}
            Seen::Intent(intent) => {
                let placed = object_id(Kind::Blob, &bytes).map_err(told)? == intent.new;
                if intent.file != place.file || !placed {
                    return Ok((head, bytes));
                }
                let stored = repository.entry_at(head, &place.file).map_err(told)?;
                if stored.is_some_and(|entry| entry.id == intent.new) {
                    return Ok((head, bytes));
                }
                return match intent.old {
                    Some(old) => Ok((head, repository.blob(old).map_err(told)?)),
                    None => Err(place.no_canvas_yet()),
                };
            }
        }
    }
    Err(Refusal::new(
        Exit::Tool,
        format!(
            "the canvas repository {} changed each of {LOOKS} times it was looked at",
            repository.dir().display()
        ),
        repository_at(repository),
        Next::new("re-run the same command"),
    )
    .and(place.identifier()))
}

/// One line for each node printed, in the document's order.
fn provenance(
    repository: &Repository,
    history: &History<'_>,
    place: &Place,
    document: Option<&Document>,
) -> Result<String, GitError> {
    let nodes: Vec<&str> = document
        .into_iter()
        .flat_map(|document| document.root.descendants().skip(1))
        .filter_map(Element::id)
        .collect();
    let last = history.last_edits(&place.file, nodes.iter().copied())?;
    let mut out = String::new();
    for node in nodes {
        let (commit, author) = match last.get(node) {
            Some(id) => {
                let decoded = message::decode(&repository.commit(*id)?.message);
                (id.to_string(), decoded.author().unwrap_or_else(|| UNRECORDED.to_owned()))
            }
            None => (UNRECORDED.to_owned(), UNRECORDED.to_owned()),
        };
        out.push_str(&format!("Canvas-Wrote: {} {commit} {}\n", escape(node), escape(&author)));
    }
    Ok(out)
}

/// The refusal for ids that this canvas does not hold, or never held.
fn not_held(place: &Place, missing: &[String]) -> Refusal {
    Refusal::new(
        Exit::Conflict,
        format!("no node with id {} in canvas {}", missing.join(", "), place.id),
        place.identifier(),
        Next::new(format!(
            "`{CANVAS} read {0}` prints the canvas with every id in it; `{CANVAS} read {0} --type NAME` \
             selects by type",
            place.id
        )),
    )
    .and(place.canvas())
    .and_all(missing.iter().map(Subject::node))
}

/// The refusal that follows an invalid document.
pub(crate) fn invalid(place: &Place, verdict: &Verdict) -> Option<Refusal> {
    if *verdict == Verdict::Valid {
        return None;
    }
    let mut refusal = Refusal::new(
        Exit::Conflict,
        format!("the canvas for Canvas identifier {} is not valid as it is stored", place.id),
        place.identifier(),
        Next::new(format!(
            "repair in {} what the diagnostics name, with `{CANVAS} replace {} <node-id> --why TEXT` where \
             the node can be named; schema/canvas.rng is where it is written what a canvas node may be",
            place.path.display(),
            place.id
        )),
    )
    .and(place.canvas());
    for diagnostic in verdict.diagnostics() {
        refusal = refusal.detail(diagnostic.to_string());
    }
    Some(refusal)
}
