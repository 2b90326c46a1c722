//! A number of bytes as printed: exact, or rounded to some digits of a unit.

use ioalign_core::{Bytes, SectorSize};

/// The values that a printed number may stand for: `low ..= high`, in bytes.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash)]
pub struct Number {
    /// Smallest possible value.
    pub low: u64,
    /// Largest possible value.
    pub high: u64,
}

impl Number {
    /// A value that was printed in full.
    pub const fn exact(bytes: u64) -> Self {
        Self {
            low: bytes,
            high: bytes,
        }
    }

    /// `count` sectors of a known size; `None` past 64 bits.
    pub fn sectors(count: u64, sector: SectorSize) -> Option<Self> {
        sector
            .checked_bytes(count)
            .map(|bytes| Self::exact(bytes.get()))
    }

    /// A decimal text in units of `unit` bytes (`"32.3"` of 1000, `"1049"` of 1000, `"1024"` of 1024),
    /// rounded to the nearest in its last digit. `None` when it is no number.
    ///
    /// A comma is a decimal sign when at most two digits follow it, else it groups thousands, as do
    /// spaces and apostrophes.
    pub fn rounded(text: &str, unit: u64) -> Option<Self> {
        let (digits, decimals) = plain(text)?;
        let value: u128 = digits.parse().ok()?;
        let scale = 10_u128.checked_pow(decimals)?;
        let unit = u128::from(unit);
        // Printed v stands for [v − ½, v + ½) in its last digit; 2·scale keeps the halves whole.
        let twice = value.checked_mul(2)?;
        let low = twice
            .saturating_sub(1)
            .checked_mul(unit)?
            .div_ceil(2 * scale);
        let high = (twice.checked_add(1)?.checked_mul(unit)? - 1) / (2 * scale);
        // More digits than a byte has: no whole number of bytes lies between the halves.
        let whole = low <= high;
        Some(Self {
            low: u64::try_from(low).ok().filter(|_| whole)?,
            high: u64::try_from(high).ok()?,
        })
    }

    /// The only multiple of `step` in the interval, if there is exactly one.
    pub fn settle(&self, step: Bytes) -> Option<Bytes> {
        let step = step.get().max(1);
        let first = self.low.checked_next_multiple_of(step)?;
        let next = first.checked_add(step);
        let only = first <= self.high && next.is_none_or(|next| next > self.high);
        only.then_some(Bytes::new(first))
    }

    /// Whether it was printed in full.
    pub const fn is_exact(&self) -> bool {
        self.low == self.high
    }
}

/// Digits without signs of grouping, and how many of them are decimals.
fn plain(text: &str) -> Option<(String, u32)> {
    let text = text.trim();
    let sign = text.rfind(['.', ',']).filter(|at| {
        let after = text.len() - at - 1;
        let comma = text.as_bytes().get(*at) == Some(&b',');
        let again = text.matches(['.', ',']).count() > 1;
        after > 0 && !(after == 3 && (comma || again))
    });
    let decimals = sign.map_or(0, |at| text.len() - at - 1);
    let mut digits = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '0'..='9' => digits.push(c),
            '.' | ',' | ' ' | '\'' | '\u{a0}' | '\u{202f}' | '’' => {}
            _ => return None,
        }
    }
    (!digits.is_empty() && digits.len() <= 30).then_some(())?;
    Some((digits, u32::try_from(decimals).ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parted_rounds_sector_63_and_one_mebibyte() {
        // 32256 is printed 32.3kB: only one multiple of 512 lies in the interval.
        let start = Number::rounded("32.3", 1000).unwrap();
        assert_eq!((start.low, start.high), (32250, 32349));
        assert_eq!(start.settle(Bytes::new(512)), Some(Bytes::new(32256)));
        // 1048576 is printed 1049kB: two multiples of 512 lie there.
        let start = Number::rounded("1049", 1000).unwrap();
        assert!(start.low <= 1_048_576 && 1_048_576 <= start.high);
        assert_eq!(start.settle(Bytes::new(512)), None);
    }

    #[test]
    fn more_digits_than_bytes_are_no_number() {
        assert_eq!(Number::rounded("0.0000001", 1024), None);
        assert!(Number::rounded("0.001", 1000).is_some());
    }

    #[test]
    fn localised_numbers() {
        for (text, unit, low, high) in [
            ("1,5", 1000, 1450, 1549),
            ("1.5", 1000, 1450, 1549),
            ("1,234,567", 1, 1_234_567, 1_234_567),
            ("1.234.567", 1, 1_234_567, 1_234_567),
            ("1 234 567", 1, 1_234_567, 1_234_567),
            ("1,048", 1024, 1_072_640, 1_073_663),
        ] {
            assert_eq!(
                Number::rounded(text, unit),
                Some(Number { low, high }),
                "{text}"
            );
        }
        assert_eq!(Number::rounded("12a", 1), None);
        assert_eq!(Number::rounded("", 1), None);
        assert_eq!(Number::rounded(&"9".repeat(40), 1), None);
    }
}
