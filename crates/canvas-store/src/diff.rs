//! The unified diff of one file between two versions, byte for byte as git prints it.
//!
//! A refused writer is shown what changed since it read. It may hold that against git's own output,
//! so the text equals `git diff <a> <b> -- F` under git's defaults. The edit script and the placing
//! of ambiguous hunks come from `gix`; the header, the context, the function name and the last
//! line's marker are written here, where `gix` has nothing equal to git.

use std::ops::Range;

use gix::diff::blob::{Algorithm, InternedInput, diff_with_slider_heuristics};
use memchr::memchr;

use crate::trailers::{is_space, lines};

/// Unchanged lines shown around a change.
const CONTEXT: usize = 3;
/// A NUL byte in this many first bytes makes a file binary.
const BINARY_PROBE: usize = 8000;
/// A larger file is binary (git's `core.bigFileThreshold`). This also keeps the number of lines
/// within what the edit script can count.
const BIG_FILE: usize = 512 << 20;
/// A function name is cut after this many bytes.
const FUNCTION_NAME: usize = 80;
/// The bits of a mode that tell a file from a symbolic link.
const FILE_TYPE: u32 = 0o170_000;

/// One version of the file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Side<'a> {
    /// The mode in the tree, e.g. `0o100644`.
    pub mode: u32,
    /// The blob's id, abbreviated as git would in this repository.
    pub abbrev: String,
    /// The blob.
    pub content: &'a [u8],
}

/// The diff of the file `path` from `old` to `new`; `None` is a version in which there is no file.
///
/// `zeros` is what stands for the id of a missing version: as many zeros as an abbreviated id has
/// digits in this repository. `path` needs no quoting. Equal versions give no output.
/// (canvas-store §3.4, §5.3, §5.4.)
pub fn unified(path: &str, old: Option<&Side>, new: Option<&Side>, zeros: &str) -> Vec<u8> {
    if let (Some(before), Some(after)) = (old, new) {
        if before.mode == after.mode && before.content == after.content {
            return Vec::new();
        }
        // A file that becomes a link is one file removed and another created.
        if before.mode & FILE_TYPE != after.mode & FILE_TYPE {
            let removed = unified(path, old, None, zeros);
            return [removed, unified(path, None, new, zeros)].concat();
        }
    }
    if old.is_none() && new.is_none() {
        return Vec::new();
    }

    let mut out = head(path, old, new, zeros).into_bytes();
    let before = old.map_or(&b""[..], |side| side.content);
    let after = new.map_or(&b""[..], |side| side.content);
    if before == after {
        return out;
    }
    let old_label = old.map_or("/dev/null".to_owned(), |_| format!("a/{path}"));
    let new_label = new.map_or("/dev/null".to_owned(), |_| format!("b/{path}"));
    if is_binary(before) || is_binary(after) {
        let line = format!("Binary files {old_label} and {new_label} differ\n");
        out.extend_from_slice(line.as_bytes());
    } else {
        out.extend_from_slice(format!("--- {old_label}\n+++ {new_label}\n").as_bytes());
        hunks(before, after, &mut out);
    }
    out
}

/// The lines from `diff --git` to `index`.
fn head(path: &str, old: Option<&Side>, new: Option<&Side>, zeros: &str) -> String {
    let mut head = format!("diff --git a/{path} b/{path}\n");
    let ids = |old: &str, new: &str| format!("index {old}..{new}");
    match (old, new) {
        (Some(old), Some(new)) => {
            if old.mode != new.mode {
                head += &format!("old mode {:06o}\nnew mode {:06o}\n", old.mode, new.mode);
            }
            if old.content != new.content {
                head += &ids(&old.abbrev, &new.abbrev);
                if old.mode == new.mode {
                    head += &format!(" {:06o}", old.mode);
                }
                head += "\n";
            }
        }
        (Some(old), None) => {
            head += &format!("deleted file mode {:06o}\n", old.mode);
            head += &(ids(&old.abbrev, zeros) + "\n");
        }
        (None, Some(new)) => {
            head += &format!("new file mode {:06o}\n", new.mode);
            head += &(ids(zeros, &new.abbrev) + "\n");
        }
        (None, None) => {}
    }
    head
}

fn is_binary(content: &[u8]) -> bool {
    content.len() > BIG_FILE || memchr(0, &content[..content.len().min(BINARY_PROBE)]).is_some()
}

/// Appends every hunk of the change from `before` to `after`.
///
/// Equality with git has its price: the edit script is git's Myers search, whose cut-offs keep it
/// near linear on documents, but not on hundreds of thousands of lines of which few differ in text.
fn hunks(before: &[u8], after: &[u8], out: &mut Vec<u8>) {
    let mut input = InternedInput::default();
    input.update_before(lines(before));
    input.update_after(lines(after));
    let diff = diff_with_slider_heuristics(Algorithm::Myers, &input);
    let old: Vec<&[u8]> = lines(before).collect();
    let new: Vec<&[u8]> = lines(after).collect();

    let changes: Vec<Change> = diff
        .hunks()
        .map(|hunk| Change { old: widen(hunk.before), new: widen(hunk.after) })
        .collect();
    let mut function: &[u8] = b"";
    let mut searched = 0;
    // Changes whose context would touch or overlap share a hunk.
    for group in changes.chunk_by(|a, b| b.old.start - a.old.end <= 2 * CONTEXT) {
        let (Some(first), Some(last)) = (group.first(), group.last()) else { continue };
        let lead = first.old.start.min(CONTEXT);
        let trail = (old.len() - last.old.end).min(CONTEXT);
        let old_range = first.old.start - lead..last.old.end + trail;
        let new_range = first.new.start - lead..last.new.end + trail;

        // The nearest function line above the hunk; the last hunk's, if there is none in between.
        let above = &old[searched..old_range.start];
        function = above.iter().rev().find_map(|line| function_name(line)).unwrap_or(function);
        searched = old_range.start;

        hunk_head(&old_range, &new_range, function, out);
        let mut context = new_range.start;
        for change in group {
            emit(b' ', &new[context..change.new.start], out);
            emit(b'-', &old[change.old.clone()], out);
            emit(b'+', &new[change.new.clone()], out);
            context = change.new.end;
        }
        emit(b' ', &new[context..new_range.end], out);
    }
}

/// Lines of the old version replaced by lines of the new one; either range may be empty.
struct Change {
    old: Range<usize>,
    new: Range<usize>,
}

fn widen(range: Range<u32>) -> Range<usize> {
    range.start as usize..range.end as usize
}

/// Appends the `@@` line.
fn hunk_head(old: &Range<usize>, new: &Range<usize>, function: &[u8], out: &mut Vec<u8>) {
    let place = |range: &Range<usize>| match range.len() {
        // An empty range is named by the line before it, and lines count from one.
        0 => format!("{},0", range.start),
        1 => format!("{}", range.start + 1),
        length => format!("{},{length}", range.start + 1),
    };
    out.extend_from_slice(format!("@@ -{} +{} @@", place(old), place(new)).as_bytes());
    if !function.is_empty() {
        out.push(b' ');
        out.extend_from_slice(function);
    }
    out.push(b'\n');
}

/// What a hunk's header shows of a line that looks like the start of a function: one that begins
/// with a letter, `_` or `$`.
///
/// Cut at 80 bytes, then trimmed, then cut again before the first byte that is no whole character,
/// as git does, in this order.
fn function_name(line: &[u8]) -> Option<&[u8]> {
    if !line.first().is_some_and(|&byte| byte.is_ascii_alphabetic() || matches!(byte, b'_' | b'$'))
    {
        return None;
    }
    let line = &line[..line.len().min(FUNCTION_NAME)];
    let line = &line[..line.iter().rposition(|&byte| !is_space(byte)).map_or(0, |last| last + 1)];
    let text = line.utf8_chunks().next().map_or("", |chunk| chunk.valid());
    // Git counts these two as no characters, unlike the other non-characters.
    Some(text.split(['\u{fffe}', '\u{ffff}']).next().unwrap_or_default().as_bytes())
}

/// Appends lines with their sign. Only a file's last line can lack a line feed, and is marked then.
fn emit(sign: u8, lines: &[&[u8]], out: &mut Vec<u8>) {
    for line in lines {
        out.push(sign);
        out.extend_from_slice(line);
        if !line.ends_with(b"\n") {
            out.extend_from_slice(b"\n\\ No newline at end of file\n");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const FILE: u32 = 0o100_644;

    fn side(mode: u32, abbrev: &str, content: &'static str) -> Side<'static> {
        Side { mode, abbrev: abbrev.to_owned(), content: content.as_bytes() }
    }

    fn diff(old: Option<Side>, new: Option<Side>) -> String {
        let bytes = unified("t1.xml", old.as_ref(), new.as_ref(), "0000000");
        String::from_utf8(bytes).unwrap()
    }

    #[test]
    fn a_change_has_a_head_and_a_hunk() {
        assert_eq!(
            diff(Some(side(FILE, "1111111", "a\nb\n")), Some(side(FILE, "2222222", "a\nc"))),
            "diff --git a/t1.xml b/t1.xml\nindex 1111111..2222222 100644\n\
             --- a/t1.xml\n+++ b/t1.xml\n@@ -1,2 +1,2 @@\n a\n-b\n+c\n\\ No newline at end of file\n"
        );
    }

    #[test]
    fn a_missing_side_is_dev_null() {
        assert_eq!(
            diff(None, Some(side(FILE, "2222222", "a\n"))),
            "diff --git a/t1.xml b/t1.xml\nnew file mode 100644\nindex 0000000..2222222\n\
             --- /dev/null\n+++ b/t1.xml\n@@ -0,0 +1 @@\n+a\n"
        );
        assert_eq!(
            diff(Some(side(FILE, "1111111", "")), None),
            "diff --git a/t1.xml b/t1.xml\ndeleted file mode 100644\nindex 1111111..0000000\n"
        );
    }

    #[test]
    fn equal_versions_have_no_diff() {
        let same = || Some(side(FILE, "1111111", "a\n"));
        assert_eq!(diff(same(), same()), "");
        assert_eq!(diff(None, None), "");
    }

    #[test]
    fn modes_are_told() {
        let old = || Some(side(FILE, "1111111", "a\n"));
        assert_eq!(
            diff(old(), Some(side(0o100_755, "1111111", "a\n"))),
            "diff --git a/t1.xml b/t1.xml\nold mode 100644\nnew mode 100755\n"
        );
        let link = diff(old(), Some(side(0o120_000, "2222222", "a\n")));
        assert!(link.contains("deleted file mode 100644") && link.contains("new file mode 120000"));
    }

    #[test]
    fn a_function_name_is_cut_on_a_character() {
        let long = format!("{}é tail", "x".repeat(79));
        assert_eq!(function_name(long.as_bytes()), Some("x".repeat(79).as_bytes()));
        assert_eq!(function_name(b"name \xff\n"), Some(&b"name "[..]));
        assert_eq!(function_name("a\u{ffff}b".as_bytes()), Some(&b"a"[..]));
        assert_eq!(function_name(b"  indented\n"), None);
        assert_eq!(function_name(b"\n"), None);
    }
}
