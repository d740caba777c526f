//! Two facets with closed sets say different things: knowing one does not tell the other. Judged where
//! at least 20 documents carry both and each uses two values or more; told is at least 95 in 100 by
//! Goodman and Kruskal's lambda, in either direction.
//!
//! # Why
//!
//! A facet that follows from another is work for every author and news to no reader.
//!
//! # Example
//!
//! Every `internal` document is for the audience `operator`, and every `public` one for `reader`.
//!
//! # Neighbour
//!
//! Two facets that often coincide are not the same: lambda asks how many guesses the one saves about the
//! other, so a value that nearly everybody has proves nothing. The facet of the lifecycle is not
//! compared; documents of one age share their state.

use std::collections::BTreeMap;

use headwater_check::{
    About, CorpusRule, CorpusView, Defect, Origin, Outcome, Place, Taxonomy,
};
use headwater_check::headwater_taxonomy::lock::LOCK_PATH;
use headwater_check::headwater_taxonomy::model::Role;

use crate::say::quoted;

/// From how many documents on a pair is judged.
const ENOUGH: u64 = 20;
/// In hundredths, from which lambda on one facet tells the other.
const TELLS: u64 = 95;

/// How many documents hold each value of the one facet with each of the other.
type Table<'v> = BTreeMap<(&'v str, &'v str), u64>;

/// The rule.
pub(crate) struct Rule {
    facets: Vec<String>,
}

impl CorpusRule for Rule {
    const ABOUT: About = About::new(
        "facet.pair.not_orthogonal",
        1,
        Origin::Corpus,
        include_str!("../../../docs/rules/facet.pair.not_orthogonal.md"),
    );

    fn generate(taxonomy: &Taxonomy) -> Option<Self> {
        let lifecycle = [Some(Role::State), Some(Role::StateEntered)];
        let closed = taxonomy.facets.values().filter(|facet| {
            facet.values.is_some() && !lifecycle.contains(&facet.role)
        });
        let facets: Vec<String> = closed.map(|facet| facet.name.clone()).collect();
        (facets.len() > 1).then_some(Self { facets })
    }

    fn evaluate(&self, view: &CorpusView<'_>) -> Outcome {
        // Every document once; then every pair of the few facets that a document carries.
        let mut tables: BTreeMap<(usize, usize), Table<'_>> = BTreeMap::new();
        for node in view.nodes().filter(|node| !node.is_generated()) {
            let texts = self.facets.iter().enumerate();
            let texts = texts.filter_map(|(at, facet)| Some((at, node.facet_text(facet)?)));
            let texts: Vec<(usize, &str)> = texts.collect();
            for (place, &(a, left)) in texts.iter().enumerate() {
                for &(b, right) in texts.iter().skip(place + 1) {
                    *tables.entry((a, b)).or_default().entry((left, right)).or_default() += 1;
                }
            }
        }
        let mut defects = Vec::new();
        for ((a, b), table) in tables {
            let flipped: Table<'_> =
                table.iter().map(|(&(left, right), &count)| ((right, left), count)).collect();
            let documents: u64 = table.values().sum();
            let (Some(a), Some(b)) = (self.facets.get(a), self.facets.get(b)) else { continue };
            let (forward, backward) = (lambda(&table), lambda(&flipped));
            let tells = [(a, b, forward), (b, a, backward)].into_iter().find(|(_, _, lambda)| {
                lambda.is_some_and(|(saved, errors)| saved * 100 >= errors * TELLS)
            });
            let Some((known, told, Some((saved, errors)))) = tells.filter(|_| documents >= ENOUGH) else {
                continue;
            };
            defects.push(Defect::info(
                Place::file(LOCK_PATH),
                format!(
                    "over {documents} documents {} tells {}: knowing the one saves {saved} of {errors} wrong guesses about the other",
                    quoted(known),
                    quoted(told)
                ),
                "keep the one of the two facets that readers ask for, or let their values say different things",
            ));
        }
        Outcome::of(defects)
    }
}

/// How many of the wrong guesses about the right facet the left one saves, and of how many: lambda as a
/// fraction. None where one of them uses fewer than two values.
fn lambda(table: &Table<'_>) -> Option<(u64, u64)> {
    let mut rows: BTreeMap<&str, u64> = BTreeMap::new();
    let mut columns: BTreeMap<&str, u64> = BTreeMap::new();
    for (&(left, right), &count) in table {
        let most = rows.entry(left).or_default();
        *most = count.max(*most);
        *columns.entry(right).or_default() += count;
    }
    if rows.len() < 2 || columns.len() < 2 {
        return None;
    }
    let total: u64 = table.values().sum();
    let within: u64 = rows.values().sum();
    let overall = columns.values().copied().max()?;
    Some((within - overall, total - overall))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lambda_counts_saved_guesses() {
        let table = |cells: &[(&'static str, &'static str, u64)]| {
            lambda(&cells.iter().map(|&(left, right, count)| ((left, right), count)).collect())
        };
        assert_eq!(table(&[("a", "x", 10), ("b", "y", 10)]), Some((10, 10)));
        assert_eq!(table(&[("a", "x", 9), ("a", "y", 1), ("b", "x", 9), ("b", "y", 1)]), Some((0, 2)));
        assert_eq!(table(&[("a", "x", 10), ("b", "x", 10)]), None);
    }
}
