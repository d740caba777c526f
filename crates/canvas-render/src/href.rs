//! Which addresses may be followed.
//!
//! A link of a canvas is whatever somebody wrote. On a page it may lead to `http`, `https` and `mailto`
//! addresses and to relative ones; any other scheme can run something, so its link is shown as text.

/// The schemes that a live link may have.
const SCHEMES: [&str; 3] = ["http", "https", "mailto"];

/// Whether a browser that follows `href` stays within [`SCHEMES`] and relative references. Reads it
/// as a browser does: control characters and spaces around it do not count, nor do tabs and line
/// ends anywhere.
pub(crate) fn is_live(href: &str) -> bool {
    let read: String = href
        .trim_matches(|c: char| c <= ' ')
        .chars()
        .filter(|c| !matches!(c, '\t' | '\n' | '\r'))
        .collect();
    match scheme(&read) {
        Some(scheme) => SCHEMES.iter().any(|live| scheme.eq_ignore_ascii_case(live)),
        None => true,
    }
}

/// The scheme of an address that has one.
fn scheme(address: &str) -> Option<&str> {
    let (scheme, _) = address.split_once(':')?;
    let plain = |b: u8| b.is_ascii_alphanumeric() || matches!(b, b'+' | b'-' | b'.');
    let named = scheme.bytes().next().is_some_and(|b| b.is_ascii_alphabetic());
    (named && scheme.bytes().all(plain)).then_some(scheme)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_safe_schemes_and_relative_references_are_live() {
        for live in [
            "https://a.example/",
            "HTTP://a.example",
            "mailto:a@b.example",
            "docs/x.md",
            "../x",
            "#ab2c",
            "?q=a:b",
            "/x:y",
            "//a.example/x",
            "1x:y",
            " https://a.example ",
            "",
        ] {
            assert!(is_live(live), "{live}");
        }
        for dead in [
            "javascript:alert(1)",
            "JavaScript:alert(1)",
            " \u{1}javascript:alert(1)",
            "java\tscript:alert(1)",
            "java\nscript:alert(1)",
            "javascript\r:alert(1)",
            "data:text/html,x",
            "file:///etc/passwd",
            "vbscript:x",
            "blob:x",
            "ftp://a.example",
            "web+canvas:x",
            "c:\\x",
        ] {
            assert!(!is_live(dead), "{dead}");
        }
    }
}
