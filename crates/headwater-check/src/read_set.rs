//! The read set: what the verdict of a run rests on. The runner composes it from what it handed out,
//! and a gate holds it against another tree (checks §4.1).
//!
//! The artifact is text, one statement a line, a keyword first. A path is written as it is; one that
//! could not stand on a line, or that opens with a quotation mark, is written as a JSON string.

use std::borrow::Cow;
use std::fmt;

use headwater_corpus::{Corpus, Digest};
use headwater_taxonomy::yaml::shown;

use crate::about::Grain;
use crate::date::Date;
use crate::registry::{Registry, Template};
use crate::tally::Tallies;

/// The largest artifact that is read, in bytes.
pub const READ_SET_LIMIT: u64 = 1 << 30;

/// A file that a run was handed.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Input {
    /// The path below the repository root.
    pub path: String,
    /// The digest of its bytes; none where they were not read.
    pub digest: Option<Digest>,
}

impl Input {
    pub(crate) fn of(path: &str, digest: Digest) -> Self {
        Self { path: path.to_owned(), digest: Some(digest) }
    }
}

/// What the verdict of a run rests on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReadSet {
    /// The digest of the resolved taxonomy, as the lock states it.
    pub lock: String,
    /// The digest of the adoption block of the lock, which the digest of the lock leaves out.
    pub adoption: Option<String>,
    /// The day.
    pub clock: Date,
    /// The rules that judged a whole set of documents, corpus or shelf: what a merge adds to the set,
    /// neither side's run can have seen.
    pub barriers: Vec<String>,
    /// The rules whose verdict depends on the day.
    pub windowed: Vec<String>,
    /// The rules that judged a change and not a tree.
    pub change_scoped: Vec<String>,
    /// Every rule of the engine and its edition.
    pub editions: Vec<(String, u32)>,
    /// The files, in path order.
    pub inputs: Vec<Input>,
}

impl ReadSet {
    /// The read set of a run that rests on these inputs.
    pub(crate) fn of(
        corpus: &Corpus,
        registry: &Registry,
        tallies: &Tallies<'_>,
        instances: &[usize],
        clock: Date,
        mut inputs: Vec<Input>,
    ) -> Self {
        let templates = registry.templates();
        let ran = |at: usize| instances.get(at).is_some_and(|count| *count > 0);
        let named = |holds: fn(&Template) -> bool| {
            let held = templates.iter().enumerate().filter(|(at, rule)| ran(*at) && holds(rule));
            held.map(|(_, template)| template.about().id.to_owned()).collect()
        };
        // A rule that was skipped everywhere has judged no change.
        let mut skipped = vec![0; templates.len()];
        for at in tallies.skips().flat_map(|skip| skip.templates.as_slice()) {
            if let Some(count) = skipped.get_mut(*at) {
                *count += 1;
            }
        }
        let judged = |at: usize| instances.get(at) > skipped.get(at);
        let comparing = templates.iter().enumerate();
        let comparing = comparing.filter(|(at, rule)| rule.scope().needs_prior() && judged(*at));
        let edition = |template: &Template| {
            let about = template.about();
            (about.id.to_owned(), about.edition)
        };
        // Most are in order already, which this sort makes use of.
        inputs.sort();
        inputs.dedup_by(|later, first| later.path == first.path);
        let lock = corpus.lock();
        Self {
            lock: lock.header.digest.clone(),
            adoption: lock.adoption_digest(),
            clock,
            barriers: named(|rule| matches!(rule.scope().grain(), Grain::Corpus | Grain::Shelf)),
            windowed: named(|rule| rule.scope().needs_clock()),
            change_scoped: comparing.map(|(_, rule)| rule.about().id.to_owned()).collect(),
            editions: templates.iter().map(edition).collect(),
            inputs,
        }
    }

    /// How many inputs carry no digest.
    #[must_use]
    pub fn unhashed(&self) -> usize {
        self.inputs.iter().filter(|input| input.digest.is_none()).count()
    }

    /// Reads an artifact. Nothing is passed over: what cannot be read may be the reason for which the
    /// verdict does not carry.
    ///
    /// # Errors
    /// The first line that is no statement, or what is missing.
    pub fn parse(text: &str) -> Result<Self, BadReadSet> {
        let (mut lock, mut adoption, mut clock) = (None, None, None);
        let mut set = Statements::default();
        for (at, line) in text.split('\n').enumerate() {
            // A checkout may have turned the line ends, and no statement ends in this character.
            let line = line.strip_suffix('\r').unwrap_or(line);
            if line.trim().is_empty() {
                continue;
            }
            let bad = |what: String| BadReadSet { line: Some(at + 1), what };
            let (keyword, rest) = line.split_once(' ').unwrap_or((line, ""));
            let one = |held: bool| match (rest, held) {
                ("", _) => Err(bad(format!("`{keyword}` states nothing"))),
                (_, true) => Err(bad(format!("a second `{keyword}` line"))),
                (rest, false) => Ok(rest.to_owned()),
            };
            match keyword {
                "lock" => lock = Some(one(lock.is_some())?),
                "adoption" => adoption = Some(one(adoption.is_some())?),
                "clock" => {
                    let day = one(clock.is_some())?;
                    let date = Date::parse(&day);
                    let no_day = || bad(format!("`{}` is no day of the calendar", shown(&day)));
                    clock = Some(date.ok_or_else(no_day)?);
                }
                "barrier" => set.barriers.push(one(false)?),
                "windowed" => set.windowed.push(one(false)?),
                "change-scoped" => set.change_scoped.push(one(false)?),
                "version" => set.editions.push(edition(rest).map_err(bad)?),
                "input" => set.inputs.push(input(rest).map_err(bad)?),
                other => {
                    return Err(bad(format!("`{}` is no keyword of a read set", shown(other))));
                }
            }
        }
        let missing =
            |keyword: &str| BadReadSet { line: None, what: format!("it has no `{keyword}` line") };
        let Statements { barriers, windowed, change_scoped, editions, inputs } = set;
        Ok(Self {
            lock: lock.ok_or_else(|| missing("lock"))?,
            adoption,
            clock: clock.ok_or_else(|| missing("clock"))?,
            barriers,
            windowed,
            change_scoped,
            editions,
            inputs,
        })
    }
}

/// The statements that may be there any number of times.
#[derive(Default)]
struct Statements {
    barriers: Vec<String>,
    windowed: Vec<String>,
    change_scoped: Vec<String>,
    editions: Vec<(String, u32)>,
    inputs: Vec<Input>,
}

/// Reads `<rule> <edition>`.
fn edition(rest: &str) -> Result<(String, u32), String> {
    let (rule, edition) = rest.rsplit_once(' ').ok_or("`version` states no edition")?;
    let whole = edition.bytes().all(|byte| byte.is_ascii_digit());
    let number = edition.parse().ok().filter(|_| whole);
    let number = number.ok_or_else(|| format!("`{}` is no edition", shown(edition)))?;
    Ok((rule.to_owned(), number))
}

/// Reads `<path> <digest>`. The digest is what stands after the last space.
fn input(rest: &str) -> Result<Input, String> {
    let (path, digest) = rest.rsplit_once(' ').ok_or("`input` states no digest")?;
    let path = if path.starts_with('"') {
        serde_json::from_str(path).map_err(|_| "a path in quotation marks is no JSON string")?
    } else {
        path.to_owned()
    };
    if path.is_empty() {
        return Err("`input` states no path".to_owned());
    }
    let digest = match digest {
        "-" => None,
        digest => {
            let read = Digest::parse(digest);
            Some(read.ok_or_else(|| format!("`{}` is no digest", shown(digest)))?)
        }
    };
    Ok(Input { path, digest })
}

/// A path as the artifact writes it.
fn written(path: &str) -> Cow<'_, str> {
    if path.starts_with('"') || path.contains(char::is_control) {
        // A text always serializes.
        return serde_json::to_string(path).unwrap_or_default().into();
    }
    path.into()
}

/// The artifact.
impl fmt::Display for ReadSet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "lock {}", self.lock)?;
        if let Some(digest) = &self.adoption {
            writeln!(f, "adoption {digest}")?;
        }
        writeln!(f, "clock {}", self.clock)?;
        for (keyword, rules) in [
            ("barrier", &self.barriers),
            ("windowed", &self.windowed),
            ("change-scoped", &self.change_scoped),
        ] {
            rules.iter().try_for_each(|rule| writeln!(f, "{keyword} {rule}"))?;
        }
        for (rule, edition) in &self.editions {
            writeln!(f, "version {rule} {edition}")?;
        }
        for Input { path, digest } in &self.inputs {
            write!(f, "input {} ", written(path))?;
            match digest {
                Some(digest) => writeln!(f, "{digest}")?,
                None => f.write_str("-\n")?,
            }
        }
        Ok(())
    }
}

/// Why an artifact is not read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BadReadSet {
    /// The line, from 1; none for what is missing.
    pub line: Option<usize>,
    /// What is wrong.
    pub what: String,
}

impl fmt::Display for BadReadSet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.line {
            Some(line) => write!(f, "line {line}: {}", self.what),
            None => f.write_str(&self.what),
        }
    }
}

impl std::error::Error for BadReadSet {}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const HEAD: &str = "lock sha256:x\nclock 2026-08-12\n";

    fn refused(rest: &str) -> (Option<usize>, String) {
        let bad = ReadSet::parse(&format!("{HEAD}{rest}")).unwrap_err();
        (bad.line, bad.what)
    }

    #[test]
    fn a_path_is_everything_between_the_first_and_the_last_space() {
        let digest = Digest::of(b"");
        let text = format!("{HEAD}\n  \r\ninput docs/my  note.md {digest}\r\ninput  a -\n");
        let set = ReadSet::parse(&text).unwrap();
        let inputs = [("docs/my  note.md", Some(digest)), (" a", None)];
        let inputs = inputs.map(|(path, digest)| Input { path: path.to_owned(), digest });
        assert_eq!(set.inputs, inputs);
        assert_eq!(set.unhashed(), 1);
    }

    #[test]
    fn a_line_that_is_no_statement_refuses_the_whole() {
        for (rest, says) in [
            ("sealed x", "`sealed` is no keyword"),
            ("nothing", "`nothing` is no keyword"),
            (" barrier x", "`` is no keyword"),
            ("barrier", "states nothing"),
            ("version a.b", "no edition"),
            ("version a.b 1.0", "`1.0` is no edition"),
            ("version a.b +1", "`+1` is no edition"),
            ("version a.b 4294967296", "is no edition"),
            ("input a.md", "no digest"),
            ("input a.md sha256:00", "`sha256:00` is no digest"),
            ("input  -", "no path"),
            ("input \"a -", "no JSON string"),
            ("lock y", "a second `lock` line"),
            ("clock 2026-08-13", "a second `clock` line"),
        ] {
            let (line, what) = refused(rest);
            assert!(line == Some(3) && what.contains(says), "{rest}: {what}");
        }
        for (text, says) in [
            ("", "no `lock`"),
            ("lock x", "no `clock`"),
            ("clock 2026-08-12", "no `lock`"),
            ("lock x\nclock 2026-02-30", "no day"),
        ] {
            let bad = ReadSet::parse(text).unwrap_err();
            assert!(bad.to_string().contains(says), "{text}: {bad}");
        }
    }

    fn rules() -> impl Strategy<Value = Vec<String>> {
        proptest::collection::vec("[a-z]{1,4}(\\.[a-z]{1,4}){0,2}", 0..4)
    }

    fn inputs() -> impl Strategy<Value = Vec<Input>> {
        let path = proptest::string::string_regex("[ -\"a-c/.\\\\\n\r\t\u{85}\u{2028}é]{1,12}");
        let digest = proptest::option::of(any::<[u8; 4]>());
        let input = (path.unwrap(), digest).prop_map(|(path, bytes)| Input {
            path,
            digest: bytes.map(|bytes| Digest::of(&bytes)),
        });
        proptest::collection::vec(input, 0..6)
    }

    proptest! {
        #[test]
        fn what_is_written_is_read(
            (barriers, windowed, change_scoped) in (rules(), rules(), rules()),
            adoption in proptest::option::of(any::<[u8; 4]>()),
            editions in proptest::collection::vec(("[a-z.]{1,9}", any::<u32>()), 0..4),
            days in 0_u64..60_000,
            inputs in inputs(),
        ) {
            let set = ReadSet {
                lock: Digest::of(b"lock").to_string(),
                adoption: adoption.map(|bytes| Digest::of(&bytes).to_string()),
                clock: Date::from_unix_days(days).unwrap(),
                barriers,
                windowed,
                change_scoped,
                editions,
                inputs,
            };
            prop_assert_eq!(ReadSet::parse(&set.to_string()), Ok(set));
        }

        #[test]
        fn what_is_read_is_written_again_and_no_text_breaks_the_reader(
            lines in proptest::collection::vec(
                "(lock|clock|barrier|version|input|x)?( [ -\"a2]{0,3}| 2026-08-12| a 1| a -|\r){0,2}",
                0..6,
            ),
        ) {
            let text = format!("{HEAD}{}", lines.join("\n"));
            if let Ok(set) = ReadSet::parse(&text) {
                prop_assert_eq!(ReadSet::parse(&set.to_string()), Ok(set));
            }
        }
    }
}
