//! The two projections of a canvas: one HTML page, and one block for a comment.
//!
//! Both are pure functions of a [`Projection`], which is one read of one canvas at one head. The same
//! projection gives the same bytes, and nothing that a canvas holds reaches the output but as text,
//! as an address of a kind that is safe to follow, or as a drawing made here.
//!
//! The markup is written by plain functions over one string. It is laid down to the line in
//! canvas-projections §2 and §5, and a template language would hide the lines, and escape quotation
//! marks where they must stay.
//!
//! | module | one noun |
//! |---|---|
//! | `page` | the HTML page |
//! | `comment` | the block for a comment |
//! | `diagram` | Canvas Diagram 1: a source to a drawing |
//! | `svg` | an inline drawing, written anew |
//! | `mermaid` | the policy and the script of a page with a Mermaid figure |
//! | `figure` | which of these a figure is |
//! | `prose` | the three inline marks |
//! | `href` | which addresses may be followed |
//! | `text` | escaping and folding |

mod comment;
mod diagram;
mod figure;
mod href;
mod mermaid;
mod page;
mod prose;
mod svg;
mod text;

pub use canvas_store::Projection;
pub use comment::comment;
pub use page::page;

/// The sentence for a canvas without a question, the same in both forms.
const NO_QUESTIONS: &str = "This canvas asks no question: nothing is open.";

/// What joins the parts of one line.
const JOIN: &str = " — ";

/// The marker of a question, in words, because a colour is nothing a reader can point at.
fn marker(question: &canvas_document::Element) -> &'static str {
    if is_answered(question) { "Answered question" } else { "Open question" }
}

/// The state of a question: its class on the page and its word in both forms.
fn state(question: &canvas_document::Element) -> &'static str {
    if is_answered(question) { "answered" } else { "open" }
}

fn is_answered(question: &canvas_document::Element) -> bool {
    question.attribute("answered").is_some_and(|value| text::fold(value) == "true")
}

/// The questions of a canvas in document order; those in sections are included.
fn questions(projection: &Projection) -> impl Iterator<Item = &canvas_document::Element> {
    projection.document.root.descendants().filter(|element| element.name == "question")
}

/// The id of a node as it is printed: an attribute of the grammar's token type, so white space
/// around it does not count.
fn id(element: &canvas_document::Element) -> String {
    text::fold(element.id().unwrap_or_default())
}

/// The crossing of a node, if it has one.
fn crossing<'p>(
    projection: &'p Projection,
    element: &canvas_document::Element,
) -> Option<&'p canvas_store::Crossing> {
    projection.crossings.get(element.id()?)
}
