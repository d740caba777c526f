//! Every case of the fixtures, and the same case with other line breaks and with a byte order mark.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

mod support;

use std::collections::BTreeMap;

use headwater_authoring::{Plan, compose};
use headwater_check::Patch;
use support::{Case, cases, corpus, files, patches, taxonomy, write};

/// A way in which a file may be written.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Form {
    AsIs,
    CarriageReturns,
    Marked,
    /// Nothing behind the last character.
    Bare,
}

impl Form {
    fn of(self, text: &str) -> String {
        match self {
            Self::AsIs => text.to_owned(),
            Self::CarriageReturns => text.replace('\n', "\r\n"),
            Self::Marked => format!("\u{feff}{text}"),
            Self::Bare => text.strip_suffix('\n').unwrap_or(text).to_owned(),
        }
    }
}

fn planned(case: &Case, form: Form, turned: bool) -> (Plan, BTreeMap<String, String>) {
    let root = tempfile::tempdir().unwrap();
    let formed = |block: &str| -> Vec<(String, String)> {
        files(block).into_iter().map(|(path, text)| (path, form.of(&text))).collect()
    };
    let before = formed(&case.corpus);
    for (path, text) in &before {
        write(root.path(), path, text);
    }
    let mut patches: Vec<Patch> = patches(&case.patches, &before);
    if turned {
        patches.reverse();
    }
    let corpus = corpus(root.path(), &taxonomy(&case.bindings));
    (compose(&corpus, &patches), formed(&case.after).into_iter().collect())
}

fn holds(case: &Case, form: Form, turned: bool) {
    let (plan, after) = planned(case, form, turned);
    let name = format!("{} ({form:?}{})", case.name, if turned { ", turned" } else { "" });
    let refused: Vec<String> = plan
        .refusals
        .iter()
        .map(|refusal| format!("{}: {}", refusal.path, refusal.reason))
        .collect();
    assert_eq!(refused.len(), case.refused.len(), "{name}: {refused:#?}");
    for (said, expected) in refused.iter().zip(&case.refused) {
        let (path, words) = expected.split_once(": ").unwrap();
        assert!(said.starts_with(path) && said.contains(words), "{name}: {said}, not {expected}");
    }
    let written: BTreeMap<String, String> =
        plan.edits.iter().map(|edit| (edit.path.clone(), edit.after.clone())).collect();
    for (path, text) in &after {
        let held = written.get(path).unwrap_or_else(|| panic!("{name}: {path} is not written"));
        assert_eq!(held, text, "{name}: {path}\n--- written\n{held}\n--- expected\n{text}");
    }
    assert_eq!(written.len(), after.len(), "{name}: {written:#?}");
}

#[test]
fn every_case_holds() {
    for case in cases() {
        holds(&case, Form::AsIs, false);
    }
}

#[test]
fn line_breaks_a_mark_and_a_missing_last_break_are_kept() {
    for case in cases() {
        if case.patches.contains("create ") {
            continue;
        }
        for form in [Form::CarriageReturns, Form::Marked, Form::Bare] {
            holds(&case, form, false);
        }
    }
}

#[test]
fn the_order_of_patches_says_nothing() {
    // Of two sets of facets that disagree the first wins, so only their order may matter.
    for case in cases() {
        if !case.name.contains("the first wins") {
            holds(&case, Form::AsIs, true);
        }
    }
}
