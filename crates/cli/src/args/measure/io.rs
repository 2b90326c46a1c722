//! The target, what may be done to it, and how I/O is sent.

use std::path::PathBuf;

use clap::{Args, ValueEnum};
use ioalign_measure::jobs::values;

/// The permissions on the target.
#[derive(Clone, Debug, Args)]
pub struct TargetArgs {
    /// Allow writes: refused where the target is in use, or holds data
    #[arg(long)]
    pub write: bool,

    /// The target named again: what it holds may be overwritten
    #[arg(long, value_name = "TARGET", requires = "write")]
    pub destroy_data: Vec<PathBuf>,

    /// Use this much of the target; a missing file is created with this size and filled
    #[arg(long, value_name = "SIZE", value_parser = values::target_size)]
    pub size: Option<u64>,

    /// Through the page cache instead of past it
    #[arg(long)]
    pub buffered: bool,

    /// Drop what is cached before every round, below a loop device too
    #[arg(long)]
    pub cold: bool,
}

/// How I/O is sent.
#[derive(Clone, Debug, Args)]
pub struct EngineArgs {
    /// How I/O is sent (default: io_uring, where it is allowed)
    #[arg(long, value_enum)]
    pub api: Option<TheApi>,

    /// Poll the device for completions, where it can be polled
    #[arg(long)]
    pub iopoll: bool,

    /// A thread of the kernel takes what is sent: a processor more, fewer system calls
    #[arg(long)]
    pub sqpoll: bool,

    /// Another seed gives other places and another order
    #[arg(long, value_name = "S", default_value_t = 1)]
    pub seed: u64,
}

/// How I/O is sent.
#[derive(Copy, Clone, Debug, PartialEq, Eq, ValueEnum)]
pub enum TheApi {
    /// `io_uring`: many in flight a thread
    Uring,
    /// `pread` and `pwrite`: one in flight a thread
    Sync,
}

/// The written data: never runs of zeros.
#[derive(Clone, Debug, Args)]
pub struct DataArgs {
    /// Share of each 4 KiB that a compressor removes (default: 0%, or as the job says)
    #[arg(long, value_name = "SHARE", value_parser = values::share)]
    pub compressible: Option<f64>,

    /// Share of 4 KiB blocks that are copies of others
    #[arg(long, value_name = "SHARE", value_parser = values::share)]
    pub dedup: Option<f64>,

    /// Bytes that fill what compresses, in hexadecimal
    #[arg(long, value_name = "HEX", value_parser = values::hex)]
    pub buffer_pattern: Option<String>,

    /// Fill each buffer once instead of for every write
    #[arg(long)]
    pub no_refill: bool,
}
