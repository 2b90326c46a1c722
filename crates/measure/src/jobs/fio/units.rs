//! Numbers as fio reads them: `4k` is 4096 and `4ki` is 4000, for the sake of old scripts.

/// Bytes, or any other count.
pub fn size(text: &str) -> Option<u64> {
    let text = text.trim().to_ascii_lowercase();
    if let Some(hex) = text.strip_prefix("0x") {
        return u64::from_str_radix(hex, 16).ok();
    }
    let digits = text.trim_end_matches(|c: char| c.is_ascii_alphabetic());
    let unit = text.get(digits.len()..)?.trim_end_matches('b');
    let (letter, base) = match unit.strip_suffix('i') {
        Some(letter) => (letter, 1000_u64),
        None => (unit, 1024),
    };
    let power = ["", "k", "m", "g", "t", "p"]
        .iter()
        .position(|known| *known == letter)?;
    let factor = base.checked_pow(u32::try_from(power).ok()?)?;
    digits.parse::<u64>().ok()?.checked_mul(factor)
}

/// Milliseconds; a plain number counts seconds.
pub fn millis(text: &str) -> Option<u64> {
    const UNITS: [(&str, u64); 6] = [
        ("us", 0),
        ("ms", 1),
        ("d", 86_400_000),
        ("h", 3_600_000),
        ("m", 60_000),
        ("s", 1000),
    ];
    let text = text.trim().to_ascii_lowercase();
    let unit = UNITS
        .iter()
        .find_map(|(name, factor)| Some((text.strip_suffix(name)?, *factor)));
    match unit {
        Some((digits, 0)) => digits.parse::<u64>().ok().map(|us| us / 1000),
        Some((digits, factor)) => digits.parse::<u64>().ok()?.checked_mul(factor),
        None => text.parse::<u64>().ok()?.checked_mul(1000),
    }
}

/// A percentage as a ratio.
pub fn percent(text: &str) -> Option<f64> {
    let value: f64 = text.trim().trim_end_matches('%').parse().ok()?;
    (0.0..=100.0).contains(&value).then_some(value / 100.0)
}

/// A flag: `direct`, `direct=1`.
pub fn flag(text: &str) -> bool {
    !matches!(text.trim(), "0" | "false")
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The values that `fio --parse-only --debug=parse` shows for the same words.
    #[test]
    fn units_are_those_of_fio() {
        assert_eq!(size("4k"), Some(4096));
        assert_eq!(size("4KB"), Some(4096));
        assert_eq!(size("4KiB"), Some(4000));
        assert_eq!(size("0x200"), Some(512));
        assert_eq!(size("1g"), Some(1 << 30));
        assert_eq!((size("x"), size(""), size("99999999t")), (None, None, None));
        assert_eq!(millis("30"), Some(30_000));
        assert_eq!((millis("500ms"), millis("2m")), (Some(500), Some(120_000)));
        assert_eq!(millis("5000us"), Some(5));
        assert_eq!(percent("30%"), Some(0.3));
        assert!(flag("") && flag("1") && !flag("0"));
    }
}
