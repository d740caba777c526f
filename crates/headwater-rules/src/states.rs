//! The lifecycle as rules read it: which facet holds the state, how a document with a state stands, and
//! which states the regime of each kind names. State names are never compared but with each other.

use std::collections::{BTreeMap, BTreeSet};

use headwater_check::headwater_taxonomy::model::Role;
use headwater_check::{End, FrontMatter, Standing, Taxonomy};

use crate::say::quoted;

/// Why a document is not judged whose state, now or before, is none that the facet permits.
pub(crate) const UNREADABLE: &str = "a version writes no state, or one that is none of the values of its facet, which `facet.value.not_permitted` reports";

/// The facet that holds the state, for rules over one document.
pub(crate) struct StateFacet {
    pub name: String,
    values: BTreeSet<String>,
}

impl StateFacet {
    /// None where no facet holds states.
    pub(crate) fn of(taxonomy: &Taxonomy) -> Option<Self> {
        let facet = taxonomy.facet_with_role(Role::State)?;
        let values = facet.values.iter().flatten().map(|value| value.value.clone());
        Some(Self { name: facet.name.clone(), values: values.collect() })
    }

    /// The state that front matter writes: one of the values of the facet.
    pub(crate) fn state<'v>(&self, matter: FrontMatter<'v>) -> Option<&'v str> {
        matter.facet_text(&self.name).filter(|state| self.values.contains(*state))
    }
}

/// The lifecycle of a taxonomy.
pub(crate) struct States {
    /// The facet in the role `state`.
    pub facet: String,
    /// For each kind that binds a regime, the states that the regime names.
    regimes: BTreeMap<String, BTreeSet<String>>,
}

impl States {
    /// None where no facet holds states.
    pub(crate) fn of(taxonomy: &Taxonomy) -> Option<Self> {
        let facet = taxonomy.facet_with_role(Role::State)?;
        let regime = |kind: &headwater_check::Kind| {
            let names = taxonomy.lifecycle_of(kind)?.states().into_iter().map(str::to_owned);
            Some((kind.name.clone(), names.collect()))
        };
        Some(Self {
            facet: facet.name.clone(),
            regimes: taxonomy.kinds.values().filter_map(regime).collect(),
        })
    }

    /// The state that a document writes.
    pub(crate) fn written<'v>(&self, end: End<'v>) -> Option<&'v str> {
        end.facet_text(&self.facet)
    }

    /// How a document stands, or why an edge that reads it is not judged.
    pub(crate) fn readable(&self, end: End<'_>) -> Result<Standing, String> {
        end.standing().ok_or_else(|| match self.written(end) {
            None => format!("a document at an end of the edge writes no readable `{}`", self.facet),
            Some(_) => format!(
                "a document at an end of the edge writes a `{}` that is none of its values, which `facet.value.not_permitted` reports",
                self.facet
            ),
        })
    }

    /// Whether the regime of a kind names a state; none where the kind binds no regime.
    pub(crate) fn admits(&self, kind: &str, state: &str) -> Option<bool> {
        self.regimes.get(kind).map(|names| names.contains(state))
    }

    /// Why an edge is not judged whose far document is at a state that its regime does not name.
    pub(crate) fn deferred(&self, end: End<'_>) -> Option<String> {
        let state = self.written(end)?;
        (self.admits(end.kind(), state) == Some(false)).then(|| {
            format!(
                "the lifecycle of the kind {} does not name the state that the edge leads to, which `lifecycle.state.not_admitted` reports",
                quoted(end.kind())
            )
        })
    }
}
