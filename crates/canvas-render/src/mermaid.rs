//! The policy of a page, and the one script that a page with a Mermaid figure has.
//!
//! The script is a constant of the program, so the policy names it by its hash: no other script runs,
//! whatever its nonce. A nonce in the policy would pass on to every module that the script loads and
//! let it load from anywhere; with the hash, one directory of one version of one package is all there
//! is. The script still carries its nonce, which is how its element is known (canvas-projections §4.3.3).

/// The nonce of the script.
const NONCE: &str = "canvas-mermaid-renderer";

/// The hash of the script element's text, for the policy. A test computes it.
const HASH: &str = "sha256-ocF2kcD4a3b70EOAQoYh8tcWJhnODywlEx3ak8CE0M8=";

/// The directory of the pinned module and of the parts it loads.
const DIRECTORY: &str = "https://cdn.jsdelivr.net/npm/mermaid@11.17.2/dist/";

/// The script, with every fact about Mermaid in it; it names the pinned module once.
const SCRIPT: &str = include_str!("mermaid.mjs");

/// The content security policy of a page. Nothing may be fetched, framed, submitted or run; on a
/// page with a Mermaid figure our script may run and fetch the pinned module.
pub(crate) fn policy(with_script: bool) -> String {
    let scripts = if with_script { format!("'{HASH}' {DIRECTORY}") } else { "'none'".to_owned() };
    format!(
        "default-src 'none'; script-src {scripts}; style-src 'unsafe-inline'; img-src 'none'; \
         font-src 'none'; connect-src 'none'; media-src 'none'; object-src 'none'; \
         frame-src 'none'; base-uri 'none'; form-action 'none'"
    )
}

/// The script element.
pub(crate) fn script() -> String {
    format!("<script type=\"module\" nonce=\"{NONCE}\">\n{SCRIPT}</script>")
}

#[cfg(test)]
mod tests {
    use super::*;
    use sha2::{Digest, Sha256};

    /// The digest of a text as a policy spells it.
    fn hash(text: &str) -> String {
        const DIGITS: &[u8] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
        let mut bytes = Sha256::digest(text).to_vec();
        bytes.push(0);
        let digits = bytes.chunks(3).flat_map(|three| {
            let bits = three.iter().fold(0usize, |bits, byte| bits << 8 | usize::from(*byte));
            [18, 12, 6, 0].map(|shift| char::from(DIGITS[bits >> shift & 63]))
        });
        format!("sha256-{}=", digits.take(43).collect::<String>())
    }

    #[test]
    fn the_policy_lets_the_script_run_and_no_other() {
        let element = script();
        let text = element.split_once('>').unwrap().1.strip_suffix("</script>").unwrap();
        assert_eq!(HASH, hash(text), "the script has changed: this is its hash");
        assert!(!policy(true).contains("nonce") && policy(true).contains(HASH));
    }

    #[test]
    fn the_script_loads_one_module_from_the_directory_that_the_policy_names() {
        assert_eq!(SCRIPT.matches("https://cdn.jsdelivr.net/").count(), 1);
        assert!(SCRIPT.contains(&format!("\"{DIRECTORY}mermaid.esm.min.mjs\"")));
        assert!(policy(true).contains(DIRECTORY));
        assert!(!policy(false).contains("http"));
        assert!(!SCRIPT.contains("</"), "nothing in the script may look like its end");
    }
}
