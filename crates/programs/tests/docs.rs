//! The reference page, the manual pages and the completions are what the verb table makes of them.
//! With `UPDATE_DOCS=1` they are written anew.

#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test fails by panicking")]

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
