//! Times, rates and factors in few characters.

use ioalign_core::Bytes;

use crate::words::numbers::{about, trimmed};

/// `85 µs`, `1.2 ms`, `3.4 s`: three digits.
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

/// `412 MiB/s`.
pub fn rate(bytes_per_s: f64) -> String {
    format!("{}/s", size(bytes_per_s))
}

/// A size that need not be exact.
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

/// A size that is one of the trace's own: exact where that is short.
pub fn exact(bytes: u64) -> String {
    about(Bytes::new(bytes))
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

/// A share in few characters: `17.1 %`, never 0 or 100 where it is not.
pub fn share(part: u64, whole: u64) -> String {
    if whole == 0 {
        return "-".to_owned();
    }
    short(ioalign_core::units::ratio(part, whole))
}

/// The same for a ratio.
pub fn short(ratio: f64) -> String {
    let percent = ratio * 100.0;
    if ratio > 0.0 && percent < 0.1 {
        "< 0.1 %".to_owned()
    } else if ratio < 1.0 && percent > 99.9 {
        "> 99.9 %".to_owned()
    } else {
        let text = format!("{percent:.1}");
        format!("{} %", text.strip_suffix(".0").unwrap_or(&text))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn three_digits_are_enough() {
        assert_eq!(time(0.25), "250 ns");
        assert_eq!(time(85.0), "85 µs");
        assert_eq!(time(1234.0), "1.23 ms");
        assert_eq!(time(80_000.0), "80 ms");
        assert_eq!(time(20e6), "20 s");
        assert_eq!(rate(400.0 * 1_048_576.0), "400 MiB/s");
        assert_eq!(rate(17.5 * 1_048_576.0), "17.5 MiB/s");
        assert_eq!(size(1_048_400.0), "1 MiB");
        assert_eq!(three(0.0037), "0.0037");
        assert_eq!(three(0.000_41), "0.00041");
        assert_eq!((three(0.0), three(1e-9)), ("0".into(), "0".into()));
        assert_eq!(share(1, 3), "33.3 %");
        assert_eq!(share(1, 100_000), "< 0.1 %");
        assert_eq!(short(0.9999), "> 99.9 %");
    }
}
