//! The reference page, the manual pages and the completions are what the verb table makes of them.
//! With `UPDATE_DOCS=1` they are written anew.

#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test fails by panicking")]

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::PathBuf;

use clap::Command;
use clap_complete::Shell;
use programs::{command, headwater};

/// Compares a file under `docs/` with what it should be, or writes it.
fn keep(name: &str, content: &[u8]) {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../docs").join(name);
    if std::env::var_os("UPDATE_DOCS").is_some() {
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, content).unwrap();
    } else {
        let kept = fs::read(&path).unwrap_or_default();
        assert!(
            kept == content,
            "docs/{name} has drifted from the verb table; `UPDATE_DOCS=1 cargo test -p programs` \
             writes it anew"
        );
    }
}

/// The programs with verbs, and where the table of each is.
fn programs() -> [(&'static str, Command, &'static str); 2] {
    [
        (
            "canvas",
            command::canvas(),
            "`crates/programs/src/table.rs`. What each program prints on a\nrefusal is described in \
             [refusals](refusals.md).",
        ),
        (
            "headwater",
            headwater::command(),
            "`crates/programs/src/headwater/command.rs`.\nEvery rule has [a page](../rules/README.md).",
        ),
    ]
}

/// A command and every verb below it, each under its full name.
fn with_verbs(mut command: Command) -> Vec<Command> {
    command.build();
    let verbs: Vec<Command> = command.get_subcommands().cloned().collect();
    let below = verbs.into_iter().filter(|verb| verb.get_name() != "help").flat_map(with_verbs);
    std::iter::once(command.clone()).chain(below).collect()
}

#[test]
fn the_reference_pages_are_the_help_of_every_verb() {
    for (program, command, table) in programs() {
        let mut page =
            format!("# `{program}`\n\nThis page is generated from the verb table in {table}\n");
        for (at, mut command) in with_verbs(command).into_iter().enumerate() {
            if at > 0 {
                let name = command.get_bin_name().unwrap_or(command.get_name());
                page.push_str(&format!("\n## `{name}`\n"));
            }
            let help = command.render_help().to_string();
            page.push_str(&format!("\n```text\n{}\n```\n", help.trim_end()));
        }
        keep(&format!("reference/{program}.md"), page.as_bytes());
    }
}

#[test]
fn the_manual_has_a_page_for_every_command_and_one_for_each_verb() {
    for (program, command, _) in programs() {
        for command in with_verbs(command) {
            let name = command.get_display_name().unwrap_or(program).to_owned();
            let mut page = Vec::new();
            clap_mangen::Man::new(command).render(&mut page).unwrap();
            keep(&format!("man/{name}.1"), &page);
        }
    }
}

#[test]
fn every_shell_completes_the_verbs_and_their_options() {
    for (program, mut command, _) in programs() {
        for (shell, name) in [
            (Shell::Bash, format!("{program}.bash")),
            (Shell::Zsh, format!("_{program}")),
            (Shell::Fish, format!("{program}.fish")),
        ] {
            let mut script = Vec::new();
            clap_complete::generate(shell, &mut command, program, &mut script);
            keep(&format!("completions/{name}"), &script);
        }
    }
}

/// The names of the dependencies (not of the tests) in a manifest.
fn dependencies(manifest: &str) -> BTreeSet<String> {
    let lines = manifest.lines().skip_while(|line| *line != "[dependencies]").skip(1);
    let lines = lines.take_while(|line| !line.starts_with('['));
    lines.filter_map(|line| line.split(['.', ' ', '=']).next()).map(str::to_owned).collect()
}

#[test]
fn the_architecture_says_which_crate_imports_what() {
    let root = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../..");
    let mut imported: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    let crates = fs::read_dir(root.join("crates")).unwrap();
    let ours: Vec<String> =
        crates.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    for name in &ours {
        let manifest =
            fs::read_to_string(root.join("crates").join(name).join("Cargo.toml")).unwrap();
        for dependency in dependencies(&manifest) {
            if !dependency.is_empty() && !ours.contains(&dependency) {
                imported.entry(dependency).or_default().insert(name.clone());
            }
        }
    }
    let text = fs::read_to_string(root.join("ARCHITECTURE.md")).unwrap();
    let mut said: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    let rows = text.lines().skip_while(|line| !line.starts_with("| crate |")).skip(2);
    for row in rows.take_while(|line| line.starts_with('|')) {
        let cells: Vec<&str> = row.split('|').map(str::trim).collect();
        let names = |cell: &str| -> BTreeSet<String> {
            cell.split(", ").map(|name| name.trim_matches('`').to_owned()).collect()
        };
        for name in names(cells[1]) {
            said.insert(name, names(cells[2]));
        }
    }
    assert_eq!(said, imported, "left: the table of ARCHITECTURE.md; right: the manifests");
}
