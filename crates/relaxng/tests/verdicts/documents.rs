//! Documents for the tests that compare verdicts: a few seeds, and changes to them that keep a
//! document well-formed and leave open whether it stays valid.

/// Well-formed and valid, and together a use of all that the format has.
pub const SEEDS: [&str; 3] = [
    r#"<canvas ledger="a-b" schema="2">
  <section id="ab2c" v="1" title="Problem">
    <text id="ab2d" v="12">Some text.</text>
    <section id="ab2e" v="1" title="">
      <list id="ab2f" v="3"><item id="ab2g" v="1">One</item><item id="ab2h" v="2"/></list>
      <figure id="ab2j" v="1">a -> b</figure>
      <question id="ab2k" v="1" answered="true">Why?</question>
    </section>
    <figure id="ab2m" v="1" payload="svg">&lt;svg/></figure>
  </section>
  <table id="ab2n" v="1"><row id="ab2p" v="1"><cell id="ab2q" v="1">x</cell></row></table>
  <link id="ab2r" v="4" href="https://example.org/">label</link>
  <figure id="ab2s" v="1" payload="mermaid"/>
</canvas>"#,
    r#"<canvas ledger="old one" schema="1"><section id="zz99" v="7" title="A &amp; B"><section id="yy88"
 v="10" title="in"><figure id="xx77" v="1">f</figure><table id="ww66" v="1"/></section><question
 id="vv55" v="1">open</question></section><list id="uu44" v="1"/><figure id="tt33" v="2"/></canvas>"#,
    r#"<canvas ledger="x" schema="2"/>"#,
];

const NAMES: [&str; 6] = ["decision", "Text", "svg", "p:text", "canvas-note", "é"];
const ATTRIBUTES: [(&str, &str); 12] = [
    ("id", "ab2c"),
    ("v", "1"),
    ("title", "t"),
    ("href", "h"),
    ("answered", "true"),
    ("payload", "svg"),
    ("xml:space", "preserve"),
    ("xml:lang", "en"),
    ("p:id", "ab2c"),
    ("xmlns", "urn:other"),
    ("xmlns", ""),
    ("answered-by", "x"),
];
const VALUES: [&str; 24] = [
    "",
    " ",
    "\t\n",
    "\u{a0}",
    "\u{2003}x",
    "1",
    "2",
    "3",
    " 2 ",
    "0",
    "01",
    "+1",
    "1 2",
    "１",
    "true",
    "TRUE",
    "false",
    "svg",
    "mermaid",
    "mer maid",
    "ab2c",
    "abic",
    "ab2cd",
    "ab2c\u{a0}",
];
/// Put between the children of an element, as they stand.
const PIECES: [&str; 15] = [
    "x",
    " ",
    "\n\t",
    "&#13;",
    "\u{a0}",
    "\u{3000}",
    "\u{85}",
    "&amp;",
    "<!-- c -->",
    "<!---->",
    "<?p d?>",
    "<![CDATA[]]>",
    "<![CDATA[ ]]>",
    "<![CDATA[<x/>]]>",
    "0",
];

/// One decision after the other; after the last, zero for ever.
pub struct Choices<'a>(Box<dyn Iterator<Item = u32> + 'a>);

impl<'a> Choices<'a> {
    pub fn new(decisions: impl Iterator<Item = u32> + 'a) -> Self {
        Choices(Box::new(decisions))
    }

    /// Pseudo-random decisions, the same for the same seed.
    pub fn seeded(seed: u64) -> Choices<'static> {
        let mut state = seed;
        Choices::new(std::iter::from_fn(move || {
            state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
            let mut mixed = (state ^ (state >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
            mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
            Some((mixed >> 33) as u32)
        }))
    }

    pub fn below(&mut self, limit: usize) -> usize {
        self.0.next().unwrap_or(0) as usize % limit.max(1)
    }

    fn of<T: Copy>(&mut self, list: &[T]) -> T {
        list[self.below(list.len())]
    }
}

#[derive(Clone)]
enum Item {
    Element(Element),
    /// Well-formed content, as it stands.
    Raw(String),
}

#[derive(Clone)]
struct Element {
    name: String,
    attributes: Vec<(String, String)>,
    children: Vec<Item>,
}

fn escaped(text: &str) -> String {
    let mut out = String::new();
    for character in text.chars() {
        match character {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\t' | '\n' | '\r' => out.push_str(&format!("&#{};", character as u32)),
            other => out.push(other),
        }
    }
    out
}

impl Element {
    fn read(node: roxmltree::Node<'_, '_>) -> Element {
        Element {
            name: node.tag_name().name().to_owned(),
            attributes: node
                .attributes()
                .map(|attribute| (attribute.name().to_owned(), attribute.value().to_owned()))
                .collect(),
            children: node
                .children()
                .map(|child| match child.text() {
                    Some(text) if child.is_text() => Item::Raw(escaped(text)),
                    _ => Item::Element(Element::read(child)),
                })
                .collect(),
        }
    }

    fn write(&self, out: &mut String, root: bool) {
        out.push_str(&format!("<{}", self.name));
        if root {
            out.push_str(" xmlns:p=\"urn:p\"");
        }
        for (position, (name, value)) in self.attributes.iter().enumerate() {
            if !self.attributes[..position].iter().any(|(earlier, _)| earlier == name) {
                out.push_str(&format!(" {name}=\"{}\"", escaped(value)));
            }
        }
        out.push('>');
        for child in &self.children {
            match child {
                Item::Element(element) => element.write(out, false),
                Item::Raw(text) => out.push_str(text),
            }
        }
        out.push_str(&format!("</{}>", self.name));
    }

    fn count(&self) -> usize {
        1 + self
            .children
            .iter()
            .map(|child| match child {
                Item::Element(element) => element.count(),
                Item::Raw(_) => 0,
            })
            .sum::<usize>()
    }

    /// The element at a position of document order.
    fn nth(&mut self, position: &mut usize) -> Option<&mut Element> {
        if *position == 0 {
            return Some(self);
        }
        *position -= 1;
        self.children.iter_mut().find_map(|child| match child {
            Item::Element(element) => element.nth(position),
            Item::Raw(_) => None,
        })
    }

    fn some(&mut self, choices: &mut Choices<'_>) -> &mut Element {
        let mut position = choices.below(self.count());
        self.nth(&mut position).expect("the position is below the count")
    }
}

fn change(root: &mut Element, choices: &mut Choices<'_>) {
    let kind = choices.below(16);
    let names: Vec<String> = {
        let mut names = vec![];
        for position in 0..root.count() {
            names.push(root.nth(&mut position.clone()).expect("below the count").name.clone());
        }
        names
    };
    let mut donor = root.some(choices).clone();
    let target = root.some(choices);
    let gap = choices.below(target.children.len() + 1);
    let child = choices.below(target.children.len());
    let attribute = choices.below(target.attributes.len());
    match kind {
        0 => target.name = choices.of(&NAMES).to_owned(),
        1 => target.name.clone_from(&names[choices.below(names.len())]),
        2 => target.children.insert(gap, Item::Element(donor)),
        3 if !target.children.is_empty() => {
            let copy = target.children[child].clone();
            target.children.insert(gap, copy);
        }
        4 if !target.children.is_empty() => {
            target.children.remove(child);
        }
        5 if !target.children.is_empty() => {
            let other = choices.below(target.children.len());
            target.children.swap(child, other);
        }
        6 => {
            donor.children = vec![Item::Element(target.clone())];
            *target = donor;
        }
        7 => {
            let (name, value) = choices.of(&ATTRIBUTES);
            // No element without a prefix of its own can undo a declaration that stands first.
            target.attributes.push((name.to_owned(), value.to_owned()));
        }
        8 if !target.attributes.is_empty() => {
            target.attributes.remove(attribute);
        }
        9 if !target.attributes.is_empty() => {
            target.attributes[attribute].0 = choices.of(&ATTRIBUTES).0.to_owned();
        }
        10 | 11 if !target.attributes.is_empty() => {
            target.attributes[attribute].1 = choices.of(&VALUES).to_owned();
        }
        12 if !target.attributes.is_empty() => {
            let value = &mut target.attributes[attribute].1;
            *value = match choices.below(5) {
                0 => format!(" {value}"),
                1 => format!("{value}\n"),
                2 => format!("\t {value}  "),
                3 => format!("{value} {value}"),
                _ => value.to_uppercase(),
            };
        }
        13 => target.attributes.reverse(),
        14 => target.attributes.push(("xmlns:unused".to_owned(), "urn:unused".to_owned())),
        _ => target.children.insert(gap, Item::Raw(choices.of(&PIECES).to_owned())),
    }
}

/// A seed after some changes. A prefix that lost its declaration cannot happen: `p` is declared at
/// the root.
pub fn document(choices: &mut Choices<'_>) -> String {
    let seed = choices.of(&SEEDS);
    let parsed = roxmltree::Document::parse(seed).expect("a seed is well-formed");
    let mut root = Element::read(parsed.root_element());
    for _ in 0..choices.below(4) {
        change(&mut root, choices);
    }
    let mut out = String::new();
    root.write(&mut out, true);
    out
}
