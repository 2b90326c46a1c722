//! Reads what is there: bytes in, [`ioalign_core::Stack`] out.
//!
//! Nothing here writes, needs root for an image, or trusts a byte: every reader works on a
//! [`view::View`] with checked offsets and bounded reads, and answers `Ok(None)` for "not mine",
//! `Ok(Some(_))` for "mine, and this is what it says", `Err(_)` for "mine, and it is damaged".
#![deny(missing_docs)]

pub mod archive;
pub mod assemble;
pub mod captures;
mod confined;
pub mod error;
pub mod filesystems;
pub mod host;
pub mod images;
pub mod moving;
pub mod owners;
pub mod part;
pub mod recording;
pub mod source;
pub mod tables;
pub mod trail;
pub mod view;
pub mod volumes;
mod watched;

pub use error::{Error, ErrorKind, Result};
pub use source::Source;
pub use view::{Record, View};
