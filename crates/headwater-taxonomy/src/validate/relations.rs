//! Rules 10, 11 and 14: relations that fit their kinds, expectations that can be met, and attributes
//! with a value space.

use super::Checker;
use crate::model::{Direction, End, Expectation, Family, Kind, Nuclearity, Relation, Role};
use crate::path::at;
use crate::shape::listed;
use crate::yaml::shown;

pub(super) fn check(checker: &mut Checker<'_>) {
    let taxonomy = checker.taxonomy();
    for relation in taxonomy.relations.values() {
        nucleus(checker, relation);
        set_state(checker, relation);
        inherited(checker, relation);
        for (name, attribute) in relation.attributes.iter() {
            let path = at!["relations", &relation.name, "attributes", name];
            if name == "to" {
                let what = "`to` names the target of an entry and cannot be an attribute";
                checker.refuse(14, path.clone(), what, "give the attribute another name");
            }
            if attribute.value_type.is_none() && attribute.values.is_none() {
                let what = "the attribute has no value space";
                checker.refuse(14, path, what, "add `type:` or `values:`");
            }
        }
    }
    for kind in taxonomy.kinds.values() {
        for (place, expectation) in kind.expectations.iter().enumerate() {
            expected(checker, kind, place, expectation);
        }
    }
}

fn nucleus(checker: &mut Checker<'_>, relation: &Relation) {
    let path = at!["relations", &relation.name];
    let governed = relation.nuclearity == Some(Nuclearity::NucleusSatellite);
    if governed && relation.nucleus.is_none() {
        let what = "the relation is nucleus-satellite and does not say which end is the nucleus";
        checker.refuse(10, path.clone(), what, "add `nucleus: from` or `nucleus: to`");
    }
    if !governed && relation.nucleus.is_some() {
        let what = "the relation names a nucleus and is not nucleus-satellite";
        let next = "add `nuclearity: nucleus-satellite`, or remove `nucleus`";
        checker.refuse(10, path.then("nucleus"), what, next);
    }
    if relation.evidence_at.is_some() && relation.family != Some(Family::Evidence) {
        let what = "`evidence_at` says something only about relations of the evidence family";
        checker.refuse(10, path.then("evidence_at"), what, "remove it, or change the family");
    }
}

fn set_state(checker: &mut Checker<'_>, relation: &Relation) {
    let taxonomy = checker.taxonomy();
    let Some(state) = &relation.set_state else { return };
    let path = at!["relations", &relation.name, "on_target", "set_state"];
    let next = "name a state that every kind at the `to` end can stand in";
    let Some(facet) = taxonomy.facet_with_role(Role::State) else {
        checker.refuse(10, path, "there is no facet in the role `state`", next);
        return;
    };
    if facet.value(state).is_none() {
        let what = format!("`{}` is no value of the state facet", shown(state));
        checker.refuse(10, path, what, next);
        return;
    }
    let unable: Vec<&str> = taxonomy
        .concrete_under(&relation.to)
        .filter(|kind| {
            let admitted = kind.admitted(facet).is_some_and(|values| values.contains(&&**state));
            let named = taxonomy.lifecycle_of(kind).is_none_or(|regime| regime.names(state));
            kind.forbids(&facet.name) || !admitted || !named
        })
        .map(|kind| kind.name.as_str())
        .collect();
    if !unable.is_empty() {
        let what = format!("{} cannot stand at `{}`", listed(&unable), shown(state));
        checker.refuse(10, path, what, next);
    }
}

fn inherited(checker: &mut Checker<'_>, relation: &Relation) {
    let taxonomy = checker.taxonomy();
    for (place, facet) in relation.inherits.iter().enumerate() {
        if !taxonomy.facets.contains(facet) {
            continue;
        }
        let path = at!["relations", &relation.name, "inherits", place];
        for end in [End::From, End::To] {
            let bare: Vec<&str> = taxonomy
                .concrete_under(relation.permitted(end))
                .filter(|kind| !kind.carries(facet))
                .map(|kind| kind.name.as_str())
                .collect();
            if !bare.is_empty() {
                let what = format!(
                    "{} at the `{}` end does not carry the facet `{}`",
                    listed(&bare),
                    end.word(),
                    shown(facet)
                );
                checker.refuse(10, path.clone(), what, "list the facet in those kinds");
            }
        }
    }
}

fn expected(checker: &mut Checker<'_>, kind: &Kind, place: usize, expectation: &Expectation) {
    let taxonomy = checker.taxonomy();
    let path = at!["kinds", &kind.name, "relations", "expect", place];
    if let Some((relation, direction)) = taxonomy.relation_written(&expectation.relation) {
        let near = match direction {
            Direction::Declared => End::From,
            Direction::Inverse => End::To,
        };
        if !taxonomy.permits(relation.permitted(near), &kind.name) {
            let what = format!(
                "`{}` cannot be written by this kind: the `{}` end of `{}` admits {}",
                shown(&expectation.relation),
                near.word(),
                relation.name,
                listed(relation.permitted(near))
            );
            let next = "expect another relation, or admit the kind";
            checker.refuse(11, path.then("relation"), what, next);
        }
        let far = relation.far_end(direction);
        if let Some(to_kind) = &expectation.to_kind
            && let Some(target) = taxonomy.kinds.get(to_kind)
        {
            let below = |name: &String| {
                taxonomy.kinds.get(name).is_some_and(|kind| kind.descends_from(&target.name))
            };
            if !taxonomy.permits(far, to_kind) && !far.iter().any(below) {
                let what = format!(
                    "`{}` is not admitted at the other end, which admits {}",
                    shown(to_kind),
                    listed(far)
                );
                checker.refuse(11, path.then("to_kind"), what, "expect a kind that it admits");
            }
            let names = std::slice::from_ref(to_kind);
            let shelved = taxonomy
                .concrete_under(names)
                .any(|kind| taxonomy.shelves_of(&kind.name).next().is_some());
            if !shelved {
                let what = format!("no shelf reaches `{}`, so it can never be met", shown(to_kind));
                checker.refuse(11, path.then("to_kind"), what, "give the kind a shelf");
            }
        }
    }
    since(checker, kind, place, expectation);
    for (facet, value) in &expectation.when {
        let place = path.then("when").then(facet);
        match taxonomy.facets.get(facet) {
            None => {
                let what = format!("`{}` is no declared facet", shown(facet));
                checker.refuse(11, place, what, "name a declared facet");
            }
            Some(declared) if declared.values.is_some() && declared.value(value).is_none() => {
                let what = format!("`{}` is no value of `{}`", shown(value), shown(facet));
                checker.refuse(11, place, what, "name one of its values");
            }
            Some(_) => {}
        }
    }
}

fn since(checker: &mut Checker<'_>, kind: &Kind, place: usize, expectation: &Expectation) {
    let taxonomy = checker.taxonomy();
    let path = at!["kinds", &kind.name, "relations", "expect", place, "since"];
    let role = Role::parse(&expectation.since);
    let facet = role.and_then(|role| taxonomy.facet_with_role(role));
    let Some(facet) = facet else {
        let what = format!("no facet is in the role `{}`", shown(&expectation.since));
        checker.refuse(11, path, what, "declare one, or count from another role");
        return;
    };
    // Listing is asked for along the chain; `required: true` on the facet does not count here.
    let lists = |name: &String| {
        taxonomy.kinds.get(name).is_some_and(|kind| kind.declared.require.contains(&facet.name))
    };
    if !kind.chain.iter().any(lists) {
        let what = format!(
            "the window opens at `{}`, and neither the kind nor a parent lists it in \
             `facets.require`",
            facet.name
        );
        checker.refuse(11, path, what, "list the facet in `facets.require`");
    }
}
