//! The producer over real repositories: what stands in the manifest, whatever is configured, and what is
//! refused before anything is written.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use headwater_vcs::{Refusal, Request, produce};

fn git(root: &Path, words: &[&str]) {
    let identity =
        ["-c", "user.name=k", "-c", "user.email=k@example.com", "-c", "init.defaultBranch=main"];
    let out = Command::new("git").current_dir(root).args(identity).args(words).output().unwrap();
    assert!(out.status.success(), "git {words:?}: {}", String::from_utf8_lossy(&out.stderr));
}

fn write(root: &Path, path: &str, bytes: impl AsRef<[u8]>) {
    let path = root.join(path);
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, bytes).unwrap();
}

/// A repository with one commit of these files.
fn repository(files: &[(&str, &str)]) -> tempfile::TempDir {
    let root = tempfile::tempdir().unwrap();
    git(root.path(), &["init", "-q"]);
    for (path, text) in files {
        write(root.path(), path, text);
    }
    git(root.path(), &["add", "-A"]);
    git(root.path(), &["commit", "-qm", "x"]);
    root
}

fn request<'r>(root: &'r Path, base: &'r str, out: &'r Path) -> Request<'r> {
    Request { root, base, out, verified: &[], verified_edges: &[] }
}

/// The lines of a manifest after the first; each prior file as its bytes.
fn lines(manifest: &Path) -> Vec<String> {
    let text = fs::read_to_string(manifest).unwrap();
    let mut lines = text.lines();
    assert_eq!(lines.next(), Some("headwater change 1"));
    lines
        .map(|line| match line.split('\t').collect::<Vec<_>>().as_slice() {
            ["prior", path, file] => {
                format!("prior {path} {:?}", String::from_utf8_lossy(&fs::read(file).unwrap()))
            }
            fields => fields.join(" "),
        })
        .collect()
}

fn change(root: &Path, base: &str) -> Result<Vec<String>, Refusal> {
    let out = tempfile::tempdir().unwrap();
    let manifest = produce(&request(root, base, &out.path().join("out")))?;
    Ok(lines(&manifest))
}

#[test]
fn an_edit_a_deletion_a_rename_and_a_new_file_are_told() {
    let root =
        repository(&[("a.md", "a\n"), ("b.md", "b\n"), ("c.md", "one two\n"), ("same.md", "")]);
    write(root.path(), "a.md", "edited\n");
    fs::remove_file(root.path().join("b.md")).unwrap();
    git(root.path(), &["mv", "c.md", "d.md"]);
    write(root.path(), "e.md", "new\n");
    let out = tempfile::tempdir().unwrap();
    let (verified, edges) = (["a.md".to_owned()], [("a.md".to_owned(), "src/x.rs".to_owned())]);
    let mut asked = request(root.path(), "HEAD", out.path());
    (asked.verified, asked.verified_edges) = (&verified, &edges);
    let manifest = produce(&asked).unwrap();
    assert_eq!(manifest, out.path().join("manifest"));
    let expected = [
        "prior a.md \"a\\n\"",
        "prior b.md \"b\\n\"",
        "prior d.md \"one two\\n\"",
        "added e.md",
        "verified a.md",
        "verified a.md src/x.rs",
    ];
    assert_eq!(lines(&manifest), expected);
    let files = fs::read_dir(out.path().join("prior")).unwrap().count();
    assert_eq!(files, 3);
    // A second run writes the same, and leaves no line of the first.
    write(root.path(), "a.md", "a\n");
    assert_eq!(lines(&produce(&asked).unwrap())[0], "prior b.md \"b\\n\"");
}

#[test]
fn an_output_directory_inside_the_tree_names_its_own_versions_as_added() {
    let root = repository(&[("a.md", "a\n")]);
    write(root.path(), "a.md", "edited\n");
    for _ in 0..2 {
        let manifest = produce(&request(root.path(), "HEAD", &root.path().join("out/"))).unwrap();
        assert_eq!(lines(&manifest), ["prior a.md \"a\\n\"", "added out/prior/1"]);
    }
    write(root.path(), ".gitignore", "out\n");
    git(root.path(), &["add", ".gitignore"]);
    let manifest = produce(&request(root.path(), "HEAD", &root.path().join("out"))).unwrap();
    assert_eq!(lines(&manifest), ["added .gitignore", "prior a.md \"a\\n\""]);
}

#[test]
fn no_configuration_and_no_variable_changes_the_answer() {
    let long = (0..40).map(|n| format!("line {n}\n")).collect::<String>();
    let root = repository(&[("a.md", "a\n"), ("old.md", &long), ("gone.md", "g\n")]);
    write(root.path(), "a.md", "edited\n");
    git(root.path(), &["rm", "-q", "gone.md"]);
    git(root.path(), &["mv", "old.md", "new name é.md"]);
    write(root.path(), "new name é.md", format!("{long}one more\n"));
    let plain = change(root.path(), "HEAD").unwrap();
    assert_eq!(plain.len(), 3);
    let marker = root.path().join(".git/ran");
    let run = format!("touch {}; false", marker.display());
    for (key, value) in [
        ("diff.renames", "false"),
        ("diff.renameLimit", "1"),
        ("diff.external", run.as_str()),
        ("diff.relative", "true"),
        ("diff.noprefix", "true"),
        ("diff.orderFile", "/nowhere"),
        ("color.ui", "always"),
        ("color.diff", "always"),
        ("core.quotePath", "true"),
        ("core.pager", run.as_str()),
        ("core.fsmonitor", run.as_str()),
        ("core.abbrev", "4"),
        ("status.relativePaths", "true"),
    ] {
        git(root.path(), &["config", key, value]);
    }
    write(root.path(), ".git/info/attributes", "*.md diff=shout\n");
    git(root.path(), &["config", "diff.shout.textconv", &run]);
    git(root.path(), &["config", "diff.shout.command", &run]);
    git(root.path(), &["config", "--unset", "diff.orderFile"]);
    assert_eq!(change(root.path(), "HEAD").unwrap(), plain);
    assert!(!marker.exists());
}

#[test]
fn a_directory_of_a_work_tree_is_told_from_there() {
    let root = repository(&[
        ("top.md", "t\n"),
        ("part/a.md", "a b c\n"),
        ("part/left.md", "l m n\n"),
        ("came.md", "c d e\n"),
    ]);
    write(root.path(), "top.md", "edited\n");
    write(root.path(), "part/a.md", "edited\n");
    write(root.path(), "part/deep/new.md", "new\n");
    write(root.path(), "new.md", "new\n");
    git(root.path(), &["mv", "part/left.md", "left.md"]);
    git(root.path(), &["mv", "came.md", "part/came.md"]);
    let expected = [
        "prior a.md \"a b c\\n\"",
        "prior came.md \"c d e\\n\"",
        "added deep/new.md",
        "prior left.md \"l m n\\n\"",
    ];
    assert_eq!(change(&root.path().join("part"), "HEAD").unwrap(), expected);
}

#[test]
fn odd_files_are_told_as_git_keeps_them() {
    let root = repository(&[
        ("a.md", "a\n"),
        ("kept.md", "k\n"),
        ("-x --.md", "dash\n"),
        ("sp ace.md", "\r\n\u{feff}\0"),
    ]);
    let inner = repository(&[("in.md", "i\n")]);
    let inner = inner.path().to_str().unwrap().to_owned();
    git(
        root.path(),
        &["-c", "protocol.file.allow=always", "submodule", "add", "-q", &inner, "sub"],
    );
    std::os::unix::fs::symlink("a.md", root.path().join("link.md")).unwrap();
    git(root.path(), &["add", "-A"]);
    git(root.path(), &["commit", "-qm", "y"]);
    // A link becomes a file, a file a link; one is no longer tracked and still there.
    fs::remove_file(root.path().join("link.md")).unwrap();
    write(root.path(), "link.md", "now a file\n");
    fs::remove_file(root.path().join("a.md")).unwrap();
    std::os::unix::fs::symlink("/etc/hostname", root.path().join("a.md")).unwrap();
    git(root.path(), &["rm", "-q", "--cached", "kept.md"]);
    write(root.path(), "-x --.md", "edited\n");
    write(root.path(), "sp ace.md", "edited\n");
    write(root.path(), "sub/untracked.md", "not ours\n");
    git(&root.path().join("sub"), &["commit", "-q", "--allow-empty", "-m", "z"]);
    let told = change(root.path(), "HEAD").unwrap();
    let expected = [
        "prior -x --.md \"dash\\n\"",
        "prior a.md \"a\\n\"",
        "prior kept.md \"k\\n\"",
        "prior link.md \"a.md\"",
        "prior sp ace.md \"\\r\\n\\u{feff}\\0\"",
    ];
    assert_eq!(told[..5], expected);
    assert!(told[5].starts_with("prior sub \"Subproject commit ") && told.len() == 6, "{told:?}");
}

#[test]
fn a_merge_that_is_not_done_is_told_from_the_base() {
    let root = repository(&[("a.md", "base\n")]);
    git(root.path(), &["checkout", "-qb", "other"]);
    write(root.path(), "a.md", "other\n");
    write(root.path(), "n.md", "other\n");
    git(root.path(), &["add", "-A"]);
    git(root.path(), &["commit", "-qm", "y"]);
    git(root.path(), &["checkout", "-q", "main"]);
    write(root.path(), "a.md", "main\n");
    write(root.path(), "n.md", "main\n");
    git(root.path(), &["add", "-A"]);
    git(root.path(), &["commit", "-qm", "z"]);
    let merge =
        Command::new("git").current_dir(root.path()).args(["merge", "-q", "other"]).output();
    assert!(!merge.unwrap().status.success());
    assert_eq!(change(root.path(), "HEAD~1").unwrap(), ["prior a.md \"base\\n\"", "added n.md"]);
    assert_eq!(change(root.path(), "HEAD").unwrap()[0], "prior a.md \"main\\n\"");
}

#[test]
fn what_cannot_be_told_is_refused_before_anything_is_written() {
    let root = repository(&[("a.md", "a\n")]);
    let out = root.path().join(".git/out");
    let refused = |asked: &Request<'_>, words: &str| {
        let said = produce(asked).unwrap_err().to_string();
        assert!(said.contains(words), "{said}");
        assert!(!out.exists(), "{said}");
    };
    for base in ["nowhere", "--help", "", "HEAD:a.md", "HEAD~5"] {
        refused(&request(root.path(), base, &out), "is no commit of this repository");
    }
    let elsewhere = tempfile::tempdir().unwrap();
    refused(&request(elsewhere.path(), "HEAD", &out), "is in no work tree of git");
    refused(&request(&root.path().join(".git"), "HEAD", &out), "is in no work tree of git");
    refused(&request(Path::new("/nowhere/at/all"), "HEAD", &out), "is no directory");
    let odd = PathBuf::from(format!("{}\t", out.display()));
    refused(&request(root.path(), "HEAD", &odd), "cannot be written into a manifest");
    let twice = ["a.md".to_owned(), "a.md".to_owned()];
    refused(&Request { verified: &twice, ..request(root.path(), "HEAD", &out) }, "is stated twice");
    for statement in ["", "a\tb", "a\nb"] {
        let verified = [statement.to_owned()];
        let asked = Request { verified: &verified, ..request(root.path(), "HEAD", &out) };
        refused(&asked, "is empty or holds a tab");
        let edges = [("a.md".to_owned(), statement.to_owned())];
        let asked = Request { verified_edges: &edges, ..request(root.path(), "HEAD", &out) };
        refused(&asked, "is empty or holds a tab");
    }
    write(root.path(), "new\tline\n.md", "x\n");
    refused(&request(root.path(), "HEAD", &out), "holds a tab or a line break");
}

#[test]
fn a_shallow_clone_is_told_what_to_fetch() {
    let root = repository(&[("a.md", "a\n")]);
    write(root.path(), "a.md", "b\n");
    git(root.path(), &["commit", "-qam", "y"]);
    let clone = tempfile::tempdir().unwrap();
    let from = format!("file://{}", root.path().display());
    let to = clone.path().to_str().unwrap();
    git(root.path(), &["clone", "-q", "--depth=1", &from, to]);
    let said = change(clone.path(), "HEAD~1").unwrap_err().to_string();
    assert!(said.contains("git fetch --unshallow"), "{said}");
    write(clone.path(), "a.md", "c\n");
    assert_eq!(change(clone.path(), "HEAD").unwrap(), ["prior a.md \"b\\n\""]);
}

#[test]
fn a_link_in_the_output_directory_is_not_followed() {
    let root = repository(&[("a.md", "a\n")]);
    write(root.path(), "a.md", "edited\n");
    let out = tempfile::tempdir().unwrap();
    let victim = out.path().join("victim");
    write(out.path(), "victim", "mine\n");
    for link in ["out/manifest", "out/prior/1"] {
        let path = out.path().join(link);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::os::unix::fs::symlink(&victim, path).unwrap();
    }
    produce(&request(root.path(), "HEAD", &out.path().join("out"))).unwrap();
    assert_eq!(fs::read_to_string(&victim).unwrap(), "mine\n");
    std::os::unix::fs::symlink(out.path(), out.path().join("link")).unwrap();
    let said = produce(&request(root.path(), "HEAD", &out.path().join("link/"))).unwrap_err();
    assert!(said.to_string().contains("is a symbolic link"));
}

#[test]
fn nothing_is_written_into_the_repository() {
    let root = repository(&[("a.md", "a\n"), ("b.md", "b\n")]);
    write(root.path(), "b.md", "edited\n");
    // The same bytes at another time, which a comparison would write into the index.
    let later = std::time::SystemTime::now() - std::time::Duration::from_secs(60);
    fs::File::options()
        .write(true)
        .open(root.path().join("a.md"))
        .unwrap()
        .set_modified(later)
        .unwrap();
    let index = root.path().join(".git/index");
    let before = (fs::read(&index).unwrap(), fs::metadata(&index).unwrap().modified().unwrap());
    assert_eq!(change(root.path(), "HEAD").unwrap(), ["prior b.md \"b\\n\""]);
    let after = (fs::read(&index).unwrap(), fs::metadata(&index).unwrap().modified().unwrap());
    assert_eq!(before, after);
}
