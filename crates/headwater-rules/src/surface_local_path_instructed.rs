//! A page that adopters read names no path that only this repository has: not in code, and not in a
//! front-matter value. The surface lists the pages (`adopter_documents`) and the roots of such paths
//! (`local_roots`).
//!
//! A path may be written behind a variable (`$ROOT/tools/x.sh`) or `./`. The name of a root alone counts
//! where it is typed, in a code span or a shell block, unless it is also the name of a declared program.
//!
//! # Why
//!
//! An adopter has what was installed and not this repository. An instruction with a path of the
//! repository works for its authors and for nobody else.
//!
//! # Example
//!
//! The page says to run `tools/x.sh`, and `tools/` is a local root.
//!
//! # Neighbour
//!
//! A path in running text is spoken of and not typed; raw HTML is not typed either.

use std::collections::BTreeSet;

use headwater_check::markdown::yaml::{Node, Value};
use headwater_check::markdown::{BlockKind, Owner};
use headwater_check::{
    About, Body, Defect, DocumentNeeds, DocumentRule, DocumentView, FrontMatter, Kind, Origin, Outcome,
    Place, Span, Taxonomy,
};

use crate::say::quoted;
use crate::surface::{Pages, is_shell, programs};

/// The rule for one kind.
pub(crate) struct Rule {
    pages: Pages,
    /// Without the slash at the end.
    roots: Vec<String>,
    programs: BTreeSet<String>,
}

impl DocumentRule for Rule {
    const ABOUT: About = About::new(
        "surface.local_path.instructed",
        1,
        Origin::Document,
        include_str!("../../../docs/rules/surface.local_path.instructed.md"),
    );
    const NEEDS: DocumentNeeds = DocumentNeeds { body: true, ..DocumentNeeds::NONE };

    fn generate(taxonomy: &Taxonomy, _: &Kind) -> Option<Self> {
        let surface = taxonomy.surface.as_ref()?;
        let pages = Pages::of(surface)?;
        let roots = surface.local_roots.iter();
        let roots = roots.map(|root| root.trim_start_matches("./").trim_end_matches('/').to_owned());
        let roots: Vec<String> = roots.filter(|root| !root.is_empty()).collect();
        (!roots.is_empty()).then(|| Self { pages, roots, programs: programs(surface) })
    }

    fn selects(&self, path: &str) -> bool {
        self.pages.hold(path)
    }

    fn evaluate(&self, view: &DocumentView<'_>) -> Outcome {
        let mut defects = Vec::new();
        self.front_matter(view.front_matter(), &mut defects);
        if let Some(body) = view.body() {
            self.body(body, &mut defects);
        }
        Outcome::of(defects)
    }
}

impl Rule {
    fn front_matter(&self, matter: FrontMatter<'_>, defects: &mut Vec<Defect>) {
        let mut open: Vec<&Node> = matter.entries().iter().rev().map(|entry| &entry.value).collect();
        while let Some(node) = open.pop() {
            match &node.value {
                Value::Mapping(inner) => {
                    open.extend(inner.entries().iter().rev().map(|entry| &entry.value));
                }
                Value::List(items) => open.extend(items.iter().rev()),
                Value::Scalar(_) => {
                    let text = node.text().unwrap_or_default();
                    if !text.contains(char::is_whitespace)
                        && let Some(root) = self.root(text, false)
                    {
                        defects.push(defect(matter.place(node.span), text, root));
                    }
                }
            }
        }
    }

    fn body(&self, body: Body<'_>, defects: &mut Vec<Defect>) {
        let markdown = body.markdown();
        let source = markdown.source();
        for block in markdown.blocks() {
            let code = match block.kind {
                BlockKind::Html => continue,
                BlockKind::Code => Some(is_shell(&block.info)),
                _ => None,
            };
            let runs = markdown.runs_of(block).iter().filter(|run| run.owner == Owner::Code);
            // Raw HTML within a text is code too, and no code span.
            for run in runs.filter(|run| code.is_some() || run.span.of(source).starts_with('`')) {
                let text = run.text(source);
                for token in tokens(text) {
                    let Some(root) = self.root(token.of(text), code.unwrap_or(true)) else { continue };
                    let span = match run.text_span() {
                        Some(span) => token.shifted(span.start),
                        None => Span::new(run.span.start, run.span.start),
                    };
                    defects.push(defect(body.place(span), token.of(text), root));
                }
            }
        }
    }

    /// The root that a path opens with. A root alone counts where `typed`.
    fn root(&self, token: &str, typed: bool) -> Option<&str> {
        let path = without_variable(token);
        let path = path.strip_prefix("./").unwrap_or(path);
        let opens = |root: &&String| match path.strip_prefix(root.as_str()) {
            Some("") => typed && !self.programs.contains(root.as_str()),
            Some(rest) => rest.starts_with('/'),
            None => false,
        };
        self.roots.iter().find(opens).map(String::as_str)
    }
}

fn defect(place: Place, path: &str, root: &str) -> Defect {
    Defect::error(
        place,
        format!(
            "adopters read this page, and {} is a path that only this repository has, under {}",
            quoted(path),
            quoted(&format!("{root}/"))
        ),
        "name what an adopter has after installing, or say it in running text",
    )
}

/// A path without one variable before it. What lies in the home of a reader is of no repository.
fn without_variable(token: &str) -> &str {
    let Some((variable, rest)) = token.strip_prefix('$').and_then(|token| token.split_once('/')) else {
        return token;
    };
    let braced = variable.strip_prefix('{').and_then(|variable| variable.strip_suffix('}'));
    let name = braced.unwrap_or(variable);
    let is_name = name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
        && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
    if is_name && name != "HOME" { rest } else { token }
}

/// The parts of a code that may be paths.
fn tokens(text: &str) -> impl Iterator<Item = Span> {
    let parts = |c: char| c.is_whitespace() || "`\"'()=,;".contains(c);
    let mut at = 0;
    text.split_inclusive(parts).filter_map(move |piece| {
        let start = at;
        at += piece.len();
        let token = piece.trim_end_matches(parts);
        (!token.is_empty()).then(|| Span::new(start, start + token.len()))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_variable_is_passed_over_and_the_home_is_not() {
        for (token, path) in [
            ("$ROOT/tools/x", "tools/x"),
            ("${ROOT}/tools/x", "tools/x"),
            ("$HOME/tools/x", "$HOME/tools/x"),
            ("${HOME}/tools/x", "${HOME}/tools/x"),
            ("$A/$B/tools", "$B/tools"),
            ("$/tools", "$/tools"),
            ("$1/tools", "$1/tools"),
            ("tools/$A/x", "tools/$A/x"),
        ] {
            assert_eq!(without_variable(token), path);
        }
    }

    #[test]
    fn tokens_are_parted_by_what_cannot_be_in_a_path() {
        let text = "run --x=tools/a (\"tools/b\");`tools/c`";
        let found: Vec<&str> = tokens(text).map(|token| token.of(text)).collect();
        assert_eq!(found, ["run", "--x", "tools/a", "tools/b", "tools/c"]);
    }
}
