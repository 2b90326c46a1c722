//! The time of pairs of reads by their distance.

use super::sampler::{ProbeHalt, Sampler, reads};

impl Sampler<'_> {
    /// The ratios of pairs at each distance.
    pub(super) fn pairs(
        &mut self,
        distances: &[u64],
        each: usize,
    ) -> Result<Vec<Vec<f64>>, ProbeHalt> {
        let group = self.group;
        let (sector, size) = (self.device.sector_bytes(), self.device.size_bytes());
        self.block(distances.len(), each, &mut |arm, random, batch| {
            let distance = distances.get(arm).copied().unwrap_or(0);
            let room = size.saturating_sub(distance) / sector;
            let first = random.below(room) * sector;
            for start in [first, first + distance] {
                reads(start, sector, group, batch);
            }
        })
    }

    /// How many reads keep a place busy: the fewest of which twice as many take nearly twice as long. `None`: not even
    /// the most do.
    pub(super) fn saturation(&mut self) -> Result<Option<u64>, ProbeHalt> {
        const GROUPS: [u64; 5] = [1, 2, 4, 8, 16];
        let sector = self.device.sector_bytes();
        let mut found = None;
        let ratios = {
            let size = self.device.size_bytes();
            self.block(GROUPS.len(), SATURATION, &mut |arm, random, batch| {
                let group = GROUPS.get(arm).copied().unwrap_or(1);
                reads(random.below(size / sector) * sector, sector, group, batch);
            })?
        };
        let mut usual: Vec<f64> = Vec::new();
        for mut of_group in ratios {
            usual.push(crate::stats::median(&mut of_group));
        }
        for (group, pair) in GROUPS.iter().zip(usual.windows(2)) {
            if let [one, twice] = pair
                && *twice >= SATURATED * one
            {
                found.get_or_insert(*group);
            }
        }
        Ok(found)
    }
}

/// Samples of each group.
const SATURATION: usize = 24;
/// What twice as many reads take, at least, in the time of the others.
const SATURATED: f64 = 1.55;

/// A random multiple of `step` from `from` to `to`; `from` where there is none.
pub(super) fn multiple(random: &mut ioalign_core::Random, step: u64, from: u64, to: u64) -> u64 {
    let (first, last) = (from.div_ceil(step), to / step);
    (first + random.below((last + 1).saturating_sub(first))) * step
}
