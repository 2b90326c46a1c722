//! Breaks a line at spaces so that it fits; a word that is too long is cut.

use super::style::Style;
use crate::words::clean::char_columns;

type Letters = [(Style, char)];

/// Lines of at most `first` and then `rest` columns; at least one, perhaps empty.
pub fn wrap(letters: &Letters, [first, rest]: [usize; 2]) -> Vec<&Letters> {
    let mut lines = Vec::new();
    let mut left = letters;
    let mut room = first.max(1);
    loop {
        let fits = fitting(left, room);
        if fits == left.len() {
            lines.push(left);
            return lines;
        }
        let (line, next) = left.split_at(break_at(left, fits));
        lines.push(line);
        left = trim_start(next);
        room = rest.max(1);
        if left.is_empty() {
            return lines;
        }
    }
}

/// The same for printable ASCII, of which each byte takes a column: most of all paragraphs.
pub fn plain(text: &str, [first, rest]: [usize; 2]) -> Vec<&str> {
    let mut lines = Vec::new();
    let mut left = text;
    let mut room = first.max(1);
    while left.len() > room {
        let reach = left.get(..=room).unwrap_or(left);
        let at = reach.rfind(' ').filter(|at| *at > 0).unwrap_or(room);
        let (line, next) = left.split_at_checked(at).unwrap_or((left, ""));
        lines.push(line);
        left = next.trim_start_matches(' ');
        room = rest.max(1);
        if left.is_empty() {
            return lines;
        }
    }
    lines.push(left);
    lines
}

/// How many characters fit into `room` columns; at least one, so that it always ends.
fn fitting(letters: &Letters, room: usize) -> usize {
    let mut used = 0;
    let count = letters
        .iter()
        .take_while(|(_, c)| {
            used += char_columns(*c);
            used <= room
        })
        .count();
    count.max(1).min(letters.len())
}

/// The last space within reach, or the hard limit.
fn break_at(letters: &Letters, fits: usize) -> usize {
    let reach = letters.get(..=fits).unwrap_or(letters);
    reach
        .iter()
        .rposition(|(_, c)| *c == ' ')
        .filter(|at| *at > 0)
        .unwrap_or(fits)
}

fn trim_start(letters: &Letters) -> &Letters {
    let spaces = letters.iter().take_while(|(_, c)| *c == ' ').count();
    letters.get(spaces..).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(text: &str, first: usize, rest: usize) -> Vec<String> {
        let letters: Vec<_> = text.chars().map(|c| (Style::Plain, c)).collect();
        let lines: Vec<String> = wrap(&letters, [first, rest])
            .into_iter()
            .map(|line| line.iter().map(|(_, c)| *c).collect())
            .collect();
        if text.is_ascii() {
            assert_eq!(plain(text, [first, rest]), lines, "{text:?} {first} {rest}");
        }
        lines
    }

    #[test]
    fn plain_text_is_wrapped_as_any_other() {
        for text in [
            "",
            " ",
            "a",
            "a b",
            "  a  b ",
            "one two  three four",
            "abcdefghi j ",
            "a   ",
        ] {
            for first in 0..12 {
                for rest in 0..12 {
                    lines(text, first, rest);
                }
            }
        }
    }

    #[test]
    fn breaks_at_spaces() {
        assert_eq!(lines("one two three", 8, 8), ["one two", "three"]);
        assert_eq!(lines("one two", 7, 7), ["one two"]);
        assert_eq!(lines("", 7, 7), [""]);
    }

    #[test]
    fn cuts_long_words_and_wide_characters() {
        assert_eq!(lines("abcdefghij", 4, 3), ["abcd", "efg", "hij"]);
        assert_eq!(lines("漢字漢字", 5, 5), ["漢字", "漢字"]);
        assert_eq!(lines("漢", 1, 1), ["漢"]);
    }
}
