//! The barriers: rules over the whole corpus, and what only they need: the links of every document, and
//! the statistics of edges.

use std::collections::HashMap;
use std::panic::{AssertUnwindSafe, catch_unwind};

use headwater_corpus::{Document, LinkTarget, Outcome as Became, Row};
use rayon::prelude::*;
use sha2::Digest as _;

use crate::change::NO_CHANGE;
use crate::key::{Canonical, Key};
use crate::plan::Group;
use crate::registry::CorpusInstance;
use crate::rule::{CorpusNeeds, PairNeeds};
use crate::run::{Continuity, marks};
use crate::runner::Runner;
use crate::tally::{Tallies, Tally, Unit};
use crate::view::{CorpusView, Linked, PairView, Seen, follow};

/// The version of what the cache keeps of a document.
const SEEN_FORMAT: u64 = 5;

impl<'r> Runner<'r> {
    /// The corpus rules, each a barrier. Gives back how many things each template compared.
    pub(crate) fn barriers(&self, tallies: &mut Tallies<'r>) -> HashMap<usize, usize> {
        let reads_links = self.plan.reads_links();
        let linked = Linked::of(tallies.take(|part| &mut part.seen));
        let read = self.cache.map(|_| {
            let mut read = Canonical::new(sha2::Sha256::new());
            self.keyed_inputs(&mut read, Unit::Corpus);
            read.finish()
        });
        // What rules cannot see of a document need not change a verdict over all of them.
        let seen = read.map(|read| if reads_links { self.seen_key(&linked) } else { read });
        let mut own = Tally::default();
        let places = seen.filter(|_| reads_links);
        let places = places.map(|seen| self.link_key(&mut own, &linked, seen));
        if reads_links && seen.is_none() {
            linked.follow(self.corpus);
        }
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
                let whole = group.needs.citations || group.needs.prior;
                let inputs = if whole { read } else { seen }.map(|documents| {
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
        let (parts, compared): (Vec<_>, Vec<_>) = parts.into_iter().unzip();
        tallies.extend(std::iter::once(own).chain(parts));
        compared.into_iter().flatten().collect()
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
            count.map_or_else(Vec::new, |count| count.to_le_bytes().to_vec())
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
            // The documents are in the key already, in their order.
            for pair in self.corpus.pairs() {
                for number in [pair.relation, pair.from, pair.to] {
                    key.number(number as u64);
                }
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

    /// What rules that read no body can see of the documents: what each row came to, and what is seen of
    /// its text.
    fn seen_key(&self, linked: &Linked<'_>) -> Key {
        let mut key = Canonical::new(sha2::Sha256::new());
        self.census(&mut key);
        for (row, seen) in self.corpus.rows().iter().zip(&linked.seen) {
            key.bytes(&seen.digest);
            if let Some(sidecar) = row.document.as_deref().and_then(Document::sidecar) {
                key.text(&sidecar.path).digest(Some(&sidecar.digest));
            }
            if row.outcome != Became::Typed {
                key.text(&format!("{:?}", row.outcome));
            }
        }
        key.finish()
    }

    /// What of the links no document decides: where they lead, in so far as the files that are no rows
    /// decide it. Which links that is, the cache keeps, since it hangs on rows alone.
    fn link_key(&self, tally: &mut Tally<'r>, linked: &Linked<'_>, seen: Key) -> Key {
        // A path with an escape is looked up decoded only where nothing has it as it is written.
        let elsewhere = |(seen, targets): (&Seen<'_>, &Vec<LinkTarget>)| {
            seen.extract.links().zip(targets).any(|(link, target)| match target {
                LinkTarget::Repository(_) | LinkTarget::Missing(_) => true,
                LinkTarget::Corpus(_) => link.destination.contains('%'),
                _ => false,
            })
        };
        let mut key = Canonical::new(sha2::Sha256::new());
        key.text("elsewhere").text(env!("CARGO_PKG_VERSION")).number(SEEN_FORMAT).bytes(&seen);
        let read = |bytes: &[u8]| {
            let rows = bytes.chunks(size_of::<u32>());
            rows.map(|row| Some(u32::from_le_bytes(row.try_into().ok()?))).collect()
        };
        let make = || {
            let rows = linked.seen.iter().zip(linked.follow(self.corpus)).enumerate();
            let rows = rows.filter(|(_, row)| elsewhere(*row));
            rows.filter_map(|(row, _)| u32::try_from(row).ok()).collect()
        };
        let bytes = |rows: &Vec<u32>| rows.iter().flat_map(|row| row.to_le_bytes()).collect();
        let rows: Vec<u32> = self.kept(tally, Some(key.finish()), read, make, bytes);
        let mut key = Canonical::new(sha2::Sha256::new());
        for at in rows {
            let at = at as usize;
            let (Some(row), Some(seen)) = (self.corpus.row(at), linked.seen.get(at)) else {
                continue;
            };
            let targets = follow(self.corpus, row, seen);
            key.number(at as u64).text(&format!("{targets:?}"));
        }
        key.finish()
    }

    /// What corpus rules see of one document: its body parsed, or what the cache kept of it.
    pub(crate) fn seen(
        &self,
        tally: &mut Tally<'r>,
        row: &Row,
        markdown: &markdown::Document,
    ) -> Seen<'r> {
        let key = self.cache.and(row.digest).map(|digest| {
            let mut key = Canonical::new(sha2::Sha256::new());
            key.text("seen").text(env!("CARGO_PKG_VERSION")).number(SEEN_FORMAT);
            // A sidecar is no part of it; the path keeps two equal files apart.
            key.text(&row.path).digest(Some(&digest));
            key.finish()
        });
        self.kept(tally, key, Seen::read, || Seen::of(markdown), Seen::bytes)
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
