//! A profile: what I/O does on every device, in numbers that a grid can judge.
//!
//! Live events, traces of any format and the load engine all produce one, and the same code judges
//! and shows it. Its JSON is `ioalign.profile/1`; counters are exact, latencies are within 1.6 %.

pub mod alignment;
mod assertion;
mod discards;
mod file;
mod group;
mod judge;
mod latency;
pub mod littles_law;
pub mod on_grid;
mod overwrites;
pub mod part;
mod source;
mod time;

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::machine::Machine;

pub use alignment::{Alignment, AlignmentState, OnDeclaredGrid};
pub use assertion::{AssertionOutcome, ProfileAssertion};
pub use discards::DiscardCounts;
pub use file::{FileKind, FileProfile};
pub use group::{ContainerName, GroupProfile, IoShare};
pub use latency::{Latency, LatencyRatio};
pub use littles_law::LittlesLaw;
pub use overwrites::ReadBeforeOverwrite;
pub use part::{DevicePart, InexactValue};
pub use source::{SkippedRow, TraceFile, Unpaired};
pub use time::{
    Burst, Bursts, Interval, IntervalOp, Intervals, QueueDepth, Sampled, Sampler, TimeCount,
};

/// The name of the JSON form.
pub const SCHEMA: &str = "ioalign.profile/1";

/// The observed I/O.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Profile {
    /// [`SCHEMA`].
    pub schema: String,
    /// Its source: `trace`, `live`, `measure`.
    pub source: String,
    /// From the first to the last event.
    pub duration_us: u64,
    /// I/Os counted.
    pub events: u64,
    /// Events that were lost, as far as the source says.
    pub dropped: u64,
    /// Records that did not pair, or came too late to be sorted.
    #[serde(default)]
    pub unpaired: Unpaired,
    /// Stopped by the operator: what was read until then.
    #[serde(default)]
    pub interrupted: bool,
    /// The machine that is watched; `None`: a trace says nothing of its machine.
    #[serde(default)]
    pub machine: Option<Machine>,
    /// Why the files may not have one clock: then what is over time means little.
    #[serde(default)]
    pub clock_doubt: Option<String>,
    /// The source files, if there were any.
    #[serde(default)]
    pub files: Vec<TraceFile>,
    /// A command, a control group, files: whose I/O alone was counted. Empty: all I/O. Of a merged profile: those of any
    /// part.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub only: Vec<String>,
    /// Of a merged profile: the values that one run over everything would have counted otherwise.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub inexact: Vec<InexactValue>,
    /// What became of the assertions, where there were any.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub assertions: Vec<AssertionOutcome>,
    /// All devices together, against 4 KiB.
    #[serde(default)]
    pub alignment: Alignment,
    /// By device, in the order of their names.
    pub devices: Vec<DeviceProfile>,
}

/// The I/O of one device.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct DeviceProfile {
    /// Its name or number, as the source has it.
    pub device: String,
    /// Added to every offset before it was judged: where the device starts on the one below.
    pub offset_applied_bytes: i64,
    /// The layer of the stack that it was found to be (`--stack`).
    #[serde(default)]
    pub layer: Option<String>,
    /// I/Os past the end of that layer, or before the first byte: the trace is another device's, or the shift
    /// is wrong.
    #[serde(default)]
    pub outside_ios: u64,
    /// All operations together, against 4 KiB.
    #[serde(default)]
    pub alignment: Alignment,
    /// Read, write, discard, flush, other.
    pub by_op: BTreeMap<String, OpProfile>,
    /// Each operation on each grid.
    pub grids: Vec<GridProfile>,
    /// Small reads beside large writes; `None` without either.
    #[serde(default)]
    pub read_before_overwrite: Option<ReadBeforeOverwrite>,
    /// What the device can free of its discards: counted live. `None` without any, or where its unit is not known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub discards: Option<DiscardCounts>,
    /// The processes, most I/O first.
    #[serde(default)]
    pub processes: Vec<ProcessProfile>,
    /// The control groups, most I/O first, where they were counted.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub groups: Vec<GroupProfile>,
    /// The files, most I/O first, where they were counted.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub files: Vec<FileProfile>,
    /// I/O between idle times: the largest bursts by bytes, in order of time.
    #[serde(default)]
    pub bursts: Vec<Burst>,
    /// All bursts, also those that are not in the list.
    #[serde(default)]
    pub bursts_total: Bursts,
    /// The view of monitoring with an interval of N seconds on the same I/O.
    #[serde(default)]
    pub samplers: Vec<Sampler>,
    /// Over the whole time; `None` where no latency is known.
    #[serde(default)]
    pub littles_law: Option<LittlesLaw>,
    /// How many I/Os were in flight; `None` where no latency is known.
    #[serde(default)]
    pub queue_depth: Option<QueueDepth>,
    /// Time between an I/O and the next one, by power of two.
    #[serde(default)]
    pub inter_arrival: Vec<TimeCount>,
    /// Rates over time, where they were asked for.
    #[serde(default)]
    pub intervals: Option<Intervals>,
    /// What a merge needs beside these values, where it was asked for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub part: Option<Box<DevicePart>>,
}

impl DeviceProfile {
    /// Forgets what only one trace with its times can tell.
    pub fn forget_course(&mut self) {
        self.bursts.clear();
        self.samplers.clear();
        (self.littles_law, self.queue_depth, self.intervals) = (None, None, None);
        self.part = None;
    }
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
    /// The same, of those I/Os alone whose length is a multiple of 4096.
    #[serde(default)]
    pub whole_start_mod_4096: [u64; 8],
    /// This operation against 4 KiB.
    #[serde(default)]
    pub alignment: Alignment,
    /// Share that begins where a recent one ended.
    pub sequential_ratio: Option<f64>,
    /// Issue to completion.
    pub latency_us: Option<Latency>,
    /// The same by class, so that profiles can be merged: where a class begins, in nanoseconds, and how
    /// many I/Os are in it. A class is 1/32 of its power of two wide, below 32 ns one nanosecond.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub latency_histogram_ns: BTreeMap<u64, u64>,
}

/// I/Os of one size.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct SizeCount {
    /// The size.
    pub bytes: u64,
    /// How many.
    pub ios: u64,
    /// How many of these do not start at a multiple of 4096 bytes.
    #[serde(default)]
    pub off_4096_ios: u64,
}

/// One operation on one grid.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct GridProfile {
    /// The operation.
    pub op: String,
    /// The layer below in whose address space the grid lies; `None`: the device's own.
    #[serde(default)]
    pub layer: Option<String>,
    /// The kind of boundaries: `raid-chunk`, `physical-block`.
    pub kind: String,
    /// Distance of the boundaries.
    pub size_bytes: u64,
    /// The first boundary, in the address space that the grid lies in.
    pub phase_bytes: u64,
    /// The cost of being off it: `rmw`, `preference`, `validity`.
    #[serde(default)]
    pub tier: String,
    /// The operator declared it: it has a say in the verdict.
    #[serde(default)]
    pub declared: bool,
    /// Pieces that were judged: on a layer below, an I/O may have become several, or none.
    #[serde(default)]
    pub pieces: u64,
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
    /// How much slower straddling I/O is than clean I/O of its size that fits into a cell as well.
    #[serde(default)]
    pub latency_ratio: Option<LatencyRatio>,
    /// Writes: whether reads of the same cells come before them.
    #[serde(default)]
    pub read_before_write: Option<ReadBeforeWrite>,
}

/// Writes that cover a cell in part need its old content: read-modify-write shows as a small read of
/// that cell shortly before. Writes of whole cells are the control: they need no read.
#[derive(Copy, Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ReadBeforeWrite {
    /// Time for which a read counts.
    pub within_us: u64,
    /// Writes whose first or last cell is covered in part.
    pub partial_writes: u64,
    /// How many of these followed a read of such a block.
    pub partial_after_read: u64,
    /// Writes of whole cells.
    pub whole_writes: u64,
    /// How many of these followed a read of their first or last block.
    pub whole_after_read: u64,
    /// Enough of them, and more than the control: this is read-modify-write.
    pub seen: bool,
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
    /// I/Os whose length is not a multiple of 4096.
    #[serde(default)]
    pub length_off_4096_ios: u64,
    /// Starts by power of two, as in [`OpProfile`].
    pub start_pow2_histogram: Vec<u64>,
}
