//! `taxonomy kinds`: what an author may write, from the lock.

use std::fmt::Write as _;

use serde::Serialize;

use super::{Answer, Invocation};
use crate::lock;
use crate::model::{Kind, Taxonomy};
use crate::yaml::escaped;

#[derive(Serialize)]
struct Document<'t> {
    version: &'static str,
    kinds: Vec<Row<'t>>,
}

#[derive(Serialize)]
struct Row<'t> {
    name: &'t str,
    purpose: Option<&'t str>,
    intent: Option<&'t str>,
    write_when: Option<&'t str>,
    identifier: Option<String>,
    shelves: Vec<ShelfRow<'t>>,
    facets: &'t [String],
    sections: &'t [String],
}

#[derive(Serialize)]
struct ShelfRow<'t> {
    name: &'t str,
    path: &'t str,
}

/// Lists each concrete kind with its purpose, shelves, required facets and sections.
pub fn kinds(invocation: Invocation<'_>, json: bool) -> Answer {
    let lock = match lock::read(invocation.root) {
        Ok(lock) => lock,
        Err(fault) => {
            let sentence = "the lock cannot be read";
            return Answer::refused(invocation, 2, sentence, &[fault.refusal()]);
        }
    };
    let taxonomy = &lock.taxonomy;
    let rows: Vec<Row<'_>> = taxonomy
        .kinds
        .values()
        .filter(|kind| !kind.is_abstract)
        .map(|kind| row(taxonomy, kind))
        .collect();
    let stdout = if json {
        match serde_json::to_string_pretty(&Document { version: "1.0", kinds: rows }) {
            Ok(text) => text + "\n",
            Err(error) => {
                let sentence = format!("the kinds cannot be written as JSON: {error}");
                return Answer::refused(invocation, 2, &sentence, &[]);
            }
        }
    } else {
        rows.iter().map(text).collect::<Vec<_>>().join("\n")
    };
    Answer { stdout, stderr: String::new(), status: 0 }
}

fn row<'t>(taxonomy: &'t Taxonomy, kind: &'t Kind) -> Row<'t> {
    let purpose = kind.purpose.as_deref();
    let scheme = kind.scheme.as_deref().and_then(|name| taxonomy.schemes.get(name));
    Row {
        name: &kind.name,
        purpose,
        intent: purpose
            .and_then(|name| taxonomy.purposes.get(name))
            .map(|purpose| purpose.intent.as_str()),
        write_when: kind.write_when.as_deref(),
        identifier: scheme
            .and_then(|scheme| scheme.template().ok())
            .map(|template| template.shape()),
        shelves: taxonomy
            .shelves_of(&kind.name)
            .map(|shelf| ShelfRow { name: &shelf.name, path: shelf.path.text() })
            .collect(),
        facets: &kind.required,
        sections: &kind.sections,
    }
}

fn text(row: &Row<'_>) -> String {
    let mut out = format!("{}\n", escaped(row.name));
    let mut line = |label: &str, value: &str| {
        if !value.is_empty() {
            let _ = writeln!(out, "  {label:<11} {}", one_line(value));
        }
    };
    match (row.purpose, row.intent) {
        (Some(purpose), Some(intent)) => line("purpose", &format!("{purpose}: {intent}")),
        (Some(purpose), None) => line("purpose", purpose),
        (None, _) => {}
    }
    line("write when", row.write_when.unwrap_or(""));
    line("identifier", row.identifier.as_deref().unwrap_or(""));
    for shelf in &row.shelves {
        line("shelf", &format!("{}, {}", shelf.name, shelf.path));
    }
    line("facets", &row.facets.join(", "));
    line("sections", &row.sections.join(", "));
    out
}

/// A text on one line, whole: white space collapses to single spaces.
fn one_line(text: &str) -> String {
    text.split_whitespace().map(escaped).collect::<Vec<_>>().join(" ")
}
