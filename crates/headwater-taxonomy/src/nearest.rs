//! "Did you mean": the nearest of a closed set of words. A closed shape that only says no leaves the
//! reader to find the slip; most slips are one or two letters.

/// The word of `words` that is at most two edits, and less than half its length, away from `typed`.
/// The earliest of the nearest wins.
pub fn nearest<'w>(typed: &str, words: impl IntoIterator<Item = &'w str>) -> Option<&'w str> {
    // A long text is no slip of a word; the bound keeps the comparison small.
    if typed.len() > 64 {
        return None;
    }
    let mut best: Option<(usize, &str)> = None;
    for word in words {
        // Words whose lengths differ by more are further away than that.
        if typed.chars().count().abs_diff(word.chars().count()) > 2 {
            continue;
        }
        let far = distance(typed, word);
        if far <= 2 && far * 2 < word.len().max(2) && best.is_none_or(|(held, _)| far < held) {
            best = Some((far, word));
        }
    }
    best.map(|(_, word)| word)
}

/// Edits between two words, where a swap of neighbours is one edit.
fn distance(a: &str, b: &str) -> usize {
    let (a, b): (Vec<char>, Vec<char>) = (a.chars().collect(), b.chars().collect());
    let mut rows: Vec<Vec<usize>> = vec![(0..=b.len()).collect()];
    for i in 1..=a.len() {
        let mut row = vec![i];
        for j in 1..=b.len() {
            let change = rows[i - 1][j - 1] + usize::from(a[i - 1] != b[j - 1]);
            let mut least = change.min(rows[i - 1][j] + 1).min(row[j - 1] + 1);
            if i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] {
                least = least.min(rows[i - 2][j - 2] + 1);
            }
            row.push(least);
        }
        rows.push(row);
    }
    rows[a.len()][b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn near_words_are_named_and_far_ones_are_not() {
        let words = ["required", "role", "values", "volatility"];
        assert_eq!(nearest("require", words), Some("required"));
        assert_eq!(nearest("vlaues", words), Some("values"));
        assert_eq!(nearest("roel", words), Some("role"));
        assert_eq!(nearest("severity", words), None);
        assert_eq!(nearest("x", ["is"]), None);
    }
}
