//! What a drive counts of writes: readings of its counters, and what lies between two of them.

use serde::{Deserialize, Serialize};

/// A reading of a counter that counts whole units, rounded up.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct UnitCounter {
    /// How many.
    pub units: u128,
    /// Bytes of one.
    pub unit_bytes: u64,
}

/// What a drive counted until a moment.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct WriteCounters {
    /// Written to the drive, by all hosts; `None`: it does not say.
    pub host: Option<UnitCounter>,
    /// Written by the drive to its media.
    pub media: UnitCounter,
}

impl WriteCounters {
    /// Bytes of the largest unit.
    pub fn coarsest_unit(&self) -> u64 {
        let host = self.host.map_or(0, |host| host.unit_bytes);
        host.max(self.media.unit_bytes)
    }
}

/// Bytes that lie between two numbers, both included.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct CountedBytes {
    /// At least.
    pub low: u64,
    /// At most.
    pub high: u64,
}

impl UnitCounter {
    /// What was counted since an earlier reading. Each of the two is uncertain by a unit. `None`: it went back, or
    /// counts in other units, so it is another counter.
    pub fn since(self, earlier: Self) -> Option<CountedBytes> {
        let units = self.units.checked_sub(earlier.units)?;
        let bytes = |units: u128| {
            let bytes = units.saturating_mul(self.unit_bytes.into());
            u64::try_from(bytes).unwrap_or(u64::MAX)
        };
        (self.unit_bytes == earlier.unit_bytes).then(|| CountedBytes {
            low: bytes(units.saturating_sub(1)),
            high: bytes(units.saturating_add(1)),
        })
    }
}

impl CountedBytes {
    /// Both together.
    #[must_use]
    pub const fn plus(self, other: Self) -> Self {
        Self {
            low: self.low.saturating_add(other.low),
            high: self.high.saturating_add(other.high),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const fn reading(units: u128, unit_bytes: u64) -> UnitCounter {
        UnitCounter { units, unit_bytes }
    }

    #[test]
    fn each_reading_is_uncertain_by_a_unit() {
        let since = reading(13, 1000).since(reading(10, 1000)).unwrap();
        assert_eq!((since.low, since.high), (2000, 4000));
        let same = reading(13, 1000).since(reading(13, 1000)).unwrap();
        assert_eq!((same.low, same.high), (0, 1000));
        let sum = since.plus(same);
        assert_eq!((sum.low, sum.high), (2000, 5000));
    }

    #[test]
    fn what_is_no_counter_gives_nothing() {
        assert_eq!(reading(9, 1).since(reading(10, 1)), None);
        assert_eq!(reading(10, 512).since(reading(9, 1)), None);
        let most = reading(u128::MAX, u64::MAX).since(reading(0, u64::MAX));
        assert_eq!(most.unwrap().low, u64::MAX);
    }
}
