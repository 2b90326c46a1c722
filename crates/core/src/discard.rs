//! Discards (TRIM, UNMAP, holes in a file): what is freed of one that does not begin and end on a boundary.
//!
//! A device frees whole units. The head of a discard before the first boundary and its tail behind the last one stay
//! allocated, without an error.

use serde::Serialize;

use crate::cost::count;
use crate::units::{Bytes, gcd, ratio};

/// What the queue of a block device says of discards, in bytes (`queue/discard_*` and `discard_alignment` in sysfs).
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq)]
pub struct DiscardLimits {
    /// The unit in which it frees; 0: not said.
    pub granularity: u64,
    /// The first boundary at or after its byte 0.
    pub alignment: u64,
    /// The longest discard; 0: it has none. `None`: that was not seen.
    pub max: Option<u64>,
    /// Whether it frees by itself and passes none on: a thin pool without passdown.
    pub keeps: bool,
}

impl DiscardLimits {
    /// Whether it takes discards, as far as is known.
    pub const fn takes_any(&self) -> bool {
        self.granularity != 0 && !matches!(self.max, Some(0))
    }
}

/// What a discard of one size frees on average, over all places in which the layer may send it.
#[derive(Copy, Clone, Debug, PartialEq, Serialize)]
pub struct DiscardRow {
    /// Its size.
    #[serde(rename = "discard_bytes")]
    pub discard: Bytes,
    /// The share that is freed.
    pub freed_ratio: f64,
}

/// What is lost of the discards of a layer.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct DiscardLoss {
    /// The smallest piece that the layer frees.
    #[serde(rename = "own_unit_bytes")]
    pub own: Bytes,
    /// The share of a discard of that size that is not freed.
    pub own_lost_ratio: f64,
    /// The most that is not freed of one discard, however long: head and tail together.
    #[serde(rename = "most_lost_bytes")]
    pub most: Bytes,
    /// Discards of common sizes.
    pub sizes: Vec<DiscardRow>,
}

/// The sizes that are reported.
const SIZES: [u64; 6] = [4 << 10, 16 << 10, 64 << 10, 256 << 10, 1 << 20, 16 << 20];

impl DiscardLoss {
    /// Of a layer that frees multiples of `own` from an address `offset` bytes past a boundary of units of `unit`.
    pub fn of(own: Bytes, unit: Bytes, offset: u64) -> Self {
        let freed = |size: u64| freed_ratio(size, unit.get(), offset);
        Self {
            own,
            own_lost_ratio: 1.0 - freed(own.get()),
            most: most_lost(own, unit, offset),
            sizes: SIZES
                .map(|size| DiscardRow {
                    discard: Bytes::new(size),
                    freed_ratio: freed(size),
                })
                .to_vec(),
        }
    }
}

/// The share that is freed of discards of `len` bytes at multiples of `len` from an address `offset` bytes past a
/// boundary: counted over a whole period.
pub fn freed_ratio(len: u64, unit: u64, offset: u64) -> f64 {
    let count = count(len, unit, offset);
    let freed = count.whole().saturating_mul(unit);
    ratio(freed, count.ios.saturating_mul(len))
}

/// The most that one discard loses at head and tail: its ends lie anywhere that the layer can put them.
pub fn most_lost(own: Bytes, unit: Bytes, offset: u64) -> Bytes {
    let (own, unit) = (own.get(), unit.get());
    let step = gcd(own, unit);
    let twice = unit.saturating_mul(2);
    let Some(first) = offset.checked_rem(step) else {
        return Bytes::ZERO;
    };
    // No end lies on a boundary: a head of `unit - first` and a tail of `unit - step + first`. Else one step less.
    let kept = if first == 0 {
        step.saturating_mul(2)
    } else {
        step
    };
    Bytes::new(twice.saturating_sub(kept))
}

/// One discard on a device that frees units of `unit` bytes, with a boundary at `alignment`: exact.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq)]
pub struct DiscardSplit {
    /// Bytes in whole units.
    pub whole: u64,
    /// Bytes before the first boundary; all of them where there is no whole unit.
    pub head: u64,
    /// Bytes behind the last boundary.
    pub tail: u64,
}

impl DiscardSplit {
    /// Of `[start, start + len)`. A unit of 0 is that of a device which says nothing: nothing is lost that is known of.
    pub fn of(start: u64, len: u64, unit: u64, alignment: u64) -> Self {
        let whole = Self {
            whole: len,
            ..Self::default()
        };
        if unit == 0 {
            return whole;
        }
        let past = |address: u64| crate::grid::residue(address, alignment, unit);
        let head = match past(start) {
            0 => 0,
            past => unit - past,
        };
        let tail = past(start.wrapping_add(len));
        match head
            .checked_add(tail)
            .and_then(|lost| len.checked_sub(lost))
        {
            Some(whole) if start.checked_add(len).is_some() => Self { whole, head, tail },
            _ => Self {
                head: len,
                ..Self::default()
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const KIB: u64 = 1 << 10;

    /// The counts of the experiment `misaligned-discard` (docs/lab/misaligned-discard.md), measured on scsi_debug.
    #[test]
    fn what_was_measured_is_what_is_predicted() {
        let at = |len| freed_ratio(len, 64 * KIB, 63 * 512);
        assert_eq!([at(65536), at(262_144), at(1 << 20)], [0.0, 0.75, 0.9375]);
        let on = |len| freed_ratio(len, 64 * KIB, 0);
        assert_eq!([on(65536), on(262_144), on(1 << 20)], [1.0; 3]);
    }

    proptest! {
        #[test]
        fn rows_and_bounds_are_those_of_every_single_discard(
            own in 1_u64..40, unit in 1_u64..40, offset in 0_u64..80, blocks in 1_u64..9,
        ) {
            let len = own * blocks;
            let (mut freed, mut most) = (0, 0);
            for i in 0..unit {
                // Anywhere that the layer can put it.
                let one = DiscardSplit::of(offset + i * own, len, unit, 0);
                prop_assert_eq!(one.whole + one.head + one.tail, len);
                most = most.max(one.head + one.tail);
                freed += DiscardSplit::of(offset + i * len, len, unit, 0).whole;
            }
            prop_assert!(most <= most_lost(Bytes::new(own), Bytes::new(unit), offset).get());
            let expected = ratio(freed, unit * len);
            prop_assert!((freed_ratio(len, unit, offset) - expected).abs() < 1e-9);
        }

        #[test]
        fn the_bound_is_reached(own in 1_u64..40, unit in 1_u64..40, offset in 0_u64..80) {
            let lost = |start: u64, blocks: u64| {
                let one = DiscardSplit::of(offset + start * own, blocks * own, unit, 0);
                one.head + one.tail
            };
            // Long enough to hold a unit wherever it begins.
            let longest = (unit..3 * unit).flat_map(|blocks| {
                let blocks = blocks + 2 * unit;
                (0..unit).map(move |start| lost(start, blocks))
            });
            let bound = most_lost(Bytes::new(own), Bytes::new(unit), offset).get();
            prop_assert_eq!(longest.max(), Some(bound));
        }

        #[test]
        fn a_split_is_what_counting_bytes_says(
            start in 0_u64..200, len in 0_u64..200, unit in 1_u64..50, alignment in 0_u64..60,
        ) {
            let end = start + len;
            let boundary = |at: &u64| (at + unit * 60 - alignment).is_multiple_of(unit);
            let first = (start..=end).find(boundary);
            let last = (start..=end).rfind(boundary);
            let whole = first.zip(last).map_or(0, |(first, last)| last - first);
            let split = DiscardSplit::of(start, len, unit, alignment);
            prop_assert_eq!(split.whole, whole);
            prop_assert_eq!(split.whole + split.head + split.tail, len);
        }
    }

    #[test]
    fn addresses_at_the_end_do_not_overflow() {
        let all = DiscardSplit::of(u64::MAX - 5, 10, 4, 0);
        assert_eq!((all.whole, all.head), (0, 10));
        assert_eq!(DiscardSplit::of(7, 9, 0, 3).whole, 9);
        assert_eq!(freed_ratio(u64::MAX, u64::MAX, 1), 0.0);
        assert_eq!(freed_ratio(0, 0, 1), 0.0);
        let most = |own, unit| most_lost(Bytes::new(own), Bytes::new(unit), 5).get();
        assert_eq!(most(0, 0), 0);
        assert!(most(512, u64::MAX) > 1 << 62);
    }
}
