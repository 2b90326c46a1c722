//! Numbers for people: sizes, percentages, factors, counts. JSON has the plain ones.

use ioalign_core::Bytes;
use ioalign_core::units::{BINARY_UNITS, ratio};

/// A size that need not be exact: `931.5 GiB`; exact when that is short.
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

/// A share as a percentage: `6.25 %`; what is not all or nothing never looks like it.
pub fn percent(share: f64) -> String {
    let value = share * 100.0;
    if share > 0.0 && value < 0.01 {
        "< 0.01 %".to_owned()
    } else if share < 1.0 && value > 99.99 {
        "> 99.99 %".to_owned()
    } else {
        format!("{} %", trimmed(value))
    }
}

/// A factor: `2×`, `1.06×`.
pub fn times(factor: f64) -> String {
    format!("{}×", trimmed(factor))
}

/// At most two decimals, without trailing zeros.
pub fn trimmed(value: f64) -> String {
    // The most frequent numbers of a report; a general number of decimals takes ten times as long.
    if value == value.trunc() {
        return value.to_string();
    }
    let text = format!("{value:.2}");
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

/// `9,876`.
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

/// The same for lengths of lists.
pub fn count(n: usize) -> String {
    thousands(n as u64)
}

/// Time taken: `4.8 ms`, `12.3 s`.
pub fn duration(us: u64) -> String {
    match us {
        0..1_000 => format!("{us} µs"),
        1_000..1_000_000 => format!("{:.1} ms", ratio(us, 1_000)),
        _ => format!("{:.1} s", ratio(us, 1_000_000)),
    }
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
    }

    #[test]
    fn shares_do_not_round_to_all_or_nothing() {
        assert_eq!(percent(0.0625), "6.25 %");
        assert_eq!(percent(1.0), "100 %");
        assert_eq!(percent(0.0), "0 %");
        assert_eq!(percent(0.999_999), "> 99.99 %");
        assert_eq!(percent(0.000_001), "< 0.01 %");
        assert_eq!(times(1.0625), "1.06×");
    }

    #[test]
    fn counts_have_commas() {
        assert_eq!(thousands(9876), "9,876");
        assert_eq!(thousands(1_234_567), "1,234,567");
        assert_eq!(thousands(12), "12");
    }
}
