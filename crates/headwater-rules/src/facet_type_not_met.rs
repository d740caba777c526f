//! The value of a facet, or each item of a list value, is of the type that the facet declares: a
//! `string` is one text, an `integer`, a `boolean` and a `date` are what YAML and the calendar say, a
//! `duration` is a number with `d` or `w`. A mapping is of no type and a value of no closed set.
//!
//! # Why
//!
//! A date that is no date and a number that is no number are passed over by every rule, index and query
//! that would have read them.
//!
//! # Example
//!
//! `reviewed: 2026-02-30`, where `reviewed` is a `date`.
//!
//! # Neighbour
//!
//! A value with no text is `facet.value.blank`; a value outside a closed set is
//! `facet.value.not_permitted`. A null is not judged here.

use headwater_check::{
    About, Date, Defect, DocumentRule, DocumentView, Kind, Origin, Outcome, Severity, Taxonomy,
};
use headwater_check::headwater_taxonomy::model::ValueType;
use headwater_check::markdown::yaml::{Node, Scalar, Style, Value};

use crate::say::quoted;

struct Typed {
    facet: String,
    value_type: Option<ValueType>,
    severity: Severity,
}

/// The rule for one kind.
pub(crate) struct Rule {
    typed: Vec<Typed>,
}

impl DocumentRule for Rule {
    const ABOUT: About = About::new(
        "facet.type.not_met",
        2,
        Origin::Shape,
        include_str!("../../../docs/rules/facet.type.not_met.md"),
    );

    fn generate(taxonomy: &Taxonomy, kind: &Kind) -> Option<Self> {
        let facets = taxonomy.facets.values().filter(|facet| {
            let says = facet.value_type.is_some() || facet.values.is_some();
            says && !kind.forbids(&facet.name)
        });
        let typed: Vec<Typed> = facets
            .map(|facet| Typed {
                facet: facet.name.clone(),
                value_type: facet.value_type,
                severity: facet.severity.unwrap_or(Severity::Error),
            })
            .collect();
        (!typed.is_empty()).then_some(Self { typed })
    }

    fn evaluate(&self, view: &DocumentView<'_>) -> Outcome {
        let matter = view.front_matter();
        let mut defects = Vec::new();
        for Typed { facet, value_type, severity } in &self.typed {
            let Some(fact) = matter.facet(facet) else { continue };
            let items = fact.value.as_list().unwrap_or(std::slice::from_ref(fact.value));
            for item in items.iter().filter(|item| !meets(item, *value_type)) {
                let what = match item.as_scalar() {
                    Some(scalar) => quoted(&scalar.text),
                    None if item.as_mapping().is_some() => "a mapping".to_owned(),
                    None => "a list".to_owned(),
                };
                let due = value_type.map_or("one text", due);
                let key = quoted(fact.key);
                // What would be right but for its quotes is a text.
                let plain = |node: &Node| {
                    let text = node.as_scalar()?.text.clone();
                    let value = Value::Scalar(Scalar { text, style: Style::Plain });
                    Some(Node { span: node.span, value })
                };
                let (how, remedy) = match plain(item).filter(|plain| !plain.is_null() && meets(plain, *value_type)) {
                    Some(_) => (" in quotes, which make it a text", "remove the quotes".to_owned()),
                    None => ("", format!("write {due}")),
                };
                defects.push(Defect::new(
                    *severity,
                    matter.place(item.span),
                    format!("{what} stands under {key}{how}, and {due} belongs there"),
                    remedy,
                ));
            }
        }
        Outcome::of(defects)
    }
}

const fn due(value_type: ValueType) -> &'static str {
    match value_type {
        ValueType::String => "one text",
        ValueType::Integer => "an integer of at most 64 bits",
        ValueType::Boolean => "`true` or `false`",
        ValueType::Date => "a date of the calendar, `YYYY-MM-DD`",
        ValueType::Duration => "a number of days or weeks, such as `30d` or `2w`",
    }
}

/// Whether a value, which is no list of values, is of a type. A null is of every type.
pub(crate) fn meets(value: &Node, value_type: Option<ValueType>) -> bool {
    let Some(scalar) = value.as_scalar() else { return false };
    scalar.is_null()
        || match value_type {
            None | Some(ValueType::String) => true,
            Some(ValueType::Integer) => scalar.as_int().is_some(),
            Some(ValueType::Boolean) => scalar.as_bool().is_some(),
            Some(ValueType::Date) => Date::parse(&scalar.text).is_some(),
            Some(ValueType::Duration) => is_duration(&scalar.text),
        }
}

fn is_duration(text: &str) -> bool {
    let digits = text.strip_suffix(['d', 'w']).unwrap_or_default();
    !digits.is_empty() && digits.bytes().all(|digit| digit.is_ascii_digit())
}
