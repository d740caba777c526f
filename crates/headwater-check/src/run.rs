//! The run: instances, coverage, findings, obligations, order, read set. It is made once and then only
//! read; the same corpus, lock and day make the same run, cached or not, on any number of threads.

use std::any::Any;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::panic::{AssertUnwindSafe, catch_unwind};

use headwater_corpus::{CLAIMS_PATH, Corpus, Digest, Outcome as Became};
use headwater_taxonomy::model::{Severity, Taxonomy};
use rayon::prelude::*;
use sha2::Digest as _;

use crate::cache::{Cache, Value};
use crate::coverage::{COVERAGE, Coverage};
use crate::date::Date;
use crate::finding::{Finding, Outcome};
use crate::key::{Canonical, Key};
use crate::observations::{OBSERVATIONS_PATH, Observations};
use crate::plan::{Group, Plan};
use crate::registry::{CorpusInstance, Registry};
use crate::rule::{CorpusNeeds, PairNeeds};
use crate::tally::{Held, Routed, Skip, Tally, Unit, decode, encode};
use crate::view::{
    CorpusView, DocumentView, EntryView, Extract, Linked, NeighbourhoodView, PairView, Relatives,
    ShelfView, neighbours, resolution,
};

/// How many targets one thread takes at a time.
const CHUNK: usize = 64;

/// What a run is made with beside the corpus and the rules.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Settings {
    /// The day.
    pub now: Date,
    /// Whether verdicts are read from the cache and kept there.
    pub cache: bool,
    /// Whether to count, for every relation, what the ends of its edges have in common.
    pub continuity: bool,
}

/// A rule that failed to judge a target, which is a defect of the rule and not of the corpus.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Broken {
    /// The rule.
    pub rule: &'static str,
    /// What it was over.
    pub target: String,
    /// What it said.
    pub words: String,
}

/// What a rule did in a run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RuleAccount {
    /// The rule.
    pub rule: &'static str,
    /// Its scope, in words.
    pub scope: String,
    /// Its edition.
    pub edition: u32,
    /// How many instances it had.
    pub instances: usize,
    /// The obligations of the controls that name it, in byte order.
    pub obligations: Vec<String>,
    /// How many things it compared, for a rule whose silence over none would look like agreement.
    pub compared: Option<usize>,
}

/// A file that an instance of the run was handed.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Input {
    /// The path below the repository root.
    pub path: String,
    /// The digest of its bytes; none where they were not read.
    pub digest: Option<Digest>,
}

/// How much the ends of the edges of a relation have in common.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Continuity {
    /// The relation.
    pub relation: String,
    /// How many of its edges have ends that share 0, 1, 2, and 3 or more marks.
    pub edges: [usize; 4],
}

/// The facets that count as marks of continuity: those with a closed set and without a role. Two
/// documents that are both in force share nothing by it.
#[must_use]
pub fn marks(taxonomy: &Taxonomy) -> Vec<String> {
    let closed = taxonomy.facets.values();
    let closed = closed.filter(|facet| facet.values.is_some() && facet.role.is_none());
    closed.map(|facet| facet.name.clone()).collect()
}

/// What the cache did. It is a fact about a disk and no part of a verdict.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CacheAccount {
    /// Instances whose verdict was served.
    pub served: usize,
    /// Instances that were evaluated for a verdict that is kept.
    pub evaluated: usize,
    /// Instances that have no verdict to keep, or none is kept.
    pub unkeyed: usize,
    /// The path that could not be written and why.
    pub unwritten: Option<(String, String)>,
}

/// A finished run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Run {
    /// The day.
    pub now: Date,
    /// Every finding, in order.
    pub findings: Vec<Finding>,
    /// Every rule, in registry order.
    pub rules: Vec<RuleAccount>,
    /// What of the census was judged.
    pub coverage: Coverage,
    /// Rules that broke.
    pub broken: Vec<Broken>,
    /// What the instances read, in path order.
    pub read_set: Vec<Input>,
    /// What the ends of edges have in common, for each relation in declaration order; empty where it
    /// was not asked for.
    pub continuity: Vec<Continuity>,
    /// What the cache did.
    pub cache: CacheAccount,
}

impl Run {
    /// How many findings have a severity.
    #[must_use]
    pub fn count(&self, severity: Severity) -> usize {
        self.findings.iter().filter(|finding| finding.defect.severity == severity).count()
    }

    /// Whether every file of the census could be read and typed, and was judged.
    #[must_use]
    pub fn covers_the_census(&self) -> bool {
        self.findings.iter().all(|finding| finding.rule != COVERAGE)
    }
}

/// Judges a corpus.
#[must_use]
pub fn run(corpus: &Corpus, registry: &Registry, settings: Settings) -> Run {
    let cache = settings.cache.then(|| Cache::read(corpus.root()));
    let observations = Observations::read(corpus.root());
    let plan = Plan::of(corpus, corpus.taxonomy(), registry, settings.now);
    let relatives = if plan.reads_relatives() || settings.continuity {
        Relatives::of(corpus)
    } else {
        Relatives::default()
    };
    let runner = Runner {
        corpus,
        registry,
        plan: &plan,
        now: settings.now,
        cache: cache.as_ref(),
        observations: &observations,
        relatives: &relatives,
        shelves: shelves(corpus),
    };
    let mut tally = Tally::default();
    runner.documents(&mut tally);
    runner.entries(&mut tally);
    runner.pairs(&mut tally);
    runner.neighbourhoods(&mut tally);
    runner.shelves(&mut tally);
    let compared = runner.barriers(&mut tally);
    let (mut coverage, unchecked) =
        Coverage::of(corpus, registry, &tally, |unit| runner.routed_rows(unit));
    let obligations = obligations(corpus);
    let found = tally.defects.drain(..).map(|(template, defect)| {
        (registry.templates().get(template).map_or("", |template| template.about().id), defect)
    });
    let unchecked = unchecked.into_iter().map(|defect| (COVERAGE, defect));
    let mut findings: Vec<Finding> = found
        .chain(unchecked)
        .map(|(rule, defect)| {
            let bound = obligations.get(rule).filter(|bound| bound.len() == 1);
            let obligation = bound.and_then(|bound| bound.first()).cloned();
            Finding { rule, obligation, defect }
        })
        .collect();
    findings.sort_by(|a, b| a.order().cmp(&b.order()));
    let read_set = runner.read_set(&tally);
    coverage.unaccounted = unaccounted(corpus, &read_set);
    let rules = registry.templates().iter().enumerate().map(|(at, template)| {
        let about = template.about();
        RuleAccount {
            rule: about.id,
            scope: template.scope().to_string(),
            edition: about.edition,
            instances: tally.instances.get(at).copied().unwrap_or_default(),
            obligations: obligations.get(about.id).into_iter().flatten().cloned().collect(),
            compared: compared.get(&at).copied(),
        }
    });
    let rules = rules.collect();
    let mut account = CacheAccount {
        served: tally.served,
        evaluated: tally.evaluated,
        unkeyed: tally.unkeyed,
        unwritten: None,
    };
    if let Some(cache) = &cache
        && let Err((path, error)) = cache.replace(corpus.root(), tally.entries)
    {
        account.unwritten = Some((path.display().to_string(), error.to_string()));
    }
    Run {
        now: settings.now,
        findings,
        rules,
        coverage,
        broken: tally.broken,
        read_set,
        continuity: if settings.continuity { runner.continuity() } else { Vec::new() },
        cache: account,
    }
}

/// The obligations that the controls of each rule discharge.
fn obligations(corpus: &Corpus) -> BTreeMap<&str, BTreeSet<String>> {
    let mut bound: BTreeMap<&str, BTreeSet<String>> = BTreeMap::new();
    for control in corpus.taxonomy().controls.values() {
        if let Some(rule) = control.rule() {
            bound.entry(rule).or_default().extend(control.discharges.iter().cloned());
        }
    }
    bound
}

/// The typed documents of each shelf, by the place of the shelf.
fn shelves(corpus: &Corpus) -> Vec<Vec<usize>> {
    let taxonomy = corpus.taxonomy();
    let places: HashMap<&str, usize> =
        taxonomy.shelves.names().enumerate().map(|(at, name)| (name, at)).collect();
    let mut shelves = vec![Vec::new(); taxonomy.shelves.len()];
    for (at, row) in corpus.rows().iter().enumerate() {
        if !matches!(row.outcome, Became::Typed) {
            continue;
        }
        let shelf = corpus.shelf(row).and_then(|shelf| places.get(shelf.name.as_str()));
        if let Some(rows) = shelf.and_then(|place| shelves.get_mut(*place)) {
            rows.push(at);
        }
    }
    shelves
}

fn unaccounted(corpus: &Corpus, read_set: &[Input]) -> Vec<String> {
    let known = |path: &str| {
        [CLAIMS_PATH, OBSERVATIONS_PATH].contains(&path) || corpus.row_at(path).is_some()
    };
    read_set.iter().filter(|input| !known(&input.path)).map(|input| input.path.clone()).collect()
}

struct Runner<'r> {
    corpus: &'r Corpus,
    registry: &'r Registry,
    plan: &'r Plan<'r>,
    now: Date,
    cache: Option<&'r Cache>,
    observations: &'r Observations,
    relatives: &'r Relatives,
    shelves: Vec<Vec<usize>>,
}

impl Runner<'_> {
    /// The rows whose documents a unit is handed, in the order in which keys name them.
    fn inputs(&self, unit: Unit) -> Vec<usize> {
        match unit {
            Unit::Document(row) => vec![row],
            Unit::Entry(edge) => match self.corpus.edge(edge) {
                None => Vec::new(),
                Some(edge) => {
                    let far = edge.document().filter(|far| *far != edge.source);
                    std::iter::once(edge.source).chain(far).collect()
                }
            },
            Unit::Pair(pair) => match self.corpus.pairs().get(pair) {
                None => Vec::new(),
                Some(pair) if pair.from == pair.to => vec![pair.from],
                Some(pair) => vec![pair.from, pair.to],
            },
            Unit::Neighbourhood(row) => {
                let around = neighbours(self.corpus, row);
                let far = around.iter().filter_map(|neighbour| neighbour.parts().0);
                let mut rows = vec![row];
                rows.extend(far.collect::<BTreeSet<_>>().into_iter().filter(|far| *far != row));
                rows
            }
            Unit::Shelf(shelf) => self.shelves.get(shelf).cloned().unwrap_or_default(),
            Unit::Corpus => {
                let rows = self.corpus.rows().iter().enumerate();
                rows.filter(|(_, row)| row.document.is_some()).map(|(at, _)| at).collect()
            }
        }
    }

    /// The rows that a unit counts for in coverage.
    fn routed_rows(&self, unit: Unit) -> Vec<usize> {
        match unit {
            Unit::Shelf(_) | Unit::Corpus => Vec::new(),
            unit => self.inputs(unit),
        }
    }

    fn target(&self, unit: Unit) -> String {
        match unit {
            Unit::Corpus => "the corpus".to_owned(),
            Unit::Shelf(shelf) => {
                let name = self.corpus.taxonomy().shelves.at(shelf).map_or("", |(name, _)| name);
                format!("the shelf {name}")
            }
            unit => {
                let row = self.inputs(unit).first().and_then(|&row| self.corpus.row(row));
                row.map_or_else(String::new, |row| row.path.clone())
            }
        }
    }

    /// Judges one group over one unit, from the cache where it is there.
    fn judge<I: ?Sized, N>(
        &self,
        tally: &mut Tally,
        unit: Unit,
        group: &Group<I, N>,
        key: impl FnOnce(&mut Canonical),
        evaluate: impl Fn(&I) -> Option<Outcome>,
    ) {
        let key: Option<Key> = self.cache.map(|_| {
            let mut canonical = group.base.clone();
            key(&mut canonical);
            canonical.finish()
        });
        let record = self.cache.zip(key.as_ref()).and_then(|(cache, key)| cache.get(key));
        let held = record.and_then(|record| decode(record, group.members.len()));
        let mut routed = Routed { unit, created: 0, ran: 0 };
        let mut fresh: Option<Vec<Option<Outcome>>> = held.is_none().then(Vec::new);
        let mut held = held.unwrap_or_default().into_iter();
        for (template, instance) in &group.members {
            tally.count(*template);
            let outcome = match held.next() {
                Some(Held::Pass) => {
                    tally.served += 1;
                    Some(Outcome::Pass)
                }
                Some(Held::Fail(defects)) => {
                    tally.served += 1;
                    Some(Outcome::Fail(defects))
                }
                Some(Held::Nothing) | None => {
                    let outcome = self.evaluate(tally, *template, unit, || evaluate(instance));
                    match outcome {
                        Some(Outcome::Pass | Outcome::Fail(_)) if key.is_some() => {
                            tally.evaluated += 1;
                        }
                        _ => tally.unkeyed += 1,
                    }
                    outcome
                }
            };
            if self.registry.templates().get(*template).is_some_and(|template| template.routes) {
                routed.created += 1;
                routed.ran +=
                    usize::from(matches!(outcome, Some(Outcome::Pass | Outcome::Fail(_))));
            }
            if let Some(fresh) = &mut fresh {
                fresh.push(outcome.clone());
            }
            match outcome {
                Some(Outcome::Fail(defects)) => {
                    tally.defects.extend(defects.into_iter().map(|defect| (*template, defect)));
                }
                Some(Outcome::Skip(reason)) => {
                    tally.skips.push(Skip { template: *template, unit, reason });
                }
                Some(Outcome::Pass) | None => {}
            }
        }
        if routed.created > 0 {
            tally.routed.push(routed);
        }
        if let Some(key) = key {
            let value = fresh.map_or(Value::Kept, |outcomes| Value::New(encode(&outcomes)));
            tally.entries.push((key, value));
        }
    }

    /// Evaluates one instance. One that breaks is recorded and takes nothing else with it.
    fn evaluate(
        &self,
        tally: &mut Tally,
        template: usize,
        unit: Unit,
        evaluate: impl FnOnce() -> Option<Outcome>,
    ) -> Option<Outcome> {
        match catch_unwind(AssertUnwindSafe(evaluate)) {
            Ok(outcome) => {
                Some(outcome.unwrap_or_else(|| Outcome::skip("the document is not readable")))
            }
            Err(defect) => {
                let rule = self.registry.templates().get(template).map_or("", |it| it.about().id);
                let (target, words) = (self.target(unit), words(defect.as_ref()));
                tally.broken.push(Broken { rule, target, words });
                None
            }
        }
    }

    /// Judges many targets in parallel and puts what they came to together in their order.
    fn each(&self, tally: &mut Tally, targets: usize, judge: impl Fn(&mut Tally, usize) + Sync) {
        let places: Vec<usize> = (0..targets).collect();
        let parts: Vec<Tally> = places
            .par_chunks(CHUNK)
            .map(|chunk| {
                let mut part = Tally::default();
                for &at in chunk {
                    judge(&mut part, at);
                }
                part
            })
            .collect();
        for part in parts {
            tally.append(part);
        }
    }

    fn typed_kind(&self, row: usize) -> Option<&str> {
        let row = self.corpus.row(row)?;
        let typed = matches!(row.outcome, Became::Typed);
        self.corpus.kind(row).filter(|_| typed).map(|kind| kind.name.as_str())
    }

    fn documents(&self, tally: &mut Tally) {
        self.each(tally, self.corpus.rows().len(), |tally, row| {
            let groups = self.typed_kind(row).and_then(|kind| self.plan.documents.get(kind));
            for group in groups.into_iter().flatten() {
                let key = |key: &mut Canonical| {
                    key.row_at(self.corpus, row);
                    if group.needs.phase_a {
                        key.text(&format!("{:?}", Problems(self.corpus, row)));
                    }
                };
                self.judge(tally, Unit::Document(row), group, key, |rule| {
                    let view = DocumentView::of(self.corpus, row, group.needs, self.now)?;
                    Some(rule.judge(&view))
                });
            }
        });
    }

    fn entries(&self, tally: &mut Tally) {
        self.each(tally, self.corpus.edges().len(), |tally, at| {
            let Some(edge) = self.corpus.edge(at) else { return };
            let Some(relation) = self.corpus.relation(edge) else { return };
            for group in self.plan.entries.get(relation.name.as_str()).into_iter().flatten() {
                let key = |key: &mut Canonical| {
                    self.keyed_inputs(key, Unit::Entry(at));
                    key.text(self.corpus.written(edge));
                    key.number(edge.span.start as u64).number(edge.span.end as u64);
                    key.text(&resolution(self.corpus, &edge.binding));
                };
                self.judge(tally, Unit::Entry(at), group, key, |rule| {
                    Some(rule.judge(&EntryView::of(self.corpus, at)?))
                });
            }
        });
    }

    fn pairs(&self, tally: &mut Tally) {
        self.each(tally, self.corpus.pairs().len(), |tally, at| {
            let Some(pair) = self.corpus.pairs().get(at) else { return };
            let Some(relation) = self.corpus.relation_of(pair) else { return };
            for group in self.plan.pairs.get(relation.name.as_str()).into_iter().flatten() {
                let key = |key: &mut Canonical| {
                    self.keyed_inputs(key, Unit::Pair(at));
                    for half in [pair.declared, pair.inverse] {
                        // Which halves there are depends on what other documents claim.
                        let span =
                            half.and_then(|half| self.corpus.edge(half)).map(|edge| edge.span);
                        key.text(&format!("{span:?}"));
                    }
                    if group.needs.observations {
                        key.digest(self.observations.input().flatten().as_ref());
                    }
                    if group.needs.relatives {
                        for row in [pair.from, pair.to] {
                            let relatives = self.relatives.get(row);
                            key.number(relatives.len() as u64);
                            for relative in relatives {
                                key.text(relative);
                            }
                        }
                    }
                };
                self.judge(tally, Unit::Pair(at), group, key, |rule| {
                    let (observations, relatives) = (self.observations, self.relatives);
                    let (needs, corpus) = (group.needs, self.corpus);
                    let view = PairView::of(corpus, pair, needs, observations, relatives)?;
                    Some(rule.judge(&view))
                });
            }
        });
    }

    fn neighbourhoods(&self, tally: &mut Tally) {
        self.each(tally, self.corpus.rows().len(), |tally, row| {
            let groups = self.typed_kind(row).and_then(|kind| self.plan.neighbourhoods.get(kind));
            let Some(groups) = groups.filter(|groups| !groups.is_empty()) else { return };
            let around = neighbours(self.corpus, row);
            for group in groups {
                let key = |key: &mut Canonical| {
                    self.keyed_inputs(key, Unit::Neighbourhood(row));
                    key.number(around.len() as u64);
                    for neighbour in &around {
                        let (far, half, side) = neighbour.parts();
                        key.text(neighbour.relation()).text(side.word());
                        key.row_at(self.corpus, half.edge().source);
                        key.number(half.edge().span.start as u64);
                        match far {
                            Some(far) => key.row_at(self.corpus, far),
                            None => key.text(&resolution(self.corpus, &half.edge().binding)),
                        };
                    }
                };
                self.judge(tally, Unit::Neighbourhood(row), group, key, |rule| {
                    let (needs, around) = (group.needs, around.clone());
                    let view = NeighbourhoodView::of(self.corpus, row, around, needs, self.now)?;
                    Some(rule.judge(&view))
                });
            }
        });
    }

    fn shelves(&self, tally: &mut Tally) {
        self.each(tally, self.shelves.len(), |tally, at| {
            let Some((name, _)) = self.corpus.taxonomy().shelves.at(at) else { return };
            let rows = self.shelves.get(at).map_or(&[][..], Vec::as_slice);
            for group in self.plan.shelves.get(name).into_iter().flatten() {
                let key = |key: &mut Canonical| self.keyed_inputs(key, Unit::Shelf(at));
                self.judge(tally, Unit::Shelf(at), group, key, |rule| {
                    Some(rule.judge(&ShelfView::of(self.corpus, name, rows)))
                });
            }
        });
    }

    /// The corpus rules, each a barrier. Gives back how many things each template compared.
    fn barriers(&self, tally: &mut Tally) -> HashMap<usize, usize> {
        let linked = if self.plan.reads_links() { self.links(tally) } else { Linked::default() };
        let documents = self.cache.map(|_| {
            let mut documents = Canonical::new(sha2::Sha256::new());
            self.keyed_inputs(&mut documents, Unit::Corpus);
            documents.finish()
        });
        let places = self.cache.filter(|_| self.plan.reads_links()).map(|_| self.link_key(&linked));
        let parts: Vec<(Tally, Option<(usize, usize)>)> = self
            .plan
            .corpus
            .par_iter()
            .map(|group| {
                let mut part = Tally::default();
                let key = |key: &mut Canonical| {
                    for component in [documents, places.filter(|_| group.needs.links)] {
                        key.bytes(&component.unwrap_or_default());
                    }
                    self.corpus_key(key, group.needs);
                };
                let view = CorpusView::of(self.corpus, group.needs, &linked);
                let judge = |rule: &(dyn CorpusInstance + 'static)| Some(rule.judge(&view));
                self.judge(&mut part, Unit::Corpus, group, key, judge);
                let compared = group.members.iter().find_map(|(template, rule)| {
                    let compared = catch_unwind(AssertUnwindSafe(|| rule.compared(&view)));
                    Some((*template, compared.ok().flatten()?))
                });
                (part, compared)
            })
            .collect();
        let mut compared = HashMap::new();
        for (part, count) in parts {
            tally.append(part);
            compared.extend(count);
        }
        compared
    }

    fn corpus_key(&self, key: &mut Canonical, needs: CorpusNeeds) {
        if needs.claims {
            key.digest(Some(&self.corpus.claims().digest()));
            // A claim is judged by whether its path is of the census.
            self.census(key);
        }
        if needs.graph {
            for pair in self.corpus.pairs() {
                key.row_at(self.corpus, pair.from).row_at(self.corpus, pair.to);
                key.text(self.corpus.relation_of(pair).map_or("", |relation| &relation.name));
                let span =
                    pair.half().and_then(|half| self.corpus.edge(half)).map(|edge| edge.span);
                key.text(&format!("{span:?}"));
            }
        }
    }

    fn census(&self, key: &mut Canonical) {
        key.number(self.corpus.rows().len() as u64);
        for row in self.corpus.rows() {
            key.text(&row.path).text(row.class().label());
        }
    }

    /// What of the links no document decides: where each leads, and which paths there are.
    fn link_key(&self, linked: &Linked) -> Key {
        let mut key = Canonical::new(sha2::Sha256::new());
        self.census(&mut key);
        for (_, targets) in &linked.0 {
            key.number(targets.len() as u64);
            for target in targets {
                match target {
                    headwater_corpus::LinkTarget::Corpus(row) => key.row_at(self.corpus, *row),
                    target => key.text(&format!("{target:?}")),
                };
            }
        }
        key.finish()
    }

    /// The links of every document: their bodies parsed, or what the cache kept of them.
    fn links(&self, tally: &mut Tally) -> Linked {
        let mut base = Canonical::new(sha2::Sha256::new());
        base.text("links").text(env!("CARGO_PKG_VERSION")).number(1);
        type Read = (Extract, Vec<headwater_corpus::LinkTarget>, Option<(Key, Value)>);
        let read: Vec<Read> = self
            .corpus
            .rows()
            .par_iter()
            .map(|row| {
                let Some(document) = row.document.as_deref() else { return Read::default() };
                let mut entry = None;
                let mut extract: Option<Extract> = None;
                if let Some((cache, digest)) = self.cache.zip(row.digest) {
                    let mut key = base.clone();
                    key.digest(Some(&digest));
                    let key = key.finish();
                    extract = cache.get(&key).and_then(|kept| serde_json::from_slice(kept).ok());
                    entry = Some((key, Value::Kept));
                }
                let extract = extract.unwrap_or_else(|| {
                    let extract = Extract::of(document);
                    if let Some((_, value)) = &mut entry {
                        // Texts and numbers always serialize.
                        *value = Value::New(serde_json::to_vec(&extract).unwrap_or_default());
                    }
                    extract
                });
                let follow =
                    |link: &crate::view::LinkFact| self.corpus.follow(&row.path, &link.destination);
                let targets = extract.links.iter().map(follow).collect();
                (extract, targets, entry)
            })
            .collect();
        let mut linked = Vec::with_capacity(read.len());
        for (extract, targets, entry) in read {
            linked.push((extract, targets));
            tally.entries.extend(entry);
        }
        Linked(linked)
    }

    fn keyed_inputs(&self, key: &mut Canonical, unit: Unit) {
        let rows = self.inputs(unit);
        key.number(rows.len() as u64);
        for row in rows {
            key.row_at(self.corpus, row);
        }
    }

    /// What the ends of the edges of each relation have in common.
    fn continuity(&self) -> Vec<Continuity> {
        let taxonomy = self.corpus.taxonomy();
        let closed = marks(taxonomy);
        let needs = PairNeeds { relatives: true, ..PairNeeds::NONE };
        let shared: Vec<Option<(&str, usize)>> = self
            .corpus
            .pairs()
            .par_iter()
            .map(|pair| {
                let (observations, relatives) = (self.observations, self.relatives);
                let view = PairView::of(self.corpus, pair, needs, observations, relatives)?;
                Some((self.corpus.relation_of(pair)?.name.as_str(), view.shared_marks(&closed, 3)?))
            })
            .collect();
        let mut counts: HashMap<&str, [usize; 4]> = HashMap::new();
        for (relation, marks) in shared.into_iter().flatten() {
            if let Some(count) = counts.entry(relation).or_default().get_mut(marks) {
                *count += 1;
            }
        }
        let count = |relation: &str| counts.get(relation).copied().unwrap_or_default();
        let relations = taxonomy.relations.names();
        relations.map(|name| Continuity { relation: name.to_owned(), edges: count(name) }).collect()
    }

    /// The union of what the instances of the run were handed.
    fn read_set(&self, tally: &Tally) -> Vec<Input> {
        let ran = |at: usize| tally.instances.get(at).is_some_and(|count| *count > 0);
        let mut read = vec![false; self.corpus.rows().len()];
        let mut mark = |unit: Unit| {
            for row in self.inputs(unit) {
                if let Some(read) = read.get_mut(row) {
                    *read = true;
                }
            }
        };
        if !self.plan.corpus.is_empty() {
            mark(Unit::Corpus);
        } else {
            tally.routed.iter().for_each(|routed| mark(routed.unit));
            tally.skips.iter().for_each(|skip| mark(skip.unit));
            (0..self.shelves.len()).for_each(|shelf| mark(Unit::Shelf(shelf)));
        }
        let rows = self.corpus.rows().iter().zip(read).filter(|(_, read)| *read);
        let mut inputs: Vec<Input> = rows
            .flat_map(|(row, _)| row.inputs())
            .map(|(path, digest)| Input { path: path.to_owned(), digest: Some(digest) })
            .collect();
        if self.plan.corpus.iter().any(|group| group.needs.claims) {
            let digest = Some(self.corpus.claims().digest());
            inputs.push(Input { path: CLAIMS_PATH.to_owned(), digest });
        }
        let observed = self.plan.pairs.values().flatten().any(|group| {
            group.needs.observations && group.members.iter().any(|(template, _)| ran(*template))
        });
        if let Some(digest) = self.observations.input().filter(|_| observed) {
            inputs.push(Input { path: OBSERVATIONS_PATH.to_owned(), digest });
        }
        inputs.sort_unstable();
        inputs.dedup();
        inputs
    }
}

/// The problems of a row without its place among the rows, for keys.
struct Problems<'c>(&'c Corpus, usize);

impl std::fmt::Debug for Problems<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let problems = self.0.problems_of(self.1).iter();
        f.debug_list().entries(problems.map(|problem| (&problem.trouble, problem.span))).finish()
    }
}

fn words(defect: &(dyn Any + Send)) -> String {
    let text = defect.downcast_ref::<String>().map(String::as_str);
    text.or_else(|| defect.downcast_ref::<&str>().copied()).unwrap_or("no words").to_owned()
}
