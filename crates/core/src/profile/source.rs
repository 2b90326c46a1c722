//! The source of a profile.

use serde::{Deserialize, Serialize};

/// A file that was read, and what its numbers were taken for.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct TraceFile {
    /// Its path.
    pub path: String,
    /// Its format.
    pub format: String,
    /// How it is compressed.
    pub compression: Option<String>,
    /// Unit of times.
    pub time_unit: String,
    /// Unit of offsets.
    pub offset_unit: String,
    /// Unit of lengths.
    pub length_unit: String,
    /// Codes of operations.
    pub op_codes: String,
    /// The source of latencies.
    pub latency_source: String,
    /// Rows that did not parse.
    pub skipped_rows: u64,
    /// The first of them.
    pub skipped_first: Vec<SkippedRow>,
    /// Rows that are right and tell of no I/O.
    pub other_rows: u64,
    /// Events that the tracer says it lost.
    pub dropped: u64,
    /// Why it ends too early, where it does.
    #[serde(default)]
    pub cut_off: Option<String>,
    /// Its first and its last time on its own clock, in nanoseconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub span_ns: Option<(i64, i64)>,
    /// Nanoseconds of the wall clock at its time 0, where the trace says so.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub epoch_ns: Option<i64>,
}

impl TraceFile {
    /// Whether its format has no times.
    pub fn is_timeless(&self) -> bool {
        self.time_unit.starts_with("none")
    }
}

/// A row that did not parse.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct SkippedRow {
    /// Its line counted from 1, or its byte offset in a binary trace.
    pub place: u64,
    /// Its beginning.
    pub text: String,
    /// Its defects.
    pub why: String,
}

/// Events that did not pair.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Unpaired {
    /// Issued, and never completed in this trace.
    pub without_completion: u64,
    /// Completed, and issued before the trace began.
    pub without_issue: u64,
    /// Given back by the driver and issued again.
    pub requeued: u64,
    /// Completions of a part.
    pub partial: u64,
    /// Rows too far out of order to be put in their place.
    pub late: u64,
}
