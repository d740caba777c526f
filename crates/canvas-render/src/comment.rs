//! The block for a comment (canvas-projections §5).
//!
//! The converter at the other end switches itself off at the first HTML tag, so no `<` comes out of
//! here at all; and it knows paragraphs, bullet lists and fenced blocks, and nothing else.

use canvas_document::Element;

use crate::figure::Kind;
use crate::href::is_live;
use crate::text::{code, ctext, fenced, fold, inline, paragraphs};
use crate::{JOIN, NO_QUESTIONS, Projection, crossing, id, marker, questions, state};

/// The comment form of a projection.
#[must_use]
pub fn comment(projection: &Projection) -> String {
    let mut comment = Comment { projection, blocks: Vec::new() };
    comment.block(format!("**Canvas** — rendered from `{}`", ctext(&projection.head)));
    comment.block(
        "A projection of the canvas at that commit, not the canvas. It is never edited and never read \
         back; render the canvas again to see it as it stands now."
            .to_owned(),
    );
    comment.block("**Open questions**".to_owned());
    comment.index();
    comment.nodes(&projection.document.root.children);
    let mut text = comment.blocks.join("\n\n");
    text.push('\n');
    text
}

struct Comment<'p> {
    projection: &'p Projection,
    blocks: Vec<String>,
}

impl Comment<'_> {
    fn block(&mut self, block: String) {
        if !block.trim().is_empty() {
            self.blocks.push(block);
        }
    }

    fn index(&mut self) {
        let entries: Vec<String> = questions(self.projection)
            .map(|question| {
                let entry = format!("- `{}`{JOIN}{}", inline(&id(question)), state(question));
                joined(entry, &inline(&question.text))
            })
            .collect();
        self.block(if entries.is_empty() { NO_QUESTIONS.to_owned() } else { entries.join("\n") });
    }

    fn nodes(&mut self, nodes: &[Element]) {
        for node in nodes {
            self.node(node);
        }
    }

    /// The blocks of a node, its crossing and its children's included. The grammar bounds the depth.
    fn node(&mut self, node: &Element) {
        match node.name.as_str() {
            "section" => {
                let title = inline(node.attribute("title").unwrap_or_default());
                if !title.is_empty() {
                    self.block(format!("**{title}**"));
                }
                self.crossing(node);
                self.nodes(&node.children);
                return;
            }
            "list" => {
                let items = node.children.iter().map(|item| format!("- {}", inline(&item.text)));
                self.block(items.collect::<Vec<_>>().join("\n"));
                self.crossings(&node.children);
            }
            "table" => {
                let mut rows = node.children.iter().map(row);
                self.block(rows.next().unwrap_or_default());
                self.block(rows.map(|row| format!("- {row}")).collect::<Vec<_>>().join("\n"));
                for row in &node.children {
                    self.crossings(&row.children);
                    self.crossing(row);
                }
            }
            "figure" => self.figure(node),
            "link" => self.block(link(node)),
            "question" => {
                let entry = format!("**{}** `{}`", marker(node), inline(&id(node)));
                self.block(joined(entry, &inline(&node.text)));
            }
            _ => self.block(paragraphs(&node.text)),
        }
        self.crossing(node);
    }

    fn figure(&mut self, figure: &Element) {
        let kind = Kind::of(figure);
        self.block(format!("**{} (the picture is in the HTML projection)**", kind.label()));
        self.block(fenced(&figure.text));
        self.block(format!(
            "A comment cannot display the picture of figure `{}`; this is the source it is drawn from.",
            inline(&id(figure))
        ));
    }

    fn crossings(&mut self, nodes: &[Element]) {
        for node in nodes {
            self.crossing(node);
        }
    }

    fn crossing(&mut self, node: &Element) {
        if let Some(crossing) = crossing(self.projection, node) {
            self.block(format!(
                "**Carried across** `{}`{JOIN}{}{JOIN}`{}`",
                inline(&id(node)),
                inline(&crossing.reason),
                inline(&crossing.commit)
            ));
        }
    }
}

/// A line, and what follows it if anything does.
fn joined(line: String, rest: &str) -> String {
    if rest.is_empty() { line } else { format!("{line}{JOIN}{rest}") }
}

/// The cells of a row that hold something, on one line.
fn row(row: &Element) -> String {
    let cells: Vec<String> = row
        .children
        .iter()
        .map(|cell| inline(&cell.text))
        .filter(|cell| !cell.is_empty())
        .collect();
    if cells.is_empty() { JOIN.trim().to_owned() } else { cells.join(JOIN) }
}

/// A link that works, or its address as code when it may not be followed.
fn link(link: &Element) -> String {
    let href = link.attribute("href").unwrap_or_default();
    let text = fold(&link.text);
    if !is_live(href) {
        let href = code(&fold(href));
        return if text.is_empty() { href } else { format!("{} {href}", inline(&text)) };
    }
    let label = if text.is_empty() { inline(href) } else { inline(&text) };
    format!("[{}]({})", escaped_label(&label), escaped_target(&inline(href)))
}

/// A label whose brackets do not end it.
fn escaped_label(label: &str) -> String {
    label.replace('\\', "\\\\").replace('[', "\\[").replace(']', "\\]")
}

/// A target that no character of it ends.
fn escaped_target(target: &str) -> String {
    let coded = [(" ", "%20"), ("(", "%28"), (")", "%29"), ("\\", "%5C"), ("`", "%60")];
    coded.iter().fold(target.to_owned(), |target, (plain, code)| target.replace(plain, code))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn linked(href: &str, text: &str) -> String {
        let mut node = Element::new("link");
        node.set_attribute("href", href);
        node.text = text.to_owned();
        link(&node)
    }

    #[test]
    fn a_link_holds_whatever_its_parts_hold() {
        assert_eq!(linked("https://a.example", "A"), "[A](https://a.example)");
        assert_eq!(linked("x?a&b", " "), "[x?a&amp;b](x?a&amp;b)");
        assert_eq!(linked("a (b).md", "[x] \\"), "[\\[x\\] \\\\](a%20%28b%29.md)");
        assert_eq!(linked("javascript:alert(`<`)", "A"), "A `` javascript:alert(`&lt;`) ``");
        assert_eq!(linked("data:x", ""), "`data:x`");
    }
}
