//! An identifier is exactly what the scheme of its kind mints: its fixed text, its namespace, its number
//! of digits, its slug, and nothing behind them.
//!
//! # Why
//!
//! Identifiers are what edges, claims and other repositories name. One that its scheme could not have
//! minted collides with one that it will.
//!
//! # Example
//!
//! The scheme mints `ACM-RUL-` and four digits, and a document writes `id: ACM-RUL-004`.
//!
//! # Neighbour
//!
//! A test of the beginning would pass `ACM-RUL-00041`, in which one digit is left over. A document
//! without an identifier is not judged here: `identifier.unusable` reports it.

use headwater_check::{
    About, Defect, DocumentRule, DocumentView, Kind, Origin, Outcome, Taxonomy,
};
use headwater_check::headwater_corpus::Identity;
use headwater_check::headwater_taxonomy::template::Template;

use crate::say::quoted;

/// The rule for one kind.
pub(crate) struct Rule {
    scheme: String,
    /// The template, or why it cannot be read.
    template: Result<Template, String>,
    shown: String,
}

impl DocumentRule for Rule {
    const ABOUT: About = About::new(
        "identifier.pattern.not_met",
        1,
        Origin::Shape,
        include_str!("../../../docs/rules/identifier.pattern.not_met.md"),
    );

    fn generate(taxonomy: &Taxonomy, kind: &Kind) -> Option<Self> {
        let scheme = taxonomy.schemes.get(kind.scheme.as_deref()?)?;
        let template = scheme.template().map_err(|why| why.to_string());
        let namespace = scheme.namespace.as_deref().unwrap_or_default();
        Some(Self { scheme: scheme.name.clone(), template, shown: shown(&scheme.pattern, namespace) })
    }

    fn evaluate(&self, view: &DocumentView<'_>) -> Outcome {
        let template = match &self.template {
            Ok(template) => template,
            Err(why) => {
                return Outcome::skip(format!(
                    "the template {} of the identifier scheme {} cannot be read: {why}",
                    quoted(&self.shown),
                    quoted(&self.scheme)
                ));
            }
        };
        let matter = view.front_matter();
        let key = || quoted(&matter.bindings().identifier_key);
        let identifier = match matter.identity() {
            Identity::Usable(identifier) => identifier,
            Identity::Absent => return Outcome::skip(format!("no {} is written", key())),
            Identity::NotScalar(_) => return Outcome::skip(format!("{} is not one text", key())),
        };
        match template.admits(&identifier.text) {
            Ok(()) => Outcome::Pass,
            Err(why) => Outcome::fail(Defect::error(
                matter.place(identifier.key_span),
                format!(
                    "the identifier {} is not one that the scheme {} mints, {}: {why}",
                    quoted(&identifier.text),
                    quoted(&self.scheme),
                    quoted(&self.shown)
                ),
                format!("write an identifier of the form {}", quoted(&self.shown)),
            )),
        }
    }
}

/// A pattern as people read it: the namespace filled in, a slug as `<slug>`, a number as zeros.
fn shown(pattern: &str, namespace: &str) -> String {
    let mut out = String::new();
    let mut rest = pattern;
    while let Some((before, after)) = rest.split_once('{') {
        out.push_str(before);
        let Some((name, after)) = after.split_once('}') else {
            rest = rest.get(before.len()..).unwrap_or_default();
            break;
        };
        let width = name.strip_prefix("seq:0").and_then(|rest| rest.strip_suffix('d')?.parse().ok());
        match (name, width) {
            ("namespace", _) if !namespace.is_empty() => out.push_str(namespace),
            ("slug", _) => out.push_str("<slug>"),
            (_, Some(width @ 1..=18)) => out.push_str(&"0".repeat(width)),
            _ => out.push_str(&format!("{{{name}}}")),
        }
        rest = after;
    }
    out + rest
}

#[cfg(test)]
mod tests {
    use super::shown;

    #[test]
    fn a_pattern_is_shown_with_its_placeholders_filled() {
        assert_eq!(shown("{namespace}-RUL-{seq:04d}", "ACM"), "ACM-RUL-0000");
        assert_eq!(shown("N-{slug}", "ACM"), "N-<slug>");
        for unreadable in ["{a", "{x}-{seq:0999999999d}", "}{", "{namespace}"] {
            assert_eq!(shown(unreadable, ""), unreadable);
        }
    }
}
