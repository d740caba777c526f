//! The name a mistyped one was meant to be.

/// The one candidate that starts with `word`, else the closest, one slip away, or
/// two in a long word. Two in a short one are often another word (`unfreeze`).
pub fn nearest<'a>(word: &str, candidates: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    let letters = word.chars().count();
    if !(2..=40).contains(&letters) {
        return None;
    }
    let candidates: Vec<&str> = candidates.collect();
    let mut begun = candidates.iter().filter(|candidate| candidate.starts_with(word));
    if let (Some(one), None) = (begun.next(), begun.next()) {
        return Some(one);
    }
    candidates
        .into_iter()
        .map(|candidate| (distance(word, candidate), candidate))
        .filter(|(distance, _)| *distance <= if letters > 8 { 2 } else { 1 })
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, candidate)| candidate)
}

/// How many letters must be added, dropped, changed or swapped with their neighbour to make one
/// word of the other. The time is the product of the lengths; words are at most 40 letters here.
fn distance(a: &str, b: &str) -> usize {
    let a: Vec<char> = a.chars().collect();
    let b: Vec<char> = b.chars().collect();
    let mut rows = vec![vec![0; b.len() + 1]; a.len() + 1];
    for i in 0..=a.len() {
        for j in 0..=b.len() {
            rows[i][j] = if i == 0 || j == 0 {
                i + j
            } else {
                let change = rows[i - 1][j - 1] + usize::from(a[i - 1] != b[j - 1]);
                let swapped = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
                let swap = if swapped { rows[i - 2][j - 2] + 1 } else { usize::MAX };
                change.min(swap).min(rows[i - 1][j] + 1).min(rows[i][j - 1] + 1)
            }
        }
    }
    rows[a.len()][b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slip_finds_its_word_and_a_different_word_finds_none() {
        let verbs = ["create", "read", "replace", "remove", "move", "freeze"];
        let find = |word| nearest(word, verbs.into_iter());
        assert_eq!(find("raed"), Some("read"));
        assert_eq!(find("reed"), Some("read"));
        assert_eq!(find("creat"), Some("create"));
        assert_eq!(find("rep"), Some("replace"));
        assert_eq!(find("re"), None);
        assert_eq!(find("unfreeze"), None);
        assert_eq!(find("frobnicate"), None);
        assert_eq!(find(""), None);
        assert_eq!(find(&"read".repeat(1000)), None);
    }
}
