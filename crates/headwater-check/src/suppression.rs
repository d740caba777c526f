//! Suppressions: directives in HTML comments of the author's own text, each for one rule, over one file
//! or one block, until a day and for a stated reason (checks §6.4). No rule, no cache and no coverage
//! sees them; what each came to is part of the report.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashMap};

use headwater_corpus::{Corpus, Document};
use rayon::prelude::*;

use crate::date::Date;
use crate::directive::{Directive, Parsed, Reach, RefusedDirective, State, directive, may_hold};
use crate::escape::{Escape, Hidden};
use crate::finding::Finding;
use crate::registry::Registry;

/// The directives of a corpus.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Suppressions {
    /// Those that read, in order of paths and places.
    pub directives: Vec<Directive>,
    /// Those that do not, in the same order.
    pub refused: Vec<RefusedDirective>,
}

impl Suppressions {
    /// Reads every document of the census and every listed file outside it.
    pub(crate) fn read(corpus: &Corpus, registry: &Registry, now: Date) -> Self {
        let rows = corpus.rows().par_iter().filter_map(|row| row.document.as_deref());
        let outside = corpus.outside().files.par_iter().map(|file| &*file.document);
        let holds = |document: &&Document| {
            document.markdown().opens_comments() && may_hold(document.markdown().source())
        };
        let read = rows.chain(outside).filter(holds);
        let read: Vec<Self> = read.map(|document| Self::of(document, registry, now)).collect();
        let mut all = Self::default();
        for part in read {
            all.directives.extend(part.directives);
            all.refused.extend(part.refused);
        }
        // The files outside the corpus came last. The sort keeps the order of places in each file.
        all.directives.sort_by(|a, b| a.path.cmp(&b.path));
        all.refused.sort_by(|a, b| a.path.cmp(&b.path));
        all
    }

    fn of(document: &Document, registry: &Registry, now: Date) -> Self {
        let mut read = Self::default();
        let markdown = document.markdown();
        for comment in markdown.comments() {
            let Some(text) = directive(comment.text.of(markdown.source())) else { continue };
            let line = markdown.position(comment.span.start).line;
            let path = document.path().to_owned();
            let parsed = if comment.closed {
                Parsed::of(text, registry)
            } else {
                Err("its comment is never closed, end it with `-->`".to_owned())
            };
            match parsed {
                Err(why) => read.refused.push(RefusedDirective { path, line, why }),
                Ok(Parsed { rule, whole_file, until, reason, note }) => {
                    let at = |offset: usize| markdown.position(offset).line;
                    let block = comment.block;
                    let last = block.end.saturating_sub(1).max(block.start);
                    let lines = Reach::Block { first: at(block.start), last: at(last) };
                    let reach = if whole_file { Reach::File } else { lines };
                    let state = if until < now { State::Expired } else { State::Unused };
                    let directive =
                        Directive { path, line, rule, reach, until, reason, note, state };
                    read.directives.push(directive);
                }
            }
        }
        read
    }

    /// Marks what the directives in force hide. The first directive that reaches a finding takes it.
    /// `findings` are in the order of reports.
    pub(crate) fn hide(&mut self, corpus: &Corpus, findings: &mut [Finding]) {
        // For each path and rule, the directives in order.
        let mut reaching: HashMap<(&str, &str), Vec<usize>> = HashMap::new();
        for (at, directive) in self.directives.iter().enumerate() {
            if directive.state == State::Expired {
                continue;
            }
            reaching.entry((&directive.path, directive.rule)).or_default().push(at);
            // The front matter of a document may stand in a file beside it.
            let row = corpus.row_at(&directive.path).and_then(|row| corpus.row(row));
            let document = row.and_then(|row| row.document.as_deref());
            let sidecar = document.and_then(Document::sidecar);
            if let (Reach::File, Some(sidecar)) = (directive.reach, sidecar) {
                reaching.entry((&sidecar.path, directive.rule)).or_default().push(at);
            }
        }
        let mut lines: HashMap<(&str, &str), Vec<(usize, usize)>> = HashMap::new();
        for (at, finding) in findings.iter().enumerate().filter(|(_, it)| it.escape.is_none()) {
            let place = &finding.defect.place;
            if reaching.contains_key(&(place.path.as_str(), finding.rule)) {
                lines.entry((&place.path, finding.rule)).or_default().push((place.line, at));
            }
        }
        let mut hidden: Vec<(usize, usize)> = Vec::new();
        for (key, lines) in &lines {
            let directives = reaching.get(key).map_or(&[][..], Vec::as_slice);
            hidden.extend(self.matched(directives, lines));
        }
        for (finding, directive) in hidden {
            let Some(directive) = self.directives.get_mut(directive) else { continue };
            directive.state = match directive.state {
                State::Applied(count) => State::Applied(count + 1),
                State::Unused | State::Expired => State::Applied(1),
            };
            if let Some(finding) = findings.get_mut(finding) {
                finding.escape = Some(Escape::Suppressed(Hidden {
                    path: directive.path.clone(),
                    line: directive.line,
                    reason: directive.reason,
                    until: directive.until,
                    note: directive.note.clone(),
                }));
            }
        }
    }

    /// For each line, in ascending order, the first of the directives that reaches it, in one sweep.
    fn matched(&self, directives: &[usize], lines: &[(usize, usize)]) -> Vec<(usize, usize)> {
        let reach = |at: usize| match self.directives.get(at).map(|directive| directive.reach) {
            Some(Reach::Block { first, last }) => (first, last),
            Some(Reach::File) | None => (0, usize::MAX),
        };
        let mut coming: Vec<(usize, usize)> =
            directives.iter().map(|at| (reach(*at).0, *at)).collect();
        coming.sort_unstable();
        let mut coming = coming.into_iter().peekable();
        let mut active: BinaryHeap<Reverse<usize>> = BinaryHeap::new();
        let mut found = Vec::new();
        for (line, finding) in lines {
            while let Some((_, at)) = coming.next_if(|(first, _)| first <= line) {
                active.push(Reverse(at));
            }
            while active.peek().is_some_and(|Reverse(at)| reach(*at).1 < *line) {
                active.pop();
            }
            if let Some(Reverse(at)) = active.peek() {
                found.push((*finding, *at));
            }
        }
        found
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::escape::Reason;

    fn directive_over(reach: Reach) -> Directive {
        Directive {
            path: "a.md".to_owned(),
            line: 1,
            rule: crate::runner_rules::COVERAGE,
            reach,
            until: Date::parse("2026-08-12").unwrap(),
            reason: Reason::FalsePositive,
            note: None,
            state: State::Unused,
        }
    }

    proptest! {
        /// One sweep finds what asking every directive about every line would find.
        #[test]
        fn the_first_directive_that_reaches_a_line_takes_it(
            reaches in proptest::collection::vec(proptest::option::of((0_usize..20, 0_usize..20)), 0..12),
            mut lines in proptest::collection::vec(0_usize..22, 0..12),
        ) {
            lines.sort_unstable();
            let reach = |reach: &Option<(usize, usize)>| match reach {
                None => Reach::File,
                Some((a, b)) => Reach::Block { first: *a.min(b) + 1, last: *a.max(b) + 1 },
            };
            let directives = reaches.iter().map(|it| directive_over(reach(it))).collect();
            let all = Suppressions { directives, refused: Vec::new() };
            let order: Vec<usize> = (0..reaches.len()).collect();
            let placed: Vec<(usize, usize)> =
                lines.iter().enumerate().map(|(at, line)| (*line, at)).collect();
            let covers = |at: &usize, line: usize| match all.directives[*at].reach {
                Reach::File => true,
                Reach::Block { first, last } => (first..=last).contains(&line),
            };
            let expected: Vec<(usize, usize)> = placed
                .iter()
                .filter_map(|(line, finding)| {
                    Some((*finding, *order.iter().find(|at| covers(at, *line))?))
                })
                .collect();
            prop_assert_eq!(all.matched(&order, &placed), expected);
        }
    }
}
