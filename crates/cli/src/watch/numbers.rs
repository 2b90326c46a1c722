//! Figures as people read them.

use ioalign_core::units::{Bytes, ratio};

/// `12,345`.
pub fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut out = String::new();
    for (place, digit) in digits.chars().enumerate() {
        if place > 0 && (digits.len() - place).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

/// `93.6 %`; `-` where there is nothing to share.
pub fn share(part: u64, whole: u64) -> String {
    match whole {
        0 => "-".to_owned(),
        _ => format!("{:.1} %", ratio(part, whole) * 100.0),
    }
}

/// Per cent, without the sign, for columns.
pub fn percent(part: u64, whole: u64) -> f64 {
    if whole == 0 {
        0.0
    } else {
        ratio(part, whole) * 100.0
    }
}

/// Microseconds in a unit that leaves three digits.
pub fn time(us: f64) -> String {
    match us {
        us if us < 999.5 => format!("{us:.0} us"),
        us if us < 9_995.0 => format!("{:.2} ms", us / 1000.0),
        us if us < 99_950.0 => format!("{:.1} ms", us / 1000.0),
        us if us < 999_500.0 => format!("{:.0} ms", us / 1000.0),
        us => format!("{:.2} s", us / 1e6),
    }
}

/// `4 KiB`, `512 B`.
pub fn size(bytes: u64) -> String {
    Bytes::new(bytes).to_string()
}

/// Names of processes are untrusted: they must not move the cursor.
pub fn printable(name: &str) -> String {
    name.chars()
        .map(|c| if c.is_control() { '?' } else { c })
        .collect()
}

/// A bar of at most `width` characters; what is not nothing has one.
pub fn bar(part: u64, most: u64, width: usize) -> String {
    if part == 0 || most == 0 {
        return String::new();
    }
    let wide = u128::from(part) * width as u128 / u128::from(most);
    "#".repeat(usize::try_from(wide).unwrap_or(width).clamp(1, width))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures() {
        assert_eq!(grouped(1_234_567), "1,234,567");
        assert_eq!(grouped(999), "999");
        assert_eq!(share(1, 3), "33.3 %");
        assert_eq!(share(0, 0), "-");
        assert_eq!(time(117.7), "118 us");
        assert_eq!(time(15_924.6), "15.9 ms");
        assert_eq!(bar(1, 1000, 20), "#");
        assert_eq!(bar(1000, 1000, 3), "###");
    }
}
