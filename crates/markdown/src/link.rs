//! Links: of every form, with the bytes of the destination, which the parsing library does not give.

use std::ops::Range;

use crate::span::Span;

/// A link or an image.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Link {
    /// Its bytes, from the first bracket to the last.
    pub span: Span,
    /// How it is written.
    pub form: LinkForm,
    /// Where it leads, escapes and entities read; an address in angle brackets gains `mailto:`.
    pub destination: Box<str>,
    /// The bytes of the destination as written, without angle brackets; for a reference those in
    /// its definition. `None` where they could not be told, which no well-formed link is known for.
    pub destination_span: Option<Span>,
    /// The definition it refers to, as an index of [`crate::Body::definitions`].
    pub definition: Option<usize>,
    /// Whether it is an image.
    pub image: bool,
    /// Whether it stands inside a block quotation.
    pub quoted: bool,
    /// Which runs of the body are its text.
    pub(crate) runs: Range<usize>,
}

/// How a link is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum LinkForm {
    /// `[text](destination)`
    Inline,
    /// `[text][label]`
    Reference,
    /// `[label][]`
    Collapsed,
    /// `[label]`
    Shortcut,
    /// `<scheme:rest>`
    Autolink,
    /// `<name@host>`
    Email,
}

/// A reference definition, `[label]: destination`. Of several with one label only the first counts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Definition {
    /// Its bytes.
    pub span: Span,
    /// The label as written.
    pub label: Box<str>,
    /// Where it leads, escapes and entities read.
    pub destination: Box<str>,
    /// The bytes of the destination as written, without angle brackets.
    pub destination_span: Option<Span>,
}

/// The destination of an inline link whose text ends at `inner_end`.
pub(crate) fn inline_destination(source: &str, span: Span, inner_end: usize) -> Option<Span> {
    let bytes = source.as_bytes().get(..span.end)?;
    let bracket = inner_end + memchr::memchr(b']', bytes.get(inner_end..)?)?;
    if bytes.get(bracket + 1) != Some(&b'(') {
        return None;
    }
    destination_at(bytes, bracket + 2)
}

/// The destination of a reference definition.
pub(crate) fn defined_destination(source: &str, span: Span) -> Option<Span> {
    let bytes = source.as_bytes().get(..span.end)?;
    let mut at = span.start + memchr::memchr(b'[', bytes.get(span.start..)?)? + 1;
    loop {
        match bytes.get(at)? {
            b'\\' => at += 2,
            b']' => break,
            _ => at += 1,
        }
    }
    if bytes.get(at + 1) != Some(&b':') {
        return None;
    }
    destination_at(bytes, at + 2)
}

/// The destination that begins at the first byte which is no white space. On a new line the markers
/// of block quotations are passed over: no destination can begin there with one.
fn destination_at(bytes: &[u8], from: usize) -> Option<Span> {
    let mut start = from;
    let mut fresh = false;
    while let Some(byte) = bytes.get(start) {
        match byte {
            b'\n' | b'\r' => fresh = true,
            b' ' | b'\t' => {}
            b'>' if fresh => {}
            _ => break,
        }
        start += 1;
    }
    if bytes.get(start) == Some(&b'<') {
        let mut at = start + 1;
        loop {
            match bytes.get(at)? {
                b'\\' => at += 2,
                b'>' => return Some(Span::new(start + 1, at)),
                b'\n' | b'\r' | b'<' => return None,
                _ => at += 1,
            }
        }
    }
    let mut depth = 0_usize;
    let mut at = start;
    while let Some(&byte) = bytes.get(at) {
        match byte {
            b'\\' if bytes.get(at + 1).is_some_and(u8::is_ascii_punctuation) => at += 1,
            b'(' => depth += 1,
            b')' if depth == 0 => break,
            b')' => depth -= 1,
            _ if byte.is_ascii_whitespace() || byte.is_ascii_control() => break,
            _ => {}
        }
        at += 1;
    }
    Some(Span::new(start, at.min(bytes.len())))
}

/// The addresses that stand bare in a text: `http://…`, `https://…` and `www.…`, bounded as GitHub
/// bounds them. They are no links of the dialect, so nothing judges them; a reader may ask for them.
#[must_use]
pub fn bare_urls(text: &str) -> Vec<Span> {
    let bytes = text.as_bytes();
    let mut found: Vec<Span> = Vec::new();
    let mut free = 0;
    // Each begins with a name that one of these marks ends, and few texts have many of them.
    for mark in memchr::memchr2_iter(b':', b'.', bytes) {
        let (head, rest) = bytes.split_at(mark);
        let named = |name: &str| {
            let start = mark.checked_sub(name.len())?;
            head[start..].eq_ignore_ascii_case(name.as_bytes()).then_some(start)
        };
        let start = match rest {
            [b':', b'/', b'/', ..] => named("https").or_else(|| named("http")),
            [b'.', ..] => named("www"),
            _ => None,
        };
        let Some(start) = start.filter(|&start| start >= free) else { continue };
        let open =
            |byte: &u8| byte.is_ascii_whitespace() || matches!(byte, b'*' | b'_' | b'~' | b'(');
        if start > 0 && !open(&bytes[start - 1]) {
            continue;
        }
        let candidate = bytes[start..].iter();
        let length =
            candidate.take_while(|&&byte| !byte.is_ascii_whitespace() && byte != b'<').count();
        let span = Span::new(start, start + bounded(&text[start..start + length]));
        let host = if rest.starts_with(b":") { mark + "://".len() } else { start };
        if is_host(text.get(host..span.end).unwrap_or_default()) {
            found.push(span);
        }
        free = start + length;
    }
    found
}

/// How much of a candidate belongs to the address: no punctuation at its end, no closing
/// parenthesis that it did not open, no entity.
fn bounded(candidate: &str) -> usize {
    let bytes = candidate.as_bytes();
    let count = |wanted: u8| bytes.iter().filter(|&&byte| byte == wanted).count();
    let (opened, mut closed) = (count(b'('), count(b')'));
    let mut end = bytes.len();
    while end > 0 {
        match bytes[end - 1] {
            b'?' | b'!' | b'.' | b',' | b':' | b'*' | b'_' | b'~' | b'"' | b'\'' => end -= 1,
            b')' if closed > opened => {
                closed -= 1;
                end -= 1;
            }
            b';' => {
                let name = bytes[..end - 1].iter().rev().take_while(|b| b.is_ascii_alphanumeric());
                let name = name.count();
                let entity =
                    name > 0 && end.checked_sub(name + 2).is_some_and(|at| bytes[at] == b'&');
                end -= if entity { name + 2 } else { 1 };
            }
            _ => break,
        }
    }
    end
}

/// Whether a text begins with a host: at least two names between dots, none of the last two with an
/// underscore.
fn is_host(text: &str) -> bool {
    let end = text
        .find(|c: char| !(c.is_alphanumeric() || matches!(c, '.' | '-' | '_')))
        .unwrap_or(text.len());
    let mut names = text[..end].rsplit('.');
    let last_two = [names.next(), names.next()];
    last_two.iter().all(|name| name.is_some_and(|name| !name.is_empty() && !name.contains('_')))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn urls(text: &str) -> Vec<&str> {
        bare_urls(text).into_iter().map(|span| span.of(text)).collect()
    }

    #[test]
    fn a_bare_address_ends_where_a_reader_would_end_it() {
        for (text, found) in [
            ("See https://a.b/c?d=e&f#g.", &["https://a.b/c?d=e&f#g"][..]),
            ("(www.a.b) and HTTP://A.B!", &["www.a.b", "HTTP://A.B"]),
            ("https://a.b/c_(d)", &["https://a.b/c_(d)"]),
            ("(https://a.b/c_(d)))", &["https://a.b/c_(d)"]),
            ("https://a.b/?c&amp; x", &["https://a.b/?c"]),
            ("*https://a.b/c* https://d.e<f", &["https://a.b/c", "https://d.e"]),
            ("https://ä.ö/ü", &["https://ä.ö/ü"]),
            ("xhttps://a.b, ftp://a.b, http://, www., https://a_b.c_d, http://localhost", &[]),
        ] {
            assert_eq!(urls(text), found, "{text}");
        }
    }
    proptest! {
        #[test]
        fn every_beginning_is_looked_at(text in "(https?://|HTTP|www\\.|[.:/a (_<ä]){0,12}") {
            // By the rule as it reads: the leftmost beginning that stands free, then the next behind it.
            let mut expected = Vec::new();
            let mut free = 0;
            for (start, _) in text.char_indices() {
                let rest = text[start..].to_ascii_lowercase();
                let head = ["https://", "http://", "www."].into_iter().find(|it| rest.starts_with(it));
                let stands_free = !text[..start].ends_with(|c| !" *_~(".contains(c));
                let Some(head) = head.filter(|_| start >= free && stands_free) else { continue };
                let length = rest.find([' ', '<']).unwrap_or(rest.len());
                let end = start + bounded(&text[start..start + length]);
                let host = start + if head == "www." { 0 } else { head.len() };
                if text.get(host..end).is_some_and(is_host) {
                    expected.push(Span::new(start, end));
                }
                free = start + length;
            }
            prop_assert_eq!(bare_urls(&text), expected);
        }
    }
}
