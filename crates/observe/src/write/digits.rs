//! Decimal numbers into bytes, right-aligned or filled with zeros: rows of text are mostly numbers.

const LONGEST: usize = 20;

/// Appends a number.
#[inline]
pub fn number(out: &mut Vec<u8>, value: u64) {
    padded(out, value, 1, b' ');
}

/// Appends a number of at least `width` characters, filled with `fill` on the left.
#[inline]
pub fn padded(out: &mut Vec<u8>, value: u64, width: usize, fill: u8) {
    let mut digits = [fill; LONGEST];
    let (mut left, mut used) = (value, 0);
    for digit in digits.iter_mut().rev() {
        // The remainder is below ten.
        *digit = b'0' | u8::try_from(left % 10).unwrap_or(0);
        left /= 10;
        used += 1;
        if left == 0 {
            break;
        }
    }
    let from = LONGEST - width.clamp(used, LONGEST);
    out.extend_from_slice(digits.get(from..).unwrap_or_default());
}

/// Appends a time as seconds with nine digits.
#[inline]
pub fn seconds(out: &mut Vec<u8>, nanos: i64, width: usize) {
    let nanos = u64::try_from(nanos).unwrap_or(0);
    padded(out, nanos / 1_000_000_000, width, b' ');
    out.push(b'.');
    padded(out, nanos % 1_000_000_000, 9, b'0');
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_as_text() {
        let text = |value, width, fill| {
            let mut out = Vec::new();
            padded(&mut out, value, width, fill);
            String::from_utf8(out).unwrap()
        };
        assert_eq!(
            (text(0, 1, b' '), text(7, 3, b' ')),
            ("0".into(), "  7".into())
        );
        assert_eq!(
            (text(u64::MAX, 1, b' '), text(12, 4, b'0')),
            (u64::MAX.to_string(), "0012".into())
        );
        let mut out = Vec::new();
        seconds(&mut out, 1_000_000_001, 5);
        assert_eq!(out, b"    1.000000001");
    }
}
