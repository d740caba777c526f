//! The six writes (canvas-store §§2.8, 3.3, 3.7–3.11).
//!
//! Each takes a canvas identifier, a reason and at most one node; none takes a document. They all
//! pass through one `edit`, which opens, checks the base, applies one change to the tree and hands
//! it to the [`Writer`].

use std::fs;
use std::path::Path;
use std::time::Duration;

use canvas_document::{
    BYTES, Document, Element, Place as Spot, PlaceError, ROOT, Verdict, examine,
};

use crate::init;
use crate::mint;
use crate::os::{self, Act};
use crate::past::Past;
use crate::reason;
use crate::refs::Head;
use crate::refusal::{CANVAS, Exit, Next, Refusal, Subject, command_word};
use crate::repository::{GitError, Repository, cannot_tell};
use crate::request::{
    Create, Created, Edit, Environment, Figure, Frozen, Payload, Position, Written,
};
use crate::staleness::{self, Declared, cannot_search};
use crate::workspace::{Place, Workspace};
use crate::writer::{Change, Found, NotStored, Writer, not_well_formed, repository_at};

/// The element of a new node when the caller names none.
const DEFAULT_ELEMENT: &str = "text";
/// How often an edit is applied anew because another git process moved the head under it.
const ATTEMPTS: u32 = 50;
/// The reasons of `create`'s three commits (canvas-store §2.7).
const BIRTH: &str = "Canvas created, root only";
const PROBLEM: &str = "the problem this Canvas starts with";
const EXPECTED_VALUE: &str = "the expected value this Canvas starts with";

/// The store that an environment names. Making one touches nothing.
#[derive(Clone, Debug)]
pub struct Store {
    pub(crate) environment: Environment,
}

impl Store {
    /// A store in `environment`; nothing is looked at before a verb is called.
    pub fn new(environment: Environment) -> Store {
        Store { environment }
    }

    /// Adds one childless node with a minted id (canvas-store §3.7).
    ///
    /// # Errors
    /// The refusals of §§3.7, 3.12, 5 and 5.6.
    pub fn insert(
        &self,
        edit: &Edit<'_>,
        position: Position<'_>,
        payload: &Payload,
    ) -> Result<Written, Refusal> {
        self.edit("insert", edit, None, Some(position), |place, document, past| {
            let id = fresh(past)?.ok_or_else(|| no_free_id(place))?;
            let name = payload.element.clone().unwrap_or_else(|| DEFAULT_ELEMENT.to_owned());
            let node = build(&id, 1, &name, payload, Vec::new());
            document
                .insert(&spot(position), node)
                .map_err(|error| misplaced(place, None, position, &error))?;
            Ok(id)
        })
    }

    /// Gives one node new content; its id, place and children stay (canvas-store §3.8).
    ///
    /// # Errors
    /// The refusals of §§3.8, 3.12, 5 and 5.6.
    pub fn replace(
        &self,
        edit: &Edit<'_>,
        node: &str,
        payload: &Payload,
    ) -> Result<Written, Refusal> {
        self.edit("replace", edit, Some(node), None, |place, document, past| {
            let found = find(place, document, "replace", node)?;
            let name = payload
                .element
                .clone()
                .filter(|name| !name.is_empty())
                .unwrap_or_else(|| found.name.clone());
            if !found.children.is_empty() && name != found.name {
                return Err(has_children(
                    place,
                    found,
                    &format!("its type cannot become {name}: the new type has nowhere to put them"),
                    "move each child out first, with its own --why; they keep their ids",
                )
                .into());
            }
            if !found.children.is_empty() && payload.text.is_some() {
                return Err(has_children(
                    place,
                    found,
                    "it cannot hold text: a node holds children or text, never both",
                    "move or remove each child first, with its own --why, or leave the text out",
                )
                .into());
            }
            let children = std::mem::take(&mut found.children);
            *found = build(node, past.count(node)? + 1, &name, payload, children);
            Ok(node.to_owned())
        })
    }

    /// Takes one node out (canvas-store §3.9).
    ///
    /// # Errors
    /// The refusals of §§3.9, 3.12, 5 and 5.6.
    pub fn remove(&self, edit: &Edit<'_>, node: &str) -> Result<Written, Refusal> {
        self.edit("remove", edit, Some(node), None, |place, document, _| {
            let found = find(place, document, "remove", node)?;
            if !found.children.is_empty() {
                return Err(has_children(
                    place,
                    found,
                    "it cannot be removed while it holds them: they would vanish in a commit that does \
                     not name them",
                    "remove each child first, with its own --why, or move it out",
                ).into());
            }
            document.take(node);
            Ok(node.to_owned())
        })
    }

    /// Moves one node with its subtree (canvas-store §3.10).
    ///
    /// # Errors
    /// The refusals of §§3.10, 3.12, 5 and 5.6.
    pub fn move_node(
        &self,
        edit: &Edit<'_>,
        node: &str,
        position: Position<'_>,
    ) -> Result<Written, Refusal> {
        self.edit("move", edit, Some(node), Some(position), |place, document, past| {
            find(place, document, "move", node)?
                .set_attribute("v", (past.count(node)? + 1).to_string());
            document
                .move_node(node, &spot(position))
                .map_err(|error| misplaced(place, Some(node), position, &error))?;
            Ok(node.to_owned())
        })
    }

    /// One edit of one node: open, check the base, apply, store. `apply` changes the tree and says
    /// which node it changed; it runs again when another git process moves the head meanwhile.
    fn edit(
        &self,
        verb: &'static str,
        edit: &Edit<'_>,
        node: Option<&str>,
        position: Option<Position<'_>>,
        apply: impl Fn(&Place, &mut Document, &Past<'_>) -> Result<String, NotApplied>,
    ) -> Result<Written, Refusal> {
        let reason =
            reason::accept(edit.why, node, on_the_command_line(edit.canvas, node, position))?;
        check_author(edit.author)?;
        let workspace = Workspace::find(&self.environment)?;
        let place = workspace.place(edit.canvas)?;
        let named = |refusal: Refusal| refusal.and_all(node.map(Subject::node));
        place.require().and_then(|()| place.require_inside()).map_err(named)?;
        let repository = Repository::open(&workspace.canvases).map_err(named)?;
        head_of(&repository).map_err(named)?;
        self.attempt(&repository, &place, node, |writer| {
            let head = head_of(&repository)?;
            let (head_id, found) = (head.1, found_at(&place).map_err(named)?);
            let mut past = Past::of(&repository, Some(head_id))
                .map_err(|error| cannot_search(&repository, &place, &error))?;
            let news = match edit.base {
                Some(given) => {
                    let declared = Declared { option: "--base", given, node };
                    Some(staleness::since(
                        &repository,
                        || past.whole(),
                        head_id,
                        &place,
                        &declared,
                    )?)
                }
                None => None,
            };
            let mut document = found.document.clone();
            let changed = apply(&place, &mut document, &past).map_err(|why| match why {
                NotApplied::Refused(refusal) => *refusal,
                NotApplied::Unread(error) => cannot_search(&repository, &place, &error),
            })?;
            let author = self.author(edit.author, writer);
            let change = Change {
                verb,
                name: &changed,
                reason: &reason,
                node: Some(&changed),
                author: &author,
            };
            let commit = writer.store(&change, Some(&found), &document, &head.0, &mut past)?;
            Ok(Written {
                node: changed.clone(),
                base: commit.to_string(),
                news: news.filter(|news| !news.subjects.is_empty()),
            })
        })
    }

    /// Runs `write` under the store's lock, again as long as another git process gets in between. `node`
    /// is the one that the caller named.
    fn attempt<'r, T>(
        &self,
        repository: &'r Repository,
        place: &Place,
        node: Option<&str>,
        mut write: impl FnMut(&Writer<'r>) -> Result<T, NotStored>,
    ) -> Result<T, Refusal> {
        let named = |refusal: Refusal| refusal.and_all(node.map(Subject::node));
        for attempt in 0..ATTEMPTS {
            let writer = Writer::begin(repository, place, &self.environment).map_err(named)?;
            match write(&writer) {
                Ok(answer) => return Ok(answer),
                Err(NotStored::Refused(refusal)) => return Err(*refusal),
                Err(NotStored::HeadMoved) => {
                    drop(writer);
                    std::thread::sleep(Duration::from_millis(u64::from(attempt.min(20))));
                }
            }
        }
        Err(named(Refusal::new(
            Exit::Tool,
            format!(
                "another git process moved the head {ATTEMPTS} times while this edit was stored"
            ),
            repository_at(repository),
            Next::new("re-run the same command when that process has ended; nothing was written"),
        ))
        .and(place.identifier())
        .and(place.canvas()))
    }

    fn author(&self, given: Option<&str>, writer: &Writer<'_>) -> String {
        given.map_or_else(|| writer.identity().default_author(&self.environment), str::to_owned)
    }

    /// Records that the work on a canvas ended; changes no byte of it (canvas-store §3.11).
    ///
    /// # Errors
    /// The refusals of §§3.11, 3.12 and 5.6.
    pub fn freeze(&self, canvas: &str, why: &str, author: Option<&str>) -> Result<Frozen, Refusal> {
        let reason = reason::accept(why, None, on_the_command_line(canvas, None, None))?;
        check_author(author)?;
        let workspace = Workspace::find(&self.environment)?;
        let place = workspace.place(canvas)?;
        place.require()?;
        place.require_inside()?;
        let repository = Repository::open(&workspace.canvases)?;
        head_of(&repository)?;
        self.attempt(&repository, &place, None, |writer| {
            let (head, head_id) = head_of(&repository)?;
            found_at(&place)?;
            let mut past = Past::of(&repository, Some(head_id))
                .map_err(|error| cannot_search(&repository, &place, &error))?;
            let author = self.author(author, writer);
            let change = Change {
                verb: "freeze",
                name: &place.id,
                reason: &reason,
                node: None,
                author: &author,
            };
            let commit = writer.freeze(&change, &head, &mut past)?;
            Ok(Frozen { canvas: place.id.clone(), base: commit.to_string() })
        })
    }

    /// Makes a canvas: the root alone, then its first two nodes, in three commits
    /// (canvas-store §3.3).
    ///
    /// # Errors
    /// The refusals of §§3.3 and 3.12. A failure after the first commit leaves the commits made.
    pub fn create(&self, create: &Create<'_>) -> Result<Created, Refusal> {
        require_content(create.canvas, "--problem", create.problem)?;
        require_content(create.canvas, "--expected-value", create.expected_value)?;
        check_author(create.author)?;
        let workspace = Workspace::find(&self.environment)?;
        let place = match create.canvas {
            Some(id) => workspace.place(id)?,
            None => mint_canvas(&workspace)?,
        };
        if place.look()?.is_none() {
            preflight(&place, create)?;
        }
        init::ensure(&workspace.canvases)?;
        let repository = Repository::open(&workspace.canvases)?;
        let (mut born, mut problem) = (false, None);
        // One lock for all three commits, so that no other writer sees a canvas half made.
        self.attempt(&repository, &place, None, |writer| {
            let head = repository.head().map_err(|error| cannot_tell(repository.dir(), &error))?;
            let mut past = Past::of(&repository, head.commit)
                .map_err(|error| cannot_search(&repository, &place, &error))?;
            let author = self.author(create.author, writer);
            if !born {
                if place.look()?.is_some() {
                    return Err(exists(&place, &head).into());
                }
                let change = Change {
                    verb: "create",
                    name: &place.id,
                    reason: BIRTH,
                    node: None,
                    author: &author,
                };
                writer.store(&change, None, &root_alone(&place.id), &head, &mut past)?;
                born = true;
            }
            let mut add = |text: &str, reason: &str| -> Result<(String, String), NotStored> {
                let (head, _) = head_of(&repository)?;
                let found = found_at(&place)?;
                let id = fresh(&past)
                    .map_err(|error| cannot_search(&repository, &place, &error))?
                    .ok_or_else(|| no_free_id(&place))?;
                let mut document = found.document.clone();
                document.root.children.push(first_node(&id, text));
                let change =
                    Change { verb: "insert", name: &id, reason, node: Some(&id), author: &author };
                let commit = writer.store(&change, Some(&found), &document, &head, &mut past)?;
                Ok((id, commit.to_string()))
            };
            let problem = match &problem {
                Some(id) => String::clone(id),
                None => problem.insert(add(create.problem, PROBLEM)?.0).clone(),
            };
            let (expected_value, base) = add(create.expected_value, EXPECTED_VALUE)?;
            Ok(Created {
                canvas: place.id.clone(),
                minted: create.canvas.is_none(),
                problem,
                expected_value,
                base,
                file: place.path.display().to_string(),
            })
        })
    }
}

/// Why an edit was not applied to the tree.
enum NotApplied {
    /// It is refused.
    Refused(Box<Refusal>),
    /// The history could not be read.
    Unread(GitError),
}

impl From<Refusal> for NotApplied {
    fn from(refusal: Refusal) -> NotApplied {
        NotApplied::Refused(Box::new(refusal))
    }
}

impl From<GitError> for NotApplied {
    fn from(error: GitError) -> NotApplied {
        NotApplied::Unread(error)
    }
}

/// An id that no commit names.
fn fresh(past: &Past<'_>) -> Result<Option<String>, GitError> {
    mint::node_id(|id| past.count(id).map(|count| count == 0))
}

/// The ids, the canvas and the position that a caller typed, as labels (canvas-store §4.2).
fn on_the_command_line(
    canvas: &str,
    node: Option<&str>,
    position: Option<Position<'_>>,
) -> Vec<Subject> {
    let target = position.map(|(Position::After(target) | Position::Into(target))| target);
    let mut labels: Vec<Subject> = node.into_iter().chain(target).map(Subject::node).collect();
    labels.push(crate::workspace::identifier(canvas));
    labels
}

/// An author must stand in one trailer line (canvas-store D-3).
fn check_author(author: Option<&str>) -> Result<(), Refusal> {
    let Some(author) = author else { return Ok(()) };
    let broken = |c: char| c.is_control() || matches!(c, '\u{2028}' | '\u{2029}');
    let what = if author.trim().is_empty() {
        "is blank"
    } else if author.contains(broken) {
        "holds a line break or another control character, which could forge a trailer"
    } else {
        return Ok(());
    };
    Err(Refusal::new(
        Exit::Tool,
        format!("--author {what}; nothing was written"),
        Subject::about("option", "--author"),
        Next::new(
            "re-run with an author of one plain line, such as `name | step`, or without --author",
        ),
    ))
}

/// The two texts of `create` must have content (canvas-store §3.3).
fn require_content(canvas: Option<&str>, flag: &'static str, text: &str) -> Result<(), Refusal> {
    if !text.trim().is_empty() {
        return Ok(());
    }
    let form = canvas.and_then(command_word).map_or_else(String::new, |id| format!(" {id}"));
    Err(Refusal::new(
        Exit::Tool,
        format!(
            "{flag} is required and must not be empty: nothing was written, committed or minted, and no \
             repository was initialised"
        ),
        Subject::about("option", flag),
        Next::new(format!(
            "re-run `{CANVAS} create{form} --problem TEXT --expected-value TEXT` with both texts"
        )),
    )
    .and_all(canvas.map(crate::workspace::identifier)))
}

/// An identifier that nothing on the disk has (canvas-store §2.2).
fn mint_canvas(workspace: &Workspace) -> Result<Place, Refusal> {
    for _ in 0..mint::ATTEMPTS {
        let place = workspace.place(&mint::canvas_id()?)?;
        match fs::symlink_metadata(&place.path) {
            Ok(_) => {}
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(place),
            Err(error) => {
                let about = Subject::about("directory", workspace.canvases.display().to_string());
                let lead = "cannot tell which Canvas identifiers are taken";
                return Err(os::refusal(lead, &error, Act::Look, &place.path, about));
            }
        }
    }
    Err(Refusal::new(
        Exit::Tool,
        format!("no free Canvas identifier was found in {} draws", mint::ATTEMPTS),
        Subject::about("directory", workspace.canvases.display().to_string()),
        Next::new(format!(
            "name one: `{CANVAS} create <canvas-id> --problem TEXT --expected-value TEXT`"
        )),
    ))
}

/// A canvas with nothing in it.
fn root_alone(canvas: &str) -> Document {
    let mut root = Element::new("canvas");
    root.set_attribute("ledger", canvas);
    root.set_attribute("schema", "2");
    Document { root }
}

/// One of the two nodes that `create` makes.
fn first_node(id: &str, text: &str) -> Element {
    let payload = Payload { text: Some(text.to_owned()), ..Payload::default() };
    build(id, 1, DEFAULT_ELEMENT, &payload, Vec::new())
}

/// Judges the document that `create` would end with, before anything is made.
fn preflight(place: &Place, create: &Create<'_>) -> Result<(), Refusal> {
    let mut document = root_alone(&place.id);
    for (id, text) in [("aaaa", create.problem), ("aaab", create.expected_value)] {
        document.root.children.push(first_node(id, text));
    }
    let label = place.path.display().to_string();
    let diagnostics = match document.to_bytes() {
        Ok(bytes) => examine(&label, &bytes).0,
        Err(fault) => {
            Verdict::NotWellFormed(canvas_document::Diagnostic::not_well_formed(&label, &fault))
        }
    };
    if diagnostics == Verdict::Valid {
        return Ok(());
    }
    let mut refusal = Refusal::new(
        Exit::Conflict,
        format!("create: the texts would make canvas {} invalid; nothing was written", place.id),
        place.identifier(),
        Next::new(
            "re-run with texts that XML can hold: no control characters but tab and line break; there is \
             no canvas yet",
        ),
    )
    .and(place.canvas());
    for diagnostic in diagnostics.diagnostics() {
        refusal = refusal.detail(diagnostic.to_string());
    }
    Err(refusal)
}

/// The refusal of a second birth.
fn exists(place: &Place, head: &Head) -> Refusal {
    let at = head.commit.map_or_else(|| String::from("no commit"), |id| id.to_string());
    Refusal::new(
        Exit::Conflict,
        format!(
            "the canvas {} already exists at {}; the head is {at}; nothing was written",
            place.id,
            place.path.display()
        ),
        place.identifier(),
        Next::new(format!(
            "`{CANVAS} read {}` shows it: edit it node by node, or create another identifier",
            place.id
        )),
    )
    .and(place.canvas())
    .and_all(head.commit.map(|id| Subject::about("sha", id.to_string())))
}

/// The head, which must have a commit.
pub(crate) fn head_of(repository: &Repository) -> Result<(Head, gix::ObjectId), Refusal> {
    let head = repository.head().map_err(|error| cannot_tell(repository.dir(), &error))?;
    match head.commit {
        Some(commit) => Ok((head, commit)),
        None => Err(Refusal::new(
            Exit::Tool,
            format!("the canvas repository {} has no commits", repository.dir().display()),
            repository_at(repository),
            Next::new(format!(
                "`{CANVAS} create <canvas-id> --problem TEXT --expected-value TEXT` makes the first canvas"
            )),
        )),
    }
}

/// The canvas as it is on the disk now.
fn found_at(place: &Place) -> Result<Found, Refusal> {
    let bytes = place.bytes(BYTES)?;
    match Document::parse(&bytes) {
        Ok(document) => Ok(Found { bytes, document }),
        Err(fault) => Err(not_well_formed(place, &fault)),
    }
}

fn spot(position: Position<'_>) -> Spot {
    match position {
        Position::After(id) => Spot::After(id.to_owned()),
        Position::Into(id) => Spot::Into(id.to_owned()),
    }
}

/// A node made from what the caller gave; attributes in the order of canvas-store §1.4.
fn build(id: &str, v: usize, name: &str, payload: &Payload, children: Vec<Element>) -> Element {
    let mut node = Element::new(name);
    node.set_attribute("id", id);
    node.set_attribute("v", v.to_string());
    let figure = payload.figure.map(|figure| match figure {
        Figure::Mermaid => "mermaid",
        Figure::Svg => "svg",
    });
    let optional = [
        ("title", payload.title.as_deref()),
        ("href", payload.href.as_deref()),
        ("answered", payload.answered.then_some("true")),
        ("payload", figure),
    ];
    for (attribute, value) in optional {
        if let Some(value) = value {
            node.set_attribute(attribute, value);
        }
    }
    node.text = payload.text.clone().unwrap_or_default();
    node.children = children;
    node
}

/// The node an edit is about.
fn find<'d>(
    place: &Place,
    document: &'d mut Document,
    verb: &str,
    node: &str,
) -> Result<&'d mut Element, Refusal> {
    if node == ROOT {
        return Err(Refusal::new(
            Exit::Conflict,
            format!("{verb}: the root is the canvas itself and no node of it; nothing was written"),
            place.identifier(),
            Next::new(format!("`{CANVAS} read {}` prints the nodes an edit can name", place.id)),
        )
        .and(Subject::node(ROOT)));
    }
    document.find_mut(node).ok_or_else(|| no_such_node(place, verb, node))
}

/// The refusal for an id that this canvas does not hold.
fn no_such_node(place: &Place, verb: &str, node: &str) -> Refusal {
    Refusal::new(
        Exit::Conflict,
        format!("{verb}: no node with id {node} in canvas {}; nothing was written", place.id),
        Subject::node(node),
        Next::new(format!("`{CANVAS} read {}` prints the canvas with every id in it", place.id)),
    )
    .and(place.identifier())
}

/// The refusal for an edit that would reach a container's children.
fn has_children(place: &Place, node: &Element, why: &str, next: &str) -> Refusal {
    let id = node.id().unwrap_or_default();
    let children: Vec<&str> = node.children.iter().filter_map(Element::id).collect();
    Refusal::new(
        Exit::Conflict,
        format!("{id} holds {}, and {why}; nothing was written", children.join(", ")),
        Subject::node(id),
        Next::new(next),
    )
    .and_all(children.iter().map(|id| Subject::node(*id)))
    .and(place.identifier())
}

/// The refusal for a position that cannot be used. `moved` is the node that was to move.
fn misplaced(
    place: &Place,
    moved: Option<&str>,
    position: Position<'_>,
    error: &PlaceError,
) -> Refusal {
    let (Position::After(target) | Position::Into(target)) = position;
    let verb = if moved.is_some() { "move" } else { "insert" };
    let next = match error {
        PlaceError::RootHasNoSiblings => format!(
            "use --into root to add at the end of the canvas, or --after with a node's id; \
             `{CANVAS} read {}` prints them",
            place.id
        ),
        PlaceError::InsideItself { .. } => format!(
            "name a place outside the subtree of {}; `{CANVAS} read {}` prints the canvas",
            moved.unwrap_or(target),
            place.id
        ),
        _ => format!("`{CANVAS} read {}` prints the canvas with every id in it", place.id),
    };
    let shown = if target == ROOT { "root, the <canvas> element" } else { target };
    Refusal::new(
        Exit::Conflict,
        format!("{verb}: {error}; nothing was written"),
        place.identifier(),
        Next::new(next),
    )
    .and_all(moved.into_iter().chain((target != ROOT).then_some(target)).map(Subject::node))
    .and(Subject::about("position", shown))
}

/// The refusal for an id space that seems full.
fn no_free_id(place: &Place) -> Refusal {
    Refusal::new(
        Exit::Tool,
        format!("no free node id was found in {} draws; nothing was written", mint::ATTEMPTS),
        Subject::about(
            "canvas repository",
            place.path.parent().unwrap_or(Path::new(".")).display().to_string(),
        ),
        Next::new("re-run the same command; if it happens again, start a new workspace: ids are never reused"),
    )
    .and(place.identifier())
}
