//! The unit of starts and ends, from the line that names it.

use ioalign_core::SectorSize;

use super::super::super::Number;
use super::super::{sector, sizes};

/// What starts and ends are counted in.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(super) struct Unit {
    /// Bytes a unit: a sector, a cylinder, a block.
    bytes: u64,
    /// The sector that the disk has.
    pub(super) sector: SectorSize,
    /// Whether the first is 0, not 1, and what was cut is marked with `+`.
    from_zero: bool,
}

impl Unit {
    /// `Units: sectors of 1 * 512 = 512 bytes`, `Units = cylinders of 16065 * 512 = 8225280 bytes`,
    /// `Units = cylinders of 8225280 bytes, blocks of 1024 bytes, counting from 0`, in any language
    /// for the first two.
    pub(super) fn parse(line: &str) -> Option<Self> {
        let numbers = sizes::numbers(line);
        if line.contains("counting from 0") && line.contains("Units") {
            return Some(Self {
                bytes: *numbers.first().filter(|bytes| **bytes != 0)?,
                sector: SectorSize::S512,
                from_zero: true,
            });
        }
        let product = line.contains(['*', '×']) && line.contains('=');
        let [count, size, bytes] = numbers.as_slice() else {
            return None;
        };
        let fits = product && *count != 0 && count.checked_mul(*size) == Some(*bytes);
        Some(Self {
            bytes: *bytes,
            sector: sector(*size).filter(|_| fits)?,
            from_zero: false,
        })
    }

    /// Whether numbers are sectors and so exact.
    pub(super) fn is_sector(&self) -> bool {
        self.bytes == self.sector.bytes().get()
    }

    /// The bytes where the unit `place` may start: `12`, `12+`.
    ///
    /// A cylinder begins up to its last sector before its end. Nothing starts at sector 0, where the
    /// table is.
    pub(super) fn start(&self, place: &str) -> Option<Number> {
        let ss = self.sector.bytes().get();
        let (count, cut) = marked(place)?;
        if self.is_sector() {
            return count.checked_mul(ss).map(Number::exact);
        }
        let first = if self.from_zero {
            count
        } else {
            count.checked_sub(1)?
        };
        let low = first.checked_mul(self.bytes)?;
        if self.from_zero && !cut {
            return Some(Number::exact(low));
        }
        let (low, high) = (low.max(ss), low.checked_add(self.bytes)?.checked_sub(ss)?);
        // A unit of one sector at the very start has no place beside the table.
        (low <= high).then_some(Number { low, high })
    }

    /// The bytes after the last one, when the last unit is `place`.
    pub(super) fn end(&self, place: &str) -> Option<Number> {
        let (count, _) = marked(place)?;
        let last = if self.from_zero || self.is_sector() {
            count.checked_add(1)?
        } else {
            count
        };
        let high = last.checked_mul(self.bytes)?;
        let low = high
            .checked_sub(self.bytes)?
            .checked_add(self.sector.bytes().get())?;
        Some(Number {
            low: low.min(high),
            high,
        })
    }
}

/// A count and whether a sign says that it was cut. Scripts about `fdisk` group thousands by commas.
pub(super) fn marked(place: &str) -> Option<(u64, bool)> {
    let digits = place.trim_end_matches(['+', '-']);
    let count = sizes::whole(digits).or_else(|| thousands(digits))?;
    Some((count, digits.len() < place.len()))
}

/// `1,914,062,847`.
fn thousands(text: &str) -> Option<u64> {
    let mut groups = text.split(',');
    let first = groups
        .next()
        .is_some_and(|group| (1..=3).contains(&group.len()));
    let all = groups.all(|group| group.len() == 3);
    (first && all).then(|| sizes::whole(&text.replace(',', "")))?
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn units_of_all_ages_and_languages() {
        for line in [
            "Units: sectors of 1 * 512 = 512 bytes",
            "Units = sectors of 1 * 512 = 512 bytes",
            "Einheiten: Sektoren von 1 * 512 = 512 Bytes",
            "Unités : secteur de 1 × 512 = 512 octets",
            "単位: セクタ (1 * 512 = 512 バイト)",
        ] {
            let unit = Unit::parse(line).unwrap();
            assert!(unit.is_sector(), "{line}");
            assert_eq!(unit.start("63"), Some(Number::exact(32256)));
        }
        for line in [
            "",
            "a = b",
            "Units: 1 * 512 = 1024",
            "3 * 0 = 0",
            "2 * 3 = 6 * 1",
        ] {
            assert_eq!(Unit::parse(line), None, "{line}");
        }
    }

    #[test]
    fn a_cylinder_is_an_interval() {
        let unit = Unit::parse("Units = cylinders of 16065 * 512 = 8225280 bytes").unwrap();
        let first = unit.start("1").unwrap();
        assert_eq!((first.low, first.high), (512, 8_225_280 - 512));
        assert_eq!(unit.start("0"), None);
        let old = Unit::parse(
            "Units = cylinders of 8225280 bytes, blocks of 1024 bytes, counting from 0",
        );
        let old = old.unwrap();
        assert_eq!(old.start("13"), Some(Number::exact(13 * 8_225_280)));
        assert!(!old.start("0+").unwrap().is_exact());
        assert_eq!(old.start("18446744073709551615"), None);
    }
}
