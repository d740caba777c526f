//! The worked corpus of the specification: the one text whose digest is known from outside.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a test fails by panicking"
)]

use std::path::Path;

use headwater_taxonomy::canonical::{digest, render};
use headwater_taxonomy::model::{Direction, End, Placement, Role, Standing, Taxonomy};
use headwater_taxonomy::resolve::{Resolution, resolve};
use headwater_taxonomy::source::{self, Source};
use headwater_taxonomy::validate::validate;
use headwater_taxonomy::yaml::load;

fn source(path: &str, role: source::Role) -> Source {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/lantern");
    Source { path: path.to_owned(), role, bytes: std::fs::read(root.join(path)).unwrap() }
}

fn lantern() -> Resolution {
    let path = ".headwater/packages/lantern-handbook/taxonomy.yml";
    let overlay = source(".headwater/overlay.yml", source::Role::Overlay);
    resolve(&[source(path, source::Role::Base), overlay]).unwrap()
}

#[test]
fn lantern_resolves_to_the_published_digest() {
    let resolution = lantern();
    let text = resolution.text();
    assert_eq!(
        digest(text.as_bytes()),
        "sha256:b8b1b03dadfd9dccc293b6094117f5dfb97827415d824513df1cf9c2730f51ac"
    );
    let digests: Vec<&str> = resolution.sources.iter().map(|source| &*source.digest).collect();
    let published = [
        "sha256:118dd236378af2844de56ae847a552b8758bf4a581afdf8319c9c00600a17840",
        "sha256:a20925995481c4f66398876b9ccb7dfe0896cbb36ba152fe1a9f5a64e1b47efc",
    ];
    assert_eq!(digests, published);
    let scheme = "  decision_id:\n    pattern: \"{namespace}-D-{seq:04d}\"\n    allocation: \
                  reconcile-first\n    namespace: LAN\n";
    assert!(text.contains(scheme), "{text}");
    assert_eq!(render(&load(&text, 0).unwrap()), text);
    let validation = validate(&resolution);
    assert_eq!((validation.refusals, validation.warnings), (vec![], vec![]));
}

#[test]
fn the_taxonomy_answers_what_rules_ask() {
    let taxonomy: Taxonomy = lantern().taxonomy;
    let decision = taxonomy.kinds.get("decision").unwrap();
    assert_eq!(decision.chain, ["page", "decision"]);
    assert_eq!(decision.required, ["status", "status_since", "summary", "checked_on"]);
    assert_eq!(decision.sections, ["Context", "Decision"]);
    assert_eq!(decision.expectations[0].window_days(), Some(30));
    assert!(taxonomy.takes_claims(decision));
    assert!(!taxonomy.takes_claims(taxonomy.kinds.get("drill").unwrap()));
    assert_eq!(taxonomy.standing("superseded"), Some(Standing::Terminal));
    assert_eq!(taxonomy.standing("lost"), None);
    assert_eq!(taxonomy.facet_with_role(Role::Scent).unwrap().name, "summary");

    let (relation, direction) = taxonomy.relation_written("superseded_by").unwrap();
    assert_eq!((relation.name.as_str(), direction), ("supersedes", Direction::Inverse));
    assert_eq!(relation.governing_end(), Some(End::From));
    assert!(taxonomy.relations.get("realizes").unwrap().lifecycle_sensitive);
    assert!(!taxonomy.relations.get("governs").unwrap().lifecycle_sensitive);
    assert!(taxonomy.permits(&["page".to_owned()], "drill"));
    assert!(!taxonomy.permits(&["part".to_owned()], "drill"));
    assert!(taxonomy.is_related(decision));
    assert!(!taxonomy.is_related(taxonomy.kinds.get("drill").unwrap()));
    let governed = &taxonomy.relations.get("governs").unwrap().to;
    assert!(!taxonomy.permits_documents(governed));
    let resolvers: Vec<_> = taxonomy.anchors_among(governed).map(|a| &*a.resolver).collect();
    assert_eq!(resolvers, ["source-tree"]);

    let Placement::On(shelf, beaten) = taxonomy.placement("handbook/parts/queue.md") else {
        panic!("the path is on no shelf");
    };
    assert_eq!((shelf.name.as_str(), beaten.len()), ("parts", 0));
    assert_eq!(taxonomy.placement("handbook/other/z.md"), Placement::None);
    let regime = taxonomy.lifecycle_of(decision).unwrap();
    assert!(regime.reachable_from("draft").contains("superseded"));
    assert!(regime.retain_terminal && regime.is_terminal("superseded"));
    for key in ["id", "relations", "provenance", "headwater:generated", "status"] {
        assert!(taxonomy.declares_key(key), "{key}");
    }
    assert!(!taxonomy.declares_key("kind"));
}

#[test]
fn bindings_move_the_keys_and_nothing_else() {
    let text = "bindings:\n  identifier: {key: eip, template: \"EIP-{value}\"}\n  relations:\n    \
                requires: {relation: r, split: \",\", template: \"EIP-{value}\"}\n  facets: {status: \
                {key: Status}}\n  lists: {Author: \",\"}\nfacets: {status: {}, author: {}}\n";
    let text =
        text.replace("facets: {status: {key", "facets: {author: {key: Author}, status: {key");
    let taxonomy = Taxonomy::from_tree(&load(&text, 0).unwrap());
    let bindings = &taxonomy.bindings;
    assert_eq!(bindings.identifier_key, "eip");
    assert_eq!(bindings.identifier_template.fill("1"), "EIP-1");
    assert_eq!(bindings.relations.get("requires").unwrap().template.invert("EIP-20"), Some("20"));
    assert_eq!(bindings.facet_key("status"), "Status");
    assert_eq!(bindings.list_separator("author"), Some(","));
    assert_eq!(taxonomy.facet_of_key("Status").unwrap().name, "status");
    assert!(taxonomy.facet_of_key("status").is_none());
    assert!(taxonomy.declares_key("eip") && !taxonomy.declares_key("id"));
    assert!(taxonomy.declares_key("requires"));
}

#[test]
fn orchard_is_accepted_too() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/orchard/taxonomy.yml");
    let bytes = std::fs::read(path).unwrap();
    let base = Source { path: "taxonomy.yml".to_owned(), role: source::Role::Base, bytes };
    let resolution = resolve(&[base]).unwrap();
    let validation = validate(&resolution);
    assert_eq!((validation.refusals, validation.warnings), (vec![], vec![]));
    let taxonomy = &resolution.taxonomy;
    let mixed = taxonomy.shelves.get("mixed").unwrap();
    assert_eq!((mixed.discriminator.as_deref(), mixed.reaches().len()), (Some("doc_type"), 2));
    assert_eq!(taxonomy.projections[3].exclude.get("status").unwrap(), &["draft"]);
}

#[test]
fn a_lock_of_another_hand_is_read_leniently() {
    let text = "facets:\n  status: {role: state, values: [{value: a, role: terminal-retained}, b]}\n  \
                odd: {role: none, type: x, values: y, required: \"true\"}\nkinds:\n  any: {abstract: \
                true}\n  note: {is_a: any, identifier: x, facets: [a]}\nrelations:\n  needs: {family: \
                dependency, from: note, to: [note], lifecycle_sensitive: true}\n";
    let taxonomy = Taxonomy::from_tree(&load(text, 0).unwrap());
    let needs = taxonomy.relations.get("needs").unwrap();
    assert_eq!((needs.family, needs.nuclearity, needs.governing_end()), (None, None, None));
    assert!(needs.lifecycle_sensitive && needs.from == ["note"]);
    assert_eq!(taxonomy.standing("a"), Some(Standing::Terminal));
    assert_eq!(taxonomy.standing("b"), Some(Standing::Neither));
    let odd = taxonomy.facets.get("odd").unwrap();
    assert!(odd.required && odd.role.is_none() && odd.values.is_none());
    assert_eq!(taxonomy.kinds.get("note").unwrap().required, ["odd"]);
}
