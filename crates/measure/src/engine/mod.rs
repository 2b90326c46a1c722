//! Sends I/O: one ring a thread, registered files and buffers, or `pread` and `pwrite` where rings are
//! forbidden.

mod bench;
mod check;
mod clock;
mod door;
mod failure;
mod files;
mod lane;
mod memory;
mod options;
mod patience;
mod places;
mod queue;
mod ring;
mod space;
mod span;
mod stretch;
mod sync;
mod team;
mod zipf;

pub use bench::Bench;
pub use options::{Api, CellSpec, Options, Place};

pub(crate) use check::{check_io, check_load, check_writes};
pub(crate) use clock::{Times, now_ns};
pub(crate) use failure::failure;
pub(crate) use files::Files;
pub(crate) use lane::io_of;
pub(crate) use patience::Patience;
pub(crate) use places::{Law, Places};
pub(crate) use queue::{Done, Io, Op, Queue, Setup};
