//! Measurements: against models of known truth, and against the real tools.
#![allow(clippy::unwrap_used, clippy::panic)]

mod engine;
mod experiment;
mod fio_jobs;
mod stats;
