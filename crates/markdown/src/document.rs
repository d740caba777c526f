//! A document: built once from bytes, then only read. The body is parsed when it is first asked for,
//! so that a reader of front matter alone does not pay for it.

use std::fmt;
use std::sync::{Arc, OnceLock};

use crate::block::{Block, Run};
use crate::body::Body;
use crate::citation;
use crate::comment::{self, Comment};
use crate::front_matter::{self, FrontMatter, Head};
use crate::heading::Heading;
use crate::link::Link;
use crate::sentence::Sentence;
use crate::span::{LineIndex, Position, Span};
use crate::yaml::Fault;

/// A parsed document. All offsets are bytes of the file it was read from, a byte order mark
/// included.
#[derive(Debug)]
pub struct Document {
    source: Arc<String>,
    front_matter: Option<Arc<FrontMatter>>,
    near_miss: bool,
    /// Whether what opens a comment stands in it, and what looks like a citation by line number; both
    /// are looked for while its bytes are at hand.
    opens_comments: bool,
    may_cite: bool,
    body_start: usize,
    body: OnceLock<Box<Body>>,
    lines: OnceLock<Box<LineIndex>>,
}

/// Why a file is no document.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Refusal {
    /// The bytes are not UTF-8; the offset of the first that is not.
    NotUtf8(usize),
    /// The first line opens a front-matter block that no later line closes; the bytes of the fence.
    Unclosed(Span),
    /// The front matter is refused; every reason.
    FrontMatter(Vec<Fault>),
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotUtf8(at) => write!(f, "byte {at} and what follows is not UTF-8 text"),
            Self::Unclosed(_) => f.write_str(
                "the front matter that the first line opens is never closed; end it with a line `---`",
            ),
            Self::FrontMatter(faults) => {
                for (at, fault) in faults.iter().enumerate() {
                    if at > 0 {
                        f.write_str("; ")?;
                    }
                    write!(f, "{}", fault.kind)?;
                }
                Ok(())
            }
        }
    }
}

impl std::error::Error for Refusal {}

impl Document {
    /// Reads a document from the bytes of a file. Linear.
    ///
    /// # Errors
    ///
    /// [`Refusal`] when the bytes are no text, or the front matter cannot be read. A document
    /// without front matter is none of these.
    pub fn read(bytes: Vec<u8>) -> Result<Self, Refusal> {
        let source = String::from_utf8(bytes)
            .map_err(|error| Refusal::NotUtf8(error.utf8_error().valid_up_to()))?;
        Self::parse(source)
    }

    /// Reads a document from its text.
    ///
    /// # Errors
    ///
    /// As [`Document::read`].
    pub fn parse(source: impl Into<String>) -> Result<Self, Refusal> {
        Self::of(Arc::new(source.into()))
    }

    /// Reads a document from a text that its reader shares.
    ///
    /// # Errors
    ///
    /// As [`Document::read`].
    pub fn of(source: Arc<String>) -> Result<Self, Refusal> {
        let (front_matter, near_miss, body_start) = match front_matter::head(&source) {
            Head::Unclosed(fence) => return Err(Refusal::Unclosed(fence)),
            Head::NearMiss { start } => (None, true, start),
            Head::None { start } => (None, false, start),
            Head::Block { start, content, body } => {
                let block = Span::new(start, body);
                let read = front_matter::read(&source, block, content);
                (Some(Arc::new(read.map_err(Refusal::FrontMatter)?)), false, body)
            }
        };
        let opens_comments = comment::comment_openings(&source).next().is_some();
        Ok(Self {
            opens_comments,
            may_cite: citation::may_cite(source.as_bytes()),
            source,
            front_matter,
            near_miss,
            body_start,
            body: OnceLock::new(),
            lines: OnceLock::new(),
        })
    }

    /// The same document without what was parsed of its body. It shares the text and the front matter,
    /// and what it parses is gone with it, so that a reader of many documents holds one body at a time.
    #[must_use]
    pub fn afresh(&self) -> Self {
        Self {
            source: Arc::clone(&self.source),
            front_matter: self.front_matter.clone(),
            near_miss: self.near_miss,
            opens_comments: self.opens_comments,
            may_cite: self.may_cite,
            body_start: self.body_start,
            body: OnceLock::new(),
            lines: OnceLock::new(),
        }
    }

    /// The whole file.
    #[must_use]
    pub fn source(&self) -> &str {
        &self.source
    }

    /// The front matter; `None` where the file does not begin with a block.
    #[must_use]
    pub fn front_matter(&self) -> Option<&FrontMatter> {
        self.front_matter.as_deref()
    }

    /// Whether the file has no front matter only because its first line has blanks around `---`.
    #[must_use]
    pub fn is_near_miss(&self) -> bool {
        self.near_miss
    }

    /// Where the body begins.
    #[must_use]
    pub fn body_start(&self) -> usize {
        self.body_start
    }

    /// What stands below the front matter; parsed by the first call.
    #[must_use]
    pub fn body(&self) -> &Body {
        self.body.get_or_init(|| Box::new(Body::parse(&self.source, self.body_start)))
    }

    /// Whether `<!--` stands anywhere in it, which costs nothing to ask. Without it there is no comment.
    #[must_use]
    pub fn opens_comments(&self) -> bool {
        self.opens_comments
    }

    /// Whether a citation by line number may stand in it ([`citation::may_cite`]), which costs nothing to
    /// ask.
    #[must_use]
    pub fn may_cite(&self) -> bool {
        self.may_cite
    }

    /// The HTML comments of the author's text, in order; read anew by each call.
    #[must_use]
    pub fn comments(&self) -> Vec<Comment> {
        comment::comments(&self.source, self.body_start)
    }

    /// The blocks of the body.
    #[must_use]
    pub fn blocks(&self) -> &[Block] {
        self.body().blocks()
    }

    /// The links and images of the body.
    #[must_use]
    pub fn links(&self) -> &[Link] {
        self.body().links()
    }

    /// The runs of a block.
    #[must_use]
    pub fn runs_of(&self, block: &Block) -> &[Run] {
        self.body().runs_of(block)
    }

    /// The text of a run.
    #[must_use]
    pub fn text_of<'a>(&'a self, run: &'a Run) -> &'a str {
        run.text(&self.source)
    }

    /// The text of a link or image.
    #[must_use]
    pub fn link_text(&self, link: &Link) -> String {
        self.body().link_text(&self.source, link)
    }

    /// The headings and their anchors; made anew by each call.
    #[must_use]
    pub fn headings(&self) -> Vec<Heading> {
        self.body().headings(&self.source)
    }

    /// The anchors of the headings, sorted; made anew by each call.
    #[must_use]
    pub fn anchors(&self) -> Vec<String> {
        self.body().anchors(&self.source)
    }

    /// The sentences of the author's prose; made anew by each call.
    #[must_use]
    pub fn sentences(&self) -> Vec<Sentence> {
        self.body().sentences(&self.source)
    }

    /// The line index of the file; made by the first call.
    #[must_use]
    pub fn lines(&self) -> &LineIndex {
        self.lines.get_or_init(|| Box::new(LineIndex::new(&self.source)))
    }

    /// The line and column of an offset.
    #[must_use]
    pub fn position(&self, offset: usize) -> Position {
        self.lines().position(&self.source, offset)
    }
}
