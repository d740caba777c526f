//! Path patterns: the language of shelves, exclusions, scopes and surfaces. It is small on purpose,
//! so that "do these two patterns ever match one path" can be decided exactly.

/// A path pattern, parsed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PathPattern {
    text: String,
    segments: Vec<Segment>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Segment {
    /// `**`: any number of whole segments, none included.
    Any,
    /// Holds `*` or `?`.
    Glob(Vec<char>),
    Literal(String),
}

/// How specific a pattern is: leading literal segments, then literal characters. Higher wins.
pub type Specificity = (usize, usize);

impl PathPattern {
    /// Reads a pattern. There is no text that is no pattern; one without a segment matches nothing.
    pub fn new(text: &str) -> Self {
        let segments = text
            .split('/')
            .filter(|segment| !segment.is_empty())
            .map(|segment| match segment {
                "**" => Segment::Any,
                glob if glob.contains(['*', '?']) => Segment::Glob(glob.chars().collect()),
                literal => Segment::Literal(literal.to_owned()),
            })
            .collect();
        Self { text: text.to_owned(), segments }
    }

    /// The pattern as written.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Whether it has no segment at all.
    pub fn is_empty(&self) -> bool {
        self.segments.is_empty()
    }

    /// Whether it holds no wildcard, so that it names one path.
    pub fn is_literal(&self) -> bool {
        self.segments.iter().all(|segment| matches!(segment, Segment::Literal(_)))
    }

    /// Whether it matches the whole of a path.
    pub fn matches(&self, path: &str) -> bool {
        let mut names = path.split('/').filter(|name| !name.is_empty()).peekable();
        if self.segments.is_empty() || names.peek().is_none() {
            return false;
        }
        // Most patterns begin with names that decide alone.
        let mut segments = self.segments.as_slice();
        while let [Segment::Literal(text), rest @ ..] = segments {
            if names.next() != Some(text) {
                return false;
            }
            segments = rest;
        }
        if segments == [Segment::Any] {
            return true;
        }
        star_match(
            segments,
            &names.collect::<Vec<_>>(),
            |segment| *segment == Segment::Any,
            |segment, name| match segment {
                Segment::Any => false,
                Segment::Literal(text) => text == name,
                Segment::Glob(glob) => {
                    let letters: Vec<char> = name.chars().collect();
                    star_match(glob, &letters, |g| *g == '*', |g, c| *g == '?' || g == c)
                }
            },
        )
    }

    /// How specific it is.
    pub fn specificity(&self) -> Specificity {
        let literal = |segment: &&Segment| matches!(segment, Segment::Literal(_));
        let leading = self.segments.iter().take_while(literal).count();
        let letters = self
            .segments
            .iter()
            .map(|segment| match segment {
                Segment::Any => 0,
                Segment::Literal(text) => text.len(),
                Segment::Glob(glob) => glob.iter().filter(|c| !matches!(c, '*' | '?')).count(),
            })
            .sum();
        (leading, letters)
    }

    /// The leading literal segments, joined; empty when the first segment is a wildcard.
    pub fn literal_prefix(&self) -> String {
        let mut prefix: Vec<&str> = Vec::new();
        for segment in &self.segments {
            match segment {
                Segment::Literal(text) => prefix.push(text),
                _ => break,
            }
        }
        prefix.join("/")
    }

    /// Whether some path matches both patterns.
    pub fn overlaps(&self, other: &Self) -> bool {
        if self.segments.is_empty() || other.segments.is_empty() {
            return false;
        }
        let glob = |segment: &Segment| match segment {
            Segment::Literal(text) => (text.chars().collect::<Vec<_>>(), true),
            Segment::Glob(glob) => (glob.clone(), false),
            Segment::Any => (vec!['*'], false),
        };
        meet(
            &self.segments,
            &other.segments,
            |segment| *segment == Segment::Any,
            |a, b| {
                let ((a, a_literal), (b, b_literal)) = (glob(a), glob(b));
                // A literal holds no wildcard, since a segment with one is a glob.
                meet(
                    &a,
                    &b,
                    |c| *c == '*',
                    |x, y| x == y || (*x == '?' && !a_literal) || (*y == '?' && !b_literal),
                )
            },
        )
    }
}

/// Wildcard matching with one point to go back to: the last star. Time is at most the product of
/// the lengths, and there is no recursion.
fn star_match<P, T>(
    pattern: &[P],
    text: &[T],
    star: impl Fn(&P) -> bool,
    one: impl Fn(&P, &T) -> bool,
) -> bool {
    let (mut p, mut t) = (0, 0);
    let mut back: Option<(usize, usize)> = None;
    while let Some(item) = text.get(t) {
        match pattern.get(p) {
            Some(part) if star(part) => {
                back = Some((p, t));
                p += 1;
            }
            Some(part) if one(part, item) => {
                p += 1;
                t += 1;
            }
            _ => match back {
                Some((star_at, from)) => {
                    back = Some((star_at, from + 1));
                    p = star_at + 1;
                    t = from + 1;
                }
                None => return false,
            },
        }
    }
    pattern.get(p..).unwrap_or(&[]).iter().all(star)
}

/// Whether two wildcard patterns share a text: the table over their suffixes, from the end, so the
/// time is the product of the lengths.
fn meet<P>(a: &[P], b: &[P], star: impl Fn(&P) -> bool, one: impl Fn(&P, &P) -> bool) -> bool {
    let mut below = vec![false; b.len() + 1];
    for i in (0..=a.len()).rev() {
        let mut row = vec![false; b.len() + 1];
        for j in (0..=b.len()).rev() {
            row[j] = match (a.get(i), b.get(j)) {
                (None, None) => true,
                (Some(x), None) => star(x) && below[j],
                (None, Some(y)) => star(y) && row[j + 1],
                (Some(x), Some(y)) if star(x) || star(y) => {
                    // A star ends here, or takes what the other side puts here.
                    (star(x) && below[j])
                        || (star(y) && row[j + 1])
                        || (star(x) && !star(y) && row[j + 1])
                        || (star(y) && !star(x) && below[j])
                }
                (Some(x), Some(y)) => one(x, y) && below[j + 1],
            };
        }
        below = row;
    }
    below[0]
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn the_language_is_the_small_one() {
        let cases = [
            ("a/**", "a", true),
            ("a/**", "a/b/c.md", true),
            ("a/**/b", "a/b", true),
            ("a/**/b", "a/x/y/b", true),
            ("a/**/b", "a/x/y/c", false),
            ("**/README.md", "README.md", true),
            ("a/*", "a/b/c", false),
            ("a/?.md", "a/é.md", true),
            ("a/?.md", "a/bc.md", false),
            ("a/*.md", "a/.md", true),
            ("a/[bc]", "a/b", false),
            ("a/[bc]", "a/[bc]", true),
            ("a/{b,c}", "a/b", false),
            ("a//b/", "a/b", true),
            ("A/b", "a/b", false),
            ("", "a", false),
            ("a**b", "axxb", true),
        ];
        for (pattern, path, want) in cases {
            assert_eq!(PathPattern::new(pattern).matches(path), want, "{pattern} on {path}");
        }
    }

    #[test]
    fn specificity_counts_leading_literals_first() {
        let of = |text: &str| PathPattern::new(text).specificity();
        assert_eq!(of("docs/a/**"), (2, 5));
        assert_eq!(of("docs/*.md"), (1, 7));
        assert_eq!(of("docs/é?"), (1, 5));
        assert_eq!(of("**/long-literal-name/x"), (0, 18));
        assert!(of("docs/a/**") > of("docs/*/very-long-name.md"));
    }

    #[test]
    fn overlap_is_decided_exactly() {
        let cases = [
            ("a/**", "a/*", true),
            ("a/*.md", "a/x*", true),
            ("a/*.md", "a/*.txt", false),
            ("**/a", "b/**", true),
            ("a/**/z", "**/y", false),
            ("a/?", "a/bc", false),
            ("a/b", "a/b/**", true),
            ("a/b", "a/b/*", false),
            ("x*y", "xy", true),
        ];
        for (a, b, want) in cases {
            let (a, b) = (PathPattern::new(a), PathPattern::new(b));
            assert_eq!(a.overlaps(&b), want, "{a:?} {b:?}");
            assert_eq!(b.overlaps(&a), want, "{b:?} {a:?}");
        }
        // Many `**` would be exponential without the table.
        let many = format!("{}x", "**/a/".repeat(200));
        let other = format!("{}y", "**/a/".repeat(200));
        assert!(!PathPattern::new(&many).overlaps(&PathPattern::new(&other)));
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(2000))]
        #[test]
        fn a_path_that_both_match_is_an_overlap(
            a in "([ab*?]{1,3}|\\*\\*)(/([ab*?]{1,3}|\\*\\*)){0,3}",
            b in "([ab*?]{1,3}|\\*\\*)(/([ab*?]{1,3}|\\*\\*)){0,3}",
        ) {
            // Every path over a small alphabet is tried, so the table is held to the definition.
            let names = ["a", "b", "aa", "ab", "ba", "bb", "aba", "bab", "aab", "abb"];
            let (a, b) = (PathPattern::new(&a), PathPattern::new(&b));
            let mut both = false;
            for x in names {
                both |= a.matches(x) && b.matches(x);
                for y in names {
                    let two = format!("{x}/{y}");
                    both |= a.matches(&two) && b.matches(&two);
                    for z in ["a", "b", "ab"] {
                        let three = format!("{two}/{z}");
                        both |= a.matches(&three) && b.matches(&three);
                    }
                }
            }
            prop_assert!(!both || a.overlaps(&b), "{:?} {:?}", a, b);
            prop_assert_eq!(a.overlaps(&b), b.overlaps(&a));
            prop_assert!(a.overlaps(&a) || a.is_empty());
        }
    }
}
