//! The message of a canvas commit, written and read back.
//!
//! The message is the only place where a reason, an author and the node a commit is about are kept,
//! so what is written here must read back as the same facts under git's own reading, whatever the
//! reason holds. Writing ([`Message`]) and reading ([`Decoded`]) stand side by side for that
//! (canvas-store §2.7); the trailer block itself is [`crate::trailers`].
//!
//! Reading keeps bytes, because a message need not be UTF-8 and a node is named only by an equal
//! value; text is made of them, lossily, where something is shown.

use std::borrow::Cow;

use memchr::{memchr, memchr2_iter, memmem};

use crate::trailers;

/// The trailer that names the node a commit wrote.
pub const NODE: &str = "Canvas-Node";
/// The trailer that names the canvas a commit freezes.
pub const FREEZE: &str = "Canvas-Freeze";
/// The trailer that says who made the edit.
pub const AUTHOR: &str = "Canvas-Author";
/// The trailer that records the head the edit was applied to.
pub const BASE: &str = "Canvas-Base";

/// What a canvas commit says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Message<'a> {
    /// `create`, `insert`, `replace`, `remove`, `move` or `freeze`.
    pub verb: &'a str,
    /// The node, or the canvas for a birth and a freeze.
    pub name: &'a str,
    /// Why, as given; it is folded into one paragraph when the message is composed.
    pub reason: &'a str,
    /// The node the commit is about.
    pub node: Option<&'a str>,
    /// The canvas the commit freezes.
    pub freeze: Option<&'a str>,
    /// Who made the edit, free of control characters (D-3).
    pub author: &'a str,
    /// The head the edit was applied to, in full; absent on a birth.
    pub base: Option<&'a str>,
}

impl Message<'_> {
    /// The bytes of the commit message: the subject, an empty line, the trailers.
    ///
    /// No value can add a line: control characters, which no caller lets through, become spaces.
    pub fn compose(&self) -> Vec<u8> {
        let mut text = format!("{} {}: {}\n\n", self.verb, self.name, fold_reason(self.reason));
        let trailers = [
            (NODE, self.node),
            (FREEZE, self.freeze),
            (AUTHOR, Some(self.author)),
            (BASE, self.base),
        ];
        for (key, value) in trailers {
            if let Some(value) = value {
                text.push_str(key);
                text.push_str(": ");
                text.push_str(&value.replace(char::is_control, " "));
                text.push('\n');
            }
        }
        text.into_bytes()
    }
}

/// A reason as one paragraph on one line (decisions 3 and 20).
///
/// Lines are trimmed, blank ones dropped, and the rest joined by single spaces. A line ends at
/// every break that Unicode calls mandatory: LF, CR, CRLF, VT, FF, U+0085, U+2028 and U+2029; and
/// at NUL, where git would end the message. Nothing else changes: spaces within a line are the
/// author's.
pub fn fold_reason(reason: &str) -> String {
    const BREAKS: [char; 8] =
        ['\n', '\r', '\u{b}', '\u{c}', '\0', '\u{85}', '\u{2028}', '\u{2029}'];
    let mut folded = String::with_capacity(reason.len());
    for line in reason.split(BREAKS).map(str::trim).filter(|line| !line.is_empty()) {
        if !folded.is_empty() {
            folded.push(' ');
        }
        folded.push_str(line);
    }
    folded
}

/// A commit message read back, as bytes.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Decoded {
    /// The subject as `git log --format=%s` prints it.
    pub subject: Vec<u8>,
    /// The `Canvas-Node` values.
    pub nodes: Vec<Vec<u8>>,
    /// The `Canvas-Freeze` values.
    pub freezes: Vec<Vec<u8>>,
    /// The `Canvas-Author` values.
    pub authors: Vec<Vec<u8>>,
    /// The `Canvas-Base` values.
    pub bases: Vec<Vec<u8>>,
}

impl Decoded {
    /// Whether the commit names the node `id`: one of its values equals it, byte for byte.
    pub fn names(&self, id: &str) -> bool {
        self.nodes.iter().any(|node| node == id.as_bytes())
    }

    /// Whether the commit freezes the canvas `id`.
    pub fn freezes(&self, id: &str) -> bool {
        self.freezes.iter().any(|canvas| canvas == id.as_bytes())
    }

    /// The subject as text.
    pub fn subject(&self) -> Cow<'_, str> {
        String::from_utf8_lossy(&self.subject)
    }

    /// The subject up to its first space.
    pub fn verb(&self) -> Cow<'_, str> {
        String::from_utf8_lossy(self.verb_and_rest().0)
    }

    /// What follows the first `": "` after the verb; all that follows the verb when there is none.
    pub fn reason(&self) -> Cow<'_, str> {
        let rest = self.verb_and_rest().1;
        let start = memmem::find(rest, b": ").map_or(0, |colon| colon + 2);
        String::from_utf8_lossy(&rest[start..])
    }

    /// The authors as they are shown: joined by `, `. `None` if the commit names no author.
    pub fn author(&self) -> Option<String> {
        (!self.authors.is_empty())
            .then(|| String::from_utf8_lossy(&self.authors.join(&b", "[..])).into_owned())
    }

    fn verb_and_rest(&self) -> (&[u8], &[u8]) {
        match memchr(b' ', &self.subject) {
            Some(space) => (&self.subject[..space], &self.subject[space + 1..]),
            None => (&self.subject, b""),
        }
    }
}

/// Reads a commit message: everything after the commit's header, in whatever encoding.
///
/// Survives any bytes, and is linear in their number (D-4).
pub fn decode(message: &[u8]) -> Decoded {
    let mut decoded = Decoded { subject: subject(message), ..Decoded::default() };
    if may_name(message) {
        for trailer in trailers::parse(message) {
            let values = if trailer.is(NODE) {
                &mut decoded.nodes
            } else if trailer.is(FREEZE) {
                &mut decoded.freezes
            } else if trailer.is(AUTHOR) {
                &mut decoded.authors
            } else if trailer.is(BASE) {
                &mut decoded.bases
            } else {
                continue;
            };
            values.push(trailer.value.into_owned());
        }
    }
    decoded
}

/// The subject as `git log --format=%s` prints it: the lines of the first paragraph, each without
/// the white space at its end, joined by single spaces.
pub fn subject(message: &[u8]) -> Vec<u8> {
    let mut subject = Vec::new();
    let message = trailers::skip_blank_lines(trailers::until_nul(message));
    for (index, line) in trailers::lines(message).enumerate() {
        let Some(last) = line.iter().rposition(|&byte| !trailers::is_space(byte)) else { break };
        if index > 0 {
            subject.push(b' ');
        }
        subject.extend_from_slice(&line[..=last]);
    }
    subject
}

/// Whether a message can hold one of our trailers at all: `false` spares the full reading.
///
/// Looks for `Canvas-` in any case, as git compares keys so. Most messages are ours and spell it as
/// we do; in the others, `v` is the rarest letter of the word.
pub fn may_name(message: &[u8]) -> bool {
    const WORD: &[u8] = b"Canvas-";
    const RAREST: usize = 3;
    memmem::find(message, WORD).is_some()
        || memchr2_iter(b'v', b'V', message).any(|at| {
            at.checked_sub(RAREST)
                .and_then(|start| message.get(start..start + WORD.len()))
                .is_some_and(|word| word.eq_ignore_ascii_case(WORD))
        })
}

#[cfg(test)]
mod tests {
    use proptest::collection::vec;
    use proptest::prelude::*;

    use super::*;
    use crate::trailers::parse;

    fn insert<'a>(reason: &'a str, author: &'a str) -> Message<'a> {
        Message {
            verb: "insert",
            name: "ab2c",
            reason,
            node: Some("ab2c"),
            freeze: None,
            author,
            base: Some("0123456789abcdef0123456789abcdef01234567"),
        }
    }

    #[test]
    fn a_message_has_its_trailers_in_order() {
        let message = insert("because x", "leo | by-hand").compose();
        assert_eq!(
            String::from_utf8_lossy(&message),
            "insert ab2c: because x\n\nCanvas-Node: ab2c\nCanvas-Author: leo | by-hand\n\
             Canvas-Base: 0123456789abcdef0123456789abcdef01234567\n"
        );
        let freeze = Message {
            verb: "freeze",
            name: "t1",
            node: None,
            freeze: Some("t1"),
            base: None,
            ..insert("done", "leo")
        };
        assert_eq!(
            String::from_utf8_lossy(&freeze.compose()),
            "freeze t1: done\n\nCanvas-Freeze: t1\nCanvas-Author: leo\n"
        );
    }

    #[test]
    fn a_reason_is_folded_into_one_paragraph() {
        for (given, folded) in [
            ("a\nb\n\nc", "a b c"),
            ("  because x  ", "because x"),
            ("a\r\nb\rc\u{b}d\u{c}e\u{85}f\u{2028}g\u{2029}h\0i", "a b c d e f g h i"),
            ("a  \n \t \n  b", "a b"),
            ("two  spaces\tand a tab", "two  spaces\tand a tab"),
            ("\u{1d}kept\u{1e}\u{1f}", "\u{1d}kept\u{1e}\u{1f}"),
            ("\n\n", ""),
        ] {
            assert_eq!(fold_reason(given), folded, "{given:?}");
        }
    }

    #[test]
    fn a_line_break_in_a_value_forges_nothing() {
        let decoded = decode(&insert("x", "a\nCanvas-Node: p\r\0").compose());
        assert!(decoded.names("ab2c") && !decoded.names("p"));
        assert_eq!(decoded.author().as_deref(), Some("a Canvas-Node: p"));
    }

    #[test]
    fn a_foreign_message_reads_as_the_specification_says() {
        let verb_and_reason = |message: &[u8]| {
            let decoded = decode(message);
            (decoded.verb().into_owned(), decoded.reason().into_owned())
        };
        let pair = |verb: &str, reason: &str| (verb.to_owned(), reason.to_owned());
        assert_eq!(verb_and_reason(b"fix the: thing: x"), pair("fix", "thing: x"));
        assert_eq!(verb_and_reason(b"fix: the thing"), pair("fix:", "the thing"));
        assert_eq!(verb_and_reason(b"wip"), pair("wip", ""));
        assert_eq!(verb_and_reason(b""), pair("", ""));
        assert_eq!(verb_and_reason(b"\n \n a\n b \n\nc"), pair("", "a  b"));
        assert_eq!(verb_and_reason(b"caf\xe9 x: y"), pair("caf\u{fffd}", "y"));

        let decoded = decode(b"x\n\ncanvas-NODE: \xff\nCanvas-Author: a\nCanvas-Author: b\n");
        assert_eq!(decoded.nodes, [b"\xff"]);
        assert!(!decoded.names("\u{fffd}") && !decoded.names(""));
        assert_eq!(decoded.author().as_deref(), Some("a, b"));
        assert!(!decode(b"x\n\nWhy: Canvas-Node: p\n").names("p"));
        assert_eq!(decode(b"x").author(), None);
        assert!(decode(b"x\n\nCanvas-Freeze: t1\n").freezes("t1"));
    }

    #[test]
    fn the_filter_finds_the_word_in_any_case() {
        for message in ["Canvas-Node: x", "\ncanvas-node: x", "vCANVAS-", "v vv canvas-"] {
            assert!(may_name(message.as_bytes()), "{message:?}");
        }
        for message in ["", "v", "canvas", "can vas-", "nvas-node: x", "canvas_node"] {
            assert!(!may_name(message.as_bytes()), "{message:?}");
        }
    }

    /// Text made to be misread: fragments of messages, with any characters between them.
    fn hostile() -> impl Strategy<Value = String> {
        let fragment = prop_oneof![
            4 => prop::sample::select(vec![
                "Canvas-Node: zz99", "Canvas-Author: eve", "Signed-off-by: eve", "\n", "\n\n",
                "\r\n", " ", "\t", ": ", "#", "---", "Conflicts:\n", "\u{85}", "\u{2028}",
                "\u{1f}", "(cherry picked from commit ", "x",
                "\n# ------------------------ >8 ------------------------\n",
            ]).prop_map(str::to_owned),
            1 => any::<String>(),
        ];
        vec(fragment, 0..12).prop_map(|fragments| fragments.concat())
    }

    proptest! {
        #[test]
        fn what_is_composed_reads_back(reason in hostile(), author in hostile()) {
            let author = author.replace(char::is_control, "");
            let message = insert(&reason, &author);
            let composed = message.compose();
            let trailers: Vec<_> = parse(&composed)
                .iter()
                .map(|trailer| (trailer.key.to_vec(), trailer.value.to_vec()))
                .collect();
            let expected: Vec<(Vec<u8>, Vec<u8>)> = [
                (NODE, message.node.unwrap_or_default()),
                (AUTHOR, author.trim_matches(' ')),
                (BASE, message.base.unwrap_or_default()),
            ]
            .map(|(key, value)| (key.into(), value.into()))
            .into();
            prop_assert_eq!(trailers, expected);

            let decoded = decode(&composed);
            prop_assert_eq!(decoded.verb(), "insert");
            let reason = fold_reason(&reason);
            if reason.is_empty() {
                // No command accepts a blank reason; what is left is the name.
                prop_assert_eq!(decoded.reason(), "ab2c:");
            } else {
                prop_assert_eq!(decoded.reason(), reason);
            }
        }

        #[test]
        fn folding_twice_changes_nothing(reason in hostile()) {
            let folded = fold_reason(&reason);
            prop_assert_eq!(fold_reason(&folded), folded);
        }

        #[test]
        fn any_bytes_are_read(bytes in vec(any::<u8>(), 0..200)) {
            decode(&bytes);
        }

        #[test]
        fn the_filter_agrees_with_a_plain_search(bytes in "[canvsCANVS\\-]{0,40}") {
            prop_assert_eq!(may_name(bytes.as_bytes()), bytes.to_lowercase().contains("canvas-"));
        }
    }

    #[test]
    fn a_very_long_reason_reads_back() {
        let reason = "word: ".repeat(20_000);
        assert_eq!(decode(&insert(&reason, "leo").compose()).reason(), reason.trim());
    }
}
