//! From the events of the parser to a tree, with every offence against the dialect.

use std::fmt;

use granit_parser::{Event, Parser, ScalarStyle, Span as RawSpan, StructureStyle};

use super::{Map, Member, Node, Position, Span, Style, Value, shown};

/// The deepest nesting of lists and mappings that is read.
pub const DEPTH_LIMIT: usize = 256;
/// The longest mapping key that is read, in characters.
pub const KEY_LIMIT: usize = 1024;

/// What the dialect refuses.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Offence {
    /// `&name`
    Anchor,
    /// `*name`
    Alias,
    /// A plain `<<` key.
    MergeKey,
    /// `!tag`
    Tag,
    /// A key that its mapping holds already, and where the first one stands.
    DuplicateKey(String, Position),
    /// A list or a mapping as a key.
    KeyNotScalar,
    /// A key of more than [`KEY_LIMIT`] characters.
    KeyTooLong,
    /// A second document in the file.
    SecondDocument,
    /// No document in the file.
    Empty,
    /// More than [`DEPTH_LIMIT`] levels.
    TooDeep,
    /// Bytes that are not UTF-8.
    NotUtf8,
    /// Not YAML, in the words of the parser.
    Syntax(String),
}

impl fmt::Display for Offence {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Anchor => f.write_str("an anchor (`&`) is not read here"),
            Self::Alias => f.write_str("an alias (`*`) is not read here"),
            Self::MergeKey => f.write_str("a merge key (`<<`) is not read here"),
            Self::Tag => f.write_str("a tag (`!`) is not read here"),
            Self::DuplicateKey(key, first) => {
                write!(f, "the key `{}` stands here again, the first is at {first}", shown(key))
            }
            Self::KeyNotScalar => f.write_str("a key is a list or a mapping"),
            Self::KeyTooLong => write!(f, "a key is longer than {KEY_LIMIT} characters"),
            Self::SecondDocument => f.write_str("a second document begins here"),
            Self::Empty => f.write_str("the file holds no value"),
            Self::TooDeep => write!(f, "values nest deeper than {DEPTH_LIMIT} levels"),
            Self::NotUtf8 => f.write_str("the bytes here are not UTF-8"),
            Self::Syntax(why) => write!(f, "this is not YAML: {}", shown(why)),
        }
    }
}

impl Offence {
    /// What to do about it.
    pub fn remedy(&self) -> &'static str {
        match self {
            Self::Anchor | Self::Alias => "write the value out",
            Self::MergeKey => "write the members out",
            Self::Tag => "leave it out",
            Self::DuplicateKey(..) => "keep one of the two",
            Self::KeyNotScalar => "write the key as text",
            Self::KeyTooLong => "shorten the key",
            Self::SecondDocument => "keep one document in the file",
            Self::Empty => "write the mapping that the file should hold",
            Self::TooDeep => "nest less",
            Self::NotUtf8 => "save the file as UTF-8",
            Self::Syntax(_) => "correct the syntax at that place",
        }
    }
}

/// One refusal of the loader.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    /// Where.
    pub at: Position,
    /// What.
    pub offence: Offence,
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.at, self.offence)
    }
}

/// Loads the bytes of one file as source `source`.
///
/// # Errors
/// Every offence against the dialect, in file order; a syntax error alone.
pub fn load_bytes(bytes: &[u8], source: u32) -> Result<Node, Vec<Fault>> {
    match std::str::from_utf8(bytes) {
        Ok(text) => load(text, source),
        Err(error) => {
            let good = String::from_utf8_lossy(bytes.get(..error.valid_up_to()).unwrap_or(&[]));
            let line = good.rsplit('\n').next().unwrap_or("");
            let at = Position {
                line: narrow(good.matches('\n').count() + 1),
                column: narrow(line.chars().count() + 1),
                offset: error.valid_up_to(),
            };
            Err(vec![Fault { at, offence: Offence::NotUtf8 }])
        }
    }
}

/// Loads a text as source `source`.
///
/// # Errors
/// As [`load_bytes`].
pub fn load(text: &str, source: u32) -> Result<Node, Vec<Fault>> {
    let (body, skipped) = match text.strip_prefix('\u{feff}') {
        Some(rest) => (rest, '\u{feff}'.len_utf8()),
        None => (text, 0),
    };
    let options = granit_parser::options! {
        emit_unresolved_aliases: true,
        emit_anchor_events: true,
        simple_key_max_lookahead: 8 * KEY_LIMIT,
        flow_nesting_limit: DEPTH_LIMIT + 1,
        block_nesting_limit: DEPTH_LIMIT + 1,
    };
    let mut loader = Loader { source, skipped, stack: Vec::new(), root: None, faults: Vec::new() };
    let mut documents = 0_usize;
    for next in Parser::new_from_str_with_options(body, options) {
        let (event, span) = match next {
            Ok(next) => next,
            Err(error) => {
                let at = loader.position(error.marker());
                return Err(vec![Fault { at, offence: Offence::Syntax(error.info()) }]);
            }
        };
        if let Event::DocumentStart(..) = event {
            documents += 1;
            if documents > 1 {
                loader.fault(&span, Offence::SecondDocument);
                break;
            }
        }
        if !loader.take(event, &span) {
            break;
        }
    }
    let mut faults = loader.faults;
    if loader.root.is_none() && faults.is_empty() {
        let at = Position { line: 1, column: 1, offset: 0 };
        faults.push(Fault { at, offence: Offence::Empty });
    }
    faults.sort_by_key(|fault| fault.at);
    match loader.root {
        Some(root) if faults.is_empty() => Ok(root),
        _ => Err(faults),
    }
}

/// A collection that is still open.
enum Open {
    List { start: Span, items: Vec<Node>, flow: bool },
    Map { start: Span, map: Map, key: Key, flow: bool },
}

/// What a mapping waits for.
enum Key {
    /// A key.
    Awaited,
    /// The value of this key.
    Held(String, Span),
    /// A value that has no usable key and is dropped.
    Dropped,
}

struct Loader {
    source: u32,
    skipped: usize,
    stack: Vec<Open>,
    root: Option<Node>,
    faults: Vec<Fault>,
}

impl Loader {
    /// Takes one event; false stops the reading.
    fn take(&mut self, event: Event<'_>, raw: &RawSpan) -> bool {
        let span = self.span(raw);
        if event.tag().is_some() {
            let at = raw.tag_start().map_or(span.start, |mark| self.position(&mark));
            self.faults.push(Fault { at, offence: Offence::Tag });
        }
        match event {
            Event::Scalar(text, style, ..) => {
                let style = match style {
                    ScalarStyle::Plain => Style::Plain,
                    ScalarStyle::SingleQuoted => Style::Single,
                    ScalarStyle::DoubleQuoted => Style::Double,
                    ScalarStyle::Literal => Style::Literal,
                    ScalarStyle::Folded => Style::Folded,
                };
                self.complete(Node { value: Value::Scalar(text.into_owned(), style), span });
            }
            Event::SequenceStart(style, ..) => {
                let flow = matches!(style, StructureStyle::Flow);
                return self.open(Open::List { start: span, items: Vec::new(), flow }, raw);
            }
            Event::MappingStart(style, ..) => {
                let flow = matches!(style, StructureStyle::Flow);
                let (map, key) = (Map::default(), Key::Awaited);
                return self.open(Open::Map { start: span, map, key, flow }, raw);
            }
            Event::SequenceEnd | Event::MappingEnd => self.close(span),
            Event::Anchor(..) => self.fault(raw, Offence::Anchor),
            Event::Alias(_) | Event::UnresolvedAlias(_) => {
                self.fault(raw, Offence::Alias);
                self.complete(Node::scalar("", span));
            }
            _ => {}
        }
        true
    }

    fn open(&mut self, open: Open, raw: &RawSpan) -> bool {
        if self.stack.len() == DEPTH_LIMIT {
            self.fault(raw, Offence::TooDeep);
            return false;
        }
        self.stack.push(open);
        true
    }

    fn close(&mut self, end: Span) {
        // A flow collection ends at its bracket; a block collection ends where its last value does.
        let reach = |start: Span, flow: bool, last: Option<Position>| Span {
            end: if flow { end.end } else { last.unwrap_or(start.start) },
            ..start
        };
        let node = match self.stack.pop() {
            Some(Open::List { start, items, flow }) => Node {
                span: reach(start, flow, items.last().map(|item| item.span.end)),
                value: Value::List(items),
            },
            Some(Open::Map { start, map, flow, .. }) => {
                let last = map.values().next_back().map(|member| member.value.span.end);
                Node { span: reach(start, flow, last), value: Value::Map(map) }
            }
            None => return,
        };
        self.complete(node);
    }

    fn complete(&mut self, node: Node) {
        match self.stack.last_mut() {
            None => self.root = Some(node),
            Some(Open::List { items, .. }) => items.push(node),
            Some(Open::Map { map, key, .. }) => match std::mem::replace(key, Key::Awaited) {
                Key::Held(name, at) => {
                    map.insert(name, Member { key: at, value: node });
                }
                Key::Dropped => {}
                Key::Awaited => {
                    let at = node.span.start;
                    let (next, offence) = match node.value {
                        Value::Scalar(text, style) => {
                            let offence = if text == "<<" && style == Style::Plain {
                                Some(Offence::MergeKey)
                            } else if text.chars().nth(KEY_LIMIT).is_some() {
                                Some(Offence::KeyTooLong)
                            } else {
                                map.get(&text).map(|first| {
                                    Offence::DuplicateKey(text.clone(), first.key.start)
                                })
                            };
                            match offence {
                                None => (Key::Held(text, node.span), None),
                                some => (Key::Dropped, some),
                            }
                        }
                        _ => (Key::Dropped, Some(Offence::KeyNotScalar)),
                    };
                    *key = next;
                    self.faults.extend(offence.map(|offence| Fault { at, offence }));
                }
            },
        }
    }

    fn fault(&mut self, raw: &RawSpan, offence: Offence) {
        let at = self.span(raw).start;
        self.faults.push(Fault { at, offence });
    }

    fn span(&self, raw: &RawSpan) -> Span {
        Span { source: self.source, start: self.position(&raw.start), end: self.position(&raw.end) }
    }

    fn position(&self, mark: &granit_parser::Marker) -> Position {
        Position {
            line: narrow(mark.line()),
            column: narrow(mark.col() + 1),
            offset: mark.byte_offset().unwrap_or_else(|| mark.index()) + self.skipped,
        }
    }
}

fn narrow(number: usize) -> u32 {
    u32::try_from(number).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn offences(text: &str) -> Vec<(String, Offence)> {
        load(text, 0).unwrap_err().into_iter().map(|f| (f.at.to_string(), f.offence)).collect()
    }

    #[test]
    fn scalars_keep_text_and_style_and_only_plain_ones_have_types() {
        let tree =
            load("a: no\nb: \"true\"\nc: 0o17\nd: ~\ne:\nf: 'x'\ng: True\nh: +7\ni: 0x1f\n", 0)
                .unwrap();
        let get = |key: &str| tree.get(key).unwrap();
        assert_eq!((get("a").text(), get("a").as_bool()), (Some("no"), None));
        assert_eq!((get("b").as_bool(), get("g").as_bool()), (None, Some(true)));
        assert_eq!((get("c").as_int(), get("h").as_int()), (Some(15), Some(7)));
        assert_eq!(get("i").as_int(), Some(31));
        assert!(get("d").is_null() && get("e").is_null() && !get("f").is_null());
        assert_eq!(get("e").span.start, get("e").span.end);
    }

    #[test]
    fn every_offence_is_reported_with_its_position_and_together() {
        let text = "a: &x 1\nb: *x\nc: !!str 2\n<<: 3\na: 4\n[k]: 5\n";
        let found = offences(text);
        let first = Position { line: 1, column: 1, offset: 0 };
        let want = [
            ("1:4", Offence::Anchor),
            ("2:4", Offence::Alias),
            ("3:4", Offence::Tag),
            ("4:1", Offence::MergeKey),
            ("5:1", Offence::DuplicateKey("a".into(), first)),
            ("6:1", Offence::KeyNotScalar),
        ];
        assert_eq!(found, want.map(|(at, offence)| (at.to_owned(), offence)));
    }

    #[test]
    fn a_quoted_merge_key_is_a_key() {
        assert!(load("\"<<\": 1\n", 0).is_ok());
    }

    #[test]
    fn empty_sources_and_second_documents_are_refused() {
        for empty in ["", "# only a comment\n", "\u{feff}"] {
            assert_eq!(offences(empty), [("1:1".to_owned(), Offence::Empty)]);
        }
        assert_eq!(offences("a: 1\n---\nb: 2\n"), [("2:1".to_owned(), Offence::SecondDocument)]);
    }

    #[test]
    fn a_byte_order_mark_is_skipped_and_counted_in_offsets() {
        let tree = load("\u{feff}a: é\nb: 1\n", 0).unwrap();
        assert_eq!(tree.get("a").unwrap().span.start, Position { line: 1, column: 4, offset: 6 });
        assert_eq!(tree.get("b").unwrap().span.start, Position { line: 2, column: 4, offset: 12 });
    }

    #[test]
    fn carriage_returns_and_wide_characters_keep_columns_right() {
        let tree = load("a: [é, b]\r\nc: d\r\n", 0).unwrap();
        let items = tree.get("a").unwrap().items().unwrap();
        assert_eq!(items[1].span.start, Position { line: 1, column: 8, offset: 8 });
        assert_eq!(tree.get("c").unwrap().span.start, Position { line: 2, column: 4, offset: 15 });
    }

    #[test]
    fn a_syntax_error_is_reported_alone() {
        let found = offences("a: &x 1\nb: [1, 2\n");
        let [(_, Offence::Syntax(why))] = found.as_slice() else { panic!("{found:?}") };
        assert!(!why.is_empty());
    }

    #[test]
    fn the_depth_limit_holds_at_the_limit_and_one_past_it() {
        let nested = |depth: usize| format!("{}{}", "[".repeat(depth), "]".repeat(depth));
        assert!(load(&nested(DEPTH_LIMIT), 0).is_ok());
        assert_eq!(offences(&nested(DEPTH_LIMIT + 1)).len(), 1);
        assert_eq!(offences(&nested(DEPTH_LIMIT + 1))[0].1, Offence::TooDeep);
        // Half in block form and half in flow form is counted as one depth.
        let block: String = (0..200).map(|d| format!("{}a:\n", " ".repeat(d))).collect();
        let mixed = format!("{block}{}{}", " ".repeat(200), nested(100));
        assert_eq!(offences(&mixed)[0].1, Offence::TooDeep);
        assert!(load(&"- ".repeat(100_000), 0).is_err());
        assert!(load(&"? ".repeat(100_000), 0).is_err());
    }

    #[test]
    fn the_key_limit_holds_at_the_limit_and_one_past_it() {
        assert!(load(&format!("{}: 1\n", "k".repeat(KEY_LIMIT)), 0).is_ok());
        let long = offences(&format!("{}: 1\n", "k".repeat(KEY_LIMIT + 1)));
        assert_eq!(long, [("1:1".to_owned(), Offence::KeyTooLong)]);
    }

    #[test]
    fn bytes_that_are_no_text_are_refused_at_the_first_bad_one() {
        let fault = load_bytes(b"a: 1\nb: \xff\n", 0).unwrap_err();
        assert_eq!((fault[0].at.to_string(), fault[0].at.offset), ("2:4".to_owned(), 8));
    }
}
