//! What is asked of a device: the time of a batch of I/Os.

use std::time::Duration;

use crate::Result;

/// One I/O of a batch.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct ProbeIo {
    /// Its first byte, a multiple of the sector.
    pub offset: u64,
    /// Its length, a multiple of the sector.
    pub bytes: u32,
    /// Whether it writes.
    pub write: bool,
}

/// A device, or a model of one, that takes batches and says how long they took.
pub trait TimedDevice {
    /// How many bytes may be used.
    fn size_bytes(&self) -> u64;

    /// The smallest I/O.
    fn sector_bytes(&self) -> u64;

    /// The time since the probe began: a model has a clock of its own.
    fn elapsed(&self) -> Duration;

    /// Sends all I/Os at once and waits for all; nanoseconds from the first sent to the last completed.
    fn time(&mut self, batch: &[ProbeIo]) -> Result<u64>;

    /// Before a round of writes, outside of all timing: what was written is on the device, and nothing of it is cached.
    fn settle(&mut self) -> Result<()> {
        Ok(())
    }
}
