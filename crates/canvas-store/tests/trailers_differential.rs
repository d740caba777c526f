//! Trailers, subjects and composed messages against git itself, on thousands of hostile messages.
//!
//! Two readings of git are asked: `git log`, which is the one the store stands in for, and
//! `git interpret-trailers --parse`. No message uses what differs between git's releases; both 2.39
//! and 2.47 agree on all of them.

#![allow(clippy::expect_used, reason = "a test fails by panicking")]

mod git;

use std::fs;

use canvas_store::message::{Message, decode, fold_reason, subject};
use canvas_store::trailers::parse;
use git::{Commits, Random, git, run};

const MESSAGES: usize = 10_000;
/// `git interpret-trailers` reads this many files per process.
const FILES_PER_PROCESS: usize = 1000;

/// Whole lines and pieces of lines at which a reading of the trailer rule could go wrong.
const LINES: [&[u8]; 44] = [
    b"Canvas-Node: zz99\n",
    b"Canvas-Author: leo | by-hand\n",
    b"canvas-node:x\n",
    b"A: 1\n",
    b"A : 1\n",
    b"A\t :1\n",
    b"A B: 1\n",
    b"A-: -\n",
    b"-: x\n",
    b"9: x\n",
    b"A:\n",
    b"A: \n",
    b": x\n",
    b":\n",
    b"A= 1\n",
    b"A_B: 1\n",
    b"Caf\xc3\xa9: 1\n",
    b"A: \xff\xfe\n",
    b"A: x:y: z\n",
    b"A: 1\r\n",
    b"\r\n",
    b"\r",
    b"\x0b\n",
    b"\x0c: x\n",
    b"  \n",
    b"\t\n",
    b"\n",
    b"\n",
    b"\n\n",
    b" folded\n",
    b"\tfolded \t\n",
    b" A: folded\n",
    b"  # folded\n",
    b"# comment\n",
    b"#\n",
    b"#A: 1\n",
    b"other words\n",
    b"other\n",
    b"Signed-off-by: someone <s@example.org>\n",
    b"Signed-off-by:x\n",
    b"(cherry picked from commit 0123)\n",
    b"---\n",
    b"Conflicts:\n",
    b"# ------------------------ >8 ------------------------\n",
];

const PIECES: [&[u8]; 20] = [
    b"A",
    b"a",
    b"-",
    b":",
    b": ",
    b" ",
    b"  ",
    b"\t",
    b"\n",
    b"\r",
    b"\n\n",
    b"#",
    b"---",
    b"\xe9",
    b"1",
    b"Canvas-Node",
    b"\x1d\x1e",
    b"Signed-off-by: ",
    b"=",
    b"\x7f",
];

/// What a trailer block mostly consists of, so that many messages have one.
const BLOCK: [&[u8]; 14] = [
    b"Canvas-Node: zz99\n",
    b"Canvas-Author: leo | by-hand\n",
    b"A: 1\n",
    b"A\t : 1 \r\n",
    b"A:\n",
    b"9: \xe9:\n",
    b" folded\n",
    b"\tfolded: too \t\n",
    b"# comment\n",
    b" \r\n",
    b"\r\n",
    b"other words\n",
    b"Signed-off-by: someone <s@example.org>\n",
    b"(cherry picked from commit 0123)\n",
];

/// One hostile message. It holds no NUL byte, which a message passed in a file cannot end at.
fn hostile(random: &mut Random) -> Vec<u8> {
    let mut message = Vec::new();
    // Half of them start as most messages do, so that the last paragraph is not the title.
    if random.below(2) == 0 {
        message.extend_from_slice(b"insert ab2c: because\n\n");
    }
    let block = random.below(2) == 0;
    for _ in 0..random.below(14) {
        if block && random.below(12) > 0 {
            message.extend_from_slice(random.pick(&BLOCK));
        } else if random.below(5) == 0 {
            for _ in 0..random.below(8) {
                message.extend_from_slice(random.pick(&PIECES));
            }
        } else {
            message.extend_from_slice(random.pick(&LINES));
        }
    }
    message
}

/// What `git log --format=<format>` prints for commits with these messages, in order.
fn log(messages: &[Vec<u8>], format: &str) -> Vec<Vec<u8>> {
    let mut commits = Commits::new();
    for message in messages {
        commits.start_branch();
        commits.add(message, b"");
    }
    let output = commits.log(&[&format!("--format=tformat:{format}%x00")]);
    let records: Vec<Vec<u8>> = output
        .split(|&byte| byte == 0)
        .enumerate()
        // Every record but the first follows the line feed that ends the one before.
        .map(|(index, record)| record[usize::from(index > 0 && !record.is_empty())..].to_vec())
        .collect();
    assert_eq!(records.len(), messages.len() + 1);
    records[..messages.len()].to_vec()
}

/// Our trailers in the layout asked of git.
fn shown(message: &[u8], between: &[u8], after: &[u8]) -> Vec<u8> {
    parse(message)
        .iter()
        .flat_map(|trailer| [trailer.key, between, &trailer.value, after].concat())
        .collect()
}

fn compare(messages: &[Vec<u8>], ours: impl Fn(&[u8]) -> Vec<u8>, gits: &[Vec<u8>]) {
    let wrong: Vec<_> = messages
        .iter()
        .zip(gits)
        .filter(|(message, git)| ours(message) != **git)
        .map(|(message, git)| {
            let ours = ours(message);
            format!(
                "{}\n  ours {}\n  git  {}",
                message.escape_ascii(),
                ours.escape_ascii(),
                git.escape_ascii()
            )
        })
        .collect();
    assert!(
        wrong.is_empty(),
        "{} of {} differ:\n{}",
        wrong.len(),
        messages.len(),
        wrong[..wrong.len().min(20)].join("\n")
    );
}

fn messages(seed: u64) -> Vec<Vec<u8>> {
    let mut random = Random(seed);
    (0..MESSAGES).map(|_| hostile(&mut random)).collect()
}

#[test]
fn trailers_are_those_of_git_log() {
    let mut messages = messages(1);
    // A commit can hold a NUL byte, at which git stops reading.
    let mut random = Random(2);
    for message in messages.iter_mut().step_by(10) {
        message.insert(random.below(message.len() + 1), 0);
    }
    let gits = log(&messages, "%(trailers:only,unfold)");
    compare(&messages, |message| shown(message, b": ", b"\n"), &gits);
    assert!(gits.iter().filter(|record| !record.is_empty()).count() > MESSAGES / 5);
}

#[test]
fn subjects_are_those_of_git_log() {
    let messages = messages(3);
    compare(&messages, subject, &log(&messages, "%s"));
}

#[test]
fn trailers_are_those_of_git_interpret_trailers() {
    // This command does not pass over leading blank lines, so they are left out.
    let messages: Vec<Vec<u8>> = messages(4)
        .into_iter()
        .map(|message| {
            let first = message.split_inclusive(|&byte| byte == b'\n');
            let blank: usize = first
                .take_while(|line| line.iter().all(|byte| b" \t\r\n".contains(byte)))
                .map(<[u8]>::len)
                .sum();
            message[blank..].to_vec()
        })
        .collect();
    let directory = tempfile::tempdir().expect("a temporary directory");
    // The command joins the answers of its files: a file with a known answer stands between them.
    const MARK: &str = "Mark: 3a1f06\n";
    fs::write(directory.path().join("mark"), format!("t\n\n{MARK}")).expect("a file");
    let mut gits = Vec::new();
    for chunk in messages.chunks(FILES_PER_PROCESS) {
        let mut command = git(directory.path());
        command.args(["interpret-trailers", "--parse", "--no-divider"]);
        for (index, message) in chunk.iter().enumerate() {
            fs::write(directory.path().join(index.to_string()), message).expect("a file");
            command.arg(index.to_string()).arg("mark");
        }
        let output = run(&mut command, b"");
        let mut rest = &output[..];
        for _ in chunk {
            let end = rest.windows(MARK.len()).position(|window| window == MARK.as_bytes());
            let end = end.expect("an answer for every file");
            gits.push(rest[..end].to_vec());
            rest = &rest[end + MARK.len()..];
        }
        assert!(rest.is_empty());
    }
    compare(&messages, |message| shown(message, b": ", b"\n"), &gits);
}

#[test]
fn git_reads_a_composed_message_as_we_do() {
    let mut random = Random(5);
    let mut text = |pieces: usize| {
        let mut bytes = Vec::new();
        for _ in 0..=random.below(pieces) {
            let list = if random.below(2) == 0 { &LINES[..] } else { &PIECES[..] };
            bytes.extend_from_slice(random.pick(list));
        }
        String::from_utf8_lossy(&bytes).into_owned()
    };
    let pairs: Vec<(String, String)> = (0..MESSAGES / 4)
        .map(|_| (text(6), text(2).replace(char::is_control, "")))
        .filter(|(reason, _)| !fold_reason(reason).is_empty())
        .chain([("word: ".repeat(20_000), "leo | by-hand".to_owned())])
        .collect();
    let messages: Vec<Vec<u8>> = pairs
        .iter()
        .map(|(reason, author)| {
            let node = Some("zz99");
            let base = Some("0123456789abcdef0123456789abcdef01234567");
            let (verb, name, freeze) = ("replace", "zz99", None);
            Message { verb, name, reason, node, freeze, author, base }.compose()
        })
        .collect();
    let gits = log(&messages, "%s%n%(trailers:only,unfold)");
    for (((reason, author), message), git) in pairs.iter().zip(&messages).zip(&gits) {
        let expected = format!(
            "replace zz99: {}\nCanvas-Node: zz99\nCanvas-Author: {}\nCanvas-Base: {}\n",
            fold_reason(reason),
            author.trim_matches(' '),
            "0123456789abcdef0123456789abcdef01234567"
        );
        assert_eq!(String::from_utf8_lossy(git), expected);
        let decoded = decode(message);
        assert_eq!(decoded.reason(), fold_reason(reason));
        assert!(decoded.names("zz99"));
    }
}
