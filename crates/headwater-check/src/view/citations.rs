//! Citations by line number: which quotations of a corpus have one beside them, and the files that are
//! cited. What a citation and a verdict are is decided in `markdown::citation`, for `canvas-citations`
//! and the check layer alike.
//!
//! A cited file need not be of the corpus. Its bytes are read once, and the digest of what was read
//! joins the key and the read set; where a citation leads joins the key, for a file may come or go.

use std::collections::HashMap;
use std::fs;
use std::path::PathBuf;
use std::sync::OnceLock;

use headwater_corpus::{Class, Corpus, DOCUMENT_LIMIT, Digest};
use headwater_taxonomy::files::{Links, read_regular};
use headwater_taxonomy::path::normalize;
use markdown::citation::{
    Citation, Cited, Code, Fragments, LONGEST_PASSAGE, Lines, Verdict, best, candidates, citations,
    quotations,
};
use markdown::{Body, Document, Owner};
use rayon::prelude::*;

use crate::finding::Place;
use crate::key::Canonical;
use crate::read_set::Input;

/// A quotation, and the citations that it may belong to, nearest first.
#[derive(Debug)]
struct Quoted {
    words: Fragments,
    candidates: Vec<usize>,
}

/// A document with quotations that have a citation beside them.
#[derive(Debug)]
struct Citing<'c> {
    row: usize,
    source: &'c str,
    citations: Vec<Citation<'c>>,
    quoted: Vec<Quoted>,
    /// For each citation its place among the files; none where it leads to none, or nothing leans on it.
    leads: Vec<Option<usize>>,
}

/// A file that is cited.
#[derive(Debug)]
struct File {
    path: String,
    text: String,
    /// The digest of its bytes, where no document of the corpus was made of them.
    digest: Option<Digest>,
    cited: OnceLock<Cited>,
}

/// The citations of a corpus that have a quotation beside them.
#[derive(Debug, Default)]
pub(crate) struct Citations<'c> {
    citing: Vec<Citing<'c>>,
    files: Vec<File>,
}

impl<'c> Citations<'c> {
    /// Reads the citations of every document, and the files that they lead to.
    pub(crate) fn of(corpus: &'c Corpus) -> Self {
        let rows = corpus.rows().par_iter().enumerate();
        let citing: Vec<Citing<'c>> =
            rows.filter_map(|(at, row)| citing(at, row.document.as_deref()?.markdown())).collect();
        let mut all = Self { citing, files: Vec::new() };
        if all.citing.is_empty() {
            return all;
        }
        let mut finder = Finder::of(corpus);
        for citing in &mut all.citing {
            let from = corpus.row(citing.row).map_or("", |row| row.path.as_str());
            for at in citing.quoted.iter().flat_map(|quoted| &quoted.candidates) {
                if let (Some(citation), Some(lead)) =
                    (citing.citations.get(*at), citing.leads.get_mut(*at))
                {
                    *lead = finder.find(from, citation.path);
                }
            }
        }
        all.files = finder.files;
        all
    }

    /// The files that are no documents of the corpus.
    pub(crate) fn inputs(&self) -> impl Iterator<Item = Input> {
        let outside = self.files.iter().filter_map(|file| Some((file, file.digest?)));
        outside.map(|(file, digest)| Input::of(&file.path, digest))
    }

    /// What of the citations no document decides: where each leads, and what stands there.
    pub(crate) fn key(&self, key: &mut Canonical) {
        key.number(self.files.len() as u64);
        for file in &self.files {
            key.text(&file.path).digest(file.digest.as_ref());
        }
        for citing in &self.citing {
            key.number(citing.row as u64).number(citing.leads.len() as u64);
            for lead in &citing.leads {
                key.number(lead.map_or(u64::MAX, |file| file as u64));
            }
        }
    }

    /// Every quotation with a citation beside it, in path order, then in place order.
    pub(crate) fn quoted<'v>(
        &'v self,
        corpus: &'v Corpus,
    ) -> impl Iterator<Item = QuotedCitation<'v>> {
        self.citing.iter().flat_map(move |citing| {
            let each = citing.quoted.iter();
            each.map(move |quoted| QuotedCitation { corpus, files: &self.files, citing, quoted })
        })
    }
}

fn citing(row: usize, markdown: &Document) -> Option<Citing<'_>> {
    if !markdown.may_cite() {
        return None;
    }
    let source = markdown.source();
    let citations = citations(source);
    let code = Code::of(source);
    let quoted: Vec<Quoted> = quotations(source, &code)
        .into_iter()
        .map(|quotation| {
            let candidates = candidates(source, &citations, &quotation);
            Quoted { words: quotation.words, candidates }
        })
        .filter(|quoted| !quoted.candidates.is_empty())
        .collect();
    let leads = vec![None; citations.len()];
    (!quoted.is_empty()).then_some(Citing { row, source, citations, quoted, leads })
}

/// The files that citations lead to, each looked for and read once.
struct Finder<'c> {
    corpus: &'c Corpus,
    root: PathBuf,
    /// The first Markdown file of the corpus with each base name.
    names: HashMap<&'c str, &'c str>,
    known: HashMap<String, Option<usize>>,
    files: Vec<File>,
}

impl<'c> Finder<'c> {
    fn of(corpus: &'c Corpus) -> Self {
        let walked = corpus.rows().iter().filter(|row| row.class() != Class::Unwalkable);
        let mut names = HashMap::new();
        for path in walked.map(|row| row.path.as_str()).filter(|path| path.ends_with(".md")) {
            names.entry(path.rsplit('/').next().unwrap_or(path)).or_insert(path);
        }
        let root = fs::canonicalize(corpus.root()).unwrap_or_else(|_| corpus.root().to_owned());
        Self { corpus, root, names, known: HashMap::new(), files: Vec::new() }
    }

    /// The file that a citation names: relative to the citing document, then to the repository, then by
    /// its base name in the corpus.
    fn find(&mut self, from: &str, cited: &str) -> Option<usize> {
        let beside = from.rsplit_once('/').map_or("", |(directory, _)| directory);
        let beside = (!cited.starts_with('/')).then(|| format!("{beside}/{cited}"));
        let paths = beside.into_iter().chain([cited.to_owned()]);
        let named = self.names.get(cited.rsplit('/').next()?).map(|path| (*path).to_owned());
        let normal = paths.filter_map(|path| normalize(path.trim_start_matches('/')).ok());
        normal.chain(named).find_map(|path| self.open(path))
    }

    fn open(&mut self, path: String) -> Option<usize> {
        if let Some(known) = self.known.get(&path) {
            return *known;
        }
        let file = self.read(&path).map(|(text, digest)| {
            let path = path.clone();
            self.files.push(File { path, text, digest, cited: OnceLock::new() });
            self.files.len() - 1
        });
        self.known.insert(path, file);
        file
    }

    /// The text of a file; of a document of the corpus the one that was parsed.
    fn read(&self, path: &str) -> Option<(String, Option<Digest>)> {
        let row = self.corpus.row_at(path).and_then(|at| self.corpus.row(at));
        if let Some(document) = row.and_then(|row| row.document.as_deref()) {
            return Some((document.markdown().source().to_owned(), None));
        }
        let place = self.root.join(path);
        // Nothing is reached through a link, whatever a document says.
        let direct = fs::canonicalize(&place).is_ok_and(|real| real == place);
        let bytes = read_regular(&place, DOCUMENT_LIMIT, Links::Refuse).ok().filter(|_| direct)?;
        let digest = Digest::of(&bytes);
        // What is not UTF-8 is replaced, which moves no line.
        let text = String::from_utf8(bytes)
            .unwrap_or_else(|error| String::from_utf8_lossy(error.as_bytes()).into_owned());
        Some((text, Some(digest)))
    }
}

/// A quotation with a citation by line number beside it.
#[derive(Debug)]
pub struct QuotedCitation<'v> {
    corpus: &'v Corpus,
    files: &'v [File],
    citing: &'v Citing<'v>,
    quoted: &'v Quoted,
}

impl<'v> QuotedCitation<'v> {
    /// What became of it, by the best of the citations that the quotation may belong to.
    #[must_use]
    pub fn judge(&self) -> Option<JudgedCitation<'v>> {
        let candidates = self.quoted.candidates.iter();
        let verdicts = candidates.filter_map(|&at| {
            let citation = self.citing.citations.get(at)?;
            let file = self.citing.leads.get(at).copied().flatten();
            let file = file.and_then(|file| self.files.get(file));
            let verdict = file.map_or(Verdict::Absent, |file| {
                file.cited().judge(citation.lines, &self.quoted.words)
            });
            Some(((citation, file), verdict))
        });
        let ((citation, file), verdict) = best(verdicts)?;
        let (corpus, citing, words) = (self.corpus, self.citing, &self.quoted.words);
        Some(JudgedCitation { corpus, citing, citation, file, words, verdict })
    }
}

impl File {
    fn cited(&self) -> &Cited {
        self.cited.get_or_init(|| Cited::new(self.text.clone()))
    }
}

/// A citation by line number, judged by the quotation beside it.
#[derive(Debug)]
pub struct JudgedCitation<'v> {
    corpus: &'v Corpus,
    citing: &'v Citing<'v>,
    citation: &'v Citation<'v>,
    file: Option<&'v File>,
    words: &'v Fragments,
    /// Whether the quoted words stand in the cited lines.
    pub verdict: Verdict,
}

impl<'v> JudgedCitation<'v> {
    /// The path of the citing document.
    #[must_use]
    pub fn path(&self) -> &'v str {
        self.corpus.row(self.citing.row).map_or("", |row| row.path.as_str())
    }

    /// What tells the citation from every other: its document and where it stands in it.
    #[must_use]
    pub const fn key(&self) -> (usize, usize) {
        (self.citing.row, self.citation.span.start)
    }

    /// The file as the citation writes it, or as the one that it continues does.
    #[must_use]
    pub const fn written(&self) -> &'v str {
        self.citation.path
    }

    /// The path of the file that was found.
    #[must_use]
    pub fn found(&self) -> Option<&'v str> {
        self.file.map(|file| file.path.as_str())
    }

    /// The cited lines.
    #[must_use]
    pub const fn lines(&self) -> Lines {
        self.citation.lines
    }

    /// The quoted words, without markup and in lower case.
    #[must_use]
    pub fn words(&self) -> &'v str {
        self.words.normalised()
    }

    /// Where the citation stands.
    #[must_use]
    pub fn place(&self) -> Place {
        let span = self.citation.span;
        let row = self.corpus.row(self.citing.row);
        let document = row.and_then(|row| row.document.as_deref());
        document.map_or_else(
            || Place::file(self.path()),
            |document| {
                let at = document.markdown().position(span.start);
                Place::at(self.path(), self.citing.source, span, at)
            },
        )
    }

    /// The bytes of the line numbers, and their text. None where they are no words of the author: in
    /// front matter, in a quotation, and in code other than a code span.
    #[must_use]
    pub fn numbers(&self) -> Option<(usize, usize, &'v str)> {
        let document = self.corpus.row(self.citing.row)?.document.as_deref()?;
        let span = self.citation.numbers;
        let text = self.citing.source.get(span.start..span.end)?;
        let (block, run) = document.markdown().body().run_at(span)?;
        let own =
            run.owner == Owner::Authored || Body::is_code_span(self.citing.source, block, run);
        (own && block.is_prose()).then_some((span.start, span.end, text))
    }

    /// The one range of the cited file in which the quoted words stand; none where there are several,
    /// and where the document cites itself, for it holds the words in the quotation.
    #[must_use]
    pub fn only_place(&self) -> Option<Lines> {
        let file = self.file.filter(|file| file.path != self.path())?;
        let places = file.cited().places(self.words, LONGEST_PASSAGE);
        let [place] = places.as_slice() else { return None };
        Some(*place)
    }
}
