//! The run: instances, coverage, findings, obligations, order, read set. It is made once and then only
//! read; the same corpus, lock and day make the same run, cached or not, on any number of threads.

use std::collections::BTreeSet;

use headwater_corpus::{CLAIMS_PATH, Corpus, Outcome as Became};
use headwater_taxonomy::model::{Control, Severity, Taxonomy};

use crate::adoption::Adoption;
use crate::cache::Cache;
use crate::change::{Change, ChangeAccount, PROMOTED};
use crate::coverage::Coverage;
use crate::date::Date;
use crate::finding::Finding;
use crate::manifest::Manifest;
use crate::observations::{OBSERVATIONS_PATH, Observations};
use crate::pins::pins;
use crate::plan::Plan;
use crate::read_set::{Input, ReadSet};
use crate::register::{Register, bound};
use crate::registry::Registry;
use crate::runner::{Runner, row_keys};
use crate::runner_rules::{ADOPTION_EXPIRED, COVERAGE};
use crate::suppression::Suppressions;
use crate::tally::Tallies;
use crate::verification::Verifications;
use crate::view::{Citations, Relatives};

/// The rule that reports a document whose kind its shelf cannot tell: an untyped one, reported as that
/// alone (model §3.2).
const UNTOLD: &str = "shelf.discriminator.unresolved";

/// What a run is made with beside the corpus and the rules.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Settings<'s> {
    /// The day.
    pub now: Date,
    /// What the cache is used for.
    pub cache: Caching,
    /// Whether to count, for every relation, what the ends of its edges have in common.
    pub continuity: bool,
    /// The change that the corpus is the result of, for rules that compare two versions.
    pub change: Option<&'s Manifest>,
}

/// What a run uses the cache for. It never changes a verdict.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Caching {
    /// Nothing: no key is made and no file is touched.
    Off,
    /// To read verdicts; for a run that writes nothing.
    Read,
    /// To read verdicts, and to leave those of this run to the next.
    Keep,
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
    /// What of the taxonomy it passes over, and why, in byte order.
    pub notes: Vec<String>,
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
    /// Every finding, in order, the escaped ones among them.
    pub findings: Vec<Finding>,
    /// Every rule, in registry order.
    pub rules: Vec<RuleAccount>,
    /// What of the census was judged.
    pub coverage: Coverage,
    /// What became of what the taxonomy owes.
    pub register: Register,
    /// How far the documents that prove others are borne out.
    pub verifications: Verifications,
    /// The adoption tasks, and what each held.
    pub adoption: Adoption,
    /// The directives in documents, and what each hid.
    pub suppressions: Suppressions,
    /// Rules that broke.
    pub broken: Vec<Broken>,
    /// What the verdict rests on: what was handed to instances, and what is pinned.
    pub read_set: ReadSet,
    /// What the ends of edges have in common, for each relation in declaration order; empty where it
    /// was not asked for.
    pub continuity: Vec<Continuity>,
    /// What the run made of its change; none where it was given none.
    pub change: Option<ChangeAccount>,
    /// What the cache did.
    pub cache: CacheAccount,
}

impl Run {
    /// The findings that are live, in order.
    pub fn live(&self) -> impl Iterator<Item = &Finding> {
        self.findings.iter().filter(|finding| finding.is_live())
    }

    /// How many live findings have a severity.
    #[must_use]
    pub fn count(&self, severity: Severity) -> usize {
        self.live().filter(|finding| finding.defect.severity == severity).count()
    }

    /// Whether every file of the census could be read and typed, and was judged, but for those of which
    /// that is held or hidden.
    #[must_use]
    pub fn covers_the_census(&self) -> bool {
        self.live().all(|finding| ![COVERAGE, UNTOLD].contains(&finding.rule))
    }

    /// Whether a blocking control of the taxonomy names the rule of a live finding.
    #[must_use]
    pub fn is_blocked(&self, taxonomy: &Taxonomy) -> bool {
        let blocking = taxonomy.controls.values().filter(|control| control.blocking);
        let blocking: BTreeSet<&str> = blocking.filter_map(Control::rule).collect();
        self.live().any(|finding| blocking.contains(finding.rule))
    }
}

/// Judges a corpus.
#[must_use]
pub fn run(corpus: &Corpus, registry: &Registry, settings: Settings<'_>) -> Run {
    let observations = Observations::read(corpus.root());
    let plan = Plan::of(corpus, corpus.taxonomy(), registry, settings.now);
    let ((cache, rows), (relatives, citations)) = rayon::join(
        || match settings.cache {
            Caching::Off => (None, Vec::new()),
            Caching::Read | Caching::Keep => (Some(Cache::read(corpus.root())), row_keys(corpus)),
        },
        || {
            let relatives = match plan.reads_relatives() || settings.continuity {
                true => Relatives::of(corpus),
                false => Relatives::default(),
            };
            let citations = match plan.reads_citations() {
                true => Citations::of(corpus),
                false => Citations::default(),
            };
            (relatives, citations)
        },
    );
    let change = settings.change.map(|manifest| Change::of(corpus, manifest));
    let runner = Runner {
        corpus,
        registry,
        plan: &plan,
        now: settings.now,
        cache: cache.as_ref(),
        observations: &observations,
        relatives: &relatives,
        citations: &citations,
        change: change.as_ref(),
        shelves: shelves(corpus),
        rows,
    };
    let mut tallies = Tallies::default();
    runner.documents(&mut tallies);
    runner.outside(&mut tallies);
    runner.entries(&mut tallies);
    runner.pairs(&mut tallies);
    runner.neighbourhoods(&mut tallies);
    runner.shelves(&mut tallies);
    let compared = runner.barriers(&mut tallies);
    let (((mut coverage, unchecked), handed), (mut suppressions, written)) = rayon::join(
        || rayon::join(|| Coverage::of(corpus, &tallies, &runner), || runner.handed(&tallies)),
        || {
            let kept = cache.as_ref().filter(|_| settings.cache == Caching::Keep);
            let kept = kept.map(|cache| cache.replace(corpus.root(), tallies.entries()));
            (Suppressions::read(corpus, registry, settings.now), kept)
        },
    );
    let taxonomy = corpus.taxonomy();
    let (register, mut declared) = Register::of(taxonomy, registry, &observations);
    let mut adoption = Adoption::read(corpus.lock().adoption.as_ref(), registry, settings.now);
    declared.extend(adoption.expired().into_iter().map(|defect| (ADOPTION_EXPIRED, defect)));
    let (unpinned, pinned) = pins(corpus);
    declared.extend(unpinned);
    let obligations = bound(taxonomy);
    let found = tallies.take(|part| &mut part.defects).into_iter().map(|(template, defect)| {
        (registry.templates().get(template).map_or("", |template| template.about().id), defect)
    });
    let unchecked = unchecked.into_iter().map(|defect| (COVERAGE, defect));
    let mut findings: Vec<Finding> = found
        .chain(unchecked)
        .chain(declared)
        .map(|(rule, defect)| {
            let bound = obligations.get(rule).filter(|bound| bound.len() == 1);
            let obligation = bound.and_then(|bound| bound.first()).cloned();
            Finding { rule, obligation, defect, escape: None }
        })
        .collect();
    findings.sort_by(|a, b| a.order().cmp(&b.order()));
    let change = change.as_ref().map(|change| {
        let promoted = findings.iter().filter(|finding| finding.rule == PROMOTED);
        ChangeAccount { promotions: promoted.count(), ..change.account(corpus) }
    });
    adoption.hold(&mut findings);
    suppressions.hide(corpus, &mut findings);
    coverage.unaccounted = unaccounted(corpus, &handed);
    let inputs = handed.into_iter().chain(pinned).collect();
    let (instances, mut notes) = (tallies.instances(), plan.notes());
    let read_set = ReadSet::of(corpus, registry, &tallies, &instances, settings.now, inputs);
    let rules = registry.templates().iter().enumerate().map(|(at, template)| {
        let about = template.about();
        RuleAccount {
            rule: about.id,
            scope: template.scope().to_string(),
            edition: about.edition,
            instances: instances.get(at).copied().unwrap_or_default(),
            obligations: obligations.get(about.id).into_iter().flatten().cloned().collect(),
            compared: compared.get(&at).copied(),
            notes: notes.remove(&at).into_iter().flatten().collect(),
        }
    });
    let rules = rules.collect();
    let unwritten = written.and_then(Result::err);
    let account = CacheAccount {
        served: tallies.sum(|part| part.served),
        evaluated: tallies.sum(|part| part.evaluated),
        unkeyed: tallies.sum(|part| part.unkeyed),
        unwritten: unwritten.map(|(path, error)| (path.display().to_string(), error.to_string())),
    };
    Run {
        now: settings.now,
        findings,
        rules,
        coverage,
        register,
        verifications: Verifications::of(corpus, &observations),
        adoption,
        suppressions,
        broken: tallies.take(|part| &mut part.broken),
        read_set,
        continuity: if settings.continuity { runner.continuity() } else { Vec::new() },
        change,
        cache: account,
    }
}

/// The typed documents of each shelf, by the place of the shelf.
fn shelves(corpus: &Corpus) -> Vec<Vec<usize>> {
    let mut shelves = vec![Vec::new(); corpus.taxonomy().shelves.len()];
    for (at, row) in corpus.rows().iter().enumerate() {
        if !matches!(row.outcome, Became::Typed) {
            continue;
        }
        if let Some(rows) = row.shelf.and_then(|shelf| shelves.get_mut(shelf)) {
            rows.push(at);
        }
    }
    shelves
}

/// What was read and is neither of the census nor declared to be read beside it. Both are in path order.
fn unaccounted(corpus: &Corpus, handed: &[Input]) -> Vec<String> {
    let listed = |path: &str| {
        let files = &corpus.outside().files;
        files.binary_search_by(|file| file.path.as_str().cmp(path)).is_ok()
    };
    let mut rows = corpus.rows().iter().peekable();
    let mut known = |path: &str| {
        while rows.next_if(|row| row.path.as_str() < path).is_some() {}
        rows.peek().is_some_and(|row| row.path == path)
            || [CLAIMS_PATH, OBSERVATIONS_PATH].contains(&path)
            || listed(path)
    };
    handed.iter().filter(|input| !known(&input.path)).map(|input| input.path.clone()).collect()
}
