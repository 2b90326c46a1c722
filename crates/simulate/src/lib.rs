//! A model of an array: which disks an I/O reaches, in which order, and how long that takes.
//!
//! [`geometry`] is exact: it knows where every byte lies and what a write has to read first. [`engine`] adds time:
//! disks with queues, under a workload of `measure`. Nothing in this crate does I/O or looks at a clock: the
//! same array, workload and seed give the same result.
#![deny(missing_docs)]

pub mod closed_form;
pub mod description;
pub mod disk;
pub mod engine;
pub mod flash;
pub mod geometry;
pub mod placement;
pub mod provision;
pub mod requests;
pub mod volume;
