//! A line to tokens, as a POSIX shell quotes, without comments and without expansion.

/// The tokens of one line.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Words {
    /// The tokens, quotes and escapes resolved.
    pub(crate) tokens: Vec<String>,
    /// Whether the line ends, but for white space, with a literal in double quotes.
    pub(crate) ends_quoted: bool,
}

/// Splits a line; none when a quote is not closed or a backslash escapes nothing.
pub(crate) fn split(line: &str) -> Option<Words> {
    let mut tokens = Vec::new();
    let mut token: Option<String> = None;
    // The end of the last literal in double quotes.
    let mut quoted_to = 0;
    let mut chars = line.char_indices();
    while let Some((_, c)) = chars.next() {
        match c {
            ' ' | '\t' | '\r' | '\n' => tokens.extend(token.take()),
            '\'' => {
                let token = token.get_or_insert_default();
                loop {
                    match chars.next()?.1 {
                        '\'' => break,
                        c => token.push(c),
                    }
                }
            }
            '"' => {
                let token = token.get_or_insert_default();
                loop {
                    match chars.next()? {
                        (at, '"') => {
                            quoted_to = at + 1;
                            break;
                        }
                        (_, '\\') => match chars.next()?.1 {
                            c @ ('"' | '\\') => token.push(c),
                            c => token.extend(['\\', c]),
                        },
                        (_, c) => token.push(c),
                    }
                }
            }
            '\\' => token.get_or_insert_default().push(chars.next()?.1),
            c => token.get_or_insert_default().push(c),
        }
    }
    tokens.extend(token);
    let ends_quoted = quoted_to > 0 && line[quoted_to..].trim().is_empty();
    Some(Words { tokens, ends_quoted })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_split_as_a_shell_does() {
        type Wanted<'a> = Option<(&'a [&'a str], bool)>;
        let cases: [(&str, Wanted<'_>); 16] = [
            ("box a 1 1 \"x y\"", Some((&["box", "a", "1", "1", "x y"], true))),
            ("a\tb \r", Some((&["a", "b"], false))),
            ("'a \\ \"b'c", Some((&["a \\ \"bc"], false))),
            ("\"a\\\"b\\\\c\\n\"", Some((&["a\"b\\c\\n"], true))),
            ("a\\ b", Some((&["a b"], false))),
            ("\"\"", Some((&[""], true))),
            ("'' x", Some((&["", "x"], false))),
            ("\"a\"\"b\"  ", Some((&["ab"], true))),
            ("pre\"fix\"", Some((&["prefix"], true))),
            ("\"fix\"post", Some((&["fixpost"], false))),
            ("\\\"b\\\"", Some((&["\"b\""], false))),
            ("# a", Some((&["#", "a"], false))),
            ("\"x\"\u{a0}", Some((&["x\u{a0}"], true))),
            ("don't", None),
            ("\"x", None),
            ("x\\", None),
        ];
        for (line, wanted) in cases {
            let wanted = wanted.map(|(tokens, ends_quoted)| Words {
                tokens: tokens.iter().map(|token| (*token).to_owned()).collect(),
                ends_quoted,
            });
            assert_eq!(split(line), wanted, "{line}");
        }
    }
}
