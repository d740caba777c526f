//! The runner: it hands every instance its view, from the cache where the verdict is there, and keeps
//! account of what each came to. What it hands over is what it keys and what it records; both come from
//! one list of inputs for each unit.

use std::any::Any;
use std::borrow::Cow;
use std::cell::LazyCell;
use std::collections::BTreeSet;
use std::panic::{AssertUnwindSafe, catch_unwind};

use headwater_corpus::{
    Anchor, Binding, CLAIMS_PATH, Corpus, Edge, Outcome as Became, Problem, Row, Unbound,
};
use rayon::prelude::*;
use sha2::Digest as _;

use crate::cache::Cache;
use crate::change::{Change, NO_CHANGE, Stated};
use crate::date::Date;
use crate::finding::Outcome;
use crate::key::{Canonical, Key};
use crate::observations::{OBSERVATIONS_PATH, Observations};
use crate::plan::{Group, Member, Plan};
use crate::read_set::Input;
use crate::registry::{DocumentInstance, Registry};
use crate::rule::DocumentNeeds;
use crate::run::Broken;
use crate::tally::{Held, Record, Skip, Tallies, Tally, Templates, Unit, encode};
use crate::view::{
    Citations, DocumentView, EntryView, NeighbourhoodView, PairView, Relatives, ShelfView, Shown,
    neighbours,
};

/// How many targets one thread takes at a time.
const CHUNK: usize = 64;

pub(crate) struct Runner<'r> {
    pub corpus: &'r Corpus,
    pub registry: &'r Registry,
    pub plan: &'r Plan<'r>,
    pub now: Date,
    pub cache: Option<&'r Cache>,
    pub observations: &'r Observations,
    pub relatives: &'r Relatives,
    pub citations: &'r Citations<'r>,
    pub change: Option<&'r Change<'r>>,
    pub shelves: Vec<Vec<usize>>,
    /// A digest for each row, over its path and the files that its document was made of, so that a key
    /// takes in a document in one step however many keys name it. Empty where nothing is keyed.
    pub rows: Vec<Key>,
}

impl<'r> Runner<'r> {
    /// Visits the rows whose documents a unit is handed, in the order in which keys name them.
    fn each_input(&self, unit: Unit, mut visit: impl FnMut(usize)) {
        match unit {
            Unit::Document(row) => visit(row),
            Unit::Outside(_) => {}
            Unit::Entry(edge) => {
                let Some(edge) = self.corpus.edge(edge) else { return };
                visit(edge.source);
                edge.document().into_iter().filter(|far| *far != edge.source).for_each(visit);
            }
            Unit::Pair(pair) => {
                let Some(pair) = self.corpus.pairs().get(pair) else { return };
                visit(pair.from);
                Some(pair.to).into_iter().filter(|to| *to != pair.from).for_each(visit);
            }
            Unit::Neighbourhood(row) => {
                visit(row);
                let around = neighbours(self.corpus, row);
                let far = around.iter().filter_map(|neighbour| neighbour.parts().0);
                let far: BTreeSet<usize> = far.filter(|far| *far != row).collect();
                far.into_iter().for_each(visit);
            }
            Unit::Shelf(shelf) => {
                self.shelves.get(shelf).into_iter().flatten().copied().for_each(visit)
            }
            Unit::Corpus => {
                let rows = self.corpus.rows().iter().enumerate();
                rows.filter(|(_, row)| row.document.is_some()).for_each(|(at, _)| visit(at));
            }
        }
    }

    /// Visits the rows that a unit counts for in coverage.
    pub(crate) fn each_routed(&self, unit: Unit, visit: impl FnMut(usize)) {
        match unit {
            Unit::Shelf(_) | Unit::Corpus => {}
            unit => self.each_input(unit, visit),
        }
    }

    fn target(&self, unit: Unit) -> String {
        match unit {
            Unit::Corpus => "the corpus".to_owned(),
            Unit::Shelf(shelf) => {
                let name = self.corpus.taxonomy().shelves.at(shelf).map_or("", |(name, _)| name);
                format!("the shelf {name}")
            }
            Unit::Outside(file) => {
                self.corpus.outside().files.get(file).map_or_else(String::new, |it| it.path.clone())
            }
            unit => {
                let mut first = None;
                self.each_input(unit, |row| first = first.or(Some(row)));
                let row = first.and_then(|row| self.corpus.row(row));
                row.map_or_else(String::new, |row| row.path.clone())
            }
        }
    }

    /// Judges one group over one unit, from the cache where it is there. Which members are `selected`, the
    /// target and the lock decide.
    fn judge<I: ?Sized, N>(
        &self,
        tally: &mut Tally<'r>,
        unit: Unit,
        group: &'r Group<I, N>,
        selected: impl Fn(&Member<I, N>) -> bool,
        key: impl FnOnce(&mut Canonical),
        evaluate: impl Fn(&Member<I, N>) -> Option<Outcome>,
    ) {
        let members = || group.members.iter().filter(|member| selected(member));
        let count = members().count();
        if count == 0 {
            return;
        }
        let key: Option<Key> = self.cache.map(|_| {
            let mut canonical = group.base.clone();
            key(&mut canonical);
            canonical.finish()
        });
        let hit =
            self.cache.zip(key.as_ref()).and_then(|(cache, key)| cache.get(key, &tally.entries));
        let mut held = hit.and_then(|hit| Record::decode(hit.value, count));
        let (mut created, mut ran) = (0, 0);
        let mut fresh: Option<Vec<Option<Outcome>>> = held.is_none().then(Vec::new);
        for (place, member) in members().enumerate() {
            let template = member.template;
            tally.count(template);
            let outcome = match held.as_mut().map(|record| record.take(place)) {
                Some(Held::Pass) => {
                    tally.served += 1;
                    Some(Outcome::Pass)
                }
                Some(Held::Fail(defects)) => {
                    tally.served += 1;
                    Some(Outcome::Fail(defects))
                }
                Some(Held::Nothing) | None => {
                    let outcome = self.evaluate(tally, template, unit, || evaluate(member));
                    match outcome {
                        Some(Outcome::Pass | Outcome::Fail(_)) if key.is_some() => {
                            tally.evaluated += 1;
                        }
                        _ => tally.unkeyed += 1,
                    }
                    outcome
                }
            };
            if self.routes(template) {
                created += 1;
                ran += usize::from(matches!(outcome, Some(Outcome::Pass | Outcome::Fail(_))));
            }
            if let Some(fresh) = &mut fresh {
                fresh.push(outcome.clone());
            }
            match outcome {
                Some(Outcome::Fail(defects)) => {
                    tally.defects.extend(defects.into_iter().map(|defect| (template, defect)));
                }
                Some(Outcome::Skip(reason)) => {
                    let templates = Templates::One(template);
                    tally.skips.push(Skip { unit, templates, reason });
                }
                Some(Outcome::Pass) | None => {}
            }
        }
        tally.route(unit, created, ran);
        match (fresh, key, hit) {
            (Some(outcomes), Some(key), _) => tally.entries.add(key, &encode(&outcomes)),
            (None, _, Some(hit)) => tally.entries.keep(hit),
            _ => {}
        }
    }

    /// Judges every member of a group over one unit, from the cache where it is there.
    pub(crate) fn judge_all<I: ?Sized, N>(
        &self,
        tally: &mut Tally<'r>,
        unit: Unit,
        group: &'r Group<I, N>,
        key: impl FnOnce(&mut Canonical),
        evaluate: impl Fn(&Member<I, N>) -> Option<Outcome>,
    ) {
        self.judge(tally, unit, group, |_| true, key, evaluate);
    }

    /// What the cache keeps under a key: what an earlier run left, or what is made now.
    pub(crate) fn kept<T>(
        &self,
        tally: &mut Tally<'r>,
        key: Option<Key>,
        read: impl FnOnce(&'r [u8]) -> Option<T>,
        make: impl FnOnce() -> T,
        bytes: impl FnOnce(&T) -> Vec<u8>,
    ) -> T {
        let hit = self.cache.zip(key).and_then(|(cache, key)| cache.get(&key, &tally.entries));
        if let Some(hit) = hit
            && let Some(held) = read(hit.value)
        {
            tally.entries.keep(hit);
            return held;
        }
        let made = make();
        if let Some(key) = key {
            tally.entries.add(key, &bytes(&made));
        }
        made
    }

    /// Passes members of a group over one unit by: every instance is counted, and none is asked.
    pub(crate) fn skip<I: ?Sized, N>(
        &self,
        tally: &mut Tally<'r>,
        unit: Unit,
        group: &'r Group<I, N>,
        selected: impl Fn(&Member<I, N>) -> bool,
        reason: impl Into<Cow<'r, str>>,
    ) {
        let members = group.members.iter().filter(|member| selected(member));
        let (mut chosen, mut created) = (0, 0);
        for Member { template, .. } in members.clone() {
            tally.count(*template);
            chosen += 1;
            created += usize::from(self.routes(*template));
        }
        tally.unkeyed += chosen;
        tally.route(unit, created, 0);
        let reason = reason.into();
        if chosen == group.members.len() {
            let templates = Templates::All(&group.templates);
            tally.skips.push(Skip { unit, templates, reason });
        } else {
            let one = |member: &Member<I, N>| Templates::One(member.template);
            let skip = |member| Skip { unit, templates: one(member), reason: reason.clone() };
            tally.skips.extend(members.map(skip));
        }
    }

    /// Whether the instances of a template count as having checked their documents.
    fn routes(&self, template: usize) -> bool {
        self.registry.templates().get(template).is_some_and(|template| template.routes)
    }

    /// Evaluates one instance. One that breaks is recorded and takes nothing else with it.
    fn evaluate(
        &self,
        tally: &mut Tally<'r>,
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
    fn each(
        &self,
        tallies: &mut Tallies<'r>,
        targets: usize,
        judge: impl Fn(&mut Tally<'r>, usize) + Sync,
    ) {
        let parts: Vec<Tally<'r>> = (0..targets.div_ceil(CHUNK))
            .into_par_iter()
            .map(|chunk| {
                let mut part = Tally::default();
                for at in (chunk * CHUNK..targets).take(CHUNK) {
                    judge(&mut part, at);
                }
                part
            })
            .collect();
        tallies.extend(parts);
    }

    /// The place of the kind of a typed row.
    fn typed_kind(&self, row: usize) -> Option<usize> {
        let row = self.corpus.row(row)?;
        row.kind.filter(|_| matches!(row.outcome, Became::Typed))
    }

    /// The document rules. A body is parsed at most once, for the rules that read it and for its links,
    /// and is gone when its row is done.
    pub(crate) fn documents(&self, tallies: &mut Tallies<'r>) {
        let reads_links = self.plan.reads_links();
        self.each(tallies, self.corpus.rows().len(), |tally, at| {
            let Some(row) = self.corpus.row(at) else { return };
            let Some(document) = row.document.as_deref() else {
                if reads_links {
                    tally.seen.push(Default::default());
                }
                return;
            };
            let markdown = document.markdown().afresh();
            if reads_links {
                let seen = self.seen(tally, row, &markdown);
                tally.seen.push(seen);
            }
            let groups = self.typed_kind(at).and_then(|kind| self.plan.documents.get(kind));
            let selected = |member: &Member<dyn DocumentInstance, DocumentNeeds>| {
                member.rule.selects(&row.path)
            };
            let unit = Unit::Document(at);
            let shown = LazyCell::new(|| Shown::row(self.corpus, at, &markdown, self.now));
            for group in groups.into_iter().flatten() {
                let prior = match (&group.abstains, self.change) {
                    (Some(why), _) => Err(why.as_str()),
                    (None, _) if !group.needs.prior => Ok(None),
                    (None, None) => Err(NO_CHANGE),
                    (None, Some(change)) => change.prior(at).map(Some),
                };
                let prior = match prior {
                    Ok(prior) => prior,
                    Err(why) => {
                        self.skip(tally, unit, group, selected, why);
                        continue;
                    }
                };
                let key = |key: &mut Canonical| {
                    self.keyed_row(key, at);
                    if let Some(change) = self.change.filter(|_| group.needs.prior) {
                        change.key_prior(key, at);
                    }
                    // A half may be none because of what another document writes.
                    let problems = self.corpus.problems_of(at);
                    if !problems.is_empty() {
                        key.text(&format!("{:?}", Problems(problems)));
                    }
                };
                self.judge(tally, unit, group, selected, key, |member| {
                    let shown = (*shown).as_ref()?;
                    Some(member.rule.judge(&DocumentView::of(shown, member.needs, prior)))
                });
            }
        });
    }

    /// The files outside the corpus that language regimes list.
    pub(crate) fn outside(&self, tallies: &mut Tallies<'r>) {
        if self.plan.outside.is_empty() {
            return;
        }
        let files = &self.corpus.outside().files;
        self.each(tallies, files.len(), |tally, at| {
            let Some(file) = files.get(at) else { return };
            let (unit, shown) = (Unit::Outside(at), Shown::outside(self.corpus, file, self.now));
            for group in self.plan.outside.get(file.regime.as_str()).into_iter().flatten() {
                if let Some(why) = &group.abstains {
                    self.skip(tally, unit, group, |_| true, why);
                    continue;
                }
                let key = |key: &mut Canonical| {
                    key.text("outside").text(&file.path).digest(Some(&file.digest));
                };
                self.judge_all(tally, unit, group, key, |member| {
                    Some(member.rule.judge(&DocumentView::of(&shown, member.needs, None)))
                });
            }
        });
    }

    pub(crate) fn entries(&self, tallies: &mut Tallies<'r>) {
        self.each(tallies, self.corpus.edges().len(), |tally, at| {
            let Some(edge) = self.corpus.edge(at) else { return };
            for group in self.plan.entries.get(edge.relation).into_iter().flatten() {
                let key = |key: &mut Canonical| {
                    self.keyed_inputs(key, Unit::Entry(at));
                    key.text(self.corpus.written(edge));
                    key.number(edge.span.start as u64).number(edge.span.end as u64);
                    self.keyed_binding(key, &edge.binding);
                    if let Some(anchor) = edge.anchor().filter(|_| group.needs.revision) {
                        key.text(&format!("{:?}", self.corpus.revision(anchor)));
                    }
                    if group.needs.prior {
                        self.keyed_statement(key, edge);
                    }
                };
                self.judge_all(tally, Unit::Entry(at), group, key, |member| {
                    let view = EntryView::of(self.corpus, at, member.needs, self.change)?;
                    Some(member.rule.judge(&view))
                });
            }
        });
    }

    pub(crate) fn pairs(&self, tallies: &mut Tallies<'r>) {
        self.each(tallies, self.corpus.pairs().len(), |tally, at| {
            let Some(pair) = self.corpus.pairs().get(at) else { return };
            for group in self.plan.pairs.get(pair.relation).into_iter().flatten() {
                let key = |key: &mut Canonical| {
                    self.keyed_inputs(key, Unit::Pair(at));
                    for half in [pair.declared, pair.inverse] {
                        // Which halves there are depends on what other documents claim.
                        self.keyed_half(key, half);
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
                self.judge_all(tally, Unit::Pair(at), group, key, |member| {
                    let (observations, relatives) = (self.observations, self.relatives);
                    let (needs, corpus) = (member.needs, self.corpus);
                    let view = PairView::of(corpus, pair, needs, observations, relatives)?;
                    Some(member.rule.judge(&view))
                });
            }
        });
    }

    pub(crate) fn neighbourhoods(&self, tallies: &mut Tallies<'r>) {
        self.each(tallies, self.corpus.rows().len(), |tally, row| {
            let groups = self.typed_kind(row).and_then(|kind| self.plan.neighbourhoods.get(kind));
            let Some(groups) = groups.filter(|groups| !groups.is_empty()) else { return };
            let around = neighbours(self.corpus, row);
            for group in groups {
                let key = |key: &mut Canonical| {
                    // Every other document that the view shows is the far end of a half below.
                    self.keyed_row(key, row);
                    key.number(around.len() as u64);
                    for neighbour in &around {
                        let (far, half, side) = neighbour.parts();
                        key.text(neighbour.relation()).text(side.word());
                        self.keyed_row(key, half.edge().source);
                        key.number(half.edge().span.start as u64);
                        match far {
                            Some(far) => self.keyed_row(key, far),
                            None => {
                                self.keyed_binding(key, &half.edge().binding);
                            }
                        }
                    }
                };
                self.judge_all(tally, Unit::Neighbourhood(row), group, key, |member| {
                    let (needs, around) = (member.needs, around.as_slice());
                    let view = NeighbourhoodView::of(self.corpus, row, around, needs, self.now)?;
                    Some(member.rule.judge(&view))
                });
            }
        });
    }

    pub(crate) fn shelves(&self, tallies: &mut Tallies<'r>) {
        self.each(tallies, self.shelves.len(), |tally, at| {
            let Some((name, _)) = self.corpus.taxonomy().shelves.at(at) else { return };
            let rows = self.shelves.get(at).map_or(&[][..], Vec::as_slice);
            for group in self.plan.shelves.get(at).into_iter().flatten() {
                let key = |key: &mut Canonical| self.keyed_inputs(key, Unit::Shelf(at));
                self.judge_all(tally, Unit::Shelf(at), group, key, |member| {
                    Some(member.rule.judge(&ShelfView::of(self.corpus, name, rows)))
                });
            }
        });
    }

    pub(crate) fn keyed_inputs(&self, key: &mut Canonical, unit: Unit) {
        let mut count = 0;
        self.each_input(unit, |_| count += 1);
        key.number(count);
        self.each_input(unit, |row| self.keyed_row(key, row));
    }

    /// What the change says of an edge and of the document that wrote it.
    fn keyed_statement(&self, key: &mut Canonical, edge: &Edge) {
        let row = self.corpus.row(edge.source);
        let Some((change, row)) = self.change.zip(row) else {
            key.number(0);
            return;
        };
        let Stated { document, edge: read, target } = change.stated(row, edge);
        key.number(1).number(u64::from(document)).number(u64::from(read)).number(u64::from(target));
        change.key_prior(key, edge.source);
    }

    /// Where a half stands, or that there is none.
    pub(crate) fn keyed_half(&self, key: &mut Canonical, half: Option<usize>) {
        let span = half.and_then(|half| self.corpus.edge(half)).map(|edge| edge.span);
        let (start, end) =
            span.map_or((u64::MAX, u64::MAX), |span| (span.start as u64, span.end as u64));
        key.number(start).number(end);
    }

    pub(crate) fn keyed_row(&self, key: &mut Canonical, row: usize) {
        key.bytes(self.rows.get(row).unwrap_or(&[0; 32]));
    }

    /// The full result of binding a target. A row is told by what stands for it in every key, since its
    /// place moves when another file comes or goes, and by what the binding saw of it, unless the lock and
    /// its files decide that.
    fn keyed_binding(&self, key: &mut Canonical, binding: &Binding) {
        let mut row = |tag: u64, at: usize| {
            self.keyed_row(key.number(tag), at);
            let row = self.corpus.row(at);
            key.text(row.map_or("", |row| row.class().label()));
            key.text(row.and_then(Row::identifier).unwrap_or_default());
        };
        match binding {
            Binding::Document(at) => {
                self.keyed_row(key.number(0), *at);
            }
            Binding::Unbound(why) => match &**why {
                Unbound::NotTyped(at) => row(1, *at),
                Unbound::DocumentByPath(at) => row(2, *at),
                why => {
                    key.number(3).text(&format!("{why:?}"));
                }
            },
            Binding::Withheld(withheld) => {
                key.number(4).text(&withheld.anchor).text(&withheld.profile);
            }
            Binding::Anchor(anchor) => {
                let Anchor { kind, resolver, identity, parts, .. } = &**anchor;
                key.number(5).text(kind).text(resolver).text(identity);
                key.text(&format!("{parts:?}"));
            }
        }
    }

    /// The union of what the instances of the run were handed, in path order.
    pub(crate) fn handed(&self, tallies: &Tallies<'r>) -> Vec<Input> {
        let mut read = vec![false; self.corpus.rows().len()];
        let mut mark = |unit: Unit| {
            self.each_input(unit, |row| {
                if let Some(read) = read.get_mut(row) {
                    *read = true;
                }
            });
        };
        if !self.plan.corpus.is_empty() {
            mark(Unit::Corpus);
        } else {
            tallies.routed().for_each(|routed| mark(routed.unit));
            tallies.skips().for_each(|skip| mark(skip.unit));
            (0..self.shelves.len()).for_each(|shelf| mark(Unit::Shelf(shelf)));
        }
        let mut inputs: Vec<Input> = Vec::with_capacity(read.len());
        for (row, _) in self.corpus.rows().iter().zip(read).filter(|(_, read)| *read) {
            inputs.extend(row.inputs().map(|(path, digest)| Input::of(path, digest)));
        }
        let outside = self.corpus.outside().files.iter();
        let outside = outside.filter(|file| {
            self.plan.outside.get(file.regime.as_str()).is_some_and(|groups| !groups.is_empty())
        });
        inputs.extend(outside.map(|file| Input::of(&file.path, file.digest)));
        if let Some(change) = self.change
            && self.plan.corpus.iter().any(|group| group.needs.prior)
        {
            let versions = change.gone.iter().filter_map(|gone| gone.version.as_ref().ok());
            let held = versions.flat_map(|version| &version.inputs).cloned();
            inputs.extend(held.map(|(path, digest)| Input::of(&path, digest)));
        }
        if self.plan.corpus.iter().any(|group| group.needs.claims) {
            let digest = Some(self.corpus.claims().digest());
            inputs.push(Input { path: CLAIMS_PATH.to_owned(), digest });
        }
        inputs.extend(self.citations.inputs());
        // The register reads it on every run.
        if let Some(digest) = self.observations.input() {
            inputs.push(Input { path: OBSERVATIONS_PATH.to_owned(), digest });
        }
        // Rows are in order already, which this sort makes use of.
        inputs.sort();
        inputs.dedup();
        inputs
    }
}

/// A digest for each row.
pub(crate) fn row_keys(corpus: &Corpus) -> Vec<Key> {
    let key = |row: &Row| {
        let mut key = Canonical::new(sha2::Sha256::new());
        key.row(row);
        key.finish()
    };
    corpus.rows().par_iter().map(key).collect()
}

/// Problems without the place of their row among the rows, for keys.
struct Problems<'c>(&'c [Problem]);

impl std::fmt::Debug for Problems<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let problems = self.0.iter();
        f.debug_list().entries(problems.map(|problem| (&problem.trouble, problem.span))).finish()
    }
}

fn words(defect: &(dyn Any + Send)) -> String {
    let text = defect.downcast_ref::<String>().map(String::as_str);
    text.or_else(|| defect.downcast_ref::<&str>().copied()).unwrap_or("no words").to_owned()
}
