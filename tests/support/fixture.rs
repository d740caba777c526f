//! Fixture files: what a case says, before anything runs.
//!
//! A fixture file is Markdown. Each `## ` heading opens a case and starts with the numbers it
//! covers; a fenced block marked `case` holds its steps; everything else is prose. The language is
//! described in `tests/README.md`; this file only takes it apart.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// The number of a case: its list and its place there.
#[derive(Clone, Copy, Debug, Eq, Ord, PartialEq, PartialOrd)]
pub enum Number {
    /// A row of the black-box cases, 1 to 294.
    Case(u32),
    /// A row of the acceptance cases of the store specification, 1 to 266.
    Acceptance(u32),
    /// A row of the cases of the projections specification that are about `render`, 1 to 122.
    Rendered(u32),
}

impl std::fmt::Display for Number {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match *self {
            Number::Case(n) => match section_of(n) {
                Some(letter) => write!(f, "{letter} {n}"),
                None => write!(f, "? {n}"),
            },
            Number::Acceptance(n) => write!(f, "S8 {n}"),
            Number::Rendered(n) => write!(f, "R {n}"),
        }
    }
}

/// The sections of the black-box cases and the last number of each.
const SECTIONS: [(char, u32); 17] = [
    ('A', 20),
    ('B', 53),
    ('C', 92),
    ('D', 112),
    ('E', 132),
    ('F', 152),
    ('G', 161),
    ('H', 173),
    ('I', 183),
    ('J', 202),
    ('K', 207),
    ('L', 224),
    ('M', 256),
    ('N', 262),
    ('O', 281),
    ('P', 286),
    ('Q', 294),
];

/// How many black-box cases there are.
pub const CASES: u32 = 294;
/// How many acceptance cases there are.
pub const ACCEPTANCES: u32 = 266;
/// How many cases of `render` there are.
pub const RENDERED: u32 = 122;

fn section_of(number: u32) -> Option<char> {
    if number == 0 {
        return None;
    }
    SECTIONS.iter().find(|(_, last)| number <= *last).map(|(letter, _)| *letter)
}

/// Reads a list of numbers such as `B 21, B 26-28, S8 1`.
pub fn numbers(text: &str) -> Result<Vec<Number>, String> {
    let mut found = Vec::new();
    for part in text.split(',') {
        let part = part.trim();
        let (list, range) =
            part.split_once(' ').ok_or_else(|| format!("`{part}` is no case number"))?;
        let (first, last) = range.split_once('-').unwrap_or((range, range));
        let parse = |n: &str| n.parse::<u32>().map_err(|_| format!("`{part}` is no case number"));
        for n in parse(first)?..=parse(last)? {
            if list == "S8" {
                if n == 0 || n > ACCEPTANCES {
                    return Err(format!("there is no acceptance case {n}"));
                }
                found.push(Number::Acceptance(n));
            } else if list == "R" {
                if n == 0 || n > RENDERED {
                    return Err(format!("there is no case {n} of `render`"));
                }
                found.push(Number::Rendered(n));
            } else {
                if section_of(n).map(String::from).as_deref() != Some(list) {
                    return Err(format!("case {n} is not in section {list}"));
                }
                found.push(Number::Case(n));
            }
        }
    }
    Ok(found)
}

/// One piece of a word: text as it stands, or the name of a variable.
#[derive(Clone, Debug, Eq, PartialEq)]
pub enum Piece {
    /// Bytes as they stand.
    Text(Vec<u8>),
    /// A variable, replaced when the step runs.
    Variable(String),
}

/// One word of a step.
pub type Word = Vec<Piece>;

/// One step of a case.
#[derive(Clone, Debug)]
pub struct Step {
    /// The line of the fixture file, from 1.
    pub line: usize,
    /// The line as written.
    pub source: String,
    /// What to do.
    pub verb: String,
    /// With what.
    pub words: Vec<Word>,
    /// The `| ` lines under the step.
    pub body: Vec<String>,
    /// The steps inside a `for`.
    pub block: Vec<Step>,
}

/// One case, or a set-up that cases share.
#[derive(Clone, Debug)]
pub struct Case {
    /// The numbers it covers; none for a set-up, and for a case beyond the lists.
    pub numbers: Vec<Number>,
    /// Whether it is a set-up.
    pub is_setup: bool,
    /// What it is about, or the name of the set-up.
    pub title: String,
    /// The line of its heading.
    pub line: usize,
    /// What to do, in order.
    pub steps: Vec<Step>,
}

/// One fixture file.
#[derive(Clone, Debug)]
pub struct Fixture {
    /// Its cases, in order.
    pub cases: Vec<Case>,
    /// Its set-ups, by name.
    pub setups: BTreeMap<String, Case>,
}

/// The directory of the store's fixture files.
pub fn directory() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/store")
}

/// Reads one fixture file.
pub fn load(path: &Path) -> Result<Fixture, String> {
    let text = std::fs::read_to_string(path).map_err(|e| format!("{}: {e}", path.display()))?;
    parse(&text).map_err(|e| format!("{}: {e}", path.display()))
}

fn parse(text: &str) -> Result<Fixture, String> {
    let mut fixture = Fixture { cases: Vec::new(), setups: BTreeMap::new() };
    let mut current: Option<Case> = None;
    let mut inside = false;
    let mut open: Vec<Step> = Vec::new();
    for (index, raw) in text.lines().enumerate() {
        let line = index + 1;
        let at = |message: String| format!("line {line}: {message}");
        if !inside {
            if let Some(heading) = raw.strip_prefix("## ") {
                finish(&mut fixture, current.take())?;
                current = Some(heading_of(heading, line).map_err(at)?);
            } else if raw.trim_end() == "```case" {
                if current.is_none() {
                    return Err(at("steps before the first heading".to_owned()));
                }
                inside = true;
            }
            continue;
        }
        let Some(case) = current.as_mut() else { return Err(at("no case".to_owned())) };
        let trimmed = raw.trim_start();
        if raw.trim_end() == "```" {
            if !open.is_empty() {
                return Err(at("a `for` without its `end`".to_owned()));
            }
            inside = false;
        } else if trimmed.is_empty() || trimmed.starts_with('#') {
            continue;
        } else if trimmed == "|" || trimmed.starts_with("| ") {
            let body = trimmed.get(2..).unwrap_or("").to_owned();
            let steps = open.last_mut().map_or(&mut case.steps, |outer| &mut outer.block);
            let step =
                steps.last_mut().ok_or_else(|| at("a `|` line belongs to a step".to_owned()))?;
            step.body.push(body);
        } else if trimmed == "end" {
            let done = open.pop().ok_or_else(|| at("`end` without a `for`".to_owned()))?;
            open.last_mut().map_or(&mut case.steps, |outer| &mut outer.block).push(done);
        } else {
            let step = step_of(trimmed, line).map_err(at)?;
            if step.verb == "for" {
                open.push(step);
            } else {
                open.last_mut().map_or(&mut case.steps, |outer| &mut outer.block).push(step);
            }
        }
    }
    if inside {
        return Err("the last block is not closed".to_owned());
    }
    finish(&mut fixture, current)?;
    Ok(fixture)
}

fn finish(fixture: &mut Fixture, case: Option<Case>) -> Result<(), String> {
    let Some(case) = case else { return Ok(()) };
    if case.steps.is_empty() {
        return Err(format!("line {}: a case without steps", case.line));
    }
    if case.is_setup {
        fixture.setups.insert(case.title.clone(), case);
    } else {
        fixture.cases.push(case);
    }
    Ok(())
}

fn heading_of(heading: &str, line: usize) -> Result<Case, String> {
    let case = |numbers: Vec<Number>, is_setup: bool, title: &str| Case {
        numbers,
        is_setup,
        title: title.trim().to_owned(),
        line,
        steps: Vec::new(),
    };
    if let Some(name) = heading.strip_prefix("setup ") {
        return Ok(case(Vec::new(), true, name));
    }
    if let Some(title) = heading.strip_prefix("also: ") {
        return Ok(case(Vec::new(), false, title));
    }
    let (list, title) = heading
        .split_once(':')
        .ok_or_else(|| "a heading is `NUMBERS: title`, `also: title` or `setup NAME`".to_owned())?;
    Ok(case(numbers(list)?, false, title))
}

fn step_of(text: &str, line: usize) -> Result<Step, String> {
    let (verb, rest) = text.split_once(' ').unwrap_or((text, ""));
    Ok(Step {
        line,
        source: text.to_owned(),
        verb: verb.to_owned(),
        words: words(rest)?,
        body: Vec::new(),
        block: Vec::new(),
    })
}

/// Splits a line into words. `'…'` holds text, `"…"` holds text with escapes, and `$name` stands
/// for a variable in either and outside both.
pub fn words(text: &str) -> Result<Vec<Word>, String> {
    let mut found: Vec<Word> = Vec::new();
    let mut word: Option<Word> = None;
    let mut quote: Option<char> = None;
    let mut rest = text.chars().peekable();
    while let Some(c) = rest.next() {
        match (quote, c) {
            (None, ' ' | '\t') => found.extend(word.take()),
            (None, '\'' | '"') => {
                quote = Some(c);
                word.get_or_insert_default();
            }
            (Some(q), c) if c == q => quote = None,
            (Some('"'), '\\') => {
                let bytes = escape(&mut rest)?;
                push(word.get_or_insert_default(), &bytes);
            }
            (_, '$') => {
                let target = word.get_or_insert_default();
                match variable(&mut rest)? {
                    Some(name) => target.push(Piece::Variable(name)),
                    None => push(target, b"$"),
                }
            }
            (_, c) => {
                push(word.get_or_insert_default(), c.encode_utf8(&mut [0; 4]).as_bytes());
            }
        }
    }
    if quote.is_some() {
        return Err("a quotation mark is not closed".to_owned());
    }
    found.extend(word);
    Ok(found)
}

/// Takes a `| ` line apart: variables, and otherwise text as it stands.
pub fn pattern_word(text: &str) -> Result<Word, String> {
    let mut word = Word::new();
    let mut rest = text.chars().peekable();
    while let Some(c) = rest.next() {
        if c == '$' {
            match variable(&mut rest)? {
                Some(name) => word.push(Piece::Variable(name)),
                None => push(&mut word, b"$"),
            }
        } else {
            push(&mut word, c.encode_utf8(&mut [0; 4]).as_bytes());
        }
    }
    Ok(word)
}

fn push(word: &mut Word, bytes: &[u8]) {
    if let Some(Piece::Text(text)) = word.last_mut() {
        text.extend_from_slice(bytes);
    } else {
        word.push(Piece::Text(bytes.to_vec()));
    }
}

type Characters<'a> = std::iter::Peekable<std::str::Chars<'a>>;

fn variable(rest: &mut Characters<'_>) -> Result<Option<String>, String> {
    if rest.next_if_eq(&'$').is_some() {
        return Ok(None);
    }
    let braced = rest.next_if_eq(&'{').is_some();
    let mut name = String::new();
    while let Some(c) = rest.next_if(|c| c.is_ascii_alphanumeric() || *c == '_') {
        name.push(c);
    }
    if braced && rest.next() != Some('}') {
        return Err("`${` without its `}`".to_owned());
    }
    Ok(if name.is_empty() { None } else { Some(name) })
}

fn escape(rest: &mut Characters<'_>) -> Result<Vec<u8>, String> {
    let c = rest.next().ok_or("a line ends in a backslash")?;
    Ok(match c {
        'n' => b"\n".to_vec(),
        'r' => b"\r".to_vec(),
        't' => b"\t".to_vec(),
        '\\' | '"' | '$' => vec![c as u8],
        'x' => {
            let digits: String = rest.by_ref().take(2).collect();
            vec![u8::from_str_radix(&digits, 16).map_err(|_| format!("`\\x{digits}`"))?]
        }
        'u' => {
            let digits: String =
                rest.by_ref().skip_while(|c| *c == '{').take_while(|c| *c != '}').collect();
            let value = u32::from_str_radix(&digits, 16).ok().and_then(char::from_u32);
            value.ok_or_else(|| format!("`\\u{{{digits}}}`"))?.to_string().into_bytes()
        }
        other => return Err(format!("`\\{other}` is no escape")),
    })
}

#[test]
fn words_hold_quotes_escapes_and_variables() {
    let read = words(r#"a 'b $c' "d\n$e\x08" --f=${g}h $$i"#).unwrap();
    let text = |t: &str| Piece::Text(t.as_bytes().to_vec());
    let variable = |t: &str| Piece::Variable(t.to_owned());
    assert_eq!(
        read,
        vec![
            vec![text("a")],
            vec![text("b "), variable("c")],
            vec![text("d\n"), variable("e"), text("\u{8}")],
            vec![text("--f="), variable("g"), text("h")],
            vec![text("$i")],
        ]
    );
    assert!(words("'open").is_err());
}

#[test]
fn numbers_are_checked_against_their_section() {
    assert_eq!(
        numbers("B 21-22, S8 7").unwrap(),
        vec![Number::Case(21), Number::Case(22), Number::Acceptance(7)]
    );
    assert!(numbers("A 21").is_err());
    assert!(numbers("S8 267").is_err());
}
