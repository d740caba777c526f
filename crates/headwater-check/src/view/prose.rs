//! The prose of a document: the sentences that rules about words read, each with the way back to where
//! it stands. They are those of the body and those of the facet in the scent role, which is the one
//! facet that is prose (checks §9.1).

use std::cell::OnceCell;

use headwater_corpus::Document;
use markdown::{BlockKind, Body, LinkForm, Owner, Sentence, Span, bare_urls};

use crate::finding::{Patch, Place};

/// The sentences of a document. They are cut when the first is asked for: nearly always the text of the
/// whole already tells that a rule has nothing to find.
#[derive(Debug)]
pub struct Prose<'v> {
    document: &'v Document,
    markdown: &'v markdown::Document,
    /// The facet that is prose.
    scent: Option<Scent<'v>>,
    folded: OnceCell<String>,
    sentences: OnceCell<Vec<Held>>,
    labels: OnceCell<Vec<Span>>,
}

/// A front-matter value that is prose.
#[derive(Debug)]
struct Scent<'v> {
    text: &'v str,
    /// Its bytes in the front matter.
    value: Span,
}

#[derive(Debug)]
struct Held {
    sentence: Sentence,
    /// What the author wrote of it; made when it is first asked for where that is all of its text.
    words: OnceCell<markdown::Prose>,
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
        let scent = scent.and_then(|scent| {
            let node = document.facet(scent)?.value;
            let text = node.text()?;
            Some(Scent { text, value: node.span })
        });
        let (folded, sentences, labels) = (OnceCell::new(), OnceCell::new(), OnceCell::new());
        Self { document, markdown, scent, folded, sentences, labels }
    }

    /// The sentences, those of the body first.
    pub fn passages(&self) -> impl Iterator<Item = Passage<'_>> {
        self.held().iter().map(|held| Passage { prose: self, held })
    }

    /// Whether there is no sentence.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        let says_nothing = |c: char| c.is_whitespace() || c == BETWEEN;
        self.folded().chars().all(says_nothing) && self.held().is_empty()
    }

    /// What the author wrote, [`folded`], one sentence after the other: whatever the [`Passage::text`] of
    /// one of them holds when it is folded, this holds too. A rule looks here before it asks for
    /// sentences.
    #[must_use]
    pub fn folded(&self) -> &str {
        self.folded.get_or_init(|| {
            let mut words = String::with_capacity(self.markdown.source().len());
            add_words(&mut words, self.markdown.source(), self.markdown.body());
            match &self.scent {
                Some(scent) if is_plain(scent.text) => words.push_str(scent.text),
                Some(scent) => add_words(&mut words, scent.text, &Body::parse(scent.text, 0)),
                None => {}
            }
            folded(words)
        })
    }

    fn held(&self) -> &[Held] {
        self.sentences.get_or_init(|| {
            let own = self.markdown.sentences().into_iter();
            let mut held: Vec<Held> = own.map(|sentence| Held::of(sentence, None)).collect();
            if let Some(Scent { text, value }) = &self.scent {
                let read = Body::parse(text, 0).sentences(text).into_iter();
                held.extend(read.map(|sentence| Held::of(sentence, Some(*value))));
            }
            held
        })
    }

    /// Bytes of the file that are text and also say where a link leads, in order and apart.
    fn labels(&self) -> &[Span] {
        self.labels.get_or_init(|| labels(self.markdown))
    }
}

/// What stands between two stretches of an author's words where they are put in one text.
const BETWEEN: char = '\0';

/// Adds the words that the author of a body wrote in its prose.
fn add_words(words: &mut String, source: &str, body: &Body) {
    for block in body.blocks().iter().filter(|block| block.is_prose()) {
        for run in body.runs_of(block) {
            match run.owner {
                Owner::Authored => words.push_str(run.text(source)),
                Owner::Quoted | Owner::Code => words.push(BETWEEN),
            }
        }
        words.push(BETWEEN);
    }
}

/// Whether a text is one paragraph that is read as it is written, but for blanks at its end. Most values
/// are, and need not be parsed.
fn is_plain(text: &str) -> bool {
    let is_marked = |byte: u8| {
        byte.is_ascii_control()
            || matches!(byte, b'\\' | b'`' | b'*' | b'_' | b'~' | b'[' | b']' | b'<' | b'>')
            || matches!(byte, b'!' | b'&' | b'|' | b'"')
    };
    text.starts_with(|c: char| c.is_ascii_alphabetic())
        && text.is_ascii()
        && !text.bytes().any(is_marked)
}

/// A text as one that is looked for in it is spelled too: in lower case, with one form of the hyphen and
/// of the apostrophe, and one blank for white space of any kind and length.
#[must_use]
pub fn folded(mut text: String) -> String {
    let bytes = text.as_bytes();
    // Not `any`, so that many bytes are looked at in one step.
    let pairs = bytes.iter().zip(bytes.get(1..).unwrap_or_default());
    let is_control = |byte: &u8| matches!(byte, b'\t'..=b'\r');
    let has_blanks = pairs.fold(bytes.first().is_some_and(is_control), |found, (one, next)| {
        found | is_control(next) | (*one == b' ' && *next == b' ')
    });
    if text.is_ascii() && !has_blanks {
        text.make_ascii_lowercase();
        return text;
    }
    let mut folded = String::with_capacity(text.len());
    let mut is_parted = false;
    for c in text.chars() {
        let was_parted = is_parted;
        is_parted = c.is_whitespace();
        match c {
            _ if is_parted && was_parted => {}
            _ if is_parted => folded.push(' '),
            c if c.is_ascii() => folded.push(c.to_ascii_lowercase()),
            '\u{2010}' | '\u{2011}' => folded.push('-'),
            '’' => folded.push('\''),
            c => folded.extend(c.to_lowercase()),
        }
    }
    folded
}

impl Held {
    fn of(sentence: Sentence, value: Option<Span>) -> Self {
        let is_whole = sentence.parts.iter().all(|part| part.owner == Owner::Authored);
        let mut words = (!is_whole).then(|| sentence.prose());
        // An address is made of words and is none.
        for address in bare_urls(words.as_ref().map_or(&sentence.text, |words| &words.text)) {
            words.get_or_insert_with(|| sentence.prose()).blank(address);
        }
        Self { sentence, words: words.map_or_else(OnceCell::new, OnceCell::from), value }
    }

    /// Its words with the way back to where they stand, kept for every finding of a long sentence.
    fn words(&self) -> &markdown::Prose {
        self.words.get_or_init(|| self.sentence.prose())
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
        self.held.words.get().map_or(&self.held.sentence.text, |words| &words.text)
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
        let words = self.held.words();
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
        let span = self.held.words().span(range.start, range.end)?;
        let labels = self.prose.labels();
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
    use markdown::PLACEHOLDER;
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn the_whole_holds_what_a_sentence_holds(
            source in "(\\PC{0,6}|[aK]|\\*|`|\"|&amp;|“|”|’|[.] |  |\u{a0}|\t|\n|\n\n|- |> |# |https://a[.]b/ ){0,40}",
        ) {
            let body = Body::parse(&source, 0);
            let mut words = String::new();
            add_words(&mut words, &source, &body);
            let whole = folded(words);
            for sentence in body.sentences(&source) {
                let held = Held::of(sentence, None);
                let text = held.words().text.clone();
                for piece in folded(text).split([BETWEEN, PLACEHOLDER]) {
                    prop_assert!(whole.contains(piece), "{piece:?} {whole:?}");
                }
            }
        }

        #[test]
        fn a_plain_text_is_read_as_it_is(text in "[aB][ -~\t]{0,4}[a .:,;#=+-]{0,20}|[ -~\t\0\n]{0,5}") {
            if is_plain(&text) {
                let body = Body::parse(&text, 0);
                let mut words = String::new();
                add_words(&mut words, &text, &body);
                prop_assert_eq!(words.trim_end_matches(BETWEEN), text.trim_end_matches(' '));
            }
        }

        #[test]
        fn a_text_folds_alike_by_either_way(text in "[aB \t\n’-]{0,20}") {
            let slow: String = folded(format!("é{text}")).chars().skip(1).collect();
            prop_assert_eq!(folded(text), slow);
        }
    }

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
