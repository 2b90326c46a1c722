//! The verdict on a grid that the operator declared.
//!
//! An I/O that starts off its boundaries and is of whole blocks touches exactly one block more than it must; a smaller
//! one does where it straddles. So blocks touched less the fewest is the number of I/Os that pay.

use std::collections::BTreeMap;

use super::alignment::{Alignment, AlignmentState, FEWEST, MOST, OnDeclaredGrid};
use super::{DeviceProfile, GridProfile, OpProfile};
use crate::units::ratio;

/// The counters of one declared grid, and where the same I/Os start.
#[derive(Clone, Debug, Default)]
struct DeclaredSums {
    pieces: u64,
    start_off: u64,
    length_off: u64,
    extra: u64,
    /// By power of two.
    starts: Vec<u64>,
}

/// Declared grids by tier, size, phase and kind.
#[derive(Default)]
pub struct DeclaredGrids(BTreeMap<(String, u64, u64, String), DeclaredSums>);

impl DeclaredGrids {
    /// Adds the counters of a device: of one operation, or of all.
    pub fn add(&mut self, device: &DeviceProfile, only: Option<&str>) {
        let of = |grid: &&GridProfile| grid.declared && only.is_none_or(|op| op == grid.op);
        for grid in device.grids.iter().filter(of) {
            let (tier, kind) = (grid.tier.clone(), grid.kind.clone());
            let key = (tier, grid.size_bytes, grid.phase_bytes, kind);
            let sums = self.0.entry(key).or_default();
            sums.add(grid, device.by_op.get(&grid.op));
        }
    }

    /// The verdict on 4 KiB, or the worse one on a declared grid. A declared block that is smaller than 4 KiB, or lies
    /// elsewhere, takes the place of the assumed 4 KiB.
    pub fn decide(&self, assumed: Alignment) -> Alignment {
        let blocks = || self.0.keys().filter(|(tier, ..)| tier == "rmw");
        let other = blocks().any(|(_, size, phase, _)| *size < 4096 || phase % 4096 != 0);
        let found = self.0.iter().filter_map(|((tier, size, phase, _), sums)| {
            // Of 4 KiB at 0 more is counted: what is shifted shows beside small records.
            if (*size, *phase) == (4096, 0) {
                return None;
            }
            let (state, on_grid) = sums.verdict(tier, *size, *phase)?;
            Some(Alignment {
                state,
                on_grid: Some(on_grid),
                ..assumed
            })
        });
        let worst = found.max_by_key(|one| (rank(one.state), one.on_grid.map(|on| on.size_bytes)));
        match worst {
            Some(declared) if other || worse(&declared, &assumed) => Alignment {
                // The shift past 4 KiB is no reason where 4 KiB are no grid.
                offset_bytes: assumed.offset_bytes.filter(|_| !other),
                offset_ratio: assumed.offset_ratio.filter(|_| !other),
                ..declared
            },
            _ => assumed,
        }
    }
}

/// Of two that are as bad, a shift past 4 KiB says more: which partition makes it.
const fn worse(declared: &Alignment, assumed: &Alignment) -> bool {
    let (declared, on_4_kib) = (rank(declared.state), rank(assumed.state));
    declared > on_4_kib || (declared == on_4_kib && assumed.offset_bytes.is_none())
}

const fn rank(state: AlignmentState) -> u8 {
    match state {
        AlignmentState::Indeterminate => 0,
        AlignmentState::Aligned => 1,
        AlignmentState::Partial => 2,
        AlignmentState::Suboptimal => 3,
        AlignmentState::Misaligned => 4,
    }
}

impl DeclaredSums {
    fn add(&mut self, grid: &GridProfile, op: Option<&OpProfile>) {
        let sum = |to: &mut u64, more: u64| *to = to.saturating_add(more);
        sum(&mut self.pieces, grid.pieces);
        sum(&mut self.start_off, grid.start_off_grid);
        sum(&mut self.length_off, grid.length_not_multiple);
        let extra = grid.cells_touched.saturating_sub(grid.cells_minimum);
        sum(&mut self.extra, extra);
        let starts = op.map_or(&[][..], |op| &op.start_pow2_histogram);
        if self.starts.len() < starts.len() {
            self.starts.resize(starts.len(), 0);
        }
        for (to, more) in self.starts.iter_mut().zip(starts) {
            sum(to, *more);
        }
    }

    /// `None` where the grid has no say: a preference decides only what crosses it.
    fn verdict(
        &self,
        tier: &str,
        size: u64,
        phase: u64,
    ) -> Option<(AlignmentState, OnDeclaredGrid)> {
        let share = |part: u64| ratio(part, self.pieces.max(1));
        let power = self.shared_power(size, phase);
        let on = OnDeclaredGrid {
            size_bytes: size,
            phase_bytes: phase,
            ios: self.pieces,
            start_off_ratio: share(self.start_off),
            partial_ratio: share(self.length_off),
            crossing_ratio: share(self.extra).min(1.0),
            offset_bytes: power.filter(|power| power * 2 == size),
        };
        let crosses = on.crossing_ratio > 1.0 - MOST;
        let state = match tier {
            _ if self.pieces < FEWEST => AlignmentState::Indeterminate,
            "rmw" if crosses || power.is_some() => AlignmentState::Misaligned,
            "rmw" if on.partial_ratio > 1.0 - MOST || on.start_off_ratio > 1.0 - MOST => {
                AlignmentState::Partial
            }
            "rmw" => AlignmentState::Aligned,
            "preference" if crosses => AlignmentState::Suboptimal,
            _ => return None,
        };
        Some((state, on))
    }

    /// The power of two below the size that nine of ten starts are multiples of, and of nothing larger. Of random starts
    /// half are multiples of twice as much: these are shifted, also where each is too small to cross.
    fn shared_power(&self, size: u64, phase: u64) -> Option<u64> {
        if !size.is_power_of_two() || phase != 0 {
            return None;
        }
        let all: u64 = self.starts.iter().sum();
        let below = self
            .starts
            .iter()
            .zip(0_u32..)
            .take(size.trailing_zeros() as usize);
        let (most, power) = below.max_by_key(|(ios, _)| **ios)?;
        (all > 0 && ratio(*most, all) >= MOST).then(|| 1 << power)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::profile::Profile;

    /// Reads of `len` bytes at these places, on the declared grids.
    fn profile(starts: impl Iterator<Item = u64>, len: u64, grids: &[(u64, &str)]) -> Profile {
        let mut op = OpProfile {
            start_pow2_histogram: vec![0; 64],
            length_pow2_histogram: vec![0; 64],
            ..OpProfile::default()
        };
        let mut found: Vec<_> = grids
            .iter()
            .map(|(size, tier)| GridProfile {
                op: "read".to_owned(),
                size_bytes: *size,
                tier: (*tier).to_owned(),
                declared: true,
                ..GridProfile::default()
            })
            .collect();
        let power = |value: u64| (value | 1 << 63).trailing_zeros() as usize;
        for start in starts {
            op.ios += 1;
            op.start_pow2_histogram[power(start)] += 1;
            op.length_pow2_histogram[power(len)] += 1;
            let sector = usize::try_from(start / 512 % 8).unwrap();
            op.start_mod_4096[sector] += 1;
            op.whole_start_mod_4096[sector] += u64::from(len.is_multiple_of(4096));
            for grid in &mut found {
                let size = grid.size_bytes;
                grid.pieces += 1;
                grid.start_off_grid += u64::from(!start.is_multiple_of(size));
                grid.length_not_multiple += u64::from(!len.is_multiple_of(size));
                grid.cells_touched += (start + len - 1) / size - start / size + 1;
                grid.cells_minimum += len.div_ceil(size);
            }
        }
        let device = DeviceProfile {
            by_op: [("read".to_owned(), op)].into(),
            grids: found,
            ..DeviceProfile::default()
        };
        let mut out = Profile {
            devices: vec![device],
            ..Profile::default()
        };
        out.judge();
        out
    }

    fn verdict(
        starts: impl Iterator<Item = u64>,
        len: u64,
        grids: &[(u64, &str)],
    ) -> (AlignmentState, Option<u64>) {
        let found = profile(starts, len, grids);
        let (all, device) = (found.alignment, found.devices[0].alignment);
        assert_eq!(all, device);
        assert_eq!(all, found.devices[0].by_op["read"].alignment);
        (all.state, all.on_grid.map(|on| on.size_bytes))
    }

    #[test]
    fn reads_off_8_kib_are_not_aligned() {
        let off = || (0..1000).map(|n| n * 65536 + 4096);
        assert_eq!(
            verdict(off(), 8192, &[(8192, "rmw")]),
            (AlignmentState::Misaligned, Some(8192))
        );
        // Each lies within one block, and still all are shifted.
        assert_eq!(
            verdict(off(), 4096, &[(8192, "rmw")]),
            (AlignmentState::Misaligned, Some(8192))
        );
        assert_eq!(verdict(off(), 4096, &[]), (AlignmentState::Aligned, None));
        let found = profile(off(), 8192, &[(8192, "rmw")]).alignment;
        assert_eq!(found.on_grid.unwrap().offset_bytes, Some(4096));
    }

    #[test]
    fn small_random_reads_are_partial_and_whole_ones_aligned() {
        let random = (0..1000_u64).map(|n| n * 7919 % 4096 * 4096);
        assert_eq!(
            verdict(random.clone(), 4096, &[(8192, "rmw")]),
            (AlignmentState::Partial, Some(8192))
        );
        let whole = random.map(|start| start * 2);
        assert_eq!(
            verdict(whole, 8192, &[(8192, "rmw")]),
            (AlignmentState::Aligned, Some(8192))
        );
    }

    #[test]
    fn a_preference_decides_only_what_crosses_it() {
        let grids = [(65536, "preference")];
        let random = (0..1000_u64).map(|n| n * 7919 % 4096 * 4096);
        assert_eq!(
            verdict(random, 4096, &grids),
            (AlignmentState::Aligned, None)
        );
        let across = (0..1000).map(|n| n * (1 << 20) + 32768);
        assert_eq!(
            verdict(across, 65536, &grids),
            (AlignmentState::Suboptimal, Some(65536))
        );
    }

    #[test]
    fn the_worst_grid_decides_and_a_smaller_block_replaces_4_kib() {
        let shifted = || (0..1000).map(|n| n * 4096 + 3584);
        assert_eq!(
            verdict(shifted(), 4096, &[(65536, "preference")]),
            (AlignmentState::Misaligned, None)
        );
        assert_eq!(
            verdict(shifted(), 4096, &[(512, "rmw")]),
            (AlignmentState::Aligned, Some(512))
        );
    }

    #[test]
    fn few_say_nothing() {
        let off = (0..99).map(|n| n * 65536 + 4096);
        assert_eq!(
            verdict(off, 8192, &[(8192, "rmw")]).0,
            AlignmentState::Indeterminate
        );
    }
}
