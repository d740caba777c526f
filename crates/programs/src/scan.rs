//! What stands on a command line, read with the verb table and without judging it.
//!
//! Two things need this beside `clap`. A refusal must name the canvas, the nodes and every fault
//! even when the command line is wrong, where a parser stops at the first fault. And a value may
//! start with `-` when no option can be meant (canvas-store §3.2), which [`Scan::normal`] makes
//! plain by spelling every value as `--flag=value` and every word after `--`.

use canvas_document::ROOT;

use crate::nearest::nearest;
use crate::table::{NODE_WORD, Opt, Takes, VERBS, Verb, verb};

/// The command line, taken apart.
#[derive(Debug, Default)]
pub struct Scan {
    /// The verb as typed, if there is any.
    pub verb_word: Option<String>,
    /// The verb, when it is one.
    pub verb: Option<&'static Verb>,
    /// Flags before the verb, as typed up to `=`.
    pub early: Vec<String>,
    /// The words after the verb, in order.
    pub words: Vec<String>,
    /// The options of the verb, in order, each with its value.
    pub options: Vec<Given>,
    /// What looks like an option and is none of this verb, as typed up to `=`.
    pub unknown: Vec<String>,
    /// `-h` or `--help` was given.
    pub help: bool,
    /// `--version` was given before the verb.
    pub version: bool,
}

/// One option as given.
#[derive(Debug)]
pub struct Given {
    /// Which option.
    pub option: &'static Opt,
    /// Its value: absent after a switch, and after a flag whose value is missing.
    pub value: Option<String>,
}

/// Reads the arguments after `argv[0]`.
pub fn scan(arguments: &[String]) -> Scan {
    let mut scan = Scan::default();
    let mut rest = arguments.iter().peekable();
    let mut only_words = false;
    while let Some(argument) = rest.next() {
        if only_words || !looks_like_an_option(argument) {
            scan.word(argument);
            continue;
        }
        let (flag, attached) = match argument.split_once('=') {
            Some((flag, value)) => (flag, Some(value.to_owned())),
            None => (argument.as_str(), None),
        };
        match flag {
            "--" if attached.is_none() => only_words = true,
            "-h" | "--help" if attached.is_none() => scan.help = true,
            "--version" if attached.is_none() && scan.verb_word.is_none() => scan.version = true,
            _ => {
                let option = scan.option(flag);
                // A mistyped flag is read with its value, so that only the flag is at fault.
                let meant = option.or_else(|| nearest_option(flag, scan.verb));
                let takes_value = meant.is_some_and(|option| option.takes != Takes::Nothing);
                let value = attached.or_else(|| {
                    let next = rest.next_if(|next| takes_value && scan.may_be_a_value(next));
                    next.cloned()
                });
                match option {
                    _ if scan.verb_word.is_none() => scan.early.push(flag.to_owned()),
                    Some(option)
                        if scan.verb.is_none_or(|verb| verb.option(option.name).is_some()) =>
                    {
                        scan.options.push(Given { option, value });
                    }
                    _ => scan.unknown.push(flag.to_owned()),
                }
            }
        }
    }
    scan
}

/// Whether an argument is an option rather than a word or a value: it starts with `-`, is not `-`
/// alone, is no negative number, and has no white space in its flag.
fn looks_like_an_option(argument: &str) -> bool {
    let flag = argument.split_once('=').map_or(argument, |(flag, _)| flag);
    argument.len() > 1
        && argument.starts_with('-')
        && !is_negative_number(argument)
        && !flag.contains(char::is_whitespace)
}

/// The option of the verb that a mistyped flag was meant to be.
pub fn nearest_option(flag: &str, verb: Option<&'static Verb>) -> Option<&'static Opt> {
    let verb = verb?;
    let name = nearest(flag.strip_prefix("--")?, verb.options.iter().map(|option| option.name))?;
    verb.option(name)
}

fn is_negative_number(argument: &str) -> bool {
    let digits = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    let Some(number) = argument.strip_prefix('-') else { return false };
    match number.split_once('.') {
        None => !number.is_empty() && digits(number),
        Some((whole, fraction)) => digits(whole) && !fraction.is_empty() && digits(fraction),
    }
}

impl Scan {
    fn word(&mut self, argument: &str) {
        if self.verb_word.is_some() {
            self.words.push(argument.to_owned());
        } else {
            self.verb = verb(argument);
            self.verb_word = Some(argument.to_owned());
        }
    }

    /// The option a flag names: of the verb, else of any verb, which is enough to know whether a
    /// value follows it.
    fn option(&self, flag: &str) -> Option<&'static Opt> {
        let name = flag.strip_prefix("--")?;
        let own = self.verb.and_then(|verb| verb.option(name));
        own.or_else(|| VERBS.iter().find_map(|verb| verb.option(name)))
    }

    /// Whether the argument after a flag is its value. One that starts with `-` is, when it is a
    /// negative number, or holds a space and does not start with a flag that exists.
    fn may_be_a_value(&self, argument: &str) -> bool {
        if !argument.starts_with('-') || is_negative_number(argument) {
            return true;
        }
        let flag = argument.split_once('=').map_or(argument, |(flag, _)| flag);
        argument.contains(' ') && self.option(flag).is_none()
    }

    /// Every value given to the option of that name.
    pub fn values(&self, name: &str) -> impl Iterator<Item = &str> {
        let given = self.options.iter().filter(move |given| given.option.name == name);
        given.filter_map(|given| given.value.as_deref())
    }

    /// The canvas identifier, when one was given. Every verb takes it as its first word; after an
    /// unknown verb, a word that is itself a verb is not taken for it.
    pub fn canvas(&self) -> Option<&str> {
        let word = self.words.first()?;
        (self.verb.is_some() || verb(word).is_none()).then_some(word)
    }

    /// Every node id on the command line, words first, then `--after` and `--into`; the root too.
    fn places(&self) -> Vec<&str> {
        let word = self.verb.and_then(|verb| verb.words.iter().position(|w| w.name == NODE_WORD));
        let word = word.and_then(|index| self.words.get(index)).map(String::as_str);
        word.into_iter().chain(self.values("after")).chain(self.values("into")).collect()
    }

    /// The ids of nodes on the command line: neither blank nor the root.
    pub fn nodes(&self) -> Vec<&str> {
        let mut places = self.places();
        places.retain(|place| *place != ROOT && !place.trim().is_empty());
        places
    }

    /// Whether the root is named where a node or a container is asked for.
    pub fn names_the_root(&self) -> bool {
        self.places().contains(&ROOT)
    }

    /// The same command line with nothing left to guess, for `clap`; `argv[0]` included.
    pub fn normal(&self) -> Vec<String> {
        let mut out = vec![String::from("canvas")];
        if self.version {
            out.push(String::from("--version"));
        }
        out.extend(self.verb_word.clone());
        if self.help {
            out.push(String::from("--help"));
        }
        for given in &self.options {
            out.push(match &given.value {
                Some(value) => format!("{}={value}", given.option.flag()),
                None => given.option.flag(),
            });
        }
        out.push(String::from("--"));
        out.extend(self.words.iter().cloned());
        out
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(arguments: &[&str]) -> Scan {
        scan(&arguments.iter().map(|argument| (*argument).to_owned()).collect::<Vec<_>>())
    }

    #[test]
    fn options_and_words_mix() {
        let scan = of(&["move", "--why=x", "t1", "--into", "root", "ab2c", "--base", "12"]);
        assert_eq!(scan.words, ["t1", "ab2c"]);
        assert_eq!(scan.values("base").collect::<Vec<_>>(), ["12"]);
        assert_eq!(scan.nodes(), ["ab2c"]);
        assert!(scan.names_the_root());
    }

    #[test]
    fn a_flag_never_swallows_the_next_one() {
        let scan = of(&["remove", "t1", "ab2c", "--why", "--base", "abcd"]);
        assert_eq!(scan.values("why").count(), 0);
        assert_eq!(scan.values("base").collect::<Vec<_>>(), ["abcd"]);
        let scan = of(&["remove", "t1", "ab2c", "--why", "--base=a b"]);
        assert_eq!(scan.values("base").collect::<Vec<_>>(), ["a b"]);
    }

    #[test]
    fn a_value_may_start_with_a_dash_when_no_flag_can_be_meant() {
        for value in ["- item one", "-1", "-1.5", "-.5", "--not a flag", "-- x"] {
            let scan = of(&["insert", "t1", "--text", value]);
            assert_eq!(scan.values("text").collect::<Vec<_>>(), [value]);
        }
        for value in ["-", "--", "-x", "--nope", "-1x", "-1."] {
            let scan = of(&["insert", "t1", "--text", value]);
            assert_eq!(scan.values("text").count(), 0, "{value}");
            let attached = of(&["insert", "t1", &format!("--text={value}")]);
            assert_eq!(attached.values("text").collect::<Vec<_>>(), [value]);
        }
    }

    #[test]
    fn two_dashes_end_the_options() {
        let scan = of(&["history", "t1", "--", "--help"]);
        assert!(!scan.help);
        assert_eq!(scan.words, ["t1", "--help"]);
    }

    #[test]
    fn the_verb_is_found_behind_an_option() {
        let scan = of(&["--base", "abcd", "read", "t1"]);
        assert_eq!(scan.verb_word.as_deref(), Some("read"));
        assert_eq!(scan.early, ["--base"]);
    }
}
