//! The sentence about what is wrong with one element and what was expected there.

use std::collections::{BTreeSet, HashMap};
use std::rc::Rc;

use relax_ng::{ExpandedName, ValidationErrorKind};
use roxmltree::{Document, Node, NodeId};

use crate::model::{Data, Id, Model, Names, Pattern};
use crate::place::Place;

/// How many faults of one element a message lists before it counts the rest.
const MOST_FAULTS: usize = 8;

/// How many characters of a name from the document a message repeats.
const LONGEST_NAME: usize = 64;

/// Writes the messages of one document.
pub(crate) struct Explanation<'g, 'd, 'input> {
    model: &'g Model,
    document: &'d Document<'input>,
    above_root: Rc<Place>,
    /// What the elements met so far may hold. Each is worked out once, so that the work grows with
    /// the document and not with depth or siblings.
    places: HashMap<NodeId, Rc<Place>>,
}

impl<'g, 'd, 'input> Explanation<'g, 'd, 'input> {
    pub(crate) fn new(model: &'g Model, document: &'d Document<'input>) -> Self {
        let above_root = Rc::new(Place::above_root(model));
        Explanation { model, document, above_root, places: HashMap::new() }
    }

    /// One line about everything that was found wrong with one element.
    pub(crate) fn message(&mut self, id: NodeId, faults: &[&ValidationErrorKind]) -> String {
        let Some(node) = self.document.get_node(id) else {
            return "the element is not allowed here".to_owned();
        };
        if faults.iter().any(|fault| matches!(fault, ValidationErrorKind::UnexpectedElement(_))) {
            return self.unexpected_element(node);
        }
        let place = self.place(node);
        let (mut sentences, mut more) = (Vec::new(), 0);
        let (mut incomplete, mut stray_text) = (false, false);
        for fault in faults {
            match fault {
                ValidationErrorKind::MissingContent => incomplete = true,
                ValidationErrorKind::UnexpectedText => stray_text = true,
                _ if sentences.len() == MOST_FAULTS => more += 1,
                ValidationErrorKind::InvalidAttributeValue(name, _) => {
                    sentences.push(self.wrong_value(&place, name));
                }
                ValidationErrorKind::UnexpectedAttribute(name) => {
                    sentences.push(format!(
                        "the attribute {} is not allowed here{}",
                        exact(name),
                        self.allowed("allowed here", &place.attributes)
                    ));
                }
                ValidationErrorKind::UnexpectedElement(_) => {}
            }
        }
        if incomplete {
            sentences.extend(self.missing(node, &place));
        }
        if stray_text {
            sentences.push(self.stray_text(&place));
        }
        if sentences.is_empty() {
            // A refused value leaves its attribute, or the text, wanting as well; only when nothing
            // else was said is it the content that is too short.
            let choices = place.children.union(&place.values).copied().collect();
            let choices = self.allowed("allowed here", &choices);
            sentences.push(format!("required content is missing{choices}"));
        }
        if more > 0 {
            sentences.push(format!("{more} more attributes are wrong"));
        }
        sentences.join("; ")
    }

    fn unexpected_element(&mut self, node: Node<'d, 'input>) -> String {
        let (namespace, local) = (node.tag_name().namespace(), node.tag_name().name());
        let subject = match namespace {
            None => format!("the element <{}>", clipped(local)),
            Some(namespace) => format!(
                "the element <{}> in the namespace \"{}\"",
                clipped(local),
                clipped(namespace)
            ),
        };
        let place = match node.parent_element() {
            Some(parent) => self.place(parent),
            None => Rc::clone(&self.above_root),
        };
        let elements = &place.children;
        let named = |id: &Id| self.model.names(*id).is_some_and(|it| it.contain(namespace, local));
        if elements.iter().any(named) {
            let allowed = self.allowed("allowed in the parent", elements);
            format!("{subject} is not allowed at this place among its siblings{allowed}")
        } else if !elements.is_empty() {
            format!("{subject} is not allowed here{}", self.allowed("allowed here", elements))
        } else if place.text || !place.values.is_empty() {
            format!("{subject} is not allowed here; no element is, only text")
        } else {
            format!("{subject} is not allowed here; no element is")
        }
    }

    fn wrong_value(&self, place: &Place, name: &ExpandedName) -> String {
        let values: BTreeSet<Id> = place
            .attributes
            .iter()
            .filter_map(|id| match self.model.get(*id)? {
                Pattern::Attribute { names, value }
                    if names.contain(name.namespace.as_deref(), &name.local) =>
                {
                    Some(*value)
                }
                _ => None,
            })
            .collect();
        let expected = self.allowed("expected", &values);
        format!("the attribute {} does not have an allowed value{expected}", exact(name))
    }

    fn stray_text(&self, place: &Place) -> String {
        let allowed = self.allowed("allowed here", &place.children);
        if !place.values.is_empty() {
            let expected = self.allowed("expected", &place.values);
            format!("the text does not have an allowed value{expected}")
        } else if place.text {
            format!("text is not allowed at this place among the child elements{allowed}")
        } else if place.children.is_empty() {
            "text is not allowed here; the element must be empty".to_owned()
        } else {
            format!("text is not allowed here{allowed}")
        }
    }

    /// A sentence for each required attribute that the element lacks.
    fn missing(&self, node: Node<'_, '_>, place: &Place) -> Vec<String> {
        let lacks = |names: &&Names| {
            !node.attributes().any(|have| names.contain(have.namespace(), have.name()))
        };
        let required = place.required.iter().filter_map(|id| self.model.names(*id));
        let missing: BTreeSet<String> =
            required.filter(lacks).map(|names| described(names, "attributes")).collect();
        missing.into_iter().map(|name| format!("the attribute {name} is missing")).collect()
    }

    /// A clause that lists what some patterns allow: names of elements and attributes, and values.
    fn allowed(&self, label: &str, patterns: &BTreeSet<Id>) -> String {
        let mut descriptions = BTreeSet::new();
        let mut seen = BTreeSet::new();
        let mut rest: Vec<Id> = patterns.iter().copied().collect();
        while let Some(id) = rest.pop() {
            if !seen.insert(self.model.followed(id)) {
                continue;
            }
            match self.model.get(id) {
                Some(Pattern::Element { names, .. }) => {
                    descriptions.insert(described(names, "elements"));
                }
                Some(Pattern::Attribute { names, .. }) => {
                    descriptions.insert(described(names, "attributes"));
                }
                Some(Pattern::Data(data)) => {
                    descriptions.insert(described_data(data));
                }
                Some(Pattern::List) => {
                    descriptions.insert("a list of values".to_owned());
                }
                Some(Pattern::Text) => {
                    descriptions.insert("any text".to_owned());
                }
                Some(Pattern::All(parts)) if parts.is_empty() => {
                    descriptions.insert("nothing".to_owned());
                }
                Some(Pattern::All(parts) | Pattern::Choice(parts)) => rest.extend(parts),
                Some(Pattern::Optional(part)) => rest.push(*part),
                Some(Pattern::NotAllowed | Pattern::Reference(_)) | None => {}
            }
        }
        if descriptions.is_empty() {
            return String::new();
        }
        let descriptions: Vec<String> = descriptions.into_iter().collect();
        format!("; {label}: {}", descriptions.join(", "))
    }

    /// What an element may hold.
    fn place(&mut self, node: Node<'d, 'input>) -> Rc<Place> {
        // Up to the nearest ancestor that is known and down again; a loop, since documents may be
        // nested deeper than any stack.
        let mut path = Vec::new();
        let mut place = Rc::clone(&self.above_root);
        for element in node.ancestors().filter(Node::is_element) {
            if let Some(known) = self.places.get(&element.id()) {
                place = Rc::clone(known);
                break;
            }
            path.push(element);
        }
        while let Some(element) = path.pop() {
            place = Rc::new(Place::within(self.model, element, &place.children));
            self.places.insert(element.id(), Rc::clone(&place));
        }
        place
    }
}

fn described_data(data: &Data) -> String {
    if let Some(value) = &data.value {
        return format!("\"{}\"", value.escape_debug());
    }
    let mut facets = Vec::new();
    for (name, value) in &data.facets {
        facets.push(match (name.as_str(), value.trim()) {
            ("minLength", "1") => "that is not empty".to_owned(),
            ("minLength", least) => format!("of at least {least} characters"),
            ("maxLength", most) => format!("of at most {most} characters"),
            // A pattern as it is written, but on one line.
            (_, pattern) => {
                let words: Vec<&str> = pattern.split_whitespace().collect();
                format!("of the form {}", words.join(" "))
            }
        });
    }
    let kind = match data.datatype.as_str() {
        "positiveInteger" => "a positive whole number",
        _ => "a text",
    };
    let except = if data.except.is_empty() { "" } else { ", with exceptions" };
    if facets.is_empty() {
        format!("{kind}{except}")
    } else {
        format!("{kind} {}{except}", facets.join(" and "))
    }
}

/// The names a pattern allows, for a list of what is allowed.
fn described(names: &Names, kind: &str) -> String {
    match names {
        Names::One { namespace: None, local } => local.clone(),
        Names::One { namespace: Some(namespace), local } => {
            let name = ExpandedName::new(Some(namespace.as_str()), local.as_str());
            exact(&name)
        }
        Names::Any { .. } => format!("other {kind}"),
        Names::Within { namespace: Some(namespace), .. } => {
            format!("names of the namespace \"{}\"", clipped(namespace))
        }
        Names::Within { namespace: None, .. } => "names of no namespace".to_owned(),
        Names::Choice(list) => {
            let list: Vec<String> = list.iter().map(|names| described(names, kind)).collect();
            list.join(", ")
        }
    }
}

/// One name with its namespace.
fn exact(name: &ExpandedName) -> String {
    match name.namespace.as_deref() {
        None => clipped(&name.local),
        Some(roxmltree::NS_XML_URI) => format!("xml:{}", clipped(&name.local)),
        Some(namespace) => {
            format!("{} of the namespace \"{}\"", clipped(&name.local), clipped(namespace))
        }
    }
}

/// A name from the document, fit for one line.
fn clipped(name: &str) -> String {
    let mut short: String = name.chars().take(LONGEST_NAME).collect();
    if short.len() < name.len() {
        short.push('…');
    }
    short.escape_debug().to_string()
}
