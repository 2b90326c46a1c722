//! Running I/O: counted in the kernel by BPF, read from here.
//!
//! Nothing is sent per I/O: a program on the tracepoints of issue and completion adds to per-CPU
//! counters (`bpf/watch.bpf.c`), [`Watch::totals`] adds the processors up, and two [`WatchTotals`] apart in
//! time make an interval. Only `--record` has a ring of events, and says what did not fit into it.
//! Where BPF is not permitted, [`missing`] says what would help and [`tracefs`] may do.

mod attach;
mod btf;
mod cells;
pub mod counters;
mod device;
pub mod diskstats;
mod divide;
mod document;
mod files;
mod grids;
mod layout;
mod load;
pub mod missing;
mod moments;
mod options;
mod owners;
mod profile;
mod record;
mod ring;
mod samples;
mod shares;
mod table;
mod totals;
pub mod tracefs;

pub use attach::{Means, ProgramCost, Watch};
pub use counters::OpCounters;
pub use device::{WatchedDevice, devices};
pub use files::{BioEnds, FileIdentity};
pub use grids::GridCounters;
pub use moments::Timeline;
pub use options::WatchOptions;
pub use owners::Owner;
pub use record::{Recorded, Recorder};
pub use samples::{Samples, StraddleSample};
pub use shares::{OwnedShare, ShareOwner};
pub use totals::{DeviceTotals, WatchTotals};
