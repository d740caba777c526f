//! The marker of generated files (model §1.8): a token that a generator writes where no prose stands,
//! so that a mention of it elsewhere marks nothing.

/// The token.
const TOKEN: &str = "headwater:generated";
/// The token as a key.
const KEY: &str = "\"headwater:generated\"";

/// The formats that can carry the marker.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Format {
    Markdown,
    Hash,
    Json,
}

impl Format {
    /// The format that a path's extension names.
    pub(crate) fn of(path: &str) -> Option<Self> {
        let name = path.rsplit('/').next().unwrap_or(path);
        match name.rsplit_once('.')?.1 {
            "md" | "markdown" => Some(Self::Markdown),
            "yml" | "yaml" | "toml" => Some(Self::Hash),
            "json" => Some(Self::Json),
            _ => None,
        }
    }
}

/// The name of the projection that wrote the file, where its text carries the marker. It is empty
/// where the marker names none.
#[must_use]
pub fn projection_of(path: &str, text: &str) -> Option<String> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    match Format::of(path)? {
        Format::Markdown => in_comment(text).or_else(|| in_front_matter(text)),
        Format::Hash => {
            let first = text.lines().next()?.trim_start();
            Some(named(first.strip_prefix('#')?.split_once(TOKEN)?.1))
        }
        Format::Json => in_json(text),
    }
}

/// The marker in an HTML comment on the first line.
pub(crate) fn in_comment(text: &str) -> Option<String> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let comment = text.lines().next()?.trim_start().strip_prefix("<!--")?;
    let comment = comment.split_once("-->").map_or(comment, |(inside, _)| inside);
    Some(named(comment.split_once(TOKEN)?.1))
}

/// The marker as a quoted key inside a front-matter block.
pub(crate) fn in_front_matter(text: &str) -> Option<String> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let mut lines = text.lines();
    if lines.next() != Some("---") {
        return None;
    }
    lines
        .take_while(|line| *line != "---")
        .find_map(|line| Some(named(line.trim_start().strip_prefix(KEY)?)))
}

fn in_json(text: &str) -> Option<String> {
    let mut lines = text.lines().skip_while(|line| line.trim().is_empty());
    let first = lines.next()?.trim_start();
    if !first.starts_with('{') {
        return None;
    }
    for (at, _) in first.match_indices(KEY) {
        let (before, after) = (first[..at].trim_end(), first[at + KEY.len()..].trim_start());
        if before.ends_with(['{', ',']) && after.starts_with(':') {
            return Some(named(after));
        }
    }
    lines.find_map(|line| Some(named(line.trim_start().strip_prefix(KEY)?)))
}

/// The text after the token up to the first full stop.
fn named(rest: &str) -> String {
    let rest = rest.split_once('.').map_or(rest, |(name, _)| name);
    let rest = rest.trim_start_matches(['"', '\'', ':', ' ', '\t']);
    rest.trim_end_matches(|c: char| !c.is_alphanumeric()).to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_places_of_the_table_carry_the_marker() {
        let cases: &[(&str, &str, Option<&str>)] = &[
            (
                "a.md",
                "<!-- headwater:generated shelf_index. Do not edit. -->\n",
                Some("shelf_index"),
            ),
            ("a.md", "\u{feff}<!-- headwater:generated -->\r\nx", Some("")),
            ("a.md", "\n<!-- headwater:generated x. -->", None),
            ("a.md", "text <!-- headwater:generated x. -->", None),
            ("a.md", "<!-- a --> headwater:generated x.", None),
            (
                "a.md",
                "---\n\"headwater:generated\": \"template. Of a kind.\"\n---\n",
                Some("template"),
            ),
            ("a.md", "---\nheadwater:generated: x\n---\n", None),
            ("a.md", "---\na: b\n---\n\"headwater:generated\": x\n", None),
            ("a.markdown", "<!-- headwater:generated x. -->", Some("x")),
            ("a.yaml", "# headwater:generated graph_export. x\n", Some("graph_export")),
            ("a.toml", "a = 1\n# headwater:generated x.\n", None),
            (
                "a.json",
                "\n{\n  \"headwater:generated\": \"graph_export. x\"\n}",
                Some("graph_export"),
            ),
            ("a.json", "{\"a\":1, \"headwater:generated\" : \"x. y\"}", Some("x")),
            ("a.json", "{\"a\": \"headwater:generated\"}", None),
            ("a.json", "[\n\"headwater:generated\": 1]", None),
            ("a.txt", "# headwater:generated x.", None),
            ("md", "<!-- headwater:generated x. -->", None),
            ("a.MD", "<!-- headwater:generated x. -->", None),
        ];
        for (path, text, expected) in cases {
            assert_eq!(projection_of(path, text).as_deref(), *expected, "{path}: {text}");
        }
    }
}
