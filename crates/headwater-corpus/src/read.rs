//! From one entry of the walk to its row: what is opened, in which order it is decided, and within
//! which limit (model §3.2).

use std::fs;
use std::io::Read as _;
use std::path::Path;
use std::sync::Arc;

use headwater_taxonomy::declaration::Exclusion;
use headwater_taxonomy::model::{Bindings, Facet, Taxonomy};

use crate::census::{Generated, Outcome, Row, Unreadable, Untyped, Unwalkable};
use crate::digest::Digest;
use crate::document::{Document, Sidecar};
use crate::marker::{self, Format};
use crate::typing::type_of;
use crate::walk::{Entry, What};

/// The largest document, sidecar or generated file that is read, in bytes.
pub const DOCUMENT_LIMIT: u64 = 256 * 1024 * 1024;

/// Why bytes were not read.
pub(crate) enum Failure {
    TooLarge(u64),
    Io(String),
}

impl Failure {
    pub(crate) fn sentence(&self) -> String {
        match self {
            Self::TooLarge(limit) => Unreadable::TooLarge(*limit).sentence(),
            Self::Io(why) => why.clone(),
        }
    }
}

/// Reads a regular file of at most `limit` bytes; what it is, is asked before it is opened.
pub(crate) fn read_file(path: &Path, limit: u64) -> Result<Vec<u8>, Failure> {
    let about = fs::symlink_metadata(path).map_err(failure)?;
    if about.is_file() { read_walked(path, limit) } else { Err(irregular()) }
}

/// Reads what was a regular file when the walk came by. What stands there now is asked once it is
/// open: no link is followed, and no pipe waited for.
fn read_walked(path: &Path, limit: u64) -> Result<Vec<u8>, Failure> {
    let file = open(path).map_err(|error| match fs::symlink_metadata(path) {
        Ok(about) if !about.is_file() => irregular(),
        _ => failure(error),
    })?;
    let about = file.metadata().map_err(failure)?;
    if !about.is_file() {
        return Err(irregular());
    }
    if about.len() > limit {
        return Err(Failure::TooLarge(limit));
    }
    let mut bytes = Vec::with_capacity(usize::try_from(about.len()).unwrap_or_default());
    // A file of a size is read up to it, which asks the system once. Some systems give no size.
    let most = if about.len() == 0 { limit + 1 } else { about.len() };
    file.take(most).read_to_end(&mut bytes).map_err(failure)?;
    if bytes.len() as u64 > limit { Err(Failure::TooLarge(limit)) } else { Ok(bytes) }
}

fn failure(error: std::io::Error) -> Failure {
    Failure::Io(match error.kind() {
        std::io::ErrorKind::NotFound => "there is no such file".to_owned(),
        _ => error.to_string(),
    })
}

fn irregular() -> Failure {
    Failure::Io("it is not a regular file".to_owned())
}

/// Opens a file, but no link, and waits for nobody.
#[cfg(unix)]
fn open(path: &Path) -> std::io::Result<fs::File> {
    use std::os::unix::fs::OpenOptionsExt as _;

    use rustix::fs::OFlags;
    let flags = (OFlags::NOFOLLOW | OFlags::NONBLOCK).bits();
    fs::OpenOptions::new().read(true).custom_flags(flags as i32).open(path)
}

#[cfg(not(unix))]
fn open(path: &Path) -> std::io::Result<fs::File> {
    match fs::symlink_metadata(path)?.is_symlink() {
        true => Err(std::io::ErrorKind::InvalidInput.into()),
        false => fs::File::open(path),
    }
}

/// What every row is read with.
pub(crate) struct Reader<'r> {
    pub root: &'r Path,
    pub taxonomy: &'r Taxonomy,
    /// The facet that holds the states of documents.
    pub state: Option<&'r Facet>,
    pub bindings: Arc<Bindings>,
    pub exclude: &'r [Exclusion],
    /// Every entry, in path order, to look for sidecars in.
    pub entries: &'r [Entry],
    pub limit: u64,
}

impl Reader<'_> {
    /// The first exclusion that matches a path.
    fn excluded(&self, path: &str) -> Option<usize> {
        self.exclude.iter().position(|rule| rule.pattern.matches(path))
    }

    /// Makes the row of an entry. The first condition that holds decides.
    pub(crate) fn row(&self, entry: &Entry) -> Row {
        let path = entry.path.clone();
        let unwalkable = match &entry.what {
            What::File => None,
            What::Link(target) => Some(Unwalkable::Link(target.clone())),
            What::Special => Some(Unwalkable::Special),
            What::Unlisted(why) => Some(Unwalkable::Unlisted(why.clone())),
            What::BadName => Some(Unwalkable::BadName),
        };
        if let Some(why) = unwalkable {
            return Row::bare(path, Outcome::Unwalkable(why));
        }
        if let Some(at) = self.excluded(&path) {
            return Row::bare(path, Outcome::Excluded(at));
        }
        if !path.ends_with(".md") {
            return match self.marked(&path) {
                Some(projection) => Row::bare(path, Outcome::Generated(Generated { projection })),
                None => Row::bare(path, Outcome::NotADocument),
            };
        }
        let bytes = match read_walked(&self.root.join(&path), self.limit) {
            Ok(bytes) => bytes,
            Err(Failure::TooLarge(limit)) => {
                return Row::bare(path, Outcome::Unreadable(Unreadable::TooLarge(limit)));
            }
            Err(Failure::Io(why)) => {
                return Row::bare(path, Outcome::Unreadable(Unreadable::Io(why)));
            }
        };
        let digest = Some(Digest::of(&bytes));
        let mut row = Row { digest, ..Row::bare(path, Outcome::NotADocument) };
        row.outcome = self.document(&mut row, bytes).unwrap_or_else(Outcome::Unreadable);
        row
    }

    /// The projection that wrote a file which is no document, where its format can say so.
    fn marked(&self, path: &str) -> Option<String> {
        Format::of(path)?;
        let bytes = read_file(&self.root.join(path), self.limit).ok()?;
        marker::projection_of(path, std::str::from_utf8(&bytes).ok()?)
    }

    fn document(&self, row: &mut Row, bytes: Vec<u8>) -> Result<Outcome, Unreadable> {
        let source = text(bytes);
        if let Some(projection) = source.as_deref().ok().and_then(marker::in_comment) {
            return Ok(Outcome::Generated(Generated { projection }));
        }
        let sidecar = self.sidecar(&row.path)?;
        let document = parsed(&row.path, source?, sidecar, &self.bindings)?;
        let document = row.document.insert(Box::new(document));
        if document.front_matter().is_none() {
            let near_miss = document.markdown().is_near_miss();
            return Ok(Outcome::Untyped(Untyped::NoFrontMatter { near_miss }));
        }
        let state = self.state.and_then(|facet| document.facet_text(&facet.name));
        row.standing = state.and_then(|state| self.taxonomy.standing(state));
        match type_of(self.taxonomy, &row.path, document) {
            Err(stop) => Ok(Outcome::Untyped(Untyped::Stopped(stop))),
            Ok(placed) => {
                row.kind = self.taxonomy.kinds.position(&placed.kind.name);
                row.shelf = self.taxonomy.shelves.position(&placed.shelf.name);
                // Without a quoted key there is no marker.
                let markdown = document.markdown();
                let block = markdown.front_matter().map(|block| block.span.of(markdown.source()));
                let quotes = block.filter(|block| block.contains('"'));
                Ok(match quotes.and_then(|_| marker::in_front_matter(markdown.source())) {
                    Some(projection) => Outcome::Generated(Generated { projection }),
                    None => Outcome::Typed,
                })
            }
        }
    }

    /// The front matter beside a document, where the bindings keep it there and it is not excluded.
    fn sidecar(&self, path: &str) -> Result<Option<Sidecar>, Unreadable> {
        let binding = self.bindings.sidecar.as_ref();
        let Some(beside) = binding.and_then(|binding| binding.beside(path)) else {
            return Ok(None);
        };
        let at = self.entries.partition_point(|entry| entry.path < beside);
        let there = self.entries.get(at).is_some_and(|entry| entry.path == beside);
        if !there || self.excluded(&beside).is_some() {
            return Ok(None);
        }
        let bytes = read_file(&self.root.join(&beside), self.limit)
            .map_err(|failure| Unreadable::Sidecar(beside.clone(), failure.sentence()))?;
        parse_sidecar(&beside, bytes).map(Some)
    }
}

/// Reads a document as the census does. A sidecar, where there is one, is its front matter.
pub(crate) fn parse_document(
    path: &str,
    bytes: Vec<u8>,
    sidecar: Option<Sidecar>,
    bindings: &Arc<Bindings>,
) -> Result<Document, Unreadable> {
    parsed(path, text(bytes)?, sidecar, bindings)
}

/// The text of a document.
fn text(bytes: Vec<u8>) -> Result<String, Unreadable> {
    String::from_utf8(bytes).map_err(|error| Unreadable::NotUtf8(error.utf8_error().valid_up_to()))
}

fn parsed(
    path: &str,
    source: String,
    sidecar: Option<Sidecar>,
    bindings: &Arc<Bindings>,
) -> Result<Document, Unreadable> {
    let markdown = parse(path, source)?;
    if let (Some(sidecar), Some(_)) = (&sidecar, markdown.front_matter()) {
        return Err(Unreadable::FrontMatterTwice(sidecar.path.clone()));
    }
    Ok(Document::new(path, markdown, sidecar, Arc::clone(bindings)))
}

/// Reads a sidecar.
pub(crate) fn parse_sidecar(path: &str, bytes: Vec<u8>) -> Result<Sidecar, Unreadable> {
    let digest = Digest::of(&bytes);
    let source = String::from_utf8(bytes).map_err(|error| {
        let at = error.utf8_error().valid_up_to();
        Unreadable::Sidecar(path.to_owned(), Unreadable::NotUtf8(at).sentence())
    })?;
    Sidecar::parse(path, digest, source)
}

/// Reads the Markdown of a document, and places every refusal of its front matter.
fn parse(path: &str, source: String) -> Result<markdown::Document, Unreadable> {
    use markdown::Refusal;
    let source = Arc::new(source);
    markdown::Document::of(Arc::clone(&source)).map_err(|refusal| match refusal {
        Refusal::NotUtf8(at) => Unreadable::NotUtf8(at),
        Refusal::FrontMatter(faults) => Unreadable::faults(path, &source, &faults),
        Refusal::Unclosed(fence) => {
            let at = markdown::LineIndex::new(&source).position(&source, fence.start);
            let faults = vec![(at, refusal.to_string())];
            Unreadable::FrontMatter { path: path.to_owned(), faults }
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_read_up_to_the_limit_and_no_further() {
        let root = tempfile::tempdir().unwrap();
        let path = root.path().join("a");
        fs::write(&path, "1234").unwrap();
        assert!(matches!(read_file(&path, 4), Ok(bytes) if bytes == b"1234"));
        assert!(matches!(read_file(&path, 3), Err(Failure::TooLarge(3))));
        let said = |path: &Path| read_file(path, 4).map_err(|failure| failure.sentence());
        assert_eq!(said(root.path()), Err("it is not a regular file".to_owned()));
        assert_eq!(said(&root.path().join("b")), Err("there is no such file".to_owned()));
        fs::write(&path, "").unwrap();
        assert!(matches!(read_file(&path, 4), Ok(bytes) if bytes.is_empty()));
    }

    #[test]
    #[cfg(unix)]
    fn what_became_something_else_after_the_walk_is_refused_at_once() {
        let root = tempfile::tempdir().unwrap();
        let at = |name: &str| root.path().join(name);
        fs::write(at("a"), "x").unwrap();
        std::os::unix::fs::symlink("a", at("link")).unwrap();
        let _socket = std::os::unix::net::UnixListener::bind(at("socket")).unwrap();
        let pipe = std::process::Command::new("mkfifo").arg(at("pipe")).status();
        assert!(pipe.unwrap().success());
        for name in ["link", "socket", "pipe", "."] {
            let said = read_walked(&at(name), 4).map_err(|failure| failure.sentence());
            assert_eq!(said, Err("it is not a regular file".to_owned()), "{name}");
        }
    }
}
