//! Links in prose: where each leads (model §3.9). They are bound when they are first asked for,
//! because binding needs every body parsed.

use std::fs;
use std::path::Path;

use headwater_taxonomy::path::{BadPath, normalize};
use rayon::prelude::*;

use crate::census::Row;
use crate::paths::Paths;

/// Where a link leads.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LinkTarget {
    /// To the document that it stands in.
    SameDocument,
    /// Out of the repository; never read.
    External,
    /// To a file of the corpus: its row.
    Corpus(usize),
    /// To a file or directory of the repository that is no row: its path, empty for the root.
    Repository(String),
    /// To nothing: the path, normalized, not decoded.
    Missing(String),
    /// Above the root of the repository.
    Unnormalizable,
}

/// One link of a body, neither an image nor in a block quotation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProseLink {
    /// The row of the document that it stands in.
    pub row: usize,
    /// Its place among `markdown::Document::links`.
    pub link: usize,
    /// Where it leads.
    pub target: LinkTarget,
}

/// The links of a corpus, in path order of the documents, then in place order.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Links {
    /// Those that are bound.
    pub bound: Vec<ProseLink>,
    /// How many images were passed over.
    pub images: usize,
    /// How many links in block quotations were passed over.
    pub quoted: usize,
}

/// The parts of a destination: the path without its query, and the fragment.
pub(crate) fn split(destination: &str) -> (&str, Option<&str>) {
    let (before, fragment) = match destination.split_once('#') {
        Some((before, fragment)) => (before, Some(fragment)),
        None => (destination, None),
    };
    (before.split_once('?').map_or(before, |(path, _)| path), fragment)
}

/// A text with its percent escapes decoded; none where that changes nothing or gives no UTF-8.
pub fn percent_decoded(text: &str) -> Option<String> {
    let bytes = text.as_bytes();
    let mut out = Vec::with_capacity(bytes.len());
    let mut at = 0;
    while let Some(&byte) = bytes.get(at) {
        let digit = |offset: usize| {
            let digit = char::from(*bytes.get(at + offset)?).to_digit(16)?;
            u8::try_from(digit).ok()
        };
        match (byte, digit(1), digit(2)) {
            (b'%', Some(high), Some(low)) => {
                out.push(high << 4 | low);
                at += 3;
            }
            _ => {
                out.push(byte);
                at += 1;
            }
        }
    }
    if out.len() == bytes.len() { None } else { String::from_utf8(out).ok() }
}

/// Whether a destination names another place than the repository: `//host` or `scheme:`.
fn is_external(path: &str) -> bool {
    if path.starts_with("//") {
        return true;
    }
    let Some((scheme, _)) = path.split_once(':') else { return false };
    scheme.starts_with(|c: char| c.is_ascii_alphabetic())
        && scheme.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'+' | b'-' | b'.'))
}

/// What links are bound against.
pub(crate) struct Linker<'l> {
    pub root: &'l Path,
    pub rows: &'l [Row],
    pub paths: &'l Paths,
}

impl Linker<'_> {
    /// Binds the links of every parsed body.
    pub(crate) fn links(&self) -> Links {
        let each: Vec<Links> =
            self.rows.par_iter().enumerate().map(|(at, row)| self.of(at, row)).collect();
        let mut all = Links::default();
        for links in each {
            all.bound.extend(links.bound);
            all.images += links.images;
            all.quoted += links.quoted;
        }
        all
    }

    fn of(&self, at: usize, row: &Row) -> Links {
        let mut links = Links::default();
        let Some(document) = &row.document else { return links };
        // Only one body of each thread is held at a time.
        let markdown = document.markdown().afresh();
        for (place, link) in markdown.links().iter().enumerate() {
            if link.image {
                links.images += 1;
            } else if link.quoted {
                links.quoted += 1;
            } else {
                let target = self.bind(&row.path, &link.destination);
                links.bound.push(ProseLink { row: at, link: place, target });
            }
        }
        links
    }

    /// Where a destination leads from the document at `from`.
    pub(crate) fn bind(&self, from: &str, destination: &str) -> LinkTarget {
        let (path, _) = split(destination);
        if path.is_empty() {
            return LinkTarget::SameDocument;
        }
        if is_external(path) {
            return LinkTarget::External;
        }
        let missing = match self.find(from, path) {
            Err(missing) => missing,
            Ok(target) => return target,
        };
        match percent_decoded(path).map(|path| self.find(from, &path)) {
            Some(Ok(target)) => target,
            _ => LinkTarget::Missing(missing),
        }
    }

    /// Looks a path up; what is nowhere is given back normalized.
    fn find(&self, from: &str, path: &str) -> Result<LinkTarget, String> {
        let directory = from.rsplit_once('/').map_or("", |(directory, _)| directory);
        let joined = match path.strip_prefix('/') {
            Some(from_root) => from_root.to_owned(),
            None if directory.is_empty() => path.to_owned(),
            None => format!("{directory}/{path}"),
        };
        let path = match normalize(&joined) {
            Ok(path) => path,
            Err(BadPath::Empty) => return Ok(LinkTarget::Repository(String::new())),
            Err(BadPath::Absolute | BadPath::Climbs) => return Ok(LinkTarget::Unnormalizable),
        };
        if let Some(at) = self.paths.get(self.rows, &path) {
            return Ok(LinkTarget::Corpus(at));
        }
        match fs::metadata(self.root.join(&path)) {
            Ok(_) => Ok(LinkTarget::Repository(path)),
            Err(_) => Err(path),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn destinations_split_and_decode() {
        assert_eq!(split("a.md?x=1#y#z"), ("a.md", Some("y#z")));
        assert_eq!(split("?x"), ("", None));
        assert_eq!(split("#?x"), ("", Some("?x")));
        assert_eq!(percent_decoded("a%20b%2F"), Some("a b/".to_owned()));
        assert_eq!(percent_decoded("100%"), None);
        assert_eq!(percent_decoded("%zz%4"), None);
        assert_eq!(percent_decoded("%ff"), None);
        for external in ["//host/x", "mailto:a@b", "HTTP://x", "a+b-c.1:x"] {
            assert!(is_external(external), "{external}");
        }
        for internal in ["a.md", "/root", "1a:b", ":x", "a b:c", "a/b:c"] {
            assert!(!is_external(internal), "{internal}");
        }
    }
}
