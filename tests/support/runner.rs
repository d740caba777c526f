//! Runs the steps of a case in a world of its own.

use super::fixture::{Case, Piece, Step, Word, pattern_word, words};
use super::invariants;
use super::pattern;
use super::refusal::{self, Refusal};
use super::world::{Run, Snapshot, World, is_root};
use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

/// The verbs whose success is a write.
const WRITES: [&str; 6] = ["create", "insert", "replace", "remove", "move", "freeze"];

/// The shared set-ups, by name.
pub type Setups = BTreeMap<String, Case>;

/// One case while it runs.
struct Stage<'a> {
    world: World,
    setups: &'a Setups,
    variables: BTreeMap<String, Vec<u8>>,
    /// The last program that ran, and whether its exit has been judged.
    last: Option<Run>,
    judged: bool,
    refusal: Option<Refusal>,
    /// The world before that program ran.
    before: Option<Snapshot>,
    /// What `|` lines look at.
    text: String,
    /// The case edits canvases by hand: `v` and validity are its own business.
    by_hand: bool,
    /// The case damages the repository: no `git fsck` at its end.
    damaged: bool,
}

/// Runs every case of one fixture file and reports all that fail.
pub fn run_all(file: &str, cases: &[Case], setups: &Setups) {
    let failed = |case: &Case| {
        let error = run(case, setups).err()?;
        let numbers: Vec<String> = case.numbers.iter().map(ToString::to_string).collect();
        Some(format!("=== {}: {}\n{file}, {error}\n", numbers.join(", "), case.title))
    };
    let failures: Vec<String> = cases.iter().filter_map(failed).collect();
    assert!(
        failures.is_empty(),
        "{} of {} cases of {file} fail\n{}",
        failures.len(),
        cases.len(),
        failures.join("\n")
    );
}

/// Runs one case.
///
/// # Errors
/// A report that names the step, the command and everything it printed.
pub fn run(case: &Case, setups: &Setups) -> Result<(), String> {
    let mut stage = Stage {
        world: World::new(),
        setups,
        variables: BTreeMap::new(),
        last: None,
        judged: true,
        refusal: None,
        before: None,
        text: String::new(),
        by_hand: false,
        damaged: false,
    };
    let world = &stage.world;
    let places = [
        ("ROOT", world.root()),
        ("WS", world.workspace()),
        ("DIR", world.directory()),
        ("GITDIR", world.directory().join(".git")),
        ("FILES", world.root().join("files")),
    ];
    for (name, path) in places {
        stage.variables.insert(name.to_owned(), path.as_os_str().as_bytes().to_vec());
    }
    stage.steps(&case.steps)?;
    stage.must_be_judged()?;
    stage.world.restore_modes();
    if !stage.damaged && stage.world.directory().join(".git").is_dir() {
        let fsck = stage.world.git(&["fsck", "--no-dangling", "--no-progress"]);
        if fsck.code != Some(0) {
            return Err(format!("the repository is not sound\n{}", fsck.report()));
        }
    }
    Ok(())
}

impl Stage<'_> {
    fn steps(&mut self, steps: &[Step]) -> Result<(), String> {
        for step in steps {
            self.step(step).map_err(|error| {
                if error.starts_with("line ") {
                    return error;
                }
                let last = self.last.as_ref().map(Run::report).unwrap_or_default();
                format!("line {}: `{}`\n{error}\n{last}", step.line, step.source)
            })?;
        }
        Ok(())
    }

    fn expand(&self, word: &Word) -> Result<Vec<u8>, String> {
        let mut bytes = Vec::new();
        for piece in word {
            match piece {
                Piece::Text(text) => bytes.extend_from_slice(text),
                Piece::Variable(name) => bytes.extend_from_slice(
                    self.variables.get(name).ok_or_else(|| format!("${name} is not set"))?,
                ),
            }
        }
        Ok(bytes)
    }

    fn bytes(&self, step: &Step) -> Result<Vec<Vec<u8>>, String> {
        step.words.iter().map(|w| self.expand(w)).collect()
    }

    fn last(&self) -> Result<&Run, String> {
        self.last.as_ref().ok_or_else(|| "no command has run".to_owned())
    }

    fn refused(&self) -> Result<&Refusal, String> {
        self.refusal.as_ref().ok_or_else(|| "the last command was not refused".to_owned())
    }

    fn must_be_judged(&self) -> Result<(), String> {
        if self.judged {
            return Ok(());
        }
        let last = self.last.as_ref().map(Run::report).unwrap_or_default();
        Err(format!("the exit of this command is never judged\n{last}"))
    }

    fn set(&mut self, name: &str, value: impl Into<Vec<u8>>) {
        self.variables.insert(name.to_owned(), value.into());
    }

    #[allow(clippy::too_many_lines)] // One arm per word of the language.
    fn step(&mut self, step: &Step) -> Result<(), String> {
        let words = self.bytes(step)?;
        let text: Vec<String> =
            words.iter().map(|w| String::from_utf8_lossy(w).into_owned()).collect();
        let word = |n: usize| -> Result<&str, String> {
            text.get(n).map(String::as_str).ok_or_else(|| "a word is missing".to_owned())
        };
        let path = |n: usize| -> Result<PathBuf, String> {
            Ok(PathBuf::from(OsStr::from_bytes(words.get(n).ok_or("a path is missing")?)))
        };
        let os: Vec<OsString> = words.iter().map(|w| OsStr::from_bytes(w).to_os_string()).collect();
        match step.verb.as_str() {
            // What happens.
            "for" => return self.each(step, &text, &words),
            "given" => {
                let setup =
                    self.setups.get(word(0)?).ok_or_else(|| format!("no set-up {}", text[0]))?;
                let result = self.steps(&setup.steps);
                return result.map_err(|e| format!("line {}: set-up {}: {e}", step.line, text[0]));
            }
            "canvas" => self.program("canvas", &os)?,
            "validate" => self.program("canvas-validate", &os)?,
            "conforms" | "conforms-validate" => {
                let program = if step.verb == "conforms" { "canvas" } else { "canvas-validate" };
                self.conforms(program, word(0)?)?;
            }
            "git" => {
                let run = self.world.git(&os);
                if run.code != Some(0) {
                    return Err(run.report());
                }
                self.text = run.out();
                self.remember_head();
            }
            "sh" => {
                let run = self.world.shell(word(0)?);
                if run.code != Some(0) {
                    return Err(run.report());
                }
                self.text = run.out();
                self.remember_head();
            }
            "let" => {
                let value = words.get(1).cloned().unwrap_or_default();
                self.set(word(0)?, value);
            }
            "repeat" => {
                let times: usize = word(2)?.parse().map_err(|_| "repeat NAME TEXT TIMES")?;
                self.set(word(0)?, words[1].repeat(times));
            }
            "env" => {
                self.world.environment.insert(OsString::from(word(0)?), os[1].clone());
            }
            "unset" => {
                self.world.environment.remove(OsStr::new(word(0)?));
            }
            "cwd" => self.world.cwd = path(0)?,
            "write" => self.world.write(&path(0)?, words.get(1).ok_or("no text")?)?,
            "put" => {
                let lines = self.body(step)?;
                let mut all = lines.join("\n");
                all.push('\n');
                self.world.write(&path(0)?, all.as_bytes())?;
            }
            "edit" => {
                let file = path(0)?;
                let old = std::fs::read_to_string(&file).map_err(|e| e.to_string())?;
                if !old.contains(word(1)?) {
                    return Err(format!("`{}` is not in the file:\n{old}", word(1)?));
                }
                self.world.write(&file, old.replacen(word(1)?, word(2)?, 1).as_bytes())?;
            }
            "mode" => {
                let mode = u32::from_str_radix(word(0)?, 8).map_err(|_| "mode OCTAL PATH")?;
                self.world.mode(&path(1)?, mode)?;
            }
            "restore" => self.world.restore_modes(),
            "by-hand" => self.by_hand = true,
            "damaged" => self.damaged = true,
            // What the command answered.
            "ok" => {
                self.expect_exit(0)?;
                if !self.last()?.stderr.is_empty() {
                    return Err("standard error is not empty".to_owned());
                }
            }
            "exit" => self.expect_exit(word(0)?.parse().map_err(|_| "exit N")?)?,
            "ref" => {
                self.expect_exit(word(0)?.parse().map_err(|_| "ref N")?)?;
                if !self.last()?.stdout.is_empty() {
                    return Err("standard output is not empty".to_owned());
                }
            }
            "written" => {
                self.expect_exit(0)?;
                self.written(&text)?;
            }
            "same" => self.same()?,
            "out" => contains(&self.last()?.out(), word(0)?, true)?,
            "out!" => contains(&self.last()?.out(), word(0)?, false)?,
            "err" => contains(&self.last()?.err(), word(0)?, true)?,
            "err!" => contains(&self.last()?.err(), word(0)?, false)?,
            "silent" => {
                let last = self.last()?;
                if !last.stdout.is_empty() || !last.stderr.is_empty() {
                    return Err("it printed something".to_owned());
                }
            }
            "usage" => contains(&self.refused()?.usage, "usage: canvas", true)?,
            "message" => contains(&self.refused()?.message, word(0)?, true)?,
            "message!" => contains(&self.refused()?.message, word(0)?, false)?,
            "detail" => contains(&self.refused()?.details.join("\n"), word(0)?, true)?,
            "details" => {
                self.text = self.refused()?.details.join("\n");
                self.text.push('\n');
            }
            "next" => contains(&self.refused()?.next, word(0)?, true)?,
            "next!" => contains(&self.refused()?.next, word(0)?, false)?,
            "node" => {
                let nodes = &self.refused()?.nodes;
                if *nodes != text {
                    return Err(format!("the nodes are {nodes:?}, not {text:?}"));
                }
            }
            "node~" => {
                let nodes = &self.refused()?.nodes;
                if !nodes.iter().any(|n| n == &text[0]) {
                    return Err(format!("{} is not among the nodes {nodes:?}", text[0]));
                }
            }
            "minted-node" => {
                let [node] = &self.refused()?.nodes[..] else {
                    return Err("one node was expected".to_owned());
                };
                let node = node.clone();
                if !pattern::is_node_id(&node) {
                    return Err(format!("{node} is no node id"));
                }
                self.set(word(0)?, node);
            }
            "about" => {
                let abouts = &self.refused()?.abouts;
                let wanted = text.join(" ");
                if !abouts.contains(&wanted) {
                    return Err(format!("`{wanted}` is not among {abouts:?}"));
                }
            }
            "about^" => {
                let abouts = &self.refused()?.abouts;
                if !abouts.iter().any(|a| a.starts_with(&text.join(" "))) {
                    return Err(format!("nothing of {abouts:?} starts `{}`", text.join(" ")));
                }
            }
            "about!" => {
                let abouts = &self.refused()?.abouts;
                if abouts.iter().any(|a| a.starts_with(&text.join(" "))) {
                    return Err(format!("`{}` is among {abouts:?}", text.join(" ")));
                }
            }
            "lines" => {
                let count = self.last()?.out().lines().count();
                if count.to_string() != word(0)? {
                    return Err(format!("standard output has {count} lines"));
                }
            }
            // What the world looks like.
            "file" => {
                let file = path(0)?;
                self.text = self
                    .world
                    .lifted(|| std::fs::read_to_string(&file))
                    .map_err(|e| format!("{}: {e}", file.display()))?;
            }
            "document" => {
                let out = self.last()?.out();
                let start = out.find("<?xml").ok_or("no document on standard output")?;
                self.text = out[start..].to_owned();
            }
            "has" => contains(&read(&path(0)?)?, word(1)?, true)?,
            "has!" => contains(&read(&path(0)?)?, word(1)?, false)?,
            "exists" => {
                if path(0)?.symlink_metadata().is_err() {
                    return Err(format!("{} is not there", text[0]));
                }
            }
            "absent" => {
                if path(0)?.symlink_metadata().is_ok() {
                    return Err(format!("{} is there", text[0]));
                }
            }
            "order" => {
                let found = invariants::ids(&read(&self.world.canvas_file(word(0)?))?);
                if found != text[1..] {
                    return Err(format!("the nodes are {found:?}, not {:?}", &text[1..]));
                }
            }
            "commits" => {
                let count = self.world.git_text(&["rev-list", "--count", "HEAD"])?;
                if count != word(0)? {
                    return Err(format!("there are {count} commits"));
                }
            }
            "eq" | "ne" => {
                if (words.first() == words.get(1)) != (step.verb == "eq") {
                    return Err(format!("{text:?}"));
                }
            }
            "is" => {
                if !pattern::is_kind(word(1)?, word(0)?) {
                    return Err(format!("`{}` is no {}", text[1], text[0]));
                }
            }
            other => return Err(format!("`{other}` is no word of the language")),
        }
        let speaks = ["canvas", "validate", "git", "sh", "file", "document", "details", "put"];
        if !step.body.is_empty() && step.verb != "put" {
            if !speaks.contains(&step.verb.as_str()) && !["ok", "exit"].contains(&&*step.verb) {
                return Err("no text for these `|` lines".to_owned());
            }
            self.match_body(step)?;
        }
        Ok(())
    }

    fn each(&mut self, step: &Step, text: &[String], words: &[Vec<u8>]) -> Result<(), String> {
        if text.get(1).map(String::as_str) != Some("in") {
            return Err("for NAME in VALUES".to_owned());
        }
        for value in &words[2..] {
            self.set(&text[0], value.clone());
            self.steps(&step.block).map_err(|error| {
                format!(
                    "line {}: {}={:?}: {error}",
                    step.line,
                    text[0],
                    String::from_utf8_lossy(value)
                )
            })?;
        }
        Ok(())
    }

    fn body(&self, step: &Step) -> Result<Vec<String>, String> {
        step.body
            .iter()
            .map(|line| {
                let bytes = self.expand(&pattern_word(line)?)?;
                Ok(String::from_utf8_lossy(&bytes).into_owned())
            })
            .collect()
    }

    fn match_body(&mut self, step: &Step) -> Result<(), String> {
        let mut variables = std::mem::take(&mut self.variables);
        let result = pattern::match_lines(&step.body, &self.text, &mut variables);
        self.variables = variables;
        result
    }

    fn remember_head(&mut self) {
        let head = self.world.lifted(|| self.world.head());
        self.set("HEAD", head);
    }

    fn program(&mut self, program: &str, arguments: &[OsString]) -> Result<(), String> {
        self.must_be_judged()?;
        let before = Snapshot::take(&self.world);
        self.remember_head();
        let head = self.variables.get("HEAD").cloned().unwrap_or_default();
        self.set("BEFORE", head);
        let call = |world: &World| match program {
            "canvas" => world.canvas(arguments),
            _ => world.validate(arguments),
        };
        let run = call(&self.world);
        self.text = run.out();
        self.refusal = None;
        self.judged = false;
        let verb = arguments.first().and_then(|a| a.to_str()).unwrap_or_default();
        let named = canvas_of(arguments);
        let result = match run.code {
            Some(0) if program == "canvas" && WRITES.contains(&verb) && writes(arguments) => {
                let minted = run.label("Canvas-ID");
                let canvas = minted.as_deref().or(named.as_deref()).unwrap_or_default();
                invariants::check_write(&self.world, verb, canvas, &run, &before, self.by_hand)
            }
            Some(0) => match before.difference(&Snapshot::take(&self.world)) {
                None => Ok(()),
                Some(difference) => Err(format!("a read changed something:\n{difference}")),
            },
            _ => refusal::parse(&run, program).and_then(|refusal| {
                refusal::check_truth(&refusal, &self.world, named.as_deref())?;
                refusal::check_repairs(&refusal, &self.world, program, &|| call(&self.world))?;
                self.refusal = Some(refusal);
                Ok(())
            }),
        };
        self.last = Some(run);
        self.before = Some(before);
        self.remember_head();
        result
    }

    /// Runs a command line whatever its outcome: what is judged without being asked is judged, and
    /// the workspace is put back afterwards.
    fn conforms(&mut self, program: &str, line: &str) -> Result<(), String> {
        let mut arguments = Vec::new();
        for word in words(line)? {
            arguments.push(OsStr::from_bytes(&self.expand(&word)?).to_os_string());
        }
        let aside = self.world.keep_workspace()?;
        let result = self.program(program, &arguments);
        self.judged = true;
        self.world.put_back_workspace(&aside)?;
        result
    }

    fn expect_exit(&mut self, code: i32) -> Result<(), String> {
        self.judged = true;
        if self.last()?.code == Some(code) {
            Ok(())
        } else {
            Err(format!("exit {code} was expected"))
        }
    }

    /// The two lines of an edit: `written`, `written ID`, `written -> NAME`, then `news` when the
    /// news block may follow.
    fn written(&mut self, text: &[String]) -> Result<(), String> {
        let last = self.last()?;
        let out = last.out();
        if !last.stderr.is_empty() {
            return Err("standard error is not empty".to_owned());
        }
        let lines: Vec<&str> = out.split('\n').collect();
        let node = lines.first().and_then(|l| l.strip_prefix("Canvas-Node: ")).unwrap_or_default();
        if !pattern::is_node_id(node) {
            return Err("the first line is not `Canvas-Node: ID`".to_owned());
        }
        let node = node.to_owned();
        let head = self.world.lifted(|| self.world.head());
        if lines.get(1) != Some(&&*format!("Canvas-Base: {head}")) {
            return Err("the second line is not `Canvas-Base: HEAD`".to_owned());
        }
        let news = text.last().is_some_and(|w| w == "news");
        if news != lines.get(2).is_some_and(|l| l.starts_with("Canvas-News: ")) {
            return Err("the news block is not as expected".to_owned());
        }
        if !news && (lines.len() != 3 || !lines[2].is_empty()) {
            return Err("standard output is not exactly two lines".to_owned());
        }
        match text {
            [arrow, name, ..] if arrow == "->" => self.set(&name.clone(), node),
            [id, ..] if id != "news" && *id != node => {
                return Err(format!("node {id} was expected, not {node}"));
            }
            _ => {}
        }
        Ok(())
    }

    fn same(&self) -> Result<(), String> {
        let before = self.before.as_ref().ok_or("no command has run")?;
        match before.difference(&Snapshot::take(&self.world)) {
            None => Ok(()),
            Some(difference) => Err(format!("not as before:\n{difference}")),
        }
    }
}

/// Whether the arguments can be a write: a help text is none.
fn writes(arguments: &[OsString]) -> bool {
    !arguments.iter().any(|a| a == "--help" || a == "-h")
}

/// The canvas identifier on a command line whose verb comes first and whose identifier, if any,
/// comes second.
fn canvas_of(arguments: &[OsString]) -> Option<String> {
    let name = arguments.get(1)?.to_str()?;
    if name.starts_with('-') { None } else { Some(name.to_owned()) }
}

fn contains(text: &str, fragment: &str, wanted: bool) -> Result<(), String> {
    if text.contains(fragment) == wanted {
        return Ok(());
    }
    let word = if wanted { "is not in" } else { "is in" };
    Err(format!("`{fragment}` {word}:\n{text}"))
}

fn read(path: &Path) -> Result<String, String> {
    std::fs::read(path)
        .map(|bytes| String::from_utf8_lossy(&bytes).into_owned())
        .map_err(|e| format!("{}: {e} (root: {})", path.display(), is_root()))
}
