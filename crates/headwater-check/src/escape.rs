//! Why a finding is not live: a task of adoption holds it, or a directive hides it. Nothing is both; a
//! task comes first (checks §6.5). An escaped finding stays in every report and fails no run.

use std::fmt;

use crate::date::Date;

/// What keeps a finding from being live.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Escape {
    /// An adoption task in force holds it.
    Pending(Held),
    /// A suppression directive in force hides it.
    Suppressed(Hidden),
}

/// The task that holds a finding.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Held {
    /// Its identifier.
    pub task: String,
    /// Who owes the work.
    pub owner: String,
    /// The last day on which it holds.
    pub until: Date,
}

/// The directive that hides a finding.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Hidden {
    /// The document that it stands in.
    pub path: String,
    /// Its line.
    pub line: usize,
    /// Why the finding may stay.
    pub reason: Reason,
    /// The last day on which it hides.
    pub until: Date,
    /// What its author added.
    pub note: Option<String>,
}

/// Why a finding may stay.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Reason {
    /// The rule is wrong here.
    FalsePositive,
    /// The rule is right, and the text stays.
    AcceptedDeviation,
}

impl Reason {
    /// Every reason.
    pub const ALL: [Self; 2] = [Self::FalsePositive, Self::AcceptedDeviation];

    /// Its word.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            Self::FalsePositive => "false_positive",
            Self::AcceptedDeviation => "accepted_deviation",
        }
    }
}

impl Escape {
    /// The word of reports for the escape of a finding, `none` for a live one.
    #[must_use]
    pub const fn word(escape: Option<&Self>) -> &'static str {
        match escape {
            None => "none",
            Some(Self::Pending(_)) => "migration-pending",
            Some(Self::Suppressed(_)) => "suppression",
        }
    }
}

impl fmt::Display for Escape {
    /// Who holds or hides it, as a part of a sentence. It shows what authors wrote as they wrote it.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Pending(Held { task, owner, until }) => {
                write!(f, "held by {task} ({owner}) until {until}")
            }
            Self::Suppressed(Hidden { path, line, reason, until, note }) => {
                write!(f, "hidden by {path}:{line} ({}) until {until}", reason.word())?;
                note.iter().try_for_each(|note| write!(f, ": {note}"))
            }
        }
    }
}
