//! Cells of tables that a spreadsheet opens.
//!
//! Names come from processes, devices and files of others. A cell that begins like a formula would be run by
//! the spreadsheet, one with a line end would be a row of its own.

use std::borrow::Cow;

/// The cell for a text, by RFC 4180. Text that a spreadsheet would take for a formula gets an apostrophe before
/// it, as the spreadsheets themselves write such text; control characters become `_`. `+512` is a number and
/// stays one.
pub fn cell(text: &str) -> Cow<'_, str> {
    // Nearly all names, in one look at each byte.
    if text.bytes().all(is_plain) {
        return Cow::Borrowed(text);
    }
    let quoted = text.contains([',', '"', ';']);
    let control = text.chars().any(char::is_control);
    if !quoted && !control && !is_formula(text) {
        return Cow::Borrowed(text);
    }
    let plain = |c: char| if c.is_control() { '_' } else { c };
    let mut out = String::with_capacity(text.len() + 4);
    if is_formula(text) {
        out.push('\'');
    }
    out.extend(text.chars().map(plain));
    if quoted {
        return Cow::Owned(format!("\"{}\"", out.replace('"', "\"\"")));
    }
    Cow::Owned(out)
}

const fn is_plain(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'/' | b'_' | b'.' | b':')
}

/// Whether a spreadsheet runs it. Blanks before it do not keep it from that.
fn is_formula(text: &str) -> bool {
    let begins = text.trim_start_matches(|c: char| c.is_whitespace() || c.is_control());
    match begins.as_bytes() {
        [b'=' | b'@', ..] => true,
        [b'+' | b'-', rest @ ..] => rest.is_empty() || !rest.iter().all(u8::is_ascii_digit),
        _ => false,
    }
}

/// The text of a cell that [`cell`] made, without the apostrophe.
#[inline]
pub const fn uncell(cell: &[u8]) -> &[u8] {
    match cell {
        [b'\'', rest @ ..] if matches!(rest, [b'=' | b'+' | b'-' | b'@', ..]) => rest,
        _ => cell,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn formulas_are_text() {
        for formula in [
            "=1+cmd|'/C calc'!A0",
            "@SUM(A1)",
            "+1+cmd|x!A",
            "-2+3+cmd|x!A",
            "-bash",
            "-",
            " =1",
            "\t=1",
            "\r@x",
        ] {
            assert!(cell(formula).starts_with('\''), "{formula:?}");
        }
        assert_eq!(cell("=1,2"), "\"'=1,2\"");
        assert_eq!(uncell(cell("-bash").as_bytes()), b"-bash");
    }

    #[test]
    fn names_stay_in_their_cell() {
        for plain in ["/dev/sda", "+512", "-63", "fio", "", "a b"] {
            assert_eq!(cell(plain), plain);
            assert_eq!(uncell(plain.as_bytes()), plain.as_bytes());
        }
        assert_eq!(cell("a,\"b\""), "\"a,\"\"b\"\"\"");
        assert_eq!(cell("a\nb\u{1b}[2J"), "a_b_[2J");
        assert_eq!(uncell(b"'quoted'"), b"'quoted'");
    }
}
