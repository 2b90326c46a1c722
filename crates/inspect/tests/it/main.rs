//! The integration tests of the readers: one binary, a module a room.
#![allow(missing_docs)]

mod filesystems;
mod host;
mod images;
mod tables;
mod volumes;
