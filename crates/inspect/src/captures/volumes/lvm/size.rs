//! Sizes as LVM prints them: `1.00m`, `<10.00g`, `2048S`, `1048576B`, `4.00 MiB`.

use ioalign_core::{Bytes, SectorSize};

use crate::captures::Number;

/// Extents are multiples of this, or smaller powers of two (lvm2 `vg_set_extent_size`).
const EXTENT_GRAIN: Bytes = Bytes::new(128 << 10);
const SECTOR: Bytes = Bytes::new(512);

/// Reads a size. `unit` is the letter of `--units`, for sizes printed without a suffix.
///
/// `s` is always 512 bytes. Small letters are binary. Capital ones are decimal in LVM 2.02.54 and
/// later on request, binary in older ones by default.
pub(super) fn size(text: &str, unit: Option<char>) -> Option<Number> {
    let text = text.trim().trim_start_matches('<');
    let digits = text
        .find(|c: char| c.is_ascii_alphabetic())
        .unwrap_or(text.len());
    let (number, suffix) = text.split_at(digits);
    let number = number.trim();
    let letter = suffix.chars().next().or(unit)?;
    match letter {
        's' | 'S' => Number::sectors(number.parse().ok()?, SectorSize::S512),
        'b' | 'B' => Some(Number::exact(number.parse().ok()?)),
        _ => {
            let power = "kmgtpe".find(letter.to_ascii_lowercase())? + 1;
            let power = u32::try_from(power).ok()?;
            let binary = Number::rounded(number, 1024_u64.checked_pow(power)?)?;
            if suffix.get(1..2) == Some("i") || letter.is_ascii_lowercase() {
                return Some(binary);
            }
            let decimal = Number::rounded(number, 1000_u64.checked_pow(power)?)?;
            Some(either(binary, decimal))
        }
    }
}

/// A capital letter: the reading with a whole number of sectors, the binary one first. If there are
/// too few digits to decide, the range of both.
fn either(binary: Number, decimal: Number) -> Number {
    let narrow = |number: Number| number.high - number.low < SECTOR.get();
    let holds = |number: Number| {
        let first = number.low.checked_next_multiple_of(SECTOR.get());
        first.is_some_and(|first| first <= number.high)
    };
    match (narrow(binary), holds(binary), holds(decimal)) {
        (true, true, _) => binary,
        (true, false, true) => decimal,
        _ => Number {
            low: binary.low.min(decimal.low),
            high: binary.high.max(decimal.high),
        },
    }
}

/// The only place in the interval where data may start.
pub(super) fn place(number: Number) -> Option<Bytes> {
    if number.is_exact() {
        return Some(Bytes::new(number.low));
    }
    number.settle(SECTOR)
}

/// The extent size in the interval.
pub(super) fn extent(number: Number) -> Option<Bytes> {
    power_of_two(number).or_else(|| {
        let settled = number.settle(EXTENT_GRAIN)?;
        (!settled.is_zero()).then_some(settled)
    })
}

/// A stripe or chunk size: a power of two, or the only multiple of `grain` in the interval.
pub(super) fn unit(number: Number, grain: Bytes) -> Option<Bytes> {
    if number.high == 0 {
        return Some(Bytes::ZERO);
    }
    power_of_two(number).or_else(|| number.settle(grain))
}

fn power_of_two(number: Number) -> Option<Bytes> {
    let power = number.low.max(1).checked_next_power_of_two()?;
    (power <= number.high).then_some(Bytes::new(power))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn exactly(text: &str) -> Option<u64> {
        place(size(text, None)?).map(Bytes::get)
    }

    #[test]
    fn exact_and_settled_sizes() {
        assert_eq!(exactly("2113S"), Some(2113 * 512));
        assert_eq!(exactly("2048s"), Some(1 << 20));
        assert_eq!(exactly("1048576B"), Some(1 << 20));
        assert_eq!(exactly("192.00k"), Some(192 << 10));
        assert_eq!(exactly("192.00K"), Some(192 << 10), "before 2.02.54");
        assert_eq!(exactly("1048.58K"), Some(1 << 20), "--units K");
        assert_eq!(exactly("31.50k"), Some(32256));
        assert_eq!(exactly("1.00m"), None, "2048 to 2058 sectors");
        assert_eq!(size("1048576", Some('b')), Some(Number::exact(1 << 20)));
        assert_eq!(size("1048576", None), None, "no unit, no number");
        assert_eq!(size("x", Some('b')), None);
    }

    #[test]
    fn extents_and_stripes_are_found_in_rounded_sizes() {
        let extent_of = |text| size(text, None).and_then(extent).map(Bytes::get);
        assert_eq!(extent_of("4.00m"), Some(4 << 20));
        assert_eq!(extent_of("4.00 MiB"), Some(4 << 20));
        assert_eq!(extent_of("4.00 MB"), Some(4 << 20));
        assert_eq!(extent_of("32.00 MB"), Some(32 << 20), "of old");
        assert_eq!(extent_of("1.00k"), Some(1024));
        assert_eq!(extent_of("640.00k"), Some(640 << 10));
        for text in ["64.00k", "64.00 KiB", "64 KB"] {
            let stripe = size(text, None).and_then(|number| unit(number, SECTOR));
            assert_eq!(stripe, Some(Bytes::new(65536)), "{text}");
        }
    }

    #[test]
    fn capital_letters_with_few_digits_mean_either() {
        let either = size("1.05M", None).unwrap();
        assert!(either.low <= 1 << 20 && 1_101_004 <= either.high);
        assert_eq!(place(either), None);
    }
}
