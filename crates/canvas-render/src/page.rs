//! The HTML page (canvas-projections §2).
//!
//! One line for each block, in the order that the specification lays down. The body is written first,
//! because the head says how wide the diagrams are.

use canvas_document::Element;

use crate::diagram;
use crate::figure::Kind;
use crate::href::is_live;
use crate::prose::prose;
use crate::svg;
use crate::text::{esc, esc_attr};
use crate::{JOIN, NO_QUESTIONS, Projection, crossing, id, marker, mermaid, questions, state};

/// The presentation of every page.
const STYLE: &str = include_str!("page.css");

/// The page form of a projection.
#[must_use]
pub fn page(projection: &Projection) -> String {
    let root = &projection.document.root;
    let mut page = Page { projection, out: String::new(), sizes: String::new() };
    page.header();
    page.question_index();
    page.contents();
    page.line("<main>");
    page.nodes(&root.children, 2);
    page.line("</main>");
    let scripted = root.descendants().any(|e| e.name == "figure" && Kind::of(e) == Kind::Mermaid);
    if scripted {
        page.line(&mermaid::script());
    }
    let lines = [
        "<!DOCTYPE html>",
        "<html lang=\"en\">",
        "<head>",
        "<meta charset=\"utf-8\">",
        "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">",
        &format!(
            "<meta http-equiv=\"Content-Security-Policy\" content=\"{}\">",
            mermaid::policy(scripted)
        ),
        &format!("<title>Canvas: {}</title>", esc(&projection.canvas)),
        &format!("<style>\n{STYLE}{}</style>", page.sizes),
        "</head>",
        "<body>",
        page.out.trim_end_matches('\n'),
        "</body>",
        "</html>",
        "",
    ];
    lines.join("\n")
}

struct Page<'p> {
    projection: &'p Projection,
    out: String,
    /// A style rule for each diagram: its size, so that nothing moves when it is drawn.
    sizes: String,
}

impl Page<'_> {
    fn line(&mut self, line: &str) {
        self.out.push_str(line);
        self.out.push('\n');
    }

    fn header(&mut self) {
        self.line("<header>");
        self.line(&format!("<h1>Canvas: {}</h1>", esc(&self.projection.canvas)));
        self.line(&format!(
            "<p class=\"rendered-from\">Rendered from <code>{}</code>. This page is a projection of the \
             canvas at that commit: it is never edited and never read back, and can be made again at any \
             time.</p>",
            esc(&self.projection.head)
        ));
        self.line("</header>");
    }

    fn question_index(&mut self) {
        const NAV: &str = "<nav class=\"question-index\" id=\"question-index\"";
        let mut entries = questions(self.projection).peekable();
        if entries.peek().is_none() {
            self.line(&format!("{NAV} data-questions=\"none\">"));
            self.line(&format!("<p class=\"empty\">{}</p>", esc(NO_QUESTIONS)));
            self.line("</nav>");
            return;
        }
        self.line(&format!("{NAV}>"));
        self.line("<h2>Open questions</h2>");
        self.line("<ol>");
        for question in entries {
            let id = esc_attr(&id(question));
            let state = state(question);
            let text = prose(&question.text);
            let text = if text.is_empty() { text } else { format!("{JOIN}{text}") };
            self.line(&format!(
                "<li class=\"{state}\" data-question=\"{id}\"><a href=\"#{id}\"><code>{id}</code></a>\
                 {JOIN}{state}{text}</li>"
            ));
        }
        self.line("</ol>");
        self.line("</nav>");
    }

    /// The table of contents, when there is a section.
    fn contents(&mut self) {
        let root = &self.projection.document.root;
        if sections(root).next().is_none() {
            return;
        }
        self.line(
            "<nav class=\"contents\" id=\"contents\" role=\"doc-toc\" aria-label=\"Contents\">",
        );
        self.line("<h2>Contents</h2>");
        self.entries(root);
        self.line("</nav>");
    }

    /// A list of the sections right under `element`, each with its own. The grammar bounds the depth.
    fn entries(&mut self, element: &Element) {
        self.line("<ol>");
        for section in sections(element) {
            let id = esc_attr(&id(section));
            let title = section.attribute("title").unwrap_or_default();
            let title = if title.trim().is_empty() {
                format!("<code>{id}</code>, without a title")
            } else {
                esc(title)
            };
            let link = format!("<li><a href=\"#{id}\">{title}</a>");
            if sections(section).next().is_some() {
                self.line(&link);
                self.entries(section);
                self.line("</li>");
            } else {
                self.line(&format!("{link}</li>"));
            }
        }
        self.line("</ol>");
    }

    fn nodes(&mut self, nodes: &[Element], level: usize) {
        for node in nodes {
            self.node(node, level);
        }
    }

    /// One node with everything in it; `level` is the heading a section gets here. The grammar bounds
    /// the depth.
    fn node(&mut self, node: &Element, level: usize) {
        let id = esc_attr(&id(node));
        match node.name.as_str() {
            "section" => {
                let title = esc(node.attribute("title").unwrap_or_default());
                self.line(&format!("<section class=\"section\" id=\"{id}\">"));
                self.line(&format!("<h{level}>{title}</h{level}>"));
                self.crossing(node);
                self.nodes(&node.children, (level + 1).min(4));
                self.line("</section>");
                return;
            }
            "list" => {
                self.line(&format!("<ul class=\"list\" id=\"{id}\">"));
                self.nodes(&node.children, level);
                self.line("</ul>");
            }
            "item" | "cell" => {
                let tag = if node.name == "item" { "li" } else { "td" };
                self.line(&format!(
                    "<{tag} class=\"{}\" id=\"{id}\">{}{}</{tag}>",
                    node.name,
                    prose(&node.text),
                    self.crossing_line(node).unwrap_or_default()
                ));
                return;
            }
            "table" => {
                self.line(&format!("<table class=\"table\" id=\"{id}\"><tbody>"));
                self.nodes(&node.children, level);
                self.line("</tbody></table>");
            }
            "row" => {
                self.line(&format!("<tr class=\"row\" id=\"{id}\">"));
                self.nodes(&node.children, level);
                self.line("</tr>");
                if let Some(crossing) = self.crossing_words(node) {
                    self.line(&format!(
                        "<tr class=\"crossing-row\"><td class=\"crossing\" colspan=\"{}\">{crossing}</td></tr>",
                        node.children.len().max(1)
                    ));
                }
                return;
            }
            "figure" => {
                self.figure(node, &id);
                return;
            }
            "link" => self.link(node, &id),
            "question" => {
                self.line(&format!("<div class=\"question {}\" id=\"{id}\">", state(node)));
                self.line(&format!("<span class=\"question-marker\">{}</span>", marker(node)));
                self.line(&format!("<p class=\"question-text\">{}</p>", prose(&node.text)));
                self.crossing(node);
                self.line("</div>");
                return;
            }
            _ => self.line(&format!("<p class=\"text\" id=\"{id}\">{}</p>", prose(&node.text))),
        }
        self.crossing(node);
    }

    fn link(&mut self, link: &Element, id: &str) {
        let href = link.attribute("href").unwrap_or_default();
        let label = esc(if link.text.trim().is_empty() { href } else { &link.text });
        if is_live(href) {
            let href = esc_attr(href);
            self.line(&format!("<p class=\"link\"><a id=\"{id}\" href=\"{href}\">{label}</a></p>"));
        } else {
            self.line(&format!(
                "<p class=\"link\"><span class=\"link-refused\" id=\"{id}\">{label}</span> \
                 <code>{}</code></p>",
                esc(href)
            ));
        }
    }

    fn figure(&mut self, figure: &Element, id: &str) {
        let kind = Kind::of(figure);
        self.line(&format!("<figure class=\"figure\" id=\"{id}\">"));
        match kind {
            Kind::Mermaid => self.line(&format!(
                "<pre class=\"mermaid-source\" data-mermaid-source>{}</pre>",
                esc(&figure.text)
            )),
            Kind::Svg => {
                let drawing = svg::rewritten(id, &figure.text);
                self.line(&drawing.unwrap_or_else(diagram::stand_in));
            }
            Kind::Diagram => {
                let drawing = diagram::draw(&figure.text);
                self.sizes
                    .push_str(&format!("#{id} .figure-drawing{{width:{}px}}\n", drawing.width));
                self.line(&format!(
                    "<div class=\"drawing\" tabindex=\"0\" role=\"group\" aria-label=\"Drawing of figure {id}\">"
                ));
                self.line(&drawing.svg);
                self.line("</div>");
            }
        }
        self.line(&format!(
            "<figcaption>figure <code>{id}</code>{JOIN}{}</figcaption>",
            kind.caption()
        ));
        self.crossing(figure);
        self.line("</figure>");
    }

    fn crossing(&mut self, node: &Element) {
        if let Some(line) = self.crossing_line(node) {
            self.line(&line);
        }
    }

    fn crossing_line(&self, node: &Element) -> Option<String> {
        self.crossing_words(node).map(|words| format!("<p class=\"crossing\">{words}</p>"))
    }

    fn crossing_words(&self, node: &Element) -> Option<String> {
        let crossing = crossing(self.projection, node)?;
        Some(format!(
            "<span class=\"crossing-label\">Carried across</span>{JOIN}\
             <q class=\"crossing-why\">{}</q>{JOIN}<code class=\"crossing-sha\">{}</code>",
            esc(&crossing.reason),
            esc(&crossing.commit)
        ))
    }
}

/// The sections right under an element.
fn sections(element: &Element) -> impl Iterator<Item = &Element> {
    element.children.iter().filter(|child| child.name == "section")
}
