//! Canvas Diagram 1: a line-oriented language of boxes on a grid (canvas-projections §4.2).
//!
//! It is total. Any text gives one well-formed drawing; a mistake becomes a row under the drawing that
//! says where it is, and everything that can be drawn is drawn.
//!
//! | module | one noun |
//! |---|---|
//! | `words` | a line to tokens, as a POSIX shell quotes |
//! | `source` | a text to statements and diagnostics |
//! | `lettering` | words that must fit a place |
//! | `lines` | where an edge runs |
//! | `draw` | statements to SVG |

mod draw;
mod lettering;
mod lines;
mod source;
mod words;

/// A drawing and the width at which its letters have their natural size.
pub(crate) struct Drawing {
    /// The SVG element, on one line.
    pub(crate) svg: String,
    /// The width of its view box.
    pub(crate) width: usize,
}

/// The drawing of any text.
pub(crate) fn draw(source: &str) -> Drawing {
    guarded(|| draw::draw(&source::read(source)))
}

/// A defect in the drawer costs its own drawing and nothing else.
fn guarded(draw: impl FnOnce() -> Drawing + std::panic::UnwindSafe) -> Drawing {
    std::panic::catch_unwind(draw)
        .unwrap_or_else(|_| Drawing { svg: stand_in(), width: STAND_IN_WIDTH })
}

const STAND_IN_WIDTH: usize = 800;

/// What is shown in place of a drawing that a defect has prevented.
pub(crate) fn stand_in() -> String {
    draw::root(
        STAND_IN_WIDTH,
        80,
        &draw::row(44, "line 1 [CD1_INTERNAL] this figure could not be drawn"),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_defect_is_drawn_and_never_raised() {
        std::panic::set_hook(Box::new(|_| {}));
        let drawing = guarded(|| panic!("a defect"));
        let _ = std::panic::take_hook();
        assert!(drawing.svg.contains("viewBox=\"0 0 800 80\""));
        assert!(drawing.svg.contains("CD1_INTERNAL"));
        assert!(roxmltree::Document::parse(&drawing.svg).is_ok());
    }
}
