//! The registry: every rule of a run, in the order of per-rule lines in every report. A rule enters it
//! by the function of its scope, so the scope that is reported is the trait that it implements.

use sha2::{Digest as _, Sha256};

use headwater_taxonomy::model::{Kind, Relation, Shelf, Taxonomy};

use crate::about::{About, Grain, Scope};
use crate::finding::Outcome;
use crate::key::Canonical;
use crate::rule::{
    CorpusNeeds, CorpusRule, DocumentNeeds, DocumentRule, EntryNeeds, EntryRule,
    NeighbourhoodNeeds, NeighbourhoodRule, PairNeeds, PairRule, ShelfRule, shelf_scope,
};
use crate::runner_rules::runner_rules;
use crate::view::{CorpusView, DocumentView, EntryView, NeighbourhoodView, PairView, ShelfView};

/// Declares, for one scope, the object that an instance is held as.
macro_rules! instance {
    ($(#[$doc:meta])* $name:ident, $rule:ident, $view:ident) => {
        $(#[$doc])*
        pub(crate) trait $name: Send + Sync {
            fn judge(&self, view: &$view<'_>) -> Outcome;
        }

        impl<R: $rule> $name for R {
            fn judge(&self, view: &$view<'_>) -> Outcome {
                self.evaluate(view)
            }
        }
    };
}

instance!(/// An entry rule for one relation.
    EntryInstance, EntryRule, EntryView);
instance!(/// A pair rule for one relation.
    PairInstance, PairRule, PairView);
instance!(/// A neighbourhood rule for one kind.
    NeighbourhoodInstance, NeighbourhoodRule, NeighbourhoodView);
instance!(/// A shelf rule for one shelf.
    ShelfInstance, ShelfRule, ShelfView);

/// A document rule for one kind, or for the files outside the corpus of one language regime.
pub(crate) trait DocumentInstance: Send + Sync {
    fn judge(&self, view: &DocumentView<'_>) -> Outcome;
    fn selects(&self, path: &str) -> bool;
    fn note(&self) -> Option<String>;
    fn abstains(&self) -> Option<String>;
}

impl<R: DocumentRule> DocumentInstance for R {
    fn judge(&self, view: &DocumentView<'_>) -> Outcome {
        self.evaluate(view)
    }

    fn selects(&self, path: &str) -> bool {
        DocumentRule::selects(self, path)
    }

    fn note(&self) -> Option<String> {
        DocumentRule::note(self)
    }

    fn abstains(&self) -> Option<String> {
        DocumentRule::abstains(self)
    }
}

/// A corpus rule.
pub(crate) trait CorpusInstance: Send + Sync {
    fn judge(&self, view: &CorpusView<'_>) -> Outcome;
    fn compared(&self, view: &CorpusView<'_>) -> Option<usize>;
}

impl<R: CorpusRule> CorpusInstance for R {
    fn judge(&self, view: &CorpusView<'_>) -> Outcome {
        self.evaluate(view)
    }

    fn compared(&self, view: &CorpusView<'_>) -> Option<usize> {
        CorpusRule::compared(self, view)
    }
}

type Make<A, I> = fn(&Taxonomy, &A) -> Option<Box<I>>;

pub(crate) enum Maker {
    /// For documents of a kind, and for files outside the corpus of a language regime.
    Document(DocumentNeeds, Make<Kind, dyn DocumentInstance>, Make<str, dyn DocumentInstance>),
    Entry(EntryNeeds, Make<Relation, dyn EntryInstance>),
    Pair(PairNeeds, Make<Relation, dyn PairInstance>),
    Neighbourhood(NeighbourhoodNeeds, Make<Kind, dyn NeighbourhoodInstance>),
    Shelf(Make<Shelf, dyn ShelfInstance>),
    Corpus(CorpusNeeds, fn(&Taxonomy) -> Option<Box<dyn CorpusInstance>>),
    /// Reported by the run; no instance.
    Runner,
}

/// A rule as the registry holds it.
pub struct Template {
    about: About,
    scope: Scope,
    pub(crate) routes: bool,
    pub(crate) maker: Maker,
}

impl Template {
    /// What is known about the rule.
    #[must_use]
    pub const fn about(&self) -> &About {
        &self.about
    }

    /// Its scope.
    #[must_use]
    pub const fn scope(&self) -> &Scope {
        &self.scope
    }

    fn runner((about, grain): (About, Grain)) -> Self {
        let scope = Scope::new(grain, &[]);
        Self { about, scope, routes: false, maker: Maker::Runner }
    }
}

/// A document rule.
#[must_use]
pub fn document<R: DocumentRule>() -> Template {
    let make: Make<Kind, dyn DocumentInstance> =
        |taxonomy, kind| R::generate(taxonomy, kind).map(|rule| Box::new(rule) as _);
    let outside: Make<str, dyn DocumentInstance> =
        |taxonomy, regime| R::OUTSIDE?(taxonomy, regime).map(|rule| Box::new(rule) as _);
    Template {
        about: R::ABOUT,
        scope: R::NEEDS.scope(R::OUTSIDE.is_some()),
        routes: R::ROUTES,
        maker: Maker::Document(R::NEEDS, make, outside),
    }
}

/// A rule over entries.
#[must_use]
pub fn entry<R: EntryRule>() -> Template {
    let make: Make<Relation, dyn EntryInstance> =
        |taxonomy, relation| R::generate(taxonomy, relation).map(|rule| Box::new(rule) as _);
    let scope = R::NEEDS.scope();
    Template { about: R::ABOUT, scope, routes: true, maker: Maker::Entry(R::NEEDS, make) }
}

/// A rule over pairs.
#[must_use]
pub fn pair<R: PairRule>() -> Template {
    let make: Make<Relation, dyn PairInstance> =
        |taxonomy, relation| R::generate(taxonomy, relation).map(|rule| Box::new(rule) as _);
    let scope = R::NEEDS.scope();
    Template { about: R::ABOUT, scope, routes: true, maker: Maker::Pair(R::NEEDS, make) }
}

/// A rule over neighbourhoods.
#[must_use]
pub fn neighbourhood<R: NeighbourhoodRule>() -> Template {
    let make: Make<Kind, dyn NeighbourhoodInstance> =
        |taxonomy, kind| R::generate(taxonomy, kind).map(|rule| Box::new(rule) as _);
    let scope = R::NEEDS.scope();
    Template { about: R::ABOUT, scope, routes: true, maker: Maker::Neighbourhood(R::NEEDS, make) }
}

/// A rule over shelves. It routes to no document, as a corpus rule does not.
#[must_use]
pub fn shelf<R: ShelfRule>() -> Template {
    let make: Make<Shelf, dyn ShelfInstance> =
        |taxonomy, shelf| R::generate(taxonomy, shelf).map(|rule| Box::new(rule) as _);
    Template { about: R::ABOUT, scope: shelf_scope(), routes: false, maker: Maker::Shelf(make) }
}

/// A rule over the corpus. It routes to no document, whatever it reads.
#[must_use]
pub fn corpus<R: CorpusRule>() -> Template {
    let make: fn(&Taxonomy) -> Option<Box<dyn CorpusInstance>> =
        |taxonomy| R::generate(taxonomy).map(|rule| Box::new(rule) as _);
    let scope = R::NEEDS.scope();
    Template { about: R::ABOUT, scope, routes: false, maker: Maker::Corpus(R::NEEDS, make) }
}

/// The rules of a run.
pub struct Registry {
    templates: Vec<Template>,
    digest: [u8; 32],
}

impl Registry {
    /// The registry of these rules, in this order. The rules of the runner itself join it at the end.
    #[must_use]
    pub fn new(mut templates: Vec<Template>) -> Self {
        templates.extend(runner_rules().map(Template::runner));
        let mut named: Vec<(&str, u32)> =
            templates.iter().map(|template| (template.about.id, template.about.edition)).collect();
        named.sort_unstable();
        let mut canonical = Canonical::new(Sha256::new());
        for (id, edition) in named {
            canonical.text(id).number(u64::from(edition));
        }
        Self { templates, digest: canonical.finish() }
    }

    /// Every rule, in order.
    #[must_use]
    pub fn templates(&self) -> &[Template] {
        &self.templates
    }

    /// A rule by its identifier.
    #[must_use]
    pub fn get(&self, id: &str) -> Option<&Template> {
        self.templates.iter().find(|template| template.about.id == id)
    }

    /// A question after the rule that was probably meant by a name that no rule has; empty where none
    /// is near.
    pub(crate) fn meant(&self, id: &str) -> String {
        let known = self.templates.iter().map(|template| template.about.id);
        let near = headwater_taxonomy::nearest::nearest(id, known);
        near.map(|rule| format!("; did you mean `{rule}`?")).unwrap_or_default()
    }

    /// The digest over every identifier and edition.
    pub(crate) const fn digest(&self) -> &[u8; 32] {
        &self.digest
    }
}
