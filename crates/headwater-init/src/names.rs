//! Names for what is guessed. A declared name is one segment of an address, and keys and folders may be
//! spelled in any way.

use std::collections::BTreeSet;

use headwater_check::headwater_taxonomy::yaml::shown;

use crate::{Failure, refusal, unusable};

/// The longest name of a package, in bytes.
pub const PACKAGE_LIMIT: usize = 100;

/// The name of the package: as given, else made from the corpus root.
pub(crate) fn package(given: Option<&str>, root: &str) -> Result<String, Failure> {
    let Some(given) = given else {
        let last = root.rsplit('/').next().filter(|name| !name.is_empty()).unwrap_or("corpus");
        return Ok(format!("local/{}", spelled(&last.to_lowercase(), "corpus")));
    };
    let plain = |part: &str| {
        !part.is_empty()
            && part.starts_with(|c: char| c.is_ascii_alphanumeric())
            && part.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'.' | b'-'))
    };
    if given.len() <= PACKAGE_LIMIT && given.split('/').count() <= 2 && given.split('/').all(plain)
    {
        return Ok(given.to_owned());
    }
    let what = format!("`{}` is no name of a package", shown(given));
    let next =
        "write --package as owner/name, in letters, digits, `-`, `_` and `.`, of at most 100 bytes";
    Err(unusable(refusal("--package", what, next)))
}

/// A text as a declared name: what cannot stand in one becomes `_`.
pub(crate) fn spelled(text: &str, otherwise: &str) -> String {
    let name: String = text
        .chars()
        .map(|c| if c.is_ascii_alphanumeric() || matches!(c, '_' | '-') { c } else { '_' })
        .take(60)
        .collect();
    if name.bytes().any(|b| b.is_ascii_alphanumeric()) { name } else { otherwise.to_owned() }
}

/// The name of one document of a folder: `decisions` holds a `decision`.
pub(crate) fn singular(folder: &str) -> String {
    let lower = folder.to_lowercase();
    match lower.strip_suffix("ies") {
        Some(stem) if stem.len() > 1 => return format!("{stem}y"),
        _ => {}
    }
    match lower.strip_suffix('s') {
        Some(stem) if stem.len() > 2 && !stem.ends_with(['s', 'u', 'i']) => stem.to_owned(),
        _ => lower,
    }
}

/// Names that were given out, so that no two are equal.
#[derive(Debug, Default)]
pub(crate) struct Taken(BTreeSet<String>);

impl Taken {
    /// The name, with a number behind it where it is taken.
    pub(crate) fn free(&mut self, name: &str) -> String {
        let numbered = (2..).map(|number: usize| format!("{name}_{number}"));
        let free =
            std::iter::once(name.to_owned()).chain(numbered).find(|name| !self.0.contains(name));
        let free = free.unwrap_or_else(|| name.to_owned());
        self.0.insert(free.clone());
        free
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folders_name_what_they_hold() {
        for (folder, kind) in [
            ("decisions", "decision"),
            ("EIPS", "eip"),
            ("policies", "policy"),
            ("process", "process"),
            ("status", "status"),
            ("adr", "adr"),
            ("ies", "ies"),
        ] {
            assert_eq!(singular(folder), kind);
        }
    }

    #[test]
    fn names_are_spelled_and_never_twice() {
        assert_eq!(spelled("kép number.x", "key"), "k_p_number_x");
        assert_eq!(spelled("…", "key"), "key");
        let mut taken = Taken::default();
        assert_eq!([taken.free("a"), taken.free("a"), taken.free("a_2")], ["a", "a_2", "a_2_2"]);
    }

    #[test]
    fn packages_are_named_plainly() {
        assert_eq!(package(None, "my docs/Ünter").unwrap(), "local/_nter");
        assert_eq!(package(None, "").unwrap(), "local/corpus");
        assert_eq!(package(Some("acme/docs"), "x").unwrap(), "acme/docs");
        for bad in ["", "a/b/c", "../x", "a/", "a b", ".a", "a/.."] {
            assert!(package(Some(bad), "x").is_err(), "{bad}");
        }
    }
}
