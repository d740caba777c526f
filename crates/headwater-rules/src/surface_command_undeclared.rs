//! A page that adopters read tells them to run no program that the surface does not declare. Code blocks
//! tagged `sh`, `shell`, `bash` or `console` are read as a shell reads them: the first word of every
//! command. Programs are declared as `commands`, as `prerequisites`, or in the `depends_on` of an
//! integration point.
//!
//! A line that ends inside a quotation or a substitution is one finding, and the rest of its block is not
//! read.
//!
//! # Why
//!
//! An instruction that needs a program the reader does not have fails on the first line, and nothing in
//! the page says where to get it.
//!
//! # Example
//!
//! A block holds `git status && make all`, and only `git` is declared. The finding names `make`.
//!
//! # Neighbour
//!
//! Every command of a line is read, not its first word alone; output in a `console` block and a block
//! without a tag are not read.

use std::collections::BTreeSet;

use headwater_check::markdown::BlockKind;
use headwater_check::{
    About, Defect, DocumentNeeds, DocumentRule, DocumentView, Kind, Origin, Outcome, Span, Taxonomy,
};

use crate::say::quoted;
use crate::shell;
use crate::surface::{Pages, is_shell, programs};

/// The rule for one kind.
pub(crate) struct Rule {
    pages: Pages,
    programs: BTreeSet<String>,
}

impl DocumentRule for Rule {
    const ABOUT: About = About::new(
        "surface.command.undeclared",
        1,
        Origin::Document,
        include_str!("../../../docs/rules/surface.command.undeclared.md"),
    );
    const NEEDS: DocumentNeeds = DocumentNeeds { body: true, ..DocumentNeeds::NONE };

    fn generate(taxonomy: &Taxonomy, _: &Kind) -> Option<Self> {
        let surface = taxonomy.surface.as_ref().filter(|surface| !surface.commands.is_empty())?;
        Some(Self { pages: Pages::of(surface)?, programs: programs(surface) })
    }

    fn selects(&self, path: &str) -> bool {
        self.pages.hold(path)
    }

    fn evaluate(&self, view: &DocumentView<'_>) -> Outcome {
        let Some(body) = view.body() else { return Outcome::Pass };
        let markdown = body.markdown();
        let mut defects = Vec::new();
        for block in markdown.blocks() {
            if block.kind != BlockKind::Code || !is_shell(&block.info) {
                continue;
            }
            let text = markdown.body().text_of(markdown.source(), block);
            let commands = shell::read(&text, block.info.eq_ignore_ascii_case("console"));
            // A fence holds nothing above its second line, and a code block every line below it.
            let first = markdown.lines().line(markdown.source(), block.span.start) + 1;
            let place = |line: usize| {
                let start = |line| markdown.lines().start_of(markdown.source(), line);
                body.place(Span::new(start(first + line), start(first + line + 1)))
            };
            for (line, program) in &commands.programs {
                if !self.programs.contains(program) {
                    defects.push(Defect::error(
                        place(*line),
                        format!(
                            "adopters read this page and are told to run {}, which the surface does not \
                             declare",
                            quoted(program)
                        ),
                        "declare it in `surface.prerequisites` or `surface.commands`, or use a program \
                         that is declared",
                    ));
                }
            }
            if let Some(line) = commands.unclosed {
                defects.push(Defect::error(
                    place(line),
                    "the line ends inside a quotation or a substitution, so the programs that the rest \
                     of the block runs cannot be told",
                    "close it on its line, or put the text in a here-document",
                ));
            }
        }
        Outcome::of(defects)
    }
}
