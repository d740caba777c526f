//! What the keys of the front matter hold: dates, numbers, small sets of values, texts.

use std::collections::BTreeMap;

use headwater_check::Date;
use headwater_check::headwater_taxonomy::ENGINE_KEYS;
use headwater_check::headwater_taxonomy::model::{GENERATED_KEY, PROVENANCE_KEY, RELATIONS_KEY};
use headwater_check::headwater_taxonomy::nearest::nearest;
use headwater_check::headwater_taxonomy::yaml::{parse_bool, parse_int};

use crate::names::{Taken, spelled};
use crate::states;
use crate::survey::{Said, Survey, quoted};
use crate::tree::{Tree, map, text, texts};

/// The most values of a closed set.
const SET_LIMIT: usize = 12;
/// How often the values of a closed set come again on average.
const REPEATS: usize = 4;
/// The longest value of a closed set, in bytes.
const VALUE_LIMIT: usize = 40;

/// Of a hundred values, how many say what all of them are. The others are debt.
const NEARLY: usize = 95;

/// A value type, what it is called, whether it may stand in quotes, and its test.
type Type = (&'static str, &'static str, bool, fn(&str) -> bool);
const TYPES: [Type; 3] = [
    ("date", "a date", true, |text| Date::parse(text).is_some()),
    ("boolean", "true or false", false, |text| parse_bool(text).is_some()),
    ("integer", "a whole number", false, |text| parse_int(text).is_some()),
];

/// A facet and the key that holds it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Facet {
    pub name: String,
    pub key: String,
    holds: Holds,
    role: Option<&'static str>,
    /// The separator of a text that is a list.
    pub separator: Option<&'static str>,
    /// Why; none where there is nothing to say but that the key comes again.
    pub why: Option<String>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Holds {
    /// The values, in order of how often they come, with the number of documents.
    Set(Vec<(String, usize)>),
    /// A value type.
    Type(&'static str),
    /// Anything.
    Anything,
}

/// The facets of the corpus, in the order of its keys. `used` are keys that mean something else.
pub(crate) fn guess(survey: &Survey, used: &[&str]) -> Vec<Facet> {
    let mut taken = Taken::default();
    let mut roles: Vec<&str> = Vec::new();
    let mut facets = Vec::new();
    for key in survey.keys() {
        let engine = [RELATIONS_KEY, PROVENANCE_KEY, GENERATED_KEY].contains(&key);
        let said: Vec<&Said> = survey.under(key).map(|(_, said)| said).collect();
        if engine || used.contains(&key) || said.len() < 2 || key.trim().is_empty() {
            continue;
        }
        let spelled = spelled(key, "key");
        let name = if ENGINE_KEYS.contains(&spelled.as_str()) {
            taken.free(&format!("document_{spelled}"))
        } else {
            taken.free(&spelled)
        };
        let (holds, separator, mut why) = holds(key, &said);
        let role = role(key, &holds).filter(|role| !roles.contains(role));
        if let Some(role) = role {
            roles.push(role);
            let said = why.unwrap_or_else(|| quoted(key));
            why = Some(format!("{said}, in the role `{role}`"));
        }
        facets.push(Facet { name, key: key.to_owned(), holds, role, separator, why });
    }
    facets
}

fn holds(key: &str, said: &[&Said]) -> (Holds, Option<&'static str>, Option<String>) {
    let total = said.len();
    let written = said.iter().filter(|said| !matches!(said, Said::Nothing)).count();
    for (kind, words, quotes, test) in TYPES {
        let count = said
            .iter()
            .filter(
                |said| matches!(said, Said::Text(text, plain) if (*plain || quotes) && test(text)),
            )
            .count();
        if count >= 2 && count * 100 >= written * NEARLY {
            let why = format!("{} is {words} in {count} of {total} documents", quoted(key));
            return (Holds::Type(kind), None, Some(why));
        }
    }
    for separator in [None, Some(",")] {
        if let Some(Set { values, slips, long }) = set(said, separator) {
            let listed: Vec<String> =
                values.iter().map(|(value, count)| format!("{} {count}", quoted(value))).collect();
            let how =
                separator.map_or(String::new(), |mark| format!(", separated by {}", quoted(mark)));
            let mut why =
                format!("{} has {} values{how}: {}", quoted(key), values.len(), listed.join(", "));
            for (slip, meant) in slips {
                let (slip, meant) = (quoted(&slip), quoted(&meant));
                why.push_str(&format!("; {slip} was taken for a slip of {meant}"));
            }
            if long > 0 {
                why.push_str(&format!("; {long} longer texts were left out"));
            }
            return (Holds::Set(values), separator, Some(why));
        }
    }
    let texts = said.iter().filter(|said| matches!(said, Said::Text(..))).count();
    let holds = if texts == total { Holds::Type("string") } else { Holds::Anything };
    (holds, None, None)
}

/// A closed set.
struct Set {
    /// Its values, with how often they come.
    values: Vec<(String, usize)>,
    /// What was left out as a slip, and of what.
    slips: Vec<(String, String)>,
    /// How many texts were left out as too long.
    long: usize,
}

fn set(said: &[&Said], separator: Option<&str>) -> Option<Set> {
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    let mut total = 0;
    let mut long = 0;
    let mut is_split = false;
    for said in said {
        let items: Vec<&str> = match (said, separator) {
            (Said::Text(text, _), Some(separator)) => text.split(separator).collect(),
            (Said::Text(text, _), None) => vec![text],
            (Said::List(items), None) => items.iter().map(String::as_str).collect(),
            (Said::Nothing, _) => Vec::new(),
            _ => return None,
        };
        is_split |= separator.is_some() && items.len() > 1;
        for item in items.into_iter().map(str::trim).filter(|item| !item.is_empty()) {
            total += 1;
            if item.starts_with('$') {
                return None;
            }
            if item.len() > VALUE_LIMIT || item.contains(char::is_control) {
                long += 1;
            } else {
                *counts.entry(item).or_default() += 1;
            }
        }
        // One over the limit may be a slip; many more are no set.
        if counts.len() > 2 * SET_LIMIT {
            return None;
        }
    }
    if separator.is_some() && !is_split {
        return None;
    }
    let often: Vec<&str> =
        counts.iter().filter(|(_, count)| **count >= 10).map(|(value, _)| *value).collect();
    let slip = |value: &str, count: usize| {
        (count == 1).then(|| nearest(value, often.iter().copied())).flatten()
    };
    let mut values = Vec::new();
    let mut slips = Vec::new();
    for (value, count) in counts {
        match slip(value, count) {
            Some(meant) => slips.push((value.to_owned(), meant.to_owned())),
            None => values.push((value.to_owned(), count)),
        }
    }
    values.sort_by(|a, b| b.1.cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
    let small = (1..=SET_LIMIT).contains(&values.len());
    let comes_again = total >= 8 && values.len() * REPEATS <= total;
    let nearly_all = (total - long) * 100 >= total * NEARLY;
    (small && comes_again && nearly_all).then_some(Set { values, slips, long })
}

/// What a facet is for, where the name of its key leaves no doubt.
fn role(key: &str, holds: &Holds) -> Option<&'static str> {
    let name = key.to_lowercase().replace(['-', ' '], "_");
    match (name.as_str(), holds) {
        (
            "created" | "created_at" | "created_on" | "creation_date" | "date_created",
            Holds::Type("date"),
        ) => Some("created"),
        ("title" | "name", Holds::Type("string")) => Some("name"),
        ("description" | "summary" | "abstract", Holds::Type("string")) => Some("scent"),
        (_, Holds::Set(values)) => {
            let values: Vec<String> = values.iter().map(|(value, _)| value.clone()).collect();
            states::guess(key, &values).map(|_| "state")
        }
        _ => None,
    }
}

impl Facet {
    /// The states of the lifecycle that it holds, with their standings.
    pub(crate) fn states(&self) -> Option<(Vec<String>, Vec<states::Standing>)> {
        let Holds::Set(values) = &self.holds else { return None };
        let values: Vec<String> = values.iter().map(|(value, _)| value.clone()).collect();
        let standings = states::guess(&self.key, &values).filter(|_| self.role == Some("state"))?;
        Some((values, standings))
    }

    /// The binding of its key, where that is not its name.
    pub(crate) fn binding(&self) -> Option<(String, Tree)> {
        (self.key != self.name)
            .then(|| (self.name.clone(), map([("key", text(self.key.as_str()))])))
    }

    /// Its declaration.
    pub(crate) fn tree(&self) -> Tree {
        let mut declared = Vec::new();
        declared.extend(self.role.map(|role| ("role", text(role))));
        match (&self.holds, self.states()) {
            (Holds::Set(_), Some((values, standings))) => {
                declared.push(("values", states::values(&values, &standings)));
            }
            (Holds::Set(values), None) => {
                declared.push(("values", texts(values.iter().map(|(value, _)| value.as_str()))));
            }
            (Holds::Type(kind), _) => declared.push(("type", text(*kind))),
            (Holds::Anything, _) => {}
        }
        let fixed = matches!(self.role, Some("created" | "name"));
        declared.push(("volatility", text(if fixed { "stable" } else { "mutable" })));
        if let Holds::Set(values) = &self.holds {
            let guidance = values.iter().map(|(value, count)| {
                let documents = if *count == 1 { "document" } else { "documents" };
                (
                    value.clone(),
                    text(format!("say when to write it; {count} {documents} did at first")),
                )
            });
            declared.push(("guidance", map(guidance)));
        }
        map(declared)
    }
}
