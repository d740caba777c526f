//! The pages of the rules, `docs/rules/`, are the first comments of their files. `UPDATE_DOCS=1` writes
//! them; otherwise a page that is not what its comment says fails.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

use std::fs;
use std::path::{Path, PathBuf};

use headwater_check::{FIXTURES_HEADING, Template};
use support::{cases, fixtures};

mod support;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// The first comment of a file as Markdown, its headings one level down.
fn comment(source: &str) -> String {
    let lines = source.lines().take_while(|line| line.starts_with("//!"));
    let lines = lines.map(|line| {
        let line = line.trim_start_matches("//!");
        let line = line.strip_prefix(' ').unwrap_or(line);
        if line.starts_with("# ") { format!("#{line}\n") } else { format!("{line}\n") }
    });
    lines.collect()
}

fn page(template: &Template, comment: &str) -> String {
    let about = template.about();
    let exported = match about.exportable_as {
        [] => String::new(),
        targets => format!(" Exported to: {}.", targets.join(", ")),
    };
    format!(
        "# `{}`\n\n{comment}\n## Facts\n\nOrigin: {}. Scope: {}. Edition: {}.{exported}\n{}",
        about.id,
        about.origin.word(),
        template.scope(),
        about.edition,
        shown(about.id)
    )
}

/// The three fixtures of a rule, as its tests read them.
fn shown(id: &str) -> String {
    let all = cases(&fixtures().join(format!("rules/{id}.md")));
    let mut text = format!(
        "{FIXTURES_HEADING}\nEach is a corpus over the [base taxonomy](../../crates/headwater-rules/fixtures/base.json) with its\n\
         delta merged in, and every finding of every rule over it.\n"
    );
    for word in ["Fires", "Passes", "Discriminates"] {
        let case = all.iter().find(|case| case.title.starts_with(word)).unwrap();
        text.push_str(&format!("\n### {}\n\n{}\n", case.title, case.text.trim()));
    }
    text
}

#[test]
fn pages_say_what_the_rules_say() {
    let registry = headwater_rules::registry();
    let own = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut expected = Vec::new();
    for (module, template) in headwater_rules::MODULES.iter().zip(registry.templates()) {
        let source = fs::read_to_string(own.join(format!("{module}.rs"))).unwrap();
        assert_eq!(
            template.about().id.replace('.', "_"),
            *module,
            "a file is named after its rule"
        );
        expected.push((template.about().id, page(template, &comment(&source))));
    }
    // The rules of the run itself have no file of their own to hold a page.
    let pages = root().join("crates/headwater-check/pages");
    for template in &registry.templates()[headwater_rules::MODULES.len()..] {
        let text = fs::read_to_string(pages.join(format!("{}.md", template.about().id))).unwrap();
        expected.push((template.about().id, page(template, &text)));
    }
    let directory = root().join("docs/rules");
    let mut index = String::from("# Rules\n\nThe order is that of reports.\n\n");
    for (id, text) in &expected {
        for section in ["## Why", "## Example", "## Neighbour"] {
            assert!(text.contains(&format!("\n{section}\n\n")), "{id} lacks {section}");
        }
        let template = registry.get(id).unwrap();
        let page: &'static str = Box::leak(text.clone().into_boxed_str());
        let about = headwater_check::About { page, ..*template.about() };
        let first = about.checks();
        let sentence = first.split_inclusive(". ").next().unwrap_or_default().trim();
        index.push_str(&format!("- [`{id}`]({id}.md): {sentence}\n"));
    }
    expected.push(("README", index));
    let update = std::env::var_os("UPDATE_DOCS").is_some();
    for (id, text) in &expected {
        let path = directory.join(format!("{id}.md"));
        if update {
            fs::write(&path, text).unwrap();
        }
        let held = fs::read_to_string(&path).unwrap_or_default();
        assert_eq!(
            &held, text,
            "docs/rules/{id}.md is not what the rule says; run with UPDATE_DOCS=1"
        );
    }
    let known: Vec<String> = expected.iter().map(|(id, _)| format!("{id}.md")).collect();
    for file in fs::read_dir(&directory).unwrap() {
        let name = file.unwrap().file_name().into_string().unwrap();
        assert!(known.contains(&name), "docs/rules/{name} is the page of no rule");
    }
}
