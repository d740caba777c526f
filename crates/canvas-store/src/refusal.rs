//! The shape of a refusal (canvas-store §4).
//!
//! Every "no" of the canvas programs is one [`Refusal`]. It cannot be built without a message, one
//! thing it is about and one next action, and its exit status is a type, so the status a process
//! ends with and the `Canvas-Exit` line it prints cannot differ.

use std::fmt::Write as _;

/// The two ways a request can fail; there is no third (canvas-store §3.1).
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Exit {
    /// Status 1: a well-formed request that conflicts with the store as it is.
    Conflict,
    /// Status 2: the tool, its invocation or its environment.
    Tool,
}

impl Exit {
    /// The process exit status: 1 or 2.
    pub fn code(self) -> u8 {
        match self {
            Exit::Conflict => 1,
            Exit::Tool => 2,
        }
    }
}

/// One thing a refusal names.
#[derive(Clone, Debug, Eq, PartialEq)]
pub enum Subject {
    /// A node of the canvas, printed as `Canvas-Node: <id>`. Never the root.
    Node(String),
    /// Anything else, printed as `Canvas-About: <kind> <value>`.
    About {
        /// The kind word or words, such as `Canvas identifier` or `option`.
        kind: &'static str,
        /// The value as the caller gave it; control characters are escaped when printed.
        value: String,
    },
}

impl Subject {
    /// A node of the canvas; the root, which is none, and a blank id become what they are.
    pub fn node(id: impl Into<String>) -> Subject {
        let id = id.into();
        match id.trim() {
            "root" => Subject::about("position", "root, the <canvas> element"),
            "" => Subject::about("argument", format!("node-id '{id}'")),
            _ => Subject::Node(id),
        }
    }

    /// A thing that is no node: `kind` is the interface word, `value` what the caller gave.
    pub fn about(kind: &'static str, value: impl Into<String>) -> Subject {
        Subject::About { kind, value: value.into() }
    }
}

/// Stands, in the text of a [`Next`], for the `canvas` program as the caller spelled it.
pub const CANVAS: &str = "\0canvas\0";
/// Stands, in the text of a [`Next`], for the `canvas-validate` program beside the caller's.
pub const VALIDATE: &str = "\0validate\0";

/// The one concrete thing to do about a refusal; never blank.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Next(String);

impl Next {
    /// A next action. A blank one is replaced by the advice to read the message, so that no
    /// refusal can be printed without something to do.
    ///
    /// Values from outside must go through [`escape`] or [`shell_quote`] first; [`CANVAS`] and
    /// [`VALIDATE`] stand for the programs.
    pub fn new(text: impl Into<String>) -> Next {
        let text = text.into();
        if text.trim().is_empty() {
            return Next(String::from("read the message above, correct what it names and re-run"));
        }
        Next(text)
    }
}

/// How the running program and its siblings are spelled, and what its exit statuses mean in words.
#[derive(Clone, Debug)]
pub struct Program {
    /// The plain name that starts the message line, such as `canvas` or `canvas-validate`.
    pub name: &'static str,
    /// `canvas` as a shell must be told it, from the caller's own spelling (decision 2).
    pub canvas: String,
    /// `canvas-validate` in the same directory part as the caller's program.
    pub validate: String,
    /// What exit 1 means, in words.
    pub conflict: &'static str,
    /// What exit 2 means, in words.
    pub tool: &'static str,
}

impl Program {
    /// The `canvas` program as it was called (`argv[0]`).
    pub fn canvas(argv0: &str) -> Program {
        Program {
            name: "canvas",
            canvas: shell_quote(argv0),
            validate: shell_quote(&sibling(argv0, "canvas-validate")),
            conflict: "the request conflicts with the store as it is; read again and decide again",
            tool: "the tool, its invocation or its environment is wrong; do not touch the canvas",
        }
    }

    /// The `canvas-validate` program as it was called (`argv[0]`).
    pub fn validate(argv0: &str) -> Program {
        Program {
            name: "canvas-validate",
            canvas: shell_quote(&sibling(argv0, "canvas")),
            validate: shell_quote(argv0),
            conflict: "the document is at fault; repair the nodes the diagnostics name",
            tool: "the document was not examined; mend the invocation or the environment first",
        }
    }

    /// The `canvas-coherence` program as it was called (`argv[0]`).
    pub fn coherence(argv0: &str) -> Program {
        Program {
            name: "canvas-coherence",
            canvas: shell_quote(&sibling(argv0, "canvas")),
            validate: shell_quote(&sibling(argv0, "canvas-validate")),
            conflict: "the store as it is does not allow this check or this finding; every commit made \
                       before stands",
            tool: "the check, its adapter or its environment is at fault; the primary write remains \
                   committed",
        }
    }
}

/// The path of a program that stands beside `argv0`.
fn sibling(argv0: &str, name: &str) -> String {
    match argv0.rfind('/') {
        Some(slash) => format!("{}{name}", &argv0[..=slash]),
        None => name.to_owned(),
    }
}

/// A refused request: what is wrong, what it is about, and the one thing to do next.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Refusal {
    exit: Exit,
    message: String,
    usage: Option<String>,
    details: Vec<u8>,
    subjects: Vec<Subject>,
    next: Next,
}

impl Refusal {
    /// A refusal that says `message`, is about `subject`, and advises `next`.
    pub fn new(exit: Exit, message: impl Into<String>, subject: Subject, next: Next) -> Refusal {
        Refusal {
            exit,
            message: message.into(),
            usage: None,
            details: Vec::new(),
            subjects: vec![subject],
            next,
        }
    }

    /// Names one more thing. Printing keeps the first of equal ones, nodes before all others.
    pub fn and(mut self, subject: Subject) -> Refusal {
        self.subjects.push(subject);
        self
    }

    /// Names several more things.
    pub fn and_all(mut self, subjects: impl IntoIterator<Item = Subject>) -> Refusal {
        self.subjects.extend(subjects);
        self
    }

    /// Adds one detail line (a diagnostic), printed between the message and the labels.
    pub fn detail(mut self, line: impl AsRef<[u8]>) -> Refusal {
        self.details.extend_from_slice(line.as_ref());
        if self.details.last() != Some(&b'\n') {
            self.details.push(b'\n');
        }
        self
    }

    /// The usage text of the verb, printed before the message (canvas-store §4.2).
    pub fn usage(mut self, usage: impl Into<String>) -> Refusal {
        self.usage = Some(usage.into());
        self
    }

    /// The exit status the process must end with.
    pub fn exit(&self) -> Exit {
        self.exit
    }

    /// What is wrong, as one sentence without the program's name.
    pub fn message(&self) -> &str {
        &self.message
    }

    /// The things named, in the order they were added.
    pub fn subjects(&self) -> &[Subject] {
        &self.subjects
    }

    /// The bytes for standard error, in the order of canvas-store §4.1.
    pub fn render(&self, program: &Program) -> Vec<u8> {
        let mut out = Vec::new();
        if let Some(usage) = &self.usage {
            out.extend_from_slice(usage.trim_end().as_bytes());
            out.push(b'\n');
        }
        out.extend_from_slice(format!("{}: {}\n", program.name, escape(&self.message)).as_bytes());
        out.extend_from_slice(&self.details);
        let mut labels: Vec<String> = Vec::new();
        let mut label = |line: String| {
            if !labels.contains(&line) {
                labels.push(line);
            }
        };
        for subject in &self.subjects {
            if let Subject::Node(id) = subject {
                label(format!("Canvas-Node: {}\n", escape(id)));
            }
        }
        for subject in &self.subjects {
            if let Subject::About { kind, value } = subject {
                let line = format!("Canvas-About: {kind} {}", escape(value));
                label(format!("{}\n", line.trim_end()));
            }
        }
        out.extend(labels.concat().bytes());
        let next =
            self.next.0.replace(CANVAS, &program.canvas).replace(VALIDATE, &program.validate);
        out.extend_from_slice(format!("Canvas-Next: {}\n", escape(&next)).as_bytes());
        let meaning = match self.exit {
            Exit::Conflict => program.conflict,
            Exit::Tool => program.tool,
        };
        out.extend_from_slice(
            format!("Canvas-Exit: {} — {meaning}\n", self.exit.code()).as_bytes(),
        );
        out
    }
}

/// `value` with line breaks and control characters spelled out, so that a value echoed in any
/// output cannot start a line of its own (decision 21).
pub fn escape(value: &str) -> String {
    let mut out = String::with_capacity(value.len());
    for c in value.chars() {
        match c {
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            c if c.is_control() || matches!(c, '\u{2028}' | '\u{2029}') => {
                // Writing to a String cannot fail.
                let _ = write!(out, "\\u{{{:x}}}", c as u32);
            }
            c => out.push(c),
        }
    }
    out
}

/// `word` as a POSIX shell must be told it: plain words stay plain, anything else is single-quoted.
pub fn shell_quote(word: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "/._-+:@%,=".contains(c);
    if !word.is_empty() && word.chars().all(plain) {
        return word.to_owned();
    }
    format!("'{}'", word.replace('\'', "'\\''"))
}

/// `word` as a shell must be told it inside a back-quoted command, or none when a command that
/// holds it could not be run as printed: a control character or a back quote would have to be
/// altered to be shown on one line.
pub fn command_word(word: &str) -> Option<String> {
    let odd = |c: char| c.is_control() || matches!(c, '`' | '\u{2028}' | '\u{2029}');
    (!word.contains(odd)).then(|| shell_quote(word))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_stand_in_the_order_of_the_specification() {
        let refusal = Refusal::new(
            Exit::Conflict,
            "no node with id zz99",
            Subject::about("Canvas identifier", "t1"),
            Next::new(format!("`{CANVAS} read t1` prints every id")),
        )
        .and(Subject::node("zz99"))
        .and(Subject::node("zz99"))
        .detail("a detail");
        let text = String::from_utf8(refusal.render(&Program::canvas("bin/canvas"))).unwrap();
        assert_eq!(
            text,
            "canvas: no node with id zz99\na detail\nCanvas-Node: zz99\n\
             Canvas-About: Canvas identifier t1\nCanvas-Next: `bin/canvas read t1` prints every id\n\
             Canvas-Exit: 1 — the request conflicts with the store as it is; read again and decide again\n"
        );
    }

    #[test]
    fn no_value_forges_a_label_and_no_next_action_is_blank() {
        let refusal = Refusal::new(
            Exit::Tool,
            "x\nCanvas-Exit: 0",
            Subject::about("argument", "a\nCanvas-Node: p"),
            Next::new(" \n"),
        );
        let text = String::from_utf8(refusal.render(&Program::canvas("canvas"))).unwrap();
        assert_eq!(text.matches("\nCanvas-Exit: ").count(), 1);
        assert!(!text.contains("\nCanvas-Node:"));
        assert!(text.contains("\nCanvas-Next: read the message"));
    }

    #[test]
    fn programs_are_spelled_as_they_were_called() {
        assert_eq!(Program::canvas("bin/canvas").validate, "bin/canvas-validate");
        assert_eq!(Program::canvas("canvas").validate, "canvas-validate");
        assert_eq!(Program::canvas("/a b/canvas").canvas, "'/a b/canvas'");
    }
}
