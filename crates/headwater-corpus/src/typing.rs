//! Kind resolution (model §3.4): the place decides first, and a discriminator only where the shelf
//! says so. The identifier plays no part.

use headwater_taxonomy::model::{Kind, Placement, Shelf, Taxonomy};
use headwater_taxonomy::yaml::shown;
use markdown::Span;

use crate::document::Document;

/// How a document came to its kind.
#[derive(Clone, Debug, PartialEq)]
pub struct Placed<'t> {
    /// The kind.
    pub kind: &'t Kind,
    /// The shelf that it is on.
    pub shelf: &'t Shelf,
    /// The shelves whose patterns match and are less specific.
    pub beaten: Vec<&'t Shelf>,
    /// Where the discriminator stands in the front matter, when it decided.
    pub discriminator: Option<Span>,
}

/// Why a document has no kind.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Stop {
    /// It has no front matter. A row says so itself, before kind resolution is asked.
    NoFrontMatter,
    /// No shelf matches its path.
    NoShelf,
    /// Two shelves of equal specificity match; their names in byte order.
    AmbiguousShelf(Vec<String>),
    /// The shelf needs a discriminator and the front matter has none.
    NoDiscriminator {
        /// The shelf.
        shelf: String,
        /// The facet that discriminates.
        facet: String,
    },
    /// The discriminator is a list or a mapping.
    DiscriminatorNotScalar {
        /// The shelf.
        shelf: String,
        /// The facet that discriminates.
        facet: String,
        /// Its value in the front matter.
        span: Span,
    },
    /// The discriminator names no kind of the shelf.
    UnknownDiscriminator {
        /// The shelf.
        shelf: String,
        /// The facet that discriminates.
        facet: String,
        /// What is written.
        value: String,
        /// Its value in the front matter.
        span: Span,
    },
    /// The kind is abstract.
    AbstractKind(String),
    /// The shelf names a kind that the taxonomy does not declare.
    UndeclaredKind(String),
}

impl Stop {
    /// One sentence.
    #[must_use]
    pub fn sentence(&self, taxonomy: &Taxonomy) -> String {
        let permitted = |shelf: &str| {
            taxonomy.shelves.get(shelf).map(|shelf| shelf.kinds.join(", ")).unwrap_or_default()
        };
        match self {
            Self::NoFrontMatter => "no front matter".to_owned(),
            Self::NoShelf => "no shelf matches this path".to_owned(),
            Self::AmbiguousShelf(names) => {
                format!("the shelves {} match this path equally well", names.join(", "))
            }
            Self::NoDiscriminator { shelf, facet } => format!(
                "the shelf {shelf} needs `{facet}` to decide the kind, and there is none; write one of {}",
                permitted(shelf)
            ),
            Self::DiscriminatorNotScalar { shelf, facet, .. } => format!(
                "`{facet}` decides the kind on the shelf {shelf} and is not a single text; write one of {}",
                permitted(shelf)
            ),
            Self::UnknownDiscriminator { shelf, facet, value, .. } => format!(
                "`{facet}` is `{}`, which is no kind of the shelf {shelf}; write one of {}",
                shown(value),
                permitted(shelf)
            ),
            Self::AbstractKind(kind) => format!("the kind {kind} is abstract"),
            Self::UndeclaredKind(kind) => format!("the kind {kind} is not declared"),
        }
    }
}

/// The kind of the document at a path.
///
/// # Errors
/// Why it has none.
pub fn type_of<'t>(
    taxonomy: &'t Taxonomy,
    path: &str,
    document: &Document,
) -> Result<Placed<'t>, Stop> {
    if document.front_matter().is_none() {
        return Err(Stop::NoFrontMatter);
    }
    let (shelf, beaten) = match taxonomy.placement(path) {
        Placement::None => return Err(Stop::NoShelf),
        Placement::Ambiguous(names) => {
            return Err(Stop::AmbiguousShelf(names.into_iter().map(str::to_owned).collect()));
        }
        Placement::On(shelf, beaten) => (shelf, beaten),
    };
    let (name, discriminator) = if shelf.homogeneous {
        (shelf.kind.as_deref().unwrap_or_default(), None)
    } else {
        let (name, span) = discriminated(shelf, document)?;
        (name, Some(span))
    };
    match taxonomy.kinds.get(name) {
        None => Err(Stop::UndeclaredKind(name.to_owned())),
        Some(kind) if kind.is_abstract => Err(Stop::AbstractKind(name.to_owned())),
        Some(kind) => Ok(Placed { kind, shelf, beaten, discriminator }),
    }
}

fn discriminated<'t>(shelf: &'t Shelf, document: &Document) -> Result<(&'t str, Span), Stop> {
    let facet = shelf.discriminator.as_deref().unwrap_or_default();
    let about = || (shelf.name.clone(), facet.to_owned());
    let Some(fact) = document.facet(facet).filter(|fact| !fact.value.is_null()) else {
        let (shelf, facet) = about();
        return Err(Stop::NoDiscriminator { shelf, facet });
    };
    let span = fact.value.span;
    let Some(text) = fact.value.text() else {
        let (shelf, facet) = about();
        return Err(Stop::DiscriminatorNotScalar { shelf, facet, span });
    };
    match shelf.kinds.iter().find(|kind| *kind == text) {
        Some(kind) => Ok((kind, span)),
        None => {
            let (shelf, facet) = about();
            Err(Stop::UnknownDiscriminator { shelf, facet, value: text.to_owned(), span })
        }
    }
}
