//! What was probably meant by a rule that does not exist.

use super::all;

/// As many as a person reads.
const MOST: usize = 5;

/// Rules whose names are like `id`, nearest first: few letters differ, or one contains the other.
pub fn nearest(id: &str) -> Vec<&'static str> {
    let wanted = id.to_ascii_lowercase();
    let mut ranked: Vec<(usize, &'static str)> = all()
        .filter_map(|rule| Some((distance(&wanted, rule.id)?, rule.id)))
        .collect();
    ranked.sort_unstable();
    ranked.into_iter().take(MOST).map(|(_, id)| id).collect()
}

/// How far apart, where they are alike at all.
fn distance(wanted: &str, id: &str) -> Option<usize> {
    let letters = edits(wanted, id);
    let contains = wanted.len() >= 3 && (id.contains(wanted) || wanted.contains(id));
    (contains || letters <= id.len() / 3).then_some(letters)
}

/// Levenshtein's distance, one row at a time.
fn edits(a: &str, b: &str) -> usize {
    // A name longer than any rule is like none; this bounds the work.
    const LONGEST: usize = 64;
    let b: Vec<char> = b.chars().take(LONGEST).collect();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, x) in a.chars().take(LONGEST).enumerate() {
        let mut diagonal = i;
        let mut left = i + 1;
        for (cell, y) in row.iter_mut().skip(1).zip(&b) {
            let above = *cell;
            let change = diagonal + usize::from(x != *y);
            left = change.min(above + 1).min(left + 1);
            (diagonal, *cell) = (above, left);
        }
        if let Some(first) = row.first_mut() {
            *first = i + 1;
        }
    }
    row.last().copied().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn edits_are_counted() {
        for (a, b, n) in [
            ("", "", 0),
            ("kitten", "sitting", 3),
            ("abc", "", 3),
            ("", "abc", 3),
        ] {
            assert_eq!(edits(a, b), n, "{a} {b}");
        }
    }

    #[test]
    fn a_slip_of_the_finger_is_understood() {
        assert_eq!(
            nearest("start-misalinged").first(),
            Some(&"start-misaligned")
        );
        assert!(nearest("overlap").contains(&"partition-overlap"));
        assert!(nearest("zzzzzzzzzzzzzzzzzz").is_empty());
    }
}
