//! What of a report decides the status of `headwater check`, and where its parts go.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

use std::ffi::OsString;
use std::fs;
use std::path::Path;

use headwater_taxonomy::lock::{LOCK_PATH, with_adoption};
use headwater_taxonomy::verbs::Answer;
use programs::headwater::{Surroundings, run, run_in};
use support::lantern;

mod support;

const OVERLAY: &str = r#"  obligations.OB-1: {statement: links lead somewhere, rationale: r, class: coherence, prevents: x, severity: high}
  obligations.OB-2: {statement: prose is kind, rationale: r, class: coherence, prevents: x, severity: low, disposition: {unverifiable: {reasoning: no mechanism reads kindness}}}
  controls.CT-1: {mechanism: "check:relation.target.unresolved", discharges: [OB-1], trigger: run, posture: POSTURE, acts: detective}
"#;

/// The worked corpus with a register, its lock written, and one dead relation at line 8 of a document.
fn corpus(posture: &str) -> tempfile::TempDir {
    let root = tempfile::tempdir().unwrap();
    lantern(root.path());
    let overlay = root.path().join(".headwater/overlay.yml");
    let text = fs::read_to_string(&overlay).unwrap() + &OVERLAY.replace("POSTURE", posture);
    fs::write(overlay, text).unwrap();
    let resolved = headwater(root.path(), &["taxonomy", "resolve"]);
    assert_eq!(resolved.status, 0, "{}", resolved.stderr);
    edit(root.path(), |text| text.replace("LAN-D-0002, ", "LAN-D-0099, "));
    root
}

const DOCUMENT: &str = "handbook/parts/queue.md";

fn edit(root: &Path, change: impl Fn(&str) -> String) {
    let path = root.join(DOCUMENT);
    let text = fs::read_to_string(&path).unwrap();
    let changed = change(&text);
    assert_ne!(text, changed);
    fs::write(path, changed).unwrap();
}

fn arguments(root: &Path, words: &[&str]) -> Vec<OsString> {
    let mut arguments: Vec<OsString> = words.iter().map(OsString::from).collect();
    arguments.extend([OsString::from("--root"), root.as_os_str().to_owned()]);
    arguments
}

fn headwater(root: &Path, words: &[&str]) -> Answer {
    run("headwater", &arguments(root, words))
}

fn check(root: &Path, words: &[&str]) -> Answer {
    headwater(root, &[&["check", "--now", "2026-03-20"], words].concat())
}

fn task(root: &Path, pairs: &[(&str, &str)], until: &str) {
    let pairs = pairs.iter().map(|(path, rule)| headwater_check::Pair {
        path: (*path).to_owned(),
        rule: (*rule).to_owned(),
    });
    let task = headwater_check::Task {
        id: "AD-1".to_owned(),
        statement: "of before".to_owned(),
        owner: "kim".to_owned(),
        until: headwater_check::Date::parse(until).unwrap(),
        pairs: pairs.collect(),
    };
    let lock = root.join(LOCK_PATH);
    let text = fs::read_to_string(&lock).unwrap();
    let held = with_adoption(&text, &headwater_check::adoption_block(&[task]));
    fs::write(&lock, held).unwrap();
    // The block stands as `taxonomy resolve` would carry it through.
    assert_eq!(headwater(root, &["taxonomy", "resolve", "--check"]).status, 0);
}

#[test]
fn a_strict_run_counts_live_errors_only() {
    let root = corpus("advisory");
    assert_eq!((check(root.path(), &[]).status, check(root.path(), &["--strict"]).status), (0, 1));

    task(root.path(), &[(DOCUMENT, "relation.target.unresolved")], "2026-03-20");
    let held = check(root.path(), &["--strict"]);
    assert_eq!(held.status, 0, "{}", held.stdout);
    // The block is no input of a verdict, so the cache served them all.
    assert!(held.stderr.contains(" 0 evaluated, "), "{}", held.stderr);
    assert!(
        held.stdout.contains(
            "not reported\n  1 finding of relation.target.unresolved, held by AD-1 (kim)"
        )
    );
    let again = headwater(root.path(), &["check", "--strict", "--now", "2026-03-21"]);
    assert_eq!(again.status, 1);
    assert!(again.stdout.contains("[adoption.task.expired]"), "{}", again.stdout);

    edit(root.path(), |text| {
        format!(
            "{text}\n<!-- headwater allow=relation.target.unresolved scope=file until=2026-03-21 reason=accepted_deviation -->\n"
        )
    });
    task(root.path(), &[(DOCUMENT, "facet.value.blank")], "2026-03-20");
    assert_eq!(check(root.path(), &["--strict"]).status, 0);
}

#[test]
fn a_strict_census_leaves_what_adoption_holds_alone() {
    let root = corpus("advisory");
    fs::write(root.path().join("handbook/loose.md"), "# x\n").unwrap();
    assert_eq!(check(root.path(), &["--strict-census"]).status, 1);
    task(root.path(), &[("handbook/loose.md", "coverage.document_unchecked")], "2026-03-20");
    assert_eq!(check(root.path(), &["--strict-census"]).status, 0);
    fs::write(root.path().join("handbook/other.md"), "# x\n").unwrap();
    assert_eq!(check(root.path(), &["--strict-census"]).status, 1);
}

/// A document whose shelf cannot tell its kind is untyped, and has one finding that says so.
#[test]
fn a_strict_census_counts_a_kind_that_cannot_be_told() {
    let root = corpus("advisory");
    let overlay = root.path().join(".headwater/overlay.yml");
    let shelf = "  facets.species: {volatility: stable}\n  shelves.mixed: {path: handbook/mixed/**, homogeneous: false, discriminator: species, kinds: [decision, part]}\n";
    fs::write(&overlay, fs::read_to_string(&overlay).unwrap() + shelf).unwrap();
    let resolved = headwater(root.path(), &["taxonomy", "resolve"]);
    assert_eq!(resolved.status, 0, "{}", resolved.stderr);
    assert_eq!(check(root.path(), &["--strict-census"]).status, 0);
    fs::create_dir(root.path().join("handbook/mixed")).unwrap();
    fs::write(root.path().join("handbook/mixed/x.md"), "---\nspecies: none\n---\n").unwrap();
    let untold = check(root.path(), &["--strict-census", "--format", "brief"]);
    assert_eq!(untold.status, 1, "{}", untold.stdout);
    assert_eq!(untold.stdout.matches("handbook/mixed/x.md:").count(), 1, "{}", untold.stdout);
    task(root.path(), &[("handbook/mixed/x.md", "shelf.discriminator.unresolved")], "2026-03-20");
    assert_eq!(check(root.path(), &["--strict-census"]).status, 0);
}

#[test]
fn the_posture_of_a_control_decides_where_it_is_asked_to() {
    for (posture, status) in [("advisory", 0), ("blocking", 1)] {
        let root = corpus(posture);
        let gated = check(root.path(), &["--gate", "posture"]);
        assert_eq!(gated.status, status, "{posture}");
        assert_eq!(gated.stdout, check(root.path(), &[]).stdout);
        assert_eq!(check(root.path(), &["--strict"]).status, 1);
        edit(root.path(), |text| text.replace("LAN-D-0099, ", "LAN-D-0002, "));
        assert_eq!(check(root.path(), &["--gate", "posture"]).status, 0);
    }
}

#[test]
fn the_register_goes_to_a_file_or_the_run_says_why_not() {
    let root = corpus("advisory");
    let path = root.path().join("register.txt");
    let written = check(root.path(), &["--register", path.to_str().unwrap()]);
    assert_eq!(written.status, 0, "{}", written.stderr);
    let text = fs::read_to_string(&path).unwrap();
    assert!(
        text.starts_with(
            "register\n  2 obligations: 1 verified, 0 gap, 1 unverifiable, 0 undeclared;"
        ),
        "{text}"
    );
    assert!(
        text.contains("OB-2 (low), prose is kind: unverifiable, no mechanism reads kindness"),
        "{text}"
    );
    for bad in ["handbook", "no/such/register.txt"] {
        let bad = root.path().join(bad);
        let answer = check(root.path(), &["--register", bad.to_str().unwrap()]);
        assert_eq!(answer.status, 2);
        assert_eq!(answer.stdout, written.stdout);
        assert!(answer.stderr.contains("headwater: the register was not written to "));
    }
}

#[test]
fn only_the_text_report_is_laid_out_and_only_a_terminal_sees_colour() {
    let root = corpus("advisory");
    let terminal = Surroundings { colour: true, columns: Some(100) };
    let words = ["check", "--now", "2026-03-20"];
    let on = |more: &[&str]| {
        let words = arguments(root.path(), &[&words[..], more].concat());
        run_in(terminal, "headwater", &words)
    };
    assert!(on(&[]).stdout.contains("\u{1b}[1;31merror[relation.target.unresolved]\u{1b}[0m"));
    let plain = check(root.path(), &[]);
    assert_eq!(on(&["--no-color"]).stdout, plain.stdout);
    for format in ["json", "sarif", "markdown", "github", "brief"] {
        let stdout = on(&["--format", format]).stdout;
        assert_eq!(stdout, check(root.path(), &["--format", format]).stdout);
        assert!(!stdout.contains('\u{1b}'));
        let refused = check(root.path(), &["--wide", "--format", format]);
        assert_eq!((refused.status, refused.stdout.as_str()), (2, ""), "{format}");
        assert!(refused.stderr.starts_with("headwater: `--wide`"), "{}", refused.stderr);
    }
    assert_eq!(check(root.path(), &["--wide"]).stdout, plain.stdout);
    assert_ne!(on(&["--wide", "--no-color"]).stdout, plain.stdout);
    for words in [&["--strict", "--gate", "posture"][..], &["--gate", "all"], &["--gate"]] {
        let refused = check(root.path(), words);
        assert_eq!((refused.status, refused.stdout.as_str()), (2, ""), "{words:?}");
        assert_eq!(refused.stderr.lines().count(), 1, "{}", refused.stderr);
    }
}

#[test]
fn a_harvest_without_a_resolver_is_refused_before_anything_is_judged() {
    let root = corpus("advisory");
    let path = root.path().join(".headwater/taxonomy.yml");
    let text = fs::read_to_string(&path).unwrap();
    fs::write(&path, format!("{text}harvests:\n  far: {{at: exports/far.json}}\n")).unwrap();
    let answer = check(root.path(), &[]);
    assert_eq!((answer.status, answer.stdout.as_str()), (2, ""));
    assert!(answer.stderr.contains("harvests.far.resolver"), "{}", answer.stderr);
}

/// The block of the page for users in a language.
fn example(language: &str) -> String {
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/reference/live-findings.md");
    let page = fs::read_to_string(page).unwrap();
    let (_, rest) = page.split_once(&format!("```{language}\n")).unwrap();
    rest.split_once("```").unwrap().0.to_owned()
}

#[test]
fn the_page_for_users_shows_what_works() {
    let root = corpus("advisory");
    let lock = root.path().join(LOCK_PATH);
    let text = fs::read_to_string(&lock).unwrap();
    fs::write(&lock, text.replace("\nresolved:\n", &format!("\n{}\nresolved:\n", example("yaml"))))
        .unwrap();
    let held = check(root.path(), &["--strict"]);
    assert_eq!(held.status, 0, "{}", held.stdout);
    edit(root.path(), |text| format!("{text}\n{}\nSee [x](none.md).\n", example("html")));
    let hidden = check(root.path(), &["--strict"]);
    assert_eq!(hidden.status, 0, "{}", hidden.stdout);
    assert!(
        hidden.stdout.contains("1 finding of link.path.unresolved, hidden by"),
        "{}",
        hidden.stdout
    );
    assert!(hidden.stdout.contains("1 finding of relation.target.unresolved, held by AD-1"));
}
