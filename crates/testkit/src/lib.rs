//! Disks, tables and captured hosts for tests, made from nothing.
//!
//! Everything here panics with a clear message when it fails: it is used by tests only.
#![deny(missing_docs)]
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

pub mod bundle;
pub mod device;
pub mod disk;
pub mod files;
pub mod gpt;
pub mod lvm;
pub mod mbr;
pub mod md;
pub mod needs;
pub mod nvlist;
pub mod postgres;
pub mod qemu;
pub mod random;
pub mod run;
pub mod sarif;
pub mod served;
pub mod sysroot;

pub use bundle::BundleBuilder;
pub use device::{Loop, MountGuard};
pub use disk::Disk;
pub use postgres::PostgresServer;
pub use qemu::Qemu;
pub use random::Random;
pub use run::{CheckRun, check};
pub use sysroot::Sysroot;
