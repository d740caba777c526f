//! Facets: the front-matter keys a taxonomy declares, and what each is for.

use super::read::{flag, named, text, whole};
use crate::ordered::Ordered;
use crate::yaml::Node;

/// Declares an enum of words with `parse` and `word`.
macro_rules! words {
    ($(#[$meta:meta])* $name:ident { $($(#[$doc:meta])* $variant:ident = $word:literal),* $(,)? }) => {
        $(#[$meta])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum $name { $($(#[$doc])* $variant),* }

        impl $name {
            /// The member that a word names.
            pub fn parse(word: &str) -> Option<Self> {
                match word { $($word => Some(Self::$variant),)* _ => None }
            }

            /// Its word.
            pub fn word(self) -> &'static str {
                match self { $(Self::$variant => $word),* }
            }
        }
    };
}
pub(crate) use words;

words! {
    /// What a facet is for. Rules find facets by role, never by name.
    Role {
        /// Where a document stands in its lifecycle.
        State = "state",
        /// The date it entered that state.
        StateEntered = "state_entered",
        /// The date it was made.
        Created = "created",
        /// The date a person last confirmed it.
        Freshness = "freshness",
        /// The one sentence that routing and indexes show.
        Scent = "scent",
        /// A title.
        Name = "name",
    }
}

words! {
    /// The type of a facet's value.
    ValueType {
        /// Any scalar.
        String = "string",
        /// An integer of the core schema.
        Integer = "integer",
        /// One of the six spellings of the core schema.
        Boolean = "boolean",
        /// A calendar date, `YYYY-MM-DD`.
        Date = "date",
        /// Digits with `d` or `w`.
        Duration = "duration",
    }
}

words! {
    /// How much a finding weighs.
    Severity {
        /// Fails a strict run.
        Error = "error",
        /// Never fails a run.
        Warn = "warn",
        /// A note.
        Info = "info",
    }
}

/// How a document that holds a state value stands. State names are never compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Standing {
    /// Not yet relied on.
    Initial,
    /// Relied on.
    Live,
    /// No longer relied on.
    Terminal,
    /// No role, or a role that says none of the three.
    Neither,
}

/// One value of a closed set.
#[derive(Clone, Debug, PartialEq)]
pub struct FacetValue {
    /// Its text.
    pub value: String,
    /// Its role, as written.
    pub role: Option<String>,
}

impl FacetValue {
    /// How a document with this value stands.
    pub fn standing(&self) -> Standing {
        match self.role.as_deref() {
            Some("initial") => Standing::Initial,
            Some("live") => Standing::Live,
            Some(role) if role.starts_with("terminal") => Standing::Terminal,
            _ => Standing::Neither,
        }
    }
}

pub(super) fn facet_values(node: &Node) -> Option<Vec<FacetValue>> {
    let read = |item: &Node| {
        let value = item.text().map(str::to_owned).or_else(|| text(item, "value"))?;
        Some(FacetValue { value, role: text(item, "role") })
    };
    node.items().map(|items| items.iter().filter_map(read).collect())
}

/// One declared front-matter key.
#[derive(Clone, Debug, PartialEq)]
pub struct Facet {
    /// Its name. The key in a file may be spelled otherwise: see `Bindings::facet_key`.
    pub name: String,
    /// What it is for.
    pub role: Option<Role>,
    /// The closed set of its values; none for an open facet.
    pub values: Option<Vec<FacetValue>>,
    /// The type of its value.
    pub value_type: Option<ValueType>,
    /// Whether every kind that does not forbid it owes it.
    pub required: bool,
    /// The severity of `facet.type.not_met` for it.
    pub severity: Option<Severity>,
    /// After how many days a confirmation is stale.
    pub stale_after_days: Option<u64>,
    /// `stable` or `mutable`.
    pub volatility: Option<String>,
    /// A sentence for each value.
    pub guidance: Ordered<String>,
}

impl Facet {
    pub(super) fn read(name: &str, node: &Node) -> Self {
        let word = |key: &str| node.get(key).and_then(Node::text);
        Self {
            name: name.to_owned(),
            role: word("role").and_then(Role::parse),
            values: node.get("values").and_then(facet_values),
            value_type: word("type").and_then(ValueType::parse),
            required: flag(node, "required"),
            severity: word("severity").and_then(Severity::parse),
            stale_after_days: whole(node, "stale_after_days"),
            volatility: text(node, "volatility"),
            guidance: named(node, "guidance", |_, node| node.text().unwrap_or("").to_owned()),
        }
    }

    /// The value of that text, in a closed set.
    pub fn value(&self, text: &str) -> Option<&FacetValue> {
        self.values.as_ref()?.iter().find(|value| value.value == text)
    }
}
