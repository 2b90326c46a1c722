//! The verdict as storage people know it: aligned, misaligned by N, partial, indeterminate.
//!
//! On 4 KiB, the block of nearly every disk and array, in the way of array vendors' own counters (ONTAP's
//! `lun alignment show`: eight classes of 512 bytes, and partial I/O separately). A *constant shift*, a
//! partition that starts off, moves every I/O by the same amount: it is the most frequent remainder of the
//! start. Small records (redo logs, ZFS with 512-byte sectors) start anywhere. They are counted separately,
//! because moving a partition does not help them. Grids that the operator declares can only make it worse
//! ([`on_grid`](super::on_grid)).

use serde::{Deserialize, Serialize};

use super::OpProfile;
use crate::units::ratio;

/// Fewer I/Os than this say nothing.
pub const FEWEST: u64 = 100;
/// A share of I/Os from which on something is typical of all.
pub const MOST: f64 = 0.9;
/// A share from which on the most frequent remainder is a shift.
pub const SHIFT: f64 = 0.5;
/// 4 KiB, as a power of two.
const POWER: usize = 12;

/// How I/O lies.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum AlignmentState {
    /// Nine of ten start on a multiple of 4 KiB and are multiples of it.
    Aligned,
    /// A tenth or more of the I/Os of whole 4 KiB blocks starts off them.
    Misaligned,
    /// A tenth or more crosses a boundary that a declared grid prefers not to be crossed.
    Suboptimal,
    /// Off by the records themselves: a tenth or more is no multiple of 4 KiB, the rest is aligned.
    Partial,
    /// Too few I/Os.
    #[default]
    Indeterminate,
}

impl AlignmentState {
    /// The word of the JSON output.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Aligned => "aligned",
            Self::Misaligned => "misaligned",
            Self::Suboptimal => "suboptimal",
            Self::Partial => "partial",
            Self::Indeterminate => "indeterminate",
        }
    }
}

/// The verdict with its numbers.
#[derive(Copy, Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Alignment {
    /// The verdict.
    pub state: AlignmentState,
    /// I/Os that have a place and a length.
    pub ios: u64,
    /// Share that starts on a multiple of 4 KiB.
    pub on_4096_ratio: f64,
    /// Share whose length is no multiple of 4 KiB.
    pub partial_ratio: f64,
    /// Share of the I/Os of whole blocks that starts off them.
    pub whole_off_ratio: f64,
    /// The constant shift, in bytes past 4 KiB boundaries; `None` where there is none.
    pub offset_bytes: Option<u64>,
    /// Share of the I/Os that have this remainder.
    pub offset_ratio: Option<f64>,
    /// The declared grid that decided; `None`: the verdict is on 4 KiB.
    #[serde(default)]
    pub on_grid: Option<OnDeclaredGrid>,
}

/// How I/O lies on a declared grid.
#[derive(Copy, Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct OnDeclaredGrid {
    /// Distance of its boundaries.
    pub size_bytes: u64,
    /// The first boundary.
    pub phase_bytes: u64,
    /// I/Os that were judged on it.
    pub ios: u64,
    /// Share that starts off it.
    pub start_off_ratio: f64,
    /// Share whose length is no multiple of it.
    pub partial_ratio: f64,
    /// Share that touches a block more than its length needs.
    pub crossing_ratio: f64,
    /// The constant shift, where the counters prove one that 4 KiB do not show: half of the size.
    pub offset_bytes: Option<u64>,
}

#[derive(Default)]
struct Sums {
    ios: u64,
    on: u64,
    partial: u64,
    sectors: [u64; 8],
    whole: [u64; 8],
    whole_on: u64,
}

impl Sums {
    fn add(&mut self, op: &OpProfile) {
        let at_least = |all: &[u64]| all.iter().skip(POWER).sum::<u64>();
        let all = op.start_pow2_histogram.iter().sum::<u64>();
        self.ios += all;
        self.on += at_least(&op.start_pow2_histogram);
        self.partial += all - at_least(&op.length_pow2_histogram).min(all);
        for (sum, one) in self.sectors.iter_mut().zip(op.start_mod_4096) {
            *sum += one;
        }
        for (sum, one) in self.whole.iter_mut().zip(op.whole_start_mod_4096) {
            *sum += one;
        }
        let below = op.whole_start_mod_4096.first().copied().unwrap_or(0);
        self.whole_on += below;
    }

    fn verdict(&self) -> Alignment {
        let share = |part: u64| {
            if self.ios == 0 {
                0.0
            } else {
                ratio(part, self.ios)
            }
        };
        let whole: u64 = self.whole.iter().sum();
        let whole_off = whole - self.whole_on;
        let mut out = Alignment {
            state: AlignmentState::Indeterminate,
            ios: self.ios,
            on_4096_ratio: share(self.on),
            partial_ratio: share(self.partial),
            whole_off_ratio: if whole == 0 {
                0.0
            } else {
                ratio(whole_off, whole)
            },
            ..Alignment::default()
        };
        if self.ios < FEWEST {
            return out;
        }
        // I/O of whole blocks shows a shift best; without it, all I/O has to do.
        let (sectors, total) = match whole >= FEWEST {
            true => (&self.whole, whole),
            false => (&self.sectors, self.ios),
        };
        let mode = (0_u64..).zip(sectors).skip(1).max_by_key(|(_, ios)| **ios);
        if let Some((sector, ios)) = mode.filter(|(_, ios)| ratio(**ios, total) >= SHIFT) {
            out.offset_bytes = Some(sector * 512);
            out.offset_ratio = Some(ratio(*ios, total));
        }
        out.state = state(&out, whole);
        out
    }
}

fn state(found: &Alignment, whole: u64) -> AlignmentState {
    let enough = whole >= FEWEST;
    if found.offset_bytes.is_some() || (enough && found.whole_off_ratio > 1.0 - MOST) {
        AlignmentState::Misaligned
    } else if found.partial_ratio > 1.0 - MOST || found.on_4096_ratio < MOST {
        AlignmentState::Partial
    } else {
        AlignmentState::Aligned
    }
}

/// The verdict on one operation, or on several together.
pub fn judge<'a>(ops: impl IntoIterator<Item = &'a OpProfile>) -> Alignment {
    let mut sums = Sums::default();
    ops.into_iter().for_each(|op| sums.add(op));
    sums.verdict()
}

/// The usual start of a partition that shifts everything by this amount.
pub const fn culprit(offset_bytes: u64) -> Option<&'static str> {
    match offset_bytes {
        3584 => Some("a partition at sector 63, as DOS and Windows before Vista made them"),
        1024 => Some("a partition or slice at sector 34, right behind a GPT or EFI label"),
        1536 => {
            Some("a partition 1536 bytes into the disk, as fdisk makes with cylinders of 3 sectors")
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// I/Os as (start, length), each `times`.
    fn op(ios: &[(u64, u64, u64)]) -> OpProfile {
        let mut op = OpProfile {
            start_pow2_histogram: vec![0; 64],
            length_pow2_histogram: vec![0; 64],
            ..OpProfile::default()
        };
        let power = |value: u64| (value | 1 << 63).trailing_zeros() as usize;
        for &(start, len, times) in ios {
            op.start_pow2_histogram[power(start)] += times;
            op.length_pow2_histogram[power(len)] += times;
            let sector = usize::try_from(start / 512 % 8).unwrap();
            op.start_mod_4096[sector] += times;
            op.whole_start_mod_4096[sector] += if len.is_multiple_of(4096) { times } else { 0 };
        }
        op
    }

    #[test]
    fn sector_63_is_a_shift() {
        let found = judge([&op(&[(63 * 512, 8192, 79), (1 << 20, 4096, 21)])]);
        assert_eq!(
            (found.state, found.offset_bytes),
            (AlignmentState::Misaligned, Some(3584))
        );
        assert_eq!(found.offset_ratio, Some(0.79));
        assert!(culprit(3584).unwrap().contains("sector 63"));
    }

    #[test]
    fn small_records_on_an_aligned_volume_are_no_shift() {
        // A redo log of 512-byte blocks beside pages of 16 KiB.
        let log: Vec<_> = (0..8).map(|i| (i * 512, 512, 20)).collect();
        let mut all = log;
        all.push((16384, 16384, 200));
        let found = judge([&op(&all)]);
        assert_eq!(
            (found.state, found.offset_bytes),
            (AlignmentState::Partial, None)
        );
    }

    #[test]
    fn few_say_nothing_and_some_are_enough() {
        assert_eq!(
            judge([&op(&[(512, 4096, 99)])]).state,
            AlignmentState::Indeterminate
        );
        assert_eq!(
            judge([&op(&[(4096, 4096, 100)])]).state,
            AlignmentState::Aligned
        );
        // Off here and there, without one shift.
        let mixed = judge([&op(&[(512, 4096, 10), (1024, 4096, 10), (0, 4096, 80)])]);
        assert_eq!(
            (mixed.state, mixed.offset_bytes),
            (AlignmentState::Misaligned, None)
        );
    }
}
