//! The prose of a document: the sentences that rules about words read, each with the way back to where
//! it stands. They are those of the body and those of the facet in the scent role, which is the one
//! facet that is prose (checks §9.1).

use headwater_corpus::Document;
use markdown::{BlockKind, Body, LinkForm, Sentence, Span, bare_urls};

use crate::finding::{Patch, Place};

/// The sentences of a document.
#[derive(Debug)]
pub struct Prose<'v> {
    document: &'v Document,
    markdown: &'v markdown::Document,
    sentences: Vec<Held>,
    /// Bytes of the file that are text and also say where a link leads, in order and apart.
    labels: Vec<Span>,
}

#[derive(Debug)]
struct Held {
    sentence: Sentence,
    /// What the author wrote of it.
    words: markdown::Prose,
    /// The bytes of the front-matter value that it is of.
    value: Option<Span>,
}

impl<'v> Prose<'v> {
    /// The sentences of the body, then those of the facet of a name.
    pub(crate) fn of(
        document: &'v Document,
        markdown: &'v markdown::Document,
        scent: Option<&str>,
    ) -> Self {
        let mut sentences: Vec<Held> =
            markdown.sentences().into_iter().map(|sentence| Held::of(sentence, None)).collect();
        if let Some(fact) = scent.and_then(|scent| document.facet(scent))
            && let Some(text) = fact.value.text()
        {
            let read = Body::parse(text, 0).sentences(text).into_iter();
            sentences.extend(read.map(|sentence| Held::of(sentence, Some(fact.value.span))));
        }
        Self { document, markdown, sentences, labels: labels(markdown) }
    }

    /// The sentences, those of the body first.
    pub fn passages(&self) -> impl Iterator<Item = Passage<'_>> {
        self.sentences.iter().map(|held| Passage { prose: self, held })
    }

    /// Whether there is no sentence.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.sentences.is_empty()
    }
}

impl Held {
    fn of(sentence: Sentence, value: Option<Span>) -> Self {
        let mut words = sentence.prose();
        // An address is made of words and is none.
        for address in bare_urls(&words.text) {
            words.blank(address);
        }
        Self { sentence, words, value }
    }
}

/// The bytes that are both text and destination: the labels of references without a text of their own,
/// and addresses in angle brackets.
fn labels(markdown: &markdown::Document) -> Vec<Span> {
    let mut labels: Vec<Span> = Vec::new();
    for link in markdown.links() {
        if matches!(link.form, LinkForm::Inline | LinkForm::Reference) {
            continue;
        }
        match labels.last_mut() {
            Some(last) if link.span.start < last.end => last.end = last.end.max(link.span.end),
            _ => labels.push(link.span),
        }
    }
    labels
}

/// One sentence and where it stands.
#[derive(Clone, Copy, Debug)]
pub struct Passage<'p> {
    prose: &'p Prose<'p>,
    held: &'p Held,
}

impl<'p> Passage<'p> {
    /// The sentence as a reader reads it.
    #[must_use]
    pub const fn sentence(&self) -> &'p Sentence {
        &self.held.sentence
    }

    /// The kind of the block that it stands in.
    #[must_use]
    pub const fn block(&self) -> BlockKind {
        self.held.sentence.kind
    }

    /// What the author wrote of it. Code, other people's words and addresses are no words in it.
    #[must_use]
    pub fn text(&self) -> &'p str {
        &self.held.words.text
    }

    /// Whether it is of a front-matter value, which no patch of a text reaches.
    #[must_use]
    pub const fn is_front_matter(&self) -> bool {
        self.held.value.is_some()
    }

    /// Where it starts; of a front-matter value, where the value starts.
    #[must_use]
    pub fn start(&self) -> Place {
        self.held
            .value
            .map_or_else(|| self.body_place(self.held.sentence.span), |it| self.value(it))
    }

    /// Where a range of its text stands; of a front-matter value, where the value starts.
    #[must_use]
    pub fn place(&self, range: Span) -> Place {
        if let Some(value) = self.held.value {
            return self.value(value);
        }
        let words = &self.held.words;
        let begin = words.offset(range.start).unwrap_or(self.held.sentence.span.start);
        self.body_place(words.span(range.start, range.end).unwrap_or(Span::new(begin, begin)))
    }

    /// The patch that writes a text in place of a range of its text. There is none where the range is
    /// not one run of the body byte for byte, where it is part of a longer word, a path or a name, where
    /// it says where a link leads, and in a heading, since links elsewhere name what it says.
    #[must_use]
    pub fn replacing(&self, range: Span, replacement: &str) -> Option<Patch> {
        let is_heading = matches!(self.block(), BlockKind::Heading(_));
        if self.is_front_matter() || is_heading || !stands_alone(self.text(), range) {
            return None;
        }
        let span = self.held.words.span(range.start, range.end)?;
        let labels = &self.prose.labels;
        let after = labels.partition_point(|label| label.start <= span.start);
        let label = after.checked_sub(1).and_then(|at| labels.get(at));
        if label.is_some_and(|label| span.start < label.end) {
            return None;
        }
        let markdown = self.prose.markdown;
        Some(Patch::Text {
            path: self.prose.document.path().to_owned(),
            start: span.start,
            end: span.end,
            expected: span.of(markdown.source()).to_owned(),
            replacement: replacement.to_owned(),
        })
    }

    fn body_place(&self, span: Span) -> Place {
        let Prose { document, markdown, .. } = self.prose;
        Place::at(document.path(), markdown.source(), span, markdown.position(span.start))
    }

    fn value(&self, span: Span) -> Place {
        let document = self.prose.document;
        let position = document.front_matter_position(span.start);
        Place::at(document.front_matter_path(), document.front_matter_source(), span, position)
    }
}

/// Whether a range is parted from what is around it by white space or the punctuation of a sentence.
fn stands_alone(text: &str, range: Span) -> bool {
    let (Some(before), Some(after)) = (text.get(..range.start), text.get(range.end..)) else {
        return false;
    };
    let opens = |c: char| c.is_whitespace() || "([{\"“«‹„¡¿–—…".contains(c);
    let mut after = after.chars();
    let closed = match after.next() {
        None => true,
        Some(c) if c.is_whitespace() || ")]}\"”»›–—…".contains(c) => true,
        // A stop inside a name or a number is followed by more of it.
        Some('.' | ',' | ';' | ':' | '!' | '?') => {
            after.next().is_none_or(|c| c.is_whitespace() || ".,;:!?)]}\"”»›–—…".contains(c))
        }
        Some(_) => false,
    };
    closed && before.chars().next_back().is_none_or(opens)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_word_that_is_part_of_something_does_not_stand_alone() {
        for text in [
            "word",
            "a word b",
            "(word)",
            "“word”",
            "word.",
            "word, b",
            "word.)",
            "a—word—b",
            "word?!",
        ] {
            let at = text.find("word").unwrap_or_default();
            assert!(stands_alone(text, Span::new(at, at + 4)), "{text}");
        }
        for text in [
            "a/word", "word/a", "word.rs", "word_a", "x-word", "word-x", "word's", "'word'",
            "word’", "@word", "#word", "word@x", "a.word", "word:x", "word()", "1word", "word²",
            "word://",
        ] {
            let at = text.find("word").unwrap_or_default();
            assert!(!stands_alone(text, Span::new(at, at + 4)), "{text}");
        }
    }
}
