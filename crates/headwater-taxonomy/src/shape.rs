//! Closed shapes: a small language for "which members may stand here and what each may hold", and
//! the one walker that holds a tree to it. The shapes themselves are a table in `declarations`, so
//! a new member is one line there and no code here.

use crate::nearest::nearest;
use crate::path::{Step, TreePath, is_name};
use crate::yaml::{Member, Node, Span, Value, shown};

/// What may stand at one place.
#[derive(Debug)]
pub enum Shape {
    /// Any scalar but a null.
    Text,
    /// `true` or `false`.
    Flag,
    /// An integer that is not negative.
    Whole,
    /// One word of a closed set.
    Words(&'static [&'static str]),
    /// Digits, with a suffix `d`, `w`, `m` or `y` or none.
    Duration,
    /// A list of this.
    List(&'static Shape),
    /// A mapping whose keys are names that the model owns.
    Names(&'static Shape),
    /// A mapping whose keys may be any text.
    Texts(&'static Shape),
    /// A mapping with declared members.
    Record(&'static Record),
    /// A scalar, or this.
    TextOr(&'static Shape),
    /// A `$vocabularies` reference, or this.
    Reference(&'static Shape),
}

/// A mapping with declared members and no others.
#[derive(Debug)]
pub struct Record {
    /// The members.
    pub fields: &'static [Field],
    /// Exactly one of these must be there, when the list is not empty.
    pub exactly_one_of: &'static [&'static str],
    /// A member that says something only beside another: `(member, the other)`.
    pub beside: &'static [(&'static str, &'static str)],
}

/// One declared member.
#[derive(Debug)]
pub struct Field {
    /// Its key.
    pub name: &'static str,
    /// Whether it may not be left out.
    pub required: bool,
    /// What it holds.
    pub shape: Shape,
}

impl Record {
    /// The field of that name.
    pub fn field(&self, name: &str) -> Option<&'static Field> {
        self.fields.iter().find(|field| field.name == name)
    }

    fn names(&self) -> impl Iterator<Item = &'static str> {
        self.fields.iter().map(|field| field.name)
    }
}

/// One way in which a tree is not of its shape.
#[derive(Clone, Debug)]
pub struct Misfit {
    /// Where in the tree.
    pub path: TreePath,
    /// Where in the file.
    pub span: Span,
    /// What is wrong.
    pub what: String,
    /// What to do.
    pub next: String,
}

/// Whether members that are required may be missing, because another source can supply them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Completeness {
    /// Everything required must be there.
    Whole,
    /// A part of a tree.
    Part,
}

/// Holds `node`, which stands at `path`, to `shape` and adds every misfit. Recursion is bounded by
/// the shapes, which are finite.
pub fn hold(
    shape: &'static Shape,
    node: &Node,
    path: &TreePath,
    completeness: Completeness,
    misfits: &mut Vec<Misfit>,
) {
    Holder { completeness, misfits }.hold(shape, node, path);
}

struct Holder<'m> {
    completeness: Completeness,
    misfits: &'m mut Vec<Misfit>,
}

impl Holder<'_> {
    fn misfit(&mut self, path: &TreePath, span: Span, what: String, next: String) {
        self.misfits.push(Misfit { path: path.clone(), span, what, next });
    }

    fn expected(&mut self, path: &TreePath, node: &Node, wanted: &str) {
        let what = format!("{} stands where {wanted} belongs", node.describe());
        self.misfit(path, node.span, what, format!("write {wanted} here"));
    }

    fn hold(&mut self, shape: &'static Shape, node: &Node, path: &TreePath) {
        let text = if node.is_null() { None } else { node.text() };
        match shape {
            Shape::Text if text.is_some() => {}
            Shape::Text => self.expected(path, node, "text"),
            Shape::Flag if node.as_bool().is_some() => {}
            Shape::Flag => self.expected(path, node, "`true` or `false`, without quotes,"),
            Shape::Whole if node.as_int().is_some_and(|number| number >= 0) => {}
            Shape::Whole => self.expected(path, node, "a whole number, without quotes,"),
            Shape::Words(words) => match text {
                Some(text) if words.contains(&text) => {}
                Some(text) => {
                    let what = format!("`{}` is not one of {}", shown(text), listed(words));
                    let next = advice(text, words.iter().copied(), "write one of them");
                    self.misfit(path, node.span, what, next);
                }
                None => self.expected(path, node, &format!("one of {}", listed(words))),
            },
            Shape::Duration => match text.and_then(duration) {
                Some(_) => {}
                None => {
                    self.expected(path, node, "a duration such as `30d` (d, w, m or y)");
                }
            },
            Shape::TextOr(_) if text.is_some() => {}
            Shape::TextOr(other) => self.hold(other, node, path),
            Shape::Reference(other) => {
                if !text.is_some_and(|text| text.starts_with('$') && !text.starts_with("$$")) {
                    self.hold(other, node, path);
                }
            }
            Shape::List(item) => match node.items() {
                Some(items) => {
                    for (at, node) in items.iter().enumerate() {
                        self.hold(item, node, &path.then(at));
                    }
                }
                None => self.expected(path, node, "a list"),
            },
            Shape::Names(value) | Shape::Texts(value) => match node.map() {
                Some(map) => {
                    let named = matches!(shape, Shape::Names(_));
                    for (key, member) in map.iter() {
                        let path = path.then(key);
                        if named && !is_name(key) {
                            let what = format!("`{}` is no name", shown(key));
                            let next = "use letters, digits, `_` and `-` only".to_owned();
                            self.misfit(&path, member.key, what, next);
                        }
                        self.hold(value, &member.value, &path);
                    }
                }
                None => self.expected(path, node, "a mapping"),
            },
            Shape::Record(record) => self.record(record, node, path),
        }
    }

    fn record(&mut self, record: &'static Record, node: &Node, path: &TreePath) {
        let Some(map) = node.map() else {
            let members: Vec<_> = record.names().collect();
            return self.expected(path, node, &format!("a mapping of {}", listed(&members)));
        };
        for (key, member) in map.iter() {
            match record.field(key) {
                Some(field) => self.hold(&field.shape, &member.value, &path.then(key)),
                None => self.unknown(record, key, member, path),
            }
        }
        for (member, other) in record.beside {
            if let (Some(held), false) = (map.get(member), map.contains(other)) {
                let what = format!("`{member}` says something only beside `{other}`");
                self.misfit(&path.then(*member), held.key, what, "leave it out".to_owned());
            }
        }
        if self.completeness == Completeness::Part {
            return;
        }
        for field in record.fields.iter().filter(|field| field.required) {
            if !map.contains(field.name) {
                let what = format!("the required member `{}` is absent", field.name);
                self.misfit(path, node.span, what, format!("add `{}:`", field.name));
            }
        }
        let choice = record.exactly_one_of;
        let held = choice.iter().filter(|name| map.contains(name)).count();
        if !choice.is_empty() && held != 1 {
            let what = format!("{held} of {} stand here", listed(choice));
            self.misfit(path, node.span, what, "write exactly one of them".to_owned());
        }
    }

    fn unknown(&mut self, record: &Record, key: &str, member: &Member, path: &TreePath) {
        let members: Vec<_> = record.names().collect();
        let path = path.then(key);
        let what =
            format!("`{}` is not a member here; permitted are {}", shown(key), listed(&members));
        let next = advice(key, members.iter().copied(), "remove it or spell it as one of these");
        self.misfit(&path, member.key, what, next);
    }
}

/// "did you mean `x`?", or the fallback.
pub fn advice<'w>(typed: &str, words: impl Iterator<Item = &'w str>, otherwise: &str) -> String {
    match nearest(typed, words) {
        Some(word) => format!("did you mean `{word}`?"),
        None => otherwise.to_owned(),
    }
}

/// "`a`, `b` and `c`".
pub fn listed<S: AsRef<str>>(words: &[S]) -> String {
    let quoted = |word: &S| format!("`{}`", shown(word.as_ref()));
    match words {
        [] => "nothing".to_owned(),
        [only] => quoted(only),
        [first @ .., last] => {
            let first: Vec<_> = first.iter().map(quoted).collect();
            format!("{} and {}", first.join(", "), quoted(last))
        }
    }
}

/// The number and the suffix of a duration, `d` where none is written.
pub fn duration(text: &str) -> Option<(u32, char)> {
    let (digits, suffix) = match text.chars().next_back()? {
        last @ ('d' | 'w' | 'm' | 'y') => (text.get(..text.len() - 1)?, last),
        _ => (text, 'd'),
    };
    (!digits.is_empty() && digits.bytes().all(|b| b.is_ascii_digit()))
        .then(|| digits.parse().ok())
        .flatten()
        .map(|number| (number, suffix))
}

/// Why an address does not lead to a place of the model.
#[derive(Debug)]
pub enum Astray {
    /// The step of that number is no member; the permitted ones.
    NoMember(usize, Vec<&'static str>),
    /// The step of that number would enter a list.
    IntoList(usize),
    /// The step of that number would go below a scalar.
    BelowScalar(usize),
}

/// The shape of the place that an address leads to, from `shape`.
///
/// # Errors
/// The first step that leads nowhere.
pub fn shape_at(shape: &'static Shape, address: &[String]) -> Result<&'static Shape, Astray> {
    let mut here = shape;
    for (at, segment) in address.iter().enumerate() {
        let inner = match here {
            Shape::TextOr(inner) | Shape::Reference(inner) => inner,
            other => other,
        };
        here = match inner {
            Shape::Record(record) => match record.field(segment) {
                Some(field) => &field.shape,
                None => return Err(Astray::NoMember(at, record.names().collect())),
            },
            Shape::Names(value) | Shape::Texts(value) => value,
            Shape::List(_) => return Err(Astray::IntoList(at)),
            _ => return Err(Astray::BelowScalar(at)),
        };
    }
    Ok(here)
}

/// Calls `visit` with every scalar of a tree and its place. Recursion is bounded by the loader.
pub fn each_scalar(node: &Node, path: &mut Vec<Step>, visit: &mut impl FnMut(&[Step], &Node)) {
    match &node.value {
        Value::Scalar(..) => visit(path, node),
        Value::List(items) => {
            for (at, item) in items.iter().enumerate() {
                path.push(Step::Item(at));
                each_scalar(item, path, visit);
                path.pop();
            }
        }
        Value::Map(map) => {
            for (key, member) in map.iter() {
                path.push(Step::from(key));
                each_scalar(&member.value, path, visit);
                path.pop();
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_need_digits() {
        assert_eq!(duration("30d"), Some((30, 'd')));
        assert_eq!(duration("30"), Some((30, 'd')));
        assert_eq!(duration("2m"), Some((2, 'm')));
        for bad in ["soon", "d", "", "-1d", "3 d", "٣d", "99999999999d"] {
            assert_eq!(duration(bad), None, "{bad}");
        }
    }
}
