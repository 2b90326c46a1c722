//! Common to readers of command outputs: the device of an output, columns, JSON in prose.

pub mod columns;
pub mod json;
pub mod subject;

/// `key : value`, both trimmed; `None` where there is no colon or no key.
pub(crate) fn pair(line: &str) -> Option<(&str, &str)> {
    let (key, value) = line.split_once(':')?;
    let key = key.trim();
    (!key.is_empty()).then_some((key, value.trim()))
}

/// The digits that `text` begins with, as a number: `2048 sectors` is 2048. Thousands may be grouped
/// by commas.
pub(crate) fn leading(text: &str) -> Option<u64> {
    let text = text.trim_start();
    let end = text
        .find(|c: char| !c.is_ascii_digit() && c != ',')
        .unwrap_or(text.len());
    text.get(..end)?.replace(',', "").parse().ok()
}

/// A number in decimal, or in hexadecimal after `0x`.
pub(crate) fn any_radix(text: &str) -> Option<u64> {
    let word = text.split_whitespace().next()?;
    match word.strip_prefix("0x") {
        Some(hex) => u64::from_str_radix(hex, 16).ok(),
        None => leading(word),
    }
}

/// The first number directly before `word`: of `64k chunk` and `chunk`, `64k`.
pub(crate) fn before<'a>(line: &'a str, word: &str) -> Option<&'a str> {
    let mut last = None;
    for each in line.split_whitespace() {
        if each.trim_end_matches([',', '.', ';']) == word {
            return last;
        }
        last = Some(each);
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_and_words() {
        assert_eq!(
            pair("  Data Offset : 2048 sectors"),
            Some(("Data Offset", "2048 sectors"))
        );
        assert_eq!(pair(" : x"), None);
        assert_eq!(leading("4,000,787,030,016 bytes"), Some(4_000_787_030_016));
        assert_eq!(leading("x"), None);
        assert_eq!(leading("99999999999999999999"), None);
        assert_eq!(any_radix("0x1a"), Some(26));
        assert_eq!(any_radix("26 x"), Some(26));
        assert_eq!(
            before("level 5, 64k chunk, algorithm 2", "chunk"),
            Some("64k")
        );
    }
}
