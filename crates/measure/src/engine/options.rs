//! The options of the engine.

use std::sync::Arc;
use std::time::Duration;

use ioalign_core::workload::{Data, Pattern};
use ioalign_device::Target;

/// How I/O is sent.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Api {
    /// `io_uring`.
    Uring,
    /// `pread` and `pwrite`: one I/O at a time a worker.
    Sync,
}

/// Options for any load.
#[derive(Clone, Debug)]
pub struct EngineOptions {
    /// `None`: a ring, or `pread` and `pwrite` where rings are forbidden.
    pub api: Option<Api>,
    /// Ask the device for completions instead of waiting for interrupts.
    pub iopoll: bool,
    /// A thread of the kernel takes what is sent: no system calls, but a processor more.
    pub sqpoll: bool,
    /// Drop what is cached before every round.
    pub cold: bool,
    /// Seed of all random numbers.
    pub seed: u64,
    /// The written data.
    pub data: Data,
    /// Writes are allowed.
    pub write: bool,
    /// How many completions a worker of a load waits for at once, if that many are in flight. More may
    /// cost less processor time, but the first of them is seen late: its latency is that of the last, and
    /// the queue is not full in the meantime. At most this many are taken at once.
    pub wait_for: u32,
    /// A device that completes nothing for this time is abandoned.
    pub stall: Duration,
}

impl Default for EngineOptions {
    fn default() -> Self {
        Self {
            api: None,
            iopoll: false,
            sqpoll: false,
            cold: false,
            seed: 1,
            data: Data::default(),
            write: false,
            wait_for: 1,
            stall: Duration::from_secs(30),
        }
    }
}

/// The place of an arm of a comparison.
#[derive(Clone, Debug)]
pub struct ArmPlace {
    /// The device, file or folder.
    pub target: Arc<Target>,
    /// Added to every place in it.
    pub offset_bytes: u64,
}

/// One kind of I/O.
#[derive(Copy, Clone, Debug, PartialEq)]
pub struct CellSpec {
    /// Size of an I/O.
    pub block_bytes: u64,
    /// Share of reads: 1 is reads alone.
    pub read_ratio: f64,
    /// In what order places follow each other.
    pub pattern: Pattern,
    /// I/Os in flight a worker.
    pub queue_depth: u32,
    /// Threads, each with its own queue.
    pub workers: u32,
}
