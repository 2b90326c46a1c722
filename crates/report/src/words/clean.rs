//! Untrusted names made fit to print: a volume label may hold terminal escapes.

use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

/// Replaces what could act on a terminal or reorder text, and drops what has no width.
///
/// Control characters (C0, DEL, C1) and line separators become `�`; bidirectional overrides,
/// zero-width joiners and variation selectors are dropped.
pub fn clean(text: &str) -> String {
    if is_plain(text) {
        return text.to_owned();
    }
    let mut out = String::with_capacity(text.len());
    out.extend(text.chars().filter_map(harmless));
    out
}

/// Printable ASCII, as nearly all texts are: harmless, and each byte takes a column.
pub fn is_plain(text: &str) -> bool {
    // To the end in any case: then many bytes are looked at in one step, and nearly all texts are plain.
    text.bytes()
        .fold(true, |plain, byte| plain & matches!(byte, b' '..=b'~'))
}

/// Whether [`clean`] would leave it as it is.
pub fn is_clean(text: &str) -> bool {
    text.chars().all(|c| harmless(c) == Some(c))
}

fn harmless(c: char) -> Option<char> {
    match c {
        ' '..='~' => Some(c),
        _ if c.is_control() => Some('\u{fffd}'),
        '\u{2028}' | '\u{2029}' => Some('\u{fffd}'),
        '\u{200b}'..='\u{200f}'
        | '\u{202a}'..='\u{202e}'
        | '\u{2060}'..='\u{206f}'
        | '\u{fe00}'..='\u{fe0f}'
        | '\u{feff}'
        | '\u{061c}'
        | '\u{fff9}'..='\u{fffb}'
        | '\u{e0000}'..='\u{e0fff}' => None,
        _ => Some(c),
    }
}

/// Columns that a string takes on a terminal.
pub fn columns(text: &str) -> usize {
    if is_plain(text) {
        return text.len();
    }
    text.chars()
        .map(char_columns)
        .sum::<usize>()
        .max(text.width())
}

/// Columns that one character takes.
pub fn char_columns(c: char) -> usize {
    match c {
        ' '..='~' => 1,
        _ => c.width().unwrap_or(0),
    }
}

/// Cuts the middle out of `text` so that it takes at most `room` columns; the end of a path says
/// more than its middle, so it gets the larger half.
pub fn shorten_middle(text: &str, room: usize, ellipsis: &str) -> String {
    if columns(text) <= room {
        return text.to_owned();
    }
    let keep = room.saturating_sub(columns(ellipsis));
    let head = take(text.chars(), keep / 3);
    let tail = take(text.chars().rev(), keep - keep / 3);
    let tail: String = tail.chars().rev().collect();
    format!("{head}{ellipsis}{tail}")
}

/// Cuts the end off `text` so that it takes at most `room` columns.
pub fn shorten_end(text: &str, room: usize, ellipsis: &str) -> String {
    if columns(text) <= room {
        return text.to_owned();
    }
    let keep = room.saturating_sub(columns(ellipsis));
    format!("{}{ellipsis}", take(text.chars(), keep).trim_end())
}

fn take(chars: impl Iterator<Item = char>, room: usize) -> String {
    let mut used = 0;
    chars
        .take_while(|c| {
            used += char_columns(*c);
            used <= room
        })
        .collect()
}

/// The nearest ASCII for the signs that we print ourselves; `?` for any other.
pub fn to_ascii(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            _ if c.is_ascii() => out.push(c),
            '×' => out.push('x'),
            '−' | '–' | '—' => out.push('-'),
            '…' => out.push_str("..."),
            '“' | '”' => out.push('"'),
            '‘' | '’' => out.push('\''),
            '→' => out.push_str("->"),
            '≤' => out.push_str("<="),
            '≥' => out.push_str(">="),
            '≡' => out.push('='),
            '·' => out.push('-'),
            '\u{a0}' => out.push(' '),
            'µ' => out.push('u'),
            '²' => out.push_str("^2"),
            _ => out.push('?'),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn escapes_cannot_reach_the_terminal() {
        let evil = "a\u{1b}[2J\u{9b}31m\u{7}b\u{202e}gpj\n";
        let safe = clean(evil);
        assert!(!safe.chars().any(char::is_control), "{safe:?}");
        assert!(!safe.contains('\u{202e}'));
        assert!(safe.starts_with('a') && safe.contains("gpj"));
    }

    #[test]
    fn the_middle_is_cut() {
        assert_eq!(shorten_middle("short", 10, "…"), "short");
        let cut = shorten_middle("/srv/images/a-very-long-name.qcow2", 20, "…");
        assert_eq!(columns(&cut), 20);
        assert!(
            cut.starts_with("/srv/") && cut.ends_with("name.qcow2"),
            "{cut}"
        );
        let wide = shorten_middle("漢字漢字漢字漢字漢字", 9, "…");
        assert!(columns(&wide) <= 9, "{wide}");
    }

    #[test]
    fn ascii_has_no_surprises() {
        assert_eq!(to_ascii("63 × 512 − 1…é"), "63 x 512 - 1...?");
    }
}
