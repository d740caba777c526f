//! HTML comments, and the block that each speaks of. A comment that stands alone speaks of the block
//! that follows it, whole: all of a list, all of a table. One inside a block speaks of that block.

use pulldown_cmark::{Event, Parser, Tag, TagEnd};

use crate::body::{OPTIONS, with_fences_closed};
use crate::span::Span;

const OPEN: &str = "<!--";
const CLOSE: &str = "-->";

/// Raw HTML whose content is code or no markup, so that nothing in it is a comment of the author.
const OPAQUE: [&str; 4] = ["pre", "script", "style", "textarea"];

/// A comment in the author's own text: outside code of any kind and outside block quotations.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Comment {
    /// Its bytes, with the marks around it.
    pub span: Span,
    /// What it says.
    pub text: Span,
    /// Whether the mark that ends it is there. One without runs to the end of its block.
    pub closed: bool,
    /// The block that it speaks of, without the blanks at its end: the one it stands in, or, where
    /// nothing but comments stands there, the next sibling that is no comment. A comment that nothing
    /// follows speaks of itself.
    pub block: Span,
}

/// What stands behind each `<!--` of a source, in order, whether a comment opens there or not.
pub fn comment_openings(source: &str) -> impl Iterator<Item = &str> {
    let openings = memchr::memmem::find_iter(source.as_bytes(), OPEN.as_bytes());
    openings.filter_map(|at| source.get(at + OPEN.len()..))
}

/// The comments of what stands in a source from an offset on, in order. Linear.
pub(crate) fn comments(source: &str, from: usize) -> Vec<Comment> {
    let text = source.get(from..).unwrap_or_default();
    let mut reader =
        Reader { source, found: Vec::new(), levels: vec![Level::default()], quoted: 0 };
    let text = with_fences_closed(text);
    for (event, range) in Parser::new_ext(&text, OPTIONS).into_offset_iter() {
        reader.read(&event, Span::from(range).shifted(from));
    }
    reader.leave();
    reader.found
}

/// A block that is open, or the body itself.
#[derive(Default)]
struct Level {
    /// Its bytes, where it is a block that holds text.
    leaf: Option<Span>,
    /// Whether it is raw HTML.
    html: bool,
    /// The comments that stand alone in it and whose next sibling has not come.
    waiting: Vec<usize>,
    /// The text that stands in it without a block around it, as in the item of a tight list.
    loose: Option<Loose>,
}

struct Loose {
    span: Span,
    comments: Vec<usize>,
}

struct Reader<'s> {
    source: &'s str,
    found: Vec<Comment>,
    levels: Vec<Level>,
    quoted: usize,
}

impl Reader<'_> {
    fn read(&mut self, event: &Event<'_>, span: Span) {
        match event {
            Event::Start(tag) if is_inline(tag) => self.inline(span),
            Event::Start(tag) => self.enter(tag, span),
            Event::End(
                TagEnd::Emphasis
                | TagEnd::Strong
                | TagEnd::Strikethrough
                | TagEnd::Link
                | TagEnd::Image,
            ) => {}
            Event::End(tag) => {
                self.leave();
                if matches!(tag, TagEnd::BlockQuote(_)) {
                    self.quoted -= 1;
                }
            }
            Event::Rule => self.sibling(span),
            Event::InlineHtml(_) => self.inline_html(span),
            Event::Html(_) => {}
            _ => self.inline(span),
        }
    }

    fn enter(&mut self, tag: &Tag<'_>, span: Span) {
        let html = matches!(tag, Tag::HtmlBlock);
        if html {
            self.settle_loose();
            self.html_block(span);
        } else {
            self.sibling(span);
        }
        if matches!(tag, Tag::BlockQuote(_)) {
            self.quoted += 1;
        }
        let is_leaf = matches!(
            tag,
            Tag::Paragraph | Tag::Heading { .. } | Tag::TableCell | Tag::CodeBlock(_)
        );
        let leaf = is_leaf.then(|| self.trimmed(span));
        self.levels.push(Level { leaf, html, ..Level::default() });
    }

    /// A block begins: what waits for it speaks of it.
    fn sibling(&mut self, span: Span) {
        self.settle_loose();
        self.settle(span);
    }

    fn settle(&mut self, span: Span) {
        let span = self.trimmed(span);
        let waiting = self.levels.last_mut().map(|level| std::mem::take(&mut level.waiting));
        for comment in waiting.into_iter().flatten() {
            if let Some(comment) = self.found.get_mut(comment) {
                comment.block = span;
            }
        }
    }

    /// Ends the text that stands without a block around it.
    fn settle_loose(&mut self) {
        let Some(loose) = self.levels.last_mut().and_then(|level| level.loose.take()) else {
            return;
        };
        let span = self.trimmed(loose.span);
        for comment in loose.comments {
            if let Some(comment) = self.found.get_mut(comment) {
                comment.block = span;
            }
        }
        self.settle(span);
    }

    fn leave(&mut self) {
        self.settle_loose();
        self.levels.pop();
    }

    fn inline(&mut self, span: Span) {
        let Some(level) = self.levels.last_mut() else { return };
        if level.leaf.is_none() && !level.html {
            let loose = level.loose.get_or_insert(Loose { span, comments: Vec::new() });
            loose.span.end = loose.span.end.max(span.end);
        }
    }

    fn inline_html(&mut self, span: Span) {
        self.inline(span);
        if self.quoted > 0 || !span.of(self.source).starts_with(OPEN) {
            return;
        }
        let text = Span::new(span.start + OPEN.len(), span.end);
        let end = text.of(self.source).find(CLOSE).map_or(text.end, |at| text.start + at);
        let text = Span::new(text.start, end);
        let at = self.found.len();
        let Some(level) = self.levels.last_mut() else { return };
        if let Some(loose) = &mut level.loose {
            loose.comments.push(at);
        }
        let block = level.leaf.unwrap_or(span);
        self.found.push(Comment { span, text, closed: true, block });
    }

    fn html_block(&mut self, span: Span) {
        let span = self.trimmed(span);
        let comments = comments_of(self.source, span);
        let mut end = span.start;
        let mut alone = true;
        for comment in &comments {
            let between = Span::new(end, comment.span.start).of(self.source);
            alone &= between.trim().is_empty();
            end = comment.span.end;
        }
        alone &= Span::new(end, span.end).of(self.source).trim().is_empty();
        if !alone {
            self.settle(span);
        }
        if self.quoted > 0 {
            return;
        }
        let first = self.found.len();
        self.found.extend(comments);
        if alone && let Some(level) = self.levels.last_mut() {
            level.waiting.extend(first..self.found.len());
        }
    }

    /// A span without the line breaks and blanks at its end.
    fn trimmed(&self, span: Span) -> Span {
        Span::new(span.start, span.start + span.of(self.source).trim_end().len())
    }
}

fn is_inline(tag: &Tag<'_>) -> bool {
    matches!(
        tag,
        Tag::Emphasis | Tag::Strong | Tag::Strikethrough | Tag::Link { .. } | Tag::Image { .. }
    )
}

/// The comments of one block of raw HTML.
fn comments_of(source: &str, block: Span) -> Vec<Comment> {
    let html = block.of(source);
    if is_opaque(html) {
        return Vec::new();
    }
    let mut found = Vec::new();
    let mut at = 0;
    while let Some(open) = html.get(at..).and_then(|rest| rest.find(OPEN)) {
        let start = at + open;
        let inner = start + OPEN.len();
        let rest = html.get(inner..).unwrap_or_default();
        // `<!-->` and `<!--->` are whole comments.
        let empty = [">", "->"].into_iter().find(|end| rest.starts_with(end));
        let (text_end, end, closed) = match (empty, rest.find(CLOSE)) {
            (Some(close), _) => (inner, inner + close.len(), true),
            (None, Some(close)) => (inner + close, inner + close + CLOSE.len(), true),
            (None, None) => (html.len(), html.len(), false),
        };
        found.push(Comment {
            span: Span::new(start, end).shifted(block.start),
            text: Span::new(inner, text_end).shifted(block.start),
            closed,
            block,
        });
        at = end;
    }
    found
}

fn is_opaque(html: &str) -> bool {
    let opening = html.trim_start().trim_start_matches('<');
    if opening.starts_with('?') || (opening.starts_with('!') && !opening.starts_with("!--")) {
        return true;
    }
    let name: String = opening.chars().take_while(char::is_ascii_alphanumeric).collect();
    OPAQUE.iter().any(|opaque| name.eq_ignore_ascii_case(opaque))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// What each comment says and the block that it speaks of.
    fn read(source: &str) -> Vec<(&str, &str)> {
        let found = comments(source, 0);
        found.iter().map(|it| (it.text.of(source).trim(), it.block.of(source))).collect()
    }

    #[test]
    fn a_comment_alone_speaks_of_the_next_sibling_whole() {
        assert_eq!(read("<!-- a -->\n\nOne.\n\nTwo.\n"), [("a", "One.")]);
        assert_eq!(read("<!-- a -->\nOne\nmore.\n"), [("a", "One\nmore.")]);
        assert_eq!(read("<!-- a -->\n\n- x\n\n- y\n\nTwo.\n"), [("a", "- x\n\n- y")]);
        let table = "| a |\n|---|\n| b |\n| c |";
        assert_eq!(read(&format!("<!-- a -->\n\n{table}\n\nTwo.\n")), [("a", table)]);
        assert_eq!(read("<!-- a -->\n\n> q\n> r\n\nTwo.\n"), [("a", "> q\n> r")]);
        assert_eq!(read("<!-- a -->\n\n---\n\nTwo.\n"), [("a", "---")]);
        assert_eq!(read("<!-- a -->\n\n# H\n\nTwo.\n"), [("a", "# H")]);
        assert_eq!(read("One.\n\n<!-- a -->\n"), [("a", "<!-- a -->")]);
    }

    #[test]
    fn comments_in_a_row_speak_of_the_same_block() {
        let both = [("a", "One."), ("b", "One.")];
        assert_eq!(read("<!-- a --> <!-- b -->\n\nOne.\n"), both);
        assert_eq!(read("<!-- a -->\n<!-- b -->\n\nOne.\n"), both);
        assert_eq!(read("<!-- a -->\n\n<!-- b -->\n\nOne.\n"), both);
        assert_eq!(read("<!-- a\nb -->\n\nOne.\n"), [("a\nb", "One.")]);
    }

    #[test]
    fn a_comment_in_a_block_speaks_of_that_block() {
        assert_eq!(
            read("One <!-- a --> more\nlast.\n\nTwo.\n"),
            [("a", "One <!-- a --> more\nlast.")]
        );
        assert_eq!(read("One <!-- a\nb -->.\n\nTwo.\n"), [("a\nb", "One <!-- a\nb -->.")]);
        assert_eq!(read("- x <!-- a -->\n- y\n"), [("a", "x <!-- a -->")]);
        assert_eq!(read("- <!-- a -->\n  x\n- y\n"), [("a", "x")]);
        assert_eq!(read("- <!-- a -->\n- y\n"), [("a", "<!-- a -->")]);
        assert_eq!(read("- x *<!-- a -->*\n  - y\n"), [("a", "x *<!-- a -->*")]);
        assert_eq!(read("# H <!-- a -->\n"), [("a", "# H <!-- a -->")]);
        assert_eq!(
            read("<div>\n<!-- a -->\n</div>\n\nOne.\n"),
            [("a", "<div>\n<!-- a -->\n</div>")]
        );
        assert_eq!(read("<!-- a --> One.\n\nTwo.\n"), [("a", "<!-- a --> One.")]);
    }

    #[test]
    fn code_quotations_and_opaque_html_hold_no_comment() {
        for text in [
            "```\n<!-- a -->\n```\n",
            "    <!-- a -->\n",
            "`<!-- a -->` x\n",
            "> <!-- a -->\n",
            "> x <!-- a -->\n",
            "- > <!-- a -->\n",
            "<pre>\n<!-- a -->\n</pre>\n",
            "<SCRIPT>\n<!-- a -->\n</SCRIPT>\n",
            "<![CDATA[ <!-- a --> ]]>\n",
            "\\<!-- a -->\n",
        ] {
            assert_eq!(read(text), [], "{text}");
        }
    }

    #[test]
    fn an_unclosed_comment_says_so_and_an_empty_one_ends() {
        let source = "<!-- a\n\nOne.\n";
        let found = comments(source, 0);
        assert!(found.len() == 1 && !found[0].closed, "{found:?}");
        assert_eq!(
            read("<!--> a <!-- b -->\n\nOne.\n"),
            [("", "<!--> a <!-- b -->"), ("b", "<!--> a <!-- b -->")]
        );
    }

    proptest! {
        #[test]
        fn spans_lie_in_the_source_and_in_order(
            parts in proptest::collection::vec(
                prop::sample::select(vec![
                    "<!-- a -->", "<!--", "-->", "\n", "\n\n", "- ", "> ", "  ", "`", "| a |\n|---|\n",
                    "*", "x", "é", "<div>", "# ", "```\n", "1. ", "[l](u)",
                ]),
                0..24,
            ),
            from in 0_usize..4,
        ) {
            let source = format!("{}{}", "\n".repeat(from), parts.concat());
            let mut before = from;
            for comment in comments(&source, from) {
                prop_assert!(comment.span.of(&source).starts_with(OPEN));
                prop_assert_eq!(comment.closed, comment.span.of(&source).ends_with("->"));
                prop_assert!(before <= comment.span.start);
                prop_assert!(comment.block.start >= from && comment.block.end <= source.len());
                prop_assert!(!comment.block.of(&source).is_empty());
                before = comment.span.end;
            }
        }
    }
}
