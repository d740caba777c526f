//! A link leads to a file or directory of the repository, or out of it by a scheme.
//!
//! # Why
//!
//! A link to nothing costs every reader who follows it, and a rename breaks links in files that it does
//! not touch.
//!
//! # Example
//!
//! `[x](gone.md)`, and there is no such file beside the document.
//!
//! # Neighbour
//!
//! A path is not read from the citing file alone: one that opens with `/` begins at the root of the
//! repository, a query is no part of it, and `%20` is tried as a blank.

use std::collections::HashMap;

use headwater_check::{
    About, BoundLink, CorpusNeeds, CorpusRule, CorpusView, Defect, Origin, Outcome, Patch, Taxonomy,
};
use headwater_check::headwater_corpus::{LinkTarget, percent_decoded};

use crate::say::quoted;

/// The rule.
pub(crate) struct Rule;

impl CorpusRule for Rule {
    const ABOUT: About = About::new(
        "link.path.unresolved",
        2,
        Origin::Document,
        include_str!("../../../docs/rules/link.path.unresolved.md"),
    );
    const NEEDS: CorpusNeeds = CorpusNeeds { links: true, ..CorpusNeeds::NONE };

    fn generate(_: &Taxonomy) -> Option<Self> {
        Some(Self)
    }

    fn evaluate(&self, view: &CorpusView<'_>) -> Outcome {
        let dead = |link: &BoundLink<'_>| {
            matches!(link.target(), LinkTarget::Unnormalizable | LinkTarget::Missing(_))
        };
        let dead: Vec<BoundLink<'_>> = view.links().filter(dead).collect();
        let names = Names::of(view, &dead);
        let mut defects = Vec::new();
        for link in dead {
            let destination = || quoted(link.fact().destination);
            match link.target() {
                LinkTarget::Unnormalizable => defects.push(Defect::error(
                    link.place(),
                    format!("the link {} climbs above the root of the repository", destination()),
                    "write a path inside the repository, or a link with a scheme",
                )),
                LinkTarget::Missing(path) => {
                    let moved = names.only(path);
                    let remedy = match moved {
                        Some(moved) => format!(
                            "write the path of {}, the one file of the corpus with that name",
                            quoted(moved)
                        ),
                        None => "write the path of a file that is there, or restore the file".to_owned(),
                    };
                    let patch = moved.and_then(|moved| repointed(&link, moved));
                    let message = format!("the link {} leads to {}, which is not there", destination(), quoted(path));
                    defects.push(Defect::error(link.place(), message, remedy).patched(patch));
                }
                _ => {}
            }
        }
        Outcome::of(defects)
    }
}

/// The files of the corpus by their last segment, where a dead link leads to one of that name.
struct Names<'v>(HashMap<String, Vec<&'v str>>);

impl<'v> Names<'v> {
    fn of(view: &CorpusView<'v>, dead: &[BoundLink<'_>]) -> Self {
        let missing = dead.iter().filter_map(|link| match link.target() {
            LinkTarget::Missing(path) => Some(path),
            _ => None,
        });
        let mut names: HashMap<String, Vec<&str>> =
            missing.flat_map(|path| spellings(path)).map(|name| (name, Vec::new())).collect();
        for path in view.paths() {
            if let Some(held) = names.get_mut(basename(path)) {
                held.push(path);
            }
        }
        Self(names)
    }

    /// The one file that has the last segment of a dead path, as written or else percent-decoded.
    fn only(&self, dead: &str) -> Option<&'v str> {
        let mut held = spellings(dead).filter_map(|name| self.0.get(&name));
        match held.find(|held| !held.is_empty())?.as_slice() {
            [only] => Some(only),
            _ => None,
        }
    }
}

/// The last segment of a dead path, as written and percent-decoded.
fn spellings(dead: &str) -> impl Iterator<Item = String> {
    let name = basename(dead);
    let decoded = percent_decoded(name).filter(|name| !name.contains('/'));
    std::iter::once(name.to_owned()).chain(decoded)
}

fn basename(path: &str) -> &str {
    path.rsplit_once('/').map_or(path, |(_, name)| name)
}

/// The patch that writes a file's path in the place of a dead one, and keeps the query and fragment.
fn repointed(link: &BoundLink<'_>, path: &str) -> Option<Patch> {
    let (start, end) = link.fact().written?;
    let expected = link.fact().spelled()?;
    let rest = expected.find(['?', '#']).map_or("", |at| expected.get(at..).unwrap_or_default());
    let rooted = expected.starts_with('/');
    let relative = if rooted { format!("/{path}") } else { relative(link.path(), path) };
    Some(Patch::Text {
        path: link.path().to_owned(),
        start,
        end,
        expected: expected.to_owned(),
        replacement: encoded(&relative) + rest,
    })
}

/// The path of one file as the directory of another names it.
fn relative(from: &str, to: &str) -> String {
    let directory: Vec<&str> = from.split('/').collect();
    let directory = directory.split_last().map_or(&[][..], |(_, directory)| directory);
    let target: Vec<&str> = to.split('/').collect();
    let most = directory.len().min(target.len().saturating_sub(1));
    let shared = directory.iter().zip(&target).take(most).take_while(|(a, b)| a == b).count();
    let up = directory.iter().skip(shared).map(|_| "..");
    let path = up.chain(target.into_iter().skip(shared)).collect::<Vec<_>>().join("/");
    // A first segment with a colon would be read as a scheme.
    let first = path.split('/').next().unwrap_or_default();
    if first.contains(':') { format!("./{path}") } else { path }
}

/// A path with what a destination cannot hold escaped.
fn encoded(path: &str) -> String {
    let mut out = String::new();
    for c in path.chars() {
        let special = c.is_ascii_control() || " %?#&<>()[]\\`\"".contains(c);
        if special {
            out.push_str(&format!("%{:02X}", u32::from(c)));
        } else {
            out.push(c);
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_is_written_from_the_directory_of_the_citing_file() {
        assert_eq!(relative("docs/a/x.md", "docs/b/y.md"), "../b/y.md");
        assert_eq!(relative("x.md", "docs/y.md"), "docs/y.md");
        assert_eq!(relative("docs/a/x.md", "docs/a/y.md"), "y.md");
        assert_eq!(relative("docs/a/x.md", "docs/a"), "../a");
        assert_eq!(relative("docs/x.md", "docs/a:b.md"), "./a:b.md");
        assert_eq!(encoded("my note (1)%.md"), "my%20note%20%281%29%25.md");
    }
}
