//! A tree to bytes: the only writer of canvas bytes (`canvas-store.md` §1.4).
//!
//! Everything is written from the tree alone, so writing what was read from a tool-written file gives
//! that file again. What XML cannot hold is a fault here and never reaches the markup.

use crate::lexis::{is_attribute_name, is_plain_name, is_xml_char, shown};
use crate::limits::DEPTH;
use crate::tree::{Document, Element};
use crate::xml::{Fault, no_xml_char};

const DECLARATION: &str = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n";

impl Document {
    /// The bytes of this canvas.
    ///
    /// # Errors
    /// A character that XML cannot hold, an element or attribute name that is no XML name, an
    /// attribute given twice, or nesting past the limit.
    pub fn to_bytes(&self) -> Result<Vec<u8>, Fault> {
        let mut out = Writer { out: String::from(DECLARATION), line: 2 };
        out.element(&self.root, 0)?;
        Ok(out.out.into_bytes())
    }
}

struct Writer {
    out: String,
    /// The 1-based line being written.
    line: u32,
}

impl Writer {
    /// Recursion is bounded by the depth limit.
    fn element(&mut self, element: &Element, depth: usize) -> Result<(), Fault> {
        if depth == DEPTH {
            return Err(self.fault(format!("more than {DEPTH} levels of nesting")));
        }
        if !is_plain_name(&element.name) {
            let message = format!("\"{}\" is not the name of an element", shown(&element.name));
            return Err(self.fault(message));
        }
        self.indent(depth);
        self.out.push('<');
        self.out.push_str(&element.name);
        self.attributes(element)?;
        if !element.children.is_empty() {
            self.out.push('>');
            self.end_line();
            for child in &element.children {
                self.element(child, depth + 1)?;
            }
            self.indent(depth);
            self.end_tag(element);
        } else if element.text.is_empty() {
            self.out.push_str("/>");
        } else {
            self.out.push('>');
            self.text(&element.text)?;
            self.end_tag(element);
        }
        self.end_line();
        Ok(())
    }

    fn attributes(&mut self, element: &Element) -> Result<(), Fault> {
        for (at, (name, value)) in element.attributes.iter().enumerate() {
            if !is_attribute_name(name) {
                let message = format!("\"{}\" is not the name of an attribute", shown(name));
                return Err(self.fault(message));
            }
            // Pairwise over one element's handful of attributes.
            if element.attributes[..at].iter().any(|(earlier, _)| earlier == name) {
                let message = format!("the attribute \"{}\" is given twice", shown(name));
                return Err(self.fault(message));
            }
            self.out.push(' ');
            self.out.push_str(name);
            self.out.push_str("=\"");
            for c in value.chars() {
                match c {
                    '"' => self.out.push_str("&quot;"),
                    '\n' => self.out.push_str("&#10;"),
                    '\t' => self.out.push_str("&#9;"),
                    _ => self.character(c)?,
                }
            }
            self.out.push('"');
        }
        Ok(())
    }

    fn text(&mut self, text: &str) -> Result<(), Fault> {
        for c in text.chars() {
            self.character(c)?;
            if c == '\n' {
                self.line = self.line.saturating_add(1);
            }
        }
        Ok(())
    }

    /// One character, with the escapes that text and attribute values share.
    fn character(&mut self, c: char) -> Result<(), Fault> {
        match c {
            '&' => self.out.push_str("&amp;"),
            '<' => self.out.push_str("&lt;"),
            '>' => self.out.push_str("&gt;"),
            '\r' => self.out.push_str("&#13;"),
            _ if is_xml_char(c) => self.out.push(c),
            _ => return Err(self.fault(no_xml_char(c))),
        }
        Ok(())
    }

    fn end_tag(&mut self, element: &Element) {
        self.out.push_str("</");
        self.out.push_str(&element.name);
        self.out.push('>');
    }

    fn indent(&mut self, depth: usize) {
        for _ in 0..depth {
            self.out.push_str("  ");
        }
    }

    fn end_line(&mut self) {
        self.out.push('\n');
        self.line = self.line.saturating_add(1);
    }

    fn fault(&self, message: String) -> Fault {
        Fault { line: Some(self.line), message }
    }
}
