//! What a place of a document may hold according to the grammar, and the sentence that says so.

use std::collections::{BTreeSet, HashMap};

use relax_ng::{ExpandedName, ValidationErrorKind};
use roxmltree::{Document, Node, NodeId};

use crate::datatypes::is_xml_space;
use crate::model::{Data, Id, Model, Names, Pattern};

/// How many faults of one element a message lists before it counts the rest.
const MOST_FAULTS: usize = 8;

/// How many characters of a name from the document a message repeats.
const LONGEST_NAME: usize = 64;

/// What an element may hold, given the attributes it has.
#[derive(Clone, Debug, Default)]
struct Place {
    /// Element patterns.
    children: BTreeSet<Id>,
    /// Attribute patterns: the names and the value of each.
    attributes: Vec<Id>,
    /// Attribute patterns without which the element is incomplete.
    required: BTreeSet<Id>,
    /// Any text at all.
    text: bool,
    /// Descriptions of the values that may be the text.
    values: BTreeSet<String>,
}

/// Writes the messages of one document.
pub(crate) struct Explanation<'g, 'd, 'input> {
    model: &'g Model,
    document: &'d Document<'input>,
    /// The element patterns that the parents met so far may hold. Each parent is worked out once,
    /// so the work grows with the document and not with its faults.
    children: HashMap<NodeId, Vec<Id>>,
}

impl<'g, 'd, 'input> Explanation<'g, 'd, 'input> {
    pub(crate) fn new(model: &'g Model, document: &'d Document<'input>) -> Self {
        Explanation { model, document, children: HashMap::new() }
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
        let (mut sentences, mut about_text) = (Vec::new(), None);
        let mut incomplete = false;
        for fault in faults {
            match fault {
                ValidationErrorKind::InvalidAttributeValue(name, _) => {
                    sentences.push(self.wrong_value(&place, name));
                }
                ValidationErrorKind::UnexpectedAttribute(name) => sentences.push(format!(
                    "the attribute {} is not allowed here{}",
                    attribute_name(name),
                    allowed("allowed here", self.attribute_names(&place)),
                )),
                ValidationErrorKind::UnexpectedText => about_text = Some(self.wrong_text(&place)),
                ValidationErrorKind::MissingContent => incomplete = true,
                ValidationErrorKind::UnexpectedElement(_) => {}
            }
        }
        if incomplete {
            sentences.extend(self.missing(node, &place));
        }
        sentences.extend(about_text);
        // A refused value leaves its attribute, or the text, wanting as well: said already.
        if sentences.is_empty() {
            let mut choices = self.names(place.children.iter());
            choices.extend(place.values);
            let choices = allowed("allowed here", choices);
            sentences.push(format!("required content is missing{choices}"));
        }
        let more = sentences.len().saturating_sub(MOST_FAULTS);
        sentences.truncate(MOST_FAULTS);
        if more > 0 {
            sentences.push(format!("{more} more faults of this element"));
        }
        sentences.join("; ")
    }

    fn unexpected_element(&mut self, node: Node<'d, 'input>) -> String {
        let subject = match node.tag_name().namespace() {
            None => format!("the element <{}>", clipped(node.tag_name().name())),
            Some(namespace) => format!(
                "the element <{}> in the namespace \"{}\"",
                clipped(node.tag_name().name()),
                clipped(namespace)
            ),
        };
        let parent = node.parent_element();
        let children = match parent {
            Some(parent) => self.children_of(parent),
            None => self.start(),
        };
        let (namespace, local) = (node.tag_name().namespace(), node.tag_name().name());
        let known = children.iter().any(|id| {
            matches!(self.model.get(*id), Some(Pattern::Element { names, .. })
                if names.contain(namespace, local))
        });
        let names = self.names(children.iter());
        if known {
            return format!(
                "{subject} is not allowed at this place among its siblings{}",
                allowed("allowed in the parent", names)
            );
        }
        if !names.is_empty() {
            return format!("{subject} is not allowed here{}", allowed("allowed here", names));
        }
        let place = parent.map(|parent| self.place(parent)).unwrap_or_default();
        let only = if place.text || !place.values.is_empty() { ", only text" } else { "" };
        format!("{subject} is not allowed here; no element is{only}")
    }

    fn wrong_value(&self, place: &Place, name: &ExpandedName) -> String {
        let mut values = BTreeSet::new();
        for id in &place.attributes {
            if let Some(Pattern::Attribute { names, value }) = self.model.get(*id)
                && names.contain(name.namespace.as_deref(), &name.local)
            {
                self.describe(*value, &mut values);
            }
        }
        format!(
            "the attribute {} does not have an allowed value{}",
            attribute_name(name),
            allowed("expected", values)
        )
    }

    fn wrong_text(&self, place: &Place) -> String {
        if !place.values.is_empty() {
            let expected = allowed("expected", place.values.clone());
            return format!("the text does not have an allowed value{expected}");
        }
        let names = self.names(place.children.iter());
        if place.text {
            return format!(
                "text is not allowed at this place among the child elements{}",
                allowed("allowed here", names)
            );
        }
        if names.is_empty() {
            return "text is not allowed here; the element must be empty".to_owned();
        }
        format!("text is not allowed here{}", allowed("allowed here", names))
    }

    /// A sentence for each required attribute that the element lacks.
    fn missing(&self, node: Node<'_, '_>, place: &Place) -> Vec<String> {
        let mut missing = BTreeSet::new();
        for id in &place.required {
            if let Some(Pattern::Attribute { names, .. }) = self.model.get(*id)
                && !node.attributes().any(|have| names.contain(have.namespace(), have.name()))
            {
                missing.insert(described(names, false));
            }
        }
        missing.into_iter().map(|name| format!("the attribute {name} is missing")).collect()
    }

    fn names<'i>(&self, elements: impl Iterator<Item = &'i Id>) -> BTreeSet<String> {
        elements
            .filter_map(|id| match self.model.get(*id)? {
                Pattern::Element { names, .. } => Some(described(names, true)),
                _ => None,
            })
            .collect()
    }

    fn attribute_names(&self, place: &Place) -> BTreeSet<String> {
        place
            .attributes
            .iter()
            .filter_map(|id| match self.model.get(*id)? {
                Pattern::Attribute { names, .. } => Some(described(names, false)),
                _ => None,
            })
            .collect()
    }

    /// The element patterns that may be a document's root.
    fn start(&self) -> Vec<Id> {
        let mut place = Place::default();
        self.collect(self.model.start, None, true, &mut place);
        place.children.into_iter().collect()
    }

    fn children_of(&mut self, node: Node<'d, 'input>) -> Vec<Id> {
        if !self.children.contains_key(&node.id()) {
            let children = self.place(node).children.into_iter().collect();
            self.children.insert(node.id(), children);
        }
        self.children.get(&node.id()).cloned().unwrap_or_default()
    }

    /// What an element may hold: the union over the patterns that the element can be.
    fn place(&mut self, node: Node<'d, 'input>) -> Place {
        // From the nearest ancestor that is known down to the node; a loop, since documents may be
        // nested deeper than any stack.
        let mut path = Vec::new();
        let mut known = None;
        let mut next = Some(node);
        while let Some(element) = next {
            path.push(element);
            next = element.parent_element();
            if let Some(parent) = next
                && let Some(children) = self.children.get(&parent.id())
            {
                known = Some(children.clone());
                break;
            }
        }
        let mut children = known.unwrap_or_else(|| self.start());
        let mut place = Place::default();
        while let Some(element) = path.pop() {
            place = self.union(element, &children);
            if !path.is_empty() {
                children = place.children.iter().copied().collect();
                self.children.insert(element.id(), children.clone());
            }
        }
        place
    }

    fn union(&self, element: Node<'_, '_>, candidates: &[Id]) -> Place {
        let (namespace, local) = (element.tag_name().namespace(), element.tag_name().name());
        let named: Vec<Id> = candidates
            .iter()
            .filter_map(|id| match self.model.get(*id)? {
                Pattern::Element { names, content } if names.contain(namespace, local) => {
                    Some(*content)
                }
                _ => None,
            })
            .collect();
        let mut place = Place::default();
        self.alternatives(&named, Some(element), true, &mut place);
        place
    }

    /// The union of what several patterns hold. Patterns that the element's attributes rule out are
    /// left aside, unless all of them are; required is what every one of the rest requires.
    fn alternatives(
        &self,
        patterns: &[Id],
        element: Option<Node<'_, '_>>,
        needed: bool,
        place: &mut Place,
    ) {
        let fitting: Vec<Id> =
            patterns.iter().copied().filter(|id| self.fits(*id, element)).collect();
        let patterns = if fitting.is_empty() { patterns } else { &fitting };
        let mut required: Option<BTreeSet<Id>> = None;
        let mut labels: Option<BTreeSet<String>> = None;
        for pattern in patterns {
            let mut own = Place::default();
            self.collect(*pattern, element, needed, &mut own);
            place.children.extend(own.children);
            place.attributes.extend(own.attributes);
            place.text |= own.text;
            place.values.extend(own.values);
            // Two alternatives may require one attribute through different patterns.
            let own_labels: BTreeSet<String> =
                own.required.iter().filter_map(|id| self.label(*id)).collect();
            labels = Some(match labels {
                None => own_labels,
                Some(labels) => labels.intersection(&own_labels).cloned().collect(),
            });
            required.get_or_insert_default().extend(own.required);
        }
        let labels = labels.unwrap_or_default();
        place.required.extend(
            required
                .unwrap_or_default()
                .into_iter()
                .filter(|id| self.label(*id).is_some_and(|label| labels.contains(&label))),
        );
    }

    fn label(&self, id: Id) -> Option<String> {
        match self.model.get(id)? {
            Pattern::Attribute { names, .. } => Some(described(names, false)),
            _ => None,
        }
    }

    /// Gathers what a pattern holds, without entering the elements it names. Recursive over the
    /// grammar, whose size is bounded, never over the document.
    fn collect(&self, id: Id, element: Option<Node<'_, '_>>, needed: bool, place: &mut Place) {
        match self.model.get(id) {
            Some(Pattern::Element { .. }) => {
                place.children.insert(self.model.followed(id));
            }
            Some(Pattern::Attribute { .. }) => {
                place.attributes.push(self.model.followed(id));
                if needed {
                    place.required.insert(self.model.followed(id));
                }
            }
            Some(Pattern::All(parts)) => {
                for part in parts {
                    self.collect(*part, element, needed, place);
                }
            }
            Some(Pattern::Choice(parts)) => self.alternatives(parts, element, needed, place),
            Some(Pattern::Optional(part)) => self.collect(*part, element, false, place),
            Some(Pattern::Text) => place.text = true,
            Some(Pattern::Data(_) | Pattern::List) => self.describe(id, &mut place.values),
            Some(Pattern::NotAllowed | Pattern::Reference(_)) | None => {}
        }
    }

    /// Whether nothing that a pattern requires contradicts the element's attributes.
    fn fits(&self, id: Id, element: Option<Node<'_, '_>>) -> bool {
        match self.model.get(id) {
            Some(Pattern::Attribute { names, value }) => element.is_none_or(|element| {
                element
                    .attributes()
                    .filter(|have| names.contain(have.namespace(), have.name()))
                    .all(|have| self.accepts(*value, have.value()))
            }),
            Some(Pattern::All(parts)) => parts.iter().all(|part| self.fits(*part, element)),
            Some(Pattern::Choice(parts)) => parts.iter().any(|part| self.fits(*part, element)),
            Some(Pattern::NotAllowed) => false,
            _ => true,
        }
    }

    /// Whether a value pattern takes a text.
    fn accepts(&self, id: Id, text: &str) -> bool {
        match self.model.get(id) {
            Some(Pattern::Data(data)) => {
                let types = &self.model.datatypes;
                match &data.value {
                    Some(value) => types.equal(&data.datatype, value, text),
                    None => {
                        types.matches(&data.datatype, &data.facets(), text)
                            && !data.except.iter().any(|except| self.accepts(*except, text))
                    }
                }
            }
            Some(Pattern::Choice(parts)) => parts.iter().any(|part| self.accepts(*part, text)),
            Some(Pattern::All(parts)) if parts.is_empty() => text.chars().all(is_xml_space),
            Some(Pattern::All(parts)) => parts.iter().all(|part| self.accepts(*part, text)),
            Some(Pattern::NotAllowed) => false,
            _ => true,
        }
    }

    /// Adds a description of each alternative of a value pattern.
    fn describe(&self, id: Id, values: &mut BTreeSet<String>) {
        match self.model.get(id) {
            Some(Pattern::Data(data)) => {
                values.insert(described_data(data));
            }
            Some(Pattern::Choice(parts) | Pattern::All(parts)) => {
                if parts.is_empty() {
                    values.insert("nothing".to_owned());
                }
                for part in parts {
                    self.describe(*part, values);
                }
            }
            Some(Pattern::Optional(part)) => self.describe(*part, values),
            Some(Pattern::List) => {
                values.insert("a list of values".to_owned());
            }
            Some(Pattern::Text) => {
                values.insert("any text".to_owned());
            }
            _ => {}
        }
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
            (_, pattern) => format!("of the form {}", pattern.escape_debug()),
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
fn described(names: &Names, element: bool) -> String {
    match names {
        Names::One { namespace: None, local } => local.clone(),
        Names::One { namespace: Some(namespace), local } => {
            let name = ExpandedName::new(Some(namespace.as_str()), local.as_str());
            attribute_name(&name)
        }
        Names::Any { .. } => {
            if element {
                "other elements".to_owned()
            } else {
                "other attributes".to_owned()
            }
        }
        Names::Within { namespace: Some(namespace), .. } => {
            format!("names of the namespace \"{}\"", clipped(namespace))
        }
        Names::Within { namespace: None, .. } => "names of no namespace".to_owned(),
        Names::Choice(list) => {
            let list: Vec<String> = list.iter().map(|names| described(names, element)).collect();
            list.join(", ")
        }
    }
}

fn attribute_name(name: &ExpandedName) -> String {
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

fn allowed(label: &str, names: BTreeSet<String>) -> String {
    if names.is_empty() {
        return String::new();
    }
    let names: Vec<String> = names.into_iter().collect();
    format!("; {label}: {}", names.join(", "))
}
