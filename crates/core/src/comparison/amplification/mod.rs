//! Write amplification: what a drive wrote to its media for what each arm wrote, by the drive's own counters.
//!
//! Each number is a range, because a counter counts whole units. The range holds that uncertainty alone: what the
//! drive does later for these writes, and by chance in one part and not in the other, is not in it.

mod counted;

use serde::{Deserialize, Serialize};

use crate::write_counters::CountedBytes;

pub use counted::{CountedArm, WrittenPart, least_bytes};

/// Halves that are no farther apart than this are alike.
const ALIKE: f64 = 0.02;

/// One kind of writes, by all arms.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct WriteAmplification {
    /// Size of a write.
    pub block_bytes: u64,
    /// `random`, `sequential`, `zipf`.
    pub pattern: String,
    /// Writes in flight a worker.
    pub queue_depth: u32,
    /// Threads.
    pub workers: u32,
    /// What each arm was to write.
    pub bytes_per_arm: u64,
    /// The arms, the baseline first; empty where nothing was written.
    pub arms: Vec<ArmAmplification>,
    /// Why it is not known; `None`: it is.
    pub unknown: Option<String>,
    /// The two halves of an arm are farther apart than the arms: no difference can be told.
    pub unsteady: bool,
}

/// What an arm wrote, and what became of it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ArmAmplification {
    /// The arm's name.
    pub arm: String,
    /// The drive, by its kernel name.
    pub drive: String,
    /// Where it counts what goes to its media.
    pub counter: String,
    /// What was written here.
    pub written_bytes: u64,
    /// What came to the drive from all hosts; `None`: it does not say.
    pub host_bytes: Option<CountedBytes>,
    /// Others wrote to the drive as well, clearly.
    pub others_wrote: bool,
    /// What the drive wrote to its media.
    pub media_bytes: CountedBytes,
    /// Media over hosts.
    pub amplification: Option<RatioRange>,
    /// The same of the first and of the second half.
    pub halves: Vec<RatioRange>,
    /// The arm over the baseline; of the baseline `None`.
    pub ratio: Option<RatioRange>,
}

/// A ratio that lies between two numbers.
#[derive(Copy, Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct RatioRange {
    /// At least.
    pub low: f64,
    /// At most.
    pub high: f64,
}

impl WriteAmplification {
    /// With what was counted.
    #[must_use]
    pub fn counted(mut self, arms: &[CountedArm]) -> Self {
        let sums: Vec<_> = arms.iter().map(CountedArm::sum).collect();
        let ranges: Vec<_> = sums.iter().map(WrittenPart::amplification).collect();
        let baseline = ranges
            .first()
            .and_then(|range| range.as_ref().ok())
            .copied();
        for (index, ((arm, sum), range)) in arms.iter().zip(&sums).zip(&ranges).enumerate() {
            let range = range.as_ref().ok().copied();
            self.arms.push(ArmAmplification {
                arm: arm.arm.clone(),
                drive: arm.drive.clone(),
                counter: arm.counter.clone(),
                written_bytes: sum.written_bytes,
                host_bytes: sum.host,
                others_wrote: sum.others_wrote(),
                media_bytes: sum.media,
                amplification: range,
                halves: arm.ranges(),
                ratio: baseline
                    .filter(|_| index > 0)
                    .zip(range)
                    .map(|(base, one)| one.over(base)),
            });
        }
        self.unknown = ranges.into_iter().find_map(Result::err);
        self.unsteady = self.is_unsteady();
        self
    }

    fn is_unsteady(&self) -> bool {
        let halves = self
            .arms
            .iter()
            .filter_map(|arm| match arm.halves.as_slice() {
                [first, second] => Some(first.gap(*second)),
                _ => None,
            });
        let equal = RatioRange {
            low: 1.0,
            high: 1.0,
        };
        let arms = self
            .arms
            .iter()
            .filter_map(|arm| Some(arm.ratio?.gap(equal)));
        let (halves, arms) = (halves.fold(0.0, f64::max), arms.fold(0.0, f64::max));
        halves > ALIKE && halves > arms
    }
}

impl RatioRange {
    /// What the quotient of the two lies between.
    #[must_use]
    pub fn over(self, other: Self) -> Self {
        Self {
            low: self.low / other.high,
            high: self.high / other.low,
        }
    }

    /// How far two ranges are apart, as a logarithm; 0 where they have a number in common.
    fn gap(self, other: Self) -> f64 {
        let above = |one: Self, other: Self| (one.low / other.high).ln();
        above(self, other).max(above(other, self)).max(0.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MIB: u64 = 1 << 20;

    /// A half whose counters are certain to 1 MiB.
    const fn part(written: u64, media: u64) -> WrittenPart {
        WrittenPart {
            written_bytes: written * MIB,
            host: Some(CountedBytes {
                low: (written - 1) * MIB,
                high: (written + 1) * MIB,
            }),
            media: CountedBytes {
                low: (media - 1) * MIB,
                high: (media + 1) * MIB,
            },
        }
    }

    fn counted(arms: &[(&str, [WrittenPart; 2])]) -> WriteAmplification {
        let arm = |(name, halves): &(&str, [WrittenPart; 2])| CountedArm {
            arm: (*name).to_owned(),
            halves: halves.to_vec(),
            ..CountedArm::default()
        };
        let arms: Vec<_> = arms.iter().map(arm).collect();
        WriteAmplification::default().counted(&arms)
    }

    #[test]
    fn ranges_hold_the_unit_of_every_reading() {
        let half = |media| [part(500, media), part(500, media)];
        let found = counted(&[("aligned", half(600)), ("+512", half(900))]);
        assert_eq!(found.unknown, None);
        let [base, arm] = found.arms.as_slice() else {
            panic!("{found:?}")
        };
        let range = base.amplification.unwrap();
        assert!((range.low - 1198.0 / 1002.0).abs() < 1e-9, "{range:?}");
        // Hosts wrote no less than what was written here.
        assert!((range.high - 1202.0 / 1000.0).abs() < 1e-9, "{range:?}");
        assert_eq!((base.ratio, base.others_wrote), (None, false));
        let ratio = arm.ratio.unwrap();
        assert!(
            ratio.low > 1.49 && ratio.low < 1.5 && ratio.high > 1.5,
            "{ratio:?}"
        );
        assert!(!found.unsteady);
    }

    #[test]
    fn writes_of_others_are_said_and_not_charged() {
        let mut shared = part(500, 1200);
        shared.host = Some(CountedBytes {
            low: 999 * MIB,
            high: 1001 * MIB,
        });
        let found = counted(&[("aligned", [shared, shared])]);
        let arm = &found.arms[0];
        assert!(arm.others_wrote);
        let range = arm.amplification.unwrap();
        assert!(range.low > 1.19 && range.high < 1.21, "{range:?}");
    }

    #[test]
    fn what_the_counters_cannot_say_is_unknown() {
        let late = WrittenPart {
            host: Some(CountedBytes::default()),
            ..part(500, 600)
        };
        let found = counted(&[("aligned", [late, late])]);
        assert!(found.unknown.unwrap().contains("at most 0"));
        assert_eq!(
            (found.arms[0].amplification, found.arms[0].ratio),
            (None, None)
        );
        let coarse = WrittenPart {
            host: None,
            media: CountedBytes {
                low: 400 * MIB,
                high: 700 * MIB,
            },
            written_bytes: 500 * MIB,
        };
        let found = counted(&[("aligned", [part(500, 600); 2]), ("+512", [coarse, coarse])]);
        assert!(
            found
                .unknown
                .unwrap()
                .contains("between 800 MiB and 1.37 GiB")
        );
        assert!(found.arms[0].amplification.is_some() && found.arms[1].ratio.is_none());
        let nothing = counted(&[("aligned", [WrittenPart::default(); 2])]);
        assert!(
            nothing.arms[0]
                .amplification
                .is_none_or(|one| one.low.is_nan())
        );
    }

    #[test]
    fn halves_that_differ_more_than_the_arms_are_noise() {
        let arms = |second| {
            counted(&[
                ("aligned", [part(500, 600), part(500, second)]),
                ("+512", [part(500, 660), part(500, 660)]),
            ])
        };
        assert!(!arms(610).unsteady);
        assert!(arms(800).unsteady);
    }
}
