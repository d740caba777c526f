//! The rules that the run itself reports. They have no instance, so they are in no cache and in no
//! coverage, and the taxonomy or the census is what they are about (checks §1.6).

use crate::about::{About, Grain, Origin};

/// The rule that says what was not judged.
pub const COVERAGE: &str = "coverage.document_unchecked";
pub(crate) const DISPOSITION_NOT_ONE: &str = "obligation.disposition.not_one";
pub(crate) const MECHANISM_UNIMPLEMENTED: &str = "control.mechanism.unimplemented";
pub(crate) const OBSERVATION_INVALID: &str = "control.observation.invalid";
pub(crate) const ADOPTION_EXPIRED: &str = "adoption.task.expired";
pub(crate) const OUTSIDE_REFUSED: &str = "language.outside_root.refused";
pub(crate) const PIN_DIVERGED: &str = "taxonomy.pin.diverged";
pub(crate) const HARVEST_UNREAD: &str = "harvest.pin.unread";
pub(crate) const IMPORT_UNREAD: &str = "import.pin.unread";

macro_rules! rule {
    ($id:ident, $page:literal, $edition:literal, $grain:ident) => {{
        const PAGE: &str = include_str!(concat!("../../../docs/rules/", $page, ".md"));
        (About::new($id, $edition, Origin::Runner, PAGE), Grain::$grain)
    }};
}

/// Every rule of the runner, in the order of reports, with the grain that it is reported with.
pub(crate) fn runner_rules() -> [(About, Grain); 9] {
    [
        rule!(COVERAGE, "coverage.document_unchecked", 2, Corpus),
        rule!(DISPOSITION_NOT_ONE, "obligation.disposition.not_one", 1, Taxonomy),
        rule!(MECHANISM_UNIMPLEMENTED, "control.mechanism.unimplemented", 1, Taxonomy),
        rule!(OBSERVATION_INVALID, "control.observation.invalid", 2, Taxonomy),
        rule!(ADOPTION_EXPIRED, "adoption.task.expired", 1, Taxonomy),
        rule!(OUTSIDE_REFUSED, "language.outside_root.refused", 1, Taxonomy),
        rule!(PIN_DIVERGED, "taxonomy.pin.diverged", 1, Taxonomy),
        rule!(HARVEST_UNREAD, "harvest.pin.unread", 1, Taxonomy),
        rule!(IMPORT_UNREAD, "import.pin.unread", 1, Taxonomy),
    ]
}
