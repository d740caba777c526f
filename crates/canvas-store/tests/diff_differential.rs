//! Our unified diff against git's, on a thousand random pairs of versions.
//!
//! Every pair is three commits of one file: the first version, the second, none. So each also
//! checks a creation and a deletion. Git makes all commits in one process and prints all patches in
//! another.

#![allow(clippy::expect_used, reason = "a test fails by panicking")]

mod git;

use canvas_store::diff::{Side, unified};
use git::{Commits, Random};

const PAIRS: usize = 1000;
const PATH: &str = "t1.xml";
const FILE: u32 = 0o100_644;

/// A line of a canvas: indented markup, with text that may run over several lines.
fn canvas_line(random: &mut Random) -> Vec<u8> {
    const NAMES: [&str; 5] = ["claim", "question", "note", "section", "evidence"];
    let name = NAMES[random.below(NAMES.len())];
    let indent = "  ".repeat(random.below(4));
    let line = match random.below(9) {
        0 => format!("{indent}<section id=\"s{}\" title=\"Part\">", random.below(9)),
        1 => format!("{indent}</section>"),
        2 => String::new(),
        3 => format!("and the text goes on, {} times", random.below(50)),
        4 => format!("{indent}</{name}>"),
        5 => format!("{indent}<{name} id=\"n{}\">first line of a text", random.below(400)),
        6 => format!("{}\u{e9}\u{1f600}\u{4e2d} tail", "Wort".repeat(17 + random.below(5))),
        _ => format!("{indent}<{name} id=\"n{}\" v=\"1\">same text</{name}>", random.below(400)),
    };
    line.into_bytes()
}

/// A line of anything: few different lines, so that there are many ways to place a change.
fn any_line(random: &mut Random) -> Vec<u8> {
    match random.below(14) {
        0 => b"}".to_vec(),
        1 => b"  }".to_vec(),
        2 => b"\t".repeat(random.below(4)),
        3 => b" \t \r".to_vec(),
        4 => format!("fn name_{}() {{", random.below(6)).into_bytes(),
        5 => b"_x \xff broken".to_vec(),
        6 => format!("$ {} \r", "word ".repeat(random.below(40))).into_bytes(),
        7 => "z".repeat(random.below(3000)).into_bytes(),
        8 => format!("caf\u{e9}{}\u{ffff}!", "\u{e9}".repeat(30 + random.below(20))).into_bytes(),
        9 => format!("{}   {}", "a".repeat(70 + random.below(12)), random.below(3)).into_bytes(),
        10 => b"-- a\x0b".to_vec(),
        11 => Vec::new(),
        12 => format!("{}{}", " ".repeat(random.below(230)), random.below(3)).into_bytes(),
        _ => format!("    step({});", random.below(8)).into_bytes(),
    }
}

type MakeLine = fn(&mut Random) -> Vec<u8>;

/// A second version: edits of all sizes at any place, moved and repeated blocks among them.
fn edited(random: &mut Random, lines: &[Vec<u8>], make: MakeLine) -> Vec<Vec<u8>> {
    let mut lines = lines.to_vec();
    let most = random.pick(&[3, 12, 60]);
    for _ in 0..=random.below(most) {
        let at = random.below(lines.len() + 1);
        let longest = random.pick(&[2, 8, 150]);
        let end = (at + random.below(longest)).min(lines.len());
        match random.below(4) {
            0 => drop(lines.drain(at..end)),
            1 => {
                let block = lines[at..end].to_vec();
                let to = random.below(lines.len() + 1);
                lines.splice(to..to, block);
            }
            2 => {
                let block: Vec<_> = lines.drain(at..end).collect();
                let to = random.below(lines.len() + 1);
                lines.splice(to..to, block);
            }
            _ => {
                let block: Vec<_> = (0..=random.below(5)).map(|_| make(random)).collect();
                lines.splice(at..end.min(at + 2), block);
            }
        }
    }
    lines
}

fn joined(random: &mut Random, lines: &[Vec<u8>]) -> Vec<u8> {
    let mut text = lines.join(&b'\n');
    // One in four has no line feed at its end.
    if !text.is_empty() && random.below(4) > 0 {
        text.push(b'\n');
    }
    text
}

fn pair(random: &mut Random, index: usize) -> [Vec<u8>; 2] {
    let make: MakeLine = if index.is_multiple_of(2) { canvas_line } else { any_line };
    let longest = random.pick(&[4, 60, 60, 60, 60, 400, 400, 400, 2500]);
    let size = random.below(longest);
    let first: Vec<_> = (0..size).map(|_| make(random)).collect();
    let second = match random.below(20) {
        0 => (0..size).map(|_| make(random)).collect(),
        _ => edited(random, &first, make),
    };
    let mut pair = [joined(random, &first), joined(random, &second)];
    for version in &mut pair {
        match random.below(60) {
            0 => version.clear(),
            // A binary file; and one with a NUL too late to make it so.
            1 => version.insert(random.below(version.len() + 1), 0),
            // Carriage returns all over.
            2 => {
                let text = std::mem::take(version);
                for line in text.split_inclusive(|&byte| byte == b'\n') {
                    version.extend_from_slice(line.strip_suffix(b"\n").unwrap_or(line));
                    version.extend_from_slice(if line.ends_with(b"\n") { b"\r\n" } else { b"" });
                }
            }
            _ => {}
        }
    }
    pair
}

/// One version of the file: its mode and content, or no file.
type Version = Option<(u32, Vec<u8>)>;

/// Git's patch of every commit, where each chain of versions is a branch of its own.
fn patches(chains: &[Vec<Version>]) -> Vec<Vec<u8>> {
    let mut commits = Commits::new();
    for chain in chains {
        commits.start_branch();
        for version in chain {
            let change = match version {
                Some((mode, content)) => {
                    let head = format!("M {mode:06o} inline {PATH}\ndata {}\n", content.len());
                    [head.as_bytes(), content, b"\n"].concat()
                }
                None => format!("D {PATH}\n").into_bytes(),
            };
            commits.add(b"x", &change);
        }
    }
    let output = commits.log(&["-p", "--format=commit %H"]);
    // No line of a patch begins with "commit ".
    let mut patches: Vec<Vec<u8>> = Vec::new();
    for line in output.split_inclusive(|&byte| byte == b'\n') {
        if line.starts_with(b"commit ") {
            patches.push(Vec::new());
        } else if let Some(patch) = patches.last_mut() {
            // An empty line stands between the commit and its patch.
            if !(patch.is_empty() && line == b"\n") {
                patch.extend_from_slice(line);
            }
        }
    }
    assert_eq!(patches.len(), chains.iter().map(Vec::len).sum::<usize>());
    patches
}

/// The two abbreviated ids of every `index` line of a patch, as git chose them.
fn abbreviations(patch: &[u8]) -> Vec<[String; 2]> {
    patch
        .split(|&byte| byte == b'\n')
        .filter_map(|line| line.strip_prefix(b"index "))
        .filter_map(|line| std::str::from_utf8(line).ok()?.split(' ').next()?.split_once(".."))
        .map(|(old, new)| [old.to_owned(), new.to_owned()])
        .collect()
}

fn compare(chains: &[Vec<Version>]) {
    let patches = patches(chains);
    let steps = chains.iter().flat_map(|chain| {
        let before = std::iter::once(&None).chain(chain);
        before.zip(chain)
    });
    let mut wrong = 0;
    let mut report = String::new();
    for ((old, new), git) in steps.zip(&patches) {
        let ids = abbreviations(git);
        let old_id = ids.first().map(|ids| ids[0].clone()).unwrap_or_default();
        let new_id = ids.last().map(|ids| ids[1].clone()).unwrap_or_default();
        let zeros = "0".repeat(old_id.len().min(new_id.len()));
        fn side(version: &Version, abbrev: String) -> Option<Side<'_>> {
            version.as_ref().map(|(mode, content)| Side { mode: *mode, abbrev, content })
        }
        let old = side(old, old_id);
        let new = side(new, new_id);
        let ours = unified(PATH, old.as_ref(), new.as_ref(), &zeros);
        if ours != *git {
            wrong += 1;
            let first = ours.iter().zip(git).position(|(a, b)| a != b).unwrap_or_default();
            let near = |text: &[u8]| {
                let end = text.len().min(first + 300);
                text[first.saturating_sub(300).min(end)..end].escape_ascii().to_string()
            };
            if report.len() < 5000 {
                report += &format!("at byte {first}\n ours {}\n git  {}\n", near(&ours), near(git));
            }
        }
    }
    assert_eq!(wrong, 0, "{wrong} of {} patches differ\n{report}", patches.len());
}

#[test]
fn random_pairs_give_gits_diff() {
    let mut random = Random(1);
    let chains: Vec<Vec<Version>> = (0..PAIRS)
        .map(|index| {
            let [first, second] = pair(&mut random, index);
            vec![Some((FILE, first)), Some((FILE, second)), None]
        })
        .collect();
    compare(&chains);
}

#[test]
fn modes_links_and_edge_cases_give_gits_diff() {
    const TOOL: u32 = 0o100_755;
    const LINK: u32 = 0o120_000;
    let late_nul = [b"a\n".repeat(4000), b"\0\n".to_vec()].concat();
    let early_nul = [b"a\n".repeat(3999), b"a\0".to_vec()].concat();
    let many = |lines: usize| -> Vec<u8> {
        (0..lines).flat_map(|line| format!("line {line}\n").into_bytes()).collect()
    };
    let chains = [
        vec![(FILE, b"a\n".to_vec()), (TOOL, b"a\n".to_vec()), (FILE, b"b\n".to_vec())],
        vec![(FILE, b"a\n".to_vec()), (LINK, b"a".to_vec()), (FILE, b"a".to_vec())],
        vec![(FILE, b"".to_vec()), (TOOL, b"".to_vec()), (FILE, b"\n".to_vec())],
        vec![(FILE, b"a".to_vec()), (FILE, b"a\n".to_vec()), (FILE, b"a".to_vec())],
        vec![(FILE, late_nul.clone()), (FILE, early_nul.clone()), (TOOL, late_nul.clone())],
        vec![(FILE, late_nul.clone()), (FILE, [&late_nul[..], b"x"].concat())],
        vec![(FILE, b"\0a".to_vec()), (FILE, b"".to_vec()), (FILE, b"\0".to_vec())],
        vec![(FILE, many(9)), (FILE, many(8)), (FILE, many(1)), (FILE, many(0))],
    ];
    let chains: Vec<Vec<Version>> = chains
        .into_iter()
        .map(|chain| chain.into_iter().map(Some).chain([None]).collect())
        .collect();
    compare(&chains);
}
