//! Parquet, as `trace convert --to parquet` and `watch --record` write it (docs/trace-parquet.md), also
//! if another program has rewritten it.
//!
//! Its directory is at the end, so it is read from a file, not as a stream: row groups are decoded side
//! by side ([`groups`]). Decoding is the `parquet` crate's work, without arrow.

mod column;
pub mod groups;
mod rows;
mod source;

use super::{FormatFacts, Framing, TraceFormat};
use crate::error::{ObserveError, ObserveErrorKind};

/// Parquet.
pub const FORMAT: TraceFormat = TraceFormat {
    name: "parquet",
    title: "Parquet, ioalign.trace/1",
    sniff: |head| head.starts_with(b"PAR1"),
    framing: Framing::Records(<[u8]>::len),
    takes: &[],
    whole_disk: false,
    parser: |_, _| {
        Err(ObserveError::new(
            ObserveErrorKind::Unsupported,
            "The directory of a Parquet file is at its end: it is read from a file, not from a pipe \
             or compressed once more",
        ))
    },
};

/// The meaning of the numbers.
pub const FACTS: FormatFacts = FormatFacts {
    time: "ns",
    offset: "bytes",
    len: "bytes",
    op: "names",
    latency: "ns, as the source had it",
};
