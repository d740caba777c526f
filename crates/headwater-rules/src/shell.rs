//! Which programs a text typed into a shell runs. It reads the words of a shell and evaluates none: what
//! a variable or a substitution would give is not known, and a command that begins with one names no
//! program.

/// What a code block runs.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Commands {
    /// The lines, from 0, and the programs without their directories, in order.
    pub programs: Vec<(usize, String)>,
    /// The line that ends inside a quotation or a substitution; nothing below it is read.
    pub unclosed: Option<usize>,
}

/// Reads a code block. In a `console` only lines behind a prompt are typed.
pub(crate) fn read(text: &str, console: bool) -> Commands {
    let mut commands = Commands::default();
    let mut reader = Reader::default();
    let mut lines = text.lines().enumerate();
    while let Some((number, line)) = lines.next() {
        let line = line.trim();
        let prompted = line.strip_prefix("$ ");
        if (console && prompted.is_none()) || line.starts_with('#') || line == "$" {
            continue;
        }
        let mut whole = prompted.unwrap_or(line).to_owned();
        while is_continued(&whole) {
            whole.pop();
            let Some((_, next)) = lines.next() else { break };
            let next = next.trim();
            whole.push_str(if console { next.strip_prefix("> ").unwrap_or(next) } else { next });
        }
        let known = commands.programs.len();
        let mut found = |program: String| commands.programs.push((number, program));
        if !reader.line(&whole, &mut found) {
            commands.programs.truncate(known);
            commands.unclosed = Some(number);
            return commands;
        }
        for (end, indented) in std::mem::take(&mut reader.documents) {
            let ends = |(_, line): (usize, &str)| {
                let line = if console { line.strip_prefix("> ").unwrap_or(line) } else { line };
                (if indented { line.trim_start_matches('\t') } else { line }) == end
            };
            lines.by_ref().any(ends);
        }
    }
    commands
}

/// Whether a line ends in a backslash that no other one escapes.
fn is_continued(line: &str) -> bool {
    line.bytes().rev().take_while(|&byte| byte == b'\\').count() % 2 == 1
}

/// What the next word is.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Mode {
    /// The first of a command, or what may stand before it.
    Command,
    /// One that names no program.
    Argument,
    /// The name of a function, before its body.
    Name,
    /// What a `case` is about, up to `in`.
    Subject,
    /// A pattern of a `case`.
    Pattern,
    /// A part of a condition, up to `]]`.
    Condition,
}

/// What is open around a place.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Frame {
    /// `$(`, `<(` or `>(`, with what the word around it was.
    Substitution(Mode),
    /// A backtick, with what the word around it was.
    Backtick(Mode),
    /// A parenthesis of commands, which may run over lines.
    Group,
    /// A parenthesis of words, which may too.
    List,
    /// A `case`.
    Case,
}

#[derive(Default)]
struct Word {
    text: String,
    /// Whether there is a word, if only an empty quotation.
    begun: bool,
    quoted: bool,
    /// Whether it is `NAME=`, perhaps with a value.
    assigns: bool,
}

#[derive(Default)]
struct Reader {
    frames: Vec<Frame>,
    /// The lines that end the here-documents of the line that was read, and whether they may be indented.
    documents: Vec<(String, bool)>,
}

impl Reader {
    /// Reads one line. Whether everything that must close on its line does.
    fn line(&mut self, line: &str, found: &mut impl FnMut(String)) -> bool {
        let mode = match self.frames.last() {
            Some(Frame::List) => Mode::Argument,
            Some(Frame::Case) => Mode::Pattern,
            _ => Mode::Command,
        };
        let chars: Vec<char> = line.chars().collect();
        let frames = &mut self.frames;
        let documents = &mut self.documents;
        let mut scan = Scan {
            chars: &chars,
            at: 0,
            frames,
            documents,
            mode,
            word: Word::default(),
            target: false,
            found,
        };
        let closed = scan.run().is_some();
        closed
            && !self
                .frames
                .iter()
                .any(|frame| matches!(frame, Frame::Substitution(_) | Frame::Backtick(_)))
    }
}

struct Scan<'s, F> {
    chars: &'s [char],
    at: usize,
    frames: &'s mut Vec<Frame>,
    documents: &'s mut Vec<(String, bool)>,
    mode: Mode,
    word: Word,
    /// Whether the next word is the target of a redirection.
    target: bool,
    found: &'s mut F,
}

impl<F: FnMut(String)> Scan<'_, F> {
    fn peek(&self, ahead: usize) -> Option<char> {
        self.chars.get(self.at + ahead).copied()
    }

    /// Takes a text if it stands here.
    fn takes(&mut self, text: &str) -> bool {
        let stands = text.chars().enumerate().all(|(ahead, c)| self.peek(ahead) == Some(c));
        if stands {
            self.at += text.chars().count();
        }
        stands
    }

    /// Reads to the end of the line; none where a quotation is open there.
    fn run(&mut self) -> Option<()> {
        while let Some(c) = self.peek(0) {
            match c {
                c if c.is_whitespace() => {
                    self.end_word();
                    self.at += 1;
                }
                '#' if !self.word.begun => break,
                '\\' => {
                    self.at += 1;
                    self.literal(true);
                }
                '\'' => self.single(false)?,
                '"' => self.double()?,
                '$' => self.dollar()?,
                '`' => self.backtick(),
                '<' | '>' => self.redirection(),
                '&' | '|' | ';' => self.separator(),
                '(' => self.opening(),
                ')' => self.closing(),
                _ => self.literal(false),
            }
        }
        self.end_word();
        Some(())
    }

    /// Takes one character into the word.
    fn literal(&mut self, quoted: bool) {
        let Some(c) = self.peek(0) else { return };
        if c == '=' && !quoted && !self.word.quoted && is_name(&self.word.text) {
            self.word.assigns = true;
        }
        self.word.text.push(c);
        self.word.begun = true;
        self.word.quoted |= quoted;
        self.at += 1;
    }

    fn single(&mut self, escapes: bool) -> Option<()> {
        self.at += 1;
        (self.word.begun, self.word.quoted) = (true, true);
        loop {
            match self.peek(0)? {
                '\'' => break,
                '\\' if escapes => self.at += 1,
                _ => {}
            }
            self.word.text.push(self.peek(0)?);
            self.at += 1;
        }
        self.at += 1;
        Some(())
    }

    /// A double quotation; what it substitutes may hold further ones.
    fn double(&mut self) -> Option<()> {
        let start = self.at + 1;
        let mut open = vec!['"'];
        self.at = start;
        while let Some(within) = open.last().copied() {
            match (within, self.peek(0)?) {
                (within, '\\') if within != '\'' => self.at += 1,
                (within, c) if c == within => {
                    open.pop();
                }
                ('"' | ')', '$') if self.peek(1) == Some('(') => {
                    self.at += 1;
                    open.push(')');
                }
                (')', '(') => open.push(')'),
                (')', '"') => open.push('"'),
                (')', '\'') => open.push('\''),
                ('"' | ')', '`') => open.push('`'),
                _ => {}
            }
            self.at += 1;
        }
        let inside = self.chars.get(start..self.at.saturating_sub(1)).unwrap_or_default();
        self.word.text.extend(inside);
        (self.word.begun, self.word.quoted) = (true, true);
        Some(())
    }

    fn dollar(&mut self) -> Option<()> {
        match self.peek(1) {
            Some('\'') => {
                self.at += 1;
                self.single(true)?;
            }
            Some('(') if self.peek(2) == Some('(') => {
                self.word.begun = true;
                self.word.text.push('$');
                self.at += 3;
                self.skip_parentheses(2)?;
            }
            Some('(') => {
                self.at += 2;
                self.substitution();
            }
            Some('{') => {
                let mut depth = 0_usize;
                loop {
                    match self.peek(0)? {
                        '{' => depth += 1,
                        '}' => depth -= 1,
                        _ => {}
                    }
                    self.literal(false);
                    if depth == 0 && self.word.text.ends_with('}') {
                        break;
                    }
                }
            }
            _ => self.literal(false),
        }
        Some(())
    }

    /// Skips to behind the parentheses that are open.
    fn skip_parentheses(&mut self, mut depth: usize) -> Option<()> {
        while depth > 0 {
            match self.peek(0)? {
                '(' => depth += 1,
                ')' => depth -= 1,
                _ => {}
            }
            self.at += 1;
        }
        Some(())
    }

    /// What is substituted is commands of its own, and the word around it is not known.
    fn substitution(&mut self) {
        let outer = self.interrupted();
        self.frames.push(Frame::Substitution(outer));
    }

    fn backtick(&mut self) {
        self.at += 1;
        if let Some(Frame::Backtick(outer)) = self.frames.last().copied() {
            self.end_word();
            self.frames.pop();
            self.resume(outer);
        } else {
            let outer = self.interrupted();
            self.frames.push(Frame::Backtick(outer));
        }
    }

    /// What the word was that a substitution interrupts, to be told when it goes on.
    fn interrupted(&mut self) -> Mode {
        let word = std::mem::take(&mut self.word);
        let outer = match self.mode {
            Mode::Command if !word.assigns => Mode::Argument,
            mode => mode,
        };
        self.target = false;
        self.mode = Mode::Command;
        outer
    }

    fn resume(&mut self, outer: Mode) {
        self.mode = outer;
        // The rest of an interrupted word is no word of its own.
        self.word = Word { text: "$=".to_owned(), begun: true, quoted: false, assigns: true };
    }

    fn redirection(&mut self) {
        if self.takes("<(") || self.takes(">(") {
            return self.substitution();
        }
        // A number before it is that of a file.
        if self.word.begun && self.word.text.chars().all(|c| c.is_ascii_digit()) {
            self.word = Word::default();
        }
        self.end_word();
        if self.takes("<<<") {
            self.target = true;
        } else if self.takes("<<") {
            let indented = self.takes("-");
            let end = self.here_document();
            self.documents.push((end, indented));
        } else {
            let _ = [">>", ">&", ">|", "<&", "<>", "<", ">"].iter().any(|mark| self.takes(mark));
            self.target = true;
        }
    }

    /// The word that ends a here-document.
    fn here_document(&mut self) -> String {
        while self.peek(0).is_some_and(|c| c == ' ' || c == '\t') {
            self.at += 1;
        }
        let mut end = String::new();
        while let Some(c) = self.peek(0) {
            if c.is_whitespace() || ";|&<>()".contains(c) {
                break;
            }
            if !"'\"\\".contains(c) {
                end.push(c);
            }
            self.at += 1;
        }
        end
    }

    fn separator(&mut self) {
        if self.takes("&>>") || self.takes("&>") {
            self.end_word();
            self.target = true;
            return;
        }
        self.end_word();
        self.target = false;
        let is_case = self.takes(";;&") || self.takes(";;") || self.takes(";&");
        if !is_case && !self.takes("&&") && !self.takes("||") && !self.takes("|&") {
            self.at += 1;
        }
        self.mode = match (self.mode, self.frames.last()) {
            (_, Some(Frame::Case)) if is_case => Mode::Pattern,
            (_, Some(Frame::List)) => Mode::Argument,
            (Mode::Pattern | Mode::Condition, _) => self.mode,
            _ => Mode::Command,
        };
    }

    fn opening(&mut self) {
        if self.mode == Mode::Pattern || self.mode == Mode::Condition {
            self.end_word();
            self.at += 1;
        } else if self.word.begun && self.peek(1) == Some(')') {
            // The name of a function.
            self.word = Word::default();
            self.mode = Mode::Command;
            self.at += 2;
        } else if self.takes("((") {
            self.end_word();
            let _ = self.skip_parentheses(2);
            self.mode = Mode::Argument;
        } else {
            let lists = self.word.assigns || self.mode != Mode::Command;
            self.end_word();
            self.at += 1;
            self.frames.push(if lists { Frame::List } else { Frame::Group });
            self.mode = if lists { Mode::Argument } else { Mode::Command };
        }
    }

    fn closing(&mut self) {
        self.end_word();
        self.at += 1;
        self.target = false;
        match self.frames.last().copied() {
            Some(Frame::Case) => self.mode = Mode::Command,
            Some(Frame::Substitution(outer)) => {
                self.frames.pop();
                self.resume(outer);
            }
            Some(Frame::Group) => {
                self.frames.pop();
                self.mode = Mode::Argument;
            }
            Some(Frame::List) => {
                self.frames.pop();
                self.mode = Mode::Command;
            }
            Some(Frame::Backtick(_)) | None => {}
        }
    }

    fn end_word(&mut self) {
        let word = std::mem::take(&mut self.word);
        if !word.begun || std::mem::take(&mut self.target) {
            return;
        }
        let keyword = if word.quoted { "" } else { word.text.as_str() };
        self.mode = match (self.mode, keyword) {
            (Mode::Subject, "in") => {
                self.frames.push(Frame::Case);
                Mode::Pattern
            }
            (Mode::Command | Mode::Pattern, "esac") => {
                self.frames.pop_if(|frame| *frame == Frame::Case);
                Mode::Argument
            }
            (Mode::Condition, "]]") => Mode::Argument,
            (Mode::Name, _) => Mode::Command,
            (Mode::Command, _) => self.command(&word, keyword),
            (mode, _) => mode,
        };
    }

    /// The first word of a command: what the next one is.
    fn command(&mut self, word: &Word, keyword: &str) -> Mode {
        match keyword {
            "if" | "then" | "elif" | "else" | "do" | "while" | "until" | "time" | "coproc"
            | "!" | "{" => return Mode::Command,
            "for" | "select" | "in" | "fi" | "done" | "}" => return Mode::Argument,
            "case" => return Mode::Subject,
            "function" => return Mode::Name,
            "[[" => return Mode::Condition,
            _ if word.assigns => return Mode::Command,
            _ => {}
        }
        let program = word.text.rsplit('/').next().unwrap_or_default();
        if program.contains(char::is_alphanumeric) && !program.contains(['$', '`']) {
            (self.found)(program.to_owned());
        }
        Mode::Argument
    }
}

fn is_name(text: &str) -> bool {
    let text = text.strip_suffix('+').unwrap_or(text);
    let text = text.split('[').next().unwrap_or_default();
    text.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
        && text.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn programs(text: &str, console: bool) -> Vec<String> {
        let commands = read(text, console);
        assert_eq!(commands.unclosed, None, "{text}");
        commands.programs.into_iter().map(|(_, program)| program).collect()
    }

    #[test]
    fn the_first_word_of_every_command_is_read() {
        for (text, expected) in [
            ("git status && make all", &["git", "make"][..]),
            ("a | b || c & d; e", &["a", "b", "c", "d", "e"]),
            ("a |& b", &["a", "b"]),
            ("a $(b c) <(d) >(e) `f g` h", &["a", "b", "d", "e", "f"]),
            ("/usr/bin/make -C x ./tools/y.sh", &["make"]),
            ("$ROOT/tools/y.sh", &["y.sh"]),
            ("$EDITOR x", &[]),
            ("$(a) b", &["a"]),
            ("\"ma\"ke 'x; y'", &["make"]),
            ("FOO=1 BAR=\"a b\" make", &["make"]),
            ("FOO=$(a b) make c", &["a", "make"]),
            ("FOO=(a b\nc d)\nmake", &["make"]),
            ("a \"b; c\" 'd; e' \"$(f; \"g; h\")\" \\; i", &["a"]),
            ("a \\\n  b c\nd", &["a", "d"]),
            ("# a\n\na # b; c\na#b", &["a", "a#b"]),
            ("$ a\n$ b", &["a", "b"]),
            ("a > b 2>&1 < c &> d", &["a"]),
            ("> b a c", &["a"]),
            ("2>b a", &["a"]),
            ("git clone <url> && make", &["git", "make"]),
            ("a <<E\nb; c\nE\nd", &["a", "d"]),
            ("a <<-'E' | f\n\tb\n\tE\nd", &["a", "f", "d"]),
            ("a <<< b\nc", &["a", "c"]),
            ("a $((1 + 2)) ${X:-$(y)} b", &["a"]),
            (": x\n[ -f y ] && make\n. z\n...", &["make"]),
        ] {
            assert_eq!(programs(text, false), expected, "{text}");
        }
    }

    #[test]
    fn keywords_name_no_program() {
        for (text, expected) in [
            ("if a; then b; elif c; then d; else e; fi", &["a", "b", "c", "d", "e"][..]),
            ("for x in a b; do c; done\nd", &["c", "d"]),
            ("for ((i = 0; i < 3; i++)); do c; done", &["c"]),
            ("while ! a; do b; done > x", &["a", "b"]),
            ("case $x in\n  a|b) c ;;\n  (d) e; f;;\n  *) g\nesac\nh", &["c", "e", "f", "g", "h"]),
            ("case x in a) b;; esac; c", &["b", "c"]),
            ("f() { a; }\nfunction g { b; }\ng", &["a", "b", "g"]),
            ("[[ a && b ]] && c", &["c"]),
            ("(\n  a\n  b\n)\nc", &["a", "b", "c"]),
            ("(cd x && make) > y; z", &["cd", "make", "z"]),
            ("time { a; b; }", &["a", "b"]),
            ("\"if\" a", &["if"]),
        ] {
            assert_eq!(programs(text, false), expected, "{text}");
        }
    }

    #[test]
    fn in_a_console_only_what_follows_a_prompt_is_typed() {
        let text = "$ a b \\\n> c\noutput\n$ d <<E\n> x; y\n> E\nmore output\n  $ f\n$\n";
        assert_eq!(programs(text, true), ["a", "d", "f"]);
    }

    #[test]
    fn a_line_that_ends_inside_something_ends_the_reading() {
        for text in
            ["a\nb 'c\nd'", "a\nb \"c\nd\"", "a\nb $(c\nd)", "a\nb `c\nd`", "a\nb <(c", "a\nb ${c"]
        {
            let expected = Commands { programs: vec![(0, "a".to_owned())], unclosed: Some(1) };
            assert_eq!(read(text, false), expected, "{text}");
        }
    }

    proptest! {
        #[test]
        fn every_text_can_be_read(text in "[ab $(){}`'\"<>&|;\\\\#=\\n]{0,60}", console: bool) {
            let commands = read(&text, console);
            let lines = text.lines().count();
            let mut last = 0;
            for (line, program) in commands.programs {
                prop_assert!(line >= last && line < lines && !program.is_empty());
                last = line;
            }
        }
    }
}
