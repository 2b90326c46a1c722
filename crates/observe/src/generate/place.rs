//! Chooses places: anywhere on the device, or at the end of the last I/O.

use super::{GeneratePlan, Random, Ratio};
use crate::record::Io;

const SECTOR: u64 = 512;

/// The places of all devices and processes.
pub struct GeneratedPlaces {
    align: u64,
    shift: u64,
    size: u64,
    misaligned: Ratio,
    sequential: Ratio,
    processes: usize,
    /// The end of the last I/O of each device and process, without the shift.
    ends: Vec<u64>,
}

impl GeneratedPlaces {
    pub fn new(plan: &GeneratePlan) -> Self {
        let processes = plan.processes.len().max(1);
        Self {
            align: plan.align.max(1),
            shift: plan.shift,
            size: plan.device_size,
            misaligned: plan.misaligned,
            sequential: plan.sequential,
            processes,
            ends: vec![0; processes * plan.devices.len()],
        }
    }

    /// The start of an I/O whose device, process and length are known.
    pub fn next(&mut self, io: &Io, random: &mut Random) -> u64 {
        let stream = io.device as usize * self.processes + io.process as usize;
        let last = self.ends.get(stream).copied().unwrap_or(0);
        let fits = last > 0 && last + u64::from(io.len) <= self.size;
        let start = if fits && self.sequential.hits(random) {
            last
        } else {
            self.plain(io.len, random)
        };
        if let Some(end) = self.ends.get_mut(stream) {
            *end = start + u64::from(io.len);
        }
        start + self.shift
    }

    /// Any place.
    pub fn any(&self, len: u32, random: &mut Random) -> u64 {
        self.plain(len, random) + self.shift
    }

    fn plain(&self, len: u32, random: &mut Random) -> u64 {
        // Room for the length, and for the few sectors that it may be off.
        let room = self.size.saturating_sub(u64::from(len) + 4096);
        let start = random.below(room / self.align) * self.align;
        if self.misaligned.hits(random) {
            start + (1 + random.below(7)) * SECTOR
        } else {
            start
        }
    }
}
