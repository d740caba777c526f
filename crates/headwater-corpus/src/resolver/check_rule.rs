//! The resolver `check-rule`: the identifier of a rule that this engine ships is an anchor.

use super::{Resolution, Resolved, Resolver, Revision};

/// The name of the resolver.
pub(crate) const NAME: &str = "check-rule";

/// The rules that are known, sorted.
pub(crate) struct CheckRule(Vec<String>);

impl CheckRule {
    pub(crate) fn new(mut rules: Vec<String>) -> Self {
        rules.sort_unstable();
        Self(rules)
    }
}

impl Resolver for CheckRule {
    fn name(&self) -> &str {
        NAME
    }

    fn resolve(&self, raw: &str, _asserter: &str) -> Resolution {
        let rule = raw.trim();
        match self.0.binary_search_by(|known| known.as_str().cmp(rule)) {
            Ok(_) => Resolution::Resolved(Resolved {
                normalized: rule.to_owned(),
                ..Resolved::default()
            }),
            Err(_) => Resolution::Unresolved("this engine ships no rule of that name".to_owned()),
        }
    }

    fn revision(&self, _parts: &[Resolved]) -> Revision {
        Revision::Never
    }
}
