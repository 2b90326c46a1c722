//! Sends I/O: one ring a thread, registered files and buffers, or `pread` and `pwrite` where rings are
//! forbidden.

mod bench;
mod check;
mod clock;
mod closed;
mod door;
mod failure;
mod files;
mod lane;
mod memory;
mod options;
mod pages;
mod patience;
mod places;
mod queue;
mod queued_io;
mod ring;
mod space;
mod span;
mod stretch;
mod sync;
mod team;
mod volley;
mod walk;
mod write_queue;
mod zipf;

pub use bench::Bench;
pub use options::{Api, ArmPlace, CellSpec, EngineOptions};
pub use pages::{PageBench, PageWay};
pub use volley::Volley;

pub(crate) use check::{check_atomic, check_io, check_load, check_writes};
pub(crate) use clock::{CpuTimes, now_ns};
pub(crate) use failure::failure;
pub(crate) use files::Files;
pub(crate) use patience::Patience;
pub(crate) use places::{PlaceLaw, PlaceStream};
pub(crate) use queue::Queue;
pub(crate) use queued_io::{Completion, QueueOp, QueueSetup, QueuedIo, io_of};
