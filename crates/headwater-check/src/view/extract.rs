//! What link rules read of one body, and the bytes that the cache keeps of it.

use std::borrow::Cow;

use sha2::{Digest as _, Sha256};

use crate::finding::Place;
use crate::key::{Canonical, Key};

/// One link of prose, as far as its document alone decides it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LinkFact<'e> {
    /// Where it leads, as read.
    pub destination: &'e str,
    /// Its text.
    pub text: &'e str,
    /// Where it starts: line, column and width.
    pub(super) at: (usize, usize, usize),
    /// The bytes of the destination as written, where they could be told.
    pub written: Option<(usize, usize)>,
    /// What stands there, where that is not what was read of it.
    spelled: &'e str,
}

impl<'e> LinkFact<'e> {
    /// The destination as written, where its bytes could be told.
    #[must_use]
    pub fn spelled(&self) -> Option<&'e str> {
        self.written.map(|_| if self.spelled.is_empty() { self.destination } else { self.spelled })
    }
}

/// What link rules read of one body. It is kept in the cache, so that a run over a corpus of which one
/// file changed parses one body; and it is read from the bytes of the cache where they lie, because most
/// of it is never asked for.
///
/// ```text
/// the number of anchors and the length of their texts, each in four bytes, then the number of links,
/// then for each its destination, its text, where it starts, where it is written and how, if otherwise,
/// then in four bytes for each anchor, sorted, where its text ends, then those texts
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Extract<'e>(Cow<'e, [u8]>);

/// Nothing.
impl Default for Extract<'_> {
    fn default() -> Self {
        Self(Cow::Borrowed(&[0; 2 * SIZE + 1]))
    }
}

/// The bytes of a number in the tables of anchors.
const SIZE: usize = 4;

impl Extract<'_> {
    /// Parses the body. Images and links in block quotations are not read.
    pub(crate) fn of(markdown: &markdown::Document) -> Self {
        let anchors = markdown.anchors();
        let mut out = Vec::new();
        four(&mut out, anchors.len());
        four(&mut out, anchors.iter().map(String::len).sum());
        let read = || markdown.links().iter().filter(|link| !link.image && !link.quoted);
        number(&mut out, read().count());
        for link in read() {
            let at = markdown.position(link.span.start);
            let place = Place::at("", markdown.source(), link.span, at);
            text(&mut out, &link.destination);
            text(&mut out, &markdown.link_text(link));
            // An end is never zero, so zero says that there is none.
            let written = link.destination_span.unwrap_or_default();
            [place.line, place.column, place.width, written.start, written.end]
                .into_iter()
                .for_each(|at| number(&mut out, at));
            let spelled = written.of(markdown.source());
            text(&mut out, if spelled == &*link.destination { "" } else { spelled });
        }
        let mut end = 0;
        for anchor in &anchors {
            end += anchor.len();
            four(&mut out, end);
        }
        anchors.iter().for_each(|anchor| out.extend(anchor.as_bytes()));
        Self(Cow::Owned(out))
    }

    /// The links, in place order.
    pub(crate) fn links(&self) -> impl Iterator<Item = LinkFact<'_>> {
        let mut from = Bytes(self.0.get(2 * SIZE..).unwrap_or_default());
        let count = from.number().unwrap_or_default();
        (0..count).map_while(move |_| from.link())
    }

    pub(super) fn has_anchor(&self, anchor: &str) -> bool {
        let anchors = Anchors::of(&self.0).unwrap_or_default();
        let (mut low, mut high) = (0, anchors.count());
        while low < high {
            let middle = low + (high - low) / 2;
            match anchors.get(middle).map(|held| held.cmp(anchor.as_bytes())) {
                Some(std::cmp::Ordering::Equal) => return true,
                Some(std::cmp::Ordering::Less) => low = middle + 1,
                Some(std::cmp::Ordering::Greater) | None => high = middle,
            }
        }
        false
    }
}

impl<'e> Extract<'e> {
    /// Reads bytes of the cache; none where they are not exactly what was written.
    pub(crate) fn read(bytes: &'e [u8]) -> Option<Self> {
        let mut from = Bytes(bytes.get(2 * SIZE..)?);
        for _ in 0..from.number()? {
            from.link()?;
        }
        let anchors = Anchors::of(bytes)?;
        let (ends, texts) = (anchors.ends.len(), anchors.texts.len());
        let whole = from.0.len() == ends + texts;
        let mut last = 0;
        for at in 0..anchors.count() {
            let end = anchors.end(at).filter(|end| (last..=texts).contains(end))?;
            last = end;
        }
        (whole && last == texts).then_some(Self(Cow::Borrowed(bytes)))
    }
}

/// What a corpus rule can see of a document: its front matter, which stands in the document, what link
/// rules read of its body, and a digest over both. Prose that changes leaves it as it is.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Seen<'e> {
    pub extract: Extract<'e>,
    pub digest: Key,
}

impl Seen<'_> {
    /// Parses the body.
    pub(crate) fn of(markdown: &markdown::Document) -> Self {
        let extract = Extract::of(markdown);
        let head = markdown.source().get(..markdown.body_start()).unwrap_or_default();
        let mut key = Canonical::new(Sha256::new());
        key.text(head).blob(&extract.0);
        Self { extract, digest: key.finish() }
    }

    /// The bytes that [`Seen::read`] reads.
    pub(crate) fn bytes(&self) -> Vec<u8> {
        [&*self.extract.0, &self.digest].concat()
    }
}

impl<'e> Seen<'e> {
    /// Reads bytes of the cache; none where they are not exactly what was written.
    pub(crate) fn read(bytes: &'e [u8]) -> Option<Self> {
        let (extract, digest) = bytes.split_last_chunk()?;
        Some(Self { extract: Extract::read(extract)?, digest: *digest })
    }
}

/// The anchors of an extract.
#[derive(Default)]
struct Anchors<'b> {
    ends: &'b [u8],
    texts: &'b [u8],
}

impl<'b> Anchors<'b> {
    /// None where the tables do not fit.
    fn of(bytes: &'b [u8]) -> Option<Self> {
        let (count, bytes) = bytes.split_first_chunk::<SIZE>()?;
        let (length, bytes) = bytes.split_first_chunk::<SIZE>()?;
        let [count, length] = [count, length].map(|number| u32::from_le_bytes(*number) as usize);
        let (bytes, texts) = bytes.split_at_checked(bytes.len().checked_sub(length)?)?;
        let table = bytes.len().checked_sub(count.checked_mul(SIZE)?)?;
        Some(Self { ends: bytes.get(table..)?, texts })
    }

    const fn count(&self) -> usize {
        self.ends.len() / SIZE
    }

    fn end(&self, at: usize) -> Option<usize> {
        let (chunk, _) = self.ends.get(at * SIZE..)?.split_first_chunk::<SIZE>()?;
        Some(u32::from_le_bytes(*chunk) as usize)
    }

    fn get(&self, at: usize) -> Option<&'b [u8]> {
        let start = if at == 0 { 0 } else { self.end(at - 1)? };
        self.texts.get(start..self.end(at)?)
    }
}

/// Four bytes, the low ones first. No document is as long as four bytes can tell.
fn four(out: &mut Vec<u8>, number: usize) {
    out.extend(u32::try_from(number).unwrap_or(u32::MAX).to_le_bytes());
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

    fn link(&mut self) -> Option<LinkFact<'b>> {
        let (destination, text) = (self.text()?, self.text()?);
        let at = (self.number()?, self.number()?, self.number()?);
        let written = (self.number()?, self.number()?);
        let written = (written.1 != 0).then_some(written);
        let spelled = self.text()?;
        Some(LinkFact { destination, text, at, written, spelled })
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
            body in "(# \\PC{0,5}\n|\\[a\\]\\(\\PC{0,3}b\\) |\\[a\\]\\(\\\\_&lt;x\\) |!\\[i\\]\\(x\\)|> \\[q\\]\\(y\\)\n|<http://x>|\n\n|é ){0,30}",
            cut in any::<proptest::sample::Index>(),
            other in "\\PC{0,3}",
        ) {
            let markdown = markdown::Document::parse(body).unwrap();
            let extract = Extract::of(&markdown);
            let read = Extract::read(&extract.0);
            prop_assert_eq!(read.as_ref(), Some(&extract));
            let seen = Seen::of(&markdown);
            let bytes = seen.bytes();
            prop_assert_eq!(Seen::read(&bytes), Some(seen));
            prop_assert_eq!(Extract::read(&extract.0[..cut.index(extract.0.len())]), None);
            let links = markdown.links().iter().filter(|link| !link.image && !link.quoted);
            let destinations: Vec<&str> = links.map(|link| &*link.destination).collect();
            let told: Vec<&str> = extract.links().map(|link| link.destination).collect();
            prop_assert_eq!(told, destinations);
            for link in extract.links() {
                let written = link.written.map(|(start, end)| &markdown.source()[start..end]);
                prop_assert_eq!(link.spelled(), written);
            }
            let anchors = markdown.anchors();
            for anchor in &anchors {
                prop_assert!(extract.has_anchor(anchor), "{}", anchor);
            }
            prop_assert_eq!(extract.has_anchor(&other), anchors.contains(&other));
        }

        #[test]
        fn no_bytes_make_it_panic(bytes in proptest::collection::vec(any::<u8>(), 0..60)) {
            if let Some(read) = Extract::read(&bytes) {
                let _ = (read.links().count(), read.has_anchor("a"));
            }
        }

        #[test]
        fn every_number_is_read_back(value in any::<usize>()) {
            let mut out = Vec::new();
            number(&mut out, value);
            prop_assert_eq!(Bytes(&out).number(), Some(value));
        }
    }

    #[test]
    fn nothing_holds_nothing() {
        let nothing = Extract::default();
        assert_eq!(Extract::read(&nothing.0), Some(Extract::default()));
        assert_eq!((nothing.links().count(), nothing.has_anchor("")), (0, false));
    }
}
