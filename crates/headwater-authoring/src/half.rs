//! The half writer: edge halves into the front matter of one document, in the `relations` block or
//! under the keys that bindings declare, and read back.

use std::collections::{BTreeMap, BTreeSet};

use headwater_check::headwater_corpus::{Corpus, Document};
use headwater_check::headwater_taxonomy::model::{Bindings, BoundRelation, RELATIONS_KEY};
use headwater_check::headwater_taxonomy::yaml::shown;
use headwater_check::markdown::yaml::{Entry, Node};

use crate::bound;
use crate::entry::{
    Indentation, Item, amend, blanks, extend, flow, is_absent, is_empty, is_flow, new_key, without,
};
use crate::file::{File, canonical, text};
use crate::splice::{Splice, applied, lines_after, lines_at};

/// One half to be written.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Half {
    pub relation: String,
    pub target: String,
    pub attributes: Vec<(String, String)>,
}

impl Half {
    /// In words.
    fn shown(&self) -> String {
        shown(&format!("{}: {}", self.relation, self.target))
    }

    /// As a person would write it: under the key that holds the relation, where a binding names one.
    fn by_hand(&self, bindings: &Bindings) -> String {
        let mut bound =
            bindings.relations.iter().filter(|(_, bound)| bound.relation == self.relation);
        let key = bound.find_map(|(key, bound)| Some((key, bound.template.invert(&self.target)?)));
        key.map_or_else(|| self.shown(), |(key, value)| shown(&format!("{key}: {value}")))
    }
}

/// Writes halves, each once, and says how many. None of them is written when one cannot be.
pub(crate) fn write(file: &mut File<'_>, mut halves: Vec<Half>) -> Result<usize, String> {
    halves.sort();
    halves.dedup();
    for two in halves.windows(2) {
        if let [a, b] = two
            && (&a.relation, &a.target) == (&b.relation, &b.target)
        {
            let entry = a.shown();
            return Err(format!("two corrections give `{entry}` different attributes"));
        }
    }
    let count = halves.len();
    spliced(file, &halves).map(|()| count).map_err(|why| {
        let bindings = file.document().bindings();
        let entries = halves.iter().take(3).map(|half| format!("`{}`", half.by_hand(bindings)));
        let entries: Vec<String> = entries.collect();
        let more = if halves.len() > 3 { " and what else it owes" } else { "" };
        format!("{why}; write {}{more} by hand", entries.join(", "))
    })
}

fn spliced(file: &mut File<'_>, halves: &[Half]) -> Result<(), String> {
    let document = file.document();
    let mapping = document.front_matter().ok_or("it has no front matter")?;
    if mapping.is_flow() {
        return Err("its front matter is written in flow form, with braces".to_owned());
    }
    let source = document.front_matter_source();
    let root = Root {
        source,
        document,
        by: Indentation::of(source, mapping),
        indent: match mapping.entries().first() {
            Some(first) => blanks(source, first.key_span)?.len(),
            None => 0,
        },
    };
    let bindings = document.bindings();
    let mut block: BTreeMap<&str, Vec<&Half>> = BTreeMap::new();
    let mut keys: BTreeMap<&str, (&BoundRelation, Vec<&str>)> = BTreeMap::new();
    for half in halves {
        let bound = bindings.relations.iter().filter(|(_, bound)| bound.relation == half.relation);
        let bound: Vec<(&str, &BoundRelation)> = bound.collect();
        if bound.is_empty() || root.block_holds(half) {
            block.entry(&half.relation).or_default().push(half);
            continue;
        }
        if !half.attributes.is_empty() {
            return Err("a key outside `relations` holds no attributes".to_owned());
        }
        let fits =
            |(_, bound): &&(&str, &BoundRelation)| bound.template.invert(&half.target).is_some();
        let fitting: Vec<_> = bound.iter().filter(fits).collect();
        let there = fitting.iter().find(|(key, _)| mapping.entry(key).is_some());
        let home = there.or(fitting.first()).ok_or("no key of its front matter can hold it")?;
        let value = home.1.template.invert(&half.target).unwrap_or_default();
        keys.entry(home.0).or_insert((home.1, Vec::new())).1.push(value);
    }
    let mut splices = Vec::new();
    let mut touched: BTreeSet<&str> = keys.keys().copied().collect();
    let mut lines = Vec::new();
    for (key, (bound, values)) in &keys {
        match mapping.entry(key) {
            Some(entry) => splices.extend(bound::extend(source, entry, bound, values, root.by)?),
            None => lines.extend(bound::new_key(key, bound, values, root.indent, root.by)?),
        }
    }
    if !block.is_empty() {
        touched.insert(RELATIONS_KEY);
        match document.relations() {
            Some(entry) => splices.extend(root.block_splices(entry, &block)?),
            None => {
                lines.push(format!("{}{RELATIONS_KEY}:", " ".repeat(root.indent)));
                lines.extend(root.new_relations(&block, root.indent + root.by.step));
            }
        }
    }
    if !lines.is_empty() {
        splices.push(root.at_the_end(&lines));
    }
    if splices.is_empty() {
        return Ok(());
    }
    let text = applied(source, splices).ok_or("two corrections meet at one place")?;
    let new = file.parse(text)?;
    file.differs_only_in(&new, &touched)?;
    read_back(file.corpus, document, &new, halves)?;
    file.take(new);
    Ok(())
}

/// The front matter of a document, for writing into it.
struct Root<'d> {
    source: &'d str,
    document: &'d Document,
    by: Indentation,
    indent: usize,
}

impl Root<'_> {
    /// Whether the `relations` block holds a half.
    fn block_holds(&self, half: &Half) -> bool {
        let block = self.document.relations().and_then(|entry| entry.value.as_mapping());
        let entry = block.and_then(|block| block.entry(&half.relation));
        entry.is_some_and(|entry| found(entry, &half.target).is_some())
    }

    fn block_splices(
        &self,
        block: &Entry,
        halves: &BTreeMap<&str, Vec<&Half>>,
    ) -> Result<Vec<Splice>, String> {
        let own = blanks(self.source, block.key_span)?.len();
        if is_absent(&block.value) {
            let lines = self.new_relations(halves, own + self.by.step);
            return Ok(vec![lines_after(self.source, block.key_span, &lines)]);
        }
        if is_empty(&block.value) {
            let lines = self.new_relations(halves, own + self.by.step);
            let cleared = without(self.source, block)?;
            return Ok(vec![cleared, lines_after(self.source, block.value.span, &lines)]);
        }
        let mapping = block.value.as_mapping().ok_or("its `relations` is no mapping")?;
        if mapping.is_flow() {
            return Err(flow(RELATIONS_KEY));
        }
        let ends = mapping.entries().first().zip(mapping.entries().last());
        let (first, last) = ends.ok_or("its `relations` is empty")?;
        let indent = blanks(self.source, first.key_span)?.len();
        let step = indent.saturating_sub(own);
        let inner = Indentation::of(self.source, mapping);
        // A block without a list of its own follows the distance between its own keys.
        let listed = mapping
            .entries()
            .iter()
            .any(|entry| entry.value.as_list().is_some() && !is_flow(self.source, &entry.value));
        let by = Indentation { step, dash: if listed { inner.dash } else { step } };
        let (mut splices, mut missing) = (Vec::new(), BTreeMap::new());
        for (relation, halves) in halves {
            match mapping.entry(relation) {
                Some(entry) => splices.extend(self.relation_splices(entry, halves, by)?),
                None => {
                    missing.insert(*relation, halves.clone());
                }
            }
        }
        if !missing.is_empty() {
            let lines: Vec<String> = missing
                .iter()
                .flat_map(|(name, halves)| new_key(name, &items(halves), indent, by))
                .collect();
            splices.push(lines_after(self.source, last.value.span, &lines));
        }
        Ok(splices)
    }

    fn relation_splices(
        &self,
        entry: &Entry,
        halves: &[&Half],
        by: Indentation,
    ) -> Result<Vec<Splice>, String> {
        let (mut splices, mut new) = (Vec::new(), Vec::new());
        for half in halves {
            match found(entry, &half.target) {
                Some(_) if half.attributes.is_empty() => {}
                Some(item) => {
                    splices.extend(amend(self.source, entry, item, &half.attributes, by)?);
                }
                None => new.push(*half),
            }
        }
        if new.is_empty() {
            return Ok(splices);
        }
        if !splices.is_empty() && entry.value.as_list().is_none() {
            // The one entry cannot become a list and gain attributes in the same pass.
            return Err("its one target would change in two ways; run this again".to_owned());
        }
        splices.extend(extend(self.source, entry, &items(&new), by)?);
        Ok(splices)
    }

    fn new_relations(&self, halves: &BTreeMap<&str, Vec<&Half>>, indent: usize) -> Vec<String> {
        let each = halves.iter();
        each.flat_map(|(name, halves)| new_key(name, &items(halves), indent, self.by)).collect()
    }

    /// Lines at the end of the front matter.
    fn at_the_end(&self, lines: &[String]) -> Splice {
        let end = match (self.document.sidecar(), self.document.markdown().front_matter()) {
            (None, Some(block)) => block.content.end,
            _ => self.source.len(),
        };
        lines_at(self.source, end, lines)
    }
}

fn items<'h>(halves: &[&'h Half]) -> Vec<Item<'h>> {
    let item = |half: &&'h Half| Item { text: &half.target, attributes: &half.attributes };
    halves.iter().map(item).collect()
}

/// The entry of a target under a key: the value, or an item of it.
fn found<'e>(entry: &'e Entry, target: &str) -> Option<&'e Node> {
    let items = entry.value.as_list().unwrap_or(std::slice::from_ref(&entry.value));
    items.iter().find(|item| {
        let to = item.as_mapping().map_or(Some(*item), |mapping| mapping.get("to"));
        to.and_then(Node::text).is_some_and(|text| text.trim() == target)
    })
}

/// The attributes of one entry, by name.
type Attributes = BTreeMap<String, String>;

/// Every half of a document, by its name and targets: the attributes of each entry that says it.
fn written(corpus: &Corpus, document: &Document) -> BTreeMap<(String, String), Vec<Attributes>> {
    let mut all: BTreeMap<_, Vec<Attributes>> = BTreeMap::new();
    for half in corpus.halves(document).0 {
        let targets: Vec<&str> = half.targets.iter().map(|target| target.text.as_str()).collect();
        let attributes = half.attributes.iter();
        let attributes = attributes.map(|entry| (entry.key.to_string(), canonical(&entry.value)));
        let key = (half.written().to_owned(), targets.join("\u{0}"));
        all.entry(key).or_default().push(attributes.collect());
    }
    all
}

/// Every half that was to be written stands there once, with its attributes beside those it had, and
/// no other half came, went or changed.
fn read_back(
    corpus: &Corpus,
    old: &Document,
    new: &Document,
    halves: &[Half],
) -> Result<(), String> {
    let (mut before, after) = (written(corpus, old), written(corpus, new));
    for half in halves {
        let key = (half.relation.clone(), half.target.clone());
        let had = before.remove(&key).and_then(|mut entries| entries.pop());
        let mut wanted = had.unwrap_or_default();
        let attributes = half.attributes.iter();
        wanted.extend(attributes.map(|(name, value)| (name.clone(), text(value))));
        before.insert(key, vec![wanted]);
    }
    if before == after {
        return Ok(());
    }
    let broken = halves.iter().find(|half| {
        let key = (half.relation.clone(), half.target.clone());
        before.get(&key) != after.get(&key)
    });
    Err(match broken {
        Some(half) => format!("`{}` would not stand there once as it was to", half.shown()),
        None => "the result would change other relations".to_owned(),
    })
}
