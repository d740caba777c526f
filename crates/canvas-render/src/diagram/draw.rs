//! Statements to SVG.

use std::collections::HashMap;

use super::Drawing;
use super::lettering::{Lettering, SIZE, fit};
use super::lines::{BOX_HEIGHT, BOX_WIDTH, Course, Point, course, loop_path, origin};
use super::source::{Cell, Diagram, End, Statement};
use crate::text::{esc, esc_attr};

/// The sizes of a label, tried in order.
const SIZES: [f64; 8] = [SIZE, 13.0, 12.0, 11.0, 10.0, 9.0, 8.0, 7.0];
/// The length and the width of an arrow head, and of a cross.
const HEAD: f64 = 12.0;
/// The width of a character of a diagnostic.
const ROW_ADVANCE: usize = 8;
/// The height of a diagnostic.
const ROW_HEIGHT: usize = 28;

/// Draws what was read.
pub(crate) fn draw(diagram: &Diagram) -> Drawing {
    let cells = || {
        diagram.statements.iter().filter_map(|statement| match statement {
            Statement::Box { cell, .. } | Statement::Text { cell, .. } => Some(*cell),
            Statement::Edge { .. } => None,
        })
    };
    let rows = cells().map(|cell| cell.row).max().unwrap_or(1);
    let columns = cells().map(|cell| cell.column).max().unwrap_or(1);
    let height = 100 * rows + 60;
    let mut width = 220 * columns + 60;
    let mut shapes = String::from("<g>");
    let parallels = Parallels::of(diagram);
    for (place, statement) in diagram.statements.iter().enumerate() {
        match statement {
            Statement::Box { id, cell, label } => shapes.push_str(&boxed(id, *cell, label)),
            Statement::Text { cell, label } => shapes.push_str(&note(*cell, label)),
            Statement::Edge { from, end, to, label } => {
                let (Some(from), Some(to)) = (diagram.boxes.get(from), diagram.boxes.get(to))
                else {
                    continue;
                };
                let (index, count, forward) = parallels.of_edge(place);
                let course = course(*from, *to, index, count, forward);
                shapes.push_str(&edge(&course, *end, count > 1));
                shapes.push_str(&edge_label(&course, label, count, columns));
            }
        }
    }
    shapes.push_str("</g>");
    for (index, diagnostic) in diagram.diagnostics.iter().enumerate() {
        let text = diagnostic.row();
        width = width.max(60 + ROW_ADVANCE * text.chars().count());
        shapes.push_str(&row(height + 20 + ROW_HEIGHT * index, &text));
    }
    let height = height + ROW_HEIGHT * diagram.diagnostics.len().max(1);
    Drawing { svg: root(width, height, &shapes), width }
}

/// The root element around what is drawn.
pub(crate) fn root(width: usize, height: usize, shapes: &str) -> String {
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"figure-drawing\" \
         viewBox=\"0 0 {width} {height}\" role=\"img\" aria-label=\"Canvas Diagram 1\">{shapes}</svg>"
    )
}

/// A diagnostic. Characters that may be wider than the view box allows for are squeezed.
pub(crate) fn row(y: usize, text: &str) -> String {
    let squeezed = if text.is_ascii() {
        String::new()
    } else {
        let length = ROW_ADVANCE * text.chars().count();
        format!(" textLength=\"{length}\" lengthAdjust=\"spacingAndGlyphs\"")
    };
    format!(
        "<text class=\"diagnostic\" x=\"30\" y=\"{y}\" font-family=\"monospace\" font-size=\"13\" \
         fill=\"#b42318\"{squeezed}>{}</text>",
        words(text)
    )
}

fn boxed(id: &str, cell: Cell, label: &str) -> String {
    let corner = origin(cell);
    let lettering = fit(label, BOX_WIDTH - 16.0, BOX_HEIGHT - 6.0, &SIZES);
    // Two lines hang from a fixed height; more are centred.
    let y = match lettering.lines.len() {
        0..=2 => corner.y + 26.0,
        more => corner.y + 30.0 - (more - 1) as f64 * lettering.leading() / 2.0,
    };
    let at = Point { x: corner.x + BOX_WIDTH / 2.0, y };
    format!(
        "<rect x=\"{}\" y=\"{}\" width=\"{BOX_WIDTH}\" height=\"{BOX_HEIGHT}\" rx=\"10\" fill=\"none\" \
         stroke=\"currentColor\" stroke-width=\"2\" role=\"img\" aria-label=\"{}\"/>{}",
        number(corner.x),
        number(corner.y),
        esc_attr(id),
        letters(at, " text-anchor=\"middle\" dominant-baseline=\"middle\"", label, &lettering)
    )
}

fn note(cell: Cell, label: &str) -> String {
    let corner = origin(cell);
    let lettering = fit(label, 200.0, 76.0, &SIZES);
    letters(Point { x: corner.x, y: corner.y + 20.0 }, "", label, &lettering)
}

fn edge(course: &Course, end: End, parallel: bool) -> String {
    let Course { from, to, .. } = course;
    let shape = if course.is_loop {
        let [out, back] = loop_path(course);
        format!(
            "<path d=\"M{} C{} {} {}\" fill=\"none\"",
            pair(*from),
            pair(out),
            pair(back),
            pair(*to)
        )
    } else if parallel {
        format!("<path d=\"M{} L{}\" fill=\"none\"", pair(*from), pair(*to))
    } else {
        format!(
            "<line x1=\"{}\" y1=\"{}\" x2=\"{}\" y2=\"{}\"",
            number(from.x),
            number(from.y),
            number(to.x),
            number(to.y)
        )
    };
    let tail = match end {
        End::Plain => String::new(),
        End::Arrow => arrow(course),
        End::Cross => cross(course),
    };
    format!("{shape} stroke=\"currentColor\" stroke-width=\"2\"/>{tail}")
}

/// The point `back` before the end of an edge and `aside` of it.
fn near_end(course: &Course, back: f64, aside: f64) -> Point {
    let Course { to, arrives, .. } = course;
    Point {
        x: to.x - arrives.x * back - arrives.y * aside,
        y: to.y - arrives.y * back + arrives.x * aside,
    }
}

/// A triangle whose tip is the end. A loop is no higher than a head is long, so its head is smaller.
fn arrow(course: &Course) -> String {
    let size = if course.is_loop { HEAD * 0.6 } else { HEAD };
    format!(
        "<path d=\"M{} L{} L{} Z\" fill=\"currentColor\"/>",
        pair(course.to),
        pair(near_end(course, size, size / 2.0)),
        pair(near_end(course, size, -size / 2.0))
    )
}

/// A cross right before the end, outside the box.
fn cross(course: &Course) -> String {
    let size = if course.is_loop { HEAD * 0.6 } else { HEAD };
    let (near, far, aside) = (1.0, size + 1.0, size / 2.0);
    format!(
        "<path d=\"M{} L{} M{} L{}\" fill=\"none\" stroke=\"currentColor\" stroke-width=\"2\"/>",
        pair(near_end(course, near, aside)),
        pair(near_end(course, far, -aside)),
        pair(near_end(course, near, -aside)),
        pair(near_end(course, far, aside))
    )
}

/// The label of an edge: its last line 8 above the middle of the line, the others above it.
fn edge_label(course: &Course, label: &str, count: usize, columns: usize) -> String {
    if label.trim().is_empty() {
        return String::new();
    }
    let (height, sizes) = match (course.is_loop, count) {
        (true, _) => (13.0, &SIZES[4..]),
        (false, 1) if course.upright => (16.0, &SIZES[2..]),
        (false, 1) => (48.0, &SIZES[2..]),
        (false, _) => (26.0, &SIZES[4..]),
    };
    // Between two rows there is room for one line of a smaller size.
    let largest = [&[SIZE], sizes].concat();
    let sizes = if course.is_loop || course.upright || count > 1 { sizes } else { &largest };
    // Within the drawing on both sides.
    let sides = course.label.x.min((220 * columns + 60) as f64 - course.label.x);
    let lettering = fit(label, course.room.min(2.0 * sides - 4.0), height, sizes);
    let rise = (lettering.lines.len() - 1) as f64 * lettering.leading();
    let at = Point { x: course.label.x, y: course.label.y - rise };
    letters(at, " class=\"edge-label\" text-anchor=\"middle\"", label, &lettering)
}

/// A label's lines; one that had to be cut carries the whole of it as its title.
fn letters(at: Point, attributes: &str, label: &str, lettering: &Lettering) -> String {
    let x = number(at.x);
    let mut out = format!(
        "<text x=\"{x}\" y=\"{}\"{attributes} font-family=\"sans-serif\" font-size=\"{}\" \
         fill=\"currentColor\">",
        number(at.y),
        number(lettering.size)
    );
    if !lettering.whole {
        out.push_str(&format!("<title>{}</title>", words(label)));
    }
    for (index, line) in lettering.lines.iter().enumerate() {
        let dy = if index == 0 { 0.0 } else { lettering.leading() };
        // A line without a character would not move the ones below it.
        let line = if line.is_empty() { "\u{a0}" } else { line };
        out.push_str(&format!("<tspan x=\"{x}\" dy=\"{}\">{}</tspan>", number(dy), words(line)));
    }
    out.push_str("</text>");
    out
}

/// Source text in the drawing. What XML cannot hold is shown as the character for that.
fn words(text: &str) -> String {
    let holds = |c: char| !matches!(c, '\0'..='\u{8}' | '\u{b}' | '\u{c}' | '\u{e}'..='\u{1f}' | '\u{fffe}' | '\u{ffff}');
    esc(text).replace(|c| !holds(c), "\u{fffd}")
}

fn pair(point: Point) -> String {
    format!("{} {}", number(point.x), number(point.y))
}

/// A number with two decimals at most.
fn number(value: f64) -> String {
    let rounded = (value * 100.0).round() / 100.0;
    if rounded == 0.0 { "0".to_owned() } else { rounded.to_string() }
}

/// Which of the edges join the same two places.
struct Parallels {
    /// For each edge, by its place among the statements: its number among its parallels, the pair
    /// that it joins, and whether it runs as the first of them does.
    edges: HashMap<usize, (usize, (Cell2, Cell2), bool)>,
    counts: HashMap<(Cell2, Cell2), usize>,
}

/// Row and column, to be ordered.
type Cell2 = (usize, usize);

impl Parallels {
    fn of(diagram: &Diagram) -> Parallels {
        let mut parallels = Parallels { edges: HashMap::new(), counts: HashMap::new() };
        for (place, statement) in diagram.statements.iter().enumerate() {
            let Statement::Edge { from, to, .. } = statement else { continue };
            let (Some(from), Some(to)) = (diagram.boxes.get(from), diagram.boxes.get(to)) else {
                continue;
            };
            let (from, to) = ((from.row, from.column), (to.row, to.column));
            let pair = (from.min(to), from.max(to));
            let count = parallels.counts.entry(pair).or_default();
            parallels.edges.insert(place, (*count, pair, from <= to));
            *count += 1;
        }
        parallels
    }

    /// The number of an edge among its parallels, their count, and its direction.
    fn of_edge(&self, place: usize) -> (usize, usize, bool) {
        match self.edges.get(&place) {
            Some((index, pair, forward)) => {
                (*index, self.counts.get(pair).copied().unwrap_or(1), *forward)
            }
            None => (0, 1, true),
        }
    }
}
