//! The trace formats, through the library.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

#[macro_use]
extern crate ioalign_testkit;

mod asks;
mod damage;
mod docs;
mod exact;
mod generated;
mod merge;
mod oracles;
mod parquet;
mod pipeline;
mod robust;
mod samples;
mod show;
mod sniff;
mod truths;
mod variants;
