//! A drive with a planted amplification, which has to be found from its counters.

use std::ops::ControlFlow;

use ioalign_core::comparison::{CountedArm, RatioRange, WriteAmplification};
use ioalign_core::units::ratio;
use ioalign_core::write_counters::{UnitCounter, WriteCounters};
use ioalign_measure::Result;
use ioalign_measure::amplification::{CountedArms, run};

const MIB: u64 = 1 << 20;

/// What it counts is exact; what it shows is rounded up to units.
struct Drive {
    /// Of each arm, in bytes of media for 100 of hosts.
    percent: [u64; 2],
    /// More of it for each MiB that was written before, whichever arm wrote it.
    drift: u64,
    /// Bytes of others for each of ours.
    others: u64,
    host_unit: u64,
    media_unit: u64,
    host: u64,
    media: u64,
    /// Kept back until everything has to be on the drive, in hundredths of a byte.
    held: u64,
}

impl Drive {
    const fn new(percent: [u64; 2]) -> Self {
        Self {
            percent,
            drift: 0,
            others: 0,
            host_unit: 512_000,
            media_unit: 1,
            host: 12_345_678,
            media: 98_765_432,
            held: 0,
        }
    }
}

impl CountedArms for Drive {
    fn arms(&self) -> usize {
        2
    }

    fn write(&mut self, arm: usize, bytes: u64) -> Result<u64> {
        let whole = bytes.next_multiple_of(4096);
        let hosts = whole * (1 + self.others);
        let percent = self.percent[arm] + self.drift * (self.host / MIB);
        self.host += hosts;
        self.held += hosts * percent;
        Ok(whole)
    }

    fn settle(&mut self) -> Result<()> {
        self.media += std::mem::take(&mut self.held) / 100;
        Ok(())
    }

    fn counters(&mut self, _: usize) -> Result<WriteCounters> {
        let shown = |bytes: u64, unit_bytes: u64| UnitCounter {
            units: bytes.div_ceil(unit_bytes).into(),
            unit_bytes,
        };
        Ok(WriteCounters {
            host: Some(shown(self.host, self.host_unit)),
            media: shown(self.media, self.media_unit),
        })
    }
}

fn found(mut drive: Drive, bytes: u64) -> WriteAmplification {
    let mut go_on = |_| ControlFlow::Continue(());
    let halves = run(&mut drive, bytes, &mut go_on).unwrap().unwrap();
    let arms = ["aligned", "+512"].into_iter().zip(halves);
    let arms = arms.map(|(arm, halves)| CountedArm {
        arm: arm.to_owned(),
        halves,
        ..CountedArm::default()
    });
    WriteAmplification::default().counted(&arms.collect::<Vec<_>>())
}

fn holds(range: Option<RatioRange>, truth: f64) -> bool {
    range.is_some_and(|range| range.low <= truth && truth <= range.high)
}

#[test]
fn a_planted_amplification_is_found() {
    for (percent, truth) in [
        ([100, 100], 1.0),
        ([110, 250], 250.0 / 110.0),
        ([300, 120], 0.4),
    ] {
        for media_unit in [1, 512_000, 10_000_000] {
            let drive = Drive {
                media_unit,
                ..Drive::new(percent)
            };
            let found = found(drive, 512 * MIB);
            assert_eq!(found.unknown, None, "{percent:?} {media_unit}");
            for (arm, percent) in found.arms.iter().zip(percent) {
                let range = arm.amplification.unwrap();
                assert!(holds(Some(range), ratio(percent, 100)), "{arm:?}");
                let width = 1.0 + ratio(9 * media_unit.max(512_000), 512 * MIB);
                assert!(range.high / range.low < width, "{media_unit}: {range:?}");
                assert_eq!(arm.written_bytes, 512 * MIB);
            }
            // Arms that are exchanged give the reciprocal, which is outside.
            assert!(holds(found.arms[1].ratio, truth), "{found:?}");
            assert!(truth == 1.0 || !holds(found.arms[1].ratio, truth.recip()));
        }
    }
}

/// The order A B B A: each arm has the same mean of a drift, which A A B B would charge to the second one.
#[test]
fn a_drift_is_charged_to_both() {
    let drive = Drive {
        drift: 1,
        ..Drive::new([100, 100])
    };
    let found = found(drive, 256 * MIB);
    let ratio = found.arms[1].ratio.unwrap();
    assert!(ratio.low > 0.97 && ratio.high < 1.03, "{ratio:?}");
    assert!(
        found.unsteady,
        "the halves of an arm were not alike: {found:?}"
    );
}

#[test]
fn writes_of_others_are_seen() {
    let drive = Drive {
        others: 1,
        ..Drive::new([150, 150])
    };
    let found = found(drive, 256 * MIB);
    assert!(found.arms.iter().all(|arm| arm.others_wrote));
    assert!(holds(found.arms[0].amplification, 1.5), "{found:?}");
}

#[test]
fn too_coarse_a_counter_says_nothing() {
    let drive = Drive {
        media_unit: 1_000_000_000,
        ..Drive::new([100, 200])
    };
    let found = found(drive, 256 * MIB);
    assert!(found.unknown.unwrap().contains("too coarse"));
}

#[test]
fn it_can_be_ended() {
    let mut drive = Drive::new([100, 100]);
    let before = drive.host;
    let mut last = 0;
    let mut two = |done| {
        last = done;
        if done < 16 * MIB {
            ControlFlow::Continue(())
        } else {
            ControlFlow::Break(())
        }
    };
    assert_eq!(run(&mut drive, 1 << 40, &mut two).unwrap(), None);
    assert_eq!((last, drive.host - before), (16 * MIB, 16 * MIB));
}
