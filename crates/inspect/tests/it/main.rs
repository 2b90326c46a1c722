//! The integration tests of the readers: one binary, a module a room.
#![allow(
    missing_docs,
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::cast_possible_truncation
)]

#[macro_use]
extern crate ioalign_testkit;

mod archive;
mod evidence;
mod filesystems;
mod host;
mod images;
mod listings;
mod moving;
mod reports;
mod seeds;
mod tables;
mod tools;
mod volumes;
