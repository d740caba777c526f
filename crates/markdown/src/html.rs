//! The anchors that raw HTML sets: `<a name="x">` and `id="x"` on any element. Pages that were moved
//! or written before headings had anchors are full of them, and every renderer keeps them.

/// Calls `found` with each value of an `id` or `name` attribute of a tag, character references not
/// read. `html` is one HTML block or one tag inside a line; comments hold no tags. Linear.
pub(crate) fn anchors<'h>(html: &'h str, mut found: impl FnMut(&'h str)) {
    let mut rest = html;
    while let Some((_, after)) = rest.split_once('<') {
        rest = if let Some(comment) = after.strip_prefix("!--") {
            comment.split_once("-->").map_or("", |(_, after)| after)
        } else if after.starts_with(|c: char| c.is_ascii_alphabetic()) {
            let name = |c: char| c.is_whitespace() || c == '/' || c == '>';
            attributes(after.trim_start_matches(|c| !name(c)), &mut found)
        } else {
            after
        };
    }
}

/// Reads attributes up to the end of the tag and gives back what is behind it.
fn attributes<'h>(mut rest: &'h str, found: &mut impl FnMut(&'h str)) -> &'h str {
    loop {
        rest = rest.trim_start_matches(|c: char| c.is_whitespace() || c == '/');
        if rest.is_empty() {
            return rest;
        }
        if let Some(behind) = rest.strip_prefix('>') {
            return behind;
        }
        let end = |c: char| c.is_whitespace() || matches!(c, '/' | '>' | '=');
        // The first character belongs to the name whatever it is, so each round takes something.
        let first = rest.chars().next().map_or(0, char::len_utf8);
        let (_, tail) = rest.split_at(first);
        let length = first + tail.find(end).unwrap_or(tail.len());
        let (name, after) = rest.split_at(length);
        let Some(value) = after.trim_start().strip_prefix('=') else {
            rest = after;
            continue;
        };
        let value = value.trim_start();
        let quoted =
            ['"', '\''].into_iter().find_map(|quote| value.strip_prefix(quote)?.split_once(quote));
        let (value, behind) = quoted.unwrap_or_else(|| {
            let bare = |c: char| c.is_whitespace() || c == '>';
            value.split_at(value.find(bare).unwrap_or(value.len()))
        });
        if (name.eq_ignore_ascii_case("id") || name.eq_ignore_ascii_case("name"))
            && !value.is_empty()
        {
            found(value);
        }
        rest = behind;
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn of(html: &str) -> Vec<&str> {
        let mut all = Vec::new();
        anchors(html, |anchor| all.push(anchor));
        all
    }

    #[test]
    fn ids_and_names_of_tags_are_anchors() {
        assert_eq!(of(r#"<a name="x"></a><h2 class=q id='y z'>"#), ["x", "y z"]);
        assert_eq!(of("<a\n  NAME = x/>"), ["x/"]);
        assert_eq!(of("<a id=x>b</a> <br/><p hidden id=\"y\"/>"), ["x", "y"]);
    }

    #[test]
    fn nothing_else_is() {
        for html in [
            r#"<!-- <a name="x"> -->"#,
            r#"id="x""#,
            r#"</a name="x">"#,
            r#"<a href="?id=x" data-id="y" id="">"#,
            r#"<a title='id="x"'>"#,
            "<!-- <a id=x>",
            "<",
            "a < b id=x",
        ] {
            assert_eq!(of(html), Vec::<&str>::new(), "{html}");
        }
    }

    proptest! {
        #[test]
        fn every_text_ends(html in "[<>a=\"'/ !idname\n-]{0,60}") {
            for anchor in of(&html) {
                prop_assert!(html.contains(anchor));
            }
        }
    }
}
