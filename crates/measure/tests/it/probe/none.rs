//! Devices without a stripe that repeats: nothing may be found in them.

use std::time::Duration;

use ioalign_core::Random;
use ioalign_core::random::split_mix;
use ioalign_measure::Result;
use ioalign_measure::probe::{ProbeIo, TimedDevice};

use super::model::float;

/// Why there is nothing to find.
#[derive(Copy, Clone, Debug)]
pub enum Hidden {
    /// A single disk: everything waits for everything.
    Single,
    /// A single disk whose time grows with the way of its head.
    Seeks,
    /// Chunks of this size lie on random disks: thin pools, logs.
    RandomMap(u64),
    /// Pages of 4 KiB lie on random channels, this many: flash.
    Channels(u64),
    /// A cloud volume: a fixed rate, whatever is asked for.
    Rate,
    /// Memory: as fast as the system call.
    Memory,
}

pub struct NoStripe {
    pub hidden: Hidden,
    random: Random,
    seed: u64,
    now: f64,
    free: Vec<f64>,
    head: u64,
}

const SIZE: u64 = 1 << 30;

impl NoStripe {
    pub fn new(hidden: Hidden, seed: u64) -> Self {
        Self {
            hidden,
            random: Random::new(seed),
            seed,
            now: 0.0,
            free: vec![0.0; 64],
            head: 0,
        }
    }

    fn server(&self, at: u64) -> usize {
        let random = |cell: u64, servers: u64| {
            let mut state = cell ^ (self.seed << 40);
            usize::try_from(split_mix(&mut state) % servers).unwrap()
        };
        match self.hidden {
            Hidden::RandomMap(chunk) => random(at / chunk, 6),
            Hidden::Channels(channels) => random(at / 4096, channels),
            _ => 0,
        }
    }
}

impl TimedDevice for NoStripe {
    fn size_bytes(&self) -> u64 {
        SIZE
    }

    fn sector_bytes(&self) -> u64 {
        512
    }

    fn elapsed(&self) -> Duration {
        Duration::from_secs_f64(self.now / 1e9)
    }

    fn time(&mut self, batch: &[ProbeIo]) -> Result<u64> {
        let from = self.now;
        let mut done = from;
        for io in batch {
            let jitter = 0.7 + float(self.random.below(600)) / 1000.0;
            let service = match self.hidden {
                Hidden::Seeks => {
                    let way = float(self.head.abs_diff(io.offset) >> 10) / float(SIZE >> 10);
                    1e6 + 8e6 * way.sqrt()
                }
                Hidden::Memory => 3e3,
                Hidden::Channels(_) => 8e4,
                _ => 1e6,
            };
            self.head = io.offset;
            let server = self.server(io.offset);
            let end = self.free[server].max(from) + service * jitter;
            self.free[server] = end;
            done = done.max(end);
        }
        // A page fault, or another process, now and then.
        let done = done
            + 1e4
            + if self.random.below(100) == 0 {
                2e6
            } else {
                0.0
            };
        self.now = done;
        Ok(Duration::from_secs_f64((done - from) / 1e9)
            .as_nanos()
            .try_into()
            .unwrap())
    }
}
