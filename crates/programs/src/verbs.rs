//! One function for each verb: its arguments as a request, its answer as bytes.
//!
//! What a request means, and every reason to refuse one, is the store's (canvas-store §3).

use std::path::Path;

use canvas_store::Store;
use canvas_store::figure_source;
use canvas_store::refusal::Refusal;
use canvas_store::request::{Create, Edit, Figure, Payload, Position, ReadRequest, Written};
use clap::ArgMatches;

use crate::answer::Answer;

/// What does a verb.
pub type Do = fn(&Store, &ArgMatches) -> Result<Answer, Refusal>;

/// `create`
pub fn create(store: &Store, given: &ArgMatches) -> Result<Answer, Refusal> {
    let created = store.create(&Create {
        canvas: value(given, "canvas-id"),
        problem: required(given, "problem"),
        expected_value: required(given, "expected-value"),
        author: value(given, "author"),
    })?;
    let mut out = String::new();
    if created.minted {
        out.push_str(&format!("Canvas-ID: {}\n", created.canvas));
    }
    out.push_str(&format!(
        "Canvas-Problem: {}\nCanvas-Expected-Value: {}\nCanvas-Base: {}\nCanvas-File: {}\n",
        created.problem, created.expected_value, created.base, created.file
    ));
    Ok(Answer::stored(out, &created.base))
}

/// `read`
pub fn read(store: &Store, given: &ArgMatches) -> Result<Answer, Refusal> {
    let reading = store.read(
        required(given, "canvas-id"),
        &ReadRequest {
            ids: values(given, "id"),
            types: values(given, "type"),
            provenance: given.get_flag("provenance"),
            since: value(given, "since"),
            frozen: given.get_flag("frozen"),
        },
    )?;
    Ok(Answer { stdout: reading.stdout, refusal: reading.refusal, stored: None })
}

/// `render`
pub fn render(store: &Store, given: &ArgMatches) -> Result<Answer, Refusal> {
    let projection = store.projection(required(given, "canvas-id"))?;
    let form = match value(given, "format") {
        Some("comment") => canvas_render::comment,
        _ => canvas_render::page,
    };
    Ok(Answer::said(form(&projection)))
}

/// `history`
pub fn history(store: &Store, given: &ArgMatches) -> Result<Answer, Refusal> {
    let history = store.history(required(given, "canvas-id"), required(given, "node-id"))?;
    Ok(Answer::said(history.to_text()))
}

/// `replace`
pub fn replace(store: &Store, given: &ArgMatches) -> Result<Answer, Refusal> {
    let payload = payload(given)?;
    store.replace(&edit(given), required(given, "node-id"), &payload).map(written)
}

/// `insert`
pub fn insert(store: &Store, given: &ArgMatches) -> Result<Answer, Refusal> {
    let payload = payload(given)?;
    store.insert(&edit(given), position(given), &payload).map(written)
}

/// `remove`
pub fn remove(store: &Store, given: &ArgMatches) -> Result<Answer, Refusal> {
    store.remove(&edit(given), required(given, "node-id")).map(written)
}

/// `move`
pub fn move_node(store: &Store, given: &ArgMatches) -> Result<Answer, Refusal> {
    store.move_node(&edit(given), required(given, "node-id"), position(given)).map(written)
}

/// `freeze`
pub fn freeze(store: &Store, given: &ArgMatches) -> Result<Answer, Refusal> {
    let frozen = store.freeze(
        required(given, "canvas-id"),
        required(given, "why"),
        value(given, "author"),
    )?;
    let out = format!("Canvas-Freeze: {}\nCanvas-Base: {}\n", frozen.canvas, frozen.base);
    Ok(Answer::stored(out, &frozen.base))
}

fn written(written: Written) -> Answer {
    let mut out =
        format!("Canvas-Node: {}\nCanvas-Base: {}\n", written.node, written.base).into_bytes();
    if let Some(news) = &written.news {
        out.extend(news.to_bytes());
    }
    Answer::stored(out, &written.base)
}

fn edit(given: &ArgMatches) -> Edit<'_> {
    Edit {
        canvas: required(given, "canvas-id"),
        why: required(given, "why"),
        base: value(given, "base"),
        author: value(given, "author"),
    }
}

/// The one position; `clap` has seen to it that there is exactly one.
fn position(given: &ArgMatches) -> Position<'_> {
    match value(given, "after") {
        Some(node) => Position::After(node),
        None => Position::Into(required(given, "into")),
    }
}

fn payload(given: &ArgMatches) -> Result<Payload, Refusal> {
    let mut payload = Payload {
        element: value(given, "type").map(str::to_owned),
        text: value(given, "text").map(str::to_owned),
        title: value(given, "title").map(str::to_owned),
        href: value(given, "href").map(str::to_owned),
        answered: given.get_flag("answered"),
        figure: None,
    };
    for (name, figure) in [("mermaid-file", Figure::Mermaid), ("svg-file", Figure::Svg)] {
        if let Some(path) = value(given, name) {
            payload.text = Some(figure_source(figure, Path::new(path))?);
            payload.figure = Some(figure);
        }
    }
    Ok(payload)
}

fn value<'a>(given: &'a ArgMatches, name: &str) -> Option<&'a str> {
    given.get_one::<String>(name).map(String::as_str)
}

/// A value that `clap` has seen to. Were it ever absent the store would refuse the blank.
fn required<'a>(given: &'a ArgMatches, name: &str) -> &'a str {
    value(given, name).unwrap_or_default()
}

fn values<'a>(given: &'a ArgMatches, name: &str) -> Vec<&'a str> {
    given.get_many::<String>(name).map(|all| all.map(String::as_str).collect()).unwrap_or_default()
}
