//! Repositories made of text, and a corpus printed as lines, so that a case is data a person can read.

#![allow(
    dead_code,
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a test fails by panicking, and no test file uses every helper"
)]

use std::fs;
use std::path::Path;

use headwater_corpus::{
    Binding, Class, Corpus, Document, Edge, LinkTarget, Options, Trouble, Unbound, percent_decoded,
};
use headwater_taxonomy::declaration::Declaration;
use headwater_taxonomy::lock::{Header, Lock};
use headwater_taxonomy::model::Taxonomy;
use headwater_taxonomy::yaml::load;

/// The declaration of a case that states none.
pub const DECLARATION: &str =
    "taxonomy: {package: acme/cases, version: 1.0.0}\ncorpus: {root: docs}\n";

/// A lock over a taxonomy's text, which need not be a valid one.
pub fn lock(taxonomy: &str) -> Lock {
    let resolved = load(taxonomy, 0).unwrap_or_else(|faults| panic!("{faults:?}"));
    Lock {
        header: Header {
            digest: String::new(),
            rules: 0,
            package: "acme/cases".to_owned(),
            version: "1.0.0".to_owned(),
            sources: Vec::new(),
        },
        foundings: Vec::new(),
        adoption: None,
        taxonomy: Taxonomy::from_tree(&resolved),
        resolved,
    }
}

pub fn declaration(text: &str) -> Declaration {
    Declaration::parse(text.as_bytes()).unwrap_or_else(|refusals| panic!("{refusals:?}"))
}

/// Writes one file with its directories.
pub fn write(root: &Path, path: &str, bytes: impl AsRef<[u8]>) {
    let path = root.join(path);
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, bytes).unwrap();
}

/// Writes the files of a block: `=== path`, then its lines; `=== path -> target` is a link.
pub fn write_all(root: &Path, block: &str) {
    for file in block.split("=== ").skip(1) {
        let (name, text) = file.split_once('\n').unwrap_or((file, ""));
        match name.split_once(" -> ") {
            #[cfg(unix)]
            Some((path, target)) => {
                let path = root.join(path);
                fs::create_dir_all(path.parent().unwrap()).unwrap();
                std::os::unix::fs::symlink(target, path).unwrap();
            }
            // `\r`, `\0` and the like are spelled, since a fixture is text that editors keep tidy.
            _ => write(root, name, text.replace("<CR>", "\r").replace("<BOM>", "\u{feff}")),
        }
    }
}

pub fn corpus(root: &Path, taxonomy: &str, declared: &str) -> Corpus {
    let built = Corpus::build(root, lock(taxonomy), declaration(declared), Options::default());
    built.unwrap_or_else(|refusals| panic!("{refusals:?}"))
}

fn path(corpus: &Corpus, row: usize) -> &str {
    &corpus.row(row).unwrap().path
}

fn document(corpus: &Corpus, row: usize) -> &Document {
    corpus.row(row).unwrap().document.as_deref().unwrap()
}

fn binding(corpus: &Corpus, edge: &Edge) -> String {
    match &edge.binding {
        Binding::Document(row) => format!("document {}", path(corpus, *row)),
        Binding::Withheld(held) => format!("withheld {} {}", held.anchor, held.profile),
        Binding::Anchor(anchor) => {
            let members: Vec<&str> =
                anchor.members().iter().map(|member| member.path.as_str()).collect();
            format!("{} {} [{}]", anchor.kind, anchor.identity, members.join(", "))
        }
        Binding::Unbound(why) => match &**why {
            Unbound::NoSuchTarget(said) => {
                let said: Vec<String> =
                    said.iter().map(|(name, why)| format!("; {name}: {why}")).collect();
                format!("nothing{}", said.concat())
            }
            Unbound::NotTyped(row) => format!("untyped {}", path(corpus, *row)),
            Unbound::NoResolver { resolver, .. } => format!("no resolver {resolver}"),
            Unbound::AnchorUnresolved { anchor, reason, .. } => format!("no {anchor}: {reason}"),
            Unbound::AmbiguousAnchor(kinds) => format!("ambiguous {}", kinds.join(", ")),
            Unbound::DocumentByPath(row) => format!("by path {}", path(corpus, *row)),
        },
    }
}

fn trouble(trouble: &Trouble) -> String {
    match trouble {
        Trouble::NotMapping => "the block is no mapping".to_owned(),
        Trouble::NoIdentifier => "the source has no identifier".to_owned(),
        Trouble::UnknownRelation(name) => format!("unknown {name}"),
        Trouble::NoTarget(name) => format!("no target {name}"),
        Trouble::Unusable(name) => format!("unusable {name}"),
        Trouble::Repeated(name, target) => format!("repeated {name} {target}"),
    }
}

/// Everything a corpus decided, as lines whose first word says what they are about.
pub fn lines(corpus: &Corpus) -> Vec<String> {
    let mut out = Vec::new();
    for row in corpus.rows() {
        let kind = corpus.kind(row).map(|kind| format!(" {}", kind.name)).unwrap_or_default();
        let detail = corpus.detail(row);
        let detail = if detail.is_empty() { detail } else { format!(": {detail}") };
        out.push(format!("row {} {}{kind}{detail}", row.path, row.class()));
        if let Some(identifier) = row.identifier() {
            out.push(format!("id {} {identifier}", row.path));
        }
    }
    for pair in corpus.collisions() {
        out.push(format!("collision {} {}", path(corpus, pair.first), path(corpus, pair.later)));
    }
    for edge in corpus.edges() {
        let source = document(corpus, edge.source);
        let at = source.front_matter_position(edge.span.start);
        out.push(format!(
            "edge {}:{at} {} {} -> {}",
            source.front_matter_path(),
            source.identifier().unwrap(),
            corpus.written(edge),
            binding(corpus, edge)
        ));
    }
    for pair in corpus.pairs() {
        let halves = match (pair.declared, pair.inverse) {
            (Some(_), Some(_)) => "both",
            (Some(_), None) => "declared",
            (None, Some(_)) => "inverse",
            (None, None) => panic!("a pair without a half"),
        };
        let id = |row| document(corpus, row).identifier().unwrap();
        let name = &corpus.relation_of(pair).unwrap().name;
        out.push(format!("pair {} {name} {} {halves}", id(pair.from), id(pair.to)));
    }
    for problem in corpus.problems() {
        let source = document(corpus, problem.row);
        let at = source.front_matter_position(problem.span.start);
        let file = source.front_matter_path();
        out.push(format!("problem {file}:{at} {}", trouble(&problem.trouble)));
    }
    let links = corpus.links();
    for link in &links.bound {
        let source = document(corpus, link.row);
        let at = source.markdown().position(corpus.link(link).unwrap().span.start);
        let target = match &link.target {
            LinkTarget::SameDocument => "here".to_owned(),
            LinkTarget::External => "external".to_owned(),
            LinkTarget::Corpus(row) => format!("corpus {}", path(corpus, *row)),
            LinkTarget::Repository(path) if path.is_empty() => "repository .".to_owned(),
            LinkTarget::Repository(path) => format!("repository {path}"),
            LinkTarget::Missing(path) => format!("missing {path}"),
            LinkTarget::Unnormalizable => "climbs".to_owned(),
        };
        let fragment = corpus.fragment(link).map(|fragment| {
            let row = match link.target {
                LinkTarget::SameDocument => Some(link.row),
                LinkTarget::Corpus(row) => Some(row),
                _ => None,
            };
            let target = row.and_then(|row| corpus.row(row)?.document.as_deref());
            let reaches = |target: &Document| {
                let anchors = target.markdown().anchors();
                let is = |text: &str| anchors.iter().any(|anchor| anchor == text);
                is(fragment) || percent_decoded(fragment).is_some_and(|text| is(&text))
            };
            match target.map(reaches) {
                Some(true) => format!(" #{fragment} found"),
                Some(false) => format!(" #{fragment} absent"),
                None => format!(" #{fragment} not judged"),
            }
        });
        out.push(format!("link {}:{at} {target}{}", source.path(), fragment.unwrap_or_default()));
    }
    out.push(format!("skipped {} images, {} quoted", links.images, links.quoted));
    let summary = corpus.summary();
    let classes: Vec<String> = Class::ALL
        .iter()
        .filter(|class| summary.count(**class) > 0)
        .map(|class| format!("{} {class}", summary.count(*class)))
        .collect();
    let kinds: Vec<String> =
        summary.kinds.iter().map(|(kind, count)| format!("{count} {kind}")).collect();
    out.push(format!("census {}: {} ({})", summary.files, classes.join(", "), kinds.join(", ")));
    out
}

/// The lines that begin with one of these words.
pub fn about(corpus: &Corpus, words: &[&str]) -> Vec<String> {
    let wanted = |line: &String| words.contains(&line.split(' ').next().unwrap());
    lines(corpus).into_iter().filter(wanted).collect()
}
