//! What is watched, and how.

use super::device::WatchedDevice;
use super::files::{BioEnds, FileIdentity};

/// What is watched.
#[derive(Clone, Debug, Default)]
pub struct WatchOptions {
    /// The devices; at most [`Watch::MOST`](super::Watch::MOST) of them are watched.
    pub devices: Vec<WatchedDevice>,
    /// Whether I/O is also counted by process, which costs about 150 ns per I/O.
    pub owners: bool,
    /// Whether I/O is also counted by control group; kernels without type information do not tell it.
    pub groups: bool,
    /// Whether I/O is also counted by file.
    pub files: bool,
    /// Size of the event ring in bytes; `None`: no ring.
    pub ring: Option<u32>,
    /// Whether every event goes into the ring.
    pub events: bool,
    /// One in this many straddling I/Os goes into the ring; 0: none.
    pub sample_every: u32,
    /// Whether I/O is also counted over time, for a [`Timeline`](super::Timeline).
    pub moments: bool,
    /// Whether empty programs run as well, so that [`Watch::cost`](super::Watch::cost) can tell what measuring costs.
    pub cost: bool,
    /// The only control group whose I/O is counted, with those below it, by its inode number; `None`: all I/O.
    pub only_group: Option<u64>,
    /// The only files whose I/O is counted, and folders for the files below them on their file system; at most
    /// [`Watch::MOST_FILES`](super::Watch::MOST_FILES). Empty: all I/O.
    pub only_files: Vec<FileIdentity>,
    /// The functions of the kernel by which files are told apart; without them none is.
    pub bio_ends: Option<BioEnds>,
    /// Use plain tracepoints even where typed ones exist: for tests.
    pub plain: bool,
}

impl WatchOptions {
    /// Whether files are told apart to count by them.
    pub(super) const fn tells_files(&self) -> bool {
        self.files && self.bio_ends.is_some()
    }
}
