//! What a rule says: that a target passes, that it is not to be judged and why, or what is wrong with
//! it, where, what to do, and, where one correct outcome exists, the patch that does it.

use std::borrow::Cow;

use headwater_taxonomy::model::Severity;
use markdown::{Position, Span};
use serde::{Deserialize, Serialize};

use crate::escape::Escape;

/// Where a finding stands. Line 0 is the file as a whole.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Place {
    /// The path below the repository root.
    pub path: String,
    /// The line, from 1; 0 for the whole file.
    pub line: usize,
    /// The column in Unicode scalar values, from 1; 0 for the whole file.
    pub column: usize,
    /// How many scalar values of that line the finding is about; 0 where that is not known.
    pub width: usize,
}

impl Place {
    /// A file as a whole.
    #[must_use]
    pub fn file(path: &str) -> Self {
        Self { path: path.to_owned(), line: 0, column: 0, width: 0 }
    }

    /// A span of a file, whose first line it stands on.
    pub(crate) fn at(path: &str, source: &str, span: Span, position: Position) -> Self {
        let first = span.of(source).lines().next().unwrap_or_default();
        let Position { line, column } = position;
        Self { path: path.to_owned(), line, column, width: first.trim_end().chars().count() }
    }
}

/// One facet value to be rewritten.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FacetChange {
    /// The facet.
    pub facet: String,
    /// The value that stands there.
    pub expected: String,
    /// The value to write.
    pub value: String,
}

/// A correction that needs no judgment.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Patch {
    /// A range of bytes of one body.
    Text {
        /// The file.
        path: String,
        /// The first byte.
        start: usize,
        /// One past the last byte.
        end: usize,
        /// What stands there.
        expected: String,
        /// What is to stand there.
        replacement: String,
    },
    /// One half of an edge.
    Half {
        /// The document to write it in.
        path: String,
        /// The name to write it under.
        relation: String,
        /// The target.
        target: String,
        /// Attributes of the entry.
        attributes: Vec<(String, String)>,
    },
    /// A file that does not exist.
    Create {
        /// Its path.
        path: String,
        /// What it holds.
        contents: String,
    },
    /// Facet values of one document, all or none.
    Facets {
        /// The document.
        path: String,
        /// The values.
        changes: Vec<FacetChange>,
    },
}

/// One thing that a rule found wrong.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Defect {
    /// How much it weighs.
    #[serde(with = "severity_word")]
    pub severity: Severity,
    /// Where it stands.
    pub place: Place,
    /// What is wrong, in one sentence.
    pub message: String,
    /// What to do, in one sentence.
    pub remedy: String,
    /// The correction, where there is exactly one.
    pub patch: Option<Patch>,
}

impl Defect {
    /// A defect of a severity.
    pub fn new(
        severity: Severity,
        place: Place,
        message: impl Into<String>,
        remedy: impl Into<String>,
    ) -> Self {
        Self { severity, place, message: message.into(), remedy: remedy.into(), patch: None }
    }

    /// One that fails a strict run.
    pub fn error(place: Place, message: impl Into<String>, remedy: impl Into<String>) -> Self {
        Self::new(Severity::Error, place, message, remedy)
    }

    /// One that never fails a run.
    pub fn warn(place: Place, message: impl Into<String>, remedy: impl Into<String>) -> Self {
        Self::new(Severity::Warn, place, message, remedy)
    }

    /// A note.
    pub fn info(place: Place, message: impl Into<String>, remedy: impl Into<String>) -> Self {
        Self::new(Severity::Info, place, message, remedy)
    }

    /// The same with a patch, where there is one.
    #[must_use]
    pub fn patched(mut self, patch: Option<Patch>) -> Self {
        self.patch = patch;
        self
    }
}

mod severity_word {
    use headwater_taxonomy::model::Severity;
    use serde::de::Error as _;
    use serde::{Deserialize, Deserializer, Serializer};

    pub fn serialize<S: Serializer>(severity: &Severity, to: S) -> Result<S::Ok, S::Error> {
        to.serialize_str(severity.word())
    }

    pub fn deserialize<'d, D: Deserializer<'d>>(from: D) -> Result<Severity, D::Error> {
        let word = String::deserialize(from)?;
        Severity::parse(&word).ok_or_else(|| D::Error::custom("no severity"))
    }
}

/// What an instance came to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// Nothing is wrong.
    Pass,
    /// What is wrong; never empty.
    Fail(Vec<Defect>),
    /// It was not judged, and why.
    Skip(Cow<'static, str>),
}

impl Outcome {
    /// Fails with the defects, or passes where there are none.
    #[must_use]
    pub fn of(defects: Vec<Defect>) -> Self {
        if defects.is_empty() { Self::Pass } else { Self::Fail(defects) }
    }

    /// Fails with one defect.
    #[must_use]
    pub fn fail(defect: Defect) -> Self {
        Self::Fail(vec![defect])
    }

    /// Skips.
    pub fn skip(reason: impl Into<Cow<'static, str>>) -> Self {
        Self::Skip(reason.into())
    }
}

/// A defect as the run reports it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// The rule.
    pub rule: &'static str,
    /// The one obligation that the controls of the rule discharge.
    pub obligation: Option<String>,
    /// What the rule said.
    pub defect: Defect,
    /// What keeps it from being live.
    pub escape: Option<Escape>,
}

impl Finding {
    /// What findings are sorted by: path, line, column, rule, message.
    #[must_use]
    pub fn order(&self) -> (&str, usize, usize, &str, &str) {
        let Place { path, line, column, .. } = &self.defect.place;
        (path, *line, *column, self.rule, &self.defect.message)
    }

    /// Whether neither a task of adoption holds it nor a directive hides it.
    #[must_use]
    pub const fn is_live(&self) -> bool {
        self.escape.is_none()
    }

    /// Whether a patch rides with it.
    #[must_use]
    pub fn is_fixable(&self) -> bool {
        self.defect.patch.is_some()
    }
}
