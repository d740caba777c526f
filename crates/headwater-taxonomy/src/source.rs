//! One source of a taxonomy, read alone: the base, a bundle or the overlay of the repository.
//!
//! Everything that can be decided about one file without the others is decided here: its YAML, its
//! closed shapes, its addresses and its `$` texts. Nothing is merged before every source passes.

use std::fmt;

use crate::declarations::{TAXONOMY, root_keys};
use crate::path::{Step, TreePath, at, is_name};
use crate::references;
use crate::refusal::{Class, Next, Refusal};
use crate::shape::{Astray, Completeness, Misfit, Shape, advice, hold, listed, shape_at};
use crate::yaml::{Map, Node, Span, Value, load_bytes, shown};

/// The longest address that is read, in segments.
pub const ADDRESS_LIMIT: usize = 64;

/// What a source is to the taxonomy.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Role {
    /// The taxonomy source of the package.
    Base,
    /// A bundle of the package, by name.
    Bundle(String),
    /// The overlay of the repository.
    Overlay,
}

/// The bytes of one source.
#[derive(Clone, Debug)]
pub struct Source {
    /// The path, relative to the repository root.
    pub path: String,
    /// What it is.
    pub role: Role,
    /// Its bytes.
    pub bytes: Vec<u8>,
}

/// The five operations of an overlay, in the order in which one source applies them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Verb {
    /// Declares what the base does not.
    Add,
    /// Replaces a whole value.
    Override,
    /// Appends to a list.
    AddTo,
    /// Takes items out of a list.
    RemoveFrom,
    /// Takes a key out.
    Remove,
}

impl Verb {
    /// All five, in application order.
    pub const ALL: [Self; 5] =
        [Self::Add, Self::Override, Self::AddTo, Self::RemoveFrom, Self::Remove];

    /// The key of its block.
    pub fn key(self) -> &'static str {
        match self {
            Self::Add => "add",
            Self::Override => "override",
            Self::AddTo => "add_to",
            Self::RemoveFrom => "remove_from",
            Self::Remove => "remove",
        }
    }
}

/// One operation of one overlay source.
#[derive(Clone, Debug)]
pub struct Operation {
    /// What it does.
    pub verb: Verb,
    /// Where, as the segments of a dotted address.
    pub address: Vec<String>,
    /// With what: the value of `add` and `override`, the items of `add_to` and `remove_from`.
    pub values: Vec<Node>,
    /// Where the address stands in its source.
    pub span: Span,
}

impl fmt::Display for Operation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}", self.verb.key(), self.address.join("."))
    }
}

impl Operation {
    /// The number of the source that holds it.
    pub fn source(&self) -> u32 {
        self.span.source
    }

    /// The value of an `add` or `override`.
    pub fn value(&self) -> Option<&Node> {
        self.values.first()
    }
}

/// A bundle or the overlay of the repository, read.
#[derive(Clone, Debug)]
pub struct Overlay {
    /// Its number among the sources.
    pub source: u32,
    /// The name of the bundle; none for the overlay of the repository.
    pub bundle: Option<String>,
    /// The bundles that it requires.
    pub requires: Vec<String>,
    /// Its operations in application order.
    pub operations: Vec<Operation>,
}

/// Collects refusals about one source.
pub(crate) struct Complaints<'f> {
    pub file: &'f str,
    pub refusals: Vec<Refusal>,
}

impl Complaints<'_> {
    pub fn add(&mut self, class: Class, span: Span, address: String, what: String, next: String) {
        self.refusals.push(Refusal {
            class,
            file: self.file.to_owned(),
            at: Some(span.start),
            address: (!address.is_empty()).then_some(address),
            what,
            next: Next::Do(next),
        });
    }

    fn misfits(&mut self, prefix: &str, misfits: Vec<Misfit>) {
        for misfit in misfits {
            let address = format!("{prefix}{}", misfit.path);
            self.add(Class::Structure, misfit.span, address, misfit.what, misfit.next);
        }
    }

    /// Refuses every `$` text that is no reference, or stands where none is admitted.
    fn references(&mut self, prefix: &str, place: &TreePath, node: &Node) {
        for (place, span, what, next) in references::misplaced(place, node) {
            self.add(Class::Reference, span, format!("{prefix}{place}"), what, next.to_owned());
        }
    }
}

/// Reads the base.
///
/// # Errors
/// Every refusal of §2.1–2.3 and of reference syntax.
pub fn read_base(source: &Source, number: u32) -> Result<Node, Vec<Refusal>> {
    let node = load_bytes(&source.bytes, number)
        .map_err(|faults| Refusal::of_faults(&source.path, &faults))?;
    let mut complaints = Complaints { file: &source.path, refusals: Vec::new() };
    if let Some(member) = node.map().and_then(|map| map.get("package")) {
        let what = "`package` is reserved at the root of a taxonomy source".to_owned();
        let next = "name the taxonomy under `taxonomy:` and remove `package`".to_owned();
        complaints.add(Class::Structure, member.key, "package".to_owned(), what, next);
    }
    let mut misfits = Vec::new();
    hold(&TAXONOMY, &node, &TreePath::default(), Completeness::Whole, &mut misfits);
    misfits.retain(|misfit| misfit.path != at!["package"]);
    complaints.misfits("", misfits);
    complaints.references("", &TreePath::default(), &node);
    if complaints.refusals.is_empty() { Ok(node) } else { Err(sorted(complaints.refusals)) }
}

/// Reads a bundle or the overlay of the repository.
///
/// # Errors
/// Every refusal of §2.9.1, of addresses, of shapes and of reference syntax.
pub fn read_overlay(source: &Source, number: u32) -> Result<Overlay, Vec<Refusal>> {
    let node = load_bytes(&source.bytes, number)
        .map_err(|faults| Refusal::of_faults(&source.path, &faults))?;
    let bundle = match &source.role {
        Role::Bundle(name) => Some(name.clone()),
        _ => None,
    };
    let complaints = Complaints { file: &source.path, refusals: Vec::new() };
    let mut reader = Reader { complaints, operations: Vec::new() };
    let mut overlay = Overlay { source: number, bundle, requires: Vec::new(), operations: vec![] };
    match node.map() {
        Some(map) => reader.root(map, &mut overlay),
        None => {
            let what = format!("{} stands where the operations belong", node.describe());
            let next = "write a mapping of operations, such as `add:`".to_owned();
            reader.complaints.add(Class::Structure, node.span, String::new(), what, next);
        }
    }
    let Reader { complaints, mut operations } = reader;
    if !complaints.refusals.is_empty() {
        return Err(sorted(complaints.refusals));
    }
    // A stable sort: application order between the verbs, file order within one.
    operations.sort_by_key(|operation| operation.verb);
    overlay.operations = operations;
    Ok(overlay)
}

fn sorted(mut refusals: Vec<Refusal>) -> Vec<Refusal> {
    refusals.sort_by_key(|refusal| refusal.at);
    refusals
}

struct Reader<'f> {
    complaints: Complaints<'f>,
    operations: Vec<Operation>,
}

impl Reader<'_> {
    fn root(&mut self, map: &Map, overlay: &mut Overlay) {
        for (key, member) in map.iter() {
            let value = &member.value;
            let place = at![key];
            match (key, Verb::ALL.into_iter().find(|verb| verb.key() == key)) {
                (_, Some(Verb::Remove)) => self.removals(value),
                (_, Some(verb)) => self.block(verb, value),
                ("taxonomy" | "bundle" | "extends", None) => {
                    let label = |node: &Node| !node.is_null() && node.text().is_some();
                    let several = key == "extends"
                        && value.items().is_some_and(|items| items.iter().all(label));
                    if !label(value) && !several {
                        let what = format!("{} stands where a label belongs", value.describe());
                        self.structure(value.span, key, what, "write a text".to_owned());
                    }
                    self.complaints.references("", &place, value);
                    if let ("bundle", Some(name), Some(written)) =
                        (key, &overlay.bundle, value.text())
                        && name != written
                    {
                        let what = format!(
                            "the bundle calls itself `{}` and its directory is `{name}`",
                            shown(written)
                        );
                        let next = "make the two names one".to_owned();
                        self.complaints.add(Class::Identity, value.span, key.into(), what, next);
                    }
                }
                ("requires", None) => {
                    match value.items() {
                        Some(items) => {
                            for item in items {
                                match item.text().filter(|_| !item.is_null()) {
                                    Some(name) => overlay.requires.push(name.to_owned()),
                                    None => self.wanted(item, key, "the name of a bundle"),
                                }
                            }
                        }
                        None => self.wanted(value, key, "a list of bundles"),
                    }
                    self.complaints.references("", &place, value);
                    if overlay.bundle.is_none() {
                        let what = "only a bundle can require bundles".to_owned();
                        let next = "select the bundles in .headwater/taxonomy.yml".to_owned();
                        self.structure(member.key, key, what, next);
                    }
                }
                (_, None) => self.unknown(key, member.key),
            }
        }
    }

    fn structure(&mut self, span: Span, address: &str, what: String, next: String) {
        self.complaints.add(Class::Structure, span, address.to_owned(), what, next);
    }

    fn wanted(&mut self, node: &Node, address: &str, wanted: &str) {
        let what = format!("{} stands where {wanted} belongs", node.describe());
        self.structure(node.span, address, what, format!("write {wanted}"));
    }

    fn unknown(&mut self, key: &str, span: Span) {
        let verbs = Verb::ALL.map(Verb::key);
        let (what, next) = if root_keys().contains(&key) {
            (
                format!("`{key}` is declared here as in a taxonomy source, and this is an overlay"),
                format!("put it under `add:`, as `add: {{{key}.<name>: …}}`"),
            )
        } else {
            let words = verbs.iter().copied().chain(["requires", "bundle", "extends", "taxonomy"]);
            (
                format!("`{}` is no operation; the operations are {}", shown(key), listed(&verbs)),
                advice(key, words, "use one of the five"),
            )
        };
        self.structure(span, key, what, next);
    }

    fn block(&mut self, verb: Verb, block: &Node) {
        let Some(map) = block.map() else {
            return self.wanted(block, verb.key(), "a mapping of address to value");
        };
        for (written, member) in map.iter() {
            let Some((address, shape)) = self.address(verb, written, member.key) else { continue };
            self.operation(verb, address, shape, &member.value, member.key);
        }
    }

    fn removals(&mut self, block: &Node) {
        let verb = Verb::Remove;
        let Some(items) = block.items() else {
            return self.wanted(block, verb.key(), "a list of addresses");
        };
        for item in items {
            let Some(written) = item.text().filter(|_| !item.is_null()) else {
                self.wanted(item, verb.key(), "an address");
                continue;
            };
            self.complaints.references("", &at!["remove"], item);
            if let Some((address, _)) = self.address(verb, written, item.span) {
                let span = item.span;
                self.operations.push(Operation { verb, address, values: Vec::new(), span });
            }
        }
    }

    fn operation(
        &mut self,
        verb: Verb,
        address: Vec<String>,
        shape: &'static Shape,
        value: &Node,
        span: Span,
    ) {
        let prefix = format!("{}.", verb.key());
        let place = TreePath(address.iter().map(Step::from).collect());
        let mut misfits = Vec::new();
        let values = match verb {
            Verb::AddTo | Verb::RemoveFrom => {
                let Some(item_shape) = list_item(shape) else {
                    let what = "the address holds no list".to_owned();
                    let next = "use `add` or `override` for a value that is no list".to_owned();
                    let address = format!("{prefix}{place}");
                    return self.complaints.add(Class::Operation, span, address, what, next);
                };
                let items = match &value.value {
                    Value::List(items) => items.clone(),
                    _ => vec![value.clone()],
                };
                if verb == Verb::AddTo {
                    for item in &items {
                        hold(item_shape, item, &place, Completeness::Whole, &mut misfits);
                    }
                }
                items
            }
            _ => {
                hold(shape, value, &place, Completeness::Part, &mut misfits);
                vec![value.clone()]
            }
        };
        self.complaints.misfits(&prefix, misfits);
        match verb {
            // Each value is an item of the list, and no item is a reference.
            Verb::AddTo | Verb::RemoveFrom => {
                for (number, item) in values.iter().enumerate() {
                    self.complaints.references(&prefix, &place.then(number), item);
                }
            }
            _ => self.complaints.references(&prefix, &place, value),
        }
        self.operations.push(Operation { verb, address, values, span });
    }

    /// The segments of an address and the shape of the place it leads to.
    fn address(
        &mut self,
        verb: Verb,
        written: &str,
        span: Span,
    ) -> Option<(Vec<String>, &'static Shape)> {
        let segments: Vec<String> = written.split('.').map(str::to_owned).collect();
        let named = format!("{}.{}", verb.key(), shown(written));
        let mut refuse = |class: Class, what: String, next: String| {
            self.complaints.add(class, span, named.clone(), what, next);
            None
        };
        if segments.len() > ADDRESS_LIMIT {
            let what = format!("the address has more than {ADDRESS_LIMIT} segments");
            return refuse(Class::Address, what, "shorten it".to_owned());
        }
        if let Some(bad) = segments.iter().find(|segment| !is_name(segment)) {
            let what = format!("`{}` is no segment of an address", shown(bad));
            let next = "write keys of letters, digits, `_` and `-`, joined by dots".to_owned();
            return refuse(Class::Address, what, next);
        }
        match shape_at(&TAXONOMY, &segments) {
            Ok(shape) => Some((segments, shape)),
            Err(Astray::NoMember(at, permitted)) => {
                let key = segments.get(at).map_or("", String::as_str);
                let what = format!(
                    "`{}` is not a member there; permitted are {}",
                    key,
                    listed(&permitted)
                );
                let next = advice(key, permitted.iter().copied(), "use one of these");
                refuse(Class::Address, what, next)
            }
            Err(Astray::IntoList(at)) => {
                let list = segments.get(..at).unwrap_or(&[]).join(".");
                let what = format!("an address never enters a list, and `{list}` is one");
                let next = format!("use `add_to: {{{list}: …}}` or `remove_from`, or override it");
                refuse(Class::Address, what, next)
            }
            Err(Astray::BelowScalar(at)) => {
                let scalar = segments.get(..at).unwrap_or(&[]).join(".");
                let what = format!("`{scalar}` holds a single value and has no members");
                refuse(Class::Address, what, format!("address `{scalar}` itself"))
            }
        }
    }
}

fn list_item(shape: &'static Shape) -> Option<&'static Shape> {
    match shape {
        Shape::List(item) => Some(item),
        Shape::TextOr(inner) | Shape::Reference(inner) => list_item(inner),
        _ => None,
    }
}
