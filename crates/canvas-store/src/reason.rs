//! What a reason must be before anything is written (canvas-store §5.6).
//!
//! The rule lives in the write path and binds library callers as well as the command line.

use crate::message::fold_reason;
use crate::refusal::{Exit, Next, Refusal, Subject};

/// Phrases that point at another reason instead of giving one.
const BACK_REFERENCES: [&str; 7] =
    ["as above", "as before", "see above", "same as above", "same shape", "ditto", "as previously"];
/// Four-letter words that are no node id although they have the length of one.
const NOT_IDS: [&str; 4] = ["each", "read", "same", "what"];

/// The reason as it is stored, or the refusal. `node` is the node being edited; insert and freeze
/// have none. `subjects` are the nodes and the canvas of the request.
pub fn accept(why: &str, node: Option<&str>, subjects: Vec<Subject>) -> Result<String, Refusal> {
    let refuse = |message: &str, next: &str| {
        Refusal::new(Exit::Tool, message, Subject::about("option", "--why"), Next::new(next))
            .and_all(subjects.clone())
    };
    let trimmed = why.trim();
    if trimmed.is_empty() {
        return Err(refuse(
            "--why must say why this edit is made; it is blank",
            "re-run the same command with --why TEXT; there is no default, because a reason that a \
             tool invented reads as if somebody had decided something. Nothing was written",
        ));
    }
    if trimmed.contains('\0') {
        return Err(refuse(
            "--why holds a NUL character, which no commit message can hold",
            "re-run with the reason as plain text. Nothing was written",
        ));
    }
    if is_bare_back_reference(trimmed, node) {
        return Err(refuse(
            "--why must say what this node is for; it only points at another reason, and a node's \
             history never shows the reason it points at",
            "re-run with a --why that stands alone, or name its four-character id if another node \
             carries the justification, and say what is different here. Nothing was written",
        ));
    }
    Ok(fold_reason(trimmed))
}

/// Whether `reason` leans on another reason without naming another node.
fn is_bare_back_reference(reason: &str, node: Option<&str>) -> bool {
    let plain: String = reason
        .to_lowercase()
        .chars()
        .map(|c| if c.is_alphanumeric() || c == '_' || c.is_whitespace() { c } else { ' ' })
        .collect();
    if !BACK_REFERENCES.iter().any(|phrase| plain.contains(phrase)) {
        return false;
    }
    !plain.split_whitespace().any(|token| {
        token.len() == 4
            && token.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit())
            && !NOT_IDS.contains(&token)
            && Some(token) != node
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bare_back_references_are_told_from_reasons() {
        let bare = [
            "as above",
            "Ditto.",
            "Same shape, same reading.",
            "as-above",
            "AS BEFORE",
            "Merged upward; reason as above.",
            "it has above average risks",
            "whereas before",
            "as above, see p9qr",
            "see above what each read same",
            "column one, as above.",
            "Empty for one commit, as before.",
        ];
        for reason in bare {
            assert!(is_bare_back_reference(reason, Some("p9qr")), "{reason}");
        }
        let fine = [
            "as, above",
            "as  above",
            "as_above",
            "as\nabove",
            "as above — 2026",
            "as above, but see v2xy",
            "as above V2XY",
            "same as above with more",
            "matching ab2c",
            // Any word of four letters excuses, so this one passes where its like above does not.
            "it has above average cost",
            "a reason of its own",
        ];
        for reason in fine {
            assert!(!is_bare_back_reference(reason, Some("p9qr")), "{reason}");
        }
    }
}
