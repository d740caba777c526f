//! The trailer block of a commit message, read as git reads it.
//!
//! A trailer is how a commit names the node it wrote, so our answer and git's must never differ:
//! not on a reason that quotes a trailer, not on a message another tool wrote. No library follows
//! git's rule exactly, so the rule is ported here and held to git by
//! `tests/trailers_differential.rs`.
//!
//! The reading is that of `git log --format=%(trailers:only,unfold)` with no configuration: leading
//! blank lines are passed over, a `---` line is ordinary text, `:` is the only separator, `#`
//! starts a comment. Everything is one pass over bytes; nothing is decoded.

use std::borrow::Cow;

use memchr::{memchr, memchr_iter, memmem, memrchr};

/// Line prefixes that git itself writes. One of them lets a block hold up to three quarters of
/// lines that are no trailers (the 25 % rule); without one, every line of the block must be a
/// trailer.
const GIT_PREFIXES: [&[u8]; 2] = [b"Signed-off-by: ", b"(cherry picked from commit "];

/// The line under which `git commit --verbose` shows a diff; git reads no message below it.
const SCISSORS: &[u8] = b"\n# ------------------------ >8 ------------------------\n";

/// One trailer of a commit message, as bytes: a message need not be UTF-8.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Trailer<'a> {
    /// What stands before the separator, trimmed. Never empty.
    pub key: &'a [u8],
    /// What stands after it, trimmed; a value folded over several lines is joined by single spaces.
    pub value: Cow<'a, [u8]>,
}

impl Trailer<'_> {
    /// Whether this trailer has the key `key`. Git compares keys without regard to ASCII case.
    pub fn is(&self, key: &str) -> bool {
        self.key.eq_ignore_ascii_case(key.as_bytes())
    }
}

/// The trailers of a commit message in the order in which they stand (canvas-store §2.7).
///
/// `message` is everything after the commit's header. Linear in its length.
pub fn parse(message: &[u8]) -> Vec<Trailer<'_>> {
    let message = skip_blank_lines(until_nul(message));
    let text = &message[..end_of_text(message)];
    block_start(text).map_or_else(Vec::new, |start| items(&text[start..]))
}

/// The part of a message that git sees: it keeps messages as C strings.
pub(crate) fn until_nul(message: &[u8]) -> &[u8] {
    &message[..memchr(0, message).unwrap_or(message.len())]
}

/// The message from its first line that is not blank.
pub(crate) fn skip_blank_lines(message: &[u8]) -> &[u8] {
    match message.iter().position(|&byte| !is_space(byte)) {
        Some(first) => &message[memrchr(b'\n', &message[..first]).map_or(0, |end| end + 1)..],
        None => &[],
    }
}

/// Git's own idea of white space, which the locale does not change: no vertical tab, no form feed.
pub(crate) fn is_space(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\n' | b'\r')
}

/// `bytes` without git's white space at either end.
fn trim(bytes: &[u8]) -> &[u8] {
    let start = bytes.iter().position(|&byte| !is_space(byte)).unwrap_or(bytes.len());
    let end = bytes.iter().rposition(|&byte| !is_space(byte)).map_or(start, |last| last + 1);
    &bytes[start..end]
}

fn is_blank(line: &[u8]) -> bool {
    line.iter().all(|&byte| is_space(byte))
}

fn is_comment(line: &[u8]) -> bool {
    line.starts_with(b"#")
}

/// Where the text ends once what git ignores at the end of a message is taken off: empty lines,
/// comments, the old "Conflicts:" list, and everything from a scissors line on.
fn end_of_text(message: &[u8]) -> usize {
    let cutoff = if message.starts_with(&SCISSORS[1..]) {
        0
    } else {
        memmem::find(message, SCISSORS).map_or(message.len(), |newline| newline + 1)
    };
    // Where the ignorable run that we are in began. As in git, 0 says "in no run", so a run at the
    // very start of the message begins with its second line.
    let mut run = 0;
    let mut conflicts = false;
    let mut start = 0;
    for line in lines(&message[..cutoff]) {
        if is_comment(line) || line == b"\n" {
            run = if run == 0 { start } else { run };
        } else if line == b"Conflicts:\n" {
            conflicts = true;
            run = if run == 0 { start } else { run };
        } else if conflicts && line.starts_with(b"\t") {
            // A path in the list of conflicts.
        } else if run != 0 {
            run = 0;
            conflicts = false;
        }
        start += line.len();
    }
    if run == 0 { cutoff } else { run }
}

/// Where the trailer block of `text` starts, if it has one.
///
/// The block is the last paragraph, never the first (the title): `text` begins with a line that is
/// not blank, and a block needs a blank line above it. Read from the end, the block must be all
/// trailers and their continuation lines, or hold a line that git writes and at least one trailer
/// in four lines.
fn block_start(text: &[u8]) -> Option<usize> {
    let mut only_blank = true;
    let mut written_by_git = false;
    let (mut trailers, mut others) = (0_usize, 0_usize);
    // Indented lines continue a trailer if one stands above them, and are other text if not.
    let mut indented = 0;
    let mut end = text.len();
    while end > 0 {
        let start = memrchr(b'\n', &text[..end - 1]).map_or(0, |newline| newline + 1);
        let line = &text[start..end];
        if is_comment(line) {
            others += indented;
            indented = 0;
        } else if is_blank(line) {
            if !only_blank {
                others += indented;
                let enough = if written_by_git {
                    trailers.saturating_mul(3) >= others
                } else {
                    trailers > 0 && others == 0
                };
                return enough.then_some(end);
            }
        } else {
            only_blank = false;
            if GIT_PREFIXES.iter().any(|prefix| line.starts_with(prefix)) {
                trailers += 1;
                indented = 0;
                written_by_git = true;
            } else if separator(line).is_some() {
                trailers += 1;
                indented = 0;
            } else if is_space(line[0]) {
                indented += 1;
            } else {
                others += 1 + indented;
                indented = 0;
            }
        }
        end = start;
    }
    None
}

/// The trailers of a trailer block. Lines that are none, and comments, are passed over.
fn items(block: &[u8]) -> Vec<Trailer<'_>> {
    let mut found = Vec::new();
    // The trailer being collected: where it starts and where its separator stands in it.
    let mut open: Option<(usize, usize)> = None;
    let mut start = 0;
    for line in lines(block) {
        if open.is_none() || !is_space(line[0]) {
            found.extend(open.map(|(from, colon)| trailer(&block[from..start], colon)));
            open = separator(line).map(|colon| (start, colon));
        }
        start += line.len();
    }
    found.extend(open.map(|(from, colon)| trailer(&block[from..], colon)));
    found
}

fn trailer(text: &[u8], colon: usize) -> Trailer<'_> {
    Trailer { key: trim(&text[..colon]), value: unfold(trim(&text[colon + 1..])) }
}

/// Where the separator of a trailer line stands: after a key of letters, digits and hyphens, blanks
/// between the key and the separator allowed.
fn separator(line: &[u8]) -> Option<usize> {
    let key = line.iter().take_while(|&&byte| byte.is_ascii_alphanumeric() || byte == b'-').count();
    let blanks = line[key..].iter().take_while(|&&byte| matches!(byte, b' ' | b'\t')).count();
    (key > 0 && line.get(key + blanks) == Some(&b':')).then_some(key + blanks)
}

/// A folded value on one line: a line break and the white space after it become one space.
fn unfold(value: &[u8]) -> Cow<'_, [u8]> {
    if memchr(b'\n', value).is_none() {
        return Cow::Borrowed(value);
    }
    let mut joined = Vec::with_capacity(value.len());
    let mut rest = value;
    while let Some(newline) = memchr(b'\n', rest) {
        joined.extend_from_slice(&rest[..newline]);
        joined.push(b' ');
        let after = &rest[newline + 1..];
        rest = &after[after.iter().take_while(|&&byte| is_space(byte)).count()..];
    }
    joined.extend_from_slice(rest);
    Cow::Owned(joined)
}

/// The lines of `text`, each with its line feed; none of them is empty.
pub(crate) fn lines(text: &[u8]) -> impl Iterator<Item = &[u8]> {
    let mut start = 0;
    let rest = memchr_iter(b'\n', text).map(|newline| newline + 1).chain([text.len()]);
    rest.filter_map(move |end| {
        let line = &text[start..end];
        start = end;
        (!line.is_empty()).then_some(line)
    })
}

#[cfg(test)]
mod tests {
    use std::time::{Duration, Instant};

    use super::*;

    /// The trailers of `message` as `key=value` lines.
    fn read(message: &str) -> Vec<String> {
        let show = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        parse(message.as_bytes())
            .iter()
            .map(|trailer| format!("{}={}", show(trailer.key), show(&trailer.value)))
            .collect()
    }

    #[test]
    fn the_block_is_the_last_paragraph_and_never_the_title() {
        assert_eq!(read("t\n\nCanvas-Node: a\n"), ["Canvas-Node=a"]);
        assert_eq!(read("t\n\nCanvas-Node: a\n\nCanvas-Node: b\n"), ["Canvas-Node=b"]);
        assert_eq!(read("t\n\nCanvas-Node: a\n\nmore\n"), [""; 0]);
        assert_eq!(read("Canvas-Node: a\n"), [""; 0]);
        assert_eq!(read("\n \nCanvas-Node: a\n"), [""; 0]);
        assert_eq!(read(""), [""; 0]);
    }

    #[test]
    fn other_lines_need_a_line_that_git_writes_and_one_trailer_in_four() {
        assert_eq!(read("t\n\nA: 1\nother\n"), [""; 0]);
        assert_eq!(read("t\n\nSigned-off-by: x\no\no\no\n"), ["Signed-off-by=x"]);
        assert_eq!(read("t\n\nSigned-off-by: x\no\no\no\no\n"), [""; 0]);
        assert_eq!(read("t\n\n(cherry picked from commit x)\nA: 1\no\n"), ["A=1"]);
        assert_eq!(read("t\n\nsigned-off-by: x\nother\n"), [""; 0]);
    }

    #[test]
    fn values_are_trimmed_and_unfolded() {
        assert_eq!(read("t\n\nA :  one \n  two\r\n\tthree  \n"), ["A=one  two\r three"]);
        assert_eq!(read("t\n\nA:\nB: x:y\n"), ["A=", "B=x:y"]);
        assert_eq!(read("t\n\nA: 1\n# c\n  x\nB: 2\n"), [""; 0]);
        assert_eq!(read("t\n\nA: 1\n# c\nB: 2\n\n# end\n\n"), ["A=1", "B=2"]);
    }

    #[test]
    fn a_divider_is_text_and_scissors_end_the_message() {
        assert_eq!(read("t\n---\nx\n\nA: 1\n"), ["A=1"]);
        let cut = String::from_utf8_lossy(SCISSORS);
        assert_eq!(read(&format!("t\n\nA: 1{cut}\nB: 2\n")), ["A=1"]);
        assert_eq!(read("t\n\nA: 1\nConflicts:\n\ta\n"), ["A=1"]);
        assert_eq!(read("t\n\nA: 1\0\nB: 2\n"), ["A=1"]);
    }

    #[test]
    fn keys_are_compared_without_case() {
        let trailer = Trailer { key: b"cAnVaS-node", value: Cow::Borrowed(b"") };
        assert!(trailer.is("Canvas-Node"));
        assert!(!trailer.is("Canvas-Nod"));
    }

    #[test]
    fn hostile_messages_take_linear_time() {
        const SIZE: usize = 2 << 20;
        let repeated = |unit: &str| {
            let body = unit.repeat(SIZE / unit.len());
            [format!("t\n\n{body}"), format!("t\n\nA: 1\n{body}"), body]
        };
        let hostile =
            ["\n", ":", " ", "\r\n", "A: 1\n", "#\n", " x\n", "a", "a ", "-", "\n#", "\t"];
        for unit in hostile {
            for message in repeated(unit) {
                let start = Instant::now();
                parse(message.as_bytes());
                // A quadratic reading would take hours.
                assert!(start.elapsed() < Duration::from_secs(20), "slow on {unit:?}");
            }
        }
    }
}
