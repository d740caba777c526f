//! The warrant of a document, `provenance.warrant`: on whose word it stands. The set is closed and the
//! engine's own.

use headwater_check::FrontMatter;
use headwater_check::markdown::Span;
use headwater_check::markdown::yaml::Node;

/// Every warrant.
pub(crate) const WARRANTS: [&str; 4] = ["accepted", "regenerated", "transcribed", "asserted"];

/// Why a document without one is not judged.
pub(crate) const NONE: &str = "no warrant is written under `provenance`";

/// The key and the value of the warrant; none where it is absent or null.
pub(crate) fn written<'v>(matter: FrontMatter<'v>) -> Option<(Span, &'v Node)> {
    let entry = matter.provenance("warrant")?;
    (!entry.value.is_null()).then_some((entry.key_span, &entry.value))
}
