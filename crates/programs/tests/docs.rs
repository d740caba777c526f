//! The reference page, the manual pages and the completions are what the verb table makes of them.
//! With `UPDATE_DOCS=1` they are written anew.

#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test fails by panicking")]

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::PathBuf;

use clap_complete::Shell;
use programs::command;

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

#[test]
fn the_reference_page_is_the_help_of_every_verb() {
    let mut command = command::canvas();
    let mut page = String::from(
        "# `canvas`\n\nThis page is generated from the verb table in `crates/programs/src/table.rs`. What each \
         program prints on a\nrefusal is described in [refusals](refusals.md).\n",
    );
    let help = command.render_help().to_string();
    page.push_str(&format!("\n```text\n{}\n```\n", help.trim_end()));
    for verb in command.get_subcommands_mut() {
        let help = verb.render_help().to_string();
        page.push_str(&format!(
            "\n## `canvas {}`\n\n```text\n{}\n```\n",
            verb.get_name(),
            help.trim_end()
        ));
    }
    keep("reference/canvas.md", page.as_bytes());
}

#[test]
fn the_manual_has_a_page_for_the_command_and_one_for_each_verb() {
    let mut command = command::canvas();
    command.build();
    let verbs = command.get_subcommands().cloned().collect::<Vec<_>>();
    for command in [vec![command], verbs].concat() {
        let name = command.get_display_name().unwrap_or("canvas").to_owned();
        let mut page = Vec::new();
        clap_mangen::Man::new(command).render(&mut page).unwrap();
        keep(&format!("man/{name}.1"), &page);
    }
}

#[test]
fn every_shell_completes_the_verbs_and_their_options() {
    for (shell, name) in
        [(Shell::Bash, "canvas.bash"), (Shell::Zsh, "_canvas"), (Shell::Fish, "canvas.fish")]
    {
        let mut script = Vec::new();
        clap_complete::generate(shell, &mut command::canvas(), "canvas", &mut script);
        keep(&format!("completions/{name}"), &script);
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
