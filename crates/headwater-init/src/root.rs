//! Which directory is the corpus: the one that is named, else the one with the most Markdown.

use std::fs;
use std::path::Path;

use headwater_check::headwater_taxonomy::path::normalize;
use headwater_check::headwater_taxonomy::yaml::shown;

use crate::survey::counted;
use crate::{Failure, refusal, unusable};

/// How many levels of directories are looked into when the corpus is chosen.
const DEPTH: usize = 6;
/// Directories that hold the work of others, or of machines.
const NOT_OURS: [&str; 4] = ["node_modules", "target", "third_party", "vendor"];

/// The corpus root.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Root {
    /// The path below the repository root; empty for it.
    pub path: String,
    /// What is not read, with the reason.
    pub exclude: Vec<(String, String)>,
    /// Why it was chosen.
    pub account: Vec<(&'static str, String)>,
}

impl Root {
    fn new(path: String, why: String) -> Self {
        let mut exclude = Vec::new();
        if path.is_empty() {
            exclude.push((".git/**".to_owned(), "the history of the repository".to_owned()));
            let others = NOT_OURS.map(|name| {
                (format!("**/{name}/**"), "the work of others, or of machines".to_owned())
            });
            exclude.extend(others);
        }
        let shown = if path.is_empty() { ".".to_owned() } else { shown(&path) };
        Self { path, exclude, account: vec![("corpus", format!("{shown}: {why}"))] }
    }

    /// A path pattern below it.
    pub(crate) fn pattern(&self, below: &str) -> String {
        if self.path.is_empty() { below.to_owned() } else { format!("{}/{below}", self.path) }
    }
}

/// Chooses the corpus root.
pub(crate) fn choose(root: &Path, named: Option<&str>) -> Result<Root, Failure> {
    if let Some(named) = named {
        let next = "name a directory of the repository";
        let path = match named.trim_end_matches('/') {
            "." | "./" => String::new(),
            path => normalize(path).map_err(|why| {
                unusable(refusal(named, format!("as a corpus root: {why}"), next))
            })?,
        };
        if !root.join(&path).is_dir() {
            return Err(unusable(refusal(named, "the corpus root is no directory", next)));
        }
        return Ok(Root::new(path, "it was named".to_owned()));
    }
    let listing = fs::read_dir(root).map_err(|error| {
        unusable(refusal(".", format!("it cannot be listed: {error}"), "run in a repository"))
    })?;
    let mut directories: Vec<(usize, String)> = Vec::new();
    let mut own = 0;
    for entry in listing.flatten() {
        let Ok(kind) = entry.file_type() else { continue };
        let Ok(name) = entry.file_name().into_string() else { continue };
        if kind.is_dir() {
            if !is_passed_over(&name) {
                directories.push((markdown_below(&entry.path(), DEPTH), name));
            }
        } else if kind.is_file() && name.ends_with(".md") {
            own += 1;
        }
    }
    directories.sort_unstable_by(|a, b| b.0.cmp(&a.0).then_with(|| a.1.cmp(&b.1)));
    let most = directories.into_iter().next().unwrap_or_default();
    match (own, most) {
        (0, (0, _)) => {
            let what = "there is no Markdown in this repository";
            Err(Failure::No(refusal(
                ".",
                what,
                "write a document first, or name the corpus with --corpus",
            )))
        }
        (own, (count, name)) if count >= own => Ok(Root::new(
            name,
            format!("{}, the most of any directory", counted(count, "Markdown file")),
        )),
        (own, _) => Ok(Root::new(
            String::new(),
            format!("{} at the root, more than in any directory", counted(own, "Markdown file")),
        )),
    }
}

fn is_passed_over(name: &str) -> bool {
    name.starts_with('.') || NOT_OURS.contains(&name)
}

/// How many Markdown files are below a directory, `depth` levels down. Links are not followed.
fn markdown_below(directory: &Path, depth: usize) -> usize {
    let Ok(listing) = fs::read_dir(directory) else { return 0 };
    let count = |entry: fs::DirEntry| {
        let (Ok(kind), name) = (entry.file_type(), entry.file_name()) else { return 0 };
        let name = name.to_string_lossy();
        if kind.is_dir() && depth > 1 && !is_passed_over(&name) {
            markdown_below(&entry.path(), depth - 1)
        } else {
            usize::from(kind.is_file() && name.ends_with(".md"))
        }
    };
    listing.flatten().map(count).sum()
}
