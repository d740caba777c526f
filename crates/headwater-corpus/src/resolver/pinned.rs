//! What a repository pins from outside: snapshots that imports brought in, and exports of other
//! corpora (model §6.4). Each is read once, only when its bytes are the pinned ones, and answers for
//! one resolver.

use std::collections::{HashMap, HashSet};
use std::fs;
use std::path::Path;

use headwater_taxonomy::declaration::{DECLARATION_PATH, Declaration, Pinned};
use headwater_taxonomy::files::{Links, SOURCE_LIMIT, read_regular};
use headwater_taxonomy::path::normalize;
use headwater_taxonomy::refusal::{Class, Next, Refusal};
use headwater_taxonomy::release;
use headwater_taxonomy::yaml::{Node, load_bytes, shown};
use serde_json::Value;

use super::{Resolution, Resolved, Resolver, Revision};
use crate::digest::Digest;
use crate::read::{DOCUMENT_LIMIT, read_file};

/// Which block of the declaration pins it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum PinKind {
    /// `imports`.
    Import,
    /// `harvests`.
    Harvest,
}

/// Something that the declaration pins.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pin {
    /// Which block declares it.
    pub kind: PinKind,
    /// Its name there.
    pub name: String,
    /// Where it is, as written.
    pub at: String,
    /// The resolver that it answers for.
    pub resolver: Option<String>,
    /// Why it binds nothing, when it does.
    pub unread: Option<String>,
    /// The files that were read for it, with their digests, by path.
    pub inputs: Vec<(String, Digest)>,
}

/// Reads everything that is pinned, and adds a resolver for each that names one.
///
/// # Errors
/// An `at` that leaves the repository.
pub(crate) fn read(
    root: &Path,
    declaration: &Declaration,
    resolvers: &mut Vec<Box<dyn Resolver>>,
) -> Result<Vec<Pin>, Vec<Refusal>> {
    let (mut pins, mut refusals) = (Vec::new(), Vec::new());
    for (kind, block, declared) in [
        (PinKind::Import, "imports", &declaration.imports),
        (PinKind::Harvest, "harvests", &declaration.harvests),
    ] {
        for (name, pinned) in declared.iter() {
            let at = match inside(root, &pinned.at) {
                Ok(at) => at,
                Err(why) => {
                    let what = format!("{block}.{name}.at: `{}` {why}", shown(&pinned.at));
                    let next = Next::Do("name a place inside the repository".to_owned());
                    refusals.push(Refusal::of_file(Class::Input, DECLARATION_PATH, what, next));
                    continue;
                }
            };
            let mut inputs = Vec::new();
            let content = match kind {
                PinKind::Import => import(root, &at, pinned, &mut inputs),
                PinKind::Harvest => harvest(root, &at, pinned, &mut inputs),
            };
            inputs.sort_unstable();
            pins.push(Pin {
                kind,
                name: name.to_owned(),
                at: pinned.at.clone(),
                resolver: pinned.resolver.clone(),
                unread: content.as_ref().err().cloned(),
                inputs,
            });
            if let Some(name) = pinned.resolver.clone() {
                resolvers.push(Box::new(Items { name, content }));
            }
        }
    }
    if refusals.is_empty() { Ok(pins) } else { Err(refusals) }
}

/// A place inside the repository, written without `..` and reached through no link that leads out.
fn inside(root: &Path, written: &str) -> Result<String, String> {
    if written.split(['/', '\\']).any(|segment| segment == "..") {
        return Err("holds `..`".to_owned());
    }
    let at = normalize(written).map_err(|why| format!("cannot be used: {why}"))?;
    let real = (fs::canonicalize(root), fs::canonicalize(root.join(&at)));
    match real {
        (Ok(root), Ok(place)) if !place.starts_with(&root) => {
            Err("leads out of the repository".to_owned())
        }
        _ => Ok(at),
    }
}

/// What a pinned artifact holds.
enum Content {
    /// Items of a snapshot with their revisions.
    Items(HashMap<String, String>),
    /// Documents of an export.
    Export(Export),
}

struct Export {
    documents: HashSet<String>,
    revision: Digest,
    /// Whether the export leaves documents out.
    filtered: bool,
    profile: String,
    /// The digests of the identifiers that were left out; none where the export does not say.
    withheld: Option<HashSet<String>>,
}

fn pinned_digest(pinned: &Pinned) -> Result<&str, String> {
    pinned.digest.as_deref().ok_or_else(|| "no digest pins it".to_owned())
}

fn import(
    root: &Path,
    at: &str,
    pinned: &Pinned,
    inputs: &mut Vec<(String, Digest)>,
) -> Result<Content, String> {
    let directory = root.join(at);
    if let Ok(members) = release::members(&directory) {
        let digests = members
            .into_iter()
            .filter_map(|(path, digest)| Some((format!("{at}/{path}"), Digest::parse(&digest)?)));
        inputs.extend(digests);
    }
    let record = read_regular(&directory.join(release::RECORD), SOURCE_LIMIT, Links::Refuse);
    if let Ok(bytes) = record {
        inputs.push((format!("{at}/{}", release::RECORD), Digest::of(&bytes)));
    }
    let pin = pinned_digest(pinned)?;
    if let Some(divergence) = release::verify(&directory, Some(pin)).first() {
        return Err(format!("it is not the pinned artifact: {divergence}"));
    }
    let bytes = read_regular(&directory.join("snapshot.yml"), SOURCE_LIMIT, Links::Refuse)
        .map_err(|error| format!("snapshot.yml: {error}"))?;
    let tree = load_bytes(&bytes, 0).map_err(|faults| {
        let first = faults.first().map(ToString::to_string).unwrap_or_default();
        format!("snapshot.yml is not YAML, at {first}")
    })?;
    let snapshot = tree.get("snapshot").filter(|node| node.map().is_some());
    let snapshot = snapshot.ok_or("snapshot.yml has no `snapshot` mapping")?;
    if snapshot.get("format").and_then(Node::text) != Some("1") {
        return Err("snapshot.yml has another format than 1".to_owned());
    }
    let mut items = HashMap::new();
    for item in snapshot.get("items").and_then(Node::items).unwrap_or(&[]) {
        let of = |key: &str| {
            let text = item.get(key).filter(|node| !node.is_null()).and_then(Node::text);
            text.map(str::trim).filter(|text| !text.is_empty()).map(str::to_owned)
        };
        match (of("id"), of("revision")) {
            (Some(id), Some(revision)) => items.insert(id, revision),
            _ => return Err("an item of snapshot.yml has no `id` or no `revision`".to_owned()),
        };
    }
    Ok(Content::Items(items))
}

fn harvest(
    root: &Path,
    at: &str,
    pinned: &Pinned,
    inputs: &mut Vec<(String, Digest)>,
) -> Result<Content, String> {
    let bytes = read_file(&root.join(at), DOCUMENT_LIMIT)
        .map_err(|failure| format!("it cannot be read: {}", failure.sentence()))?;
    let revision = Digest::of(&bytes);
    inputs.push((at.to_owned(), revision));
    let pin = pinned_digest(pinned)?;
    if pin != revision.to_string() {
        return Err(format!("{} is pinned and its bytes give {revision}", shown(pin)));
    }
    let export: Value =
        serde_json::from_slice(&bytes).map_err(|error| format!("it is not JSON: {error}"))?;
    let listed = export.pointer("/graph/documents").and_then(Value::as_array);
    let listed = listed.ok_or("it has no `graph.documents`")?;
    let id = |document: &Value| Some(document.get("id")?.as_str()?.trim().to_owned());
    let sealed = export.pointer("/profile/tombstone").and_then(Value::as_str) == Some("sealed");
    let version = export.get("export_version").or_else(|| export.get("version"));
    let tells = version.and_then(Value::as_str).and_then(version_of).is_some_and(|v| v >= (1, 3));
    let withheld = (tells && !sealed).then(|| {
        let groups = export.get("tombstones").and_then(Value::as_array).into_iter().flatten();
        let listed = groups.filter_map(|group| group.get("identifiers")?.as_array()).flatten();
        listed.filter_map(Value::as_str).map(str::to_owned).collect()
    });
    let profile = export.pointer("/profile/name").and_then(Value::as_str).unwrap_or_default();
    Ok(Content::Export(Export {
        documents: listed.iter().filter_map(id).collect(),
        revision,
        filtered: export.pointer("/profile/filtered").and_then(Value::as_bool) == Some(true),
        profile: profile.to_owned(),
        withheld,
    }))
}

fn version_of(text: &str) -> Option<(u32, u32)> {
    let (major, minor) = text.split_once('.')?;
    Some((major.parse().ok()?, minor.parse().ok()?))
}

struct Items {
    name: String,
    content: Result<Content, String>,
}

impl Resolver for Items {
    fn name(&self) -> &str {
        &self.name
    }

    fn resolve(&self, raw: &str, _asserter: &str) -> Resolution {
        let id = raw.trim();
        let found =
            || Resolution::Resolved(Resolved { normalized: id.to_owned(), ..Resolved::default() });
        let not = |why: &str| Resolution::Unresolved(why.to_owned());
        match &self.content {
            Err(why) => not(why),
            Ok(Content::Items(items)) if items.contains_key(id) => found(),
            Ok(Content::Items(_)) => not("the snapshot has no such item"),
            Ok(Content::Export(export)) if export.documents.contains(id) => found(),
            Ok(Content::Export(export)) if !export.filtered => {
                not("the export, which leaves nothing out, has no such document")
            }
            Ok(Content::Export(export)) => match &export.withheld {
                None => not(
                    "the export has no such document, and it does not say what it leaves out, so a \
                     misspelt identifier and a withheld document cannot be told apart",
                ),
                Some(withheld) if withheld.contains(&Digest::of(id.as_bytes()).to_string()) => {
                    Resolution::Withheld(export.profile.clone())
                }
                Some(_) => not("the export has no such document, and it was not left out"),
            },
        }
    }

    /// Of one target its revision; of several, one for each, in target order.
    fn revision(&self, parts: &[Resolved]) -> Revision {
        match &self.content {
            Err(_) => Revision::Never,
            Ok(Content::Export(export)) => Revision::At(export.revision.to_string()),
            Ok(Content::Items(items)) => {
                let mut targets: Vec<&str> =
                    parts.iter().map(|part| part.normalized.as_str()).collect();
                targets.sort_unstable();
                let of = |id: &str| items.get(id).map_or("", String::as_str);
                Revision::At(targets.into_iter().map(of).collect::<Vec<_>>().join(" "))
            }
        }
    }
}
