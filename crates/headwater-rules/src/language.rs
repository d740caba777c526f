//! The language regime that documents of a kind, or files outside the corpus, are held to.

use headwater_check::headwater_taxonomy::model::Language;
use headwater_check::{Kind, Taxonomy};

/// The regime of a kind and its name.
pub(crate) fn of_kind<'t>(
    taxonomy: &'t Taxonomy,
    kind: &'t Kind,
) -> Option<(&'t str, &'t Language)> {
    let name = kind.language.as_deref()?;
    Some((name, taxonomy.regimes.language.get(name)?))
}

/// The regime of a name, with it.
pub(crate) fn named<'t>(taxonomy: &'t Taxonomy, name: &'t str) -> Option<(&'t str, &'t Language)> {
    Some((name, taxonomy.regimes.language.get(name)?))
}
