//! From Markdown to blocks, runs and links.
//!
//! The library gives events with ranges; this turns them into flat lists. At most one block that
//! holds text is open at a time (a tight item's text ends where a block inside the item begins), so
//! nesting costs no recursion and no stack beyond that of the links around the place that is read.

use std::borrow::Cow;

use pulldown_cmark::{
    CodeBlockKind, CowStr, Event, HeadingLevel, LinkType, OffsetIter, Options, Parser, Tag, TagEnd,
};

use crate::block::{Block, BlockKind, Owner, Run, Text};
use crate::link::{Definition, Link, LinkForm, defined_destination, inline_destination};
use crate::quoted;
use crate::span::Span;

/// The dialect: CommonMark with tables and strikethrough.
pub(crate) const OPTIONS: Options = Options::ENABLE_TABLES.union(Options::ENABLE_STRIKETHROUGH);

/// The parsed part of a document below its front matter. Spans are offsets into the whole source.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Body {
    blocks: Vec<Block>,
    runs: Vec<Run>,
    soft_breaks: Vec<Span>,
    links: Vec<Link>,
    definitions: Vec<Definition>,
}

impl Body {
    /// Parses what stands in a source from an offset on. Linear; every text is a body.
    #[must_use]
    pub fn parse(source: &str, from: usize) -> Self {
        let text = source.get(from..).unwrap_or_default();
        let text = with_fences_closed(text);
        let mut events = Parser::new_ext(&text, OPTIONS).into_offset_iter();
        let mut reader = Reader::new(source, from);
        reader.define(&events);
        while let Some((event, range)) = events.next() {
            reader.read(event, Span::from(range).shifted(from), &events);
        }
        reader.close();
        reader.body
    }

    /// The blocks that hold text, in source order.
    #[must_use]
    pub fn blocks(&self) -> &[Block] {
        &self.blocks
    }

    /// Links and images in source order; an image inside a link comes after it.
    #[must_use]
    pub fn links(&self) -> &[Link] {
        &self.links
    }

    /// Reference definitions in source order.
    #[must_use]
    pub fn definitions(&self) -> &[Definition] {
        &self.definitions
    }

    /// All runs of all blocks, in source order.
    #[must_use]
    pub fn runs(&self) -> &[Run] {
        &self.runs
    }

    /// The runs of one block of this body.
    #[must_use]
    pub fn runs_of(&self, block: &Block) -> &[Run] {
        self.runs.get(block.runs.clone()).unwrap_or_default()
    }

    /// The run whose text holds a range of the source byte for byte, and its block.
    #[must_use]
    pub fn run_at(&self, range: Span) -> Option<(&Block, &Run)> {
        let holds = |run: &Run| run.text_span().is_some_and(|text| text.contains(range));
        let first = self.runs.partition_point(|run| run.span.end < range.end);
        // An empty range between two runs is taken for the end of the first.
        let at =
            (first..self.runs.len()).take(2).find(|at| self.runs.get(*at).is_some_and(holds))?;
        let block = self.blocks.partition_point(|block| block.runs.end <= at);
        Some((self.blocks.get(block)?, self.runs.get(at)?))
    }

    /// Whether a run is a code span: code among the words of a block.
    #[must_use]
    pub fn is_code_span(source: &str, block: &Block, run: &Run) -> bool {
        run.owner == Owner::Code
            && !block.kind.is_verbatim()
            && run.span.of(source).starts_with('`')
    }

    /// The soft line breaks of one block of this body.
    #[must_use]
    pub fn soft_breaks_of(&self, block: &Block) -> &[Span] {
        self.soft_breaks.get(block.soft_breaks.clone()).unwrap_or_default()
    }

    /// The text of one block: its runs, one after the other.
    #[must_use]
    pub fn text_of(&self, source: &str, block: &Block) -> String {
        self.runs_of(block).iter().map(|run| run.text(source)).collect()
    }

    /// The text of a link or image of this body: its runs, one after the other.
    #[must_use]
    pub fn link_text(&self, source: &str, link: &Link) -> String {
        let runs = self.runs.get(link.runs.clone()).unwrap_or_default();
        runs.iter().map(|run| run.text(source)).collect()
    }
}

struct Reader<'s> {
    source: &'s str,
    /// Where the body begins in the source.
    from: usize,
    body: Body,
    /// Whether a quotation mark can be read anywhere.
    may_quote: bool,
    quote_depth: usize,
    open: Option<OpenBlock>,
    links: Vec<OpenLink>,
}

/// The block whose text is being read.
struct OpenBlock {
    block: Block,
    /// The first link that began in the block.
    first_link: usize,
}

/// A link whose text is being read.
struct OpenLink {
    /// Its place among the links of the body; past all of them for what is none.
    index: usize,
    /// Where the last thing inside the link ends.
    inner_end: usize,
    /// Whether it is an image or inside one, where everything is text.
    in_image: bool,
}

impl<'s> Reader<'s> {
    fn new(source: &'s str, from: usize) -> Self {
        // About as many as prose has, so that the lists seldom move.
        let length = source.len().saturating_sub(from);
        let body = Body {
            blocks: Vec::with_capacity(length / 64),
            runs: Vec::with_capacity(length / 32),
            ..Body::default()
        };
        let may_quote = quoted::may_quote(source.get(from..).unwrap_or_default());
        Self { source, from, body, may_quote, quote_depth: 0, open: None, links: Vec::new() }
    }

    fn define(&mut self, events: &OffsetIter<'_>) {
        let source = self.source;
        let from = self.from;
        self.body.definitions = events
            .reference_definitions()
            .iter()
            .map(|(label, definition)| {
                let span = Span::from(definition.span.clone()).shifted(from);
                Definition {
                    span: trimmed(source, span),
                    label: label.into(),
                    destination: definition.dest.as_ref().into(),
                    destination_span: defined_destination(source, span),
                }
            })
            .collect();
        self.body.definitions.sort_by_key(|definition| definition.span);
    }

    fn read(&mut self, event: Event<'_>, span: Span, events: &OffsetIter<'_>) {
        // What lies inside a link ends where its last child does.
        if !matches!(event, Event::End(TagEnd::Link | TagEnd::Image))
            && let Some(link) = self.links.last_mut()
        {
            link.inner_end = link.inner_end.max(span.end);
        }
        match event {
            Event::Start(tag) => self.start(tag, span, events),
            Event::End(tag) => self.end(tag, span),
            Event::Text(text) => self.text(&text, span),
            Event::Code(text) => self.push(self.code(&text, span)),
            Event::Html(_) | Event::InlineHtml(_) => {
                self.push(Run { span, owner: Owner::Code, text: Text::Source(span) });
            }
            Event::SoftBreak => {
                self.body.soft_breaks.push(span);
                self.push(Run { span, owner: self.owner(), text: Text::Break });
            }
            Event::HardBreak => self.push(Run { span, owner: self.owner(), text: Text::Break }),
            Event::Rule => self.close(),
            _ => {}
        }
    }

    fn start(&mut self, tag: Tag<'_>, span: Span, events: &OffsetIter<'_>) {
        let none = CowStr::Borrowed("");
        match tag {
            Tag::Paragraph => self.open(BlockKind::Paragraph, span, &none),
            Tag::Heading { level, .. } => {
                let level = match level {
                    HeadingLevel::H1 => 1,
                    HeadingLevel::H2 => 2,
                    HeadingLevel::H3 => 3,
                    HeadingLevel::H4 => 4,
                    HeadingLevel::H5 => 5,
                    HeadingLevel::H6 => 6,
                };
                self.open(BlockKind::Heading(level), span, &none);
            }
            Tag::TableCell => self.open(BlockKind::Cell, span, &none),
            Tag::CodeBlock(CodeBlockKind::Fenced(info)) => self.open(BlockKind::Code, span, &info),
            Tag::CodeBlock(CodeBlockKind::Indented) => self.open(BlockKind::Code, span, &none),
            Tag::HtmlBlock => self.open(BlockKind::Html, span, &none),
            Tag::BlockQuote(_) => {
                self.close();
                self.quote_depth += 1;
            }
            Tag::Emphasis | Tag::Strong | Tag::Strikethrough => self.reach(span),
            Tag::Link { link_type, dest_url, id, .. } => {
                self.link(link_type, &dest_url, &id, span, false, events);
            }
            Tag::Image { link_type, dest_url, id, .. } => {
                self.link(link_type, &dest_url, &id, span, true, events);
            }
            _ => self.close(),
        }
    }

    fn end(&mut self, tag: TagEnd, span: Span) {
        match tag {
            TagEnd::BlockQuote(_) => {
                self.close();
                self.quote_depth -= 1;
            }
            TagEnd::Emphasis | TagEnd::Strong | TagEnd::Strikethrough => self.reach(span),
            TagEnd::Link | TagEnd::Image => self.end_link(span),
            _ => self.close(),
        }
    }

    fn open(&mut self, kind: BlockKind, span: Span, info: &str) {
        self.close();
        let runs = self.body.runs.len();
        let soft_breaks = self.body.soft_breaks.len();
        self.open = Some(OpenBlock {
            block: Block {
                kind,
                span: trimmed(self.source, span),
                quote_depth: self.quote_depth,
                info: info.split_whitespace().next().unwrap_or_default().into(),
                runs: runs..runs,
                soft_breaks: soft_breaks..soft_breaks,
            },
            first_link: self.body.links.len(),
        });
    }

    /// Inline content at `span`: outside every other block it is the text of a tight list item.
    fn reach(&mut self, span: Span) {
        match &mut self.open {
            Some(open) => {
                if open.block.kind == BlockKind::Item {
                    open.block.span.end = open.block.span.end.max(span.end);
                }
            }
            None => self.open(BlockKind::Item, span, ""),
        }
    }

    /// Ends the open block and settles whose words its runs are.
    fn close(&mut self) {
        let Some(OpenBlock { mut block, first_link }) = self.open.take() else { return };
        let body = &mut self.body;
        let start = block.runs.start;
        if body.runs.len() == start {
            body.soft_breaks.truncate(block.soft_breaks.start);
            return;
        }
        if self.may_quote
            && block.is_prose()
            && let Some(first_part) = quoted::assign(self.source, &mut body.runs, start)
        {
            for link in body.links.iter_mut().skip(first_link) {
                let moved = |at: usize| first_part.get(at - start).copied().unwrap_or(at);
                link.runs = moved(link.runs.start)..moved(link.runs.end);
            }
        }
        if !block.kind.is_verbatim() {
            // A heading keeps a tab at its end that the trimmed span is without.
            let last = body.runs.last().map_or(0, |run| run.span.end);
            block.span.end = block.span.end.max(last);
        }
        block.runs.end = body.runs.len();
        block.soft_breaks.end = body.soft_breaks.len();
        body.blocks.push(block);
    }

    fn owner(&self) -> Owner {
        if self.quote_depth > 0 { Owner::Quoted } else { Owner::Authored }
    }

    fn text(&mut self, text: &str, span: Span) {
        let verbatim = self.open.as_ref().is_some_and(|open| open.block.kind.is_verbatim());
        let exact = span.of(self.source) == text;
        let owner = if verbatim { Owner::Code } else { self.owner() };
        if !exact {
            let text = Text::Read(text.into());
            return self.push(Run { span, owner, text });
        }
        // The library ends a text where something might have been markup; a reader sees one text.
        let begun = self.open.as_ref().map_or(usize::MAX, |open| open.block.runs.start);
        if !verbatim
            && self.body.runs.len() > begun
            && let Some(last) = self.body.runs.last_mut()
            && last.owner == owner
            && last.is_exact()
            && last.span.end == span.start
        {
            last.span.end = span.end;
            last.text = Text::Source(last.span);
            return self.reach(span);
        }
        self.push(Run { span, owner, text: Text::Source(span) });
    }

    /// A code span: its text stands between the backticks, unless a line break is read as a space.
    fn code(&self, text: &str, span: Span) -> Run {
        let raw = span.of(self.source);
        let ticks = raw.bytes().take_while(|&byte| byte == b'`').count();
        let inner = Span::new(span.start + ticks, span.end.saturating_sub(ticks));
        let stripped = Span::new(inner.start + 1, inner.end.saturating_sub(1));
        let found = [inner, stripped].into_iter().find(|span| span.of(self.source) == text);
        let text = found.map_or_else(|| Text::Read(text.into()), Text::Source);
        Run { span, owner: Owner::Code, text }
    }

    fn push(&mut self, run: Run) {
        self.reach(run.span);
        if !run.text(self.source).is_empty() {
            self.body.runs.push(run);
        }
    }

    fn link(
        &mut self,
        form: LinkType,
        destination: &str,
        label: &str,
        span: Span,
        image: bool,
        events: &OffsetIter<'_>,
    ) {
        self.reach(span);
        // A label with a caret is a footnote wherever there are footnotes, and nobody means a link. What
        // describes an image leads nowhere.
        let in_image = self.links.last().is_some_and(|outer| outer.in_image);
        let is_text = label.starts_with('^') || in_image;
        let (form, definition) = match form {
            LinkType::Inline | LinkType::WikiLink { .. } => (LinkForm::Inline, None),
            LinkType::Reference | LinkType::ReferenceUnknown => {
                (LinkForm::Reference, self.definition(label, events))
            }
            LinkType::Collapsed | LinkType::CollapsedUnknown => {
                (LinkForm::Collapsed, self.definition(label, events))
            }
            LinkType::Shortcut | LinkType::ShortcutUnknown => {
                (LinkForm::Shortcut, self.definition(label, events))
            }
            LinkType::Autolink => (LinkForm::Autolink, None),
            LinkType::Email => (LinkForm::Email, None),
        };
        let destination_span = match form {
            LinkForm::Autolink | LinkForm::Email => Some(Span::new(span.start + 1, span.end - 1)),
            _ => definition.and_then(|at| self.body.definitions[at].destination_span),
        };
        let destination = match form {
            LinkForm::Email => format!("mailto:{destination}").into(),
            _ => destination.into(),
        };
        let runs = self.body.runs.len();
        self.links.push(OpenLink {
            index: if is_text { usize::MAX } else { self.body.links.len() },
            inner_end: span.start + if image { 2 } else { 1 },
            in_image: image || in_image,
        });
        if is_text {
            return;
        }
        self.body.links.push(Link {
            span,
            form,
            destination,
            destination_span,
            definition,
            image,
            quoted: self.quote_depth > 0,
            runs: runs..runs,
        });
    }

    fn definition(&self, label: &str, events: &OffsetIter<'_>) -> Option<usize> {
        let definition = events.reference_definitions().get(label)?;
        let start = definition.span.start + self.from;
        self.body.definitions.binary_search_by_key(&start, |known| known.span.start).ok()
    }

    fn end_link(&mut self, span: Span) {
        let Some(OpenLink { index, inner_end, .. }) = self.links.pop() else { return };
        if let Some(outer) = self.links.last_mut() {
            outer.inner_end = outer.inner_end.max(span.end);
        }
        let runs = self.body.runs.len();
        let Some(link) = self.body.links.get_mut(index) else { return };
        link.runs.end = runs;
        if link.form == LinkForm::Inline {
            link.destination_span = inline_destination(self.source, link.span, inner_end);
        }
        self.reach(span);
    }
}

/// The text with spaces for the tabs behind a code fence at the end of a line. A closing fence may be
/// followed by both, and the library takes spaces only; the rest of the document would be code.
pub(crate) fn with_fences_closed(text: &str) -> Cow<'_, str> {
    const BLANKS: [char; 2] = [' ', '\t'];
    let mut closed = Cow::Borrowed(text);
    if memchr::memchr(b'\t', text.as_bytes()).is_none() {
        return closed;
    }
    let mut start = 0;
    for line in text.split_inclusive('\n') {
        let content = line.trim_end_matches(['\n', '\r']);
        let bare = content.trim_end_matches(BLANKS);
        let blanks = content.get(bare.len()..).unwrap_or_default();
        if blanks.contains('\t') && (bare.ends_with("```") || bare.ends_with("~~~")) {
            let range = start + bare.len()..start + content.len();
            closed.to_mut().replace_range(range, &" ".repeat(blanks.len()));
        }
        start += line.len();
    }
    closed
}

/// A span without the line breaks and blanks at its end.
fn trimmed(source: &str, span: Span) -> Span {
    let text = span.of(source).trim_end_matches(['\n', '\r', ' ', '\t']);
    Span::new(span.start, span.start + text.len())
}
