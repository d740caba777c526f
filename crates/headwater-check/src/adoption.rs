//! Adoption: the ledger of old debt, which stands in the lock beside the resolved taxonomy. A task names
//! the findings that existed when a corpus adopted a rule, pair by pair, and holds them until a day
//! (checks §6.5, model §1.9).

use std::collections::HashMap;

use headwater_taxonomy::lock::LOCK_PATH;
use headwater_taxonomy::ordered::Ordered;
use headwater_taxonomy::path::normalize;
use headwater_taxonomy::yaml::{Member, Node, Span, Value, escaped, shown};

use crate::date::Date;
use crate::escape::{Escape, Held};
use crate::finding::{Defect, Finding, Place};
use crate::registry::Registry;
use crate::runner_rules::ADOPTION_EXPIRED;

const TASK_KEYS: [&str; 5] = ["id", "statement", "owner", "until", "pairs"];
const PAIR_KEYS: [&str; 2] = ["path", "rule"];

/// A task of adoption.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Task {
    /// Its identifier.
    pub id: String,
    /// What it holds and why, for readers.
    pub statement: String,
    /// Who owes the work.
    pub owner: String,
    /// The last day on which it holds.
    pub until: Date,
    /// What it holds.
    pub pairs: Vec<Pair>,
}

/// Every finding of one rule at one path.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Pair {
    /// The path below the repository root, normalized; never a pattern.
    pub path: String,
    /// The rule.
    pub rule: String,
}

/// A task, and what it came to in a run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Standing {
    /// The task.
    pub task: Task,
    /// Whether its last day is past, so that it holds nothing.
    pub expired: bool,
    /// How many of its pairs held a finding.
    pub open: usize,
    /// How many of its pairs held none. A task that is expired has no closed pairs.
    pub closed: usize,
    /// How many findings it held.
    pub held: usize,
}

/// A task that holds nothing because it cannot be read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RefusedTask {
    /// Its identifier, or where it stands.
    pub task: String,
    /// Why.
    pub why: String,
}

/// The adoption block of a lock.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Adoption {
    /// The tasks that read, in written order.
    pub tasks: Vec<Standing>,
    /// The tasks that do not.
    pub refused: Vec<RefusedTask>,
    /// Keys beside `tasks`, which nothing reads.
    pub unread: Vec<String>,
}

impl Adoption {
    /// Reads the block of a lock. Nothing in it stops a run: what does not read is refused by name.
    pub(crate) fn read(block: Option<&Node>, registry: &Registry, now: Date) -> Self {
        let mut adoption = Self::default();
        let Some(map) = block.and_then(Node::map) else { return adoption };
        for (key, member) in map.iter() {
            if key != "tasks" {
                adoption.unread.push(key.to_owned());
                continue;
            }
            if member.value.items().is_none() && !member.value.is_null() {
                let why = format!("{} stands where a list belongs", member.value.describe());
                adoption.refused.push(RefusedTask { task: "adoption.tasks".to_owned(), why });
            }
            for node in member.value.items().unwrap_or(&[]) {
                match task(node, registry) {
                    Ok(task) => adoption.tasks.push(Standing {
                        expired: task.until < now,
                        task,
                        open: 0,
                        closed: 0,
                        held: 0,
                    }),
                    Err(why) => {
                        let id = node.get("id").and_then(Node::text).unwrap_or_default().trim();
                        let task = match id {
                            "" => format!("the task at {LOCK_PATH}:{}", node.span.start.line),
                            id => id.to_owned(),
                        };
                        adoption.refused.push(RefusedTask { task, why });
                    }
                }
            }
        }
        adoption
    }

    /// One error for each task whose last day is past.
    pub(crate) fn expired(&self) -> Vec<Defect> {
        let expired = self.tasks.iter().filter(|standing| standing.expired);
        let defect = |Standing { task, .. }: &Standing| {
            let message = format!(
                "the adoption task `{}` of `{}` ended on {}, so it holds nothing any more and what it held is live again",
                shown(&task.id),
                shown(&task.owner),
                task.until
            );
            let remedy = "mend what it named and remove the task, or give it a later `until` in the adoption block of the lock";
            Defect::error(Place::file(LOCK_PATH), message, remedy)
        };
        expired.map(defect).collect()
    }

    /// Marks what the tasks in force hold. Of two tasks that name one pair, the first holds.
    pub(crate) fn hold(&mut self, findings: &mut [Finding]) {
        // For each path and rule the task, and how many findings came.
        let mut pairs: HashMap<(&str, &str), (usize, usize)> = HashMap::new();
        for (at, Standing { task, .. }) in self.in_force() {
            for pair in &task.pairs {
                pairs.entry((&pair.path, &pair.rule)).or_insert((at, 0));
            }
        }
        for finding in findings {
            let key = (finding.defect.place.path.as_str(), finding.rule);
            let Some((at, held)) = pairs.get_mut(&key) else { continue };
            let Some(Standing { task, .. }) = self.tasks.get(*at) else { continue };
            *held += 1;
            finding.escape = Some(Escape::Pending(Held {
                task: task.id.clone(),
                owner: task.owner.clone(),
                until: task.until,
            }));
        }
        let mut counts = vec![(0, 0); self.tasks.len()];
        for (at, held) in pairs.into_values() {
            if let Some((open, total)) = counts.get_mut(at) {
                *open += usize::from(held > 0);
                *total += held;
            }
        }
        for (standing, (open, held)) in self.tasks.iter_mut().zip(counts) {
            standing.open = open;
            standing.held = held;
            standing.closed =
                if standing.expired { 0 } else { standing.task.pairs.len().saturating_sub(open) };
        }
    }

    fn in_force(&self) -> impl Iterator<Item = (usize, &Standing)> {
        self.tasks.iter().enumerate().filter(|(_, standing)| !standing.expired)
    }
}

fn task(node: &Node, registry: &Registry) -> Result<Task, String> {
    closed(node, "task", &TASK_KEYS)?;
    let until = text(node, "until")?;
    let until = Date::parse(&until)
        .ok_or_else(|| format!("`until: {}` is no day, write YYYY-MM-DD", shown(&until)))?;
    let items = node.get("pairs").ok_or("`pairs` is missing")?;
    let items = items.items().filter(|items| !items.is_empty());
    let items = items.ok_or("`pairs` is no list of at least one pair")?;
    let mut pairs = items.iter().map(|item| pair(item, registry)).collect::<Result<Vec<_>, _>>()?;
    // A pair that is written twice is one pair.
    let mut seen = std::collections::HashSet::new();
    pairs.retain(|pair| seen.insert(pair.clone()));
    Ok(Task {
        id: text(node, "id")?,
        statement: text(node, "statement")?,
        owner: text(node, "owner")?,
        until,
        pairs,
    })
}

fn pair(node: &Node, registry: &Registry) -> Result<Pair, String> {
    closed(node, "pair", &PAIR_KEYS)?;
    let (path, rule) = (text(node, "path")?, text(node, "rule")?);
    if path.contains('*') {
        return Err(format!("the path `{}` is a pattern, name each file", shown(&path)));
    }
    let path = normalize(&path)
        .map_err(|why| format!("the path `{}` cannot be used: {why}", shown(&path)))?;
    if registry.get(&rule).is_none() {
        return Err(format!("there is no rule `{}`{}", shown(&rule), registry.meant(&rule)));
    }
    if rule == ADOPTION_EXPIRED {
        return Err(format!("`{ADOPTION_EXPIRED}` cannot be held, it is about the tasks"));
    }
    Ok(Pair { path, rule })
}

fn closed(node: &Node, what: &str, keys: &[&str]) -> Result<(), String> {
    let Some(map) = node.map() else {
        return Err(format!("{} stands where a {what} belongs", node.describe()));
    };
    match map.names().find(|key| !keys.contains(key)) {
        None => Ok(()),
        Some(key) => Err(format!("a {what} has no key `{}`", shown(key))),
    }
}

/// A text that must be there, on one line.
fn text(node: &Node, key: &str) -> Result<String, String> {
    match node.get(key) {
        None => Err(format!("`{key}` is missing")),
        Some(value) => match value.text().map(str::trim) {
            Some(text) if !text.is_empty() && !value.is_null() => Ok(escaped(text)),
            _ => Err(format!("{} stands where the text of `{key}` belongs", value.describe())),
        },
    }
}

/// The adoption block that holds these tasks, as [`headwater_taxonomy::lock::with_adoption`] and
/// [`headwater_taxonomy::lock::write`] take it.
#[must_use]
pub fn adoption_block(tasks: &[Task]) -> Node {
    let scalar = |text: &str| Node::scalar(text, Span::default());
    let pair = |pair: &Pair| map([("path", scalar(&pair.path)), ("rule", scalar(&pair.rule))]);
    let task = |task: &Task| {
        map([
            ("id", scalar(&task.id)),
            ("statement", scalar(&task.statement)),
            ("owner", scalar(&task.owner)),
            ("until", scalar(&task.until.to_string())),
            ("pairs", list(task.pairs.iter().map(pair))),
        ])
    };
    map([("tasks", list(tasks.iter().map(task)))])
}

fn list(items: impl Iterator<Item = Node>) -> Node {
    Node { value: Value::List(items.collect()), span: Span::default() }
}

fn map<const N: usize>(members: [(&str, Node); N]) -> Node {
    let mut map = Ordered::default();
    for (key, value) in members {
        map.insert(key.to_owned(), Member { key: Span::default(), value });
    }
    Node { value: Value::Map(map), span: Span::default() }
}

#[cfg(test)]
mod tests {
    use headwater_taxonomy::canonical::render;
    use headwater_taxonomy::yaml::load;
    use proptest::prelude::*;

    use super::*;

    const RULES: [&str; 2] = [crate::runner_rules::COVERAGE, crate::runner_rules::PIN_DIVERGED];

    fn pair() -> impl Strategy<Value = Pair> {
        ("[a-z]{1,3}(/[a-z .é]{0,3}[a-z])?", 0_usize..2)
            .prop_map(|(path, rule)| Pair { path, rule: RULES[rule].to_owned() })
    }

    fn a_task() -> impl Strategy<Value = Task> {
        let text = "[a-z:#\"é]([a-z:#\"é ]{0,6}[a-z])?";
        let pairs = proptest::collection::btree_set(pair(), 1..5);
        (text, text, text, 1_u64..40_000, pairs).prop_map(|(id, statement, owner, day, pairs)| {
            let until = Date::from_unix_days(day).unwrap();
            Task { id, statement, owner, until, pairs: pairs.into_iter().collect() }
        })
    }

    proptest! {
        /// What is written as a block is read as the same tasks.
        #[test]
        fn a_block_reads_as_the_tasks_it_was_written_from(
            tasks in proptest::collection::vec(a_task(), 0..4)
        ) {
            let registry = Registry::new(Vec::new());
            let now = Date::parse("2026-08-12").unwrap();
            let text = render(&adoption_block(&tasks));
            let block = load(&text, 0).unwrap();
            let read = Adoption::read(Some(&block), &registry, now);
            prop_assert_eq!(&read.refused, &Vec::new(), "{}", text);
            prop_assert!(read.tasks.iter().all(|it| it.expired == (it.task.until < now)));
            let read: Vec<Task> = read.tasks.into_iter().map(|standing| standing.task).collect();
            prop_assert_eq!(read, tasks);
        }

        /// Every finding of a pair in force is held, no other is, and the counts add up.
        #[test]
        fn a_task_holds_its_pairs_and_nothing_else(
            tasks in proptest::collection::vec(a_task(), 0..4),
            found in proptest::collection::vec(pair(), 0..12),
        ) {
            let registry = Registry::new(Vec::new());
            let now = Date::parse("2026-08-12").unwrap();
            let mut adoption = Adoption::read(Some(&adoption_block(&tasks)), &registry, now);
            let finding = |pair: &Pair| Finding {
                rule: RULES.into_iter().find(|rule| *rule == pair.rule).unwrap(),
                obligation: None,
                defect: Defect::error(Place::file(&pair.path), "m", "r"),
                escape: None,
            };
            let mut findings: Vec<Finding> = found.iter().map(finding).collect();
            adoption.hold(&mut findings);
            for (pair, finding) in found.iter().zip(&findings) {
                let mut in_force = tasks.iter().filter(|task| task.until >= now);
                let first = in_force.find(|task| task.pairs.contains(pair));
                let by = match &finding.escape {
                    Some(Escape::Pending(held)) => Some(&held.task),
                    _ => None,
                };
                prop_assert_eq!(by, first.map(|task| &task.id));
            }
            let held = findings.iter().filter(|finding| !finding.is_live()).count();
            prop_assert_eq!(adoption.tasks.iter().map(|it| it.held).sum::<usize>(), held);
            for standing in adoption.tasks.iter().filter(|standing| !standing.expired) {
                prop_assert_eq!(standing.open + standing.closed, standing.task.pairs.len());
            }
        }
    }
}
