//! The three inline marks of a text: code, strong and emphasis (canvas-projections §2.5).
//!
//! One scan from left to right. Each mark that does not open something costs a look at the next mark
//! or line end and no further, so the scan is linear.

use crate::text::esc;

/// The text of a node as HTML. No markup comes out of it but `code`, `strong` and `em`.
pub(crate) fn prose(value: &str) -> String {
    let text = esc(value);
    let mut out = String::with_capacity(text.len() + 16);
    let mut rest = text.as_str();
    while let Some(at) = rest.find(['`', '*']) {
        out.push_str(&rest[..at]);
        rest = &rest[at..];
        let found = marked(rest, "`", code)
            .map(|found| ("code", found))
            .or_else(|| marked(rest, "**", |text| starred(text, "**")).map(|f| ("strong", f)))
            .or_else(|| marked(rest, "*", |text| starred(text, "*")).map(|f| ("em", f)));
        match found {
            Some((name, (content, after))) => {
                out.push_str(&format!("<{name}>{content}</{name}>"));
                rest = after;
            }
            None => {
                out.push_str(&rest[..1]);
                rest = &rest[1..];
            }
        }
    }
    out.push_str(rest);
    out
}

/// What stands after `mark` up to its closer, and what follows that. `length` finds the content.
fn marked<'t>(
    text: &'t str,
    mark: &str,
    length: impl FnOnce(&'t str) -> Option<usize>,
) -> Option<(&'t str, &'t str)> {
    let inner = text.strip_prefix(mark)?;
    let end = length(inner)?;
    Some((&inner[..end], &inner[end + mark.len()..]))
}

/// The length of a code span: at least one character, none of them a line end.
fn code(inner: &str) -> Option<usize> {
    let end = inner.find(['`', '\n'])?;
    (end > 0 && inner[end..].starts_with('`')).then_some(end)
}

/// The length of the shortest content that `mark` closes: no white space at either end, and no
/// asterisk but at either end.
fn starred(inner: &str, mark: &str) -> Option<usize> {
    let first = inner.chars().next().filter(|c| !c.is_whitespace())?;
    let first = first.len_utf8();
    if inner[first..].starts_with(mark) {
        return Some(first);
    }
    let star = first + inner[first..].find('*')?;
    let closes = |end: usize| inner[end..].starts_with(mark);
    if inner[..star].ends_with(|c: char| !c.is_whitespace()) && closes(star) {
        return Some(star);
    }
    // The asterisk itself may be the last character of the content.
    closes(star + 1).then_some(star + 1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn marks_are_what_the_specification_says() {
        let cases = [
            ("plain", "plain"),
            ("**b** *e* `c`", "<strong>b</strong> <em>e</em> <code>c</code>"),
            ("30 4 * * 1,4", "30 4 * * 1,4"),
            ("`**x**`", "<code>**x**</code>"),
            ("**x", "**x"),
            ("** x**", "<em>* x</em>*"),
            ("** x", "** x"),
            ("**x **y**", "<em>*x *</em>y**"),
            ("**x** **y**", "<strong>x</strong> <strong>y</strong>"),
            ("*a\nb*", "<em>a\nb</em>"),
            ("`a\nb`", "`a\nb`"),
            ("``", "``"),
            ("***a***", "<strong>*a</strong>*"),
            ("*é*", "<em>é</em>"),
            ("`<b>`", "<code>&lt;b&gt;</code>"),
            ("<script>", "&lt;script&gt;"),
            ("2*3*4", "2<em>3</em>4"),
            ("*", "*"),
            ("****", "<em>*</em>*"),
            ("*****", "<strong>*</strong>"),
            ("[a](b) # c", "[a](b) # c"),
        ];
        for (given, wanted) in cases {
            assert_eq!(prose(given), wanted, "{given}");
        }
    }

    proptest! {
        #[test]
        fn nothing_but_the_three_elements_is_added(value in "[a *`<&>\n]{0,40}") {
            let mut text = prose(&value);
            for name in ["code", "strong", "em"] {
                text = text.replace(&format!("<{name}>"), "").replace(&format!("</{name}>"), "");
            }
            prop_assert!(!text.contains(['<', '>']));
            let bare = |text: &str| text.replace(['*', '`'], "");
            prop_assert_eq!(bare(&text), bare(&esc(&value)));
        }
    }
}
