//! What lies above the array: partitions, LVM extents, thin chunks, as maps of `core`.

use ioalign_core::map::{Map, Runs};
use ioalign_core::units::{Bytes, gcd};

/// One map, and of a scattered one the order of its granules.
#[derive(Clone, Debug)]
struct VolumeStage {
    map: Map,
    granules: u64,
    step: u64,
}

/// How the addresses of a volume become addresses of the arrays below, from the top down.
#[derive(Clone, Debug)]
pub struct VolumePlace {
    /// The sum of all shifts, where there is nothing else.
    shift: Option<u64>,
    stages: Vec<VolumeStage>,
    size: u64,
}

impl VolumePlace {
    /// All of what follows `start`, up to `capacity`.
    pub fn behind(start: u64, capacity: u64) -> Result<Self, String> {
        let past = || format!("a start at {start} is past the array's {capacity} bytes");
        let rest = capacity.checked_sub(start).filter(|rest| *rest > 0);
        let shift = Map::Shift {
            start: Bytes::new(start),
        };
        Self::new(vec![shift], rest.ok_or_else(past)?, capacity)
    }

    /// A volume of `size` bytes through maps, the topmost first, onto `capacity` bytes.
    pub fn new(maps: Vec<Map>, size: u64, capacity: u64) -> Result<Self, String> {
        let mut stages = Vec::with_capacity(maps.len());
        let mut shift = Some(0_u64);
        let mut above = size;
        for map in maps {
            shift = match &map {
                Map::Shift { start } => shift.and_then(|sum| sum.checked_add(start.get())),
                _ => None,
            };
            let stage = VolumeStage::new(map, above)?;
            above = stage.reach(above)?;
            stages.push(stage);
        }
        if above > capacity {
            return Err(format!(
                "the volume ends at byte {above}, past the array's {capacity} bytes"
            ));
        }
        Ok(Self {
            shift,
            stages,
            size,
        })
    }

    /// Bytes that can be addressed.
    pub const fn size(&self) -> u64 {
        self.size
    }

    /// The place below, where everything lies behind one start.
    #[inline]
    pub fn shifted(&self, at: u64) -> Option<u64> {
        self.shift.map(|shift| at + shift)
    }

    /// The pieces of a request below: address and length, in order.
    #[inline]
    pub fn each_piece(&self, at: u64, len: u64, mut each: impl FnMut(u64, u64)) {
        match self.shift {
            Some(shift) => each(at + shift, len),
            None => self.mapped(0, at, len, &mut each),
        }
    }

    fn mapped(&self, stage: usize, at: u64, len: u64, each: &mut dyn FnMut(u64, u64)) {
        let Some(one) = self.stages.get(stage) else {
            each(at, len);
            return;
        };
        let (mut at, end) = (at, at + len);
        while at < end {
            // A hole has no place: `reach` has refused it.
            let Some((below, room)) = one.below(at) else {
                return;
            };
            let part = room.min(end - at);
            self.mapped(stage + 1, below, part, each);
            at += part;
        }
    }
}

impl VolumeStage {
    /// A map of the addresses below `above`.
    fn new(map: Map, above: u64) -> Result<Self, String> {
        let granules = match &map {
            Map::Shift { start } if !start.get().is_multiple_of(512) => {
                return Err(format!(
                    "a start at {} bytes is not at a whole sector",
                    start.get()
                ));
            }
            Map::Shift { .. } | Map::Linear(_) => 0,
            Map::Scattered { granule, .. } if granule.get() >= 512 => above.div_ceil(granule.get()),
            other => return Err(format!("a {} map is not simulated", other.name())),
        };
        Ok(Self {
            map,
            granules,
            step: coprime_step(granules),
        })
    }

    /// The end of what the addresses below `above` become, all of which have a place.
    fn reach(&self, above: u64) -> Result<u64, String> {
        let far = || "the volume lies past 64 bits".to_owned();
        match &self.map {
            Map::Linear(runs) => {
                let (mut at, mut end) = (0, 0);
                while at < above {
                    let hole = || format!("byte {at} of the volume has no place below");
                    let (below, room) = runs.resolve(at).ok_or_else(hole)?;
                    let part = room.min(above - at);
                    end = end.max(below.checked_add(part).ok_or_else(far)?);
                    at += part;
                }
                Ok(end)
            }
            Map::Scattered { start, granule } => {
                let all = self.granules.checked_mul(granule.get());
                all.and_then(|all| all.checked_add(start.get()))
                    .ok_or_else(far)
            }
            other => {
                let start = other.start().map_or(0, Bytes::get);
                above.checked_add(start).ok_or_else(far)
            }
        }
    }

    #[inline]
    fn below(&self, at: u64) -> Option<(u64, u64)> {
        match &self.map {
            Map::Shift { start } => Some((at.checked_add(start.get())?, u64::MAX)),
            Map::Linear(runs) => runs.resolve(at),
            Map::Scattered { start, granule } => {
                let (index, within) = (at / granule.get(), at % granule.get());
                let place = scattered(index, self.granules, self.step)?;
                let below = place.checked_mul(granule.get())?.checked_add(start.get())?;
                Some((below.checked_add(within)?, granule.get() - within))
            }
            _ => None,
        }
    }
}

/// Another order of the numbers below `count`, in which neighbours lie far apart.
fn scattered(index: u64, count: u64, step: u64) -> Option<u64> {
    let far = u128::from(index) * u128::from(step);
    (index < count).then(|| u64::try_from(far % u128::from(count)).unwrap_or(0))
}

/// About the golden section of the range, and coprime to it.
fn coprime_step(count: u64) -> u64 {
    let golden = u128::from(count) * 0x9e37_79b9_7f4a_7c15;
    let mut step = u64::try_from(golden >> 64).unwrap_or(0) | 1;
    while count > 1 && gcd(step, count) > 1 {
        step += 2;
    }
    step
}

/// Slices of all groups by turns: the volume takes every slice from `first` on until it has `size` bytes.
/// Groups of `capacity` bytes lie one behind the other.
pub fn pooled(first: u64, size: u64, slice: u64, groups: u64, capacity: u64) -> Runs {
    let mut runs = Runs::new();
    let mut at = 0;
    let mut number = first;
    while at < size {
        let (group, row) = (number % groups, number / groups);
        let part = slice.min(size - at);
        runs.push(at, group * capacity + row * slice, part);
        at += part;
        number += 1;
    }
    runs
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pieces(place: &VolumePlace, at: u64, len: u64) -> Vec<(u64, u64)> {
        let mut out = Vec::new();
        place.each_piece(at, len, |at, len| out.push((at, len)));
        out
    }

    #[test]
    fn shifts_add_up() {
        let shift = |start| Map::Shift {
            start: Bytes::new(start),
        };
        let place = VolumePlace::new(vec![shift(1 << 20), shift(32256)], 1 << 20, 4 << 20).unwrap();
        assert_eq!(
            pieces(&place, 4096, 8192),
            [(4096 + (1 << 20) + 32256, 8192)]
        );
        assert!(
            VolumePlace::behind(9 << 20, 4 << 20)
                .unwrap_err()
                .contains("past")
        );
        assert!(
            VolumePlace::behind(5, 4 << 20)
                .unwrap_err()
                .contains("sector")
        );
        assert!(VolumePlace::new(vec![shift(0)], 5 << 20, 4 << 20).is_err());
    }

    #[test]
    fn scattered_chunks_are_all_used_once() {
        for count in [1, 2, 7, 64, 1000] {
            let mut all: Vec<_> = (0..count)
                .map(|i| scattered(i, count, coprime_step(count)).unwrap())
                .collect();
            all.sort_unstable();
            assert_eq!(all, (0..count).collect::<Vec<_>>());
        }
        assert_eq!(scattered(5, 5, 1), None);
        let thin = Map::Scattered {
            start: Bytes::new(1 << 20),
            granule: Bytes::new(65536),
        };
        let place = VolumePlace::new(vec![thin], 100 * 65536, 1 << 30).unwrap();
        let two = pieces(&place, 65536 - 512, 1024);
        assert_eq!((two.len(), two[0].1, two[1].1), (2, 512, 512));
        assert!(two[0].0 % 65536 == 65024 && two[1].0.is_multiple_of(65536));
    }

    #[test]
    fn slices_go_round_the_groups() {
        let runs = pooled(1, 4 << 20, 1 << 20, 3, 1 << 30);
        let at = |address| runs.resolve(address).unwrap().0;
        assert_eq!(at(0), 1 << 30);
        assert_eq!(at(1 << 20), 2 << 30);
        assert_eq!(at(2 << 20), 1 << 20);
        let place = VolumePlace::new(vec![Map::Linear(runs)], 4 << 20, 3 << 30).unwrap();
        assert_eq!(pieces(&place, (1 << 20) - 512, 1024).len(), 2);
    }
}
