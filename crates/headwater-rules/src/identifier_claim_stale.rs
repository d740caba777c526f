//! A claim names the document that carries its identifier.
//!
//! # Why
//!
//! A claim is how a person finds out who took a number. One that names another document, or nothing,
//! sends them wrong.
//!
//! # Example
//!
//! `.headwater/ids/ruling_id/ACM-RUL-0001` names `docs/rulings/old.md`, and `docs/rulings/new.md`
//! carries the identifier.
//!
//! # Neighbour
//!
//! Not every claim needs a document: the claim of a document that was deleted stays, so that its
//! identifier is never minted again.

use std::collections::BTreeMap;

use headwater_check::{
    About, CorpusNeeds, CorpusRule, CorpusView, Defect, End, Origin, Outcome, Place, Taxonomy,
};

use crate::say::quoted;

/// The rule.
pub(crate) struct Rule {
    /// The scheme of each kind.
    schemes: BTreeMap<String, String>,
}

impl CorpusRule for Rule {
    const ABOUT: About = About::new(
        "identifier.claim.stale",
        1,
        Origin::Shape,
        include_str!("../../../docs/rules/identifier.claim.stale.md"),
    );
    const NEEDS: CorpusNeeds = CorpusNeeds { claims: true, ..CorpusNeeds::NONE };

    fn generate(taxonomy: &Taxonomy) -> Option<Self> {
        let scheme = |kind: &headwater_check::Kind| Some((kind.name.clone(), kind.scheme.clone()?));
        Some(Self { schemes: taxonomy.kinds.values().filter_map(scheme).collect() })
    }

    fn evaluate(&self, view: &CorpusView<'_>) -> Outcome {
        let Some(claims) = view.claims() else { return Outcome::Pass };
        let mut holders: BTreeMap<(&str, &str), Vec<End<'_>>> = BTreeMap::new();
        if !claims.all().is_empty() {
            for node in view.nodes() {
                if let Some(scheme) = self.schemes.get(node.kind()) {
                    holders.entry((scheme, node.id())).or_default().push(node);
                }
            }
        }
        let mut defects = Vec::new();
        for claim in claims.all() {
            let path = claim.path();
            let warn = |place: Place, message: String, remedy: String| {
                Some(Defect::warn(place, message, remedy))
            };
            let defect = match claim.claimant.as_deref() {
                None => warn(
                    Place::file(&path),
                    "this claim is not a regular file, so it was not read".to_owned(),
                    "put a file here that holds the path of the document".to_owned(),
                ),
                Some("") => warn(
                    Place::file(&path),
                    "this claim names no document".to_owned(),
                    "write the path of the document that carries the identifier".to_owned(),
                ),
                Some(claimant) => match view.at(claimant) {
                    Some(end) if end.id() == claim.identifier => None,
                    Some(_) => warn(
                        Place::file(claimant),
                        format!(
                            "{} claims {} for this document, which carries another identifier or none",
                            quoted(&path),
                            quoted(&claim.identifier)
                        ),
                        format!("write the identifier in the document, or the right path in {}", quoted(&path)),
                    ),
                    None => {
                        let key = (claim.scheme.as_str(), claim.identifier.as_str());
                        match holders.get(&key).map(Vec::as_slice) {
                            // A deleted document keeps its claim; two holders are reported as such.
                            Some([holder]) => warn(
                                Place::file(holder.path()),
                                format!(
                                    "{} names {}, and this document carries {}",
                                    quoted(&path),
                                    quoted(claimant),
                                    quoted(&claim.identifier)
                                ),
                                format!("write {} in {}", quoted(holder.path()), quoted(&path)),
                            ),
                            _ => None,
                        }
                    }
                },
            };
            defects.extend(defect);
        }
        Outcome::of(defects)
    }
}
