//! What was counted while an arm wrote, and the range of its amplification.

use super::RatioRange;
use crate::numbers::size_of;
use crate::units::ratio;
use crate::write_counters::{CountedBytes, WriteCounters};

/// How many units of the coarsest counter an arm has to write, so that the ends of a range are within a fifth.
const LEAST_UNITS: u64 = 25;
/// A range whose upper end is this many times its lower end says too little.
const WIDEST: f64 = 1.5;
/// Hosts that sent this much more than was written here were not only this program.
const OTHERS: f64 = 1.02;

/// What was written between two readings, and what was counted of it.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq)]
pub struct WrittenPart {
    /// Written here.
    pub written_bytes: u64,
    /// By hosts.
    pub host: Option<CountedBytes>,
    /// To the media.
    pub media: CountedBytes,
}

/// An arm with its halves.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CountedArm {
    /// The arm's name.
    pub arm: String,
    /// The drive, by its kernel name.
    pub drive: String,
    /// Where it counts.
    pub counter: String,
    /// What was written, in its order.
    pub halves: Vec<WrittenPart>,
}

/// How much an arm has to write for a range that says something.
pub fn least_bytes(counters: &WriteCounters) -> u64 {
    LEAST_UNITS.saturating_mul(counters.coarsest_unit())
}

impl CountedArm {
    pub(super) fn sum(&self) -> WrittenPart {
        let mut halves = self.halves.iter().copied();
        let first = halves.next().unwrap_or_default();
        halves.fold(first, WrittenPart::plus)
    }

    pub(super) fn ranges(&self) -> Vec<RatioRange> {
        let ranges = self.halves.iter().map(WrittenPart::amplification);
        ranges.filter_map(Result::ok).collect()
    }
}

impl WrittenPart {
    fn plus(self, other: Self) -> Self {
        let both = self.host.zip(other.host);
        Self {
            written_bytes: self.written_bytes.saturating_add(other.written_bytes),
            host: both.map(|(one, other)| one.plus(other)),
            media: self.media.plus(other.media),
        }
    }

    pub(super) fn others_wrote(&self) -> bool {
        self.host
            .is_some_and(|host| ratio(host.low, self.written_bytes) > OTHERS)
    }

    /// Media over hosts; else why it is not known.
    pub(super) fn amplification(&self) -> Result<RatioRange, String> {
        let (written, media) = (self.written_bytes, self.media);
        let host = self.host.unwrap_or(CountedBytes {
            low: written,
            high: written,
        });
        if host.high < written {
            return Err(format!(
                "by the drive's counter at most {} came to it, of {} that were written: it counts late, or a page cache or a \
                 file system on the way joined or compressed some of it",
                size_of(host.high),
                size_of(written)
            ));
        }
        let range = RatioRange {
            low: ratio(media.low, host.high),
            // What was written here came to the drive, whatever its counter may leave open.
            high: ratio(media.high, host.low.max(written)),
        };
        if range.low > 0.0 && range.high <= range.low * WIDEST {
            return Ok(range);
        }
        Err(format!(
            "between {} and {} went to the media, for {} that were written: the counter is too coarse, or counts late. \
             --write-amplification with a larger SIZE tells more",
            size_of(media.low),
            size_of(media.high),
            size_of(written)
        ))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::write_counters::UnitCounter;

    #[test]
    fn a_coarse_unit_wants_more_writes() {
        let counter = |unit_bytes| UnitCounter {
            units: 1,
            unit_bytes,
        };
        let counters = |host, media| WriteCounters {
            host,
            media: counter(media),
        };
        assert_eq!(least_bytes(&counters(None, 1_000_000_000)), 25_000_000_000);
        assert_eq!(
            least_bytes(&counters(Some(counter(512_000)), 1)),
            12_800_000
        );
    }
}
