//! Corpora to measure on: one that is made up, of any size, and real ones that a variable names.

use std::cell::Cell;
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// A corpus below a repository root, with its lock written.
pub struct Corpus {
    /// What its rows are called.
    pub name: String,
    root: tempfile::TempDir,
    /// A document to edit, below the root.
    document: PathBuf,
    /// How often it was edited.
    edits: Cell<usize>,
}

/// How many documents one directory holds.
const PER_DIRECTORY: usize = 200;
/// The size that a document is filled up to, in bytes.
const DOCUMENT: usize = 3 * 1024;

const DECLARATION: &str =
    "taxonomy: {package: bench/works, version: 1.0.0}\ncorpus: {root: docs}\n";
const PACKAGE: &str = "package: bench/works\nversion: 1.0.0\ncontents: {taxonomy: taxonomy.yml}\n";
const TAXONOMY: &str = include_str!("taxonomy.yml");

/// The kinds in turn: the directory, the prefix of identifiers, what it depends on and where its second
/// relation leads, and the headings that it owes.
const KINDS: [(&str, &str, &str, &str, [&str; 3]); 3] = [
    ("decisions", "WRK-D", "depends_on", "refines", ["Context", "Decision", "Consequences"]),
    ("parts", "WRK-P", "depends_on", "realizes", ["Scope", "Behaviour", "Limits"]),
    ("guides", "WRK-G", "mentions", "explains", ["Before", "Steps", "After"]),
];

impl Corpus {
    /// Makes a corpus of documents of three kinds, each with two relations and three links.
    pub fn made(documents: usize) -> Self {
        let root = tempfile::tempdir().expect("a temporary directory");
        let package = root.path().join(".headwater/packages/bench-works");
        fs::create_dir_all(&package).expect("the package is made");
        for (path, text) in [
            (package.join("package.yml"), PACKAGE),
            (package.join("taxonomy.yml"), TAXONOMY),
            (root.path().join(".headwater/taxonomy.yml"), DECLARATION),
        ] {
            fs::write(path, text).expect("the taxonomy is written");
        }
        for number in 0..documents {
            let path = root.path().join(path(number));
            fs::create_dir_all(path.parent().expect("a path below the root"))
                .expect("the directory is made");
            fs::write(path, document(number, documents)).expect("the document is written");
        }
        let corpus = Self {
            name: format!("{documents} documents"),
            root,
            document: PathBuf::from(path(documents / 2)),
            edits: Cell::new(0),
        };
        let resolved = corpus.headwater(&["taxonomy", "resolve"]).output().expect("headwater runs");
        assert!(resolved.status.success(), "{}", String::from_utf8_lossy(&resolved.stderr));
        corpus
    }

    /// A copy of a repository that is there, with its lock.
    pub fn given(from: &Path) -> Self {
        let root = tempfile::tempdir().expect("a temporary directory");
        let mut documents = copy_tree(from, root.path());
        documents.sort();
        let document = documents.get(documents.len() / 2).expect("a Markdown file").clone();
        let name = from.file_name().unwrap_or_default().to_string_lossy();
        let name = format!("{name}, {} Markdown files", documents.len());
        Self { name, root, document, edits: Cell::new(0) }
    }

    /// The repository root.
    pub fn root(&self) -> &Path {
        self.root.path()
    }

    /// `headwater` over this corpus.
    pub fn headwater(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_headwater"));
        command.args(arguments).arg("--root").arg(self.root());
        command
    }

    /// Takes the cache away.
    pub fn forget(&self) {
        let cache = self.root().join(".headwater/cache");
        if cache.exists() {
            fs::remove_dir_all(cache).expect("the cache is removed");
        }
    }

    /// Writes the manifest of a change of one document into a directory; the path of the manifest.
    pub fn change(&self, directory: &Path) -> PathBuf {
        let prior = directory.join("prior.md");
        let text =
            fs::read_to_string(self.root().join(&self.document)).expect("the document is read");
        fs::write(&prior, text.replace("The bench", "A bench"))
            .expect("the prior version is written");
        let manifest = directory.join("manifest");
        let (document, prior) = (self.document.display(), prior.display());
        let lines =
            format!("headwater change 1\nprior\t{document}\t{prior}\nverified\t{document}\n");
        fs::write(&manifest, lines).expect("the manifest is written");
        manifest
    }

    /// Adds a paragraph to the body of one document.
    pub fn edit(&self) {
        let path = self.root().join(&self.document);
        let mut text = fs::read_to_string(&path).expect("the document is read");
        self.edits.set(self.edits.get() + 1);
        let _ = write!(text, "\nThe bench edited this document {} times.\n", self.edits.get());
        fs::write(&path, text).expect("the document is written");
    }
}

fn path(number: usize) -> String {
    let (directory, ..) = KINDS[number % KINDS.len()];
    format!("docs/{directory}/{:03}/{number:06}.md", number / PER_DIRECTORY)
}

fn identifier(number: usize) -> String {
    let (_, prefix, ..) = KINDS[number % KINDS.len()];
    format!("{prefix}-{number:06}")
}

/// Numbers that only look random, so that every run measures the same corpus.
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, limit: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        usize::try_from((mixed ^ (mixed >> 31)) % limit as u64).expect("below a usize")
    }

    /// A word: most are common, some are rare, as in any language.
    fn word(&mut self) -> String {
        const COMMON: [&str; 48] = [
            "the", "a", "of", "to", "and", "in", "for", "on", "queue", "store", "sender",
            "attempt", "record", "reader", "holds", "keeps", "sends", "reads", "writes", "every",
            "each", "one", "two", "first", "last", "delivery", "journal", "worker", "signal",
            "value", "limit", "number", "window", "table", "key", "order", "list", "state",
            "moves", "waits", "checks", "returns", "stops", "starts", "before", "after", "when",
            "with",
        ];
        const SYLLABLES: [&str; 16] = [
            "ka", "lo", "mi", "ne", "ru", "sa", "ti", "vo", "be", "da", "fi", "go", "hu", "jo",
            "pa", "ze",
        ];
        match self.below(8) {
            0 => (0..3).map(|_| SYLLABLES[self.below(SYLLABLES.len())]).collect(),
            _ => COMMON[self.below(COMMON.len())].to_owned(),
        }
    }

    fn words(&mut self, count: usize) -> String {
        (0..count).map(|_| self.word()).collect::<Vec<_>>().join(" ")
    }

    /// A document of a kind, with a smaller number than `below` where there is one.
    fn of_kind(&mut self, kind: usize, below: usize) -> usize {
        let rounds = (below.saturating_sub(kind)).div_ceil(KINDS.len()).max(1);
        self.below(rounds) * KINDS.len() + kind
    }
}

fn document(number: usize, documents: usize) -> String {
    let mut numbers = Numbers(number as u64);
    let kind = number % KINDS.len();
    let (_, _, any, particular, headings) = KINDS[kind];
    let depends = identifier(numbers.below(documents));
    let leads = identifier(match kind {
        // What is refined is older, or the relation would run in a circle.
        0 => numbers.of_kind(0, number),
        1 => numbers.of_kind(0, documents),
        _ => numbers.of_kind(1, documents),
    });
    let status = if number % 40 == 7 { "draft" } else { "current" };
    let (year, month, day) =
        (2019 + numbers.below(7), 1 + numbers.below(12), 1 + numbers.below(28));
    let date = format!("{year}-{month:02}-{day:02}");
    let team = ["north", "south", "east", "west"][numbers.below(4)];
    let audience = ["reader", "operator"][numbers.below(2)];
    let summary = numbers.words(12);
    let mut text = format!(
        "---\nid: {}\nstatus: {status}\nstatus_since: {date}\nchecked_on: {date}\n\
         title: Document {number}\nsummary: Number {number} says {summary}.\nteam: {team}\n\
         audience: {audience}\nrelations:\n  {any}: [{depends}]\n  {particular}:\n    - {leads}\n---\n\n\
         # Document {number}\n",
        identifier(number),
    );
    let mut links = (0..3).map(|at| {
        let far = numbers.below(documents);
        let target = format!("/{}", path(far));
        let (_, _, _, _, headings) = KINDS[far % KINDS.len()];
        match at {
            // Now and then one is dead.
            0 if number % 50 == 3 => format!("[{}](/docs/gone/{number}.md)", numbers.words(2)),
            0 => format!("[{}]({target}#{})", numbers.words(2), headings[1].to_lowercase()),
            _ => format!("[{}]({target})", numbers.words(2)),
        }
    });
    let links: [String; 3] = std::array::from_fn(|_| links.next().unwrap_or_default());
    let share = (DOCUMENT - text.len()) / headings.len();
    for (heading, link) in headings.iter().zip(links) {
        let end = text.len() + share;
        let _ = write!(text, "\n## {heading}\n\nSee {link} for `{}`.", numbers.word());
        while text.len() < end {
            match numbers.below(6) {
                0 => text.push_str("\n\n"),
                1 => {
                    let _ = write!(
                        text,
                        "\n\n- **{}** {}.\n- {}.\n\n",
                        numbers.word(),
                        numbers.words(6),
                        numbers.words(8)
                    );
                }
                _ => text.push('\n'),
            }
            let count = 6 + numbers.below(12);
            let sentence = numbers.words(count);
            let (first, rest) = sentence.split_at(1);
            let _ = write!(text, "{}{rest}.", first.to_uppercase());
        }
        text.push('\n');
    }
    text
}

/// Copies a tree without its cache, links as links; gives back its Markdown files.
fn copy_tree(from: &Path, to: &Path) -> Vec<PathBuf> {
    let mut documents = Vec::new();
    let mut stack = vec![PathBuf::new()];
    while let Some(directory) = stack.pop() {
        if directory.ends_with(".headwater/cache") {
            continue;
        }
        fs::create_dir_all(to.join(&directory)).expect("the directory is made");
        for entry in fs::read_dir(from.join(&directory)).expect("the directory is listed") {
            let entry = entry.expect("the entry is read");
            let path = directory.join(entry.file_name());
            let kind = entry.file_type().expect("the entry has a type");
            if kind.is_dir() {
                stack.push(path);
            } else if kind.is_symlink() {
                let target = fs::read_link(entry.path()).expect("the link is read");
                std::os::unix::fs::symlink(target, to.join(&path)).expect("the link is made");
            } else {
                fs::copy(entry.path(), to.join(&path)).expect("the file is copied");
                if path.extension().is_some_and(|extension| extension == "md") {
                    documents.push(path);
                }
            }
        }
    }
    documents
}
