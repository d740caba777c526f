//! The tally of a run: what every instance came to. Each part of a run keeps its own, and the parts are
//! put together in the order of their targets, so that nothing depends on who finished first.

use std::borrow::Cow;

use serde::{Deserialize, Serialize};

use crate::cache::Entries;
use crate::finding::{Defect, Outcome};
use crate::run::Broken;
use crate::view::Seen;

/// What an instance is over.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Unit {
    /// A row.
    Document(usize),
    /// A file outside the corpus.
    Outside(usize),
    /// An edge half.
    Entry(usize),
    /// A pair.
    Pair(usize),
    /// A row and what is around it.
    Neighbourhood(usize),
    /// A shelf.
    Shelf(usize),
    /// Everything.
    Corpus,
}

/// Instances over one unit that reached no verdict, for one reason.
#[derive(Debug)]
pub(crate) struct Skip<'p> {
    pub unit: Unit,
    pub templates: Templates<'p>,
    pub reason: Cow<'p, str>,
}

/// At least one template.
#[derive(Debug)]
pub(crate) enum Templates<'p> {
    One(usize),
    /// Those of a whole group.
    All(&'p [usize]),
}

impl Templates<'_> {
    pub(crate) fn as_slice(&self) -> &[usize] {
        match self {
            Self::One(template) => std::slice::from_ref(template),
            Self::All(templates) => templates,
        }
    }
}

/// How many routing instances a unit had, and how many of them reached a verdict.
#[derive(Debug)]
pub(crate) struct Routed {
    pub unit: Unit,
    pub created: usize,
    pub ran: usize,
}

/// What instances came to.
#[derive(Debug, Default)]
pub(crate) struct Tally<'p> {
    /// How many instances each template had.
    pub instances: Vec<usize>,
    pub served: usize,
    pub evaluated: usize,
    pub unkeyed: usize,
    pub defects: Vec<(usize, Defect)>,
    pub skips: Vec<Skip<'p>>,
    pub routed: Vec<Routed>,
    pub broken: Vec<Broken>,
    /// What corpus rules see of each row, where one of them reads links.
    pub seen: Vec<Seen<'p>>,
    /// What joins the next cache.
    pub entries: Entries,
}

impl<'p> Tally<'p> {
    pub(crate) fn count(&mut self, template: usize) {
        if self.instances.len() <= template {
            self.instances.resize(template + 1, 0);
        }
        if let Some(count) = self.instances.get_mut(template) {
            *count += 1;
        }
    }

    /// Records how many of the routing instances of a unit reached a verdict. What is said of one unit in
    /// several steps is one record.
    pub(crate) fn route(&mut self, unit: Unit, created: usize, ran: usize) {
        match self.routed.last_mut() {
            _ if created == 0 => {}
            Some(last) if last.unit == unit => {
                last.created += created;
                last.ran += ran;
            }
            _ => self.routed.push(Routed { unit, created, ran }),
        }
    }
}

/// What all instances came to: the tally of each part of a run, in the order of their targets. What they
/// hold is most of the memory of a run, so it stays where it is.
#[derive(Debug, Default)]
pub(crate) struct Tallies<'p>(Vec<Tally<'p>>);

impl<'p> Tallies<'p> {
    /// Puts parts behind what is there.
    pub(crate) fn extend(&mut self, parts: impl IntoIterator<Item = Tally<'p>>) {
        self.0.extend(parts);
    }

    pub(crate) fn sum(&self, count: impl Fn(&Tally<'p>) -> usize) -> usize {
        self.0.iter().map(count).sum()
    }

    /// How many instances each template had.
    pub(crate) fn instances(&self) -> Vec<usize> {
        let mut instances = Vec::new();
        for part in &self.0 {
            if instances.len() < part.instances.len() {
                instances.resize(part.instances.len(), 0);
            }
            for (count, more) in instances.iter_mut().zip(&part.instances) {
                *count += more;
            }
        }
        instances
    }

    pub(crate) fn skips(&self) -> impl Iterator<Item = &Skip<'p>> {
        self.0.iter().flat_map(|part| &part.skips)
    }

    pub(crate) fn routed(&self) -> impl Iterator<Item = &Routed> {
        self.0.iter().flat_map(|part| &part.routed)
    }

    pub(crate) fn entries(&self) -> impl Iterator<Item = &Entries> + Clone {
        self.0.iter().map(|part| &part.entries)
    }

    /// Hands over a list that every part has.
    pub(crate) fn take<T>(
        &mut self,
        list: impl for<'t> Fn(&'t mut Tally<'p>) -> &'t mut Vec<T>,
    ) -> Vec<T> {
        let mut all = Vec::new();
        self.0.iter_mut().for_each(|part| all.append(list(part)));
        all
    }
}

/// What the cache holds of one member of a group. A skip is not held: its reason may be read from
/// what the key need not speak of, and it is cheap to find again.
#[derive(Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum Held {
    #[serde(rename = "p")]
    Pass,
    #[serde(rename = "f")]
    Fail(Vec<Defect>),
    #[serde(rename = "s")]
    Nothing,
}

/// The record of a group in which every member passed, which is nearly all of them.
const ALL_PASS: &[u8] = b"p";
const PASS: u8 = b'p';
const NOTHING: u8 = b's';

/// Writes the record of a group: a letter for each member, or all of it where one failed.
pub(crate) fn encode(outcomes: &[Option<Outcome>]) -> Vec<u8> {
    let letters: Option<Vec<u8>> = outcomes
        .iter()
        .map(|outcome| match outcome {
            Some(Outcome::Pass) => Some(PASS),
            Some(Outcome::Fail(_)) => None,
            Some(Outcome::Skip(_)) | None => Some(NOTHING),
        })
        .collect();
    match letters {
        Some(letters) if letters.iter().all(|letter| *letter == PASS) => ALL_PASS.to_vec(),
        Some(letters) => letters,
        None => {
            let held = outcomes.iter().map(|outcome| match outcome {
                Some(Outcome::Pass) => Held::Pass,
                Some(Outcome::Fail(defects)) => Held::Fail(defects.clone()),
                Some(Outcome::Skip(_)) | None => Held::Nothing,
            });
            // Texts, numbers and lists always serialize.
            serde_json::to_vec(&held.collect::<Vec<_>>()).unwrap_or_default()
        }
    }
}

/// The record of a group, read.
#[derive(Debug)]
pub(crate) enum Record<'c> {
    AllPass,
    Letters(&'c [u8]),
    Full(Vec<Held>),
}

impl<'c> Record<'c> {
    /// Reads the record of a group of so many members; none where it is not exactly one.
    pub(crate) fn decode(record: &'c [u8], members: usize) -> Option<Self> {
        if record == ALL_PASS {
            return Some(Self::AllPass);
        }
        if record.first() == Some(&b'[') {
            let held: Vec<Held> = serde_json::from_slice(record).ok()?;
            return (held.len() == members).then_some(Self::Full(held));
        }
        let letters = record.iter().all(|letter| [PASS, NOTHING].contains(letter));
        (letters && record.len() == members && members > 0).then_some(Self::Letters(record))
    }

    /// What is held of one member.
    pub(crate) fn take(&mut self, member: usize) -> Held {
        match self {
            Self::AllPass => Held::Pass,
            Self::Letters(letters) if letters.get(member) == Some(&PASS) => Held::Pass,
            Self::Letters(_) => Held::Nothing,
            Self::Full(held) => {
                let held = held.get_mut(member);
                held.map_or(Held::Nothing, |held| std::mem::replace(held, Held::Nothing))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::finding::{Patch, Place};

    #[test]
    fn records_are_read_as_they_were_written() {
        let place = Place { path: "a\tb\n".to_owned(), line: 3, column: 9, width: 2 };
        let patch = Patch::Create { path: "x".to_owned(), contents: "y\n".to_owned() };
        let defect = Defect::warn(place, "\u{1}\"é", "").patched(Some(patch));
        let outcomes = [
            Some(Outcome::Pass),
            Some(Outcome::fail(defect.clone())),
            Some(Outcome::skip("why")),
            None,
        ];
        let read = |record: &[u8], members: usize| -> Option<Vec<Held>> {
            let mut read = Record::decode(record, members)?;
            Some((0..members).map(|member| read.take(member)).collect())
        };
        let record = encode(&outcomes);
        let expected = vec![Held::Pass, Held::Fail(vec![defect]), Held::Nothing, Held::Nothing];
        assert_eq!(read(&record, 4), Some(expected));
        assert_eq!(read(&record, 3), None);
        assert_eq!(read(&record[..record.len() - 1], 4), None);
        assert_eq!(read(b"", 0), None);
        assert_eq!(encode(&[Some(Outcome::Pass), Some(Outcome::Pass)]), b"p");
        assert_eq!(read(b"p", 2), Some(vec![Held::Pass, Held::Pass]));
        let letters = encode(&[Some(Outcome::Pass), Some(Outcome::skip("why"))]);
        assert_eq!(letters, b"ps");
        assert_eq!(read(&letters, 2), Some(vec![Held::Pass, Held::Nothing]));
        assert_eq!((read(&letters, 3), read(b"px", 2)), (None, None));
    }
}
