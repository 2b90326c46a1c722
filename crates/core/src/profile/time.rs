//! I/O over time: bursts, what monitoring shows of them, queue depth and rates.

use serde::{Deserialize, Serialize};

use super::littles_law::LittlesLaw;

/// I/O between two idle times.
///
/// A burst begins with the first I/O after the device has had nothing in flight for the gap, and ends
/// with the completion of its last I/O. Without latencies, the issue counts as the completion.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Burst {
    /// Since the first I/O of the profile.
    pub start_us: f64,
    /// From the first issue to the last completion.
    pub duration_us: f64,
    /// I/Os.
    pub ios: u64,
    /// Bytes.
    pub bytes: u64,
    /// Bytes by duration; `None` for a burst of one moment.
    pub throughput_bytes_per_s: Option<f64>,
    /// I/Os by duration.
    pub iops: Option<f64>,
    /// Mean latency of its I/Os.
    pub latency_mean_us: Option<f64>,
    /// Little's law within it.
    pub littles_law: Option<LittlesLaw>,
    /// The most that each sampler can show of it.
    pub sampled: Vec<Sampled>,
}

/// The value that monitoring shows of one burst if one of its samples contains all of it, or is
/// within it.
#[derive(Copy, Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Sampled {
    /// How often it samples.
    pub interval_us: u64,
    /// Bytes by the interval, or by the burst where that is longer.
    pub throughput_bytes_per_s: f64,
    /// The true rate of the burst, divided by the value shown.
    pub understated_ratio: f64,
}

/// All bursts of a device.
#[derive(Copy, Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Bursts {
    /// Idle time that ends a burst.
    pub gap_us: u64,
    /// How many.
    pub count: u64,
    /// Their durations, added up.
    pub duration_us: f64,
    /// The longest.
    pub longest_us: f64,
    /// Bytes over the time in bursts.
    pub throughput_bytes_per_s: Option<f64>,
}

/// The view of monitoring with an interval of N seconds: throughput is averaged over the interval,
/// latency over the I/Os that completed in it. Samples begin with the first I/O of the profile.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Sampler {
    /// N.
    pub interval_us: u64,
    /// Samples until the last completion; the last one may be cut.
    pub samples: u64,
    /// Samples with I/O.
    pub active: u64,
    /// The highest throughput that a sample shows.
    pub highest_bytes_per_s: f64,
    /// The latency that the same sample shows.
    pub latency_at_highest_us: Option<f64>,
    /// Mean throughput of the samples with I/O.
    pub active_mean_bytes_per_s: f64,
    /// The highest mean latency of a sample.
    pub highest_latency_us: Option<f64>,
    /// The throughput that the sample with that latency shows.
    pub throughput_at_highest_latency_bytes_per_s: Option<f64>,
}

/// I/Os in flight.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct QueueDepth {
    /// Over the whole time.
    pub mean: f64,
    /// While there was any in flight.
    pub mean_while_busy: f64,
    /// The most at one time, of those whose latency is known.
    pub max: u64,
    /// Share of the time with any in flight.
    pub busy_ratio: f64,
    /// Width of a step of `in_flight_us`.
    pub interval_us: f64,
    /// For each step since the first I/O of the profile, the time that all I/Os spent in flight: by
    /// the width it is the mean depth. Adding up those of two parts gives that of the whole.
    pub in_flight_us: Vec<f64>,
}

/// I/Os that followed the one before after less than `below_us`, and at least half of it.
#[derive(Copy, Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct TimeCount {
    /// End of the class.
    pub below_us: f64,
    /// How many.
    pub ios: u64,
}

/// Rates over time, in the columns of pt-diskstats. I/Os count when they complete.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Intervals {
    /// The width asked for.
    pub asked_us: u64,
    /// The width that it took to keep their number bounded: the one asked for, doubled as needed.
    pub interval_us: u64,
    /// From the first I/O of the profile on.
    pub rows: Vec<Interval>,
}

/// One interval.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Interval {
    /// Since the first I/O of the profile.
    pub start_us: u64,
    /// Reads.
    pub read: IntervalOp,
    /// Writes.
    pub write: IntervalOp,
    /// Share of the interval with any I/O in flight; `None` where no latency is known.
    pub busy_ratio: Option<f64>,
    /// In flight at its end; `None` where no latency is known.
    pub in_progress: Option<u64>,
}

/// One operation in one interval.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct IntervalOp {
    /// I/Os.
    pub ios: u64,
    /// I/Os a second.
    pub iops: f64,
    /// Bytes.
    pub bytes: u64,
    /// Bytes a second.
    pub throughput_bytes_per_s: f64,
    /// Mean size.
    pub mean_bytes: Option<f64>,
    /// Share that was merged; `None` where the trace does not tell.
    pub merged_ratio: Option<f64>,
    /// Mean number in flight.
    pub concurrency: Option<f64>,
    /// Mean latency.
    pub latency_mean_us: Option<f64>,
}
