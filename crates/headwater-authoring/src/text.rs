//! Text patches: ranges of one body, and the guards that let them pass.

use std::cell::OnceCell;
use std::collections::BTreeSet;

use headwater_check::Span;
use headwater_check::headwater_corpus::Document;
use headwater_check::headwater_taxonomy::yaml::shown;
use headwater_check::markdown::citation::citations;
use headwater_check::markdown::{Body, LinkForm, Owner, Run};

use crate::file::File;
use crate::splice::{Splice, applied, line_before};

/// One range of bytes, what stands there, and what is to.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Change {
    pub start: usize,
    pub end: usize,
    pub expected: String,
    pub replacement: String,
}

impl Change {
    fn span(&self) -> Span {
        Span::new(self.start, self.end)
    }

    /// Whether what is to stand there is a line, or a range of lines.
    fn is_lines(&self) -> bool {
        let digits =
            |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
        let (first, last) = self.replacement.split_once('-').unwrap_or((&self.replacement, "1"));
        digits(first) && digits(last)
    }
}

/// Makes changes, each once, and says how many. None of them is made when one cannot be.
pub(crate) fn write(file: &mut File<'_>, mut changes: Vec<Change>) -> Result<usize, String> {
    changes.sort();
    changes.dedup();
    let document = file.document();
    let markdown = document.markdown();
    let body = markdown.body();
    if file.is_sidecar() {
        return Err("it holds front matter and no prose".to_owned());
    }
    let pointers = OnceCell::new();
    let mut repointed = BTreeSet::new();
    for change in &changes {
        if change.start < markdown.body_start() {
            return Err(
                "a correction lies in the front matter, where only a person edits".to_owned()
            );
        }
        let held = markdown.source().get(change.start..change.end);
        if held != Some(change.expected.as_str()) {
            let [held, expected] = [held.unwrap_or_default(), &change.expected].map(shown);
            return Err(format!("`{held}` stands where `{expected}` was to be replaced"));
        }
        let held = body.run_at(change.span()).filter(|(block, _)| block.is_prose());
        if held.is_some_and(|(_, run)| run.owner == Owner::Authored) {
            continue;
        }
        let pointers = pointers.get_or_init(|| Pointers::of(markdown.source(), body));
        if pointers.destinations.contains(&change.span()) {
            repointed.insert(change.span());
            continue;
        }
        let is_code =
            held.is_some_and(|(block, run)| Body::is_code_span(markdown.source(), block, run));
        if !(is_code && pointers.lines.contains(&change.span()) && change.is_lines()) {
            let expected = shown(&change.expected);
            return Err(format!(
                "`{expected}` is no stretch of the author's own words, byte for byte"
            ));
        }
    }
    for two in changes.windows(2) {
        if let [a, b] = two
            && (a.end > b.start || a.start == b.start)
        {
            let [a, b] = [a, b].map(|change| shown(&change.expected));
            return Err(format!("the corrections of `{a}` and `{b}` overlap"));
        }
    }
    let splices =
        changes.iter().map(|change| Splice::new(change.span(), change.replacement.clone()));
    let text = applied(markdown.source(), splices.collect()).ok_or("two corrections overlap")?;
    let new = file.parse(text)?;
    reads_the_same(document, &new, &changes, &repointed)?;
    file.take(new);
    Ok(changes.len())
}

/// What in a body leads to another place, and may be corrected although it is nobody's words.
struct Pointers {
    /// Destinations of links that this author wrote, each perhaps of several links.
    destinations: BTreeSet<Span>,
    /// Numbers of citations by line.
    lines: BTreeSet<Span>,
}

impl Pointers {
    fn of(source: &str, body: &Body) -> Self {
        let (mut ours, mut quoted) = (BTreeSet::new(), BTreeSet::new());
        for link in body.links() {
            let Some(span) = link.destination_span else { continue };
            let definition = link.definition.and_then(|at| body.definitions().get(at));
            let in_quotation =
                definition.is_some_and(|held| line_before(source, held.span.start).contains('>'));
            if link.quoted || in_quotation {
                quoted.insert(span);
            } else if !matches!(link.form, LinkForm::Autolink | LinkForm::Email) {
                ours.insert(span);
            }
        }
        let lines = citations(source).into_iter().map(|citation| citation.numbers).collect();
        Self { destinations: &ours - &quoted, lines }
    }
}

/// Where offsets of the old text lie in the new one.
struct Shift<'c> {
    changes: &'c [Change],
    /// By how much the text before each change has grown, and at last after all.
    grown: Vec<isize>,
}

impl<'c> Shift<'c> {
    fn of(changes: &'c [Change]) -> Self {
        let mut total = 0;
        let mut grown = vec![0];
        for change in changes {
            total += signed(change.replacement.len()) - signed(change.expected.len());
            grown.push(total);
        }
        Self { changes, grown }
    }

    /// The place of a span that no change begins before and ends behind.
    fn span(&self, old: Span) -> Span {
        let start = self
            .changes
            .partition_point(|change| change.end <= old.start && change.start < old.start);
        let end = self.changes.partition_point(|change| change.end <= old.end);
        let moved = |at: usize, before: usize| {
            let grown = self.grown.get(before).copied().unwrap_or_default();
            at.checked_add_signed(grown).unwrap_or_default()
        };
        Span::new(moved(old.start, start), moved(old.end, end))
    }

    /// The text that a run must have.
    fn text(&self, run: &Run, source: &str) -> String {
        let Some(text) = run.text_span() else { return run.text(source).to_owned() };
        let first = self.changes.partition_point(|change| change.end < text.start);
        let within = self.changes.get(first..).unwrap_or_default().iter();
        let within = within.take_while(|change| change.start <= text.end);
        let (mut out, mut from) = (String::new(), text.start);
        for change in within.filter(|change| text.contains(change.span())) {
            out.push_str(Span::new(from, change.start).of(source));
            out.push_str(&change.replacement);
            from = change.end;
        }
        out.push_str(Span::new(from, text.end).of(source));
        out
    }
}

fn signed(length: usize) -> isize {
    isize::try_from(length).unwrap_or(isize::MAX)
}

/// The new document is the old one with the changes in it: every block, run, break, link and
/// definition is there, of the same kind, at its shifted place, and says the same elsewhere.
/// `repointed` are the changes that are link destinations.
fn reads_the_same(
    old: &Document,
    new: &Document,
    changes: &[Change],
    repointed: &BTreeSet<Span>,
) -> Result<(), String> {
    let shift = Shift::of(changes);
    let (old_text, new_text) = (old.markdown().source(), new.markdown().source());
    let (old, new) = (old.markdown().body(), new.markdown().body());
    let differs = |what: &str| Err(format!("the result would read as another document: {what}"));
    let counts = |body: &Body| {
        [body.blocks().len(), body.runs().len(), body.links().len(), body.definitions().len()]
    };
    if counts(old) != counts(new) {
        return differs("it would have other blocks, runs of text or links");
    }
    for (was, is) in old.blocks().iter().zip(new.blocks()) {
        let counts =
            |body: &Body, block| (body.runs_of(block).len(), body.soft_breaks_of(block).len());
        let same = (was.kind, was.quote_depth, &was.info) == (is.kind, is.quote_depth, &is.info)
            && counts(old, was) == counts(new, is);
        if !same {
            return differs("a block would be of another kind");
        }
    }
    for (was, is) in old.runs().iter().zip(new.runs()) {
        let same = (was.owner, was.is_exact(), was.is_break())
            == (is.owner, is.is_exact(), is.is_break())
            && shift.span(was.span) == is.span
            && is.text(new_text) == shift.text(was, old_text);
        if !same {
            return differs("a stretch of text would not be what the correction says");
        }
    }
    let changed = |span: Option<Span>| {
        let span = span.filter(|span| repointed.contains(span))?;
        let at =
            changes.binary_search_by_key(&(span.start, span.end), |c| (c.start, c.end)).ok()?;
        changes.get(at).map(|change| change.replacement.as_str())
    };
    let leads = |was: Option<Span>, is: Option<Span>, destinations: [&str; 2]| match changed(was) {
        Some(written) => is.is_some_and(|span| span.of(new_text) == written),
        None => destinations[0] == destinations[1],
    };
    for (was, is) in old.links().iter().zip(new.links()) {
        let same = (was.form, was.image, was.quoted, was.definition)
            == (is.form, is.image, is.quoted, is.definition)
            && shift.span(was.span) == is.span
            && was.destination_span.map(|span| shift.span(span)) == is.destination_span
            && leads(
                was.destination_span,
                is.destination_span,
                [&was.destination, &is.destination],
            );
        if !same {
            return differs("a link would lead elsewhere");
        }
    }
    for (was, is) in old.definitions().iter().zip(new.definitions()) {
        let same = was.label == is.label
            && leads(
                was.destination_span,
                is.destination_span,
                [&was.destination, &is.destination],
            );
        if !same {
            return differs("a link definition would lead elsewhere");
        }
    }
    Ok(())
}
