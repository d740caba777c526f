//! Kinds: the species of documents, with what each inherits already worked out.

use std::collections::HashSet;

use super::facet::Facet;
use super::read::{flag, listed, named, scalars, text, texts, whole};
use crate::ordered::Ordered;
use crate::yaml::Node;

/// The longest `is_a` chain that is followed. It bounds the work of inheriting, so that no taxonomy
/// can make it quadratic.
pub const CHAIN_LIMIT: usize = 64;

/// What a document of a kind is expected to be related to, and how soon.
#[derive(Clone, Debug, PartialEq)]
pub struct Expectation {
    /// Its name.
    pub id: String,
    /// A relation or an inverse.
    pub relation: String,
    /// The kind at the other end; any when absent.
    pub to_kind: Option<String>,
    /// Facet values that must all hold.
    pub when: Vec<(String, String)>,
    /// The window, as written. The check reads `30d` and `30`.
    pub within: String,
    /// The role whose date opens the window, as written.
    pub since: String,
    /// The severity, as written; warn when absent.
    pub severity: Option<String>,
    /// Why it is expected.
    pub rationale: String,
}

impl Expectation {
    fn read(node: &Node) -> Self {
        let of = |key: &str| text(node, key).unwrap_or_default();
        Self {
            id: of("id"),
            relation: of("relation"),
            to_kind: text(node, "to_kind"),
            when: pairs(node, "when"),
            within: of("within"),
            since: of("since"),
            severity: text(node, "severity"),
            rationale: of("rationale"),
        }
    }

    /// The window in days, for the two forms that the check reads.
    pub fn window_days(&self) -> Option<u32> {
        let digits = self.within.strip_suffix('d').unwrap_or(&self.within);
        (!digits.is_empty() && digits.bytes().all(|b| b.is_ascii_digit()))
            .then(|| digits.parse().ok())
            .flatten()
    }
}

/// The members of a mapping of text to text, in order.
pub(super) fn pairs(node: &Node, key: &str) -> Vec<(String, String)> {
    named(node, key, |_, node| node.text().unwrap_or("").to_owned()).into_entries()
}

/// How many authored words a document, or a section of it, may have.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Budget {
    /// For the whole document.
    pub words: Option<u64>,
    /// For a section, by its heading.
    pub sections: Ordered<u64>,
}

/// What a kind declares itself, without what it inherits.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Declared {
    /// The parent.
    pub is_a: Option<String>,
    /// The purpose.
    pub purpose: Option<String>,
    /// When to write such a document.
    pub write_when: Option<String>,
    /// The identifier scheme.
    pub scheme: Option<String>,
    /// The voice regime.
    pub voice: Option<String>,
    /// The lifecycle regime.
    pub lifecycle: Option<String>,
    /// The language regime.
    pub language: Option<String>,
    /// `facets.require`.
    pub require: Vec<String>,
    /// `facets.optional`.
    pub optional: Vec<String>,
    /// `facets.forbid`.
    pub forbid: Vec<String>,
    /// `facets.values`: narrowings of closed sets.
    pub narrowed: Ordered<Vec<String>>,
    /// `sections.require`.
    pub sections: Vec<String>,
    /// `sections.optional`.
    pub sections_optional: Vec<String>,
    /// `budget`.
    pub budget: Option<Budget>,
}

/// One kind. The members named after declarations hold the value along the chain.
#[derive(Clone, Debug, PartialEq)]
pub struct Kind {
    /// Its name.
    pub name: String,
    /// Whether no document may be of it directly. Not inherited.
    pub is_abstract: bool,
    /// The `is_a` chain from the root kind down to this one. A parent that is not declared, or a
    /// chain that runs in a circle, ends it.
    pub chain: Vec<String>,
    /// What it declares itself.
    pub declared: Declared,
    /// The purpose, nearest along the chain.
    pub purpose: Option<String>,
    /// When to write such a document, nearest.
    pub write_when: Option<String>,
    /// The identifier scheme, nearest.
    pub scheme: Option<String>,
    /// The voice regime, nearest.
    pub voice: Option<String>,
    /// The lifecycle regime, nearest.
    pub lifecycle: Option<String>,
    /// The language regime, nearest.
    pub language: Option<String>,
    /// The size budget, nearest as a whole.
    pub budget: Option<Budget>,
    /// The facets that a document of it owes, in the order in which a scaffold writes them.
    pub required: Vec<String>,
    /// The facets that any kind of the chain lists as optional, root first.
    pub optional: Vec<String>,
    /// The facets that any kind of the chain forbids, root first.
    pub forbidden: Vec<String>,
    /// The narrowings along the chain, root first: a value must be in all of them.
    pub narrowings: Vec<(String, Vec<String>)>,
    /// The sections that a document of it owes, root first.
    pub sections: Vec<String>,
    /// The optional sections, root first.
    pub sections_optional: Vec<String>,
    /// The expectations of exactly this kind. Not inherited.
    pub expectations: Vec<Expectation>,
}

struct Raw {
    is_abstract: bool,
    declared: Declared,
    expectations: Vec<Expectation>,
}

fn read(node: &Node) -> Raw {
    let (none, facets, sections) =
        (Node::empty_map(node.span), node.get("facets"), node.get("sections"));
    let (facets, sections) = (facets.unwrap_or(&none), sections.unwrap_or(&none));
    let budget = node.get("budget").map(|budget| Budget {
        words: whole(budget, "words"),
        sections: budget
            .get("sections")
            .and_then(Node::map)
            .into_iter()
            .flat_map(|map| map.names())
            .filter_map(|heading| {
                Some((heading.to_owned(), whole(budget.get("sections")?, heading)?))
            })
            .collect(),
    });
    Raw {
        is_abstract: flag(node, "abstract"),
        declared: Declared {
            is_a: text(node, "is_a"),
            purpose: text(node, "purpose"),
            write_when: text(node, "write_when"),
            scheme: node.get("identifier").and_then(|node| text(node, "scheme")),
            voice: text(node, "voice"),
            lifecycle: text(node, "lifecycle"),
            language: text(node, "language"),
            require: texts(facets, "require"),
            optional: texts(facets, "optional"),
            forbid: texts(facets, "forbid"),
            narrowed: named(facets, "values", |_, node| scalars(node)),
            sections: texts(sections, "require"),
            sections_optional: texts(sections, "optional"),
            budget,
        },
        expectations: node
            .get("relations")
            .map(|node| listed(node, "expect", Expectation::read))
            .unwrap_or_default(),
    }
}

/// Reads every kind and works out what each inherits. The work is at most [`CHAIN_LIMIT`] times the
/// declarations.
pub(super) fn read_all(root: &Node, facets: &Ordered<Facet>) -> Ordered<Kind> {
    let raw = named(root, "kinds", |_, node| read(node));
    raw.iter().map(|(name, _)| (name.to_owned(), inherit(name, &raw, facets))).collect()
}

fn inherit(name: &str, raw: &Ordered<Raw>, facets: &Ordered<Facet>) -> Kind {
    let mut chain: Vec<(&str, &Raw)> = Vec::new();
    let mut next = raw.position(name);
    while let Some((at, kind)) = next.and_then(|place| raw.at(place)) {
        if chain.len() == CHAIN_LIMIT || chain.iter().any(|(seen, _)| *seen == at) {
            break;
        }
        chain.push((at, kind));
        next = kind.declared.is_a.as_deref().and_then(|parent| raw.position(parent));
    }
    chain.reverse();
    let nearest = |of: fn(&Declared) -> &Option<String>| {
        chain.iter().rev().find_map(|(_, kind)| of(&kind.declared).clone())
    };
    let union = |of: fn(&Declared) -> &Vec<String>| {
        let mut all = Once::default();
        for (_, kind) in &chain {
            for item in of(&kind.declared) {
                all.push(item);
            }
        }
        all.items
    };
    let forbidden = union(|declared| &declared.forbid);
    let never: HashSet<&str> = forbidden.iter().map(String::as_str).collect();
    let mut required = Once::default();
    let universal = facets.values().filter(|facet| facet.required).map(|facet| &facet.name);
    let listed = union(|declared| &declared.require);
    for facet in universal.chain(&listed) {
        if !never.contains(facet.as_str()) {
            required.push(facet);
        }
    }
    let (own, is_abstract, expectations) = match chain.last() {
        Some((_, kind)) => (kind.declared.clone(), kind.is_abstract, kind.expectations.clone()),
        None => Default::default(),
    };
    Kind {
        name: name.to_owned(),
        is_abstract,
        purpose: nearest(|declared| &declared.purpose),
        write_when: nearest(|declared| &declared.write_when),
        scheme: nearest(|declared| &declared.scheme),
        voice: nearest(|declared| &declared.voice),
        lifecycle: nearest(|declared| &declared.lifecycle),
        language: nearest(|declared| &declared.language),
        budget: chain.iter().rev().find_map(|(_, kind)| kind.declared.budget.clone()),
        required: required.items,
        optional: union(|declared| &declared.optional),
        forbidden,
        narrowings: chain
            .iter()
            .flat_map(|(_, kind)| kind.declared.narrowed.iter())
            .map(|(facet, values)| (facet.to_owned(), values.clone()))
            .collect(),
        sections: union(|declared| &declared.sections),
        sections_optional: union(|declared| &declared.sections_optional),
        expectations,
        chain: chain.iter().map(|(name, _)| (*name).to_owned()).collect(),
        declared: own,
    }
}

/// A list that takes each item once.
#[derive(Default)]
struct Once {
    items: Vec<String>,
    seen: HashSet<String>,
}

impl Once {
    fn push(&mut self, item: &str) {
        if self.seen.insert(item.to_owned()) {
            self.items.push(item.to_owned());
        }
    }
}

impl Kind {
    /// Whether it is `ancestor` or descends from it.
    pub fn descends_from(&self, ancestor: &str) -> bool {
        self.chain.iter().any(|kind| kind == ancestor)
    }

    /// Whether the kind, or one above it, forbids the facet.
    pub fn forbids(&self, facet: &str) -> bool {
        self.forbidden.iter().any(|name| name == facet)
    }

    /// Whether it owes or lists the facet, and does not forbid it.
    pub fn carries(&self, facet: &str) -> bool {
        let held = |names: &[String]| names.iter().any(|name| name == facet);
        (held(&self.required) || held(&self.optional)) && !self.forbids(facet)
    }

    /// The values of a closed set that this kind admits, in the order of the facet.
    pub fn admitted<'f>(&self, facet: &'f Facet) -> Option<Vec<&'f str>> {
        let narrowings: Vec<HashSet<&str>> = self
            .narrowings
            .iter()
            .filter(|(name, _)| *name == facet.name)
            .map(|(_, values)| values.iter().map(String::as_str).collect())
            .collect();
        let narrowed = |value: &str| narrowings.iter().all(|values| values.contains(value));
        let values = facet.values.as_ref()?;
        Some(values.iter().map(|v| v.value.as_str()).filter(|value| narrowed(value)).collect())
    }
}
