//! Torn pages, proved: real databases on a disk that loses power in the middle of a write.
//!
//! ```text
//! MariaDB, PostgreSQL, SQLite
//! ext4, which allocates clusters of a page
//! partition (a loop device with an offset)
//! disk (ioalign-export): cuts writes at multiples of its atomic unit, forgets what was not flushed
//! ```
//!
//! [`trial`] makes the database, cuts the power at many moments and looks at what each of them has left;
//! `ioalign_core::tear_document` says what is tried, and what has to come of it.
#![deny(missing_docs)]

mod disk;
mod engine;
mod programs;
pub mod trial;

pub use disk::TornDisk;
