//! Suppressions: directives in HTML comments of the author's own text, each for one rule, over one file
//! or one block, until a day and for a stated reason (checks §6.4). No rule, no cache and no coverage
//! sees them; what each came to is part of the report.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashMap};

use headwater_corpus::{Corpus, Document};
use headwater_taxonomy::yaml::shown;
use rayon::prelude::*;

use crate::date::Date;
use crate::escape::{Escape, Hidden, Reason};
use crate::finding::Finding;
use crate::registry::Registry;

const OPEN: &str = "<!--";
const WORD: &str = "headwater";
/// The mark of generated files, which is a comment with the same first word and no directive.
const MARKER: &str = "generated";

/// What a directive reaches.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reach {
    /// Every finding of the rule on the document, front matter and line 0 included.
    File,
    /// The lines of one block, the last included.
    Block {
        /// The first line.
        first: usize,
        /// The last line.
        last: usize,
    },
}

/// A directive that reads.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Directive {
    /// The document that it stands in.
    pub path: String,
    /// The line on which its comment begins.
    pub line: usize,
    /// The rule.
    pub rule: &'static str,
    /// What it reaches.
    pub reach: Reach,
    /// The last day on which it hides.
    pub until: Date,
    /// Why what it hides may stay.
    pub reason: Reason,
    /// What its author added.
    pub note: Option<String>,
    /// What it came to.
    pub state: State,
}

/// What a directive came to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum State {
    /// It hid so many findings, at least one.
    Applied(usize),
    /// There was nothing for it to hide.
    Unused,
    /// Its last day is past.
    Expired,
}

/// A directive that hides nothing because it does not read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RefusedDirective {
    /// The document that it stands in.
    pub path: String,
    /// The line on which its comment begins.
    pub line: usize,
    /// Why.
    pub why: String,
}

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
        let rows = corpus.rows().iter().filter_map(|row| row.document.as_deref());
        let outside = corpus.outside().files.iter().map(|file| &*file.document);
        let mut documents: Vec<&Document> = rows.chain(outside).collect();
        documents.sort_by(|a, b| a.path().cmp(b.path()));
        let read: Vec<Self> =
            documents.par_iter().map(|document| Self::of(document, registry, now)).collect();
        let mut all = Self::default();
        for part in read {
            all.directives.extend(part.directives);
            all.refused.extend(part.refused);
        }
        all
    }

    fn of(document: &Document, registry: &Registry, now: Date) -> Self {
        let mut read = Self::default();
        let markdown = document.markdown();
        if !may_hold(markdown.source()) {
            return read;
        }
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

/// Whether a directive may stand in a source, which is seldom, and costs no parsing to find.
fn may_hold(source: &str) -> bool {
    source.match_indices(OPEN).any(|(at, _)| {
        let rest = source.get(at + OPEN.len()..).unwrap_or_default();
        rest.trim_start().starts_with(WORD)
    })
}

/// What a comment says behind the word that makes it a directive.
fn directive(comment: &str) -> Option<&str> {
    let rest = comment.trim().strip_prefix(WORD)?;
    match rest.strip_prefix(':') {
        Some(rest) => {
            let first = rest.split(|c: char| !c.is_ascii_alphanumeric()).next();
            (first != Some(MARKER)).then_some(rest)
        }
        None => rest.starts_with(char::is_whitespace).then_some(rest),
    }
}

/// A directive as written.
#[derive(Debug, PartialEq)]
struct Parsed {
    rule: &'static str,
    whole_file: bool,
    until: Date,
    reason: Reason,
    note: Option<String>,
}

impl Parsed {
    fn of(text: &str, registry: &Registry) -> Result<Self, String> {
        const KEYS: [&str; 5] = ["allow", "scope", "until", "reason", "note"];
        let mut values: [Option<String>; 5] = Default::default();
        let mut rest = text.trim();
        while !rest.is_empty() {
            let word = rest.split(char::is_whitespace).next().unwrap_or_default();
            let Some((key, value)) = word.split_once('=') else {
                return Err(format!(
                    "`{}` is no `key=value`, and only a `note=` may hold several words",
                    shown(word)
                ));
            };
            let at = KEYS.iter().position(|known| *known == key);
            let Some(slot) = at.and_then(|at| values.get_mut(at)) else {
                return Err(format!("there is no key `{}`, but {}", shown(key), KEYS.join(", ")));
            };
            if slot.is_some() {
                return Err(format!("`{key}` stands there twice"));
            }
            let (value, after) = if key == "note" {
                (rest.get("note=".len()..).unwrap_or_default(), "")
            } else {
                (value, rest.get(word.len()..).unwrap_or_default())
            };
            let value = value.split_whitespace().collect::<Vec<_>>().join(" ");
            *slot = Some(value);
            rest = after.trim_start();
        }
        let [rule, scope, until, reason, note] = values;
        let needed = |value: Option<String>, key: &str| {
            let value = value.filter(|value| !value.is_empty());
            value.ok_or_else(|| format!("`{key}=` is missing"))
        };
        let rule = needed(rule, "allow")?;
        let known = registry.get(&rule).map(|template| template.about().id);
        let rule = known.ok_or_else(|| {
            format!("there is no rule `{}`{}", shown(&rule), registry.meant(&rule))
        })?;
        let whole_file = match needed(scope, "scope")?.as_str() {
            "file" => true,
            "block" => false,
            other => return Err(format!("the scope `{}` is neither file nor block", shown(other))),
        };
        let until = needed(until, "until")?;
        let until = Date::parse(&until)
            .ok_or_else(|| format!("`until={}` is no day, write YYYY-MM-DD", shown(&until)))?;
        let word = needed(reason, "reason")?;
        let reason = Reason::ALL.into_iter().find(|reason| reason.word() == word);
        let reason = reason.ok_or_else(|| {
            let words = Reason::ALL.map(Reason::word).join(" nor ");
            format!("the reason `{}` is neither {words}", shown(&word))
        })?;
        Ok(Self { rule, whole_file, until, reason, note: note.filter(|note| !note.is_empty()) })
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn registry() -> Registry {
        Registry::new(Vec::new())
    }

    fn parse(text: &str) -> Result<Parsed, String> {
        let text = directive(text).unwrap_or_else(|| panic!("no directive: {text}"));
        Parsed::of(text, &registry())
    }

    const GOOD: &str = "headwater allow=coverage.document_unchecked scope=file until=2026-08-12 reason=false_positive";

    #[test]
    fn keys_come_in_any_order_and_a_note_runs_to_the_end() {
        let read = parse(GOOD).unwrap();
        assert!(read.whole_file && read.note.is_none());
        let other = " headwater: reason=accepted_deviation\n until=2026-08-12 scope=block\tallow=coverage.document_unchecked note=a  b=c\nd ";
        let read = parse(other).unwrap();
        assert_eq!(
            (read.reason, read.note.as_deref()),
            (Reason::AcceptedDeviation, Some("a b=c d"))
        );
    }

    #[test]
    fn what_is_not_one_directive_is_refused_with_its_reason() {
        for (from, to, why) in [
            ("coverage.document_unchecked", "a.b", "no rule `a.b`"),
            ("reason=false_positive", "reason=lazy", "`lazy`"),
            ("until=2026-08-12 ", "", "`until=` is missing"),
            ("2026-08-12", "2026-02-30", "no day"),
            ("2026-08-12", "", "`until=` is missing"),
            ("scope=file", "scope=line", "`line`"),
            ("scope=file", "scope=file extent=all", "no key `extent`"),
            ("scope=file", "scope=file please", "`please`"),
            ("scope=file", "scope=file scope=file", "twice"),
        ] {
            let refused = parse(&GOOD.replace(from, to)).unwrap_err();
            assert!(refused.contains(why), "{to}: {refused}");
        }
    }

    #[test]
    fn only_the_word_itself_opens_a_directive() {
        for text in ["headwaters allow=x", "headwater", "a headwater allow=x", "headwater-x y"] {
            assert_eq!(directive(text), None, "{text}");
        }
        assert_eq!(directive(" headwater:generated shelf_index. Do not edit. "), None);
        assert!(directive("headwater: generated").is_some() && directive("headwater x").is_some());
        assert!(may_hold("a <!--\n\n headwater x -->") && !may_hold("<!-- a --> headwater"));
    }

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

        /// A directive reads or is refused; no text breaks the reader or forges a line of the report.
        #[test]
        fn any_text_reads_or_is_refused_on_one_line(
            words in proptest::collection::vec(
                prop::sample::select(vec![
                    "allow=coverage.document_unchecked", "scope=file", "scope=block",
                    "until=2026-08-12", "reason=false_positive", "note=x", "=", "a=", "\n", "\u{1b}", "é",
                ]),
                0..8,
            ),
        ) {
            match Parsed::of(&words.join(" "), &registry()) {
                Ok(parsed) => prop_assert!(parsed.note.is_none_or(|note| !note.contains('\n'))),
                Err(why) => prop_assert!(!why.contains(char::is_control), "{why:?}"),
            }
        }
    }
}
