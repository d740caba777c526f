//! The line of a file that a finding stands on, made safe to show: one line, no control characters, no
//! text that turns the direction of others, and no longer than a screen.

use headwater_check::Place;
use headwater_check::headwater_corpus::Corpus;

use crate::words::is_unsafe;

/// How much of a long line is shown, in characters, and how much of it before the place.
const WIDTH: usize = 120;
const BEFORE: usize = 40;
const TAB: &str = "    ";

/// A line and where to mark it, both in characters.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Excerpt {
    pub line: String,
    pub start: usize,
    pub width: usize,
}

/// The excerpts of a report. They are asked for in the order of findings, so each line is looked for
/// from the last one on, and no file is indexed for the sake of a few lines.
pub(crate) struct Excerpts<'r> {
    corpus: &'r Corpus,
    last: Option<Last<'r>>,
}

/// The line that the last excerpt shows: its file, how many lines stand before it, and the text from it
/// on.
struct Last<'r> {
    path: &'r str,
    before: usize,
    text: &'r str,
}

impl<'r> Excerpts<'r> {
    pub(crate) const fn of(corpus: &'r Corpus) -> Self {
        Self { corpus, last: None }
    }

    /// The excerpt of a place; none for a place without a line, and for a file that is neither of the
    /// corpus nor listed beside it.
    pub(crate) fn at(&mut self, place: &'r Place) -> Option<Excerpt> {
        let before = place.line.checked_sub(1)?;
        let last = self.last.take().filter(|it| it.path == place.path && it.before <= before);
        let mut last = match last {
            Some(last) => last,
            None => Last { path: &place.path, before: 0, text: source(self.corpus, &place.path)? },
        };
        while last.before < before {
            let (_, text) = last.text.split_once('\n')?;
            last = Last { text, before: last.before + 1, ..last };
        }
        let line = last.text.split('\n').next().unwrap_or_default();
        self.last = Some(last);
        Some(shown(line.strip_suffix('\r').unwrap_or(line), place))
    }
}

/// The text of a file of the corpus, or of one that is listed beside it.
fn source<'r>(corpus: &'r Corpus, path: &str) -> Option<&'r str> {
    let document = |path: &str| match corpus.row_at(path) {
        Some(row) => corpus.row(row)?.document.as_deref(),
        None => {
            let files = &corpus.outside().files;
            let at = files.binary_search_by(|file| file.path.as_str().cmp(path)).ok()?;
            files.get(at).map(|file| &*file.document)
        }
    };
    if let Some(document) = document(path) {
        return Some(document.markdown().source());
    }
    // The front matter may stand in a file beside its document, which is a row of its own.
    let directory = path.rsplit_once('/').map_or("", |(directory, _)| directory);
    let name = &corpus.taxonomy().bindings.sidecar.as_ref()?.document;
    let beside = if directory.is_empty() { name.clone() } else { format!("{directory}/{name}") };
    let document = document(&beside).filter(|held| held.front_matter_path() == path)?;
    Some(document.front_matter_source())
}

fn shown(line: &str, place: &Place) -> Excerpt {
    let from = place.column.saturating_sub(1);
    let skip = if line.chars().nth(WIDTH).is_some() { from.saturating_sub(BEFORE) } else { 0 };
    let (mut out, mut start, mut end) = (String::new(), 0, 0);
    if skip > 0 {
        out.push('…');
    }
    let mut length = out.chars().count();
    let marked = from..from + place.width.max(1);
    for (at, c) in line.chars().enumerate().skip(skip) {
        if at == marked.start {
            start = length;
        }
        if length > WIDTH {
            out.push('…');
            break;
        }
        let piece = match c {
            '\t' => TAB.to_owned(),
            c if is_unsafe(c) => c.escape_unicode().to_string(),
            c => c.to_string(),
        };
        length += piece.chars().count();
        out.push_str(&piece);
        if marked.contains(&at) {
            end = length;
        }
    }
    if from >= line.chars().count() {
        start = length;
    }
    Excerpt { line: out, start, width: end.saturating_sub(start).max(1) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn place(column: usize, width: usize) -> Place {
        Place { path: String::new(), line: 1, column, width }
    }

    #[test]
    fn the_mark_stands_under_what_it_marks() {
        let excerpt = shown("a\tbé\u{1b}c", &place(3, 2));
        assert_eq!(excerpt.line, "a    bé\\u{1b}c");
        assert_eq!((excerpt.start, excerpt.width), (5, 2));
        let excerpt = shown("ab", &place(3, 0));
        assert_eq!((excerpt.start, excerpt.width), (2, 1));
    }

    #[test]
    fn a_long_line_is_cut_around_the_place() {
        let line = format!("{}needle{}", "x".repeat(500), "y".repeat(500));
        let excerpt = shown(&line, &place(501, 6));
        let marked: String = excerpt.line.chars().skip(excerpt.start).take(excerpt.width).collect();
        assert_eq!(marked, "needle");
        assert!(excerpt.line.chars().count() < 130 && excerpt.line.ends_with('…'));
    }
}
