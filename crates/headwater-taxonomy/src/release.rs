//! Release records: the list of a package's files with their digests, and the one digest over that
//! list which a consumer pins.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use crate::canonical::digest;
use crate::files::{Links, ReadError, read_regular};
use crate::yaml::{Node, load_bytes};

/// The name of the record inside an artifact.
pub const RECORD: &str = "release.yml";
/// The largest member that is read, in bytes.
pub const MEMBER_LIMIT: u64 = 64 * 1024 * 1024;

/// One way in which an artifact is not the one that is pinned.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Divergence {
    /// There is no record, or it cannot be read; why.
    NoRecord(String),
    /// The record has another format.
    Format(String),
    /// The record's own digest is not the one over its members.
    RecordDigest {
        /// What it states.
        stated: String,
        /// What its members give.
        actual: String,
    },
    /// The record is not the pinned one.
    Pin {
        /// What is pinned.
        pinned: String,
        /// What the record states.
        stated: String,
    },
    /// A member is not there.
    Missing(String),
    /// A file is there that the record does not name.
    Added(String),
    /// A member has other bytes.
    Changed(String),
    /// A file cannot be read; why.
    Unreadable(String, String),
}

impl std::fmt::Display for Divergence {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::NoRecord(why) => write!(f, "{RECORD} cannot be used: {why}"),
            Self::Format(found) => write!(f, "{RECORD} has format `{found}`, and this reads 1"),
            Self::RecordDigest { stated, actual } => {
                write!(f, "{RECORD} states {stated} and its members give {actual}")
            }
            Self::Pin { pinned, stated } => {
                write!(f, "{pinned} is pinned and {RECORD} states {stated}")
            }
            Self::Missing(path) => write!(f, "`{path}` is missing"),
            Self::Added(path) => write!(f, "`{path}` is not in {RECORD}"),
            Self::Changed(path) => write!(f, "`{path}` has other bytes than {RECORD} states"),
            Self::Unreadable(path, why) => write!(f, "`{path}`: {why}"),
        }
    }
}

/// The digest of every file below a directory, `release.yml` itself excepted, by path.
///
/// # Errors
/// The first path that cannot be read, and why. A link or a special file cannot.
pub fn members(directory: &Path) -> Result<BTreeMap<String, String>, (String, String)> {
    let mut found = BTreeMap::new();
    // An explicit stack: the depth of a directory tree is not ours to bound.
    let mut stack = vec![String::new()];
    while let Some(prefix) = stack.pop() {
        let fail = |error: std::io::Error| (prefix.clone(), error.to_string());
        for entry in fs::read_dir(directory.join(&prefix)).map_err(fail)? {
            let entry = entry.map_err(fail)?;
            let name = entry.file_name().into_string().map_err(|name| {
                (name.to_string_lossy().into_owned(), "the name is not UTF-8".to_owned())
            })?;
            let path = if prefix.is_empty() { name } else { format!("{prefix}/{name}") };
            if path == RECORD {
                continue;
            }
            let kind = entry.file_type().map_err(|error| (path.clone(), error.to_string()))?;
            if kind.is_dir() {
                stack.push(path);
                continue;
            }
            let bytes = read_regular(&entry.path(), MEMBER_LIMIT, Links::Refuse)
                .map_err(|error| (path.clone(), error.to_string()))?;
            found.insert(path, digest(&bytes));
        }
    }
    Ok(found)
}

/// The release digest over a list of members.
pub fn digest_of(members: &BTreeMap<String, String>) -> String {
    let mut text = String::new();
    for (path, digest) in members {
        text.push_str(path);
        text.push('\t');
        text.push_str(digest);
        text.push('\n');
    }
    digest(text.as_bytes())
}

/// Every divergence between an artifact, its record and a pin.
pub fn verify(directory: &Path, pinned: Option<&str>) -> Vec<Divergence> {
    let record = match record(directory) {
        Ok(record) => record,
        Err(divergence) => return vec![divergence],
    };
    let mut found = Vec::new();
    let text = |key: &str| record.get(key).and_then(Node::text).unwrap_or("").to_owned();
    if text("format") != "1" {
        return vec![Divergence::Format(text("format"))];
    }
    let mut listed = BTreeMap::new();
    for member in record.get("members").and_then(Node::items).unwrap_or(&[]) {
        let of = |key: &str| member.get(key).and_then(Node::text).unwrap_or("").to_owned();
        listed.insert(of("path"), of("digest"));
    }
    let stated = text("digest");
    let actual = digest_of(&listed);
    if stated != actual {
        found.push(Divergence::RecordDigest { stated: stated.clone(), actual });
    }
    if let Some(pinned) = pinned.filter(|pinned| *pinned != stated) {
        found.push(Divergence::Pin { pinned: pinned.to_owned(), stated });
    }
    match members(directory) {
        Err((path, why)) => found.push(Divergence::Unreadable(path, why)),
        Ok(present) => {
            for (path, digest) in &listed {
                match present.get(path) {
                    None => found.push(Divergence::Missing(path.clone())),
                    Some(held) if held != digest => found.push(Divergence::Changed(path.clone())),
                    Some(_) => {}
                }
            }
            let added = present.keys().filter(|path| !listed.contains_key(*path));
            found.extend(added.map(|path| Divergence::Added(path.clone())));
        }
    }
    found
}

fn record(directory: &Path) -> Result<Node, Divergence> {
    let bytes = read_regular(&directory.join(RECORD), MEMBER_LIMIT, Links::Refuse)
        .map_err(|error: ReadError| Divergence::NoRecord(error.to_string()))?;
    let node = load_bytes(&bytes, 0).map_err(|faults| {
        Divergence::NoRecord(faults.first().map(ToString::to_string).unwrap_or_default())
    })?;
    match node.get("release") {
        Some(release) if release.map().is_some() => Ok(release.clone()),
        _ => Err(Divergence::NoRecord("it holds no `release` mapping".to_owned())),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn artifact() -> tempfile::TempDir {
        let dir = tempfile::tempdir().unwrap();
        fs::create_dir(dir.path().join("b")).unwrap();
        fs::write(dir.path().join("package.yml"), "package: p\n").unwrap();
        fs::write(dir.path().join("b/x.yml"), "x: 1\n").unwrap();
        let members = members(dir.path()).unwrap();
        let mut text =
            format!("release:\n  format: 1\n  digest: {}\n  members:\n", digest_of(&members));
        for (path, digest) in &members {
            text.push_str(&format!("    - {{path: {path}, digest: \"{digest}\"}}\n"));
        }
        fs::write(dir.path().join(RECORD), text).unwrap();
        dir
    }

    #[test]
    fn an_artifact_is_the_pinned_one_or_each_divergence_is_named() {
        let dir = artifact();
        let pin = digest_of(&members(dir.path()).unwrap());
        assert_eq!(verify(dir.path(), Some(&pin)), []);
        let other = digest(b"");
        assert!(matches!(verify(dir.path(), Some(&other)).as_slice(), [Divergence::Pin { .. }]));
        fs::write(dir.path().join("b/x.yml"), "x: 2\n").unwrap();
        fs::write(dir.path().join("extra"), "").unwrap();
        fs::remove_file(dir.path().join("package.yml")).unwrap();
        assert_eq!(
            verify(dir.path(), Some(&pin)),
            [
                Divergence::Changed("b/x.yml".into()),
                Divergence::Missing("package.yml".into()),
                Divergence::Added("extra".into()),
            ]
        );
        fs::remove_file(dir.path().join(RECORD)).unwrap();
        assert!(matches!(verify(dir.path(), None).as_slice(), [Divergence::NoRecord(_)]));
    }
}
