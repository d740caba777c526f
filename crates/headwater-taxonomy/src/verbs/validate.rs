//! `taxonomy validate`: every rule, what of it is decided, and what it refuses.

use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use super::{Answer, Invocation, Judged, counted, judge};
use crate::canonical::digest;
use crate::declaration::DECLARATION_PATH;
use crate::files::{Links, read_regular};
use crate::model::Taxonomy;
use crate::path::normalize;
use crate::pattern::PathPattern;
use crate::refusal::{Class, Next, Refusal};
use crate::release::{self, MEMBER_LIMIT};
use crate::repository::Repository;
use crate::resolve::SourceRecord;
use crate::validate::{CLASSES, MERGE_CLASS, RULE_SET};
use crate::yaml::{escaped, shown};

/// Resolves the sources and reports every validation rule. Writes nothing, and needs no lock and no
/// document.
pub fn validate(invocation: Invocation<'_>) -> Answer {
    let repository = match Repository::open(invocation.root) {
        Ok(repository) => repository,
        Err(failure) => return Answer::failed(invocation, &failure, "the taxonomy is refused"),
    };
    let mut report = Report::default();
    match judge(&repository) {
        Ok(Judged { resolution, validation, advice }) => {
            report.sources = resolution.sources.clone();
            report.merged = true;
            report.refusals = validation.refusals;
            report.warnings = validation.warnings;
            report.advice = advice;
            report.tree = unmatched(invocation.root, &resolution.taxonomy);
        }
        Err(refusals) => {
            report.sources = repository
                .sources
                .iter()
                .map(|source| SourceRecord {
                    path: source.path.clone(),
                    digest: digest(&source.bytes),
                })
                .collect();
            report.refusals = refusals;
        }
    }
    report.warnings.extend(repository.declaration.warnings.iter().cloned());
    report.tree.extend(pinned(invocation.root, &repository));
    report.tree.extend(plugins(invocation.root, &repository));
    let declaration = &repository.declaration;
    let title = format!("{} {}", escaped(&declaration.package), escaped(&declaration.version));
    let stdout = report.render(&title, invocation.program);
    let status = u8::from(!report.refusals.is_empty() || !report.tree.is_empty());
    Answer { stdout, stderr: String::new(), status }.with_notes(invocation, declaration)
}

#[derive(Default)]
struct Report {
    sources: Vec<SourceRecord>,
    merged: bool,
    refusals: Vec<Refusal>,
    /// What the rules do not decide and the repository shows: pins, plugins, scopes.
    tree: Vec<Refusal>,
    warnings: Vec<Refusal>,
    advice: Vec<String>,
}

impl Report {
    fn render(&self, title: &str, program: &str) -> String {
        let mut out = format!("taxonomy {title}\n\nsources\n");
        for source in &self.sources {
            let _ = writeln!(out, "  {} {}", escaped(&source.path), source.digest);
        }
        let _ = writeln!(out, "\nrules (set {RULE_SET})");
        for class in CLASSES {
            let of_class = |refusal: &&Refusal| match refusal.class {
                Class::Rule(number) => number == class.number,
                _ => class.number == MERGE_CLASS,
            };
            let refused = self.refusals.iter().filter(of_class).count();
            let verdict = if refused > 0 {
                counted(refused, "refusal")
            } else if !self.merged && class.number != MERGE_CLASS {
                "not decided, because the sources do not merge".to_owned()
            } else {
                match class.leaves_open {
                    None => "decided".to_owned(),
                    Some(open) => format!("decided in part; not {open}"),
                }
            };
            let _ = writeln!(out, "  {:>2} {}: {}", class.number, class.name, class.decides);
            let _ = writeln!(out, "     {verdict}");
        }
        for (heading, lines) in
            [("refusals", &self.refusals), ("repository", &self.tree), ("warnings", &self.warnings)]
        {
            if lines.is_empty() {
                continue;
            }
            let _ = writeln!(out, "\n{heading}");
            for line in lines {
                let _ = writeln!(out, "  {}", line.render(program));
            }
            if heading == "refusals" {
                for line in &self.advice {
                    let _ = writeln!(out, "  {line}");
                }
            }
        }
        let refused = self.refusals.len() + self.tree.len();
        let _ = writeln!(
            out,
            "\n{}: {}, {}",
            if refused == 0 { "accepted" } else { "refused" },
            counted(refused, "refusal"),
            counted(self.warnings.len(), "warning")
        );
        out
    }
}

fn about(what: String, next: &str) -> Refusal {
    Refusal::of_file(Class::Input, DECLARATION_PATH, what, Next::Do(next.to_owned()))
}

/// The divergences of a package that is pinned.
fn pinned(root: &Path, repository: &Repository) -> Vec<Refusal> {
    let Some(pin) = &repository.declaration.digest else { return Vec::new() };
    release::verify(&repository.package_directory(root), Some(pin))
        .into_iter()
        .map(|divergence| {
            let what = format!("the package is not the pinned one: {divergence}");
            about(what, "vendor the package again, or pin the digest you mean")
        })
        .collect()
}

/// The plugins that no run may load.
fn plugins(root: &Path, repository: &Repository) -> Vec<Refusal> {
    let mut found = Vec::new();
    for plugin in &repository.declaration.plugins {
        let name = shown(&plugin.at);
        let Some(wanted) = &plugin.digest else {
            let what = format!("the plugin `{name}` has no digest");
            found.push(about(what, "state the digest of the file you reviewed"));
            continue;
        };
        match confined(root, &plugin.at) {
            Err(why) => {
                let what = format!("the plugin `{name}` cannot be used: {why}");
                found.push(about(what, "name a regular file inside the repository"));
            }
            Ok(bytes) if digest(&bytes) != *wanted => {
                let what = format!("the plugin `{name}` is {}, not {wanted}", digest(&bytes));
                found.push(about(what, "restore the file, or state the digest you mean"));
            }
            Ok(_) => {}
        }
    }
    found
}

/// The bytes of a regular file inside the repository, links included.
fn confined(root: &Path, path: &str) -> Result<Vec<u8>, String> {
    let path = root.join(normalize(path).map_err(|why| why.to_string())?);
    let bytes = read_regular(&path, MEMBER_LIMIT, Links::Refuse).map_err(|why| why.to_string())?;
    let inside = match (fs::canonicalize(root), fs::canonicalize(&path)) {
        (Ok(root), Ok(path)) => path.starts_with(root),
        _ => false,
    };
    if inside { Ok(bytes) } else { Err("it leads out of the repository".to_owned()) }
}

/// The declared scopes that match nothing, where there is a tree to match.
fn unmatched(root: &Path, taxonomy: &Taxonomy) -> Vec<Refusal> {
    let mut found = Vec::new();
    if !has_tree(root) {
        return found;
    }
    for (name, anchor) in taxonomy.anchors.iter() {
        for pattern in &anchor.scope {
            if !matches_any(root, pattern) {
                let what = format!(
                    "the scope `{}` of the anchor kind `{name}` matches no file",
                    shown(pattern.text())
                );
                found.push(about(what, "correct the pattern, or remove it"));
            }
        }
    }
    found
}

/// Whether the repository holds anything beside hidden files.
fn has_tree(root: &Path) -> bool {
    fs::read_dir(root)
        .into_iter()
        .flatten()
        .flatten()
        .any(|entry| !entry.file_name().to_string_lossy().starts_with('.'))
}

fn matches_any(root: &Path, pattern: &PathPattern) -> bool {
    let prefix = pattern.literal_prefix();
    if normalize(&prefix).ok().as_deref().unwrap_or("") != prefix {
        return false;
    }
    if pattern.is_literal() {
        return fs::symlink_metadata(root.join(&prefix)).is_ok();
    }
    let mut stack = vec![prefix];
    while let Some(directory) = stack.pop() {
        for entry in fs::read_dir(root.join(&directory)).into_iter().flatten().flatten() {
            let (Ok(name), Ok(kind)) = (entry.file_name().into_string(), entry.file_type()) else {
                continue;
            };
            let path = if directory.is_empty() { name } else { format!("{directory}/{name}") };
            if kind.is_dir() {
                stack.push(path);
            } else if pattern.matches(&path) {
                return true;
            }
        }
    }
    false
}
