//! Plans and moves: on simulated disks that lose power, and on real ones.
#![allow(clippy::unwrap_used, clippy::panic)]

#[macro_use]
extern crate ioalign_testkit;

mod agree;
mod boot;
mod container;
mod convert;
mod crash;
mod fix;
mod gap;
mod image;
mod journal_made;
mod layout;
mod near;
mod plans;
mod resize;
mod tables;
mod tables_made;
