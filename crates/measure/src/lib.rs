//! The cost: the same I/O at several offsets, interleaved so that a noisy machine cannot fake a
//! difference or hide one.
//!
//! [`experiment`] decides the order of batches, watches a placebo and stops when the answer is
//! certain; it knows nothing of I/O, only a [`Subject`](experiment::ExperimentSubject). [`stats`] is arithmetic.
//! [`engine`] sends I/O, [`load`] keeps it coming, [`data`] makes what is written. [`probe`] infers a geometry from times.
//! [`amplification`] reads the drive's own counters around the writes of each arm.
#![deny(missing_docs)]

pub mod amplification;
mod chance;
pub mod data;
pub mod engine;
pub mod error;
pub mod experiment;
pub mod jobs;
pub mod load;
pub mod probe;
pub mod stats;

pub use error::{Error, ErrorKind, Result};
