//! The corpus: everything that phase A decides, built once and then only read.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

use headwater_taxonomy::declaration::{DECLARATION_PATH, Declaration};
use headwater_taxonomy::lock::{self, Lock};
use headwater_taxonomy::model::{Bindings, Kind, Relation, Role, Shelf, Taxonomy};
use headwater_taxonomy::refusal::{Class as RefusalClass, Next, Refusal};
use headwater_taxonomy::repository::{self, Failure};
use headwater_taxonomy::yaml::shown;
use markdown::Span;
use rayon::prelude::*;

use crate::bind::Binder;
use crate::census::{Row, Summary, Unreadable};
use crate::claims::Claims;
use crate::digest::Digest;
use crate::document::Document;
use crate::edge::{Anchor, Binding, Edge, Pair, Problem, Target, Trouble};
use crate::graph::{Graph, normalized};
use crate::halves::{Half, halves};
use crate::index::{Collision, Index};
use crate::link::{LinkTarget, Linker, Links, ProseLink, split};
use crate::orphans::orphans;
use crate::outside::Outside;
use crate::paths::Paths;
use crate::read::{DOCUMENT_LIMIT, Reader, parse_document, parse_sidecar};
use crate::resolver::canvas::{self, Canvas, Canvases};
use crate::resolver::check_rule::CheckRule;
use crate::resolver::comment_scan::{self, CommentScan};
use crate::resolver::source_tree::SourceTree;
use crate::resolver::{Pin, Resolver, Resolvers, Revision, pinned};
use crate::typing::{Placed, Stop, type_of};
use crate::walk::walk;

/// What a corpus is built with beside the repository.
#[derive(Default)]
pub struct Options {
    /// The rules of the engine, for the resolver `check-rule`.
    pub rules: Vec<String>,
    /// The canvas store, for the resolver `canvas`.
    pub canvases: Option<Box<dyn Canvases>>,
    /// Further resolvers.
    pub resolvers: Vec<Box<dyn Resolver>>,
}

/// The corpus of one repository under one lock.
#[derive(Debug)]
pub struct Corpus {
    root: PathBuf,
    lock: Lock,
    declaration: Declaration,
    bindings: Arc<Bindings>,
    rows: Vec<Row>,
    paths: Paths,
    index: Index,
    graph: Graph,
    claims: Arc<Claims>,
    pins: Vec<Pin>,
    resolvers: Resolvers,
    links: OnceLock<Links>,
    outside: OnceLock<Outside>,
}

impl Corpus {
    /// Reads the lock and the declaration of the repository at `root`, and its corpus.
    ///
    /// # Errors
    /// The lock or the declaration cannot be used, or as [`Corpus::build`].
    pub fn load(root: &Path, options: Options) -> Result<Self, Vec<Refusal>> {
        let lock = lock::read(root).map_err(|fault| vec![fault.refusal()])?;
        let declaration = repository::declaration(root).map_err(|failure| match failure {
            Failure::Unusable(refusals) | Failure::Refused(refusals) => refusals,
        })?;
        Self::build(root, lock, declaration, options)
    }

    /// Builds the corpus that a declaration names.
    ///
    /// # Errors
    /// The corpus root is no directory, something pinned is outside the repository, or two resolvers
    /// have one name.
    pub fn build(
        root: &Path,
        lock: Lock,
        declaration: Declaration,
        mut options: Options,
    ) -> Result<Self, Vec<Refusal>> {
        if !root.join(&declaration.root).is_dir() {
            let what = format!(
                "the corpus root `{}` is no directory",
                if declaration.root.is_empty() { "." } else { &declaration.root }
            );
            let next = Next::Do("create it, or correct `corpus.root`".to_owned());
            let class = RefusalClass::Input;
            return Err(vec![Refusal::of_file(class, DECLARATION_PATH, what, next)]);
        }
        let claims = Arc::new(Claims::read(root));
        let pins = pinned::read(root, &declaration, &mut options.resolvers)?;
        let resolvers = resolvers(root, &lock.taxonomy, &declaration, &claims, options)?;
        let entries = walk(root, &declaration.root);
        let bindings = Arc::new(lock.taxonomy.bindings.clone());
        let reader = Reader {
            root,
            taxonomy: &lock.taxonomy,
            state: lock.taxonomy.facet_with_role(Role::State),
            bindings: Arc::clone(&bindings),
            exclude: &declaration.exclude,
            entries: &entries,
            limit: DOCUMENT_LIMIT,
        };
        let rows: Vec<Row> = entries.par_iter().map(|entry| reader.row(entry)).collect();
        let (paths, index) = rayon::join(|| Paths::of(&rows), || Index::of(&rows));
        let binder =
            Binder { taxonomy: &lock.taxonomy, rows: &rows, index: &index, resolvers: &resolvers };
        let graph = Graph::build(&binder);
        Ok(Self {
            root: root.to_owned(),
            lock,
            declaration,
            bindings,
            rows,
            paths,
            index,
            graph,
            claims,
            pins,
            resolvers,
            links: OnceLock::new(),
            outside: OnceLock::new(),
        })
    }

    /// The repository root.
    #[must_use]
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// The lock.
    #[must_use]
    pub fn lock(&self) -> &Lock {
        &self.lock
    }

    /// The taxonomy of the lock.
    #[must_use]
    pub fn taxonomy(&self) -> &Taxonomy {
        &self.lock.taxonomy
    }

    /// The declaration.
    #[must_use]
    pub fn declaration(&self) -> &Declaration {
        &self.declaration
    }

    /// The claim store.
    #[must_use]
    pub fn claims(&self) -> &Claims {
        &self.claims
    }

    /// What the declaration pins: imports, then harvests, in declared order.
    #[must_use]
    pub fn pins(&self) -> &[Pin] {
        &self.pins
    }

    /// The resolvers of this run.
    #[must_use]
    pub fn resolvers(&self) -> &Resolvers {
        &self.resolvers
    }

    /// Every row, in byte order of paths. A row is named by its index here.
    #[must_use]
    pub fn rows(&self) -> &[Row] {
        &self.rows
    }

    /// One row.
    #[must_use]
    pub fn row(&self, row: usize) -> Option<&Row> {
        self.rows.get(row)
    }

    /// The row of a path.
    #[must_use]
    pub fn row_at(&self, path: &str) -> Option<usize> {
        self.paths.get(&self.rows, path)
    }

    /// The census in numbers.
    #[must_use]
    pub fn summary(&self) -> Summary {
        Summary::of(&self.rows, self.taxonomy(), &self.declaration)
    }

    /// What is to be said about a row beside its class.
    #[must_use]
    pub fn detail(&self, row: &Row) -> String {
        row.detail(self.taxonomy(), &self.declaration)
    }

    /// The kind of a node.
    #[must_use]
    pub fn kind(&self, row: &Row) -> Option<&Kind> {
        self.taxonomy().kinds.at(row.kind?).map(|(_, kind)| kind)
    }

    /// The shelf of a node.
    #[must_use]
    pub fn shelf(&self, row: &Row) -> Option<&Shelf> {
        self.taxonomy().shelves.at(row.shelf?).map(|(_, shelf)| shelf)
    }

    /// How a row came to its kind, or why it has none; none for a row without a document.
    #[must_use]
    pub fn derivation(&self, row: &Row) -> Option<Result<Placed<'_>, Stop>> {
        let document = row.document.as_deref()?;
        Some(type_of(self.taxonomy(), &row.path, document))
    }

    /// The rows that are nodes of the graph, in path order.
    pub fn nodes(&self) -> impl Iterator<Item = (usize, &Row)> {
        self.rows.iter().enumerate().filter(|(_, row)| row.is_node())
    }

    /// The first node with an identifier.
    #[must_use]
    pub fn node(&self, identifier: &str) -> Option<usize> {
        self.index.node(identifier.trim())
    }

    /// The first document that is no node with an identifier.
    #[must_use]
    pub fn near_miss(&self, identifier: &str) -> Option<usize> {
        self.index.near_miss(identifier.trim())
    }

    /// Each claim of an identifier after its first: among nodes in path order, then among the other
    /// documents.
    #[must_use]
    pub fn collisions(&self) -> &[Collision] {
        &self.index.collisions
    }

    /// Every edge half, in path order of the writers, then in file order. An edge is named by its
    /// index here.
    #[must_use]
    pub fn edges(&self) -> &[Edge] {
        &self.graph.edges
    }

    /// One edge half.
    #[must_use]
    pub fn edge(&self, edge: usize) -> Option<&Edge> {
        self.graph.edges.get(edge)
    }

    /// The edge halves that a row wrote, with their indices.
    pub fn edges_of(&self, row: usize) -> impl Iterator<Item = (usize, &Edge)> {
        let range = self.graph.written(row);
        let start = range.start;
        let edges = self.graph.edges.get(range).unwrap_or_default();
        edges.iter().enumerate().map(move |(at, edge)| (start + at, edge))
    }

    /// The edge halves of other documents that name a row, with their indices.
    pub fn edges_to(&self, row: usize) -> impl Iterator<Item = (usize, &Edge)> {
        let all = &self.graph.edges;
        self.graph.incoming(row).iter().filter_map(|&at| Some((at, all.get(at)?)))
    }

    /// The relation of an edge.
    #[must_use]
    pub fn relation(&self, edge: &Edge) -> Option<&Relation> {
        self.taxonomy().relations.at(edge.relation).map(|(_, relation)| relation)
    }

    /// The name that an edge is written under: the relation's or its inverse's.
    #[must_use]
    pub fn written(&self, edge: &Edge) -> &str {
        self.graph.name_of(self.taxonomy(), edge)
    }

    /// The target of an edge, normalized: with the writer's identifier and the written name, the
    /// identity of the edge.
    #[must_use]
    pub fn normalized(&self, edge: &Edge) -> String {
        normalized(&self.rows, &edge.targets, &edge.binding).into_owned()
    }

    /// Every pair of halves between documents, in the order of the first half of each.
    #[must_use]
    pub fn pairs(&self) -> &[Pair] {
        &self.graph.pairs
    }

    /// The pairs that a row is an end of, with their indices.
    pub fn pairs_of(&self, row: usize) -> impl Iterator<Item = (usize, &Pair)> {
        let all = &self.graph.pairs;
        self.graph.pairs_of(row).iter().filter_map(|&at| Some((at, all.get(at)?)))
    }

    /// The relation of a pair.
    #[must_use]
    pub fn relation_of(&self, pair: &Pair) -> Option<&Relation> {
        self.taxonomy().relations.at(pair.relation).map(|(_, relation)| relation)
    }

    /// Everything in relations that is no edge, in path order, then in file order.
    #[must_use]
    pub fn problems(&self) -> &[Problem] {
        &self.graph.problems
    }

    /// What of a row's relations is no edge.
    #[must_use]
    pub fn problems_of(&self, row: usize) -> &[Problem] {
        self.graph.problems_of(row)
    }

    /// What a target would bind to, written by a document with the identifier `asserter` where
    /// `permitted` may stand.
    #[must_use]
    pub fn bind(&self, targets: &[Target], asserter: &str, permitted: &[String]) -> Binding {
        let binder = Binder {
            taxonomy: self.taxonomy(),
            rows: &self.rows,
            index: &self.index,
            resolvers: &self.resolvers,
        };
        binder.bind(targets, asserter, permitted)
    }

    /// The present revision of an anchor; made by the first call.
    #[must_use]
    pub fn revision<'a>(&self, anchor: &'a Anchor) -> &'a Revision {
        anchor.revision.get_or_init(|| match self.resolvers.get(&anchor.resolver) {
            Some(resolver) => resolver.revision(&anchor.parts),
            None => Revision::Never,
        })
    }

    /// The prose links; bound by the first call, which parses every body.
    #[must_use]
    pub fn links(&self) -> &Links {
        self.links.get_or_init(|| self.linker().links())
    }

    fn linker(&self) -> Linker<'_> {
        Linker { root: &self.root, rows: &self.rows, paths: &self.paths }
    }

    /// Where a destination leads from the document at a path. This is what [`Corpus::links`] binds
    /// with, for a reader that kept destinations and need not parse bodies.
    #[must_use]
    pub fn follow(&self, from: &str, destination: &str) -> LinkTarget {
        self.linker().bind(from, destination)
    }

    /// The link itself.
    #[must_use]
    pub fn link(&self, link: &ProseLink) -> Option<&markdown::Link> {
        self.row(link.row)?.document.as_ref()?.markdown().links().get(link.link)
    }

    /// The fragment of a link; none where it has none or an empty one.
    #[must_use]
    pub fn fragment(&self, link: &ProseLink) -> Option<&str> {
        split(&self.link(link)?.destination).1.filter(|fragment| !fragment.is_empty())
    }

    /// Reads bytes as the census reads the document at a path: for a version that is not on disk.
    /// `sidecar` is the path and the bytes of a file that holds its front matter.
    ///
    /// # Errors
    /// Why they are no document.
    pub fn parse(
        &self,
        path: &str,
        bytes: Vec<u8>,
        sidecar: Option<(&str, Vec<u8>)>,
    ) -> Result<Document, Unreadable> {
        let sidecar = sidecar.map(|(path, bytes)| parse_sidecar(path, bytes)).transpose()?;
        parse_document(path, bytes, sidecar, &self.bindings)
    }

    /// Whether the census would read a file at a path as a document.
    #[must_use]
    pub fn takes_document(&self, path: &str) -> bool {
        let root = &self.declaration.root;
        let below = path.strip_prefix(root.as_str());
        let below = below.is_some_and(|rest| root.is_empty() || rest.starts_with('/'));
        let excluded = self.declaration.exclude.iter().any(|rule| rule.pattern.matches(path));
        below && path.ends_with(".md") && !excluded
    }

    /// Every half that a document writes, in file order, and what of its relations is none, with its
    /// bytes; for a version that is not on disk. Nothing is bound, so no repeat is told.
    #[must_use]
    pub fn halves(&self, document: &Document) -> (Vec<Half<'_>>, Vec<(Trouble, Span)>) {
        halves(self.taxonomy(), document)
    }

    /// What language regimes list outside the corpus; read by the first call.
    #[must_use]
    pub fn outside(&self) -> &Outside {
        self.outside.get_or_init(|| {
            let corpus_root = &self.declaration.root;
            Outside::read(&self.root, corpus_root, self.taxonomy(), &self.bindings)
        })
    }

    /// The files that carry the marker of a generator and that no declared projection writes, by path.
    #[must_use]
    pub fn orphans(&self) -> BTreeSet<&str> {
        orphans(self.taxonomy(), &self.rows)
    }

    /// The digest of a file of the census, by path.
    #[must_use]
    pub fn digest(&self, path: &str) -> Option<Digest> {
        self.row(self.row_at(path)?)?.digest
    }
}

/// The resolvers that a repository has.
fn resolvers(
    root: &Path,
    taxonomy: &Taxonomy,
    declaration: &Declaration,
    claims: &Arc<Claims>,
    options: Options,
) -> Result<Resolvers, Vec<Refusal>> {
    let mut all: Vec<Box<dyn Resolver>> = vec![
        Box::new(SourceTree::new(root, &declaration.exclude)),
        Box::new(CheckRule::new(options.rules)),
    ];
    let scanned = taxonomy.anchors.values().find(|anchor| anchor.resolver == comment_scan::NAME);
    if let Some(anchor) = scanned {
        let prefix = anchor.pattern.as_deref().unwrap_or_default();
        all.push(Box::new(CommentScan::new(root, prefix, Arc::clone(claims))));
    }
    let mut resolvers = Resolvers::default();
    match options.canvases {
        Some(canvases) => all.push(Box::new(Canvas(canvases))),
        None => resolvers.say_absent(canvas::NAME, canvas::ABSENT),
    }
    all.extend(options.resolvers);
    for resolver in all {
        if let Err(name) = resolvers.add(resolver) {
            let what = format!("two resolvers are named `{}`", shown(&name));
            let next = Next::Do("rename the one that an import or a harvest declares".to_owned());
            let class = RefusalClass::Input;
            return Err(vec![Refusal::of_file(class, DECLARATION_PATH, what, next)]);
        }
    }
    Ok(resolvers)
}
