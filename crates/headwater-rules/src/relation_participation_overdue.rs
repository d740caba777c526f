//! A document has the relations that its kind expects, within the window that the kind allows from the
//! date it names.
//!
//! # Why
//!
//! Some omissions are only visible in time: a decision that nothing implements after a month, a result
//! that nobody cites.
//!
//! # Example
//!
//! The kind expects `cited_by` within `30d` of the date the document became `current`, and 31 days have
//! gone by.
//!
//! # Neighbour
//!
//! The last day of the window is inside it: thirty days after the date nothing is overdue.

use std::collections::BTreeSet;

use headwater_check::{
    About, Date, Defect, Direction, Kind, NeighbourhoodNeeds, NeighbourhoodRule, NeighbourhoodView,
    Origin, Outcome, Severity, Side, Taxonomy,
};
use headwater_check::headwater_taxonomy::model::{Expectation, Role};

use crate::say::quoted;

struct Expected {
    declared: Expectation,
    /// The relation and the end at which the centre stands; none for a name that nothing declares.
    relation: Option<(String, Side)>,
    /// What may stand at the far end; none for anything.
    kinds: Option<BTreeSet<String>>,
    origin: Option<String>,
}

/// The rule for one kind.
pub(crate) struct Rule {
    expected: Vec<Expected>,
}

impl NeighbourhoodRule for Rule {
    const ABOUT: About = About::new(
        "relation.participation.overdue",
        2,
        Origin::Graph,
        include_str!("../../../docs/rules/relation.participation.overdue.md"),
    );
    const NEEDS: NeighbourhoodNeeds = NeighbourhoodNeeds { clock: true };

    fn generate(taxonomy: &Taxonomy, kind: &Kind) -> Option<Self> {
        let expected: Vec<Expected> =
            kind.expectations.iter().map(|declared| Expected::of(taxonomy, declared)).collect();
        (!expected.is_empty()).then_some(Self { expected })
    }

    fn evaluate(&self, view: &NeighbourhoodView<'_>) -> Outcome {
        let mut defects = Vec::new();
        let mut skip = None;
        for expected in &self.expected {
            match expected.judge(view) {
                Ok(defect) => defects.extend(defect),
                Err(reason) => {
                    skip.get_or_insert(reason);
                }
            }
        }
        match (defects.is_empty(), skip) {
            (true, Some(reason)) => Outcome::skip(reason),
            _ => Outcome::of(defects),
        }
    }
}

impl Expected {
    fn of(taxonomy: &Taxonomy, declared: &Expectation) -> Self {
        let relation = taxonomy.relation_written(&declared.relation).map(|(relation, direction)| {
            let side = match direction {
                Direction::Declared => Side::From,
                Direction::Inverse => Side::To,
            };
            (relation.name.clone(), side)
        });
        let kinds = declared.to_kind.as_ref().map(|kind| {
            let under = taxonomy.concrete_under(std::slice::from_ref(kind));
            under.map(|kind| kind.name.clone()).chain([kind.clone()]).collect()
        });
        let origin = Role::parse(&declared.since).and_then(|role| taxonomy.facet_with_role(role));
        let origin = origin.map(|facet| facet.name.clone());
        Self { declared: declared.clone(), relation, kinds, origin }
    }

    /// What is overdue, or why that cannot be told.
    fn judge(&self, view: &NeighbourhoodView<'_>) -> Result<Option<Defect>, String> {
        let matter = view.front_matter();
        let declared = &self.declared;
        let name = if declared.id.is_empty() { &declared.relation } else { &declared.id };
        let of = format!("the expectation {}", quoted(name));
        if !declared.when.iter().all(|(facet, value)| matter.facet_holds(facet, value)) {
            return Ok(None);
        }
        let Some((relation, side)) = &self.relation else {
            return Err(format!("{of} names the relation {}, which nothing declares", quoted(&declared.relation)));
        };
        let severity = match declared.severity.as_deref() {
            None => Severity::Warn,
            Some(word) => Severity::parse(word)
                .ok_or_else(|| format!("{of} has the severity {}, which is none", quoted(word)))?,
        };
        let window = declared.window_days().ok_or_else(|| {
            format!("{of} has the window {}, which is no number of days", quoted(&declared.within))
        })?;
        let Some(origin) = &self.origin else {
            return Err(format!("{of} counts from the role {}, which no facet has", quoted(&declared.since)));
        };
        let met = view.neighbours().iter().any(|neighbour| {
            neighbour.relation() == relation
                && neighbour.centre_is() == *side
                && self.kinds.as_ref().is_none_or(|kinds| kinds.contains(neighbour.kind()))
        });
        if met {
            return Ok(None);
        }
        let fact = matter.facet(origin);
        let date = fact.and_then(|fact| Some((fact, Date::parse(fact.value.text()?)?)));
        let (Some((fact, date)), Some(now)) = (date, view.now()) else {
            return Err(format!("{of} counts from {}, which holds no readable date", quoted(origin)));
        };
        let elapsed = now.days_since(date);
        if elapsed <= i64::from(window) {
            return Ok(None);
        }
        let far = declared.to_kind.as_ref().map_or_else(String::new, |kind| format!(" to a {}", quoted(kind)));
        let because = if declared.rationale.is_empty() {
            String::new()
        } else {
            format!(", because {}", declared.rationale)
        };
        Ok(Some(Defect::new(
            severity,
            matter.place(fact.key_span),
            format!(
                "{} is {elapsed} days old, and {} days after it a document of this kind is expected to have {}{far}{because}",
                quoted(fact.key),
                window,
                quoted(&declared.relation)
            ),
            format!("add the {} edge from either side, or change what no longer holds", quoted(&declared.relation)),
        )))
    }
}
