//! The resolver `canvas`: a node of a canvas, or a canvas as a whole, is an anchor, so that a document
//! is told when the shared understanding under it moved (decision 10). The store is reached through a
//! trait, because this crate knows no canvas.

use super::{Resolution, Resolved, Resolver, Revision};

/// The name of the resolver.
pub(crate) const NAME: &str = "canvas";
/// Why it is absent where no store is handed in.
pub(crate) const ABSENT: &str =
    "no canvas store is named; set OPENCLAW_WORKSPACE to the workspace that holds it";

/// A canvas store, as far as anchors need it.
pub trait Canvases: Send + Sync {
    /// Whether the canvas, and the node in it, exist now.
    ///
    /// # Errors
    /// Why not, in words for people.
    fn find(&self, canvas: &str, node: Option<&str>) -> Result<(), String>;

    /// The last commit that names the node; of a whole canvas, the last commit that changed it.
    ///
    /// # Errors
    /// Why it cannot be told.
    fn revision(&self, canvas: &str, node: Option<&str>) -> Result<String, String>;
}

pub(crate) struct Canvas(pub Box<dyn Canvases>);

/// The canvas and the node that a target names.
fn parse(target: &str) -> Option<(&str, Option<&str>)> {
    let rest = target.strip_prefix("canvas:")?;
    let (canvas, node) = match rest.split_once('#') {
        Some((canvas, node)) => (canvas, Some(node)),
        None => (rest, None),
    };
    (!canvas.is_empty() && node != Some("")).then_some((canvas, node))
}

impl Resolver for Canvas {
    fn name(&self) -> &str {
        NAME
    }

    fn resolve(&self, raw: &str, _asserter: &str) -> Resolution {
        let target = raw.trim();
        let Some((canvas, node)) = parse(target) else {
            let how =
                "it is not of the form `canvas:<canvas-id>` or `canvas:<canvas-id>#<node-id>`";
            return Resolution::Unresolved(how.to_owned());
        };
        match self.0.find(canvas, node) {
            Ok(()) => Resolution::Resolved(Resolved {
                normalized: target.to_owned(),
                ..Resolved::default()
            }),
            Err(why) => Resolution::Unresolved(why),
        }
    }

    /// Of one target its commit; of several, one line for each, in target order.
    fn revision(&self, parts: &[Resolved]) -> Revision {
        let mut lines = Vec::new();
        let mut targets: Vec<&str> = parts.iter().map(|part| part.normalized.as_str()).collect();
        targets.sort_unstable();
        for target in targets {
            let Some((canvas, node)) = parse(target) else { return Revision::Never };
            match self.0.revision(canvas, node) {
                Ok(commit) => lines.push(commit),
                Err(why) => return Revision::Unreadable(why),
            }
        }
        Revision::At(lines.join(" "))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    struct One;

    impl Canvases for One {
        fn find(&self, canvas: &str, node: Option<&str>) -> Result<(), String> {
            match (canvas, node) {
                ("c1", None | Some("n1")) => Ok(()),
                _ => Err("there is none".to_owned()),
            }
        }

        fn revision(&self, _: &str, node: Option<&str>) -> Result<String, String> {
            Ok(node.unwrap_or("whole").to_owned())
        }
    }

    #[test]
    fn a_canvas_and_a_node_bind_and_other_texts_say_why_not() {
        let canvas = Canvas(Box::new(One));
        for target in ["canvas:c1", " canvas:c1#n1 "] {
            assert!(matches!(canvas.resolve(target, ""), Resolution::Resolved(_)), "{target}");
        }
        for target in ["canvas:c2", "canvas:c1#n2", "canvas:", "canvas:c1#", "c1", "Canvas:c1"] {
            assert!(matches!(canvas.resolve(target, ""), Resolution::Unresolved(_)), "{target}");
        }
        let part = |text: &str| Resolved { normalized: text.to_owned(), ..Resolved::default() };
        let parts = [part("canvas:c1#n1"), part("canvas:c1")];
        assert_eq!(canvas.revision(&parts), Revision::At("whole n1".to_owned()));
    }
}
