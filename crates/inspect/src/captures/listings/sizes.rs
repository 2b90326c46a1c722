//! Numbers with their unit in the text: `465.8G`, `1049kB`, `101 MB`, `1,048,576`.

use super::super::Number;

/// All numbers of a line: runs of digits that fit 64 bits.
pub(super) fn numbers(line: &str) -> Vec<u64> {
    line.split(|c: char| !c.is_ascii_digit())
        .filter(|run| !run.is_empty())
        .filter_map(|run| run.parse().ok())
        .collect()
}

/// A whole number without grouping; nothing else may stand there.
pub(super) fn whole(text: &str) -> Option<u64> {
    let digits = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    digits.then(|| text.parse().ok())?
}

/// A whole number that may be grouped in thousands, at the start of the text; `0x` is hexadecimal.
pub(super) fn grouped(text: &str) -> Option<u64> {
    let text = text.trim();
    if let Some(hex) = text.strip_prefix("0x").or_else(|| text.strip_prefix("0X")) {
        let end = hex.find(|c: char| !c.is_ascii_hexdigit());
        return u64::from_str_radix(hex.get(..end.unwrap_or(hex.len()))?, 16).ok();
    }
    let sign = |c: char| matches!(c, ',' | '.' | ' ' | '\'' | '’' | '\u{fffd}');
    let end = text.find(|c: char| !c.is_ascii_digit() && !sign(c));
    let head = text.get(..end.unwrap_or(text.len()))?;
    let digits: String = head.chars().filter(char::is_ascii_digit).collect();
    whole(&digits)
}

/// A value and its unit, where the two are one word: `4.9M` is `4.9` and `M`.
pub(super) fn split(word: &str) -> Option<(&str, &str)> {
    let end = word.find(|c: char| c.is_alphabetic() || c == '%');
    let (value, unit) = word.split_at_checked(end.unwrap_or(word.len()))?;
    value
        .starts_with(|c: char| c.is_ascii_digit())
        .then_some((value, unit))
}

/// A size of util-linux: binary units of one letter (`465.8G`), plain bytes without one.
///
/// util-linux drops decimals that are zero, so that `4G` stands for what rounds to 4.0; the
/// interval is that of `4`, which is wider. Versions before 2.30 round up.
pub(super) fn binary(word: &str) -> Option<Number> {
    let (value, unit) = split(word.trim())?;
    let unit = unit.strip_suffix("iB").unwrap_or(unit);
    let power = match unit {
        "" | "B" => return whole(value).map(Number::exact),
        "K" => 1,
        "M" => 2,
        "G" => 3,
        "T" => 4,
        "P" => 5,
        "E" => 6,
        _ => return None,
    };
    let rounded = Number::rounded(value, 1024_u64.checked_pow(power)?)?;
    let half = (rounded.high - rounded.low).div_ceil(2);
    Some(Number {
        low: rounded.low.saturating_sub(half),
        ..rounded
    })
}

/// A number of Windows and its unit. Versions cut, round and round up: the interval covers all three.
pub(super) fn windows(value: &str, unit: &str) -> Option<Number> {
    let power = match unit {
        "B" | "o" | "Bytes" => 0,
        "KB" | "Ko" | "КБ" => 1,
        "MB" | "Mo" | "МБ" => 2,
        "GB" | "Go" | "ГБ" => 3,
        "TB" | "To" | "ТБ" => 4,
        _ => return None,
    };
    let unit = 1024_u64.pow(power);
    if let Some(count) = whole(value) {
        return Some(Number {
            low: (count.saturating_sub(1).checked_mul(unit)?).checked_add(u64::from(count != 0))?,
            high: count.checked_add(1)?.checked_mul(unit)? - 1,
        })
        .map(|number| {
            if unit == 1 {
                Number::exact(count)
            } else {
                number
            }
        });
    }
    Number::rounded(value, unit).map(|number| Number {
        low: number.low.saturating_sub(unit),
        high: number.high.saturating_add(unit),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_with_units() {
        assert_eq!(numbers("a1 * 512 = 512x"), [1, 512, 512]);
        assert_eq!(grouped("1,048,576 bytes"), Some(1_048_576));
        assert_eq!(grouped(" 976.773.119 (465 GB)"), Some(976_773_119));
        assert_eq!(grouped("0x000000001d1b1fff"), Some(0x1d1b_1fff));
        assert_eq!(grouped("none"), None);
        assert_eq!(binary("4096"), Some(Number::exact(4096)));
        let rounded = binary("465.8G").unwrap();
        assert!(rounded.low <= 500_107_862_016 && 500_107_862_016 <= rounded.high);
        assert_eq!(binary("0B"), Some(Number::exact(0)));
        assert_eq!(binary("x"), None);
        assert_eq!(binary(&"9".repeat(30)), None);
    }
}
