//! The `headwater` program: a command line in, an answer out. Nothing is printed but in [`main`].

mod canvases;
mod change;
mod check;
mod command;
mod explain;
mod fix;
mod gate;
mod init;
mod surroundings;

use std::ffi::OsString;
use std::io::{self, Write};
use std::panic::{self, AssertUnwindSafe};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::{SystemTime, UNIX_EPOCH};

use clap::ArgMatches;
use headwater_check::Date;
use headwater_corpus::{Corpus, Options};
use headwater_taxonomy::declaration::DECLARATION_PATH;
use headwater_taxonomy::lock::LOCK_PATH;
use headwater_taxonomy::refusal::Refusal;
use headwater_taxonomy::verbs::{self, Answer, Invocation};
use headwater_taxonomy::yaml::escaped;

use canvases::StoredCanvases;

pub use command::command;
pub use surroundings::Surroundings;

/// The whole of `main`: runs the program, prints its answer, gives back its status.
pub fn main() -> ExitCode {
    // A defect is reported as a sentence; Rust's own text would stand before it.
    panic::set_hook(Box::new(|_| {}));
    let mut arguments = std::env::args_os();
    let program = arguments.next().unwrap_or_default().to_string_lossy().into_owned();
    let arguments: Vec<OsString> = arguments.collect();
    let done = panic::catch_unwind(AssertUnwindSafe(|| {
        run_in(Surroundings::of_process(), &program, &arguments)
    }));
    let answer = done.unwrap_or_else(|_| {
        refused(2, "a defect in this program ended the run; report it with the command line")
    });
    let printed =
        io::stdout().lock().write_all(answer.stdout.as_bytes()).and_then(|()| io::stdout().flush());
    // When standard error is closed or full there is nobody left to tell; the status still says it.
    let _ = io::stderr().lock().write_all(answer.stderr.as_bytes());
    match printed {
        Ok(()) => ExitCode::from(answer.status),
        Err(error) => {
            let what = format!("headwater: cannot write to standard output: {error}\n");
            let _ = io::stderr().lock().write_all(what.as_bytes());
            ExitCode::from(2)
        }
    }
}

/// Does what the arguments (without `argv[0]`) ask for, away from any terminal.
#[must_use]
pub fn run(program: &str, arguments: &[OsString]) -> Answer {
    run_in(Surroundings::default(), program, arguments)
}

/// Does what the arguments (without `argv[0]`) ask for.
#[must_use]
pub fn run_in(surroundings: Surroundings, program: &str, arguments: &[OsString]) -> Answer {
    let words = std::iter::once(OsString::from("headwater")).chain(arguments.iter().cloned());
    let matches = match command().try_get_matches_from(words) {
        Ok(matches) => matches,
        Err(text) if !text.use_stderr() => {
            return Answer { stdout: text.to_string(), ..Answer::default() };
        }
        Err(error) => {
            // The first paragraph says what is wrong; the rest is a synopsis that help gives.
            let text = error.to_string();
            let text = text.split("\n\n").next().unwrap_or_default();
            let text = text.trim().trim_start_matches("error: ");
            let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
            return refused(2, &format!("{text}; `{program} --help` says what there is"));
        }
    };
    let root = matches.get_one::<PathBuf>("root").cloned().unwrap_or_else(|| PathBuf::from("."));
    let plain = matches.get_flag("no-color");
    let surroundings = Surroundings { colour: surroundings.colour && !plain, ..surroundings };
    let context = Context { program, root: &root, surroundings };
    // Of the verbs, `explain` alone may need no repository.
    let found = match matches.subcommand() {
        Some(("init" | "change", _)) => context.directory(),
        Some(("explain", _)) => Ok(()),
        _ => context.repository(),
    };
    if let Err(refusal) = found {
        return refusal;
    }
    match matches.subcommand() {
        Some(("change", given)) => change::change(context, given),
        Some(("init", given)) => init::init(context, given),
        Some(("check", given)) => check::check(context, given),
        Some(("explain", given)) => explain::explain(context, given),
        Some(("gate", given)) => gate::gate(context, given),
        Some(("taxonomy", given)) => taxonomy(context, given),
        _ => refused(2, &format!("no verb is given; `{program} --help` lists them")),
    }
}

/// How the program was called, and over which repository.
#[derive(Clone, Copy)]
pub(crate) struct Context<'a> {
    /// As the caller typed it.
    pub program: &'a str,
    /// The repository root.
    pub root: &'a Path,
    /// What the answer is shown in.
    pub surroundings: Surroundings,
}

impl Context<'_> {
    /// Refuses a root that is no directory, which would read as a repository without a lock.
    fn directory(self) -> Result<(), Answer> {
        if self.root.is_dir() {
            return Ok(());
        }
        let root = escaped(&self.root.display().to_string());
        Err(refused(2, &format!("`{root}` is no directory; name a repository with --root")))
    }

    /// Refuses a root that is a directory inside a repository: what it lacks stands above it.
    pub(crate) fn repository(self) -> Result<(), Answer> {
        self.directory()?;
        let here = [DECLARATION_PATH, LOCK_PATH].map(|path| self.root.join(path));
        if here.iter().any(|path| path.symlink_metadata().is_ok()) {
            return Ok(());
        }
        let Ok(full) = self.root.canonicalize() else { return Ok(()) };
        let above =
            full.ancestors().skip(1).position(|above| above.join(DECLARATION_PATH).is_file());
        let Some(steps) = above else { return Ok(()) };
        let above = format!("..{}", "/..".repeat(steps));
        let above = if self.root == Path::new(".") { above.into() } else { self.root.join(above) };
        let (root, above) = (self.root.display().to_string(), above.display().to_string());
        Err(refused(
            2,
            &format!(
                "`{}` has no {LOCK_PATH}, and lies in a repository that has a taxonomy; run this with --root {}",
                escaped(&root),
                escaped(&above)
            ),
        ))
    }

    /// Builds the corpus of the repository, with the notes of its declaration for standard error.
    pub(crate) fn corpus(self) -> Result<(Corpus, String), Answer> {
        let registry = headwater_rules::registry();
        let rules = registry.templates().iter().map(|template| template.about().id.to_owned());
        let canvases = StoredCanvases::from_environment().map(|stored| Box::new(stored) as _);
        let options = Options { rules: rules.collect(), canvases, ..Options::default() };
        let corpus =
            Corpus::load(self.root, options).map_err(|refusals| self.refusal(&refusals))?;
        let declaration = corpus.declaration();
        let unmet = declaration.unmet_engine();
        let notes = declaration.notes.iter().chain(&unmet);
        let notes = notes.map(|note| format!("headwater: {}\n", note.render(self.program)));
        let notes = notes.collect();
        Ok((corpus, notes))
    }

    fn refusal(self, refusals: &[Refusal]) -> Answer {
        let lines = refusals.iter().map(|refusal| refusal.render(self.program));
        refused(2, &lines.collect::<Vec<_>>().join("\n  "))
    }
}

/// A refusal: nothing on standard output, a sentence on standard error.
pub(crate) fn refused(status: u8, sentence: &str) -> Answer {
    Answer { stdout: String::new(), stderr: format!("headwater: {sentence}\n"), status }
}

/// The day that a verb is given, or else today in UTC.
pub(crate) fn day(given: &ArgMatches) -> Result<Date, String> {
    match given.get_one::<String>("now") {
        Some(text) => Date::parse(text).ok_or_else(|| {
            let shown = headwater_taxonomy::yaml::shown(text);
            format!("`{shown}` is no day of the calendar; write --now YYYY-MM-DD")
        }),
        None => {
            let now = SystemTime::now().duration_since(UNIX_EPOCH).ok();
            now.and_then(|now| Date::from_unix_days(now.as_secs() / 86_400)).ok_or_else(|| {
                "the clock of this machine cannot be read; give the day with --now YYYY-MM-DD"
                    .to_owned()
            })
        }
    }
}

fn taxonomy(context: Context<'_>, given: &ArgMatches) -> Answer {
    let invocation = Invocation { program: context.program, root: context.root };
    match given.subcommand() {
        Some(("validate", _)) => verbs::validate(invocation),
        Some(("resolve", given)) if given.get_flag("check") => verbs::check(invocation),
        Some(("resolve", _)) => verbs::resolve(invocation),
        Some(("kinds", given)) => verbs::kinds(invocation, given.get_flag("json")),
        _ => {
            let sentence =
                format!("no verb is given; `{} taxonomy --help` lists them", context.program);
            refused(2, &sentence)
        }
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use std::fs;

    /// The worked corpus of the fixtures, with its lock written.
    pub(crate) fn lantern() -> tempfile::TempDir {
        let root = tempfile::tempdir().unwrap();
        let crates = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
        for part in ["headwater-taxonomy/fixtures/lantern", "headwater-corpus/fixtures/lantern"] {
            copy(&crates.join(part), root.path());
        }
        assert_eq!(headwater(root.path(), &["taxonomy", "resolve"]).status, 0);
        root
    }

    fn copy(from: &Path, to: &Path) {
        fs::create_dir_all(to).unwrap();
        for entry in fs::read_dir(from).unwrap() {
            let (from, name) = (entry.as_ref().unwrap().path(), entry.unwrap().file_name());
            if from.is_dir() {
                copy(&from, &to.join(name));
            } else {
                fs::copy(from, to.join(name)).unwrap();
            }
        }
    }

    pub(crate) fn headwater(root: &Path, words: &[&str]) -> Answer {
        let mut arguments: Vec<OsString> = words.iter().map(OsString::from).collect();
        arguments.extend([OsString::from("--root"), root.as_os_str().to_owned()]);
        run("bin/headwater", &arguments)
    }

    const DAY: [&str; 2] = ["--now", "2026-03-20"];

    pub(crate) fn check(root: &Path, words: &[&str]) -> Answer {
        headwater(root, &[&["check"], &DAY[..], words].concat())
    }

    #[test]
    fn a_clean_corpus_is_zero_cold_warm_and_without_a_cache() {
        let root = lantern();
        let cold = check(root.path(), &["--strict", "--strict-census"]);
        assert_eq!(
            (cold.status, cold.stderr.starts_with("0 served")),
            (0, true),
            "{}",
            cold.stderr
        );
        let warm = check(root.path(), &["--strict"]);
        assert!(warm.stderr.contains(" 0 evaluated, "), "{}", warm.stderr);
        let anew = check(root.path(), &["--no-cache"]);
        assert!(anew.stderr.starts_with("0 served from cache, 0 evaluated, "), "{}", anew.stderr);
        assert_eq!((&cold.stdout, &cold.stdout), (&warm.stdout, &anew.stdout));
        assert!(cold.stdout.ends_with("\nno findings\n"), "{}", cold.stdout);
    }

    #[test]
    fn the_status_says_yes_no_or_that_the_tool_could_not() {
        let root = lantern();
        let path = root.path().join("handbook/parts/queue.md");
        let text = fs::read_to_string(&path).unwrap();
        fs::write(&path, text.replace("LAN-D-0002, ", "LAN-D-0099, ")).unwrap();
        assert_eq!(check(root.path(), &[]).status, 0);
        let strict = check(root.path(), &["--strict", "--json"]);
        assert_eq!(strict.status, 1);
        assert!(strict.stdout.contains("\"relation.target.unresolved\""));
        fs::write(&path, &text).unwrap();

        // A file without a kind is a warning, which only a strict census counts.
        fs::write(root.path().join("handbook/loose.md"), "# x\n").unwrap();
        assert_eq!(check(root.path(), &["--strict"]).status, 0);
        assert_eq!(check(root.path(), &["--strict-census"]).status, 1);

        // No exclusion reaches what is no file, so none is advised.
        fs::remove_file(root.path().join("handbook/loose.md")).unwrap();
        let loose = root.path().join("handbook/scratch/loose.md");
        fs::create_dir_all(loose.parent().unwrap()).unwrap();
        std::os::unix::fs::symlink("gone.md", &loose).unwrap();
        let linked = check(root.path(), &["--strict-census"]);
        assert_eq!(linked.status, 1);
        assert!(linked.stdout.contains("take it out of the corpus"), "{}", linked.stdout);

        for words in [
            &["check", "--bogus"][..],
            &["check", "--format", "shacl"],
            &["check", "--json", "--format", "json"],
            &["check", "--now", "2026-02-30"],
            &["check", "extra"],
            &["check", "--now"],
            &["check", "--now", "2026-01-01", "--now", "2026-01-01"],
            &["explain", "LAN-D-0099"],
            &["nothing"],
            &[],
        ] {
            let answer = headwater(root.path(), words);
            assert_eq!((answer.status, answer.stdout.as_str()), (2, ""), "{words:?}");
            assert!(answer.stderr.starts_with("headwater: "), "{}", answer.stderr);
            assert_eq!(answer.stderr.lines().count(), 1, "{}", answer.stderr);
        }
    }

    #[test]
    fn init_writes_a_taxonomy_once_and_the_check_that_follows_is_green() {
        let root = tempfile::tempdir().unwrap();
        let init = |words: &[&str]| headwater(root.path(), &[&["init"], &DAY[..], words].concat());
        assert_eq!(init(&[]).status, 1, "there is no Markdown yet");
        fs::create_dir(root.path().join("notes")).unwrap();
        for (name, text) in [("a", "---\nid: A\n---\n"), ("b", "[dead](gone.md)\n")] {
            fs::write(root.path().join(format!("notes/{name}.md")), text).unwrap();
        }
        let words = [
            &["--corpus", "gone"][..],
            &["--corpus", "../up"],
            &["--package", "a b"],
            &["--owner", " "],
            &["extra"],
        ];
        for words in words {
            let refused = init(words);
            assert_eq!((refused.status, refused.stdout.as_str()), (2, ""), "{words:?}");
            assert_eq!(refused.stderr.lines().count(), 1, "{}", refused.stderr);
        }
        let made = init(&["--package", "acme/notes"]);
        assert_eq!((made.status, made.stderr.as_str()), (0, ""));
        assert!(made.stdout.contains("wrote       .headwater/packages/acme-notes/taxonomy.yml\n"));
        assert!(made.stdout.contains("3 findings held until 2026-06-18"), "{}", made.stdout);
        assert_eq!(headwater(root.path(), &["taxonomy", "resolve", "--check"]).status, 0);
        assert_eq!(check(root.path(), &["--strict", "--strict-census"]).status, 0);
        let again = init(&[]);
        assert_eq!((again.status, again.stdout.as_str()), (1, ""));
        assert!(again.stderr.contains(".headwater/taxonomy.yml"), "{}", again.stderr);
    }

    #[test]
    fn an_absent_corpus_is_refused_and_an_empty_one_is_noted() {
        let root = lantern();
        fs::remove_dir_all(root.path().join("handbook")).unwrap();
        let absent = check(root.path(), &[]);
        assert_eq!((absent.status, absent.stdout.as_str()), (2, ""));
        assert!(absent.stderr.contains("handbook"), "{}", absent.stderr);
        fs::create_dir(root.path().join("handbook")).unwrap();
        let empty = check(root.path(), &[]);
        assert_eq!(empty.status, 0);
        assert!(empty.stderr.contains("no file under the corpus root"), "{}", empty.stderr);
        assert_eq!(check(root.path(), &["--strict-census"]).status, 1);
        fs::remove_file(root.path().join(".headwater/taxonomy.lock")).unwrap();
        let unlocked = check(root.path(), &[]);
        assert_eq!(unlocked.status, 2);
        assert!(
            unlocked.stderr.contains("`bin/headwater taxonomy resolve`"),
            "{}",
            unlocked.stderr
        );
    }

    #[test]
    fn a_root_that_is_no_repository_is_told_from_one_without_a_lock() {
        let root = lantern();
        let below = root.path().join("handbook/parts");
        for words in [
            &["check"][..],
            &["explain", "queue.md"],
            &["gate", "--read-set", "x"],
            &["taxonomy", "resolve"],
        ] {
            let answer = headwater(&below, words);
            assert_eq!((answer.status, answer.stdout.as_str()), (2, ""), "{words:?}");
            let above = format!("--root {}/../..\n", below.display());
            assert!(answer.stderr.ends_with(&above), "{}", answer.stderr);
            for none in ["handbook/none", "handbook/parts/queue.md"] {
                let answer = headwater(&root.path().join(none), words);
                assert_eq!((answer.status, answer.stdout.as_str()), (2, ""), "{words:?}");
                assert!(answer.stderr.contains("is no directory; "), "{}", answer.stderr);
            }
        }
        let bare = tempfile::tempdir().unwrap();
        assert!(check(bare.path(), &[]).stderr.contains(LOCK_PATH));
    }

    #[test]
    fn a_source_that_moved_since_the_lock_is_named_and_changes_nothing_else() {
        let root = lantern();
        let before = check(root.path(), &["--strict"]);
        let source = ".headwater/packages/lantern-handbook/taxonomy.yml";
        let text = fs::read_to_string(root.path().join(source)).unwrap();
        fs::write(root.path().join(source), format!("# a remark\n{text}")).unwrap();
        fs::remove_file(root.path().join(".headwater/overlay.yml")).unwrap();
        let after = check(root.path(), &["--strict"]);
        assert_eq!((&after.stdout, after.status), (&before.stdout, 0));
        let notes = after.stderr.lines().filter(|line| line.starts_with("headwater: "));
        let notes: Vec<&str> = notes.collect();
        let [moved, gone] = notes[..] else { panic!("{}", after.stderr) };
        assert!(moved.contains(source) && moved.contains("`bin/headwater taxonomy resolve`"));
        assert!(gone.contains(".headwater/overlay.yml") && gone.contains("cannot be read"));
    }

    #[test]
    fn documents_and_rules_are_explained() {
        let root = lantern();
        for target in ["LAN-PART-queue", "handbook/parts/queue.md", "./handbook/parts/queue.md"] {
            let answer = headwater(root.path(), &["explain", target]);
            assert_eq!(answer.status, 0, "{}", answer.stderr);
            assert!(answer.stdout.contains("kind: part, by its place on the shelf parts"));
            assert!(answer.stdout.contains("-> realizes LAN-D-0002"), "{}", answer.stdout);
        }
        let rule = headwater(Path::new("/nowhere"), &["explain", "relation.cycle"]);
        assert!(rule.status == 0 && rule.stdout.starts_with("# `relation.cycle`\n"));
        let mut sentences = std::collections::BTreeSet::new();
        for target in
            ["LAN-D-0099", "handbook/none.md", "handbook/scratch/x.md", "src/queue/retry.rs", "/x"]
        {
            let answer = headwater(root.path(), &["explain", target]);
            assert_eq!((answer.status, answer.stdout.as_str()), (2, ""), "{target}");
            sentences.insert(answer.stderr.replace(target, ""));
        }
        assert_eq!(sentences.len(), 5, "{sentences:#?}");
        let directory = headwater(root.path(), &["explain", "handbook/parts/"]);
        assert!(
            directory.stderr.contains("is a directory of this corpus; "),
            "{}",
            directory.stderr
        );
        let slip = headwater(root.path(), &["explain", "relation.cycel"]);
        assert!(slip.stderr.ends_with("; did you mean `relation.cycle`?\n"), "{}", slip.stderr);
    }
}
