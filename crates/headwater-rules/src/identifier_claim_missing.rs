//! A document whose kind takes claims has a claim for its identifier: a file
//! `.headwater/ids/<scheme>/<identifier>` that holds its path.
//!
//! # Why
//!
//! Two branches that mint one number merge without a conflict, unless both add the same file.
//!
//! # Example
//!
//! `docs/rulings/a.md` writes `id: ACM-RUL-0001`, and there is no
//! `.headwater/ids/ruling_id/ACM-RUL-0001`.
//!
//! # Neighbour
//!
//! Not only schemes that take the next number make claims: a shelf with a `layout` does too. An
//! identifier that two documents write is `identifier.claimed_twice`, and neither can claim it.

use std::collections::{BTreeMap, BTreeSet};

use headwater_check::{
    About, CorpusNeeds, CorpusRule, CorpusView, Defect, Origin, Outcome, Patch, Taxonomy,
};
use headwater_check::headwater_corpus::CLAIMS_PATH;

use crate::identifier_claimed_twice::key_of;
use crate::say::quoted;

/// The rule.
pub(crate) struct Rule {
    /// The scheme of each kind that takes claims.
    schemes: BTreeMap<String, String>,
}

impl CorpusRule for Rule {
    const ABOUT: About = About::new(
        "identifier.claim.missing",
        1,
        Origin::Shape,
        include_str!("../../../docs/rules/identifier.claim.missing.md"),
    );
    const NEEDS: CorpusNeeds = CorpusNeeds { phase_a: true, claims: true, ..CorpusNeeds::NONE };

    fn generate(taxonomy: &Taxonomy) -> Option<Self> {
        let kinds = taxonomy.kinds.values().filter(|kind| taxonomy.takes_claims(kind));
        let scheme = |kind: &headwater_check::Kind| Some((kind.name.clone(), kind.scheme.clone()?));
        let schemes: BTreeMap<_, _> = kinds.filter_map(scheme).collect();
        (!schemes.is_empty()).then_some(Self { schemes })
    }

    fn evaluate(&self, view: &CorpusView<'_>) -> Outcome {
        let Some(claims) = view.claims() else { return Outcome::Pass };
        let collisions = view.collisions().unwrap_or_default();
        let contended: BTreeSet<&str> = collisions.iter().map(|(first, _)| first.id()).collect();
        let mut defects = Vec::new();
        for node in view.nodes().filter(|node| !node.id().is_empty()) {
            let Some(scheme) = self.schemes.get(node.kind()) else { continue };
            if contended.contains(node.id()) || claims.get(scheme, node.id()).is_some() {
                continue;
            }
            let claim = format!("{CLAIMS_PATH}/{scheme}/{}", node.id());
            // An identifier that is no file name cannot be claimed by a file.
            let writable = !node.id().contains(['/', '\\', '\0', '\n', '\r']) && ![".", ".."].contains(&node.id());
            let contents = format!("{}\n", node.path());
            let patch = writable.then(|| Patch::Create { path: claim.clone(), contents });
            let remedy = if writable {
                format!("make the file {} with the line {}", quoted(&claim), quoted(node.path()))
            } else {
                "write an identifier that can be the name of a file".to_owned()
            };
            let message = format!("nothing claims the identifier {}, which documents of the kind {} do", quoted(node.id()), quoted(node.kind()));
            defects.push(Defect::error(key_of(node), message, remedy).patched(patch));
        }
        Outcome::of(defects)
    }
}
