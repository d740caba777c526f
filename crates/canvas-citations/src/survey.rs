//! One pass over the documents: which quotation belongs to which citation, and what became of it.

use std::cell::LazyCell;
use std::collections::HashMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::rc::Rc;

use markdown::citation::{
    Citation, Cited, Code, Fragments, Verdict, best, candidates, citations, may_cite, quotations,
};
use markdown::span::LineIndex;

use crate::history::{History, Past};
use crate::report::{Changed, Finding, Report, Undecidable, escaped, plain};
use crate::tree::{Document, Tree};
use crate::{Refusal, Request};

/// How many lines beyond its own length a changed range is looked for in.
const DRIFT: usize = 12;

pub(crate) fn run(request: &Request) -> Result<Report, Refusal> {
    let tree = Tree::walk(request)?;
    let mut survey = Survey {
        tree: &tree,
        cited: HashMap::new(),
        history: History::default(),
        report: Report::default(),
    };
    for document in &tree.documents {
        if document.pinned {
            survey.report.pinned_documents += 1;
        } else {
            survey.report.live_documents += 1;
        }
        let bytes = fs::read(&document.path)
            .map_err(|cause| Refusal::Unreadable(document.path.clone(), cause))?;
        if may_cite(&bytes) {
            survey.document(document, &text(bytes));
        }
    }
    Ok(survey.report)
}

struct Survey<'t> {
    tree: &'t Tree,
    /// Cited files, each read once; `None` for one that could not be read.
    cited: HashMap<PathBuf, Option<Rc<Cited>>>,
    history: History,
    report: Report,
}

impl Survey<'_> {
    fn document(&mut self, document: &Document, source: &str) {
        let citations = citations(source);
        let code = Code::of(source);
        let index = LazyCell::new(|| LineIndex::new(source));
        let line = |citation: &Citation<'_>| index.line(source, citation.span.start);
        let mut quoted = vec![false; citations.len()];
        for quotation in quotations(source, &code) {
            let candidates = candidates(source, &citations, &quotation);
            if candidates.is_empty() {
                continue;
            }
            for &at in &candidates {
                quoted[at] = true;
            }
            if document.pinned {
                self.report.pinned_citations += 1;
            } else {
                let candidates = candidates.iter().map(|&at| &citations[at]);
                self.quotation(document, &line, candidates, &quotation.words);
            }
        }
        if !document.pinned {
            let unquoted: Vec<&Citation<'_>> = citations
                .iter()
                .zip(&quoted)
                .filter(|(citation, quoted)| {
                    !**quoted && citation.is_judged() && !code.is_block(citation.span.start)
                })
                .map(|(citation, _)| citation)
                .collect();
            self.unquoted(document, &line, &unquoted);
        }
    }

    /// Judges one quotation by the best of its citations, the nearest among equals.
    fn quotation<'c>(
        &mut self,
        document: &Document,
        line: &dyn Fn(&Citation<'_>) -> usize,
        candidates: impl Iterator<Item = &'c Citation<'c>>,
        words: &Fragments,
    ) {
        let verdicts = candidates.map(|citation| {
            let target = self.tree.resolve(&document.path, citation.path);
            let cited = target.as_deref().and_then(|path| load(&mut self.cited, path));
            let verdict =
                cited.as_ref().map_or(Verdict::Absent, |cited| cited.judge(citation.lines, words));
            ((citation, cited.and(target)), verdict)
        });
        let Some(((citation, target), verdict)) = best(verdicts) else { return };
        let finding =
            || finding(document, line(citation), citation, target.as_deref(), words.normalised());
        match verdict {
            Verdict::Lands => self.report.landed += 1,
            Verdict::Moved(now) => self.report.moved.push((finding(), now)),
            Verdict::Absent => {
                let why = if target.is_some() { Undecidable::NoWords } else { Undecidable::NoFile };
                self.report.undecidable.push((finding(), why));
            }
        }
    }

    /// Asks the repository what the citations without a quotation were written against.
    fn unquoted(
        &mut self,
        document: &Document,
        line: &dyn Fn(&Citation<'_>) -> usize,
        citations: &[&Citation<'_>],
    ) {
        let lines: Vec<usize> = citations.iter().map(|citation| line(citation)).collect();
        let targets: Vec<Option<PathBuf>> = citations
            .iter()
            .map(|citation| self.tree.resolve(&document.path, citation.path))
            .collect();
        let Some(mut reading) = self.history.reading(&document.path, &lines, &targets) else {
            return;
        };
        for (at, citation) in citations.iter().enumerate() {
            let past = targets[at]
                .as_deref()
                .and_then(|target| reading.past(lines[at], target, citation.lines));
            let now = targets[at].as_deref().and_then(|target| load(&mut self.cited, target));
            let (Some(Past { commit, text }), Some(now)) = (past, now) else {
                self.report.skipped += 1;
                continue;
            };
            let words = Fragments::whole(text);
            let longest = citation.lines.count().saturating_sub(1).saturating_add(DRIFT);
            match now.judge_within(citation.lines, &words, longest) {
                Verdict::Lands => self.report.held += 1,
                Verdict::Absent => self.report.unplaced += 1,
                Verdict::Moved(now) => {
                    let target = targets[at].as_deref();
                    let citation =
                        finding(document, lines[at], citation, target, words.normalised());
                    self.report.changed.push(Changed { citation, commit, now });
                }
            }
        }
    }
}

fn load(cited: &mut HashMap<PathBuf, Option<Rc<Cited>>>, path: &Path) -> Option<Rc<Cited>> {
    if let Some(known) = cited.get(path) {
        return known.clone();
    }
    let read = fs::read(path).ok().map(|bytes| Rc::new(Cited::new(text(bytes))));
    cited.insert(path.to_owned(), read.clone());
    read
}

/// The text of a file; what is not UTF-8 is replaced, which moves no line.
pub(crate) fn text(bytes: Vec<u8>) -> String {
    String::from_utf8(bytes)
        .unwrap_or_else(|error| String::from_utf8_lossy(error.as_bytes()).into_owned())
}

fn finding(
    document: &Document,
    line: usize,
    citation: &Citation<'_>,
    target: Option<&Path>,
    words: &str,
) -> Finding {
    let found = target.and_then(Path::file_name).unwrap_or_default();
    Finding {
        document: plain(&document.shown),
        line,
        target: escaped(citation.path),
        lines: citation.lines,
        found: plain(Path::new(found)),
        words: words.to_owned(),
    }
}
