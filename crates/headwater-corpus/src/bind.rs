//! Binding one target: to a document, to an anchor, or to nothing and why (model §3.7).

use std::sync::OnceLock;

use headwater_taxonomy::model::Taxonomy;

use crate::census::Row;
use crate::edge::{Anchor, Binding, Target, Unbound, Withheld};
use crate::halves::permits_documents;
use crate::index::Index;
use crate::resolver::{Resolution, Resolved, Resolvers, source_tree};

/// What targets are bound against.
pub(crate) struct Binder<'b> {
    pub taxonomy: &'b Taxonomy,
    pub rows: &'b [Row],
    pub index: &'b Index,
    pub resolvers: &'b Resolvers,
}

impl Binder<'_> {
    /// Binds the raw targets of one half. `asserter` is the identifier of its writer, `permitted` what
    /// may stand at the far end.
    pub(crate) fn bind(&self, targets: &[Target], asserter: &str, permitted: &[String]) -> Binding {
        let documents = permits_documents(self.taxonomy, permitted);
        let sole = match targets {
            [target] => Some(target.text.as_str()),
            _ => None,
        };
        let node = |text| self.index.node(text);
        if let Some(row) = sole.filter(|_| documents).and_then(node) {
            return Binding::Document(row);
        }
        self.anchored(targets, sole, asserter, permitted, documents)
            .unwrap_or_else(|why| Binding::Unbound(Box::new(why)))
    }

    /// Binds targets that name no document to an anchor.
    fn anchored(
        &self,
        targets: &[Target],
        sole: Option<&str>,
        asserter: &str,
        permitted: &[String],
        documents: bool,
    ) -> Result<Binding, Unbound> {
        let mut claims = Vec::new();
        let mut refusals = Vec::new();
        for anchor in self.taxonomy.anchors_among(permitted) {
            match self.ask(&anchor.resolver, targets, asserter) {
                Ok(claim) => claims.push((anchor, claim)),
                Err(why) => refusals.push((anchor, why)),
            }
        }
        if claims.len() > 1 {
            let names = claims.into_iter().map(|(anchor, _)| anchor.name.clone()).collect();
            return Err(Unbound::AmbiguousAnchor(names));
        }
        if let Some((anchor, claim)) = claims.pop() {
            let parts = match claim {
                Claim::Withheld(profile) => {
                    let anchor = anchor.name.clone();
                    return Ok(Binding::Withheld(Box::new(Withheld { anchor, profile })));
                }
                Claim::Resolved(parts) => parts,
            };
            if documents
                && anchor.resolver == source_tree::NAME
                && let [part] = parts.as_slice()
                && let Some(row) = self.document_at(part)
            {
                return Err(Unbound::DocumentByPath(row));
            }
            return Ok(Binding::Anchor(Box::new(Anchor {
                kind: anchor.name.clone(),
                resolver: anchor.resolver.clone(),
                identity: identity(&parts),
                parts,
                revision: OnceLock::new(),
            })));
        }
        if documents {
            if let Some(row) = sole.and_then(|text| self.index.near_miss(text)) {
                return Err(Unbound::NotTyped(row));
            }
            let said = refusals
                .into_iter()
                .map(|(anchor, why)| {
                    let reason = match why {
                        Refused::NoResolver(why) => {
                            why.unwrap_or_else(|| "it is not in this run".to_owned())
                        }
                        Refused::Unresolved(reason) => reason,
                    };
                    (anchor.resolver.clone(), reason)
                })
                .collect();
            return Err(Unbound::NoSuchTarget(said));
        }
        Err(match refusals.into_iter().next() {
            None => Unbound::NoSuchTarget(Vec::new()),
            Some((anchor, why)) => {
                let (anchor, resolver) = (anchor.name.clone(), anchor.resolver.clone());
                match why {
                    Refused::NoResolver(why) => Unbound::NoResolver { anchor, resolver, why },
                    Refused::Unresolved(reason) => {
                        Unbound::AnchorUnresolved { anchor, resolver, reason }
                    }
                }
            }
        })
    }

    fn ask(&self, resolver: &str, targets: &[Target], asserter: &str) -> Result<Claim, Refused> {
        let Some(resolver) = self.resolvers.get(resolver) else {
            return Err(Refused::NoResolver(self.resolvers.why_absent(resolver)));
        };
        let mut parts = Vec::new();
        let mut withheld = None;
        for target in targets {
            match resolver.resolve(&target.text, asserter) {
                Resolution::Resolved(part) => parts.push(part),
                Resolution::Withheld(profile) => withheld = Some(profile),
                Resolution::Unresolved(reason) => return Err(Refused::Unresolved(reason)),
            }
        }
        Ok(withheld.map_or(Claim::Resolved(parts), Claim::Withheld))
    }

    /// The node that stands at the path which a literal pattern names, or at its real path, and that
    /// an identifier could name.
    fn document_at(&self, part: &Resolved) -> Option<usize> {
        [Some(part.normalized.as_str()), part.real.as_deref()].into_iter().flatten().find_map(
            |path| {
                let at = self.rows.binary_search_by(|row| row.path.as_str().cmp(path)).ok()?;
                let named = |row: &&Row| row.is_node() && row.identifier().is_some();
                self.rows.get(at).filter(named).map(|_| at)
            },
        )
    }
}

enum Claim {
    Resolved(Vec<Resolved>),
    Withheld(String),
}

enum Refused {
    NoResolver(Option<String>),
    Unresolved(String),
}

/// One target as it is normalized; of several, sorted, each with its length before it, so that no
/// two lists have one identity.
fn identity(parts: &[Resolved]) -> String {
    match parts {
        [part] => part.normalized.clone(),
        parts => joined(parts.iter().map(|part| part.normalized.as_str())),
    }
}

/// Texts sorted and concatenated, each as its length in bytes, a colon and itself.
pub(crate) fn joined<'t>(texts: impl Iterator<Item = &'t str>) -> String {
    let mut sorted: Vec<&str> = texts.collect();
    sorted.sort_unstable();
    sorted.iter().map(|text| format!("{}:{text}", text.len())).collect()
}
