//! Facet values of one document that are rewritten together, or not at all.

use std::collections::{BTreeMap, BTreeSet};

use headwater_check::FacetChange;
use headwater_check::headwater_taxonomy::yaml::shown;

use crate::entry::{blanks, is_absent};
use crate::file::File;
use crate::scalar::{Within, spelled};
use crate::splice::{Splice, applied};

/// Makes sets of changes, in their order. A set that names a facet that an earlier one of them wrote is
/// left for another run to decide, unless it says the same of all its facets. Gives back how many
/// were made.
pub(crate) fn write(file: &mut File<'_>, sets: &[Vec<FacetChange>]) -> Result<usize, String> {
    let mut chosen: BTreeMap<&str, &FacetChange> = BTreeMap::new();
    let mut made = 0;
    for set in sets {
        let taken = |change: &FacetChange| chosen.get(change.facet.as_str()).copied();
        if set.iter().any(|change| taken(change).is_some_and(|held| held != change)) {
            continue;
        }
        made += 1;
        chosen.extend(set.iter().map(|change| (change.facet.as_str(), change)));
    }
    let document = file.document();
    let source = document.front_matter_source();
    let bindings = document.bindings();
    let mut splices = Vec::new();
    let mut touched = BTreeSet::new();
    for (facet, change) in &chosen {
        let key = bindings.facet_key(facet);
        let name = shown(key);
        let entry = document.entry(key).ok_or_else(|| format!("it has no `{name}` to rewrite"))?;
        let held = entry.value.as_scalar().filter(|scalar| scalar.text == change.expected);
        let Some(held) = held else {
            let expected = shown(&change.expected);
            return Err(format!("`{name}` does not say `{expected}`, which was to be replaced"));
        };
        let between = source.get(entry.key_span.end..entry.value.span.end).unwrap_or_default();
        if between.contains('\n') || is_absent(&entry.value) {
            return Err(format!("the value of `{name}` does not stand alone on its line"));
        }
        blanks(source, entry.key_span)?;
        let text = spelled(&change.value, held.style, Within::Block);
        splices.push(Splice::new(entry.value.span, text));
        touched.insert(key);
    }
    let text = applied(source, splices).ok_or("two corrections meet at one place")?;
    let new = file.parse(text)?;
    file.differs_only_in(&new, &touched)?;
    for (facet, change) in &chosen {
        let read = new.entry(bindings.facet_key(facet)).and_then(|entry| entry.value.text());
        if read != Some(&change.value) {
            let [name, value] = [facet, change.value.as_str()].map(shown);
            return Err(format!("`{name}` would not read as `{value}`"));
        }
    }
    file.take(new);
    Ok(made)
}
