//! The lock: the committed resolved taxonomy that everything downstream reads, with the digest that
//! says it is whole, and the one authored block it carries through.

use std::fmt::Write as _;
use std::path::Path;

use crate::canonical::{digest, render, render_indented};
use crate::files::{LOCK_LIMIT, Links, ReadError, SOURCE_LIMIT, read_regular};
use crate::merge::Founding;
use crate::model::Taxonomy;
use crate::refusal::{Class, Next, Refusal};
use crate::resolve::{Resolution, SourceRecord};
use crate::validate::RULE_SET;
use crate::yaml::{Fault, Node, Span, load_bytes, shown};

/// Where the lock is, relative to the repository root.
pub const LOCK_PATH: &str = ".headwater/taxonomy.lock";
/// The format that is written and read.
pub const FORMAT: &str = "3";

const HEADER: &str = "\
# The resolved taxonomy, written by `headwater taxonomy resolve` from the sources below.
# Do not edit it, except the `adoption` block, which is authored here and carried through.
";

const ROOT_KEYS: &[&str] = &["lock", "founded", "adoption", "resolved"];

/// The generated header of a lock.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Header {
    /// The digest over the canonical text of the resolved tree.
    pub digest: String,
    /// The rule set that validated it.
    pub rules: u32,
    /// The package.
    pub package: String,
    /// Its version.
    pub version: String,
    /// The sources in application order.
    pub sources: Vec<SourceRecord>,
}

/// A lock that was read.
#[derive(Clone, Debug)]
pub struct Lock {
    /// The header.
    pub header: Header,
    /// What overlays founded.
    pub foundings: Vec<Founding>,
    /// The authored adoption block, a mapping, with its places in the lock file.
    pub adoption: Option<Node>,
    /// The resolved tree.
    pub resolved: Node,
    /// The same, typed.
    pub taxonomy: Taxonomy,
}

/// Why a lock is not read, in the order in which it is decided.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LockFault {
    /// There is none.
    Absent,
    /// It is not a regular file.
    NotRegular,
    /// It cannot be read; why.
    Unreadable(String),
    /// It is not YAML.
    NotYaml(Vec<Fault>),
    /// It is not a mapping.
    NotMapping,
    /// It has no `lock` mapping.
    NoHeader,
    /// It has another format, or none.
    Format(Option<String>),
    /// Another rule set validated it, or it does not say which.
    Rules(Option<String>),
    /// It has no `resolved` mapping.
    NoResolved,
    /// It declares no digest.
    NoDigest,
    /// Its content is not what its digest says.
    Digest {
        /// What it declares.
        declared: String,
        /// What its content gives.
        actual: String,
    },
    /// Its adoption block is not a mapping.
    Adoption,
    /// It holds a key that no lock has.
    UnknownKey(String),
}

impl LockFault {
    /// The refusal that a verb prints.
    pub fn refusal(&self) -> Refusal {
        let resolve = |why| Next::Run("taxonomy resolve", why);
        let (what, next) = match self {
            Self::Absent => ("there is no lock".to_owned(), resolve("writes it")),
            Self::NotRegular => (
                "the lock is not a regular file".to_owned(),
                Next::Do("remove what stands at its path".to_owned()),
            ),
            Self::Unreadable(why) => (why.clone(), Next::Do("make the file readable".to_owned())),
            Self::NotYaml(faults) => {
                let first = faults.first().map(ToString::to_string).unwrap_or_default();
                (
                    format!("the lock is not YAML, at {first}"),
                    Next::Do("restore it from version control".to_owned()),
                )
            }
            Self::NotMapping => (
                "the lock is not a mapping".to_owned(),
                Next::Do("restore it from version control".to_owned()),
            ),
            Self::NoHeader => {
                ("the lock has no `lock` mapping".to_owned(), resolve("writes it again"))
            }
            Self::Format(found) => (
                match found {
                    Some(found) => {
                        format!("the lock has format `{}`, this reads {FORMAT}", shown(found))
                    }
                    None => format!("the lock states no format, this reads {FORMAT}"),
                },
                Next::Do(
                    "use the engine that wrote it, or move it away and resolve anew".to_owned(),
                ),
            ),
            Self::Rules(found) => (
                match found {
                    Some(found) => format!(
                        "rule set `{}` validated the lock, and this engine has {RULE_SET}",
                        shown(found)
                    ),
                    None => "the lock does not say which rule set validated it".to_owned(),
                },
                resolve("validates and writes it again"),
            ),
            Self::NoResolved => {
                ("the lock has no `resolved` mapping".to_owned(), resolve("writes it again"))
            }
            Self::NoDigest => {
                ("the lock declares no digest".to_owned(), resolve("writes it again"))
            }
            Self::Digest { declared, actual } => (
                format!(
                    "the lock declares {} and its resolved block gives {actual}, so somebody \
                     changed one of them",
                    shown(declared)
                ),
                resolve("writes it again from the sources"),
            ),
            Self::Adoption => (
                "the adoption block is not a mapping".to_owned(),
                Next::Do("write it as `adoption: {tasks: […]}`".to_owned()),
            ),
            Self::UnknownKey(key) => (
                format!("`{}` is no key of a lock", shown(key)),
                Next::Do("rename it to `adoption`, or remove it".to_owned()),
            ),
        };
        Refusal::of_file(Class::Lock, LOCK_PATH, what, next)
    }
}

/// Reads the bytes of the lock of a repository.
///
/// # Errors
/// The first three faults.
pub fn read_bytes(root: &Path) -> Result<Vec<u8>, LockFault> {
    read_regular(&root.join(LOCK_PATH), LOCK_LIMIT, Links::Refuse).map_err(|error| match error {
        ReadError::Absent => LockFault::Absent,
        ReadError::NotRegular => LockFault::NotRegular,
        other => LockFault::Unreadable(other.to_string()),
    })
}

/// Reads the lock of a repository.
///
/// # Errors
/// The first fault, in the order of [`LockFault`].
pub fn read(root: &Path) -> Result<Lock, LockFault> {
    parse(&read_bytes(root)?)
}

/// Reads the bytes of a lock.
///
/// # Errors
/// As [`read`].
pub fn parse(bytes: &[u8]) -> Result<Lock, LockFault> {
    let node = load_bytes(bytes, 0).map_err(LockFault::NotYaml)?;
    let Some(map) = node.map() else { return Err(LockFault::NotMapping) };
    let header = node.get("lock").filter(|node| node.map().is_some()).ok_or(LockFault::NoHeader)?;
    let text = |node: &Node, key: &str| {
        node.get(key).filter(|node| !node.is_null()).and_then(Node::text).map(str::to_owned)
    };
    match text(header, "format") {
        Some(format) if format == FORMAT => {}
        other => return Err(LockFault::Format(other)),
    }
    match text(header, "rules") {
        Some(rules) if rules.parse() == Ok(RULE_SET) => {}
        other => return Err(LockFault::Rules(other)),
    }
    let resolved = node.get("resolved").filter(|node| node.map().is_some());
    let resolved = resolved.ok_or(LockFault::NoResolved)?;
    let declared = text(header, "digest").ok_or(LockFault::NoDigest)?;
    let actual = digest(render(resolved).as_bytes());
    if declared != actual {
        return Err(LockFault::Digest { declared, actual });
    }
    let adoption = node.get("adoption");
    if adoption.is_some_and(|node| node.map().is_none()) {
        return Err(LockFault::Adoption);
    }
    if let Some(key) = map.names().find(|key| !ROOT_KEYS.contains(key)) {
        return Err(LockFault::UnknownKey(key.to_owned()));
    }
    let items = |node: Option<&Node>| node.and_then(Node::items).unwrap_or(&[]).to_vec();
    let of = |node: &Node, key: &str| text(node, key).unwrap_or_default();
    Ok(Lock {
        header: Header {
            digest: declared,
            rules: RULE_SET,
            package: of(header, "package"),
            version: of(header, "version"),
            sources: items(header.get("sources"))
                .iter()
                .map(|node| SourceRecord { path: of(node, "path"), digest: of(node, "digest") })
                .collect(),
        },
        foundings: items(node.get("founded"))
            .iter()
            .map(|node| Founding {
                source: of(node, "source"),
                at: of(node, "at"),
                founds: of(node, "founds"),
            })
            .collect(),
        adoption: adoption.cloned(),
        taxonomy: Taxonomy::from_tree(resolved),
        resolved: resolved.clone(),
    })
}

/// A recorded source whose bytes are not what the lock recorded.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MovedSource {
    /// Its path.
    pub path: String,
    /// Its digest now; none when it cannot be read.
    pub now: Option<String>,
}

impl MovedSource {
    /// What is said of it where the lock is read and the sources are not.
    pub fn note(&self) -> Refusal {
        let what = match self.now {
            Some(_) => "this source moved since the lock was written, and the lock is what is read",
            None => "this source of the lock cannot be read any more, and the lock is what is read",
        };
        let next = Next::Run("taxonomy resolve", "writes the lock anew");
        Refusal::of_file(Class::Lock, &self.path, what, next)
    }
}

impl Lock {
    /// The digest over the canonical text of the adoption block, which the lock digest leaves out.
    pub fn adoption_digest(&self) -> Option<String> {
        self.adoption.as_ref().map(|adoption| digest(render(adoption).as_bytes()))
    }

    /// The recorded sources that moved since the lock was written. A check reads the lock alone, so
    /// an edited source changes nothing until it is resolved, and somebody has to say so.
    pub fn moved_sources(&self, root: &Path) -> Vec<MovedSource> {
        let now = |path: &str| {
            let bytes = read_regular(&root.join(path), SOURCE_LIMIT, Links::Follow).ok()?;
            Some(digest(&bytes))
        };
        self.header
            .sources
            .iter()
            .map(|source| (source, now(&source.path)))
            .filter(|(source, now)| now.as_ref() != Some(&source.digest))
            .map(|(source, now)| MovedSource { path: source.path.clone(), now })
            .collect()
    }
}

/// What becomes of the adoption block of a committed lock when a new one is written.
#[derive(Clone, Debug)]
pub enum Carried {
    /// There is no lock, or no adoption block in it.
    Nothing,
    /// The lock reads and holds one.
    Through(Node),
    /// The lock does not read, and its block was still there to take.
    Salvaged(Node, LockFault),
    /// The block cannot be seen, so the file must not be replaced.
    Opaque(LockFault),
}

/// Looks for the adoption block of the committed lock.
pub fn carried(bytes: Result<&[u8], LockFault>) -> Carried {
    let bytes = match bytes {
        Ok(bytes) => bytes,
        Err(LockFault::Absent) => return Carried::Nothing,
        Err(fault) => return Carried::Opaque(fault),
    };
    let fault = match parse(bytes) {
        Ok(Lock { adoption: Some(adoption), .. }) => return Carried::Through(adoption),
        Ok(_) => return Carried::Nothing,
        Err(fault) => fault,
    };
    let other_format = matches!(fault, LockFault::Format(Some(_)));
    let unseen =
        matches!(fault, LockFault::NotYaml(_) | LockFault::NotMapping | LockFault::UnknownKey(_));
    let Some(node) = load_bytes(bytes, 0).ok().filter(|_| !other_format && !unseen) else {
        return Carried::Opaque(fault);
    };
    let unknown = node.map().and_then(|map| map.names().find(|key| !ROOT_KEYS.contains(key)));
    if let Some(key) = unknown {
        return Carried::Opaque(LockFault::UnknownKey(key.to_owned()));
    }
    match node.get("adoption") {
        None => Carried::Nothing,
        Some(adoption) if adoption.map().is_some() => Carried::Salvaged(adoption.clone(), fault),
        Some(_) => Carried::Opaque(LockFault::Adoption),
    }
}

/// The bytes of a lock.
pub fn write(resolution: &Resolution, adoption: Option<&Node>) -> String {
    let mut out = HEADER.to_owned();
    let taxonomy = &resolution.taxonomy;
    let _ = write!(
        out,
        "\nlock:\n  format: {FORMAT}\n  digest: {}\n  rules: {RULE_SET}\n  package: {}\n  version: \
         {}\n  sources:\n",
        digest(resolution.text().as_bytes()),
        header_scalar(&taxonomy.name),
        header_scalar(&taxonomy.version),
    );
    for source in &resolution.sources {
        let path = header_scalar(&source.path);
        let _ = write!(out, "    - path: {path}\n      digest: {}\n", source.digest);
    }
    if !resolution.foundings.is_empty() {
        out.push_str("\nfounded:\n");
        for founding in &resolution.foundings {
            let _ = write!(
                out,
                "  - source: {}\n    at: {}\n    founds: {}\n",
                header_scalar(&founding.source),
                header_scalar(&founding.at),
                header_scalar(&founding.founds)
            );
        }
    }
    if let Some(adoption) = adoption {
        if adoption.map().is_some_and(|map| map.is_empty()) {
            out.push_str("\nadoption: {}\n");
        } else {
            let _ = write!(out, "\nadoption:\n{}", render_indented(adoption));
        }
    }
    let _ = write!(out, "\nresolved:\n{}", render_indented(&resolution.tree));
    out
}

/// A scalar of the header: paths stand without quotes where YAML allows it, for readers.
fn header_scalar(text: &str) -> String {
    let opens = text.starts_with(|c: char| c.is_ascii_alphanumeric() || c == '.' || c == '_');
    let plain = |b: u8| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'.' | b'/' | b'+' | b'-');
    let null = matches!(text, "null" | "Null" | "NULL");
    if opens && !null && text.bytes().all(plain) {
        return text.to_owned();
    }
    if null {
        return format!("\"{text}\"");
    }
    render(&Node::scalar(text, Span::default())).trim_end_matches('\n').to_owned()
}

/// The text of a lock with another adoption block; everything else stays as it stands.
pub fn with_adoption(text: &str, adoption: &Node) -> String {
    let (before, after) = around_adoption(text);
    format!("{before}\n\nadoption:\n{}\n{after}\n", render_indented(adoption))
}

/// Splits the text of a lock at its adoption block: what stands before it, and what after. Without
/// a block, the split is before `resolved:`.
pub fn around_adoption(text: &str) -> (String, String) {
    let (mut before, mut after) = (String::new(), String::new());
    let mut inside = false;
    let mut passed = false;
    for line in text.split_inclusive('\n') {
        let opens_key = line.starts_with(|c: char| !c.is_whitespace() && c != '#');
        if opens_key {
            inside = line.starts_with("adoption:") || line.starts_with("\"adoption\":");
            passed |= inside || line.starts_with("resolved:");
        }
        if inside {
            continue;
        }
        if passed { after.push_str(line) } else { before.push_str(line) }
    }
    (before.trim_end().to_owned(), after.trim_end().to_owned())
}
