//! A profile: what I/O does on every device, in numbers that a grid can judge.
//!
//! Live events, traces of any format and the load engine all produce one, and the same code judges
//! and shows it. Its JSON is `ioalign.profile/1`; counters are exact, latencies are within 1.6 %.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

/// The name of the JSON form.
pub const SCHEMA: &str = "ioalign.profile/1";

/// What was seen.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Profile {
    /// [`SCHEMA`].
    pub schema: String,
    /// Where it comes from: `trace`, `live`, `measure`.
    pub source: String,
    /// From the first to the last event.
    pub duration_us: u64,
    /// I/Os counted.
    pub events: u64,
    /// Events that were lost, as far as the source tells.
    pub dropped: u64,
    /// By device, in the order of their names.
    pub devices: Vec<DeviceProfile>,
}

/// What was seen on one device.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct DeviceProfile {
    /// Its name or number, as the source has it.
    pub device: String,
    /// Added to every offset before it was judged: where the device starts on the one below.
    pub offset_applied_bytes: i64,
    /// Read, write, discard, flush, other.
    pub by_op: BTreeMap<String, OpProfile>,
    /// Each operation on each grid.
    pub grids: Vec<GridProfile>,
    /// Whose I/O it is, most first.
    #[serde(default)]
    pub processes: Vec<ProcessProfile>,
}

/// One operation on one device.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct OpProfile {
    /// How many.
    pub ios: u64,
    /// Bytes in all.
    pub bytes: u64,
    /// Every size, or past a thousand sizes their powers of two.
    pub size_histogram: Vec<SizeCount>,
    /// Index k: I/Os whose start is a multiple of 2^k bytes and not of 2^(k+1); a start of 0 is at 63.
    pub start_pow2_histogram: Vec<u64>,
    /// The same for lengths.
    pub length_pow2_histogram: Vec<u64>,
    /// Index k: I/Os that would fit into a cell of 2^k bytes and lie in two.
    pub straddling_pow2: Vec<u64>,
    /// Starts by their 512-byte sector in a block of 4096 bytes.
    pub start_mod_4096: [u64; 8],
    /// Share that begins where a recent one ended.
    pub sequential_ratio: Option<f64>,
    /// Issue to completion.
    pub latency_us: Option<Latency>,
}

/// I/Os of one size.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct SizeCount {
    /// The size.
    pub bytes: u64,
    /// How many.
    pub ios: u64,
}

/// A distribution of latencies, in microseconds.
#[derive(Copy, Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Latency {
    /// I/Os whose latency is known.
    pub ios: u64,
    /// Half are faster.
    pub p50: f64,
    /// Nine of ten are faster.
    pub p90: f64,
    /// 99 % are faster.
    pub p99: f64,
    /// 99.9 % are faster.
    pub p999: f64,
    /// The slowest.
    pub max: f64,
    /// The mean.
    pub mean: f64,
}

/// One operation on one grid.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct GridProfile {
    /// The operation.
    pub op: String,
    /// Whose boundaries they are: `raid-chunk`, `physical-block`.
    pub kind: String,
    /// Distance of the boundaries.
    pub size_bytes: u64,
    /// The first boundary.
    pub phase_bytes: u64,
    /// I/Os that do not begin at a boundary.
    pub start_off_grid: u64,
    /// I/Os whose length is no multiple of the cell.
    pub length_not_multiple: u64,
    /// I/Os that would fit into one cell and lie in two.
    pub straddling: u64,
    /// Cells that were touched.
    pub cells_touched: u64,
    /// Cells that the same lengths need at best.
    pub cells_minimum: u64,
    /// Latency of those that straddle.
    pub straddling_latency_us: Option<Latency>,
    /// Latency of those that do not.
    pub clean_latency_us: Option<Latency>,
}

/// The I/O of one process on one device.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ProcessProfile {
    /// Its number, 0 where not known.
    pub pid: u32,
    /// Its name.
    pub name: String,
    /// The operation.
    pub op: String,
    /// How many.
    pub ios: u64,
    /// Bytes in all.
    pub bytes: u64,
    /// Starts by power of two, as in [`OpProfile`].
    pub start_pow2_histogram: Vec<u64>,
}
