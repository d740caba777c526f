//! Repositories and patches made of text, so that a case is data a person can read.

#![allow(
    dead_code,
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a test fails by panicking, and no test file uses every helper"
)]

use std::fs;
use std::path::{Path, PathBuf};

use headwater_check::headwater_corpus::{Corpus, Options};
use headwater_check::headwater_taxonomy::declaration::Declaration;
use headwater_check::headwater_taxonomy::lock::{Header, Lock};
use headwater_check::headwater_taxonomy::model::Taxonomy;
use headwater_check::headwater_taxonomy::yaml::load;
use headwater_check::{FacetChange, Patch};

const DECLARATION: &str = "taxonomy: {package: acme/cases, version: 1.0.0}\ncorpus: {root: docs}\n";

/// One case of a fixture.
#[derive(Debug)]
pub struct Case {
    /// The file that it stands in, and its title.
    pub name: String,
    /// What is added to the taxonomy.
    pub bindings: String,
    /// The files before.
    pub corpus: String,
    /// One patch a line.
    pub patches: String,
    /// Each file that is to change, as it is to be.
    pub after: String,
    /// `path: words`, for each file that is refused.
    pub refused: Vec<String>,
}

pub fn fixtures() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures")
}

/// The cases of every fixture.
pub fn cases() -> Vec<Case> {
    let mut paths: Vec<PathBuf> =
        fs::read_dir(fixtures()).unwrap().map(|entry| entry.unwrap().path()).collect();
    paths.retain(|path| path.extension().is_some_and(|extension| extension == "md"));
    paths.sort();
    paths.iter().flat_map(|path| cases_of(path)).collect()
}

/// The cases of a file: a title after `## `, and blocks `bindings`, `corpus`, `patches`, and `after`
/// or `refused` or both.
fn cases_of(path: &Path) -> Vec<Case> {
    let source = fs::read_to_string(path).unwrap();
    let file = path.file_stem().unwrap().to_string_lossy().into_owned();
    let (mut parts, mut inside): (Vec<(String, String)>, bool) = (Vec::new(), false);
    for line in source.lines() {
        inside ^= line.starts_with("~~~~");
        match line.strip_prefix("## ") {
            Some(title) if !inside => parts.push((format!("{file}: {title}"), String::new())),
            _ => {
                if let Some((_, text)) = parts.last_mut() {
                    text.push_str(line);
                    text.push('\n');
                }
            }
        }
    }
    parts
        .into_iter()
        .map(|(name, text)| {
            let block = |kind: &str| {
                let (_, after) = text.split_once(&format!("~~~~{kind}\n"))?;
                after.split_once("~~~~\n").map(|(block, _)| block.to_owned())
            };
            Case {
                bindings: block("bindings").unwrap_or_default(),
                corpus: block("corpus").unwrap_or_else(|| panic!("{name}: no corpus")),
                patches: block("patches").unwrap_or_else(|| panic!("{name}: no patches")),
                after: block("after").unwrap_or_default(),
                refused: block("refused").unwrap_or_default().lines().map(str::to_owned).collect(),
                name,
            }
        })
        .collect()
}

/// The files of a block: `=== path`, then lines.
pub fn files(block: &str) -> Vec<(String, String)> {
    let parts = block.split("=== ").skip(1);
    let file = |part: &str| {
        let (name, text) = part.split_once('\n').unwrap_or((part, ""));
        (name.to_owned(), text.to_owned())
    };
    parts.map(file).collect()
}

/// Writes one file with its directories.
pub fn write(root: &Path, path: &str, bytes: impl AsRef<[u8]>) {
    let path = root.join(path);
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, bytes).unwrap();
}

/// The taxonomy of the cases, with a block added.
pub fn taxonomy(bindings: &str) -> String {
    fs::read_to_string(fixtures().join("taxonomy.yml")).unwrap() + bindings
}

/// The corpus of a directory.
pub fn corpus(root: &Path, taxonomy: &str) -> Corpus {
    let resolved = load(taxonomy, 0).unwrap_or_else(|faults| panic!("{faults:?}\n{taxonomy}"));
    let header = Header {
        digest: taxonomy.to_owned(),
        rules: 0,
        package: "acme/cases".to_owned(),
        version: "1.0.0".to_owned(),
        sources: Vec::new(),
    };
    let taxonomy = Taxonomy::from_tree(&resolved);
    let lock = Lock { header, foundings: Vec::new(), adoption: None, taxonomy, resolved };
    let declaration = Declaration::parse(DECLARATION.as_bytes()).unwrap();
    Corpus::build(root, lock, declaration, Options::default())
        .unwrap_or_else(|refusals| panic!("{refusals:?}"))
}

/// The patches of a block, one a line:
///
/// ```text
/// half PATH RELATION TARGET [NAME=VALUE]…
/// facets PATH FACET=OLD->NEW …
/// text PATH «OLD» «NEW» [OCCURRENCE]
/// create PATH CONTENTS
/// ```
pub fn patches(block: &str, files: &[(String, String)]) -> Vec<Patch> {
    block.lines().map(|line| patch(line, files)).collect()
}

fn patch(line: &str, files: &[(String, String)]) -> Patch {
    let (verb, rest) = line.split_once(' ').unwrap();
    let (path, rest) = rest.split_once(' ').unwrap();
    let path = path.to_owned();
    match verb {
        "half" => {
            let mut words = rest.split(' ').map(str::to_owned);
            let (relation, target) = (words.next().unwrap(), words.next().unwrap());
            let attributes = words.map(|word| {
                let (name, value) = word.split_once('=').unwrap();
                (name.to_owned(), value.to_owned())
            });
            Patch::Half { path, relation, target, attributes: attributes.collect() }
        }
        "facets" => {
            let changes = rest.split(' ').map(|word| {
                let (facet, values) = word.split_once('=').unwrap();
                let (expected, value) = values.split_once("->").unwrap();
                let [facet, expected, value] = [facet, expected, value].map(str::to_owned);
                FacetChange { facet, expected, value }
            });
            Patch::Facets { path, changes: changes.collect() }
        }
        "text" => {
            let parts: Vec<&str> = rest.split(['«', '»']).collect();
            let (expected, replacement) = (parts[1].to_owned(), parts[3].to_owned());
            let nth: usize = parts[4].trim().parse().unwrap_or(1);
            let (_, text) = files.iter().find(|(name, _)| *name == path).unwrap();
            let found = text.match_indices(&expected).nth(nth - 1);
            let (start, _) = found.unwrap_or_else(|| panic!("{line}: not there"));
            Patch::Text { path, start, end: start + expected.len(), expected, replacement }
        }
        "create" => Patch::Create { path, contents: format!("{rest}\n") },
        _ => panic!("{line}: no patch"),
    }
}
