//! `headwater change`: the one verb that runs git.

use std::path::PathBuf;

use clap::ArgMatches;
use headwater_taxonomy::verbs::Answer;
use headwater_taxonomy::yaml::escaped;
use headwater_vcs::{Request, produce};

use super::{Context, refused};

pub(crate) fn change(context: Context<'_>, given: &ArgMatches) -> Answer {
    let all = |name: &str| given.get_many::<String>(name).into_iter().flatten().cloned();
    let verified: Vec<String> = all("verified").collect();
    // The table has two values for each statement about an edge.
    let edges: Vec<String> = all("verified-edge").collect();
    let edges = edges.chunks_exact(2).filter_map(|pair| match pair {
        [path, target] => Some((path.clone(), target.clone())),
        _ => None,
    });
    let edges: Vec<(String, String)> = edges.collect();
    let request = Request {
        root: context.root,
        base: given.get_one::<String>("base").map_or("", String::as_str),
        out: given.get_one::<PathBuf>("out").map_or(context.root, PathBuf::as_path),
        verified: &verified,
        verified_edges: &edges,
    };
    match produce(&request) {
        Ok(manifest) => Answer { stdout: format!("{}\n", manifest.display()), ..Answer::default() },
        Err(refusal) => refused(2, &escaped(&refusal.to_string())),
    }
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::path::Path;
    use std::process::Command;

    use headwater_taxonomy::verbs::Answer;

    use crate::headwater::tests::{check, headwater, lantern};

    fn git(root: &Path, words: &[&str]) {
        let identity = ["-c", "user.name=k", "-c", "user.email=k@example.com"];
        let out = Command::new("git").current_dir(root).args(identity).args(words).output();
        assert!(out.unwrap().status.success(), "git {words:?}");
    }

    /// The worked corpus as one commit.
    fn committed() -> tempfile::TempDir {
        let root = lantern();
        git(root.path(), &["init", "-q"]);
        git(root.path(), &["add", "-A"]);
        git(root.path(), &["commit", "-qm", "x"]);
        root
    }

    fn edit(root: &Path, path: &str, from: &str, to: &str) {
        let path = root.join(path);
        let text = fs::read_to_string(&path).unwrap();
        assert!(text.contains(from), "{text}");
        fs::write(path, text.replacen(from, to, 1)).unwrap();
    }

    /// The path of the manifest of everything since the commit.
    fn manifest(root: &Path, out: &Path, words: &[&str]) -> String {
        let out = out.to_str().unwrap();
        let told = headwater(root, &[&["change", "HEAD", out], words].concat());
        assert_eq!((told.status, told.stderr.as_str()), (0, ""));
        assert_eq!(told.stdout, format!("{out}/manifest\n"));
        told.stdout.trim_end().to_owned()
    }

    const OLD: &str = "handbook/decisions/0001-store-attempts-in-a-table.md";

    #[test]
    fn what_a_change_moved_is_judged_and_told_in_every_format() {
        let root = committed();
        let out = tempfile::tempdir().unwrap();
        edit(root.path(), OLD, "status: superseded", "status: current");
        fs::write(root.path().join("handbook/parts/new.md"), "---\nid: LAN-PART-new\n---\n")
            .unwrap();
        let manifest =
            manifest(root.path(), out.path(), &["--verified", "handbook/parts/queue.md"]);
        let text = fs::read_to_string(&manifest).unwrap();
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(lines[1], format!("prior\t{OLD}\t{}/prior/1", out.path().display()));
        assert_eq!(
            lines[2..],
            ["added\thandbook/parts/new.md", "verified\thandbook/parts/queue.md"]
        );

        let told = check(root.path(), &["--change", &manifest, "--strict", "--json"]);
        assert_eq!(told.status, 1);
        for rule in ["lifecycle.transition.not_permitted", "lifecycle.entered.not_moved"] {
            assert!(
                told.stdout.contains(&format!("\"rule\": \"{rule}\",\n      \"severity\"")),
                "{rule}"
            );
        }
        let change = "  \"change\": {\n    \"documents\": 3,\n    \"added\": 1,\n    \"carried\": 1,\n    \"unreadable\": 0,\n    \"verified\": 1,\n    \"verified_alone\": 1,\n    \"unmatched\": [],\n    \"unstated\": [],\n    \"promotions\": 0\n  },\n  \"coverage\"";
        assert!(told.stdout.contains(change), "{}", told.stdout);
        let sarif = check(root.path(), &["--change", &manifest, "--format", "sarif"]).stdout;
        assert!(sarif.contains("\"verified_alone\": 1"), "{sarif}");
        for format in ["text", "markdown"] {
            let told = check(root.path(), &["--change", &manifest, "--format", format]).stdout;
            assert!(told.to_lowercase().contains("the change names 3 paths"), "{told}");
            let without = check(root.path(), &["--format", format]).stdout;
            assert!(!without.contains("the change names"), "{without}");
        }
        let without = check(root.path(), &["--json"]).stdout;
        assert!(without.contains("\"reason\": \"change-scoped-only: "), "{without}");
        assert!(!without.contains("\n  \"change\":"), "{without}");
    }

    #[test]
    fn a_stamp_is_written_where_the_edge_was_read() {
        let root = lantern();
        let package = ".headwater/packages/lantern-handbook/taxonomy.yml";
        let attribute = "    cardinality: many\n    attributes: {verified_revision: {type: string, owner: edge}}\n";
        edit(root.path(), package, "    cardinality: many\n", attribute);
        let part = "handbook/parts/queue.md";
        edit(
            root.path(),
            part,
            "- src/queue/*.rs",
            "- to: src/queue/*.rs\n      verified_revision: sha256:0",
        );
        assert_eq!(headwater(root.path(), &["taxonomy", "resolve"]).status, 0);
        git(root.path(), &["init", "-q"]);
        git(root.path(), &["add", "-A"]);
        git(root.path(), &["commit", "-qm", "x"]);
        let out = tempfile::tempdir().unwrap();
        let suspects = |answer: &Answer| answer.stdout.matches("relation.target.suspect").count();
        let unread = manifest(root.path(), out.path(), &[]);
        let fixed = check(root.path(), &["--change", &unread, "--fix", "--format", "brief"]);
        assert_eq!(suspects(&fixed), 1, "{}{}", fixed.stdout, fixed.stderr);
        let read = ["--verified-edge", part, "src/queue/retry.rs"];
        let read = manifest(root.path(), out.path(), &read);
        let fixed = check(root.path(), &["--change", &read, "--fix", "--format", "brief"]);
        assert_eq!(suspects(&fixed), 0, "{}{}", fixed.stdout, fixed.stderr);
        let text = fs::read_to_string(root.path().join(part)).unwrap();
        assert!(text.contains("sha256:") && !text.contains("sha256:0\n"), "{text}");
        assert_eq!(suspects(&check(root.path(), &["--format", "brief"])), 0);
        edit(root.path(), "src/queue/retry.rs", "", "// edited\n");
        assert_eq!(suspects(&check(root.path(), &["--format", "brief"])), 1);
    }

    #[test]
    fn what_cannot_be_told_or_read_is_refused() {
        let root = committed();
        let out = tempfile::tempdir().unwrap();
        let at = out.path().join("out");
        let spelled = at.to_str().unwrap();
        let odd = format!("{spelled}\n");
        let refused = |answer: Answer| {
            assert_eq!((answer.status, answer.stdout.as_str()), (2, ""), "{}", answer.stderr);
            assert!(answer.stderr.starts_with("headwater: "), "{}", answer.stderr);
            assert_eq!(answer.stderr.lines().count(), 1, "{}", answer.stderr);
        };
        for words in [
            &["change"][..],
            &["change", "HEAD"],
            &["change", "nowhere", spelled],
            &["change", "--bogus", "HEAD", spelled],
            &["change", "HEAD", spelled, "more"],
            &["change", "HEAD", &odd],
            &["change", "HEAD", spelled, "--verified"],
            &["change", "HEAD", spelled, "--verified", ""],
            &["change", "HEAD", spelled, "--verified", "a", "--verified", "a"],
            &["change", "HEAD", spelled, "--verified-edge", "a"],
            &["change", "HEAD", spelled, "--verified-edge", "a", "b", "--verified-edge", "a", "b"],
        ] {
            refused(headwater(root.path(), words));
            assert!(!at.exists(), "{words:?}");
        }
        refused(headwater(out.path(), &["change", "HEAD", spelled]));

        let path = out.path().join("manifest");
        let named = path.to_str().unwrap();
        refused(check(root.path(), &["--change", named]));
        for text in [
            "",
            "headwater change 2\n",
            "headwater change 1\nremoved\ta\n",
            "headwater change 1\nprior\ta\n",
        ] {
            fs::write(&path, text).unwrap();
            refused(check(root.path(), &["--change", named]));
        }
        fs::remove_file(&path).unwrap();
        fs::create_dir(&path).unwrap();
        refused(check(root.path(), &["--change", named]));
    }
}
