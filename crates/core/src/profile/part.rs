//! What a profile keeps so that it can be merged: the I/O over time on the clock of the trace, and histograms.
//!
//! Everything here is a sum, a maximum, or a union of intervals, so parts may be joined in any order and any
//! grouping. Times are nanoseconds of the trace's own clock.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

/// A value of a merged profile that one run over everything would have counted otherwise.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct InexactValue {
    /// Its key in the profile.
    pub value: String,
    /// The reason, and whether it is left out.
    pub why: String,
    /// The devices concerned; empty: all.
    pub devices: Vec<String>,
}

/// One device over time, for a merge.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct DevicePart {
    /// Idle time that ends a burst.
    pub gap_ns: u64,
    /// The spans of the parts, one each, in order of time.
    pub stretches: Vec<PartStretch>,
    /// I/Os whose latency is known.
    pub known: u64,
    /// Their latencies, added up.
    pub latency_ns: u64,
    /// I/Os whose latency became known only after they were counted.
    pub late: u64,
    /// The most in flight at one time, within one part.
    pub most_in_flight: u64,
    /// Time with any I/O in flight, added up over the parts.
    pub busy_ns: u64,
    /// Times between an I/O and the next one of the same part: by the number of bits, I/Os.
    pub arrivals: BTreeMap<u32, u64>,
    /// All bursts; `None`: more than are kept.
    pub bursts: Option<Vec<BurstSpan>>,
    /// The times with any I/O in flight, from and until; `None`: more than are kept.
    pub busy: Option<Vec<(i64, i64)>>,
    /// The samples with I/O.
    pub samplers: Vec<SamplerPart>,
    /// Time in flight by steps of time.
    pub in_flight: InFlightSteps,
    /// Latency histograms, in the order of the device's grids.
    pub grids: Vec<GridPart>,
}

/// From the first issue of a part until its last issue and its last completion.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct PartStretch {
    /// The first issue.
    pub first_ns: i64,
    /// The last issue.
    pub last_ns: i64,
    /// The last completion.
    pub end_ns: i64,
}

/// A burst with its sums.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct BurstSpan {
    /// Its first issue.
    pub start_ns: i64,
    /// Its last completion.
    pub end_ns: i64,
    /// I/Os.
    pub ios: u64,
    /// Bytes.
    pub bytes: u64,
    /// I/Os whose latency is known.
    pub known: u64,
    /// Their latencies, added up.
    pub latency_ns: u64,
}

/// The samples of one interval.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct SamplerPart {
    /// How often it samples.
    pub interval_ns: u64,
    /// Those with I/O, in order; `None`: more than are kept.
    pub rows: Option<Vec<SampleSums>>,
}

/// One sample: it begins at `index` times the interval, and has the I/Os that complete in it.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct SampleSums {
    /// Its number on the clock.
    pub index: i64,
    /// I/Os.
    pub ios: u64,
    /// Bytes.
    pub bytes: u64,
    /// I/Os whose latency is known.
    pub known: u64,
    /// Their latencies, added up.
    pub latency_ns: u64,
}

/// The time that all I/Os spent in flight, by steps of `step_ns` on the clock.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct InFlightSteps {
    /// Width of a step, a power of two of milliseconds.
    pub step_ns: u64,
    /// Number of the first step.
    pub first: i64,
    /// The time, step by step.
    pub area_ns: Vec<u64>,
}

/// Latencies on one grid by class, as in `latency_histogram_ns`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct GridPart {
    /// Of I/Os that straddle.
    pub straddling_ns: BTreeMap<u64, u64>,
    /// Of the others, where these are not all others of the operation.
    pub clean_ns: Option<BTreeMap<u64, u64>>,
}
