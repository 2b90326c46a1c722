//! One binary for all integration tests of the core.
#![allow(missing_docs, clippy::unwrap_used, clippy::panic)]

mod advice;
mod advice_matching;
mod atomic_write;
mod judge;
mod phases;
mod rules;
mod scan;
mod write_unit;
