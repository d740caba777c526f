//! One file while patches are put into it: a document, or the sidecar that holds one's front matter.

use std::collections::{BTreeSet, HashMap};

use headwater_check::headwater_corpus::{Corpus, Document, Outcome};
use headwater_check::markdown::yaml::{Node, Value};

/// The files of a corpus that a patch can name.
pub(crate) struct Files<'c> {
    corpus: &'c Corpus,
    /// The documents whose front matter is kept in a file beside them, by the path of that file.
    sidecars: HashMap<&'c str, &'c Document>,
}

impl<'c> Files<'c> {
    pub(crate) fn of(corpus: &'c Corpus) -> Self {
        let documents = corpus.rows().iter().filter_map(|row| row.document.as_deref());
        let beside = documents.filter_map(|document| Some((document.sidecar()?, document)));
        let sidecars = beside.map(|(sidecar, document)| (sidecar.path.as_str(), document));
        Self { corpus, sidecars: sidecars.collect() }
    }

    /// The file at a path, as the run read it; or why it is not to be written.
    pub(crate) fn get(&self, path: &str) -> Result<File<'c>, String> {
        if let Some(original) = self.sidecars.get(path).copied() {
            return Ok(File { corpus: self.corpus, original, changed: None, sidecar: true });
        }
        let outside = || {
            let files = &self.corpus.outside().files;
            files.iter().find(|file| file.path == path).map(|file| &*file.document)
        };
        let row = self.corpus.row_at(path).and_then(|at| self.corpus.row(at));
        if let Some(Outcome::Generated(generated)) = row.map(|row| &row.outcome) {
            let projection =
                headwater_check::headwater_taxonomy::yaml::shown(&generated.projection);
            return Err(format!(
                "the projection `{projection}` wrote it and would write over this"
            ));
        }
        let original = row.and_then(|row| row.document.as_deref()).or_else(outside);
        let original = original.ok_or("it is no document that this run read")?;
        Ok(File { corpus: self.corpus, original, changed: None, sidecar: false })
    }
}

/// One file as it is to become.
pub(crate) struct File<'c> {
    pub corpus: &'c Corpus,
    original: &'c Document,
    changed: Option<Document>,
    sidecar: bool,
}

impl<'c> File<'c> {
    /// The document as it is to become.
    pub(crate) fn document(&self) -> &Document {
        self.changed.as_ref().unwrap_or(self.original)
    }

    /// The text that the run read.
    pub(crate) fn original_text(&self) -> &'c str {
        self.text_of(self.original)
    }

    /// The text as it is to become.
    pub(crate) fn text(&self) -> &str {
        self.text_of(self.document())
    }

    fn text_of<'d>(&self, document: &'d Document) -> &'d str {
        if self.sidecar { document.front_matter_source() } else { document.markdown().source() }
    }

    /// Whether the file holds front matter alone.
    pub(crate) fn is_sidecar(&self) -> bool {
        self.sidecar
    }

    /// Reads another text as the document that it would make.
    pub(crate) fn parse(&self, text: String) -> Result<Document, String> {
        let (path, original) = (self.original.path(), self.original);
        let read = if self.sidecar {
            let bytes = original.markdown().source().as_bytes().to_vec();
            self.corpus.parse(path, bytes, Some((original.front_matter_path(), text.into_bytes())))
        } else {
            let beside = original.sidecar().map(|sidecar| {
                (sidecar.path.as_str(), original.front_matter_source().as_bytes().to_vec())
            });
            self.corpus.parse(path, text.into_bytes(), beside)
        };
        read.map_err(|why| format!("the result would not read: {}", why.sentence()))
    }

    /// Takes a document that the guards let pass.
    pub(crate) fn take(&mut self, document: Document) {
        self.changed = Some(document);
    }

    /// Holds a document against the present one: the body is the same byte for byte, and so is every
    /// front-matter key and value, in its order, but for those in `touched`.
    pub(crate) fn differs_only_in(
        &self,
        new: &Document,
        touched: &BTreeSet<&str>,
    ) -> Result<(), String> {
        let old = self.document();
        let body = |document: &Document| {
            let markdown = document.markdown();
            markdown.source().as_bytes().get(markdown.body_start()..).map(<[u8]>::to_vec)
        };
        if body(old) != body(new) {
            return Err("the result would change the text below the front matter".to_owned());
        }
        let entries = |document: &'_ Document| {
            let source = document.front_matter_source().to_owned();
            let entries = document.front_matter().map_or(&[][..], |mapping| mapping.entries());
            let read = entries.iter().map(|entry| {
                let bytes =
                    [entry.key_span, entry.value.span].map(|span| span.of(&source).to_owned());
                (entry.key.to_string(), bytes, canonical(&entry.value))
            });
            read.collect::<Vec<_>>()
        };
        let (old, new) = (entries(old), entries(new));
        let added = new.iter().skip(old.len());
        let kept = old.len() <= new.len()
            && old.iter().zip(&new).all(|(old, new)| {
                old == new || (old.0 == new.0 && touched.contains(old.0.as_str()))
            })
            && added.map(|entry| entry.0.as_str()).all(|key| touched.contains(key));
        if kept { Ok(()) } else { Err("the result would change other front matter".to_owned()) }
    }
}

/// A value without its places and notation, for comparing. The depth is bounded by the loader.
pub(crate) fn canonical(node: &Node) -> String {
    let mut out = String::new();
    write(node, &mut out);
    out
}

/// A scalar as [`canonical`] writes it.
pub(crate) fn text(text: &str) -> String {
    format!("{text:?}")
}

fn write(node: &Node, out: &mut String) {
    match &node.value {
        Value::Scalar(scalar) if scalar.is_null() => out.push('~'),
        Value::Scalar(scalar) => out.push_str(&text(&scalar.text)),
        Value::List(items) => {
            out.push('[');
            for item in items {
                write(item, out);
                out.push(',');
            }
            out.push(']');
        }
        Value::Mapping(mapping) => {
            out.push('{');
            for entry in mapping.entries() {
                out.push_str(&format!("{:?}:", entry.key));
                write(&entry.value, out);
                out.push(',');
            }
            out.push('}');
        }
    }
}
