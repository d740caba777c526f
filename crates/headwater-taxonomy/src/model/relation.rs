//! Relations: the edge types, what may stand at each end, and which end governs.

use super::facet::{ValueType, facet_values, words};
use super::kind::pairs;
use super::read::{flag, named, text, texts};
use crate::ordered::Ordered;
use crate::yaml::Node;

words! {
    /// What kind of dependence a relation states.
    Family {
        /// One document replaces another.
        Succession = "succession",
        /// One is made from another.
        Derivation = "derivation",
        /// One rules over another.
        Governance = "governance",
        /// One supports another.
        Evidence = "evidence",
        /// One is part of another.
        Composition = "composition",
        /// They belong together.
        Association = "association",
    }
}

words! {
    /// An end of a relation, in the declared direction.
    End {
        /// The source.
        From = "from",
        /// The target.
        To = "to",
    }
}

words! {
    /// Whether the far document owes its half.
    Reciprocity {
        /// It does.
        Required = "required",
        /// Either may write it, and nothing is owed.
        Symmetric = "symmetric",
        /// Nothing is owed.
        Optional = "optional",
    }
}

words! {
    /// Whether one end governs the other.
    Nuclearity {
        /// Neither end is the satellite.
        Multinuclear = "multinuclear",
        /// One end is the satellite of the other.
        NucleusSatellite = "nucleus-satellite",
    }
}

/// Which way a written name reads the relation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Direction {
    /// Under its own name: the far end is `to`.
    Declared,
    /// Under its inverse: the far end is `from`.
    Inverse,
}

/// An attribute that an edge may carry.
#[derive(Clone, Debug, PartialEq)]
pub struct Attribute {
    /// The type of its value.
    pub value_type: Option<ValueType>,
    /// The closed set of its values.
    pub values: Option<Vec<String>>,
    /// `source`, `target` or `edge`.
    pub owner: Option<String>,
}

/// One declared edge type.
#[derive(Clone, Debug, PartialEq)]
pub struct Relation {
    /// Its name.
    pub name: String,
    /// Its family; none when the lock holds another word, and then there are no defaults.
    pub family: Option<Family>,
    /// The kinds and anchor kinds permitted at the source end.
    pub from: Vec<String>,
    /// The kinds and anchor kinds permitted at the target end.
    pub to: Vec<String>,
    /// The name the far document writes.
    pub inverse: Option<String>,
    /// Whether the far half is owed.
    pub reciprocal: Option<Reciprocity>,
    /// As declared, else the default of the family.
    pub nuclearity: Option<Nuclearity>,
    /// The end that governs, where one is named.
    pub nucleus: Option<End>,
    /// The end that is the evidence.
    pub evidence_at: Option<End>,
    /// Facets a satellite takes from its nucleus.
    pub inherits: Vec<String>,
    /// Whether `cardinality: one` is declared.
    pub at_most_one: bool,
    /// Who is expected to write it, as declared.
    pub created_by: Option<String>,
    /// Whether a live document must not rest on a terminal one through it; declared here or for the
    /// family in `core.requires`.
    pub lifecycle_sensitive: bool,
    /// Whether `lifecycle_sensitive: true` is declared on the relation itself.
    pub declares_sensitive: bool,
    /// The attributes an edge may carry.
    pub attributes: Ordered<Attribute>,
    /// The state it puts its target in.
    pub set_state: Option<String>,
    /// Facet values that both ends may not share.
    pub invalid_when_both: Vec<(String, String)>,
    /// Whether `continuity: expected` is declared.
    pub continuity_expected: bool,
}

impl Relation {
    pub(super) fn read(name: &str, node: &Node, sensitive_families: &[String]) -> Self {
        let word = |key: &str| node.get(key).and_then(Node::text);
        let family = word("family").and_then(Family::parse);
        let default = match family {
            Some(Family::Succession | Family::Association) => Some(Nuclearity::Multinuclear),
            Some(Family::Derivation | Family::Composition) => Some(Nuclearity::NucleusSatellite),
            Some(Family::Governance | Family::Evidence) | None => None,
        };
        let declares_sensitive = flag(node, "lifecycle_sensitive");
        let of_family = word("family")
            .is_some_and(|word| sensitive_families.iter().any(|family| family == word));
        Self {
            name: name.to_owned(),
            family,
            from: texts(node, "from"),
            to: texts(node, "to"),
            inverse: text(node, "inverse"),
            reciprocal: word("reciprocal").and_then(Reciprocity::parse),
            nuclearity: word("nuclearity").and_then(Nuclearity::parse).or(default),
            nucleus: word("nucleus").and_then(End::parse),
            evidence_at: word("evidence_at").and_then(End::parse),
            inherits: texts(node, "inherits"),
            at_most_one: word("cardinality") == Some("one"),
            created_by: text(node, "created_by"),
            lifecycle_sensitive: declares_sensitive || of_family,
            declares_sensitive,
            attributes: named(node, "attributes", |_, node| Attribute {
                value_type: node.get("type").and_then(Node::text).and_then(ValueType::parse),
                values: node
                    .get("values")
                    .and_then(facet_values)
                    .map(|values| values.into_iter().map(|value| value.value).collect()),
                owner: text(node, "owner"),
            }),
            set_state: node.get("on_target").and_then(|node| text(node, "set_state")),
            invalid_when_both: node
                .get("invalid_when")
                .map(|node| pairs(node, "both"))
                .unwrap_or_default(),
            continuity_expected: word("continuity") == Some("expected"),
        }
    }

    /// The end that governs, for prose rules and exports: the nucleus if named, else the source of
    /// a succession or governance relation, else neither.
    pub fn governing_end(&self) -> Option<End> {
        self.nucleus.or(match self.family {
            Some(Family::Succession | Family::Governance) => Some(End::From),
            _ => None,
        })
    }

    /// The kinds and anchor kinds permitted at an end.
    pub fn permitted(&self, end: End) -> &[String] {
        match end {
            End::From => &self.from,
            End::To => &self.to,
        }
    }

    /// The kinds and anchor kinds permitted at the far end of a half written in that direction.
    pub fn far_end(&self, direction: Direction) -> &[String] {
        match direction {
            Direction::Declared => &self.to,
            Direction::Inverse => &self.from,
        }
    }
}
