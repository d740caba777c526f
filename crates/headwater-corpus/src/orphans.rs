//! Orphans: files that carry the marker of a generator although no declared projection writes them.
//! Either a declaration was removed, or somebody wrote the marker by hand.

use std::collections::{BTreeSet, HashSet};

use headwater_taxonomy::model::{Projection, Taxonomy};

use crate::census::{Outcome, Row};

const SHELF: &str = "{shelf}";
const RUN: &str = "{run}";

/// The paths that the projections of a taxonomy write.
struct Outputs {
    exact: HashSet<String>,
    /// What stands before and after the name of a run.
    of_runs: Vec<(String, String)>,
}

impl Outputs {
    fn of(taxonomy: &Taxonomy) -> Self {
        let mut outputs = Self { exact: HashSet::new(), of_runs: Vec::new() };
        for projection in &taxonomy.projections {
            for path in paths(taxonomy, projection) {
                match path.split_once(RUN) {
                    Some((before, after)) => {
                        outputs.of_runs.push((before.to_owned(), after.to_owned()));
                    }
                    None => {
                        outputs.exact.insert(path);
                    }
                }
            }
        }
        outputs
    }

    fn hold(&self, path: &str) -> bool {
        let run = |(before, after): &(String, String)| {
            let name = path.strip_prefix(before.as_str())?.strip_suffix(after.as_str())?;
            (!name.is_empty() && !name.contains('/')).then_some(())
        };
        self.exact.contains(path) || self.of_runs.iter().any(|parts| run(parts).is_some())
    }
}

/// The output of a projection, once for each shelf where it names one.
fn paths(taxonomy: &Taxonomy, projection: &Projection) -> Vec<String> {
    if !projection.output.contains(SHELF) {
        return vec![projection.output.clone()];
    }
    let covered = |name: &&str| {
        let listed = &projection.shelves;
        listed.is_empty() || listed.iter().any(|shelf| shelf == name)
    };
    let shelves = taxonomy.shelves.iter().filter(|(name, _)| covered(name));
    shelves
        .map(|(_, shelf)| {
            let literal = shelf.path.text().split(['*', '?', '[', '{']).next().unwrap_or_default();
            projection.output.replace(SHELF, literal.trim_end_matches('/'))
        })
        .collect()
}

/// The orphans among some rows, in path order.
pub(crate) fn orphans<'r>(taxonomy: &Taxonomy, rows: &'r [Row]) -> BTreeSet<&'r str> {
    let marked = rows.iter().filter(|row| matches!(row.outcome, Outcome::Generated(_)));
    let outputs = Outputs::of(taxonomy);
    marked.map(|row| row.path.as_str()).filter(|path| !outputs.hold(path)).collect()
}
