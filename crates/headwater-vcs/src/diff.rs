//! What `git diff --raw -z` and `git ls-files -z` say, as what stood at each path below a root.

use std::collections::BTreeMap;

use crate::Refusal;

/// The mode of what is not there.
const NOTHING: &str = "000000";
/// The mode of a commit of another repository, which has no bytes here.
const GITLINK: &str = "160000";

/// What stood at a path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Stood {
    /// The path below the root.
    pub path: String,
    was: Was,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Was {
    Nothing,
    Blob(String),
    Gitlink(String),
    /// To be looked up, at this path from the top of the work tree: a merge is under way.
    Unmerged(String),
}

impl Stood {
    /// What git is asked for the bytes; none where there are none to ask for.
    pub(crate) fn object(&self, base: &str) -> Option<String> {
        match &self.was {
            Was::Blob(name) => Some(name.clone()),
            Was::Unmerged(path) => Some(format!("{base}:{path}")),
            Was::Nothing | Was::Gitlink(_) => None,
        }
    }

    /// What stands for the bytes of a submodule: the words that git itself has for it.
    pub(crate) fn gitlink(&self) -> Option<String> {
        match &self.was {
            Was::Gitlink(commit) => Some(format!("Subproject commit {commit}\n")),
            _ => None,
        }
    }

    pub(crate) fn is_unmerged(&self) -> bool {
        matches!(self.was, Was::Unmerged(_))
    }
}

/// Reads raw differences: what stood at each path. Paths outside `prefix` are passed over, the others are
/// told from there.
pub(crate) fn parse(raw: &[u8], prefix: &[u8]) -> Result<BTreeMap<String, Stood>, Refusal> {
    let mut changed: BTreeMap<String, Stood> = BTreeMap::new();
    let mut fields = raw.split(|byte| *byte == 0).filter(|field| !field.is_empty());
    while let Some(head) = fields.next() {
        let head = String::from_utf8_lossy(head);
        let words: Vec<&str> = head.trim_start_matches(':').split(' ').collect();
        let (&[old_mode, _, old_name, _, status], Some(first)) = (words.as_slice(), fields.next())
        else {
            return Err(Refusal::new(
                "`git diff` said what this program does not understand; report it with `git --version`",
            ));
        };
        let moved = status.starts_with(['R', 'C']);
        let second = if moved { fields.next() } else { None };
        let new = second.unwrap_or(first);
        let at = match new.strip_prefix(prefix) {
            Some(path) => path,
            // What was moved out of the root is gone from it.
            None if status.starts_with('R') => match first.strip_prefix(prefix) {
                Some(path) => path,
                None => continue,
            },
            None => continue,
        };
        let path = held(at)?;
        let was = match old_mode {
            _ if status == "U" => Was::Unmerged(held(first)?),
            NOTHING => Was::Nothing,
            GITLINK => Was::Gitlink(old_name.to_owned()),
            _ => Was::Blob(old_name.to_owned()),
        };
        // An unmerged path is told twice, and only one of the two knows what stood there.
        let known = changed.get(&path).is_some_and(|stood| !stood.is_unmerged());
        if !known || status != "U" {
            changed.insert(path.clone(), Stood { path, was });
        }
    }
    Ok(changed)
}

/// Reads a list of paths.
pub(crate) fn untracked(listed: &[u8]) -> Result<Vec<String>, Refusal> {
    listed.split(|byte| *byte == 0).filter(|path| !path.is_empty()).map(held).collect()
}

/// A path that a manifest can hold.
fn held(path: &[u8]) -> Result<String, Refusal> {
    let text = std::str::from_utf8(path).ok().filter(|text| !text.contains(['\t', '\n']));
    text.map(str::to_owned).ok_or_else(|| {
        Refusal::new(format!(
            "the path `{}` holds a tab or a line break or is no UTF-8, so no manifest can name it; rename the file",
            String::from_utf8_lossy(path)
        ))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const A: &str = "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa";

    fn read(raw: &str, prefix: &str) -> Vec<(String, Was)> {
        let changed = parse(raw.replace('|', "\0").as_bytes(), prefix.as_bytes()).unwrap();
        changed.into_values().map(|stood| (stood.path, stood.was)).collect()
    }

    #[test]
    fn every_status_says_what_stood() {
        let raw = format!(
            ":000000 100644 0 0 A|new.md|:100644 000000 {A} 0 D|gone.md|:100644 100644 {A} 0 R087|old.md|moved.md|:100644 120000 {A} 0 T|link.md|:100644 100644 {A} 0 C100|from.md|copy.md|:160000 160000 {A} 0 M|sub|"
        );
        let blob = || Was::Blob(A.to_owned());
        let expected = [
            ("copy.md", blob()),
            ("gone.md", blob()),
            ("link.md", blob()),
            ("moved.md", blob()),
            ("new.md", Was::Nothing),
            ("sub", Was::Gitlink(A.to_owned())),
        ];
        assert_eq!(read(&raw, ""), expected.map(|(path, was)| (path.to_owned(), was)));
    }

    #[test]
    fn a_path_outside_the_root_is_none_and_one_that_left_it_is_gone() {
        let raw = format!(
            ":100644 100644 {A} 0 M|top.md|:100644 100644 {A} 0 R100|a/in.md|out.md|:100644 100644 {A} 0 R100|out2.md|a/came.md|:100644 100644 {A} 0 R100|x.md|y.md|"
        );
        let paths: Vec<String> = read(&raw, "a/").into_iter().map(|(path, _)| path).collect();
        assert_eq!(paths, ["came.md", "in.md"]);
    }

    #[test]
    fn an_unmerged_path_is_looked_up_unless_git_also_knows_it() {
        let unmerged = ":000000 000000 0 0 U|a.md|";
        assert_eq!(read(unmerged, ""), [("a.md".to_owned(), Was::Unmerged("a.md".to_owned()))]);
        let both = format!("{unmerged}:100644 100644 {A} 0 M|a.md|{unmerged}");
        assert_eq!(read(&both, ""), [("a.md".to_owned(), Was::Blob(A.to_owned()))]);
    }

    #[test]
    fn what_a_manifest_cannot_hold_is_refused() {
        for path in ["a\tb", "a\nb"] {
            let raw = format!(":100644 000000 {A} 0 D\0{path}\0");
            assert!(parse(raw.as_bytes(), b"").is_err(), "{path:?}");
            assert!(untracked(path.as_bytes()).is_err());
        }
        assert!(untracked(b"\xff").is_err());
        assert_eq!(untracked(b"a\0b c\0"), Ok(vec!["a".to_owned(), "b c".to_owned()]));
        assert!(parse(b":100644 000000\0x\0", b"").is_err());
    }
}
