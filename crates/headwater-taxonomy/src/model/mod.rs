//! The resolved taxonomy as the rest of the engine consumes it: every declaration typed, with what
//! is inherited or defaulted already worked out, and the lookups that rules ask for.
//!
//! It is built from the tree of a lock and is only read afterwards.

mod bindings;
mod facet;
mod kind;
mod read;
mod regime;
mod register;
mod relation;

pub use bindings::{
    Bindings, BoundRelation, GENERATED_KEY, PROVENANCE_KEY, RELATIONS_KEY, Sidecar,
};
pub use facet::{Facet, FacetValue, Role, Severity, Standing, ValueType};
pub use kind::{Budget, CHAIN_LIMIT, Declared, Expectation, Kind};
pub use regime::{Language, Lifecycle, Regimes, RetiredTerm, Voice};
pub use register::{
    Control, Disposition, Identity, Obligation, Projection, ProjectionSection, Promotion, Surface,
};
pub use relation::{Attribute, Direction, End, Family, Nuclearity, Reciprocity, Relation};

use crate::ordered::Ordered;
use crate::pattern::PathPattern;
use crate::template::{Template, Unreadable};
use crate::yaml::Node;
use read::{flag, listed, named, text, texts};

/// What a reader comes for.
#[derive(Clone, Debug, PartialEq)]
pub struct Purpose {
    /// What such a document does.
    pub intent: String,
    /// The questions it answers.
    pub answers: Vec<String>,
}

/// A path pattern that decides a kind.
#[derive(Clone, Debug, PartialEq)]
pub struct Shelf {
    /// Its name.
    pub name: String,
    /// Which paths are on it.
    pub path: PathPattern,
    /// Whether the place alone decides the kind.
    pub homogeneous: bool,
    /// The kind, when it does.
    pub kind: Option<String>,
    /// The facet that decides it, when it does not.
    pub discriminator: Option<String>,
    /// The kinds that the discriminator may name.
    pub kinds: Vec<String>,
    /// The facet that indexes group by.
    pub group_by: Option<String>,
    /// The template of file names.
    pub layout: Option<String>,
    /// The name to display.
    pub title: Option<String>,
}

impl Shelf {
    /// The kinds that a document on it may be of.
    pub fn reaches(&self) -> &[String] {
        if self.homogeneous { self.kind.as_slice() } else { &self.kinds }
    }

    /// The name to display.
    pub fn display(&self) -> &str {
        self.title.as_deref().unwrap_or(&self.name)
    }
}

/// A kind of edge end that is no document.
#[derive(Clone, Debug, PartialEq)]
pub struct Anchor {
    /// Its name.
    pub name: String,
    /// The resolver that binds it.
    pub resolver: String,
    /// The identifier prefix of `comment-scan`.
    pub pattern: Option<String>,
    /// The part of the tree that relations to it are meant to cover.
    pub scope: Vec<PathPattern>,
}

/// How identifiers are made.
#[derive(Clone, Debug, PartialEq)]
pub struct IdentifierScheme {
    /// Its name.
    pub name: String,
    /// The template text.
    pub pattern: String,
    /// The namespace.
    pub namespace: Option<String>,
    /// How numbers are taken, as written.
    pub allocation: Option<String>,
}

impl IdentifierScheme {
    /// The template, readable or not.
    ///
    /// # Errors
    /// Why it is unreadable.
    pub fn template(&self) -> Result<Template, Unreadable> {
        Template::parse(&self.pattern, self.namespace.as_deref())
    }

    /// Whether a number is taken from the highest seen.
    pub fn reconcile_first(&self) -> bool {
        self.allocation.as_deref() == Some("reconcile-first")
    }
}

/// One core requirement.
#[derive(Clone, Debug, PartialEq)]
pub enum Requirement {
    /// Some facet has the role.
    FacetRole(String),
    /// The purpose is declared and a concrete kind serves it.
    Purpose(String),
    /// Some relation is of the family.
    RelationFamily {
        /// The family.
        family: String,
        /// Whether it must be sensitive to lifecycles, and is made so as a whole.
        lifecycle_sensitive: bool,
    },
    /// The scheme is declared.
    IdentifierScheme(String),
}

/// A correspondence with a vocabulary outside.
#[derive(Clone, Debug, PartialEq)]
pub struct Mapping {
    /// The vocabulary.
    pub to: String,
    /// For a kind: the match word and the target.
    pub kinds: Ordered<(String, String)>,
    /// For a facet value, as `facet.value`: the match word and the target.
    pub facet_values: Ordered<(String, String)>,
}

/// Which shelf a path is on.
#[derive(Clone, Debug, PartialEq)]
pub enum Placement<'t> {
    /// No pattern matches.
    None,
    /// Two patterns of equal specificity match; the names in byte order.
    Ambiguous(Vec<&'t str>),
    /// The most specific one, and those it beat.
    On(&'t Shelf, Vec<&'t Shelf>),
}

/// The resolved taxonomy.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Taxonomy {
    /// The name of the package.
    pub name: String,
    /// Its version.
    pub version: String,
    /// Purposes.
    pub purposes: Ordered<Purpose>,
    /// Facets.
    pub facets: Ordered<Facet>,
    /// Regimes.
    pub regimes: Regimes,
    /// Relations.
    pub relations: Ordered<Relation>,
    /// Anchor kinds.
    pub anchors: Ordered<Anchor>,
    /// Shelves.
    pub shelves: Ordered<Shelf>,
    /// Kinds.
    pub kinds: Ordered<Kind>,
    /// Identifier schemes.
    pub schemes: Ordered<IdentifierScheme>,
    /// Core requirements.
    pub core: Vec<Requirement>,
    /// Mappings.
    pub mappings: Vec<Mapping>,
    /// Projections.
    pub projections: Vec<Projection>,
    /// Obligations.
    pub obligations: Ordered<Obligation>,
    /// Controls.
    pub controls: Ordered<Control>,
    /// The surface, where one is declared.
    pub surface: Option<Surface>,
    /// Where facts stand in the files.
    pub bindings: Bindings,
}

impl Taxonomy {
    /// Reads the taxonomy out of a resolved tree. Never fails: what is absent or of another type
    /// reads as absent.
    pub fn from_tree(root: &Node) -> Self {
        let facets = named(root, "facets", Facet::read);
        let core = requirements(root);
        let sensitive: Vec<String> = core
            .iter()
            .filter_map(|requirement| match requirement {
                Requirement::RelationFamily { family, lifecycle_sensitive: true } => {
                    Some(family.clone())
                }
                _ => None,
            })
            .collect();
        let term = |_: &str, node: &Node| {
            (text(node, "relation").unwrap_or_default(), text(node, "target").unwrap_or_default())
        };
        Self {
            name: text(root, "taxonomy").unwrap_or_default(),
            version: text(root, "version").unwrap_or_default(),
            purposes: named(root, "purposes", |_, node| Purpose {
                intent: text(node, "intent").unwrap_or_default(),
                answers: texts(node, "answers"),
            }),
            kinds: kind::read_all(root, &facets),
            facets,
            regimes: Regimes::read(root),
            relations: named(root, "relations", |name, node| {
                Relation::read(name, node, &sensitive)
            }),
            anchors: named(root, "anchors", |name, node| Anchor {
                name: name.to_owned(),
                resolver: text(node, "resolver").unwrap_or_default(),
                pattern: text(node, "pattern"),
                scope: texts(node, "scope").iter().map(|text| PathPattern::new(text)).collect(),
            }),
            shelves: named(root, "shelves", |name, node| Shelf {
                name: name.to_owned(),
                path: PathPattern::new(&text(node, "path").unwrap_or_default()),
                homogeneous: flag(node, "homogeneous"),
                kind: text(node, "kind"),
                discriminator: text(node, "discriminator"),
                kinds: texts(node, "kinds"),
                group_by: text(node, "group_by"),
                layout: text(node, "layout"),
                title: text(node, "title"),
            }),
            schemes: named(root, "identifier_schemes", |name, node| IdentifierScheme {
                name: name.to_owned(),
                pattern: text(node, "pattern").unwrap_or_default(),
                namespace: text(node, "namespace"),
                allocation: text(node, "allocation"),
            }),
            core,
            mappings: listed(root, "mappings", |node| Mapping {
                to: text(node, "to").unwrap_or_default(),
                kinds: named(node, "kinds", term),
                facet_values: named(node, "facet_values", term),
            }),
            projections: register::projections(root),
            obligations: register::obligations(root),
            controls: register::controls(root),
            surface: register::surface(root),
            bindings: Bindings::read(root),
        }
    }

    /// The facet of a role.
    pub fn facet_with_role(&self, role: Role) -> Option<&Facet> {
        self.facets.values().find(|facet| facet.role == Some(role))
    }

    /// How a document stands whose state facet holds this text; none when it is no state.
    pub fn standing(&self, state: &str) -> Option<Standing> {
        self.facet_with_role(Role::State)?.value(state).map(FacetValue::standing)
    }

    /// The relation that a written name means, and which way: a relation of that name first, else
    /// the first one whose inverse it is.
    pub fn relation_written(&self, name: &str) -> Option<(&Relation, Direction)> {
        if let Some(relation) = self.relations.get(name) {
            return Some((relation, Direction::Declared));
        }
        let inverse = |relation: &&Relation| relation.inverse.as_deref() == Some(name);
        self.relations.values().find(inverse).map(|relation| (relation, Direction::Inverse))
    }

    /// Whether `kind` is one of `permitted` or descends from one.
    pub fn permits(&self, permitted: &[String], kind: &str) -> bool {
        match self.kinds.get(kind) {
            Some(kind) => permitted.iter().any(|name| kind.descends_from(name)),
            None => permitted.iter().any(|name| name == kind),
        }
    }

    /// Whether a document can stand at an end that permits these.
    pub fn permits_documents(&self, permitted: &[String]) -> bool {
        permitted.iter().any(|name| self.kinds.contains(name))
    }

    /// The anchor kinds among what an end permits, in its order.
    pub fn anchors_among<'t>(
        &'t self,
        permitted: &'t [String],
    ) -> impl Iterator<Item = &'t Anchor> {
        permitted.iter().filter_map(|name| self.anchors.get(name))
    }

    /// Whether a document of the kind can stand at an end of some relation.
    pub fn is_related(&self, kind: &Kind) -> bool {
        self.relations.values().any(|relation| {
            self.permits(&relation.from, &kind.name) || self.permits(&relation.to, &kind.name)
        })
    }

    /// The concrete kinds that are one of `names` or descend from one, in declaration order.
    pub fn concrete_under<'t>(&'t self, names: &'t [String]) -> impl Iterator<Item = &'t Kind> {
        self.kinds.values().filter(move |kind| {
            !kind.is_abstract && names.iter().any(|name| kind.descends_from(name))
        })
    }

    /// The lifecycle that a kind binds.
    pub fn lifecycle_of(&self, kind: &Kind) -> Option<&Lifecycle> {
        self.regimes.lifecycle.get(kind.lifecycle.as_deref()?)
    }

    /// The shelf that a path is on.
    pub fn placement(&self, path: &str) -> Placement<'_> {
        let mut on: Vec<&Shelf> =
            self.shelves.values().filter(|shelf| shelf.path.matches(path)).collect();
        on.sort_by_key(|shelf| std::cmp::Reverse(shelf.path.specificity()));
        let Some((best, beaten)) = on.split_first() else { return Placement::None };
        let rank = best.path.specificity();
        let tied: Vec<&Shelf> =
            beaten.iter().copied().filter(|shelf| shelf.path.specificity() == rank).collect();
        if tied.is_empty() {
            return Placement::On(best, beaten.to_vec());
        }
        let mut names: Vec<&str> =
            tied.iter().chain([best]).map(|shelf| shelf.name.as_str()).collect();
        names.sort_unstable();
        Placement::Ambiguous(names)
    }

    /// The shelves that reach a kind, in declaration order.
    pub fn shelves_of<'t>(&'t self, kind: &'t str) -> impl Iterator<Item = &'t Shelf> {
        self.shelves.values().filter(move |shelf| shelf.reaches().iter().any(|name| name == kind))
    }

    /// Whether documents of a kind claim their identifiers: the scheme takes numbers from the
    /// highest seen, or a shelf of the kind has a layout.
    pub fn takes_claims(&self, kind: &Kind) -> bool {
        let scheme = kind.scheme.as_deref().and_then(|name| self.schemes.get(name));
        scheme.is_some_and(IdentifierScheme::reconcile_first)
            || self.shelves_of(&kind.name).any(|shelf| shelf.layout.is_some())
    }

    /// Whether a front-matter key means something: a facet's key, a bound key, or an engine block.
    pub fn declares_key(&self, key: &str) -> bool {
        let bindings = &self.bindings;
        key == bindings.identifier_key
            || [RELATIONS_KEY, PROVENANCE_KEY, GENERATED_KEY].contains(&key)
            || bindings.relations.contains(key)
            || self.facet_of_key(key).is_some()
    }

    /// The facet that files spell with this key.
    pub fn facet_of_key(&self, key: &str) -> Option<&Facet> {
        // A bound facet is spelled with its bound key and with no other.
        let bound = self.bindings.facets.iter().find(|(_, spelled)| *spelled == key);
        match bound {
            Some((facet, _)) => self.facets.get(facet),
            None => self.facets.get(key).filter(|_| !self.bindings.facets.contains(key)),
        }
    }
}

fn requirements(root: &Node) -> Vec<Requirement> {
    let Some(core) = root.get("core") else { return Vec::new() };
    let entries = listed(core, "requires", |node| {
        if let Some(role) = text(node, "facet_role") {
            return Some(Requirement::FacetRole(role));
        }
        if let Some(purpose) = text(node, "purpose") {
            return Some(Requirement::Purpose(purpose));
        }
        if let Some(family) = text(node, "relation_family") {
            let lifecycle_sensitive = flag(node, "lifecycle_sensitive");
            return Some(Requirement::RelationFamily { family, lifecycle_sensitive });
        }
        text(node, "identifier_scheme").map(Requirement::IdentifierScheme)
    });
    entries.into_iter().flatten().collect()
}
