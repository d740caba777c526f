//! The observation snapshot, `.headwater/observations.yml`: what mechanisms outside the engine were
//! seen to do, committed so that it is an input like any other (checks §2.6).

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use headwater_corpus::Digest;
use markdown::LineIndex;
use markdown::yaml::{self, Mapping};

/// Where it is, below the repository root.
pub const OBSERVATIONS_PATH: &str = ".headwater/observations.yml";

/// The largest snapshot that is read, in bytes.
const LIMIT: u64 = 16 * 1024 * 1024;

/// One entry.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Observation {
    /// A control was seen to run.
    Control {
        /// Whether the entry says that it is one; without a `kind` it is read as one.
        stated: bool,
    },
    /// A verification was seen against a criterion of this digest.
    Verification(String),
    /// The entry cannot be used; why.
    Bad(String),
}

/// The snapshot. An absent file observed nothing and is no input.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Observations {
    entries: BTreeMap<String, Observation>,
    input: Option<Option<Digest>>,
    problems: Vec<String>,
}

impl Observations {
    /// Reads the snapshot of a repository.
    #[must_use]
    pub fn read(root: &Path) -> Self {
        let path = root.join(OBSERVATIONS_PATH);
        let Ok(about) = fs::symlink_metadata(&path) else { return Self::default() };
        let unusable = |digest, why: String| Self {
            entries: BTreeMap::new(),
            input: Some(digest),
            problems: vec![why],
        };
        if !about.is_file() {
            return unusable(None, "it is not a regular file".to_owned());
        }
        if about.len() > LIMIT {
            return unusable(None, format!("it is larger than the limit of {LIMIT} bytes"));
        }
        let bytes = match fs::read(&path) {
            Ok(bytes) => bytes,
            Err(error) => return unusable(None, format!("it cannot be read: {error}")),
        };
        let digest = Digest::of(&bytes);
        let Ok(text) = String::from_utf8(bytes) else {
            return unusable(Some(digest), "it is not UTF-8 text".to_owned());
        };
        match yaml::load(&text, 0) {
            Err(faults) => {
                let lines = LineIndex::new(&text);
                let fault = |fault: &yaml::Fault| {
                    let at = lines.position(&text, fault.span.start);
                    format!("it is not YAML of one meaning, at {at}: {}", fault.kind)
                };
                let problems = faults.iter().map(fault).collect();
                Self { problems, ..unusable(Some(digest), String::new()) }
            }
            // A snapshot that was cut off would otherwise be one that observed nothing.
            Ok(None) => unusable(Some(digest), "it is empty".to_owned()),
            Ok(Some(node)) => match node.as_mapping() {
                None => unusable(Some(digest), "it is not a mapping".to_owned()),
                Some(mapping) => {
                    let entry = |entry: &yaml::Entry| {
                        let read = entry.value.as_mapping().map_or_else(
                            || Observation::Bad("the entry is not a mapping".to_owned()),
                            observation,
                        );
                        (entry.key.trim().to_owned(), read)
                    };
                    let entries = mapping.entries().iter().map(entry).collect();
                    Self { entries, input: Some(Some(digest)), problems: Vec::new() }
                }
            },
        }
    }

    /// What was observed of an identifier.
    #[must_use]
    pub fn get(&self, identifier: &str) -> Option<&Observation> {
        self.entries.get(identifier.trim())
    }

    /// Every entry, by identifier.
    pub fn entries(&self) -> impl Iterator<Item = (&str, &Observation)> {
        self.entries.iter().map(|(id, entry)| (id.as_str(), entry))
    }

    /// Why the whole file is read as empty; nothing where it is not.
    #[must_use]
    pub fn problems(&self) -> &[String] {
        &self.problems
    }

    /// The input that it is: none where there is no file, and no digest where its bytes were not read.
    #[must_use]
    pub const fn input(&self) -> Option<Option<Digest>> {
        self.input
    }
}

fn observation(entry: &Mapping) -> Observation {
    let text = |key: &str| entry.get(key).and_then(|node| node.text()).unwrap_or_default().trim();
    let stated = entry.get("kind").is_some();
    let kind = if stated { text("kind") } else { "control" };
    let commit = text("commit");
    match kind {
        "control" if commit.is_empty() => Observation::Bad("it states no `commit`".to_owned()),
        "control" => Observation::Control { stated },
        "verification" => {
            let hexadecimal = commit.bytes().all(|byte| byte.is_ascii_hexdigit());
            if !(4..=40).contains(&commit.len()) || !hexadecimal {
                let what = "`commit` is not 4 to 40 hexadecimal digits";
                return Observation::Bad(what.to_owned());
            }
            match text("criterion_digest") {
                "" => Observation::Bad("it states no `criterion_digest`".to_owned()),
                digest => Observation::Verification(digest.to_owned()),
            }
        }
        _ => Observation::Bad("its `kind` is neither `control` nor `verification`".to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entries_are_read_one_by_one_and_a_bad_file_is_an_input() {
        let root = tempfile::tempdir().unwrap();
        assert_eq!(Observations::read(root.path()).input(), None);
        fs::create_dir(root.path().join(".headwater")).unwrap();
        let write = |text: &str| fs::write(root.path().join(OBSERVATIONS_PATH), text).unwrap();
        write(
            "A: {commit: x}\nB: {kind: verification, commit: abc1234, criterion_digest: d}\nC: {kind: verification, commit: xyz, criterion_digest: d}\nD: 1\nE: {kind: other, commit: a}\nF: {kind: verification, commit: abc1234}\n",
        );
        let read = Observations::read(root.path());
        assert_eq!(read.get("A"), Some(&Observation::Control { stated: false }));
        assert_eq!(read.get(" B "), Some(&Observation::Verification("d".to_owned())));
        for bad in ["C", "D", "E", "F"] {
            assert!(matches!(read.get(bad), Some(Observation::Bad(_))), "{bad}");
        }
        write("- a\n");
        let read = Observations::read(root.path());
        assert!(read.problems().len() == 1 && matches!(read.input(), Some(Some(_))));
    }
}
