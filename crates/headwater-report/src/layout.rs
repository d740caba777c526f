//! How the text report is laid out: filled to a width, and coloured where the terminal asks for it.

/// How a text report is laid out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Layout {
    /// The columns that sentences are filled to.
    pub width: usize,
    /// Whether escape sequences colour it.
    pub colour: bool,
}

/// A blank at which no line breaks, so that a label that readers search for stays whole. No value of a
/// corpus holds it: values are shown without control characters.
pub(crate) const JOIN: char = '\u{1}';

/// The columns of a report for which nobody asked for more.
pub const WIDTH: usize = 80;
/// The most columns that a report is filled to.
pub const WIDEST: usize = 120;

impl Default for Layout {
    fn default() -> Self {
        Self { width: WIDTH, colour: false }
    }
}

impl Layout {
    /// The same, as wide as a terminal of so many columns, within what can be read.
    #[must_use]
    pub fn wide(self, columns: Option<usize>) -> Self {
        Self { width: columns.unwrap_or(WIDTH).clamp(WIDTH, WIDEST), ..self }
    }

    /// A text in a colour.
    pub(crate) fn painted(self, paint: Paint, text: &str) -> String {
        if !self.colour {
            return text.to_owned();
        }
        let code = match paint {
            Paint::Error => "1;31",
            Paint::Warning => "1;33",
            Paint::Note => "1;36",
            Paint::Frame => "1;34",
            Paint::Heading => "1",
        };
        format!("\u{1b}[{code}m{text}\u{1b}[0m")
    }

    /// A sentence in lines of at most the width, where its words allow: the first begins with `first`,
    /// the others with `hanging`. The last has no line break.
    pub(crate) fn filled(self, first: &str, hanging: &str, sentence: &str) -> String {
        let mut out = first.to_owned();
        let (mut column, mut empty) = (first.chars().count(), true);
        for word in sentence.split(' ') {
            let length = word.chars().count();
            if !empty && column + 1 + length > self.width {
                out.push('\n');
                out.push_str(hanging);
                (column, empty) = (hanging.chars().count(), true);
            }
            if !empty {
                out.push(' ');
                column += 1;
            }
            out.push_str(word);
            column += length;
            empty = false;
        }
        if sentence.contains(JOIN) { out.replace(JOIN, " ") } else { out }
    }
}

/// What is coloured.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Paint {
    Error,
    Warning,
    Note,
    Frame,
    Heading,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sentence_is_filled_and_no_word_is_cut() {
        let layout = Layout { width: 10, colour: false };
        assert_eq!(layout.filled("a: ", "   ", "one two three"), "a: one two\n   three");
        assert_eq!(layout.filled("", "  ", "incomparably a b"), "incomparably\n  a b");
        assert_eq!(layout.filled("- ", "  ", ""), "- ");
        assert_eq!(layout.filled("", "", "`a  b`"), "`a  b`");
        assert_eq!(layout.filled("", "", &format!("one two{JOIN}six")), "one\ntwo six");
    }

    #[test]
    fn the_width_of_a_terminal_counts_within_bounds() {
        let width = |columns| Layout::default().wide(columns).width;
        assert_eq!(
            (width(None), width(Some(20)), width(Some(100)), width(Some(999))),
            (WIDTH, WIDTH, 100, WIDEST)
        );
    }
}
