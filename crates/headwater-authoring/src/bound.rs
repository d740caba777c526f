//! Splices that write targets under a key which a binding reads as a relation: an item of a list, or
//! a separator and the value. The values come with the binding's template taken off.

use headwater_check::headwater_taxonomy::model::BoundRelation;
use headwater_check::markdown::yaml::{Entry, Scalar, Style};

use crate::entry::{self, Indentation, Item, is_absent};
use crate::scalar::{Within, inside, needs_escapes, spelled};
use crate::splice::Splice;

/// The values of a scalar between separators, trimmed, without those that stand there already.
fn missing<'v>(bound: &BoundRelation, entry: &Entry, values: &[&'v str]) -> Vec<&'v str> {
    let items = entry.value.as_list().unwrap_or(std::slice::from_ref(&entry.value));
    let texts = items.iter().filter_map(|item| item.text());
    let held: Vec<&str> = match bound.split.as_deref() {
        Some(separator) => texts.flat_map(|text| text.split(separator)).map(str::trim).collect(),
        None => texts.map(str::trim).collect(),
    };
    values.iter().copied().filter(|value| !held.contains(value)).collect()
}

/// Values in one scalar.
fn joined(bound: &BoundRelation, values: &[&str], between: &str) -> Result<String, String> {
    let separator = bound.split.as_deref().unwrap_or_default();
    match values.iter().find(|value| value.contains(separator) && !separator.is_empty()) {
        Some(value) => Err(format!("`{value}` holds the separator of its list")),
        None => Ok(values.join(between)),
    }
}

/// Adds values to a key that is there.
pub(crate) fn extend(
    source: &str,
    held: &Entry,
    bound: &BoundRelation,
    values: &[&str],
    by: Indentation,
) -> Result<Vec<Splice>, String> {
    let values = missing(bound, held, values);
    if values.is_empty() {
        return Ok(Vec::new());
    }
    entry::blanks(source, held.key_span)?;
    if held.value.as_mapping().is_some() {
        return Err(format!("`{}` holds a mapping", held.key));
    }
    let Some(scalar) = held.value.as_scalar() else {
        return entry::extend(source, held, &items(&values), by);
    };
    let empty = scalar.is_null() || scalar.text.trim().is_empty();
    if empty && !(bound.split.is_none() && values.len() > 1) {
        let text = joined(bound, &values, &separator(bound, ""))?;
        let style = if scalar.is_null() { Style::Plain } else { scalar.style };
        let blank = if is_absent(&held.value) { " " } else { "" };
        let text = format!("{blank}{}", spelled(&text, style, Within::Block));
        return Ok(vec![Splice::new(held.value.span, text)]);
    }
    match bound.split {
        None => entry::extend(source, held, &items(&values), by),
        Some(_) => Ok(vec![appended(held, scalar, bound, &values)?]),
    }
}

/// Values behind those of a scalar.
fn appended(
    held: &Entry,
    scalar: &Scalar,
    bound: &BoundRelation,
    values: &[&str],
) -> Result<Splice, String> {
    let between = separator(bound, &scalar.text);
    let text = joined(bound, values, &between)?;
    let open = scalar.text.trim_end().ends_with(between.trim_end());
    let text = if open { format!(" {text}") } else { between + &text };
    let end = held.value.span.end;
    match scalar.style {
        Style::Plain if !needs_escapes(&text) => Ok(Splice::insert(end, text)),
        Style::Single if !needs_escapes(&text) => {
            Ok(Splice::insert(end.saturating_sub(1), inside(&text, Style::Single)))
        }
        Style::Double => Ok(Splice::insert(end.saturating_sub(1), inside(&text, Style::Double))),
        _ => Err(format!("`{}` is written in a form that cannot be added to", held.key)),
    }
}

/// The separator as the text before it is written: followed by a blank, unless none of its own is.
fn separator(bound: &BoundRelation, text: &str) -> String {
    let separator = bound.split.clone().unwrap_or_default();
    let tight = text.contains(&separator)
        && text.split(&separator).skip(1).all(|part| !part.starts_with(' '));
    if tight || separator.ends_with(' ') || separator.is_empty() {
        separator
    } else {
        separator + " "
    }
}

/// The lines of a key that is not there.
pub(crate) fn new_key(
    key: &str,
    bound: &BoundRelation,
    values: &[&str],
    indent: usize,
    by: Indentation,
) -> Result<Vec<String>, String> {
    if bound.split.is_none() && values.len() > 1 {
        return Ok(entry::new_key(key, &items(values), indent, by));
    }
    let text = joined(bound, values, &separator(bound, ""))?;
    let [key, text] = [key, &text].map(|text| spelled(text, Style::Plain, Within::Block));
    Ok(vec![format!("{}{key}: {text}", " ".repeat(indent))])
}

fn items<'v>(values: &[&'v str]) -> Vec<Item<'v>> {
    values.iter().map(|text| Item { text, attributes: &[] }).collect()
}
