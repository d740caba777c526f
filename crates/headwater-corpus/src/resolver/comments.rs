//! The comments of a source file in the lexical form of Rust: `//` and nested `/* */`, with strings,
//! raw strings and character literals passed over, so that a citation in a string is none.

/// The spans of text inside comments, without recursion.
pub(crate) fn comments(source: &str) -> Vec<&str> {
    let bytes = source.as_bytes();
    let mut found = Vec::new();
    let mut at = 0;
    while at < bytes.len() {
        let rest = &bytes[at..];
        let end = match rest {
            [b'/', b'/', ..] => {
                let end = at + rest.iter().position(|&b| b == b'\n').unwrap_or(rest.len());
                found.push(&source[at..end]);
                end
            }
            [b'/', b'*', ..] => {
                let end = at + block(rest);
                found.push(&source[at..end]);
                end
            }
            [b'"', ..] => at + string(rest),
            [b'r', b'"' | b'#', ..] if !continues(bytes, at) => at + raw(rest).unwrap_or(1),
            [b'b' | b'c', b'r', b'"' | b'#', ..] if !continues(bytes, at) => {
                at + 1 + raw(&rest[1..]).unwrap_or(1)
            }
            [b'\'', ..] => at + character(rest),
            _ => at + 1,
        };
        at = end;
    }
    found
}

/// Whether the byte before belongs to a name, so that a letter here opens nothing.
fn continues(bytes: &[u8], at: usize) -> bool {
    at > 0 && (bytes[at - 1].is_ascii_alphanumeric() || bytes[at - 1] == b'_')
}

/// The length of a block comment, nested ones included; to the end of the text when unclosed.
fn block(rest: &[u8]) -> usize {
    let mut depth = 0_usize;
    let mut at = 0;
    while at < rest.len() {
        match &rest[at..] {
            [b'/', b'*', ..] => {
                depth += 1;
                at += 2;
            }
            [b'*', b'/', ..] => {
                depth -= 1;
                at += 2;
                if depth == 0 {
                    return at;
                }
            }
            _ => at += 1,
        }
    }
    rest.len()
}

/// The length of a string literal.
fn string(rest: &[u8]) -> usize {
    let mut at = 1;
    while let Some(byte) = rest.get(at) {
        match byte {
            b'\\' => at += 2,
            b'"' => return at + 1,
            _ => at += 1,
        }
    }
    rest.len()
}

/// The length of a raw string literal from its `r`; none when it is none (`r#name`).
fn raw(rest: &[u8]) -> Option<usize> {
    let hashes = rest[1..].iter().take_while(|&&b| b == b'#').count();
    let mut at = 1 + hashes;
    if rest.get(at) != Some(&b'"') {
        return None;
    }
    at += 1;
    while at < rest.len() {
        if rest[at] == b'"' {
            let closing = rest[at + 1..].iter().take(hashes).take_while(|&&b| b == b'#').count();
            if closing == hashes {
                return Some(at + 1 + hashes);
            }
        }
        at += 1;
    }
    Some(rest.len())
}

/// The length of a character literal, or of the mark of a lifetime.
fn character(rest: &[u8]) -> usize {
    match rest {
        [_, b'\\', _, tail @ ..] => {
            // An escape is short: `'\u{10ffff}'` is the longest.
            tail.iter().take(10).position(|&b| b == b'\'').map_or(1, |end| end + 4)
        }
        [_, first, ..] => {
            let width = match first {
                0xf0.. => 4,
                0xe0.. => 3,
                0xc0.. => 2,
                _ => 1,
            };
            if rest.get(1 + width) == Some(&b'\'') { 2 + width } else { 1 }
        }
        _ => 1,
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn comments_are_found_and_literals_are_passed_over() {
        let cases: &[(&str, &[&str])] = &[
            ("a // b\nc", &["// b"]),
            ("/* a /* b */ c */ d // e", &["/* a /* b */ c */", "// e"]),
            ("let x = \"// a \\\" // b\"; // c", &["// c"]),
            ("r#\"// \" a\"# // b", &["// b"]),
            ("br\"// a\\\" // b", &["// b"]),
            ("r#type // b", &["// b"]),
            ("bar\"// a\" // b", &["// b"]),
            ("'\"' // a \"", &["// a \""]),
            ("'\\'' // a", &["// a"]),
            ("'\\u{1F600}' // a", &["// a"]),
            ("'é' // a", &["// a"]),
            ("fn f<'a>(x: &'a str) // b", &["// b"]),
            ("/* open", &["/* open"]),
            ("\"open // a", &[]),
        ];
        for (source, expected) in cases {
            assert_eq!(comments(source), *expected, "{source}");
        }
    }

    proptest! {
        #[test]
        fn any_text_is_read(source in "[-/*\"'r#b\\\\\n é]{0,60}") {
            for comment in comments(&source) {
                prop_assert!(comment.starts_with("//") || comment.starts_with("/*"));
            }
        }
    }
}
