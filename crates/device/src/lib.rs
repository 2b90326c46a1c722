//! Targets that I/O is sent to: block devices, files and folders.
//!
//! What measures and what moves data both come through here, so that there is one place that decides
//! whether a target may be written: never one that is mounted, held by another device or in use.
#![deny(missing_docs)]

mod cache;
mod content;
mod direct;
pub mod error;
pub mod lock;
mod open;
pub mod partitions;
mod same;
mod scratch;
mod target;
mod users;

pub use direct::Direct;
pub use error::{Error, ErrorKind, Result};
pub use same::same;
pub use target::{Kind, Member, Target, Want};
pub use users::{Use, users};
