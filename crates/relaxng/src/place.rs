//! What one element may hold, worked out from the patterns that it can be and the attributes it has.

use std::collections::{BTreeSet, HashMap};
use std::rc::Rc;

use roxmltree::Node;

use crate::datatypes::is_xml_space;
use crate::model::{Id, Model, Pattern};

/// What an element may hold. Order and number are left out.
#[derive(Clone, Debug, Default)]
pub(crate) struct Place {
    /// Element patterns.
    pub(crate) children: BTreeSet<Id>,
    /// Attribute patterns.
    pub(crate) attributes: BTreeSet<Id>,
    /// Those attribute patterns without which the element is incomplete.
    pub(crate) required: BTreeSet<Id>,
    /// Any text at all.
    pub(crate) text: bool,
    /// Patterns of the values that may be the text.
    pub(crate) values: BTreeSet<Id>,
}

impl Place {
    /// What a document's root may be.
    pub(crate) fn above_root(model: &Model) -> Place {
        Place::clone(&Finder::new(model, None).place(model.start))
    }

    /// What `element` may hold when it is one of these element patterns; those of another name are
    /// out of the question.
    pub(crate) fn within(model: &Model, element: Node<'_, '_>, candidates: &BTreeSet<Id>) -> Place {
        let (namespace, local) = (element.tag_name().namespace(), element.tag_name().name());
        let contents: Vec<Id> = candidates
            .iter()
            .filter_map(|id| match model.get(*id)? {
                Pattern::Element { names, content } if names.contain(namespace, local) => {
                    Some(*content)
                }
                _ => None,
            })
            .collect();
        Finder::new(model, Some(element)).alternatives(&contents)
    }

    fn add(&mut self, other: &Place) {
        self.children.extend(&other.children);
        self.attributes.extend(&other.attributes);
        self.required.extend(&other.required);
        self.text |= other.text;
        self.values.extend(&other.values);
    }
}

/// Walks the patterns of one element's content, without entering the elements they name. Recursive
/// over the grammar, whose depth is bounded, never over the document. Whatever a reference leads to
/// is looked at once.
struct Finder<'g, 'd, 'input> {
    model: &'g Model,
    element: Option<Node<'d, 'input>>,
    places: HashMap<Id, Rc<Place>>,
    fits: HashMap<Id, bool>,
}

impl<'g, 'd, 'input> Finder<'g, 'd, 'input> {
    fn new(model: &'g Model, element: Option<Node<'d, 'input>>) -> Self {
        Finder { model, element, places: HashMap::new(), fits: HashMap::new() }
    }

    fn place(&mut self, id: Id) -> Rc<Place> {
        let id = self.model.followed(id);
        if let Some(known) = self.places.get(&id) {
            return Rc::clone(known);
        }
        let mut place = Place::default();
        match self.model.get(id) {
            Some(Pattern::Element { .. }) => {
                place.children.insert(id);
            }
            Some(Pattern::Attribute { .. }) => {
                place.attributes.insert(id);
                place.required.insert(id);
            }
            Some(Pattern::All(parts)) => {
                for part in parts {
                    place.add(&self.place(*part));
                }
            }
            Some(Pattern::Choice(parts)) => place = self.alternatives(parts),
            Some(Pattern::Optional(part)) => {
                place = Place::clone(&self.place(*part));
                place.required.clear();
            }
            Some(Pattern::Text) => place.text = true,
            Some(Pattern::Data(_) | Pattern::List) => {
                place.values.insert(id);
            }
            Some(Pattern::NotAllowed | Pattern::Reference(_)) | None => {}
        }
        let place = Rc::new(place);
        self.places.insert(id, Rc::clone(&place));
        place
    }

    /// What several patterns hold together. Patterns that the element's attributes rule out are left
    /// aside, unless all of them are; required is what every one of the rest requires.
    fn alternatives(&mut self, patterns: &[Id]) -> Place {
        let fitting: Vec<Id> = patterns.iter().copied().filter(|id| self.fits(*id)).collect();
        let patterns = if fitting.is_empty() { patterns } else { &fitting };
        let parts: Vec<Rc<Place>> = patterns.iter().map(|id| self.place(*id)).collect();
        let mut place = Place::default();
        for part in &parts {
            place.add(part);
        }
        // Two alternatives may require an attribute of one name through two patterns.
        place.required.retain(|id| {
            let wanted = self.model.names(*id);
            parts.iter().all(|part| part.required.iter().any(|id| self.model.names(*id) == wanted))
        });
        place
    }

    /// Whether nothing that a pattern requires contradicts the element's attributes.
    fn fits(&mut self, id: Id) -> bool {
        let id = self.model.followed(id);
        if let Some(known) = self.fits.get(&id) {
            return *known;
        }
        let fits = match self.model.get(id) {
            Some(Pattern::Attribute { names, value }) => self.element.is_none_or(|element| {
                element
                    .attributes()
                    .filter(|have| names.contain(have.namespace(), have.name()))
                    .all(|have| accepts(self.model, *value, have.value(), &mut HashMap::new()))
            }),
            Some(Pattern::All(parts)) => parts.iter().all(|part| self.fits(*part)),
            Some(Pattern::Choice(parts)) => parts.iter().any(|part| self.fits(*part)),
            Some(Pattern::NotAllowed) => false,
            _ => true,
        };
        self.fits.insert(id, fits);
        fits
    }
}

/// Whether a value pattern takes a text.
fn accepts(model: &Model, id: Id, text: &str, known: &mut HashMap<Id, bool>) -> bool {
    let id = model.followed(id);
    if let Some(known) = known.get(&id) {
        return *known;
    }
    let accepted = match model.get(id) {
        Some(Pattern::Data(data)) => match &data.value {
            Some(value) => model.datatypes.equal(&data.datatype, value, text),
            None => {
                model.datatypes.matches(&data.datatype, &data.facets(), text)
                    && !data.except.iter().any(|except| accepts(model, *except, text, known))
            }
        },
        Some(Pattern::Choice(parts)) => parts.iter().any(|part| accepts(model, *part, text, known)),
        Some(Pattern::All(parts)) if parts.is_empty() => text.chars().all(is_xml_space),
        Some(Pattern::All(parts)) => parts.iter().all(|part| accepts(model, *part, text, known)),
        Some(Pattern::NotAllowed) => false,
        _ => true,
    };
    known.insert(id, accepted);
    accepted
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The names of some patterns of a place.
    fn names(model: &Model, patterns: &BTreeSet<Id>) -> Vec<String> {
        let mut names: Vec<String> =
            patterns.iter().map(|id| format!("{:?}", model.names(*id))).collect();
        names.sort();
        names.dedup();
        names.iter().map(|name| name.split('"').nth(1).unwrap_or("?").to_owned()).collect()
    }

    #[test]
    fn attributes_narrow_what_an_element_may_hold() {
        let model = Model::read(
            "<element name='a' xmlns='http://relaxng.org/ns/structure/1.0'>
               <optional><attribute name='o'/></optional>
               <choice>
                 <group>
                   <attribute name='kind'><value>one</value></attribute>
                   <attribute name='x'/>
                   <element name='b'><empty/></element>
                 </group>
                 <group><attribute name='kind'><value>two</value></attribute><text/></group>
               </choice>
             </element>",
        )
        .unwrap();
        let root = Place::above_root(&model).children;
        assert_eq!(names(&model, &root), ["a"]);
        for (xml, children, attributes, required, text) in [
            ("<a/>", vec!["b"], vec!["kind", "o", "x"], vec!["kind"], true),
            ("<a kind='?'/>", vec!["b"], vec!["kind", "o", "x"], vec!["kind"], true),
            ("<a kind='one'/>", vec!["b"], vec!["kind", "o", "x"], vec!["kind", "x"], false),
            ("<a kind=' two '/>", vec![], vec!["kind", "o"], vec!["kind"], true),
            ("<other/>", vec![], vec![], vec![], false),
        ] {
            let document = roxmltree::Document::parse(xml).unwrap();
            let place = Place::within(&model, document.root_element(), &root);
            assert_eq!(names(&model, &place.children), children, "{xml}");
            assert_eq!(names(&model, &place.attributes), attributes, "{xml}");
            assert_eq!(names(&model, &place.required), required, "{xml}");
            assert_eq!(place.text, text, "{xml}");
        }
    }
}
