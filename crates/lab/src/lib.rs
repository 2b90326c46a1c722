//! Experiments on a real kernel stack, in a virtual machine that is thrown away.
//!
//! [`rig`] boots a small guest with QEMU: busybox, kernel modules, a few programs of this machine and `ioalign` itself.
//! [`experiment`] reads what is built in it: disks of known speed, layers, loads, and what to compare. [`run`] takes
//! one after the other and keeps what is done.
#![deny(missing_docs)]

mod document;
pub mod error;
pub mod experiment;
pub mod hash;
pub mod host;
mod planned;
pub mod result;
pub mod rig;
pub mod run;
pub mod shell;
pub mod state;

pub use error::{LabError, Result};
