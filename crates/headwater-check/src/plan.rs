//! The plan: which instances the taxonomy generates, for each kind, relation and shelf, grouped by what
//! they are handed. A group over one target has one set of inputs, so it has one cache key and one
//! record, however many rules it holds.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use headwater_corpus::Corpus;
use headwater_taxonomy::model::Taxonomy;
use sha2::{Digest as _, Sha256};

use crate::about::Grain;
use crate::date::Date;
use crate::key::Canonical;
use crate::registry::{
    CorpusInstance, DocumentInstance, EntryInstance, Maker, NeighbourhoodInstance, PairInstance,
    Registry, ShelfInstance,
};
use crate::rule::{CorpusNeeds, DocumentNeeds, EntryNeeds, NeighbourhoodNeeds, PairNeeds};

/// The version of what keys are made of.
const KEY_FORMAT: u64 = 4;

/// One instance.
pub(crate) struct Member<I: ?Sized, N> {
    /// The place of its template in the registry.
    pub template: usize,
    /// What it is handed.
    pub needs: N,
    pub rule: Box<I>,
}

/// Instances whose verdicts over a target have one key.
pub(crate) struct Group<I: ?Sized, N> {
    /// The needs that the key speaks of.
    pub needs: N,
    /// Whether the key speaks of the day.
    clock: bool,
    pub members: Vec<Member<I, N>>,
    /// The templates of the members.
    pub templates: Vec<usize>,
    /// Why none of them is ever asked.
    pub abstains: Option<String>,
    /// The components of the key that no target changes.
    pub base: Canonical,
}

type Groups<I, N> = Vec<Group<I, N>>;

/// Every instance that the taxonomy generates, by the place among its declarations of what it is
/// generated for.
pub(crate) struct Plan<'t> {
    /// By kind; an abstract one has none.
    pub documents: Vec<Groups<dyn DocumentInstance, DocumentNeeds>>,
    /// By the name of a language regime, over the files outside the corpus that it lists.
    pub outside: HashMap<&'t str, Groups<dyn DocumentInstance, DocumentNeeds>>,
    /// By relation.
    pub entries: Vec<Groups<dyn EntryInstance, EntryNeeds>>,
    /// By relation.
    pub pairs: Vec<Groups<dyn PairInstance, PairNeeds>>,
    /// By kind; an abstract one has none.
    pub neighbourhoods: Vec<Groups<dyn NeighbourhoodInstance, NeighbourhoodNeeds>>,
    /// By shelf.
    pub shelves: Vec<Groups<dyn ShelfInstance, ()>>,
    /// One group for each rule.
    pub corpus: Groups<dyn CorpusInstance, CorpusNeeds>,
}

impl<'t> Plan<'t> {
    pub(crate) fn of(
        corpus: &Corpus,
        taxonomy: &'t Taxonomy,
        registry: &Registry,
        now: Date,
    ) -> Self {
        let mut run = Canonical::new(Sha256::new());
        run.number(KEY_FORMAT).text(env!("CARGO_PKG_VERSION"));
        run.text(&corpus.lock().header.digest).bytes(registry.digest());
        let grouper = Grouper { registry, run, now };
        let mut plan = Self {
            documents: Vec::new(),
            outside: HashMap::new(),
            entries: Vec::new(),
            pairs: Vec::new(),
            neighbourhoods: Vec::new(),
            shelves: Vec::new(),
            corpus: Vec::new(),
        };
        for (name, kind) in taxonomy.kinds.iter() {
            let documents = grouper.documents(name, |maker| match maker {
                Maker::Document(needs, make, _) if !kind.is_abstract => {
                    Some((*needs, make(taxonomy, kind)?))
                }
                _ => None,
            });
            plan.documents.push(documents);
            let neighbourhoods = grouper.groups(Grain::Neighbourhood, name, |maker| match maker {
                Maker::Neighbourhood(needs, make) if !kind.is_abstract => {
                    Some(Made::of(*needs, make(taxonomy, kind)?, needs.clock))
                }
                _ => None,
            });
            plan.neighbourhoods.push(neighbourhoods);
        }
        let listing = taxonomy.regimes.language.iter();
        for (name, _) in listing.filter(|(_, regime)| !regime.outside_root.is_empty()) {
            let outside = grouper.documents(name, |maker| match maker {
                Maker::Document(needs, _, make) => Some((*needs, make(taxonomy, name)?)),
                _ => None,
            });
            plan.outside.insert(name, outside);
        }
        for (name, relation) in taxonomy.relations.iter() {
            let entries = grouper.groups(Grain::Entry, name, |maker| match maker {
                Maker::Entry(needs, make) => {
                    Some(Made::of(*needs, make(taxonomy, relation)?, false))
                }
                _ => None,
            });
            plan.entries.push(entries);
            let pairs = grouper.groups(Grain::Pair, name, |maker| match maker {
                Maker::Pair(needs, make) => {
                    Some(Made::of(*needs, make(taxonomy, relation)?, false))
                }
                _ => None,
            });
            plan.pairs.push(pairs);
        }
        for (name, shelf) in taxonomy.shelves.iter() {
            let shelves = grouper.groups(Grain::Shelf, name, |maker| match maker {
                Maker::Shelf(make) => Some(Made::of((), make(taxonomy, shelf)?, false)),
                _ => None,
            });
            plan.shelves.push(shelves);
        }
        for (at, template) in registry.templates().iter().enumerate() {
            if let Maker::Corpus(needs, make) = &template.maker
                && let Some(rule) = make(taxonomy)
            {
                let base = grouper.base(Grain::Corpus, "", &[at], false);
                plan.corpus.push(Group {
                    needs: *needs,
                    clock: false,
                    members: vec![Member { template: at, needs: *needs, rule }],
                    templates: vec![at],
                    abstains: None,
                    base,
                });
            }
        }
        plan
    }

    /// What the instances of each template say that they pass over, each sentence once.
    pub(crate) fn notes(&self) -> BTreeMap<usize, BTreeSet<String>> {
        let mut notes: BTreeMap<usize, BTreeSet<String>> = BTreeMap::new();
        let groups = self.documents.iter().chain(self.outside.values()).flatten();
        for member in groups.flat_map(|group| &group.members) {
            if let Some(note) = member.rule.note() {
                notes.entry(member.template).or_default().insert(note);
            }
        }
        notes
    }

    /// Whether a rule of the plan reads links.
    pub(crate) fn reads_links(&self) -> bool {
        self.corpus.iter().any(|group| group.needs.links)
    }

    /// Whether a rule of the plan reads citations.
    pub(crate) fn reads_citations(&self) -> bool {
        self.corpus.iter().any(|group| group.needs.citations)
    }

    /// Whether a rule of the plan reads what both ends of a pair are related to.
    pub(crate) fn reads_relatives(&self) -> bool {
        self.pairs.iter().flatten().any(|group| group.needs.relatives)
    }
}

struct Grouper<'r> {
    registry: &'r Registry,
    run: Canonical,
    now: Date,
}

/// An instance with what decides which group it is of.
struct Made<I: ?Sized, N> {
    needs: N,
    rule: Box<I>,
    /// The part of its needs that keys speak of.
    keyed: N,
    abstains: Option<String>,
    clock: bool,
}

impl<I: ?Sized, N: Copy> Made<I, N> {
    fn of(needs: N, rule: Box<I>, clock: bool) -> Self {
        Self { needs, rule, keyed: needs, abstains: None, clock }
    }
}

impl Grouper<'_> {
    /// The document rules for one name. The key of a document speaks of its body and of phase A in any
    /// case, so rules that read them and rules that do not are of one group.
    fn documents(
        &self,
        name: &str,
        make: impl Fn(&Maker) -> Option<(DocumentNeeds, Box<dyn DocumentInstance>)>,
    ) -> Groups<dyn DocumentInstance, DocumentNeeds> {
        self.groups(Grain::Document, name, |maker| {
            let (needs, rule) = make(maker)?;
            let keyed = DocumentNeeds { body: false, phase_a: false, ..needs };
            let abstains = rule.abstains();
            Some(Made { keyed, abstains, ..Made::of(needs, rule, needs.clock) })
        })
    }

    /// The instances of one grain for one name, grouped in order of first appearance.
    fn groups<I: ?Sized, N: Copy + PartialEq>(
        &self,
        grain: Grain,
        name: &str,
        make: impl Fn(&Maker) -> Option<Made<I, N>>,
    ) -> Groups<I, N> {
        let mut groups: Vec<Group<I, N>> = Vec::new();
        for (template, held) in self.registry.templates().iter().enumerate() {
            let Some(Made { needs, rule, keyed, abstains, clock }) = make(&held.maker) else {
                continue;
            };
            let same = |group: &Group<I, N>| group.needs == keyed && group.abstains == abstains;
            let at = groups.iter().position(same).unwrap_or_else(|| {
                let (members, templates, base) = (Vec::new(), Vec::new(), self.run.clone());
                groups.push(Group { needs: keyed, clock, members, templates, abstains, base });
                groups.len() - 1
            });
            let Some(group) = groups.get_mut(at) else { continue };
            group.members.push(Member { template, needs, rule });
            group.templates.push(template);
        }
        for group in &mut groups {
            group.base = self.base(grain, name, &group.templates, group.clock);
        }
        groups
    }

    fn base(&self, grain: Grain, name: &str, rules: &[usize], clock: bool) -> Canonical {
        let mut base = self.run.clone();
        base.text(grain.words()).text(name).number(rules.len() as u64);
        for template in rules.iter().filter_map(|&at| self.registry.templates().get(at)) {
            let about = template.about();
            base.text(about.id)
                .number(u64::from(about.edition))
                .text(&template.scope().to_string());
        }
        if clock {
            base.text(&self.now.to_string());
        }
        base
    }
}
