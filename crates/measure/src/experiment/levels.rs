//! Arms in absolute numbers: all times of a run in a histogram of three digits.

use hdrhistogram::Histogram;
use ioalign_core::comparison::ArmLevel;

use crate::stats::real;
use crate::{Error, ErrorKind, Result};

/// The longest time that is resolved: an hour.
const LONGEST_NS: u64 = 3_600_000_000_000;
/// Batches before a 99th percentile means something.
const FEWEST_FOR_TAIL: u64 = 100;

/// All batch times of one arm.
pub(super) type BatchTimes = Histogram<u64>;

/// An empty histogram of batch times, which never allocates again.
pub(super) fn times() -> Result<BatchTimes> {
    Histogram::new_with_bounds(1, LONGEST_NS, 3)
        .map_err(|error| Error::new(ErrorKind::Unsupported, error.to_string()))
}

/// The latencies of an arm, of its batch times and of the usual ones.
pub(super) fn latencies(level: &mut ArmLevel, times: &BatchTimes, usual: &BatchTimes) {
    if times.is_empty() {
        return;
    }
    let micros = |nanos| real(nanos) / 1e3;
    level.latency_p50_us = Some(micros(usual.value_at_quantile(0.5)));
    level.latency_mean_us = Some(times.mean() / 1e3);
    if times.len() >= FEWEST_FOR_TAIL {
        level.latency_p99_us = Some(micros(times.value_at_quantile(0.99)));
    }
}
