//! Bytes to an XML document, or the one fault that stops it.
//!
//! A canvas is UTF-8 (a byte order mark is accepted and dropped); a file in another encoding, or one
//! that declares another, is refused rather than guessed at. Line ends become LF before anything
//! else looks, as XML asks. The library would keep a raw CR that stands before a reference.

use std::borrow::Cow;
use std::fmt;

use crate::lexis::shown;
use crate::limits::{BYTES, Limits};
use crate::scan::{Declaration, scan};

/// Why bytes are not an XML document that a canvas can be, or a tree cannot be written as one: the
/// faults of the not-well-formed class (`canvas-store.md` §1.5, D-6).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fault {
    /// The 1-based line of the fault, where there is one.
    pub line: Option<u32>,
    /// What is wrong; one line, values escaped.
    pub message: String,
}

impl Fault {
    pub(crate) fn at(text: &str, offset: usize, message: &str) -> Fault {
        Fault { line: Some(line_at(text.as_bytes(), offset)), message: message.to_owned() }
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.line {
            Some(line) => write!(f, "line {line}: {}", self.message),
            None => f.write_str(&self.message),
        }
    }
}

impl std::error::Error for Fault {}

/// An XML document and what the library does not keep of it.
pub(crate) struct Parsed<'t> {
    pub(crate) document: roxmltree::Document<'t>,
    pub(crate) declarations: Vec<Declaration>,
}

/// The characters of `bytes`, without byte order mark and with LF line ends.
pub(crate) fn decode(bytes: &[u8]) -> Result<Cow<'_, str>, Fault> {
    let whole = |message: String| Fault { line: Some(1), message };
    if bytes.len() > BYTES {
        return Err(whole(format!(
            "the file has {} bytes; a canvas has at most {BYTES} (16 MiB)",
            bytes.len()
        )));
    }
    if bytes.starts_with(&[0xFE, 0xFF]) || bytes.starts_with(&[0xFF, 0xFE]) {
        return Err(whole("the file is UTF-16; save it as UTF-8".to_owned()));
    }
    let text = std::str::from_utf8(bytes).map_err(|error| Fault {
        line: Some(line_at(bytes, error.valid_up_to())),
        message: "the bytes are not UTF-8; save the file as UTF-8".to_owned(),
    })?;
    Ok(normal(text))
}

/// `text` without its byte order mark, and with CRLF and CR read as LF.
pub(crate) fn normal(text: &str) -> Cow<'_, str> {
    let text = text.strip_prefix('\u{FEFF}').unwrap_or(text);
    if text.contains('\r') {
        Cow::Owned(text.replace("\r\n", "\n").replace('\r', "\n"))
    } else {
        Cow::Borrowed(text)
    }
}

/// Read `text`, as [`normal`] leaves it.
pub(crate) fn parse<'t>(text: &'t str, limits: &Limits) -> Result<Parsed<'t>, Fault> {
    let scan = scan(text, limits)?;
    let document = roxmltree::Document::parse(text).map_err(|error| fault(text, &error))?;
    if let Some(at) = scan.stopped_at {
        return Err(Fault::at(text, at, "the markup breaks off here"));
    }
    Ok(Parsed { document, declarations: scan.declarations })
}

/// The library's refusal in our words. It puts a fault that has no place of its own at 1:1; those
/// are all about the end of the file.
fn fault(text: &str, error: &roxmltree::Error) -> Fault {
    use roxmltree::Error;
    let position = error.pos();
    let mut line = position.row;
    let message = match error {
        Error::UnclosedRootNode | Error::UnexpectedEndOfStream | Error::NoRootNode => {
            line = line_at(text.as_bytes(), text.trim_end_matches('\n').len());
            match error {
                Error::UnclosedRootNode => "the root element is never closed",
                Error::NoRootNode => "there is no root element",
                _ => "the file ends in the middle of the markup",
            }
            .to_owned()
        }
        Error::UnknownToken(_) => "this cannot stand here".to_owned(),
        Error::InvalidName(_) => "a name is expected here; in text, write < as &lt;".to_owned(),
        Error::UnexpectedCloseTag(open, close, _) => {
            format!("</{}> does not close <{}>", shown(close), shown(open))
        }
        Error::InvalidChar(expected, b'<', _) => {
            format!("expected {} here; in a value, write < as &lt;", char::from(*expected))
        }
        Error::InvalidChar(expected, _, _) => format!("expected {} here", char::from(*expected)),
        Error::InvalidChar2(expected, _, _) | Error::InvalidString(expected, _) => {
            format!("expected {expected} here")
        }
        Error::MalformedEntityReference(_) => "this is no reference; write & as &amp;".to_owned(),
        Error::UnknownEntityReference(name, _) => format!(
            "&{}; is not defined; XML knows amp, lt, gt, quot and apos, and &#…;",
            shown(name)
        ),
        Error::InvalidCharacterData(_) => "in text, write ]]> as ]]&gt;".to_owned(),
        Error::InvalidComment(_) => "a comment cannot hold --".to_owned(),
        Error::NonXmlChar(c, _) => no_xml_char(*c),
        Error::DuplicatedAttribute(name, _) => {
            format!("the attribute {} is given twice", shown(name))
        }
        Error::UnknownNamespace(prefix, _) => {
            format!("the prefix {} is not declared", shown(prefix))
        }
        other => shown(&other.to_string().replace(&format!(" at {position}"), "")),
    };
    Fault { line: Some(line), message }
}

/// Why a character is refused, raw or about to be written.
pub(crate) fn no_xml_char(c: char) -> String {
    format!("XML cannot hold the character U+{:04X}", u32::from(c))
}

/// The 1-based line of `offset`. A walk: for one fault, not for many.
fn line_at(bytes: &[u8], offset: usize) -> u32 {
    let breaks = bytes[..offset.min(bytes.len())].iter().filter(|&&b| b == b'\n').count();
    u32::try_from(breaks).unwrap_or(u32::MAX).saturating_add(1)
}
