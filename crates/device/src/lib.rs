//! Targets that I/O is sent to: block devices, files and folders.
//!
//! Measuring and moving both use this crate, so that one place decides whether a target may be
//! written: never one that is mounted, held by another device or in use.
#![deny(missing_docs)]

mod atomic;
mod cache;
mod content;
pub mod create;
mod direct;
pub mod error;
mod identity;
mod in_flight;
pub mod lock;
mod loops;
mod open;
pub mod partitions;
mod pinned;
mod same;
mod scratch;
mod sysfs;
mod target;
mod target_request;
mod users;
mod writers;

pub use atomic::{
    ATOMIC_WRITE, atomic_file_limits, no_atomic_writes, no_buffered_atomic_writes,
    prove_atomic_writes, scratch_file_limits,
};
pub use direct::{Direct, direct_io_contract};
pub use error::{Error, ErrorKind, Result};
pub use identity::{Sameness, TargetIdentity};
pub use loops::{AttachedLoop, backing_file, detach, loops_on};
pub use open::while_busy;
pub use same::{are_aliases, same};
pub use target::{Target, TargetFile, TargetKind};
pub use target_request::TargetRequest;
pub use users::{Use, is_read_only, users};
