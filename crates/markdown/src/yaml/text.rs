//! A text of a tree. Front matter spells nearly all of its keys and values letter for letter, so a
//! text is a part of its file and no copy: a large corpus holds millions of them.

use std::fmt;
use std::ops::Deref;
use std::sync::Arc;

use crate::span::Span;

/// A part of a longer text, which it keeps alive. Cloning copies no bytes.
#[derive(Clone, Default)]
pub struct Text {
    /// What it is a part of; none for an empty text.
    whole: Option<Arc<String>>,
    start: u32,
    end: u32,
}

/// The end of a text that goes on to the end of the whole, however long that is.
const OPEN: u32 = u32::MAX;

impl Text {
    /// The part of a text under a span; empty when the span does not fit.
    #[must_use]
    pub fn within(whole: &Arc<String>, span: Span) -> Self {
        let part = span.of(whole);
        if part.is_empty() {
            return Self::default();
        }
        match (u32::try_from(span.start), u32::try_from(span.end)) {
            (Ok(start), Ok(end)) if end < OPEN => {
                Self { whole: Some(Arc::clone(whole)), start, end }
            }
            _ => part.into(),
        }
    }

    /// The part of this text under a span, which counts from its first byte; empty when the span does
    /// not fit.
    #[must_use]
    pub fn part(&self, span: Span) -> Self {
        match &self.whole {
            Some(whole) if span.end <= self.len() => {
                Self::within(whole, span.shifted(self.start as usize))
            }
            _ => Self::default(),
        }
    }

    /// The text without the white space at its ends.
    #[must_use]
    pub fn trimmed(&self) -> Self {
        let start = self.len() - self.trim_start().len();
        self.part(Span::new(start, start + self.trim().len()))
    }

    /// The text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        self.whole.as_ref().map_or("", |whole| self.span(whole).of(whole))
    }

    /// Where it stands in what it is a part of.
    fn span(&self, whole: &str) -> Span {
        let end = if self.end == OPEN { whole.len() } else { self.end as usize };
        Span::new(self.start as usize, end)
    }

    /// Whether it is a text, which most often its length alone denies: a key is looked for among others.
    fn is(&self, text: &str) -> bool {
        let Some(whole) = &self.whole else { return text.is_empty() };
        let Span { start, end } = self.span(whole);
        end - start == text.len() && whole.as_bytes().get(start..end) == Some(text.as_bytes())
    }
}

impl Deref for Text {
    type Target = str;

    fn deref(&self) -> &str {
        self.as_str()
    }
}

impl From<String> for Text {
    fn from(text: String) -> Self {
        let whole = (!text.is_empty()).then(|| Arc::new(text));
        Self { whole, start: 0, end: OPEN }
    }
}

impl From<&str> for Text {
    fn from(text: &str) -> Self {
        text.to_owned().into()
    }
}

impl PartialEq for Text {
    fn eq(&self, other: &Self) -> bool {
        self.as_str() == other.as_str()
    }
}

impl Eq for Text {}

impl PartialEq<str> for Text {
    fn eq(&self, other: &str) -> bool {
        self.is(other)
    }
}

impl PartialEq<&str> for Text {
    fn eq(&self, other: &&str) -> bool {
        self.is(other)
    }
}

impl PartialEq<Text> for String {
    fn eq(&self, other: &Text) -> bool {
        other.is(self)
    }
}

impl PartialEq<String> for Text {
    fn eq(&self, other: &String) -> bool {
        self.is(other)
    }
}

impl fmt::Display for Text {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self)
    }
}

impl fmt::Debug for Text {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(self.as_str(), f)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn a_part_is_what_slicing_gives(
            whole in "[ aé\u{a0}]{0,8}",
            (start, end) in (0_usize..12, 0_usize..12),
            (from, to) in (0_usize..12, 0_usize..12),
        ) {
            let slice = |text: &str, from, to| text.get(from..to).unwrap_or_default().to_owned();
            let outer = slice(&whole, start, end);
            let read = Text::within(&Arc::new(whole), Span::new(start, end));
            for text in [read, Text::from(outer.as_str())] {
                prop_assert_eq!(&outer, &text);
                for other in ["", "a", "é", " a", "a "] {
                    prop_assert_eq!(text == *other, outer == other);
                }
                prop_assert_eq!(text.trimmed(), outer.trim());
                prop_assert_eq!(text.part(Span::new(from, to)), slice(&outer, from, to));
            }
        }
    }
}
