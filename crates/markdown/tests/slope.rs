//! Time grows with length, whatever is repeated.
//!
//! Each pattern is repeated to one mebibyte in a release build and to 32 KiB in a debug build, and
//! each of the three things the crate does with a text (reading it, segmenting it, judging its
//! citations) must be done within a second of processor time: a quadratic step takes minutes at the
//! first size and several seconds at the second. A pattern written `A|||B|||C` is A once, B repeated,
//! C once; `A|||B|||C|||D` repeats D after C as often as B.

#![allow(clippy::panic, reason = "a test fails by panicking")]

use std::hint::black_box;
use std::time::{Duration, Instant};

use markdown::citation::{Cited, Code, candidates, citations, quotations};
use markdown::{Body, Document, bare_urls};

const SIZE: usize = if cfg!(debug_assertions) { 32 * 1024 } else { 1024 * 1024 };
const LIMIT: Duration = Duration::from_secs(1);

fn expand(pattern: &str) -> String {
    let pattern = pattern.replace("\\n", "\n").replace("\\t", "\t").replace("\\r", "\r");
    let parts: Vec<&str> = pattern.split("|||").collect();
    match parts[..] {
        [unit] => unit.repeat(SIZE / unit.len()),
        [before, unit, after] => format!("{before}{}{after}", unit.repeat(SIZE / unit.len())),
        [before, unit, between, close] => {
            let count = SIZE / (unit.len() + close.len());
            format!("{before}{}{between}{}", unit.repeat(count), close.repeat(count))
        }
        _ => panic!("a pattern has one, three or four parts: {pattern:?}"),
    }
}

/// Patterns in which the repetition carries a number.
fn numbered() -> Vec<(&'static str, String)> {
    let each = |one: &dyn Fn(usize) -> String| {
        let mut text = String::new();
        for at in 0.. {
            let next = one(at);
            if text.len() + next.len() > SIZE {
                return text;
            }
            text.push_str(&next);
        }
        text
    };
    vec![
        ("definitions", each(&|at| format!("[{at}]: /{at}\n"))),
        ("definitions and uses", each(&|at| format!("[{at}]\n\n[{at}]: /{at}\n\n"))),
        ("headings", each(&|at| format!("# h {at}\n"))),
        ("headings that look like repeats", each(&|at| format!("# a-{}\n# a\n", at + 1))),
        ("backtick runs of growing length", each(&|at| format!("{} ", "`".repeat(at % 700 + 1)))),
        ("backtick runs of growing length, one line each", {
            each(&|at| format!("{}\n", "`".repeat(at % 700 + 1)))
        }),
        ("fences of growing length", each(&|at| format!("{}\n", "~".repeat(at % 500 + 3)))),
        ("front-matter keys", format!("---\n{}---\n", each(&|at| format!("k{at}: v\n")))),
        ("front-matter list", format!("---\na:\n{}---\n", each(&|at| format!("- {at}\n")))),
        ("front-matter flow list", format!("---\na: [{}]\n---\n", each(&|at| format!("{at}, ")))),
        ("nested bullets, each deeper, wrapped", {
            each(&|at| format!("{}- x\n", "  ".repeat(at % 300)))
        }),
        ("quotes, each deeper, wrapped", each(&|at| format!("{} x\n\n", ">".repeat(at % 300 + 1)))),
        ("citations of numbered lines", each(&|at| format!("a.md:{at} `:{at}` "))),
    ]
}

const PATTERNS: &str = include_str!("slope.txt");

/// One part of the work, and what it is called.
type Part = (&'static str, fn(&str));

const PARTS: [Part; 3] = [("reads", read), ("segments", segment), ("cites", cite)];

fn read(text: &str) {
    if let Ok(document) = Document::parse(text) {
        for run in document.body().runs() {
            black_box(document.position(run.span.start));
        }
        for link in document.links().iter().filter(|link| !link.image) {
            black_box(document.link_text(link));
        }
    }
    black_box(bare_urls(text));
}

fn segment(text: &str) {
    let body = Body::parse(text, 0);
    black_box(body.headings(text));
    for sentence in body.sentences(text) {
        black_box((sentence.words(), sentence.prose()));
    }
}

fn cite(text: &str) {
    let code = Code::of(text);
    let cited = citations(text);
    let target = Cited::new(text.to_owned());
    for (at, quotation) in quotations(text, &code).iter().enumerate() {
        black_box(candidates(text, &cited, quotation));
        // A search of the whole file is linear in itself; a handful shows that.
        if at < 4 {
            black_box(target.places(&quotation.words, 25));
        }
    }
}

/// Processor time of this thread, so that a busy machine slows nothing down; elsewhere than on Linux
/// the clock on the wall.
fn spent(work: impl FnOnce()) -> Duration {
    let now = || {
        let text = std::fs::read_to_string("/proc/thread-self/schedstat").ok()?;
        text.split(' ').next()?.parse().ok().map(Duration::from_nanos)
    };
    let (clock, before) = (Instant::now(), now());
    work();
    match (before, now()) {
        (Some(before), Some(after)) if after > before => after - before,
        _ => clock.elapsed(),
    }
}

#[test]
fn every_pattern_is_read_in_time() {
    let patterns: Vec<&str> =
        PATTERNS.lines().filter(|line| !line.is_empty() && !line.starts_with("//")).collect();
    let expanded = patterns.iter().map(|pattern| (*pattern, expand(pattern)));
    let all: Vec<(&str, String)> = expanded.chain(numbered()).collect();
    assert!(all.len() >= 100, "only {} patterns", all.len());
    let mut slow = Vec::new();
    for (pattern, text) in &all {
        for (part, work) in PARTS {
            // A cold cache may slow one try: slow is what is slow twice.
            let first = spent(|| work(text));
            if first > LIMIT && spent(|| work(text)) > LIMIT {
                slow.push(format!("{part} {first:?} {pattern}"));
            }
        }
    }
    assert!(slow.is_empty(), "slow patterns:\n{}", slow.join("\n"));
}
