//! The list of fuzz subjects, and the mutation loop over it. `fuzz/` runs the same list with libFuzzer.
//!
//! A panic is a finding here, and seeds are made by code that cannot fail.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod damage;
pub mod fuzz;
mod seeds;
pub mod subject;
pub mod subjects;
