//! The barriers: rules over the whole corpus, and what only they need: the links of every document, and
//! the statistics of edges.

use std::collections::HashMap;
use std::panic::{AssertUnwindSafe, catch_unwind};

use headwater_corpus::{LinkTarget, Row};
use rayon::prelude::*;
use sha2::Digest as _;

use crate::change::NO_CHANGE;
use crate::key::{Canonical, Key};
use crate::plan::Group;
use crate::registry::CorpusInstance;
use crate::rule::{CorpusNeeds, PairNeeds};
use crate::run::{Continuity, marks};
use crate::runner::Runner;
use crate::tally::{Tally, Unit};
use crate::view::{CorpusView, Extract, Linked, PairView};

/// The version of what the cache keeps of a body.
const EXTRACT_FORMAT: u64 = 4;

impl<'r> Runner<'r> {
    /// The corpus rules, each a barrier. Gives back how many things each template compared.
    pub(crate) fn barriers(&self, tally: &mut Tally<'r>) -> HashMap<usize, usize> {
        let linked = Linked(std::mem::take(&mut tally.links));
        let documents = self.cache.map(|_| {
            let mut documents = Canonical::new(sha2::Sha256::new());
            self.keyed_inputs(&mut documents, Unit::Corpus);
            documents.finish()
        });
        let places = self.cache.filter(|_| self.plan.reads_links()).map(|_| self.link_key(&linked));
        let parts: Vec<(Tally<'r>, Option<(usize, usize)>)> = self
            .plan
            .corpus
            .par_iter()
            .map(|group| {
                let mut part = Tally::default();
                if group.needs.prior && self.change.is_none() {
                    self.skip(&mut part, Unit::Corpus, group, |_| true, NO_CHANGE);
                    return (part, None);
                }
                let inputs = documents.map(|documents| {
                    let mut key = Canonical::new(sha2::Sha256::new());
                    key.bytes(&documents);
                    key.bytes(&places.filter(|_| group.needs.links).unwrap_or_default());
                    self.corpus_key(&mut key, group.needs);
                    key.finish()
                });
                let key = |key: &mut Canonical| {
                    key.bytes(&inputs.unwrap_or_default());
                };
                let (citations, change) = (self.citations, self.change);
                let view = CorpusView::of(self.corpus, group.needs, &linked, citations, change);
                self.judge_all(&mut part, Unit::Corpus, group, key, |member| {
                    Some(member.rule.judge(&view))
                });
                let compared = self.compared(&mut part, group, inputs.as_ref(), &view);
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

    /// How many things a rule compared, which is a fact of its inputs as its verdict is.
    fn compared(
        &self,
        tally: &mut Tally<'r>,
        group: &Group<dyn CorpusInstance, CorpusNeeds>,
        inputs: Option<&Key>,
        view: &CorpusView<'_>,
    ) -> Option<(usize, usize)> {
        let member = group.members.first()?;
        let key = inputs.map(|inputs| {
            let mut key = group.base.clone();
            key.bytes(inputs).text("compared");
            key.finish()
        });
        let read = |bytes: &[u8]| match bytes {
            [] => Some(None),
            bytes => Some(Some(usize::from_le_bytes(bytes.try_into().ok()?))),
        };
        let make = || catch_unwind(AssertUnwindSafe(|| member.rule.compared(view))).ok().flatten();
        let count = self.kept(tally, key, read, make, |count| {
            count.map_or_else(Vec::new, |count| count.to_le_bytes().to_vec()).into()
        });
        Some((member.template, count?))
    }

    fn corpus_key(&self, key: &mut Canonical, needs: CorpusNeeds) {
        if needs.claims {
            key.digest(Some(&self.corpus.claims().digest()));
            // A claim is judged by whether its path is of the census.
            self.census(key);
        }
        if needs.citations {
            self.citations.key(key);
        }
        if needs.orphans {
            let orphans = self.corpus.orphans();
            key.number(orphans.len() as u64);
            for path in orphans {
                key.text(path);
            }
        }
        if let Some(change) = self.change.filter(|_| needs.prior) {
            change.key_gone(key);
        }
        if needs.graph {
            for pair in self.corpus.pairs() {
                self.keyed_row(key, pair.from);
                self.keyed_row(key, pair.to);
                key.text(self.corpus.relation_of(pair).map_or("", |relation| &relation.name));
                self.keyed_half(key, pair.half());
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
    fn link_key(&self, linked: &Linked<'_>) -> Key {
        let mut key = Canonical::new(sha2::Sha256::new());
        self.census(&mut key);
        for (_, targets) in &linked.0 {
            key.number(targets.len() as u64);
            for target in targets {
                match target {
                    LinkTarget::Corpus(row) => {
                        key.number(0);
                        self.keyed_row(&mut key, *row);
                    }
                    target => {
                        key.number(1).text(&format!("{target:?}"));
                    }
                }
            }
        }
        key.finish()
    }

    /// The links of one document: its body parsed, or what the cache kept of it.
    pub(crate) fn links_of(
        &self,
        tally: &mut Tally<'r>,
        row: &Row,
        markdown: &markdown::Document,
    ) -> (Extract<'r>, Vec<LinkTarget>) {
        let key = self.cache.and(row.digest).map(|digest| {
            let mut key = Canonical::new(sha2::Sha256::new());
            key.text("links").text(env!("CARGO_PKG_VERSION")).number(EXTRACT_FORMAT);
            // A sidecar is no part of the body; the path keeps two equal files apart.
            key.text(&row.path).digest(Some(&digest));
            key.finish()
        });
        let make = || Extract::of(markdown);
        let extract = self.kept(tally, key, Extract::read, make, |made| made.bytes().into());
        let links = extract.links();
        let targets = links.map(|link| self.corpus.follow(&row.path, link.destination)).collect();
        (extract, targets)
    }

    /// What the ends of the edges of each relation have in common.
    pub(crate) fn continuity(&self) -> Vec<Continuity> {
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
}
