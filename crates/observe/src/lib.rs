//! Observed I/O: traces of any format and size, and live events, become one
//! [`Profile`](ioalign_core::profile::Profile).
//!
//! The way of an I/O: [`input`] gives chunks of bytes cut at record ends, a parser of [`formats`]
//! makes [`record`]s of them (on all processors), [`order`] puts them in time order, [`pairing`]
//! joins issue and completion to one I/O, and [`analyse`] counts. Memory is bounded by what is in
//! flight and by the number of devices, never by the length of the trace.
#![deny(missing_docs)]

pub mod analyse;
pub mod error;
pub mod formats;
pub mod generate;
pub mod input;
pub mod live;
pub mod merge;
pub mod order;
pub mod pairing;
pub mod pipeline;
pub mod progress;
pub mod record;
pub mod write;

pub use error::{ObserveError, Result};
pub use pipeline::{Converted, TraceSettings, TraceSummary, convert, nothing_parsed, summarize};
pub use progress::TraceProgress;
pub use record::{Io, Op, RecordKind, TraceRecord, TraceRecords};
