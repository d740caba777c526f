//! The register: what the taxonomy owes, which controls discharge it, and where the two do not meet. A
//! projection of two authored blocks, the rules of this engine and the observation snapshot; it reads
//! the declarations and never whether a run passed (checks §6.1, verbs §7).

use std::collections::{BTreeMap, BTreeSet};

use headwater_taxonomy::lock::LOCK_PATH;
use headwater_taxonomy::model::{Control, Disposition as Stated, Taxonomy};
use headwater_taxonomy::yaml::{escaped, shown};

use crate::finding::{Defect, Place};
use crate::observations::{OBSERVATIONS_PATH, Observation, Observations};
use crate::registry::Registry;
use crate::runner_rules::{DISPOSITION_NOT_ONE, MECHANISM_UNIMPLEMENTED, OBSERVATION_INVALID};

/// The phases of a run that a control may name as its mechanism; every run has them.
const PHASES: [&str; 2] = ["census.classification", "runner.coverage_report"];

/// What became of an obligation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Disposition {
    /// A control whose mechanism runs, or was observed, discharges it.
    Verified,
    /// It is stated that nobody checks it yet.
    Gap,
    /// It is stated that nothing can check it.
    Unverifiable,
    /// Neither.
    Undeclared,
}

impl Disposition {
    /// Every disposition, in the order of reports.
    pub const ALL: [Self; 4] = [Self::Verified, Self::Gap, Self::Unverifiable, Self::Undeclared];

    /// Its word.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            Self::Verified => "verified",
            Self::Gap => "gap",
            Self::Unverifiable => "unverifiable",
            Self::Undeclared => "undeclared",
        }
    }
}

/// Whether what a control names happens.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Mechanism {
    /// A rule of this engine.
    Check,
    /// A phase of every run.
    Phase,
    /// Outside the engine, and the snapshot says that it ran.
    Observed,
    /// Outside the engine, and the snapshot does not speak of it.
    Unobserved,
    /// A rule or a phase that this engine does not have.
    Unimplemented,
}

impl Mechanism {
    /// Whether a control with it discharges its obligations.
    #[must_use]
    pub const fn discharges(self) -> bool {
        matches!(self, Self::Check | Self::Phase | Self::Observed)
    }

    /// Its word.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            Self::Check => "check",
            Self::Phase => "phase",
            Self::Observed => "external, observed",
            Self::Unobserved => "external, not observed",
            Self::Unimplemented => "not implemented",
        }
    }

    fn of(control: &Control, id: &str, registry: &Registry, observed: &Observations) -> Self {
        if let Some(rule) = control.rule() {
            return if registry.get(rule).is_some() { Self::Check } else { Self::Unimplemented };
        }
        if let Some(phase) = control.mechanism.strip_prefix("phase:") {
            return if PHASES.contains(&phase) { Self::Phase } else { Self::Unimplemented };
        }
        match observed.get(id) {
            Some(Observation::Control { .. }) => Self::Observed,
            _ => Self::Unobserved,
        }
    }
}

/// An obligation in the register.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Owed {
    /// Its identifier, under which the taxonomy says the rest.
    pub id: String,
    /// What became of it.
    pub disposition: Disposition,
    /// The controls that name it, in declared order.
    pub controls: Vec<String>,
}

/// The register of a run.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Register {
    /// The obligations, in declared order.
    pub obligations: Vec<Owed>,
    /// The controls, in declared order, each with what became of its mechanism.
    pub controls: Vec<(String, Mechanism)>,
}

impl Register {
    /// The register of a taxonomy, and what is wrong with its two blocks and the snapshot.
    pub(crate) fn of(
        taxonomy: &Taxonomy,
        registry: &Registry,
        observed: &Observations,
    ) -> (Self, Vec<(&'static str, Defect)>) {
        let mechanism = |(id, control): (&str, &Control)| {
            (id.to_owned(), Mechanism::of(control, id, registry, observed))
        };
        let controls: Vec<(String, Mechanism)> = taxonomy.controls.iter().map(mechanism).collect();
        let mut named: BTreeMap<&str, Vec<(&str, Mechanism)>> = BTreeMap::new();
        for ((id, control), (_, mechanism)) in taxonomy.controls.iter().zip(&controls) {
            for obligation in control.discharges.iter().collect::<BTreeSet<_>>() {
                named.entry(obligation).or_default().push((id, *mechanism));
            }
        }
        let mut defects = Vec::new();
        let mut obligations = Vec::new();
        for (id, obligation) in taxonomy.obligations.iter() {
            let controls = named.get(id).map_or(&[][..], Vec::as_slice);
            let stated = obligation.disposition.as_ref();
            let disposition = match stated {
                _ if controls.iter().any(|(_, mechanism)| mechanism.discharges()) => {
                    Disposition::Verified
                }
                Some(Stated::Gap { .. }) => Disposition::Gap,
                Some(Stated::Unverifiable { .. }) => Disposition::Unverifiable,
                None => Disposition::Undeclared,
            };
            let defect = not_one(id, disposition, stated, controls);
            defects.extend(defect.map(|defect| (DISPOSITION_NOT_ONE, defect)));
            let controls = controls.iter().map(|(control, _)| (*control).to_owned()).collect();
            obligations.push(Owed { id: id.to_owned(), disposition, controls });
        }
        let unimplemented = taxonomy.controls.iter().zip(&controls);
        let unimplemented =
            unimplemented.filter(|(_, (_, mechanism))| *mechanism == Mechanism::Unimplemented).map(
                |((id, control), _)| (MECHANISM_UNIMPLEMENTED, no_mechanism(id, control, registry)),
            );
        defects.extend(unimplemented);
        let invalid = invalid(taxonomy, observed);
        defects.extend(invalid.into_iter().map(|defect| (OBSERVATION_INVALID, defect)));
        (Self { obligations, controls }, defects)
    }

    /// Whether the taxonomy declares neither obligations nor controls.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.obligations.is_empty() && self.controls.is_empty()
    }

    /// How many obligations have a disposition.
    #[must_use]
    pub fn count(&self, disposition: Disposition) -> usize {
        self.obligations.iter().filter(|owed| owed.disposition == disposition).count()
    }
}

/// The obligations that the controls of each rule discharge. A finding is of the obligation of its rule
/// where there is exactly one.
pub(crate) fn bound(taxonomy: &Taxonomy) -> BTreeMap<&str, BTreeSet<String>> {
    let mut bound: BTreeMap<&str, BTreeSet<String>> = BTreeMap::new();
    for control in taxonomy.controls.values() {
        if let Some(rule) = control.rule() {
            bound.entry(rule).or_default().extend(control.discharges.iter().cloned());
        }
    }
    bound
}

fn warn(message: String, remedy: impl Into<String>) -> Defect {
    Defect::warn(Place::file(LOCK_PATH), message, remedy)
}

fn not_one(
    id: &str,
    disposition: Disposition,
    stated: Option<&Stated>,
    controls: &[(&str, Mechanism)],
) -> Option<Defect> {
    let id = shown(id);
    match (disposition, stated) {
        (Disposition::Undeclared, _) => {
            let why = match controls {
                [] => "no control names it".to_owned(),
                controls => {
                    let why = controls.iter().map(|(control, mechanism)| {
                        format!("`{}` is {}", shown(control), mechanism.word())
                    });
                    why.collect::<Vec<_>>().join(", ")
                }
            };
            Some(warn(
                format!(
                    "nothing says whether the obligation `{id}` is kept: {why}, and it states no disposition"
                ),
                "give it a control whose mechanism runs or was observed, or state `disposition: {gap: …}` or `{unverifiable: …}`",
            ))
        }
        (Disposition::Verified, Some(stated)) => {
            let word = match stated {
                Stated::Gap { .. } => "a gap",
                Stated::Unverifiable { .. } => "unverifiable",
            };
            let by = controls.iter().filter(|(_, mechanism)| mechanism.discharges());
            let by: Vec<String> = by.map(|(control, _)| format!("`{}`", shown(control))).collect();
            Some(warn(
                format!(
                    "the obligation `{id}` states that it is {word}, and {} discharges it",
                    by.join(", ")
                ),
                "remove the disposition, or take the obligation out of the control",
            ))
        }
        _ => None,
    }
}

fn no_mechanism(id: &str, control: &Control, registry: &Registry) -> Defect {
    let what = match control.rule() {
        Some(rule) => format!("a rule that this engine does not have{}", registry.meant(rule)),
        None => format!("a phase that no run has, but {}", PHASES.join(" and ")),
    };
    warn(
        format!(
            "the control `{}` discharges nothing: `{}` names {what}",
            shown(id),
            shown(&control.mechanism)
        ),
        "name a mechanism that this engine has, or one outside it that the observations speak of",
    )
}

/// The problems of the snapshot: the file as a whole, its entries, and controls that nobody declares.
fn invalid(taxonomy: &Taxonomy, observed: &Observations) -> Vec<Defect> {
    let whole = observed.problems().iter().map(|problem| {
        warn(
            format!(
                "`{OBSERVATIONS_PATH}` is read as if it held nothing, so all that it would name is unobserved: {}",
                escaped(problem)
            ),
            "mend the file, or remove it",
        )
    });
    let entries = observed.entries().filter_map(|(identifier, entry)| {
        let id = shown(identifier);
        match entry {
            Observation::Bad(why) => Some(warn(
                format!("the entry `{id}` of `{OBSERVATIONS_PATH}` observes nothing: {why}"),
                "mend the entry, or remove it",
            )),
            Observation::Control { .. } if taxonomy.controls.contains(identifier) => None,
            Observation::Control { stated: true } => Some(warn(
                format!(
                    "the entry `{id}` of `{OBSERVATIONS_PATH}` observes nothing: no control has that identifier"
                ),
                "correct the identifier, or remove the entry",
            )),
            Observation::Control { stated: false } => Some(warn(
                format!(
                    "the entry `{id}` of `{OBSERVATIONS_PATH}` observes nothing: it is read as a control for want of `kind: verification`, and no control has that identifier"
                ),
                "add `kind: verification` where it is the observation of a document, or correct the identifier",
            )),
            Observation::Verification(_) => None,
        }
    });
    whole.chain(entries).collect()
}
