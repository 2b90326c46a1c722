//! Measurements: against models of known truth, and against the real tools.
#![allow(clippy::unwrap_used, clippy::panic)]

#[macro_use]
extern crate ioalign_testkit;

mod amplification;
mod data;
mod engine;
mod experiment;
mod fio_jobs;
mod fio_keys;
mod gate;
mod load;
mod probe;
mod scratch;
mod stats;
mod trouble;
