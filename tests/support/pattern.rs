//! Line patterns: the `|` lines of a fixture against a text.

use super::fixture::{Piece, pattern_word};
use std::collections::BTreeMap;

/// Whether `text` has the shape of a node id.
pub fn is_node_id(text: &str) -> bool {
    let mut characters = text.chars();
    text.len() == 4
        && characters.next().is_some_and(|c| c.is_ascii_lowercase())
        && characters
            .all(|c| matches!(c, 'a'..='h' | 'j' | 'k' | 'm' | 'n' | 'p'..='z' | '2'..='9'))
}

/// Whether `text` is of a kind that a capture can ask for.
pub fn is_kind(text: &str, kind: &str) -> bool {
    let hex =
        |n: usize| text.len() == n && text.chars().all(|c| matches!(c, '0'..='9' | 'a'..='f'));
    match kind {
        "id" => is_node_id(text),
        "sha" => hex(40),
        "minted" => text.strip_prefix("canvas-").is_some_and(|t| {
            t.len() == 32 && t.chars().all(|c| matches!(c, '0'..='9' | 'a'..='f'))
        }),
        "text" => true,
        _ => false,
    }
}

/// One part of a line pattern.
enum Part {
    Text(String),
    Capture { name: String, kind: String },
}

/// Matches a whole text, line by line. A line `...` stands for any number of lines; in a line,
/// `<name:kind>` stands for a value of that kind and sets the variable.
///
/// # Errors
/// Says which line does not match.
pub fn match_lines(
    patterns: &[String],
    text: &str,
    variables: &mut BTreeMap<String, Vec<u8>>,
) -> Result<(), String> {
    let Some(body) = text.strip_suffix('\n') else {
        return Err(format!("the text does not end its last line:\n{text}"));
    };
    let lines: Vec<&str> = body.split('\n').collect();
    let mut at = 0;
    let mut index = 0;
    while index < patterns.len() {
        if patterns[index] != "..." {
            let line = lines.get(at).ok_or_else(|| {
                format!("`{}` was expected after the last line of\n{text}", patterns[index])
            })?;
            match_line(&patterns[index], line, variables)?;
            at += 1;
            index += 1;
            continue;
        }
        // A skip ends at the first line that matches what follows it; nothing else is tried.
        let Some(next) = patterns.get(index + 1) else { return Ok(()) };
        let found =
            (at..lines.len()).find(|&n| match_line(next, lines[n], &mut variables.clone()).is_ok());
        at = found.ok_or_else(|| format!("no line matches `{next}` in\n{text}"))?;
        index += 1;
    }
    match lines.get(at) {
        None => Ok(()),
        Some(more) => Err(format!("`{more}` was not expected in\n{text}")),
    }
}

fn match_line(
    pattern: &str,
    line: &str,
    variables: &mut BTreeMap<String, Vec<u8>>,
) -> Result<(), String> {
    let parts = parts(pattern, variables)?;
    let miss = || format!("`{pattern}` was expected, not `{line}`");
    let mut rest = line;
    for (index, part) in parts.iter().enumerate() {
        match part {
            Part::Text(text) => rest = rest.strip_prefix(text.as_str()).ok_or_else(miss)?,
            Part::Capture { name, kind } => {
                let end = match parts.get(index + 1) {
                    Some(Part::Text(next)) => rest.find(next.as_str()).ok_or_else(miss)?,
                    _ => rest.len(),
                };
                let value = &rest[..end];
                if !is_kind(value, kind) {
                    return Err(format!("{}: `{value}` is no {kind}", miss()));
                }
                if !name.is_empty() {
                    variables.insert(name.clone(), value.as_bytes().to_vec());
                }
                rest = &rest[end..];
            }
        }
    }
    if rest.is_empty() { Ok(()) } else { Err(miss()) }
}

fn parts(pattern: &str, variables: &BTreeMap<String, Vec<u8>>) -> Result<Vec<Part>, String> {
    let mut found = Vec::new();
    let mut text = String::new();
    for piece in pattern_word(pattern)? {
        match piece {
            Piece::Variable(name) => {
                let value = variables.get(&name).ok_or_else(|| format!("${name} is not set"))?;
                text.push_str(&String::from_utf8_lossy(value));
            }
            Piece::Text(bytes) => {
                let bytes = String::from_utf8_lossy(&bytes).into_owned();
                let mut rest = bytes.as_str();
                while let Some(start) = rest.find('<') {
                    let end = rest[start..].find('>').map(|e| start + e);
                    let capture = end.and_then(|end| rest[start + 1..end].split_once(':'));
                    match (end, capture) {
                        (Some(end), Some((name, kind)))
                            if ["id", "sha", "minted", "text"].contains(&kind)
                                && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_') =>
                        {
                            text.push_str(&rest[..start]);
                            if !text.is_empty() {
                                found.push(Part::Text(std::mem::take(&mut text)));
                            }
                            found.push(Part::Capture {
                                name: name.to_owned(),
                                kind: kind.to_owned(),
                            });
                            rest = &rest[end + 1..];
                        }
                        _ => {
                            text.push_str(&rest[..=start]);
                            rest = &rest[start + 1..];
                        }
                    }
                }
                text.push_str(rest);
            }
        }
    }
    if !text.is_empty() {
        found.push(Part::Text(text));
    }
    Ok(found)
}

#[test]
fn lines_match_whole_and_capture() {
    let mut variables = BTreeMap::new();
    let patterns = ["Canvas-Node: <N:id>", "...", "end $N"].map(String::from);
    match_lines(&patterns, "Canvas-Node: ab2c\nx\ny\nend ab2c\n", &mut variables).unwrap();
    assert_eq!(variables["N"], b"ab2c");
    assert!(match_lines(&patterns, "Canvas-Node: ab1c\nend ab1c\n", &mut variables).is_err());
    assert!(match_lines(&patterns, "Canvas-Node: ab2c\nend ab2c\nmore\n", &mut variables).is_err());
    let xml = ["  <text id=\"<N:id>\" v=\"1\">".to_owned()];
    match_lines(&xml, "  <text id=\"cd3e\" v=\"1\">\n", &mut variables).unwrap();
    assert_eq!(variables["N"], b"cd3e");
}
