//! `canvas-validate` on files of every kind (canvas-store §6). Each row is a way to lay out a
//! directory, the arguments, the exit status and what standard error must and must not hold.

#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test fails by panicking")]

use std::ffi::OsString;
use std::fs;
use std::os::unix::ffi::OsStringExt;
use std::os::unix::fs::symlink;
use std::path::Path;

use canvas_store::refusal::Program;
use programs::validate;

const VALID: &str = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<canvas ledger=\"t1\" schema=\"2\">\n  \
                     <text id=\"ab2c\" v=\"1\">P.</text>\n</canvas>\n";
const INVALID: &str = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<canvas ledger=\"t1\" schema=\"2\">\n  \
                       <text id=\"ab2c\" v=\"1\">P.</text>\n  <decision id=\"jc5v\" v=\"1\">D.</decision>\n</canvas>\n";
const DRAWING: &str = "<canvas ledger=\"t1\" schema=\"2\"><figure id=\"ab2c\" v=\"1\" \
                       payload=\"svg\">&lt;script/&gt;</figure></canvas>";

fn lay_out(at: &Path) {
    for (name, content) in [
        ("valid.xml", VALID),
        ("invalid.xml", INVALID),
        ("drawing.xml", DRAWING),
        ("broken.xml", "<canvas"),
        ("empty.xml", ""),
        ("a b.xml", INVALID),
    ] {
        fs::write(at.join(name), content).unwrap();
    }
    fs::create_dir(at.join("directory")).unwrap();
    symlink("valid.xml", at.join("link.xml")).unwrap();
    symlink("nowhere.xml", at.join("dangling.xml")).unwrap();
    symlink("loop.xml", at.join("loop.xml")).unwrap();
    let pipe = at.join("pipe.xml");
    let mode = rustix::fs::Mode::from_raw_mode(0o600);
    rustix::fs::mknodat(rustix::fs::CWD, &pipe, rustix::fs::FileType::Fifo, mode, 0).unwrap();
}

/// Arguments, the exit status, what standard error must hold and what it must not.
type Row = (&'static [&'static str], u8, &'static [&'static str], &'static [&'static str]);

/// The exit status and standard error, with the directory taken out of every path.
fn answer(at: &Path, names: &[&str]) -> (u8, String) {
    let arguments: Vec<OsString> = names.iter().map(|name| at.join(name).into()).collect();
    let answer = validate::run(&arguments);
    assert!(answer.stdout.is_empty());
    let Some(refusal) = answer.refusal else { return (0, String::new()) };
    let text = refusal.render(&Program::validate("bin/canvas-validate"));
    let text = String::from_utf8(text).unwrap().replace(&format!("{}/", at.display()), "");
    (refusal.exit().code(), text)
}

#[test]
fn each_kind_of_file_has_its_answer() {
    let temporary = tempfile::tempdir().unwrap();
    let at = temporary.path();
    lay_out(at);
    let rows: &[Row] = &[
        (&["valid.xml"], 0, &[], &[]),
        (&["valid.xml", "link.xml", "valid.xml"], 0, &[], &[]),
        (
            &["invalid.xml"],
            1,
            &[
                "canvas-validate: not a valid canvas: invalid.xml\n",
                "\ninvalid.xml:4: <decision> (id=\"jc5v\", v=\"1\"): ",
                "\nCanvas-About: file invalid.xml\n",
                "`bin/canvas-validate invalid.xml`",
                "canvas.rng",
                "\nCanvas-Exit: 1 — ",
            ],
            &[],
        ),
        (&["broken.xml"], 1, &["\nbroken.xml:1: not well-formed XML: "], &[]),
        (&["empty.xml"], 1, &["empty.xml:1: not well-formed XML: "], &[]),
        (&["drawing.xml"], 1, &["\ndrawing.xml: <figure> (id=\"ab2c\", v=\"1\"): SVG_"], &[]),
        (
            &["invalid.xml", "valid.xml", "broken.xml", "invalid.xml"],
            1,
            &[
                "not a valid canvas: invalid.xml, broken.xml\ninvalid.xml:4: ",
                "\nbroken.xml:1: not well-formed XML: ",
                "\nCanvas-About: file invalid.xml\nCanvas-About: file broken.xml\nCanvas-Next: ",
            ],
            &["file valid.xml"],
        ),
        (&["invalid.xml", "missing.xml"], 2, &["no such file: missing.xml\n"], &["decision"]),
        (
            &["missing.xml"],
            2,
            &[
                "\nCanvas-About: file missing.xml\n",
                "$OPENCLAW_WORKSPACE/state/canvas/<",
                "\nCanvas-Exit: 2 — ",
            ],
            &["cannot tell"],
        ),
        (&["dangling.xml"], 2, &["no such file"], &[]),
        (&["loop.xml"], 2, &["cannot tell", "errno 40 ELOOP"], &["no such file"]),
        (&["directory"], 2, &["not a file but a directory"], &["no such file"]),
        (&["pipe.xml"], 2, &["not a file but a named pipe"], &["no such file"]),
        (&["valid.xml/inner.xml"], 2, &["errno 20 ENOTDIR"], &["no such file", "chmod"]),
        (&["--help"], 2, &["no such file: --help"], &[]),
        (&["a b.xml"], 1, &["`bin/canvas-validate 'a b.xml'`"], &[]),
    ];
    for (names, status, has, lacks) in rows {
        let (code, text) = answer(at, names);
        assert_eq!(code, *status, "{names:?}: {text}");
        for part in *has {
            assert!(text.contains(part), "{names:?} lacks {part:?}: {text}");
        }
        for part in *lacks {
            assert!(!text.contains(part), "{names:?} has {part:?}: {text}");
        }
    }
}

#[test]
fn no_arguments_is_a_usage_fault() {
    let refusal = validate::run(&[]).refusal.unwrap();
    let text = String::from_utf8(refusal.render(&Program::validate("canvas-validate"))).unwrap();
    assert!(text.contains("\nusage: canvas-validate FILE [FILE ...]\n"), "{text}");
    assert!(text.contains("\nCanvas-About: argument FILE\n"), "{text}");
    assert_eq!(refusal.exit().code(), 2);
}

#[test]
fn a_name_that_is_not_utf8_is_refused() {
    let answer = validate::run(&[OsString::from_vec(vec![b'a', 0xff])]);
    assert_eq!(answer.refusal.unwrap().exit().code(), 2);
}

#[test]
fn a_file_past_the_limit_is_at_fault_itself_and_is_not_read_to_its_end() {
    let temporary = tempfile::tempdir().unwrap();
    let path = temporary.path().join("large.xml");
    // A sparse file of a terabyte: reading all of it would take hours.
    fs::File::create(&path).unwrap().set_len(1 << 40).unwrap();
    let (code, text) = answer(temporary.path(), &["large.xml"]);
    assert_eq!(code, 1, "{text}");
    assert!(text.contains("large.xml:1: not well-formed XML: "), "{text}");
}
