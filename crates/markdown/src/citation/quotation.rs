//! Which words of a text are a quotation.
//!
//! A mark inside code is a character that is being named and no delimiter, so marks are looked for
//! in a copy of the text in which code is blank, and the words are cut from the original. Straight
//! marks pair in order, so one stray mark would turn every later pair inside out: pairs are closed
//! within a paragraph.

use std::collections::HashMap;

use super::place::Fragments;
use crate::span::Span;

/// Words that a text presents as someone else's.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Quotation {
    /// The bytes of the quotation, its marks included.
    pub span: Span,
    /// The words as they are compared.
    pub words: Fragments,
    /// Whether it is a block quotation.
    pub block: bool,
}

/// A text with its code blanked: the same length, the same line breaks.
#[derive(Clone, Debug)]
pub struct Code {
    blanked: Vec<u8>,
    lines: Vec<Line>,
}

/// One line of the text and what it is.
#[derive(Clone, Copy, Debug)]
struct Line {
    start: usize,
    end: usize,
    /// Inside a fence, the fence itself included.
    fenced: bool,
    /// Begins with four spaces or a tab.
    indented: bool,
    /// Nothing but white space in the original.
    blank: bool,
}

impl Code {
    /// Finds the code of a text. Linear.
    #[must_use]
    pub fn of(source: &str) -> Self {
        let bytes = source.as_bytes();
        let mut blanked = bytes.to_vec();
        let mut lines = Vec::new();
        let mut fence: Option<&[u8]> = None;
        let mut start = 0;
        while start < bytes.len() {
            let end = memchr::memchr(b'\n', &bytes[start..]).map_or(bytes.len(), |at| start + at);
            let text = &bytes[start..end];
            let marker = [b"```".as_slice(), b"~~~"].into_iter().find(|m| text.starts_with(m));
            let fenced = fence.is_some() || marker.is_some();
            fence = match (fence, marker) {
                (None, opened) => opened,
                (Some(open), Some(closed)) if open == closed => None,
                (open, _) => open,
            };
            let indented = !fenced && (text.starts_with(b"    ") || text.starts_with(b"\t"));
            let blank = source[start..end].chars().all(char::is_whitespace);
            if fenced || indented {
                blanked[start..end].fill(b' ');
            } else {
                blank_spans(&mut blanked[start..end]);
            }
            lines.push(Line { start, end, fenced, indented, blank });
            start = end + 1;
        }
        Self { blanked, lines }
    }

    /// Whether an offset lies in a fenced or indented block.
    #[must_use]
    pub fn is_block(&self, offset: usize) -> bool {
        let after = self.lines.partition_point(|line| line.start <= offset);
        after.checked_sub(1).is_some_and(|at| self.lines[at].fenced || self.lines[at].indented)
    }
}

/// Blanks the code spans of one line: a run of backticks up to the next run of the same length.
fn blank_spans(line: &mut [u8]) {
    if memchr::memchr(b'`', line).is_none() {
        return;
    }
    let mut runs: Vec<Span> = Vec::new();
    for at in memchr::memchr_iter(b'`', line) {
        match runs.last_mut() {
            Some(run) if run.end == at => run.end += 1,
            _ => runs.push(Span::new(at, at + 1)),
        }
    }
    let mut later: HashMap<usize, usize> = HashMap::new();
    let closers: Vec<Option<usize>> =
        (0..runs.len()).rev().map(|at| later.insert(runs[at].len(), at)).collect();
    let mut at = 0;
    while at < runs.len() {
        match closers[runs.len() - 1 - at] {
            Some(closer) => {
                line[runs[at].start..runs[closer].end].fill(b' ');
                at = closer + 1;
            }
            None => at += 1,
        }
    }
}

/// Every quotation of a text that has words enough to be looked for, in source order. Linear.
#[must_use]
pub fn quotations(source: &str, code: &Code) -> Vec<Quotation> {
    let mut found = Vec::new();
    let mut quoting = false;
    let mut block: Option<Span> = None;
    let mut paragraph: Vec<Span> = Vec::new();
    let mut in_list = false;
    for line in &code.lines {
        let text = &code.blanked[line.start..line.end];
        let marked = text.first() == Some(&b'>');
        let boundary = line.blank || line.fenced;
        match (&mut block, marked) {
            (Some(span), true) => span.end = line.end,
            (None, true) => block = Some(Span::new(line.start, line.end)),
            (Some(span), false) => {
                push(&mut found, *span, true, &unmarked(span.of(source)));
                block = None;
            }
            (None, false) => {}
        }
        // What follows a block quotation without a blank line belongs to it.
        quoting = marked || (quoting && !boundary);
        let item = !quoting && starts_item(text, in_list);
        if boundary || quoting || item || text.starts_with(b"#") || text.starts_with(b"|") {
            inline(source, code, &paragraph, &mut found);
            paragraph.clear();
        }
        in_list = item || (in_list && !boundary && !quoting);
        // An indented line is all blank here, but the paragraph around it goes on.
        if !boundary && !quoting {
            paragraph.push(Span::new(line.start, line.end));
        }
    }
    if let Some(span) = block {
        push(&mut found, span, true, &unmarked(span.of(source)));
    }
    inline(source, code, &paragraph, &mut found);
    found.sort_by_key(|quotation| quotation.span);
    found
}

fn push(found: &mut Vec<Quotation>, span: Span, block: bool, words: &str) {
    let words = Fragments::of(words);
    if !words.is_empty() {
        found.push(Quotation { span, words, block });
    }
}

/// The lines of a block quotation without their markers, in one line.
fn unmarked(text: &str) -> String {
    let lines: Vec<&str> =
        text.lines().map(|line| line.strip_prefix('>').unwrap_or(line).trim()).collect();
    lines.join(" ")
}

/// Whether a line starts a list item. A number other than one starts one only inside a list, so
/// that a wrapped line which happens to begin `2015. ` splits no paragraph.
fn starts_item(line: &[u8], in_list: bool) -> bool {
    let text = line.trim_ascii_start();
    let digits = text.iter().take_while(|byte| byte.is_ascii_digit()).count();
    match digits {
        0 => matches!(text, [b'-' | b'*' | b'+', b' ' | b'\t', ..]),
        1..=9 => {
            matches!(&text[digits..], [b'.' | b')', b' ' | b'\t', ..])
                && (in_list || &text[..digits] == b"1")
        }
        _ => false,
    }
}

/// The inline quotations of one paragraph: curly ones first, then straight ones in what is left.
fn inline(source: &str, code: &Code, paragraph: &[Span], found: &mut Vec<Quotation>) {
    let marks = marks(code, paragraph);
    let mut open: Vec<usize> = Vec::new();
    let mut closer_of: Vec<Option<usize>> = vec![None; marks.len()];
    for (at, (_, mark)) in marks.iter().enumerate() {
        match mark {
            Mark::Opens => open.push(at),
            Mark::Closes => {
                if let Some(opener) = open.pop() {
                    closer_of[opener] = Some(at);
                }
            }
            Mark::Straight => {}
        }
    }
    let mut straight: Option<Span> = None;
    let mut at = 0;
    while at < marks.len() {
        let (span, mark) = marks[at];
        if let Some(closer) = closer_of[at] {
            let end = marks[closer].0;
            push(found, Span::new(span.start, end.end), false, &source[span.end..end.start]);
            at = closer + 1;
            continue;
        }
        if mark == Mark::Straight {
            straight = match straight {
                None => Some(span),
                Some(opener) => {
                    let words = &source[opener.end..span.start];
                    push(found, Span::new(opener.start, span.end), false, words);
                    None
                }
            };
        }
        at += 1;
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Mark {
    Straight,
    Opens,
    Closes,
}

/// The quotation marks of a paragraph, outside code.
fn marks(code: &Code, paragraph: &[Span]) -> Vec<(Span, Mark)> {
    let mut marks = Vec::new();
    for line in paragraph {
        let text = &code.blanked[line.start..line.end];
        // 0xE2 begins both curly marks (E2 80 9C and E2 80 9D).
        for at in memchr::memchr2_iter(b'"', 0xE2, text) {
            let start = line.start + at;
            match &text[at..] {
                [b'"', ..] => marks.push((Span::new(start, start + 1), Mark::Straight)),
                [0xE2, 0x80, 0x9C, ..] => marks.push((Span::new(start, start + 3), Mark::Opens)),
                [0xE2, 0x80, 0x9D, ..] => marks.push((Span::new(start, start + 3), Mark::Closes)),
                _ => {}
            }
        }
    }
    marks
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn read(source: &str) -> Vec<&str> {
        let code = Code::of(source);
        quotations(source, &code).into_iter().map(|q| q.span.of(source)).collect()
    }

    const LONG: &str = "words that are long enough to look for";

    #[test]
    fn a_mark_in_code_is_no_delimiter() {
        let source = format!("A `\"` is a mark and \"{LONG}\" is one.");
        assert_eq!(read(&source), [format!("\"{LONG}\"")]);
        let source = format!("```\n\"\n```\n    \"\n``a ` \" b`` \"{LONG}\"");
        assert_eq!(read(&source), [format!("\"{LONG}\"")]);
    }

    #[test]
    fn code_inside_a_quotation_is_quoted() {
        let source = "\"the `id` of a node and its `v` attribute\"";
        let code = Code::of(source);
        let found = quotations(source, &code);
        assert_eq!(found[0].words.normalised(), "the id of a node and its v attribute");
    }

    #[test]
    fn an_unpaired_mark_ends_with_its_paragraph() {
        for separator in ["\n\n", "\n- ", "\n# ", "\n```\n```\n", "\n> x\n\n", "\n1. ", "\n| "] {
            let source = format!("A 6\" pipe.{separator}\"{LONG}\"");
            assert_eq!(read(&source), [format!("\"{LONG}\"")], "{separator:?}");
        }
        let source = format!("A \"{LONG}\n2015. more\"");
        assert_eq!(read(&source).len(), 1, "a wrapped year starts no item");
    }

    #[test]
    fn a_block_quotation_counts_once_with_or_without_a_last_line_break() {
        let source = format!("> \"{LONG}\"\n> goes on");
        assert_eq!(read(&source), [source.as_str()]);
        let source = format!("> “{LONG}”\nlazy \"{LONG}\"\n\nthen “{LONG}”");
        assert_eq!(read(&source).len(), 2);
    }

    #[test]
    fn curly_marks_nest_and_an_unclosed_one_quotes_nothing() {
        assert_eq!(read(&format!("“a “{LONG}” b”")).len(), 1);
        assert_eq!(read(&format!("“a “{LONG}” b")), [format!("“{LONG}”")]);
        assert_eq!(read(&format!("“a \" {LONG}” \"{LONG}\"")).len(), 2);
    }

    proptest! {
        #[test]
        fn blanking_keeps_length_and_lines(source in "(`|~~~|\n|    |\"|“|”|ä|a|>){0,80}") {
            let code = Code::of(&source);
            prop_assert_eq!(code.blanked.len(), source.len());
            for (&a, b) in code.blanked.iter().zip(source.bytes()) {
                prop_assert_eq!(a == b'\n', b == b'\n');
            }
            for quotation in quotations(&source, &code) {
                prop_assert!(source.get(quotation.span.start..quotation.span.end).is_some());
            }
        }
    }
}
