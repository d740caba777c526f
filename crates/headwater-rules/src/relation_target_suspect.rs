//! What an edge names outside the corpus is what it was when somebody last read the edge: the
//! `verified_revision` of the entry is the present revision of its target.
//!
//! # Why
//!
//! Code moves without asking the documents that describe it. The revision that was read is the only
//! trace of whether anybody has looked since.
//!
//! # Example
//!
//! `governs: {to: src/x.rs, verified_revision: "sha256:…"}`, and `src/x.rs` was edited.
//!
//! # Neighbour
//!
//! A new date is not a new reading, and neither is a target that moved in the same change: only the two
//! together, or a statement that the edge was read, let a mechanical edit write the new revision.

use headwater_check::{
    About, Defect, Direction, EntryNeeds, EntryRule, EntryTarget, EntryView, Half, Origin, Outcome,
    Patch, Prior, Relation, Taxonomy,
};
use headwater_check::headwater_corpus::{Anchor, MemberKind, Revision};
use headwater_check::headwater_taxonomy::model::Role;
use headwater_check::headwater_taxonomy::yaml::escaped;

use crate::say::quoted;

/// The attribute that holds the revision that was read.
const ATTRIBUTE: &str = "verified_revision";

/// The rule for one relation.
pub(crate) struct Rule {
    /// Whether the relation declares the attribute.
    declared: bool,
    /// Whether it declares that the edge itself owns it.
    owned: bool,
    freshness: Option<String>,
}

impl EntryRule for Rule {
    const ABOUT: About = About::new(
        "relation.target.suspect",
        1,
        Origin::Graph,
        include_str!("../../../docs/rules/relation.target.suspect.md"),
    );
    const NEEDS: EntryNeeds = EntryNeeds { revision: true, prior: true };

    fn generate(taxonomy: &Taxonomy, relation: &Relation) -> Option<Self> {
        let imported = relation.created_by.as_deref() == Some("import");
        let anchored = relation.to.iter().any(|kind| taxonomy.anchors.get(kind).is_some());
        let attribute = relation.attributes.get(ATTRIBUTE);
        (imported || anchored).then(|| Self {
            declared: attribute.is_some(),
            owned: attribute.is_some_and(|held| held.owner.as_deref() == Some("edge")),
            freshness: taxonomy.facet_with_role(Role::Freshness).map(|facet| facet.name.clone()),
        })
    }

    fn evaluate(&self, view: &EntryView<'_>) -> Outcome {
        let half = view.half();
        let anchor = match view.target() {
            EntryTarget::Document(_) => {
                return Outcome::skip("the edge names a document, whose identifier does not move");
            }
            EntryTarget::Withheld | EntryTarget::Unbound(_) => return Outcome::Pass,
            EntryTarget::Anchor(anchor) => anchor,
        };
        match view.revision() {
            Some(Revision::At(revision)) => self.compare(view, revision),
            Some(Revision::Directory) => Outcome::fail(directory(half, anchor)),
            Some(Revision::NoFile) => Outcome::fail(Defect::info(
                half.place(),
                format!(
                    "nothing that {} names is a regular file, so it has no revision, and nothing tells when it moves",
                    quoted(&half.target_text())
                ),
                "name the file itself",
            )),
            Some(Revision::Never) | None => Outcome::skip(format!(
                "what the resolver {} knows has no revision, so nothing tells when it moves",
                quoted(&anchor.resolver)
            )),
            Some(Revision::Unreadable(why)) => {
                Outcome::skip(format!("the present revision of a target cannot be read: {why}"))
            }
        }
    }
}

impl Rule {
    fn compare(&self, view: &EntryView<'_>, revision: &str) -> Outcome {
        let half = view.half();
        let recorded = half.attributes().iter().find(|entry| entry.key == ATTRIBUTE);
        let recorded = recorded.map(|entry| &entry.value).filter(|value| !value.is_null());
        let text = recorded.and_then(|value| value.text()).map(str::trim);
        if text == Some(revision) {
            return Outcome::Pass;
        }
        let stated = view.stated();
        let edge = stated.is_some_and(|stated| stated.edge);
        let document = stated.is_some_and(|stated| stated.document) || self.is_read_again(view);
        let target = stated.is_some_and(|stated| stated.target);
        let (named, present) = (quoted(&half.target_text()), format!("`{}`", escaped(revision)));
        if recorded.is_none() {
            if !self.declared || !(edge || document) {
                return Outcome::Pass;
            }
            let message = format!(
                "the change says that this was read again, and the entry holds no `{ATTRIBUTE}`; that of {named} is {present}"
            );
            let (remedy, patch) = self.stamp(half, revision);
            return Outcome::fail(Defect::info(half.place(), message, remedy).patched(patch));
        }
        let carried = match stated {
            None => "",
            Some(_) if target => "; the change carries it",
            Some(_) => "; the change does not carry it",
        };
        let held = match text {
            Some(text) => quoted(text),
            None => "no single text".to_owned(),
        };
        let message = format!(
            "{named} moved since this edge was last read: `{ATTRIBUTE}` is {held}, and its revision is now {present}{carried}"
        );
        let (remedy, patch) = if edge || (document && target) {
            self.stamp(half, revision)
        } else {
            let remedy = format!(
                "read {named} and this document together, then write {present} under `{ATTRIBUTE}` of the entry, or state the reading to `headwater change` with `--verified-edge`"
            );
            (remedy, None)
        };
        Outcome::fail(Defect::warn(half.place(), message, remedy).patched(patch))
    }

    /// Whether the document is new, or its date of confirmation is another one than before the change.
    fn is_read_again(&self, view: &EntryView<'_>) -> bool {
        match view.prior() {
            None | Some(Prior::Unchanged) => false,
            Some(Prior::Added) => true,
            Some(Prior::Committed(before)) => self.freshness.as_deref().is_some_and(|facet| {
                let then = before.and_then(|before| before.facet_text(facet));
                let now = view.half().writer().facet_text(facet);
                now.is_some() && then.map(str::trim) != now.map(str::trim)
            }),
        }
    }

    /// What to do about an edge that was read again, and the patch that does it where one can.
    fn stamp(&self, half: Half<'_>, revision: &str) -> (String, Option<Patch>) {
        let present = format!("`{}`", escaped(revision));
        let by_hand = |why: &str| {
            (format!("write {present} under `{ATTRIBUTE}` of the entry by hand, since {why}"), None)
        };
        if !self.owned {
            return by_hand("its relation does not declare that attribute as the edge's own");
        }
        let [target] = half.targets() else { return by_hand("its target is a list") };
        if half.direction() == Direction::Inverse {
            return by_hand("it stands under the inverse of its relation");
        }
        if half.bound_key().is_some() {
            return by_hand("it stands under a key that holds targets alone");
        }
        let mut attributes: Vec<(String, String)> = Vec::new();
        for entry in half.attributes() {
            let text = match entry.value.text() {
                _ if entry.key == ATTRIBUTE && entry.value.is_null() => continue,
                None => return by_hand("an attribute of it is no single text"),
                Some(_) if entry.key == ATTRIBUTE => revision,
                Some(text) => text,
            };
            attributes.push((entry.key.to_string(), text.to_owned()));
        }
        if attributes.iter().all(|(key, _)| key != ATTRIBUTE) {
            attributes.push((ATTRIBUTE.to_owned(), revision.to_owned()));
        }
        let writer = half.writer();
        let path = writer.front_matter().map_or(writer.path(), |matter| matter.path());
        let patch = Patch::Half {
            path: path.to_owned(),
            relation: half.written().to_owned(),
            target: target.text.to_string(),
            attributes,
        };
        (format!("write {present} under `{ATTRIBUTE}` of the entry"), Some(patch))
    }
}

/// A directory that is named literally.
fn directory(half: Half<'_>, anchor: &Anchor) -> Defect {
    let members = anchor.members();
    let is_directory = |kind: MemberKind| kind == MemberKind::Directory;
    let path = members.iter().find(|member| is_directory(member.kind));
    let path = path.map_or("", |member| member.path.as_str());
    Defect::info(
        half.place(),
        format!(
            "{} is a directory, which has no revision, so nothing tells when it moves",
            quoted(path)
        ),
        format!("write {}, which names the files below it", quoted(&format!("{path}/**"))),
    )
}
