//! First taxonomies of small corpora: what is guessed, what is left alone, and that the check that
//! follows has nothing live to say.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a test fails by panicking"
)]

use std::fs;
use std::path::Path;

use headwater_check::headwater_corpus::{Class, Corpus, Options};
use headwater_check::headwater_taxonomy::model::{Role, Standing, Taxonomy};
use headwater_check::{Caching, Date, Run, Settings, run};
use headwater_init::{Failure, Proposal, Request, propose, write};
use headwater_rules::registry;
use proptest::prelude::*;

fn day(text: &str) -> Date {
    Date::parse(text).unwrap()
}

fn request(root: &Path) -> Request<'_> {
    Request { root, corpus: None, package: None, owner: "ann", now: day("2026-03-01") }
}

fn repository(files: &[(&str, String)]) -> tempfile::TempDir {
    let root = tempfile::tempdir().unwrap();
    for (path, text) in files {
        let path = root.path().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
    root
}

struct Made {
    root: tempfile::TempDir,
    proposal: Proposal,
    corpus: Corpus,
}

impl Made {
    fn of(files: &[(&str, String)]) -> Self {
        let root = repository(files);
        let proposal = propose(request(root.path()), &registry()).unwrap();
        write(root.path(), &proposal).unwrap();
        let corpus = Corpus::load(root.path(), Options::default()).unwrap();
        Self { root, proposal, corpus }
    }

    fn taxonomy(&self) -> &Taxonomy {
        self.corpus.taxonomy()
    }

    fn run(&self, now: &str) -> Run {
        let settings =
            Settings { now: day(now), cache: Caching::Off, continuity: false, change: None };
        run(&self.corpus, &registry(), settings)
    }

    fn said(&self, word: &str) -> Vec<&str> {
        let said = self.proposal.account.iter().filter(|(held, _)| *held == word);
        said.map(|(_, what)| what.as_str()).collect()
    }

    /// Findings that are live, as `rule path`.
    fn live(&self, now: &str) -> Vec<String> {
        let run = self.run(now);
        let live = run.findings.iter().filter(|finding| finding.escape.is_none());
        live.map(|finding| format!("{} {}", finding.rule, finding.defect.place.path)).collect()
    }
}

/// Proposals in the form of a real corpus: numbers, a comma list of numbers, states with a slip.
fn proposals() -> Vec<(&'static str, String)> {
    let paths: Vec<&'static str> = (1..=60)
        .map(|number| &*Box::leak(format!("props/prop-{number}.md").into_boxed_str()))
        .collect();
    let one = |number: usize| {
        let status = match number {
            7 => "Finnal",
            n if n % 3 == 0 => "Draft",
            _ => "Final",
        };
        let requires = match number {
            1 => String::new(),
            2 => "requires: 1\n".to_owned(),
            9 => "requires: 1, 999\n".to_owned(),
            n => format!("requires: {}, {}\n", n - 1, n - 2),
        };
        let kind = if number.is_multiple_of(2) { "core" } else { "tools" };
        format!(
            "---\nprop: {number}\ntitle: Number {number}\nstatus: {status}\ncreated: 2020-01-{:02}\n\
             category: {kind}\nweight: {number}\n{requires}---\n\n# Number {number}\n",
            number % 28 + 1
        )
    };
    paths.into_iter().zip(1..).map(|(path, number)| (path, one(number))).collect()
}

#[test]
fn numbers_lists_dates_sets_and_states_are_found() {
    let made = Made::of(&proposals());
    let taxonomy = made.taxonomy();
    let bindings = &taxonomy.bindings;
    assert_eq!(bindings.identifier_key, "prop");
    assert_eq!(bindings.identifier_template.fill("7"), "PROP-7");
    let requires = bindings.relations.get("requires").unwrap();
    assert_eq!(
        (requires.split.as_deref(), requires.template.fill("1")),
        (Some(","), "PROP-1".into())
    );
    assert_eq!(made.corpus.node("PROP-7"), made.corpus.row_at("props/prop-7.md"));

    let status = taxonomy.facet_with_role(Role::State).unwrap();
    let states: Vec<(&str, Standing)> = status
        .values
        .iter()
        .flatten()
        .map(|value| (value.value.as_str(), value.standing()))
        .collect();
    assert_eq!(states, [("Final", Standing::Live), ("Draft", Standing::Initial)]);
    assert!(
        made.said("facet")
            .iter()
            .any(|said| said.contains("`Finnal` was taken for a slip of `Final`"))
    );
    assert_eq!(taxonomy.facet_with_role(Role::Created).unwrap().name, "created");
    assert_eq!(taxonomy.facet_with_role(Role::Name).unwrap().name, "title");
    let category = taxonomy.facets.get("category").unwrap();
    assert_eq!(category.values.iter().flatten().count(), 2);
    // A number is no identifier of a document because another document has it.
    assert!(taxonomy.facets.get("weight").is_some() && bindings.relations.get("weight").is_none());

    let kind = taxonomy.kinds.get("prop").unwrap();
    assert_eq!(kind.required, ["title", "status", "created", "category", "weight"]);
    // The slip, the number of nobody, and what is settled and rests on drafts: held, and nothing live.
    assert_eq!(made.live("2026-03-01"), Vec::<String>::new());
    let run = made.run("2026-03-01");
    let held = |rule: &str| run.findings.iter().filter(|finding| finding.rule == rule).count();
    assert_eq!((held("facet.value.not_permitted"), held("relation.target.unresolved")), (1, 1));
    // After the days of grace it is live again.
    let live = made.live("2026-05-31");
    assert!(live.contains(&"relation.target.unresolved props/prop-9.md".to_owned()), "{live:?}");

    // A new mistake is live at once.
    let path = made.root.path().join("props/prop-20.md");
    let text = fs::read_to_string(&path).unwrap();
    fs::write(&path, text.replace("requires: 19", "requires: 1900")).unwrap();
    let corpus = Corpus::load(made.root.path(), Options::default()).unwrap();
    let settings =
        Settings { now: day("2026-03-01"), cache: Caching::Off, continuity: false, change: None };
    let mended = headwater_check::run(&corpus, &registry(), settings);
    let live: Vec<&str> =
        mended.findings.iter().filter(|f| f.escape.is_none()).map(|f| f.rule).collect();
    assert_eq!(live, ["relation.target.unresolved"]);
}

#[test]
fn folders_are_shelves_and_inverses_are_one_relation() {
    let page = |id: &str, more: &str| format!("---\nid: {id}\n{more}---\n\n# {id}\n");
    let made = Made::of(&[
        ("README.md", "# No document\n".into()),
        ("docs/decisions/one.md", page("D-one", "superseded-by: D-two\n")),
        ("docs/decisions/two.md", page("D-two", "supersedes: [D-one]\nsee: P-b\n")),
        (
            "docs/policies/a.md",
            page("P-a", "tags: [x]\nrelations:\n  covers: D-two\n  reads: {to: src/a.rs}\n"),
        ),
        ("src/a.rs", String::new()),
        ("docs/policies/b.md", page("P-b", "see: P-a\nonce: 1\n")),
        ("docs/policies/index.md", "# Policies\n".into()),
    ]);
    let taxonomy = made.taxonomy();
    let kinds: Vec<&str> = taxonomy.kinds.names().collect();
    assert_eq!(kinds, ["decision", "policy"]);
    assert_eq!(taxonomy.bindings.identifier_key, "id");
    let supersedes = taxonomy.relations.get("supersedes").unwrap();
    assert_eq!(supersedes.inverse.as_deref(), Some("superseded-by"));
    let relations: Vec<&str> = taxonomy.relations.names().collect();
    assert_eq!(relations, ["supersedes", "see", "covers", "reads"]);
    assert_eq!(taxonomy.relations.get("reads").unwrap().to, ["file"]);
    assert_eq!(made.corpus.edges().len(), 6);
    assert_eq!(made.corpus.pairs().len(), 4);
    // What came once is no facet; what has no front matter has no kind. Both are debt.
    assert!(taxonomy.facets.get("once").is_none());
    assert_eq!(made.corpus.summary().count(Class::Untyped), 1);
    assert_eq!(made.live("2026-03-01"), Vec::<String>::new());
    assert!(
        made.said("debt")[0].contains("coverage.document_unchecked in 1"),
        "{:?}",
        made.said("debt")
    );
}

#[test]
fn front_matter_beside_documents_is_found() {
    let files: Vec<(String, String)> = (1..=4)
        .flat_map(|n| {
            let place = format!("plans/area-{}/{n}-plan", n % 2);
            let facts = format!("title: T{n}\nplan-number: {n}\nlast updated: 2026-01-0{n}\n");
            [
                (format!("{place}/plan.yaml"), facts),
                (format!("{place}/README.md"), "# T\n".to_owned()),
            ]
        })
        .collect();
    let mut files: Vec<(&str, String)> =
        files.iter().map(|(path, text)| (path.as_str(), text.clone())).collect();
    files.push(("plans/README.md", "# All plans\n".into()));
    let made = Made::of(&files);
    let taxonomy = made.taxonomy();
    let sidecar = taxonomy.bindings.sidecar.as_ref().unwrap();
    assert_eq!((sidecar.file.as_str(), sidecar.document.as_str()), ("plan.yaml", "README.md"));
    assert!(made.corpus.node("PLAN-3").is_some());
    assert_eq!(made.corpus.summary().count(Class::Typed), 4);
    // A key that is no name is a facet under a name, bound to it.
    assert_eq!(taxonomy.bindings.facet_key("last_updated"), "last updated");
    assert_eq!(made.live("2026-03-01"), Vec::<String>::new());
}

#[test]
fn what_is_there_is_never_touched() {
    let docs = || ("docs/a.md", "---\nid: a\n---\n".to_owned());
    let made = Made::of(&[docs()]);
    let again = propose(request(made.root.path()), &registry());
    assert!(matches!(again, Err(Failure::No(_))), "{again:?}");
    assert!(matches!(write(made.root.path(), &made.proposal), Err(Failure::Unusable(_))));
    let kept = fs::read_to_string(made.root.path().join(".headwater/taxonomy.yml")).unwrap();
    assert!(kept.contains("root: docs"));

    // A file in the way takes back what was written before it.
    let root = repository(&[docs(), (".headwater/packages/local-docs/taxonomy.yml", "x".into())]);
    let proposal = propose(request(root.path()), &registry()).unwrap();
    assert!(write(root.path(), &proposal).is_err());
    assert!(!root.path().join(".headwater/packages/local-docs/package.yml").exists());
    assert!(!root.path().join(".headwater/taxonomy.yml").exists());

    let empty = repository(&[("src/x.rs", "".into()), (".github/a.md", "".into())]);
    let none = propose(request(empty.path()), &registry());
    assert!(matches!(none, Err(Failure::No(_))), "{none:?}");
    for corpus in ["../x", "gone", "src/x.rs"] {
        let named = Request { corpus: Some(corpus), ..request(empty.path()) };
        let refused = propose(named, &registry());
        assert!(matches!(refused, Err(Failure::Unusable(_))), "{refused:?}");
    }
}

#[test]
fn the_directory_with_the_most_markdown_is_the_corpus() {
    let text = || "---\nid: x\n---\n".to_owned();
    let made = Made::of(&[
        ("a.md", text()),
        ("notes/one/a.md", "---\nid: a\n---\n".into()),
        ("notes/two.md", "---\nid: b\n---\n".into()),
        ("node_modules/x/1.md", text()),
        ("node_modules/x/2.md", text()),
        ("node_modules/x/3.md", text()),
        ("one/a.md", text()),
    ]);
    assert_eq!(made.corpus.declaration().root, "notes");
    let root = Made::of(&[("a.md", text()), ("b.md", "# b\n".into()), ("x/a.md", text())]);
    assert_eq!(root.corpus.declaration().root, "");
    assert_eq!(root.live("2026-03-01"), Vec::<String>::new());
}

fn key() -> impl Strategy<Value = String> {
    prop_oneof![
        "(id|status|state|title|summary|created|requires|superseded-by|supersedes|relations|draft|provenance)",
        "[a-zA-Z0-9 ._$*-]{1,8}",
        "[àß…\u{202e}]{1,3}",
    ]
}

fn value() -> impl Strategy<Value = String> {
    prop_oneof![
        "(draft|current|final|[1-9]|true|2026-01-0[1-9]|~|'')",
        "\\[(a, b|1, 2|x)\\]",
        "\\{(supersedes: [1-9]|x: \\[1\\])\\}",
        "\"[^\"\\\\\r\n\u{0}-\u{1f}\u{7f}-\u{9f}\u{feff}]{0,12}\"",
        "[1-9], [1-9]",
        "'\\$[a-z]?'",
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    /// Whatever documents say, the guess resolves and validates, and holds all that it finds.
    #[test]
    fn every_corpus_gets_a_taxonomy_and_a_quiet_first_run(
        documents in proptest::collection::vec(
            ("(a|b|draft|current|x\\*|sub/c|\\$d|files|[a-z]{1,3})", proptest::collection::btree_map(key(), value(), 0..6)),
            1..24,
        ),
    ) {
        let files: Vec<(String, String)> = documents
            .into_iter()
            .enumerate()
            .map(|(at, (folder, entries))| {
                let quoted = |key: &str| format!("'{}'", key.replace('\'', "''"));
                let lines: String =
                    entries.iter().map(|(key, value)| format!("{}: {value}\n", quoted(key))).collect();
                (format!("docs/{folder}/{at}.md"), format!("---\n{lines}---\n\n# T {at}\n\n[x](./{at}.md)\n"))
            })
            .collect();
        let files: Vec<(&str, String)> =
            files.iter().map(|(path, text)| (path.as_str(), text.clone())).collect();
        let made = Made::of(&files);
        let live = made.live("2026-03-01");
        // A path that reads as a pattern can be held by no task.
        prop_assert!(live.iter().all(|said| said.contains('*')), "{:?}", live);
        let again = propose(request(repository(&files).path()), &registry()).unwrap();
        prop_assert_eq!(&made.proposal, &again);
    }
}
