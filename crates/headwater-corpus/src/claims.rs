//! The identifier claim store, `.headwater/ids/<scheme>/<identifier>`: one file for each identifier
//! that was ever minted, so that two branches which mint one conflict (model §1.6).

use std::collections::HashSet;
use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use crate::digest::Digest;
use crate::read::read_file;

/// Where the store is, below the repository root. Read sets name it so.
pub const CLAIMS_PATH: &str = ".headwater/ids";

/// The largest claim that is read, in bytes; a claim is one path.
const CLAIM_LIMIT: u64 = 64 * 1024;

/// One claim.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Claim {
    /// The identifier scheme.
    pub scheme: String,
    /// The identifier.
    pub identifier: String,
    /// The path of the document that minted it, trimmed; empty where the file could not be read.
    /// None for what is no regular file, which is never opened.
    pub claimant: Option<String>,
}

impl Claim {
    /// The path of its file, below the repository root.
    #[must_use]
    pub fn path(&self) -> String {
        format!("{CLAIMS_PATH}/{}/{}", self.scheme, self.identifier)
    }
}

/// The claim store.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Claims {
    claims: Vec<Claim>,
    identifiers: HashSet<String>,
}

impl Claims {
    /// Reads the store of a repository. An absent store is an empty one.
    #[must_use]
    pub fn read(root: &Path) -> Self {
        let mut claims = Vec::new();
        for scheme in names(&root.join(CLAIMS_PATH), true) {
            let directory = root.join(CLAIMS_PATH).join(&scheme);
            for identifier in names(&directory, false) {
                let path = directory.join(&identifier);
                let regular = fs::symlink_metadata(&path).is_ok_and(|about| about.is_file());
                let first = |bytes: Vec<u8>| {
                    let text = String::from_utf8(bytes).unwrap_or_default();
                    text.lines().next().unwrap_or_default().trim().to_owned()
                };
                let claimant =
                    regular.then(|| read_file(&path, CLAIM_LIMIT).map(first).unwrap_or_default());
                claims.push(Claim { scheme: scheme.clone(), identifier, claimant });
            }
        }
        let identifiers = claims.iter().map(|claim| claim.identifier.clone()).collect();
        Self { claims, identifiers }
    }

    /// The claims, by scheme and identifier.
    #[must_use]
    pub fn all(&self) -> &[Claim] {
        &self.claims
    }

    /// The claim of an identifier in a scheme.
    #[must_use]
    pub fn get(&self, scheme: &str, identifier: &str) -> Option<&Claim> {
        let key = (scheme, identifier);
        let at = self
            .claims
            .binary_search_by(|claim| (claim.scheme.as_str(), claim.identifier.as_str()).cmp(&key));
        at.ok().and_then(|at| self.claims.get(at))
    }

    /// Whether any scheme claims an identifier.
    #[must_use]
    pub fn holds(&self, identifier: &str) -> bool {
        self.identifiers.contains(identifier)
    }

    /// The digest of the store, which joins read sets and keys.
    #[must_use]
    pub fn digest(&self) -> Digest {
        let mut text = String::new();
        for Claim { scheme, identifier, claimant } in &self.claims {
            // Writing to a text cannot fail.
            let _ = match claimant {
                Some(path) => writeln!(text, "{scheme}/{identifier} {} {path}", path.len()),
                None => writeln!(text, "{scheme}/{identifier} -"),
            };
        }
        Digest::of(text.as_bytes())
    }
}

/// The names in a directory that are directories, or that are not, sorted.
fn names(directory: &Path, directories: bool) -> Vec<String> {
    let mut names: Vec<String> = fs::read_dir(directory)
        .into_iter()
        .flatten()
        .flatten()
        .filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_dir() == directories))
        .filter_map(|entry| entry.file_name().into_string().ok())
        .collect();
    names.sort_unstable();
    names
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_claim_past_the_limit_has_no_claimant() {
        let root = tempfile::tempdir().unwrap();
        let directory = root.path().join(CLAIMS_PATH).join("s");
        fs::create_dir_all(&directory).unwrap();
        let limit = usize::try_from(CLAIM_LIMIT).unwrap();
        fs::write(directory.join("X-1"), "a".repeat(limit)).unwrap();
        fs::write(directory.join("X-2"), "a".repeat(limit + 1)).unwrap();
        let claims = Claims::read(root.path());
        let lengths: Vec<_> =
            claims.all().iter().map(|claim| claim.claimant.as_ref().unwrap().len()).collect();
        assert_eq!(lengths, [limit, 0]);
    }

    #[test]
    fn claims_are_one_level_down_and_their_digest_is_of_the_listing() {
        let root = tempfile::tempdir().unwrap();
        assert_eq!(Claims::read(root.path()).digest(), Digest::of(b""));
        let at = |path: &str| root.path().join(CLAIMS_PATH).join(path);
        fs::create_dir_all(at("b_id/deep")).unwrap();
        fs::create_dir_all(at("a_id")).unwrap();
        for (path, text) in [
            ("b_id/X-2", &b"docs/x.md \nmore\n"[..]),
            ("b_id/deep/X-9", b"docs/x.md\n"),
            ("a_id/X-1", b""),
            ("a_id/X-3", b"\xff\n"),
            ("loose", b"docs/y.md\n"),
        ] {
            fs::write(at(path), text).unwrap();
        }
        #[cfg(unix)]
        std::os::unix::net::UnixListener::bind(at("b_id/X-4")).unwrap();
        let claims = Claims::read(root.path());
        let listing = "a_id/X-1 0 \na_id/X-3 0 \nb_id/X-2 9 docs/x.md\nb_id/X-4 -\n";
        assert_eq!(claims.digest(), Digest::of(listing.as_bytes()));
        assert!(claims.holds("X-2") && !claims.holds("X-9"));
        assert_eq!(claims.get("b_id", "X-2").unwrap().claimant.as_deref(), Some("docs/x.md"));
        assert_eq!(claims.get("a_id", "X-2"), None);
        assert_eq!(claims.get("b_id", "X-4").unwrap().path(), ".headwater/ids/b_id/X-4");
    }
}
