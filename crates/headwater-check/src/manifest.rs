//! The manifest of a change (checks §5.1): which paths a change carries, where the bytes that stood
//! there before it are kept, and what its author read again. It is the one way in which a run learns of
//! a version that is not on disk, so a line that is not understood refuses the whole manifest: passed
//! over, it would read as a document that did not change.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use headwater_taxonomy::files::{Links, read_regular};
use headwater_taxonomy::yaml::shown;

/// The first line of a manifest.
const FIRST: &str = "headwater change 1";

/// The largest manifest that is read, in bytes.
const LIMIT: u64 = 64 * 1024 * 1024;

/// What stood at a path before a change.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Stood {
    /// Nothing.
    Nothing,
    /// The bytes of this file, named as the process can open it.
    Bytes(String),
}

/// A manifest. Paths are spelled as the census spells them, and nothing here is normalized.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Manifest {
    /// What stood at each path that the change carries.
    pub stood: BTreeMap<String, Stood>,
    /// The documents that the author read again.
    pub verified: BTreeSet<String>,
    /// The edges that the author read again: by document, their targets.
    pub verified_edges: BTreeMap<String, BTreeSet<String>>,
}

impl Manifest {
    /// Reads the file at a path.
    ///
    /// # Errors
    /// Why it is no manifest, in words that follow the name of the file.
    pub fn read(path: &Path) -> Result<Self, String> {
        let bytes = read_regular(path, LIMIT, Links::Follow).map_err(|error| error.to_string())?;
        let text = std::str::from_utf8(&bytes)
            .map_err(|error| format!("byte {} is not UTF-8 text", error.valid_up_to()))?;
        Self::parse(text)
    }

    /// Reads a text.
    ///
    /// # Errors
    /// The first line that is not one of a manifest, and why.
    pub fn parse(text: &str) -> Result<Self, String> {
        let mut lines = text.split('\n');
        if lines.next() != Some(FIRST) {
            return Err(format!("its first line is not `{FIRST}`"));
        }
        let mut manifest = Self::default();
        for (at, line) in lines.enumerate().filter(|(_, line)| !line.trim().is_empty()) {
            manifest.line(line).map_err(|why| format!("line {}: {why}", at + 2))?;
        }
        Ok(manifest)
    }

    fn line(&mut self, line: &str) -> Result<(), String> {
        let fields: Vec<&str> = line.split('\t').collect();
        if fields.iter().any(|field| field.is_empty()) {
            return Err(format!("`{}` has an empty field", shown(line)));
        }
        let new = match fields.as_slice() {
            ["added", path] => self.stood.insert((*path).to_owned(), Stood::Nothing).is_none(),
            ["prior", path, file] => {
                let stood = Stood::Bytes((*file).to_owned());
                self.stood.insert((*path).to_owned(), stood).is_none()
            }
            ["verified", path] => self.verified.insert((*path).to_owned()),
            ["verified", path, target] => {
                let targets = self.verified_edges.entry((*path).to_owned()).or_default();
                targets.insert((*target).to_owned())
            }
            _ => {
                let what = "is none of `added`, `prior` and `verified` with their fields";
                return Err(format!("`{}` {what}, separated by tabs", shown(line)));
            }
        };
        let [_, path, ..] = fields.as_slice() else { return Ok(()) };
        if new { Ok(()) } else { Err(format!("`{}` is named a second time", shown(path))) }
    }

    /// Every path that a line names, each once, in path order.
    #[must_use]
    pub fn paths(&self) -> BTreeSet<&str> {
        self.stood.keys().map(String::as_str).chain(self.read_again()).collect()
    }

    /// Every document that a `verified` line names, each once, in path order.
    #[must_use]
    pub fn read_again(&self) -> BTreeSet<&str> {
        self.verified.iter().chain(self.verified_edges.keys()).map(String::as_str).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn every_sort_of_line_is_read() {
        let text = "headwater change 1\nadded\ta.md\n\nprior\tb c.md\tout/prior/1\n  \nverified\ta.md\nverified\ta.md\tsrc/x.rs\nverified\ta.md\tsrc/y.rs\n";
        let read = Manifest::parse(text).unwrap();
        assert_eq!(read.stood.get("a.md"), Some(&Stood::Nothing));
        assert_eq!(read.stood.get("b c.md"), Some(&Stood::Bytes("out/prior/1".to_owned())));
        let targets: Vec<&str> = read.verified_edges["a.md"].iter().map(String::as_str).collect();
        assert_eq!((targets, read.verified_edges.len()), (vec!["src/x.rs", "src/y.rs"], 1));
        assert_eq!(read.paths().into_iter().collect::<Vec<_>>(), ["a.md", "b c.md"]);
        assert_eq!(read.read_again().len(), 1);
        assert_eq!(Manifest::parse("headwater change 1"), Ok(Manifest::default()));
    }

    #[test]
    fn a_manifest_is_refused_whole() {
        for (text, why) in [
            ("", "first line"),
            ("headwater change 2\n", "first line"),
            (" headwater change 1\n", "first line"),
            ("headwater change 1\r\nadded\ta.md\r\n", "first line"),
            ("\u{feff}headwater change 1\n", "first line"),
            ("headwater change 1\nremoved\ta.md\n", "line 2: `removed\\ta.md` is none of"),
            ("headwater change 1\n\nprior\ta.md\n", "line 3: "),
            ("headwater change 1\nadded a.md\n", "line 2: "),
            ("headwater change 1\nadded\t\n", "empty field"),
            ("headwater change 1\nadded\ta.md\tb\n", "line 2: "),
            ("headwater change 1\nverified\ta.md\tb\tc\n", "line 2: "),
            (
                "headwater change 1\nadded\ta.md\nprior\ta.md\tb\n",
                "line 3: `a.md` is named a second",
            ),
            ("headwater change 1\nverified\ta.md\nverified\ta.md\n", "second time"),
            ("headwater change 1\nverified\ta.md\tb\nverified\ta.md\tb\n", "second time"),
        ] {
            let said = Manifest::parse(text).unwrap_err();
            assert!(said.contains(why), "{text:?}: {said}");
        }
    }

    proptest! {
        /// No line is passed over: each that is no blank adds one statement or refuses the whole.
        #[test]
        fn no_line_is_lost(lines in proptest::collection::vec("(added|prior|verified|x)?(\t[a-c]{0,2}){0,3}", 0..8)) {
            let text = format!("headwater change 1\n{}\n", lines.join("\n"));
            if let Ok(read) = Manifest::parse(&text) {
                let edges = read.verified_edges.values().map(BTreeSet::len).sum::<usize>();
                let held = read.stood.len() + read.verified.len() + edges;
                prop_assert_eq!(held, lines.iter().filter(|line| !line.trim().is_empty()).count());
            }
        }
    }
}
