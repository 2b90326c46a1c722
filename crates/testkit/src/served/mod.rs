//! A device whose service times are known: the truth that measurements and advice are held against.
//!
//! A [`DeviceLaw`] says what an I/O costs by its operation, its size, and where it lies on a grid. [`VirtualDevice`] serves by it in
//! virtual time, as fast as the machine counts; the example `served` does so for real, as a file in a FUSE mount.

mod law;
mod queue;
mod virtual_device;
mod workload;

pub use law::{DeviceLaw, ServerPart, ServerSplit};
pub use queue::Servers;
pub use virtual_device::{AnsweredIo, Ran, VirtualDevice};
pub use workload::{Places, ServedWorkload};

/// One I/O.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct ServedIo {
    /// Whether it is a write.
    pub write: bool,
    /// Its first byte.
    pub offset: u64,
    /// How many bytes.
    pub bytes: u64,
    /// Whether it begins where one before it ended.
    pub sequential: bool,
}
