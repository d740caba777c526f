//! Where an edge runs: between the borders of two boxes, beside its parallels, or in a loop.

use super::source::Cell;

pub(crate) const BOX_WIDTH: f64 = 180.0;
pub(crate) const BOX_HEIGHT: f64 = 60.0;
/// How far the outermost of parallel edges is from the middle; less than half a box's height, so
/// that every one of them meets both boxes.
const SPREAD: f64 = 22.0;
/// The largest distance of two parallel edges.
const APART: f64 = 20.0;
/// The height of a loop: what leaves room for a label above it in the first row.
const LOOP: f64 = 12.0;

/// A point of the drawing.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Point {
    pub(crate) x: f64,
    pub(crate) y: f64,
}

/// The course of an edge.
#[derive(Debug, PartialEq)]
pub(crate) struct Course {
    pub(crate) from: Point,
    pub(crate) to: Point,
    /// The direction in which it arrives, of length 1.
    pub(crate) arrives: Point,
    /// Where its label stands: the middle of the label's last base line.
    pub(crate) label: Point,
    /// How wide the label may be.
    pub(crate) room: f64,
    /// Whether it runs up or down rather than across.
    pub(crate) upright: bool,
    /// Whether it is a loop.
    pub(crate) is_loop: bool,
}

/// The corner of a cell at which a box or a text begins.
pub(crate) fn origin(cell: Cell) -> Point {
    Point { x: 30.0 + 220.0 * (cell.column - 1) as f64, y: 30.0 + 100.0 * (cell.row - 1) as f64 }
}

fn centre(cell: Cell) -> Point {
    let corner = origin(cell);
    Point { x: corner.x + BOX_WIDTH / 2.0, y: corner.y + BOX_HEIGHT / 2.0 }
}

/// The course of the edge number `index` of `count` edges that join the boxes in these two cells.
/// `forward` is false for those that run against the first of them.
pub(crate) fn course(from: Cell, to: Cell, index: usize, count: usize, forward: bool) -> Course {
    if from == to {
        return looped(from, index, count);
    }
    let (start, end) = (centre(from), centre(to));
    let (dx, dy) = (end.x - start.x, end.y - start.y);
    let length = dx.hypot(dy);
    let along = Point { x: dx / length, y: dy / length };
    let apart = APART.min(2.0 * SPREAD / count.saturating_sub(1).max(1) as f64);
    let mut shift = (index as f64 - (count - 1) as f64 / 2.0) * apart;
    if !forward {
        shift = -shift;
    }
    let across = Point { x: -along.y * shift, y: along.x * shift };
    let from = border(start, along, across);
    let to = border(end, Point { x: -along.x, y: -along.y }, across);
    // Labels of parallels that run up and down would stand on one another at the middle.
    let upright = dy.abs() > dx.abs();
    let place = if upright && count > 1 {
        let index = if forward { index } else { count - 1 - index };
        (index + 1) as f64 / (count + 1) as f64
    } else {
        0.5
    };
    let middle = Point { x: from.x + (to.x - from.x) * place, y: from.y + (to.y - from.y) * place };
    let gap = (to.x - from.x).abs();
    let room = if upright { 170.0 } else { gap.max(38.0) };
    // The head of an edge that runs up stands where the label would; the label gives way.
    let below = upright && dy < 0.0 && count == 1;
    let label = Point { x: middle.x, y: middle.y + if below { 14.0 } else { -8.0 } };
    Course { from, to, arrives: along, label, room, upright, is_loop: false }
}

/// Where a line that leaves the middle of a box, shifted by `across`, meets the border.
fn border(centre: Point, along: Point, across: Point) -> Point {
    // How far to the border in one direction; a direction that is not taken never ends it.
    let reach = |along: f64, across: f64, half: f64| {
        if along.abs() < 1e-9 {
            f64::INFINITY
        } else {
            (half - across * along.signum()) / along.abs()
        }
    };
    let far =
        reach(along.x, across.x, BOX_WIDTH / 2.0).min(reach(along.y, across.y, BOX_HEIGHT / 2.0));
    Point { x: centre.x + across.x + along.x * far, y: centre.y + across.y + along.y * far }
}

/// A loop on the upper side of a box: one stands right of the middle, several side by side.
fn looped(cell: Cell, index: usize, count: usize) -> Course {
    let corner = origin(cell);
    let step = BOX_WIDTH / (count + 1) as f64;
    let (x, room) = if count == 1 {
        (corner.x + 135.0, 200.0)
    } else {
        (corner.x + step * (index + 1) as f64, step - 2.0)
    };
    let half = (step * 0.35).min(14.0);
    Course {
        from: Point { x: x - half, y: corner.y },
        to: Point { x: x + half, y: corner.y },
        arrives: Point { x: 0.0, y: 1.0 },
        label: Point { x, y: corner.y - LOOP - 8.0 },
        room,
        upright: false,
        is_loop: true,
    }
}

/// The path of a loop.
pub(crate) fn loop_path(course: &Course) -> [Point; 2] {
    // A cubic curve reaches three quarters of the way to its control points.
    let y = course.from.y - LOOP * 4.0 / 3.0;
    [Point { x: course.from.x, y }, Point { x: course.to.x, y }]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cell(row: usize, column: usize) -> Cell {
        Cell { row, column }
    }

    fn on_border(cell: Cell, point: Point) -> bool {
        let middle = centre(cell);
        let (x, y) = ((point.x - middle.x).abs(), (point.y - middle.y).abs());
        let inside = x < 90.001 && y < 30.001;
        inside && ((x - 90.0).abs() < 0.001 || (y - 30.0).abs() < 0.001)
    }

    #[test]
    fn edges_stop_at_the_borders_of_their_boxes_and_no_two_coincide() {
        let start = cell(3, 3);
        for (row, column) in [(3, 4), (3, 1), (2, 3), (4, 3), (1, 1), (4, 5), (1000, 4), (3, 1000)]
        {
            let end = cell(row, column);
            let mut seen: Vec<Point> = Vec::new();
            for index in 0..7 {
                let course = course(start, end, index, 7, true);
                assert!(on_border(start, course.from), "{course:?}");
                assert!(on_border(end, course.to), "{course:?}");
                let back = super::course(end, start, index, 7, false);
                let close = |a: Point, b: Point| (a.x - b.x).hypot(a.y - b.y) < 0.001;
                assert!(close(back.from, course.to) && close(back.to, course.from));
                assert!(seen.iter().all(|other| !close(*other, course.from)));
                seen.push(course.from);
            }
        }
    }
}
