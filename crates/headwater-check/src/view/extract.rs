//! What link rules read of one body, and the bytes that the cache keeps of it.

use crate::finding::Place;

/// One link of prose, as far as its document alone decides it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LinkFact {
    /// Where it leads, as read.
    pub destination: String,
    /// Its text.
    pub text: String,
    /// Where it starts: line, column and width.
    pub(super) at: (usize, usize, usize),
    /// The bytes of the destination as written, where they could be told.
    pub written: Option<(usize, usize)>,
}

/// What link rules read of one body. It is kept in the cache, so that a run over a corpus of which one
/// file changed parses one body.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Extract {
    pub links: Vec<LinkFact>,
    /// Sorted.
    anchors: Vec<Box<str>>,
}

impl Extract {
    /// Parses the body. Images and links in block quotations are not read.
    pub(crate) fn of(markdown: &markdown::Document) -> Self {
        let read = markdown.links().iter().filter(|link| !link.image && !link.quoted);
        let links = read
            .map(|link| {
                let at = markdown.position(link.span.start);
                let place = Place::at("", markdown.source(), link.span, at);
                LinkFact {
                    destination: link.destination.to_string(),
                    text: markdown.link_text(link),
                    at: (place.line, place.column, place.width),
                    written: link.destination_span.map(|span| (span.start, span.end)),
                }
            })
            .collect();
        let anchors = markdown.anchors().into_iter().map(Into::into).collect();
        Self { links, anchors }
    }

    pub(super) fn has_anchor(&self, anchor: &str) -> bool {
        self.anchors.binary_search_by(|held| (**held).cmp(anchor)).is_ok()
    }

    /// The bytes that [`Extract::decode`] reads.
    pub(crate) fn encode(&self) -> Vec<u8> {
        let mut out = Vec::new();
        number(&mut out, self.links.len());
        for link in &self.links {
            text(&mut out, &link.destination);
            text(&mut out, &link.text);
            let (line, column, width) = link.at;
            // An end is never zero, so zero says that there is none.
            let (start, end) = link.written.unwrap_or_default();
            [line, column, width, start, end].into_iter().for_each(|at| number(&mut out, at));
        }
        number(&mut out, self.anchors.len());
        self.anchors.iter().for_each(|anchor| text(&mut out, anchor));
        out
    }

    /// Reads bytes of the cache; none where they are not exactly what was written.
    pub(crate) fn decode(bytes: &[u8]) -> Option<Self> {
        let mut from = Bytes(bytes);
        let mut links = Vec::new();
        for _ in 0..from.number()? {
            let (destination, text) = (from.text()?.to_owned(), from.text()?.to_owned());
            let at = (from.number()?, from.number()?, from.number()?);
            let written = (from.number()?, from.number()?);
            let written = (written.1 != 0).then_some(written);
            links.push(LinkFact { destination, text, at, written });
        }
        let mut anchors = Vec::new();
        for _ in 0..from.number()? {
            anchors.push(from.text()?.into());
        }
        from.0.is_empty().then_some(Self { links, anchors })
    }
}

/// Seven bits to a byte, the low ones first; all bytes but the last have the high bit.
fn number(out: &mut Vec<u8>, number: usize) {
    let mut rest = number;
    while rest > 0x7f {
        out.push((rest & 0x7f) as u8 | 0x80);
        rest >>= 7;
    }
    out.push(rest as u8);
}

fn text(out: &mut Vec<u8>, text: &str) {
    number(out, text.len());
    out.extend(text.as_bytes());
}

struct Bytes<'b>(&'b [u8]);

impl<'b> Bytes<'b> {
    fn number(&mut self) -> Option<usize> {
        let mut number = 0_usize;
        for shift in (0..usize::BITS).step_by(7) {
            let (&byte, rest) = self.0.split_first()?;
            self.0 = rest;
            number |= usize::from(byte & 0x7f).checked_shl(shift)?;
            if byte & 0x80 == 0 {
                return Some(number);
            }
        }
        None
    }

    fn text(&mut self) -> Option<&'b str> {
        let length = self.number()?;
        let (text, rest) = self.0.split_at_checked(length)?;
        self.0 = rest;
        std::str::from_utf8(text).ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn what_is_written_is_read_and_nothing_shorter(
            body in "(# \\PC{0,5}\n|\\[a\\]\\(\\PC{0,3}b\\) |!\\[i\\]\\(x\\)|> \\[q\\]\\(y\\)\n|<http://x>|\n\n|é ){0,30}",
            cut in any::<proptest::sample::Index>(),
        ) {
            let extract = Extract::of(&markdown::Document::parse(body).unwrap());
            let bytes = extract.encode();
            prop_assert_eq!(Extract::decode(&bytes), Some(extract));
            prop_assert_eq!(Extract::decode(&bytes[..cut.index(bytes.len())]), None);
        }

        #[test]
        fn no_bytes_make_it_panic(bytes in proptest::collection::vec(any::<u8>(), 0..60)) {
            let _ = Extract::decode(&bytes);
        }

        #[test]
        fn every_number_is_read_back(value in any::<usize>()) {
            let mut out = Vec::new();
            number(&mut out, value);
            prop_assert_eq!(Bytes(&out).number(), Some(value));
        }
    }
}
