//! LatencyBuckets in buckets of less than one percent: the memory does not grow with the run.

use ioalign_core::profile::Latency;

const BITS: u32 = 7;
const SUB: u64 = 1 << BITS;

/// A histogram of nanoseconds.
#[derive(Clone, Debug)]
pub struct LatencyBuckets {
    counts: Vec<u64>,
    ios: u64,
    sum: u128,
    max: u64,
}

impl LatencyBuckets {
    pub fn new() -> Self {
        let buckets = u64::from(64 - BITS + 1) * SUB;
        Self {
            counts: vec![0; usize::try_from(buckets).unwrap_or(0)],
            ios: 0,
            sum: 0,
            max: 0,
        }
    }

    #[inline]
    pub fn add(&mut self, ns: u64) {
        let shift = (63 - (ns | 1).leading_zeros()).saturating_sub(BITS);
        let bucket = u64::from(shift) * SUB + (ns >> shift);
        if let Some(count) = self.counts.get_mut(usize::try_from(bucket).unwrap_or(0)) {
            *count += 1;
        }
        self.ios += 1;
        self.sum += u128::from(ns);
        self.max = self.max.max(ns);
    }

    /// The least latency that this share of all does not exceed: the middle of its bucket.
    fn percentile(&self, per_mille: u64) -> f64 {
        let wanted = (self.ios * per_mille).div_ceil(1000);
        let mut seen = 0;
        for (bucket, count) in (0_u64..).zip(&self.counts) {
            seen += count;
            if seen >= wanted && *count > 0 {
                let shift = (bucket / SUB).saturating_sub(1);
                let low = (bucket - shift * SUB) << shift;
                return us((low + ((1 << shift) >> 1)).min(self.max).into());
            }
        }
        0.0
    }

    pub fn summary(&self) -> Latency {
        Latency {
            ios: self.ios,
            p50: self.percentile(500),
            p90: self.percentile(900),
            p99: self.percentile(990),
            p999: self.percentile(999),
            max: us(self.max.into()),
            mean: us(self.sum) / us(u128::from(self.ios.max(1)) * 1000),
        }
    }
}

// Whole nanoseconds of a run; digits past the 15th do not matter.
#[allow(clippy::cast_precision_loss)]
fn us(ns: u128) -> f64 {
    ns as f64 / 1e3
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn percentiles_are_within_a_percent() {
        let mut all = LatencyBuckets::new();
        (1..=100_000).for_each(|us| all.add(us * 1000));
        let out = all.summary();
        for (found, wanted) in [
            (out.p50, 50_000.0),
            (out.p90, 90_000.0),
            (out.p999, 99_900.0),
        ] {
            assert!((found / wanted - 1.0_f64).abs() < 0.01, "{found} {wanted}");
        }
        assert!((out.mean - 50_000.5).abs() < 1e-6, "{}", out.mean);
        assert!((out.max - 100_000.0).abs() < 1e-6);
        let mut ends = LatencyBuckets::new();
        for ns in [0, 1, 127, 128, 255, 256, u64::MAX] {
            ends.add(ns);
        }
        assert_eq!(ends.counts.iter().sum::<u64>(), 7);
    }
}
