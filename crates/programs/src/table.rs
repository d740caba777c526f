//! The verbs of `canvas`, their words and their options, written down once.
//!
//! Parsing, usage texts, help, the manual page, the completions, the reference page and the
//! explanation of a faulty command line are all made from this table (canvas-store §3). A verb is
//! added by writing one [`Verb`] here and one function that does it.

use crate::verbs::{self, Do};

/// One verb: what it takes, and the function that does it.
#[derive(Debug)]
pub struct Verb {
    /// The word on the command line.
    pub name: &'static str,
    /// One line for lists of verbs.
    pub about: &'static str,
    /// What help says after that line: what is written, printed and refused.
    pub more: &'static str,
    /// The words without a flag, in order.
    pub words: &'static [Word],
    /// The options, in the order of the synopsis.
    pub options: &'static [Opt],
    /// Does it.
    pub run: Do,
}

/// A word without a flag.
#[derive(Debug)]
pub struct Word {
    /// Its name in usage texts, such as `canvas-id`.
    pub name: &'static str,
    /// What it is, in one line.
    pub help: &'static str,
    /// Whether it must be given.
    pub required: bool,
}

/// An option.
#[derive(Debug, PartialEq)]
pub struct Opt {
    /// The long name without its two dashes.
    pub name: &'static str,
    /// What follows the flag.
    pub takes: Takes,
    /// How it stands beside the other options.
    pub rule: Rule,
    /// What it is, in one line.
    pub help: &'static str,
}

/// What follows a flag.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Takes {
    /// Nothing.
    Nothing,
    /// One value, shown by this name; the last one given counts.
    One(&'static str),
    /// One value each time it is given; all of them count.
    Each(&'static str),
    /// One of these words; the last one given counts.
    Choice(&'static [&'static str]),
}

/// How an option stands beside the others of its verb.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Rule {
    /// May be left out.
    Optional,
    /// Must be given.
    Required,
    /// Exactly one option of this rule must be given.
    Position,
    /// At most one option of this rule may be given.
    Content,
}

impl Verb {
    /// The option of this verb with that long name.
    pub fn option(&self, name: &str) -> Option<&'static Opt> {
        self.options.iter().find(|option| option.name == name)
    }

    /// The options of this verb that stand under `rule`.
    pub fn options_under(&self, rule: Rule) -> impl Iterator<Item = &'static Opt> {
        self.options.iter().filter(move |option| option.rule == rule)
    }
}

impl Opt {
    /// The flag as it is typed.
    pub fn flag(&self) -> String {
        format!("--{}", self.name)
    }

    /// The flag and the name of its value, as usage texts show them.
    pub fn form(&self) -> String {
        match self.takes {
            Takes::Nothing => self.flag(),
            Takes::One(value) | Takes::Each(value) => format!("--{} {value}", self.name),
            Takes::Choice(words) => format!("--{} {{{}}}", self.name, words.join(",")),
        }
    }

    const fn optional(name: &'static str, takes: Takes, help: &'static str) -> Opt {
        Opt { name, takes, rule: Rule::Optional, help }
    }
}

/// The name of the word that names a node.
pub const NODE_WORD: &str = "node-id";

const CANVAS: Word =
    Word { name: "canvas-id", help: "the canvas, by its identifier", required: true };
const NODE: Word =
    Word { name: NODE_WORD, help: "the node, by its four characters", required: true };

const WHY: Opt = Opt {
    name: "why",
    takes: Takes::One("TEXT"),
    rule: Rule::Required,
    help: "why this is being done; required, with no default",
};
const BASE: Opt = Opt::optional(
    "base",
    Takes::One("SHA"),
    "the Canvas-Base this edit was decided against; refused if the node moved since",
);
const AUTHOR: Opt = Opt::optional(
    "author",
    Takes::One("TEXT"),
    "who does it, recorded as given; otherwise `<user> | by-hand`",
);
const AFTER: Opt = Opt {
    name: "after",
    takes: Takes::One("NODE-ID"),
    rule: Rule::Position,
    help: "right after this node, inside the same container",
};
const INTO: Opt = Opt {
    name: "into",
    takes: Takes::One("CONTAINER-ID"),
    rule: Rule::Position,
    help: "as the last child of this container; `root` is the canvas itself",
};
const INSERT_TYPE: Opt =
    Opt::optional("type", Takes::One("NAME"), "the element to make; `text` when not given");
const REPLACE_TYPE: Opt =
    Opt::optional("type", Takes::One("NAME"), "the element it becomes; its own when not given");
const TEXT: Opt =
    Opt { name: "text", takes: Takes::One("TEXT"), rule: Rule::Content, help: "its text" };
const MERMAID_FILE: Opt = Opt {
    name: "mermaid-file",
    takes: Takes::One("FILE"),
    rule: Rule::Content,
    help: "a file of Mermaid source, for a figure",
};
const SVG_FILE: Opt = Opt {
    name: "svg-file",
    takes: Takes::One("FILE"),
    rule: Rule::Content,
    help: "a file of plain SVG, for a figure; anything unsafe in it is refused",
};
const TITLE: Opt = Opt::optional("title", Takes::One("TEXT"), "its title; a section needs one");
const HREF: Opt = Opt::optional("href", Takes::One("URL"), "its address; a link needs one");
const ANSWERED: Opt = Opt::optional("answered", Takes::Nothing, "mark a question as answered");

/// Every verb, in the order in which help lists them.
pub const VERBS: &[Verb] = &[
    Verb {
        name: "create",
        about: "Start a canvas with its problem and the value expected",
        more: "\
Makes three commits: the root, the problem, the expected value. Without an identifier one is
minted and printed as `Canvas-ID`. A canvas that exists already is refused, never overwritten.",
        words: &[Word {
            name: "canvas-id",
            help: "its identifier: letters, digits, `.`, `_`, `-`; minted when not given",
            required: false,
        }],
        options: &[
            Opt {
                name: "problem",
                takes: Takes::One("TEXT"),
                rule: Rule::Required,
                help: "the problem this canvas starts with; not blank",
            },
            Opt {
                name: "expected-value",
                takes: Takes::One("TEXT"),
                rule: Rule::Required,
                help: "what will be better once it is solved; not blank",
            },
            AUTHOR,
        ],
        run: verbs::create,
    },
    Verb {
        name: "read",
        about: "Print a canvas and the sha to write against",
        more: "\
Prints `Canvas-Base`, then what the flags ask for, then the document, which starts at the line
`<?xml`. Selectors add up: a node is printed when any of them names it. Nothing is written.",
        words: &[CANVAS],
        options: &[
            Opt::optional(
                "id",
                Takes::Each("NODE-ID"),
                "print this node and what it holds; repeats",
            ),
            Opt::optional("type", Takes::Each("NAME"), "print every node of this element; repeats"),
            Opt::optional("provenance", Takes::Nothing, "say who last wrote each node printed"),
            Opt::optional(
                "since",
                Takes::One("SHA"),
                "tell what changed in this canvas since then",
            ),
            Opt::optional("frozen", Takes::Nothing, "say whether the work ended, and why"),
        ],
        run: verbs::read,
    },
    Verb {
        name: "render",
        about: "Print a canvas as one HTML page, or as a block for a comment",
        more: "\
Both forms show the same canvas at the same commit, which they name. The page is one file that
needs nothing else; the comment holds no HTML. Nothing is written, and an invalid canvas is
refused whole.",
        words: &[CANVAS],
        options: &[Opt::optional(
            "format",
            Takes::Choice(&["page", "comment"]),
            "which of the two; `page` when not given",
        )],
        run: verbs::render,
    },
    Verb {
        name: "history",
        about: "Print every edit of one node with its reason",
        more: "\
Oldest first, across moves, and still after the node was removed. Nothing is written.",
        words: &[CANVAS, NODE],
        options: &[],
        run: verbs::history,
    },
    Verb {
        name: "replace",
        about: "Give one node new content",
        more: "\
The node keeps its id, its place and its children. Nothing is sticky: text, title, address,
answered and figure are what this command line says, and what it leaves out is dropped.",
        words: &[CANVAS, NODE],
        options: &[
            WHY,
            BASE,
            REPLACE_TYPE,
            TEXT,
            MERMAID_FILE,
            SVG_FILE,
            TITLE,
            HREF,
            ANSWERED,
            AUTHOR,
        ],
        run: verbs::replace,
    },
    Verb {
        name: "insert",
        about: "Add one node",
        more: "\
The node is childless and its id is minted and printed. Exactly one position must be given.",
        words: &[CANVAS],
        options: &[
            AFTER,
            INTO,
            WHY,
            BASE,
            INSERT_TYPE,
            TEXT,
            MERMAID_FILE,
            SVG_FILE,
            TITLE,
            HREF,
            ANSWERED,
            AUTHOR,
        ],
        run: verbs::insert,
    },
    Verb {
        name: "remove",
        about: "Take one node out",
        more: "\
A node that holds others is refused: remove each of them first, with its own reason. The id is
never handed out again, and its history stays.",
        words: &[CANVAS, NODE],
        options: &[WHY, BASE, AUTHOR],
        run: verbs::remove,
    },
    Verb {
        name: "move",
        about: "Put one node somewhere else",
        more: "\
The node keeps its id and its content, and what it holds travels with it. Exactly one position
must be given.",
        words: &[CANVAS, NODE],
        options: &[AFTER, INTO, WHY, BASE, AUTHOR],
        run: verbs::move_node,
    },
    Verb {
        name: "freeze",
        about: "Record that the work of a canvas ended",
        more: "\
One commit that changes no file. It is a marker, not a gate: the canvas takes edits as before,
and the first freeze stays the recorded ending.",
        words: &[CANVAS],
        options: &[WHY, AUTHOR],
        run: verbs::freeze,
    },
];

/// The verb of that name.
pub fn verb(name: &str) -> Option<&'static Verb> {
    VERBS.iter().find(|verb| verb.name == name)
}

/// The names of all verbs, for a sentence.
pub fn verb_names() -> String {
    VERBS.iter().map(|verb| verb.name).collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn no_name_stands_twice() {
        let names: BTreeSet<_> = VERBS.iter().map(|verb| verb.name).collect();
        assert_eq!(names.len(), VERBS.len());
        for verb in VERBS {
            let options: BTreeSet<_> = verb.options.iter().map(|option| option.name).collect();
            assert_eq!(options.len(), verb.options.len(), "{}", verb.name);
        }
    }

    #[test]
    fn an_option_of_one_name_takes_a_value_in_every_verb_or_in_none() {
        // The scanner relies on it to find the verb behind an option that stands before it.
        for a in VERBS.iter().flat_map(|verb| verb.options) {
            for b in VERBS.iter().flat_map(|verb| verb.options) {
                let takes_none = |option: &Opt| option.takes == Takes::Nothing;
                assert!(a.name != b.name || takes_none(a) == takes_none(b), "--{}", a.name);
            }
        }
    }

    #[test]
    fn only_the_last_word_may_be_left_out() {
        for verb in VERBS {
            let required = verb.words.iter().take_while(|word| word.required).count();
            assert!(verb.words.len() - required <= 1, "{}", verb.name);
        }
    }
}
