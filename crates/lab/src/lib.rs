//! A virtual machine that is thrown away, for whatever needs a kernel of its own.
#![deny(missing_docs)]

pub mod error;
pub mod hash;
pub mod host;
pub mod rig;

pub use error::{LabError, Result};
