//! One binary for all integration tests of the renderers.
#![allow(clippy::unwrap_used, clippy::panic)]

mod build;
mod cases;
mod golden;
mod hostile;
mod schema;
mod widths;
