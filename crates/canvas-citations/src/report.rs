//! What a survey found, and its one text form.

use std::fmt;
use std::path::Path;

use markdown::citation::Lines;

/// How much of a quotation the report repeats, in characters.
const SHOWN: usize = 120;

/// What a survey found. Its `Display` is the report that is printed.
#[derive(Debug, Default)]
pub struct Report {
    /// How many quoted citations stand where they say.
    pub landed: usize,
    /// Quoted citations whose words stand elsewhere in the cited file, and where.
    pub moved: Vec<(Finding, Lines)>,
    /// Quoted citations that nobody can judge by machine.
    pub undecidable: Vec<(Finding, Undecidable)>,
    /// How many live documents there were.
    pub live_documents: usize,
    /// How many dated readings there were.
    pub pinned_documents: usize,
    /// How many quoted citations those readings exempted.
    pub pinned_citations: usize,
    /// How many citations without a quotation still hold what they were written against.
    pub held: usize,
    /// Citations without a quotation whose text stands elsewhere now.
    pub changed: Vec<Changed>,
    /// How many citations without a quotation have a text that is nowhere near now.
    pub unplaced: usize,
    /// How many citations without a quotation have no past to be compared with.
    pub skipped: usize,
}

/// A citation and the words it is about.
#[derive(Debug)]
pub struct Finding {
    /// The citing document, as it is shown.
    pub document: String,
    /// The line of the citation.
    pub line: usize,
    /// The cited file as the document spells it.
    pub target: String,
    /// The cited lines.
    pub lines: Lines,
    /// The base name of the file that was found; empty where none was.
    pub found: String,
    /// The words, normalised.
    pub words: String,
}

/// Why a quoted citation cannot be judged.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Undecidable {
    /// No file answers to the name.
    NoFile,
    /// The file holds the words nowhere.
    NoWords,
}

/// A citation without a quotation whose range no longer holds what it did.
#[derive(Debug)]
pub struct Changed {
    /// The citation; its words are those it was written against.
    pub citation: Finding,
    /// The commit that last touched its line.
    pub commit: String,
    /// Where the words are now.
    pub now: Lines,
}

impl Report {
    /// Whether at least one quoted citation moved, the only thing that fails a survey.
    #[must_use]
    pub fn fails(&self) -> bool {
        !self.moved.is_empty()
    }
}

impl fmt::Display for Undecidable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::NoFile => "the cited file was not found",
            Self::NoWords => "the quoted words are not in the cited file",
        })
    }
}

/// A range as a citation writes it.
fn range(lines: Lines) -> String {
    if lines.first == lines.last {
        return lines.first.to_string();
    }
    format!("{}-{}", lines.first, lines.last)
}

impl Finding {
    fn head(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{}:{}", self.document, self.line)?;
        write!(f, "    cites {}:{}", self.target, range(self.lines))
    }

    fn words(&self) -> String {
        escaped(&self.words.chars().take(SHOWN).collect::<String>())
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (finding, now) in &self.moved {
            finding.head(f)?;
            writeln!(f)?;
            writeln!(
                f,
                "    but the quoted passage is at {}:{}-{}",
                finding.found, now.first, now.last
            )?;
            writeln!(f, "    quote: {}", finding.words())?;
        }
        if !self.undecidable.is_empty() {
            writeln!(f, "\nUndecidable: nothing here can tell; a reader has to look.")?;
            for (finding, why) in &self.undecidable {
                finding.head(f)?;
                writeln!(f, " — {why}")?;
                writeln!(f, "    quote: {}", finding.words())?;
            }
        }
        if !self.changed.is_empty() {
            writeln!(f, "\nNo quotation, and the cited range has changed since it was written:")?;
            for changed in &self.changed {
                let citation = &changed.citation;
                citation.head(f)?;
                writeln!(f, ", written at {}", changed.commit.get(..8).unwrap_or_default())?;
                writeln!(
                    f,
                    "    the text is now at {}:{}-{}",
                    citation.found, changed.now.first, changed.now.last
                )?;
                writeln!(f, "    text: {}", citation.words())?;
            }
        }
        let (landed, moved, undecidable) = (self.landed, self.moved.len(), self.undecidable.len());
        let (held, changed, unplaced) = (self.held, self.changed.len(), self.unplaced);
        writeln!(f)?;
        writeln!(
            f,
            "{} quoted citations in {} live documents: {landed} land, {moved} moved, {undecidable} undecidable.",
            landed + moved + undecidable,
            self.live_documents,
        )?;
        writeln!(
            f,
            "{} citations carry no quotation: {held} still hold what they were written against, {changed} listed above as changed underneath,",
            held + changed + unplaced,
        )?;
        writeln!(
            f,
            "{unplaced} that could not be placed. {} citations in {} pinned dated readings were not checked (see PINNED_REPORTS).",
            self.pinned_citations, self.pinned_documents,
        )?;
        if self.skipped > 0 {
            writeln!(
                f,
                "{} more carry no quotation and were skipped: no commit tells what they were written against.",
                self.skipped,
            )?;
        }
        Ok(())
    }
}

/// A text that stays on its line and forges nothing: line breaks and control characters escaped.
pub(crate) fn escaped(text: &str) -> String {
    let forges = |c: char| c.is_control() || matches!(c, '\u{2028}' | '\u{2029}');
    let mut shown = String::with_capacity(text.len());
    for c in text.chars() {
        if forges(c) {
            shown.extend(c.escape_default());
        } else {
            shown.push(c);
        }
    }
    shown
}

/// A path as it is shown.
pub(crate) fn plain(path: &Path) -> String {
    escaped(&path.to_string_lossy())
}
