//! Edits as a unified diff, which `git apply` and `patch` read.

use similar::TextDiff;

use crate::plan::Edit;

/// Lines of context around a change.
const CONTEXT: usize = 3;

/// The diff of edits, in their order.
#[must_use]
pub fn unified(edits: &[Edit]) -> String {
    edits.iter().map(one).collect()
}

fn one(edit: &Edit) -> String {
    let old = lines(edit.before.as_deref().unwrap_or_default());
    let new = lines(&edit.after);
    let name = |side: &str| quoted(&format!("{side}/{}", edit.path));
    let from = if edit.before.is_some() { name("a") } else { "/dev/null".to_owned() };
    let mut out = format!("--- {from}\n+++ {}\n", name("b"));
    let diff = TextDiff::configure().diff_slices(&old, &new);
    for hunk in diff.unified_diff().context_radius(CONTEXT).iter_hunks() {
        out.push_str(&format!("{}\n", hunk.header()));
        for change in hunk.iter_changes() {
            let line = change.value();
            out.push_str(&format!("{}{line}", change.tag()));
            if !line.ends_with('\n') {
                out.push_str("\n\\ No newline at end of file\n");
            }
        }
    }
    out
}

/// The lines of a text with their breaks. Only a line feed ends one, as for git.
fn lines(text: &str) -> Vec<&str> {
    text.split_inclusive('\n').collect()
}

/// A path as git writes one: quoted where it holds what a line cannot, and with a tab behind it where a
/// reader would take what follows a blank for a date.
fn quoted(path: &str) -> String {
    let special = |c: char| c.is_control() || matches!(c, '"' | '\\');
    if !path.chars().any(special) {
        let end = if path.contains(' ') { "\t" } else { "" };
        return format!("{path}{end}");
    }
    let mut out = String::from("\"");
    for c in path.chars() {
        match c {
            '"' | '\\' => out.extend(['\\', c]),
            c if c.is_control() => {
                let mut bytes = [0; 4];
                for byte in c.encode_utf8(&mut bytes).bytes() {
                    out.push_str(&format!("\\{byte:03o}"));
                }
            }
            c => out.push(c),
        }
    }
    out + "\""
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::process::{Command, Stdio};

    use proptest::prelude::*;

    use super::*;

    fn edit(path: &str, before: Option<&str>, after: &str) -> Edit {
        let before = before.map(str::to_owned);
        Edit { path: path.to_owned(), before, after: after.to_owned(), patches: 1 }
    }

    #[test]
    fn an_edit_is_a_unified_diff() {
        let shown = unified(&[
            edit("d/a.md", Some("1\n2\n3\n4\n5\n"), "1\n2\n3\n4\nfive\n"),
            edit("d/x\n\"y.md", None, "new"),
            edit("d/a b.md", Some("1\n"), "2\n"),
        ]);
        let expected = "--- a/d/a.md\n+++ b/d/a.md\n@@ -2,4 +2,4 @@\n 2\n 3\n 4\n-5\n+five\n\
            --- /dev/null\n+++ \"b/d/x\\012\\\"y.md\"\n@@ -0,0 +1 @@\n+new\n\\ No newline at end of file\n\
            --- a/d/a b.md\t\n+++ b/d/a b.md\t\n@@ -1 +1 @@\n-1\n+2\n";
        assert_eq!(shown, expected);
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]
        #[test]
        fn git_makes_the_same_bytes_of_it(
            before in "(a|b|c|\r|\n){0,24}",
            after in "(a|b|c|\r|\n){0,24}",
        ) {
            prop_assume!(before != after && !before.is_empty() && !after.is_empty());
            let root = tempfile::tempdir().unwrap();
            fs::write(root.path().join("a f"), &before).unwrap();
            fs::write(root.path().join("d.patch"), unified(&[edit("a f", Some(&before), &after)])).unwrap();
            let done = Command::new("git")
                .args(["apply", "--whitespace=nowarn", "d.patch"])
                .current_dir(root.path())
                .stderr(Stdio::piped())
                .output();
            let done = done.unwrap();
            prop_assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
            prop_assert_eq!(fs::read_to_string(root.path().join("a f")).unwrap(), after);
        }
    }
}
