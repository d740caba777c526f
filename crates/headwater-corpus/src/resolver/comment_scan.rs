//! The resolver `comment-scan`: a source file whose comments cite the document that names it is an
//! anchor, so that each side can be found from the other (model §6.4).

use std::collections::{BTreeSet, HashMap};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use headwater_taxonomy::path::normalize;

use super::comments::comments;
use super::{Member, MemberKind, Resolution, Resolved, Resolver, Revision};
use crate::claims::Claims;
use crate::read::{DOCUMENT_LIMIT, read_file};

/// The name of the resolver.
pub(crate) const NAME: &str = "comment-scan";

/// The citations of a file, or why it has none.
type Cited = Result<BTreeSet<String>, String>;

pub(crate) struct CommentScan {
    root: PathBuf,
    /// What an identifier that may be cited begins with.
    prefix: String,
    claims: Arc<Claims>,
    files: Mutex<HashMap<String, Arc<Cited>>>,
}

impl CommentScan {
    pub(crate) fn new(root: &Path, prefix: &str, claims: Arc<Claims>) -> Self {
        Self { root: root.to_owned(), prefix: prefix.to_owned(), claims, files: Mutex::default() }
    }

    fn cited(&self, path: &str) -> Arc<Cited> {
        let mut files = self.files.lock().unwrap_or_else(PoisonError::into_inner);
        let read = || {
            let bytes = read_file(&self.root.join(path), DOCUMENT_LIMIT)
                .map_err(|failure| format!("`{path}` cannot be read: {}", failure.sentence()))?;
            let source =
                String::from_utf8(bytes).map_err(|_| format!("`{path}` is not UTF-8 text"))?;
            Ok(tokens(&source, &self.prefix))
        };
        Arc::clone(files.entry(path.to_owned()).or_insert_with(|| Arc::new(read())))
    }
}

/// The tokens in comments that begin with the prefix.
fn tokens(source: &str, prefix: &str) -> BTreeSet<String> {
    comments(source)
        .into_iter()
        .flat_map(|comment| comment.split(|c: char| !(c.is_ascii_alphanumeric() || c == '-')))
        .map(|token| token.trim_end_matches('-'))
        .filter(|token| !token.is_empty() && token.starts_with(prefix))
        .map(str::to_owned)
        .collect()
}

impl Resolver for CommentScan {
    fn name(&self) -> &str {
        NAME
    }

    fn resolve(&self, raw: &str, asserter: &str) -> Resolution {
        let path = match normalize(raw) {
            Ok(path) => path,
            Err(why) => return Resolution::Unresolved(why.to_string()),
        };
        if !asserter.starts_with(&self.prefix) {
            return Resolution::Unresolved(format!(
                "`{asserter}` does not begin with `{}`, so no comment can cite it",
                self.prefix
            ));
        }
        match self.cited(&path).as_ref() {
            Err(why) => Resolution::Unresolved(why.clone()),
            Ok(tokens) if !tokens.contains(asserter) => {
                Resolution::Unresolved(format!("no comment of `{path}` cites `{asserter}`"))
            }
            Ok(_) if !self.claims.holds(asserter) => Resolution::Unresolved(format!(
                "`{asserter}` is not in the claim store, so a comment that cites it proves nothing"
            )),
            Ok(_) => Resolution::Resolved(Resolved {
                members: vec![Member { path: path.clone(), kind: MemberKind::File }],
                normalized: path,
                ..Resolved::default()
            }),
        }
    }

    fn revision(&self, _parts: &[Resolved]) -> Revision {
        Revision::Never
    }
}
