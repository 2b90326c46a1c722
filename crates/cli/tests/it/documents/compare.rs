//! Whether an output is the one that a page shows.

/// The line that stands for any lines.
const ANY: &str = "…";

/// Whether `said` is what `shown` says: line by line, or without its figures.
pub fn is_same(shown: &[&str], said: &[&str], without_figures: bool) -> bool {
    if without_figures {
        fits(&words(shown), &words(said))
    } else {
        let lines = |of: &[&str]| {
            of.iter()
                .map(|line| line.trim_end().to_owned())
                .collect::<Vec<_>>()
        };
        fits(&lines(shown), &lines(said))
    }
}

/// Whether lines are left out of what is shown.
pub fn has_gaps(shown: &[&str]) -> bool {
    shown.iter().any(|line| line.trim() == ANY)
}

/// A pattern in which [`ANY`] stands for any number of items.
fn fits(pattern: &[String], items: &[String]) -> bool {
    // reached[i]: the pattern so far fits the first i items.
    let mut reached = vec![false; items.len() + 1];
    reached[0] = true;
    for part in pattern {
        let mut next = vec![false; items.len() + 1];
        for at in 0..=items.len() {
            let before = at > 0 && next[at - 1];
            next[at] = if part.trim() == ANY {
                reached[at] || before
            } else {
                at > 0 && reached[at - 1] && *part == items[at - 1]
            };
        }
        reached = next;
    }
    reached[items.len()]
}

/// The words, with `#` for each number, without units, bars and the line about the machine.
fn words(lines: &[&str]) -> Vec<String> {
    const UNITS: [&str; 17] = [
        "ns", "µs", "ms", "s", "min", "B", "KiB", "MiB", "GiB", "TiB", "B/s", "KiB/s", "MiB/s",
        "GiB/s", "%", "second", "seconds",
    ];
    let lines = lines.iter().filter(|line| !line.contains(" · load "));
    let all = lines.flat_map(|line| line.split_whitespace());
    let bare = |word: &str| word.trim_matches(['.', ',', ';', ':', ')', '(']).to_owned();
    let is_bar = |word: &str| {
        word.chars()
            .all(|c| matches!(c, '\u{2580}'..='\u{259f}' | '·' | '─'))
    };
    all.filter(|word| !is_bar(word) && !UNITS.contains(&bare(word).as_str()))
        .map(without_number)
        .collect()
}

fn without_number(word: &str) -> String {
    let is_name = word.len() >= 8 && word.chars().all(|c| c.is_ascii_hexdigit());
    if is_name {
        return "#".to_owned();
    }
    let mut out = String::new();
    for c in word.chars() {
        let is_inside = matches!(c, ',' | '.') && out.ends_with('#');
        if c.is_ascii_digit() {
            if !out.ends_with('#') {
                out.push('#');
            }
        } else if !is_inside {
            out.push(c);
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_gap_stands_for_any_lines() {
        assert!(is_same(&["a", "…", "d"], &["a", "b", "c", "d"], false));
        assert!(is_same(&["…", "d"], &["d"], false));
        assert!(!is_same(&["a", "…", "d"], &["a", "b"], false));
        assert!(!is_same(&["a"], &["a", "b"], false));
        assert!(!is_same(&["a 1"], &["a 2"], false));
    }

    #[test]
    fn figures_are_left_out_and_words_are_not() {
        assert!(is_same(
            &["took 1.5 ms,", "1,000 I/Os"],
            &["took 22 s, 1", "I/Os"],
            true
        ));
        assert!(!is_same(&["1 read"], &["1 write"], true));
    }
}
