//! How layouts are put right: where things should start, with a proof, and how data get there so that
//! no crash can lose a byte.
//!
//! Everything that writes goes through [`Disk`], so that the same code runs on a block device, on an
//! image, and on a simulated disk that loses power at any write.
#![deny(missing_docs)]

pub mod allocation;
pub mod boot;
pub mod container;
pub mod content;
pub mod convert;
pub mod disk;
pub mod fix;
pub mod journal;
pub mod layout;
pub mod mover;
pub mod overlay;
pub mod ovf;
pub mod planner;
pub mod platforms;
pub mod resize;
pub mod tables;

pub use disk::{Disk, MemoryDisk};
pub use ioalign_device::{Error, ErrorKind, Result};
pub use mover::job::{Identity, Job, Move, Patch, PatchPhase};
