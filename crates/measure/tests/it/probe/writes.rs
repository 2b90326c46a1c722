//! Units of writes, copies and parity, on models.

use std::ops::ControlFlow;
use std::time::Duration;

use ioalign_core::Random;
use ioalign_core::array::RaidLevel;
use ioalign_measure::Result;
use ioalign_measure::probe::{
    ProbeDesign, ProbeIo, ProbeOutcome, ProbedKind, Redundancy, TimedDevice, probe,
};

use super::model::{Model, ModelArray, float};
use super::{NOISY, QUIET};

/// Flash, or a page cache: a write that covers a unit in part reads it first.
struct Units {
    unit: u64,
    phase: u64,
    noise: u64,
    random: Random,
    now: f64,
}

impl TimedDevice for Units {
    fn size_bytes(&self) -> u64 {
        1 << 30
    }

    fn sector_bytes(&self) -> u64 {
        512
    }

    fn elapsed(&self) -> Duration {
        Duration::from_secs_f64(self.now / 1e9)
    }

    fn time(&mut self, batch: &[ProbeIo]) -> Result<u64> {
        let from = self.now;
        for io in batch {
            let bytes = u64::from(io.bytes);
            let off = |at: u64| u64::from(!(at + self.unit - self.phase).is_multiple_of(self.unit));
            let partial = match io.write {
                true => off(io.offset).max(off(io.offset + bytes)),
                false => 0,
            };
            let jitter = 1.0 + float(self.random.below(self.noise)) / 100.0;
            let ns = 1e5 + 20.0 * float(bytes / 512) + 1e5 * float(partial);
            self.now += ns * jitter;
        }
        Ok(Duration::from_secs_f64((self.now - from) / 1e9)
            .as_nanos()
            .try_into()
            .unwrap())
    }
}

fn written(device: &mut dyn TimedDevice, seed: u64) -> ProbeOutcome {
    let design = ProbeDesign {
        max_time: Duration::from_secs(300),
        seed,
        write: true,
    };
    probe(device, &design, &mut |_| ControlFlow::Continue(())).unwrap()
}

#[test]
fn units_of_writes_are_found_with_their_phase() {
    for (seed, unit) in (1..).zip([1024, 4096, 8192, 16384, 32768, 65536]) {
        for phase in [0, 512, 32256] {
            for noise in [10, 80] {
                let mut device = Units {
                    unit,
                    phase: phase % unit,
                    noise,
                    random: Random::new(seed),
                    now: 0.0,
                };
                let outcome = written(&mut device, seed);
                let found = outcome.grids.first().map(|grid| {
                    assert_eq!((grid.kind, grid.columns), (ProbedKind::RmwUnit, 1));
                    (grid.unit_bytes, grid.phase_bytes)
                });
                assert_eq!(found, Some((unit, phase % unit)), "{outcome:?}");
            }
        }
    }
}

/// Sectors of 512 bytes need no read, so there is no unit to find.
#[test]
fn a_device_without_units_has_none() {
    for seed in 0..6 {
        let mut device = Units {
            unit: 512,
            phase: 0,
            noise: 50,
            random: Random::new(seed),
            now: 0.0,
        };
        let outcome = written(&mut device, seed);
        assert!(outcome.grids.is_empty(), "{outcome:?}");
        assert!(outcome.write_detection_limit.is_some() && outcome.writes > 1000);
    }
}

#[test]
fn copies_and_parity_are_told_apart() {
    let cases = [
        (RaidLevel::Raid0, 4, Redundancy::Unseen),
        (RaidLevel::Raid10, 8, Redundancy::Mirror),
        (RaidLevel::Raid5, 5, Redundancy::Parity),
        (RaidLevel::Raid6, 6, Redundancy::Parity),
    ];
    for (level, disks, expected) in cases {
        for noise in [QUIET, NOISY] {
            let array = ModelArray {
                level,
                disks,
                element: 65536,
                phase: 512,
                noise,
                seed: 1,
            };
            let outcome = written(&mut Model::new(&array), 1);
            assert_eq!(outcome.redundancy, Some(expected), "{array:?}: {outcome:?}");
            // A stripe is no unit of writes.
            let kinds: Vec<_> = outcome.grids.iter().map(|grid| grid.kind).collect();
            assert_eq!(kinds, [ProbedKind::Stripe], "{array:?}: {outcome:?}");
        }
    }
}
