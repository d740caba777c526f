//! A rule that breaks takes nothing with it: the other rules report, the run says which one broke, and
//! the cache keeps no verdict of it.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

use std::fs;

use headwater_check::headwater_corpus::{Corpus, Options};
use headwater_check::headwater_taxonomy::declaration::Declaration;
use headwater_check::headwater_taxonomy::lock::{Header, Lock};
use headwater_check::headwater_taxonomy::yaml::load;
use headwater_check::{
    About, Caching, CorpusRule, CorpusView, Date, Defect, DocumentNeeds, DocumentRule,
    DocumentView, Kind, Origin, Outcome, Place, Registry, Run, Settings, Taxonomy, corpus,
    document, run,
};

struct Breaks;

impl DocumentRule for Breaks {
    const ABOUT: About = About::new("test.breaks", 1, Origin::Shape, "");

    fn generate(_: &Taxonomy, _: &Kind) -> Option<Self> {
        Some(Self)
    }

    fn evaluate(&self, view: &DocumentView<'_>) -> Outcome {
        assert!(!view.path().ends_with("b.md"), "b is too much");
        Outcome::Pass
    }
}

struct Speaks;

impl DocumentRule for Speaks {
    const ABOUT: About = About::new("test.speaks", 1, Origin::Shape, "");

    fn generate(_: &Taxonomy, _: &Kind) -> Option<Self> {
        Some(Self)
    }

    fn evaluate(&self, view: &DocumentView<'_>) -> Outcome {
        // What a rule does not declare, its view does not hand over.
        assert!(view.body().is_none() && view.now().is_none() && view.problems().is_none());
        assert!(view.prior().is_none());
        Outcome::fail(Defect::warn(view.file(), "here", "do nothing"))
    }
}

struct Reads;

impl DocumentRule for Reads {
    const ABOUT: About = About::new("test.reads", 1, Origin::Shape, "");
    const NEEDS: DocumentNeeds =
        DocumentNeeds { body: true, phase_a: true, clock: true, prior: false };

    fn generate(_: &Taxonomy, _: &Kind) -> Option<Self> {
        Some(Self)
    }

    fn evaluate(&self, view: &DocumentView<'_>) -> Outcome {
        assert!(view.body().is_some() && view.now().is_some() && view.problems().is_some());
        Outcome::Pass
    }
}

struct Barrier;

impl CorpusRule for Barrier {
    const ABOUT: About = About::new("test.barrier", 1, Origin::Corpus, "");

    fn generate(_: &Taxonomy) -> Option<Self> {
        Some(Self)
    }

    fn evaluate(&self, view: &CorpusView<'_>) -> Outcome {
        assert!(view.claims().is_none() && view.collisions().is_none() && view.stops().is_none());
        assert!(view.edges("x").is_none() && view.links().next().is_none());
        let paths: Vec<&str> = view.nodes().map(|node| node.path()).collect();
        Outcome::fail(Defect::info(Place::file("docs/a.md"), paths.join(" "), "do nothing"))
    }
}

const TAXONOMY: &str = "\
kinds: {note: {}}
shelves: {notes: {path: 'docs/*', homogeneous: true, kind: note}}
";

fn judge(root: &std::path::Path) -> Run {
    let resolved = load(TAXONOMY, 0).unwrap();
    let header = Header {
        digest: String::new(),
        rules: 0,
        package: "acme/cases".to_owned(),
        version: "1.0.0".to_owned(),
        sources: Vec::new(),
    };
    let taxonomy = Taxonomy::from_tree(&resolved);
    let lock = Lock { header, foundings: Vec::new(), adoption: None, taxonomy, resolved };
    let declaration =
        "taxonomy: {package: acme/cases, version: 1.0.0}\ncorpus: {root: docs}\n".as_bytes();
    let declaration = Declaration::parse(declaration).unwrap();
    let built = Corpus::build(root, lock, declaration, Options::default()).unwrap();
    let rules =
        vec![document::<Breaks>(), document::<Speaks>(), document::<Reads>(), corpus::<Barrier>()];
    let now = Date::parse("2026-08-12").unwrap();
    run(
        &built,
        &Registry::new(rules),
        Settings { now, cache: Caching::Keep, continuity: false, change: None },
    )
}

#[test]
fn a_broken_rule_is_contained_and_named() {
    let root = tempfile::tempdir().unwrap();
    fs::create_dir(root.path().join("docs")).unwrap();
    for name in ["a", "b", "c"] {
        fs::write(root.path().join(format!("docs/{name}.md")), "---\nx: 1\n---\n").unwrap();
    }
    for round in 0..2 {
        let run = judge(root.path());
        let broken: Vec<_> = run.broken.iter().map(|it| (it.rule, it.target.as_str())).collect();
        assert_eq!(broken, [("test.breaks", "docs/b.md")], "round {round}");
        assert!(run.broken[0].words.contains("b is too much"));
        let said = |rule: &str| run.findings.iter().filter(|finding| finding.rule == rule).count();
        assert_eq!((said("test.speaks"), said("test.barrier")), (3, 1));
        assert_eq!(run.coverage.checked, 3);
        let paths: Vec<&str> =
            run.read_set.inputs.iter().map(|input| input.path.as_str()).collect();
        assert_eq!(paths, ["docs/a.md", "docs/b.md", "docs/c.md"]);
        assert_eq!(run.read_set.barriers, ["test.barrier"]);
        assert_eq!(run.read_set.windowed, ["test.reads"]);
    }
}
