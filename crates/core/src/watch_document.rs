//! What `watch` shows: counters of devices in an interval or since the beginning, in lines, on the screen and as the
//! summary. Its JSON is a [`Profile`](crate::profile::Profile).

use crate::profile::{
    Burst, Bursts, DiscardCounts, FileProfile, GridProfile, GroupProfile, OpProfile,
    ProcessProfile, ReadBeforeOverwrite,
};
use crate::units::Bytes;

/// A device in some time.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct DeviceFigures {
    /// Its name.
    pub name: String,
    /// What its I/O is judged by: the size of its first grid.
    pub unit_bytes: u64,
    /// I/Os of all operations, also of those without a place.
    pub ios: u64,
    /// Read, write and discard, in this order.
    pub ops: Vec<WatchedOp>,
    /// What iostat prints for the same time.
    pub iostat: Iostat,
    /// Small reads beside large writes.
    pub read_before_overwrite: Option<ReadBeforeOverwrite>,
    /// What it can free of its discards; `None` without any.
    pub discards: Option<DiscardCounts>,
    /// What begins on it.
    pub parts: Vec<WatchedPart>,
    /// Whose I/O it is, most first.
    pub processes: Vec<ProcessProfile>,
    /// The control groups that it is of, most first.
    pub groups: Vec<GroupProfile>,
    /// The files that it is of, most first.
    pub files: Vec<FileProfile>,
    /// Bursts since the beginning, where they are counted.
    pub bursts: Option<WatchedBursts>,
}

impl DeviceFigures {
    /// The operations with I/O.
    pub fn busy_ops(&self) -> impl Iterator<Item = &WatchedOp> {
        self.ops.iter().filter(|op| op.counted.ios > 0)
    }
}

/// One operation.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct WatchedOp {
    /// `read`, `write`, `discard`.
    pub name: &'static str,
    /// Its counters.
    pub counted: OpProfile,
    /// On each grid of the device, the unit first.
    pub grids: Vec<GridProfile>,
    /// Index k: starts that lie at least 2^(k-1) and less than 2^k bytes past a boundary of the unit.
    pub past_pow2: Vec<u64>,
    /// The bytes past it, added up.
    pub past_bytes: u64,
    /// Seconds that all of them spent in flight.
    pub in_flight_s: f64,
}

/// Something that begins on a device.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WatchedPart {
    /// `sda1`.
    pub name: String,
    /// Where it begins.
    pub start: Bytes,
}

/// Bursts of a device.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct WatchedBursts {
    /// The largest.
    pub largest: Vec<Burst>,
    /// All.
    pub total: Bursts,
    /// I/Os that took too long to be in one.
    pub unseen_ios: u64,
}

/// The end of a watch.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct WatchSummary {
    /// How long it took.
    pub seconds: f64,
    /// Whose I/O alone was counted, as in [`Profile::only`](crate::profile::Profile::only).
    pub only: Vec<String>,
    /// Devices that did something.
    pub devices: Vec<DeviceFigures>,
    /// What was not counted, or not whole.
    pub losses: WatchLosses,
}

/// What was not counted, or not whole.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq)]
pub struct WatchLosses {
    /// Events that were lost.
    pub dropped: u64,
    /// Requests that the driver gave back.
    pub requeued: u64,
    /// Completions of a part.
    pub partial: u64,
    /// Completions of I/O that was issued before the watch began.
    pub unmatched: u64,
    /// I/Os without latency.
    pub untimed: u64,
    /// Issued, and their completion was not seen.
    pub unfinished: u64,
    /// Requests that were merged from parts of files that are counted alone and of others, and are not counted.
    pub mixed: u64,
}

/// A single I/O that crosses boundaries.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StraddlingIo {
    /// The device.
    pub device: String,
    /// The operation.
    pub op: &'static str,
    /// Where it begins, in bytes.
    pub offset: u64,
    /// Its bytes.
    pub len: u64,
    /// The process.
    pub pid: u32,
    /// Its name.
    pub process: String,
    /// Size and kind of the grids whose boundaries it crosses.
    pub crossed: Vec<(Bytes, String)>,
}

/// What `iostat -x` prints of one direction.
#[derive(Copy, Clone, Debug, Default, PartialEq)]
pub struct IostatColumn {
    /// Completed a second.
    pub ios: f64,
    /// Megabytes (10^6) a second.
    pub megabytes: f64,
    /// Merged a second.
    pub merges: f64,
    /// Mean milliseconds from the request's creation to its end.
    pub await_ms: f64,
    /// Mean size in KiB.
    pub size_kib: f64,
}

/// What `iostat -x` prints of one device.
#[derive(Copy, Clone, Debug, Default, PartialEq)]
pub struct Iostat {
    /// Reads.
    pub read: IostatColumn,
    /// Writes.
    pub write: IostatColumn,
    /// `aqu-sz`: mean I/Os in flight.
    pub queue: f64,
    /// `%util`, in 1.
    pub busy: f64,
    /// In flight at the end.
    pub in_flight: u64,
}
