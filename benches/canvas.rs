//! What every verb of `canvas` costs, as a ratio to what git and the disk cost for the same thing,
//! both measured in this run (docs: benches/README.md).
//!
//! Each line of the table is one process run from start to end. The floor and the verb take turns,
//! so that whatever else the machine does falls on both.

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
    table.print_and_keep("canvas");
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
