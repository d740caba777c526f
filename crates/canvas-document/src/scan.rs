//! The well-formedness rules that the XML library leaves open, and the limits, in one pass.
//!
//! The library is a good judge of tags and text but accepts more than XML does: any value in the XML
//! declaration, a processing instruction called `xml`, a reference to a surrogate, a name that
//! starts with a colon, a default namespace declared twice. It also compares attributes and namespaces pair by
//! pair, which only a limit keeps linear. This pass walks the markup once, without recursion, before
//! the library sees it. Where the markup is broken it stops: the library words that refusal better.

use crate::lexis::{is_xml_char, is_xml_space, shown};
use crate::limits::Limits;
use crate::xml::Fault;

/// A namespace declaration, by the place it stands at.
#[derive(Debug)]
pub(crate) struct Declaration {
    /// The element, counted in document order from 0.
    pub(crate) element: usize,
    /// Its place among the attributes of that element.
    pub(crate) place: usize,
    /// The declared prefix; empty for the default namespace.
    pub(crate) prefix: String,
}

/// What the pass found.
#[derive(Debug)]
pub(crate) struct Scan {
    /// Every namespace declaration, in document order.
    pub(crate) declarations: Vec<Declaration>,
    /// Where the markup was too broken to go on.
    pub(crate) stopped_at: Option<usize>,
}

/// Walk `text`, whose line ends are LF alone.
///
/// # Errors
/// The first rule that is broken or limit that is passed.
pub(crate) fn scan(text: &str, limits: &Limits) -> Result<Scan, Fault> {
    let mut walk = Walk {
        text,
        bytes: text.as_bytes(),
        at: 0,
        depth: 0,
        nodes: 0,
        elements: 0,
        limits,
        declarations: Vec::new(),
    };
    let stopped_at = match walk.document() {
        Ok(()) => None,
        Err(Halt::Broken) => Some(walk.at),
        Err(Halt::Fault(fault)) => return Err(fault),
    };
    Ok(Scan { declarations: walk.declarations, stopped_at })
}

enum Halt {
    /// Not markup: the library says why.
    Broken,
    Fault(Fault),
}

struct Walk<'t> {
    text: &'t str,
    bytes: &'t [u8],
    at: usize,
    depth: usize,
    nodes: usize,
    elements: usize,
    limits: &'t Limits,
    declarations: Vec<Declaration>,
}

impl<'t> Walk<'t> {
    fn document(&mut self) -> Result<(), Halt> {
        if self.text.starts_with('\u{FEFF}') {
            return Err(self.fault(0, "a second byte order mark; remove it"));
        }
        if self.bytes.starts_with(b"<?xml")
            && self.bytes.get(5).is_some_and(|&b| is_xml_space(b) || b == b'?')
        {
            self.declaration()?;
        }
        loop {
            let run = self.until(|b| b == b'<');
            self.references(run)?;
            if self.at == self.bytes.len() {
                return Ok(());
            }
            let rest = &self.bytes[self.at..];
            if rest.starts_with(b"<!--") {
                self.node()?;
                self.past(4, "-->")?;
            } else if rest.starts_with(b"<![CDATA[") {
                self.node()?;
                self.past(9, "]]>")?;
            } else if rest.starts_with(b"<!DOCTYPE") {
                return Err(self.fault(
                    self.at,
                    "a document type declaration (<!DOCTYPE) is not allowed in a canvas; remove it",
                ));
            } else if rest.starts_with(b"<?") {
                self.instruction()?;
            } else if rest.starts_with(b"</") {
                self.at += 2;
                self.name()?;
                self.until(|b| b == b'>');
                self.expect(b'>')?;
                self.depth = self.depth.saturating_sub(1);
            } else {
                self.tag()?;
            }
        }
    }

    /// `<?xml version="1.0" encoding="UTF-8" standalone="no"?>`, the last two optional.
    fn declaration(&mut self) -> Result<(), Halt> {
        let start = self.at;
        self.at += 5;
        let mut wanted = ["version", "encoding", "standalone"].iter();
        let mut seen = 0;
        loop {
            let spaced = self.spaces();
            if self.bytes[self.at..].starts_with(b"?>") {
                self.at += 2;
                break;
            }
            if !spaced {
                return Err(self.fault(start, "the XML declaration is malformed"));
            }
            let name = self.until(|b| b == b'=' || is_xml_space(b) || b == b'>');
            if !wanted.any(|&expected| expected == name) {
                return Err(self.fault(
                    start,
                    "the XML declaration is malformed: it holds version, then encoding, then standalone, \
                     each at most once",
                ));
            }
            let value = self.value()?;
            if name != "version" && seen == 0 {
                break;
            }
            seen += 1;
            match name {
                "version" if is_version(value) => {}
                "encoding" if is_utf8_name(value) => {}
                "standalone" if matches!(value, "yes" | "no") => {}
                "encoding" => {
                    let message = format!(
                        "the encoding \"{}\" is not read: save the file as UTF-8 and declare that",
                        shown(value)
                    );
                    return Err(self.fault(start, &message));
                }
                _ => {
                    let message = format!("the XML declaration says {name}=\"{}\"", shown(value));
                    return Err(self.fault(start, &message));
                }
            }
        }
        if seen == 0 {
            return Err(self.fault(start, "the XML declaration has no version"));
        }
        Ok(())
    }

    fn instruction(&mut self) -> Result<(), Halt> {
        self.node()?;
        let start = self.at;
        self.at += 2;
        let target =
            self.until(|b| is_xml_space(b) || matches!(b, b'?' | b'<' | b'>' | b'"' | b'\''));
        if target.eq_ignore_ascii_case("xml") {
            return Err(self
                .fault(start, "an XML declaration may stand at the very start of the file only"));
        }
        if !target.is_empty() && crate::lexis::is_plain_name(&target.replace(':', "_")) {
            let next = self.bytes.get(self.at);
            if !next.is_some_and(|&b| is_xml_space(b)) && !self.bytes[self.at..].starts_with(b"?>")
            {
                return Err(
                    self.fault(start, "a processing instruction needs white space after its name")
                );
            }
        } else {
            return Err(self.fault(start, "a processing instruction needs a name"));
        }
        self.past(0, "?>")
    }

    /// A start tag or an empty element.
    fn tag(&mut self) -> Result<(), Halt> {
        let start = self.at;
        self.node()?;
        if self.depth >= self.limits.depth {
            let message = format!("more than {} levels of nesting", self.limits.depth);
            return Err(self.fault(start, &message));
        }
        self.at += 1;
        self.name()?;
        let element = self.elements;
        self.elements += 1;
        let mut place = 0;
        let mut default_declared = false;
        loop {
            self.spaces();
            match self.bytes.get(self.at) {
                Some(b'>') => {
                    self.at += 1;
                    self.depth += 1;
                    return Ok(());
                }
                Some(b'/') => {
                    self.at += 1;
                    return self.expect(b'>');
                }
                Some(_) => {}
                None => return Err(Halt::Broken),
            }
            let attribute = self.at;
            let name = self.name()?;
            let value = self.value()?;
            self.references(value)?;
            if place == self.limits.attributes {
                let message =
                    format!("more than {} attributes on one element", self.limits.attributes);
                return Err(self.fault(start, &message));
            }
            let prefix = match name {
                "xmlns" if default_declared => {
                    return Err(self.fault(attribute, "xmlns is declared twice on one element"));
                }
                "xmlns" => {
                    default_declared = true;
                    Some("")
                }
                _ => name.strip_prefix("xmlns:"),
            };
            if let Some(prefix) = prefix {
                if prefix == "xmlns" || (!prefix.is_empty() && value.is_empty()) {
                    let message =
                        format!("{}=\"{}\" declares no namespace", shown(name), shown(value));
                    return Err(self.fault(attribute, &message));
                }
                if self.declarations.len() == self.limits.declarations {
                    let message =
                        format!("more than {} namespace declarations", self.limits.declarations);
                    return Err(self.fault(attribute, &message));
                }
                self.declarations.push(Declaration { element, place, prefix: prefix.to_owned() });
            }
            place += 1;
        }
    }

    /// A name as written. A colon in front is refused: the library would read past it.
    fn name(&mut self) -> Result<&'t str, Halt> {
        let start = self.at;
        let name = self
            .until(|b| is_xml_space(b) || matches!(b, b'=' | b'>' | b'/' | b'<' | b'"' | b'\''));
        if name.is_empty() {
            return Err(Halt::Broken);
        }
        if name.starts_with(':') {
            let message = format!("the name \"{}\" starts with a colon", shown(name));
            return Err(self.fault(start, &message));
        }
        Ok(name)
    }

    /// `= "value"`, with the value as written.
    fn value(&mut self) -> Result<&'t str, Halt> {
        self.spaces();
        self.expect(b'=')?;
        self.spaces();
        let quote = match self.bytes.get(self.at) {
            Some(&quote @ (b'"' | b'\'')) => quote,
            _ => return Err(Halt::Broken),
        };
        self.at += 1;
        let value = self.until(|b| b == quote || b == b'<');
        self.expect(quote)?;
        Ok(value)
    }

    /// Every character reference in `run` must name a character that XML can hold; the library takes
    /// one to a surrogate, or past the end of Unicode, as U+FFFD.
    fn references(&self, run: &str) -> Result<(), Halt> {
        for (at, _) in run.match_indices("&#") {
            let rest = &run[at + 2..];
            let (digits, radix) = match rest.strip_prefix('x') {
                Some(hex) => (hex, 16),
                None => (rest, 10),
            };
            let mut value: u32 = 0;
            for digit in digits.chars().map_while(|c| c.to_digit(radix)) {
                value = value.saturating_mul(radix).saturating_add(digit);
            }
            if !char::from_u32(value).is_some_and(is_xml_char) {
                let shown_reference: String = rest.chars().take_while(|&c| c != ';').collect();
                let message = format!(
                    "the reference \"&#{};\" names a character that XML cannot hold",
                    shown(&shown_reference)
                );
                let offset = run.as_ptr() as usize - self.text.as_ptr() as usize + at;
                return Err(self.fault(offset, &message));
            }
        }
        Ok(())
    }

    fn node(&mut self) -> Result<(), Halt> {
        if self.nodes == self.limits.nodes {
            let message = format!(
                "more than {} nodes (elements, comments, processing instructions, CDATA sections)",
                self.limits.nodes
            );
            return Err(self.fault(self.at, &message));
        }
        self.nodes += 1;
        Ok(())
    }

    fn spaces(&mut self) -> bool {
        !self.until(|b| !is_xml_space(b)).is_empty()
    }

    /// Advance to the first byte that `stop` holds for, or to the end. `stop` may hold for ASCII only,
    /// so the slice falls on character boundaries; [`Walk::spaces`] stops at the first byte of one.
    fn until(&mut self, stop: impl Fn(u8) -> bool) -> &'t str {
        let start = self.at;
        self.at = self.bytes[start..]
            .iter()
            .position(|&b| stop(b))
            .map_or(self.bytes.len(), |length| start + length);
        &self.text[start..self.at]
    }

    fn expect(&mut self, byte: u8) -> Result<(), Halt> {
        if self.bytes.get(self.at) != Some(&byte) {
            return Err(Halt::Broken);
        }
        self.at += 1;
        Ok(())
    }

    /// Skip `opening` bytes and everything up to and with `end`.
    fn past(&mut self, opening: usize, end: &str) -> Result<(), Halt> {
        let from = self.at + opening;
        let length = self.text[from..].find(end).ok_or(Halt::Broken)?;
        self.at = from + length + end.len();
        Ok(())
    }

    fn fault(&self, at: usize, message: &str) -> Halt {
        Halt::Fault(Fault::at(self.text, at, message))
    }
}

/// `1.` and digits: what XML 1.0 reads.
fn is_version(value: &str) -> bool {
    value
        .strip_prefix("1.")
        .is_some_and(|minor| !minor.is_empty() && minor.bytes().all(|b| b.is_ascii_digit()))
}

fn is_utf8_name(value: &str) -> bool {
    ["UTF-8", "UTF8", "US-ASCII", "ASCII"].iter().any(|name| value.eq_ignore_ascii_case(name))
}
