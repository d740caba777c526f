//! Escaping and folding: every way in which a value of a canvas becomes part of a projection.

/// A value as HTML text.
pub(crate) fn esc(value: &str) -> String {
    value.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

/// A value as the content of an HTML attribute in double quotes.
pub(crate) fn esc_attr(value: &str) -> String {
    esc(value).replace('"', "&quot;")
}

/// A value on one line: its words with one space between them.
pub(crate) fn fold(value: &str) -> String {
    value.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// A value in a comment: no `<` may reach it, and the transport repairs the Markdown itself.
pub(crate) fn ctext(value: &str) -> String {
    value.replace('&', "&amp;").replace('<', "&lt;")
}

/// A value in a comment that must be one line.
pub(crate) fn inline(value: &str) -> String {
    fold(&ctext(value))
}

/// A text node in a comment: trimmed, and every run of blank lines made one blank line, so that the
/// blocks of the comment stay one blank line apart.
pub(crate) fn paragraphs(value: &str) -> String {
    let value = ctext(value).replace("\r\n", "\n").replace('\r', "\n");
    let mut out = String::with_capacity(value.len());
    let mut blank = false;
    for line in value.trim().lines() {
        if line.trim().is_empty() {
            blank = true;
            continue;
        }
        if !out.is_empty() {
            out.push_str(if blank { "\n\n" } else { "\n" });
        }
        blank = false;
        out.push_str(line);
    }
    out
}

/// A figure's source in a comment: a fenced block whose fence is longer than any in the source.
pub(crate) fn fenced(source: &str) -> String {
    let source = source.replace('<', "&lt;");
    let source = source.trim_matches(['\n', '\r']);
    let fence = "`".repeat(longest_run(source).max(2) + 1);
    format!("{fence}\n{source}\n{fence}")
}

/// A value as code in a comment.
pub(crate) fn code(value: &str) -> String {
    let value = value.replace('<', "&lt;");
    let ticks = longest_run(&value);
    if ticks == 0 {
        return format!("`{value}`");
    }
    let fence = "`".repeat(ticks + 1);
    format!("{fence} {value} {fence}")
}

/// The length of the longest run of backticks.
fn longest_run(value: &str) -> usize {
    value.split(|c| c != '`').map(str::len).max().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_fence_is_longer_than_any_run_in_the_source() {
        assert_eq!(fenced("\n\na < b\n"), "```\na &lt; b\n```");
        assert_eq!(fenced("````"), "`````\n````\n`````");
        assert_eq!(fenced(""), "```\n\n```");
        assert_eq!(code("a`b"), "`` a`b ``");
    }

    proptest! {
        #[test]
        fn paragraphs_keep_every_word_and_no_double_blank_line(value in "[a-c \n\r\t<&]{0,40}") {
            let shown = paragraphs(&value);
            prop_assert!(!shown.contains("\n\n\n") && !shown.contains('<'));
            prop_assert_eq!(fold(&shown), inline(&value));
        }
    }
}
