//! What adopters of a corpus see and type: the pages that they read, and the programs that they have.

use std::collections::BTreeSet;

use headwater_check::headwater_taxonomy::model::Surface;
use headwater_check::headwater_taxonomy::pattern::PathPattern;

/// The paths of the pages that adopters read.
#[derive(Debug)]
pub(crate) struct Pages(Vec<PathPattern>);

impl Pages {
    /// None where no page is declared.
    pub(crate) fn of(surface: &Surface) -> Option<Self> {
        let patterns = surface.adopter_documents.iter();
        let patterns =
            patterns.map(|path| PathPattern::new(path.trim_start_matches("./"))).collect();
        Some(Self(patterns)).filter(|pages| !pages.0.is_empty())
    }

    /// Whether a document is one of them.
    pub(crate) fn hold(&self, path: &str) -> bool {
        self.0.iter().any(|pattern| pattern.matches(path))
    }
}

/// The programs that adopters have.
pub(crate) fn programs(surface: &Surface) -> BTreeSet<String> {
    let points = surface.integration_points.values().flatten();
    surface.commands.iter().chain(&surface.prerequisites).chain(points).cloned().collect()
}

/// Whether the info word of a code block says that it is typed into a shell.
pub(crate) fn is_shell(info: &str) -> bool {
    ["sh", "shell", "bash", "console"].iter().any(|word| info.eq_ignore_ascii_case(word))
}
