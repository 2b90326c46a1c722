//! Targets that I/O is sent to: block devices, files and folders.
//!
//! What measures and what moves data both come through here, so that there is one place that decides
//! whether a target may be written: never one that is mounted, held by another device or in use.
#![deny(missing_docs)]

pub mod error;

pub use error::{Error, ErrorKind, Result};
