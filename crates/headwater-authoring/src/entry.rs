//! Splices that write targets under one front-matter key, whatever shape its value has now, and
//! that change the attributes of a target that stands there already.

use headwater_check::Span;
use headwater_check::markdown::yaml::{Entry, Mapping, Node, Style, Value};

use crate::scalar::{Within, spelled};
use crate::splice::{Splice, line_before, line_break, lines_after};

/// One target to write, with the attributes of its entry.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Item<'i> {
    pub text: &'i str,
    pub attributes: &'i [(String, String)],
}

impl Item<'_> {
    /// The lines of a list item, behind its dash and below.
    fn lines(self, style: Style) -> Vec<String> {
        let text = spelled(self.text, style, Within::Block);
        if self.attributes.is_empty() {
            return vec![text];
        }
        let attributes = self.attributes.iter().map(|(name, value)| attribute(name, value));
        std::iter::once(format!("to: {text}")).chain(attributes).collect()
    }
}

fn attribute(name: &str, value: &str) -> String {
    let name = spelled(name, Style::Plain, Within::Block);
    format!("{name}: {}", spelled(value, Style::Plain, Within::Block))
}

/// How a front matter is indented where it has no sibling to follow.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Indentation {
    /// By how much a key stands behind the key above it.
    pub step: usize,
    /// By how much the dash of a list stands behind its key.
    pub dash: usize,
}

impl Indentation {
    /// That of the first block list and the first block mapping of a mapping; two where there is none.
    pub(crate) fn of(source: &str, mapping: &Mapping) -> Self {
        let mut found = (None, None);
        for entry in mapping.entries() {
            let Ok(own) = blanks(source, entry.key_span) else { continue };
            let nested = entry.value.as_mapping().filter(|mapping| !mapping.is_flow());
            if let Some(nested) = nested {
                let inner = Self::of(source, nested).dash;
                let first = nested.entries().first();
                let step = first.and_then(|first| blanks(source, first.key_span).ok());
                found.0 = found.0.or(step.and_then(|step| step.len().checked_sub(own.len())));
                if nested.entries().iter().any(|entry| dash(source, entry).is_some()) {
                    found.1 = found.1.or(Some(inner));
                }
            }
            let dash = dash(source, entry).and_then(|dash| dash.lead.len().checked_sub(own.len()));
            found.1 = found.1.or(dash);
        }
        let step = found.0.filter(|step| *step > 0).unwrap_or(2);
        Self { step, dash: found.1.unwrap_or(step) }
    }
}

/// The blanks before a key that begins its line.
pub(crate) fn blanks(source: &str, key: Span) -> Result<&str, String> {
    let before = line_before(source, key.start);
    if before.contains('\t') {
        return Err("a tab indents it, which YAML reads as no indentation".to_owned());
    }
    if before.bytes().any(|byte| byte != b' ') {
        return Err("a key shares its line with something else".to_owned());
    }
    Ok(before)
}

/// What stands before the text of a list item.
#[derive(Clone, Copy)]
struct Dash<'s> {
    lead: &'s str,
    gap: &'s str,
}

/// That of the last item of a block list that begins a line.
fn dash<'s>(source: &'s str, entry: &Entry) -> Option<Dash<'s>> {
    if is_flow(source, &entry.value) {
        return None;
    }
    entry.value.as_list()?.iter().rev().find_map(|item| {
        let (lead, gap) = line_before(source, item.span.start).split_once('-')?;
        let blank = |text: &str| text.bytes().all(|byte| byte == b' ');
        (blank(lead) && blank(gap) && !gap.is_empty()).then_some(Dash { lead, gap })
    })
}

pub(crate) fn is_flow(source: &str, node: &Node) -> bool {
    match &node.value {
        Value::Mapping(mapping) => mapping.is_flow(),
        Value::List(_) => node.span.of(source).starts_with('['),
        Value::Scalar(_) => false,
    }
}

/// Whether a value is an empty list or mapping, which only flow form can write.
pub(crate) fn is_empty(node: &Node) -> bool {
    node.as_list().is_some_and(<[Node]>::is_empty)
        || node.as_mapping().is_some_and(|mapping| mapping.entries().is_empty())
}

/// The splice that leaves a key with nothing behind its colon.
pub(crate) fn without(source: &str, entry: &Entry) -> Result<Splice, String> {
    let gap = gap(source, entry)?;
    let value = Span::new(gap.start, entry.value.span.end);
    match value.of(source).contains('\n') {
        true => Err(format!("the value of `{}` runs over several lines", entry.key)),
        false => Ok(Splice::new(value, "")),
    }
}

/// Whether a value was left out: nothing stands behind the colon.
pub(crate) fn is_absent(node: &Node) -> bool {
    node.is_null() && node.span.is_empty()
}

/// The lines of a new key with its items.
pub(crate) fn new_key(
    key: &str,
    items: &[Item<'_>],
    indent: usize,
    by: Indentation,
) -> Vec<String> {
    let key = spelled(key, Style::Plain, Within::Block);
    let mut lines = vec![format!("{}{key}:", " ".repeat(indent))];
    lines.extend(new_items(items, &" ".repeat(indent + by.dash), " ", Style::Plain));
    lines
}

fn new_items(items: &[Item<'_>], lead: &str, gap: &str, style: Style) -> Vec<String> {
    let inner = format!("{lead} {}", " ".repeat(gap.len()));
    let mut lines = Vec::new();
    for item in items {
        for (at, line) in item.lines(style).into_iter().enumerate() {
            lines.push(if at == 0 {
                format!("{lead}-{gap}{line}")
            } else {
                format!("{inner}{line}")
            });
        }
    }
    lines
}

/// Adds items to the value of a key.
pub(crate) fn extend(
    source: &str,
    entry: &Entry,
    items: &[Item<'_>],
    by: Indentation,
) -> Result<Vec<Splice>, String> {
    let own = blanks(source, entry.key_span)?;
    let value = &entry.value;
    let dashed = " ".repeat(own.len() + by.dash);
    if is_empty(value) {
        let lines = new_items(items, &dashed, " ", Style::Plain);
        return Ok(vec![without(source, entry)?, lines_after(source, value.span, &lines)]);
    }
    if is_flow(source, value) {
        return Err(flow(&entry.key));
    }
    if is_absent(value) {
        let lines = new_items(items, &dashed, " ", Style::Plain);
        return Ok(vec![lines_after(source, entry.key_span, &lines)]);
    }
    if value.is_null() {
        let null = value.span.of(source);
        return Err(format!("`{}` is `{null}`, which is no list; remove it", entry.key));
    }
    match &value.value {
        Value::List(held) => {
            let dash =
                dash(source, entry).ok_or("its list is laid out in a way that is not known")?;
            let last = held.iter().rev().find_map(Node::as_scalar);
            let style = last.map_or(Style::Plain, |scalar| scalar.style);
            let lines = new_items(items, dash.lead, dash.gap, style);
            Ok(vec![lines_after(source, value.span, &lines)])
        }
        Value::Scalar(scalar) => {
            if value.span.of(source).contains('\n') {
                return Err(format!("the value of `{}` runs over several lines", entry.key));
            }
            let lines = new_items(items, &dashed, " ", scalar.style);
            let open = format!("{}{dashed}- ", line_break(source));
            let gap = gap(source, entry)?;
            Ok(vec![Splice::new(gap, open), lines_after(source, value.span, &lines)])
        }
        Value::Mapping(mapping) => {
            let first = mapping.entries().first().ok_or("it holds an empty mapping")?;
            let indent = blanks(source, first.key_span)?;
            let mut splices = vec![Splice::insert(first.key_span.start, "- ")];
            let held = value.span.of(source);
            for (at, _) in held.match_indices('\n') {
                let line = held.get(at + 1..).unwrap_or_default();
                let blank = line.split('\n').next().unwrap_or_default().trim().is_empty();
                if !blank {
                    splices.push(Splice::insert(value.span.start + at + 1, "  "));
                }
            }
            let lines = new_items(items, indent, " ", Style::Plain);
            splices.push(lines_after(source, value.span, &lines));
            Ok(splices)
        }
    }
}

/// Gives the entry of a target that stands under a key these attributes, and keeps its others.
/// `item` is the entry: the value of the key, or an item of it.
pub(crate) fn amend(
    source: &str,
    entry: &Entry,
    item: &Node,
    attributes: &[(String, String)],
    by: Indentation,
) -> Result<Vec<Splice>, String> {
    let lines = |indent: &str, attributes: &[(String, String)]| -> Vec<String> {
        attributes
            .iter()
            .map(|(name, value)| format!("{indent}{}", attribute(name, value)))
            .collect()
    };
    let Some(mapping) = item.as_mapping() else {
        if item.span.of(source).contains('\n') {
            return Err(format!("a target of `{}` runs over several lines", entry.key));
        }
        if item.span == entry.value.span {
            let own = blanks(source, entry.key_span)?;
            let indent = " ".repeat(own.len() + by.step);
            let open = format!("{}{indent}to: ", line_break(source));
            let gap = gap(source, entry)?;
            return Ok(vec![
                Splice::new(gap, open),
                lines_after(source, item.span, &lines(&indent, attributes)),
            ]);
        }
        let indent = column(source, item.span)?;
        return Ok(vec![
            Splice::insert(item.span.start, "to: "),
            lines_after(source, item.span, &lines(&indent, attributes)),
        ]);
    };
    let within = if mapping.is_flow() { Within::Flow } else { Within::Block };
    let mut splices = Vec::new();
    let mut new = Vec::new();
    for (name, value) in attributes {
        let Some(held) = mapping.get(name) else {
            new.push((name.clone(), value.clone()));
            continue;
        };
        if held.text() == Some(value) {
            continue;
        }
        let scalar = held.as_scalar().filter(|_| !held.span.of(source).contains('\n'));
        let scalar = scalar.ok_or_else(|| format!("`{name}` is more than one text on one line"))?;
        let blank = if is_absent(held) { " " } else { "" };
        let text = format!("{blank}{}", spelled(value, scalar.style, within));
        splices.push(Splice::new(held.span, text));
    }
    if !new.is_empty() {
        let ends = mapping.entries().first().zip(mapping.entries().last());
        let (first, last) = ends.ok_or("it holds an empty mapping")?;
        if mapping.is_flow() {
            let text: String = new
                .iter()
                .map(|(name, value)| {
                    let [name, value] =
                        [name, value].map(|text| spelled(text, Style::Plain, Within::Flow));
                    format!(", {name}: {value}")
                })
                .collect();
            splices.push(Splice::insert(last.value.span.end, text));
        } else {
            let indent = column(source, first.key_span)?;
            splices.push(lines_after(source, last.value.span, &lines(&indent, &new)));
        }
    }
    Ok(splices)
}

/// What stands between the colon of a key and its value, when both are on one line.
fn gap(source: &str, entry: &Entry) -> Result<Span, String> {
    let between = Span::new(entry.key_span.end, entry.value.span.start);
    let text = between.of(source);
    let colon = text.find(':').filter(|_| text.trim() == ":" && !text.contains('\n'));
    let colon = colon.ok_or_else(|| format!("the value of `{}` is not on its line", entry.key))?;
    Ok(Span::new(between.start + colon + 1, between.end))
}

/// The blanks that reach the column of a place behind blanks and dashes.
fn column(source: &str, at: Span) -> Result<String, String> {
    let before = line_before(source, at.start);
    if before.bytes().all(|byte| matches!(byte, b' ' | b'-')) {
        Ok(" ".repeat(before.len()))
    } else {
        Err("an entry is laid out in a way that is not known".to_owned())
    }
}

/// The refusal of a value in braces or brackets.
pub(crate) fn flow(key: &str) -> String {
    format!("`{key}` is written in flow form, with braces or brackets")
}
