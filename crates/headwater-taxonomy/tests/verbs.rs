//! The verbs over whole repositories: what they print, what they write, how they exit.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a test fails by panicking"
)]

use std::fs;
use std::path::Path;

use headwater_taxonomy::lock::{self, LOCK_PATH, LockFault};
use headwater_taxonomy::release;
use headwater_taxonomy::verbs::{Answer, Invocation, check, kinds, resolve, validate};
use tempfile::TempDir;

const PACKAGE: &str = ".headwater/packages/lantern-handbook";
const TAXONOMY: &str = ".headwater/packages/lantern-handbook/taxonomy.yml";
const OVERLAY: &str = ".headwater/overlay.yml";
const DECLARATION: &str = ".headwater/taxonomy.yml";
const ADOPTION: &str = "adoption:\n  tasks:\n    - id: AD-1\n      owner: kim\n";

struct Repo(TempDir);

impl Repo {
    /// A copy of the lantern repository.
    fn lantern() -> Self {
        let repo = Self(tempfile::tempdir().unwrap());
        let fixture = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/lantern");
        for path in [DECLARATION, OVERLAY, TAXONOMY, &format!("{PACKAGE}/package.yml")] {
            repo.write(path, &fs::read_to_string(fixture.join(path)).unwrap());
        }
        repo
    }

    fn resolved() -> Self {
        let repo = Self::lantern();
        assert_eq!(repo.resolve().status, 0);
        repo
    }

    fn root(&self) -> &Path {
        self.0.path()
    }

    fn write(&self, path: &str, text: &str) {
        let path = self.root().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    fn read(&self, path: &str) -> String {
        fs::read_to_string(self.root().join(path)).unwrap()
    }

    fn edit(&self, path: &str, old: &str, new: &str) {
        let text = self.read(path);
        assert!(text.contains(old), "{path} does not hold {old:?}");
        self.write(path, &text.replacen(old, new, 1));
    }

    /// Puts an adoption block into the lock, in its place.
    fn adopt(&self) {
        self.edit(LOCK_PATH, "\nresolved:", &format!("\n{ADOPTION}\nresolved:"));
    }

    fn call(&self) -> Invocation<'_> {
        Invocation { program: "bin/hw", root: self.root() }
    }

    fn resolve(&self) -> Answer {
        resolve(self.call())
    }

    fn check(&self) -> Answer {
        check(self.call())
    }

    fn validate(&self) -> Answer {
        validate(self.call())
    }
}

#[track_caller]
fn says(answer: &Answer, status: u8, texts: &[&str]) {
    let all = format!("{}{}", answer.stdout, answer.stderr);
    assert_eq!(answer.status, status, "{all}");
    for text in texts {
        assert!(all.contains(text), "{text:?} is not in {all}");
    }
}

/// Nothing on standard output, and an account that opens with the name.
#[track_caller]
fn refuses(answer: &Answer, status: u8, texts: &[&str]) {
    says(answer, status, texts);
    assert_eq!(answer.stdout, "");
    assert!(answer.stderr.starts_with("headwater: "), "{}", answer.stderr);
}

#[test]
fn resolve_writes_the_lock_that_check_and_every_reader_accept() {
    let repo = Repo::lantern();
    says(&repo.resolve(), 0, &["no adoption block", "written, sha256:b8b1b03d"]);
    says(&repo.check(), 0, &["is what the sources resolve to"]);
    let before = repo.read(LOCK_PATH);
    says(&repo.resolve(), 0, &["unchanged"]);
    assert_eq!(repo.read(LOCK_PATH), before);
    let lock = lock::read(repo.root()).unwrap();
    assert_eq!(lock.taxonomy.name, "lantern/handbook");
    assert_eq!(lock.header.sources.len(), 2);
    assert!(lock.foundings.is_empty() && lock.adoption.is_none());
    assert!(lock.moved_sources(repo.root()).is_empty());
    let names: Vec<String> = fs::read_dir(repo.root().join(".headwater"))
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .filter(|name| name.contains("tmp"))
        .collect();
    assert!(names.is_empty(), "{names:?}");
}

#[test]
fn validate_reports_every_class_and_writes_nothing() {
    let repo = Repo::lantern();
    let answer = repo.validate();
    says(
        &answer,
        0,
        &[
            "taxonomy lantern/handbook 1.0.0",
            "sha256:118dd236378af2844de56ae847a552b8758bf4a581afdf8319c9c00600a17840",
            " 7 determinism: no path can be on two shelves of equal rank\n     decided\n",
            "decided in part; not whether a run has the resolver",
            "accepted: 0 refusals, 0 warnings",
        ],
    );
    assert!(!repo.root().join(LOCK_PATH).exists());
}

#[test]
fn what_is_refused_gives_no_lock_and_is_listed() {
    let repo = Repo::lantern();
    repo.edit(OVERLAY, "  identifier_schemes.part_id.namespace: LAN\n", "");
    let answer = repo.resolve();
    refuses(&answer, 1, &["no lock is written", "identifier_schemes.part_id", "absent or empty"]);
    assert!(!repo.root().join(LOCK_PATH).exists());
    let report = repo.validate();
    says(&report, 1, &["3 identifiers", "1 refusal\n", "refused: 1 refusal, 0 warnings"]);
    assert_eq!(report.stderr, "");
    repo.write(OVERLAY, "append: {}\n");
    says(&repo.validate(), 1, &["not decided, because the sources do not merge", "no operation"]);
    refuses(&repo.check(), 1, &["nothing to compare"]);
}

#[test]
fn a_source_that_moved_is_named() {
    let repo = Repo::resolved();
    repo.edit(TAXONOMY, "purposes:", "# a remark\npurposes:");
    let answer = repo.check();
    says(&answer, 1, &["is not what the sources resolve to", &format!("{TAXONOMY} moved")]);
    says(&answer, 1, &["run `bin/hw taxonomy resolve`"]);
    assert!(!answer.stdout.contains(OVERLAY));
    let moved = lock::read(repo.root()).unwrap().moved_sources(repo.root());
    assert_eq!(moved.iter().map(|source| source.path.as_str()).collect::<Vec<_>>(), [TAXONOMY]);
    repo.resolve();
    says(&repo.check(), 0, &[]);
    repo.edit(DECLARATION, "  overlay: .headwater/overlay.yml\n", "");
    repo.edit(
        TAXONOMY,
        "allocation: reconcile-first}",
        "allocation: reconcile-first, namespace: L}",
    );
    repo.edit(TAXONOMY, "-PART-{slug}\"", "-PART-{slug}\", namespace: L");
    repo.edit(TAXONOMY, "-DRILL-{slug}\"", "-DRILL-{slug}\", namespace: L");
    says(&repo.check(), 1, &[&format!("{OVERLAY} is no longer a source")]);
}

#[test]
fn a_lock_in_another_form_says_no_source_moved() {
    let repo = Repo::resolved();
    repo.adopt();
    says(&repo.check(), 0, &[]);
    repo.edit(LOCK_PATH, "owner: kim", "owner: \"kim\"");
    let answer = repo.check();
    says(&answer, 1, &["only the adoption block"]);
    assert!(!answer.stdout.contains("moved"));
    repo.resolve();
    says(&repo.check(), 0, &[]);
    assert!(repo.read(LOCK_PATH).contains("owner: kim"));
    repo.edit(LOCK_PATH, "resolved:\n", "resolved:\n  # a remark\n");
    says(&repo.check(), 1, &["outside the adoption block"]);
    assert!(lock::read(repo.root()).is_ok(), "a comment changes no digest");
}

#[test]
fn the_adoption_block_is_carried_salvaged_or_left_alone() {
    let repo = Repo::resolved();
    repo.adopt();
    repo.edit(TAXONOMY, "intent: state what a part does today", "intent: say what a part does");
    says(&repo.resolve(), 0, &["carried through: 1 task"]);
    assert!(repo.read(LOCK_PATH).contains(ADOPTION));

    let digest = lock::read(repo.root()).unwrap().header.digest;
    repo.edit(LOCK_PATH, &digest, &digest.replace('a', "b"));
    says(&repo.resolve(), 0, &["salvaged", "1 task"]);
    says(&repo.check(), 0, &[]);

    for (old, new) in [
        ("format: 3", "format: 4"),
        ("\nlock:", "\nlock: ["),
        ("\nadoption:", "\nadoptions:"),
        ("adoption:\n  tasks:\n    - id: AD-1\n      owner: kim\n", "adoption: [x]\n"),
    ] {
        let good = repo.read(LOCK_PATH);
        repo.edit(LOCK_PATH, old, new);
        let bad = repo.read(LOCK_PATH);
        refuses(&repo.resolve(), 2, &["left as it is"]);
        assert_eq!(repo.read(LOCK_PATH), bad);
        repo.write(LOCK_PATH, &good);
    }
    repo.write(LOCK_PATH, "- a list\n");
    refuses(&repo.resolve(), 2, &["not a mapping"]);
    repo.write(LOCK_PATH, "lock: {}\nresolved: {}\n");
    says(&repo.resolve(), 0, &["no adoption block"]);
}

#[test]
fn what_is_no_regular_file_is_never_replaced() {
    let repo = Repo::lantern();
    fs::create_dir(repo.root().join(LOCK_PATH)).unwrap();
    refuses(&repo.resolve(), 2, &["not a regular file"]);
    fs::remove_dir(repo.root().join(LOCK_PATH)).unwrap();
    #[cfg(unix)]
    {
        std::os::unix::fs::symlink("elsewhere", repo.root().join(LOCK_PATH)).unwrap();
        refuses(&repo.resolve(), 2, &["not a regular file"]);
        assert_eq!(lock::read(repo.root()).unwrap_err(), LockFault::NotRegular);
    }
}

#[test]
fn a_lock_is_refused_for_each_reason_in_order() {
    let repo = Repo::resolved();
    let good = repo.read(LOCK_PATH);
    let read = |text: &str| lock::parse(text.as_bytes()).unwrap_err();
    let with = |old: &str, new: &str| read(&good.replacen(old, new, 1));
    assert!(matches!(read("a: [\n"), LockFault::NotYaml(_)));
    assert_eq!(read("- a\n"), LockFault::NotMapping);
    assert_eq!(read("resolved: {}\n"), LockFault::NoHeader);
    assert_eq!(with("format: 3", "format: 2"), LockFault::Format(Some("2".into())));
    assert_eq!(with("  format: 3\n", ""), LockFault::Format(None));
    assert_eq!(with("rules: 2", "rules: 1"), LockFault::Rules(Some("1".into())));
    assert_eq!(with("rules: 2", "rules: two"), LockFault::Rules(Some("two".into())));
    assert_eq!(with("  rules: 2\n", ""), LockFault::Rules(None));
    assert_eq!(with("\nresolved:", "\nresolved: x\nother:"), LockFault::NoResolved);
    let digest_line = good.lines().find(|line| line.starts_with("  digest:")).unwrap();
    assert_eq!(with(&format!("{digest_line}\n"), ""), LockFault::NoDigest);
    let moved = with("\nresolved:\n", "\nresolved:\n  more: 1\n");
    assert!(matches!(moved, LockFault::Digest { .. }), "{moved:?}");
    let text = good.replacen("\nresolved:", "\nadoption: []\nresolved:", 1);
    assert_eq!(read(&text), LockFault::Adoption);
    let text = good.replacen("\nresolved:", "\nadopt: {}\nresolved:", 1);
    assert_eq!(read(&text), LockFault::UnknownKey("adopt".into()));
    fs::remove_file(repo.root().join(LOCK_PATH)).unwrap();
    let absent = lock::read(repo.root()).unwrap_err();
    assert_eq!(absent, LockFault::Absent);
    assert!(absent.refusal().render("bin/hw").contains("run `bin/hw taxonomy resolve`"));
    refuses(&repo.check(), 2, &["there is no lock"]);
    refuses(&kinds(repo.call(), false), 2, &["there is no lock"]);
}

#[test]
fn the_package_is_found_by_name_and_the_names_agree() {
    let repo = Repo::lantern();
    let manifest = repo.read(&format!("{PACKAGE}/package.yml"));
    repo.write(".headwater/packages/~staging/package.yml", &manifest);
    says(&repo.validate(), 0, &[]);
    repo.write(".headwater/packages/copy/package.yml", &manifest);
    refuses(&repo.validate(), 2, &["2 packages are named", ".headwater/packages/copy"]);
    repo.write(".headwater/packages/copy/package.yml", &manifest.replace("lantern", "other"));
    says(&repo.validate(), 0, &[]);
    repo.edit(DECLARATION, "package: lantern/handbook", "package: lantern/book");
    refuses(&repo.validate(), 2, &["no vendored package is named `lantern/book`"]);
    repo.edit(DECLARATION, "package: lantern/book", "package: lantern/handbook");
    repo.edit(DECLARATION, "version: 1.0.0", "version: 1.1.0");
    says(&repo.validate(), 1, &["`1.1.0` here", "`1.0.0` in .headwater/packages"]);
    fs::remove_file(repo.root().join(DECLARATION)).unwrap();
    refuses(&repo.validate(), 2, &[DECLARATION, "no such file"]);
}

#[test]
fn a_bundle_that_would_help_is_named() {
    let repo = Repo::lantern();
    repo.edit(
        TAXONOMY,
        "is_a: page\n    purpose: procedure",
        "is_a: guide\n    purpose: procedure",
    );
    repo.edit(&format!("{PACKAGE}/package.yml"), "taxonomy.yml", "taxonomy.yml\n  bundles: more");
    repo.write(
        &format!("{PACKAGE}/more/guides/bundle.yml"),
        "add: {kinds.guide: {abstract: true}}\n",
    );
    let wanted = "the bundle `guides`, which is not selected, would supply the kind `guide`";
    says(&repo.validate(), 1, &[wanted]);
    refuses(&repo.resolve(), 1, &[wanted]);
    repo.edit(DECLARATION, "version: 1.0.0", "version: 1.0.0\n  bundles: [guides]");
    // The bundle supplies the name; the facets that the parent required are then asked for by rule 1
    // no more, so the taxonomy is accepted.
    says(&repo.resolve(), 0, &["guides/bundle.yml"]);
    repo.edit(DECLARATION, "[guides]", "[guide]");
    refuses(&repo.resolve(), 2, &["guide/bundle.yml", "taxonomy.bundles"]);
}

#[test]
fn what_was_founded_is_recorded() {
    let repo = Repo::lantern();
    let more = "  kinds.memo.purpose: rationale\n  kinds.memo.is_a: page\n  shelves.memos: {path: \
                handbook/memos/**, homogeneous: true, kind: memo}\n";
    repo.write(OVERLAY, &(repo.read(OVERLAY) + more));
    says(&repo.resolve(), 0, &["kinds.memo by add.kinds.memo.purpose"]);
    let lock = lock::read(repo.root()).unwrap();
    assert_eq!(lock.foundings.len(), 1);
    assert_eq!(lock.foundings[0].founds, "kinds.memo");
    says(&repo.check(), 0, &[]);
}

#[test]
fn unknown_keys_of_the_declaration_are_told_on_standard_error() {
    let repo = Repo::lantern();
    repo.edit(DECLARATION, "  exclude:", "  exclud: []\n  exclude:");
    let answer = repo.validate();
    says(&answer, 0, &["did you mean `exclude`?"]);
    assert_eq!(answer.stderr.lines().count(), 1);
}

#[test]
fn an_engine_out_of_range_and_an_overlay_outside_are_told_and_stop_nothing() {
    let repo = Repo::lantern();
    let declared = repo.read(DECLARATION);
    repo.write(DECLARATION, &format!("engine: \">=99\"\n{declared}"));
    let answer = repo.resolve();
    says(&answer, 0, &["`engine` asks for `>=99`"]);
    assert_eq!(answer.stderr.lines().count(), 1);
    let repo = Repo(tempfile::tempdir_in(repo.root()).unwrap());
    let inner = Repo::lantern();
    fs::rename(inner.root().join(".headwater"), repo.root().join(".headwater")).unwrap();
    let name = repo.root().file_name().unwrap().to_str().unwrap().to_owned();
    repo.edit(DECLARATION, "overlay: .head", &format!("overlay: ../{name}/.head"));
    says(&repo.validate(), 0, &["leaves the repository", "accepted: 0 refusals, 1 warning"]);
}

#[test]
fn a_pin_that_does_not_match_and_an_unsafe_plugin_fail_validation_and_not_the_lock() {
    let repo = Repo::lantern();
    let pin = release::digest_of(&release::members(&repo.root().join(PACKAGE)).unwrap());
    repo.edit(DECLARATION, "version: 1.0.0", &format!("version: 1.0.0\n  digest: {pin}"));
    says(&repo.validate(), 1, &["not the pinned one", "release.yml cannot be used"]);
    let mut record = format!("release:\n  format: 1\n  digest: {pin}\n  members:\n");
    for (path, digest) in release::members(&repo.root().join(PACKAGE)).unwrap() {
        record += &format!("    - {{path: {path}, digest: {digest}}}\n");
    }
    repo.write(&format!("{PACKAGE}/release.yml"), &record);
    says(&repo.validate(), 0, &[]);
    repo.write(&format!("{PACKAGE}/extra.txt"), "x");
    says(&repo.validate(), 1, &["`extra.txt` is not in release.yml"]);
    fs::remove_file(repo.root().join(format!("{PACKAGE}/extra.txt"))).unwrap();

    let declared = repo.read(DECLARATION);
    repo.write(DECLARATION, &format!("{declared}plugins: [{{at: p.wasm}}]\n"));
    says(&repo.validate(), 1, &["the plugin `p.wasm` has no digest"]);
    repo.write(DECLARATION, &format!("{declared}plugins: [{{at: ../p.wasm, digest: x}}]\n"));
    says(&repo.validate(), 1, &["climbs above the repository"]);
    repo.write("p.wasm", "");
    let empty = headwater_taxonomy::canonical::digest(b"");
    repo.write(DECLARATION, &format!("{declared}plugins: [{{at: p.wasm, digest: \"{empty}\"}}]\n"));
    says(&repo.validate(), 0, &[]);
    says(&repo.resolve(), 0, &[]);
}

#[test]
fn a_scope_must_match_where_there_is_a_tree() {
    let repo = Repo::lantern();
    repo.edit(TAXONOMY, "{resolver: source-tree}", "{resolver: source-tree, scope: [src/**/*.rs]}");
    says(&repo.validate(), 0, &[]);
    repo.write("src/queue/retry.txt", "");
    says(&repo.validate(), 1, &["the scope `src/**/*.rs`", "matches no file"]);
    repo.write("src/queue/retry.rs", "");
    says(&repo.validate(), 0, &[]);
}

#[test]
fn kinds_are_listed_from_the_lock() {
    let repo = Repo::resolved();
    let text = kinds(repo.call(), false);
    let wanted = "decision\n  purpose     rationale: explain a choice and what it rules out\n  \
                  identifier  LAN-D-0000\n  shelf       decisions, handbook/decisions/**\n  facets      \
                  status, status_since, summary, checked_on\n  sections    Context, Decision\n";
    says(&text, 0, &[wanted]);
    assert!(!text.stdout.contains("page"), "{}", text.stdout);
    let json = kinds(repo.call(), true);
    let value: serde_json::Value = serde_json::from_str(&json.stdout).unwrap();
    assert_eq!(value["version"], "1.0");
    assert_eq!(value["kinds"][1]["shelves"][0]["path"], "handbook/parts/**");
    assert_eq!(value["kinds"][1]["facets"][4], "team");
}
