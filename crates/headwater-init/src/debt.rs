//! What the corpus owes from before: the findings of a first run, held in an adoption block.

use std::collections::{BTreeMap, BTreeSet};

use headwater_check::headwater_corpus::Corpus;
use headwater_check::headwater_taxonomy::yaml::{Node, escaped};
use headwater_check::{Caching, Date, Pair, Registry, Settings, Task, adoption_block, run};

use crate::survey::counted;

/// How long the debt is held, in days.
pub const GRACE_DAYS: u64 = 90;

/// What a first run finds.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Debt {
    /// For each rule the paths of its findings.
    pairs: BTreeMap<&'static str, BTreeSet<String>>,
    /// How many findings are held.
    held: usize,
    /// How many are not, because no adoption task can name their path.
    unheld: usize,
}

impl Debt {
    pub(crate) fn of(corpus: &Corpus, registry: &Registry, now: Date) -> Self {
        let settings = Settings { now, cache: Caching::Off, continuity: false, change: None };
        let mut debt = Self::default();
        for finding in run(corpus, registry, settings).findings {
            let path = finding.defect.place.path;
            if path.contains('*') || path.trim() != path || escaped(&path) != path {
                debt.unheld += 1;
            } else {
                debt.held += 1;
                debt.pairs.entry(finding.rule).or_default().insert(path);
            }
        }
        debt
    }

    /// The block that holds it, one task for each rule; none where there is nothing to hold.
    pub(crate) fn block(&self, owner: &str, now: Date) -> Option<Node> {
        let task = |(at, (rule, paths)): (usize, (&&'static str, &BTreeSet<String>))| {
            let pair = |path: &String| Pair { path: path.clone(), rule: (*rule).to_owned() };
            let files = counted(paths.len(), "file");
            Task {
                id: format!("AD-{}", at + 1),
                statement: format!("{rule} in {files} when this taxonomy first reached the corpus"),
                owner: owner.to_owned(),
                until: until(now),
                pairs: paths.iter().map(pair).collect(),
            }
        };
        let tasks: Vec<Task> = self.pairs.iter().enumerate().map(task).collect();
        (!tasks.is_empty()).then(|| adoption_block(&tasks))
    }

    /// What is held, for the account.
    pub(crate) fn account(&self, now: Date) -> String {
        let each: Vec<String> =
            self.pairs.iter().map(|(rule, paths)| format!("{rule} in {}", paths.len())).collect();
        let mut said = match self.held {
            0 => "none: every document keeps what was guessed".to_owned(),
            held => format!(
                "{} held until {}: {}",
                counted(held, "finding"),
                until(now),
                each.join(", ")
            ),
        };
        if self.unheld > 0 {
            let unheld = counted(self.unheld, "finding");
            said.push_str(&format!("; {unheld} in files whose names no adoption task can hold"));
        }
        said
    }
}

/// The last day on which the debt is held.
fn until(now: Date) -> Date {
    let epoch = Date::from_unix_days(0);
    let days = epoch.and_then(|epoch| u64::try_from(now.days_since(epoch)).ok());
    days.and_then(|days| Date::from_unix_days(days + GRACE_DAYS)).unwrap_or(now)
}
