//! Headings and the anchors that links reach them by.

use std::collections::HashMap;

use crate::block::BlockKind;
use crate::body::Body;
use crate::span::Span;

/// A heading.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Heading {
    /// From 1 to 6.
    pub level: u8,
    /// Its text as read, trimmed.
    pub text: String,
    /// The fragment that reaches it; unique within the document.
    pub anchor: String,
    /// Its bytes.
    pub span: Span,
    /// How many block quotations are around it. A quoted heading has an anchor and is no section.
    pub quote_depth: usize,
    /// Its index among [`Body::blocks`].
    pub block: usize,
}

impl Body {
    /// The headings in source order, with their anchors. Linear.
    #[must_use]
    pub fn headings(&self, source: &str) -> Vec<Heading> {
        let mut anchors = Anchors::default();
        let mut headings = Vec::new();
        for (at, block) in self.blocks().iter().enumerate() {
            let BlockKind::Heading(level) = block.kind else { continue };
            let text = self.text_of(source, block);
            let text = text.trim();
            headings.push(Heading {
                level,
                anchor: anchors.next(slug(text)),
                text: text.to_owned(),
                span: block.span,
                quote_depth: block.quote_depth,
                block: at,
            });
        }
        headings
    }

    /// The anchors of the headings, sorted. What raw HTML names is none (model §4.1).
    #[must_use]
    pub fn anchors(&self, source: &str) -> Vec<String> {
        let headings = self.blocks().iter().filter(|it| matches!(it.kind, BlockKind::Heading(_)));
        let mut made = Anchors::default();
        for heading in headings {
            made.next(slug(&self.text_of(source, heading)));
        }
        let mut anchors: Vec<String> = made.taken.into_keys().collect();
        anchors.sort_unstable();
        anchors
    }
}

/// A heading's text as a fragment: lower case, letters, digits, `-` and `_` kept, each space a
/// hyphen, nothing collapsed.
#[must_use]
pub fn slug(text: &str) -> String {
    let text = text.trim();
    if !text.is_ascii() {
        return github_slugger::slug(text);
    }
    // The same, without the large table that other scripts need.
    text.chars()
        .filter_map(|c| match c {
            ' ' => Some('-'),
            'a'..='z' | 'A'..='Z' | '0'..='9' | '-' | '_' => Some(c.to_ascii_lowercase()),
            _ => None,
        })
        .collect()
}

/// Makes slugs unique: a repeated one takes the first free number, counted for each exact slug and
/// stepping over slugs that are taken.
#[derive(Default)]
struct Anchors {
    /// What is taken, and the number that its next repeat tries first.
    taken: HashMap<String, usize>,
}

impl Anchors {
    fn next(&mut self, slug: String) -> String {
        let Some(&(mut number)) = self.taken.get(&slug) else {
            self.taken.insert(slug.clone(), 1);
            return slug;
        };
        loop {
            let anchor = format!("{slug}-{number}");
            number += 1;
            if !self.taken.contains_key(&anchor) {
                self.taken.insert(anchor.clone(), 1);
                self.taken.insert(slug, number);
                return anchor;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn anchors(slugs: &[&str]) -> Vec<String> {
        let mut anchors = Anchors::default();
        slugs.iter().map(|slug| anchors.next((*slug).to_owned())).collect()
    }

    #[test]
    fn a_repeat_steps_over_a_heading_that_looks_like_one() {
        assert_eq!(anchors(&["one", "one", "one-1", "one"]), ["one", "one-1", "one-1-1", "one-2"]);
        assert_eq!(anchors(&["one-1", "one", "one"]), ["one-1", "one", "one-2"]);
        assert_eq!(anchors(&["", "", "-1"]), ["", "-1", "-1-1"]);
    }

    proptest! {
        #[test]
        fn short_cut_and_table_agree(text in "[ -~\t]{0,40}") {
            prop_assert_eq!(slug(&text), github_slugger::slug(text.trim()));
        }

        #[test]
        fn anchors_are_unique(slugs in proptest::collection::vec("(a|a-1|a-1-1|b|-1|)", 0..30)) {
            let slugs: Vec<&str> = slugs.iter().map(String::as_str).collect();
            let found = anchors(&slugs);
            let distinct: std::collections::HashSet<&String> = found.iter().collect();
            prop_assert_eq!(distinct.len(), found.len());
        }
    }
}
