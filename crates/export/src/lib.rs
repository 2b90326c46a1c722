//! A simulated array as a block device in real time.
//!
//! ```text
//! loop device ─ FUSE file ┐
//!                         ├─ BlockServer ─ ServiceModel   when an I/O is complete
//! client of NBD ──────────┘              └ Media          what it reads and leaves
//! ```
//!
//! [`server`] holds I/Os until the model says that they are complete, and only then lets them read or write the
//! [`media`]: what a loss of power finds in flight has left no trace yet. [`fuse`] and [`nbd`] are two ways in.
#![deny(missing_docs)]

pub mod data;
pub mod fuse;
pub mod media;
pub mod nbd;
pub mod place;
pub mod server;
pub mod session;

pub use ioalign_simulate::engine::OpenArray;
pub use ioalign_simulate::requests::ArrayRequest;
