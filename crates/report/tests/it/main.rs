//! One binary for all integration tests of the renderers.
#![allow(clippy::unwrap_used, clippy::panic)]

#[macro_use]
extern crate ioalign_testkit;

mod build;
mod cases;
mod comparison_page;
mod comparisons;
mod golden;
mod hostile;
mod junit;
mod nagios;
mod profiles;
mod prometheus;
mod sarif;
mod schema;
mod tools;
mod widths;
