//! The grammar as it is written, read for one purpose: to say what was expected where the library
//! found a fault.
//!
//! The library keeps its compiled grammar to itself, so the patterns are read a second time from the
//! same text. They never decide whether a document is valid. This reading also finds the mistakes of
//! a grammar for which a line can be named.

use std::collections::BTreeMap;

use roxmltree::{Document, Node};

use crate::GrammarError;
use crate::datatypes::Datatypes;

const NAMESPACE: &str = "http://relaxng.org/ns/structure/1.0";

/// The library reads and walks a grammar recursively, through references too. So many levels of
/// elements fit any stack, and so many elements in the longest chain of references.
const MOST_LEVELS: usize = 64;
const MOST_ELEMENTS: usize = 1_000;

/// A place in [`Model::patterns`].
pub(crate) type Id = usize;

/// Which names an element or attribute may have.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Names {
    One { namespace: Option<String>, local: String },
    Any { except: Vec<Names> },
    Within { namespace: Option<String>, except: Vec<Names> },
    Choice(Vec<Names>),
}

impl Names {
    pub(crate) fn contain(&self, namespace: Option<&str>, local: &str) -> bool {
        let in_any = |list: &[Names]| list.iter().any(|names| names.contain(namespace, local));
        match self {
            Names::One { namespace: own, local: name } => {
                own.as_deref() == namespace && name == local
            }
            Names::Any { except } => !in_any(except),
            Names::Within { namespace: own, except } => {
                own.as_deref() == namespace && !in_any(except)
            }
            Names::Choice(list) => in_any(list),
        }
    }
}

/// A text that a `data` or `value` pattern describes.
#[derive(Clone, Debug)]
pub(crate) struct Data {
    pub(crate) datatype: String,
    pub(crate) facets: Vec<(String, String)>,
    /// The one value of a `value` pattern.
    pub(crate) value: Option<String>,
    /// Patterns whose values are taken out again.
    pub(crate) except: Vec<Id>,
}

impl Data {
    pub(crate) fn facets(&self) -> Vec<(&str, &str)> {
        self.facets.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect()
    }
}

/// One pattern, with order and repetition left out: what a refused node may still hear about is
/// which names and values its place takes.
#[derive(Clone, Debug)]
pub(crate) enum Pattern {
    Element {
        names: Names,
        content: Id,
    },
    Attribute {
        names: Names,
        value: Id,
    },
    /// Every part is required: group, interleave, one or more, mixed.
    All(Vec<Id>),
    /// One of the parts is required.
    Choice(Vec<Id>),
    /// Nothing is required: optional, zero or more.
    Optional(Id),
    Text,
    Data(Data),
    /// A list of values, not looked into.
    List,
    NotAllowed,
    Reference(String),
}

/// A grammar's patterns.
#[derive(Clone, Debug)]
pub(crate) struct Model {
    patterns: Vec<Pattern>,
    definitions: BTreeMap<String, Id>,
    /// For each pattern where it leads when it is a reference, and itself when it is none.
    leads: Vec<Id>,
    pub(crate) start: Id,
    /// The line of the root element.
    pub(crate) line: u32,
    pub(crate) datatypes: Datatypes,
}

impl Model {
    /// Reads a grammar; refuses what cannot be read, with its line.
    pub(crate) fn read(source: &str) -> Result<Model, GrammarError> {
        let document = Document::parse(source)
            .map_err(|error| GrammarError::new(error.pos().row, format!("not XML: {error}")))?;
        let elements = document.descendants().filter(Node::is_element);
        if elements.clone().nth(MOST_ELEMENTS).is_some() {
            let cause = format!("the grammar has more than {MOST_ELEMENTS} elements");
            return Err(GrammarError::new(1, cause));
        }
        if let Some(deep) =
            elements.clone().find(|node| node.ancestors().nth(MOST_LEVELS).is_some())
        {
            let cause = format!("the grammar is nested deeper than {MOST_LEVELS} levels");
            return Err(at(deep, cause));
        }
        let patterns: Vec<Node<'_, '_>> = elements
            .filter(|node| is(node, "param") && node.attribute("name") == Some("pattern"))
            .collect();
        let datatypes = Datatypes::new(patterns.iter().map(|node| node.text().unwrap_or_default()))
            .map_err(|(position, cause)| match patterns.get(position) {
                Some(node) => at(*node, cause),
                None => GrammarError::new(1, cause),
            })?;
        let root = document.root_element();
        let mut model = Model {
            patterns: Vec::new(),
            definitions: BTreeMap::new(),
            leads: Vec::new(),
            start: 0,
            line: line_of(root),
            datatypes,
        };
        if is(&root, "grammar") {
            let mut starts = Vec::new();
            let mut defines: BTreeMap<String, Vec<(Id, bool)>> = BTreeMap::new();
            model.components(root, &mut starts, &mut defines)?;
            if starts.is_empty() {
                return Err(at(root, "the grammar has no start".to_owned()));
            }
            model.start = model.combined(starts);
            for (name, parts) in defines {
                let id = model.combined(parts);
                model.definitions.insert(name, id);
            }
        } else {
            model.start = model.pattern(root)?;
        }
        if let Some(lost) = document.descendants().find(|node| {
            is(node, "ref")
                && !node
                    .attribute("name")
                    .is_some_and(|name| model.definitions.contains_key(name.trim()))
        }) {
            return Err(at(lost, "ref names no define of this grammar".to_owned()));
        }
        model.follow();
        Ok(model)
    }

    /// The pattern at a place, references followed. `None` for a reference that goes in a circle.
    pub(crate) fn get(&self, id: Id) -> Option<&Pattern> {
        match self.patterns.get(self.followed(id)) {
            Some(Pattern::Reference(_)) => None,
            found => found,
        }
    }

    /// Where the references that start at a place lead.
    pub(crate) fn followed(&self, id: Id) -> Id {
        self.leads.get(id).copied().unwrap_or(id)
    }

    /// The names of an element or attribute pattern.
    pub(crate) fn names(&self, id: Id) -> Option<&Names> {
        match self.get(id)? {
            Pattern::Element { names, .. } | Pattern::Attribute { names, .. } => Some(names),
            _ => None,
        }
    }

    /// Follows every reference once, however long the chains are.
    fn follow(&mut self) {
        self.leads = (0..self.patterns.len()).collect();
        let mut done = vec![false; self.patterns.len()];
        for start in 0..self.patterns.len() {
            let mut passed = Vec::new();
            let mut id = start;
            while !done[id]
                && let Pattern::Reference(name) = &self.patterns[id]
                && let Some(target) = self.definitions.get(name)
            {
                done[id] = true;
                passed.push(id);
                id = *target;
            }
            done[id] = true;
            for reference in passed {
                self.leads[reference] = self.leads[id];
            }
        }
    }

    fn add(&mut self, pattern: Pattern) -> Id {
        self.patterns.push(pattern);
        self.patterns.len() - 1
    }

    /// Several definitions of one name: alternatives, unless they are interleaved.
    fn combined(&mut self, parts: Vec<(Id, bool)>) -> Id {
        let interleaved = parts.iter().any(|(_, interleaved)| *interleaved);
        let parts: Vec<Id> = parts.into_iter().map(|(id, _)| id).collect();
        match parts.as_slice() {
            [one] => *one,
            _ if interleaved => self.add(Pattern::All(parts)),
            _ => self.add(Pattern::Choice(parts)),
        }
    }

    fn components(
        &mut self,
        parent: Node<'_, '_>,
        starts: &mut Vec<(Id, bool)>,
        defines: &mut BTreeMap<String, Vec<(Id, bool)>>,
    ) -> Result<(), GrammarError> {
        for node in patterns_in(parent) {
            let interleaved = node.attribute("combine").map(str::trim) == Some("interleave");
            match node.tag_name().name() {
                "start" => starts.push((self.all(node)?, interleaved)),
                "define" => {
                    let name = attribute(node, "name")?.to_owned();
                    let id = self.all(node)?;
                    defines.entry(name).or_default().push((id, interleaved));
                }
                "div" => self.components(node, starts, defines)?,
                "include" => return Err(at(node, "a grammar must be one file".to_owned())),
                other => return Err(at(node, format!("<{other}> cannot stand in a grammar"))),
            }
        }
        Ok(())
    }

    /// The children of a node, all of them required.
    fn all(&mut self, node: Node<'_, '_>) -> Result<Id, GrammarError> {
        let parts = self.parts(patterns_in(node))?;
        Ok(self.whole(parts))
    }

    /// Parts that are all required; a single one stands for itself.
    fn whole(&mut self, parts: Vec<Id>) -> Id {
        match parts.as_slice() {
            [one] => *one,
            _ => self.add(Pattern::All(parts)),
        }
    }

    fn parts<'a, 'input: 'a>(
        &mut self,
        nodes: impl Iterator<Item = Node<'a, 'input>>,
    ) -> Result<Vec<Id>, GrammarError> {
        nodes.map(|node| self.pattern(node)).collect()
    }

    fn pattern(&mut self, node: Node<'_, '_>) -> Result<Id, GrammarError> {
        let pattern = match node.tag_name().name() {
            _ if node.tag_name().namespace() != Some(NAMESPACE) => {
                return Err(at(node, format!("the namespace must be {NAMESPACE}")));
            }
            "element" => {
                let (names, content) = self.named(node, true)?;
                let content = self.parts(content.into_iter())?;
                Pattern::Element { names, content: self.whole(content) }
            }
            "attribute" => {
                let (names, value) = self.named(node, false)?;
                let value = match self.parts(value.into_iter())?.first() {
                    Some(id) => *id,
                    None => self.add(Pattern::Text),
                };
                Pattern::Attribute { names, value }
            }
            "group" | "interleave" | "oneOrMore" => Pattern::All(self.parts(patterns_in(node))?),
            "mixed" => {
                let mut parts = self.parts(patterns_in(node))?;
                parts.push(self.add(Pattern::Text));
                Pattern::All(parts)
            }
            "choice" => Pattern::Choice(self.parts(patterns_in(node))?),
            "optional" | "zeroOrMore" => Pattern::Optional(self.all(node)?),
            "empty" => Pattern::All(Vec::new()),
            "notAllowed" => Pattern::NotAllowed,
            "text" => Pattern::Text,
            "list" => Pattern::List,
            "ref" => Pattern::Reference(attribute(node, "name")?.to_owned()),
            "data" => {
                let mut data = Data {
                    datatype: attribute(node, "type")?.to_owned(),
                    facets: Vec::new(),
                    value: None,
                    except: Vec::new(),
                };
                for child in patterns_in(node) {
                    if is(&child, "param") {
                        let name = attribute(child, "name")?.to_owned();
                        let value = child.text().unwrap_or_default().to_owned();
                        data.facets.push((name, value));
                    } else if is(&child, "except") {
                        data.except = self.parts(patterns_in(child))?;
                    }
                }
                self.datatypes
                    .check(&data.datatype, &data.facets())
                    .map_err(|cause| at(node, cause))?;
                Pattern::Data(data)
            }
            "value" => {
                let datatype = node.attribute("type").map_or("token", str::trim).to_owned();
                self.datatypes.check(&datatype, &[]).map_err(|cause| at(node, cause))?;
                Pattern::Data(Data {
                    datatype,
                    facets: Vec::new(),
                    value: Some(node.text().unwrap_or_default().to_owned()),
                    except: Vec::new(),
                })
            }
            "externalRef" => return Err(at(node, "a grammar must be one file".to_owned())),
            "grammar" | "parentRef" => {
                return Err(at(node, "a grammar within a grammar is not supported".to_owned()));
            }
            other => return Err(at(node, format!("<{other}> is no RELAX NG pattern"))),
        };
        Ok(self.add(pattern))
    }

    /// The names of an `element` or `attribute` pattern, and the patterns that remain of it.
    fn named<'a, 'input>(
        &self,
        node: Node<'a, 'input>,
        inherits: bool,
    ) -> Result<(Names, Vec<Node<'a, 'input>>), GrammarError> {
        let mut children: Vec<Node<'a, 'input>> = patterns_in(node).collect();
        if let Some(name) = node.attribute("name") {
            // An attribute named in this short way inherits no namespace.
            let namespace =
                if inherits { inherited(node) } else { node.attribute("ns") }.unwrap_or_default();
            return Ok((one(node, name, namespace)?, children));
        }
        if children.is_empty() {
            return Err(at(node, format!("<{}> has no name", node.tag_name().name())));
        }
        let names = names(children.remove(0))?;
        Ok((names, children))
    }
}

fn names(node: Node<'_, '_>) -> Result<Names, GrammarError> {
    let listed = |parent: Node<'_, '_>| patterns_in(parent).map(names).collect();
    let except = || match patterns_in(node).find(|child| is(child, "except")) {
        Some(except) => listed(except),
        None => Ok(Vec::new()),
    };
    match node.tag_name().name() {
        "name" => one(node, node.text().unwrap_or_default(), inherited(node).unwrap_or_default()),
        "anyName" => Ok(Names::Any { except: except()? }),
        "nsName" => Ok(Names::Within {
            namespace: some(inherited(node).unwrap_or_default()),
            except: except()?,
        }),
        "choice" => Ok(Names::Choice(listed(node)?)),
        other => Err(at(node, format!("<{other}> stands where a name is needed"))),
    }
}

/// One name; a prefix takes the place of the namespace in force.
fn one(node: Node<'_, '_>, name: &str, namespace: &str) -> Result<Names, GrammarError> {
    let name = name.trim();
    let (namespace, local) = match name.split_once(':') {
        None => (namespace, name),
        Some((prefix, local)) => match node.lookup_namespace_uri(Some(prefix)) {
            Some(uri) => (uri, local),
            None => return Err(at(node, format!("the prefix {prefix} is not declared"))),
        },
    };
    Ok(Names::One { namespace: some(namespace), local: local.to_owned() })
}

fn some(namespace: &str) -> Option<String> {
    (!namespace.is_empty()).then(|| namespace.to_owned())
}

/// The nearest `ns` attribute at or above a node.
fn inherited<'a>(node: Node<'a, '_>) -> Option<&'a str> {
    node.ancestors().find_map(|ancestor| ancestor.attribute("ns"))
}

fn is(node: &Node<'_, '_>, name: &str) -> bool {
    node.has_tag_name((NAMESPACE, name))
}

/// The children that belong to RELAX NG; any other is an annotation.
fn patterns_in<'a, 'input: 'a>(
    node: Node<'a, 'input>,
) -> impl Iterator<Item = Node<'a, 'input>> + use<'a, 'input> {
    node.children().filter(|child| child.tag_name().namespace() == Some(NAMESPACE))
}

fn attribute<'a>(node: Node<'a, '_>, name: &str) -> Result<&'a str, GrammarError> {
    match node.attribute(name) {
        Some(value) => Ok(value.trim()),
        None => Err(at(node, format!("<{}> needs the attribute {name}", node.tag_name().name()))),
    }
}

fn at(node: Node<'_, '_>, cause: String) -> GrammarError {
    GrammarError::new(line_of(node), cause)
}

fn line_of(node: Node<'_, '_>) -> u32 {
    node.document().text_pos_at(node.range().start).row
}

#[cfg(test)]
mod tests {
    use super::*;

    fn name(namespace: Option<&str>, local: &str) -> Names {
        Names::One { namespace: namespace.map(str::to_owned), local: local.to_owned() }
    }

    #[test]
    fn classes_of_names_contain_what_they_say() {
        let plain = name(None, "a");
        assert!(plain.contain(None, "a"));
        assert!(!plain.contain(None, "b") && !plain.contain(Some("urn:x"), "a"));
        let any = Names::Any { except: vec![plain.clone()] };
        assert!(any.contain(None, "b") && any.contain(Some("urn:x"), "a"));
        assert!(!any.contain(None, "a"));
        let except = vec![name(Some("urn:x"), "a")];
        let within = Names::Within { namespace: Some("urn:x".to_owned()), except };
        assert!(within.contain(Some("urn:x"), "b"));
        assert!(!within.contain(Some("urn:x"), "a") && !within.contain(None, "b"));
        let either = Names::Choice(vec![plain, within]);
        assert!(either.contain(None, "a") && either.contain(Some("urn:x"), "b"));
        assert!(!either.contain(None, "b"));
    }

    #[test]
    fn references_lead_to_what_is_defined_and_circles_to_nothing() {
        let model = Model::read(&format!(
            "<grammar xmlns='{NAMESPACE}'><start><ref name='x'/></start>
             <define name='x'><ref name='y'/></define>
             <define name='y'><element name='a'><empty/></element></define>
             <define name='p'><ref name='q'/></define><define name='q'><ref name='p'/></define>
             </grammar>"
        ))
        .unwrap();
        assert_eq!(model.names(model.start), Some(&name(None, "a")));
        for define in ["x", "y"] {
            assert_eq!(model.followed(model.definitions[define]), model.followed(model.start));
        }
        assert!(model.get(model.definitions["p"]).is_none());
    }
}
