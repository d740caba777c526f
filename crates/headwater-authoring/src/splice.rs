//! Changes to a text: what is put where, and the lines around a place.

use headwater_check::Span;

/// Bytes of a source that are replaced. An empty span inserts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Splice {
    pub span: Span,
    pub text: String,
}

impl Splice {
    pub(crate) fn new(span: Span, text: impl Into<String>) -> Self {
        Self { span, text: text.into() }
    }

    pub(crate) fn insert(at: usize, text: impl Into<String>) -> Self {
        Self::new(Span::new(at, at), text)
    }
}

/// The source with every splice made. Insertions at one place keep their order; none where two
/// splices overlap, or one does not fit the source.
pub(crate) fn applied(source: &str, mut splices: Vec<Splice>) -> Option<String> {
    splices.sort_by_key(|splice| splice.span.start);
    let mut out = String::with_capacity(source.len() + 64 * splices.len());
    let mut from = 0;
    for Splice { span, text } in splices {
        out.push_str(source.get(from..span.start)?);
        out.push_str(&text);
        source.get(span.start..span.end)?;
        from = span.end;
    }
    out.push_str(source.get(from..)?);
    Some(out)
}

/// Where the line that holds an offset begins; behind a byte order mark on the first line.
pub(crate) fn line_start(source: &str, at: usize) -> usize {
    let before = source.get(..at).unwrap_or_default();
    let start = before.rfind('\n').map_or(0, |at| at + 1);
    let mark = if start == 0 && before.starts_with('\u{feff}') { '\u{feff}'.len_utf8() } else { 0 };
    start + mark
}

/// What stands on a line before an offset.
pub(crate) fn line_before(source: &str, at: usize) -> &str {
    source.get(line_start(source, at)..at).unwrap_or_default()
}

/// The line break that a file is written with: that of its first line.
pub(crate) fn line_break(source: &str) -> &'static str {
    let first = source.find('\n').and_then(|at| source.get(..at));
    if first.is_some_and(|line| line.ends_with('\r')) { "\r\n" } else { "\n" }
}

/// New lines behind the line on which a span ends. A file without a line break at its end is left
/// without one.
pub(crate) fn lines_after(source: &str, span: Span, lines: &[String]) -> Splice {
    // A block scalar reaches over its last line break up to what follows it, blanks included.
    let held = span.of(source);
    let behind =
        held.rfind('\n').filter(|at| held.get(*at..).unwrap_or_default().trim().is_empty());
    let last = behind.map_or(span.end, |at| span.start + at);
    let rest = source.get(last..).unwrap_or_default();
    match rest.find('\n') {
        Some(at) => lines_at(source, last + at + 1, lines),
        None => lines_at(source, source.len(), lines),
    }
}

/// New lines at an offset where a line begins, or at the end of the file.
pub(crate) fn lines_at(source: &str, at: usize, lines: &[String]) -> Splice {
    let end = line_break(source);
    let open = at == source.len() && !source.is_empty() && !source.ends_with('\n');
    let mut text = String::new();
    for line in lines {
        if open {
            text.push_str(end);
        }
        text.push_str(line);
        if !open {
            text.push_str(end);
        }
    }
    Splice::insert(at, text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn splices_are_made_in_order_of_place_and_must_not_overlap() {
        let made = |splices: &[(usize, usize, &str)]| {
            let splices = splices.iter().map(|(a, b, text)| Splice::new(Span::new(*a, *b), *text));
            applied("abcdef", splices.collect())
        };
        assert_eq!(
            made(&[(4, 5, "X"), (1, 1, "1"), (1, 1, "2"), (0, 1, "Z")]).unwrap(),
            "Z12bcdXf"
        );
        assert_eq!(made(&[(0, 3, ""), (2, 4, "")]), None);
        assert_eq!(made(&[(5, 9, "")]), None);
    }

    #[test]
    fn new_lines_are_written_as_the_file_writes_them() {
        let after = |source: &str, place: &str| {
            let at = source.find(place).unwrap();
            let span = Span::new(at, at + place.len());
            applied(source, vec![lines_after(source, span, &["x".into(), "y".into()])]).unwrap()
        };
        assert_eq!(after("a\nb\n", "a"), "a\nx\ny\nb\n");
        assert_eq!(after("a\r\nb\r\n", "b"), "a\r\nb\r\nx\r\ny\r\n");
        assert_eq!(after("a\nb", "b"), "a\nb\nx\ny");
        assert_eq!(after("a\nb\n", "a\n"), "a\nx\ny\nb\n");
        assert_eq!(applied("", vec![lines_at("", 0, &["x".into()])]).unwrap(), "x\n");
        assert_eq!(line_before("\u{feff}  a", 5), "  ");
    }
}
