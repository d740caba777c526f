//! The policy of a page, and the one script that a page with a Mermaid figure has.
//!
//! The script is a constant of the program. The nonce that lets it run is fixed by canvas-projections
//! §4.3.2 and is the same on every page, because the same canvas must give the same bytes; it guards
//! nothing by itself. What guards the page is that no value of a canvas is ever markup, and that the
//! policy names no other source of scripts than one directory of one version of one package.

/// The nonce of the script.
const NONCE: &str = "canvas-mermaid-renderer";

/// The directory of the pinned module and of the parts it loads.
const DIRECTORY: &str = "https://cdn.jsdelivr.net/npm/mermaid@11.17.2/dist/";

/// The script, with every fact about Mermaid in it; it names the pinned module once.
const SCRIPT: &str = include_str!("mermaid.mjs");

/// The content security policy of a page. Nothing may be fetched, framed, submitted or run; on a
/// page with a Mermaid figure our script may run and fetch the pinned module.
pub(crate) fn policy(with_script: bool) -> String {
    let scripts =
        if with_script { format!("'nonce-{NONCE}' {DIRECTORY}") } else { "'none'".to_owned() };
    format!(
        "default-src 'none'; script-src {scripts}; style-src 'unsafe-inline'; img-src 'none'; \
         font-src 'none'; connect-src 'none'; media-src 'none'; object-src 'none'; \
         frame-src 'none'; base-uri 'none'; form-action 'none'"
    )
}

/// The script element.
pub(crate) fn script() -> String {
    format!("<script type=\"module\" nonce=\"{NONCE}\">\n{}\n</script>", SCRIPT.trim_end())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_script_loads_one_module_from_the_directory_that_the_policy_names() {
        assert_eq!(SCRIPT.matches("https://cdn.jsdelivr.net/").count(), 1);
        assert!(SCRIPT.contains(&format!("\"{DIRECTORY}mermaid.esm.min.mjs\"")));
        assert!(policy(true).contains(DIRECTORY));
        assert!(!policy(false).contains("http"));
        assert!(!SCRIPT.contains("</"), "nothing in the script may look like its end");
    }
}
