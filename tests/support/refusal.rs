//! The refusal surface, and the truth of what a refusal says.
//!
//! Every refusal that any case provokes is taken apart here: the order of its lines, the agreement
//! of its exit line with the process, and the rules T1 to T5 (a claim holds on disk, a repair
//! repairs).

use super::world::{Run, World};
use std::path::{Path, PathBuf};

/// A refusal, taken apart.
#[derive(Clone, Debug, Default)]
pub struct Refusal {
    /// The usage text before the message, if any.
    pub usage: String,
    /// The message line without the program's name.
    pub message: String,
    /// The lines between the message and the labels.
    pub details: Vec<String>,
    /// The values of `Canvas-Node:`.
    pub nodes: Vec<String>,
    /// The values of `Canvas-About:`.
    pub abouts: Vec<String>,
    /// The value of `Canvas-Next:`.
    pub next: String,
}

/// Takes the standard error of a refused `canvas` or `canvas-validate` apart.
///
/// # Errors
/// Says which rule of the refusal surface it breaks.
pub fn parse(run: &Run, program: &str) -> Result<Refusal, String> {
    let code = match run.code {
        Some(code @ (1 | 2)) => code,
        other => return Err(format!("a refusal exits 1 or 2, not {other:?}")),
    };
    let text = std::str::from_utf8(&run.stderr).map_err(|_| "standard error is not UTF-8")?;
    for trace in ["panicked at", "RUST_BACKTRACE", "stack backtrace", "Traceback"] {
        if text.contains(trace) {
            return Err(format!("standard error holds a trace: {trace}"));
        }
    }
    if !text.ends_with('\n') {
        return Err("standard error does not end its last line".to_owned());
    }
    // A patch shows the bytes of the canvas; every other line is ours to escape.
    let ours = text.split('\n').filter(|line| !line.starts_with(['+', '-', ' ']));
    if let Some(odd) = ours.flat_map(str::chars).find(|c| c.is_control() && *c != '\t') {
        return Err(format!("standard error holds the control character {odd:?}"));
    }
    let mut lines = text.trim_end_matches('\n').split('\n').peekable();
    let mut refusal = Refusal::default();
    let start = format!("{program}: ");
    loop {
        let line = lines.next().ok_or_else(|| format!("no message line starts `{start}`"))?;
        if let Some(message) = line.strip_prefix(&start) {
            refusal.message = message.to_owned();
            break;
        }
        if code != 2 {
            return Err("only a usage text may stand before the message, and only at exit 2".into());
        }
        if refusal.usage.is_empty() && !line.starts_with("usage: canvas") {
            return Err(format!("what stands before the message is no usage text: {line}"));
        }
        refusal.usage.push_str(line);
        refusal.usage.push('\n');
    }
    if refusal.message.trim().is_empty() {
        return Err("the message is blank".to_owned());
    }
    let labelled = |line: &str| {
        ["Canvas-Node:", "Canvas-About:", "Canvas-Next:", "Canvas-Exit:"]
            .iter()
            .any(|label| line.starts_with(label))
    };
    while let Some(line) = lines.next_if(|line| !labelled(line)) {
        refusal.details.push(line.to_owned());
    }
    while let Some(line) = lines.next_if(|line| line.starts_with("Canvas-Node: ")) {
        refusal.nodes.push(line["Canvas-Node: ".len()..].to_owned());
    }
    while let Some(line) = lines.next_if(|line| line.starts_with("Canvas-About: ")) {
        refusal.abouts.push(line["Canvas-About: ".len()..].to_owned());
    }
    let next = lines.next().unwrap_or_default();
    refusal.next = next
        .strip_prefix("Canvas-Next: ")
        .ok_or_else(|| format!("`Canvas-Next: ` was expected, not `{next}`"))?
        .to_owned();
    let exit = lines.next().unwrap_or_default();
    let meaning = exit
        .strip_prefix(&format!("Canvas-Exit: {code} "))
        .ok_or_else(|| format!("`Canvas-Exit: {code} …` was expected, not `{exit}`"))?;
    if !meaning.starts_with("— ") || meaning.trim().chars().count() < 3 {
        return Err(format!("the exit line has no meaning after a dash: {exit}"));
    }
    if let Some(more) = lines.next() {
        return Err(format!("something stands after the exit line: {more}"));
    }
    if refusal.next.trim().is_empty() {
        return Err("the next action is blank".to_owned());
    }
    if refusal.nodes.is_empty() && refusal.abouts.is_empty() {
        return Err("the refusal names neither a node nor a thing".to_owned());
    }
    for list in [&refusal.nodes, &refusal.abouts] {
        for (index, value) in list.iter().enumerate() {
            if value.trim().is_empty() {
                return Err("a label has no value".to_owned());
            }
            if list[..index].contains(value) {
                return Err(format!("`{value}` is named twice"));
            }
        }
    }
    if refusal.nodes.iter().any(|id| id == "root") {
        return Err("`root` is no node".to_owned());
    }
    Ok(refusal)
}

/// A back-quoted command of a next action.
#[derive(Debug)]
struct Command {
    text: String,
    /// Whether the word `run` stands right before it.
    repair: bool,
}

/// The back-quoted commands of a next action, and the text outside them.
fn commands(next: &str) -> Result<(Vec<Command>, String), String> {
    let pieces: Vec<&str> = next.split('`').collect();
    if pieces.len().is_multiple_of(2) {
        return Err("the next action has an unpaired back-quote".to_owned());
    }
    let mut found = Vec::new();
    let mut outside = String::new();
    for pair in pieces.chunks(2) {
        let before = pair[0].trim_end();
        outside.push_str(pair[0]);
        if let Some(text) = pair.get(1) {
            let word = before.rsplit(|c: char| c.is_whitespace() || "(;,.".contains(c)).next();
            let repair = word.is_some_and(|w| w.eq_ignore_ascii_case("run"));
            found.push(Command { text: (*text).to_owned(), repair });
        }
    }
    Ok((found, outside))
}

/// Rules T1, T3, T4 and the still half of T2: what can be judged without running anything.
///
/// # Errors
/// Says which claim is not true.
pub fn check_truth(refusal: &Refusal, world: &World, canvas: Option<&str>) -> Result<(), String> {
    let text = format!("{}\n{}", refusal.message, refusal.next);
    world.lifted(|| check_claims(refusal, &text, world, canvas))?;
    let (commands, outside) = commands(&refusal.next)?;
    if outside.contains("chmod") {
        return Err("T3: a chmod stands outside back-quotes".to_owned());
    }
    if refusal.message.contains("chmod") || text.contains("git init") {
        return Err("T3/T4: a chmod in the message, or `git init` named".to_owned());
    }
    for command in &commands {
        let words: Vec<&str> = command.text.split_whitespace().collect();
        if command.text.contains("chmod") && !command.repair {
            return Err(format!("T3: `{}` is a chmod that is not marked by `run`", command.text));
        }
        if words.first() == Some(&"git") {
            let pinned = words.iter().any(|w| w.starts_with("--git-dir="));
            // The outermost guard's own form (store specification, 4.3).
            let guard = command.text == "git -C $OPENCLAW_WORKSPACE/state/canvas log";
            let allowed = words.iter().any(|w| ["status", "rev-parse", "log"].contains(w));
            if !guard && (!pinned || !(allowed || command.repair)) {
                return Err(format!("T4: `{}` is not a pinned diagnostic", command.text));
            }
        }
        if command.repair {
            if command.text.contains('<') {
                return Err(format!("T2: the repair `{}` holds a placeholder", command.text));
            }
            // A quoted path is the shell's to read; that the repair exits 0 is tested anyway.
            let plain = !command.text.contains('\'');
            for path in words.iter().filter(|w| plain && w.starts_with('/')) {
                let path = Path::new(path);
                if !world.lifted(|| path.symlink_metadata().is_ok()) {
                    return Err(format!(
                        "T2: {} of `{}` is not there",
                        path.display(),
                        command.text
                    ));
                }
            }
        }
    }
    Ok(())
}

fn check_claims(
    refusal: &Refusal,
    text: &str,
    world: &World,
    canvas: Option<&str>,
) -> Result<(), String> {
    let there = |path: &Path| path.symlink_metadata().is_ok();
    let about = |kind: &str| -> Vec<PathBuf> {
        let start = format!("{kind} ");
        refusal.abouts.iter().filter_map(|a| a.strip_prefix(&start)).map(PathBuf::from).collect()
    };
    let canvas_file = canvas.map(|name| world.canvas_file(name));
    if let Some(file) = &canvas_file {
        if text.contains("no canvas for Canvas identifier") && there(file) {
            return Err(format!("T1: it says there is no canvas; {} is there", file.display()));
        }
        if (text.contains("already exists") || text.contains("the canvas is there")) && !there(file)
        {
            return Err(format!("T1: it says the canvas is there; {} is not", file.display()));
        }
    }
    if text.contains("no such file") {
        for path in about("file") {
            if there(&world.cwd.join(&path)) {
                return Err(format!("T1: it says no such file; {} is there", path.display()));
            }
        }
    }
    if text.contains("nothing at") {
        for path in about("canvas").into_iter().chain(about("file")).chain(about("path")) {
            if there(&world.cwd.join(&path)) {
                return Err(format!("T1: it says nothing is there; {} is", path.display()));
            }
        }
    }
    let git = world.directory().join(".git");
    if text.contains("is not a git repository") && git.join("HEAD").is_file() {
        return Err(format!("T1: {} is a git repository", world.directory().display()));
    }
    if text.contains("has no commits") && !world.head().is_empty() {
        return Err("T1: it says there are no commits; there is a head".to_owned());
    }
    if let Some(path) = about("value").first()
        && text.contains("is not a directory")
        && path.is_dir()
    {
        return Err(format!("T1: {} is a directory", path.display()));
    }
    Ok(())
}

/// The running half of T2: every repair exits 0 as printed, and afterwards the refused command
/// works. A repair may uncover the next obstacle; each must come with its own.
///
/// # Errors
/// Says which repair fails, or that the command is still refused.
pub fn check_repairs(
    refusal: &Refusal,
    world: &World,
    program: &str,
    again: &dyn Fn() -> Run,
) -> Result<(), String> {
    let mut repairs = repairs_of(refusal)?;
    if repairs.is_empty() {
        return Ok(());
    }
    let aside = world.keep_workspace()?;
    let mut result = Err("T2: five repairs in a row did not make the command work".to_owned());
    for _ in 0..5 {
        let failed = repairs.iter().map(|r| world.shell(r)).find(|run| run.code != Some(0));
        if let Some(run) = failed {
            result = Err(format!("T2: a repair does not exit 0\n{}", run.report()));
            break;
        }
        let run = again();
        if run.code == Some(0) {
            result = Ok(());
            break;
        }
        match parse(&run, program).and_then(|next| repairs_of(&next)) {
            Ok(more) if !more.is_empty() && more != repairs => repairs = more,
            Ok(_) => {
                result =
                    Err(format!("T2: after {repairs:?} it is still refused\n{}", run.report()));
                break;
            }
            Err(error) => {
                result = Err(format!("after {repairs:?}: {error}\n{}", run.report()));
                break;
            }
        }
    }
    world.put_back_workspace(&aside)?;
    result
}

fn repairs_of(refusal: &Refusal) -> Result<Vec<String>, String> {
    Ok(commands(&refusal.next)?.0.into_iter().filter(|c| c.repair).map(|c| c.text).collect())
}

#[test]
fn the_word_run_marks_a_repair_and_nothing_else_does() {
    let (found, outside) =
        commands("look with `ls -ld /x`, then run `chmod u+w /x` and re-run `bin/canvas read a`")
            .unwrap();
    let marked: Vec<_> = found.iter().map(|c| (c.text.as_str(), c.repair)).collect();
    assert_eq!(
        marked,
        [("ls -ld /x", false), ("chmod u+w /x", true), ("bin/canvas read a", false)]
    );
    assert!(!outside.contains("chmod"));
    assert!(commands("a ` alone").is_err());
}

#[test]
fn a_refusal_out_of_order_is_caught() {
    let run = |stderr: &str, code| Run {
        command: String::new(),
        code: Some(code),
        stdout: Vec::new(),
        stderr: stderr.as_bytes().to_vec(),
    };
    let good = "canvas: no\nCanvas-Node: ab2c\nCanvas-About: option --x\nCanvas-Next: do\n\
                Canvas-Exit: 1 — conflict\n";
    assert!(parse(&run(good, 1), "canvas").is_ok());
    assert!(parse(&run(good, 2), "canvas").is_err());
    assert!(parse(&run(good, 1), "canvas-validate").is_err());
    for bad in [
        "canvas: no\nCanvas-About: option --x\nCanvas-Node: ab2c\nCanvas-Next: do\nCanvas-Exit: 1 — c\n",
        "canvas: no\nCanvas-Next: do\nCanvas-Exit: 1 — c\n",
        "canvas: no\nCanvas-Node: ab2c\nCanvas-Next: do\nCanvas-Next: do\nCanvas-Exit: 1 — c\n",
        "canvas: no\nCanvas-Node: ab2c\nCanvas-Next: do\nCanvas-Exit: 1 — c\nmore\n",
        "canvas: no\nCanvas-Node: root\nCanvas-Next: do\nCanvas-Exit: 1 — c\n",
        "canvas: no\nCanvas-Node: ab2c\nCanvas-Node: ab2c\nCanvas-Next: do\nCanvas-Exit: 1 — c\n",
        "usage: canvas\ncanvas: no\nCanvas-Node: ab2c\nCanvas-Next: do\nCanvas-Exit: 1 — c\n",
    ] {
        assert!(parse(&run(bad, 1), "canvas").is_err(), "{bad}");
    }
}
