//! Words that must fit a place: wrapped, then made smaller, then cut.
//!
//! No font is at hand where the page is made, so widths are estimates from above: those of the widest
//! sans-serif face in common use.

/// The size of a label that has room.
pub(crate) const SIZE: f64 = 14.0;
/// The distance of two lines, in sizes: 18 at [`SIZE`].
const LEADING: f64 = 18.0 / SIZE;
/// What stands at the end of words that were cut.
const CUT: char = '…';

/// Lines of one size.
#[derive(Debug, PartialEq)]
pub(crate) struct Lettering {
    /// The font size.
    pub(crate) size: f64,
    /// The lines.
    pub(crate) lines: Vec<String>,
    /// Whether every word is there.
    pub(crate) whole: bool,
}

impl Lettering {
    /// The distance of two baselines.
    pub(crate) fn leading(&self) -> f64 {
        self.size * LEADING
    }
}

/// Fits a label, whose line breaks are kept, into a place. `sizes` are tried in order.
pub(crate) fn fit(label: &str, width: f64, height: f64, sizes: &[f64]) -> Lettering {
    for size in sizes {
        let lines = wrapped(label, width / size, false);
        let fits = lines.iter().all(|line| measure(line) * size <= width);
        if fits && lines.len() as f64 * size * LEADING <= height {
            return Lettering { size: *size, lines, whole: true };
        }
    }
    let size = sizes.last().copied().unwrap_or(SIZE);
    let room = (height / (size * LEADING)).max(1.0) as usize;
    let mut lines = wrapped(label, width / size, true);
    let whole = lines.len() <= room;
    lines.truncate(room);
    if !whole && let Some(last) = lines.last_mut() {
        while !last.is_empty() && (measure(last) + advance(CUT)) * size > width {
            last.pop();
        }
        last.push(CUT);
    }
    Lettering { size, lines, whole }
}

/// The lines of a label in a width given in sizes. A word that is too wide stands alone, or is
/// broken anywhere when `breaks` says so.
fn wrapped(label: &str, width: f64, breaks: bool) -> Vec<String> {
    let mut lines = Vec::new();
    for given in label.split('\n') {
        let mut line = String::new();
        let mut used = 0.0;
        for piece in given.split_inclusive(' ') {
            let wide = measure(piece.trim_end());
            if used > 0.0 && used + wide > width {
                lines.push(std::mem::take(&mut line).trim_end().to_owned());
                used = 0.0;
            }
            if breaks && wide > width {
                for c in piece.chars() {
                    if used > 0.0 && used + advance(c) > width {
                        lines.push(std::mem::take(&mut line));
                        used = 0.0;
                    }
                    line.push(c);
                    used += advance(c);
                }
            } else {
                line.push_str(piece);
                used += measure(piece);
            }
        }
        lines.push(line.trim_end().to_owned());
    }
    lines
}

/// The width of a line, in sizes.
pub(crate) fn measure(line: &str) -> f64 {
    line.chars().map(advance).sum()
}

/// The width of a character, in sizes.
fn advance(c: char) -> f64 {
    match c {
        ' ' | '!' | '\'' | '(' | ')' | ',' | '.' | ':' | ';' | '[' | ']' | 'i' | 'j' | 'l'
        | '|' | 'f' | 't' | 'r' | 'I' | 'J' => 0.42,
        'm' | 'M' | 'w' | 'W' | '%' | '@' => 1.0,
        'A'..='Z' | '+' | '=' | '<' | '>' | '#' | '~' | '&' | '^' => 0.84,
        '\u{21}'..='\u{7e}' => 0.65,
        '\u{80}'..='\u{2ff}' => 0.85,
        _ => 1.1,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const SIZES: [f64; 4] = [14.0, 12.0, 10.0, 7.0];

    #[test]
    fn a_label_is_wrapped_then_made_smaller_then_cut() {
        let short = fit("one\ntwo", 164.0, 54.0, &SIZES);
        assert_eq!((short.size, short.lines.len(), short.whole), (14.0, 2, true));
        let wrapped = fit("The store checks the base", 164.0, 54.0, &SIZES);
        assert_eq!(wrapped.lines, ["The store checks", "the base"]);
        let small = fit("incomprehensibilities_of_names", 164.0, 54.0, &SIZES);
        assert!(small.size < 14.0 && small.whole && small.lines.len() == 1);
        let cut = fit(&"word ".repeat(300), 164.0, 54.0, &SIZES);
        assert!(!cut.whole && cut.lines.last().unwrap().ends_with(CUT));
    }

    proptest! {
        #[test]
        fn lettering_keeps_to_its_place(label in "[ a-zA-Z\u{4e00}\n]{0,200}", narrow: bool) {
            let (width, height) = if narrow { (40.0, 30.0) } else { (164.0, 54.0) };
            let fitted = fit(&label, width, height, &SIZES);
            prop_assert!(fitted.lines.len() as f64 * fitted.leading() <= height);
            for line in &fitted.lines {
                prop_assert!(measure(line) * fitted.size <= width + 0.001);
            }
            if fitted.whole {
                let bare = |text: &str| text.replace([' ', '\n'], "");
                prop_assert_eq!(bare(&fitted.lines.concat()), bare(&label));
            }
        }
    }
}
