//! Reasons to stop a measurement.

pub use ioalign_device::{Error, ErrorKind, Result};
