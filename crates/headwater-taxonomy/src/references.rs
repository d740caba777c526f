//! References: `$vocabularies.stage` as a whole scalar, admitted as the value set of a facet.
//!
//! One sign for one purpose keeps the texts of a taxonomy readable, so every other text that begins
//! with `$` is refused rather than guessed at; `$$` writes a literal.

use crate::path::{Step, TreePath, is_name};
use crate::shape::each_scalar;
use crate::yaml::{Map, Member, Node, Span, Value, shown};

/// What a scalar is to the reference syntax.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Sigil {
    /// No `$` at the start, or `$$`.
    Literal,
    /// A well-formed reference to an address.
    Reference(Vec<String>),
    /// A `$` text that is no reference, and why.
    Malformed(String),
}

/// Classifies the text of a scalar.
pub fn classify(text: &str) -> Sigil {
    let Some(rest) = text.strip_prefix('$') else { return Sigil::Literal };
    if rest.starts_with('$') {
        return Sigil::Literal;
    }
    let segments: Vec<&str> = rest.split('.').collect();
    let root = segments.first().copied().unwrap_or("");
    if root == "package" {
        return Sigil::Malformed("`$package` references are reserved and never admitted".into());
    }
    if root != "vocabularies" {
        return Sigil::Malformed(format!("`{}` is not a root of references", shown(root)));
    }
    if segments.len() < 2 || !segments.iter().all(|segment| is_name(segment)) {
        return Sigil::Malformed(format!("`{}` is no well-formed reference", shown(text)));
    }
    Sigil::Reference(segments.into_iter().map(str::to_owned).collect())
}

/// The `$` texts of a tree at `place` that are malformed or stand where no reference is admitted.
pub(crate) fn misplaced(
    place: &TreePath,
    node: &Node,
) -> Vec<(TreePath, Span, String, &'static str)> {
    let mut found = Vec::new();
    let mut steps = place.0.clone();
    each_scalar(node, &mut steps, &mut |steps, node| {
        let literal = "write `$$` for a text that begins with `$`";
        let (what, next) = match classify(node.text().unwrap_or("")) {
            Sigil::Literal => return,
            Sigil::Malformed(why) => (why, literal),
            Sigil::Reference(_) if admitted(steps) => return,
            Sigil::Reference(_) => (
                "a reference is admitted as the whole `values` of a facet and nowhere else".into(),
                "write the values out, or `$$` for a text that begins with `$`",
            ),
        };
        found.push((TreePath(steps.to_vec()), node.span, what, next));
    });
    found
}

fn admitted(steps: &[Step]) -> bool {
    match steps {
        [Step::Key(root), Step::Key(_), Step::Key(member)] => {
            root == "facets" && member == "values"
        }
        _ => false,
    }
}

/// Puts the value in the place of every reference of a merged tree. Gives the references that lead
/// nowhere, or to another reference, with the reason; those stay as they are.
pub(crate) fn resolve(tree: &mut Node) -> Vec<(TreePath, Span, String)> {
    let mut failures = Vec::new();
    let mut replaced: Vec<(String, Node)> = Vec::new();
    let facets = tree.get("facets").and_then(Node::map);
    for (facet, member) in facets.iter().flat_map(|map| map.iter()) {
        let Some(values) = member.value.get("values") else { continue };
        let Some(text) = values.text() else { continue };
        let Sigil::Reference(segments) = classify(text) else { continue };
        let place = TreePath(vec!["facets".into(), facet.into(), "values".into()]);
        let address = segments.join(".");
        let target = TreePath(segments.iter().map(Step::from).collect());
        match target.find(tree) {
            None => {
                let what =
                    format!("`{}` refers to `{address}`, which nothing declares", shown(text));
                failures.push((place, values.span, what));
            }
            Some(Node { value: Value::Scalar(other, _), .. })
                if classify(other) != Sigil::Literal =>
            {
                let what = format!("`{}` refers to another reference", shown(text));
                failures.push((place, values.span, what));
            }
            Some(target) => replaced.push((facet.to_owned(), target.clone())),
        }
    }
    let facets = tree.map_mut().and_then(|map| map.get_mut("facets"));
    if let Some(facets) = facets.and_then(|member| member.value.map_mut()) {
        for (facet, value) in replaced {
            let values = facets
                .get_mut(&facet)
                .and_then(|member: &mut Member| member.value.map_mut())
                .and_then(|map: &mut Map| map.get_mut("values"));
            if let Some(member) = values {
                member.value = value;
            }
        }
    }
    failures
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_dollar_opens_a_reference_or_a_refusal_and_two_open_a_text() {
        assert_eq!(classify("plain $5"), Sigil::Literal);
        assert_eq!(classify("$$5"), Sigil::Literal);
        assert_eq!(
            classify("$vocabularies.stage"),
            Sigil::Reference(vec!["vocabularies".into(), "stage".into()])
        );
        for bad in ["$5 a choice", "$", "$package.x", "$vocabularies", "$vocabularies.a b"] {
            assert!(matches!(classify(bad), Sigil::Malformed(_)), "{bad}");
        }
        let Sigil::Malformed(why) = classify("$5 a choice") else { panic!("no refusal") };
        assert_eq!(why, "`5 a choice` is not a root of references");
    }
}
