//! The worked corpus of the specification: the one text whose digest is known from outside.
use headwater_taxonomy::canonical::digest;
use headwater_taxonomy::resolve::resolve;
use headwater_taxonomy::source::{Role, Source};

fn source(path: &str, role: Role) -> Source {
    let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/lantern");
    Source { path: path.to_owned(), role, bytes: std::fs::read(root.join(path)).unwrap() }
}

#[test]
fn lantern_resolves_to_the_published_digest() {
    let base = source(".headwater/packages/lantern-handbook/taxonomy.yml", Role::Base);
    let overlay = source(".headwater/overlay.yml", Role::Overlay);
    let resolution = resolve(&[base, overlay]).unwrap();
    println!("{}", resolution.text());
    assert_eq!(
        digest(resolution.text().as_bytes()),
        "sha256:b8b1b03dadfd9dccc293b6094117f5dfb97827415d824513df1cf9c2730f51ac"
    );
}
