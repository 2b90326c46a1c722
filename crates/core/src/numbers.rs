//! Numbers as people read them: counts, sizes, rates, shares, factors, times and bars. JSON has the plain ones.
//!
//! Every report says them in these forms, so that `watch`, `trace`, `measure` and `check` can be compared. What is
//! counted or measured has three digits, what is estimated two; a size that names a place is exact where that
//! is short.

use crate::units::{BINARY_UNITS, Bytes, ratio};

/// A count: `9,876`.
pub fn thousands(count: u64) -> String {
    let digits = count.to_string();
    let mut out = String::new();
    for (i, digit) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

/// The length of a list, as a count.
pub fn count(n: usize) -> String {
    thousands(n as u64)
}

/// A size that need not be exact: `931.5 GiB`; exact where that is short.
pub fn about(size: Bytes) -> String {
    let exact = size.to_string();
    if exact
        .split(' ')
        .next()
        .is_some_and(|digits| digits.len() <= 4)
    {
        return exact;
    }
    for (shift, name) in BINARY_UNITS {
        let unit = 1_u64 << shift;
        if size.get() >= unit {
            return format!("{:.1} {name}", ratio(size.get(), unit));
        }
    }
    exact
}

/// Exact, with a second unit where the bytes alone say little: `32256 B (31.5 KiB)`.
pub fn exact_and_about(size: Bytes) -> String {
    let (exact, rough) = (size.to_string(), about(size));
    if exact == rough || size.get() < 1024 {
        exact
    } else if exact.ends_with(" B") {
        format!("{exact} ({rough})")
    } else {
        format!("{exact} (about {rough})")
    }
}

/// A mean size in three digits: `5.33 KiB`.
pub fn size(bytes: f64) -> String {
    // Sizes are not negative, and one past 64 bits is shown as the largest.
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
    let whole = bytes.max(0.0) as u64;
    if whole < 1024 {
        return format!("{whole} B");
    }
    const UNITS: [&str; 6] = ["KiB", "MiB", "GiB", "TiB", "PiB", "EiB"];
    let mut value = bytes / 1024.0;
    let mut unit = 0;
    while value >= 1023.5 && unit + 1 < UNITS.len() {
        value /= 1024.0;
        unit += 1;
    }
    format!("{} {}", three(value), UNITS.get(unit).unwrap_or(&""))
}

/// The same of whole bytes.
pub fn size_of(bytes: u64) -> String {
    size(ratio(bytes, 1))
}

/// `412 MiB/s`.
pub fn rate(bytes_per_s: f64) -> String {
    format!("{}/s", size(bytes_per_s))
}

/// A time in three digits: `85 µs`, `1.23 ms`, `3.4 s`.
pub fn time(us: f64) -> String {
    match us {
        _ if us <= 0.0 => "0 s".to_owned(),
        _ if us < 1.0 => format!("{} ns", three(us * 1e3)),
        _ if us < 999.5 => format!("{} µs", three(us)),
        _ if us < 999_500.0 => format!("{} ms", three(us / 1e3)),
        _ if us < 600e6 => format!("{} s", three(us / 1e6)),
        _ if us < 36_000e6 => format!("{} min", three(us / 60e6)),
        _ => format!("{} h", three(us / 3_600e6)),
    }
}

/// How long something may take, in the largest unit of which it is nearly two or more: `80 seconds`, `2 hours`.
pub fn roughly(seconds: u64) -> String {
    const UNITS: [(u64, &str); 5] = [
        (604_800, "week"),
        (86_400, "day"),
        (3_600, "hour"),
        (60, "minute"),
        (1, "second"),
    ];
    let next = UNITS.iter().skip(1);
    let large = UNITS
        .iter()
        .zip(next)
        .find(|((unit, _), (next, _))| seconds.saturating_add(next / 2) >= unit + unit / 2);
    let Some(((unit, name), _)) = large else {
        return format!("{seconds} second{}", if seconds == 1 { "" } else { "s" });
    };
    let count = seconds.saturating_add(unit / 2) / unit;
    format!("{} {name}s", count.max(2))
}

/// A share of a whole in three digits: `6.25 %`; what is not all or nothing never looks like it.
pub fn percent(share: f64) -> String {
    let value = share * 100.0;
    if share > 0.0 && value < 0.01 {
        "< 0.01 %".to_owned()
    } else if share < 1.0 && value >= 99.95 {
        "> 99.9 %".to_owned()
    } else {
        format!("{} %", three(value))
    }
}

/// The share of a count in a whole; `-` where there is nothing to share.
pub fn share(part: u64, whole: u64) -> String {
    match whole {
        0 => "-".to_owned(),
        _ => percent(ratio(part, whole)),
    }
}

/// A share that is an estimate, in two digits: `12 %`, `0.6 %`; from ten times on `18 times`.
pub fn estimate(share: f64) -> String {
    let value = share * 100.0;
    if share >= 10.0 {
        return format!("{share:.0} times");
    }
    if value.abs() >= 9.95 {
        return format!("{value:.0} %");
    }
    let text = format!("{value:.1}");
    let text = text.strip_suffix(".0").unwrap_or(&text);
    format!("{} %", if text == "-0" { "0" } else { text })
}

/// A factor in three digits: `2×`, `1.06×`.
pub fn times(factor: f64) -> String {
    format!("{}×", three(factor))
}

/// At most two decimals, without trailing zeros.
pub fn trimmed(value: f64) -> String {
    // Most numbers of a report are whole; printing decimals takes ten times as long.
    if value == value.trunc() {
        return value.to_string();
    }
    let text = format!("{value:.2}");
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

/// Three digits: `1.23`, `12.3`, `123`, `1230`.
pub fn three(value: f64) -> String {
    let text = match value.abs() {
        // Two digits of what would be nothing.
        v if v > 0.0 && v < 0.005 => return small(value),
        v if v < 9.995 => return trimmed(value),
        v if v < 99.95 => format!("{value:.1}"),
        _ => format!("{value:.0}"),
    };
    match text.strip_suffix(".0") {
        Some(whole) => whole.to_owned(),
        None => text,
    }
}

/// `0.0037`; what is below a millionth is nothing.
fn small(value: f64) -> String {
    let text = [4, 5, 6]
        .iter()
        .map(|digits| format!("{value:.digits$}"))
        .find(|text| text.trim_start_matches(['0', '.', '-']).len() >= 2);
    let text = text.unwrap_or_else(|| format!("{value:.6}"));
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

/// A bar of at most `width` signs, and one sign for anything that is not nothing.
pub fn bar(part: u64, most: u64, width: usize, sign: &str) -> String {
    if part == 0 || most == 0 {
        return String::new();
    }
    let (width, part, most) = (width as u128, u128::from(part), u128::from(most));
    let full = (part * width * 2 + most) / (most * 2);
    sign.repeat(usize::try_from(full.clamp(1, width.max(1))).unwrap_or(1))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_short() {
        assert_eq!(about(Bytes::new(1_000_204_886_016)), "931.5 GiB");
        assert_eq!(about(Bytes::new(512)), "512 B");
        assert_eq!(about(Bytes::new(1 << 20)), "1 MiB");
        assert_eq!(exact_and_about(Bytes::new(32256)), "32256 B (31.5 KiB)");
        assert_eq!(exact_and_about(Bytes::new(3584)), "3584 B");
        assert_eq!(exact_and_about(Bytes::new(65536)), "64 KiB");
        assert_eq!(rate(400.0 * 1_048_576.0), "400 MiB/s");
        assert_eq!(rate(17.5 * 1_048_576.0), "17.5 MiB/s");
        assert_eq!(size(1_048_400.0), "1 MiB");
    }

    #[test]
    fn shares_do_not_round_to_all_or_nothing() {
        assert_eq!(percent(0.0625), "6.25 %");
        assert_eq!(percent(1.0), "100 %");
        assert_eq!(percent(0.0), "0 %");
        assert_eq!(percent(0.999_999), "> 99.9 %");
        assert_eq!(percent(0.000_001), "< 0.01 %");
        assert_eq!(share(1, 3), "33.3 %");
        assert_eq!(share(0, 0), "-");
        assert_eq!(times(1.0625), "1.06×");
    }

    #[test]
    fn estimates_have_two_digits() {
        assert_eq!(estimate(0.123), "12 %");
        assert_eq!(estimate(0.0061), "0.6 %");
        assert_eq!(estimate(-0.0001), "0 %");
        assert_eq!(estimate(18.2), "18 times");
    }

    #[test]
    fn times_have_three_digits() {
        assert_eq!(time(0.25), "250 ns");
        assert_eq!(time(85.0), "85 µs");
        assert_eq!(time(1234.0), "1.23 ms");
        assert_eq!(time(80_000.0), "80 ms");
        assert_eq!(time(20e6), "20 s");
        assert_eq!(three(0.0037), "0.0037");
        assert_eq!(three(0.000_41), "0.00041");
        assert_eq!((three(0.0), three(1e-9)), ("0".into(), "0".into()));
        assert_eq!(
            (roughly(1), roughly(80)),
            ("1 second".into(), "80 seconds".into())
        );
        assert_eq!(
            (roughly(90), roughly(7_200)),
            ("2 minutes".into(), "2 hours".into())
        );
    }

    #[test]
    fn counts_have_commas() {
        assert_eq!(thousands(9876), "9,876");
        assert_eq!(thousands(1_234_567), "1,234,567");
        assert_eq!(thousands(12), "12");
    }

    #[test]
    fn bars_show_what_is_not_nothing() {
        assert_eq!(bar(1, 1000, 20, "#"), "#");
        assert_eq!(bar(1000, 1000, 3, "█"), "███");
        assert_eq!(bar(2, 3, 10, "#").len(), 7);
        assert_eq!(bar(0, 3, 10, "#"), "");
    }
}
