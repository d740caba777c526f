//! What every verb of `canvas` costs, as a ratio to what git and the disk cost for the same thing,
//! both measured in this run (docs: benches/README.md).
//!
//! Each line of the table is one process run from start to end. The floor and the verb take turns,
//! so that whatever else the machine does falls on both.

// A bench that cannot run has nothing to report, and what it reports it prints.
#![allow(clippy::expect_used, clippy::panic, clippy::print_stdout)]

mod support;

use std::process::Command;

use support::{Repository, Table, run, seconds};

/// The canvas that every verb works on, and its nodes that the history names.
const CANVAS: &str = "c7";

fn main() {
    if support::is_measurement() {
        return;
    }
    let sizes = support::sizes(&[100, 2_000, 20_000, 100_000]);
    let mut table = Table::new();
    for size in sizes {
        for graph in [false, true] {
            let repository = Repository::synthesise(size, graph);
            measure(&mut table, &repository);
        }
    }
    measure_citations(&mut table);
    table.print_and_keep("canvas");
}

/// A canvas of 200 nodes, 50 of which have moved from one section to another.
fn measure_projection(table: &mut Table, repository: &Repository) {
    let canvas = |args: &[&str]| repository.canvas(args);
    let why = "--why=the bench needs it there";
    let made = |args: &[&str]| {
        let output = run(canvas(args));
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        let stdout = String::from_utf8_lossy(&output.stdout).into_owned();
        let node = stdout.lines().find_map(|line| line.strip_prefix("Canvas-Node: "));
        node.unwrap_or_default().to_owned()
    };
    made(&["create", "page", "--problem=P.", "--expected-value=V."]);
    let section = |title| made(&["insert", "page", "--into=root", "--type=section", title, why]);
    let (first, second) = (section("--title=One"), section("--title=Two"));
    for number in 0..196 {
        let text = format!("--text=Statement number {number} of the page.");
        let node = made(&["insert", "page", "--into", &first, &text, why]);
        if number < 50 {
            made(&["move", "page", &node, "--into", &second, why]);
        }
    }
    let name = repository.name();
    let render = || seconds(canvas(&["render", "page"]));
    let read = || seconds(canvas(&["read", "page"]));
    table.row(&name, "render, 200 nodes, 50 moves", render, "canvas read", read);
}

/// The checker's own cost: beside it, the adapter alone and a read with provenance.
fn measure_coherence(table: &mut Table, repository: &Repository) {
    let node = repository.nodes(CANVAS)[1].clone();
    let why = "--why=the bench checks this write";
    let adapter = support::example("adapters/no-finding");
    let write = || {
        let written = run(repository.canvas(&["replace", CANVAS, &node, "--text=checked", why]));
        assert!(written.status.success(), "{}", String::from_utf8_lossy(&written.stderr));
    };
    write();
    let trigger = repository.head();
    let check = || {
        let mut command = repository.program(env!("CARGO_BIN_EXE_canvas-coherence"));
        command.args([CANVAS, "--trigger", &trigger, "--model-command"]).arg(&adapter);
        seconds(command)
    };
    let beside = || {
        seconds(repository.canvas(&["read", CANVAS, "--provenance"]))
            + seconds(Command::new(&adapter))
    };
    table.row(&repository.name(), "canvas-coherence", check, "read --provenance + adapter", beside);
}

/// A checkout of a thousand Markdown files, some of which cite others by line.
fn measure_citations(table: &mut Table) {
    let checkout = support::checkout(1_000);
    let survey = || {
        let mut command = Command::new(env!("CARGO_BIN_EXE_canvas-citations"));
        command.arg(checkout.path());
        seconds(command)
    };
    let cat = || {
        let mut command = Command::new("sh");
        command.args(["-c", "cat \"$0\"/*/*.md"]).arg(checkout.path());
        seconds(command)
    };
    table.row("1,000 Markdown files", "canvas-citations", survey, "cat of all of them", cat);
}

fn measure(table: &mut Table, repository: &Repository) {
    let canvas = |args: &[&str]| repository.canvas(args);
    let dir = repository.dir();
    let file = format!("{CANVAS}.xml");
    let git = |args: &[&str]| {
        let mut command = repository.git();
        command.args(args);
        command
    };
    let cat = || {
        let mut command = Command::new("cat");
        command.arg(dir.join(&file));
        command
    };
    let nodes = repository.nodes(CANVAS);
    let node = nodes[0].as_str();
    let base = repository.head();
    let name = repository.name();

    // Before any writer has left its index: what a fresh clone pays.
    let log = || seconds(git(&["log", "--format=%H", "--", &file]));
    let history = || seconds(canvas(&["history", CANVAS, node]));
    table.row(&name, "history, no index", history, "git log -- F", log);

    // The floor of a write: the same file, added and committed with everything forced to the disk.
    let mut turn = 0;
    let mut floor = || {
        turn += 1;
        std::fs::write(dir.join("floor.txt"), turn.to_string())
            .expect("the floor's file is written");
        let sync = ["-c", "core.fsync=all"];
        let add = seconds(git(&[&sync[..], &["add", "floor.txt"]].concat()));
        let commit = [&sync[..], &["commit", "-q", "-m", "x", "--", "floor.txt"]].concat();
        add + seconds(git(&commit))
    };
    let floor_name = "git add + commit, fsync";
    let why = "--why=the bench measures this edit";
    let mut text = 0;
    let mut replace = || {
        text += 1;
        let text = format!("--text=text {text}");
        seconds(canvas(&["replace", CANVAS, node, &text, why]))
    };
    replace();
    table.row(&name, "replace", &mut replace, floor_name, &mut floor);
    let based = || {
        seconds(canvas(&[
            "replace",
            CANVAS,
            node,
            "--text=based",
            why,
            "--base",
            &repository.head(),
        ]))
    };
    table.row(&name, "replace --base", based, floor_name, &mut floor);
    let insert = || seconds(canvas(&["insert", CANVAS, "--into=root", "--text=new", why]));
    table.row(&name, "insert", insert, floor_name, &mut floor);
    let moving = || seconds(canvas(&["move", CANVAS, node, "--into=root", why]));
    table.row(&name, "move", moving, floor_name, &mut floor);
    let mut gone = nodes.iter().skip(10);
    let remove = || match gone.next() {
        Some(node) => seconds(canvas(&["remove", CANVAS, node, why])),
        None => unreachable!("there are more nodes than rounds"),
    };
    table.row(&name, "remove", remove, floor_name, &mut floor);
    let freeze = || seconds(canvas(&["freeze", CANVAS, "--why=done: measured"]));
    table.row(&name, "freeze", freeze, floor_name, &mut floor);
    let create = || seconds(canvas(&["create", "--problem=P.", "--expected-value=V."]));
    table.row(&name, "create (three commits)", create, floor_name, &mut floor);

    let read = || seconds(canvas(&["read", CANVAS]));
    let look = || seconds(git(&["rev-parse", "HEAD"])) + seconds(cat());
    table.row(&name, "read", read, "git rev-parse + cat", look);
    table.row(&name, "history", history, "git log -- F", log);
    let provenance = || seconds(canvas(&["read", CANVAS, "--provenance"]));
    table.row(&name, "read --provenance", provenance, "git log -- F", log);
    let since = || seconds(canvas(&["read", CANVAS, "--since", &base]));
    let news = || seconds(git(&["log", "--format=%s", &format!("{base}..HEAD"), "--", &file]));
    table.row(&name, "read --since", since, "git log B..H -- F", news);
    let frozen = || seconds(canvas(&["read", CANVAS, "--frozen"]));
    table.row(&name, "read --frozen", frozen, "git log -- F", log);

    if repository.commits() >= 2_000 {
        measure_projection(table, repository);
    }
    measure_coherence(table, repository);

    for verb in ["replace", "history", "read --provenance"] {
        let mut args: Vec<&str> = verb.split(' ').collect();
        args.insert(1, CANVAS);
        match args[0] {
            "replace" => args.extend([node, "--text=memory", why]),
            "history" => args.push(node),
            _ => {}
        }
        table.memory(&name, verb, support::peak_memory(&canvas(&args)));
    }
    let checked = run(git(&["fsck", "--no-dangling"]));
    assert!(checked.status.success(), "git fsck: {}", String::from_utf8_lossy(&checked.stderr));
}
