//! `headwater check --fix` and `--diff`: the patches of live findings, round by round, until none is left
//! that can be written.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use clap::ArgMatches;
use headwater_authoring::{Edit, Refusal, compose, unified, write};
use headwater_check::Patch;
use headwater_taxonomy::nearest::nearest;
use headwater_taxonomy::verbs::Answer;
use headwater_taxonomy::yaml::{escaped, shown};

use super::check::Judged;
use super::refused;

/// How many rounds one run makes. A round is caused by what the one before wrote, such as the second
/// contraction of a sentence, so few are ever needed; a rule whose patch brings its own finding
/// back would need them all.
const ROUNDS: usize = 100;

/// What is to be fixed.
pub(crate) struct Fix {
    /// The rules whose findings are; empty for every rule.
    rules: BTreeSet<String>,
    /// Whether it is only shown.
    pub preview: bool,
}

/// A fix that is done.
pub(crate) struct Fixed {
    /// The corpus and the run after it.
    pub judged: Judged,
    /// What was written and what was not, for standard error.
    pub account: String,
    /// Whether a patch is left that was to be written and could not be.
    pub refused: bool,
}

impl Fix {
    /// What a command line asks for; none where it asks for no fix.
    pub(crate) fn of(given: &ArgMatches) -> Result<Option<Self>, String> {
        let named = given.get_many::<String>("rule").unwrap_or_default();
        let rules: BTreeSet<String> = named.cloned().collect();
        let preview = given.get_flag("diff");
        let asked = preview || given.get_flag("fix");
        if !asked && !rules.is_empty() {
            return Err(
                "--rule chooses what is fixed; add --fix, or --diff to look first".to_owned()
            );
        }
        let registry = headwater_rules::registry();
        for rule in &rules {
            if registry.get(rule).is_none() {
                let ids = registry.templates().iter().map(|template| template.about().id);
                let meant = nearest(rule, ids).map(|id| format!("; did you mean `{id}`?"));
                let meant = meant.unwrap_or_else(|| "; a report names the rules".to_owned());
                return Err(format!("there is no rule `{}`{meant}", shown(rule)));
            }
        }
        Ok(asked.then_some(Self { rules, preview }))
    }

    /// The patches of the live findings of a run that are chosen.
    fn patches<'j>(&self, judged: &'j Judged) -> Vec<&'j Patch> {
        let chosen = |rule: &str| self.rules.is_empty() || self.rules.contains(rule);
        let findings = judged.run.findings.iter();
        let live = findings.filter(|finding| finding.is_live() && chosen(finding.rule));
        live.filter_map(|finding| finding.defect.patch.as_ref()).collect()
    }

    /// What the first round would write, as a diff. Nothing is written.
    pub(crate) fn shown(&self, judged: &Judged) -> Answer {
        let plan = compose(&judged.corpus, self.patches(judged));
        let mut account = Account::default();
        account.wrote(&plan.edits);
        account.refusals = plan.refusals;
        let status = u8::from(!account.refusals.is_empty());
        let stderr = account.text("would fix", "would make");
        Answer { stdout: unified(&plan.edits), stderr, status }
    }

    /// Writes what the findings of a run say, judges again, and goes on until a round writes nothing.
    pub(crate) fn made(
        &self,
        root: &Path,
        mut judged: Judged,
        judge: impl Fn() -> Result<Judged, Answer>,
    ) -> Result<Fixed, Answer> {
        let mut account = Account::default();
        for _ in 0..ROUNDS {
            let plan = compose(&judged.corpus, self.patches(&judged));
            let mut edits = plan.edits;
            account.refusals = plan.refusals;
            let refusals = write(root, &edits).map_err(|failure| {
                account.refusals.clear();
                let refusal = refused(2, &failure.to_string());
                let stderr = account.written("fixed", "made") + &refusal.stderr;
                Answer { stderr, ..refusal }
            })?;
            edits.retain(|edit| refusals.iter().all(|refusal| refusal.path != edit.path));
            account.refusals.extend(refusals);
            if edits.is_empty() {
                break;
            }
            account.wrote(&edits);
            judged = judge()?;
        }
        account.refusals.sort();
        let mut text = account.text("fixed", "made");
        let left = account.refusals.is_empty() && !self.patches(&judged).is_empty();
        if left {
            text.push_str(&format!(
                "headwater: patches are left after {ROUNDS} rounds, or change nothing; run this again, and report it when they stay\n"
            ));
        }
        let refused = left || !account.refusals.is_empty();
        Ok(Fixed { judged, account: text, refused })
    }
}

/// What was written and what was not.
#[derive(Default)]
struct Account {
    /// How many patches went into each file.
    patches: BTreeMap<String, usize>,
    claims: usize,
    refusals: Vec<Refusal>,
}

impl Account {
    fn wrote(&mut self, edits: &[Edit]) {
        for edit in edits {
            match edit.before {
                Some(_) => *self.patches.entry(edit.path.clone()).or_default() += edit.patches,
                None => self.claims += 1,
            }
        }
    }

    /// The files that were written, one a line, and how many were made.
    fn written(&self, fixed: &str, made: &str) -> String {
        let mut text = String::new();
        for (path, patches) in &self.patches {
            let s = if *patches == 1 { "" } else { "es" };
            text.push_str(&format!("{fixed} {} ({patches} patch{s})\n", escaped(path)));
        }
        if self.claims > 0 {
            let s = if self.claims == 1 { "" } else { "s" };
            text.push_str(&format!("{made} {} claim file{s}\n", self.claims));
        }
        text
    }

    /// The same, then every refused file and why; or that there was nothing to do.
    fn text(&self, fixed: &str, made: &str) -> String {
        let mut text = self.written(fixed, made);
        for Refusal { path, reason } in &self.refusals {
            let path = escaped(path);
            text.push_str(&format!("headwater: `{path}` was not fixed: {}\n", escaped(reason)));
        }
        if text.is_empty() {
            text.push_str("no finding of this run carries a patch\n");
        }
        text
    }
}
