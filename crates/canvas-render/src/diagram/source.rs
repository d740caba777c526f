//! A text to statements, and a diagnostic for each line that is none.

use std::collections::{HashMap, HashSet};

use super::words::{Words, split};

/// The largest row and column.
const LARGEST: usize = 1000;

/// Row and column of a cell, from 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Cell {
    pub(crate) row: usize,
    pub(crate) column: usize,
}

/// How an edge ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum End {
    Arrow,
    Plain,
    Cross,
}

/// One line that can be drawn.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Statement {
    Box { id: String, cell: Cell, label: String },
    Text { cell: Cell, label: String },
    Edge { from: String, end: End, to: String, label: String },
}

/// One line that cannot.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Diagnostic {
    /// From 1; blank lines count.
    pub(crate) line: usize,
    pub(crate) code: &'static str,
    /// The line as it was written.
    pub(crate) source: String,
}

impl Diagnostic {
    /// The row that is drawn.
    pub(crate) fn row(&self) -> String {
        format!("line {} [{}] {}", self.line, self.code, self.source).trim_end().to_owned()
    }
}

/// A text, read.
#[derive(Debug, Default)]
pub(crate) struct Diagram {
    /// What is drawn, in source order; every edge has its two boxes.
    pub(crate) statements: Vec<Statement>,
    /// Where each box is.
    pub(crate) boxes: HashMap<String, Cell>,
    /// What is wrong: line by line, then edges without a box.
    pub(crate) diagnostics: Vec<Diagnostic>,
}

/// Reads any text.
pub(crate) fn read(source: &str) -> Diagram {
    let mut diagram = Diagram::default();
    let mut edges = Vec::new();
    for (index, line) in lines(source).enumerate() {
        if line.trim().is_empty() {
            continue;
        }
        match statement(line, &diagram.boxes) {
            Ok(statement) => {
                match &statement {
                    Statement::Box { id, cell, .. } => {
                        diagram.boxes.insert(id.clone(), *cell);
                    }
                    Statement::Edge { .. } => {
                        edges.push((diagram.statements.len(), index + 1, line));
                    }
                    Statement::Text { .. } => {}
                }
                diagram.statements.push(statement);
            }
            Err(code) => diagram.diagnostics.push(Diagnostic {
                line: index + 1,
                code,
                source: line.to_owned(),
            }),
        }
    }
    let mut loose = HashSet::new();
    for (place, line, source) in edges {
        let joined = match &diagram.statements[place] {
            Statement::Edge { from, to, .. } => {
                diagram.boxes.contains_key(from) && diagram.boxes.contains_key(to)
            }
            _ => true,
        };
        if !joined {
            loose.insert(place);
            diagram.diagnostics.push(Diagnostic {
                line,
                code: "CD1_MISSING_ENDPOINT",
                source: source.to_owned(),
            });
        }
    }
    let mut place = 0..;
    diagram.statements.retain(|_| place.next().is_none_or(|place| !loose.contains(&place)));
    if diagram.statements.is_empty() && diagram.diagnostics.is_empty() {
        let source = String::new();
        diagram.diagnostics.push(Diagnostic { line: 1, code: "CD1_EMPTY", source });
    }
    diagram
}

/// The lines of a text, at every line end that Unicode and ASCII know.
fn lines(source: &str) -> impl Iterator<Item = &str> {
    let ends = |c: char| {
        matches!(
            c,
            '\n' | '\r' | '\u{b}' | '\u{c}' | '\u{1c}'
                ..='\u{1e}' | '\u{85}' | '\u{2028}' | '\u{2029}'
        )
    };
    let mut rest = Some(source);
    std::iter::from_fn(move || {
        let text = rest?;
        let Some(at) = text.find(ends) else {
            rest = None;
            return Some(text);
        };
        let after = &text[at..];
        let end = if after.starts_with("\r\n") {
            2
        } else {
            after.chars().next().map_or(0, char::len_utf8)
        };
        rest = Some(&after[end..]);
        Some(&text[..at])
    })
}

/// One line, checked in the order of canvas-projections §4.2.2.
fn statement(line: &str, boxes: &HashMap<String, Cell>) -> Result<Statement, &'static str> {
    let Words { tokens, ends_quoted } = split(line).ok_or("CD1_TOKENIZE")?;
    let label = |label: &str| {
        if ends_quoted { Ok(label.replace("\\n", "\n")) } else { Err("CD1_LABEL") }
    };
    let tokens: Vec<&str> = tokens.iter().map(String::as_str).collect();
    match tokens.as_slice() {
        ["box", id, row, column, text] => {
            let id = identifier(id)?;
            if boxes.contains_key(&id) {
                return Err("CD1_DUPLICATE_ID");
            }
            Ok(Statement::Box { id, cell: cell(row, column)?, label: label(text)? })
        }
        ["text", row, column, text] => {
            Ok(Statement::Text { cell: cell(row, column)?, label: label(text)? })
        }
        ["edge", from, kind, to, text] => {
            let end = match *kind {
                "->" => End::Arrow,
                "--" => End::Plain,
                "-x" => End::Cross,
                _ => return Err("CD1_EDGE_KIND"),
            };
            let (from, to) = (identifier(from)?, identifier(to)?);
            Ok(Statement::Edge { from, end, to, label: label(text)? })
        }
        ["box" | "text" | "edge", ..] => Err("CD1_ARITY"),
        _ => Err("CD1_UNKNOWN"),
    }
}

fn identifier(token: &str) -> Result<String, &'static str> {
    let first = token.bytes().next().is_some_and(|b| b.is_ascii_lowercase());
    let plain = |b: u8| b.is_ascii_lowercase() || b.is_ascii_digit() || matches!(b, b'_' | b'-');
    if first && token.bytes().all(plain) { Ok(token.to_owned()) } else { Err("CD1_ID") }
}

fn cell(row: &str, column: &str) -> Result<Cell, &'static str> {
    Ok(Cell { row: coordinate(row)?, column: coordinate(column)? })
}

fn coordinate(token: &str) -> Result<usize, &'static str> {
    let digits = !token.starts_with('0') && token.bytes().all(|b| b.is_ascii_digit());
    let number = token.parse().ok().filter(|_| digits);
    number.filter(|number| (1..=LARGEST).contains(number)).ok_or("CD1_COORDINATE")
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The rows of a source, without the words `line`.
    fn rows(source: &str) -> Vec<String> {
        read(source).diagnostics.iter().map(|d| format!("{} {}", d.line, d.code)).collect()
    }

    #[test]
    fn each_fault_has_its_code_and_the_first_wins() {
        let long = format!("box a {} 1 \"x\"", "9".repeat(5000));
        let cases = [
            ("", "1 CD1_EMPTY"),
            (" \u{2003}\n\n", "1 CD1_EMPTY"),
            ("wat", "1 CD1_UNKNOWN"),
            ("Box a 1 1 \"x\"", "1 CD1_UNKNOWN"),
            ("box A 1 1 \"x\"", "1 CD1_ID"),
            ("box A 0 1 x", "1 CD1_ID"),
            ("box a 0 1 \"x\"", "1 CD1_COORDINATE"),
            ("box a 1001 1 \"x\"", "1 CD1_COORDINATE"),
            ("box a 01 1 \"x\"", "1 CD1_COORDINATE"),
            ("box a +1 1 \"x\"", "1 CD1_COORDINATE"),
            ("box a 1 \u{661} \"x\"", "1 CD1_COORDINATE"),
            (long.as_str(), "1 CD1_COORDINATE"),
            ("text 1 1", "1 CD1_ARITY"),
            ("box a 1 1", "1 CD1_ARITY"),
            ("edge a -> b", "1 CD1_ARITY"),
            ("box a 1 1 \"unterminated", "1 CD1_TOKENIZE"),
            ("don't", "1 CD1_TOKENIZE"),
            ("box a 1 1 'x'", "1 CD1_LABEL"),
            ("box a 1 1 x", "1 CD1_LABEL"),
            ("edge a => b \"x\"", "1 CD1_EDGE_KIND"),
            ("edge A -> b \"x\"", "1 CD1_ID"),
            ("edge a -> b \"x\"", "1 CD1_MISSING_ENDPOINT"),
            ("box a 1 1 \"x\"\u{85}\r\nbox a 2 2 \"y\"", "3 CD1_DUPLICATE_ID"),
            ("box a 1 1 x\nbox a 1 1 \"x\"", "1 CD1_LABEL"),
            ("edge a -> b \"\"\nbox a 1 1 \"x\"\nwat", "3 CD1_UNKNOWN, 1 CD1_MISSING_ENDPOINT"),
        ];
        for (source, wanted) in cases {
            assert_eq!(rows(source).join(", "), wanted, "{source}");
        }
    }

    #[test]
    fn good_lines_are_kept_beside_bad_ones() {
        let diagram = read("edge a -- b \"\"\nwat\nbox a 1 1 \"A\"\nbox b 2 3 \"B\\nC\"");
        assert_eq!(diagram.statements.len(), 3);
        assert_eq!(diagram.diagnostics[0].row(), "line 2 [CD1_UNKNOWN] wat");
        let cell = Cell { row: 2, column: 3 };
        let id = "b".to_owned();
        assert_eq!(diagram.statements[2], Statement::Box { id, cell, label: "B\nC".to_owned() });
    }
}
